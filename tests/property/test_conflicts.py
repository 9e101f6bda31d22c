"""Law: the narrower scope wins, and only then; a conflict names the rule that would settle it."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given, settings

from infxreg.audit import conflicts
from infxreg.errors import ConflictError
from infxreg.records import Rule
from infxreg.tables import read_table
from support import naive
from support.case import Case
from support.outcomes import outcome
from support.points import draw_axes, point
from support.strategies import build, cases, randoms

ONE_SCOPE = "(they have one scope"


def settle(case: Case, rng: random.Random) -> Counter[str]:
    """Resolve a random point, and follow the advice of each of its conflicts."""
    axes = draw_axes(rng, case)
    before = outcome(case.registry(), point(axes))
    seen: Counter[str] = Counter()
    if not isinstance(before, ConflictError):
        return seen
    site = {key for _, rule in case.of(Rule) if rule in case.site for key in rule.settings}
    for conflict in before.conflicts:
        if conflict.settle.startswith(ONE_SCOPE):
            seen["one scope"] += 1
            continue
        contents = read_table(conflict.settle.encode())
        assert not contents.faults, f"{conflict.settle}\ncan't be read: {contents.faults}"
        (located,) = contents.records
        layer = "site" if conflict.key in site else "p-one"
        after = outcome(case.adding(layer, located.record).registry(), point(axes))
        left = {c.key for c in after.conflicts} if isinstance(after, ConflictError) else set()
        assert conflict.key not in left, f"{conflict}\nstays with the advice in {layer}: {after}"
        assert left == {c.key for c in before.conflicts} - {conflict.key}
        seen["settled"] += 1
    return seen


@given(case=cases((6, 20)), rng=randoms())
@settings(max_examples=60)
def test_the_named_rule_settles_a_conflict(case: Case, rng: random.Random) -> None:
    """The rule of the message can be read, and in the layer that conflicts it settles that key."""
    settle(case, rng)


def test_conflicts_are_settled_by_the_dozen() -> None:
    """The same at many points of many registries."""
    seen: Counter[str] = Counter()
    for seed in range(80):
        rng = random.Random(seed)
        seen += settle(build(rng, (8, 24)), rng)
    assert seen["settled"] > 30, seen


@given(case=cases((6, 20)), rng=randoms())
@settings(max_examples=60)
def test_a_side_of_a_conflict_is_beaten_by_nobody(case: Case, rng: random.Random) -> None:
    """Each side matches, nothing that matches in its layer is narrower, and they disagree."""
    axes = draw_axes(rng, case)
    result = outcome(case.registry(), point(axes))
    if not isinstance(result, ConflictError):
        return
    world = case.world()
    at = naive.at(world.with_facts(axes), naive.settled(world, axes))
    for conflict in result.conflicts:
        assert len({words for words, _ in conflict.sides}) > 1
        for _, place in conflict.sides:
            plugin, _, rest = place.partition(":")
            rules = world.site_rules if plugin == "site" else world.plugin_rules
            sharing = [
                r for r in rules if conflict.key in r.settings and naive.matches(r.terms, at)
            ]
            mine = [r for r in sharing if r.origin[1::2] == (plugin, rest.partition(" ")[0])]
            assert any(
                not any(naive.strictly_inside(o.terms, r.terms, world.facts) for o in sharing)
                for r in mine
            )


def test_check_finds_every_conflict_before_anyone_resolves_the_point() -> None:
    """Whatever conflicts at a random point, swept or not, stands in the list over all of them."""
    seen = 0
    for seed in range(10):
        rng = random.Random(seed)
        case = build(rng, (8, 24))
        registry = case.registry()
        told = [finding.message for finding in conflicts(registry.catalogue)]
        for _ in range(6):
            result = outcome(registry, point(draw_axes(rng, case)))
            if not isinstance(result, ConflictError):
                continue
            for conflict in result.conflicts:
                names = [f"by {origin.plugin}:{origin.rule} (" for origin in conflict.origins]
                about = [message for message in told if message.startswith(f"{conflict.key} is ")]
                assert any(sum(name in message for name in names) > 1 for message in about), (
                    f"{conflict}\nisn't among\n{about}"
                )
                seen += 1
    assert seen > 8
