"""The narrower scope wins, and only then."""

from __future__ import annotations

from collections.abc import Sequence

from infxreg.contest import Contest, Entry, by_key, decide, once_each, origins, settling_scope
from infxreg.index import ScopedRule
from infxreg.origin import Origin
from infxreg.scope import EVERYTHING, Range, Scope
from infxreg.values import ABSENT, Derived, Setting
from support.builders import acme, names, rule, where

SPACE = acme().catalogue.space


def entry(name: str, setting: Setting, scope: Scope, plugin: str = "p") -> Entry:
    made = rule(name, {"k.k": setting}, scope)
    return Entry(ScopedRule(made, scope, Origin(plugin, rule=name)), setting)


def ids(entries: Sequence[Entry]) -> list[str]:
    return [item.origin.rule for item in entries]


def contest(*entries: Entry) -> Contest:
    """Decided, in whatever order the entries come."""
    forward = decide(entries, SPACE)
    backward = decide(entries[::-1], SPACE)
    assert ids(forward.best) == ids(backward.best)
    assert [(b.entry.origin, b.by.origin) for b in forward.beaten] == [
        (b.entry.origin, b.by.origin) for b in backward.beaten
    ]
    return forward


def test_the_narrower_wins() -> None:
    """And the wider one is beaten by it."""
    result = contest(entry("wide", 1, where(arch="ax1")), entry("narrow", 2, where(sku="x10")))
    assert ids(result.best) == ["narrow"]
    assert result.setting == 2
    assert [(b.entry.origin.rule, b.by.origin.rule) for b in result.beaten] == [("wide", "narrow")]


def test_neither_is_narrower() -> None:
    """They conflict, both are kept."""
    result = contest(entry("a", 1, where(sku="x10")), entry("b", 2, where(tp=2)))
    assert ids(result.best) == ["a", "b"]
    assert result.conflict


def test_equal_scopes_conflict() -> None:
    """Also where one only says a fact of the other in addition."""
    assert contest(entry("a", 1, where(tp=2)), entry("b", 2, where(tp=2))).conflict
    both = contest(entry("a", 1, where(sku="x10")), entry("b", 2, where(sku="x10", vendor="acme")))
    assert both.conflict


def test_agreement_is_no_conflict() -> None:
    """All that agree are origins, the least plugin first."""
    result = contest(
        entry("z", 1, where(sku="x10"), plugin="a"), entry("a", 1, where(tp=2), plugin="b")
    )
    assert not result.conflict
    assert names(origins(result.best)) == ["a:z", "b:a"]


def test_values_of_other_types_disagree() -> None:
    """True isn't 1; absent and a derivation agree with no constant."""
    assert contest(entry("a", True, where(sku="x10")), entry("b", 1, where(tp=2))).conflict
    assert contest(entry("a", ABSENT, where(sku="x10")), entry("b", 1, where(tp=2))).conflict
    derived = Derived("copy", ("tp",))
    assert contest(entry("a", derived, where(sku="x10")), entry("b", 2, where(tp=2))).conflict
    assert not contest(
        entry("a", derived, where(sku="x10")), entry("b", derived, where(tp=2))
    ).conflict


def test_absent_can_win() -> None:
    """It competes like any other value."""
    result = contest(entry("wide", 1, EVERYTHING), entry("narrow", ABSENT, where(tp=2)))
    assert result.setting is ABSENT


def test_a_rule_with_two_scopes_is_one_origin() -> None:
    """Each scope competes, the rule is told once, and it is never in conflict with itself."""
    one, two = where(sku="x10"), where(tp=2)
    result = contest(entry("r", 1, one), entry("r", 1, two))
    assert not result.conflict
    assert names(origins(result.best)) == ["p:r"]
    assert ids(once_each(result.best)) == ["r"]


def test_a_rule_beats_by_any_of_its_scopes() -> None:
    """The wider of two scopes that match takes nothing from the narrower."""
    both = [entry("r", 1, where(sku="x10")), entry("r", 1, where(sku="x10", tp=2))]
    result = contest(*both, entry("s", 2, where(tp=2)))
    assert not result.conflict
    assert ids(result.best) == ["r"]


def test_a_settling_scope_lies_inside_every_scope_that_matched() -> None:
    """Also those of one rule."""
    entries = [
        entry("r", 1, where(sku="x10")),
        entry("r", 1, where(conc=16)),
        entry("s", 2, where(tp=2)),
    ]
    assert settling_scope(entries, SPACE) == where(sku="x10", conc=16, tp=2)


def test_by_key() -> None:
    """Each key with the rules that set it."""
    a = ScopedRule(rule("a", {"k.a": 1, "k.b": 2}), EVERYTHING, Origin("p", rule="a"))
    b = ScopedRule(rule("b", {"k.b": 3}), EVERYTHING, Origin("p", rule="b"))
    assert {key: ids(found) for key, found in by_key([a, b]).items()} == {
        "k.a": ["a"],
        "k.b": ["a", "b"],
    }


def test_settling_scope() -> None:
    """What all say together, or None where they are one scope or share nothing."""
    a, b = entry("a", 1, where(sku="x10")), entry("b", 2, where(tp=2))
    assert settling_scope([a, b], SPACE) == where(sku="x10", tp=2)
    assert settling_scope([a, entry("c", 3, where(sku="x10"))], SPACE) is None
    assert settling_scope([a, b, entry("d", 4, where(tp=4))], SPACE) is None
    c = entry("e", 5, where(conc=Range(1, 8)))
    assert settling_scope([a, b, c], SPACE) == where(sku="x10", tp=2, conc=Range(1, 8))


def test_a_settling_scope_settles() -> None:
    """A rule in it beats every side, else there is none to offer."""
    a = entry("a", 1, where(sku="x10"))
    b = entry("b", 2, where(sku="x10", vendor="acme"))
    scope = settling_scope([a, b], SPACE)
    if scope is not None:
        assert not contest(a, b, entry("settle", 3, scope)).conflict
