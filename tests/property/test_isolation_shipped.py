"""Law: isolation, on the shipped registry: any rule of it taken out, moved, changed or doubled.

In particular the rules of the b200 case never change a point off b200.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping

import pytest
from attrs import evolve

from infxreg import LaunchSpec, Point, Registry
from infxreg.records import Gate, Recipe, Record, Rule
from infxreg.scope import OneOf, Scope
from infxreg.values import FrozenMap
from support import naive
from support.edits import Edit, map_records, scopes_of
from support.outcomes import outcome, same_outcome, same_values, told

PURPOSES = ("serve", "throughput", "eval")
CASE = "dsv41flash-b200-attention.toml"
EVIDENCE = "dsv41flash-b200-evidence.toml"


@pytest.fixture(scope="module")
def specs(shipped: Registry) -> Mapping[Point, LaunchSpec]:
    """Every swept point at every purpose, as it is shipped."""
    places = [place.at(purpose=purpose) for place in shipped.points() for purpose in PURPOSES]
    return {place: shipped.resolve(place) for place in places}


def rules_of(registry: Registry) -> list[tuple[str, str, Rule]]:
    """(plugin, file, rule), of every rule."""
    return [
        (owner.plugin, placed.where, placed.record)
        for owner in registry.contributions
        for placed in owner.placed
        if isinstance(placed.record, Rule)
    ]


def swapped(registry: Registry, old: Record, new: Record | None) -> Registry:
    """The registry with one record in another's place, or with one less."""
    return Registry(map_records(registry.contributions, lambda _, r: new if r is old else r))


def on(scope: Scope, sku: str) -> Scope:
    """The scope, on another SKU and on no facet of one."""
    terms = {axis: c for axis, c in scope.terms if axis not in ("vendor", "arch", "cpu_arch")}
    return Scope.of({**terms, "sku": OneOf(frozenset([sku]))})


def changes(rng: random.Random, rule: Rule, skus: list[str]) -> Iterator[tuple[str, Rule | None]]:
    """Other forms of a rule: gone, with other keys, and, unless it is gated, with other scopes."""
    yield "gone", None
    settings = FrozenMap({**rule.settings, "args.leak": 1, "env.LEAK": "1"})
    yield "leaking", evolve(rule, settings=settings)
    if not rule.gates:
        yield "moved", evolve(rule, when=tuple(on(scope, rng.choice(skus)) for scope in rule.when))
        wider = Scope.of({axis: c for axis, c in rule.when[0].terms if axis in ("engine", "model")})
        yield "widened", evolve(rule, when=(*rule.when[1:], wider))


def test_no_shipped_rule_reaches_beyond_its_scopes(
    shipped: Registry, specs: Mapping[Point, LaunchSpec]
) -> None:
    """Each rule in several other forms: sampled points outside are equal, digests and origins."""
    rng = random.Random(5)
    world = naive.World.of(shipped.contributions)
    places = list(specs)
    seen: Counter[str] = Counter()
    for plugin, _, rule in rules_of(shipped):
        for what, new in changes(rng, rule, sorted(shipped.catalogue.skus)):
            touched = (*scopes_of(rule), *(scopes_of(new) if new is not None else ()))
            edit = Edit(f"{plugin}:{rule.id} {what}", None, touched)  # type: ignore[arg-type]
            edited = swapped(shipped, rule, new)
            assert not edited.faults, edit.what
            for place in rng.sample(places, 4):
                after = outcome(edited, place)
                if edit.reaches(world, place.axes, {}):
                    seen["moved inside"] += not same_outcome(specs[place], after)
                    continue
                seen["outside"] += 1
                assert same_outcome(specs[place], after), f"{edit.what} {place}: {told(after)}"
            seen["edits"] += 1
    assert seen["edits"] > 200
    assert seen["outside"] > 400
    assert seen["moved inside"] > 20


def test_the_b200_case_changes_no_point_off_b200(
    shipped: Registry, specs: Mapping[Point, LaunchSpec]
) -> None:
    """Without its rules, gates and recipe, every point off b200 is equal, at every purpose."""
    without = Registry(
        tuple(
            owner.with_placed(p for p in owner.placed if not p.where.endswith((CASE, EVIDENCE)))
            for owner in shipped.contributions
        )
    )
    without.check()
    compared = 0
    for place, spec in specs.items():
        if place.sku != "b200":
            assert same_outcome(spec, without.resolve(place)), place
            compared += 1
    assert compared > 600


def test_the_b200_case_can_be_rewritten_without_a_point_off_b200_moving(
    shipped: Registry, specs: Mapping[Point, LaunchSpec]
) -> None:
    """Its rules with leaking values and its gates closed: b200 moves, nothing else does."""

    def rewrite(_: str, record: Record) -> Record:
        if isinstance(record, Rule) and record in case:
            return evolve(record, settings=FrozenMap({**record.settings, "args.leak": True}))
        if isinstance(record, Recipe):
            return evolve(record, gates=())
        return record

    case = [rule for _, where, rule in rules_of(shipped) if where.endswith(CASE)]
    assert len(case) == 5
    rewritten = Registry(map_records(shipped.contributions, rewrite))
    moved = Counter(
        place.sku
        for place, spec in specs.items()
        if not same_values(spec, rewritten.resolve(place))
    )
    assert set(moved) == {"b200"}
    assert moved["b200"] == 3 * 16


def test_a_wider_gate_opens_nowhere_else(
    shipped: Registry, specs: Mapping[Point, LaunchSpec]
) -> None:
    """The case's gates without a scope: no recipe but b200's opens them, so nothing moves."""

    def wide(_: str, record: Record) -> Record:
        return evolve(record, when=Scope()) if isinstance(record, Gate) else record

    widened = Registry(map_records(shipped.contributions, wide))
    widened.check()
    for place in list(specs)[::5]:
        assert same_outcome(specs[place], widened.resolve(place)), place


SKIPS = {
    "amd": lambda place: place.sku.startswith("mi"),
    "nvidia": lambda place: not place.sku.startswith("mi"),
    "sglang": lambda place: place.engine == "sglang",
    "vllm": lambda place: place.engine == "vllm",
}
"""Plugin -> whether a point is about what it declares."""


@pytest.mark.parametrize("name", SKIPS)
def test_skipping_a_shipped_plugin_changes_no_point_of_the_others(
    shipped: Registry, specs: Mapping[Point, LaunchSpec], name: str
) -> None:
    """Rules of others that name its ids among other ids keep counting for these."""
    skipped = shipped.without_plugin(name)
    assert not skipped.faults
    compared = 0
    for place, spec in specs.items():
        if not SKIPS[name](place):
            after = outcome(skipped, place)
            assert same_outcome(spec, after), f"{place}: {told(after)}"
            compared += 1
    assert compared > 100
