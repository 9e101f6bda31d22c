"""The registry: frozen, made of contributions, resolving without side effects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from types import NoneType
from typing import Any

from attrs import evolve, field, frozen

from infxreg.catalogue import Catalogue, build
from infxreg.contribution import Contribution, Placed, read_site
from infxreg.errors import BadRequestError, Fault, RegistryFaults, UnknownIdError
from infxreg.points import Point, Wanted, complete, locate, swept_points
from infxreg.records import Record
from infxreg.request import Choices
from infxreg.resolve import resolve_point
from infxreg.scope import AxisValue
from infxreg.spec import LaunchSpec
from infxreg.sweeps import PURPOSE
from infxreg.values import FrozenMap, Value, as_value


@frozen(eq=False)
class Registry:
    """Models, images, SKUs and the rules for launching them. Frozen: `with_*` return new ones.

    It can be shared between threads. It reads neither environment nor working directory.
    """

    contributions: tuple[Contribution, ...]
    site: Contribution | None = None
    skipped: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()
    """Plugins that came by `with_plugin`: taking them out is never having had them."""
    gone: tuple[Contribution, ...] = ()
    """Plugins that `without_plugin` took out: scopes that name what they declared still compare."""
    surface_folder: Path | None = None
    """Where the user keeps surfaces of engine builds that no plugin ships."""
    catalogue: Catalogue = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        built = build(self.contributions, self.site, self.skipped, self.gone, self.surface_folder)
        object.__setattr__(self, "catalogue", built)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Everything that is wrong; while there is any, nothing resolves."""
        return self.catalogue.faults

    def check(self) -> None:
        """Nothing, if the registry can be used.

        Raises:
            RegistryFaults: with all faults.
        """
        if self.faults:
            raise RegistryFaults(self.faults)

    def resolve(
        self,
        point: Point | str | None = None,
        *,
        sku: str | None = None,
        model: str | None = None,
        engine: str | None = None,
        gates: Iterable[str] = (),
        no_gates: Iterable[str] = (),
        image: str | None = None,
        set: Mapping[str, Any] | None = None,
        unset: Iterable[str] = (),
        **axes: Any,
    ) -> LaunchSpec:
        """The launch spec of a point.

        Args:
            point: a point of `points`, or the id of one (``"tp4_c16"``).
            sku: a SKU's id.
            model: a model's id.
            engine: an engine's id; left out, the recipe marked default decides.
            gates: gates to open.
            no_gates: gates to keep closed.
            image: an image reference that takes the place of the rules' one.
            set: values over those of every rule, by key.
            unset: keys to make absent.
            **axes: values of further axes: ``tp=4, conc=16, purpose="eval"``.

        Raises:
            RegistryFaults: if the registry has faults.
            UnknownIdError: for an id, axis, key or gate that nobody declares.
            RequestError: for a request that can't be used as it stands.
            ResolveError: if the values at the point conflict or can't be launched.
        """
        self.check()
        named = {axis: value for axis, value in axes.items() if value is not None}
        for axis, value in (("sku", sku), ("model", model), ("engine", engine)):
            if value is not None:
                named[axis] = value
        if isinstance(point, Point):
            place = locate({**point.axes, **named}, self.catalogue)
        else:
            place = self._place(point, named)
        choices = Choices(
            gates=_names(gates, "gates"),
            no_gates=_names(no_gates, "no_gates"),
            image=image,
            set=FrozenMap({key: _value(key, value) for key, value in (set or {}).items()}),
            unset=_names(unset, "unset"),
        )
        return resolve_point(place, choices, self.catalogue)

    def points(self, **axes: AxisValue | Sequence[AxisValue]) -> Iterator[Point]:
        """The swept points, filtered: ``points(sku="b200", tp=[2, 4])``.

        Facets filter too: ``points(vendor="amd")``. Every point is swept at every
        purpose; ``purpose`` says at which to give it, ``serve`` by default.

        Raises:
            RegistryFaults: if the registry has faults.
            UnknownIdError: for an axis, or a value of it, that nobody declares.
        """
        self.check()
        space = self.catalogue.space
        for axis in axes:
            if axis not in space.axes:
                raise UnknownIdError("axis", axis, tuple(space.axes))
        wanted = {
            axis: [value] if isinstance(value, (str, int)) else list(value)
            for axis, value in axes.items()
        }
        for axis, values in wanted.items():
            for value in values:
                if not space.admits(axis, value):
                    known = tuple(str(item) for item in space.values.get(axis, ()))
                    raise UnknownIdError(axis, str(value), known)
        return self._filtered(wanted)

    def with_plugin(self, plugin: Contribution | str, *records: Record) -> Registry:
        """A registry with one more plugin: a contribution, or a name and records.

        Raises:
            BadRequestError: if a plugin of that name is there.
        """
        if isinstance(plugin, str):
            plugin = Contribution.of(plugin, *records)
        if any(other.plugin == plugin.plugin for other in self.contributions):
            raise BadRequestError(f"a plugin named {plugin.plugin} is there: take it out first")
        added = self.added | ({plugin.plugin} - self.skipped)
        kept = self.skipped - {plugin.plugin}
        gone = tuple(other for other in self.gone if other.plugin != plugin.plugin)
        return evolve(
            self,
            contributions=(*self.contributions, plugin),
            skipped=kept,
            added=added,
            gone=gone,
        )

    def without_plugin(self, name: str) -> Registry:
        """A registry without a plugin. Records that name what only it declared lie dormant.

        Raises:
            UnknownIdError: if there is no such plugin.
        """
        names = tuple(other.plugin for other in self.contributions)
        if name not in names:
            raise UnknownIdError("plugin", name, names)
        kept = tuple(other for other in self.contributions if other.plugin != name)
        if name in self.added:
            return evolve(self, contributions=kept, added=self.added - {name})
        (taken,) = (other for other in self.contributions if other.plugin == name)
        gone = (*self.gone, taken)
        return evolve(self, contributions=kept, skipped=self.skipped | {name}, gone=gone)

    def with_records(self, plugin: str, *records: Record) -> Registry:
        """A registry in which a plugin contributes more records.

        Raises:
            UnknownIdError: if there is no such plugin.
        """
        names = tuple(other.plugin for other in self.contributions)
        if plugin not in names:
            raise UnknownIdError("plugin", plugin, names)
        more = tuple(Placed(record) for record in records)
        changed = tuple(
            other.with_placed((*other.placed, *more)) if other.plugin == plugin else other
            for other in self.contributions
        )
        return evolve(self, contributions=changed)

    def with_site(self, site: Contribution | None) -> Registry:
        """A registry with this site layer, or with none."""
        return evolve(self, site=site)

    def _place(self, point: str | None, named: Mapping[str, Any]) -> Point:
        sku, model, engine = (named.get(axis) for axis in ("sku", "model", "engine"))
        if not isinstance(sku, str) or not isinstance(model, str):
            raise BadRequestError("name a SKU and a model, or give a point")
        if not isinstance(engine, (str, NoneType)) or not isinstance(point, (str, NoneType)):
            raise BadRequestError("engine and point are ids, as text")
        wanted = Wanted(
            sku=sku,
            model=model,
            engine=engine,
            point=point,
            axes=FrozenMap({k: v for k, v in named.items() if k not in ("sku", "model", "engine")}),
        )
        return complete(wanted, self.catalogue)

    def _filtered(self, wanted: Mapping[str, list[AxisValue]]) -> Iterator[Point]:
        purposes = wanted.get(PURPOSE)
        for point in swept_points(self.catalogue):
            axes = self.catalogue.space.with_facets(point.axes)
            if all(axes.get(a) in values for a, values in wanted.items() if a != PURPOSE):
                if purposes is None:
                    yield point
                else:
                    yield from (point.at(**{PURPOSE: purpose}) for purpose in purposes)


