"""Where something is so, said of many points in few scopes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from attrs import frozen

from infxreg.review.impact import Impact
from infxreg.review.regions import Universe
from infxreg.review.words import count_of

_SHOWN = 4
"""Scopes that are named before the others are counted."""


@frozen(eq=False, slots=False)
class Spots:
    """The points of both sides, to say where something is so.

    Args:
        impact: the difference of both sides.
    """

    impact: Impact

    @cached_property
    def labels(self) -> frozenset[str]:
        """What a finding calls the touched points, each with the purpose at which it is."""
        return frozenset(
            f"{self.impact.names[number].replace('/', ' ', 1)} {purpose}"
            for purpose, numbers in self.impact.touched.items()
            for number in numbers
        )

    def of(self, numbers: Iterable[int], beside: str = "") -> tuple[str, ...]:
        """Points as scopes, each with how many they are.

        Args:
            numbers: those of the points.
            beside: what else is said of them, behind the count.
        """
        regions = self._universe.cover(frozenset(numbers))
        told = [
            f"{region.scope} ({count_of(len(region.members), 'point')}{beside})"
            for region in regions[:_SHOWN]
        ]
        rest = regions[_SHOWN:]
        if rest:
            points = sum(len(region.members) for region in rest)
            told.append(f"{count_of(len(rest), 'more scope')} ({count_of(points, 'point')})")
        return tuple(told)

    def named(self, names: Iterable[str]) -> tuple[str, ...]:
        """Points by ``recipe/point`` as scopes."""
        return self.of(self._numbers[name] for name in names if name in self._numbers)

    def labelled(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Points by a finding's labels as scopes; purposes are named unless it is all of them."""
        by_number: dict[int, set[str]] = {}
        for label in labels:
            name, _, purpose = label.rpartition(" ")
            number = self._numbers.get(name.replace(" ", "/", 1))
            if number is not None:
                by_number.setdefault(number, set()).add(purpose)
        by_purposes: dict[tuple[str, ...], list[int]] = {}
        for number, purposes in by_number.items():
            by_purposes.setdefault(tuple(sorted(purposes)), []).append(number)
        found: list[str] = []
        for at, numbers in sorted(by_purposes.items(), key=lambda item: -len(item[1])):
            all_of_them = set(at) >= set(self.impact.purposes)
            found += self.of(numbers, "" if all_of_them else f" at {' and '.join(at)}")
        return tuple(found)

    @cached_property
    def _universe(self) -> Universe:
        return Universe(self.impact.points, self.impact.defaults)

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {name: number for number, name in enumerate(self.impact.names)}
