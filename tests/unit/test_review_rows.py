"""The rows of a verdict table: what fails, what is unknown, what isn't held against a change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from attrs import evolve

from infxreg import Registry
from infxreg.policy import ChangeView, Ruling, SpecView, ok, refuted, undecided
from infxreg.records import Policy
from infxreg.review.assess import assess
from infxreg.review.change import Change, view_of, waived_by
from infxreg.review.evidence_stamp import stamped
from infxreg.review.facts import NOTHING
from infxreg.review.impact import compare
from infxreg.review.snapshot import take
from infxreg.review.spots import Spots
from infxreg.review.table import rows
from infxreg.review.verdict import Row
from infxreg.scope import Scope, read_scope
from infxreg.values import FrozenMap
from support.builders import acme, rule, where

X10 = read_scope("sku=x10")
ODD = rule("odd", {"args.odd": 1}, where(sku="x10", model="m1", engine="run", tp=2))
WIDE = rule("wide", {"args.odd": 1}, where(model="m1", engine="run"))
# The launcher waits for 900 × 5 s, and the engine gives up after 1,000 s.
LATE = rule("late", {"timeout.health_attempts": 900}, where(sku="x20", engine="run"))
WAIVER = """
[[waiver]]
id = "77"
policy = "p"
when = { %s }
what = "a patched engine"
why = "it crashes"
upstream = ["https://example.org/1"]
removal = "with its next release"
"""
CLAIM = """
[[expect]]
id = "plain"
when = { sku = "x20", engine = "run" }
is."attention.backend" = "PLAIN"
"""


def review(old: Registry, new: Registry, **more: Any) -> dict[str, Row]:
    """Every row of the change between two registries, by id."""
    impact = compare(take(old), take(new))
    scope: Scope | None = more.pop("only", None)
    only = None
    if scope is not None:
        only = (scope, impact.any - impact.inside(scope, new.catalogue.space))
    now = assess(new, "2026-12-01")
    change = Change(impact=impact, base=assess(old, "2026-12-01"), head=now, only=only)
    change = evolve(change, waived=waived_by(impact, now, new.catalogue.space, "2026-12-01"))
    change = evolve(change, **{k: v for k, v in more.items() if k != "append_only"})
    view = view_of(impact, now, NOTHING, more.get("append_only", False))
    made = rows(change, new.catalogue.policies.values(), view)
    return {row.id: row for row in made}


def told(row: Row) -> tuple[str, str]:
    return row.verdict, row.summary["en"]


class TestScope:
    """Only what was meant changes."""

    def test_none_was_stated(self) -> None:
        """What changes is counted all the same."""
        row = review(acme(), acme(ODD))["scope"]
        assert told(row) == ("n/a", "no scope was stated (--only); 2 of 12 points change")

    def test_inside(self) -> None:
        row = review(acme(), acme(ODD), only=X10)["scope"]
        assert told(row) == ("pass", "sku=x10: 2 points change inside, 0 outside")
        assert row.details == ()

    def test_outside_by_what_does_it(self) -> None:
        """The rules and their files; points in as few scopes as say it."""
        row = review(acme(), acme(WIDE), only=X10)["scope"]
        assert told(row) == ("fail", "sku=x10: 8 points change inside, 2 outside")
        (detail,) = row.details
        assert detail.text == "2 points outside changed by extra:wide"
        assert detail.at == ("sku=x20 engine=run (2 points)",)
        assert detail.points == ("m1-x20-run/tp2", "m1-x20-run/tp4")
        assert detail.refuted

    def test_outside_where_a_rule_is_gone(self) -> None:
        """The rule that had set what is away now is named."""
        (detail,) = review(acme(WIDE), acme(), only=X10)["scope"].details
        assert detail.text == "2 points outside changed by extra:wide"

    def test_nothing_changes(self) -> None:
        assert told(review(acme(), acme(), only=X10)["scope"])[0] == "n/a"


class TestResolves:
    """Every point resolves, and no rules conflict."""

    A = rule("a", {"args.odd": 1}, where(sku="x20", engine="run"))
    B = rule("b", {"args.odd": 2}, where(model="m1", engine="run", tp=4))

    def test_a_point_that_no_longer_does(self) -> None:
        """Said once, though the conflict of the rules is found too."""
        row = review(acme(self.A), acme(self.A, self.B))["resolves"]
        assert told(row) == ("fail", "1 point can't be resolved any more")
        (detail,) = row.details
        assert detail.text.startswith("args.odd conflicts at this point:")
        assert detail.at == ("sku=x20 engine=run tp=4 (1 point)",)

    def test_a_conflict_that_stays(self) -> None:
        """It isn't held against a change that touches other points."""
        row = review(acme(self.A, self.B), acme(self.A, self.B, ODD))["resolves"]
        assert told(row) == ("pass", "12 points of both sides")


