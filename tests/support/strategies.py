"""Generated registries, for hypothesis and for long seeded runs.

Everything is drawn from a `random.Random`: hypothesis lends one that it can shrink
(`cases`), a long run seeds its own. What is drawn is valid by construction, gated rules
lie inside their gates, derivations read only keys that come before their own.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from attrs import evolve
from hypothesis import strategies as st

from infxreg.records import (
    Arch,
    AxisValues,
    Derivation,
    Engine,
    Gate,
    Image,
    Model,
    Recipe,
    Record,
    Rule,
    SiteSettings,
    Sku,
    Sweep,
)
from infxreg.scope import Constraint, OneOf, Range, Scope
from infxreg.values import ABSENT, Derived, FrozenMap, Setting
from support import naive
from support.alphabet import (
    AXES,
    EXTRA,
    FUNCTIONS,
    IMAGES,
    INTS,
    KEYS,
    OPTIONS,
    RENDER,
    RULED,
    SWEPT,
    VENDORS,
    Key,
)
from support.case import Case, Vocabulary, one_of

T = TypeVar("T")


def chance(rng: random.Random, percent: int) -> bool:
    """True so often; False is the simpler one."""
    return rng.randrange(100) >= 100 - percent


def some(rng: random.Random, values: Iterable[T], least: int = 1, most: int = 2) -> list[T]:
    """From ``least`` to ``most`` of the values, as far as there are."""
    left = list(values)
    count = min(rng.randint(least, most), len(left))
    return [left.pop(rng.randrange(len(left))) for _ in range(count)]


def build(rng: random.Random, rules: tuple[int, int] = (8, 36), site_rules: int = 5) -> Case:
    """A registry: SKUs, models, gates, rules over plugins and site, recipes.

    Args:
        rng: what everything is drawn from.
        rules: least and largest number of rules of plugins.
        site_rules: largest number of rules of the site.
    """
    skus = tuple(
        Sku(
            id=name,
            name=name,
            arch=rng.choice(tuple(VENDORS)),
            memory_gib=100.0,
            gpus_per_node=8,
            cpu_arch=rng.choice(("x86_64", "aarch64")),
            source="test",
            facets=FrozenMap({"board": rng.choice(("tray", "box"))} if chance(rng, 80) else {}),
        )
        for name in ("u1", "u2", "u3", "u4", "u5")[: rng.randint(2, 5)]
    )
    models = tuple(
        Model(id=name, hub_id=f"org/{name}", family=rng.choice(("f1", "f2")), source="test")
        for name in ("m1", "m2", "m3")[: rng.randint(1, 3)]
    )
    vocabulary = _vocabulary(skus, models)
    case = Case(vocabulary, _plugins(skus, models))
    for _ in range(rng.randint(0, 3)):
        case = case.adding(rng.choice(RULED), draw_gate(rng, case))
    for _ in range(rng.randint(*rules)):
        case = case.adding(rng.choice(RULED), draw_rule(rng, case))
    for _ in range(rng.randint(0, site_rules) if chance(rng, 50) else 0):
        case = case.adding("site", draw_rule(rng, case))
    for sku in some(rng, skus, 1, 3):
        case = case.adding(rng.choice(RULED), draw_recipe(rng, case, sku.id))
    gates = [gate.id for _, gate in case.of(Gate)]
    if gates and chance(rng, 40):
        first, rest = gates[:1], gates[1:2]
        opens = SiteSettings(open=tuple(first), close=tuple(rest))
        closes = SiteSettings(close=tuple(first), open=tuple(rest))
        case = case.adding("site", rng.choice((opens, closes)))
    return case


def _vocabulary(skus: tuple[Sku, ...], models: tuple[Model, ...]) -> Vocabulary:
    facts: dict[tuple[str, Any], dict[str, Any]] = {
        ("arch", arch): {"vendor": vendor} for arch, vendor in VENDORS.items()
    }
    for sku in skus:
        own = {"arch": sku.arch, "cpu_arch": sku.cpu_arch, "vendor": VENDORS[sku.arch]}
        facts["sku", sku.id] = {**sku.facets, **own}
    for model in models:
        facts["model", model.id] = {"family": model.family}
    values: dict[str, tuple[Any, ...]] = {
        "sku": tuple(sku.id for sku in skus),
        "model": tuple(model.id for model in models),
        "engine": ("e1", "e2"),
        "workload": ("chat", "batch", "eval8k"),
        "purpose": ("serve", "throughput", "eval"),
        "tenant": ("none", "acme", "bolt"),
        **INTS,
    }
    for facet in ("arch", "vendor", "cpu_arch", "board", "family"):
        known = {own[facet] for own in facts.values() if facet in own}
        values[facet] = tuple(sorted(known))
    return Vocabulary(values, facts)


def _plugins(skus: tuple[Sku, ...], models: tuple[Model, ...]) -> dict[str, tuple[Record, ...]]:
    engines = tuple(
        Engine(id=name, argv=(name, "{hub_id}"), source="test", render=RENDER)
        for name in ("e1", "e2")
    )
    base = Rule(
        id="base",
        settings=FrozenMap(
            {
                "image": IMAGES[0],
                "resources.gpus": Derived("total", ("tp",)),
                "timeout.health_interval_s": 10,
                "timeout.health_attempts": 6,
            }
        ),
    )
    purposes = Rule(
        id="purposes",
        when=(Scope.of({"engine": one_of("e1", "e2"), "purpose": one_of("throughput", "eval")}),),
        settings=FrozenMap({"client_env.PURPOSE": Derived("label", ("purpose",))}),
    )
    return {
        "core": (
            *AXES,
            *OPTIONS,
            *(Derivation(id=function.__name__, function=function) for function in FUNCTIONS),
            base,
        ),
        "engines": (
            *engines,
            purposes,
            *(Image(id=image, engine="e1", source="test") for image in IMAGES),
        ),
        "extra": (*EXTRA, AxisValues(id="workloads", axis="workload", values=("eval8k",))),
        "hardware": (
            *(Arch(id=a, vendor=v, platform="cuda", source="test") for a, v in VENDORS.items()),
            *skus,
        ),
        "models": models,
        **dict.fromkeys(RULED, ()),
    }


def draw_constraint(rng: random.Random, axis: str, values: tuple[Any, ...]) -> Constraint:
    """A list or, on an integer axis, a range."""
    if axis in INTS and chance(rng, 50):
        low, high = sorted((rng.choice(values), rng.choice(values)))
        return rng.choice((Range(low, None), Range(None, high), Range(low, high)))
    if chance(rng, 15):
        return one_of(*values)
    return one_of(*some(rng, values, 1, 2))


def draw_terms(
    rng: random.Random, vocabulary: Vocabulary, taken: Iterable[str] = (), most: int = 3
) -> dict[str, Constraint]:
    """Terms of a scope, on axes that aren't taken."""
    free = [axis for axis, known in vocabulary.values.items() if known and axis not in set(taken)]
    count = min(most, rng.choice((0, 1, 2, 2, 3, 3)))
    axes = some(rng, free, count, count)
    return {axis: draw_constraint(rng, axis, vocabulary.values[axis]) for axis in axes}


