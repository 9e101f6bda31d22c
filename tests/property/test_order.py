"""Law: the order of plugins, files and records doesn't matter, origins included.

And adding a plugin and removing it is never having had it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from hypothesis import given, settings

from infxreg import Contribution, Registry
from infxreg.records import Rule
from infxreg.values import FrozenMap
from support.case import Case
from support.edits import add_plugin
from support.outcomes import outcome, same_outcome, told
from support.points import draw_axes, draw_request, point
from support.strategies import cases, randoms


def shuffled(rng: random.Random, contributions: Iterable[Contribution]) -> list[Contribution]:
    """The same plugins in another order, each with its records, and so its files, in another."""
    result = []
    for owner in contributions:
        placed = list(owner.placed)
        rng.shuffle(placed)
        result.append(owner.with_placed(placed))
    rng.shuffle(result)
    return result


@given(case=cases(), rng=randoms())
@settings(max_examples=60)
def test_order_changes_nothing_in_a_generated_registry(case: Case, rng: random.Random) -> None:
    """Values, origins, what is shadowed and why, conflicts and their sides: all are equal."""
    site = case.site_layer()
    registry = Registry(case.contributions(), site)
    other = Registry(
        tuple(shuffled(rng, case.contributions())),
        shuffled(rng, [site])[0] if site is not None else None,
    )
    for _ in range(3):
        axes = draw_axes(rng, case)
        request = draw_request(rng, case, axes)
        first, second = (outcome(r, point(axes), request) for r in (registry, other))
        assert same_outcome(first, second), f"{told(first)}\n{told(second)}"


@pytest.mark.parametrize("seed", range(3))
def test_order_changes_nothing_in_the_shipped_registry(shipped: Registry, seed: int) -> None:
    """Swept points at random purposes are equal in a registry that is loaded in another order."""
    rng = random.Random(seed)
    other = Registry(tuple(shuffled(rng, shipped.contributions)))
    other.check()
    points = list(shipped.points())
    assert sorted(map(str, points)) == sorted(map(str, other.points()))
    for place in rng.sample(points, 80):
        moved = place.at(purpose=rng.choice(("serve", "throughput", "eval")))
        assert same_outcome(shipped.resolve(moved), other.resolve(moved)), moved


@given(case=cases(), rng=randoms())
@settings(max_examples=40)
def test_adding_and_removing_a_plugin_is_never_having_had_it(
    case: Case, rng: random.Random
) -> None:
    """Records and outcomes are those from before, those of points that it changed too."""
    registry = case.registry()
    edit = add_plugin(rng, case)
    (name,) = set(edit.after.plugins) - set(case.plugins)
    (added,) = (c for c in edit.after.contributions() if c.plugin == name)
    between = registry.with_plugin(added)
    between.check()
    after = between.without_plugin(name)
    assert after.contributions == registry.contributions
    assert not after.faults
    assert not after.catalogue.dormant
    for _ in range(3):
        axes = draw_axes(rng, case)
        request = draw_request(rng, case, axes)
        before = outcome(registry, point(axes), request)
        assert same_outcome(before, outcome(after, point(axes), request))


def test_adding_and_removing_a_plugin_leaves_the_shipped_registry_as_it_was(
    shipped: Registry,
) -> None:
    """A plugin that sets a key everywhere moves every point, and none once it is out again."""
    leak = Rule(id="leak", settings=FrozenMap({"args.leak": True}))
    between = shipped.with_plugin("late", leak)
    after = between.without_plugin("late")
    for place in list(shipped.points())[::9]:
        before = shipped.resolve(place)
        assert between.resolve(place).digest != before.digest
        assert same_outcome(before, after.resolve(place))
