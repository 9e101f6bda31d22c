"""What one version of an engine accepts, as frozen records with one JSON form.

A `Surface` comes from three places, and is the same record from each: the
Python files of a wheel (by AST), the real parser inside an image (a dump), or a
folded file that holds many versions.

Texts in the records follow three small vocabularies, given with the fields:
arities, type words, and the type expressions of JSON keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Literal, TypeAlias

from attrs import field, frozen

from infxreg.values import FrozenMap

Json: TypeAlias = "Mapping[str, Json] | list[Json] | str | int | float | bool | None"
FieldKind: TypeAlias = Literal["init", "noinit", "initvar"]

SCHEMA = 1


@frozen(kw_only=True)
class Flag:
    """One argument of the parser; a positional has no names.

    Attributes:
        names: option strings as help shows them, in the parser's order.
        dest: the destination in the namespace.
        arity: values taken: ``0``, ``1``, ``?``, ``*``, ``+`` or a number.
        action: ``store``, ``store_true``, ``store_false``, ``store_const``, ``append``,
            ``extend``, ``count``, ``help``, ``version``, ``boolean`` (``--x`` and ``--no-x``),
            ``enable-disable`` (vllm's pairs), or the name of the engine's own class.
        type: a type word: ``""`` (takes no value), ``str``, ``int``, ``float``, ``bool``,
            ``json`` (JSON text), ``json|str`` (a JSON object, else any text), ``human-int``
            (``32k``), ``human-int|auto``, ``dataclass`` (the JSON of ``config``),
            ``lower-underscore`` (text, lower-cased, ``-`` read as ``_``), ``int-list``
            (comma separated), ``comma-list`` (the same of texts), ``lambda`` (unknown inline
            code), ``unknown``, or the name of the engine's own function.
        optional: ``None`` and the empty string are taken for "no value" whatever the type.
        choices: the values that the parser, or the help, lists; None if it lists none.
        hard: the parser refuses values outside ``choices``. Hard without choices: there is
            a list, but code computes it, so it isn't known.
        default: the ``repr`` of the default; None if it isn't known.
        deprecated: None, or what replaces it (``""`` if the engine names nothing).
        refused: naming the flag is always an error (a removed flag that is kept for its message).
        config: the name of the class in `Surface.configs` that its JSON makes.
        hidden: option strings that the parser takes but help leaves out.
        required: parsing fails without it.
        origin: the class and field that it was made from (``CacheConfig.cache_dtype``).
    """

    names: tuple[str, ...] = ()
    dest: str
    arity: str = "1"
    action: str = "store"
    type: str = "str"
    optional: bool = False
    choices: tuple[str, ...] | None = None
    hard: bool = False
    default: str | None = None
    deprecated: str | None = None
    refused: bool = False
    config: str | None = None
    hidden: tuple[str, ...] = ()
    required: bool = False
    origin: str | None = None

    @property
    def all_names(self) -> tuple[str, ...]:
        """Every option string that the parser takes for it."""
        return self.names + self.hidden


@frozen(kw_only=True)
class ConfigField:
    """One JSON key of a config class.

    Attributes:
        kind: ``init`` (a key of the JSON), ``noinit`` (a field, but no key: refused),
            ``initvar`` (a key, though no field).
        type: a type expression as Python writes annotations, with ``int``, ``float``, ``str``,
            ``bool``, ``None``, ``Any``, ``list[T]``, ``set[T]``, ``tuple[T, ...]``,
            ``dict[K, V]``, ``A | B``, ``Literal`` (one of ``choices``), ``Literal[1, 2]``, and
            names of `Surface.configs` and `Surface.enums`; other names are the engine's own
            types. None if it isn't known.
        choices: the texts that ``Literal`` in ``type`` stands for; None if it has none.
        validated: the engine looks at the raw value before the type does, so a value of
            another type may be taken.
        reads: what that look does, where it is one of these, in words with spaces between:
            ``null`` (null is taken whatever the type says), ``member`` (text names a member of
            the enum in ``type``, its case ignored; other text is refused), ``auto`` (the text
            ``auto``, its case ignored, is null), ``lower``, ``lower-underscore`` (text is
            lower-cased, and ``-`` read as ``_``), ``commas`` (text is split at commas into a
            list), ``same`` (the type decides after all), ``text`` and ``object`` (only these are
            looked at, in a way that isn't known; the type decides on all else).
            `infxreg.surface.json_rules` reads it, and `class_rules` in
            `infxreg.surface.pyread.validators` makes it and `Config.refusals` from a class's
            syntax; without it a validated key is only refused for what no such look would take.
        bounds: limits on a number, such as ``>=0 <1``.
        default: the ``repr`` of the default; None if it isn't known.
        required: the JSON must have the key.
    """

    kind: FieldKind = "init"
    type: str | None = None
    choices: tuple[str, ...] | None = None
    validated: bool = False
    reads: str = ""
    bounds: str = ""
    default: str | None = None
    required: bool = False


@frozen(kw_only=True)
class Config:
    """A class behind a JSON-valued flag, or behind a key of one.

    Attributes:
        fields: JSON key to what it takes.
        extra: what unknown keys meet: ``forbid``, ``ignore``, ``allow``; None if unsaid.
        refusals: conditions on several keys under which the class refuses its JSON, each a
            small Python expression over key names (``kv_connector is not None and
            kv_role is None``); only those that name keys and constants are here.
    """

    fields: FrozenMap[str, ConfigField] = field(factory=FrozenMap)
    extra: str | None = None
    refusals: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that the JSON can have."""
        return tuple(name for name, one in self.fields.items() if one.kind != "noinit")


@frozen(kw_only=True)
class Enum:
    """An enum class that a JSON key's type names: member name to the ``repr`` of its value."""

    members: FrozenMap[str, str | None]


@frozen
class Wheel:
    """What a release was read from.

    Attributes:
        name: the file's name.
        sha256: its hash.
        built: the day of its newest entry, as ``2026-09-22``; None where the archive has no time.
    """

    name: str
    sha256: str
    built: str | None = None


@frozen(kw_only=True)
class Surface:
    """What one version of an engine accepts.

    Attributes:
        engine: ``vllm``, ``sglang`` …
        version: the engine's version, as its wheel gives it.
        flags: positionals first, then by name (`canonical`); a dump has its parser's order.
        configs: class name to class, of every JSON-valued flag and what these hold.
        enums: class name to enum.
        backends: attention-backend names; None if not known.
        env: environment variables that the engine declares; None if not known.
        env_read: others that its Python code reads by a literal name.
        registries: what argparse doesn't check but the engine does, by destination
            (``tool_call_parser``) or by key (``KVTransferConfig.kv_connector``,
            ``SpeculativeConfig.method``): the known names.
        models: architecture names; None if not known.
        traits: what this version's parser does, in words of the engine's plugin, each
            ``name`` or ``name=value``.
        made_by: ``ast``, ``dump``, ``folded``, or ``""``.
    """

    engine: str
    version: str
    flags: tuple[Flag, ...] = ()
    configs: FrozenMap[str, Config] = field(factory=FrozenMap)
    enums: FrozenMap[str, Enum] = field(factory=FrozenMap)
    backends: tuple[str, ...] | None = None
    env: tuple[str, ...] | None = None
    env_read: tuple[str, ...] = ()
    registries: FrozenMap[str, tuple[str, ...]] = field(factory=FrozenMap)
    models: tuple[str, ...] | None = None
    traits: tuple[str, ...] = ()
    made_by: str = field(default="", eq=False)

    @cached_property
    def by_name(self) -> Mapping[str, Flag]:
        """Option string to flag, hidden ones too."""
        return {name: flag for flag in self.flags for name in flag.all_names}

    @cached_property
    def by_dest(self) -> Mapping[str, tuple[Flag, ...]]:
        """Destination to the flags that set it."""
        found: dict[str, tuple[Flag, ...]] = {}
        for flag in self.flags:
            found[flag.dest] = (*found.get(flag.dest, ()), flag)
        return found

    def trait(self, name: str) -> str | None:
        """The value of a trait (``""`` if it has none), or None where the parser lacks it."""
        for one in self.traits:
            key, _, value = one.partition("=")
            if key == name:
                return value
        return None

    def to_json(self) -> dict[str, Json]:
        """The surface as plain data; what has its default is left out."""
        from infxreg.surface.jsonform import surface_to_json

        return surface_to_json(self)

    @classmethod
    def from_json(cls, data: object) -> Surface:
        """A surface from `to_json`'s form.

        Raises:
            SurfaceFormatError: naming every part that is missing or of the wrong kind.
        """
        from infxreg.surface.jsonform import surface_from_json

        return surface_from_json(data)

    @classmethod
    def from_real_dump(cls, data: object, engine: str | None = None) -> Surface:
        """A surface from what the dump script prints, by the engine's real parser.

        Args:
            data: the dump, as `json.loads` gives it.
            engine: taken where the dump doesn't name its engine.

        Raises:
            SurfaceFormatError: naming every part that is missing or of the wrong kind.
        """
        from infxreg.surface.realdump import surface_from_dump

        return surface_from_dump(data, engine)


def sorted_names(names: Iterable[str]) -> tuple[str, ...]:
    """Distinct names, sorted: the canonical order of everything that has none of its own."""
    return tuple(sorted(set(names)))
