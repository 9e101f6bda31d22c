"""The index finds what a look at every rule finds."""

from __future__ import annotations

import pytest

from infxreg.index import RuleIndex, ScopedRule
from infxreg.origin import Origin
from infxreg.scope import Range, Scope
from support.builders import rule, where

SCOPES = {
    "everything": Scope(),
    "sku": where(sku="x10"),
    "facet": where(vendor="acme"),
    "listed": where(sku=["x10", "x20"], tp=[2, 4]),
    "range": where(conc=Range(8, None)),
    "mixed": where(sku="x10", conc=Range(None, 4)),
    "gated": where(sku="x10").behind(["g"]),
    "wide": where(conc=range(1, 601)),
    "wide-too": where(sku="x10", tp=range(1, 40), conc=range(1, 40)),
}
INDEX = RuleIndex(
    ScopedRule(rule(name, {"args.x": 1}, scope), scope, Origin("p", rule=name))
    for name, scope in SCOPES.items()
)


@pytest.mark.parametrize("gates", [frozenset(), frozenset(["g"])])
@pytest.mark.parametrize("conc", [1, 4, 8, 39, 40, 600, 601])
@pytest.mark.parametrize(("sku", "vendor"), [("x10", "acme"), ("x20", "acme"), ("z10", "bolt")])
@pytest.mark.parametrize("tp", [2, 64])
def test_matching_is_what_every_scope_says(
    sku: str, vendor: str, tp: int, conc: int, gates: frozenset[str]
) -> None:
    """No rule is lost or found twice, however many values its scope lists."""
    axes = {"sku": sku, "vendor": vendor, "tp": tp, "conc": conc}
    found = [scoped.rule.id for scoped in INDEX.matching(axes, gates)]
    assert sorted(found) == sorted(
        name for name, scope in SCOPES.items() if scope.matches(axes, gates)
    )


def test_behind() -> None:
    """The rules behind a gate, and none behind another."""
    assert [scoped.rule.id for scoped in INDEX.behind("g")] == ["gated"]
    assert INDEX.behind("h") == ()


def test_an_empty_index_finds_nothing() -> None:
    """No rules, nothing found."""
    assert list(RuleIndex([]).matching({"sku": "x10"}, frozenset())) == []
