"""Python's built-in functions and types, over the interpreter's values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

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


_ABSTRACT = ("collections.abc.", "numbers.", "typing.")


def call_type(machine: Machine, kind: type, args: Args, kwargs: Kwargs) -> object:
    """A call of one of Python's own types."""
    if kind is type and len(args) == 1:
        return type_of(args[0])
    if kind is object:
        return Instance(External("builtins.object"))
    if kind is dict:
        return operations.make_dict(machine, args, kwargs)
    if kind in {list, tuple, set, frozenset}:
        return _container(machine, kind, args[0]) if args else kind()
    if kind is str and len(args) < 2:
        return operations.text_of(machine, args[0]) if args else ""
    if kind is bool:
        answer = machine.truth(args[0]) if args else False
        return Unknown("a condition") if answer is None else answer
    if kind in {int, float}:
        return _number(kind, [operations.plain(one) for one in args])
    return Unknown(f"a call of {kind.__name__}")


def _container(machine: Machine, kind: type, value: object) -> object:
    items = operations.all_items(machine, value)
    if isinstance(items, Unknown):
        return items
    unknown = operations.unknown_in(items) if kind in {set, frozenset} else None
    return unknown or operations.guard(lambda: kind(items))


def _number(kind: type, args: Args) -> object:
    unknown = operations.unknown_in(args)
    if unknown is not None:
        return unknown
    plain = [one for one in args if isinstance(one, (str, int, float))]
    if len(plain) != len(args) or any(isinstance(one, str) and len(one) > 100 for one in plain):
        return Unknown(f"{kind.__name__} of what no engine reads as a number")
    return operations.guard(lambda: kind(*plain))


def type_of(value: object) -> object:
    """``type(value)``."""
    if isinstance(value, (Instance, Member)):
        return value.cls
    if isinstance(value, (ClassVal, type)):
        return type
    if isinstance(value, (FuncVal, Bound, Native)):
        return External("types.FunctionType")
    if isinstance(value, operations.PLAIN):
        return type(value)
    return value if isinstance(value, Unknown) else Unknown("a type")


def _over_items(call: Callable[[Machine, Args, Args, Kwargs], object]) -> NativeCall:
    """A function of the items of its first argument; what isn't known stays so."""

    def over(machine: Machine, args: Args, kwargs: Kwargs) -> object:
        items = operations.all_items(machine, args[0])
        return items if isinstance(items, Unknown) else call(machine, items, args[1:], kwargs)

    return over


@_over_items
def _len(machine: Machine, items: Args, more: Args, kwargs: Kwargs) -> object:
    return len(items)


def _keys(machine: Machine, items: Args, kwargs: Kwargs) -> list[Any] | Unknown:
    """What items are put in order by."""
    key = kwargs.get("key")
    keys = items if key is None else [machine.call(key, [one], {}) for one in items]
    keys = [operations.plain(one) for one in keys]
    odd = next((one for one in keys if not isinstance(one, operations.PLAIN)), None)
    if odd is None:
        return keys
    return odd if isinstance(odd, Unknown) else Unknown(f"an order of {type(odd).__name__}")


def sorted_items(machine: Machine, items: Args, kwargs: Kwargs) -> list[object] | Unknown:
    """``sorted(items, key=…, reverse=…)``."""
    keys = _keys(machine, items, kwargs)
    reverse = machine.truth(kwargs.get("reverse", False))
    if isinstance(keys, Unknown) or reverse is None:
        return keys if isinstance(keys, Unknown) else Unknown("a direction")
    order = range(len(keys))
    with operations.guarded():
        return [items[i] for i in sorted(order, key=keys.__getitem__, reverse=reverse)]


@_over_items
def _sorted(machine: Machine, items: Args, more: Args, kwargs: Kwargs) -> object:
    return sorted_items(machine, items, kwargs)


