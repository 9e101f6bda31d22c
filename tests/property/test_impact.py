"""Laws of `impact`: exactly what the naive resolver says differs, in scopes that hold just that."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from infxreg import Registry
from infxreg.review.impact import compare
from infxreg.review.regions import Universe
from infxreg.review.snapshot import Snapshot, read, take
from infxreg.scope import OneOf, Range, Scope
from support import naive
from support.edits import draw_edit
from support.strategies import build

PURPOSES = ("serve", "throughput", "eval")
NO_GATES: frozenset[str] = frozenset()

Place = frozenset[tuple[str, Any]]


def places(registry: Registry) -> dict[Place, dict[str, Any]]:
    """Every swept point at every purpose."""
    found: dict[Place, dict[str, Any]] = {}
    for point in registry.points():
        for purpose in PURPOSES:
            axes = {**point.axes, "purpose": purpose}
            found[frozenset(axes.items())] = axes
    return found


def naively(world: naive.World, axes: Mapping[str, Any]) -> object:
    """What is launched at a point: values and gates; a word where there is nothing to launch."""
    try:
        answers = naive.resolve(world, axes)
    except naive.PurposeUnnamed:
        return "none"
    except naive.Refused:
        return "error"
    if any(isinstance(answer, naive.Clash) for answer in answers.values()):
        return "error"
    values = {
        key: launched(key, answer.value)  # type: ignore[union-attr]
        for key, answer in answers.items()
        if key != "gamma.input" and answer.value is not None  # type: ignore[union-attr]
    }
    return values, naive.opened(world, axes)


def launched(key: str, value: Any) -> object:
    """A raw argument's text: ``1``, ``1.0`` and ``"1"`` are written alike."""
    if key == "args.more" and value is not True:
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    return naive.typed(value)


def failing(snapshot: Snapshot) -> set[Place]:
    """The points that have an error in a snapshot."""
    return {
        frozenset({**snapshot.defaults, **entry.axes}.items())
        for entry in snapshot.entries
        if entry.error
    }


def test_impact_is_what_the_naive_resolver_says_differs() -> None:
    """For random registries and random edits: these points at these purposes, and none else."""
    seen = {"same": 0, "touched": 0}
    for seed in range(14):
        rng = random.Random(seed)
        case = build(rng, (8, 24))
        edit = draw_edit(rng, case)
        old, new = case.registry(), edit.after.registry()
        impact = compare(take(old), take(new))
        touched = {
            frozenset({**impact.defaults, **impact.points[number], "purpose": purpose}.items())
            for purpose, numbers in impact.touched.items()
            for number in numbers
        }
        refused = failing(take(old)) | failing(take(new))
        before, after = places(old), places(new)
        assert touched <= {*before, *after}
        for place, axes in {**before, **after}.items():
            was = naively(case.world(), axes) if place in before else "none"
            now = naively(edit.after.world(), axes) if place in after else "none"
            if place in refused and "error" not in (was, now):
                continue  # a value that the engine can't render: the naive resolver has no engine
            if was == now == "error":
                continue  # two errors are the same where their words are
            expected = was != now
            assert (place in touched) == expected, f"seed {seed}: {edit.what}\n{axes}\n{was}\n{now}"
            seen["touched" if expected else "same"] += 1
    assert seen["touched"] > 30
    assert seen["same"] > 300


@settings(max_examples=60)
@given(st.randoms(use_true_random=False))
def test_regions_hold_exactly_the_members(rng: random.Random) -> None:
    """Each member lies in one region, whose scope holds its own members and no other point."""
    points = universe(rng)
    members = {
        number for number in range(len(points)) if rng.random() < rng.choice((0.1, 0.5, 0.9))
    }
    regions = Universe(points, {"tp": 1}).cover(members)
    listed = [number for region in regions for number in region.members]
    assert sorted(listed) == sorted(members)
    for region in regions:
        held = [n for n, point in enumerate(points) if region.scope.matches(full(point), NO_GATES)]
        assert held == list(region.members)


@settings(max_examples=60)
@given(st.randoms(use_true_random=False))
def test_what_one_scope_says_is_one_region(rng: random.Random) -> None:
    """However many points it holds."""
    points = universe(rng)
    terms: dict[str, Any] = {}
    for axis, values in AXES.items():
        if rng.random() < 0.5:
            chosen = rng.sample(values, rng.randrange(1, len(values) + 1))
            terms[axis] = OneOf(frozenset(chosen))
    if "conc" in terms and rng.random() < 0.5:
        terms["conc"] = Range(rng.choice((None, 2, 8)), rng.choice((None, 16, 64)))
    scope = Scope.of(terms)
    members = [n for n, point in enumerate(points) if scope.matches(full(point), NO_GATES)]
    assert len(Universe(points, {"tp": 1}).cover(members)) == bool(members)


AXES: dict[str, list[Any]] = {
    "sku": ["a", "b", "c"],
    "engine": ["v", "s"],
    "tp": [1, 2, 4],
    "conc": [1, 2, 8, 16, 64],
}


def universe(rng: random.Random) -> list[dict[str, Any]]:
    """Distinct points; a tp of 1 is left out, as snapshots leave defaults out."""
    share = rng.choice((0.4, 0.8, 1.0))
    found = []
    for sku in AXES["sku"]:
        for engine in AXES["engine"]:
            for tp in AXES["tp"]:
                for conc in AXES["conc"]:
                    if rng.random() < share:
                        point = {"sku": sku, "model": "m", "engine": engine, "conc": conc}
                        found.append(point if tp == 1 else {**point, "tp": tp})
    return found


def full(point: Mapping[str, Any]) -> dict[str, Any]:
    return {"tp": 1, **point}


def test_a_snapshot_comes_back_from_its_lines() -> None:
    """Every entry, on random registries, and nothing changes against itself."""
    for seed in range(6):
        registry = build(random.Random(seed), (8, 24)).registry()
        lines = list(take(registry).lines())
        entries = list(take(registry).entries)
        back = read(lines, "test")
        assert back.defaults == take(registry).defaults
        assert list(back.entries) == entries
        assert list(read(lines, "test").lines()) == lines
        assert compare(take(registry), read(lines, "test")).blocks == ()


def test_neither_order_nor_new_axes_move_a_point() -> None:
    """Plugins in another order give the same lines; an axis at its default is no change."""
    from infxreg.contribution import Contribution
    from infxreg.records import Axis

    registry = build(random.Random(3), (8, 24)).registry()
    turned = Registry(tuple(reversed(registry.contributions)), registry.site)
    assert list(take(turned).lines()) == list(take(registry).lines())
    more = Contribution.of("more", Axis(id="flavour", default="plain", values=("odd",)))
    assert compare(take(registry), take(registry.with_plugin(more))).blocks == ()
