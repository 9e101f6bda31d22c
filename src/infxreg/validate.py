"""What must hold of each record, given all the others.

Each check yields problems and never raises. A problem that is only an unknown
id is marked, since it is no fault where the plugin that declares it was skipped.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from attrs import evolve, frozen

from infxreg.axes import AxisSpace
from infxreg.errors import UnknownIdError
from infxreg.flags import clash, rendered_by
from infxreg.index import ScopedRule
from infxreg.keys import IMAGE, fit, is_declared, raw_prefix
from infxreg.origin import Origin
from infxreg.records import (
    Arch,
    Axis,
    AxisValues,
    Capability,
    Derivation,
    Engine,
    Gate,
    Image,
    Model,
    Option,
    Recipe,
    Rule,
    SiteSettings,
    Sku,
)
from infxreg.scope import AxisValue, OneOf, Range, Scope, inside
from infxreg.sweeps import SweepError, expand
from infxreg.values import ABSENT, Absent, Derived, FrozenMap, Setting, Value, same, show

RESERVED_AXES = frozenset(
    "point gate no_gate set unset image format json help verbose version site skip_plugin".split()
)
"""Names that are options of the command line, so no axis can take them."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_AXIS_ID = re.compile(r"[a-z][a-z0-9_]*")
_OPTION_ID = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)+")


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
class Context:
    """The records that others refer to, by id."""

    space: AxisSpace
    archs: FrozenMap[str, Arch]
    skus: FrozenMap[str, Sku]
    models: FrozenMap[str, Model]
    images: FrozenMap[str, Image]
    capabilities: FrozenMap[str, Capability]
    engines: FrozenMap[str, Engine]
    options: FrozenMap[str, Option]
    gates: FrozenMap[str, Gate]
    derivations: FrozenMap[str, Derivation]
    points: dict[str, FrozenMap[str, FrozenMap[str, AxisValue]]]
    """Filled by `check_recipe`: recipe -> point id -> axes."""


def check_axis(axis: Axis, context: Context) -> Iterator[Problem]:
    """Its name is free, its default is a value that it admits."""
    if not _AXIS_ID.fullmatch(axis.id):
        yield Problem("id", "an axis is named with small letters, digits and _")
    if axis.id in RESERVED_AXES:
        yield Problem("id", f"--{axis.id.replace('_', '-')} is a command-line option: rename it")
    if axis.facet_of is not None:
        if axis.facet_of not in context.space.axes:
            yield _unknown("facet_of", "axis", axis.facet_of, context.space.axes)
        return
    if axis.type == "int":
        if axis.default is None or not context.space.admits(axis.id, axis.default):
            yield Problem("default", "an int axis needs a positive default")
    elif axis.type == "name" and not isinstance(axis.default, str):
        yield Problem("default", "a name axis needs a default, as text")


def check_axis_values(more: AxisValues, context: Context) -> Iterator[Problem]:
    """The axis exists and takes names."""
    axis = context.space.axes.get(more.axis)
    if axis is None:
        yield _unknown("axis", "axis", more.axis, context.space.axes)
    elif axis.type != "name" or not all(isinstance(value, str) for value in more.values):
        yield Problem("values", f"axis {more.axis} takes no further names")


def check_arch(arch: Arch, context: Context) -> Iterator[Problem]:
    """An id; vendor and platform are free text."""
    yield from _id(arch.id)


def check_sku(sku: Sku, context: Context) -> Iterator[Problem]:
    """Its architecture is known, its numbers are positive."""
    yield from _id(sku.id)
    if sku.arch not in context.archs:
        yield _unknown("arch", "arch", sku.arch, context.archs)
    if sku.memory_gib <= 0:
        yield Problem("memory_gib", "must be positive")
    if sku.gpus_per_node < 1:
        yield Problem("gpus_per_node", "must be positive")
    yield from _facets(sku.facets, "sku", context)


def check_model(model: Model, context: Context) -> Iterator[Problem]:
    """Its offloadable parts name options."""
    yield from _id(model.id)
    for index, part in enumerate(model.offload):
        if part.option not in context.options:
            yield _unknown(f"offload[{index}]", "option", part.option, context.options)
    yield from _facets(model.facets, "model", context)


