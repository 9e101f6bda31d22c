"""Some of many points, said in few scopes: exactly these, and as coarsely as they can be."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from attrs import frozen

from infxreg.axes import IDENTITY
from infxreg.scope import AxisValue, Constraint, OneOf, Range, Scope

Axes = Mapping[str, AxisValue]
_Box = dict[str, frozenset[AxisValue]]

_RANGE_FROM = 4
"""So many values in a row are said as a range."""


@frozen
class Region:
    """A scope, and the numbers of the points that it holds."""

    scope: Scope
    members: tuple[int, ...]


class Universe:
    """All points among which some are to be told apart.

    Args:
        points: the axes of each; what a point lacks has its default.
        defaults: those of the axes.
    """

    def __init__(self, points: Sequence[Axes], defaults: Axes) -> None:
        self._points = points
        self._defaults = defaults
        self._values: dict[str, set[AxisValue]] = {}
        self._by_sku: dict[AxisValue, list[int]] = {}
        for number, point in enumerate(points):
            for axis, value in point.items():
                self._values.setdefault(axis, set()).add(value)
            self._by_sku.setdefault(point["sku"], []).append(number)
        for axis, values in self._values.items():
            if axis in defaults and any(axis not in point for point in points):
                values.add(defaults[axis])
        self._axes = sorted(self._values)

    def cover(self, members: Collection[int]) -> tuple[Region, ...]:
        """Regions that together hold exactly some points, each of them once.

        Args:
            members: the numbers of these points.
        """
        return tuple(self._cover(tuple(sorted(set(members))))) if members else ()

    def _cover(self, members: tuple[int, ...]) -> Iterator[Region]:
        box = self._box(members)
        if self._exact(box, members):
            yield Region(self._scope(box, members), members)
            return
        parts = self._parts(box, members)
        if len(parts) == 1:  # no axis tells them from others: what is outside is the same point
            yield Region(self._scope(box, members), members)
            return
        for part in parts:
            yield from self._cover(part)

    def _value(self, number: int, axis: str) -> AxisValue:
        return self._points[number].get(axis, self._defaults.get(axis, ""))

    def _box(self, members: tuple[int, ...]) -> _Box:
        return {axis: frozenset(self._value(n, axis) for n in members) for axis in self._axes}

    def _inside(self, terms: Mapping[str, Collection[AxisValue] | Constraint]) -> Iterator[int]:
        named = list(terms.items())
        skus = terms.get("sku")
        for sku, numbers in self._by_sku.items():
            if skus is None or sku in skus:
                yield from (
                    n
                    for n in numbers
                    if all(self._value(n, axis) in found for axis, found in named)
                )

    def _exact(
        self, terms: Mapping[str, Collection[AxisValue] | Constraint], members: tuple[int, ...]
    ) -> bool:
        """Whether terms that hold the members hold nothing else."""
        return sum(1 for _ in self._inside(terms)) == len(members)

    def _parts(self, box: _Box, members: tuple[int, ...]) -> list[tuple[int, ...]]:
        """The members by the axis that splits them best: into exact parts, and into few."""
        best: tuple[tuple[bool, int, int], list[tuple[int, ...]]] | None = None
        for place, axis in enumerate(sorted(self._axes, key=_leading)):
            if len(box[axis]) < 2:
                continue
            parts = self._by_rest(axis, members)
            if len(parts) < 2:
                continue
            exact = all(self._exact(self._box(part), part) for part in parts)
            score = (not exact, len(parts), place)
            if best is None or score < best[0]:
                best = score, parts
        return [members] if best is None else best[1]

    def _by_rest(self, axis: str, members: tuple[int, ...]) -> list[tuple[int, ...]]:
        """The members by their value on an axis; values with the same rest stay together."""
        others = [other for other in self._axes if other != axis]
        by_value: dict[AxisValue, list[int]] = {}
        for n in members:
            by_value.setdefault(self._value(n, axis), []).append(n)
        merged: dict[frozenset[tuple[AxisValue, ...]], list[int]] = {}
        for value in sorted(by_value, key=_sortable):
            numbers = by_value[value]
            rest = frozenset(tuple(self._value(n, other) for other in others) for n in numbers)
            merged.setdefault(rest, []).extend(numbers)
        return [tuple(sorted(numbers)) for numbers in merged.values()]

    def _scope(self, box: _Box, members: tuple[int, ...]) -> Scope:
        """The box with what goes without saying left out."""
        terms: dict[str, Collection[AxisValue] | Constraint] = dict(box)
        for axis in sorted(self._axes, key=_leading, reverse=True):
            all_of_it = box[axis] == self._values[axis]
            rest = {other: found for other, found in terms.items() if other != axis}
            if all_of_it or (axis not in IDENTITY and self._exact(rest, members)):
                terms = rest
        named: dict[str, Constraint] = {}
        for axis in terms:
            constraint: Constraint = OneOf(box[axis])
            numbers = [value for value in box[axis] if isinstance(value, int)]
            if len(numbers) == len(box[axis]) >= _RANGE_FROM:
                wide = Range(min(numbers), max(numbers))
                if self._exact({**terms, axis: wide}, members):
                    constraint = wide
            named[axis] = constraint
        return Scope.of(named)


def _leading(axis: str) -> tuple[int, str]:
    return (IDENTITY.index(axis), "") if axis in IDENTITY else (len(IDENTITY), axis)


def _sortable(value: AxisValue) -> tuple[bool, AxisValue]:
    return isinstance(value, str), value
