"""Law: every leaf and every absence has origins.

Drop all of them: the leaf changes or goes, or a conflict that they had settled appears, or
the rule behind gives the same value, and was shown as shadowed.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

from attrs import evolve
from hypothesis import given, settings

from infxreg import LaunchSpec, Point, Registry
from infxreg.errors import ConflictError, DerivationError, NoValueError, UnusableValueError
from infxreg.origin import Origin
from infxreg.records import Record, Rule
from infxreg.values import FrozenMap
from support import naive
from support.case import Case
from support.compare import named
from support.edits import map_records
from support.outcomes import outcome, told
from support.points import draw_axes, draw_request, point
from support.strategies import build, cases, randoms

UNRELATED = {"client_env.DROPPED": "1"}
"""What a rule sets that has nothing left to say: without settings it would be a fault."""


def without(registry: Registry, key: str, origins: tuple[Origin, ...]) -> Registry:
    """The registry in which the rules of these origins don't say a word about a key."""
    rules = {named(origin)[1::2] for origin in origins if origin.layer.label != "request"}

    def silent(plugin: str, record: Record) -> Record:
        if isinstance(record, Rule) and (plugin, record.id) in rules:
            kept = {other: value for other, value in record.settings.items() if other != key}
            return evolve(record, settings=FrozenMap(kept or UNRELATED))
        return record

    layers = {origin.layer.label for origin in origins}
    plugins, site = registry.contributions, registry.site
    if "plugin" in layers:
        plugins = map_records(plugins, silent)
    if "site" in layers and site is not None:
        (site,) = map_records([site], silent)
    return Registry(plugins, site, registry.skipped)


def drop(registry: Registry, place: Point, request: Mapping[str, Any], key: str) -> str:
    """Drop the origins of one leaf and assert the law.

    Returns:
        What came of it.
    """
    before = registry.resolve(place, **request).options[key]
    assert before.origins, key
    assert before.origin == min(before.origins)
    shown = {named(item.origin) for item in before.shadowed}
    asked = dict(request)
    if before.origin.layer.label == "request":
        asked["set"] = {k: v for k, v in request.get("set", {}).items() if k != key}
        asked["unset"] = [k for k in request.get("unset", ()) if k != key]
    result = outcome(without(registry, key, before.origins), place, asked)
    if isinstance(result, LaunchSpec):
        after = result.options.get(key)
        if after is None:
            assert not shown, f"{key} is gone, though {shown} stood behind it"
            return "gone"
        assert {named(origin) for origin in after.origins} <= shown, key
        equal = naive.typed(after.value) == naive.typed(before.value)
        return "the same from behind" if equal else "changed"
    if isinstance(result, ConflictError):
        (conflict,) = result.conflicts
        assert conflict.key == key
        sides = {place.partition(" ")[0] for _, place in conflict.sides}
        assert sides <= {f"{plugin}:{rule}" for _, plugin, _, rule in shown}
        return "a conflict"
    if isinstance(result, NoValueError):
        assert result.key == key
        return "gone, and missed"
    if isinstance(result, DerivationError):
        assert key in result.inputs
        return "gone, and missed"
    assert isinstance(result, UnusableValueError), told(result)
    assert not shown or key not in {problem.key for problem in result.problems}
    return "gone, and missed"


def drop_all(registry: Registry, place: Point, request: Mapping[str, Any]) -> Counter[str]:
    """Drop every leaf of a point, one at a time."""
    result = outcome(registry, place, request)
    if not isinstance(result, LaunchSpec):
        return Counter()
    return Counter(drop(registry, place, request, key) for key in result.options)


@given(case=cases((6, 20)), rng=randoms())
@settings(max_examples=40)
def test_dropping_the_origins_of_a_leaf_is_felt(case: Case, rng: random.Random) -> None:
    """In generated registries, for every option of a point, at random requests."""
    axes = draw_axes(rng, case)
    drop_all(case.registry(), point(axes), draw_request(rng, case, axes))


def test_all_that_can_come_of_dropping_a_leaf_comes() -> None:
    """Leaves go, change, conflict, and are the same from behind: none of the law is vacuous."""
    seen: Counter[str] = Counter()
    for seed in range(100):
        rng = random.Random(seed)
        case = build(rng, (6, 20))
        axes = draw_axes(rng, case)
        seen += drop_all(case.registry(), point(axes), draw_request(rng, case, axes))
    for what in ("gone", "changed", "a conflict", "the same from behind"):
        assert seen[what] >= 3, seen


def test_dropping_the_origins_of_a_shipped_leaf_is_felt(shipped: Registry) -> None:
    """For every option of some shipped points, at any purpose."""
    rng = random.Random(3)
    recipes = sorted(shipped.catalogue.recipes)
    for recipe in ["dsv41flash-fp4-b200-vllm-agentic", *rng.sample(recipes, 4)]:
        places = [p for p in shipped.points() if p.recipe is not None and p.recipe.id == recipe]
        place = rng.choice(places).at(purpose=rng.choice(("serve", "throughput", "eval")))
        assert sum(drop_all(shipped, place, {}).values()) > 20


def test_every_shipped_leaf_names_rules_that_set_it(shipped: Registry) -> None:
    """Each origin is a rule of the registry that sets the key to that value, or derives it."""
    rules = {
        (owner.plugin, placed.record.id): placed.record
        for owner in shipped.contributions
        for placed in owner.placed
        if isinstance(placed.record, Rule)
    }
    for place in shipped.points():
        for key, option in shipped.resolve(place).options.items():
            assert option.origins
            for origin in option.origins:
                assert key in rules[origin.plugin, origin.rule].settings
                assert origin.distribution
                assert origin.file
