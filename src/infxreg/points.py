"""Points: from a request's words to one value on every axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import evolve, field, frozen

from infxreg import sweeps
from infxreg.axes import IDENTITY, AxisSpace
from infxreg.catalogue import Catalogue
from infxreg.errors import (
    BadRequestError,
    EngineChoiceError,
    OffSweepError,
    UnknownIdError,
    UnknownPointError,
)
from infxreg.records import Recipe
from infxreg.scope import AxisValue
from infxreg.sweeps import PURPOSE, WORKLOAD
from infxreg.values import FrozenMap


@frozen
class Point:
    """One value on every axis of the request.

    ``id`` and ``recipe`` are those of the swept point that it is, or None off every
    sweep.
    """

    axes: FrozenMap[str, AxisValue]
    id: str | None = None
    recipe: Recipe | None = field(default=None, eq=False)

    @property
    def sku(self) -> str:
        """The SKU's id."""
        return str(self.axes["sku"])

    @property
    def model(self) -> str:
        """The model's id."""
        return str(self.axes["model"])

    @property
    def engine(self) -> str:
        """The engine's id."""
        return str(self.axes["engine"])

    def __getitem__(self, axis: str) -> AxisValue:
        return self.axes[axis]

    def at(self, **axes: AxisValue) -> Point:
        """The same point with other values on some axes; the id stays if only the purpose moves."""
        moved = FrozenMap({**self.axes, **axes})
        if set(axes) <= {PURPOSE}:
            return evolve(self, axes=moved)
        return Point(moved)


def describe(axes: Mapping[str, AxisValue], space: AxisSpace) -> str:
    """A point in words: its identity, and the axes that differ from their defaults."""
    shown = [axis for axis in IDENTITY if axis in axes]
    shown += [axis for axis in sorted(non_default(axes, space)) if axis not in IDENTITY]
    return " ".join(f"{axis}={axes[axis]}" for axis in shown)


def non_default(axes: Mapping[str, AxisValue], space: AxisSpace) -> dict[str, AxisValue]:
    """The axes whose value isn't the default."""
    return {axis: value for axis, value in axes.items() if value != space.axes[axis].default}


def swept_points(catalogue: Catalogue) -> Iterator[Point]:
    """Every point of every recipe, by recipe id and in the sweeps' order."""
    for name in sorted(catalogue.recipes):
        recipe = catalogue.recipes[name]
        for point, axes in catalogue.points[name].items():
            yield Point(axes, point, recipe)


@frozen(kw_only=True)
class Wanted:
    """What a request says of the point."""

    sku: str
    model: str
    engine: str | None = None
    point: str | None = None
    axes: FrozenMap[str, AxisValue] = field(factory=FrozenMap)


def complete(wanted: Wanted, catalogue: Catalogue) -> Point:
    """The point that a request means.

    Axes that it doesn't name take the recipe's default point's values.

    Raises:
        UnknownIdError: for an unknown SKU, model, engine, axis or axis value.
        EngineChoiceError: if no engine is named and none is the default.
        UnknownPointError: if the recipe has no point of that id.
        OffSweepError: if what was named is swept, but not with the default's other values.
        BadRequestError: if a point id and an axis contradict each other.
    """
    space = catalogue.space
    _require("sku", wanted.sku, catalogue.skus)
    _require("model", wanted.model, catalogue.models)
    if wanted.engine is not None:
        _require("engine", wanted.engine, catalogue.engines)
    named = {axis: space.parse(axis, value) for axis, value in wanted.axes.items()}
    for axis in IDENTITY:
        given = getattr(wanted, axis)
        if axis in named and given is not None and named[axis] != given:
            raise BadRequestError(f"{axis} is {given} and {named[axis]} in one request")
        if given is not None:
            named[axis] = given
    recipe = _recipe(wanted, named, catalogue)
    if recipe is None:
        if wanted.point is not None:
            raise BadRequestError(
                f"there is no recipe for {wanted.model} on {wanted.sku} with {named['engine']}, "
                f"so no point {wanted.point!r}: name its axes instead"
            )
        return Point(FrozenMap({**_defaults(space), **named}))
    return _in_recipe(recipe, wanted.point, named, catalogue)


