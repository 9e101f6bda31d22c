"""What ``add_argument`` calls make of a parser: from recorded calls to `Flag` records."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from attrs import frozen

from infxreg.surface.model import Flag
from infxreg.surface.pyread import classes, operations
from infxreg.surface.pyread.deprecations import deprecation
from infxreg.surface.pyread.values import (
    ArgumentCall,
    Bound,
    ClassVal,
    External,
    FuncVal,
    Instance,
    InterpretedError,
    Native,
    ParserVal,
    Unknown,
)
from infxreg.surface.realdump import ACTIONS, TYPES

if TYPE_CHECKING:
    from infxreg.surface.pyread.machine import Machine

_NO_VALUE = frozenset({"store_true", "store_false", "store_const", "append_const", "count", "help"})


@frozen
class Read:
    """A flag, and why its choices aren't known (empty where they are)."""

    flag: Flag
    cause: str
    certain: bool
    where: str
    type_value: object
    """What the call gave as ``type``, for the engine's plugin to look into."""


def parser_method(parser: ParserVal, name: str) -> object:
    """``parser.name`` of an argparse parser or group."""
    made = _METHODS.get(name)
    if made is not None:
        return Native(name, lambda machine, args, kwargs: made(parser, machine, args, kwargs))
    return Unknown(f"parser.{name}")


def _add(
    parser: ParserVal, machine: Machine, args: list[object], kwargs: dict[str, object]
) -> object:
    where = kwargs.pop("__where__", "")
    parser.calls.append(ArgumentCall(tuple(args), kwargs, machine.certain, str(where)))
    return Unknown("an argparse action")


def _group(
    parser: ParserVal, machine: Machine, args: list[object], kwargs: dict[str, object]
) -> object:
    return ParserVal(parser.calls, parser.defaults, parser.registered, parser.cls)


def _subparser(
    parser: ParserVal, machine: Machine, args: list[object], kwargs: dict[str, object]
) -> object:
    return parser.subparser or ParserVal()


def _register(
    parser: ParserVal, machine: Machine, args: list[object], kwargs: dict[str, object]
) -> object:
    if len(args) == 3 and args[0] == "action" and isinstance(args[1], (str, External)):
        parser.registered[args[1]] = args[2]
    return None


def _set_defaults(
    parser: ParserVal, machine: Machine, args: list[object], kwargs: dict[str, object]
) -> object:
    parser.defaults.update(kwargs)
    return None


def _error(
    parser: ParserVal, machine: Machine, args: list[object], kwargs: dict[str, object]
) -> object:
    raise InterpretedError("SystemExit")


_METHODS: Mapping[str, Callable[[ParserVal, Machine, list[object], dict[str, object]], object]] = {
    "add_argument": _add,
    "add_argument_group": _group,
    "add_mutually_exclusive_group": _group,
    "add_parser": _subparser,
    "register": _register,
    "set_defaults": _set_defaults,
    "error": _error,
    "exit": _error,
}

HELP = Flag(
    names=("-h", "--help"),
    dest="help",
    arity="0",
    action="help",
    type="",
    default="'==SUPPRESS=='",
)


def read_calls(machine: Machine, parser: ParserVal) -> list[Read]:
    """Every argument that was added, in order; a call whose name isn't known is a problem."""
    made: list[Read] = []
    for call in parser.calls:
        unknown = next((one for one in call.names if not isinstance(one, str)), None)
        if unknown is not None:
            why = unknown.why if isinstance(unknown, Unknown) else "it is no text"
            machine.problems.append(f"{call.where}: an argument's name isn't known: {why}")
            continue
        made.append(_read(machine, parser, call, tuple(str(one) for one in call.names)))
    return made


def _read(machine: Machine, parser: ParserVal, call: ArgumentCall, names: tuple[str, ...]) -> Read:
    options = tuple(name for name in names if name.startswith("-"))
    given = dict(call.kwargs)
    origin = given.pop("__origin__", None)
    action = given.pop("action", "store")
    if isinstance(action, (str, External)) and action in parser.registered:
        action = parser.registered[action]
    dest = given.pop("dest", None)
    dest_text = dest if isinstance(dest, str) else _dest(names)
    word, built = _action(machine, action, list(options), dest_text, given)
    if built is not None:
        given = {**given, **built}
    shown, hidden = _strings(word, options, given)
    arity = _arity(word, given)
    type_value = given.get("type")
    type_word, optional, config = type_of(type_value, arity)
    choices, cause = choices_of(machine, given)
    soft = metavar_choices(given) if choices is None and not cause else None
    return Read(
        Flag(
            names=shown,
            dest=dest_text,
            arity=arity,
            action=word,
            type=type_word,
            optional=optional,
            choices=choices if choices is not None else soft,
            hard=choices is not None or bool(cause),
            default=_default(word, given, parser.defaults.get(dest_text)),
            deprecated=deprecation(action, given),
            refused=_refused(machine, action, built),
            config=config,
            hidden=hidden,
            required=given.get("required") is True,
            origin=origin if isinstance(origin, str) else None,
        ),
        cause,
        call.certain,
        call.where,
        type_value,
    )


def _dest(names: tuple[str, ...]) -> str:
    long = next((name for name in names if name.startswith("--")), names[0] if names else "")
    return long.lstrip("-").replace("-", "_") if long.startswith("-") else long


