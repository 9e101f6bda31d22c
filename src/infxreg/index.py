"""Find the rules that match a point without looking at the others.

Scopes are grouped by the axes that they name (their shape); inside a shape, a
dictionary leads from the values on these axes to the rules. A look-up costs one
dictionary access a shape, however many rules there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from attrs import frozen

from infxreg.origin import Origin
from infxreg.records import Rule
from infxreg.scope import AxisValue, OneOf, Scope, sorted_values

_WIDTH = 512
"""A scope is filed under at most this many value combinations; wider axes are matched after."""


@frozen(eq=False)
class ScopedRule:
    """A rule with one of its scopes (its gates included), and where it is from."""

    rule: Rule
    scope: Scope
    origin: Origin


class RuleIndex:
    """The scoped rules of one layer, by shape and value. Built once, then only read."""

    __slots__ = ("_behind", "_shapes", "all")

    def __init__(self, rules: Iterable[ScopedRule]) -> None:
        self.all: tuple[ScopedRule, ...] = tuple(rules)
        self._shapes: dict[
            tuple[str, ...], dict[tuple[AxisValue | None, ...], list[ScopedRule]]
        ] = {}
        self._behind: dict[str, tuple[ScopedRule, ...]] = {}
        for scoped in self.all:
            for gate in scoped.scope.gates:
                self._behind[gate] = (*self._behind.get(gate, ()), scoped)
            shape, combinations = _file_under(scoped.scope)
            filed = self._shapes.setdefault(shape, {})
            for values in combinations:
                filed.setdefault(values, []).append(scoped)

    def matching(
        self, axes: Mapping[str, AxisValue | None], open_gates: frozenset[str]
    ) -> Iterator[ScopedRule]:
        """The scoped rules that match a point (facets included) with these gates open."""
        for shape, filed in self._shapes.items():
            for scoped in filed.get(tuple(axes.get(axis) for axis in shape), ()):
                if scoped.scope.matches(axes, open_gates):
                    yield scoped

    def behind(self, gate: str) -> tuple[ScopedRule, ...]:
        """The scoped rules behind a gate."""
        return self._behind.get(gate, ())


def _file_under(scope: Scope) -> tuple[tuple[str, ...], Iterator[tuple[AxisValue, ...]]]:
    listed = [(axis, c.values) for axis, c in scope.terms if isinstance(c, OneOf)]
    shape: list[str] = []
    columns: list[list[AxisValue]] = []
    width = 1
    for axis, values in sorted(listed, key=lambda item: (len(item[1]), item[0])):
        width *= len(values)
        if width > _WIDTH:
            break
        shape.append(axis)
        columns.append(sorted_values(values))
    order = sorted(range(len(shape)), key=lambda i: shape[i])
    return tuple(shape[i] for i in order), product(*(columns[i] for i in order))