class TestFindings:
    """What a change makes worse is held against it, and what was wrong before isn't."""

    def test_new_at_points_that_it_touches(self) -> None:
        row = review(acme(), acme(LATE))["launch"]
        (late,) = (detail for detail in row.details if "health-budget" in detail.text)
        assert late.at == ("sku=x20 engine=run (2 points)",)
        assert len(late.points) == 2 * 2  # at each purpose

    def test_old_at_points_that_it_doesn_t_touch(self) -> None:
        row = review(acme(LATE), acme(LATE, ODD))["launch"]
        assert not [detail for detail in row.details if "health-budget" in detail.text]

    def test_old_at_points_that_it_touches(self) -> None:
        """Who changes a launch that is in doubt is told so."""
        row = review(acme(LATE), acme(LATE, WIDE))["launch"]
        assert [detail.at for detail in row.details if "health-budget" in detail.text] == [
            ("sku=x20 engine=run (2 points)",)
        ]

    def test_a_dead_rule(self) -> None:
        """It has no points, and is new."""
        dead = rule("dead", {"attention.backend": "FASTER"}, where(engine="run"))
        row = review(acme(), acme(dead))["registry"]
        assert row.verdict == "unknown"  # a warning: somebody has to look
        assert "extra:dead" in row.summary["en"]
        assert told(review(acme(dead), acme(dead))["registry"]) == ("n/a", "nothing changes")

    def test_at_some_purposes(self) -> None:
        """They are named beside the points."""
        slow = rule(
            "slow", {"timeout.health_attempts": 900}, where(sku="x20", purpose="throughput")
        )
        row = review(acme(), acme(slow))["launch"]
        (late,) = (detail for detail in row.details if "health-budget" in detail.text)
        assert late.at == ("sku=x20 engine=run (2 points at throughput)",)


class TestClaims:
    """What somebody claims of the registry."""

    def test_hold(self) -> None:
        assert told(review(acme(CLAIM), acme(CLAIM, ODD))["claims"]) == ("pass", "1 claim holds")

    def test_refuted(self) -> None:
        at = where(sku="x20", model="m1", engine="run", tp=4)
        fast = rule("fast", {"attention.backend": "FASTER"}, at)
        row = review(acme(CLAIM), acme(CLAIM, fast))["claims"]
        assert told(row) == ("fail", "1 refuted")
        assert row.details[0].at == ("sku=x20 engine=run tp=4 (1 point)",)

    def test_gone(self) -> None:
        """A change can't quietly take the claim away that it would break."""
        row = review(acme(CLAIM), acme())["claims"]
        assert told(row) == ("n/a", "nobody claims anything; 1 claim gone")
        assert [detail.text for detail in row.details] == ["the claim extra:plain is gone"]


class TestEvidence:
    """What ships was run."""

    RUN: dict[str, Any] = {  # noqa: RUF012
        "id": "run-1",
        "shows": "performance",
        "run": "1",
        "commit": "abc",
        "source": "the nightly sweep",
        "scope": "sku=x10 model=m1 engine=run workload=agentic purpose=throughput",
    }

    def test_none(self) -> None:
        row = review(acme(), acme(ODD))["evidence"]
        assert row.verdict == "unknown"
        assert row.summary["en"].startswith("performance: 2 of 2 unverified")

    def test_of_just_this(self) -> None:
        """A run that is recorded with the change."""
        new = acme(ODD)
        new = new.with_plugin("runs", stamped(self.RUN, "run.json", new))
        row = review(acme(), new)["evidence"]
        assert "performance: 2 of 2 verified" in row.summary["en"]

    def test_stale(self) -> None:
        """The run is named, and the points that it no longer tells of."""
        old = acme()
        evidence = stamped(self.RUN, "run.json", old)
        row = review(old.with_plugin("runs", evidence), acme(ODD).with_plugin("runs", evidence))
        found = {detail.text: detail.at for detail in row["evidence"].details}
        assert any("run-1" in text for text in found)

    def test_nothing_that_is_left(self) -> None:
        row = review(acme(), acme())["evidence"]
        assert told(row) == ("n/a", "no point that is swept afterwards changes")


@pytest.mark.parametrize(
    ("faults", "verdict", "summary"),
    [
        (None, "n/a", "no changelog was given"),
        ((), "pass", "it names exactly the recipes that change"),
        (("m1-x10-run changes and no entry names it",), "fail", "1 disagrees"),
        (("a", "b"), "fail", "2 disagree"),
    ],
)
def test_the_changelog(faults: tuple[str, ...] | None, verdict: str, summary: str) -> None:
    row = review(acme(), acme(ODD), changelog=faults)["changelog"]
    assert told(row) == (verdict, summary)
    assert [detail.text for detail in row.details] == list(faults or ())


