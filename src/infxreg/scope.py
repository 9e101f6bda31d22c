"""The scope algebra: what a rule reaches, and when one scope lies inside another.

A scope is a conjunction: axis -> set of values, or, on an integer axis, a range.
Nothing else is a scope: no callable, no hardware number. So containment and
overlap are decidable, and comparing two scopes never depends on what else is
registered (see docs/concepts/algebra.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Protocol, TypeAlias, TypeVar

from attrs import field, frozen

AxisValue: TypeAlias = str | int

_T = TypeVar("_T")


@frozen
class OneOf:
    """One of these values."""

    values: frozenset[AxisValue]

    def __contains__(self, value: object) -> bool:
        return value in self.values

    def __str__(self) -> str:
        return "|".join(str(value) for value in sorted_values(self.values))


def _from_one(bound: int | None) -> int:
    return 1 if bound is None or bound < 1 else bound


@frozen
class Range:
    """An integer from ``min`` to ``max``, both included; a ``max`` of None is unbounded.

    Values on an integer axis are positive, so a range begins at 1 at the earliest:
    ``max = 2`` is the same set as ``[1, 2]``.
    """

    min: int = field(default=1, converter=_from_one)
    max: int | None = None

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, int):
            return False
        return value >= self.min and (self.max is None or value <= self.max)

    @property
    def bounds(self) -> dict[str, int]:
        """The bounds as a table writes them: what goes without saying is left out."""
        low = {"min": self.min} if self.min > 1 or self.max is None else {}
        return low if self.max is None else {**low, "max": self.max}

    def __str__(self) -> str:
        low = "" if self.min == 1 else str(self.min)
        high = "" if self.max is None else str(self.max)
        return f"{low}..{high}"


Constraint: TypeAlias = OneOf | Range


class Facts(Protocol):
    """What comparing scopes needs to know of the ids that a scope names, and of nothing else."""

    def carriers(self, axis: str) -> tuple[str, ...]:
        """The axes whose values have ``axis`` as a fact: ``vendor`` -> ``("sku", "arch")``."""

    def fact(self, carrier: str, value: AxisValue, axis: str) -> AxisValue | None:
        """The fact ``axis`` of one value of ``carrier``, or None where it has none."""


@frozen
class Scope:
    """A conjunction of constraints, and the gates that must be open."""

    terms: tuple[tuple[str, Constraint], ...] = ()
    gates: frozenset[str] = frozenset()
    _by_axis: dict[str, Constraint] = field(init=False, repr=False, eq=False, hash=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_by_axis", dict(self.terms))

    @classmethod
    def of(cls, terms: Mapping[str, Constraint] | None = None, gates: Iterable[str] = ()) -> Scope:
        """A scope from a mapping; the order of axes doesn't matter."""
        return cls(tuple(sorted((terms or {}).items())), frozenset(gates))

    def get(self, axis: str) -> Constraint | None:
        """The constraint on an axis, or None where the scope doesn't name it."""
        return self._by_axis.get(axis)

    def matches(self, axes: Mapping[str, AxisValue | None], open_gates: frozenset[str]) -> bool:
        """Whether a point (facets included) with these open gates lies in the scope."""
        for axis, constraint in self.terms:
            if axes.get(axis) not in constraint:
                return False
        return self.gates <= open_gates

    def behind(self, gates: Iterable[str]) -> Scope:
        """This scope, behind more gates."""
        return Scope(self.terms, self.gates | frozenset(gates))

    def __str__(self) -> str:
        terms = [f"{axis}={constraint}" for axis, constraint in in_reading_order(self.terms)]
        terms += [f"gate:{gate}" for gate in sorted(self.gates)]
        return " ".join(terms) or "everything"


EVERYTHING = Scope()


