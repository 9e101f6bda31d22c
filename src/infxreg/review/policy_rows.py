"""The rows that policies have in a verdict table, by their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import frozen

from infxreg.policy import ChangeView, Ruling
from infxreg.records import Policy
from infxreg.review.concerned import Concerned, detail_of, verdict_of
from infxreg.review.own_rows import summary_of
from infxreg.review.spots import Spots
from infxreg.review.verdict import Detail, Row, Verdict
from infxreg.review.words import NOTHING_CHANGES, Words, words
from infxreg.values import FrozenMap

_ANSWERS = {"refuted": 0, "unknown": 1, "ok": 2}
"""Rulings in the order in which they are told."""


def policy_rows(
    policies: Iterable[Policy],
    view: ChangeView,
    concerned: Concerned,
    spots: Spots,
    waived: Mapping[str, str] = FrozenMap(),
) -> tuple[Row, ...]:
    """A row for every policy, those with a number first.

    Args:
        policies: those that the change is held to.
        view: what policies over changes look at.
        concerned: what policies over specs said at the points that it touches.
        spots: the points.
        waived: by policy, the waiver that holds for the whole change.
    """
    ordered = sorted(policies, key=lambda p: (p.number is None, p.number or 0, p.id))
    return tuple(
        _row(policy, _said(policy, view, concerned, spots, waived.get(policy.id)))
        for policy in ordered
    )


@frozen
class _Said:
    verdict: Verdict
    summary: Words
    details: tuple[Detail, ...] = ()


def _row(policy: Policy, said: _Said) -> Row:
    return Row(
        id=policy.id,
        title=Words(policy.title),
        verdict=said.verdict,
        summary=said.summary,
        details=said.details,
        number=policy.number,
    )


def _said(
    policy: Policy, view: ChangeView, concerned: Concerned, spots: Spots, waiver: str | None
) -> _Said:
    if not view.impact.any:
        return _Said("n/a", NOTHING_CHANGES)
    found, held = concerned.found.get(policy.id, []), concerned.held.get(policy.id, [])
    try:
        rulings = sorted(_rulings(policy, view), key=lambda ruling: _ANSWERS[ruling.answer])
    except Exception as error:  # a policy that can't decide mustn't pass for one that did
        return _Said("fail", words(f"policy {policy.id} raised {error!r}"))
    if waiver is not None:
        rulings = [_excused(ruling, waiver) for ruling in rulings]
    if not (found or held or rulings):
        return _Said("n/a", words("nothing that changes is of its kind", "本次改动不涉及"))
    verdicts = [_verdict(ruling, policy) for ruling in rulings]
    summaries = [Words({"en": ruling.reason, **ruling.translations}) for ruling in rulings]
    if found or held:
        verdicts.append(verdict_of(found, True))
        summaries.append(summary_of(found, held, True))
    details = [detail_of(finding, spots) for finding in found]
    details += [
        Detail(text=ruling.reason, refuted=_verdict(ruling, policy) == "fail")
        for ruling in rulings
        if ruling.answer == "refuted"
    ]
    worst = next(v for v in _VERDICTS if v in verdicts)
    return _Said(worst, _joined(summaries), tuple(details))


_VERDICTS: tuple[Verdict, ...] = ("fail", "unknown", "pass")


def _excused(ruling: Ruling, waiver: str) -> Ruling:
    return ruling if ruling.answer == "ok" else Ruling("ok", f"{ruling.reason}; {waiver}")


def _verdict(ruling: Ruling, policy: Policy) -> Verdict:
    if ruling.answer == "refuted" and policy.severity == "error":
        return "fail"
    return "pass" if ruling.answer == "ok" else "unknown"


def _joined(said: Sequence[Words]) -> Words:
    languages = sorted({language for one in said for language in one} | {"en"})
    return Words(
        {
            language: ("; " if language == "en" else ";").join(
                dict.fromkeys(one.get(language, one["en"]) for one in said)
            )
            for language in languages
        }
    )


def _rulings(policy: Policy, view: ChangeView) -> Iterator[Ruling]:
    for one in () if policy.change is None else policy.change(view):
        if not isinstance(one, Ruling):
            raise TypeError(f"it gave {type(one).__name__}, not Ruling")
        yield one
