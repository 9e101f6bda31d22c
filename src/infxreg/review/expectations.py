"""Claims about points, held against what the points resolve to."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from attrs import frozen

from infxreg.catalogue import Catalogue
from infxreg.errors import InfxregError, PurposeError
from infxreg.keys import fit
from infxreg.origin import Layer, Origin
from infxreg.points import Point, swept_points
from infxreg.records import Expect
from infxreg.registry import Registry
from infxreg.request import Choices
from infxreg.resolve import resolve_point
from infxreg.spec import LaunchSpec, canonical
from infxreg.sweeps import PURPOSE, place
from infxreg.values import Value, show

_NO_GATES: frozenset[str] = frozenset()


@frozen
class Unmet:
    """A claim that doesn't hold: what is the case instead, and at which points."""

    expect: Expect
    origin: Origin
    message: str
    points: tuple[str, ...] = ()


def digest_of(specs: Iterable[LaunchSpec]) -> str:
    """The digest of some points: a single one's own, else one over all of theirs, sorted."""
    digests = sorted(spec.digest for spec in specs)
    if len(digests) == 1:
        return digests[0]
    return "sha256:" + hashlib.sha256(canonical(digests).encode()).hexdigest()


def unmet(registry: Registry) -> Iterator[Unmet]:
    """Every claim of a registry that doesn't hold, each fault once with all its points.

    What a plugin claims is held against what plugins say: a site may mean something else.
    """
    without_site = registry.catalogue
    if registry.site is not None and any(
        origin.layer is Layer.PLUGIN for _, origin in registry.catalogue.expects
    ):
        without_site = registry.with_site(None).catalogue
    for expect, origin in registry.catalogue.expects:
        catalogue = without_site if origin.layer is Layer.PLUGIN else registry.catalogue
        held = list(_points(expect, catalogue))
        if not held:
            scopes = " or ".join(map(str, expect.when))
            yield Unmet(expect, origin, f"holds no swept point: nothing is in {scopes}")
            continue
        found: dict[str, list[str]] = {}
        specs: list[LaunchSpec] = []
        compared = 0
        for point in held:
            try:
                spec = _resolved(point, expect, catalogue)
                twin = _twin(point, expect, catalogue)
                other = None if twin is None else _resolved(twin, expect, catalogue)
            except PurposeError:
                continue  # nothing is launched at that purpose
            except InfxregError as error:
                found.setdefault(f"can't be told: {error}", []).append(_label(point))
                continue
            specs.append(spec)
            compared += other is not None
            told = [*_values(expect, spec, catalogue)]
            if other is not None:
                told += _differences(expect, spec, other)
            for message in told:
                found.setdefault(message, []).append(_label(point))
        if expect.digest is not None and specs and digest_of(specs) != expect.digest:
            message = f"the {len(specs)} specs have {digest_of(specs)}, not {expect.digest}"
            found.setdefault(message, []).extend(map(_label, held))
        if expect.like and not compared and specs:
            like = " ".join(f"{axis}={value}" for axis, value in expect.like.items())
            found.setdefault(f"no swept point has a twin with {like}", [])
        for message, labels in found.items():
            yield Unmet(expect, origin, message, tuple(labels))


def _points(expect: Expect, catalogue: Catalogue) -> Iterator[Point]:
    purposes = [str(purpose) for purpose in catalogue.space.values.get(PURPOSE, ())]
    for point in swept_points(catalogue):
        for purpose in purposes:
            there = point.at(**{PURPOSE: purpose})
            facets = catalogue.space.with_facets(there.axes)
            if any(scope.matches(facets, _NO_GATES) for scope in expect.when):
                yield there


def _resolved(point: Point, expect: Expect, catalogue: Catalogue) -> LaunchSpec:
    return resolve_point(point, Choices(gates=expect.gates), catalogue, checked=False)


def _twin(point: Point, expect: Expect, catalogue: Catalogue) -> Point | None:
    """The swept point with the axes of ``like``, if there is one."""
    if not expect.like:
        return None
    axes = {**point.axes, **expect.like}
    swept = catalogue.swept.get(place(axes))
    if swept is None:
        return None
    recipe, name = swept
    moved = Point(catalogue.points[recipe][name], name, catalogue.recipes[recipe])
    return moved.at(**{PURPOSE: axes[PURPOSE]})


def _values(expect: Expect, spec: LaunchSpec, catalogue: Catalogue) -> Iterator[str]:
    for key, wanted in expect.values.items():
        fitting = fit(key, wanted, catalogue.options)
        if not _same(_value(spec, key), fitting):
            yield f"{key} is {_told(spec, key)}, not {show(fitting)}"
    for key in expect.absent:
        if _value(spec, key) is not None:
            yield f"{key} is {_told(spec, key)}, not absent"


def _differences(expect: Expect, spec: LaunchSpec, other: LaunchSpec) -> Iterator[str]:
    for key in sorted({*spec.options, *other.options} - set(expect.but)):
        if not _same(_value(spec, key), _value(other, key)):
            yield f"{key} is {_told(spec, key)}, and {_told(other, key)} there"


def _value(spec: LaunchSpec, key: str) -> Value | None:
    option = spec.options.get(key)
    return None if option is None else option.value


def _same(one: Value | None, other: Value | None) -> bool:
    return type(one) is type(other) and one == other


def _told(spec: LaunchSpec, key: str) -> str:
    option = spec.options.get(key)
    if option is None:
        return "set by nobody"
    rules = " and ".join(f"{origin.plugin}:{origin.rule}" for origin in option.origins)
    return f"{'absent' if option.value is None else show(option.value)} (by {rules})"


def _label(point: Point) -> str:
    recipe = point.recipe.id if point.recipe else ""
    return f"{recipe} {point.id} {point.axes.get(PURPOSE, '')}"
