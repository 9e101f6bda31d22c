"""A change under review, and what policies over changes look at."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from infxreg.policy import ChangeView
from infxreg.records import Shows
from infxreg.review.assess import Assessment
from infxreg.review.evidence import Standing
from infxreg.review.evidence_status import PURPOSE_OF
from infxreg.review.facts import Facts
from infxreg.review.impact import Impact
from infxreg.scope import Scope

_UNVERIFIED = Standing("unverified", (), "no evidence is bound to this spec")


@frozen(kw_only=True)
class Change:
    """What is reviewed.

    Attributes:
        impact: the difference of both sides.
        base: the assessment of what was.
        head: of what is.
        only: the scope that was meant, and the touched points outside it.
        changelog: where the changelog and the change differ; None where none was given.
    """

    impact: Impact
    base: Assessment
    head: Assessment
    only: tuple[Scope, frozenset[int]] | None = None
    changelog: tuple[str, ...] | None = None


def view_of(impact: Impact, head: Assessment, facts: Facts, append_only: bool) -> ChangeView:
    """What policies over changes look at.

    Args:
        impact: the difference of both sides.
        head: the assessment of what is.
        facts: what only the forge knows.
        append_only: whether the change says that it only adds points.
    """
    recipes = {impact.names[number].partition("/")[0] for number in impact.any}
    return ChangeView(
        impact=impact,
        recipes={name: head.workloads[name] for name in sorted(recipes) if name in head.workloads},
        standings=standings_of(impact, head),
        runs=head.evidence,
        images=frozenset(impact.images),
        facts=facts,
        append_only=append_only,
    )


def standings_of(impact: Impact, head: Assessment) -> Mapping[Shows, Mapping[str, Standing]]:
    """What evidence says of the touched points that are there afterwards, by kind of run.

    A run of one kind is about points that change at the purpose that it is run at.
    """
    away = [block.members for block in impact.blocks if block.kind in ("gone", "fails")]
    gone = frozenset().union(*away)
    found: dict[Shows, dict[str, Standing]] = {}
    for shows, purpose in PURPOSE_OF.items():
        there = head.standings.get(shows, {})
        numbers = sorted(impact.touched.get(purpose, frozenset()) - gone)
        names = [impact.names[number] for number in numbers]
        found[shows] = {name: there.get(name, _UNVERIFIED) for name in names}
    return found
