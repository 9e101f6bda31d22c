"""What only the forge knows of a change: sign-offs, runs, merged recipes, as a JSON file says."""

from __future__ import annotations

import functools
import json
from typing import Any

from attrs import field, frozen

from infxreg.errors import InfxregError
from infxreg.records import Shows
from infxreg.tables import read_as
from infxreg.values import FrozenMap


@frozen
class FactsError(InfxregError):
    """A file of facts that can't be used: everything that is wrong with it."""

    where: str
    problems: tuple[str, ...]

    def __str__(self) -> str:
        lines = "\n".join(f"  {problem}" for problem in self.problems)
        return f"{self.where} can't be used as --facts:\n{lines}"


@frozen(kw_only=True)
class SignOff:
    """A reviewer's sign-off.

    Attributes:
        author: who signed.
        codeowner: whether a file of owners names them for what the change touches.
        head: the commit that was assessed.
        missing: items of the current checklist that it lacks or leaves unchecked.
        url: where it stands.
    """

    author: str
    codeowner: bool | None = None
    head: str | None = None
    missing: tuple[str, ...] | None = None
    url: str | None = None


@frozen(kw_only=True)
class ForgeRun:
    """A run of the benchmark.

    Attributes:
        id: its number.
        shows: ``performance`` or ``accuracy``.
        commit: the commit that it ran on.
        conclusion: ``success``, or how else it ended.
        image: what it ran.
        metrics: by name.
        thresholds: the least that a metric may be.
        url: where it stands.
    """

    id: str
    shows: Shows
    commit: str
    conclusion: str
    image: str | None = None
    metrics: FrozenMap[str, float] = field(factory=FrozenMap)
    thresholds: FrozenMap[str, float] = field(factory=FrozenMap)
    url: str | None = None


@frozen(kw_only=True)
class Reuse:
    """A command that takes an earlier run for this change, and whether its author may give it."""

    run: str
    by: str
    authorized: bool
    url: str | None = None


@frozen(kw_only=True)
class UpstreamRecipe:
    """Documentation of the launch in the engine's own project; ``recipes`` are ours that it is of.

    Without any, it is for all that the change touches.
    """

    url: str
    merged: bool
    recipes: tuple[str, ...] = ()


@frozen(kw_only=True)
class Curve:
    """A curve of measurements: how many are valid, and how many no other one beats."""

    name: str
    measured: int
    frontier: int
    url: str | None = None


@frozen(kw_only=True)
class Facts:
    """The facts of a change. What is None isn't known.

    Attributes:
        head: the commit under review.
        commits: those that are in the change now.
        signoff: the reviewer's sign-off.
        runs: of the benchmark.
        reuse: the command that reuses a run; ``reused`` false says that there is none.
        recipes: upstream documentation.
        curves: what the change affects.
        patches: files of the change that patch an engine; an empty list says that somebody looked.
    """

    head: str | None = None
    commits: tuple[str, ...] = ()
    signoff: SignOff | None = None
    runs: tuple[ForgeRun, ...] | None = None
    reuse: Reuse | None = None
    reused: bool | None = None
    recipes: tuple[UpstreamRecipe, ...] | None = None
    curves: tuple[Curve, ...] | None = None
    patches: tuple[str, ...] | None = None


NOTHING = Facts()
"""No facts at all."""


def read_facts(text: str, where: str) -> Facts:
    """The facts of a file.

    Args:
        text: JSON.
        where: what errors call it.

    Raises:
        FactsError: with everything that is wrong.
    """
    try:
        data: Any = json.loads(text, object_pairs_hook=functools.partial(_once_each, where))
    except (ValueError, RecursionError) as error:
        raise FactsError(where, (f"not JSON: {error}",)) from error
    found = read_as(data, Facts)
    if not isinstance(found, Facts):
        raise FactsError(
            where,
            tuple(f"{fault.path.lstrip('.') or 'the file'}: {fault.message}" for fault in found),
        )
    return found


def _once_each(where: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object that says a key twice: of two values one would be lost."""
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        raise FactsError(where, tuple(f"the key {key!r} stands twice" for key in twice))
    return made
