"""Argument lists from a file, and variables from the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable

from infxreg.errors import BadRequestError

_SHOWN = 8


def read_lists(source: str) -> list[list[str]]:
    """The argument lists of a file of JSON lines, ``-`` for standard input.

    A line is an array of texts, or an object that has one as ``argv``.

    Raises:
        BadRequestError: if the file can't be read, or naming every line that is neither.
    """
    try:
        if source == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(source, "rb") as stream:
                data = stream.read()
        text = data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequestError(f"{source} can't be read: {error}") from error
    found: list[list[str]] = []
    problems: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found.append(_list(line))
        except ValueError as error:
            problems.append(f"{source} line {number}: {error}")
    if problems:
        more = len(problems) - _SHOWN
        tail = [f"and {more} more lines"] if more > 0 else []
        raise BadRequestError("\n".join([*problems[:_SHOWN], *tail]))
    if not found:
        raise BadRequestError(f"{source} has no line with an argument list")
    return found


def _list(line: str) -> list[str]:
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from error
    argv = raw.get("argv") if isinstance(raw, dict) else raw
    if not isinstance(argv, list) or not all(isinstance(one, str) for one in argv):
        raise ValueError("an array of texts is needed, or an object with one as argv")
    return argv


def variables(settings: Iterable[str]) -> dict[str, str]:
    """``NAME=VALUE`` texts as a table.

    Raises:
        BadRequestError: naming every one that isn't.
    """
    found: dict[str, str] = {}
    wrong: list[str] = []
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not name or not equals:
            wrong.append(setting)
        found[name] = value
    if wrong:
        raise BadRequestError("\n".join(f"--env {one!r}: write NAME=VALUE" for one in wrong))
    return found
