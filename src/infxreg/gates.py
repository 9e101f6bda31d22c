"""Settle which gates are open at a point, before anything else is looked at.

Request over site over recipe. A recipe opens its gates only at its swept points
inside their scope; a site wherever the scope holds; both only where a rule behind
the gate counts, so that a gate without effect isn't part of a spec. A request has
to be right.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from infxreg.catalogue import Catalogue
from infxreg.errors import (
    GateContradictionError,
    GateIdleError,
    GateScopeError,
    UnknownIdError,
)
from infxreg.index import ScopedRule
from infxreg.points import Point, describe
from infxreg.scope import AxisValue


def settle(
    point: Point,
    facets: Mapping[str, AxisValue | None],
    wanted_open: Collection[str],
    wanted_closed: Collection[str],
    catalogue: Catalogue,
) -> frozenset[str]:
    """The gates that are open at a point.

    Args:
        point: the point, with its recipe if it is swept.
        facets: its axes with facets filled in.
        wanted_open: gates that the request opens.
        wanted_closed: gates that the request closes.
        catalogue: the registry's records.

    Raises:
        UnknownIdError: for a gate that nobody declares.
        GateContradictionError: for a gate asked to be both.
        GateScopeError: for a gate asked to be open outside its scope.
        GateIdleError: for a gate asked to be open where none of its rules counts.
    """
    for name in (*wanted_open, *wanted_closed):
        if name not in catalogue.gates:
            raise UnknownIdError("gate", name, tuple(catalogue.gates))
    both = tuple(sorted(set(wanted_open) & set(wanted_closed)))
    if both:
        raise GateContradictionError(both, "the request")
    where = describe(point.axes, catalogue.space)
    for name in wanted_open:
        if not _reaches(name, facets, catalogue):
            raise GateScopeError(name, str(catalogue.gates[name].when), where)
    closed = frozenset(wanted_closed)
    recipe_gates = point.recipe.gates if point.recipe is not None else ()
    offered = {*catalogue.site.open, *(set(recipe_gates) - set(catalogue.site.close))} - closed
    reaching = {name for name in offered if _reaches(name, facets, catalogue)}
    opened = frozenset(reaching | set(wanted_open))
    for name in wanted_open:
        _must_count(name, facets, opened, where, catalogue)
    return frozenset(name for name in opened if _counts(name, facets, opened, catalogue))


def _counts(
    gate: str,
    facets: Mapping[str, AxisValue | None],
    opened: frozenset[str],
    catalogue: Catalogue,
) -> bool:
    """Whether any rule behind a gate counts at a point with these gates open."""
    return any(scoped.scope.matches(facets, opened) for scoped in _behind(gate, catalogue))


def _reaches(gate: str, facets: Mapping[str, AxisValue | None], catalogue: Catalogue) -> bool:
    return gate in catalogue.gates and catalogue.gates[gate].when.matches(facets, frozenset())


def _behind(gate: str, catalogue: Catalogue) -> tuple[ScopedRule, ...]:
    return catalogue.plugin_rules.behind(gate) + catalogue.site_rules.behind(gate)


def _must_count(
    gate: str,
    facets: Mapping[str, AxisValue | None],
    opened: frozenset[str],
    where: str,
    catalogue: Catalogue,
) -> None:
    if _counts(gate, facets, opened, catalogue):
        return
    behind = _behind(gate, catalogue)
    everything = frozenset(catalogue.gates)
    needs = {
        other
        for scoped in behind
        if scoped.scope.matches(facets, everything)
        for other in scoped.scope.gates - opened
    }
    scopes = tuple(sorted({str(scoped.scope) for scoped in behind}))
    raise GateIdleError(gate, where, tuple(sorted(needs)), scopes)
