"""A naive resolver, written from DESIGN.md alone: the answer that the indexed one has to give.

It looks at every rule for every point and compares every two scopes, over plain dicts.
A scope is ``{axis: constraint}``, a constraint a set of values or a pair of bounds, and
an open gate is a value on an axis of its own. Nothing of the algebra is imported from
infxreg: only the records' classes, which are plain data.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from infxreg import records
from infxreg.contribution import Contribution
from infxreg.scope import OneOf, Scope
from infxreg.values import ABSENT, Derived

NUMBERS = range(1, 600)
"""Integers that a range is written out over: positive ones; no test names one outside."""

Bounds = tuple[int | None, int | None]
Terms = dict[str, frozenset[Any] | Bounds]
Origin = tuple[str, str, str, str]
"""Layer, plugin, file and rule, by which origins are ordered."""


# --- errors ---------------------------------------------------------------------------


class Refused(Exception):
    """A request that DESIGN.md says is an error."""


class UnknownGate(Refused):
    """A gate that nobody declares."""


class GateBoth(Refused):
    """A gate asked to be open and closed."""


class GateOutside(Refused):
    """A gate asked to be open at a point outside its scope."""


class GateIdle(Refused):
    """A gate asked to be open where none of its rules counts; ``needs`` are the other gates."""

    def __init__(self, needs: Iterable[str]) -> None:
        super().__init__(*sorted(needs))
        self.needs = tuple(sorted(needs))


class PurposeUnnamed(Refused):
    """A purpose that no rule of the engine names."""


class DerivationFailed(Refused):
    """A derivation raised, or gave a value of the wrong type."""


# --- the algebra ----------------------------------------------------------------------


def admits(constraint: frozenset[Any] | Bounds, value: Any) -> bool:
    """Whether a constraint admits a value."""
    if isinstance(constraint, frozenset):
        return value in constraint
    low, high = constraint
    return (
        isinstance(value, int) and (low is None or value >= low) and (high is None or value <= high)
    )


@functools.cache
def written_out(constraint: frozenset[Any] | Bounds) -> frozenset[Any]:
    """A constraint as a set; without an upper bound it has a value that no other one has."""
    if isinstance(constraint, frozenset):
        return constraint
    _, high = constraint
    ends = {"ever higher"} if high is None else set()
    return frozenset(number for number in NUMBERS if admits(constraint, number)) | ends


def inside(a: Terms, b: Terms, facts: Mapping[tuple[str, Any], Mapping[str, Any]]) -> bool:
    """Whether scope ``a`` lies inside ``b``: point 2 of the algebra, word for word.

    Args:
        a: a scope.
        b: another one.
        facts: (axis, id) -> facts of that SKU, model or architecture.
    """
    for axis, wanted in b.items():
        subset = axis in a and written_out(a[axis]) <= written_out(wanted)
        fit = False
        for carrier in ("sku", "model", "arch"):
            named = a.get(carrier)
            if isinstance(named, frozenset):
                known = [facts.get((carrier, name), {}) for name in named]
                fit = fit or all(axis in own and admits(wanted, own[axis]) for own in known)
        if not subset and not fit:
            return False
    return True


def strictly_inside(a: Terms, b: Terms, facts: Mapping[tuple[str, Any], Mapping[str, Any]]) -> bool:
    """Whether ``a`` is the narrower one of the two."""
    return inside(a, b, facts) and not inside(b, a, facts)


def matches(terms: Terms, point: Mapping[str, Any]) -> bool:
    """Whether a point, its facts and open gates among its axes, lies in a scope."""
    return all(admits(constraint, point.get(axis)) for axis, constraint in terms.items())


def gate_axis(gate: str) -> str:
    """A gate's axis: open, or closed."""
    return f"gate {gate}"


def plain(scope: Scope, gates: Iterable[str] = ()) -> Terms:
    """A scope as a dict, with the gates of its rule."""
    terms: Terms = {
        axis: constraint.values
        if isinstance(constraint, OneOf)
        else (constraint.min, constraint.max)
        for axis, constraint in scope.terms
    }
    for gate in (*scope.gates, *gates):
        terms[gate_axis(gate)] = frozenset(["open"])
    return terms


def typed(setting: Any) -> Any:
    """A setting that compares with its types: ``True`` isn't ``1``, and ``1`` isn't ``1.0``."""
    if isinstance(setting, Derived):
        parameters = frozenset((name, typed(value)) for name, value in setting.params)
        return ("derivation", setting.function, setting.reads, parameters)
    if isinstance(setting, tuple):
        return ("list", tuple(map(typed, setting)))
    return (type(setting).__name__, setting)


# --- a registry in plain data ---------------------------------------------------------


@dataclass(frozen=True)
class Rule:
    """One scope of one rule."""

    origin: Origin
    terms: Terms
    settings: Mapping[str, Any]
    gates: frozenset[str]


