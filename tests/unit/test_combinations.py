"""Concrete points that stand for all points of a scope."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest

from infxreg.combinations import LIMIT, TooManyError, representatives
from infxreg.scope import AxisValue, Range, Scope
from support.builders import acme, where

CATALOGUE = acme().catalogue


def column(axis: str, scope: Scope, *others: Scope) -> list[AxisValue]:
    """The values that an axis takes, in the order they come."""
    seen = (at.axes[axis] for at in representatives(scope, others, CATALOGUE))
    return list(dict.fromkeys(seen))


def gate_sets(scope: Scope, others: Iterable[Scope]) -> list[list[str]]:
    seen = (tuple(sorted(at.gates)) for at in representatives(scope, others, CATALOGUE))
    return [list(gates) for gates in dict.fromkeys(seen)]


def test_every_known_id_is_looked_at() -> None:
    """Of SKU, model and engine; a facet narrows them."""
    assert column("sku", Scope()) == ["x10", "x20", "z10"]
    assert column("model", Scope()) == ["m1", "m2"]
    assert column("engine", Scope()) == ["alt", "run"]
    assert column("sku", where(arch="ax1")) == ["x10", "x20"]
    assert column("sku", where(vendor="bolt")) == ["z10"]
    assert column("sku", where(vendor="nobody")) == []


def test_integers_that_a_scope_can_tell_apart() -> None:
    """Ends of ranges and values with their neighbours, one, and one beyond; only those inside."""
    assert column("conc", Scope(), where(conc=Range(8, 16))) == [1, 7, 8, 9, 15, 16, 17, 19]
    assert column("conc", where(conc=Range(8, None)), where(conc=[16])) == [8, 9, 15, 16, 17, 19]
    assert column("tp", where(tp=[2, 4])) == [2, 4]
    assert column("tp", where(conc=1)) == [1]


def test_names_that_a_scope_can_tell_apart() -> None:
    """All that are known."""
    assert column("purpose", where(sku="x10"), where(purpose="eval")) == [
        "eval",
        "serve",
        "throughput",
    ]


def test_gates_are_open_only_inside_their_scope() -> None:
    """In every set that is legal; those of the scope itself in all."""
    inside = where(sku="x10", model="m1", engine="run", tp=[2, 4])
    others = [inside.behind(["fast"]), inside.behind(["fast", "extra"])]
    assert gate_sets(inside, others) == [[], ["extra"], ["fast"], ["extra", "fast"]]
    assert gate_sets(inside.behind(["fast"]), others) == [["fast"], ["extra", "fast"]]
    assert gate_sets(where(sku="x20"), others) == [[]]
    assert gate_sets(where(sku="x20").behind(["fast"]), others) == []


def test_points_are_whole() -> None:
    """Facets filled in, other axes at their defaults."""
    at = next(representatives(where(sku="x20", conc=4), [], CATALOGUE))
    assert at.axes["conc"] == 4
    assert at.axes["purpose"] == "serve"
    assert at.facets["cpu_arch"] == "aarch64"


def test_too_many() -> None:
    """An error, after as many as are looked at."""
    wide = where(tp=range(1, 400), conc=range(1, 400))
    given = representatives(wide, [], CATALOGUE)
    assert len(list(itertools.islice(given, LIMIT))) == LIMIT
    with pytest.raises(TooManyError):
        next(given)
