"""A change under review, and what policies over changes look at."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from infxreg.axes import AxisSpace
from infxreg.policy import ChangeView
from infxreg.records import Shows
from infxreg.review.assess import Assessment
from infxreg.review.evidence import Standing
from infxreg.review.evidence_status import PURPOSE_OF
from infxreg.review.facts import Facts
from infxreg.review.impact import Impact
from infxreg.review.policies import words as in_words
from infxreg.scope import Scope
from infxreg.values import FrozenMap

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
        waived: by policy, the waiver that every touched point is in, in words.
    """

    impact: Impact
    base: Assessment
    head: Assessment
    only: tuple[Scope, frozenset[int]] | None = None
    changelog: tuple[str, ...] | None = None
    waived: Mapping[str, str] = FrozenMap()


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


def waived_by(impact: Impact, head: Assessment, space: AxisSpace, day: str) -> Mapping[str, str]:
    """By policy, the waiver that holds for a whole change, in words.

    A waiver of some of the touched points doesn't excuse what a change does to the others.

    Args:
        impact: the difference of both sides.
        head: the assessment of what is.
        space: what the SKUs and models are, for scopes that name a fact of them.
        day: today; a waiver that has ended excuses nothing.
    """
    found: dict[str, str] = {}
    for _, waiver in sorted(head.waivers.items()):
        ended = waiver.expires is not None and day > waiver.expires
        inside = frozenset().union(*(impact.inside(scope, space) for scope in waiver.when))
        if not ended and impact.any <= inside:
            found.setdefault(waiver.policy, in_words(waiver))
    return found


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
