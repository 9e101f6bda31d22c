"""Evaluates expressions."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from infxreg.surface.pyread import (
    builtin_functions,
    calls,
    names,
    operations,
    statements,
    typeforms,
)
from infxreg.surface.pyread.values import (
    BudgetError,
    External,
    Frame,
    Unknown,
    Unordered,
    same,
    union,
)

if TYPE_CHECKING:
    from infxreg.surface.pyread.machine import Machine


_WIDE = re.compile(r"\d{5}|\*")
"""A width in a format that fills memory, or that an argument gives."""

_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}
_UNARY: Mapping[type[ast.unaryop], Callable[[Any], object]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_AS_IS = -1
"""The conversion of a part of an f-string that has none."""
_ORDER: Mapping[type[ast.cmpop], Callable[[Any, Any], object]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def evaluate(machine: Machine, node: ast.expr, frame: Frame) -> object:
    """The value of an expression.

    Raises:
        InterpretedError: where the code would raise.
        BudgetError: past the step limit.
    """
    machine.step()
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return names.name_value(machine, name, frame)
        case ast.Attribute(value=owner, attr=name):
            return machine.attribute(evaluate(machine, owner, frame), name)
        case ast.Call():
            return calls.call_node(machine, node, frame)
        case ast.Tuple(elts=elts):
            items = item_values(machine, elts, frame)
            return items if isinstance(items, Unknown) else tuple(items)
        case ast.List(elts=elts):
            return item_values(machine, elts, frame)
        case ast.Set(elts=elts):
            return _set(machine, item_values(machine, elts, frame))
        case ast.Dict():
            return _dict(machine, node, frame)
        case ast.JoinedStr(values=values):
            return _joined(machine, values, frame)
        case ast.FormattedValue():
            return _formatted(machine, node, frame)
        case ast.Subscript(value=owner, slice=index):
            return _subscript(machine, evaluate(machine, owner, frame), index, frame)
        case ast.BinOp(left=left, op=op, right=right):
            return binary(
                machine, op, evaluate(machine, left, frame), evaluate(machine, right, frame)
            )
        case ast.BoolOp(op=op, values=values):
            return _bool_op(machine, op, values, frame)
        case ast.UnaryOp(op=op, operand=operand):
            return _unary(machine, op, evaluate(machine, operand, frame))
        case ast.Compare():
            return _compare(machine, node, frame)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            answer = machine.truth(evaluate(machine, test, frame))
            if answer is None:
                return _either(machine, body, orelse, frame)
            return evaluate(machine, body if answer else orelse, frame)
        case ast.Lambda():
            return calls.function(machine, node, frame)
        case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
            return _comprehension(machine, node, frame)
        case ast.NamedExpr(target=ast.Name(id=name), value=value_node):
            frame.names[name] = evaluate(machine, value_node, frame)
            return frame.names[name]
        case ast.Starred(value=value_node):
            return evaluate(machine, value_node, frame)
        case ast.Slice(lower=lower, upper=upper, step=step):
            parts = [one and evaluate(machine, one, frame) for one in (lower, upper, step)]
            return operations.unknown_in(parts) or slice(*parts)
        case _:
            return Unknown(f"{type(node).__name__.lower()} isn't read")


def _either(machine: Machine, body: ast.expr, orelse: ast.expr, frame: Frame) -> object:
    first, second = evaluate(machine, body, frame), evaluate(machine, orelse, frame)
    return first if same(first, second) else Unknown("a choice that depends on where it runs")


def item_values(machine: Machine, nodes: list[ast.expr], frame: Frame) -> list[object] | Unknown:
    """The values of a list of expressions, with ``*`` unpacked."""
    items: list[object] = []
    for one in nodes:
        value = evaluate(machine, one, frame)
        if isinstance(one, ast.Starred):
            inner = machine.iterate(value)
            if isinstance(inner, Unknown):
                return inner
            operations.extend(items, inner)
        else:
            items.append(value)
    return items


def _set(machine: Machine, items: list[object] | Unknown) -> object:
    if isinstance(items, Unknown):
        return items
    return operations.unknown_in(items) or operations.guard(lambda: set(items))


def _dict(machine: Machine, node: ast.Dict, frame: Frame) -> object:
    made: dict[object, object] = {}
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = evaluate(machine, value_node, frame)
        if key_node is None:
            if not isinstance(value, dict):
                return value if isinstance(value, Unknown) else Unknown("** of no dict")
            made.update(value)
            continue
        key = evaluate(machine, key_node, frame)
        if isinstance(key, Unknown):
            return key
        operations.put(made, key, value)
    return made


def _joined(machine: Machine, nodes: list[ast.expr], frame: Frame) -> object:
    parts: list[str] = []
    for one in nodes:
        value = evaluate(machine, one, frame)
        if not isinstance(value, str):
            return value if isinstance(value, Unknown) else Unknown("an f-string")
        parts.append(value)
    return operations.limited("".join(parts))


def _formatted(machine: Machine, node: ast.FormattedValue, frame: Frame) -> object:
    value = evaluate(machine, node.value, frame)
    spec = evaluate(machine, node.format_spec, frame) if node.format_spec is not None else ""
    if node.conversion == ord("r"):
        value = machine.call(builtin_functions.BUILTINS["repr"], [value], {})
    elif node.conversion != _AS_IS or not spec or not isinstance(value, (int, float)):
        value = operations.text_of(machine, value)
    unknown = operations.unknown_in((value, spec))
    if unknown is not None:
        return unknown
    if not isinstance(spec, str) or _WIDE.search(spec) or node.conversion == ord("a"):
        return Unknown("a format")
    return operations.guard(lambda: operations.limited(format(value, spec)))


def _subscript(machine: Machine, owner: object, index_node: ast.expr, frame: Frame) -> object:
    if isinstance(owner, Unknown):
        return owner
    if typeforms.subscripts_as_type(owner):
        return _type_form(machine, owner, index_node, frame)
    index = evaluate(machine, index_node, frame)
    if isinstance(index, Unknown):
        return index
    return operations.item(machine, owner, index)


def _type_form(machine: Machine, owner: object, index_node: ast.expr, frame: Frame) -> object:
    nodes = index_node.elts if isinstance(index_node, ast.Tuple) else [index_node]
    word = owner.last if isinstance(owner, External) else ""
    args: list[object] = []
    for node in nodes:
        literal = word == "Literal" or (word == "Annotated" and bool(args))
        if isinstance(node, ast.List):
            args.append(tuple(evaluate(machine, one, frame) for one in node.elts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not literal:
            args.append(annotation(machine, node, frame))
        elif literal:
            args.append(evaluate(machine, node, frame))
        else:
            args.append(_opaque(evaluate(machine, node, frame), node))
    return typeforms.type_form(owner, tuple(args))


def annotation(machine: Machine, node: ast.expr, frame: Frame) -> object:
    """The value of an annotation; one in quotes is read as an expression."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError):
            return Unknown("an annotation in quotes")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return union(annotation(machine, node.left, frame), annotation(machine, node.right, frame))
    return _opaque(evaluate(machine, node, frame), node)


