"""What ``infxreg review`` does once its options are read: hold a change to every check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unicodedata import east_asian_width

import click
from attrs import frozen

from infxreg.cli.changes import entries_of, faults_of
from infxreg.cli.only import known, read_only
from infxreg.cli.only import only as only_of
from infxreg.cli.sides import Sides
from infxreg.cli.state import State
from infxreg.cli.text import paint, today_or
from infxreg.errors import BadRequestError, UnknownIdError
from infxreg.review.facts import NOTHING, Facts, read_facts
from infxreg.review.formats import FORMATS, counts, title
from infxreg.review.impact import compare
from infxreg.review.places import Places
from infxreg.review.verdict import Change, Review, Row, rows, view_of
from infxreg.review.words import LANGUAGES, VERDICTS, told
from infxreg.scope import Scope

_SEVERITIES = {"fail": "error", "unknown": "warning", "pass": "note", "n/a": "note"}
_SHOWN = 3


@frozen(kw_only=True)
class Asked:
    """What a change is held to beside the registry's own checks.

    Attributes:
        scope: the scope that was meant.
        facts: what only the forge knows.
        changelog: the file whose new entries name what changes.
        append_only: whether the change says that it only adds points.
        day: today, for waivers and deprecations.
    """

    scope: Scope | None
    facts: Facts
    changelog: str | None
    append_only: bool
    day: str

    @classmethod
    def read(
        cls,
        only: str | None,
        facts: str | None,
        changelog: str | None,
        append_only: bool,
        day: str | None,
    ) -> Asked:
        """From the options' texts.

        Raises:
            BadRequestError: if one can't be read.
            FactsError: if the file of facts has faults.
        """
        return cls(
            scope=read_only(only),
            facts=_facts(facts),
            changelog=changelog,
            append_only=append_only,
            day=today_or(day),
        )


def languages_of(text: str) -> tuple[str, ...]:
    """The languages of ``--lang``.

    Raises:
        UnknownIdError: for one that isn't known.
    """
    found = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for language in found or (text,):
        if language not in LANGUAGES:
            raise UnknownIdError("language", language, LANGUAGES)
    return found


def review_of(found: Sides, asked: Asked, state: State) -> Review:
    """Compare both sides, assess each, and hold the change to every check."""
    with ThreadPoolExecutor(2) as pool, state.phase("compare and check"):
        # Revisions are assessed by processes of their own, beside the comparison.
        base, head = (pool.submit(side.assess, asked.day) for side in (found.base, found.head))
        catalogue = known(state).catalogue
        by_digest = catalogue.evidence_book.by_digest
        impact = compare(found.base.snapshot, found.head.snapshot, by_digest)
        was, now = base.result(), head.result()
    entries = () if asked.changelog is None else entries_of(asked.changelog, found)
    differ = None if asked.changelog is None else faults_of(entries, impact)
    meant = None if asked.scope is None else only_of(asked.scope, impact, catalogue.space)
    change = Change(
        impact=impact,
        base=was,
        head=now,
        only=None if meant is None else (meant.scope, meant.outside),
        changelog=differ,
        lock=now.moved,
    )
    appends = asked.append_only or any(entry.append_only for entry in entries)
    view = view_of(impact, now, asked.facts, appends)
    return Review(
        base=found.base.name,
        head=found.head.name,
        rows=rows(change, catalogue.policies.values(), view),
        impact=impact,
        rules={**was.rules, **now.rules},
    )


def written(made: Review, found: Sides, form: str, languages: Sequence[str], verbose: bool) -> str:
    """A review as text for a terminal, or in one of `FORMATS`."""
    if form != "text":
        folder = found.head.source.folder if found.head.source is not None else None
        return FORMATS[form](made, Places(folder, made.rules), tuple(languages))
    parts = ("\n".join(_lines(made, language, verbose)) for language in languages)
    return "\n\n".join(parts) + "\n"


def _facts(file: str | None) -> Facts:
    if file is None:
        return NOTHING
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequestError(f"--facts: {file} can't be read: {error}") from error
    return read_facts(text, file)


def _lines(made: Review, language: str, verbose: bool) -> Iterator[str]:
    head = "infxreg review" if language == "en" else "infxreg 评审"
    yield click.style(f"{head}: {made.base} → {made.head}", bold=True)
    yield counts(made, language)
    yield ""
    words = {row.verdict: told(VERDICTS[row.verdict], language) for row in made.rows}
    width = max(map(_width, words.values()))
    for row in made.rows:
        word = words[row.verdict] + " " * (width - _width(words[row.verdict]))
        colour = paint(word, _SEVERITIES[row.verdict])
        yield f"{colour}  {title(row, language)}: {told(row.summary, language)}"
    for row in made.rows:
        if row.details and (verbose or row.verdict == "fail"):
            yield ""
            yield from _block(row, language, verbose)


def _block(row: Row, language: str, verbose: bool) -> Iterator[str]:
    yield click.style(title(row, language), bold=True)
    for detail in row.details:
        first, *rest = detail.text.splitlines() or [""]
        yield f"  {first}"
        yield from (f"    {line}" for line in rest)
        if detail.where:
            yield f"    in {detail.where}"
        if detail.points:
            shown = detail.points if verbose else detail.points[:_SHOWN]
            more = len(detail.points) - len(shown)
            yield f"    {', '.join(shown)}{f' and {more} more' if more else ''}"


def _width(text: str) -> int:
    """Columns on a terminal: a Chinese character takes two."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)
