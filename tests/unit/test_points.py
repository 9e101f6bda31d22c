"""From a request's words to a point."""

from __future__ import annotations

from typing import Any

import pytest

from infxreg.errors import (
    BadRequestError,
    EngineChoiceError,
    InfxregError,
    OffSweepError,
    UnknownIdError,
    UnknownPointError,
)
from infxreg.points import Point, describe
from infxreg.values import FrozenMap
from support.builders import X10, acme

REGISTRY = acme()


def resolved(**request: Any) -> tuple[str | None, str | None]:
    """The recipe and point id of what a request resolves to."""
    point = REGISTRY.resolve(**request).point
    return point.recipe, point.id


@pytest.mark.parametrize(
    ("request_", "point"),
    [
        ({}, "tp2_c16"),
        ({"engine": "run"}, "tp2_c16"),
        ({"tp": 4}, "tp4_c16"),
        ({"conc": 1}, "tp2_c1"),
        ({"tp": "4", "conc": "1"}, "tp4_c1"),
        ({"purpose": "throughput"}, "tp2_c16"),
        ({"point": "tp4_c1"}, "tp4_c1"),
        ({"point": "tp4_c1", "tp": 4, "purpose": "throughput"}, "tp4_c1"),
        ({"tp": 8, "conc": 2}, "ep8_c2"),
        ({"tp": 8, "ep": 8, "conc": 32}, "ep8_c32"),
        ({"tp": 4, "conc": None}, "tp4_c16"),
    ],
)
def test_axes_not_named_take_the_default_points(request_: dict[str, Any], point: str) -> None:
    """Ties of a sweep are followed, a purpose leaves the point where it is."""
    assert resolved(**X10, **request_) == ("m1-x10-run", point)


def test_the_workload_selects_the_recipe() -> None:
    """And its own default point."""
    assert resolved(**X10, workload="1k1k") == ("m1-x10-run-1k1k", "c2")


def test_off_every_sweep() -> None:
    """A point that nobody swept has neither id nor recipe; the default's other values stay."""
    spec = REGISTRY.resolve(**X10, conc=5)
    assert (spec.point.id, spec.point.recipe) == (None, None)
    assert spec.point.axes["tp"] == 2
    assert spec.point.axes["conc"] == 5


def test_without_a_recipe_the_axes_defaults_hold() -> None:
    """A model on a SKU that no recipe names resolves all the same."""
    spec = REGISTRY.resolve(sku="z10", model="m2", engine="run", tp=2)
    assert spec.point.id is None
    assert spec.point.axes["conc"] == 1
    assert spec.point.axes["workload"] == "agentic"


def test_swept_but_not_with_the_defaults_other_values() -> None:
    """The points that have what was named are listed."""
    with pytest.raises(OffSweepError) as error:
        REGISTRY.resolve(**X10, tp=8)
    assert error.value.points == ("ep8_c2", "ep8_c32")
    assert str(error.value) == (
        "recipe m1-x10-run sweeps tp=8, but not together with its default point's other values: "
        "name the rest, or --point with one of ep8_c2, ep8_c32"
    )


def test_several_engines_and_no_default() -> None:
    """They are listed."""
    with pytest.raises(EngineChoiceError) as error:
        REGISTRY.resolve(sku="x20", model="m1")
    assert error.value.engines == ("alt", "run")
    assert str(error.value) == (
        "m1 on x20 (workload agentic) has recipes for several engines and none is the default: "
        "name one of alt, run"
    )


def test_no_engine_and_no_recipe() -> None:
    """An engine is needed then."""
    with pytest.raises(EngineChoiceError) as error:
        REGISTRY.resolve(sku="z10", model="m1", workload="8k1k")
    assert str(error.value) == (
        "no recipe for m1 on z10 (workload 8k1k): name an engine to resolve it all the same"
    )


def test_an_engine_that_is_named_needs_no_default() -> None:
    """Its recipe is taken."""
    assert resolved(sku="x20", model="m1", engine="alt") == ("m1-x20-alt", "tp2")


@pytest.mark.parametrize(
    ("point", "message"),
    [
        ("tp2_c6", "recipe m1-x10-run has no point 'tp2_c6': did you mean 'tp2_c16'?"),
        (
            "zzz",
            "recipe m1-x10-run has no point 'zzz': it has tp2_c1, tp2_c16, tp4_c1, tp4_c16, "
            "ep8_c2, ep8_c32",
        ),
    ],
)
def test_an_unknown_point(point: str, message: str) -> None:
    """With a near match, or all that the recipe has."""
    with pytest.raises(UnknownPointError) as error:
        REGISTRY.resolve(point, **X10)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({}, "name a SKU and a model, or give a point"),
        ({"sku": "x10"}, "name a SKU and a model, or give a point"),
        ({"model": "m1"}, "name a SKU and a model, or give a point"),
        ({"point": "tp2_c16"}, "name a SKU and a model, or give a point"),
        (
            {**X10, "point": "tp2_c16", "tp": 4},
            "point tp2_c16 has tp=2, and the request says tp=4",
        ),
        (
            {"sku": "z10", "model": "m1", "engine": "run", "point": "tp2"},
            "there is no recipe for m1 on z10 with run, so no point 'tp2': name its axes instead",
        ),
        ({**X10, "vendor": "acme"}, "vendor is a fact of the sku: name the sku instead"),
        ({**X10, "family": "fam"}, "family is a fact of the model: name the model instead"),
        ({**X10, "tp": 0}, "tp is a positive integer, not 0"),
    ],
)
def test_a_request_that_cant_be_used(request_: dict[str, Any], message: str) -> None:
    """The message says what to name."""
    with pytest.raises(BadRequestError) as error:
        REGISTRY.resolve(**request_)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"sku": "x11", "model": "m1"}, "unknown sku 'x11': did you mean 'x10'?"),
        ({"sku": "x10", "model": "m3"}, "unknown model 'm3': known are m1, m2"),
        ({**X10, "engine": "runn"}, "unknown engine 'runn': did you mean 'run'?"),
        ({**X10, "cnc": 4}, "unknown axis 'cnc': did you mean 'conc'?"),
        ({**X10, "workload": "1k1"}, "unknown workload '1k1': did you mean '1k1k'?"),
    ],
)
def test_unknown_ids_of_a_request(request_: dict[str, Any], message: str) -> None:
    """With a near match."""
    with pytest.raises(UnknownIdError) as error:
        REGISTRY.resolve(**request_)
    assert str(error.value) == message