def check_image(image: Image, context: Context) -> Iterator[Problem]:
    """Its engine and capabilities are known; nothing is both known and lacked."""
    if image.engine not in context.engines:
        yield _unknown("engine", "engine", image.engine, context.engines)
    for name in (*image.knows, *image.lacks):
        if name not in context.capabilities:
            yield _unknown("knows", "capability", name, context.capabilities)
    for name in sorted(set(image.knows) & set(image.lacks)):
        yield Problem("lacks", f"{name} is in knows too")


def check_capability(capability: Capability, context: Context) -> Iterator[Problem]:
    """Its engine is known."""
    if capability.engine not in context.engines:
        yield _unknown("engine", "engine", capability.engine, context.engines)


def check_engine(engine: Engine, context: Context) -> Iterator[Problem]:
    """It renders each option once, in one way, and no two options to one place."""
    yield from _id(engine.id)
    if not engine.argv:
        yield Problem("argv", "an engine's command line begins with something")
    seen: dict[str, str] = {}
    places: dict[str, str] = {}
    for index, render in enumerate(engine.render):
        path = f"render[{index}]"
        option = context.options.get(render.option)
        if option is None:
            yield _unknown(path, "option", render.option, context.options)
            continue
        if (render.flag is None) == (render.env is None):
            yield Problem(path, f"{render.option} is rendered to one flag or one variable")
        if render.json is not None and render.flag is None:
            yield Problem(path, f"{render.option}: json names a key of a flag")
        if render.option in seen:
            yield Problem(path, f"{render.option} is rendered twice")
        seen[render.option] = path
        place = render.env or f"--{render.flag}" + (f".{render.json}" if render.json else "")
        if place in places:
            yield Problem(path, f"{place} is {places[place]}'s already")
        places[place] = render.option
        for choice in render.choices:
            try:
                fit(render.option, choice, context.options)
            except TypeError as error:
                yield Problem(path, f"choice {show(choice)} of {render.option} {error}")


def check_option(option: Option, context: Context) -> Iterator[Problem]:
    """Its name has a dot (``image`` apart) and isn't a raw one."""
    if option.id != IMAGE and not _OPTION_ID.fullmatch(option.id):
        yield Problem("id", "an option is named like attention.backend")
    if raw_prefix(option.id) is not None:
        yield Problem("id", f"{option.id} is in a raw namespace")


def check_gate(gate: Gate, context: Context) -> Iterator[Problem]:
    """Its scope can be read."""
    yield from _id(gate.id)
    yield from _scope(gate.when, "when", context)


def check_rule(rule: Rule, context: Context) -> Iterator[Problem]:
    """Its scopes can be read and lie inside its gates; its values fit what they set."""
    for index, scope in enumerate(rule.when):
        path = "when" if len(rule.when) == 1 else f"when[{index}]"
        yield from _scope(scope, path, context)
        yield from _gates(rule, scope, context)
    for name in rule.require.knows:
        if name not in context.capabilities:
            yield _unknown("require.knows", "capability", name, context.capabilities)
    if rule.require.version is not None:
        from packaging.specifiers import InvalidSpecifier, SpecifierSet

        try:
            SpecifierSet(rule.require.version)
        except InvalidSpecifier:
            yield Problem("require.version", f"{rule.require.version!r} is no version range")
    for key, setting in rule.settings.items():
        yield from _setting(rule, key, setting, context)


def check_recipe(recipe: Recipe, context: Context) -> Iterator[Problem]:
    """Its ids are known, its sweeps expand to distinct points, its default is one of them."""
    yield from _id(recipe.id)
    for kind, records in (
        ("model", context.models),
        ("sku", context.skus),
        ("engine", context.engines),
    ):
        name = getattr(recipe, kind)
        if name not in records:
            yield _unknown(kind, kind, name, records)
    if recipe.workload is not None and not context.space.admits("workload", recipe.workload):
        known = context.space.values.get("workload", ())
        yield _unknown("workload", "workload", recipe.workload, map(str, known))
    for name in recipe.gates:
        if name not in context.gates:
            yield _unknown("gates", "gate", name, context.gates)
    try:
        points = expand(recipe, context.space)
    except SweepError as error:
        yield Problem("sweep", str(error), unknown=error.unknown)
        return
    context.points[recipe.id] = FrozenMap({name: FrozenMap(axes) for name, axes in points.items()})
    if recipe.default_point not in points:
        yield Problem("default_point", f"{recipe.default_point!r} is in no sweep of the recipe")
    for name in recipe.gates:
        gate = context.gates.get(name)
        if gate is not None and not any(
            gate.when.matches(context.space.with_facets(axes), frozenset())
            for axes in points.values()
        ):
            yield Problem("gates", f"no swept point lies in the scope of {name}: {gate.when}")