def locate(axes: Mapping[str, AxisValue], catalogue: Catalogue) -> Point:
    """A point from all its axes: with id and recipe if it is swept.

    Raises:
        BadRequestError: if an axis is missing.
    """
    space = catalogue.space
    full = {axis: space.parse(axis, value) for axis, value in axes.items()}
    missing = [axis for axis in space.request_axes if axis not in full]
    if missing:
        raise BadRequestError(f"a point has a value on every axis; missing: {', '.join(missing)}")
    swept = catalogue.swept.get(sweeps.place(full))
    if swept is not None:
        recipe, name = swept
        return Point(FrozenMap(full), name, catalogue.recipes[recipe])
    return Point(FrozenMap(full))


def _recipe(wanted: Wanted, named: Mapping[str, AxisValue], catalogue: Catalogue) -> Recipe | None:
    """The recipe that the request is about; fills in the engine."""
    default = catalogue.space.axes[WORKLOAD].default if WORKLOAD in catalogue.space.axes else None
    workload = named.get(WORKLOAD, default)
    there = catalogue.recipes_of.get((wanted.sku, wanted.model), ())
    found = [
        recipe
        for recipe in there
        if (recipe.workload or default) == workload and named.get("engine") in (None, recipe.engine)
    ]
    if len(found) > 1:
        # Recipes of one engine differ on an axis, which the request may name.
        agreeing = [recipe for recipe in found if _has(recipe, named, catalogue)]
        found = agreeing or found
    marked = [recipe for recipe in found if recipe.default]
    if len({recipe.engine for recipe in found}) == 1 and len(found) > 1 and not marked:
        raise _one_of(found, catalogue)
    if "engine" in named:
        return (marked or found)[0] if found else None
    if len(marked) != 1 and len(found) != 1:
        engines = tuple(sorted(recipe.engine for recipe in found))
        elsewhere = tuple(sorted({str(recipe.workload or default) for recipe in there}))
        raise EngineChoiceError(wanted.sku, wanted.model, str(workload), engines, elsewhere)
    return (marked or found)[0]


def _has(recipe: Recipe, named: Mapping[str, AxisValue], catalogue: Catalogue) -> bool:
    return any(_agrees(axes, named) for axes in catalogue.points[recipe.id].values())


def _one_of(found: Sequence[Recipe], catalogue: Catalogue) -> BadRequestError:
    """The error of a request that several recipes of one engine fit: what to name."""
    names = [recipe.id for recipe in found]
    axis = sweeps.telling(names, catalogue.points, catalogue.space)
    if axis is None:
        return BadRequestError(f"{', '.join(names)} fit: name more axes")
    known = [str(next(iter(catalogue.points[name].values()))[axis]) for name in names]
    return BadRequestError(
        f"{len(names)} recipes of {found[0].engine} fit: name the {axis}: {', '.join(known)}"
    )


def _in_recipe(
    recipe: Recipe, point: str | None, named: Mapping[str, AxisValue], catalogue: Catalogue
) -> Point:
    space, points = catalogue.space, catalogue.points[recipe.id]
    if point is not None:
        if point not in points:
            raise UnknownPointError(point, recipe.id, tuple(points))
        axes = points[point]
        for axis, value in named.items():
            if axis != PURPOSE and axes[axis] != value:
                raise BadRequestError(
                    f"point {point} has {axis}={axes[axis]}, and the request says {axis}={value}"
                )
        return Point(FrozenMap({**axes, **named}), point, recipe)
    default = points[recipe.default_point]
    wished = {**default, **named}
    for sweep in recipe.sweep:
        tied = {**sweeps.tied(sweep, wished, space), **named}
        if sweeps.place(tied) in catalogue.swept:
            return Point(FrozenMap(tied), catalogue.swept[sweeps.place(tied)][1], recipe)
    near = [name for name, axes in points.items() if _agrees(axes, named)]
    if near:
        words = " ".join(f"{axis}={named[axis]}" for axis in sorted(named) if axis not in IDENTITY)
        raise OffSweepError(recipe.id, words, tuple(near))
    home = sweeps.home(recipe, recipe.default_point, space)
    return Point(FrozenMap({**sweeps.tied(home, wished, space), **named}))


def _agrees(axes: Mapping[str, AxisValue], named: Mapping[str, AxisValue]) -> bool:
    return all(axes[axis] == value for axis, value in named.items() if axis != PURPOSE)


def _defaults(space: AxisSpace) -> dict[str, AxisValue]:
    return {
        axis: default
        for axis in space.request_axes
        if (default := space.axes[axis].default) is not None
    }


def _require(kind: str, name: str, known: Mapping[str, object]) -> None:
    if name not in known:
        raise UnknownIdError(kind, name, tuple(known))
