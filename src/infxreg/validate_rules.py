"""What must hold of a rule: inside its gates, of the right types, nothing said twice."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from attrs import evolve

from infxreg.flags import clash, needed_gates, refused, rendered_by
from infxreg.index import ScopedRule
from infxreg.keys import IMAGE, fit, is_declared, is_key, misspelled, raw_prefix
from infxreg.origin import Origin
from infxreg.problems import Context, Problem, id_problems, scope_problems, unknown
from infxreg.records import Engine, Option, Rule
from infxreg.releases import record_of
from infxreg.scope import OneOf, Scope, inside
from infxreg.values import ABSENT, Absent, Derived, FrozenMap, Setting, Value, show
from infxreg.versions import is_range


def check_rule(rule: Rule, context: Context) -> Iterator[Problem]:
    """Its scopes can be read and lie inside its gates; its values fit what they set."""
    yield from id_problems(rule.id)
    if not rule.when:
        yield Problem("when", "an empty list of scopes matches nothing")
    if not rule.settings:
        yield Problem("set", "a rule sets or unsets at least one key")
    for index, scope in enumerate(rule.when):
        path = "when" if len(rule.when) == 1 else f"when[{index}]"
        found = list(scope_problems(scope, path, context))
        yield from found
        # What an unknown id's facts are is as unknown: whether they fit a gate can't be told.
        guessing = any(problem.unknown for problem in found)
        for problem in _gates(rule, scope, context):
            yield evolve(problem, unknown=True, drops=False) if guessing else problem
    for name in rule.require.knows:
        if name not in context.capabilities:
            yield unknown("require.knows", "capability", name, context.capabilities)
    if rule.require.version is not None and not is_range(rule.require.version):
        yield Problem("require.version", f"{rule.require.version!r} is no version range")
    for key, setting in rule.settings.items():
        yield from _setting(rule, key, setting, context)


def normalised(rule: Rule, options: Mapping[str, Option]) -> Rule:
    """The rule with its constants as their options' types have them."""
    settings: dict[str, Setting] = {}
    for key, setting in rule.settings.items():
        if not isinstance(setting, (Absent, Derived)):
            setting = fit(key, setting, options)
        settings[key] = setting
    return evolve(rule, settings=FrozenMap(settings))


def cycles(rules: Iterable[ScopedRule]) -> Iterator[tuple[Origin, str]]:
    """The cycles of keys that derive from each other, scopes ignored."""
    reads: dict[str, set[str]] = {}
    where: dict[str, Origin] = {}
    for scoped in rules:
        for key, setting in scoped.rule.settings.items():
            if isinstance(setting, Derived):
                reads.setdefault(key, set()).update(r for r in setting.reads if is_key(r))
                where.setdefault(key, scoped.origin)
    while True:
        try:
            TopologicalSorter(reads).prepare()
        except CycleError as error:
            path = error.args[1]
            key = min(name for name in path if name in reads)
            yield where[key], "derivations go in a circle: " + " -> ".join(reversed(path))
            del reads[key]
        else:
            return


def _gates(rule: Rule, scope: Scope, context: Context) -> Iterator[Problem]:
    for name in sorted({*rule.gates, *scope.gates}):
        gate = context.gates.get(name)
        if gate is None:
            # It can't be open, so the rule counts nowhere.
            yield evolve(unknown("gates", "gate", name, context.gates), drops=False)
        elif not inside(scope, gate.when, context.space):
            yield Problem(
                "when",
                f"the scope ({scope}) doesn't lie inside that of its gate {name} ({gate.when}): "
                "narrow it, or ask the gate's owner to widen the gate",
            )


def _setting(rule: Rule, key: str, setting: Setting, context: Context) -> Iterator[Problem]:
    path = f"set.{key}" if setting is not ABSENT else "unset"
    if not is_declared(key, context.options):
        wrong = misspelled(key)
        yield Problem(path, wrong) if wrong else unknown(path, "option", key, context.options)
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
    if key == IMAGE and record_of(str(value), context.images, context.engines) is None:
        yield unknown(path, "image", str(value), context.images)
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


def _derived(path: str, derived: Derived, context: Context) -> Iterator[Problem]:
    definition = context.derivations.get(derived.function)
    if definition is None:
        yield unknown(path, "derivation", derived.function, context.derivations)
        return
    for read in derived.reads:
        if is_key(read):
            if not is_declared(read, context.options):
                yield unknown(path, "option", read, context.options)
        elif read not in context.space.axes:
            yield unknown(path, "axis", read, context.space.axes)
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
