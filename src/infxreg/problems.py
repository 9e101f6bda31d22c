"""What checks of records share: problems, and the records that others refer to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from attrs import evolve, frozen

from infxreg.errors import UnknownIdError
from infxreg.lookup import Lookup
from infxreg.scope import AxisValue, OneOf, Range, Scope
from infxreg.values import FrozenMap


@frozen
class Problem:
    """What is wrong with a record: where in it, and whether it is only an id that nobody knows.

    ``drops`` is False for what leaves the record usable (one unknown value in a list).
    """

    path: str
    message: str
    unknown: bool = False
    drops: bool = True


@frozen(eq=False, kw_only=True)
class Context(Lookup):
    """What checks look at, and the points that they expand on the way."""

    policies: frozenset[str] = frozenset()
    """The ids of all policies."""
    points: dict[str, FrozenMap[str, FrozenMap[str, AxisValue]]]
    """Filled by `check_recipe`: recipe -> point id -> axes."""


_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def id_problems(name: str) -> Iterator[Problem]:
    """What is wrong with an id."""
    if not _ID.fullmatch(name):
        yield Problem("id", f"{name!r} is no id: letters, digits, and . _ - inside")


def unknown(path: str, kind: str, name: str, known: Iterable[str]) -> Problem:
    """The problem of an id that nobody declares."""
    return Problem(path, str(UnknownIdError(kind, name, tuple(known))), unknown=True)


def scope_problems(scope: Scope, path: str, context: Context) -> Iterator[Problem]:
    """What is wrong with a scope: axes and values that nobody declares, a range out of place."""
    for name, constraint in scope.terms:
        axis = context.space.axes.get(name)
        if axis is None:
            # Nothing has a value on it, so the scope matches nothing; the others still count.
            yield evolve(unknown(path, "axis", name, context.space.axes), drops=False)
            continue
        if constraint == OneOf(frozenset()) or (
            isinstance(constraint, Range)
            and constraint.max is not None
            and constraint.min > constraint.max
        ):
            yield Problem(f"{path}.{name}", f"{constraint} admits nothing")
        if isinstance(constraint, Range):
            if axis.type != "int" or axis.facet_of is not None:
                yield Problem(f"{path}.{name}", "a range needs an integer axis of the request")
            continue
        bad = [value for value in constraint.values if not context.space.admits(name, value)]
        for value in sorted(bad, key=str):
            if axis.type == "int":
                yield Problem(f"{path}.{name}", f"{value!r} is no positive integer")
            else:
                known = tuple(str(item) for item in context.space.values.get(name, ()))
                message = str(UnknownIdError(name, str(value), known))
                yield Problem(f"{path}.{name}", message, unknown=True, drops=False)
