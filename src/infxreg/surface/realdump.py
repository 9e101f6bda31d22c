"""A `Surface` from a dump of the real parser: what `infxreg.surface.dump`'s script prints.

The dump names Python functions and classes; here they become the type and
action words of `infxreg.surface.model`.
"""

from __future__ import annotations

import re

import attrs

from infxreg.surface.errors import SurfaceFormatError
from infxreg.surface.model import Config, ConfigField, Enum, Flag, Surface, sorted_names
from infxreg.surface.reading import Part
from infxreg.values import FrozenMap

ACTIONS = {
    "_StoreAction": "store",
    "_StoreTrueAction": "store_true",
    "_StoreFalseAction": "store_false",
    "_StoreConstAction": "store_const",
    "_AppendAction": "append",
    "_AppendConstAction": "append_const",
    "_ExtendAction": "extend",
    "_CountAction": "count",
    "_HelpAction": "help",
    "_VersionAction": "version",
    "BooleanOptionalAction": "boolean",
    "EnableDisableAction": "enable-disable",
}
TYPES = {
    "loads": "json",
    "union_dict_and_str": "json|str",
    "human_readable_int": "human-int",
    "human_readable_int_or_auto": "human-int|auto",
}
_OPTIONAL = re.compile(r"optional_type\._optional_type\((.*)\)")
_PARSE = re.compile(r"parse_type\._parse_type\((.*)\)")
_DATACLASS = re.compile(r"(?:\w+\.)*parse_dataclass\((\w+)\)")
_METAVAR_LIST = re.compile(r"'([^']*)'|\"([^\"]*)\"")


# What a dump by the script of this package has, whatever its engine.
DUMP_FORMAT = 1
_SECTIONS = ("backends", "envs", "registries", "models")


def surface_from_dump(data: object, engine: str | None) -> Surface:
    """See `Surface.from_real_dump`."""
    part = Part(data, "")
    surface = _read(part, engine)
    if part.has("dump"):
        _check_whole(part, surface)
    if part.problems:
        raise SurfaceFormatError("a dump of an engine's parser", tuple(part.problems))
    return surface


def _check_whole(part: Part, surface: Surface) -> None:
    """Notes what the dump script couldn't read, and parts that were lost since."""
    if part.at("dump").value != DUMP_FORMAT:
        part.at("dump").wrong(f"format {part.at('dump').value!r}; this version reads {DUMP_FORMAT}")
    for one in part.at("missing").texts():
        part.wrong(f"the engine didn't give its {one}")
    if part.at("missing").texts():
        return
    for name in (*_SECTIONS, *(("configs", "enums") if surface.engine == "vllm" else ())):
        part.need(name)
    for flag in surface.flags:
        if flag.config is not None and flag.config not in surface.configs:
            part.at("configs").wrong(f"{flag.config!r} of {flag.names[0]} is missing")


def _read(part: Part, engine: str | None) -> Surface:
    named = part.at("engine").text_or_none() or engine
    if named is None:
        part.wrong("'engine' is missing")
    options = frozenset(part.need("options").texts())
    flags = [_flag(row) for row in part.need("actions").rows()]
    if not flags and not part.problems:
        part.at("actions").wrong("the parser has no argument")
    return Surface(
        engine=named or "",
        version=_version(part.need("version").text()),
        flags=_with_hidden(part, flags, options),
        configs=FrozenMap({name: _config(one) for name, one in part.at("configs").items()}),
        enums=FrozenMap({name: _enum(one) for name, one in part.at("enums").items()}),
        backends=_names(part.at("backends")),
        env=_names(part.need("envs")),
        env_read=part.at("env_read").texts(),
        registries=FrozenMap(
            {name: sorted_names(one.texts()) for name, one in part.at("registries").items()}
        ),
        models=_names(part.at("models")),
        traits=part.at("traits").texts(),
        made_by="dump",
    )


def _version(text: str) -> str:
    """``0.5.23`` from ``catalog/real-sglang-0.5.23.json``, as the oracles of sglang say it."""
    found = re.fullmatch(r".*/real-\w+?-(.+)\.json", text)
    return found[1] if found else text


