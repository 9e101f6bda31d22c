"""The conditions over a class's keys under which a validator's code raises."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal, TypeAlias

from attrs import field, frozen

Constant: TypeAlias = Callable[[ast.expr], ast.expr | None]
End: TypeAlias = Literal["goes on", "raises", "returns"]

_CALLS = frozenset({"len", "set", "bool", "int", "float", "abs"})
_METHODS = frozenset({"startswith", "endswith", "lower", "upper", "strip", "count"})


@frozen(eq=False)
class Walk:
    """One walk over a validator's statements.

    Attributes:
        local: what a local name stands for, over keys; None where it isn't known.
        changed: keys whose value the validator has changed.
        found: the conditions under which it raises.
    """

    local: dict[str, ast.expr | None]
    keys: Collection[str]
    properties: Mapping[str, ast.FunctionDef]
    constant: Constant
    changed: set[str] = field(factory=set)
    found: list[str] = field(factory=list)

    def run(self, body: Sequence[ast.stmt], path: list[ast.expr | None]) -> End:
        """Walks statements that are reached under every condition of the path."""
        path = list(path)
        for statement in body:
            match statement:
                case ast.Raise():
                    self._refuse(path)
                    return "raises"
                case ast.Return() | ast.Continue():
                    return "returns"
                case ast.Assert(test=test):
                    self._refuse([*path, _negated(self.over_keys(test))])
                case ast.If():
                    end = self._branch(statement, path)
                    if end != "goes on":
                        return end
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.local[name] = self.over_keys(value)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    self.local[name] = self.over_keys(value)
                case ast.Expr() | ast.Pass():
                    pass
                case ast.For(target=ast.Name(id=name), iter=over, orelse=[]):
                    self._loop(statement, name, self.over_keys(over), path)
                case _:
                    self._forget(statement)
        return "goes on"

    def _branch(self, node: ast.If, path: list[ast.expr | None]) -> End:
        test = self.over_keys(node.test)
        before = dict(self.local)
        then = self.run(node.body, [*path, test])
        after_then = dict(self.local)
        self.local.clear()
        self.local.update(before)
        other = self.run(node.orelse, [*path, _negated(test)])
        for name in {*after_then, *self.local}:
            if then == "goes on" and after_then.get(name) is not self.local.get(name):
                self.local[name] = None
        if "goes on" not in (then, other):
            return "raises" if then == other == "raises" else "returns"
        # Where a branch raised the list is refused anyway; where it returned, what follows is
        # reached only by the other one.
        if then == "returns":
            path.append(_negated(test))
        if other == "returns":
            path.append(test)
        return "goes on"

    def _loop(
        self, node: ast.For, name: str, over: ast.expr | None, path: list[ast.expr | None]
    ) -> None:
        """A loop over a key's items: refused where any item is."""
        leaves = any(isinstance(one, ast.Break | ast.Return) for one in ast.walk(node))
        if over is not None and not leaves:
            item = f"{name}_"
            inner = Walk(
                {**self.local, name: ast.Name(item, ast.Load())},
                self.keys,
                self.properties,
                self.constant,
                self.changed,
            )
            inner.run(node.body, [])
            for text in inner.found:
                test = ast.parse(text, mode="eval").body
                each = ast.comprehension(ast.Name(item, ast.Store()), over, [], 0)
                some = ast.Call(ast.Name("any", ast.Load()), [ast.GeneratorExp(test, [each])], [])
                self._refuse([*path, some])
        self._forget(node)

    def _refuse(self, path: Sequence[ast.expr | None]) -> None:
        known = [one for one in path if one is not None]
        if not known or len(known) < len(path):
            return
        whole = known[0] if len(known) == 1 else ast.BoolOp(ast.And(), known)
        self.found.append(ast.unparse(ast.fix_missing_locations(whole)))

    def _forget(self, statement: ast.stmt) -> None:
        """A statement that isn't followed: what it sets isn't known any more."""
        for one in ast.walk(statement):
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
                self.local[one.id] = None
            elif isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store):
                self.changed.add(one.attr)

    def over_keys(self, node: ast.expr) -> ast.expr | None:
        """An expression over keys and constants; None if it is about anything else."""
        match node:
            case ast.Constant():
                return node
            case ast.Name(id=name):
                return (
                    copy.deepcopy(self.local[name]) if name in self.local else self.constant(node)
                )
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return self._own(name)
            case ast.Attribute():
                return self.constant(node)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                self.local[name] = self.over_keys(value)
                return copy.deepcopy(self.local[name])
            case ast.BoolOp(op=op, values=values):
                parts = self._all(values)
                return None if parts is None else ast.BoolOp(op, parts)
            case ast.UnaryOp(op=op, operand=inner):
                one = self.over_keys(inner)
                return None if one is None else ast.UnaryOp(op, one)
            case ast.BinOp(left=left, op=operator, right=right):
                parts = self._all([left, right])
                return None if parts is None else ast.BinOp(parts[0], operator, parts[1])
            case ast.Compare(left=left, ops=ops, comparators=rest):
                parts = self._all([left, *rest])
                return None if parts is None else ast.Compare(parts[0], ops, parts[1:])
            case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
                parts = self._all(items)
                return None if parts is None else ast.Tuple(parts, ast.Load())
            case ast.Subscript(value=owner, slice=ast.Constant(value=int()) as index):
                one = self.over_keys(owner)
                return None if one is None else ast.Subscript(one, index, ast.Load())
            case ast.Call(func=func, args=args, keywords=[]):
                return self._call(func, args)
            case ast.ListComp(generators=[ast.comprehension(ifs=[test]) as one]):
                # The truth of a list of what passes a filter: that anything does.
                return _joined(ast.Or(), self._each(one, test))
        return None

    def _all(self, nodes: Sequence[ast.expr]) -> list[ast.expr] | None:
        found = [self.over_keys(node) for node in nodes]
        known = [one for one in found if one is not None]
        return known if len(known) == len(found) else None

    def _own(self, name: str) -> ast.expr | None:
        """A key, or a property of one ``return``."""
        if name in self.keys:
            return None if name in self.changed else ast.Name(name, ast.Load())
        made = self.properties.get(name)
        if made is None:
            return None
        inner = Walk({}, self.keys, self.properties, self.constant, self.changed)
        *before, last = made.body
        if inner.run(before, []) != "goes on" or inner.found:
            return None
        simple = all(isinstance(one, ast.Expr | ast.Assign) for one in before)
        if not simple or not isinstance(last, ast.Return) or last.value is None:
            return None
        return inner.over_keys(last.value)

    def _call(self, func: ast.expr, args: Sequence[ast.expr]) -> ast.expr | None:
        if isinstance(func, ast.Name):
            if func.id in ("any", "all") and len(args) == 1:
                inside = args[0]
                if isinstance(inside, ast.GeneratorExp | ast.ListComp):
                    return self._quantified(func.id == "any", inside)
                if isinstance(inside, ast.Tuple | ast.List):
                    parts = self._all(inside.elts)
                    join: ast.boolop = ast.Or() if func.id == "any" else ast.And()
                    return _joined(join, parts)
                return None
            parts = self._all(args)
            if func.id not in _CALLS or parts is None:
                return None
            return ast.Call(func, parts, [])
        if isinstance(func, ast.Attribute) and func.attr in _METHODS:
            parts = self._all([func.value, *args])
            if parts is None:
                return None
            return ast.Call(ast.Attribute(parts[0], func.attr, ast.Load()), parts[1:], [])
        return None

    def _quantified(self, some: bool, inside: ast.GeneratorExp | ast.ListComp) -> ast.expr | None:
        if len(inside.generators) != 1 or inside.generators[0].ifs:
            return None
        join: ast.boolop = ast.Or() if some else ast.And()
        return _joined(join, self._each(inside.generators[0], inside.elt))

    def _each(self, generator: ast.comprehension, test: ast.expr) -> list[ast.expr] | None:
        """A test over each item of a literal list."""
        items = generator.iter
        if not isinstance(items, ast.Tuple | ast.List) or not items.elts:
            return None
        targets = generator.target
        names = targets.elts if isinstance(targets, ast.Tuple) else [targets]
        found: list[ast.expr] = []
        before = dict(self.local)
        for item in items.elts:
            parts = (
                item.elts
                if isinstance(targets, ast.Tuple) and isinstance(item, ast.Tuple)
                else [item]
            )
            if len(parts) != len(names):
                return None
            for name, part in zip(names, parts, strict=True):
                if not isinstance(name, ast.Name):
                    return None
                self.local[name.id] = self.over_keys(part)
            one = self.over_keys(test)
            self.local.clear()
            self.local.update(before)
            if one is None:
                return None
            found.append(one)
        return found


def _negated(node: ast.expr | None) -> ast.expr | None:
    return None if node is None else ast.UnaryOp(ast.Not(), node)


def _joined(op: ast.boolop, parts: list[ast.expr] | None) -> ast.expr | None:
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else ast.BoolOp(op, parts)