def policy(id: str = "p", **more: Any) -> Policy:
    title = FrozenMap({"en": "A rule of ours", "zh": "我们的规则"})
    return Policy(id=id, title=title, source="our handbook", **more)


def of_change(*rulings: object) -> Callable[[ChangeView], Iterable[Any]]:
    return lambda view: rulings


class TestPolicies:
    """A row for each, by its answers over specs and over the change."""

    @pytest.mark.parametrize(
        ("rulings", "verdict", "summary"),
        [
            ((), "n/a", "nothing that changes is of its kind"),
            ((ok("good"),), "pass", "good"),
            ((ok("good"), undecided("look")), "unknown", "look; good"),
            ((undecided("look"), ok("good"), refuted("bad")), "fail", "bad; look; good"),
        ],
    )
    def test_over_the_change(self, rulings: tuple[Ruling, ...], verdict: str, summary: str) -> None:
        """The worst counts, and is told first."""
        row = review(acme(), acme(ODD, policy(change=of_change(*rulings))))["p"]
        assert told(row) == (verdict, summary)

    def test_a_warning_fails_nothing(self) -> None:
        warns = policy(severity="warning", change=of_change(refuted("bad")))
        assert told(review(acme(), acme(ODD, warns))["p"]) == ("unknown", "bad")

    def test_over_specs(self) -> None:
        """At the touched points alone."""

        def no_odd(view: SpecView) -> Iterable[Ruling]:
            yield refuted("it is odd") if view.value("args.odd") else ok("it is even")

        held = policy(spec=no_odd)
        row = review(acme(held), acme(held, ODD))["p"]
        assert row.verdict == "fail"
        assert row.details[0].at == ("sku=x10 engine=run tp=2 (2 points)",)
        row = review(acme(held, ODD), acme(held, ODD, LATE))["p"]
        assert told(row) == ("pass", "it is even (4 specs)")

    def test_nothing_changes(self) -> None:
        held = policy(change=of_change(refuted("bad")))
        assert told(review(acme(held), acme(held))["p"]) == ("n/a", "nothing changes")

    def test_raises(self) -> None:
        """It fails by name, whatever its severity: it can't decide, and mustn't pass."""

        def broken(view: ChangeView) -> Iterable[Ruling]:
            raise ValueError("no such run")

        row = review(acme(), acme(ODD, policy(severity="warning", change=broken)))["p"]
        assert told(row) == ("fail", "policy p raised ValueError('no such run')")

    def test_something_else_than_a_ruling(self) -> None:
        row = review(acme(), acme(ODD, policy(change=of_change("fine"))))["p"]
        assert told(row)[0] == "fail"
        assert "it gave str, not Ruling" in told(row)[1]

    def test_in_order_of_their_numbers(self) -> None:
        """After infxreg's own; those without a number last."""
        ask = of_change(ok("good"))
        some = [policy("b", number=2, change=ask), policy("z", change=ask)]
        made = review(acme(), acme(ODD, *some, policy("a", number=10, change=ask)))
        assert list(made)[-3:] == ["b", "a", "z"]

    def test_a_waiver_of_every_touched_point(self) -> None:
        """What it does and why is told; one that holds for some of the points, or has ended, isn't
        an excuse."""
        held = policy(change=of_change(refuted("bad"), undecided("look")))
        row = review(acme(), acme(ODD, held, WAIVER % 'sku = "x10", engine = "run"'))["p"]
        assert row.verdict == "pass"
        assert row.summary["en"].startswith("bad; waived by 77: a patched engine; it crashes; ")
        row = review(acme(), acme(ODD, held, WAIVER % 'sku = "x10", conc = 1'))["p"]
        assert told(row) == ("fail", "bad; look")
        ended = WAIVER % 'sku = "x10"' + 'expires = "2026-11-30"\n'
        assert review(acme(), acme(ODD, held, ended))["p"].verdict == "fail"

    def test_in_another_language(self) -> None:
        """What isn't translated is told in English."""
        row = review(acme(), acme(ODD, policy(change=of_change(ok("good", zh="好"), ok("fine")))))[
            "p"
        ]
        assert row.title["zh"] == "我们的规则"
        assert row.summary["zh"] == "好;fine"


def test_many_scopes_are_counted() -> None:
    """The first four are named; together they hold every point once."""
    impact = compare(take(acme()), take(acme(ODD)))
    run = "m1-x10-run"
    named = [f"{run}/tp2_c1", f"{run}/tp4_c16", f"{run}/ep8_c2", "m1-x10-run-1k1k/c1"]
    told = Spots(impact).named([*named, "m1-x10-run/ep8_c32", "m1-x20-run/tp2", "m1-x20-alt/tp4"])
    assert len(told) == 5
    assert re.fullmatch(r"\d+ more scopes? \(\d+ points?\)", told[-1])
    assert sum(int(re.findall(r"\((\d+) point", scope)[0]) for scope in told) == 7