@dataclass
class World:
    """All that resolving needs, in plain dicts."""

    plugin_rules: list[Rule] = field(default_factory=list)
    site_rules: list[Rule] = field(default_factory=list)
    gates: dict[str, Terms] = field(default_factory=dict)
    facts: dict[tuple[str, Any], dict[str, Any]] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    recipes: list[records.Recipe] = field(default_factory=list)
    derivations: dict[str, Any] = field(default_factory=dict)
    floats: set[str] = field(default_factory=set)
    site_open: tuple[str, ...] = ()
    site_close: tuple[str, ...] = ()

    @classmethod
    def of(cls, contributions: Iterable[Contribution], site: Contribution | None = None) -> World:
        """The world of these contributions."""
        world = cls()
        layered = [(contribution, "plugin") for contribution in contributions]
        if site is not None:
            layered.append((site, "site"))
        found = [
            (placed.record, (layer, contribution.plugin, placed.where))
            for contribution, layer in layered
            for placed in contribution.placed
        ]
        vendors = {record.id: record.vendor for record, _ in found if _is(record, "arch")}
        for record, place in found:
            world._add(record, place, vendors)
        return world

    def _add(self, record: Any, place: tuple[str, str, str], vendors: Mapping[str, str]) -> None:
        if isinstance(record, records.Rule):
            rules = self.site_rules if place[0] == "site" else self.plugin_rules
            settings = {key: self._constant(value) for key, value in record.settings.items()}
            for scope in record.when:
                terms = plain(scope, record.gates)
                gates = frozenset((*scope.gates, *record.gates))
                rules.append(Rule((*place, record.id), terms, settings, gates))
        elif isinstance(record, records.Gate):
            self.gates[record.id] = plain(record.when)
        elif isinstance(record, records.Arch):
            self.facts["arch", record.id] = {"vendor": record.vendor}
        elif isinstance(record, records.Sku):
            own = {"arch": record.arch, "cpu_arch": record.cpu_arch}
            own |= {"vendor": vendors[record.arch]} if record.arch in vendors else {}
            self.facts["sku", record.id] = {**record.facets, **own}
        elif isinstance(record, records.Model):
            self.facts["model", record.id] = {**record.facets, "family": record.family}
        elif isinstance(record, records.Axis) and record.default is not None:
            self.defaults[record.id] = record.default
        elif isinstance(record, records.Recipe):
            self.recipes.append(record)
        elif isinstance(record, records.Derivation):
            self.derivations[record.id] = record.function
        elif isinstance(record, records.Option) and record.type == "float":
            self.floats.add(record.id)
        elif isinstance(record, records.SiteSettings):
            self.site_open, self.site_close = record.open, record.close

    @staticmethod
    def _constant(value: Any) -> Any:
        return None if value is ABSENT else value

    def fitted(self, key: str, value: Any) -> Any:
        """A whole number that is given for a float is that float."""
        return float(value) if key in self.floats and type(value) is int else value

    def with_facts(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        """A point's axes and the facts of its SKU and model."""
        sku = self.facts.get(("sku", axes["sku"]), {})
        model = self.facts.get(("model", axes["model"]), {})
        return {**axes, **sku, **model}

    def recipeat(self, axes: Mapping[str, Any]) -> records.Recipe | None:
        """The recipe that sweeps a point, at whatever purpose."""
        for recipe in self.recipes:
            if any(
                all(axes[axis] == value for axis, value in swept.items() if axis != "purpose")
                for swept in self.swept(recipe)
            ):
                return recipe
        return None

    def swept(self, recipe: records.Recipe) -> list[dict[str, Any]]:
        """The points of a recipe."""
        found = []
        for sweep in recipe.sweep:
            for values in itertools.product(*sweep.axes.values()):
                axes = dict(self.defaults)
                axes |= {"sku": recipe.sku, "model": recipe.model, "engine": recipe.engine}
                axes |= {"workload": recipe.workload} if recipe.workload else {}
                axes |= dict(zip(sweep.axes, values, strict=True))
                for axis, value in axes.items():
                    tie = re.fullmatch(r"\{(\w+)\}", value) if isinstance(value, str) else None
                    if tie:
                        axes[axis] = axes[tie[1]]
                found.append(axes)
        return found


def _is(record: Any, kind: str) -> bool:
    return record.kind == kind


# --- resolving ------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """A key's value (None where it is absent), whose it is, and whose lost."""

    value: Any
    origins: tuple[Origin, ...]
    shadowed: frozenset[Origin]


@dataclass(frozen=True)
class Clash:
    """A key that conflicts, and whose values disagree."""

    origins: tuple[Origin, ...]


def settled(
    world: World,
    axes: Mapping[str, Any],
    want_open: Iterable[str] = (),
    want_closed: Iterable[str] = (),
) -> frozenset[str]:
    """The gates that are open at a point, request over site over recipe.

    Raises:
        UnknownGate, GateBoth, GateOutside: as point 6 of the algebra says.
    """
    want_open, want_closed = frozenset(want_open), frozenset(want_closed)
    if not want_open | want_closed <= set(world.gates):
        raise UnknownGate(*sorted((want_open | want_closed) - set(world.gates)))
    if want_open & want_closed:
        raise GateBoth(*sorted(want_open & want_closed))
    point = world.with_facts(axes)
    if any(not matches(world.gates[gate], point) for gate in want_open):
        raise GateOutside(*sorted(want_open))
    recipe = world.recipeat(axes)
    result = set()
    for gate, terms in world.gates.items():
        if gate in want_open:
            result.add(gate)
        elif gate not in want_closed and matches(terms, point):
            by_recipe = recipe is not None and gate in recipe.gates
            if gate in world.site_open or (by_recipe and gate not in world.site_close):
                result.add(gate)
    return frozenset(result)


def opened(
    world: World,
    axes: Mapping[str, Any],
    want_open: Iterable[str] = (),
    want_closed: Iterable[str] = (),
) -> frozenset[str]:
    """The gates that are open at a point and behind which a rule counts.

    Raises:
        UnknownGate, GateBoth, GateOutside, GateIdle: as point 6 of the algebra says.
    """
    result = settled(world, axes, want_open, want_closed)
    point = at(world.with_facts(axes), result)
    rules = world.plugin_rules + world.site_rules
    counting = {gate for rule in rules if matches(rule.terms, point) for gate in rule.gates}
    for gate in want_open:
        if gate not in counting:
            whole = at(point, world.gates)
            near = [rule for rule in rules if gate in rule.gates and matches(rule.terms, whole)]
            raise GateIdle({other for rule in near for other in rule.gates - result})
    return frozenset(counting)


def resolve(
    world: World,
    axes: Mapping[str, Any],
    gates: Iterable[str] = (),
    no_gates: Iterable[str] = (),
    set: Mapping[str, Any] | None = None,
    unset: Iterable[str] = (),
) -> dict[str, Answer] | dict[str, Clash]:
    """Every key at a point; where any conflict, the keys that do, and nothing else.

    Args:
        world: the registry.
        axes: a value on every axis of the request.
        gates: gates that the request opens.
        no_gates: gates that it closes.
        set: keys that it sets.
        unset: keys that it makes absent.

    Raises:
        Refused: for what DESIGN.md says is an error.
    """
    open_gates = opened(world, axes, gates, no_gates)
    point = at(world.with_facts(axes), open_gates)
    site = [rule for rule in world.site_rules if matches(rule.terms, point)]
    plugin = [rule for rule in world.plugin_rules if matches(rule.terms, point)]
    _check_purpose(world, axes, site + plugin)
    asked = {
        key: (value, ("request", "request", "", "--set")) for key, value in (set or {}).items()
    }
    asked |= dict.fromkeys(unset, (None, ("request", "request", "", "--unset")))
    picked: dict[str, tuple[Any, Answer]] = {}
    clashes: dict[str, Clash] = {}
    for key in {key for rule in site + plugin for key in rule.settings} | {*asked}:
        layers = [[rule for rule in layer if key in rule.settings] for layer in (site, plugin)]
        everyone = {rule.origin for layer in layers for rule in layer}
        if key in asked:
            value, origin = asked[key]
            winners, settings = [origin], [world.fitted(key, value)]
        else:
            layer = layers[0] or layers[1]
            best = [
                rule
                for rule in layer
                if not any(strictly_inside(o.terms, rule.terms, world.facts) for o in layer)
            ]
            winners = sorted({rule.origin for rule in best})
            settings = [world.fitted(key, rule.settings[key]) for rule in best]
        if len({typed(setting) for setting in settings}) > 1:
            clashes[key] = Clash(tuple(winners))
        else:
            shadowed = frozenset(everyone.difference(winners))
            picked[key] = (settings[0], Answer(None, tuple(winners), shadowed))
    if clashes:
        return clashes
    values: dict[str, Any] = {}
    return {
        key: Answer(_value(key, picked, point, world, values), answer.origins, answer.shadowed)
        for key, (_, answer) in sorted(picked.items())
    }


def at(point: Mapping[str, Any], open_gates: Iterable[str]) -> dict[str, Any]:
    """A point with its open gates among its axes."""
    return {**point, **{gate_axis(gate): "open" for gate in open_gates}}


def _check_purpose(world: World, axes: Mapping[str, Any], matching: Iterable[Rule]) -> None:
    purpose = axes.get("purpose")
    if purpose == world.defaults.get("purpose"):
        return
    for rule in matching:
        if "purpose" in rule.terms and "engine" in rule.terms:
            return  # it matches, so it names this purpose and this engine
    raise PurposeUnnamed(purpose)


def _value(
    key: str,
    picked: Mapping[str, tuple[Any, Answer]],
    point: Mapping[str, Any],
    world: World,
    values: dict[str, Any],
) -> Any:
    if key not in values:
        setting = picked[key][0]
        if isinstance(setting, Derived):
            given = []
            for read in setting.reads:
                if "." in read or read == "image":
                    known = read in picked
                    given.append(_value(read, picked, point, world, values) if known else None)
                else:
                    given.append(point.get(read))
            try:
                result = world.derivations[setting.function](*given, **dict(setting.params))
            except Exception as error:
                raise DerivationFailed(key) from error
            setting = tuple(result) if isinstance(result, list) else result
        values[key] = world.fitted(key, setting)
    return values[key]
