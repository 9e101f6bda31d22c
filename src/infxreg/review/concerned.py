"""The findings that concern a change: at points that it touches, or that it makes worse."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from attrs import evolve, frozen

from infxreg.audit import Finding
from infxreg.review.assess import Assessment
from infxreg.review.impact import Impact
from infxreg.review.spots import Spots
from infxreg.review.verdict import Detail, Verdict

_ROW_OF = {
    "conflict": "resolves",
    "resolve": "resolves",
    "purpose": "resolves",
    "engine": "engine",
    "image": "engine",
    "image-requirement": "engine",
    "expect": "claims",
    "evidence": "evidence",
    "dead-rule": "registry",
    "unread-option": "registry",
    "empty-gate": "registry",
    "dormant": "registry",
    "waiver": "registry",
}
"""The row that a check's answers stand in; those of others stand in ``launch``."""


@frozen
class Concerned:
    """What the checks found of a change, by row.

    Attributes:
        found: what is refuted or can't be told, errors first.
        held: what was looked at and is as it should be.
    """

    found: dict[str, list[Finding]]
    held: dict[str, list[Finding]]


def concerned(
    impact: Impact, base: Assessment, head: Assessment, spots: Spots, policies: Collection[str]
) -> Concerned:
    """What the checks found of a change.

    What was wrong before and stays so at points that the change doesn't touch isn't held
    against it.

    Args:
        impact: the difference of both sides.
        base: the assessment of what was.
        head: of what is.
        spots: the points.
        policies: the ids of those that have rows of their own.
    """
    before: dict[tuple[str, str], set[str]] = {}
    for finding in base.findings:
        before.setdefault((finding.id, finding.message), set()).update(finding.points)
    failing = _failing(impact)
    made = Concerned({}, {})
    for finding in head.findings:
        worse = _worse(finding, before.get((finding.id, finding.message)), spots.labels)
        # What the points that fail say already isn't said twice.
        if worse is None or (worse.points and worse.id == "conflict" and _at(worse) <= failing):
            continue
        made.found.setdefault(_row_of(finding.id, policies), []).append(worse)
    for finding in head.held:
        points = tuple(label for label in finding.points if label in spots.labels)
        if points:
            at = made.held.setdefault(_row_of(finding.id, policies), [])
            at.append(evolve(finding, points=points))
    return made


def verdict_of(found: Iterable[Finding], looked: bool) -> Verdict:
    """The verdict of findings. What is warned of is for somebody to look at, as what isn't known.

    Args:
        found: what is refuted or can't be told.
        looked: whether there was anything to look at.
    """
    listed = list(found)
    if any(finding.fails for finding in listed):
        return "fail"
    if any(finding.answer == "unknown" or finding.severity == "warning" for finding in listed):
        return "unknown"
    return "pass" if looked or listed else "n/a"


def detail_of(finding: Finding, spots: Spots) -> Detail:
    """A finding as what a row rests on."""
    return Detail(
        text=f"{finding.answer} {finding.severity} {finding.id}: {finding.message}",
        where=finding.where,
        at=spots.labelled(finding.points),
        points=finding.points,
        refuted=finding.fails,
    )


def _worse(finding: Finding, before: set[str] | None, touched: Collection[str]) -> Finding | None:
    if not finding.points:
        return finding if before is None else None
    points = tuple(
        label
        for label in finding.points
        if label in touched or before is None or label not in before
    )
    return evolve(finding, points=points) if points else None


def _failing(impact: Impact) -> set[str]:
    """The points that resolved and no longer do, as ``recipe point``."""
    return {
        impact.names[number].replace("/", " ", 1)
        for block in impact.blocks
        if block.kind == "fails"
        for number in block.members
    }


def _at(finding: Finding) -> set[str]:
    return {label.rpartition(" ")[0] for label in finding.points}


def _row_of(id: str, policies: Collection[str]) -> str:
    return id if id in policies else _ROW_OF.get(id, "launch")
