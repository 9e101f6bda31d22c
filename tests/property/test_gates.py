"""Law: a closed gate's rules are invisible, and a gate can't be open outside its scope."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from attrs import evolve
from hypothesis import assume, given, settings

from infxreg import LaunchSpec, Registry
from infxreg.errors import GateScopeError
from infxreg.records import Gate, Recipe, Record, Rule, SiteSettings
from infxreg.values import FrozenMap
from support import naive
from support.case import Case
from support.edits import map_records
from support.outcomes import outcome, same_outcome, told
from support.points import draw_axes, draw_request, point
from support.strategies import cases, draw_scope, gated, randoms


@given(case=cases((4, 16)), rng=randoms())
@settings(max_examples=80)
def test_a_closed_gates_rules_are_invisible(case: Case, rng: random.Random) -> None:
    """Without the rules behind the gates that are closed at it, a point is equal in everything."""
    case = gated(rng, case)
    registry, world = case.registry(), case.world()
    for _ in range(4):
        axes = draw_axes(rng, case)
        request = draw_request(rng, case, axes)
        try:
            opened = naive.settled(
                world, axes, request.get("gates", ()), request.get("no_gates", ())
            )
        except naive.Refused:
            continue

        def visible(record: Record, opened: frozenset[str] = opened) -> Record | None:
            hidden = isinstance(record, Rule) and not opened.issuperset(record.gates)
            return None if hidden else record

        bare = case.mapped(visible).registry()
        first, second = (outcome(r, point(axes), request) for r in (registry, bare))
        assert same_outcome(first, second), f"{told(first)}\n{told(second)}"


@given(case=cases((4, 16)), rng=randoms())
@settings(max_examples=40)
def test_with_all_gates_closed_there_might_as_well_be_none(case: Case, rng: random.Random) -> None:
    """Closing every gate gives the registry that declares no gate and no rule behind one."""
    case = gated(rng, case)

    def ungated(record: Record) -> Record | None:
        if isinstance(record, Gate) or (isinstance(record, Rule) and record.gates):
            return None
        if isinstance(record, Recipe):
            return evolve(record, gates=())
        return evolve(record, open=(), close=()) if isinstance(record, SiteSettings) else record

    registry, bare = case.registry(), case.mapped(ungated).registry()
    closed = [gate.id for _, gate in case.of(Gate)]
    for _ in range(3):
        place = point(draw_axes(rng, case))
        first = outcome(registry, place, {"no_gates": closed})
        second = outcome(bare, place)
        if isinstance(first, LaunchSpec) and isinstance(second, LaunchSpec):
            # The recipe is another record, which says that the point opens gates.
            assert first.digest == second.digest
            assert first.options == second.options
        else:
            assert same_outcome(first, second)


@given(case=cases((4, 16)), rng=randoms())
@settings(max_examples=80)
def test_a_gate_cant_be_open_outside_its_scope(case: Case, rng: random.Random) -> None:
    """By request it is an error that names the scope; site and recipe don't open it there."""
    case = gated(rng, case)
    gate = rng.choice([gate for _, gate in case.of(Gate)])
    everywhere = SiteSettings(open=(gate.id,))
    case = case.with_records("site", (*(r for r in case.site if isinstance(r, Rule)), everywhere))
    registry, world = case.registry(), case.world()
    for _ in range(4):
        axes = draw_axes(rng, case)
        result = outcome(registry, point(axes), {})
        if isinstance(result, LaunchSpec):
            assert_open_inside(result, world, axes)
        if not naive.matches(naive.plain(gate.when), world.with_facts(axes)):
            refused = outcome(registry, point(axes), {"gates": [gate.id]})
            assert isinstance(refused, GateScopeError)
            assert (refused.gate, refused.scope) == (gate.id, str(gate.when))
            if isinstance(result, LaunchSpec):
                assert gate.id not in result.gates


