"""Runs that showed what a launch spec does, bound to the digests of the specs that were run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal, TypeAlias

from attrs import field, frozen

from infxreg.catalogue import Catalogue
from infxreg.records import Evidence, Shows
from infxreg.spec import LaunchSpec
from infxreg.sweeps import PURPOSE
from infxreg.values import FrozenMap

Status: TypeAlias = Literal["verified", "stale", "unverified"]


@frozen
class Standing:
    """What evidence says of a spec.

    Attributes:
        status: ``verified`` (this very spec was run), ``stale`` (its point was, as another
            spec), ``unverified``.
        by: the ids of the evidence.
        reason: in words.
    """

    status: Status
    by: tuple[str, ...]
    reason: str


def label(spec: LaunchSpec, catalogue: Catalogue) -> str:
    """How evidence names a swept point at a purpose: ``recipe/point@purpose``.

    Gates that neither its recipe nor the site opens stand behind it, each as ``+gate``: what is
    run so isn't what the point is by itself.
    """
    recipe = catalogue.recipes.get(spec.point.recipe or "")
    usual = {*(recipe.gates if recipe is not None else ()), *catalogue.site.open}
    more = "".join(f"+{gate}" for gate in spec.gates if gate not in usual)
    return f"{spec.point.recipe}/{spec.point.id}@{spec.point.axes.get(PURPOSE, '')}{more}"


@frozen(eq=False)
class EvidenceBook:
    """All evidence of a registry, by digest and by the points that were run."""

    catalogue: Catalogue
    by_digest: Mapping[str, tuple[str, ...]] = field(init=False)
    by_label: Mapping[str, tuple[str, ...]] = field(init=False)

    @by_digest.default
    def _by_digest(self) -> Mapping[str, tuple[str, ...]]:
        return _inverted((one.id, one.digests.values()) for one in self._records.values())

    @by_label.default
    def _by_label(self) -> Mapping[str, tuple[str, ...]]:
        return _inverted((one.id, one.digests) for one in self._records.values())

    @cached_property
    def recipes(self) -> frozenset[str]:
        """The recipes of which some point was run."""
        return frozenset(name.partition("/")[0] for name in self.by_label)

    @property
    def _records(self) -> Mapping[str, Evidence]:
        return self.catalogue.evidence

    def of(self, spec: LaunchSpec, shows: Shows | None = None) -> Standing:
        """What is shown of a spec. Evidence whose metrics miss their thresholds shows nothing.

        Args:
            spec: a launch spec.
            shows: if given, only evidence of this kind counts.
        """
        runs = self._of_kind(self.by_digest.get(spec.digest, ()), shows)
        good = tuple(name for name in runs if not self._records[name].missed)
        if good:
            kinds = ", ".join(f"{name} ({self._records[name].shows})" for name in good)
            return Standing("verified", good, f"this very spec was run: {kinds}")
        if runs:
            missed = "; ".join(f"{name}: {words}" for name in runs for words in self._missed(name))
            return Standing("unverified", runs, f"it was run and missed its threshold: {missed}")
        there = self._of_kind(self.by_label.get(label(spec, self.catalogue), ()), shows)
        if there:
            words = f"{', '.join(there)} ran this point with another spec"
            return Standing("stale", there, words)
        return Standing("unverified", (), "no evidence is bound to this spec")

    def _of_kind(self, names: Iterable[str], shows: Shows | None) -> tuple[str, ...]:
        return tuple(name for name in names if shows in (None, self._records[name].shows))

    def _missed(self, name: str) -> tuple[str, ...]:
        return self._records[name].missed


def _inverted(pairs: Iterable[tuple[str, Iterable[str]]]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name, keys in pairs:
        for key in keys:
            found.setdefault(key, []).append(name)
    return FrozenMap({key: tuple(sorted(names)) for key, names in found.items()})


@frozen
class Measured:
    """A point's measurements: throughput is better high, latency low."""

    name: str
    throughput: float
    latency: float


def frontier(points: Sequence[Measured]) -> tuple[str, ...]:
    """The names of the points that no other one beats, fastest first.

    A point is beaten by one that has at least its throughput at no more latency, and is better
    in one of them. Of equal points all stay.
    """
    best: list[Measured] = []
    for point in sorted(points, key=lambda p: (p.latency, -p.throughput, p.name)):
        if not best or point.throughput > best[-1].throughput or _equal(point, best[-1]):
            best.append(point)
    return tuple(point.name for point in best)


def _equal(one: Measured, other: Measured) -> bool:
    return (one.throughput, one.latency) == (other.throughput, other.latency)


def valid(evidence: Evidence, digests: Mapping[str, str]) -> Iterator[str]:
    """Why a run can't be reused: every point that it ran and that is another spec now.

    Args:
        evidence: the run.
        digests: label to the digest that the point has now, by itself.
    """
    for name, digest in sorted(evidence.digests.items()):
        now = digests.get(name.partition("+")[0])
        if now is None:
            yield f"{name} is swept no longer"
        elif now != digest:
            yield f"{name} is {now}, and {digest} was run"
