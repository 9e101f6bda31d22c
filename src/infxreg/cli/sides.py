"""What ``impact`` compares: a snapshot file, a git revision, the working tree, the registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from infxreg import sitefile
from infxreg.errors import BadRequestError
from infxreg.importing.checkout import split
from infxreg.review import revision
from infxreg.review.assess import Assessment, assess
from infxreg.review.lock import NAME as LOCK
from infxreg.review.revision import Assessed, Source
from infxreg.review.snapshot import Snapshot, read, take

if TYPE_CHECKING:
    from infxreg.cli.state import State
    from infxreg.registry import Registry

Progress = Callable[[int, int], None]


@frozen
class Side:
    """One side: what it is called, its snapshot, and its source unless it is a snapshot's file.

    Attributes:
        registry: the registry that it is of, where that is this process's own.
        source: the folder that it is of, for a revision or a working tree.
        lock: the file that locks that registry, if there is one.
        assessed: the process that tells of a revision, where it was asked for an assessment too.
    """

    name: str
    snapshot: Snapshot
    registry: Registry | None = None
    source: Source | None = None
    lock: Path | None = None
    assessed: Assessed | None = None

    def assess(self, day: str) -> Assessment:
        """What its registry says of itself on the day that `sides` was told, its snapshot read.

        Raises:
            BadRequestError: for a snapshot's file, which has no registry.
            RevisionError: if a revision's registry can't be used.
        """
        if self.registry is not None:
            return assess(self.registry, day, self.lock)
        if self.assessed is not None:
            return self.assessed.assessment()
        raise BadRequestError(
            f"{self.name} is a snapshot: it says nothing of checks; name a git revision"
        )


@frozen
class Sides:
    """Two sides, and the git repository that revisions are of."""

    base: Side
    head: Side
    repo: Path | None = None

    @property
    def names(self) -> tuple[str, str]:
        """What they are called."""
        return self.base.name, self.head.name


@contextmanager
def sides(
    base: str | None,
    head: str | None,
    without: str | None,
    state: State,
    report: Progress,
    day: str | None = None,
) -> Iterator[Sides]:
    """Both snapshots, each to be read once, while the block runs.

    Args:
        base: a snapshot file or a revision.
        head: another one; else the working tree, or after a file the registry.
        without: in place of both, a plugin to go without.
        state: the global options.
        report: called with (points done, points in all) of this process's own registry.
        day: the day that both are to be assessed on, if they are.

    Raises:
        BadRequestError: if a text is neither a snapshot file nor a revision, or names are missing.
        RevisionError: if a revision's registry can't be used.
    """
    with ExitStack() as stack:
        if without is not None:
            if base is not None:
                raise BadRequestError("name a base, or --without a plugin, not both")
            registry = state.registry
            less = registry.without_plugin(without)
            yield Sides(
                Side(f"without {without}", take(less), less),
                Side("with it", take(registry, report), registry, lock=_lock(state)),
            )
            return
        if base is None:
            raise BadRequestError("name a base: a snapshot file or a git revision, or --without")
        files = all(Path(text).is_file() for text in (base, head) if text is not None)
        repo = None if files else revision.repository(_start(state))
        first = _found(base, repo, state, stack)
        second: Path | Source | None = None
        if head is not None:
            second, name = _found(head, repo, state, stack), head
        elif repo is not None:
            second, name = _source(repo, repo, state), "the working tree"
        else:
            name = "the registry"
        _check([one for one in (first, second) if isinstance(one, Source)])
        if second is None:
            registry = state.registry
            other = Side(name, take(registry, report), registry, lock=_lock(state))
        else:
            other = _opened(second, name, stack, day)
        yield Sides(_opened(first, base, stack, day), other, repo)


def _found(text: str, repo: Path | None, state: State, stack: ExitStack) -> Path | Source:
    """The snapshot file, or the revision's files, that a text names."""
    path = Path(text)
    if path.is_file():
        return path
    if repo is None or not revision.is_revision(repo, text):
        place = "no git repository is here" if repo is None else f"no revision of {repo}"
        raise BadRequestError(f"{text!r} is no snapshot file, and {place}")
    return _source(stack.enter_context(revision.exported(repo, text)), repo, state)


def _opened(place: Path | Source, name: str, stack: ExitStack, day: str | None) -> Side:
    if isinstance(place, Path):
        return Side(name, read(stack.enter_context(place.open(encoding="utf-8")), name))
    if day is not None:
        assessed = Assessed(place, day)
        stack.callback(assessed.close)
        return Side(name, read(assessed.lines(), name), source=place, assessed=assessed)
    lines = revision.take(place)
    stack.callback(lines.close)
    return Side(name, read(lines, name), source=place)


def _source(folder: Path, repo: Path, state: State) -> Source:
    """What is resolved of a revision: its own site file, if the repo has it, and its plugins."""
    there = {tree.name for tree in revision.trees(folder)[0]}
    # What is new since may be installed from the working tree: the revision hasn't got it.
    newer = {tree.name for tree in revision.trees(repo)[0]} - there
    skip = (*state.skip, *sorted(newer))
    site = _site(folder, repo, state)
    beside = site.parent if site is not None and site.is_relative_to(folder.resolve()) else folder
    lock = beside / LOCK
    return Source(
        folder=folder,
        site=site,
        skip=skip,
        allow=state.allow,
        surfaces=state.surface_folder,
        lock=lock if lock.is_file() else None,
        checkout=_checkout(repo, state),
    )


def _site(folder: Path, repo: Path, state: State) -> Path | None:
    """The site file: at its own place in the folder, or where it is, outside of the repo."""
    root = repo.resolve()
    if state.site is None:
        here = Path.cwd().resolve()
        found = sitefile.find(
            folder / (here.relative_to(root) if here.is_relative_to(root) else "")
        )
        if found is not None and found.is_relative_to(folder):
            return found
    named = Path(state.site) if state.site is not None else sitefile.find(root.parent)
    site = named.resolve() if named is not None else None
    if site is None or not site.is_relative_to(root):
        return site
    inside = folder / site.relative_to(root)
    return inside if inside.is_file() else None


def _start(state: State) -> Path:
    """Where the repository is looked for: at the checkout that is named, else here."""
    if state.checkout is None:
        return Path.cwd()
    folder = split(state.checkout)[1]
    if not folder.exists():
        raise BadRequestError(f"{folder} isn't there")
    return folder if folder.is_dir() else folder.parent


def _checkout(repo: Path, state: State) -> tuple[str, str] | None:
    """The importer, and the place of what it reads in the repository."""
    if state.checkout is None:
        return None
    importer, folder = split(state.checkout)
    return importer, str(folder.resolve().relative_to(repo.resolve()))


def _lock(state: State) -> Path | None:
    path = state.lock_path
    return path if path.is_file() else None


def _check(sources: Sequence[Source]) -> None:
    """Sides that hold nothing of the repository would be equal, whatever was changed in it."""
    if sources and not any(map(_holds, sources)):
        raise BadRequestError(
            "nothing of infxreg is in this git repository: no plugin's pyproject.toml, and the "
            "site file isn't in it; compare snapshot files instead"
        )


def _holds(source: Source) -> bool:
    site = source.site
    inside = site is not None and site.resolve().is_relative_to(source.folder.resolve())
    return inside or source.checkout is not None or bool(revision.trees(source.folder)[0])