def binary(machine: Machine, op: ast.operator, left: object, right: object) -> object:
    """``left op right``; ``|`` between types makes a union."""
    unknown = operations.unknown_in((left, right))
    if unknown is not None:
        return unknown
    if isinstance(op, ast.BitOr) and typeforms.is_type(left) and typeforms.is_type(right):
        return union(left, right)
    left, right = operations.plain(left), operations.plain(right)
    if not isinstance(left, operations.PLAIN) or not isinstance(right, operations.PLAIN):
        return Unknown(f"an operator on {type(left).__name__}")
    if isinstance(op, (ast.Mult, ast.Pow, ast.LShift)) and not _small(op, left, right):
        raise BudgetError("the source makes a value larger than any engine's does")
    function = _BINARY.get(type(op))
    wide = isinstance(op, ast.Mod) and isinstance(left, str) and _WIDE.search(left)
    if function is None or wide:
        return Unknown("an operator")
    made = operations.guard(lambda: function(left, right))
    if isinstance(made, (str, list, tuple, bytes)) and len(made) > operations.MAX_ROOM:
        raise BudgetError("the source makes a value larger than any engine's does")
    return made


def _bool_op(machine: Machine, op: ast.boolop, nodes: list[ast.expr], frame: Frame) -> object:
    value: object = None
    unsure: Unknown | None = None
    for node in nodes:
        value = evaluate(machine, node, frame)
        answer = machine.truth(value)
        if answer is None:
            unsure = value if isinstance(value, Unknown) else Unknown("a condition")
        elif answer == isinstance(op, ast.Or):
            return value if unsure is None or isinstance(value, bool) else unsure
    return unsure if unsure is not None else value