def narrowed(
    rng: random.Random, terms: Mapping[str, Constraint], vocabulary: Vocabulary
) -> dict[str, Constraint]:
    """Terms of a scope inside the one of these terms."""
    result: dict[str, Constraint] = {}
    facets = {"arch": "sku", "vendor": "sku", "cpu_arch": "sku", "board": "sku", "family": "model"}
    for axis, constraint in terms.items():
        carrier = facets.get(axis)
        if carrier is not None and carrier not in terms and chance(rng, 40):
            fitting = [
                name
                for name in vocabulary.values[carrier]
                if vocabulary.facts[carrier, name].get(axis) in constraint
                and name in result.get(carrier, vocabulary.values[carrier])
            ]
            if fitting:
                result[carrier] = one_of(*some(rng, fitting))
                continue
        result[axis] = constraint if chance(rng, 60) else _part(rng, constraint)
    more = draw_terms(rng, vocabulary, {*terms, *result}, 2)
    return {**more, **result}


def _part(rng: random.Random, constraint: Constraint) -> Constraint:
    if isinstance(constraint, OneOf):
        return one_of(*some(rng, sorted(constraint.values, key=str)))
    low = constraint.min if constraint.min is not None else 1
    high = constraint.max if constraint.max is not None else low + 60
    a, b = sorted((rng.randint(low, high), rng.randint(low, high)))
    return rng.choice((one_of(a), one_of(a, b), Range(a, b)))


def draw_gate(rng: random.Random, case: Case) -> Gate:
    """A gate that isn't about purposes, so that every recipe can open it."""
    terms = draw_terms(rng, case.vocabulary, ("purpose",), 2)
    return Gate(id=f"gate{case.count}", when=Scope.of(terms), doc="gate")


