"""What must hold of each record, given all the others.

Each check yields problems and never raises. A problem that is only an unknown
id is marked, since it is no fault where the plugin that declares it was skipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from attrs import evolve

from infxreg.axes import IDENTITY, AxisSpace
from infxreg.flags import rendered_places
from infxreg.keys import IMAGE, fit, is_declared, raw_prefix
from infxreg.problems import Context, Problem, id_problems, scope_problems, unknown
from infxreg.records import (
    Arch,
    Axis,
    AxisValues,
    Capability,
    Derivation,
    Engine,
    EngineSurface,
    Evidence,
    Expect,
    Exporter,
    Gate,
    Image,
    Importer,
    Model,
    Option,
    Policy,
    Recipe,
    Render,
    Rule,
    SiteSettings,
    Sku,
    Waiver,
)
from infxreg.releases import DIGEST, REFERENCE, pattern_problems
from infxreg.scope import AxisValue
from infxreg.sweeps import PURPOSE, WORKLOAD, SweepError, expand, telling
from infxreg.validate_rules import check_rule
from infxreg.values import FrozenMap, show
from infxreg.versions import is_date, is_version

RESERVED_AXES = frozenset(
    "point gate no_gate gates no_gates set unset image format json help verbose version site "
    "skip_plugin self only output without lock locked check changelog pr_link check_changelog "
    "facts lang append_only day from force".split()
)
"""Names that are the command line's or `Registry.resolve`'s own, so no axis can take them."""

_OWN_FACTS = {"sku": ("arch", "vendor", "cpu_arch"), "model": ("family",)}
"""Facets that are fields of records, or follow from one."""

_AXIS_ID = re.compile(r"[a-z][a-z0-9_]*")
_FUNCTION = re.compile(r"\w+(\.\w+)*:\w+")
_LABEL = re.compile(r"[^/@+\s]+/[^/@+\s]+@[^/@+\s]+(\+[^/@+\s]+)*")
_OPTION_ID = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)+")


def check_axis(axis: Axis, context: Context) -> Iterator[Problem]:
    """Its name is free, its default is a value that it admits."""
    if not _AXIS_ID.fullmatch(axis.id):
        yield Problem("id", "an axis is named with small letters, digits and _")
    if axis.id in RESERVED_AXES:
        yield Problem(
            "id", f"--{axis.id.replace('_', '-')} is the command line's own: rename the axis"
        )
    if axis.facet_of is not None:
        if axis.facet_of not in context.space.axes:
            yield unknown("facet_of", "axis", axis.facet_of, context.space.axes)
        elif axis.facet_of not in ("sku", "model"):
            yield Problem("facet_of", "only a sku or a model carries facets")
        return
    if axis.type == "id" and axis.id not in IDENTITY:
        yield Problem("type", f"only {', '.join(IDENTITY)} take ids: make it a name")
    elif axis.type == "int":
        if axis.default is None or not context.space.admits(axis.id, axis.default):
            yield Problem("default", "an int axis needs a positive default")
    elif axis.type == "name" and not isinstance(axis.default, str):
        yield Problem("default", "a name axis needs a default, as text")
    elif axis.type == "name" and not all(isinstance(value, str) for value in axis.values):
        yield Problem("values", "a name axis takes text")


def check_axis_values(more: AxisValues, context: Context) -> Iterator[Problem]:
    """The axis exists and takes names."""
    axis = context.space.axes.get(more.axis)
    if axis is None:
        yield unknown("axis", "axis", more.axis, context.space.axes)
    elif axis.type != "name" or not all(isinstance(value, str) for value in more.values):
        yield Problem("values", f"axis {more.axis} takes no further names")


def check_arch(arch: Arch, context: Context) -> Iterator[Problem]:
    """An id; vendor and platform are free text."""
    yield from id_problems(arch.id)


def check_sku(sku: Sku, context: Context) -> Iterator[Problem]:
    """Its architecture is known, its numbers are positive."""
    yield from id_problems(sku.id)
    if sku.arch not in context.archs:
        yield unknown("arch", "arch", sku.arch, context.archs)
    if sku.memory_gib <= 0:
        yield Problem("memory_gib", "must be positive")
    if sku.gpus_per_node < 1:
        yield Problem("gpus_per_node", "must be positive")
    yield from _facets(sku.facets, "sku", context)


def check_model(model: Model, context: Context) -> Iterator[Problem]:
    """Its offloadable parts name options."""
    yield from id_problems(model.id)
    for name in ("weights_gib", "context_len"):
        number = getattr(model, name)
        if number is not None and number <= 0:
            yield Problem(name, "must be positive")
    for index, part in enumerate(model.offload):
        if part.gib <= 0:
            yield Problem(f"offload[{index}].gib", "must be positive")
        if part.option not in context.options:
            yield unknown(f"offload[{index}]", "option", part.option, context.options)
    for index, gone in enumerate(model.deprecated):
        path = f"deprecated[{index}]"
        if gone.after is not None and not is_date(gone.after):
            yield Problem(path, f"after: {gone.after!r} is no day: write it as 2026-08-03")
        if gone.workload is not None and not context.space.admits(WORKLOAD, gone.workload):
            known = context.space.values.get(WORKLOAD, ())
            yield unknown(path, WORKLOAD, gone.workload, map(str, known))
    yield from _facets(model.facets, "model", context)


def check_image(image: Image, context: Context) -> Iterator[Problem]:
    """Its engine and capabilities are known; nothing is both known and lacked."""
    if image.engine not in context.engines:
        yield unknown("engine", "engine", image.engine, context.engines)
    match = REFERENCE.fullmatch(image.id)
    if match is None:
        yield Problem("id", f"{image.id!r} is no image reference: name:tag, or name@sha256:…")
    if image.digest is not None and not DIGEST.fullmatch(image.digest):
        yield Problem("digest", f"{image.digest!r} is no digest: sha256: and 64 hex digits")
    elif match is not None and image.digest and match["digest"] not in (None, image.digest):
        yield Problem("digest", "isn't the one in the reference")
    for version in image.between or ():
        if not is_version(version):
            yield Problem("between", f"{version!r} is no version")
    if image.date is not None and not is_date(image.date):
        yield Problem("date", f"{image.date!r} is no day: write it as 2026-09-22")
    for name in (*image.knows, *image.lacks):
        if name not in context.capabilities:
            yield unknown("knows", "capability", name, context.capabilities)
    for name in sorted(set(image.knows) & set(image.lacks)):
        yield Problem("lacks", f"{name} is in knows too")


def check_capability(capability: Capability, context: Context) -> Iterator[Problem]:
    """Its engine is known."""
    if capability.engine not in context.engines:
        yield unknown("engine", "engine", capability.engine, context.engines)
    for name in ("since", "removed_in"):
        version = getattr(capability, name)
        if version is not None and not is_version(version):
            yield Problem(name, f"{version!r} is no version")
    if capability.flag is None and (capability.key or capability.value) is not None:
        yield Problem("flag", "a key or value is one of a flag: name it")


def check_engine(engine: Engine, context: Context) -> Iterator[Problem]:
    """It renders each option once, in one way, and no two options to one place."""
    yield from id_problems(engine.id)
    for pattern in engine.release_images:
        yield from (Problem("release_images", words) for words in pattern_problems(pattern))
    if engine.starts is not None and engine.starts not in context.engines:
        yield unknown("starts", "engine", engine.starts, context.engines)
    if not engine.argv:
        yield Problem("argv", "an engine's command line begins with something")
    seen: dict[str, str] = {}
    places: dict[str, Render] = {}
    for index, render in enumerate(engine.render):
        path = f"render[{index}]"
        option = context.options.get(render.option)
        if option is None:
            yield unknown(path, "option", render.option, context.options)
            continue
        if (render.flag is None) == (render.env is None):
            yield Problem(path, f"{render.option} is rendered to one flag or one variable")
        if render.json is not None and render.flag is None:
            yield Problem(path, f"{render.option}: json names a key of a flag")
        if render.option in seen:
            yield Problem(path, f"{render.option} is rendered twice")
        seen[render.option] = path
        for place in rendered_places(render):
            other = places.setdefault(place, render)
            if other is not render and not _leaves(render, other):
                leaf = f".{render.json}" if render.json else ""
                yield Problem(path, f"{place}{leaf} is {other.option}'s already")
        for value, gates in render.behind.items():
            if not gates:
                yield Problem(path, f"{show(value)} of {render.option} stands behind no gate")
            if render.choices and value not in render.choices:
                yield Problem(path, f"{show(value)} is no choice of {render.option}")
        for choice in render.choices:
            try:
                fit(render.option, choice, context.options)
            except TypeError as error:
                yield Problem(path, f"choice {show(choice)} of {render.option} {error}")


def check_surface(surface: EngineSurface, context: Context) -> Iterator[Problem]:
    """Its engine is known, its extraction can be named. The file is read when it is needed."""
    if surface.id not in context.engines:
        yield unknown("id", "engine", surface.id, context.engines)
    if not _FUNCTION.fullmatch(surface.extract):
        yield Problem("extract", f"{surface.extract!r} names no function: package.module:function")


def check_option(option: Option, context: Context) -> Iterator[Problem]:
    """Its name has a dot (``image`` apart) and isn't a raw one."""
    if option.id != IMAGE and not _OPTION_ID.fullmatch(option.id):
        yield Problem("id", "an option is named like attention.backend")
    if raw_prefix(option.id) is not None:
        yield Problem("id", f"{option.id} is in a raw namespace")


