"""Resolve a point to a launch spec: gates, then each key's contest, layers, derivations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from infxreg import checks, gates
from infxreg.catalogue import Catalogue
from infxreg.derive import Values
from infxreg.errors import NoValueError, PurposeError, UnusableValueError, ValueProblem
from infxreg.flags import needed_gates, refused
from infxreg.index import ScopedRule
from infxreg.keys import IMAGE, raw_prefix
from infxreg.pick import pick
from infxreg.points import Point, describe, non_default
from infxreg.records import Image
from infxreg.references import digest_of, image_of
from infxreg.render import Rendered, raw_values, render
from infxreg.request import Choices, requested
from infxreg.scope import AxisValue, OneOf, Scope
from infxreg.spec import (
    Frontend,
    LaunchSpec,
    ResolvedOption,
    Resources,
    SpecImage,
    SpecModel,
    SpecPoint,
    Timeouts,
)
from infxreg.sweeps import PURPOSE
from infxreg.values import Derived, FrozenMap, Value, show


def resolve_point(
    point: Point, choices: Choices, catalogue: Catalogue, *, checked: bool = True
) -> LaunchSpec:
    """The launch spec of a point.

    Args:
        point: a value on every axis.
        choices: what a request wants otherwise.
        catalogue: the registry's records.
        checked: whether the spec's checks are made: they change nothing else, and take a while.

    Raises:
        RequestError: if gates, purpose, keys or values of the request can't be used.
        ResolveError: if keys conflict, a derivation fails, or a value can't be launched.
    """
    where = describe(point.axes, catalogue.space)
    facets = catalogue.space.with_facets(point.axes)
    opened = gates.settle(point, facets, choices.gates, choices.no_gates, catalogue)
    lower = list(catalogue.plugin_rules.matching(facets, opened))
    upper = list(catalogue.site_rules.matching(facets, opened))
    _check_purpose(point, where, [*lower, *upper], catalogue)
    picked = pick(lower, upper, requested(point, choices, catalogue), where, catalogue)
    values = Values(picked, facets, where, catalogue)
    options = FrozenMap({key: values.option(key) for key in sorted(picked)})
    used = {axis for scoped in (*lower, *upper) for axis, _ in scoped.scope.terms}
    used |= {
        name
        for taken in picked.values()
        if isinstance(taken.setting, Derived)
        for name in taken.setting.reads
    }
    spec, image = _assemble(point, where, opened, options, frozenset(used), catalogue)
    if not checked:
        return spec
    rules = {scoped.origin: scoped.rule for pick in picked.values() for scoped in pick.rules}
    return checks.with_checks(spec, checks.Subject(spec, image, rules, frozenset(used), catalogue))


def _check_purpose(
    point: Point, where: str, matching: Iterable[ScopedRule], catalogue: Catalogue
) -> None:
    """A purpose that no rule of the engine names would silently give another purpose's values."""
    purpose = point.axes.get(PURPOSE)
    if purpose is None or purpose == catalogue.space.axes[PURPOSE].default:
        return
    for scoped in matching:
        scope = scoped.scope
        if _lists(scope, PURPOSE, purpose) and _lists(scope, "engine", point.engine):
            return
    known = {
        str(value)
        for scoped in matching
        if isinstance(named := scoped.scope.get(PURPOSE), OneOf)
        for value in named.values
    }
    raise PurposeError(str(purpose), point.engine, where, tuple(sorted(known)))


def _lists(scope: Scope, axis: str, value: AxisValue) -> bool:
    constraint = scope.get(axis)
    return constraint is not None and value in constraint


def _assemble(
    point: Point,
    where: str,
    opened: frozenset[str],
    options: FrozenMap[str, ResolvedOption],
    used: frozenset[str],
    catalogue: Catalogue,
) -> tuple[LaunchSpec, Image | None]:
    values = {key: option.value for key, option in options.items() if option.value is not None}
    engine = catalogue.engines[point.engine]
    model = catalogue.models[point.model]
    sku = catalogue.skus[point.sku]
    reference = str(_needed(IMAGE, values, where, "name one with --image"))
    image = image_of(reference, catalogue)
    rendered = render(engine, model, values, used, catalogue.options)
    _refuse(point, where, opened, options, rendered, catalogue)
    gpus = _needed("resources.gpus", values, where, f"engine {engine.id} should derive it")
    per_node = sku.gpus_per_node
    ready = values.get("timeout.engine_ready_s")
    frontend_type = values.get("frontend.type")
    client = {name: str(v) for name, v in raw_values(values, "client_env.").items()}
    setup = values.get("setup.script")
    spec = LaunchSpec(
        point=SpecPoint(point.axes, point.id, point.recipe.id if point.recipe else None),
        sku=point.sku,
        model=SpecModel(model.id, model.hub_id, model.revision),
        engine=engine.id,
        image=SpecImage(reference, (image and image.digest) or digest_of(reference)),
        argv=rendered.argv,
        env=rendered.env,
        resources=Resources(-(-gpus // per_node), per_node, gpus),
        timeouts=Timeouts(
            ready if isinstance(ready, int) else None,
            _needed("timeout.health_interval_s", values, where, "set it"),
            _needed("timeout.health_attempts", values, where, "set it"),
        ),
        client_env=FrozenMap(client),
        frontend=_frontend(frontend_type, values),
        setup=setup if isinstance(setup, str) else None,
        gates=tuple(sorted(opened)),
        moved_axes=FrozenMap(
            {
                axis: value
                for axis, value in sorted(non_default(point.axes, catalogue.space).items())
                if axis not in ("sku", "model", "engine")
            }
        ),
        options=options,
    )
    return spec, image


def _needed(key: str, values: Mapping[str, Value], where: str, hint: str) -> Any:
    if key not in values:
        raise NoValueError(key, where, hint)
    return values[key]


def _frontend(kind: Value | None, values: Mapping[str, Value]) -> Frontend | None:
    arguments = raw_values(values, "frontend.args.")
    if kind is None:
        return None
    return Frontend(str(kind), FrozenMap(arguments))


def _refuse(
    point: Point,
    where: str,
    opened: Collection[str],
    options: Mapping[str, ResolvedOption],
    rendered: Rendered,
    catalogue: Catalogue,
) -> None:
    """Raise for values that can't be launched, all in one go."""
    engine = catalogue.engines[point.engine]
    problems = list(rendered.problems)
    frontend = options.get("frontend.type")
    if frontend is None or frontend.value is None:
        problems += [
            (key, "there is no frontend to take it: set frontend.type")
            for key, option in options.items()
            if raw_prefix(key) == "frontend.args." and option.value is not None
        ]
    for how in engine.render:
        key, option = how.option, options.get(how.option)
        if option is None or option.value is None:
            continue
        message = refused(how, option.value, engine)
        if message is not None:
            problems.append((key, message))
        gates_needed = needed_gates(how, option.value)
        if gates_needed and not set(gates_needed) & set(opened):
            allowed = " or ".join(gates_needed)
            problems.append((key, f"{show(option.value)} is allowed only behind gate {allowed}"))
    if problems:
        found = tuple(
            ValueProblem(key, message, str(options[key].origin))
            for key, message in sorted(problems)
        )
        raise UnusableValueError(where, found)