def check_derivation(derivation: Derivation, context: Context) -> Iterator[Problem]:
    """It can be called."""
    if not callable(derivation.function):
        yield Problem("function", "isn't callable")


def check_site(site: SiteSettings, context: Context) -> Iterator[Problem]:
    """Its gates are known, and none is asked to be both."""
    for name in (*site.open, *site.close):
        if name not in context.gates:
            yield _unknown("open", "gate", name, context.gates)
    for name in sorted(set(site.open) & set(site.close)):
        yield Problem("close", f"gate {name} is opened by the same site file")


CHECKS: dict[type[Any], Callable[[Any, Context], Iterable[Problem]]] = {
    Axis: check_axis,
    AxisValues: check_axis_values,
    Arch: check_arch,
    Sku: check_sku,
    Model: check_model,
    Image: check_image,
    Capability: check_capability,
    Engine: check_engine,
    Option: check_option,
    Gate: check_gate,
    Rule: check_rule,
    Recipe: check_recipe,
    Derivation: check_derivation,
    SiteSettings: check_site,
}


def normalised(rule: Rule, options: Mapping[str, Option]) -> Rule:
    """The rule with its constants as their options' types have them."""
    settings: dict[str, Setting] = {}
    for key, setting in rule.settings.items():
        if not isinstance(setting, (Absent, Derived)):
            setting = fit(key, setting, options)
        settings[key] = setting
    return evolve(rule, settings=FrozenMap(settings))


def cycles(rules: Iterable[ScopedRule]) -> Iterator[tuple[Origin, str]]:
    """The first cycle of keys that derive from each other, scopes ignored."""
    reads: dict[str, set[str]] = {}
    where: dict[str, Origin] = {}
    for scoped in rules:
        for key, setting in scoped.rule.settings.items():
            if isinstance(setting, Derived):
                reads.setdefault(key, set()).update(r for r in setting.reads if is_key(r))
                where.setdefault(key, scoped.origin)
    try:
        TopologicalSorter(reads).prepare()
    except CycleError as error:
        path = error.args[1]
        key = min(name for name in path if name in where)
        yield where[key], "derivations go in a circle: " + " -> ".join(reversed(path))


def is_key(read: str) -> bool:
    """Whether a derivation's read is an option's key; else it is an axis."""
    return "." in read or read == IMAGE


def recipe_clashes(recipes: Iterable[Any], space: AxisSpace) -> Iterator[tuple[str, str]]:
    """Recipes for the same combination, and second defaults."""
    default = space.axes["workload"].default if "workload" in space.axes else None
    combos: dict[tuple[Any, ...], str] = {}
    defaults: dict[tuple[Any, ...], str] = {}
    for recipe in recipes:
        workload = recipe.workload or default
        combo = (recipe.sku, recipe.model, recipe.engine, workload)
        if combo in combos:
            what = " ".join(map(str, combo))
            yield recipe.id, f"recipe {combos[combo]} is for {what} already"
        combos.setdefault(combo, recipe.id)
        if recipe.default:
            place = (recipe.sku, recipe.model, workload)
            if place in defaults:
                yield recipe.id, f"recipe {defaults[place]} is the default there already"
            defaults.setdefault(place, recipe.id)


def _id(name: str) -> Iterator[Problem]:
    if not _ID.fullmatch(name):
        yield Problem("id", f"{name!r} is no id: letters, digits, and . _ - inside")


def _unknown(path: str, kind: str, name: str, known: Iterable[str]) -> Problem:
    return Problem(path, str(UnknownIdError(kind, name, tuple(known))), unknown=True)


def _facets(facets: Mapping[str, Any], carrier: str, context: Context) -> Iterator[Problem]:
    for name in facets:
        axis = context.space.axes.get(name)
        if axis is None or axis.facet_of != carrier:
            known = [a.id for a in context.space.axes.values() if a.facet_of == carrier]
            yield _unknown("facets", f"facet of a {carrier}", name, known)