def _names(part: Part) -> tuple[str, ...] | None:
    names = part.texts_or_none()
    return None if names is None else sorted_names(names)


def _flag(row: Part) -> Flag:
    names = row.need("opts").texts()
    nargs = row.at("nargs").value
    arity = "1" if nargs is None else str(nargs)
    word, optional, config = _type(row.at("type").text_or_none(), arity)
    action_class = row.need("action").text()
    listed = row.at("choices")
    choices = None
    if listed.value is not None:
        choices = tuple(str(one.value) for one in listed.rows())
    soft = _metavar(row.at("metavar").value) if choices is None else None
    if word == "lambda" and choices is not None and all(c == c.lower() for c in choices):
        word = "lower-underscore"
    return Flag(
        names=names,
        dest=row.need("dest").text(),
        arity=arity,
        action=ACTIONS.get(action_class, action_class),
        type=word,
        optional=optional,
        choices=choices if choices is not None else soft,
        hard=choices is not None,
        default=row.at("default").text_or_none(),
        deprecated=row.at("replacement").text() if row.at("deprecated").flag() else None,
        refused=row.at("refused").flag(),
        config=config,
        hidden=row.at("hidden").texts(),
        required=row.at("required").flag(),
    )


def _type(name: str | None, arity: str) -> tuple[str, bool, str | None]:
    """Type word, whether "None" is taken for no value, and the config class."""
    if name is None:
        return ("" if arity == "0" else "str"), False, None
    optional = False
    while found := _OPTIONAL.fullmatch(name) or _PARSE.fullmatch(name):
        optional = optional or name.startswith("optional_type")
        name = found[1]
    if found := _DATACLASS.fullmatch(name):
        return "dataclass", optional, found[1]
    if name.endswith("<lambda>"):
        return "lambda", optional, None
    word = name.rpartition(".")[2]
    return TYPES.get(word, word), optional, None


def _metavar(value: object) -> tuple[str, ...] | None:
    """The values that help lists though the parser takes others: ``['a', 'b']``, ``{a,b}``."""
    if isinstance(value, list):
        return tuple(str(one) for one in value)
    if not isinstance(value, str):
        return None
    if value.startswith("["):
        return tuple(a or b for a, b in _METAVAR_LIST.findall(value))
    found = re.match(r"\{([^}]*)\}", value)
    return tuple(found[1].split(",")) if found else None


def _with_hidden(part: Part, flags: list[Flag], options: frozenset[str]) -> tuple[Flag, ...]:
    """Option strings that the parser takes, though the action doesn't show them, to their flag."""
    owner = {name: index for index, flag in enumerate(flags) for name in flag.all_names}
    for name in sorted(options - set(owner)):
        shown = "--" + name.removeprefix("--no-")
        if shown in owner:
            flag = flags[owner[shown]]
            flags[owner[shown]] = attrs.evolve(flag, hidden=(*flag.hidden, name))
        else:
            part.at("options").wrong(f"{name!r} belongs to no action")
    for name in sorted(set(owner) - options):
        part.at("options").wrong(f"{name!r} of {flags[owner[name]].dest!r} is missing")
    return tuple(flags)


def _config(part: Part) -> Config:
    fields = {}
    for name, one in part.need("fields").items():
        key = one.at("init").value is not False
        initvar = one.at("kind").text() == "initvar"
        fields[name] = ConfigField(
            kind="initvar" if initvar else "init" if key else "noinit",
            type=one.at("type").text_or_none(),
            choices=one.at("choices").texts_or_none(),
            validated=one.at("validated").flag(),
            reads=one.at("reads").text(),
            bounds=one.at("bounds").text(),
            default=one.at("default").text_or_none(),
            required=one.at("required").flag(),
        )
    return Config(fields=FrozenMap(fields), extra=part.at("extra").text_or_none())


def _enum(part: Part) -> Enum:
    return Enum(members=FrozenMap({name: one.text_or_none() for name, one in part.items()}))