def check_gate(gate: Gate, context: Context) -> Iterator[Problem]:
    """Its scope can be read."""
    yield from id_problems(gate.id)
    yield from scope_problems(gate.when, "when", context)


def check_recipe(recipe: Recipe, context: Context) -> Iterator[Problem]:
    """Its ids are known, its sweeps expand to distinct points, its default is one of them."""
    yield from id_problems(recipe.id)
    for kind, records in (
        ("model", context.models),
        ("sku", context.skus),
        ("engine", context.engines),
    ):
        name = getattr(recipe, kind)
        if name not in records:
            yield unknown(kind, kind, name, records)
    if recipe.workload is not None and not context.space.admits(WORKLOAD, recipe.workload):
        known = context.space.values.get(WORKLOAD, ())
        yield unknown("workload", WORKLOAD, recipe.workload, map(str, known))
    for name in recipe.gates:
        if name not in context.gates:
            # It can't be open; the recipe's points are there all the same.
            yield evolve(unknown("gates", "gate", name, context.gates), drops=False)
    try:
        points = expand(recipe, context.space)
    except SweepError as error:
        yield Problem("sweep", str(error), unknown=error.unknown)
        return
    context.points[recipe.id] = FrozenMap({name: FrozenMap(axes) for name, axes in points.items()})
    if recipe.default_point not in points:
        yield Problem("default_point", f"{recipe.default_point!r} is in no sweep of the recipe")
    purposes = context.space.values.get(PURPOSE, ()) or ("",)
    for name in recipe.gates:
        gate = context.gates.get(name)
        if gate is not None and not any(
            gate.when.matches(context.space.with_facets({**axes, PURPOSE: purpose}), frozenset())
            for axes in points.values()
            for purpose in purposes
        ):
            message = f"no swept point lies in the scope of {name}: {gate.when}"
            yield Problem("gates", message, unknown=True, drops=False)


