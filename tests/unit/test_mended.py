"""Faults that the property tests found, each held by the smallest registry that shows it."""

from __future__ import annotations

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
