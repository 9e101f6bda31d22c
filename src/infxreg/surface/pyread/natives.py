"""The functions, methods and constants outside the tree that the interpreter knows."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from infxreg.surface.pyread import classes
from infxreg.surface.pyread.values import (
    DATACLASS_FIELD,
    FIELD_INFO,
    MISSING,
    NODEFAULT,
    UNDEFINED,
    UNION,
    Bound,
    BudgetError,
    ClassVal,
    External,
    FuncVal,
    Instance,
    InterpretedError,
    Member,
    Native,
    ParserVal,
    Super,
    TypeForm,
    Unknown,
    same,
)

if TYPE_CHECKING:
    from infxreg.surface.pyread.machine import Machine

Args: TypeAlias = list[object]
Kwargs: TypeAlias = dict[str, object]
Function: TypeAlias = "Callable[[Machine, Args, Kwargs], object]"

MAX_ITEMS = 50_000
MAX_TEXT = 1 << 20
_NONE = object()
_VIEWS = (type({}.keys()), type({}.values()), type({}.items()))
_MIXINS = {
    "builtins.int",
    "builtins.str",
    "builtins.float",
    "enum.IntEnum",
    "enum.StrEnum",
    "enum.IntFlag",
}

CONSTANTS: Mapping[str, object] = {
    "sys.argv": ["engine"],
    "sys.version_info": (3, 12, 0, "final", 0),
    "sys.platform": "linux",
    "sys.modules": {},
    "sys.maxsize": 2**63 - 1,
    "os.environ": {},
    "os.name": "posix",
    "math.inf": float("inf"),
    "ssl.CERT_NONE": 0,
    "typing.TYPE_CHECKING": False,
    "typing_extensions.TYPE_CHECKING": False,
    "types.NoneType": type(None),
    "types.UnionType": UNION,
    "typing.Union": UNION,
    "argparse.SUPPRESS": "==SUPPRESS==",
    "argparse.OPTIONAL": "?",
    "argparse.ZERO_OR_MORE": "*",
    "argparse.ONE_OR_MORE": "+",
    "argparse.REMAINDER": "...",
    "argparse.PARSER": "A...",
    "dataclasses.MISSING": MISSING,
    "msgspec.NODEFAULT": NODEFAULT,
}

_METHODS: Mapping[type, frozenset[str]] = {
    str: frozenset(
        "lower upper strip lstrip rstrip split rsplit startswith endswith replace join title "
        "removeprefix removesuffix capitalize partition rpartition splitlines isdigit isalpha "
        "isidentifier find rfind count index islower isupper casefold isalnum isspace".split()
    ),
    list: frozenset("append extend insert remove pop index count copy sort reverse clear".split()),
    dict: frozenset("get keys values items update pop setdefault copy clear".split()),
    set: frozenset(
        "add update discard remove union intersection difference symmetric_difference issubset "
        "issuperset isdisjoint copy clear pop".split()
    ),
    frozenset: frozenset(
        "union intersection difference symmetric_difference issubset issuperset copy".split()
    ),
    tuple: frozenset("index count".split()),
    int: frozenset({"bit_length"}),
    float: frozenset({"is_integer"}),
    bool: frozenset(),
}


def fresh(value: object) -> object:
    """A copy of a container, so that changing it changes nothing else."""
    if isinstance(value, list):
        return list(value)
    if isinstance(value, dict):
        return dict(value)
    return set(value) if isinstance(value, set) else value


def restore(value: object, copy: object) -> None:
    """Puts a container back to what a copy holds."""
    if isinstance(value, list) and isinstance(copy, list):
        value[:] = copy
    elif (isinstance(value, dict) and isinstance(copy, dict)) or (isinstance(value, set) and isinstance(copy, set)):
        value.clear()
        value.update(copy)


def plain(value: object) -> object:
    """A member of an int or str enum as its value; other values as they are."""
    if isinstance(value, Member) and classes.outside_bases(value.cls) & _MIXINS:
        return value.value
    return value


def text_of(machine: Machine, value: object) -> object:
    """``str(value)``."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Member):
        outside = classes.outside_bases(value.cls)
        if "enum.StrEnum" in outside or "enum.IntEnum" in outside:
            return str(value.value)
        custom = classes.lookup(machine, value.cls, "__str__")
        if custom is not None and isinstance(custom.value, FuncVal):
            return machine.call(Bound(custom.value, value), [], {})
        return f"{value.cls.name}.{value.name}"
    if isinstance(value, (str, int, float, bool, type(None), list, tuple, dict, set)):
        return _limited(str(value))
    return Unknown(f"text of {type(value).__name__}")