def discover(
    site: str | PathLike[str] | None = None,
    *,
    skip: Iterable[str] = (),
    allow: Iterable[str] | None = None,
    surfaces: str | PathLike[str] | None = None,
) -> Registry:
    """The registry of all installed plugins.

    Args:
        site: a site file (``infxreg.toml``) for the site layer; none is looked for.
        skip: plugins to go on without, by name.
        allow: if given, only these plugins are loaded.
        surfaces: the folder of what ``infxreg engine add`` keeps; none is looked for.

    Returns:
        A registry; a plugin or file that can't be used is among its ``faults``, and
        `Registry.resolve` then refuses.

    Raises:
        UnknownIdError: if ``skip`` or ``allow`` names a plugin that isn't installed.
        BadRequestError: if the site file can't be read.
    """
    from infxreg import plugins

    contributions, skipped = plugins.load(
        _names(skip, "skip"), None if allow is None else _names(allow, "allow")
    )
    return Registry(
        contributions,
        None if site is None else site_layer(site),
        skipped,
        surface_folder=None if surfaces is None else Path(surfaces),
    )


def site_layer(path: str | PathLike[str], name: str | None = None) -> Contribution:
    """The contribution of a site file.

    Args:
        path: where it is.
        name: what origins call it; else the path.

    Raises:
        BadRequestError: if it can't be read.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise BadRequestError(f"the site file can't be read: {error}") from error
    return read_site(str(path) if name is None else name, data)


def _names(names: Iterable[str], what: str) -> tuple[str, ...]:
    if isinstance(names, str):
        raise BadRequestError(f"{what} is a list of names, not one text: [{names!r}]")
    listed = tuple(dict.fromkeys(names))
    if not all(isinstance(name, str) for name in listed):
        raise BadRequestError(f"{what} is a list of names, as text")
    return listed


def _value(key: object, raw: Any) -> Value:
    if not isinstance(key, str):
        raise BadRequestError(f"an option's key is text, not {type(key).__name__}")
    try:
        return as_value(raw)
    except TypeError as error:
        raise BadRequestError(f"{key}: {error}") from error
