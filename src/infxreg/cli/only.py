"""The scope that a change was meant for: ``--only``, of ``impact`` and ``review``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from infxreg.cli.state import State
from infxreg.errors import BadRequestError, UnknownIdError
from infxreg.scope import OneOf, Scope, read_scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from infxreg.axes import AxisSpace
    from infxreg.registry import Registry
    from infxreg.review.impact import Impact
    from infxreg.scope import AxisValue


@frozen
class Only:
    """A scope, the touched points outside it, and how many points there are outside it."""

    scope: Scope
    outside: frozenset[int]
    others: int


def read_only(text: str | None) -> Scope | None:
    """The scope of ``--only``.

    Raises:
        BadRequestError: if the text is no scope.
    """
    if text is None:
        return None
    try:
        return read_scope(text)
    except ValueError as error:
        raise BadRequestError(f"--only: {error}") from error


def only(scope: Scope, impact: Impact, space: AxisSpace) -> Only:
    """What of an impact lies outside a scope.

    Raises:
        UnknownIdError: for an axis or a value that nothing has: a typo would pass for a scope
            that nothing touches.
    """
    check_scope(scope, space, impact.points)
    inside = impact.inside(scope, space)
    return Only(scope, impact.any - inside, len(impact.points) - len(inside))


def check_scope(
    scope: Scope, space: AxisSpace, points: Iterable[Mapping[str, AxisValue]] = ()
) -> None:
    """Nothing, if somebody has each of the scope's axes and values.

    Args:
        scope: what was asked for.
        space: the axes and their values.
        points: what else has values.

    Raises:
        UnknownIdError: for an axis or a value that nothing has.
    """
    for axis, constraint in scope.terms:
        if axis not in space.axes:
            raise UnknownIdError("axis", axis, tuple(space.axes))
        swept = {point[axis] for point in points if axis in point}
        for value in constraint.values if isinstance(constraint, OneOf) else ():
            if value not in swept and not space.admits(axis, value):
                known = sorted({*map(str, space.values.get(axis, ())), *map(str, swept)})
                raise UnknownIdError(axis, str(value), tuple(known))


def known(state: State) -> Registry:
    """The registry that tells of evidence and hardware; plugins that only a revision has aside.

    Of a checkout it isn't: what its revisions launch tells which values there are.
    """
    from infxreg import plugins

    installed = plugins.installed()
    names = {name for plugin in installed for name in (plugin.name, plugin.distribution)}
    skip = tuple(name for name in state.skip if name in names)
    own = skip == state.skip and state.checkout is None
    return state.registry if own else State(skip, state.site).registry
