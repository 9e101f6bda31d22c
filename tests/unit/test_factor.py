"""Few scoped rules from many points: exactly these, bounded, and no two that disagree."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from infxreg import Registry, discover
from infxreg.audit import conflicts
from infxreg.contribution import Placed
from infxreg.exchange import Imported
from infxreg.importing.checkout import of_records
from infxreg.importing.factor import Point, differences, factor
from infxreg.importing.written import points_of
from infxreg.records import Engine, Rule
from infxreg.scope import OneOf
from infxreg.values import Derived, FrozenMap, Value
from support.builders import acme

AXES = {"model": "m1", "engine": "run", "sku": "x10", "tp": 2, "conc": 1}


def point(options: dict[str, Value], **axes: Any) -> Point:
    return Point(FrozenMap({**AXES, **axes}), FrozenMap(options))


def said(rules: Iterable[Rule]) -> dict[str, dict[str, Any]]:
    """What each scope sets."""
    found: dict[str, dict[str, Any]] = {}
    for rule in rules:
        for scope in rule.when:
            found.setdefault(str(scope), {}).update(rule.settings)
    return found


class TestRules:
    """How points are said."""

    def test_one_value(self) -> None:
        """Once, for the SKUs that have it."""
        points = [point({"a.b": 1}, sku=sku, tp=tp) for sku in ("x10", "x20") for tp in (2, 4)]
        assert said(factor(points)) == {"sku=x10|x20 model=m1 engine=run": {"a.b": 1}}

    def test_an_exception_is_narrower(self) -> None:
        points = [point({"a.b": 2 if tp == 4 else 1}, tp=tp) for tp in (1, 2, 4)]
        assert said(factor(points)) == {
            "sku=x10 model=m1 engine=run": {"a.b": 1},
            "sku=x10 model=m1 engine=run tp=4": {"a.b": 2},
        }

    def test_what_some_lack_is_said_where_it_is(self) -> None:
        """So that nothing has to be taken back."""
        points = [point({"a.b": 1} if tp == 4 else {}, tp=tp) for tp in (1, 2, 4)]
        assert said(factor(points)) == {"sku=x10 model=m1 engine=run tp=4": {"a.b": 1}}

    def test_a_function_of_an_axis(self) -> None:
        """Where there are enough values to believe it."""
        some = (1, 2, 4, 8)
        points = [point({"a.b": 2 * c, "a.c": c, "a.d": str(c)}, conc=c) for c in some]
        assert said(factor(points)) == {
            "sku=x10 model=m1 engine=run": {
                "a.b": Derived("scaled", ("conc",), (("factor", 2),)),
                "a.c": Derived("copy", ("conc",)),
                "a.d": Derived("text", ("conc",)),
            }
        }
        few = said(factor([point({"a.b": 2 * c}, conc=c) for c in (1, 2)]))
        assert not any(isinstance(v, Derived) for body in few.values() for v in body.values())

    def test_keys_of_one_scope_are_one_rule(self) -> None:
        """And scopes that set the same are one rule too."""
        points = [
            point(
                {"a.b": 1, "a.c": 2} if (sku, tp) in (("x10", 2), ("x20", 4)) else {},
                sku=sku,
                tp=tp,
            )
            for sku in ("x10", "x20")
            for tp in (2, 4)
        ]
        (rule,) = factor(points, "p")
        assert dict(rule.settings) == {"a.b": 1, "a.c": 2}
        assert [str(scope) for scope in rule.when] == [
            "sku=x10 model=m1 engine=run tp=2",
            "sku=x20 model=m1 engine=run tp=4",
        ]
        assert rule.id.startswith("p-x10-2-")

    def test_models_and_engines_are_apart(self) -> None:
        points = [point({"a.b": 1}, model=model) for model in ("m1", "m2")]
        assert len(said(factor(points))) == 2

    def test_two_points_at_one_place(self) -> None:
        """Equal ones are one; others can't both be."""
        assert factor([point({"a.b": 1})] * 2) == factor([point({"a.b": 1})])
        with pytest.raises(ValueError, match="differ"):
            factor([point({"a.b": 1}), point({"a.b": 2})])

    def test_none(self) -> None:
        assert factor([]) == ()


