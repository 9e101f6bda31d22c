"""``owner.name`` for every kind of owner, and the methods of texts and containers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from infxreg.surface.pyread import argparser, builtin_functions, classes, operations, records
from infxreg.surface.pyread.values import (
    DATACLASS_FIELD,
    ENUMS,
    FIELD_INFO,
    MISSING,
    Args,
    Bound,
    BudgetError,
    ClassVal,
    External,
    FuncVal,
    Instance,
    InterpretedError,
    Kwargs,
    Member,
    Native,
    ParserVal,
    Super,
    TypeForm,
    Unknown,
)

if TYPE_CHECKING:
    from infxreg.surface.pyread.machine import Machine


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

_KNOWN_BASES = ENUMS | {
    *("builtins.object", "builtins.int", "builtins.str", "builtins.Exception"),
    *("abc.ABC", "typing.Protocol", "typing.Generic", "enum.EnumMeta"),
}
"""Bases outside the tree whose every attribute is answered for elsewhere, or is a method."""


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
            return argparser.parser_method(owner, name)
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
        return {one.name: one.type for one in records.own_fields(machine, cls)}
    if hasattr(type, name) or _may_inherit(cls):
        return Unknown(f"{cls.name}.{name}")
    raise InterpretedError("AttributeError", f"{cls.name}.{name}")


def _may_inherit(cls: ClassVal) -> bool:
    """Whether a base that isn't read may have attributes that aren't known."""
    if any(isinstance(one, Unknown) for one in cls.bases):
        return True
    return not classes.outside_bases(cls) <= _KNOWN_BASES


def class_dict(machine: Machine, cls: ClassVal) -> dict[str, object]:
    """``vars(cls)``: every attribute of the class itself."""
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
    value = found.value if found is not None else None
    if isinstance(value, Instance) and value.cls in {FIELD_INFO, DATACLASS_FIELD}:
        found = None
    if found is None:
        found = records.instance_default(machine, made, name)
    if found is not None:
        return classes.bind(machine, found.value, made, made.cls)
    hook = classes.lookup(machine, made.cls, "__getattr__")
    if hook is not None and isinstance(hook.value, FuncVal):
        return machine.call(Bound(hook.value, made), [name], {})
    if hasattr(object, name) or _may_inherit(made.cls):
        return Unknown(f"{made.cls.name}.{name}")
    raise InterpretedError("AttributeError", f"{made.cls.name}.{name}")


def _member_attribute(machine: Machine, member: Member, name: str) -> object:
    if name in {"name", "_name_"}:
        return member.name
    if name in {"value", "_value_"}:
        return member.value
    if name == "__class__":
        return member.cls
    found = classes.lookup(machine, member.cls, name)
    if found is not None and name not in classes.members(machine, member.cls):
        return classes.bind(machine, found.value, member, member.cls)
    value = operations.plain(member)
    if value is not member:
        return _method(value, name)
    if found is not None or hasattr(object, name) or _may_inherit(member.cls):
        return Unknown(f"{member.cls.name}.{name}")
    raise InterpretedError("AttributeError", f"{member.cls.name}.{name}")


def _super_attribute(machine: Machine, proxy: Super, name: str) -> object:
    receiver = proxy.receiver
    cls = receiver.cls if isinstance(receiver, (Instance, Member)) else receiver
    if isinstance(cls, ClassVal):
        found = classes.lookup(machine, cls, name, after=proxy.owner)
        if found is not None:
            return classes.bind(machine, found.value, receiver, cls)
        if name == "__init__" and isinstance(receiver, Instance):
            made, outside = receiver, classes.outside_bases(cls)
            return Native(name, lambda _m, args, kwargs: _base_init(made, outside, args, kwargs))
    if name in {"__init__", "__setattr__", "__init_subclass__"}:
        return Native(name, lambda _m, _a, _k: None)
    return Unknown(f"super().{name}")


def _base_init(made: Instance, outside: set[str], args: Args, kwargs: Kwargs) -> None:
    """The constructor of a base outside the tree: argparse's actions are known."""
    if not any(path.startswith("argparse.") for path in outside):
        return
    names = ["option_strings", "dest", "nargs", "const", "default", "type", "choices", "required"]
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    strings = given.get("option_strings")
    if "argparse.BooleanOptionalAction" in outside:
        given["nargs"] = 0
        given["option_strings"] = operations.with_negations(strings)
    elif outside & {"argparse._StoreTrueAction", "argparse._StoreFalseAction"}:
        given["nargs"] = 0
        given.setdefault("default", "argparse._StoreFalseAction" in outside)
    made.attrs.update(given)