@pytest.mark.parametrize(
    "request_",
    [
        {**X10, "engine": 5},
        {**X10, "point": 5},
        {**X10, "gates": [5]},
        {**X10, "unset": [5]},
        {**X10, "set": {5: 1}},
        {"sku": 5, "model": "m1"},
    ],
    ids=["engine", "point", "gates", "unset", "set", "sku"],
)
def test_a_request_of_the_wrong_type(request_: dict[str, Any]) -> None:
    """An error of infxreg's, with a message."""
    with pytest.raises(InfxregError) as error:
        REGISTRY.resolve(**request_)
    assert str(error.value)


def test_points_of_a_registry() -> None:
    """By recipe and in the sweeps' order, filtered by axes and facets."""
    ids = [(point.recipe.id, point.id) for point in REGISTRY.points() if point.recipe]
    assert ids[:4] == [
        ("m1-x10-run", "tp2_c1"),
        ("m1-x10-run", "tp2_c16"),
        ("m1-x10-run", "tp4_c1"),
        ("m1-x10-run", "tp4_c16"),
    ]
    assert len(ids) == 12
    assert {point.sku for point in REGISTRY.points(cpu_arch="aarch64")} == {"x20"}
    assert [point.id for point in REGISTRY.points(sku="x10", tp=[4, 8], conc=(1, 2))] == [
        "tp4_c1",
        "ep8_c2",
    ]
    assert list(REGISTRY.points(tp=3)) == []


def test_points_at_the_purposes_that_are_named() -> None:
    """Every point is swept at every purpose, so a purpose moves the points and drops none."""
    points = list(REGISTRY.points(sku="x10", tp=4, purpose=["eval", "throughput"]))
    assert [(point.id, point["purpose"]) for point in points] == [
        ("tp4_c1", "eval"),
        ("tp4_c1", "throughput"),
        ("tp4_c16", "eval"),
        ("tp4_c16", "throughput"),
    ]
    assert len(list(REGISTRY.points(purpose="eval"))) == len(list(REGISTRY.points()))
    assert {point["purpose"] for point in REGISTRY.points()} == {"serve"}


def test_points_are_filtered_by_known_axes_only() -> None:
    """An axis that nobody declares is an error with a near match, before any point is asked for."""
    with pytest.raises(UnknownIdError) as error:
        REGISTRY.points(cncc=1)
    assert str(error.value) == "unknown axis 'cncc': did you mean 'conc'?"


@pytest.mark.parametrize("axes", [{"sku": "x11"}, {"vendor": "acne"}, {"purpose": ["serv"]}])
def test_points_are_filtered_by_known_ids_only(axes: dict[str, Any]) -> None:
    """Unknown ids are errors: a misspelt filter isn't a filter that nothing passes."""
    with pytest.raises(UnknownIdError):
        list(REGISTRY.points(**axes))


def test_a_point_resolves_as_its_request_does() -> None:
    """The same spec, with the same id."""
    for point in REGISTRY.points():
        spec = REGISTRY.resolve(point)
        again = REGISTRY.resolve(
            point.id,
            sku=point.sku,
            model=point.model,
            engine=point.engine,
            workload=point["workload"],
        )
        assert spec == again
        assert (spec.point.id, spec.point.axes) == (point.id, point.axes)


def test_a_point_can_be_moved() -> None:
    """Another purpose is the same swept point; another axis is another point."""
    point = next(iter(REGISTRY.points(sku="x10")))
    other = point.at(purpose="throughput")
    assert (other.id, other["purpose"]) == ("tp2_c1", "throughput")
    assert REGISTRY.resolve(other).point.id == "tp2_c1"
    moved = point.at(tp=4)
    assert moved.id is None
    assert REGISTRY.resolve(moved).point.id == "tp4_c1"
    assert REGISTRY.resolve(point, tp=4).point.id == "tp4_c1"
    assert REGISTRY.resolve(point, conc=3).point.id is None
    assert REGISTRY.resolve(point, engine="alt").engine == "alt"


def test_a_point_has_every_axis() -> None:
    """One that lacks some says which."""
    with pytest.raises(BadRequestError) as error:
        REGISTRY.resolve(Point(FrozenMap({"sku": "x10", "model": "m1", "engine": "run"})))
    assert str(error.value) == (
        "a point has a value on every axis; missing: "
        "cluster, conc, dp, ep, pp, purpose, role, tp, workload"
    )


def test_points_compare_by_axes_and_id() -> None:
    """Their words name identity first, then what isn't a default."""
    a, b, *_ = REGISTRY.points()
    assert a == a.at()
    assert a != b
    assert (a.sku, a.model, a.engine) == ("x10", "m1", "run")
    space = REGISTRY.catalogue.space
    assert describe(b.at(purpose="eval").axes, space) == (
        "sku=x10 model=m1 engine=run conc=16 purpose=eval tp=2"
    )
