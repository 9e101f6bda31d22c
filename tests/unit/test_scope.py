"""The scope algebra, case by case; its laws are in tests/property."""

from __future__ import annotations

import pytest

from infxreg.axes import AxisSpace
from infxreg.scope import (
    EVERYTHING,
    OneOf,
    Range,
    Scope,
    inside,
    intersect,
    meet,
    sorted_values,
    strictly_inside,
    subset,
)
from support.builders import acme, where


@pytest.fixture(scope="module")
def space() -> AxisSpace:
    return acme().catalogue.space


def one_of(*values: str | int) -> OneOf:
    return OneOf(frozenset(values))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (one_of(1), one_of(1, 2), True),
        (one_of(1, 3), one_of(1, 2), False),
        (one_of(2, 4), Range(1, 4), True),
        (one_of("a"), Range(1, 4), False),
        (Range(2, 3), Range(1, 4), True),
        (Range(2, None), Range(1, 4), False),
        (Range(None, 3), Range(1, 4), True),
        (Range(None, 2), one_of(1, 2), True),
        (Range(2, None), Range(1, None), True),
        (Range(None, 3), Range(None, 4), True),
        (Range(1, 3), one_of(1, 2, 3), True),
        (Range(1, 3), one_of(1, 2, 4), False),
        (Range(1, 10**12), one_of(1, 2), False),
        (Range(1, None), one_of(1), False),
        (Range(None, 1), one_of(1), True),
        (Range(None, None), one_of(1), False),
    ],
)
def test_subset(a: OneOf | Range, b: OneOf | Range, expected: bool) -> None:
    """Every value of the first is one of the second, sets and ranges mixed."""
    assert subset(a, b) is expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (one_of(1, 2), one_of(2, 3), one_of(2)),
        (one_of(1), one_of(2), None),
        (one_of(1, 9), Range(2, None), one_of(9)),
        (Range(2, None), one_of(1, 9), one_of(9)),
        (Range(1, 5), Range(3, 9), Range(3, 5)),
        (Range(1, 2), Range(3, 9), None),
        (Range(None, 2), Range(1, None), Range(1, 2)),
        (Range(None, 5), Range(None, 3), Range(None, 3)),
    ],
)
def test_intersect(a: OneOf | Range, b: OneOf | Range, expected: OneOf | Range | None) -> None:
    """The values that both admit."""
    assert intersect(a, b) == expected


def test_a_range_holds_integers_only() -> None:
    """Text and nothing are in no range; both ends are in it."""
    assert 1 in Range(1, 3)
    assert 3 in Range(1, 3)
    assert 4 not in Range(1, 3)
    assert "2" not in Range(1, 3)
    assert None not in Range()


@pytest.mark.parametrize(
    ("scope", "text"),
    [
        (EVERYTHING, "everything"),
        (where(tp=[4, 2, 16], sku="x10"), "sku=x10 tp=2|4|16"),
        (where(conc=Range(2, None)), "conc=2.."),
        (where(conc=Range(None, 8)), "conc=..8"),
        (where(tp=2).behind(["b", "a"]), "tp=2 gate:a gate:b"),
    ],
)
def test_a_scope_in_words(scope: Scope, text: str) -> None:
    """Axes sorted, values in their order, gates last."""
    assert str(scope) == text


def test_axes_order_plays_no_part() -> None:
    """Two scopes that say the same are equal and hash alike."""
    a, b = where(sku="x10", tp=2), where(tp=2, sku="x10")
    assert a == b
    assert hash(a) == hash(b)


def test_matches() -> None:
    """A point matches where every axis does and every gate is open; a lacking axis doesn't."""
    scope = where(sku="x10", tp=[2, 4]).behind(["g"])
    assert scope.matches({"sku": "x10", "tp": 2}, frozenset(["g", "h"]))
    assert not scope.matches({"sku": "x10", "tp": 2}, frozenset())
    assert not scope.matches({"sku": "x10", "tp": 8}, frozenset(["g"]))
    assert not scope.matches({"sku": "x10"}, frozenset(["g"]))
    assert EVERYTHING.matches({}, frozenset())


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (where(sku="x10"), where(sku=["x10", "x20"]), True),
        (where(sku=["x10", "x20"]), where(sku="x10"), False),
        (where(sku="x10"), where(arch="ax1"), True),
        (where(sku=["x10", "z10"]), where(arch="ax1"), False),
        (where(sku="x10"), where(vendor="acme"), True),
        (where(arch="ax1"), where(vendor="acme"), True),
        (where(arch=["ax1", "bz1"]), where(vendor="acme"), False),
        (where(vendor="acme"), where(arch="ax1"), False),
        (where(model="m1"), where(family="fam"), True),
        (where(sku="nobody"), where(arch="ax1"), False),
        (where(sku="x10", tp=2), where(sku="x10"), True),
        (where(sku="x10"), where(sku="x10", tp=2), False),
        (where(tp=2), EVERYTHING, True),
        (EVERYTHING, where(tp=2), False),
        (where(tp=2).behind(["g"]), where(tp=2), True),
        (where(tp=2), where(tp=2).behind(["g"]), False),
    ],
)
def test_inside(a: Scope, b: Scope, expected: bool, space: AxisSpace) -> None:
    """A subset, or ids whose facts all fit; a gate makes narrower."""
    assert inside(a, b, space) is expected


def test_a_facet_never_lies_inside_a_list_of_ids(space: AxisSpace) -> None:
    """Not even when the list holds every SKU of the architecture: it may grow."""
    assert not inside(where(arch="ax1"), where(sku=["x10", "x20"]), space)
    assert not inside(where(vendor="acme"), where(sku=["x10", "x20", "z10"]), space)


def test_a_list_of_all_ids_still_restricts(space: AxisSpace) -> None:
    """A scope without the axis doesn't lie inside a scope that lists everything."""
    assert strictly_inside(where(sku=["x10", "x20", "z10"]), EVERYTHING, space)


def test_strictly_inside_is_irreflexive(space: AxisSpace) -> None:
    """Neither a scope itself nor one that says the same in other words is strictly inside."""
    a, b = where(sku="x10"), where(sku="x10", vendor="acme")
    assert inside(a, b, space)
    assert inside(b, a, space)
    assert not strictly_inside(a, a, space)
    assert not strictly_inside(a, b, space)
    assert not strictly_inside(b, a, space)


def test_meet() -> None:
    """The scope that says both, gates of both included; None where an axis has no value left."""
    assert meet(where(sku="x10"), where(tp=2).behind(["g"])) == where(sku="x10", tp=2).behind(["g"])
    assert meet(where(tp=[1, 2]), where(tp=[2, 3])) == where(tp=2)
    assert meet(where(tp=1), where(tp=2)) is None


def test_sorted_values() -> None:
    """Integers by size, before text."""
    assert sorted_values(["b", 10, "a", 9]) == [9, 10, "a", "b"]
