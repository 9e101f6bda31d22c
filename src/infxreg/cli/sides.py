"""What ``impact`` compares: a snapshot file, a git revision, the working tree, the registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from infxreg import revision, sitefile
from infxreg.errors import BadRequestError
from infxreg.snapshot import Snapshot, read, take

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
        first = _side(base, state, stack)
        if head is not None:
            yield Sides(first, _side(head, state, stack), (base, head))
        elif Path(base).is_file():
            yield Sides(first, take(state.registry, report), (base, "the registry"))
        else:
            yield Sides(first, _working_tree(state, stack), (base, "the working tree"))


def _side(text: str, state: State, stack: ExitStack) -> Snapshot:
    path = Path(text)
    if path.is_file():
        return read(stack.enter_context(path.open(encoding="utf-8")), text)
    repo = revision.repository(Path.cwd())
    if repo is None or not revision.is_revision(repo, text):
        place = "no git repository is here" if repo is None else f"no revision of {repo}"
        raise BadRequestError(f"{text!r} is no snapshot file, and {place}")
    folder = stack.enter_context(revision.exported(repo, text))
    return _resolved(_source(folder, repo, state), text, stack)


def _working_tree(state: State, stack: ExitStack) -> Snapshot:
    repo = revision.repository(Path.cwd())
    if repo is None:  # it was there when the base was found
        raise BadRequestError("no git repository is here")
    return _resolved(_source(repo, repo, state), "the working tree", stack)


def _resolved(source: revision.Source, name: str, stack: ExitStack) -> Snapshot:
    found = revision.take(source)
    stack.callback(found.close)
    return read(found, name)


def _source(folder: Path, repo: Path, state: State) -> revision.Source:
    """What is resolved of a revision: the site file at its own place there, if the repo has it."""
    named = Path(state.site) if state.site is not None else sitefile.find()
    site = named.resolve() if named is not None else None
    if site is not None and site.is_relative_to(repo.resolve()):
        inside = folder / site.relative_to(repo.resolve())
        site = inside if inside.is_file() else None
    elif not revision.trees(folder)[0] and not revision.trees(repo)[0]:
        raise BadRequestError(
            f"nothing of infxreg is in {repo}: no plugin's pyproject.toml, and the site file "
            "isn't in it; compare snapshot files instead"
        )
    return revision.Source(folder, site, state.skip, state.allow)
