"""Law: inside is a partial order of scopes that says what every registry of facts agrees to,
and that depends on nothing but the facts of the ids that the two scopes name.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from infxreg.axes import AxisSpace
from infxreg.records import Arch, Model, Sku
from infxreg.scope import (
    Constraint,
    OneOf,
    Range,
    Scope,
    inside,
    intersect,
    meet,
    strictly_inside,
    subset,
)
from support import naive
from support.alphabet import AXES
from support.case import one_of

SKUS = ("s1", "s2", "s3", "s4")
MODELS = ("m1", "m2")
VENDORS = {"a1": "v1", "a2": "v1", "a3": "v2"}
NEW_VENDORS = {"new1": "v1", "new2": "v2", "new3": "new"}
CPUS = ("x86_64", "aarch64")
NAMES = {
    "sku": SKUS,
    "arch": tuple(VENDORS),
    "vendor": ("v1", "v2"),
    "cpu_arch": CPUS,
    "model": MODELS,
    "family": ("f1", "f2"),
    "workload": ("chat", "batch"),
}
BOUNDS = range(1, 9)
GROUPS = (
    ("sku", "arch", "vendor", "cpu_arch"),
    ("model", "family"),
    ("workload",),
    ("tp",),
    ("conc",),
)
"""Axes that a value on another axis decides go together: the groups are independent."""


def sku(name: str, arch: str, cpu_arch: str) -> Sku:
    return Sku(
        id=name,
        name=name,
        arch=arch,
        memory_gib=1,
        gpus_per_node=1,
        cpu_arch=cpu_arch,
        source="test",
    )


def model(name: str, family: str) -> Model:
    return Model(id=name, hub_id=name, family=family, source="test")


def space(skus: Iterable[Sku], models: Iterable[Model]) -> AxisSpace:
    archs = [
        Arch(id=name, vendor=vendor, platform="p", source="test")
        for name, vendor in {**VENDORS, **NEW_VENDORS}.items()
    ]
    return AxisSpace.build(AXES, {}, archs, skus, models, ["e1"])


def fresh() -> tuple[list[Sku], list[Model]]:
    """SKUs of every architecture, old and new, and models of every family, that nobody named."""
    archs = (*VENDORS, *NEW_VENDORS)
    skus = [sku(f"{arch}-{cpu}", arch, cpu) for arch, cpu in product(archs, (*CPUS, "riscv"))]
    return skus, [model(f"new-{family}", family) for family in ("f1", "f2", "f3")]


hardware = st.tuples(
    *(
        st.builds(sku, st.just(name), st.sampled_from(tuple(VENDORS)), st.sampled_from(CPUS))
        for name in SKUS
    )
)
checkpoints = st.tuples(
    *(st.builds(model, st.just(name), st.sampled_from(("f1", "f2"))) for name in MODELS)
)
spaces = st.builds(space, hardware, checkpoints)
integers = st.one_of(
    st.frozensets(st.sampled_from(BOUNDS), min_size=1, max_size=4).map(OneOf),
    st.tuples(st.none() | st.sampled_from(BOUNDS), st.none() | st.sampled_from(BOUNDS))
    .filter(lambda ends: None in ends or ends[0] <= ends[1])
    .map(lambda ends: Range(*ends)),
)


def constraints(axis: str) -> st.SearchStrategy[Constraint]:
    if axis not in NAMES:
        return integers
    names = NAMES[axis]
    return (st.just(frozenset(names)) | st.frozensets(st.sampled_from(names), min_size=1)).map(
        OneOf
    )


@st.composite
def drawn_scopes(draw: st.DrawFn) -> Scope:
    """A scope with up to four terms, behind up to two gates."""
    axes = draw(st.lists(st.sampled_from(sum(GROUPS, ())), unique=True, max_size=4))
    gates = draw(st.sampled_from(((), (), ("g1",), ("g2",), ("g1", "g2"))))
    return Scope.of({axis: draw(constraints(axis)) for axis in axes}, gates)


scopes = drawn_scopes()


def points_of(group: tuple[str, ...], facts: AxisSpace) -> list[dict]:
    """Every point of one group of axes, integers next to all bounds included."""
    if group[0] in ("sku", "model"):
        return [
            {**dict.fromkeys(group), **facts.with_facets({group[0]: name})}
            for name in facts.values[group[0]]
        ]
    if group[0] == "workload":
        return [{"workload": name} for name in ("chat", "batch", "new")]
    return [{group[0]: number} for number in range(1, 12)]


def part(scope: Scope, group: tuple[str, ...]) -> Scope:
    return Scope(tuple(term for term in scope.terms if term[0] in group))


def reached(scope: Scope, facts: AxisSpace) -> list[set[int]]:
    """For each group of axes, which of its points a scope matches."""
    found = []
    for group in GROUPS:
        points = points_of(group, facts)
        matching = part(scope, group)
        found.append({i for i, p in enumerate(points) if matching.matches(p, frozenset())})
    return found


def contained(a: Scope, b: Scope, facts: AxisSpace) -> bool:
    """Whether every point of ``a`` is one of ``b``, gates included."""
    ours, theirs = reached(a, facts), reached(b, facts)
    if any(not group for group in ours):
        return True
    return b.gates <= a.gates and all(x <= y for x, y in zip(ours, theirs, strict=True))


def with_news(facts: AxisSpace) -> AxisSpace:
    """The same facts, and those of many more SKUs and models."""
    skus, models = fresh()
    known = [
        sku(name, str(facts.fact("sku", name, "arch")), str(facts.fact("sku", name, "cpu_arch")))
        for name in SKUS
    ]
    mine = [model(name, str(facts.fact("model", name, "family"))) for name in MODELS]
    return space([*known, *skus], [*mine, *models])


@given(a=scopes, facts=spaces)
def test_inside_is_reflexive_and_strictly_inside_is_not(a: Scope, facts: AxisSpace) -> None:
    """A scope lies inside itself, and never strictly."""
    assert inside(a, a, facts)
    assert not strictly_inside(a, a, facts)


@st.composite
def nested(draw: st.DrawFn) -> tuple[Scope, Scope, Scope, AxisSpace]:
    """Three scopes of which each often lies inside the next: one says what others say, and more."""
    facts = draw(spaces)
    c = draw(scopes)
    b = within(draw, c, facts)
    a = within(draw, b, facts)
    return a, b, c, facts


def within(draw: st.DrawFn, scope: Scope, facts: AxisSpace) -> Scope:
    """A scope that is often inside another one: all of it and more, perhaps without facets.

    Or one that only looks so: with the architectures of its SKUs in these SKUs' place.
    """
    kind = draw(st.integers(0, 4))
    more = draw(scopes)
    if kind == 0:
        return more
    ids = scope.get("sku")
    if kind == 1 and isinstance(ids, OneOf):
        archs = frozenset(str(facts.fact("sku", name, "arch")) for name in ids.values)
        kept = {axis: other for axis, other in scope.terms if axis not in ("sku", "arch")}
        return Scope.of({**kept, "arch": OneOf(archs)}, scope.gates)
    both = meet(scope, more) or scope
    dropped = draw(st.sampled_from(((), (), ("arch",), ("vendor", "family"), ("cpu_arch", "arch"))))
    return Scope(tuple(term for term in both.terms if term[0] not in dropped), both.gates)


@given(nested())
@settings(max_examples=150)
def test_inside_and_strictly_inside_are_transitive(
    drawn: tuple[Scope, Scope, Scope, AxisSpace],
) -> None:
    """What lies inside something inside a scope lies inside that scope, strictly if one step is."""
    a, b, c, facts = drawn
    assume(inside(a, b, facts) and inside(b, c, facts))
    assert inside(a, c, facts)
    if strictly_inside(a, b, facts) or strictly_inside(b, c, facts):
        assert strictly_inside(a, c, facts)


@given(nested())
def test_strictly_inside_is_asymmetric(drawn: tuple[Scope, Scope, Scope, AxisSpace]) -> None:
    """Of two scopes at most one is the narrower one, and only if the other isn't inside it."""
    a, b, _, facts = drawn
    assert not (strictly_inside(a, b, facts) and strictly_inside(b, a, facts))
    assert strictly_inside(a, b, facts) == (inside(a, b, facts) and not inside(b, a, facts))