def _best(choose: Callable[..., int]) -> NativeCall:
    """``min`` or ``max``."""

    def call(machine: Machine, args: Args, kwargs: Kwargs) -> object:
        items = operations.all_items(machine, args[0]) if len(args) == 1 else args
        if isinstance(items, Unknown):
            return items
        if not items and "default" in kwargs:
            return kwargs["default"]
        keys = _keys(machine, items, kwargs)
        if isinstance(keys, Unknown):
            return keys
        with operations.guarded():
            return items[choose(range(len(keys)), key=keys.__getitem__)]

    return call


@_over_items
def _sum(machine: Machine, items: Args, more: Args, kwargs: Kwargs) -> object:
    total: object = more[0] if more else kwargs.get("start", 0)
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
    unknown = operations.unknown_in(lists)
    if unknown is not None:
        return unknown
    return [tuple(row) for row in zip(*(x for x in lists if isinstance(x, list)), strict=False)]


@_over_items
def _enumerate(machine: Machine, items: Args, more: Args, kwargs: Kwargs) -> object:
    start = more[0] if more else kwargs.get("start", 0)
    if not isinstance(start, int):
        return start if isinstance(start, Unknown) else Unknown("a start")
    return [(start + index, one) for index, one in enumerate(items)]


def _range(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    values = [operations.plain(one) for one in args]
    numbers = [one for one in values if isinstance(one, int)]
    if len(numbers) != len(values):
        return Unknown("a range")
    return operations.guard(lambda: range(*numbers))


@_over_items
def _reversed(machine: Machine, items: Args, more: Args, kwargs: Kwargs) -> object:
    return items[::-1]


def _map(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    rows = _zip(machine, [args[1], *args[2:]], {})
    if not isinstance(rows, list):
        return rows
    return [machine.call(args[0], list(row), {}) for row in rows]


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
    if isinstance(args[0], Iterator):
        return args[0]
    items = operations.all_items(machine, args[0])
    if isinstance(items, Unknown):
        return items
    return Unordered(items) if isinstance(args[0], (set, frozenset)) else iter(items)


def _any_kind(answers: Args) -> object:
    """Whether one of several kinds fits."""
    return True if True in answers else operations.unknown_in(answers) or False


def _isinstance(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    value, kind = args
    if isinstance(value, Unknown):
        return value
    if isinstance(kind, TypeForm) and kind.origin == UNION:
        kind = kind.args
    if isinstance(kind, tuple):
        return _any_kind([_isinstance(machine, [value, one], {}) for one in kind])
    if isinstance(kind, Unknown):
        return kind
    if kind is type:
        return isinstance(value, (ClassVal, type))
    if isinstance(kind, type):
        plain_value = operations.plain(value)
        return isinstance(plain_value, kind) and not isinstance(plain_value, Native)
    owner = value.cls if isinstance(value, (Instance, Member)) else None
    if isinstance(owner, ClassVal) and any(one == kind for one in classes.mro(owner)):
        return True
    return Unknown("an abstract class") if _is_abstract(kind) else owner == kind


def _is_abstract(kind: object) -> bool:
    """Whether other types count as its subclasses without saying so."""
    return isinstance(kind, External) and kind.path.startswith(_ABSTRACT)


def _issubclass(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    value, kind = args
    unknown = operations.unknown_in(args)
    if unknown is not None:
        return unknown
    if isinstance(kind, tuple):
        return _any_kind([_issubclass(machine, [value, one], {}) for one in kind])
    if isinstance(value, ClassVal):
        target = External(f"builtins.{kind.__name__}") if isinstance(kind, type) else kind
        if kind is object or any(one == target for one in classes.mro(value)):
            return True
    elif isinstance(value, type) and isinstance(kind, type):
        return issubclass(value, kind)
    return Unknown("an abstract class") if _is_abstract(kind) else same(value, kind)


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
    if isinstance(args[0], Instance) and isinstance(args[0].cls, ClassVal):
        return classes.lookup(machine, args[0].cls, "__call__") is not None
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
        "sorted": _sorted,
        "min": _best(min),
        "max": _best(max),
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
