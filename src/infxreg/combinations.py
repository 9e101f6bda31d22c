"""Concrete points of a scope that stand for all of them, as far as some rules can tell.

A rule tells two values of an axis apart only where one of its scopes does. So it is
enough to look at one value of each class: every id and name, and on an integer axis
the values and range ends that the rules mention, their neighbours, and one beyond.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, combinations, product

from attrs import frozen

from infxreg.catalogue import Catalogue
from infxreg.scope import AxisValue, Constraint, OneOf, Range, Scope, sorted_values

LIMIT = 50_000
"""After so many combinations without an answer the caller says that it can't tell."""


@frozen
class Combination:
    """A point that known SKUs and models can have, with its facets, and open gates."""

    axes: Mapping[str, AxisValue]
    facets: Mapping[str, AxisValue | None]
    gates: frozenset[str]


class TooManyError(Exception):
    """A scope has more combinations than can be looked at."""


def representatives(
    scope: Scope, others: Iterable[Scope], catalogue: Catalogue
) -> Iterator[Combination]:
    """Points inside a scope, one for each class that the other scopes can tell apart.

    Args:
        scope: where to look; its gates are open in every combination.
        others: the scopes of the rules that matter there.
        catalogue: the known ids and gates.

    Raises:
        TooManyError: after `LIMIT` of them, if there are more.
    """
    scopes = [scope, *others]
    named = {axis for other in scopes for axis, _ in other.terms}
    axes = _needed_axes(named, catalogue)
    columns = [_values(axis, scope, scopes, catalogue) for axis in axes]
    known = {gate for other in scopes for gate in other.gates} & set(catalogue.gates)
    free = sorted(known - scope.gates)
    base = _defaults(catalogue)
    looked = 0
    for values in product(*columns):
        point = {**base, **dict(zip(axes, values, strict=True))}
        facets = catalogue.space.with_facets(point)
        inside = scope.matches(facets, scope.gates)
        for gates in _gate_states(scope.gates, free, facets, catalogue) if inside else [None]:
            if looked == LIMIT:
                raise TooManyError
            looked += 1
            if gates is not None:
                yield Combination(point, facets, gates)


def _needed_axes(named: set[str], catalogue: Catalogue) -> list[str]:
    """The request's axes behind the named ones: a facet is told by its SKU or model."""
    axes = {"sku", "model", "engine"} & set(catalogue.space.axes)
    for axis in named & set(catalogue.space.axes):  # an unknown one matches nothing
        declared = catalogue.space.axes[axis]
        axes.add(declared.facet_of or axis)
    return sorted(axes)


def _values(
    axis: str, scope: Scope, scopes: Iterable[Scope], catalogue: Catalogue
) -> list[AxisValue]:
    own = scope.get(axis)
    declared = catalogue.space.axes[axis]
    if declared.type == "int":
        mentioned = {1}
        for other in scopes:
            mentioned |= _ends(other.get(axis))
        values: list[AxisValue] = [value for value in sorted(mentioned) if value > 0]
        values.append(max(mentioned) + 2)
    else:
        values = list(catalogue.space.values.get(axis, ()))
    return sorted_values(value for value in set(values) if own is None or value in own)


def _ends(constraint: Constraint | None) -> set[int]:
    if isinstance(constraint, Range):
        bounds = [constraint.min] + ([] if constraint.max is None else [constraint.max])
    elif isinstance(constraint, OneOf):
        bounds = [value for value in constraint.values if isinstance(value, int)]
    else:
        return set()
    return {bound + step for bound in bounds for step in (-1, 0, 1)}


def _gate_states(
    fixed: frozenset[str],
    free: list[str],
    facets: Mapping[str, AxisValue | None],
    catalogue: Catalogue,
) -> Iterator[frozenset[str]]:
    """Every legal set of open gates: none is open outside its own scope."""

    def legal(gate: str) -> bool:
        return gate in catalogue.gates and catalogue.gates[gate].when.matches(facets, frozenset())

    if not all(map(legal, fixed)):
        return
    can = [gate for gate in free if legal(gate)]
    for more in chain.from_iterable(combinations(can, size) for size in range(len(can) + 1)):
        yield fixed | frozenset(more)


def _defaults(catalogue: Catalogue) -> dict[str, AxisValue]:
    space = catalogue.space
    return {
        axis: default
        for axis in space.request_axes
        if (default := space.axes[axis].default) is not None
    }