def _action(
    machine: Machine, action: object, options: list[str], dest: str, given: dict[str, object]
) -> tuple[str, dict[str, object] | None]:
    """The action's word, and what its class sets, for classes of the tree."""
    if isinstance(action, str):
        return action, None
    if isinstance(action, External):
        return ACTIONS.get(action.last, action.last), None
    if isinstance(action, ClassVal):
        word = ACTIONS.get(action.name, action.name)
        kwargs = {key: value for key, value in given.items() if key not in {"deprecated", "**"}}
        try:
            made = machine.call(action, [], {"option_strings": options, "dest": dest, **kwargs})
        except InterpretedError as error:
            machine.problems.append(f"{action.path}: {error}")
            return word, None
        return word, dict(made.attrs) if isinstance(made, Instance) else None
    return "unknown", None


def _strings(
    word: str, options: tuple[str, ...], given: Mapping[str, object]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Option strings that help shows, and others that the parser takes."""
    everything = given.get("option_strings")
    if word == "boolean" and everything is None:
        everything = operations.with_negations(list(options))
    if not isinstance(everything, (list, tuple)):
        return options, ()
    taken = tuple(str(one) for one in everything)
    visible = given.get("visible_option_strings")
    if not isinstance(visible, (list, tuple)):
        return taken, ()
    shown = tuple(str(one) for one in visible)
    return shown, tuple(one for one in taken if one not in shown)


def _arity(word: str, given: Mapping[str, object]) -> str:
    nargs = given.get("nargs")
    if nargs is None:
        return "0" if word in _NO_VALUE or word in {"boolean", "enable-disable"} else "1"
    return str(nargs) if isinstance(nargs, (str, int)) else "1"


def type_of(value: object, arity: str) -> tuple[str, bool, str | None]:
    """Type word, whether "None" is taken for no value, and the config class."""
    optional = False
    while isinstance(value, FuncVal) and value.name in {"_optional_type", "_parse_type"}:
        optional = optional or value.name == "_optional_type"
        value = value.closed_over("return_type")
    if isinstance(value, Bound):
        value = value.func
    if value is None:
        return ("" if arity == "0" else "str"), optional, None
    if isinstance(value, type):
        return value.__name__, optional, None
    if isinstance(value, External):
        return TYPES.get(value.last, value.last), optional, None
    if isinstance(value, FuncVal):
        if value.name == "parse_dataclass":
            cls = value.closed_over("cls")
            return "dataclass", optional, cls.name if isinstance(cls, ClassVal) else None
        if value.name == "<lambda>":
            return _lambda(value.node), optional, None
        return TYPES.get(value.name, value.name), optional, None
    if isinstance(value, ClassVal):
        return value.name, optional, None
    return "unknown", optional, None


def _lambda(node: ast.FunctionDef | ast.Lambda) -> str:
    """What inline code does with the text, as far as a word says it."""
    words = {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    texts = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}
    if words == {"lower", "replace"} and texts == {"-", "_"}:
        return "lower-underscore"
    if words == {"lower"} and not texts:
        return "lower"
    if "split" in words and "," in texts:
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        return "int-list" if "int" in names and "isdigit" not in words else "comma-list"
    return "lambda"


def choices_of(machine: Machine, given: Mapping[str, object]) -> tuple[tuple[str, ...] | None, str]:
    """The values that the parser checks against, or why they aren't known."""
    value = given.get("choices")
    if value is None:
        unknown = given.get("**")
        return None, unknown.why if isinstance(unknown, Unknown) else ""
    items = operations.items_of(machine, value)
    if isinstance(items, Unknown):
        return None, items.why
    made: list[str] = []
    for one in items:
        text = operations.text_of(machine, one)
        if not isinstance(text, str):
            return None, text.why if isinstance(text, Unknown) else "a choice that is no text"
        made.append(text)
    return tuple(made), ""


def metavar_choices(given: Mapping[str, object]) -> tuple[str, ...] | None:
    """The values that help lists though the parser takes others."""
    value = given.get("metavar")
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(str(one) for one in value)
    if not isinstance(value, str):
        return None
    found = re.match(r"\{([^}]*)\}", value)
    return tuple(found[1].split(",")) if found else None


def _default(word: str, given: Mapping[str, object], later: object) -> str | None:
    if later is not None:
        return operations.repr_of(later)
    if "default" in given:
        return operations.repr_of(given["default"])
    if "**" in given:
        return None
    if word == "store_true":
        return "False"
    if word == "store_false":
        return "True"
    return "'==SUPPRESS=='" if word in {"help", "version"} else "None"


def _refused(machine: Machine, action: object, built: dict[str, object] | None) -> bool:
    """Whether naming the flag always ends in an error."""
    if not isinstance(action, ClassVal) or built is None:
        return False
    method = classes.lookup(machine, action, "__call__")
    if method is None or not isinstance(method.value, FuncVal):
        return False
    made = Instance(action, dict(built))
    values: list[object] = [Unknown("the parser's namespace"), Unknown("values"), Unknown("name")]
    try:
        with machine.strictly():
            machine.call(Bound(method.value, made), [ParserVal(), *values], {})
    except InterpretedError as error:
        return error.kind in {"SystemExit", "ArgumentError", "ArgumentTypeError"}
    return False