def draw_rule(rng: random.Random, case: Case, gated: bool = False) -> Rule:
    """A rule: one to three scopes, one to three keys, behind up to two gates, or surely so."""
    gates = draw_gates(rng, case, gated)
    scopes = tuple(draw_scope(rng, case, gates) for _ in range(rng.choice((1, 1, 1, 2, 3))))
    return Rule(
        id=f"r{case.count}",
        when=scopes,
        gates=tuple(gate.id for gate in gates),
        settings=draw_settings(rng),
        source=rng.choice((None, "a source")),
    )


def draw_gates(rng: random.Random, case: Case, gated: bool = False) -> list[Gate]:
    """No gate (unless there has to be one), or gates whose scopes have something in common."""
    known = [gate for _, gate in case.of(Gate)]
    if not known or not (gated or chance(rng, 35)):
        return []
    picked = some(rng, known, 1, 2)
    return picked if common(picked) is not None else picked[:1]


def common(gates: Iterable[Gate]) -> dict[str, Constraint] | None:
    """Terms of a scope inside every gate's, or None where there is none with a value."""
    terms: dict[str, Constraint] = {}
    for gate in gates:
        for axis, constraint in gate.when.terms:
            other = terms.get(axis)
            if other is None:
                terms[axis] = constraint
                continue
            both = naive.written_out(bare(constraint)) & naive.written_out(bare(other))
            values = {value for value in both if not isinstance(value, str) or axis not in INTS}
            if axis in INTS:
                values = {value for value in values if 0 < value < 100}
            if not values:
                return None
            terms[axis] = one_of(*sorted(values, key=str)[:3])
    return terms


def bare(constraint: Constraint) -> Any:
    """A constraint as the naive resolver has it."""
    values = isinstance(constraint, OneOf)
    return constraint.values if values else (constraint.min, constraint.max)  # type: ignore[union-attr]


def draw_scope(rng: random.Random, case: Case, gates: Iterable[Gate] = ()) -> Scope:
    """A scope inside those of the gates; often inside another rule's, so that rules nest."""
    terms = common(gates)
    if not terms and chance(rng, 60):
        _, other = rng.choice(case.of(Rule))
        terms = dict(rng.choice(other.when).terms)
    if not terms:
        return Scope.of(draw_terms(rng, case.vocabulary))
    return Scope.of(narrowed(rng, terms, case.vocabulary))


def draw_settings(rng: random.Random) -> FrozenMap[str, Setting]:
    """One to three keys; each value has a likely one, so that rules often agree."""
    return FrozenMap({key.id: draw_setting(rng, key) for key in some(rng, KEYS, 1, 3)})


def draw_setting(rng: random.Random, key: Key) -> Setting:
    """A constant, absent or a derivation of what comes before the key."""
    if key.derived and chance(rng, 10):
        function, parameters = rng.choice(key.derived)
        before = [other.id for other in KEYS[: KEYS.index(key)]]
        most = 1 if function == "present" else 2
        reads = some(rng, [*before, "tp", "conc", "tenant", "arch", "family"], 1, most)
        return Derived(function, tuple(reads), parameters)
    if key.id != "image" and chance(rng, 7):
        return ABSENT
    value: Setting = key.values[0] if chance(rng, 75) else rng.choice(key.values)
    return value


def draw_recipe(rng: random.Random, case: Case, sku: str) -> Recipe:
    """A recipe of a SKU that has none yet; it opens gates that reach a swept point."""
    values = case.vocabulary.values
    recipe = Recipe(
        id=f"recipe-{sku}",
        model=rng.choice(values["model"]),
        sku=sku,
        engine=rng.choice(values["engine"]),
        workload=rng.choice((None, "batch")),
        default=chance(rng, 50),
        sweep=(Sweep(id="tp{tp}_c{conc}", axes=FrozenMap(SWEPT)),),
        default_point="tp2_c8",
    )
    world = case.world()
    points = [world.with_facts(axes) for axes in world.swept(recipe)]
    gates = [
        gate.id
        for _, gate in case.of(Gate)
        if any(naive.matches(naive.plain(gate.when), point) for point in points)
    ]
    return evolve(recipe, gates=tuple(some(rng, gates, 0, 2)))


def randoms() -> st.SearchStrategy[random.Random]:
    """A source of randomness that hypothesis controls and shrinks."""
    return st.randoms(use_true_random=False)


def gated(rng: random.Random, case: Case) -> Case:
    """The case with a gate and two rules more that stand behind gates."""
    case = case.adding("p-one", draw_gate(rng, case))
    for _ in range(2):
        case = case.adding(rng.choice(RULED), draw_rule(rng, case, gated=True))
    return case


@st.composite
def cases(draw: Callable[..., Any], rules: tuple[int, int] = (8, 36)) -> Case:
    """Generated registries."""
    return build(draw(randoms()), rules)
