"""A review as Markdown, GitHub's annotations, SARIF and plain data."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from infxreg import __version__
from infxreg.review.places import Place, Places
from infxreg.review.verdict import Detail, Review, Row, Verdict
from infxreg.review.words import VERDICTS, Words, count_of, told, words

MARKS: Mapping[Verdict, str] = {"pass": "✅", "fail": "❌", "unknown": "❓", "n/a": "➖"}  # noqa: RUF001

_HEADS = (words("", ""), words("Check", "检查"), words("Verdict", "结论"), words("Why", "依据"))
_DETAILS = words("Details", "详情")
_PASSED = words("Verdict: PASS", "结论:通过")
_REJECTED = words("REJECTED", "不通过")
_CHANGES = words("What changes", "改动内容")
_LINES = 100
"""Lines of what changes that Markdown has; GitHub's comments hold 65,536 characters."""
_TICKS = re.compile("`+")

_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Mapping[Verdict, tuple[str, str]] = {
    "fail": ("error", "fail"),
    "unknown": ("none", "open"),
    "pass": ("none", "pass"),
    "n/a": ("none", "notApplicable"),
}
"""SARIF's level and kind of a row."""


def counts(review: Review, language: str) -> str:
    """How many rows have each verdict, in words."""
    found = ((verdict, review.count(verdict)) for verdict in MARKS)
    return ", ".join(f"{n} {told(VERDICTS[verdict], language)}" for verdict, n in found if n)


def title(row: Row, language: str) -> str:
    """A row's title, with its number in the checklist that it is from."""
    text = told(row.title, language)
    if row.number is None:
        return text
    return f"{'检查' if language == 'zh' else 'Check'} {row.number}: {text}"


def markdown(review: Review, places: Places, languages: Sequence[str]) -> str:
    """A comment for a pull request: the table, and what failed or can't be told below it."""
    parts = [_markdown(review, places, language) for language in languages]
    return "\n---\n\n".join(parts)


def _markdown(review: Review, places: Places, language: str) -> str:
    mark = MARKS["fail" if review.failed else "pass"] * 3
    verdict = told(_REJECTED if review.failed else _PASSED, language)
    lines = [
        f"## {mark} **{verdict}** {mark}",
        "",
        f"{_cell(review.base)} → {_cell(review.head)}: {counts(review, language)}",
        "",
        "| " + " | ".join(told(head, language) for head in _HEADS) + " |",
        "|---|---|---|---|",
    ]
    for row in review.rows:
        cells = (
            MARKS[row.verdict],
            title(row, language),
            told(VERDICTS[row.verdict], language),
            told(row.summary, language),
        )
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    for row in review.rows:
        if row.details and row.verdict in ("fail", "unknown"):
            lines += ["", *_folded(row, places, language)]
    if review.impact.any:
        lines += ["", *_changes(review, language)]
    return "\n".join(lines) + "\n"


def _folded(row: Row, places: Places, language: str) -> Iterator[str]:
    yield "<details>"
    yield f"<summary>{MARKS[row.verdict]} {_html(title(row, language))}</summary>"
    yield ""
    for detail in row.details:
        first, *rest = detail.text.splitlines() or [""]
        where = ", ".join(f"`{place.path}:{place.line}`" for place in places.of(detail))
        where = where or (f"`{detail.where}`" if detail.where else "")
        yield f"- {_html(first)}{f' ({where})' if where else ''}"
        if rest:
            yield from ("", "  ```", *(f"  {line}" for line in rest), "  ```", "")
        yield from (f"  - {_html(scope)}" for scope in detail.at)
    yield ""
    yield "</details>"


def _changes(review: Review, language: str) -> Iterator[str]:
    """What changes, as ``infxreg impact`` says it, as far as a comment holds it."""
    shown = review.changes[:_LINES]
    more = len(review.changes) - len(shown)
    fence = "`" * (1 + max(3, *(len(run) for run in _TICKS.findall("\n".join(shown)) or [""])))
    yield "<details>"
    yield f"<summary>{_html(told(_CHANGES, language))}</summary>"
    yield from ("", fence, *shown)
    if more > 0:
        yield f"… and {count_of(more, 'more line')}: infxreg impact"
    yield from (fence, "", "</details>")


