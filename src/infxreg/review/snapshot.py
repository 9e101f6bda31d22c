"""All swept points of a registry, resolved, one line of JSON each: what revisions are compared by.

The lines are in one order (SKU, model, engine, workload, the other axes, purpose), so two
snapshots can be read side by side without holding either. A line says what is launched and
which rule set each option; it says nothing of checks, files or versions. Axes at their
default are left out, so that a new axis moves no point; the first line has the defaults.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import groupby
from pathlib import PurePath
from typing import Any

from attrs import evolve, field, frozen

from infxreg.axes import AxisSpace
from infxreg.catalogue import Catalogue
from infxreg.errors import InfxregError, PurposeError
from infxreg.points import Point, describe, non_default
from infxreg.records import Recipe
from infxreg.registry import Registry
from infxreg.request import Choices
from infxreg.resolve import resolve_point
from infxreg.scope import AxisValue
from infxreg.spec import LaunchSpec, canonical
from infxreg.sweeps import PURPOSE, WORKLOAD
from infxreg.values import FrozenMap

FORMAT = 1
_FIRST = ("sku", "model", "engine", WORKLOAD)
_OWN_PLACE = frozenset({*_FIRST, PURPOSE})
_PARTS = "image argv env resources timeouts client_env frontend setup gates model".split()
"""What an entry tells of a launch spec, beside its options."""

Json = Any
Order = tuple[str, ...]


@frozen
class Set:
    """What an option is set to, and by which rules (``plugin:rule``); a value of None is absent."""

    value: Json
    rules: tuple[str, ...]


@frozen(kw_only=True)
class Entry:
    """One point at one purpose.

    Attributes:
        axes: SKU, model, engine, workload, purpose, and the others that aren't at their default.
        point: its id, and recipe that of its recipe.
        digest: the spec's, or empty where there is none.
        launch: what is started, by part (``argv``, ``env``, ``image`` …).
        options: key to what it is set to.
        error: why there is no spec.
    """

    axes: FrozenMap[str, AxisValue]
    point: str
    recipe: str
    digest: str = ""
    launch: FrozenMap[str, Json] = field(factory=FrozenMap, eq=False)
    options: FrozenMap[str, Set] = field(factory=FrozenMap)
    error: str = ""

    @cached_property
    def place(self) -> Order:
        """Which point it is: its order but for the purpose.

        The other axes are one text, so that a point's purposes stay together whatever its axes
        are called: ``pp=2`` would stand between ``eval`` and ``serve``.
        """
        axes = self.axes
        rest = sorted(item for item in axes.items() if item[0] not in _OWN_PLACE)
        told = "\n".join(f"{name}={_sortable(value)}" for name, value in rest)
        return (*(str(axes.get(axis, "")) for axis in _FIRST), told)

    @cached_property
    def order(self) -> Order:
        """Where it stands among the lines, by its point and purpose alone."""
        return (*self.place, str(self.axes.get(PURPOSE, "")))

    def line(self) -> str:
        """The entry as a line of canonical JSON."""
        data: dict[str, Json] = {
            "axes": dict(self.axes),
            "point": self.point,
            "recipe": self.recipe,
        }
        if self.error:
            return canonical({**data, "error": self.error})
        return canonical(
            {
                **data,
                "digest": self.digest,
                "launch": dict(self.launch),
                "options": {key: [o.value, *o.rules] for key, o in self.options.items()},
            }
        )


@frozen
class Snapshot:
    """What the points of a registry resolve to. The entries can be read once, in order."""

    defaults: FrozenMap[str, AxisValue]
    entries: Iterator[Entry]

    def lines(self) -> Iterator[str]:
        """The lines of the file, without their ends."""
        yield canonical({"infxreg": "snapshot", "format": FORMAT, "defaults": dict(self.defaults)})
        for entry in self.entries:
            yield entry.line()


class SnapshotFormatError(InfxregError):
    """A file that is no snapshot, with the line at fault."""


def take(
    registry: Registry, progress: Callable[[int, int], None] = lambda done, total: None
) -> Snapshot:
    """Every point at every purpose; one is held at a time.

    Args:
        registry: the registry.
        progress: called with (points done, points in all).

    Raises:
        RegistryFaults: if the registry has faults.
    """
    registry.check()
    axes = registry.catalogue.space.axes
    defaults = {name: axis.default for name, axis in axes.items() if axis.default is not None}
    return Snapshot(FrozenMap(dict(sorted(defaults.items()))), _entries(registry, progress))


def read(text: Iterable[str], where: str) -> Snapshot:
    """A snapshot from the lines of its file.

    Raises:
        SnapshotFormatError: at the first line that isn't one, or, while its entries are read,
            is out of order.
    """
    numbered = enumerate(text, 1)
    first = next(numbered, None)
    if first is None:
        raise SnapshotFormatError(f"{where} is empty")
    head = _json(first[1], f"{where} line 1")
    if not isinstance(head, dict) or head.get("infxreg") != "snapshot":
        raise SnapshotFormatError(f"{where} is no snapshot: infxreg snapshot writes one")
    if head.get("format") != FORMAT or not isinstance(head.get("defaults"), dict):
        raise SnapshotFormatError(
            f"{where}: format {head.get('format')!r}; this version reads {FORMAT}"
        )
    return Snapshot(FrozenMap(head["defaults"]), _read_entries(numbered, where))


def _read_entries(numbered: Iterable[tuple[int, str]], where: str) -> Iterator[Entry]:
    last: Order = ()
    for number, line in numbered:
        entry = _read(_json(line, f"{where} line {number}"), f"{where} line {number}")
        if entry.order <= last:
            raise SnapshotFormatError(f"{where} line {number}: out of order, so it was edited")
        last = entry.order
        yield entry


def _json(line: str, where: str) -> Json:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SnapshotFormatError(f"{where}: not JSON: {error}") from error


def _entries(registry: Registry, progress: Callable[[int, int], None]) -> Iterator[Entry]:
    catalogue = registry.catalogue
    purposes = sorted(map(str, catalogue.space.values.get(PURPOSE, ())))
    total = sum(len(points) for points in catalogue.points.values())
    done = 0
    recipes = sorted(catalogue.recipes.values(), key=lambda r: _place(r, catalogue))
    for _, together in groupby(recipes, key=lambda r: _place(r, catalogue)):
        points = [
            Point(axes, name, recipe)
            for recipe in together
            for name, axes in catalogue.points[recipe.id].items()
        ]
        for point in sorted(points, key=lambda p: _blank(p, catalogue.space).order):
            for purpose in purposes:
                entry = _entry(registry, point.at(purpose=purpose))
                if entry is not None:
                    yield entry
            done += 1
            progress(done, total)


def of_spec(spec: LaunchSpec) -> Entry:
    """The entry of a swept point's spec."""
    from infxreg.codec import plain  # only what resolves needs cattrs

    launch = {part: value for part in _PARTS if (value := plain(getattr(spec, part))) is not None}
    return Entry(
        axes=_told(spec.point.axes, spec.moved_axes),
        point=spec.point.id or "",
        recipe=spec.point.recipe or "",
        digest=spec.digest,
        launch=FrozenMap(launch),
        options=FrozenMap(
            {
                key: Set(
                    list(option.value) if isinstance(option.value, tuple) else option.value,
                    tuple(f"{origin.plugin}:{origin.rule}" for origin in option.origins),
                )
                for key, option in spec.options.items()
            }
        ),
    )


