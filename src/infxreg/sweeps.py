"""From a recipe's sweeps to its points."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import product

from infxreg.axes import IDENTITY, AxisSpace, whole
from infxreg.records import Recipe, Sweep
from infxreg.scope import AxisValue

MAX_POINTS = 100_000
"""More points than this in one sweep are a mistake: the largest real sweep has some dozens."""

PURPOSE = "purpose"
"""Every point is swept at every purpose, so this axis plays no part in being swept."""

WORKLOAD = "workload"

_FIELD = re.compile(r"\{([^{}]*)\}")


class SweepError(ValueError):
    """A sweep that can't be expanded: an unknown axis, a value out of place, an id twice.

    ``unknown`` says that it only names an axis that nobody declared.
    """

    def __init__(self, message: str, unknown: bool = False) -> None:
        super().__init__(message)
        self.unknown = unknown


def expand(recipe: Recipe, space: AxisSpace) -> dict[str, dict[str, AxisValue]]:
    """The points of a recipe: id -> a value on every axis of the request.

    Raises:
        SweepError: naming the sweep and what is wrong with it.
    """
    points: dict[str, dict[str, AxisValue]] = {}
    seen: dict[tuple[tuple[str, AxisValue], ...], str] = {}
    for sweep in recipe.sweep:
        for axes in _points(recipe, sweep, space):
            name = _fill(sweep.id, axes)
            if name in points:
                raise SweepError(f"two points have the id {name!r}: name more axes in {sweep.id!r}")
            twin = seen.setdefault(tuple(axes.items()), name)
            if twin != name:
                raise SweepError(f"{name!r} is the same point as {twin!r}: sweep it once")
            points[name] = axes
    if not points:
        raise SweepError("a recipe sweeps at least one point")
    return points


def telling(
    recipes: Sequence[str],
    points: Mapping[str, Mapping[str, Mapping[str, AxisValue]]],
    space: AxisSpace,
) -> str | None:
    """An axis of names on which each recipe has one value, and every one another; else None.

    Args:
        recipes: their ids.
        points: the axes of each of their points, by recipe and id.
        space: the axes.
    """
    own: dict[str, list[AxisValue | None]] = {}
    for recipe in recipes:
        values: dict[str, set[AxisValue]] = {}
        for axes in points[recipe].values():
            for axis, value in axes.items():
                values.setdefault(axis, set()).add(value)
        for axis, found in values.items():
            own.setdefault(axis, []).append(found.pop() if len(found) == 1 else None)
    return next(
        (
            axis
            for axis, found in sorted(own.items())
            if space.axes[axis].type == "name"
            and None not in found
            and len(set(found)) == len(recipes)
        ),
        None,
    )


def place(axes: Mapping[str, AxisValue]) -> frozenset[tuple[str, AxisValue]]:
    """What two points share when they are the same one to a sweep: all axes but the purpose."""
    return frozenset(item for item in axes.items() if item[0] != PURPOSE)


def home(recipe: Recipe, point: str, space: AxisSpace) -> Sweep:
    """The sweep that a point of the recipe is from."""
    return next(
        sweep
        for sweep in recipe.sweep
        if any(_fill(sweep.id, axes) == point for axes in _points(recipe, sweep, space))
    )


def fixed_axes(recipe: Recipe, space: AxisSpace) -> dict[str, AxisValue]:
    """The recipe's own axes, and the defaults of the others."""
    axes: dict[str, AxisValue] = {}
    for name in space.request_axes:
        default = space.axes[name].default
        if default is not None:
            axes[name] = default
    axes |= {"sku": recipe.sku, "model": recipe.model, "engine": recipe.engine}
    if recipe.workload is not None:
        axes[WORKLOAD] = recipe.workload
    return axes


def ties(sweep: Sweep) -> dict[str, str]:
    """The axes that a sweep ties to others: axis -> template."""
    return {
        axis: str(values[0])
        for axis, values in sweep.axes.items()
        if len(values) == 1 and isinstance(values[0], str) and _FIELD.search(values[0])
    }


def tied(sweep: Sweep, axes: Mapping[str, AxisValue], space: AxisSpace) -> dict[str, AxisValue]:
    """The axes with the sweep's ties followed.

    Raises:
        SweepError: if a tie gives no value of its axis.
    """
    result = dict(axes)
    for axis, template in ties(sweep).items():
        text = _fill(template, axes)
        number = whole(text) if axis in space.axes and space.axes[axis].type == "int" else None
        result[axis] = text if number is None else number
    return result


def _points(recipe: Recipe, sweep: Sweep, space: AxisSpace) -> list[dict[str, AxisValue]]:
    own = {*IDENTITY, WORKLOAD}
    for axis in sweep.axes:
        if axis not in space.request_axes:
            raise SweepError(f"{axis} is no axis that a sweep can name", axis not in space.axes)
        if axis == PURPOSE:
            raise SweepError("purpose is no axis to sweep: every point is swept at every purpose")
        if axis in own:
            raise SweepError(f"{axis} is the recipe's own: one recipe a {axis}")
    base = fixed_axes(recipe, space)
    free = {axis: values for axis, values in sweep.axes.items() if axis not in ties(sweep)}
    count = math.prod(len(values) for values in free.values())
    if count > MAX_POINTS:
        raise SweepError(f"{count} points are more than a sweep may have ({MAX_POINTS})")
    points: list[dict[str, AxisValue]] = []
    for values in product(*free.values()):
        axes = tied(sweep, {**base, **dict(zip(free, values, strict=True))}, space)
        for axis in sweep.axes:
            if not space.admits(axis, axes[axis]):
                raise SweepError(f"{axes[axis]!r} is no value of axis {axis}")
        points.append(axes)
    return points


def _fill(template: str, axes: Mapping[str, AxisValue]) -> str:
    def value(match: re.Match[str]) -> str:
        if match[1] not in axes:
            raise SweepError(f"{template!r} names {match[1]!r}, which is no axis of the point")
        return str(axes[match[1]])

    return _FIELD.sub(value, template)
