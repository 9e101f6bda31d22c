"""Some of many points, said in few scopes: exactly these, and as coarsely as they can be."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from attrs import frozen

from infxreg.axes import IDENTITY
from infxreg.scope import AxisValue, Constraint, OneOf, Range, Scope

Axes = Mapping[str, AxisValue]
_Box = dict[str, frozenset[AxisValue]]
_Terms = Mapping[str, Collection[AxisValue] | Constraint]

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
        self._axes = sorted({axis for point in points for axis in point})
        self._rows: list[tuple[AxisValue, ...]] = [
            tuple(point.get(axis, defaults.get(axis, "")) for axis in self._axes)
            for point in points
        ]
        self._at: dict[str, dict[AxisValue, list[int]]] = {axis: {} for axis in self._axes}
        for number, row in enumerate(self._rows):
            for axis, value in zip(self._axes, row, strict=True):
                self._at[axis].setdefault(value, []).append(number)

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

    def _box(self, members: tuple[int, ...]) -> _Box:
        columns = zip(*(self._rows[n] for n in members), strict=True)
        return dict(zip(self._axes, map(frozenset, columns), strict=True))

    def _exact(self, terms: _Terms, members: tuple[int, ...]) -> bool:
        """Whether terms that hold the members hold nothing else."""
        held = {
            axis: [numbers for value, numbers in self._at[axis].items() if value in found]
            for axis, found in terms.items()
        }
        sizes = {axis: sum(map(len, lists)) for axis, lists in held.items()}
        left: Sequence[int] = range(len(self._rows))
        # The axis that holds fewest goes first: what it leaves is all that the others look at.
        for axis in sorted(terms, key=sizes.__getitem__):
            if len(left) == len(members):
                break
            if sizes[axis] < len(self._rows):
                left = self._narrowed(left, axis, terms[axis], held[axis])
        return len(left) == len(members)

    def _narrowed(
        self,
        numbers: Sequence[int],
        axis: str,
        found: Collection[AxisValue] | Constraint,
        held: list[list[int]],
    ) -> Sequence[int]:
        if len(numbers) == len(self._rows):
            return [n for listed in held for n in listed]
        place = self._axes.index(axis)
        return [n for n in numbers if self._rows[n][place] in found]

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
        place = self._axes.index(axis)
        by_value: dict[AxisValue, list[int]] = {}
        for n in members:
            by_value.setdefault(self._rows[n][place], []).append(n)
        merged: dict[frozenset[tuple[AxisValue, ...]], list[int]] = {}
        for value in sorted(by_value, key=_sortable):
            rows = (self._rows[n] for n in by_value[value])
            rest = frozenset(row[:place] + row[place + 1 :] for row in rows)
            merged.setdefault(rest, []).extend(by_value[value])
        return [tuple(sorted(numbers)) for numbers in merged.values()]

    def _scope(self, box: _Box, members: tuple[int, ...]) -> Scope:
        """The box with what goes without saying left out."""
        terms: _Terms = dict(box)
        for axis in sorted(self._axes, key=_leading, reverse=True):
            all_of_it = len(box[axis]) == len(self._at[axis])
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
