"""Generated registries, points and requests, for hypothesis and for long seeded runs.

Everything is drawn from a `random.Random`: hypothesis lends one that it can shrink
(`cases`), a long run seeds its own. What is drawn is valid by construction, gated rules
lie inside their gates, derivations read only keys that come before their own.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from attrs import evolve
from hypothesis import strategies as st

from infxreg import Contribution, Point, Registry
from infxreg.contribution import Placed
from infxreg.records import (
    Arch,
    Axis,
    AxisValues,
    Derivation,
    Engine,
    Gate,
    Image,
    Model,
    Option,
    Recipe,
    Record,
    Render,
    Rule,
    SiteSettings,
    Sku,
    Sweep,
)
from infxreg.scope import Constraint, OneOf, Range, Scope
from infxreg.values import ABSENT, Derived, FrozenMap, Setting
from support import naive

T = TypeVar("T")

VENDORS = {"sm1": "green", "sm2": "green", "gfx1": "red"}
INTS = {"tp": (1, 2, 3, 4, 8), "conc": (1, 2, 8, 16, 64)}
SWEPT = {"tp": (1, 2, 4), "conc": (1, 8, 64)}
IMAGES = ("reg/base:1", "reg/base:2", "reg/next:1")

# --- derivations: total, so that generated ones never fail ------------------------------


def total(*values: Any, plus: int = 0, times: int = 1) -> int:
    """A number that depends on all that is read."""
    sizes = (value if isinstance(value, int) else len(repr(value)) for value in values)
    return times * sum(sizes) + plus


def label(*values: Any, tag: str = "t") -> str:
    """A text that shows all that is read."""
    return tag + "|".join(map(repr, values))


def odd(*values: Any) -> bool:
    """A boolean that depends on all that is read."""
    return total(*values) % 2 == 1


def spread(*values: Any, base: int = 1) -> list[int]:
    """A list that depends on all that is read."""
    return [base, total(*values)]


def whole(*values: Any) -> float | None:
    """A number, or absent where it would be even."""
    return total(*values) / 2 if total(*values) % 2 else None


def present(value: Any, *, tag: str = "p") -> str | None:
    """A text, absent where what is read is absent."""
    return None if value is None else f"{tag}{value!r}"


FUNCTIONS = (total, label, odd, spread, whole, present)


@dataclass(frozen=True)
class Key:
    """An option or raw key of generated registries: constants, and derivations that fit."""

    id: str
    values: tuple[Any, ...]
    derived: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...] = ()
    """(function, parameters)."""


_TEXT = (("label", (("tag", "a"),)), ("label", (("tag", "b"),)), ("present", ()))
_NUMBER = (("total", (("plus", 1), ("times", 2))), ("total", (("times", 2), ("plus", 1))))

KEYS = (
    Key("gamma.input", (4, 8, 16)),
    Key("alpha.count", (1, 2, 3), (*_NUMBER, ("total", ()))),
    Key("beta.real", (1, 1.0, 2.5), (("total", ()), ("whole", ()))),
    Key("beta.flag", (True, False), (("odd", ()),)),
    Key("gamma.list", ((1, 2), (2, 1)), (("spread", ()), ("spread", (("base", 2),)))),
    Key("alpha.text", ("a", "b", 'c "d"\n$é'), _TEXT),
    Key("delta.text", ("x", "y"), _TEXT),
    Key("args.more", (1, 1.0, True, "1"), (("total", ()), ("label", ()))),
    Key("env.MORE", ("1", "2"), _TEXT),
    Key("client_env.MORE", ("m", "n"), _TEXT),
    Key("image", IMAGES),
)
"""In the order in which derivations may read them."""

OPTIONS = (
    Option(id="image", type="str", doc="image"),
    Option(id="resources.gpus", type="int", doc="GPUs"),
    Option(id="timeout.health_interval_s", type="int", doc="s"),
    Option(id="timeout.health_attempts", type="int", doc="attempts"),
    Option(id="gamma.input", type="int", doc="read only", use="input"),
    Option(id="alpha.count", type="int", doc="number"),
    Option(id="beta.real", type="float", doc="number"),
    Option(id="beta.flag", type="bool", doc="switch"),
    Option(id="gamma.list", type="list[int]", doc="list"),
    Option(id="alpha.text", type="str", doc="text"),
    Option(id="delta.text", type="str", doc="text"),
)

RENDER = (
    Render(option="alpha.count", flag="count"),
    Render(option="beta.real", flag="config", json="real"),
    Render(option="beta.flag", flag="flag", false="no-flag"),
    Render(option="gamma.list", flag="list"),
    Render(option="alpha.text", env="TEXT"),
    Render(option="delta.text", flag="config", json="text"),
)

AXES = (
    Axis(id="sku", type="id"),
    Axis(id="model", type="id"),
    Axis(id="engine", type="id"),
    Axis(id="workload", default="chat", values=("chat", "batch")),
    Axis(id="purpose", default="serve", values=("serve", "throughput", "eval")),
    Axis(id="tp", type="int", default=1),
    Axis(id="conc", type="int", default=1),
    Axis(id="vendor", facet_of="sku"),
    Axis(id="arch", facet_of="sku"),
    Axis(id="cpu_arch", facet_of="sku"),
    Axis(id="family", facet_of="model"),
)

EXTRA = (
    Axis(id="tenant", default="none", values=("acme", "bolt")),
    Axis(id="board", facet_of="sku"),
)
"""Axes that a plugin declares, one of them a facet."""

RULED = ("p-one", "p-two", "p-three")
"""The plugins over which rules and gates are spread."""


# --- a registry, taken apart ------------------------------------------------------------


@dataclass(frozen=True)
class Vocabulary:
    """What scopes can name in one registry: the values of each axis, and the facts."""

    values: Mapping[str, tuple[Any, ...]]
    facts: Mapping[tuple[str, Any], Mapping[str, Any]]


@dataclass(frozen=True)
class Case:
    """A registry's records by plugin, and the site's."""

    vocabulary: Vocabulary
    plugins: Mapping[str, tuple[Record, ...]]
    site: tuple[Record, ...] = ()
    count: int = field(default=0, compare=False)
    """How many ids were given so far."""

    def contributions(self) -> tuple[Contribution, ...]:
        """One a plugin; each plugin's records stand in two files."""
        return tuple(contribution(name, records) for name, records in self.plugins.items())

    def site_layer(self) -> Contribution | None:
        """The site's contribution, or None without one."""
        return contribution("site", self.site) if self.site else None

    def registry(self) -> Registry:
        """The registry. It has no faults."""
        return Registry(self.contributions(), self.site_layer())

    def world(self) -> naive.World:
        """The same records for the naive resolver."""
        return naive.World.of(self.contributions(), self.site_layer())

    def of(self, kind: type[T]) -> list[tuple[str, T]]:
        """(plugin, record) of a kind, the site's last."""
        layered = (*self.plugins.items(), ("site", self.site))
        return [
            (name, record) for name, found in layered for record in found if type(record) is kind
        ]  # type: ignore[misc]

    def with_records(self, plugin: str, records: Iterable[Record]) -> Case:
        """The case with other records of one plugin, or of the site."""
        if plugin == "site":
            return replace(self, site=tuple(records))
        return replace(self, plugins={**self.plugins, plugin: tuple(records)})

    def adding(self, plugin: str, *records: Record) -> Case:
        """The case with more records of one plugin, or of the site."""
        old = self.site if plugin == "site" else self.plugins.get(plugin, ())
        return replace(self.with_records(plugin, (*old, *records)), count=self.count + len(records))

    def mapped(self, change: Callable[[Record], Record | None]) -> Case:
        """The case with each record changed, or dropped where the change gives None."""

        def over(records: tuple[Record, ...]) -> tuple[Record, ...]:
            return tuple(new for old in records if (new := change(old)) is not None)

        plugins = {name: over(records) for name, records in self.plugins.items()}
        return replace(self, plugins=plugins, site=over(self.site))

    def without_plugin(self, name: str) -> Case:
        """The case without a plugin."""
        return replace(self, plugins={k: v for k, v in self.plugins.items() if k != name})

    def __repr__(self) -> str:
        lines = ["", *(f"  fact {k}: {dict(v)}" for k, v in self.vocabulary.facts.items())]
        for plugin, gate in self.of(Gate):
            lines.append(f"  {plugin}: gate {gate.id}: {gate.when}")
        for plugin, recipe in self.of(Recipe):
            lines.append(f"  {plugin}: recipe {recipe.id} gates={recipe.gates}")
        for plugin, rule in self.of(Rule):
            lines.append(f"  {plugin}: {show_rule(rule)}")
        for _, settings in self.of(SiteSettings):
            lines.append(f"  site: open={settings.open} close={settings.close}")
        return "Case:" + "\n".join(lines)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))


def show_rule(rule: Rule) -> str:
    """A rule on one line."""
    scopes = "; ".join(map(str, rule.scopes))
    return f"rule {rule.id} [{scopes}] {', '.join(f'{k}={v}' for k, v in rule.settings.items())}"


def contribution(plugin: str, records: Iterable[Record]) -> Contribution:
    """A plugin's contribution, its records in two files by the length of their ids.

    They count as structured: their types are right, and checking them takes longer than
    all else that building a registry does.
    """
    placed = [
        Placed(record, f"{plugin}/{len(record.id) % 2}.toml", structured=True) for record in records
    ]
    return Contribution(plugin, version="1", placed=tuple(placed))


# --- drawing ----------------------------------------------------------------------------


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


def one_of(*values: Any) -> OneOf:
    """A constraint that lists values."""
    return OneOf(frozenset(values))


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


# --- points and requests ----------------------------------------------------------------


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


# --- for hypothesis ---------------------------------------------------------------------


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