def github(review: Review, places: Places, languages: Sequence[str]) -> str:
    """GitHub's workflow commands: an error for each thing that is refuted, then a notice."""
    language = languages[0]
    lines: list[str] = []
    for row in review.rows:
        if row.verdict != "fail":
            continue
        refuted = [detail for detail in row.details if detail.refuted]
        for detail in refuted or [Detail(text=told(row.summary, language))]:
            lines += [
                _command("error", title(row, language), _with_scopes(detail), place)
                for place in places.of(detail) or (None,)
            ]
    for row in review.rows:
        if row.verdict == "unknown":
            text = told(row.summary, language)
            lines.append(_command("warning", title(row, language), text, None))
    verdict = told(_REJECTED if review.failed else _PASSED, language)
    lines.append(
        _command("notice", "infxreg review", f"{verdict}: {counts(review, language)}", None)
    )
    return "\n".join(lines) + "\n"


def _command(level: str, heading: str, text: str, place: Place | None) -> str:
    at = f"file={_property(place.path)},line={place.line}," if place is not None else ""
    return f"::{level} {at}title={_property(heading)}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def sarif(review: Review, places: Places, languages: Sequence[str]) -> str:
    """A log in SARIF 2.1.0: one rule a row; a result for each thing refuted, else one a row."""
    language = languages[0]
    results: list[dict[str, Any]] = []
    for number, row in enumerate(review.rows):
        level, kind = _LEVELS[row.verdict]
        refuted = [detail for detail in row.details if detail.refuted]
        told_of = refuted if row.verdict == "fail" and refuted else [None]
        for detail in told_of:
            text = told(row.summary, language) if detail is None else _with_scopes(detail)
            result: dict[str, Any] = {
                "ruleId": row.id,
                "ruleIndex": number,
                "level": level,
                "kind": kind,
                "message": {"text": text},
            }
            found = () if detail is None else places.of(detail)
            if found:
                result["locations"] = [_location(place) for place in found]
            results.append(result)
    driver = {
        "name": "infxreg",
        "semanticVersion": __version__,
        "rules": [
            {
                "id": row.id,
                "shortDescription": {"text": title(row, language)},
                "defaultConfiguration": {"level": "error"},
            }
            for row in review.rows
        ],
    }
    log = {
        "$schema": _SARIF,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _location(place: Place) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": place.path.replace("\\", "/")},
            "region": {"startLine": place.line},
        }
    }


def as_json(review: Review, places: Places, languages: Sequence[str]) -> str:
    """Plain data, in every language that was asked for."""

    def text(said: Words) -> dict[str, str]:
        return {language: told(said, language) for language in languages}

    data = {
        "base": review.base,
        "head": review.head,
        "failed": review.failed,
        "counts": {verdict: review.count(verdict) for verdict in MARKS},
        "points": len(review.impact.points),
        "changed": {p: len(numbers) for p, numbers in review.impact.touched.items()},
        "rows": [
            {
                "id": row.id,
                **({} if row.number is None else {"number": row.number}),
                "verdict": row.verdict,
                "title": text(row.title),
                "summary": text(row.summary),
                "details": [_detail(detail, places) for detail in row.details],
            }
            for row in review.rows
        ],
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _detail(detail: Detail, places: Places) -> dict[str, Any]:
    found = [{"path": place.path, "line": place.line} for place in places.of(detail)]
    return {
        "text": detail.text,
        "refuted": detail.refuted,
        **({"where": detail.where} if detail.where else {}),
        **({"places": found} if found else {}),
        **({"at": list(detail.at)} if detail.at else {}),
        **({"points": list(detail.points)} if detail.points else {}),
    }


FORMATS: Mapping[str, Callable[[Review, Places, Sequence[str]], str]] = {
    "markdown": markdown,
    "json": as_json,
    "github": github,
    "sarif": sarif,
}
"""The formats beside text, by name."""


def _with_scopes(detail: Detail) -> str:
    return "\n".join([detail.text, *(f"at {scope}" for scope in detail.at)])


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _cell(text: str) -> str:
    """Text for a cell of a Markdown table, in one line."""
    return _html(" ".join(text.split())).replace("|", "\\|")
