"""Random edits of a generated registry: what changes, and the scopes that it may touch."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from attrs import evolve

from infxreg import Contribution
from infxreg.records import Gate, Image, Model, Option, Recipe, Record, Rule, SiteSettings, Sku
from infxreg.scope import Scope
from infxreg.values import FrozenMap
from support import naive
from support.alphabet import RULED, SWEPT
from support.case import Case
from support.points import aimed
from support.strategies import (
    chance,
    draw_gate,
    draw_gates,
    draw_rule,
    draw_scope,
    draw_settings,
    draw_terms,
)


@dataclass(frozen=True)
class Edit:
    """One edit: in words, the registry after it, and the scopes outside which nothing changes."""

    what: str
    after: Case
    touched: tuple[naive.Terms, ...]
    near: tuple[Scope, ...] = ()
    """Scopes to look around."""

    def reaches(
        self, world: naive.World, axes: Mapping[str, Any], request: Mapping[str, Any]
    ) -> bool:
        """Whether a point lies in a touched scope, the gates that are open there counted."""
        try:
            gates = naive.settled(
                world, axes, request.get("gates", ()), request.get("no_gates", ())
            )
        except naive.Refused:
            gates = frozenset(world.gates)
        point = naive.at(world.with_facts(axes), gates)
        return any(naive.matches(terms, point) for terms in self.touched)


def draw_edit(rng: random.Random, case: Case, most_rules: int = 12) -> Edit:
    """A random edit that leaves the registry without faults.

    Args:
        rng: what it is drawn from.
        case: the registry.
        most_rules: the number of rules around which it stays.
    """
    rules = editable(case)
    kind = rng.randrange(100)
    if len(rules) < 4 or (kind < 22 and len(rules) < most_rules):
        return add_rule(rng, case)
    if kind < 44:
        return remove_rule(rng, case)
    if kind < 62:
        return change_values(rng, case)
    if kind < 82:
        return move_rule(rng, case)
    if kind < 86:
        return add_gate(rng, case)
    for low, change in ((93, remove_gate), (97, change_gate)):
        if kind < low and case.of(Gate):
            return change(rng, case)
    return add_plugin(rng, case) if chance(rng, 60) else remove_plugin(rng, case)


def editable(case: Case) -> list[tuple[str, Rule]]:
    """The rules that edits touch: all but those which every launch needs."""
    return [(name, rule) for name, rule in case.of(Rule) if name not in ("core", "engines")]


def scopes_of(rule: Rule) -> tuple[naive.Terms, ...]:
    """The scopes of a rule, gates included, in plain form."""
    return tuple(naive.plain(scope, rule.gates) for scope in rule.when)


def add_rule(rng: random.Random, case: Case) -> Edit:
    """One rule more, of a plugin or of the site."""
    rule = draw_rule(rng, case)
    plugin = rng.choice((*_homes(case), *_homes(case), "site"))
    after = case.adding(plugin, rule)
    return Edit(f"add {plugin}:{rule}", after, scopes_of(rule), rule.when)


def remove_rule(rng: random.Random, case: Case) -> Edit:
    """One rule less."""
    plugin, rule = rng.choice(editable(case))
    after = case.mapped(lambda record: None if record is rule else record)
    return Edit(f"remove {plugin}:{rule}", after, scopes_of(rule), rule.when)


def change_values(rng: random.Random, case: Case) -> Edit:
    """A rule with other settings."""
    plugin, rule = rng.choice(editable(case))
    new = evolve(rule, settings=draw_settings(rng))
    after = case.mapped(_swap(rule, new))
    return Edit(f"change {plugin}:{rule} to {new}", after, scopes_of(rule), rule.when)


def move_rule(rng: random.Random, case: Case) -> Edit:
    """A rule with another scope, and perhaps behind other gates."""
    plugin, rule = rng.choice(editable(case))
    named = [gate for _, gate in case.of(Gate) if gate.id in rule.gates]
    gates = named if chance(rng, 50) else draw_gates(rng, case)
    when = tuple(draw_scope(rng, case, gates) for _ in range(rng.choice((1, 1, 2))))
    new = evolve(rule, when=when, gates=tuple(gate.id for gate in gates))
    after = case.mapped(_swap(rule, new))
    touched = (*scopes_of(rule), *scopes_of(new))
    return Edit(f"move {plugin}:{rule} to {new}", after, touched, (*rule.when, *when))


def add_gate(rng: random.Random, case: Case) -> Edit:
    """A gate more; nothing stands behind it."""
    gate = draw_gate(rng, case)
    return Edit(f"add {gate}", case.adding(rng.choice(_homes(case)), gate), (), (gate.when,))


def remove_gate(rng: random.Random, case: Case) -> Edit:
    """A gate less, with the rules that stand behind it."""
    _, gate = rng.choice(case.of(Gate))

    def without(record: Record) -> Record | None:
        if record is gate or (isinstance(record, Rule) and gate.id in record.gates):
            return None
        if isinstance(record, Recipe):
            return evolve(record, gates=_less(record.gates, gate.id))
        if isinstance(record, SiteSettings):
            return evolve(
                record, open=_less(record.open, gate.id), close=_less(record.close, gate.id)
            )
        return record

    return Edit(f"remove {gate}", case.mapped(without), (naive.plain(gate.when),), (gate.when,))


def change_gate(rng: random.Random, case: Case) -> Edit:
    """A gate with another scope that its rules lie inside of and that its recipes reach."""
    _, gate = rng.choice(case.of(Gate))
    world = case.world()
    behind = [
        naive.plain(s) for _, rule in case.of(Rule) if gate.id in rule.gates for s in rule.when
    ]
    opening = [recipe for _, recipe in case.of(Recipe) if gate.id in recipe.gates]
    for _ in range(4):
        terms = dict(gate.when.terms)
        if terms and chance(rng, 50):
            terms.pop(rng.choice(sorted(terms)))
        else:
            terms |= draw_terms(rng, case.vocabulary, ("purpose",), 1)
        when = Scope.of(terms)
        wanted = naive.plain(when)
        if all(naive.inside(scope, wanted, world.facts) for scope in behind) and all(
            any(naive.matches(wanted, world.with_facts(axes)) for axes in world.swept(recipe))
            for recipe in opening
        ):
            new = evolve(gate, when=when)
            touched = (naive.plain(gate.when), wanted)
            after = case.mapped(_swap(gate, new))
            return Edit(f"change {gate} to {new}", after, touched, (gate.when, when))
    return add_gate(rng, case)


def add_plugin(rng: random.Random, case: Case) -> Edit:
    """A plugin with rules, and with ids of its own that only they name."""
    name = f"added{case.count}"
    mine: list[Record] = []
    if chance(rng, 50):
        mine.append(draw_gate(rng, case))
    if chance(rng, 50):
        mine.append(Option(id=f"added.o{case.count}", type="int", doc="own", use="input"))
    if chance(rng, 30):
        mine.append(Image(id=f"reg/{name}:1", engine="e2", source="test", moving=True))
    if chance(rng, 30):
        mine.append(Model(id=name, hub_id=f"org/{name}", family="f1", source="test"))
    if chance(rng, 30):
        mine.append(
            Sku(
                id=name,
                name=name,
                arch=rng.choice(("sm1", "gfx1")),
                memory_gib=1.0,
                gpus_per_node=1,
                cpu_arch="x86_64",
                source="test",
            )
        )
    after = case.adding(name, *mine)
    rules: list[Rule] = []
    for _ in range(rng.randint(1, 2)):
        rule = draw_rule(rng, after)
        own = [record for record in mine if isinstance(record, Option)]
        if own:
            rule = evolve(rule, settings=FrozenMap({**rule.settings, own[0].id: 1}))
        rules.append(rule)
        after = after.adding(name, rule)
    touched = tuple(terms for rule in rules for terms in scopes_of(rule))
    return Edit(f"add plugin {name}: {mine} {rules}", after, touched, rules[0].when)


def remove_plugin(rng: random.Random, case: Case) -> Edit:
    """A plugin less, of those whose gates nobody else names."""
    free = [name for name in _homes(case) if not _named_elsewhere(case, name)]
    if not free:
        return remove_rule(rng, case)
    name = rng.choice(free)
    records = case.plugins[name]
    touched: list[naive.Terms] = []
    for record in records:
        if isinstance(record, Rule):
            touched += scopes_of(record)
        elif isinstance(record, Recipe):
            touched.append(_recipe_terms(record))
    near = tuple(scope for record in records if isinstance(record, Rule) for scope in record.when)
    after = case.without_plugin(name)
    after = after if name.startswith("added") else after.with_records(name, ())
    return Edit(f"remove plugin {name}: {records}", after, tuple(touched), near)


def near_axes(
    rng: random.Random, edit: Edit, case: Case, axes: Mapping[str, Any]
) -> dict[str, Any]:
    """A point just in or just out of an edited scope: another value on one of its axes."""
    if not edit.near:
        return dict(axes)
    scope = rng.choice(edit.near)
    result = {**axes, **aimed(rng, scope, case.vocabulary)}
    named = [axis for axis, _ in scope.terms if axis in result] or ["sku"]
    axis = rng.choice(named)
    result[axis] = rng.choice(case.vocabulary.values[axis])
    return result


def _homes(case: Case) -> list[str]:
    return [name for name in case.plugins if name in RULED or name.startswith("added")]


def _swap(old: Record, new: Record) -> Callable[[Record], Record]:
    return lambda record: new if record is old else record


def _less(names: Iterable[str], name: str) -> tuple[str, ...]:
    return tuple(other for other in names if other != name)


def _recipe_terms(recipe: Recipe) -> naive.Terms:
    named = {"sku": recipe.sku, "model": recipe.model, "engine": recipe.engine}
    named["workload"] = recipe.workload or "chat"
    return {
        **{axis: frozenset([value]) for axis, value in named.items()},
        **{axis: frozenset(values) for axis, values in SWEPT.items()},
    }


def _named_elsewhere(case: Case, plugin: str) -> bool:
    gates = {record.id for record in case.plugins[plugin] if isinstance(record, Gate)}
    for name, records in (*case.plugins.items(), ("site", case.site)):
        for record in records if name != plugin else ():
            named: tuple[str, ...] = ()
            if isinstance(record, (Rule, Recipe)):
                named = record.gates
            elif isinstance(record, SiteSettings):
                named = (*record.open, *record.close)
            if gates & set(named):
                return True
    return False


def map_records(
    contributions: Iterable[Contribution], change: Callable[[str, Record], Record | None]
) -> tuple[Contribution, ...]:
    """Contributions with each record changed, in its place, or dropped where that gives None.

    Args:
        contributions: of plugins, or of a site.
        change: from a plugin's name and a record to what stands there instead.
    """
    return tuple(
        owner.with_placed(
            placed if new is placed.record else evolve(placed, record=new)
            for placed in owner.placed
            if (new := change(owner.plugin, placed.record)) is not None
        )
        for owner in contributions
    )