def check_expect(expect: Expect, context: Context) -> Iterator[Problem]:
    """It claims something, of scopes, gates, keys and axes that are known."""
    if not (expect.values or expect.absent or expect.digest or expect.like):
        yield Problem("is", "it claims nothing: write is, absent, digest or like")
    if not expect.when:
        yield Problem("when", "an empty list of scopes matches nothing")
    for scope in expect.when:
        yield from scope_problems(scope, "when", context)
    for name in expect.gates:
        if name not in context.gates:
            yield unknown("gates", "gate", name, context.gates)
    for key, value in expect.values.items():
        if not is_declared(key, context.options):
            yield unknown(f"is.{key}", "option", key, context.options)
            continue
        try:
            fit(key, value, context.options)
        except TypeError as error:
            yield Problem(f"is.{key}", str(error))
    for name, keys in (("absent", expect.absent), ("but", expect.but)):
        for key in keys:
            if not is_declared(key, context.options):
                yield unknown(name, "option", key, context.options)
    if expect.digest is not None and not DIGEST.fullmatch(expect.digest):
        yield Problem("digest", f"{expect.digest!r} is no digest: sha256: and 64 hex digits")
    if expect.but and not expect.like:
        yield Problem("but", "what may differ is said of like: name its axes")
    for axis, value in expect.like.items():
        if axis not in context.space.request_axes:
            yield unknown("like", "axis", axis, context.space.request_axes)
        elif not context.space.admits(axis, value):
            known = tuple(str(one) for one in context.space.values.get(axis, ()))
            yield unknown(f"like.{axis}", axis, str(value), known)


def check_evidence(evidence: Evidence, context: Context) -> Iterator[Problem]:
    """It is bound to digests, and its thresholds are of metrics that it has."""
    yield from id_problems(evidence.id)
    if not evidence.digests:
        yield Problem("digests", "it is bound to nothing: infxreg evidence add stamps digests")
    for name, digest in evidence.digests.items():
        if not DIGEST.fullmatch(digest):
            yield Problem(f"digests.{name}", f"{digest!r} is no digest: sha256: and 64 hex digits")
        if not _LABEL.fullmatch(name):
            yield Problem(
                f"digests.{name}",
                "a point is written recipe/point@purpose, and +gate for each more that was open",
            )
    if evidence.date is not None and not is_date(evidence.date):
        yield Problem("date", f"{evidence.date!r} is no day: write it as 2026-09-22")
    for name in evidence.thresholds:
        if name not in evidence.metrics:
            yield Problem(f"thresholds.{name}", "the run has no such metric")
    for name in evidence.gates:
        if name not in context.gates:
            yield unknown("gates", "gate", name, context.gates)
    for name in evidence.frontier:
        if name not in evidence.digests:
            yield Problem("frontier", f"{name!r} is none of the points that were run")


