"""What ``impact`` compares: a snapshot file, a git revision, the working tree, the registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from infxreg import sitefile
from infxreg.errors import BadRequestError
from infxreg.review import revision
from infxreg.review.revision import Source
from infxreg.review.snapshot import Snapshot, read, take

if TYPE_CHECKING:
    from infxreg.cli.state import State

Progress = Callable[[int, int], None]


@frozen
class Sides:
    """Two snapshots, and what they are called."""

    base: Snapshot
    head: Snapshot
    names: tuple[str, str]


@contextmanager
def sides(
    base: str | None, head: str | None, without: str | None, state: State, report: Progress
) -> Iterator[Sides]:
    """Both snapshots, each to be read once, while the block runs.

    Raises:
        BadRequestError: if a text is neither a snapshot file nor a revision, or names are missing.
        RevisionError: if a revision's registry can't be used.
    """
    with ExitStack() as stack:
        if without is not None:
            if base is not None:
                raise BadRequestError("name a base, or --without a plugin, not both")
            registry = state.registry
            yield Sides(
                take(registry.without_plugin(without)),
                take(registry, report),
                (f"without {without}", "with it"),
            )
            return
        if base is None:
            raise BadRequestError("name a base: a snapshot file or a git revision, or --without")
        files = all(Path(text).is_file() for text in (base, head) if text is not None)
        repo = None if files else revision.repository(Path.cwd())
        first = _found(base, repo, state, stack)
        second: Path | Source | None = None
        if head is not None:
            second, name = _found(head, repo, state, stack), head
        elif repo is not None:
            second, name = _source(repo, repo, state), "the working tree"
        else:
            name = "the registry"
        _check([one for one in (first, second) if isinstance(one, Source)])
        yield Sides(
            _opened(first, base, stack),
            take(state.registry, report) if second is None else _opened(second, name, stack),
            (base, name),
        )


def _found(text: str, repo: Path | None, state: State, stack: ExitStack) -> Path | Source:
    """The snapshot file, or the revision's files, that a text names."""
    path = Path(text)
    if path.is_file():
        return path
    if repo is None or not revision.is_revision(repo, text):
        place = "no git repository is here" if repo is None else f"no revision of {repo}"
        raise BadRequestError(f"{text!r} is no snapshot file, and {place}")
    return _source(stack.enter_context(revision.exported(repo, text)), repo, state)


def _opened(place: Path | Source, name: str, stack: ExitStack) -> Snapshot:
    if isinstance(place, Path):
        return read(stack.enter_context(place.open(encoding="utf-8")), name)
    lines = revision.take(place)
    stack.callback(lines.close)
    return read(lines, name)


def _source(folder: Path, repo: Path, state: State) -> Source:
    """What is resolved of a revision: its own site file, if the repo has it, and its plugins."""
    there = {tree.name for tree in revision.trees(folder)[0]}
    # What is new since may be installed from the working tree: the revision hasn't got it.
    newer = {tree.name for tree in revision.trees(repo)[0]} - there
    skip = (*state.skip, *sorted(newer))
    return Source(folder, _site(folder, repo, state), skip, state.allow, state.surface_folder)


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
    return inside or bool(revision.trees(source.folder)[0])
