"""Records made in Python: attrs doesn't look at types, so this does."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from infxreg.records import (
    Axis,
    Derivation,
    Engine,
    Gate,
    Image,
    Model,
    Offload,
    Option,
    Recipe,
    Render,
    Rule,
    Sku,
    Sweep,
)
from infxreg.recordtypes import wrong_fields
from infxreg.scope import OneOf, Range, Scope
from infxreg.values import ABSENT, Derived, FrozenMap
from support.builders import acme, core_contribution, where

SKU = Sku(id="s", name="s", arch="a", memory_gib=1.0, gpus_per_node=1, cpu_arch="c", source="test")
MODEL = Model(id="m", hub_id="h/m", family="f", source="test")
RULE = Rule(id="r", settings=FrozenMap({"args.x": 1}))


def test_every_shipped_record_is_right() -> None:
    """Those of tables and hooks, the core's and a plugin's."""
    placed = [*core_contribution().placed, *acme().contributions[1].placed]
    assert len(placed) > 70
    for item in placed:
        assert wrong_fields(item.record) == []


@pytest.mark.parametrize(
    "record",
    [
        evolve(SKU, memory_gib=80, facets=FrozenMap({"rack": "a", "row": 3})),
        evolve(MODEL, weights_gib=3, offload=(Offload(option="a.b", gib=1),)),
        evolve(RULE, when=(Scope(), where(tp=Range(1, None), sku="x"))),
        evolve(RULE, settings=FrozenMap({"a": ABSENT, "b": Derived("copy"), "c": (1, "a")})),
        Axis(id="a", default=None, facet_of="sku"),
        Derivation(id="d", function=len),
    ],
)
def test_what_fits(record: Any) -> None:
    """An integer for a float, either side of a union, nested records, tuples of any length."""
    assert wrong_fields(record) == []


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (evolve(SKU, id=5), "id: int where str is needed"),
        (evolve(SKU, id=None), "id: NoneType where str is needed"),
        (evolve(SKU, memory_gib="80"), "memory_gib: str where float is needed"),
        (evolve(SKU, memory_gib=True), "memory_gib: bool where float is needed"),
        (evolve(SKU, gpus_per_node=8.0), "gpus_per_node: float where int is needed"),
        (evolve(SKU, gpus_per_node=True), "gpus_per_node: bool where int is needed"),
        (evolve(SKU, facets=[]), "facets: list where"),
        (evolve(SKU, facets=FrozenMap({"rack": 1.5})), "facets: FrozenMap where"),
        (evolve(SKU, facets=FrozenMap({1: "a"})), "facets: FrozenMap where"),
        (evolve(MODEL, revision=5), "revision: int where str | None is needed"),
        (evolve(MODEL, offload=[]), "offload: list where"),
        (evolve(MODEL, offload=("a.b",)), "offload: tuple where"),
        (evolve(MODEL, offload=(Offload(option="a.b", gib="1"),)), "offload: tuple where"),
        (Option(id="a.b", type="text", doc="d"), "type: str where Literal['bool', 'int',"),
        (Gate(id="g", when=None, doc="d"), "when: NoneType where Scope is needed"),
        (Gate(id="g", when={"sku": "x"}, doc="d"), "when: dict where Scope is needed"),
        (
            Gate(id="g", when=Scope((("sku", "x"),)), doc="d"),
            "when: Scope where Scope is needed",
        ),
        (
            Gate(id="g", when=Scope((("sku", OneOf(frozenset([1.5]))),)), doc="d"),
            "when: Scope where Scope is needed",
        ),
        (
            Gate(id="g", when=Scope((("sku", OneOf({"x"})),)), doc="d"),
            "when: Scope where Scope is needed",
        ),
        (evolve(RULE, when=Scope()), "when: Scope where"),
        (evolve(RULE, gates=["g"]), "gates: list where"),
        (evolve(RULE, gates=("g", 1)), "gates: tuple where"),
        (evolve(RULE, settings=FrozenMap({"a": [1]})), "settings: FrozenMap where"),
        (evolve(RULE, settings=FrozenMap({"a": None})), "settings: FrozenMap where"),
        (evolve(RULE, settings=FrozenMap({"a": {"b": 1}})), "settings: FrozenMap where"),
        (evolve(RULE, require="fast"), "require: str where Require is needed"),
        (
            Engine(id="e", argv=("e",), source="s", render=(Render(option=1),)),
            "render: tuple where",
        ),
        (Image(id="i", engine="e", source="s", moving=1), "moving: int where bool is needed"),
        (
            Recipe(
                id="r",
                model="m",
                sku="s",
                engine="e",
                sweep=(Sweep(id="p", axes={"tp": [1]}),),
                default_point="p",
            ),
            "sweep: tuple where",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else value.kind,
)
def test_what_doesnt_fit(record: Any, message: str) -> None:
    """The field, what it holds, and what it should."""
    (found,) = wrong_fields(record)
    assert found.startswith(message)
    assert found.endswith(" is needed")


def test_every_wrong_field_is_told() -> None:
    """In one go."""
    assert len(wrong_fields(evolve(SKU, id=1, name=None, memory_gib="x"))) == 3