def check_derivation(derivation: Derivation, context: Context) -> Iterator[Problem]:
    """It can be called."""
    if not callable(derivation.function):
        yield Problem("function", "isn't callable")


def check_policy(policy: Policy, context: Context) -> Iterator[Problem]:
    """It has an English title, and a function over specs or changes."""
    yield from id_problems(policy.id)
    if not policy.title.get("en"):
        yield Problem("title", "say in English what it asks: title = {en: …}")
    if policy.spec is None and policy.change is None:
        yield Problem("spec", "it decides nothing: give it spec or change, a function")
    for name in ("spec", "change"):
        function = getattr(policy, name)
        if function is not None and not callable(function):
            yield Problem(name, "isn't callable")


def check_waiver(waiver: Waiver, context: Context) -> Iterator[Problem]:
    """It says what, why, where and how it ends, of a policy that is known."""
    yield from id_problems(waiver.id)
    if waiver.policy not in context.policies:
        yield unknown("policy", "policy", waiver.policy, context.policies)
    if not waiver.when or any(not scope.terms for scope in waiver.when):
        yield Problem("when", "name the scope that it is for: everywhere is no exception")
    for scope in waiver.when:
        yield from scope_problems(scope, "when", context)
    for name in ("what", "why", "removal"):
        if not getattr(waiver, name).strip():
            yield Problem(name, "must be said")
    if not waiver.upstream or not all(link.strip() for link in waiver.upstream):
        yield Problem("upstream", "link the upstream issue or pull request")
    if waiver.expires is not None and not is_date(waiver.expires):
        yield Problem("expires", f"{waiver.expires!r} is no day: write it as 2026-12-31")


def check_importer(importer: Importer, context: Context) -> Iterator[Problem]:
    """It can be called."""
    yield from id_problems(importer.id)
    if not callable(importer.read):
        yield Problem("read", "isn't callable")


def check_exporter(exporter: Exporter, context: Context) -> Iterator[Problem]:
    """It can be called, and says what it writes."""
    yield from id_problems(exporter.id)
    if not callable(exporter.write):
        yield Problem("write", "isn't callable")
    for name in ("media_type", "format"):
        if not getattr(exporter, name).strip():
            yield Problem(name, "must be said")


def check_site(site: SiteSettings, context: Context) -> Iterator[Problem]:
    """Its gates are known, and none is asked to be both."""
    for name in (*site.open, *site.close):
        if name not in context.gates:
            yield evolve(unknown("open", "gate", name, context.gates), drops=False)
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
    EngineSurface: check_surface,
    Option: check_option,
    Gate: check_gate,
    Rule: check_rule,
    Recipe: check_recipe,
    Expect: check_expect,
    Evidence: check_evidence,
    Derivation: check_derivation,
    Policy: check_policy,
    Waiver: check_waiver,
    Importer: check_importer,
    Exporter: check_exporter,
    SiteSettings: check_site,
}


def recipe_clashes(
    recipes: Iterable[Recipe],
    points: Mapping[str, Mapping[str, Mapping[str, AxisValue]]],
    space: AxisSpace,
) -> Iterator[tuple[str, str]]:
    """Recipes of one combination that no axis tells apart, and second defaults.

    Args:
        recipes: all of them.
        points: the axes of each of their points, by id.
        space: the axes.
    """
    default = space.axes[WORKLOAD].default if WORKLOAD in space.axes else None
    combos: dict[tuple[Any, ...], list[str]] = {}
    defaults: dict[tuple[Any, ...], str] = {}
    for recipe in recipes:
        workload = recipe.workload or default
        combo = (recipe.sku, recipe.model, recipe.engine, workload)
        others = combos.setdefault(combo, [])
        if others and telling([*others, recipe.id], points, space) is None:
            what = " ".join(map(str, combo))
            yield recipe.id, f"recipe {others[0]} is for {what} already"
        else:
            others.append(recipe.id)
        if recipe.default:
            place = (recipe.sku, recipe.model, workload)
            if place in defaults:
                yield recipe.id, f"recipe {defaults[place]} is the default there already"
            defaults.setdefault(place, recipe.id)


def _leaves(a: Render, b: Render) -> bool:
    """Whether two renderings are different keys of one JSON flag."""
    return a.flag == b.flag and None not in (a.json, b.json) and a.json != b.json


def _facets(facets: Mapping[str, Any], carrier: str, context: Context) -> Iterator[Problem]:
    for name in facets:
        axis = context.space.axes.get(name)
        if name in _OWN_FACTS[carrier]:
            yield Problem("facets", f"{name} is a fact of its own: say it once, in its own place")
        elif axis is None or axis.facet_of != carrier:
            known = [a.id for a in context.space.axes.values() if a.facet_of == carrier]
            yield unknown("facets", f"facet of a {carrier}", name, known)