def _type_attribute(owner: object, name: str) -> object:
    if name in {"__name__", "__qualname__"}:
        return owner.__name__ if isinstance(owner, type) else Unknown(name)
    if name == "__module__":
        origin = owner.origin if isinstance(owner, TypeForm) else owner
        return origin.__module__ if isinstance(origin, type) else "typing"
    if owner is dict and name == "fromkeys":
        return Native("fromkeys", _fromkeys)
    if isinstance(owner, type) and name in _METHODS.get(owner, ()):
        return Native(name, lambda m, args, kwargs: _unbound(m, owner, name, args, kwargs))
    if hasattr(owner, name):
        return Unknown(name)
    raise InterpretedError("AttributeError", name)


def _unbound(machine: Machine, kind: type, name: str, args: Args, kwargs: Kwargs) -> object:
    """``str.lower(text)``."""
    owner = operations.plain(args[0])
    if not isinstance(owner, kind):
        return owner if isinstance(owner, Unknown) else Unknown(f"{kind.__name__}.{name}")
    return _invoke(machine, owner, name, args[1:], kwargs)


def _fromkeys(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    keys = operations.all_items(machine, args[0])
    return keys if isinstance(keys, Unknown) else dict.fromkeys(keys, *args[1:])


def _method(owner: object, name: str) -> object:
    for kind in type(owner).__mro__:
        if kind in _METHODS:
            if name in _METHODS[kind]:
                return Native(name, lambda m, args, kwargs: _invoke(m, owner, name, args, kwargs))
            if hasattr(owner, name):
                return Unknown(f"{kind.__name__}.{name}")
            raise InterpretedError("AttributeError", f"{kind.__name__}.{name}")
    if owner is None and not hasattr(None, name):
        raise InterpretedError("AttributeError", f"None.{name}")
    return Unknown(f"{type(owner).__name__}.{name}")


def _spoiled(owner: object, name: str, unknown: Unknown) -> Unknown:
    """What a call gives whose arguments aren't known; a container that it changes holds that."""
    if isinstance(owner, set) and name in {"add", "update", "discard", "remove"}:
        owner.add(unknown)
    elif isinstance(owner, list) and name in {"extend", "remove"}:
        owner.append(unknown)
    elif isinstance(owner, dict) and name == "update":
        owner["**"] = unknown
    return unknown


def _invoke(machine: Machine, owner: object, name: str, args: Args, kwargs: Kwargs) -> object:
    """A method of a text or container."""
    keeps = isinstance(owner, (list, dict)) and name in {
        *("append", "insert", "extend", "update", "setdefault", "get", "pop"),
    }
    unknown = None if keeps else operations.unknown_in([*args, *kwargs.values()])
    if unknown is not None:
        return _spoiled(owner, name, unknown)
    if isinstance(owner, set) and name == "pop" and len(owner) > 1:
        return Unknown("the first of a set of several")
    if isinstance(owner, list) and name == "sort":
        made = builtin_functions.sorted_items(machine, owner, kwargs)
        owner[:] = [made] * len(owner) if isinstance(made, Unknown) else made
        return None
    if name in {"extend", "update", "union", "difference", "intersection", "join"}:
        args = [
            one if isinstance(one, (dict, str)) else operations.all_items(machine, one)
            for one in args
        ]
        unknown = operations.unknown_in(args)
        if unknown is not None:
            return _spoiled(owner, name, unknown)
    if isinstance(owner, list) and name == "extend" and isinstance(args[0], (list, dict)):
        operations.extend(owner, args[0])
        return None
    if isinstance(owner, dict) and name in {"get", "pop", "setdefault"}:
        args = [operations.key_in(owner, args[0]), *args[1:]]
    if isinstance(owner, str):
        args = [operations.plain(one) for one in args]
        sizes = [len(one) for one in args if isinstance(one, str)]
        for one in (part for part in args if isinstance(part, list)):
            texts = [part for part in map(operations.plain, one) if isinstance(part, str)]
            if len(texts) < len(one):
                return operations.unknown_in(one) or Unknown(f"str.{name}")
            sizes.append(sum(map(len, texts)) // max(len(owner), 1) + len(texts))
        if len(owner) * max([1, *sizes]) > 50 * operations.MAX_TEXT:
            raise BudgetError("the source makes a text larger than any engine's does")
    with operations.guarded():
        return getattr(owner, name)(*args, **kwargs)
