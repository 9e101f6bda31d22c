"""A review's verdict table: one row a check, each with what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from attrs import frozen

from infxreg.review.impact import Impact
from infxreg.review.words import Words

Verdict: TypeAlias = Literal["pass", "fail", "unknown", "n/a"]


@frozen(kw_only=True)
class Detail:
    """One thing that a row rests on.

    Attributes:
        text: what it is.
        where: its file, or several with a comma between.
        at: where it is so, in as few scopes as say it.
        points: the same points by name, ``recipe/point`` with or without a purpose.
        refuted: whether the row fails for it.
    """

    text: str
    where: str = ""
    at: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    refuted: bool = False


@frozen(kw_only=True)
class Row:
    """One check of a review.

    Attributes:
        id: the check's name, or the policy's id.
        title: what it asks, by language.
        verdict: ``pass``, ``fail``, ``unknown`` or ``n/a``.
        summary: why, by language.
        details: what it rests on, refuted first.
        number: its number in the checklist that it is from.
    """

    id: str
    title: Words
    verdict: Verdict
    summary: Words
    details: tuple[Detail, ...] = ()
    number: int | None = None


@frozen(kw_only=True)
class Review:
    """A change, reviewed.

    Attributes:
        base: what the one side is called, and head the other.
        rows: the checks, infxreg's own first, then policies by number.
        impact: what the change touches.
        changes: the same as text, in lines.
        rules: the file of each rule (``plugin:rule``).
    """

    base: str
    head: str
    rows: tuple[Row, ...]
    impact: Impact
    changes: tuple[str, ...]
    rules: Mapping[str, str]

    @property
    def failed(self) -> bool:
        """Whether a row fails."""
        return any(row.verdict == "fail" for row in self.rows)

    def count(self, verdict: Verdict) -> int:
        """How many rows have a verdict."""
        return sum(row.verdict == verdict for row in self.rows)
