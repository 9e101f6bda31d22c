"""Python's built-in functions and types, over the interpreter's values."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from infxreg.surface.pyread import attributes, classes, expressions, operations
from infxreg.surface.pyread.values import (
    UNION,
    Args,
    Bound,
    ClassVal,
    External,
    FuncVal,
    Instance,
    InterpretedError,
    Kwargs,
    Member,
    Native,
    NativeCall,
    TypeForm,
    Unknown,
    Unordered,
    same,
)

if TYPE_CHECKING:
    from infxreg.surface.pyread.machine import Machine


def call_type(machine: Machine, kind: type, args: Args, kwargs: Kwargs) -> object:
    """A call of one of Python's own types."""
    if kind is type and len(args) == 1:
        return type_of(args[0])
    if kind is object:
        return Instance(External("builtins.object"))
    if kind is dict:
        return operations.make_dict(machine, args, kwargs)
    if kind in {list, tuple, set, frozenset}:
        if not args:
            return kind()
        items = operations.all_items(machine, args[0])
        if isinstance(items, Unknown):
            return items
        if kind in {set, frozenset}:
            unknown = next((one for one in items if isinstance(one, Unknown)), None)
            if unknown is not None:
                return unknown
        return operations.guard(lambda: kind(items))
    if kind is str:
        return operations.text_of(machine, args[0]) if args else ""
    if kind is bool:
        answer = machine.truth(args[0]) if args else False
        return Unknown("a condition") if answer is None else answer
    if kind in {int, float}:
        return _number(kind, [operations.plain(one) for one in args])
    return Unknown(f"a call of {kind.__name__}")


def _number(kind: type, args: Args) -> object:
    unknown = next((one for one in args if isinstance(one, Unknown)), None)
    if unknown is not None:
        return unknown
    plain = [one for one in args if isinstance(one, (str, int, float))]
    if len(plain) != len(args):
        return Unknown(f"{kind.__name__} of {type(args[0]).__name__}")
    if any(isinstance(one, str) and len(one) > 100 for one in plain):
        return Unknown("a long number")
    return operations.guard(lambda: kind(*plain))


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
    items = operations.all_items(machine, args[0])
    return items if isinstance(items, Unknown) else len(items)


def sorted_items(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    """``sorted(…)``."""
    items = operations.all_items(machine, args[0])
    if isinstance(items, Unknown):
        return items
    key = kwargs.get("key")
    keys = [
        operations.plain(machine.call(key, [one], {}) if key is not None else one) for one in items
    ]
    unknown = next((one for one in keys if isinstance(one, Unknown)), None)
    if unknown is not None:
        return unknown
    reverse = machine.truth(kwargs.get("reverse", False)) is True
    try:
        order = sorted(range(len(keys)), key=lambda i: keys[i], reverse=reverse)  # type: ignore[arg-type,return-value]
    except TypeError as error:
        raise InterpretedError("TypeError", str(error)) from None
    return [items[i] for i in order]


def _fold(name: str) -> NativeCall:
    choose = {"min": min, "max": max}[name]

    def call(machine: Machine, args: Args, kwargs: Kwargs) -> object:
        items = operations.all_items(machine, args[0]) if len(args) == 1 else list(args)
        if isinstance(items, Unknown):
            return items
        values = [operations.plain(one) for one in items]
        if "key" in kwargs or not all(isinstance(one, (int, float, str)) for one in values):
            return Unknown(name)
        if not values:
            return kwargs["default"] if "default" in kwargs else Unknown(name)
        return operations.guard(lambda: choose(values))  # type: ignore[type-var]

    return call


def _sum(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    items = operations.all_items(machine, args[0])
    if isinstance(items, Unknown):
        return items
    total: object = args[1] if len(args) > 1 else kwargs.get("start", 0)
    for one in items:
        total = expressions.binary(machine, ast.Add(), total, one)
    return total


def _quantify(wanted: bool) -> NativeCall:
    def call(machine: Machine, args: Args, kwargs: Kwargs) -> object:
        items = operations.items_of(machine, args[0])
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
    lists = [operations.all_items(machine, one) for one in args]
    unknown = next((one for one in lists if isinstance(one, Unknown)), None)
    if unknown is not None:
        return unknown
    return [tuple(row) for row in zip(*(x for x in lists if isinstance(x, list)), strict=False)]


def _enumerate(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    items = operations.all_items(machine, args[0])
    if isinstance(items, Unknown):
        return items
    start = args[1] if len(args) > 1 else kwargs.get("start", 0)
    return [(start + i if isinstance(start, int) else i, one) for i, one in enumerate(items)]


def _range(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    values = [operations.plain(one) for one in args]
    numbers = [one for one in values if isinstance(one, int)]
    if len(numbers) != len(values):
        return Unknown("a range")
    return operations.guard(lambda: range(*numbers))


def _reversed(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    items = operations.all_items(machine, args[0])
    return items if isinstance(items, Unknown) else items[::-1]


def _map(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    items = operations.all_items(machine, args[1]) if len(args) == 2 else Unknown("map")
    if isinstance(items, Unknown):
        return items
    return [machine.call(args[0], [one], {}) for one in items]


def _filter(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    items = operations.all_items(machine, args[1])
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
    try:
        return source.first() if isinstance(source, Unordered) else next(source)
    except StopIteration:
        if len(args) > 1:
            return args[1]
        raise InterpretedError("StopIteration") from None


def _iter(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    items = operations.all_items(machine, args[0])
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
        plain_value = operations.plain(value)
        return isinstance(plain_value, kind) and not isinstance(plain_value, Native)
    owner = value.cls if isinstance(value, (Instance, Member)) else None
    if isinstance(owner, ClassVal):
        return any(one == kind for one in classes.mro(owner))
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
        return kind is object or any(one == target for one in classes.mro(value))
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
    text = operations.repr_of(args[0])
    return Unknown("a repr") if text is None else operations.limited(text)


def _vars_call(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    if args and isinstance(args[0], ClassVal):
        return attributes.class_dict(machine, args[0])
    if args and isinstance(args[0], Instance):
        return dict(args[0].attrs)
    return Unknown("vars")


def _nothing(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return None


BUILTINS: Mapping[str, Native] = {
    name: Native(name, call)
    for name, call in {
        "len": _len,
        "sorted": sorted_items,
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
