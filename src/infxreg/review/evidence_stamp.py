"""From a run's own file to evidence: its points resolved, and their digests written down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast, get_args

from attrs import frozen

from infxreg.errors import GateIdleError, GateScopeError, InfxregError, PurposeError
from infxreg.records import Evidence, Shows
from infxreg.registry import Registry
from infxreg.review.evidence import Measured, frontier, label
from infxreg.scope import read_scope
from infxreg.spec import LaunchSpec
from infxreg.surface.reading import Part
from infxreg.sweeps import PURPOSE
from infxreg.values import FrozenMap

_TEXTS = ("id", "run", "commit", "source")
_OPTIONAL = ("date", "head", "image", "doc")
_KEYS = frozenset(
    (*_TEXTS, *_OPTIONAL, "shows", "gates", "metrics", "thresholds", "points", "scope")
)
_MEASURES = ("throughput", "latency")


@frozen
class RunError(InfxregError):
    """A run's file that can't become evidence; every reason in one go."""

    where: str
    problems: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(
            [f"{self.where} can't be bound to points:", *(f"  {p}" for p in self.problems)]
        )


def stamped(data: object, where: str, registry: Registry) -> Evidence:
    """The evidence of a run.

    Args:
        data: the run's file, as `json.loads` gives it: what `Evidence` has but for its digests,
            and either ``scope`` (``sku=b200 engine=vllm purpose=throughput``: every swept point
            in it was run) or ``points``, each a table of axes, with ``throughput`` and
            ``latency`` where it was measured.
        where: what messages call it.
        registry: whose points were run. ``gates`` are opened where they can be.

    Raises:
        RunError: naming everything that is missing, wrong or unknown, every point that can't
            be resolved, and every one whose image isn't the run's.
        RegistryFaults: if the registry has faults.
    """
    registry.check()
    part = Part(data, "")
    part.only(_KEYS)
    texts = {name: part.need(name).text() for name in _TEXTS}
    more = {name: part.at(name).text_or_none() for name in _OPTIONAL}
    shows = part.need("shows").text()
    if shows and shows not in get_args(Shows):
        part.at("shows").wrong(f"{shows!r} is neither of {' and '.join(get_args(Shows))}")
    gates = part.at("gates").texts()
    numbers = {name: dict(_numbers(part.at(name))) for name in ("metrics", "thresholds")}
    wanted = list(_wanted(part, registry))
    if not wanted and not part.problems:
        part.wrong("it has no points, and its scope holds no swept one")
    if part.problems:
        raise RunError(where, tuple(part.problems))
    if texts["id"] in registry.catalogue.evidence:
        part.wrong(f"evidence {texts['id']!r} is registered already")
    opened: set[str] = set()
    digests: dict[str, str] = {}
    measured: list[Measured] = []
    for path, axes, measures in wanted:
        try:
            spec = _resolved(axes, gates, opened, registry)
        except PurposeError as error:
            if path != "scope":  # of a scope, what is launched at that purpose: nothing
                part.problems.append(f"{error} @ {path}")
            continue
        except (InfxregError, TypeError) as error:
            part.problems.append(f"{error} @ {path}")
            continue
        if spec.point.id is None:
            part.problems.append(f"{_words(axes)} is no swept point @ {path}")
            continue
        name = label(spec, registry.catalogue)
        if more["image"] is not None and spec.image.reference != more["image"]:
            part.problems.append(
                f"{name} launches {spec.image.reference}, and the run had {more['image']}"
            )
        digests[name] = spec.digest
        if measures is not None:
            measured.append(Measured(name, *measures))
    for gate in gates:
        if gate not in opened and not part.problems:
            part.problems.append(f"gate {gate} can be opened at none of the points @ gates")
    if part.problems:
        raise RunError(where, tuple(part.problems))
    return Evidence(
        **texts,
        shows=cast(Shows, shows),
        digests=FrozenMap(dict(sorted(digests.items()))),
        date=more["date"],
        head=more["head"],
        image=more["image"],
        gates=gates,
        metrics=FrozenMap(numbers["metrics"]),
        thresholds=FrozenMap(numbers["thresholds"]),
        frontier=frontier(measured),
        doc=more["doc"] or "",
    )


def table(evidence: Evidence) -> dict[str, Any]:
    """The evidence as a table has it: what is empty is left out."""
    data = {
        "id": evidence.id,
        "shows": evidence.shows,
        "run": evidence.run,
        "commit": evidence.commit,
        "head": evidence.head,
        "date": evidence.date,
        "image": evidence.image,
        "gates": list(evidence.gates),
        "source": evidence.source,
        "doc": evidence.doc,
        "frontier": list(evidence.frontier),
        "metrics": dict(evidence.metrics),
        "thresholds": dict(evidence.thresholds),
        "digests": dict(evidence.digests),
    }
    return {"evidence": [{name: value for name, value in data.items() if value}]}


_Wanted = tuple[str, dict[str, Any], tuple[float, float] | None]


def _wanted(part: Part, registry: Registry) -> Iterator[_Wanted]:
    """Path, axes and measurements of every point that was run."""
    scope = part.at("scope").text_or_none()
    if scope is not None:
        try:
            read = read_scope(scope)
        except ValueError as error:
            part.at("scope").wrong(str(error))
            return
        space = registry.catalogue.space
        for axis, _ in read.terms:
            if axis not in space.axes:
                part.at("scope").wrong(f"there is no axis {axis!r}")
        purposes = [str(purpose) for purpose in space.values.get(PURPOSE, ())]
        for point in registry.points():
            for purpose in purposes:
                there = point.at(**{PURPOSE: purpose})
                if read.matches(space.with_facets(there.axes), frozenset()):
                    yield "scope", dict(there.axes), None
    for row in part.at("points").rows():
        axes = dict(row.value) if isinstance(row.value, Mapping) else {}
        if not axes:
            row.wrong("a point is a table of axes")
        measures = [axes.pop(name, None) for name in _MEASURES]
        given = [one for one in measures if one is not None]
        if any(isinstance(one, bool) or not isinstance(one, (int, float)) for one in given):
            row.wrong("throughput and latency are numbers")
        elif len(given) == 1:
            row.wrong("throughput and latency stand together")
        yield row.path, axes, (float(given[0]), float(given[1])) if len(given) == 2 else None


def _resolved(
    axes: Mapping[str, Any], gates: tuple[str, ...], opened: set[str], registry: Registry
) -> LaunchSpec:
    """The spec with those gates open that can be at the point."""
    here: list[str] = []
    for gate in gates:
        try:
            registry.resolve(**axes, gates=[gate])
        except (GateIdleError, GateScopeError):
            continue
        here.append(gate)
    opened.update(here)
    return registry.resolve(**axes, gates=here)


def _numbers(part: Part) -> Iterator[tuple[str, float]]:
    for name, one in part.items():
        if isinstance(one.value, bool) or not isinstance(one.value, (int, float)):
            one.wrong("a number is needed")
        else:
            yield name, float(one.value)


def _words(axes: Mapping[str, Any]) -> str:
    return " ".join(f"{axis}={value}" for axis, value in axes.items())
