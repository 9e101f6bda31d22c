"""Faults that the property tests found, each held by the smallest registry that shows it."""

from __future__ import annotations

import pytest

from infxreg.errors import ConflictError, EngineChoiceError
from infxreg.scope import Range
from infxreg.tables import parse_scope
from infxreg.values import Derived
from support.builders import X10, acme, from_toml, rule, where


def test_the_order_of_a_derivations_parameters_doesnt_count() -> None:
    """Two derivations are equal when function, reads and parameters are."""
    one = Derived("scaled", ("conc",), (("factor", 2), ("other", 1)))
    assert one == Derived("scaled", ("conc",), (("other", 1), ("factor", 2)))


def test_a_recipe_can_open_a_gate_for_one_purpose() -> None:
    """Every point is swept at every purpose."""
    text = """
        [[gate]]
        id = "evals"
        when = { sku = "z10", purpose = "eval" }
        doc = "d"

        [[rule]]
        id = "named"
        when = { sku = "z10", engine = "run", purpose = "eval" }
        gates = ["evals"]
        set."args.careful" = true

        [[recipe]]
        id = "z10-m1-run"
        model = "m1"
        sku = "z10"
        engine = "run"
        gates = ["evals"]
        sweep = [{ id = "tp{tp}", tp = [1] }]
        default_point = "tp1"
    """
    registry = acme(from_toml(text))
    assert registry.faults == ()
    assert registry.catalogue.recipes["z10-m1-run"].gates == ("evals",)


def test_a_rule_that_loses_through_two_scopes_is_shown_once() -> None:
    """It is one rule, beaten once."""
    option = (
        acme(
            rule("wide", {"args.x": 1}, where(tp=2), where(conc=16)),
            rule("narrow", {"args.x": 2}, where(tp=2, conc=16, sku="x10")),
        )
        .resolve(**X10)
        .options["args.x"]
    )
    assert option.value == 2
    assert [lost.origin.rule for lost in option.shadowed] == ["wide"]


def test_a_recipe_outlives_the_plugin_of_its_gate() -> None:
    """Its points are there; the gate can't be open."""
    gate = from_toml('[[gate]]\nid = "theirs"\nwhen = { sku = "z10" }\ndoc = "d"', "gates")
    recipe = """
        [[recipe]]
        id = "z10-m1-run"
        model = "m1"
        sku = "z10"
        engine = "run"
        gates = ["theirs"]
        sweep = [{ id = "tp{tp}", tp = [1] }]
        default_point = "tp1"
    """
    registry = acme(gate, from_toml(recipe, "recipes"))
    assert registry.faults == ()
    gone = registry.without_plugin("gates")
    assert gone.faults == ()
    assert "z10-m1-run" in gone.catalogue.recipes


def test_a_range_from_one_is_the_list_that_it_stands_for() -> None:
    """Values are positive: neither is narrower, so where they disagree there is a conflict."""
    with pytest.raises(ConflictError) as error:
        acme(
            rule("listed", {"args.x": 1}, where(tp=[1, 2])),
            rule("ranged", {"args.x": 2}, where(tp=Range(max=2))),
        ).resolve(**X10)
    assert error.value.conflicts[0].key == "args.x"


@pytest.mark.parametrize(
    ("constraint", "written"),
    [
        (Range(max=1), {"max": 1}),
        (Range(1, 4), {"max": 4}),
        (Range(2, 4), {"min": 2, "max": 4}),
        (Range(2), {"min": 2}),
        (Range(), {"min": 1}),
    ],
)
def test_a_range_is_written_as_short_as_it_reads_back(
    constraint: Range, written: dict[str, int]
) -> None:
    """What goes without saying is left out, and the table gives the same range back."""
    assert constraint.bounds == written
    assert parse_scope({"tp": written}).get("tp") == constraint


def test_an_image_of_another_engine_has_nothing_that_this_one_needs() -> None:
    """Its version says nothing of this engine's capabilities."""
    needy = from_toml(
        '[[rule]]\nid = "needy"\nwhen = { sku = "x10" }\nset."args.x" = 1\n'
        'require.knows = ["fast"]',
        "needy",
    )
    spec = acme(needy).resolve(**X10, image="acme/alt:1")
    reasons = [check.reason for check in spec.checks if check.id == "image-requirement"]
    assert reasons
    assert {reason.rpartition("; ")[2] for reason in reasons} == {"acme/alt:1 holds alt"}


def test_a_workload_without_a_recipe_names_those_that_have_one() -> None:
    """So that a newcomer sees what is supported."""
    with pytest.raises(EngineChoiceError) as error:
        acme().resolve(sku="x10", model="m1", workload="8k1k")
    assert "only for workload " in str(error.value)
    assert "agentic" in error.value.elsewhere
