"""Text for people: tables, colours, one line for each check, a progress bar."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from infxreg.errors import Fault
    from infxreg.origin import Origin
    from infxreg.spec import Check

_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}
_PATIENCE_S = 1.0
"""A progress bar appears after so many seconds."""


def say_error(text: str) -> None:
    """A message on standard error, with ``error:`` in front."""
    colour = False if os.environ.get("NO_COLOR") else None
    click.echo(click.style("error:", fg="red", bold=True) + f" {text}", err=True, color=colour)


def paint(text: str, severity: str) -> str:
    """Text in the colour of a severity; click strips it where there is no terminal."""
    return click.style(text, fg=_COLOURS[severity])


def today_or(day: str | None) -> str:
    """The day that was named, or today, as ``2026-12-01``.

    Raises:
        BadRequestError: if it is no day.
    """
    if day is None:
        from datetime import date

        return date.today().isoformat()
    from infxreg.versions import is_date

    if not is_date(day):
        from infxreg.errors import BadRequestError

        raise BadRequestError(f"--day: {day!r} is no day: write it as 2026-12-01")
    return day


def printable(text: str) -> str:
    """Text that can be written as UTF-8: what no character stands for becomes its escape.

    An argument has that where it is no UTF-8, and JSON as a lone surrogate.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def check_line(check: Check) -> str:
    """A check in one line: answer, severity, id, reason."""
    head = paint(f"{check.answer} {check.severity}", check.severity)
    return f"{head} {check.id}: {' '.join(check.reason.split())}"


def origin_words(origin: Origin) -> str:
    """An origin with its distribution, version and file, without the source that it cites."""
    label = " ".join(part for part in (origin.distribution, origin.version) if part)
    place = ", ".join(part for part in (label, origin.file) if part)
    name = f"{origin.plugin}:{origin.rule}" if origin.rule else origin.plugin
    return f"{name} ({place})" if place else name


def say_faults(faults: Sequence[Fault]) -> None:
    """The faults of a registry, on standard error; nothing where there are none."""
    if faults:
        from infxreg.errors import RegistryFaults

        say_error(str(RegistryFaults(tuple(faults))))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """An aligned table with a line of column names."""
    body = [list(row) for row in rows]
    widths = [
        max(len(cell) for cell in column)
        for column in zip([str(name) for name in columns], *body, strict=True)
    ]
    lines = [_aligned(row, widths) for row in (columns, *body)]
    return "\n".join([click.style(lines[0], bold=True), *lines[1:]])


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
    return "  ".join(padded).rstrip()


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """A function to call with (done, in all).

    It draws a bar on standard error, if that is a terminal, once a second has gone by.
    """
    began = perf_counter()
    bar: click._termui_impl.ProgressBar[int] | None = None

    def report(done: int, total: int) -> None:
        nonlocal bar
        if bar is None:
            if not sys.stderr.isatty() or perf_counter() - began < _PATIENCE_S:
                return
            bar = click.progressbar(length=total, label=label, file=sys.stderr)
            bar.__enter__()
        bar.update(done - bar.pos)

    try:
        yield report
    finally:
        if bar is not None:
            bar.__exit__(None, None, None)