def _scope(scope: Scope, path: str, context: Context) -> Iterator[Problem]:
    for name, constraint in scope.terms:
        axis = context.space.axes.get(name)
        if axis is None:
            yield _unknown(path, "axis", name, context.space.axes)
            continue
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
                gone = len(bad) == len(constraint.values)
                yield Problem(f"{path}.{name}", message, unknown=True, drops=gone)


def _gates(rule: Rule, scope: Scope, context: Context) -> Iterator[Problem]:
    for name in rule.gates:
        gate = context.gates.get(name)
        if gate is None:
            yield _unknown("gates", "gate", name, context.gates)
        elif not inside(scope, gate.when, context.space):
            yield Problem(
                "when",
                f"the scope ({scope}) doesn't lie inside that of its gate {name} ({gate.when}): "
                "narrow it, or ask the gate's owner to widen the gate",
            )


def _setting(rule: Rule, key: str, setting: Setting, context: Context) -> Iterator[Problem]:
    path = f"set.{key}" if setting is not ABSENT else "unset"
    if not is_declared(key, context.options):
        yield _unknown(path, "option", key, context.options)
        return
    engines = _engines(rule, context)
    for engine in engines:
        neutral = clash(engine, key) if raw_prefix(key) in ("args.", "env.") else None
        if neutral is not None:
            yield Problem(path, f"{key} is what {neutral} renders on {engine.id}: set {neutral}")
    if isinstance(setting, Derived):
        yield from _derived(path, setting, context)
        return
    if isinstance(setting, Absent):
        return
    try:
        value = fit(key, setting, context.options)
    except TypeError as error:
        yield Problem(path, f"{error}: {show(setting)}")
        return
    if key == IMAGE and value not in context.images:
        yield _unknown(path, "image", str(value), context.images)
    if _names_engine(rule):
        for engine in engines:
            yield from _choice(rule, path, key, value, engine)


def _choice(rule: Rule, path: str, key: str, value: Value, engine: Engine) -> Iterator[Problem]:
    render = rendered_by(engine, key)
    if render is None:
        return
    problem = refused(render, value, engine)
    if problem is not None:
        yield Problem(path, problem)
    needed = needed_gates(render, value)
    if needed and not set(needed) & set(rule.gates):
        yield Problem(
            path, f"{show(value)} is allowed on {engine.id} only behind gate {' or '.join(needed)}"
        )


def refused(render: Any, value: Value, engine: Engine) -> str | None:
    """Why an engine refuses a value, or None where it takes it (or declares no choices)."""
    if not render.choices or any(same(value, choice) for choice in render.choices):
        return None
    error = UnknownIdError(
        f"value of {render.option} on {engine.id}",
        str(value),
        tuple(str(choice) for choice in render.choices),
    )
    return str(error)


def needed_gates(render: Any, value: Value) -> tuple[str, ...]:
    """The gates of which one must be open for this value; none if it is free."""
    found: tuple[str, ...] = render.behind.get(value, ()) if isinstance(value, str) else ()
    return found


def _derived(path: str, derived: Derived, context: Context) -> Iterator[Problem]:
    definition = context.derivations.get(derived.function)
    if definition is None:
        yield _unknown(path, "derivation", derived.function, context.derivations)
        return
    for read in derived.reads:
        if is_key(read):
            if not is_declared(read, context.options):
                yield _unknown(path, "option", read, context.options)
        elif read not in context.space.axes:
            yield _unknown(path, "axis", read, context.space.axes)
    try:
        signature = inspect.signature(definition.function)
        signature.bind(*derived.reads, **dict(derived.params))
    except (TypeError, ValueError) as error:
        yield Problem(path, f"derivation {derived.function} can't be called so: {error}")


def _engines(rule: Rule, context: Context) -> list[Engine]:
    if not _names_engine(rule):
        return list(context.engines.values())
    named: set[Any] = set()
    for scope in rule.when:
        constraint = scope.get("engine")
        if isinstance(constraint, OneOf):
            named |= constraint.values
    return [engine for name, engine in context.engines.items() if name in named]


def _names_engine(rule: Rule) -> bool:
    return all(isinstance(scope.get("engine"), OneOf) for scope in rule.when)
