"""A review as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import east_asian_width

import click

from infxreg.cli.text import paint
from infxreg.review.formats import counts, title
from infxreg.review.verdict import Review, Row
from infxreg.review.words import VERDICTS, told

_SEVERITIES = {"fail": "error", "unknown": "warning", "pass": "note", "n/a": "note"}


def lines(made: Review, language: str, verbose: bool) -> Iterator[str]:
    """A review, line by line: its rows, then what those that fail rest on.

    Args:
        made: the review.
        language: what to write it in.
        verbose: whether every row's details are told, with every point.
    """
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
        yield from (f"    at {scope}" for scope in detail.at)
        if verbose and detail.points:
            yield f"    {', '.join(detail.points)}"


def _width(text: str) -> int:
    """Columns on a terminal: a Chinese character takes two."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)
