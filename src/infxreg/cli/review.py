"""``infxreg review``: a change's verdict table, one row a check."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unicodedata import east_asian_width

import click
from attrs import frozen

from infxreg.cli.changes import entries_of, faults_of
from infxreg.cli.only import known, read_only
from infxreg.cli.only import only as only_of
from infxreg.cli.sides import Sides, sides
from infxreg.cli.state import State, state_of
from infxreg.cli.text import paint, progress, today_or
from infxreg.errors import BadRequestError, UnknownIdError
from infxreg.review.facts import NOTHING, Facts, read_facts
from infxreg.review.formats import FORMATS, counts, title
from infxreg.review.impact import compare
from infxreg.review.places import Places
from infxreg.review.verdict import Change, Review, Row, rows, view_of
from infxreg.review.words import LANGUAGES, VERDICTS, told
from infxreg.scope import Scope

_FORMATS = ("text", "markdown", "json", "github", "sarif")
_EPILOG = """\b
Examples:
  infxreg review main --only 'sku=b200 model=dsv41flash'
  infxreg review main HEAD -f markdown --lang en,zh --facts facts.json

\b
Exit codes:
  0  no check fails
  1  a check fails
  2  the request, a plugin or a file can't be used"""

_SEVERITIES = {"fail": "error", "unknown": "warning", "pass": "note", "n/a": "note"}
_SHOWN = 3


@click.command(
    "review",
    short_help="A change's verdict table: one row a check.",
    epilog=_EPILOG,
)
@click.argument("base", required=False)
@click.argument("head", required=False)
@click.option("--without", metavar="PLUGIN", help="In place of BASE: the registry without it.")
@click.option(
    "--only", metavar="SCOPE", help="The scope that was meant: sku=b200 tp=2|4 conc=8..64."
)
@click.option(
    "-f", "--format", "form", type=click.Choice(_FORMATS), default="text", help="How to write it."
)
@click.option("--lang", metavar="LANGS", default="en", help="Languages: en, zh, or en,zh.")
@click.option("--facts", metavar="FILE", help="What only the forge knows, as JSON.")
@click.option(
    "--check-changelog",
    metavar="FILE",
    help="Hold the entries that FILE has more in HEAD to what really changes.",
)
@click.option("--append-only", is_flag=True, help="The change says that it only adds points.")
@click.option("--day", metavar="DAY", help="Today, for waivers and deprecations: 2026-12-01.")
@click.pass_context
def review_command(
    ctx: click.Context,
    base: str | None,
    head: str | None,
    without: str | None,
    only: str | None,
    form: str,
    lang: str,
    facts: str | None,
    check_changelog: str | None,
    append_only: bool,
    day: str | None,
) -> None:
    """Review the change from BASE to HEAD, two git revisions; HEAD left out is the working tree.

    A check fails for what the change touches or makes worse; what was wrong before and stays
    so elsewhere isn't held against it. What can't be told is unknown, and never a pass.
    """
    languages = _languages(lang)
    state = state_of(ctx)
    asked = _Asked(
        scope=read_only(only),
        facts=_facts(facts),
        changelog=check_changelog,
        append_only=append_only,
        day=today_or(day),
    )
    with progress("resolving") as report, sides(base, head, without, state, report) as found:
        made = _reviewed(found, asked, state)
        if form == "text":
            parts = ("\n".join(_lines(made, language, state.verbose)) for language in languages)
            text = "\n\n".join(parts) + "\n"
        else:
            # Files are looked up while the revision's folder is there.
            folder = found.head.source.folder if found.head.source is not None else None
            text = FORMATS[form](made, Places(folder, made.rules), languages)
    click.echo(text, nl=False)
    ctx.exit(1 if made.failed else 0)


def _languages(text: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for language in found or (text,):
        if language not in LANGUAGES:
            raise UnknownIdError("language", language, LANGUAGES)
    return found


def _facts(file: str | None) -> Facts:
    if file is None:
        return NOTHING
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequestError(f"--facts: {file} can't be read: {error}") from error
    return read_facts(text, file)


@frozen(kw_only=True)
class _Asked:
    scope: Scope | None
    facts: Facts
    changelog: str | None
    append_only: bool
    day: str


def _reviewed(found: Sides, asked: _Asked, state: State) -> Review:
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
