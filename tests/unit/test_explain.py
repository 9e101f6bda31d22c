"""Why a value is what it is, and which rules on its key didn't match."""

from __future__ import annotations

import pytest

from infxreg.errors import UnknownIdError
from infxreg.explain import KeyExplanation, explain
from infxreg.values import ABSENT, Derived
from support.builders import X10, acme, rule, where

REGISTRY = acme()
SPEC = REGISTRY.resolve(**X10)


def one(key: str, **request: object) -> KeyExplanation:
    spec = REGISTRY.resolve(**X10, **request)  # type: ignore[arg-type]
    (found,) = explain(REGISTRY, spec, key).keys
    return found


def test_it_shows_what_resolve_returned() -> None:
    """The very objects, for every key."""
    found = explain(REGISTRY, SPEC)
    assert found.spec is SPEC
    assert [key.key for key in found.keys] == list(SPEC.options)
    assert all(key.option is SPEC.options[key.key] for key in found.keys)


def test_a_rule_behind_a_closed_gate() -> None:
    """Which gate, and what it would set."""
    (missed,) = one("attention.backend").unmatched
    assert (missed.origin.rule, missed.value) == ("run-faster", '"FASTER"')
    assert missed.why == "tp is 2, not 4; gate extra is closed"
    assert missed.scope == "sku=x10 model=m1 engine=run tp=4 gate:extra gate:fast"
    closed = one("attention.backend", no_gates=["fast"]).unmatched
    assert [(item.origin.rule, item.why) for item in closed] == [
        ("run-fast", "gate fast is closed"),
        ("run-faster", "tp is 2, not 4; gate extra is closed; gate fast is closed"),
    ]


def test_a_key_that_no_rule_sets_here() -> None:
    """It has no option, and the rules that set it elsewhere are told."""
    found = one("speculative.method")
    assert found.option is None
    (missed,) = found.unmatched
    assert (missed.origin.rule, missed.why) == (
        "run-throughput",
        "purpose is serve, not throughput",
    )
    nowhere = one("compile.mode")
    assert (nowhere.option, nowhere.unmatched) == (None, ())


def test_of_several_scopes_the_one_that_misses_by_least() -> None:
    """One entry a rule, in words also for facets, absences and derivations."""
    registry = acme(
        rule("r", {"args.x": 1}, where(sku="x20", tp=4), where(vendor="bolt")),
        rule("s", {"args.x": ABSENT}, where(sku="x20")),
        rule("t", {"args.x": Derived("copy", ("tp",))}, where(sku="x20")),
        site='[[rule]]\nid = "u"\nwhen = { conc = { min = 32 } }\nset."args.x" = 3',
    )
    (found,) = explain(registry, registry.resolve(**X10), "args.x").keys
    assert [(item.origin.rule, item.value, item.why) for item in found.unmatched] == [
        ("r", "1", "vendor is acme, not bolt"),
        ("s", "(absent)", "sku is x10, not x20"),
        ("t", "copy(tp)", "sku is x10, not x20"),
        ("u", "3", "conc is 16, not 32.."),
    ]


def test_a_rule_that_matches_in_one_scope_isnt_told() -> None:
    """It counts, or is shown as beaten."""
    registry = acme(rule("r", {"args.x": 1}, where(sku="x20"), where(sku="x10")))
    (found,) = explain(registry, registry.resolve(**X10), "args.x").keys
    assert found.unmatched == ()
    assert found.option is not None


def test_an_unknown_key() -> None:
    """With a near match; a raw key that nobody sets is a key."""
    with pytest.raises(UnknownIdError) as error:
        explain(REGISTRY, SPEC, "atention.backend")
    assert (
        str(error.value) == "unknown option 'atention.backend': did you mean 'attention.backend'?"
    )
    assert explain(REGISTRY, SPEC, "args.none").keys[0].option is None


def test_what_is_explained_is_what_was_resolved() -> None:
    """The very objects, not copies that could say something else."""
    registry = acme()
    spec = registry.resolve(**X10)
    explanation = explain(registry, spec)
    assert explanation.spec is spec
    assert [item.key for item in explanation.keys] == list(spec.options)
    assert all(item.option is spec.options[item.key] for item in explanation.keys)