def _entry(registry: Registry, point: Point) -> Entry | None:
    try:
        return of_spec(resolve_point(point, Choices(), registry.catalogue, checked=False))
    except PurposeError:
        return None  # the engine's rules know no such purpose, so there is nothing to launch
    except InfxregError as error:
        space = registry.catalogue.space
        # Where it is stands in the line: without it, what is wrong at many points is one text.
        text = str(error).replace(f"at {describe(point.axes, space)}", "at this point")
        for path in _site_paths(registry):  # nor may the folder count that the site file is in
            text = text.replace(path, PurePath(path).name)
        return evolve(_blank(point, space), error=text)


def _site_paths(registry: Registry) -> set[str]:
    placed = registry.site.placed if registry.site is not None else ()
    return {item.where for item in placed if PurePath(item.where).name}


def _blank(point: Point, space: AxisSpace) -> Entry:
    recipe = point.recipe.id if point.recipe else ""
    moved = non_default(point.axes, space)
    return Entry(axes=_told(point.axes, moved), point=point.id or "", recipe=recipe)


def _told(
    axes: Mapping[str, AxisValue], moved: Mapping[str, AxisValue]
) -> FrozenMap[str, AxisValue]:
    kept = {axis: axes[axis] for axis in (*_FIRST, PURPOSE) if axis in axes}
    return FrozenMap({**kept, **moved})


def _place(recipe: Recipe, catalogue: Catalogue) -> Order:
    """Where a recipe's points stand; only those of recipes with the same place are mixed."""
    axes = next(iter(catalogue.points[recipe.id].values()))
    return tuple(str(axes.get(axis, "")) for axis in _FIRST)


def _sortable(value: AxisValue) -> str:
    return f"{value:012}" if isinstance(value, int) else value


def _read(data: Mapping[str, Json], where: str) -> Entry:
    try:
        options = data.get("options", {})
        return Entry(
            axes=FrozenMap(data["axes"]),
            point=data["point"],
            recipe=data["recipe"],
            digest=data.get("digest", ""),
            launch=FrozenMap(data.get("launch", {})),
            options=FrozenMap({key: Set(row[0], tuple(row[1:])) for key, row in options.items()}),
            error=data.get("error", ""),
        )
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise SnapshotFormatError(f"{where}: no point of a snapshot: {error!r}") from error