def read_scope(text: str) -> Scope:
    """A scope from its words: ``sku=b200 model=dsv41flash tp=2|4 conc=8..64``.

    Raises:
        ValueError: naming the word that isn't a constraint.
    """
    terms: dict[str, Constraint] = {}
    for word in text.split():
        axis, equals, values = word.partition("=")
        if not axis or not equals or not values:
            raise ValueError(f"{word!r} is no constraint: write axis=value, a|b, or 8..64")
        if axis in terms:
            raise ValueError(f"{axis} stands there twice")
        bounds = re.fullmatch(r"(\d*)\.\.(\d*)", values)
        if bounds:
            low, high = (int(bound) if bound else None for bound in bounds.groups())
            terms[axis] = Range(low, high)
        else:
            listed = values.split("|")
            terms[axis] = OneOf(frozenset(int(v) if v.isdecimal() else v for v in listed))
    return Scope.of(terms)


_FIRST = ("sku", "model", "engine")


def in_reading_order(terms: Iterable[tuple[str, _T]]) -> list[tuple[str, _T]]:
    """Axes with identity first, as people say it: SKU, model, engine, then the rest."""
    return sorted(
        terms,
        key=lambda term: (_FIRST.index(term[0]) if term[0] in _FIRST else len(_FIRST), term[0]),
    )


def subset(a: Constraint, b: Constraint) -> bool:
    """Whether every value that ``a`` admits is admitted by ``b``."""
    if isinstance(a, OneOf):
        return all(value in b for value in a.values)
    if isinstance(b, Range):
        return a.min >= b.min and (b.max is None or (a.max is not None and a.max <= b.max))
    if a.max is None or a.max - a.min >= len(b.values):
        return False
    return all(value in b for value in range(a.min, a.max + 1))


def intersect(a: Constraint, b: Constraint) -> Constraint | None:
    """The values that both admit, or None where there are none."""
    if isinstance(a, OneOf):
        values = frozenset(value for value in a.values if value in b)
        return OneOf(values) if values else None
    if isinstance(b, OneOf):
        return intersect(b, a)
    low = max(a.min, b.min)
    high = min((bound for bound in (a.max, b.max) if bound is not None), default=None)
    if high is not None and low > high:
        return None
    return Range(low, high)


def inside(a: Scope, b: Scope, facts: Facts) -> bool:
    """Whether ``a`` lies inside ``b``, equal scopes included.

    For each axis of ``b``, ``a`` names that axis with a subset, or names SKUs,
    models or architectures whose facts all fit. A facet never lies inside a list
    of ids: that list may grow.
    """
    if not b.gates <= a.gates:
        return False
    return all(_fits(a, axis, constraint, facts) for axis, constraint in b.terms)


def strictly_inside(a: Scope, b: Scope, facts: Facts) -> bool:
    """Whether ``a`` lies inside ``b`` and ``b`` doesn't lie inside ``a``."""
    return inside(a, b, facts) and not inside(b, a, facts)


def meet(a: Scope, b: Scope) -> Scope | None:
    """The scope that says both, or None where an axis leaves no value.

    It lies inside each of them. Facets aren't looked up here: ``sku=b200`` and
    ``arch=gfx950`` meet in a scope that no SKU has.
    """
    terms = dict(a.terms)
    for axis, constraint in b.terms:
        if axis in terms:
            both = intersect(terms[axis], constraint)
            if both is None:
                return None
            terms[axis] = both
        else:
            terms[axis] = constraint
    return Scope.of(terms, a.gates | b.gates)


def sorted_values(values: Iterable[AxisValue]) -> list[AxisValue]:
    """Values in an order of their own: integers by size, before text."""
    return sorted(values, key=lambda value: (isinstance(value, str), value))


def _fits(a: Scope, axis: str, constraint: Constraint, facts: Facts) -> bool:
    own = a.get(axis)
    if own is not None and subset(own, constraint):
        return True
    for carrier in facts.carriers(axis):
        named = a.get(carrier)
        if isinstance(named, OneOf) and all(
            facts.fact(carrier, value, axis) in constraint for value in named.values
        ):
            return True
    return False