def _unary(machine: Machine, op: ast.unaryop, value: object) -> object:
    if isinstance(op, ast.Not):
        answer = machine.truth(value)
        return Unknown("a condition") if answer is None else not answer
    if isinstance(value, Unknown):
        return value
    value = operations.plain(value)
    if not isinstance(value, (int, float)):
        return Unknown("an operator")
    return operations.guard(lambda: _UNARY[type(op)](value))


def _compare(machine: Machine, node: ast.Compare, frame: Frame) -> object:
    left = evaluate(machine, node.left, frame)
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = evaluate(machine, right_node, frame)
        answer = compare(machine, op, left, right)
        if isinstance(answer, Unknown) or not answer:
            return answer
        left = right
    return True


def compare(machine: Machine, op: ast.cmpop, left: object, right: object) -> object:
    """``left op right``: a bool or Unknown."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        answer = operations.identical(left, right)
        return answer if isinstance(answer, Unknown) else answer == isinstance(op, ast.Is)
    if isinstance(op, (ast.In, ast.NotIn)):
        found = operations.contains(machine, right, left)
        return found if isinstance(found, Unknown) else found == isinstance(op, ast.In)
    unknown = operations.unknown_in((left, right))
    if unknown is not None:
        return unknown
    if isinstance(op, (ast.Eq, ast.NotEq)):
        equal = operations.equal(left, right)
        return equal if isinstance(equal, Unknown) else equal == isinstance(op, ast.Eq)
    left, right = operations.plain(left), operations.plain(right)
    if not isinstance(left, operations.PLAIN) or not isinstance(right, operations.PLAIN):
        return Unknown("a comparison")
    return operations.guard(lambda: bool(_ORDER[type(op)](left, right)))


def _comprehension(
    machine: Machine,
    node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp,
    frame: Frame,
) -> object:
    inner = Frame(frame.module, {}, frame, owner=frame.owner, receiver=frame.receiver)
    items: list[object] = []
    first = evaluate(machine, node.generators[0].iter, frame)
    unknown = _generate(machine, node, 0, inner, items, first)
    if unknown is not None:
        return unknown
    if isinstance(node, ast.DictComp):
        return operations.make_dict(machine, [items], {})
    if isinstance(node, ast.SetComp):
        return _set(machine, items)
    if isinstance(node, ast.GeneratorExp):
        return Unordered(items) if isinstance(first, (set, frozenset)) else iter(items)
    return items


def _generate(
    machine: Machine,
    node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp,
    level: int,
    frame: Frame,
    items: list[object],
    first: object,
) -> Unknown | None:
    if level == len(node.generators):
        if isinstance(node, ast.DictComp):
            key = evaluate(machine, node.key, frame)
            if isinstance(key, Unknown):
                return key
            items.append((key, evaluate(machine, node.value, frame)))
        else:
            items.append(evaluate(machine, node.elt, frame))
        return None
    generator = node.generators[level]
    # Python evaluates the first source outside of the comprehension's own scope.
    source = machine.iterate(evaluate(machine, generator.iter, frame) if level else first)
    if isinstance(source, Unknown):
        return source
    for one in source:
        statements.assign(machine, generator.target, one, frame)
        keep: bool | None = True
        for test in generator.ifs:
            value = evaluate(machine, test, frame)
            keep = machine.truth(value)
            if keep is None:
                return value if isinstance(value, Unknown) else Unknown("a condition")
            if not keep:
                break
        if keep:
            unknown = _generate(machine, node, level + 1, frame, items, first)
            if unknown is not None:
                return unknown
    return None


def _opaque(value: object, node: ast.expr) -> object:
    """A type that isn't known, as a class outside that no other equals."""
    return External(f"?.{ast.unparse(node)}") if isinstance(value, Unknown) else value


def _small(op: ast.operator, left: object, right: object) -> bool:
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        limit = 256 if isinstance(op, (ast.Pow, ast.LShift)) else 1 << 256
        return abs(right) <= limit and abs(left) <= 1 << 256
    sizes = [len(one) for one in (left, right) if isinstance(one, (str, bytes, list, tuple))]
    times = [one for one in (left, right) if isinstance(one, int)]
    return not sizes or not times or max(sizes) * max(times) <= operations.MAX_ROOM
