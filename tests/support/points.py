"""Random points of generated registries, and what a request says beside its point."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from infxreg import Point
from infxreg.records import Gate, Recipe, Rule
from infxreg.scope import Scope
from infxreg.values import FrozenMap
from support import naive
from support.alphabet import INTS, KEYS, SWEPT
from support.case import Case, Vocabulary
from support.strategies import chance, some


def draw_axes(rng: random.Random, case: Case) -> dict[str, Any]:
    """A point's axes: random, or aimed at a rule, or swept."""
    vocabulary = case.vocabulary
    axes = {
        axis: rng.choice(vocabulary.values[axis])
        for axis in ("sku", "model", "engine", "workload", "purpose", "tenant", "tp", "conc")
    }
    kind = rng.randrange(4)
    recipes = [recipe for _, recipe in case.of(Recipe)]
    if kind == 1 and recipes:
        recipe = rng.choice(recipes)
        axes |= {"sku": recipe.sku, "model": recipe.model, "engine": recipe.engine}
        axes |= {"workload": recipe.workload or "chat", "tenant": "none"}
        axes |= {axis: rng.choice(values) for axis, values in SWEPT.items()}
    elif kind > 1:
        scope = rng.choice(rng.choice([rule for _, rule in case.of(Rule)]).when)
        axes |= aimed(rng, scope, vocabulary)
    return axes


def aimed(rng: random.Random, scope: Scope, vocabulary: Vocabulary) -> dict[str, Any]:
    """Values of axes that lie in a scope, as far as it has any."""
    axes: dict[str, Any] = {}
    for axis, constraint in scope.terms:
        if axis in ("sku", "model", "engine", "workload", "purpose", "tenant"):
            axes[axis] = rng.choice(sorted(constraint.values))  # type: ignore[union-attr]
        elif axis in INTS:
            fitting = [value for value in range(1, 80) if value in constraint]
            axes[axis] = rng.choice(fitting) if fitting else INTS[axis][0]
    for carrier in ("sku", "model"):
        wanted = [
            (axis, c)
            for axis, c in scope.terms
            if axis in vocabulary.facts[carrier, vocabulary.values[carrier][0]]
        ]
        if carrier not in axes and wanted:
            fitting = [
                name
                for name in vocabulary.values[carrier]
                if all(vocabulary.facts[carrier, name].get(axis) in c for axis, c in wanted)
            ]
            if fitting:
                axes[carrier] = rng.choice(fitting)
    return axes


def draw_request(rng: random.Random, case: Case, axes: Mapping[str, Any]) -> dict[str, Any]:
    """What a request says beside the point: gates, values, absences; often nothing."""
    request: dict[str, Any] = {}
    gates = [gate for _, gate in case.of(Gate)]
    if gates and chance(rng, 50):
        point = case.world().with_facts(axes)
        near = [g.id for g in gates if naive.matches(naive.plain(g.when), point)]
        wanted = near if near and chance(rng, 85) else [gate.id for gate in gates]
        request["gates"] = some(rng, wanted, 0, 2)
    if gates and chance(rng, 25):
        request["no_gates"] = some(rng, [gate.id for gate in gates], 0, 2)
    if chance(rng, 25):
        keys = some(rng, KEYS, 1, 2)
        request["set"] = {key.id: rng.choice(key.values) for key in keys}
        request["unset"] = [
            key.id for key in some(rng, KEYS[:-1], 0, 1) if key.id not in request["set"]
        ]
    return request


def point(axes: Mapping[str, Any]) -> Point:
    """A point of these axes."""
    return Point(FrozenMap(axes))
