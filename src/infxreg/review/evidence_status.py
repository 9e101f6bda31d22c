"""What runs have shown of a registry's recipes, as these are now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import get_args

from attrs import frozen

from infxreg.catalogue import Catalogue
from infxreg.errors import InfxregError
from infxreg.points import Point
from infxreg.records import Evidence, Shows
from infxreg.registry import Registry
from infxreg.request import Choices
from infxreg.resolve import resolve_point
from infxreg.review.evidence import Standing, Status, label, valid
from infxreg.spec import LaunchSpec
from infxreg.sweeps import PURPOSE
from infxreg.values import FrozenMap

PURPOSE_OF: Mapping[Shows, str] = {"performance": "throughput", "accuracy": "eval"}
"""The purpose at which a run of each kind runs its points."""


@frozen
class RecipeStatus:
    """What runs of one kind have shown of a recipe, by point."""

    recipe: str
    shows: Shows
    points: FrozenMap[str, Standing]

    @property
    def status(self) -> Status:
        """Verified where all points are; stale where one was run as another spec."""
        found = {standing.status for standing in self.points.values()}
        if found == {"verified"}:
            return "verified"
        return "stale" if "stale" in found else "unverified"

    @property
    def words(self) -> str:
        """How many points there are of each."""
        counts = Counter(standing.status for standing in self.points.values())
        total = len(self.points)
        told = [f"{counts[one]} of {total} {one}" for one in get_args(Status) if counts[one]]
        return ", ".join(told)


def statuses(
    registry: Registry,
    recipe: str | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[RecipeStatus, ...]:
    """The status of every recipe, or of one, for each kind of run; sorted.

    A point that can't be resolved is unverified.

    Args:
        registry: the registry; without faults.
        recipe: a recipe's id.
        progress: called with (points done, points in all).
    """
    catalogue = registry.catalogue
    book = catalogue.evidence_book
    points = [p for p in registry.points() if p.recipe and recipe in (None, p.recipe.id)]
    found: dict[tuple[str, Shows], dict[str, Standing]] = {}
    for number, point in enumerate(points, 1):
        for shows, purpose in PURPOSE_OF.items():
            spec = _spec(point, purpose, catalogue)
            if isinstance(spec, LaunchSpec):
                standing = book.of(spec, shows)
            else:
                standing = Standing("unverified", (), spec)
            name = point.recipe.id if point.recipe else ""
            found.setdefault((name, shows), {})[str(point.id)] = standing
        progress(number, len(points))
    return tuple(
        RecipeStatus(name, shows, FrozenMap(standings))
        for (name, shows), standings in sorted(found.items())
    )


def moved(evidence: Evidence, registry: Registry) -> tuple[str, ...]:
    """Why a run can't be reused: each point that it ran and that is another spec now."""
    return tuple(valid(evidence, dict(_now(evidence, registry))))


def _now(evidence: Evidence, registry: Registry) -> Iterator[tuple[str, str]]:
    """The digest that each of a run's points has now, by its label."""
    wanted = {name.partition("+")[0] for name in evidence.digests}
    purposes = {name.rpartition("@")[2] for name in wanted}
    for point in registry.points():
        for purpose in sorted(purposes):
            recipe = point.recipe.id if point.recipe else ""
            if f"{recipe}/{point.id}@{purpose}" in wanted:
                spec = _spec(point, purpose, registry.catalogue)
                if isinstance(spec, LaunchSpec):
                    yield label(spec, registry.catalogue), spec.digest


def _spec(point: Point, purpose: str, catalogue: Catalogue) -> LaunchSpec | str:
    try:
        there = point.at(**{PURPOSE: purpose})
        return resolve_point(there, Choices(), catalogue, checked=False)
    except InfxregError as error:
        return str(error)
