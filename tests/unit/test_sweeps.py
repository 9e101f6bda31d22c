"""From sweeps to points."""

from __future__ import annotations

import pytest

from infxreg.records import Recipe, Sweep
from infxreg.scope import AxisValue
from infxreg.sweeps import SweepError, expand, fixed_axes, home, tied, ties
from infxreg.values import FrozenMap
from support.builders import acme

SPACE = acme().catalogue.space


def sweep(name: str, **axes: AxisValue | list[AxisValue]) -> Sweep:
    listed = {a: tuple(v) if isinstance(v, list) else (v,) for a, v in axes.items()}
    return Sweep(id=name, axes=FrozenMap(listed))


def recipe(*sweeps: Sweep, workload: str | None = None) -> Recipe:
    return Recipe(
        id="r",
        model="m1",
        sku="x10",
        engine="run",
        sweep=sweeps,
        default_point="p",
        workload=workload,
    )


def test_the_product_in_order() -> None:
    """The first axis varies slowest, and each point has a value on every axis."""
    points = expand(recipe(sweep("tp{tp}_c{conc}", tp=[4, 2], conc=[1, 8])), SPACE)
    assert list(points) == ["tp4_c1", "tp4_c8", "tp2_c1", "tp2_c8"]
    assert points["tp2_c8"] == {
        "sku": "x10",
        "model": "m1",
        "engine": "run",
        "workload": "agentic",
        "cluster": "none",
        "role": "agg",
        "purpose": "serve",
        "tp": 2,
        "pp": 1,
        "dp": 1,
        "ep": 1,
        "conc": 8,
    }


def test_fixed_axes_have_the_recipes_workload() -> None:
    """The recipe's own where it names one."""
    assert fixed_axes(recipe(workload="1k1k"), SPACE)["workload"] == "1k1k"
    assert fixed_axes(recipe(), SPACE)["workload"] == "agentic"


def test_ties_follow_another_axis() -> None:
    """As an integer on an integer axis."""
    made = sweep("c{conc}", tp=[2, 4], ep="{tp}", conc="{tp}0")
    assert ties(made) == {"ep": "{tp}", "conc": "{tp}0"}
    points = expand(recipe(made), SPACE)
    assert {name: (axes["ep"], axes["conc"]) for name, axes in points.items()} == {
        "c20": (2, 20),
        "c40": (4, 40),
    }
    assert tied(made, {"tp": 8}, SPACE)["ep"] == 8


def test_a_tie_can_give_a_name() -> None:
    """Text on an axis of names."""
    made = sweep("tp{tp}", tp=1, role="{purpose}")
    with pytest.raises(SweepError, match="'serve' is no value of axis role"):
        expand(recipe(made), SPACE)
    made = sweep("tp{tp}", tp=2, purpose="{role}", role="agg")
    assert tied(made, {"role": "serve"}, SPACE)["purpose"] == "serve"


def test_home() -> None:
    """The sweep that a point is from."""
    a, b = sweep("tp{tp}", tp=[1, 2]), sweep("ep{ep}", ep=[1, 2])
    assert home(recipe(a, b), "tp2", SPACE) is a
    assert home(recipe(a, b), "ep1", SPACE) is b


@pytest.mark.parametrize(
    ("sweeps", "message"),
    [
        ([], "a recipe sweeps at least one point"),
        ([sweep("p{tp}", tpp=2)], "tpp is no axis that a sweep can name"),
        ([sweep("p", vendor="acme")], "vendor is no axis that a sweep can name"),
        ([sweep("p", sku=["x10", "x20"])], "sku is the recipe's own: one recipe a sku"),
        ([sweep("p", workload="1k1k")], "workload is the recipe's own: one recipe a workload"),
        ([sweep("p", tp=[1, 2])], "two points have the id 'p': name more axes in 'p'"),
        (
            [sweep("tp{tp}", tp=1), sweep("tp{tp}", tp=[2, 1])],
            "two points have the id 'tp1': name more axes in 'tp{tp}'",
        ),
        ([sweep("p", tp=0)], "0 is no value of axis tp"),
        ([sweep("p", tp="two")], "'two' is no value of axis tp"),
        ([sweep("p", role="none")], "'none' is no value of axis role"),
        ([sweep("p{x}", tp=1)], "'p{x}' names 'x', which is no axis of the point"),
        ([sweep("p", ep="{x}")], "'{x}' names 'x', which is no axis of the point"),
        ([sweep("p", ep="{tp}{role}")], "'1agg' is no value of axis ep"),
    ],
)
def test_bad_sweeps(sweeps: list[Sweep], message: str) -> None:
    """The message says which axis, value or template."""
    with pytest.raises(SweepError) as error:
        expand(recipe(*sweeps), SPACE)
    assert str(error.value) == message


@pytest.mark.parametrize(("axis", "unknown"), [("tpp", True), ("vendor", False)])
def test_an_axis_that_nobody_declared_is_marked(axis: str, unknown: bool) -> None:
    """It may be that of a plugin that is left out; a facet is wrong in any case."""
    with pytest.raises(SweepError) as error:
        expand(recipe(sweep("p", **{axis: 1})), SPACE)
    assert error.value.unknown is unknown


def test_a_tie_that_looks_like_a_number_is_refused_like_any_other() -> None:
    """A superscript two is a digit, but no integer."""
    with pytest.raises(SweepError, match="is no value of axis ep"):
        expand(recipe(sweep("p", ep="{tp}²")), SPACE)