def repr_of(value: object) -> str | None:
    """``repr(value)`` where the source says all of it, else None."""
    if isinstance(value, Member):
        inner = repr_of(value.value)
        return None if inner is None else f"<{value.cls.name}.{value.name}: {inner}>"
    if isinstance(value, (list, tuple)):
        parts = [repr_of(one) for one in value]
        if any(part is None for part in parts):
            return None
        inner = ", ".join(part for part in parts if part is not None)
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, dict):
        pairs = [(repr_of(key), repr_of(one)) for key, one in value.items()]
        if any(key is None or one is None for key, one in pairs):
            return None
        return "{" + ", ".join(f"{key}: {one}" for key, one in pairs) + "}"
    if isinstance(value, (set, frozenset)) and not value:
        return f"{type(value).__name__}()"
    if value is None or isinstance(value, (str, int, float, bool)):
        return repr(value)
    return None


def _limited(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise BudgetError("the source makes a text larger than any engine's does")
    return text


def identical(left: object, right: object) -> bool | Unknown:
    """``left is right``."""
    for one in (left, right):
        if isinstance(one, Unknown):
            return one
    if isinstance(left, (External, TypeForm)):
        return same(left, right)
    if isinstance(left, (str, int, float)) and not isinstance(left, bool):
        return same(left, right)
    return left is right


def equal(left: object, right: object) -> bool | Unknown:
    """``left == right``."""
    for one in (left, right):
        if isinstance(one, Unknown):
            return one
    left, right = plain(left), plain(right)
    try:
        return bool(left == right)
    except (TypeError, ValueError, RecursionError):
        return Unknown("a comparison")


def contains(machine: Machine, container: object, one: object) -> bool | Unknown:
    """``one in container``."""
    if isinstance(container, Unknown):
        return container
    if isinstance(one, Unknown):
        return one
    one = plain(one)
    if isinstance(container, str):
        return one in container if isinstance(one, str) else Unknown("a substring")
    if isinstance(container, (dict, set, frozenset)):
        try:
            return one in container
        except TypeError as error:
            raise InterpretedError("TypeError", str(error)) from None
    found = items_of(machine, container)
    if isinstance(found, Unknown):
        return found
    unsure: Unknown | None = None
    for each in found:
        answer = equal(one, each)
        if isinstance(answer, Unknown):
            unsure = answer
        elif answer:
            return True
    return unsure if unsure is not None else False


def items_of(machine: Machine, value: object) -> Args | Iterator[object] | Unknown:
    """What a loop over the value sees. Sets of texts come sorted."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, (set, frozenset)):
        return sorted(value) if all(isinstance(one, str) for one in value) else list(value)
    if isinstance(value, (list, tuple, dict, str, *_VIEWS)):
        return list(value)
    if isinstance(value, range):
        if len(value) > MAX_ITEMS:
            raise BudgetError("the source loops longer than any engine's does")
        return list(value)
    if isinstance(value, ClassVal) and classes.is_enum(value):
        return list(classes.distinct_members(machine, value))
    if isinstance(value, Iterator):
        return value
    return Unknown(f"a loop over {type(value).__name__}")


def _all_items(machine: Machine, value: object) -> Args | Unknown:
    found = items_of(machine, value)
    if isinstance(found, (Unknown, list)):
        return found
    return list(itertools.islice(found, MAX_ITEMS))


def item(machine: Machine, owner: object, index: object) -> object:
    """``owner[index]``."""
    if isinstance(owner, ClassVal):
        if classes.is_enum(owner) and isinstance(index, str):
            found = classes.members(machine, owner).get(index)
            if found is None:
                raise InterpretedError("KeyError", index)
            return found
        return owner
    if isinstance(owner, TypeForm):
        return owner
    if isinstance(owner, (list, tuple, str, dict, range)):
        try:
            return owner[index]  # type: ignore[index,call-overload]
        except (KeyError, IndexError, TypeError) as error:
            raise InterpretedError(type(error).__name__, repr(index)) from None
    return Unknown(f"an item of {type(owner).__name__}")


# attributes


def attribute(machine: Machine, owner: object, name: str) -> object:
    """``owner.name``."""
    match owner:
        case ClassVal():
            return _class_attribute(machine, owner, name)
        case Instance():
            return _instance_attribute(machine, owner, name)
        case Member():
            return _member_attribute(machine, owner, name)
        case Super():
            return _super_attribute(machine, owner, name)
        case ParserVal():
            return _parser_attribute(owner, name)
        case FuncVal():
            if name == "__name__":
                return owner.name
            return None if name == "__doc__" else Unknown(f"{owner.name}.{name}")
        case Bound(func=func):
            return attribute(machine, func, name)
        case TypeForm():
            if name == "__args__":
                return owner.args
            return owner.origin if name == "__origin__" else _type_attribute(owner, name)
        case type():
            return _type_attribute(owner, name)
        case _:
            return _method(owner, name)


def _class_attribute(machine: Machine, cls: ClassVal, name: str) -> object:
    if classes.is_enum(cls):
        if name == "__members__":
            return dict(classes.members(machine, cls))
        member = classes.members(machine, cls).get(name)
        if member is not None:
            return member
    found = classes.lookup(machine, cls, name)
    if found is not None:
        value = found.value
        if isinstance(value, Instance) and value.cls == DATACLASS_FIELD:
            default = value.attrs.get("default", MISSING)
            if default == MISSING:
                raise InterpretedError("AttributeError", f"{cls.name}.{name}")
            return default
        return classes.bind(machine, value, cls, cls)
    if name == "__name__" or name == "__qualname__":
        return cls.name
    if name == "__module__":
        return cls.module.name
    if name == "__doc__":
        return ""
    if name == "__annotations__":
        return {one.name: one.type for one in classes.own_fields(machine, cls)}
    if name == "__mro__":
        return tuple(classes.mro(cls))
    if name == "__dict__":
        return _vars(machine, cls)
    if name == "__new__":
        return Native("__new__", lambda _m, _a, _k: Unknown("__new__"))
    if any(isinstance(one, Unknown) for one in cls.bases):
        return Unknown(f"{cls.name}.{name}")
    raise InterpretedError("AttributeError", f"{cls.name}.{name}")


def _vars(machine: Machine, cls: ClassVal) -> dict[object, object]:
    for name in list(cls.statements):
        classes.own_attribute(machine, cls, name)
    return dict(cls.names)


def _instance_attribute(machine: Machine, made: Instance, name: str) -> object:
    if name in made.attrs:
        return made.attrs[name]
    if name == "__class__":
        return made.cls
    if name == "__dict__":
        return dict(made.attrs)
    if isinstance(made.cls, External):
        return Unknown(f"{made.cls.path}.{name}")
    found = classes.lookup(machine, made.cls, name)
    if found is None or (
        isinstance(found.value, Instance) and found.value.cls in {FIELD_INFO, DATACLASS_FIELD}
    ):
        default = classes.instance_default(machine, made, name)
        if default is not None:
            return default.value
    if found is not None:
        if found.value is None or not isinstance(found.value, FuncVal):
            return found.value
        return classes.bind(machine, found.value, made, made.cls)
    hook = classes.lookup(machine, made.cls, "__getattr__")
    if hook is not None and isinstance(hook.value, FuncVal):
        return machine.call(Bound(hook.value, made), [name], {})
    if classes.outside_bases(made.cls):
        return Unknown(f"{made.cls.name}.{name}")
    raise InterpretedError("AttributeError", f"{made.cls.name}.{name}")


def _member_attribute(machine: Machine, member: Member, name: str) -> object:
    if name in {"name", "_name_"}:
        return member.name
    if name in {"value", "_value_"}:
        return member.value
    found = classes.lookup(machine, member.cls, name)
    if found is not None and isinstance(found.value, FuncVal):
        return classes.bind(machine, found.value, member, member.cls)
    if name == "__class__":
        return member.cls
    return _method(plain(member), name)


def _super_attribute(machine: Machine, proxy: Super, name: str) -> object:
    receiver = proxy.receiver
    cls = receiver.cls if isinstance(receiver, (Instance, Member)) else receiver
    if isinstance(cls, ClassVal):
        found = classes.lookup(machine, cls, name, after=proxy.owner)
        if found is not None:
            return classes.bind(machine, found.value, receiver, cls)
        if name == "__init__" and isinstance(receiver, Instance):
            made = receiver
            return Native("__init__", lambda _m, args, kwargs: _base_init(made, args, kwargs))
    if name in {"__init__", "__setattr__", "__init_subclass__"}:
        return Native(name, lambda _m, _a, _k: None)
    return Unknown(f"super().{name}")


def _base_init(made: Instance, args: Args, kwargs: Kwargs) -> None:
    """The constructor of a base outside the tree: argparse's actions are known."""
    if not isinstance(made.cls, ClassVal):
        return
    outside = classes.outside_bases(made.cls)
    if not any(path.startswith("argparse.") for path in outside):
        return
    names = ["option_strings", "dest", "nargs", "const", "default", "type", "choices", "required"]
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    strings = given.get("option_strings")
    if "argparse.BooleanOptionalAction" in outside:
        given["nargs"] = 0
        given["option_strings"] = with_negations(strings)
    elif outside & {"argparse._StoreTrueAction", "argparse._StoreFalseAction"}:
        given["nargs"] = 0
        given.setdefault("default", "argparse._StoreFalseAction" in outside)
    made.attrs.update(given)


def with_negations(strings: object) -> object:
    """Option strings as ``argparse.BooleanOptionalAction`` makes them."""
    if not isinstance(strings, (list, tuple)):
        return strings if isinstance(strings, Unknown) else Unknown("option strings")
    made: list[object] = []
    for one in strings:
        made.append(one)
        if isinstance(one, str) and one.startswith("--"):
            made.append("--no-" + one[2:])
    return made


def _parser_attribute(parser: ParserVal, name: str) -> object:
    from infxreg.surface.pyread.argparser import parser_method

    return parser_method(parser, name)


def _type_attribute(owner: object, name: str) -> object:
    if name in {"__name__", "__qualname__"}:
        return owner.__name__ if isinstance(owner, type) else Unknown(name)
    if name == "__module__":
        origin = owner.origin if isinstance(owner, TypeForm) else owner
        return origin.__module__ if isinstance(origin, type) else "typing"
    if owner is dict and name == "fromkeys":
        return Native("fromkeys", _fromkeys)
    if isinstance(owner, type) and name in _METHODS.get(owner, ()):
        return Native(name, lambda _m, args, kwargs: _invoke(_m, args[0], name, args[1:], kwargs))
    raise InterpretedError("AttributeError", name)


def _fromkeys(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    keys = _all_items(machine, args[0])
    return keys if isinstance(keys, Unknown) else dict.fromkeys(keys, *args[1:])


def _method(owner: object, name: str) -> object:
    for kind in type(owner).__mro__:
        if kind in _METHODS:
            if name in _METHODS[kind]:
                return Native(name, lambda m, args, kwargs: _invoke(m, owner, name, args, kwargs))
            if name in {"__class__"}:
                return type(owner)
            if hasattr(owner, name):
                return Unknown(f"{kind.__name__}.{name}")
            raise InterpretedError("AttributeError", f"{kind.__name__}.{name}")
    if owner is None:
        raise InterpretedError("AttributeError", f"None.{name}")
    return Unknown(f"{type(owner).__name__}.{name}")


def _invoke(machine: Machine, owner: object, name: str, args: Args, kwargs: Kwargs) -> object:
    """A method of a text or container."""
    keeps = isinstance(owner, (list, dict)) and name in {
        *("append", "insert", "extend", "update", "setdefault", "get", "pop"),
    }
    if not keeps:
        for one in args:
            if isinstance(one, Unknown):
                return one
    if isinstance(owner, list) and name == "sort":
        made = _sorted(machine, [owner], kwargs)
        if isinstance(made, list):
            owner[:] = made
        return None
    if name in {"extend", "update", "union", "difference", "intersection", "join"}:
        args = [one if isinstance(one, (dict, str)) else _listed(machine, one) for one in args]
        unknown = next((one for one in args if isinstance(one, Unknown)), None)
        if unknown is not None:
            return unknown
    if isinstance(owner, str):
        args = [plain(one) for one in args]
        sizes = [len(one) for one in args if isinstance(one, (str, list))]
        if len(owner) * max([1, *sizes]) > 50 * MAX_TEXT:
            raise BudgetError("the source makes a text larger than any engine's does")
        if any(isinstance(one, list) and not all(isinstance(x, str) for x in one) for one in args):
            return Unknown(f"str.{name}")
    try:
        return getattr(owner, name)(*args, **kwargs)
    except (KeyError, ValueError, IndexError, TypeError, AttributeError) as error:
        raise InterpretedError(type(error).__name__, f"{name} {error}") from None


def _listed(machine: Machine, value: object) -> object:
    return _all_items(machine, value)


# calls of types and built-in functions


def call_type(machine: Machine, kind: type, args: Args, kwargs: Kwargs) -> object:
    """A call of one of Python's own types."""
    if kind is type and len(args) == 1:
        return type_of(args[0])
    if kind is object:
        return Instance(External("builtins.object"))
    if kind is dict:
        return _make_dict(machine, args, kwargs)
    if kind in {list, tuple, set, frozenset}:
        if not args:
            return kind()
        items = _all_items(machine, args[0])
        if isinstance(items, Unknown):
            return items
        if kind in {set, frozenset}:
            unknown = next((one for one in items if isinstance(one, Unknown)), None)
            if unknown is not None:
                return unknown
        return _native(lambda: kind(items))
    if kind is str:
        return text_of(machine, args[0]) if args else ""
    if kind is bool:
        answer = machine.truth(args[0]) if args else False
        return Unknown("a condition") if answer is None else answer
    if kind in {int, float}:
        values = [plain(one) for one in args]
        unknown = next((one for one in values if isinstance(one, Unknown)), None)
        if unknown is not None:
            return unknown
        if not all(isinstance(one, (str, int, float)) for one in values):
            return Unknown(f"{kind.__name__} of {type(values[0]).__name__}")
        if any(isinstance(one, str) and len(one) > 100 for one in values):
            return Unknown("a long number")
        return _native(lambda: kind(*values))
    return Unknown(f"a call of {kind.__name__}")


def _native(work: Callable[[], object]) -> object:
    try:
        return work()
    except (TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
        raise InterpretedError(type(error).__name__, str(error)) from None


def _make_dict(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    made: dict[object, object] = {}
    if args:
        if isinstance(args[0], dict):
            made.update(args[0])
        else:
            pairs = _all_items(machine, args[0])
            if isinstance(pairs, Unknown):
                return pairs
            for pair in pairs:
                if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                    return pair if isinstance(pair, Unknown) else Unknown("a dict of no pairs")
                if isinstance(pair[0], Unknown):
                    return pair[0]
                _native(lambda pair=pair: made.__setitem__(pair[0], pair[1]))
    made.update(kwargs)
    return made


def type_of(value: object) -> object:
    """``type(value)``."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, (Instance, Member)):
        return value.cls
    if isinstance(value, (ClassVal, type)):
        return type
    if isinstance(value, (FuncVal, Bound, Native)):
        return External("types.FunctionType")
    return type(value)


def _len(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    items = _all_items(machine, args[0])
    return items if isinstance(items, Unknown) else len(items)


def _sorted(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    items = _all_items(machine, args[0])
    if isinstance(items, Unknown):
        return items
    key = kwargs.get("key")
    keys = [plain(machine.call(key, [one], {}) if key is not None else one) for one in items]
    unknown = next((one for one in keys if isinstance(one, Unknown)), None)
    if unknown is not None:
        return unknown
    reverse = machine.truth(kwargs.get("reverse", False)) is True
    try:
        order = sorted(range(len(keys)), key=lambda i: keys[i], reverse=reverse)  # type: ignore[arg-type,return-value]
    except TypeError as error:
        raise InterpretedError("TypeError", str(error)) from None
    return [items[i] for i in order]


def _fold(name: str) -> Function:
    choose = {"min": min, "max": max}[name]

    def call(machine: Machine, args: Args, kwargs: Kwargs) -> object:
        items = _all_items(machine, args[0]) if len(args) == 1 else list(args)
        if isinstance(items, Unknown):
            return items
        values = [plain(one) for one in items]
        if "key" in kwargs or not all(isinstance(one, (int, float, str)) for one in values):
            return Unknown(name)
        if not values:
            return kwargs["default"] if "default" in kwargs else Unknown(name)
        return _native(lambda: choose(values))  # type: ignore[type-var]

    return call


def _sum(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    import ast

    items = _all_items(machine, args[0])
    if isinstance(items, Unknown):
        return items
    total: object = args[1] if len(args) > 1 else kwargs.get("start", 0)
    for one in items:
        total = machine.binary(ast.Add(), total, one)
    return total


def _quantify(wanted: bool) -> Function:
    def call(machine: Machine, args: Args, kwargs: Kwargs) -> object:
        items = items_of(machine, args[0])
        if isinstance(items, Unknown):
            return items
        unsure: Unknown | None = None
        for one in items:
            answer = machine.truth(one)
            if answer is None:
                unsure = one if isinstance(one, Unknown) else Unknown("a condition")
            elif answer == wanted:
                return wanted
        return unsure if unsure is not None else not wanted

    return call


def _zip(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    lists = [_all_items(machine, one) for one in args]
    unknown = next((one for one in lists if isinstance(one, Unknown)), None)
    if unknown is not None:
        return unknown
    return [tuple(row) for row in zip(*(x for x in lists if isinstance(x, list)), strict=False)]


def _enumerate(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    items = _all_items(machine, args[0])
    if isinstance(items, Unknown):
        return items
    start = args[1] if len(args) > 1 else kwargs.get("start", 0)
    return [(start + i if isinstance(start, int) else i, one) for i, one in enumerate(items)]


def _range(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    values = [plain(one) for one in args]
    numbers = [one for one in values if isinstance(one, int)]
    if len(numbers) != len(values):
        return Unknown("a range")
    return _native(lambda: range(*numbers))


def _reversed(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    items = _all_items(machine, args[0])
    return items if isinstance(items, Unknown) else items[::-1]


def _map(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    items = _all_items(machine, args[1]) if len(args) == 2 else Unknown("map")
    if isinstance(items, Unknown):
        return items
    return [machine.call(args[0], [one], {}) for one in items]


def _filter(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    items = _all_items(machine, args[1])
    if isinstance(items, Unknown):
        return items
    kept: list[object] = []
    for one in items:
        answer = machine.truth(one if args[0] is None else machine.call(args[0], [one], {}))
        if answer is None:
            return Unknown("a filter")
        if answer:
            kept.append(one)
    return kept


def _next(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    source = args[0]
    if isinstance(source, Unknown):
        return source
    if not isinstance(source, Iterator):
        return Unknown("next")
    for one in source:
        return one
    if len(args) > 1:
        return args[1]
    raise InterpretedError("StopIteration")


def _iter(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    items = _all_items(machine, args[0])
    return items if isinstance(items, Unknown) else iter(items)


def _isinstance(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    value, kind = args
    if isinstance(value, Unknown):
        return value
    if isinstance(kind, TypeForm) and kind.origin == UNION:
        kind = kind.args
    if isinstance(kind, tuple):
        answers = [_isinstance(machine, [value, one], {}) for one in kind]
        if True in answers:
            return True
        return next((one for one in answers if isinstance(one, Unknown)), False)
    if isinstance(kind, Unknown):
        return kind
    if kind is type:
        return isinstance(value, (ClassVal, type))
    if isinstance(kind, type):
        plain_value = plain(value)
        return isinstance(plain_value, kind) and not isinstance(plain_value, Native)
    owner = value.cls if isinstance(value, (Instance, Member)) else None
    if isinstance(owner, ClassVal):
        return kind in classes.mro(owner)
    return owner == kind


def _issubclass(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    value, kind = args
    for one in args:
        if isinstance(one, Unknown):
            return one
    if isinstance(kind, tuple):
        answers = [_issubclass(machine, [value, one], {}) for one in kind]
        if True in answers:
            return True
        return next((one for one in answers if isinstance(one, Unknown)), False)
    if isinstance(value, ClassVal):
        target = External(f"builtins.{kind.__name__}") if isinstance(kind, type) else kind
        return kind is object or target in classes.mro(value)
    if isinstance(value, type) and isinstance(kind, type):
        return issubclass(value, kind)
    return same(value, kind)


def _getattr(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    if not isinstance(args[1], str):
        return args[1] if isinstance(args[1], Unknown) else Unknown("getattr")
    try:
        return machine.attribute(args[0], args[1])
    except InterpretedError as error:
        if len(args) > 2 and error.kind == "AttributeError":
            return args[2]
        raise


def _hasattr(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    if isinstance(args[0], Unknown) or not isinstance(args[1], str):
        return Unknown("hasattr")
    try:
        value = machine.attribute(args[0], args[1])
    except InterpretedError as error:
        if error.kind == "AttributeError":
            return False
        raise
    return value if isinstance(value, Unknown) else True


def _setattr(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    owner, name, value = args
    if isinstance(owner, Instance) and isinstance(name, str):
        owner.attrs[name] = value
    elif isinstance(owner, ClassVal) and isinstance(name, str):
        owner.names[name] = value
    return None


def _callable(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    if isinstance(args[0], Unknown):
        return args[0]
    return isinstance(args[0], (FuncVal, Bound, Native, ClassVal, type, External))


def _repr(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    text = repr_of(args[0])
    return Unknown("a repr") if text is None else _limited(text)


def _vars_call(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    if args and isinstance(args[0], ClassVal):
        return _vars(machine, args[0])
    if args and isinstance(args[0], Instance):
        return dict(args[0].attrs)
    return Unknown("vars")


def _nothing(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return None


BUILTINS: Mapping[str, Native] = {
    name: Native(name, call)
    for name, call in {
        "len": _len,
        "sorted": _sorted,
        "min": _fold("min"),
        "max": _fold("max"),
        "sum": _sum,
        "any": _quantify(True),
        "all": _quantify(False),
        "zip": _zip,
        "enumerate": _enumerate,
        "range": _range,
        "reversed": _reversed,
        "map": _map,
        "filter": _filter,
        "next": _next,
        "iter": _iter,
        "isinstance": _isinstance,
        "issubclass": _issubclass,
        "getattr": _getattr,
        "hasattr": _hasattr,
        "setattr": _setattr,
        "callable": _callable,
        "repr": _repr,
        "vars": _vars_call,
        "print": _nothing,
    }.items()
}


# functions of the standard library and of pydantic and msgspec


def _get_origin(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return classes.origin_of(args[0])


def _get_args(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return classes.args_of(args[0])


def _type_hints(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    cls = args[0]
    if not isinstance(cls, ClassVal):
        return cls if isinstance(cls, Unknown) else Unknown("type hints")
    extras = machine.truth(kwargs.get("include_extras", False))
    return {
        one.name: one.type if extras else classes.strip_annotated(one.type)
        for one in classes.fields(machine, cls)
    }


def _fields(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    cls = args[0].cls if isinstance(args[0], Instance) else args[0]
    if not isinstance(cls, ClassVal):
        return cls if isinstance(cls, Unknown) else Unknown("fields")
    return tuple(
        classes.dataclass_field(machine, one)
        for one in classes.fields(machine, cls)
        if one.kind == "field"
    )


def _struct_fields(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    made = _fields(machine, args, kwargs)
    if isinstance(made, tuple):
        for one in made:
            for key in ("default", "default_factory"):
                if isinstance(one, Instance) and one.attrs[key] == MISSING:
                    one.attrs[key] = NODEFAULT
    return made


def _is_dataclass(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    value = args[0].cls if isinstance(args[0], Instance) else args[0]
    if isinstance(value, Unknown):
        return value
    return classes.is_dataclass(machine, value)


def _is_typeddict(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    if not isinstance(args[0], ClassVal):
        return args[0] if isinstance(args[0], Unknown) else False
    return any(path.endswith(".TypedDict") for path in classes.outside_bases(args[0]))


def _field(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return Instance(DATACLASS_FIELD, {"default": MISSING, "default_factory": MISSING, **kwargs})


def _pydantic_field(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    default = args[0] if args else UNDEFINED
    default = UNDEFINED if default is Ellipsis else default
    attrs: Kwargs = {"default": default, "default_factory": None, "init": None, **kwargs}
    return Instance(FIELD_INFO, attrs)


def _defstruct(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    """``msgspec.defstruct(name, fields, bases=…, namespace=…)``."""
    rows = _all_items(machine, args[1])
    namespace = kwargs.get("namespace")
    if isinstance(rows, Unknown) or not isinstance(args[0], str):
        return rows if isinstance(rows, Unknown) else Unknown("defstruct")
    home = next((one for one in _values(namespace) if isinstance(one, FuncVal)), None)
    if home is None:
        return Unknown("defstruct without functions")
    made = ClassVal(args[0], home.module, bases=(External("msgspec.Struct"),), fields=[])
    if isinstance(namespace, dict):
        made.names.update({str(key): one for key, one in namespace.items()})
    for row in rows:
        if isinstance(row, tuple) and isinstance(row[0], str):
            default = row[2] if len(row) > 2 else MISSING
            one = classes.FieldVal(row[0], row[1], "field", default, None, made)
            made.fields = [*(made.fields or []), one]
            if len(row) > 2:
                made.names[row[0]] = default
    return made


def _values(namespace: object) -> list[object]:
    return list(namespace.values()) if isinstance(namespace, dict) else []


def _copy(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return _deep(args[0], 0)


def _deep(value: object, depth: int) -> object:
    if depth > 20:
        return value
    if isinstance(value, list):
        return [_deep(one, depth + 1) for one in value]
    if isinstance(value, dict):
        return {key: _deep(one, depth + 1) for key, one in value.items()}
    if isinstance(value, tuple):
        return tuple(_deep(one, depth + 1) for one in value)
    return set(value) if isinstance(value, set) else value


def _loads(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    if not isinstance(args[0], str):
        return Unknown("json.loads")
    text = args[0]
    return _native(lambda: json.loads(text))


def _getenv(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return args[1] if len(args) > 1 else kwargs.get("default")


def _identity(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return args[0] if args else Native("identity", _identity)


def _second(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return args[1] if len(args) > 1 else Unknown("cast")


def _partial(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    head, fixed, named = args[0], args[1:], dict(kwargs)
    return Native(
        "partial", lambda m, more, extra: m.call(head, [*fixed, *more], {**named, **extra})
    )


def _import_module(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return machine.module(args[0]) if isinstance(args[0], str) else Unknown("import_module")


def _auto(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return External("enum.auto()")


def _chain(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    made: list[object] = []
    for one in args:
        items = _all_items(machine, one)
        if isinstance(items, Unknown):
            return items
        made.extend(items)
    return made


def _chain_of(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    lists = _all_items(machine, args[0])
    return lists if isinstance(lists, Unknown) else _chain(machine, lists, {})


def _combine(name: str) -> Function:
    make = {
        "permutations": itertools.permutations,
        "combinations": itertools.combinations,
        "product": itertools.product,
    }[name]

    def call(machine: Machine, args: Args, kwargs: Kwargs) -> object:
        parts = [one if isinstance(one, int) else _all_items(machine, one) for one in args]
        unknown = next((one for one in parts if isinstance(one, Unknown)), None)
        if unknown is not None or not set(kwargs) <= {"r", "repeat"}:
            return unknown or Unknown(name)
        numbers = {key: one for key, one in kwargs.items() if isinstance(one, int)}
        made = make(*parts, **numbers)  # type: ignore[operator]
        rows = list(itertools.islice(made, MAX_ITEMS))
        if len(rows) == MAX_ITEMS:
            raise BudgetError("the source makes more combinations than any engine's does")
        return rows

    return call


def _join_path(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    texts = [one for one in args if isinstance(one, str)]
    return "/".join(texts) if len(texts) == len(args) else Unknown("a path")


FUNCTIONS: Mapping[str, Function] = {
    **{f"{home}.get_origin": _get_origin for home in ("typing", "typing_extensions")},
    **{f"{home}.get_args": _get_args for home in ("typing", "typing_extensions")},
    **{f"{home}.get_type_hints": _type_hints for home in ("typing", "typing_extensions")},
    "typing.is_typeddict": _is_typeddict,
    "typing_extensions.is_typeddict": _is_typeddict,
    "typing.cast": _second,
    "dataclasses.fields": _fields,
    "dataclasses.field": _field,
    "dataclasses.is_dataclass": _is_dataclass,
    "pydantic.Field": _pydantic_field,
    "pydantic.fields.Field": _pydantic_field,
    "pydantic.ConfigDict": _make_dict,
    "msgspec.field": _field,
    "msgspec.structs.fields": _struct_fields,
    "msgspec.defstruct": _defstruct,
    "copy.copy": lambda machine, args, kwargs: fresh(args[0]),
    "copy.deepcopy": _copy,
    "json.loads": _loads,
    "os.getenv": _getenv,
    "os.environ.get": _getenv,
    "os.path.join": _join_path,
    "functools.partial": _partial,
    "functools.cache": _identity,
    "functools.lru_cache": _identity,
    "functools.wraps": _identity,
    "types.MappingProxyType": _identity,
    "collections.OrderedDict": _make_dict,
    "importlib.import_module": _import_module,
    "enum.auto": _auto,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chain_of,
    "itertools.permutations": _combine("permutations"),
    "itertools.combinations": _combine("combinations"),
    "itertools.product": _combine("product"),
}