@given(nested())
@settings(max_examples=150)
def test_inside_holds_at_every_point_of_every_registry(
    drawn: tuple[Scope, Scope, Scope, AxisSpace],
) -> None:
    """If A lies inside B, B matches wherever A does, whatever else is registered."""
    a, b, _, facts = drawn
    assume(inside(a, b, facts))
    assert contained(a, b, facts)
    assert contained(a, b, with_news(facts))


@given(nested())
@settings(max_examples=150)
def test_what_holds_in_every_registry_is_inside(
    drawn: tuple[Scope, Scope, Scope, AxisSpace],
) -> None:
    """If B matches what A does in a registry with every kind of SKU and model, A lies inside.

    Only for an A that names ids or facets, not both: of two terms on one SKU, DESIGN.md's rule
    looks at each by itself.
    """
    a, b, _, facts = drawn
    for group in GROUPS[:2]:
        assume(len(part(a, group).terms) <= 1)
    assert inside(a, b, facts) == contained(a, b, with_news(facts))


@given(nested())
@settings(max_examples=200)
def test_comparing_depends_on_nothing_else_that_is_registered(
    drawn: tuple[Scope, Scope, Scope, AxisSpace],
) -> None:
    """Registering more SKUs, models and architectures changes no comparison."""
    a, b, _, facts = drawn
    assert inside(a, b, facts) == inside(a, b, with_news(facts))


