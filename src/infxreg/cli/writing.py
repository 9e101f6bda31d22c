"""A folder of files, written whole: what is there and differs is shown, and left as it is."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path

import click

from infxreg.errors import BadRequestError
from infxreg.wholefile import write_whole

_SHOWN = 60
"""Lines of a difference that are shown."""


def write_folder(folder: Path, files: Mapping[str, str], force: bool = False) -> None:
    """Write files, each all or not at all.

    Args:
        folder: where; it is made if it isn't there.
        files: the text of each, by its path in the folder.
        force: whether to write over files that are there and differ.

    Raises:
        BadRequestError: if a file differs from what is there, after showing how, and nothing is
            written; or if one can't be written.
    """
    differing = [name for name in sorted(files) if _differs(folder / name, files[name])]
    if differing and not force:
        for name in differing:
            _show(folder / name, files[name])
        names = ", ".join(str(folder / name) for name in differing)
        raise BadRequestError(
            f"nothing is written: {names} would change; --force writes over what is there"
        )
    for name in sorted(files):
        path = folder / name
        try:
            write_whole(path, files[name])
        except OSError as error:
            raise BadRequestError(f"{path} can't be written: {error.strerror}") from error
        click.echo(str(path), err=True)


def _differs(path: Path, text: str) -> bool:
    return path.exists() and _read(path) != text


def _show(path: Path, text: str) -> None:
    lines = list(
        difflib.unified_diff(
            _read(path).splitlines(), text.splitlines(), str(path), "written now", lineterm=""
        )
    )
    click.echo("\n".join(lines[:_SHOWN]))
    if len(lines) > _SHOWN:
        click.echo(f"… and {len(lines) - _SHOWN} more lines")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequestError(f"{path} can't be read: {error}") from error