def test_differences_are_found() -> None:
    """A wrong value, one too many and one too few."""
    (rule,) = factor([point({"a.b": 1})])
    told = list(differences([point({"a.b": 2, "a.c": 3}), point({}, tp=4)], [rule]))
    place = "conc=1 engine=run model=m1 sku=x10"
    assert told == [
        f"{place} tp=2: a.b is 1, not 2",
        f"{place} tp=2: a.c is absent, not 3",
        f"{place} tp=4: a.b is 1, not None",
    ]


VALUES = st.sampled_from([1, 2, "x", True, (1, 2)])
OPTIONS = st.dictionaries(st.sampled_from(["a.b", "a.c", "a.d"]), VALUES, max_size=3)
PLACES = st.fixed_dictionaries(
    {
        "sku": st.sampled_from(["x10", "x20", "z10"]),
        "model": st.sampled_from(["m1", "m2"]),
        "tp": st.sampled_from([1, 2, 4]),
        "conc": st.sampled_from([1, 2, 4, 8]),
    }
)
POINTS = st.lists(
    st.builds(lambda axes, options: point(options, **axes), PLACES, OPTIONS),
    max_size=24,
    unique_by=lambda one: tuple(sorted(one.axes.items())),
)


@given(POINTS, st.randoms())
def test_exactly_these_points_in_any_order(points: list[Point], chance: random.Random) -> None:
    """Every rule is bounded, and the order of the points changes nothing."""
    rules = factor(points)
    assert list(differences(points, rules)) == []
    for rule in rules:
        for scope in rule.when:
            for axis in ("sku", "model", "engine"):
                constraint = scope.get(axis)
                assert isinstance(constraint, OneOf)
                assert constraint.values <= {one.axes[axis] for one in points}
    shuffled = points[:]
    chance.shuffle(shuffled)
    assert factor(shuffled) == rules


def rebuilt(registry: Registry) -> tuple[Registry, tuple[Rule, ...]]:
    """A registry whose launches are the factored rules of another one's points.

    What is behind a gate there is said at the points at which it was open.
    """
    rules = factor(points_of(registry))
    recipes = [evolve(one, gates=()) for one in registry.catalogue.recipes.values()]
    placed = tuple(Placed(record) for record in (*recipes, *rules))
    open_to_all = evolve(
        registry,
        contributions=tuple(
            one.with_placed(evolve(p, record=ungated(p.record)) for p in one.placed)
            for one in registry.contributions
        ),
    )
    return of_records(open_to_all, Imported(placed=placed)), rules


def ungated(record: Any) -> Any:
    if not isinstance(record, Engine):
        return record
    return evolve(record, render=tuple(evolve(r, behind=FrozenMap()) for r in record.render))


def options(registry: Registry) -> dict[str, dict[str, Value | None]]:
    """What each point is launched with; what only derivations read is left out."""
    known = registry.catalogue.options
    inputs = {name for name, option in known.items() if option.use == "input"}
    return {
        f"{p.recipe.id if p.recipe else ''}/{p.id}": {
            key: option.value
            for key, option in registry.resolve(p).options.items()
            if option.value is not None and key not in inputs
        }
        for p in registry.points()
    }


def test_a_registry_of_them_resolves_alike() -> None:
    """Through the real resolution, and no two rules disagree anywhere."""
    made, _ = rebuilt(acme())
    made.check()
    assert options(made) == options(acme())
    assert list(conflicts(made.catalogue)) == []


def test_the_shipped_catalogue() -> None:
    """All 233 points, in at most half as many rules again as people wrote for them."""
    shipped = discover()
    made, rules = rebuilt(shipped)
    made.check()
    assert options(made) == options(shipped)
    assert list(conflicts(made.catalogue)) == []
    written = {(one.origin.plugin, one.origin.rule) for one in shipped.catalogue.plugin_rules.all}
    assert len(rules) <= 1.5 * len(written)