@given(a=scopes, ids=st.frozensets(st.sampled_from(SKUS), min_size=1), facts=spaces)
def test_a_facet_never_lies_inside_a_list_of_ids(
    a: Scope, ids: frozenset[str], facts: AxisSpace
) -> None:
    """A scope that names no SKU isn't inside a list of SKUs, not even inside a list of all."""
    facet_only = Scope(tuple(term for term in a.terms if term[0] != "sku"), a.gates)
    for listed in (ids, frozenset(SKUS)):
        assert not inside(facet_only, Scope.of({"sku": OneOf(listed)}), facts)


@given(nested())
@settings(max_examples=200)
def test_inside_is_what_the_naive_resolver_says(
    drawn: tuple[Scope, Scope, Scope, AxisSpace],
) -> None:
    """The comparison of two scopes is the one of DESIGN.md, word for word."""
    a, b, _, facts = drawn
    known: dict[tuple[str, str], dict] = {
        ("arch", arch): {"vendor": vendor} for arch, vendor in VENDORS.items()
    }
    for carrier in ("sku", "model"):
        for name in facts.values[carrier]:
            own = {
                axis: facts.fact(carrier, name, axis)
                for axis in ("arch", "vendor", "cpu_arch", "family")
            }
            known[carrier, str(name)] = {axis: v for axis, v in own.items() if v is not None}
    assert inside(a, b, facts) == naive.inside(naive.plain(a), naive.plain(b), known)


@given(a=scopes, b=scopes, facts=spaces)
@settings(max_examples=100)
def test_meet_lies_inside_both_and_matches_what_both_match(
    a: Scope, b: Scope, facts: AxisSpace
) -> None:
    """The meet lies inside each and reaches all that they share; without one they share nothing."""
    both = meet(a, b)
    shared = [x & y for x, y in zip(reached(a, facts), reached(b, facts), strict=True)]
    if both is None:
        assert any(not group for group in shared)
        return
    assert both == meet(b, a)
    assert inside(both, a, facts)
    assert inside(both, b, facts)
    assert reached(both, facts) == shared
    assert both.gates == a.gates | b.gates


@given(a=integers, b=integers)
@settings(max_examples=300)
def test_subset_and_intersect_are_those_of_sets_of_integers(a: Constraint, b: Constraint) -> None:
    """On integers, lists and ranges compare as the sets that they stand for."""
    numbers = range(1, 20)
    ours, theirs = ({n for n in numbers if n in c} for c in (a, b))
    assert subset(a, b) == (ours <= theirs)
    common = intersect(a, b)
    assert (set() if common is None else {n for n in numbers if n in common}) == ours & theirs


@given(
    a=st.frozensets(st.sampled_from("abcd"), min_size=1),
    b=st.frozensets(st.sampled_from("abcd"), min_size=1),
)
def test_subset_and_intersect_are_those_of_sets_of_names(
    a: frozenset[str], b: frozenset[str]
) -> None:
    """On names, lists compare as sets."""
    assert subset(OneOf(a), OneOf(b)) == (a <= b)
    common = intersect(OneOf(a), OneOf(b))
    assert common == (OneOf(a & b) if a & b else None)


@given(constraint=integers, value=st.sampled_from(BOUNDS))
def test_a_scope_matches_by_its_constraints_alone(constraint: Constraint, value: int) -> None:
    """A constraint admits what it lists or bounds; an axis without a value never matches."""
    scope = Scope.of({"tp": constraint}, ["g1"])
    admitted = naive.admits(naive.plain(scope)["tp"], value)
    assert scope.matches({"tp": value}, frozenset(["g1"])) == admitted
    assert not scope.matches({"tp": value}, frozenset())
    assert not scope.matches({"tp": None}, frozenset(["g1"]))
    assert not scope.matches({}, frozenset(["g1"]))
    assert Scope.of({"workload": one_of("chat")}).matches({"workload": "chat"}, frozenset())
