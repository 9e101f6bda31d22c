"""What ``infxreg review`` does once its options are read: hold a change to every check."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from attrs import frozen

from infxreg.cli.changes import held_to
from infxreg.cli.impact_text import lines as impact_lines
from infxreg.cli.only import known, read_only
from infxreg.cli.only import only as only_of
from infxreg.cli.review_text import lines
from infxreg.cli.sides import Sides
from infxreg.cli.state import State
from infxreg.cli.text import today_or
from infxreg.errors import BadRequestError, UnknownIdError
from infxreg.review.change import Change, view_of, waived_by
from infxreg.review.changelog import Entry
from infxreg.review.facts import NOTHING, Facts, read_facts
from infxreg.review.formats import FORMATS
from infxreg.review.impact import compare
from infxreg.review.places import Places
from infxreg.review.table import rows
from infxreg.review.verdict import Review
from infxreg.review.words import LANGUAGES
from infxreg.scope import Scope
from infxreg.wholefile import write_whole


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


def files_of(texts: Sequence[str], known: tuple[str, ...]) -> dict[Path, str]:
    """The files of ``--output FORMAT=FILE``, each with its format.

    Raises:
        BadRequestError: for a text that isn't that, or a file that is named twice.
        UnknownIdError: for a format that isn't known.
    """
    found: dict[Path, str] = {}
    for text in texts:
        form, equals, name = text.partition("=")
        if not (equals and name):
            raise BadRequestError(f"--output: {text!r} isn't FORMAT=FILE, as markdown=review.md")
        if form not in known:
            raise UnknownIdError("format", form, known)
        if Path(name) in found:
            raise BadRequestError(f"--output: {name} is named twice")
        found[Path(name)] = form
    return found


def write(path: Path, text: str) -> None:
    """Write a review's file, whole or not at all.

    Raises:
        BadRequestError: if it can't be written.
    """
    try:
        write_whole(path, click.unstyle(text))
    except OSError as error:
        raise BadRequestError(f"{path} can't be written: {error.strerror}") from error


def review_of(found: Sides, asked: Asked, state: State) -> Review:
    """Compare both sides, assess each, and hold the change to every check."""
    with state.phase("compare and check"):
        catalogue = known(state).catalogue
        by_digest = catalogue.evidence_book.by_digest
        impact = compare(found.base.snapshot, found.head.snapshot, by_digest)
        # Each revision's process goes on with its assessment while the other's is read.
        was, now = (side.assess(asked.day) for side in (found.base, found.head))
    entries: tuple[Entry, ...] = ()
    differ: tuple[str, ...] | None = None
    if asked.changelog is not None:
        entries, differ = held_to(asked.changelog, found, impact)
    meant = None if asked.scope is None else only_of(asked.scope, impact, catalogue.space)
    change = Change(
        impact=impact,
        base=was,
        head=now,
        only=None if meant is None else (meant.scope, meant.outside),
        changelog=differ,
        waived=waived_by(impact, now, catalogue.space, asked.day),
    )
    appends = asked.append_only or any(entry.append_only for entry in entries)
    view = view_of(impact, now, asked.facts, appends)
    return Review(
        base=found.base.name,
        head=found.head.name,
        rows=rows(change, catalogue.policies.values(), view),
        impact=impact,
        changes=tuple(map(click.unstyle, impact_lines(impact, found.names))),
        rules={**was.rules, **now.rules},
    )


def written(made: Review, found: Sides, form: str, languages: Sequence[str], verbose: bool) -> str:
    """A review as text for a terminal, or in one of `FORMATS`."""
    if form != "text":
        folder = found.head.source.folder if found.head.source is not None else None
        return FORMATS[form](made, Places(folder, made.rules), tuple(languages))
    parts = ("\n".join(lines(made, language, verbose)) for language in languages)
    return "\n\n".join(parts) + "\n"


def _facts(file: str | None) -> Facts:
    if file is None:
        return NOTHING
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequestError(f"--facts: {file} can't be read: {error}") from error
    return read_facts(text, file)
