"""Law: indexed resolution equals a naive one that is written from DESIGN.md alone.

Values with their types, absences, origins, what is shadowed, conflicts, and errors of gates.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given, settings

from infxreg import Registry
from infxreg.records import Rule
from infxreg.scope import Scope
from infxreg.values import FrozenMap
from support import naive
from support.case import Case, one_of
from support.compare import compare
from support.points import draw_axes, draw_request
from support.strategies import build, cases, randoms

PURPOSES = ("serve", "throughput", "eval")


@given(case=cases(), rng=randoms())
@settings(max_examples=60)
def test_a_generated_registry_resolves_as_the_naive_one(case: Case, rng: random.Random) -> None:
    """At random points and for random requests, both resolvers say the same."""
    registry, world = case.registry(), case.world()
    registry.check()
    for _ in range(4):
        axes = draw_axes(rng, case)
        compare(registry, world, axes, draw_request(rng, case, axes))


def test_large_generated_registries_resolve_as_the_naive_one() -> None:
    """Dozens of rules each: every kind of answer is seen, and all are the naive resolver's."""
    seen: Counter[str] = Counter()
    for seed in range(60):
        rng = random.Random(seed)
        case = build(rng, (10, 50))
        registry, world = case.registry(), case.world()
        registry.check()
        for _ in range(20):
            axes = draw_axes(rng, case)
            seen[compare(registry, world, axes, draw_request(rng, case, axes))] += 1
    for answer in (
        "spec",
        "ConflictError",
        "GateScopeError",
        "GateIdleError",
        "GateContradictionError",
    ):
        assert seen[answer] > 20, seen


@pytest.fixture(scope="module")
def world(shipped: Registry) -> naive.World:
    return naive.World.of(shipped.contributions, shipped.site)


@pytest.mark.parametrize("purpose", PURPOSES)
def test_every_shipped_point_resolves_as_the_naive_one(
    shipped: Registry, world: naive.World, purpose: str
) -> None:
    """All swept points of the shipped registry, at every purpose."""
    seen = Counter(
        compare(shipped, world, {**point.axes, "purpose": purpose}, {})
        for point in shipped.points()
    )
    assert seen == {"spec": sum(1 for _ in shipped.points())}


def test_random_shipped_points_resolve_as_the_naive_one(
    shipped: Registry, world: naive.World
) -> None:
    """Points off every sweep, requests that open and close gates, set and unset keys."""
    rng = random.Random(7)
    seen: Counter[str] = Counter()
    swept = list(shipped.points())
    gates = sorted(world.gates)
    gated = [p for p in swept if (p.sku, p.engine) == ("b200", "vllm")]
    for number in range(600):
        axes = dict(rng.choice(gated if number % 2 else swept).axes)
        for axis in rng.sample(("tp", "dp", "conc", "pp", "purpose"), rng.randint(0, 3)):
            axes[axis] = rng.choice(PURPOSES) if axis == "purpose" else rng.choice((1, 2, 4, 8, 48))
        request: dict = {
            "gates": rng.sample(gates, rng.choice((0, 0, 1, 2))),
            "no_gates": rng.sample(gates, rng.choice((0, 0, 0, 1))),
        }
        if rng.random() < 0.2:
            request["set"] = {"kv_cache.dtype": "auto", "scheduler.max_num_seqs": 7}
            request["unset"] = ["memory.gpu_fraction"]
        seen[compare(shipped, world, axes, request)] += 1
    for answer in ("spec", "GateScopeError", "GateIdleError", "GateContradictionError"):
        assert seen[answer] > 10, seen


def test_a_scope_wider_than_the_index_files_is_matched_all_the_same() -> None:
    """Lists whose product is beyond what the index spells out still match by every axis."""
    rng = random.Random(1)
    case = build(rng, (6, 10))
    numbers = list(range(1, 41))
    wide = Rule(
        id="wide",
        when=(Scope.of({"tp": one_of(*numbers), "conc": one_of(*numbers), "sku": one_of("u1")}),),
        settings=FrozenMap({"args.wide": 1}),
    )
    case = case.adding("p-one", wide)
    registry, world = case.registry(), case.world()
    axes = draw_axes(rng, case)
    for tp, conc, sku in itertools.product((1, 40, 41), (1, 40, 41), ("u1", "u2")):
        compare(registry, world, {**axes, "tp": tp, "conc": conc, "sku": sku}, {})
