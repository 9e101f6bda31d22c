"""Regions: what a reviewer reads, case by case; the laws are in tests/property/test_impact.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from infxreg.review.regions import Universe

Axes = dict[str, Any]


def sweep(
    skus: str = "ab",
    models: Sequence[str] = ("m",),
    engines: Sequence[str] = ("e",),
    tp: Sequence[int] = (1, 2, 4),
    conc: Sequence[int] = (1, 2, 4, 8, 16, 32),
) -> list[Axes]:
    """Every combination, without a tp of 1: snapshots leave defaults out."""
    found = []
    for sku, model, engine, size, load in product(skus, models, engines, tp, conc):
        point = {"sku": sku, "model": model, "engine": engine, "conc": load}
        found.append(point if size == 1 else {**point, "tp": size})
    return found


def said(points: list[Axes], chosen: Callable[[Axes], bool]) -> list[str]:
    """The scopes of the points that are chosen, by their full axes."""
    members = [n for n, point in enumerate(points) if chosen({"tp": 1, **point})]
    regions = Universe(points, {"tp": 1}).cover(members)
    assert sorted(n for region in regions for n in region.members) == members
    return [str(region.scope) for region in regions]


def test_no_points() -> None:
    """No region, whether there are points or not."""
    assert Universe([], {}).cover([]) == ()
    assert Universe(sweep(), {}).cover(()) == ()


def test_all_points() -> None:
    """One word, since nothing is left to tell apart."""
    assert said(sweep(), lambda p: True) == ["everything"]


def test_one_point() -> None:
    """What tells it from the others, and no more."""
    points = sweep("ab", conc=[8])
    assert said(points, lambda p: p["sku"] == "a" and p["tp"] == 2) == ["sku=a tp=2"]


def test_numbers_given_twice_count_once() -> None:
    """In any order."""
    (region,) = Universe(sweep("a", tp=[1]), {"tp": 1}).cover([5, 4, 4, 5])
    assert (str(region.scope), region.members) == ("conc=16|32", (4, 5))


def test_many_numbers_in_a_row_are_a_range() -> None:
    """From four on, and only where no other number of the points lies between."""
    points = sweep("a", tp=[1])
    assert said(points, lambda p: 2 <= p["conc"] <= 16) == ["conc=2..16"]
    assert said(points, lambda p: 2 <= p["conc"] <= 8) == ["conc=2|4|8"]
    assert said(points, lambda p: p["conc"] != 4) == ["conc=1|2|8|16|32"]


def test_a_range_ends_where_it_was_swept() -> None:
    """It never says more than the points that were looked at."""
    assert said(sweep("a", tp=[1]), lambda p: p["conc"] >= 4) == ["conc=4..32"]


def test_a_default_is_a_value_like_another() -> None:
    """Points that leave an axis out are at its default."""
    points = sweep()
    assert said(points, lambda p: p["tp"] == 1) == ["tp=1"]
    assert said(points, lambda p: p["tp"] in (1, 4)) == ["tp=1|4"]


def test_an_axis_without_a_default_that_some_points_lack() -> None:
    """Snapshots of a registry have no such points; a made file may."""
    points = [{"sku": "a", "model": "m", "engine": "e"} for _ in range(2)]
    points[1] = {**points[1], "mode": "x"}
    regions = Universe(points, {}).cover([1])
    assert [str(region.scope) for region in regions] == ["mode=x"]


def test_identity_is_said_though_another_axis_would_do() -> None:
    """A reviewer thinks in SKUs, models and engines; an axis that follows from them is left out."""
    points = [
        {"sku": sku, "model": "m", "engine": "e", "workload": load}
        for sku, load in (("a", "chat"), ("b", "code"), ("c", "code"))
    ]
    assert said(points, lambda p: p["sku"] == "a") == ["sku=a"]
    assert said(points, lambda p: p["workload"] == "code") == ["sku=b|c"]


def test_several_models() -> None:
    """Named where they tell points apart."""
    points = sweep(models=["m1", "m2", "m3"])
    assert said(points, lambda p: p["model"] != "m2") == ["model=m1|m3"]
    assert said(points, lambda p: p["model"] == "m1" and p["sku"] == "a") == ["sku=a model=m1"]


def test_two_scopes() -> None:
    """Where one can't say it, as few as do."""
    points = sweep(engines=["e", "f"])
    found = said(points, lambda p: (p["sku"], p["engine"]) in {("a", "e"), ("b", "f")})
    assert found == ["sku=a engine=e", "sku=b engine=f"]


def test_skus_that_change_alike_stay_together() -> None:
    """Never a scope each where one says it."""
    points = sweep("abcd")
    found = said(points, lambda p: p["tp"] == 4 if p["sku"] in "abc" else p["conc"] >= 4)
    assert found == ["sku=a|b|c tp=4", "sku=d conc=4..32"]


def test_points_that_no_axis_tells_apart() -> None:
    """One of them can only be said with its twin; there is no end to look for."""
    point: Axes = {"sku": "a", "model": "m", "engine": "e"}
    universe = Universe([point, point, {**point, "sku": "b"}], {})
    (region,) = universe.cover([1])
    assert (str(region.scope), region.members) == ("sku=a", (1,))


def test_members_without_any_order() -> None:
    """A chessboard is the worst there is: still exact."""
    points = sweep("abcd", tp=[1], conc=[1, 2, 4, 8])
    loads = [1, 2, 4, 8]
    found = said(points, lambda p: ("abcd".index(p["sku"]) + loads.index(p["conc"])) % 2 == 0)
    assert found == ["sku=a|c conc=1|4", "sku=b|d conc=2|8"]
