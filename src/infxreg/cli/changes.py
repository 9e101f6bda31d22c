"""The changelog of a change, read at both sides: ``--check-changelog``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from infxreg.cli.sides import Sides
from infxreg.errors import BadRequestError
from infxreg.review.changelog import ChangelogError, Entry, appended, disagreements
from infxreg.sweeps import WORKLOAD

if TYPE_CHECKING:
    from infxreg.review.impact import Impact


def entries_of(file: str, found: Sides) -> tuple[Entry, ...]:
    """The entries that a changelog has in HEAD and not in BASE.

    Args:
        file: its path.
        found: both sides; they must be of a git repository that the file is in.

    Raises:
        BadRequestError: if the sides aren't, or the file can't be read.
        ChangelogError: if it is no changelog, or isn't what it was and more.
    """
    path = Path(file).resolve()
    repo = found.repo.resolve() if found.repo is not None else None
    if repo is None or found.base.source is None or found.head.source is None:
        raise BadRequestError(
            f"what is new in {file} is told by git: name revisions of the repository that it is in"
        )
    if not path.is_relative_to(repo):
        raise BadRequestError(f"{file} isn't in the repository {repo}")
    place = path.relative_to(repo)
    before = _read(found.base.source.folder / place)
    after = _read(found.head.source.folder / place)
    if after is None:
        raise BadRequestError(f"{file} isn't there in {found.head.name}")
    return appended(before or b"", after, str(place))


def held_to(file: str, found: Sides, impact: Impact) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """The entries that a changelog has more in HEAD, and where it and the change differ.

    A file that is no changelog, or isn't what it was and more, is such a difference: what changes
    can be told all the same.

    Raises:
        BadRequestError: if the sides aren't of a repository that the file is in.
    """
    try:
        entries = entries_of(file, found)
    except ChangelogError as error:
        return (), error.problems
    return entries, faults_of(entries, impact)


def faults_of(entries: tuple[Entry, ...], impact: Impact) -> tuple[str, ...]:
    """Where the entries and what really changes differ; no entry for a change is such a place."""
    return tuple(disagreements(entries, impact, workloads(impact)))


def workloads(impact: Impact) -> dict[str, str]:
    """Every recipe of both sides with its workload."""
    default = str(impact.defaults.get(WORKLOAD, ""))
    pairs = zip(impact.names, impact.points, strict=True)
    return {name.partition("/")[0]: str(point.get(WORKLOAD, default)) for name, point in pairs}


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadRequestError(f"{path} can't be read: {error}") from error
