"""Conditions on several JSON keys (`Config.refusals`), evaluated in three values.

A condition is a Python expression over key names and constants; nothing else of Python is taken.
Where it reads a key whose value isn't known it may be unknown itself, and an unknown condition
refuses nothing.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import frozen


class _Unknown:
    """The value of a key that isn't known, and of what depends on it."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = _Unknown()
_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: lambda left, right: left is right,
    ast.IsNot: lambda left, right: left is not right,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}
_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
}
_CALLS: Mapping[str, Callable[[Any], Any]] = {
    "len": len,
    "set": frozenset,
    "bool": bool,
    "int": int,
    "float": float,
    "abs": abs,
}
_METHODS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("startswith", "endswith", "lower", "upper", "strip"), (str,)),
    "count": (str, list, tuple),
}


@frozen
class Condition:
    """A condition, with the keys that it reads in the order it names them."""

    text: str
    tree: ast.expr
    keys: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> Condition | None:
        """A condition from its text; None if it can't be read."""
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError):
            return None
        named = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        named.sort(key=lambda node: (node.lineno, node.col_offset))
        own = {node.id for node in named if isinstance(node.ctx, ast.Store)} | {
            "any",
            "all",
            *_CALLS,
        }
        keys = dict.fromkeys(node.id for node in named if node.id not in own)
        return cls(text, tree, tuple(keys))

    def holds(self, values: Mapping[str, object]) -> bool:
        """Whether it is true of these values; false too where that isn't known."""
        found = _evaluate(self.tree, values)
        return found is not UNKNOWN and bool(found)


def _evaluate(node: ast.expr, values: Mapping[str, object]) -> Any:
    try:
        return _value(node, values)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return UNKNOWN


def _value(node: ast.expr, values: Mapping[str, object]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return values.get(name, UNKNOWN)
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
            found = [_value(item, values) for item in items]
            return UNKNOWN if UNKNOWN in found else tuple(found)
        case ast.UnaryOp(op=op, operand=inner):
            value = _value(inner, values)
            if value is UNKNOWN:
                return UNKNOWN
            return not value if isinstance(op, ast.Not) else _signed(op, value)
        case ast.BoolOp(op=op, values=parts):
            return _together(isinstance(op, ast.And), parts, values)
        case ast.Compare(left=left, ops=ops, comparators=rest):
            return _compared(_value(left, values), ops, rest, values)
        case ast.BinOp(left=left, op=op, right=right):
            sides = (_value(left, values), _value(right, values))
            if not all(isinstance(side, int | float) for side in sides):
                return UNKNOWN
            return _BINARY[type(op)](*sides)
        case ast.Subscript(value=owner, slice=ast.Constant(value=int() as index)):
            found = _value(owner, values)
            return found[index] if isinstance(found, str | list | tuple) else UNKNOWN
        case ast.Call(func=ast.Name(id="any" | "all" as name), args=[ast.GeneratorExp() as each]):
            return _each(name == "all", each, values)
        case ast.Call(func=func, args=args, keywords=[]):
            return _called(func, [_value(arg, values) for arg in args], values)
    return UNKNOWN


def _together(every: bool, parts: list[ast.expr], values: Mapping[str, object]) -> Any:
    """``and`` (every) and ``or``."""
    return _decided(every, (_evaluate(part, values) for part in parts))


def _each(every: bool, node: ast.GeneratorExp, values: Mapping[str, object]) -> Any:
    """``all`` (every) and ``any`` over the items of a list."""
    match node.generators:
        case [ast.comprehension(target=ast.Name(id=name), iter=over, ifs=[])]:
            items = _value(over, values)
            if not isinstance(items, list | tuple):
                return UNKNOWN
            return _decided(every, (_evaluate(node.elt, {**values, name: item}) for item in items))
    return UNKNOWN


def _decided(every: bool, parts: Iterable[Any]) -> Any:
    """The first part that decides; an unknown one counts only where no known one does."""
    unclear = False
    value: Any = every
    for value in parts:
        if value is UNKNOWN:
            unclear = True
        elif bool(value) is not every:
            return value
    return UNKNOWN if unclear else value


def _compared(
    left: Any, ops: list[ast.cmpop], rest: list[ast.expr], values: Mapping[str, object]
) -> Any:
    for op, node in zip(ops, rest, strict=True):
        right = _value(node, values)
        if left is UNKNOWN or right is UNKNOWN:
            return UNKNOWN
        if not _COMPARE[type(op)](left, right):
            return False
        left = right
    return True


def _called(func: ast.expr, args: list[Any], values: Mapping[str, object]) -> Any:
    if UNKNOWN in args:
        return UNKNOWN
    if isinstance(func, ast.Name):
        return _CALLS[func.id](*args)
    if isinstance(func, ast.Attribute) and func.attr in _METHODS:
        owner = _value(func.value, values)
        known = isinstance(owner, _METHODS[func.attr])
        return getattr(owner, func.attr)(*args) if known else UNKNOWN
    return UNKNOWN


def _signed(op: ast.unaryop, value: Any) -> Any:
    return -value if isinstance(op, ast.USub) else UNKNOWN