def assert_open_inside(spec: LaunchSpec, world: naive.World, axes: Mapping[str, Any]) -> None:
    """Each open gate reaches the point, and each gated origin stands behind open gates only."""
    facts = world.with_facts(axes)
    for gate in spec.gates:
        assert naive.matches(world.gates[gate], facts)
    rules = [*world.plugin_rules, *world.site_rules]
    needed = {rule.origin[1::2]: rule.gates for rule in rules}
    for option in spec.options.values():
        for origin in (*option.origins, *(item.origin for item in option.shadowed)):
            assert needed.get((origin.plugin, origin.rule), frozenset()) <= set(spec.gates)


@given(case=cases((4, 10)), rng=randoms())
@settings(max_examples=80)
def test_a_rule_that_isnt_inside_its_gate_is_a_fault(case: Case, rng: random.Random) -> None:
    """The fault names plugin, rule and gate; inside, by DESIGN.md's words, there is none."""
    case = gated(rng, case)
    gate = rng.choice([gate for _, gate in case.of(Gate)])
    scope = draw_scope(rng, case)
    settings_ = FrozenMap({"args.more": 1})
    rule = Rule(id="moved", when=(scope,), gates=(gate.id,), settings=settings_)
    faults = case.adding("p-three", rule).registry().faults
    if naive.inside(naive.plain(scope), naive.plain(gate.when), case.world().facts):
        assert not faults
    else:
        (fault,) = faults
        assert fault.plugin == "p-three"
        assert "'moved'" in fault.message
        assert gate.id in fault.message


@given(case=cases((4, 10)), rng=randoms())
@settings(max_examples=40)
def test_a_gate_in_a_scope_is_a_gate(case: Case, rng: random.Random) -> None:
    """A Python rule can name a gate in its scope instead: it has to lie inside it all the same."""
    case = gated(rng, case)
    gate = rng.choice([gate for _, gate in case.of(Gate)])
    scope = draw_scope(rng, case)
    assume(not naive.inside(naive.plain(scope), naive.plain(gate.when), case.world().facts))
    settings_ = FrozenMap({"args.more": 1})
    rule = Rule(id="moved", when=(scope.behind([gate.id]),), settings=settings_)
    assert case.adding("p-three", rule).registry().faults


def test_shipped_gates_open_in_their_scope_only(shipped: Registry) -> None:
    """Opening a gate at any swept point outside its scope is an error that names the scope."""
    world = naive.World.of(shipped.contributions)
    refused = 0
    for place in shipped.points():
        facts = world.with_facts(place.axes)
        for gate in world.gates:
            if not naive.matches(world.gates[gate], facts):
                result = outcome(shipped, place, {"gates": [gate]})
                assert isinstance(result, GateScopeError)
                assert result.scope == str(shipped.catalogue.gates[gate].when)
                refused += 1
        assert_open_inside(shipped.resolve(place), world, place.axes)
    assert refused >= 217 * len(world.gates)


def test_shipped_rules_behind_a_gate_can_be_moved_nowhere(shipped: Registry) -> None:
    """A gated rule moved to any other SKU is a fault that names plugin, rule and gate."""
    rules = [
        (owner.plugin, placed.record)
        for owner in shipped.contributions
        for placed in owner.placed
        if isinstance(placed.record, Rule) and placed.record.gates
    ]
    assert rules
    for plugin, rule in rules:
        for sku in sorted(set(shipped.catalogue.skus) - {"b200"}):
            moved = evolve(
                rule,
                when=tuple(
                    type(scope).of(
                        {**dict(scope.terms), "sku": type(scope.get("sku"))(frozenset([sku]))}
                    )  # type: ignore[call-arg, arg-type]
                    for scope in rule.when
                ),
            )
            changed = map_records(
                shipped.contributions, lambda _, r, old=rule, new=moved: new if r is old else r
            )
            faults = Registry(changed).faults
            assert {fault.plugin for fault in faults} == {plugin}
            for gate in rule.gates:
                assert any(rule.id in f.message and gate in f.message for f in faults)
