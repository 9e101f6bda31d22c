"""Impact: kinds, purposes, parts of a launch, and values, on made registries and entries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from attrs import evolve

from infxreg import Registry
from infxreg.review.impact import Block, Impact, by_axis, compare
from infxreg.review.snapshot import Entry, Set, Snapshot, take
from infxreg.values import FrozenMap
from support.builders import NIGHTLY, acme, rule, where


def impact_of(old: Registry, new: Registry) -> Impact:
    return compare(take(old), take(new))


def told(block: Block) -> dict[str, list[tuple[Any, Any]]]:
    """Each key with its old and new values."""
    return {change.key: [(p.old, p.new) for p in pairs] for change, pairs in block.keys}


def scopes(block: Block) -> list[str]:
    return [str(region.scope) for region in block.regions]


def entry(
    point: str,
    purpose: str = "serve",
    options: Mapping[str, Any] = FrozenMap(),
    by: str = "p:r",
    **more: Any,
) -> Entry:
    """A made entry: its digest is that of its options and launch."""
    launch = {"image": {"reference": "acme/run:1"}, **more.pop("launch", {})}
    return Entry(
        axes=FrozenMap({"sku": "a", "model": "m", "engine": "e", "conc": int(point)})
        if not purpose
        else FrozenMap(
            {"sku": "a", "model": "m", "engine": "e", "conc": int(point), "purpose": purpose}
        ),
        point=point,
        recipe="r",
        digest="" if "error" in more else repr((sorted(options.items()), sorted(launch.items()))),
        launch=FrozenMap(launch),
        options=FrozenMap({key: Set(value, (by,)) for key, value in options.items()}),
        **more,
    )


def between(old: Iterable[Entry], new: Iterable[Entry]) -> Impact:
    sides = [sorted(entries, key=lambda e: e.order) for entries in (old, new)]
    return compare(*(Snapshot(FrozenMap(), iter(entries)) for entries in sides))


class TestParts:
    """What is launched can change though no option does."""

    def test_an_image_whose_record_has_another_digest(self) -> None:
        """The reference is the same, so no rule tells."""
        base = acme()
        image = evolve(base.catalogue.images["acme/alt:1"], digest="sha256:" + "a" * 64)
        (block,) = impact_of(base, replaced(base, image)).blocks
        assert scopes(block) == ["sku=x20 engine=alt"]
        ((key, [(old, new)]),) = told(block).items()
        assert key == "image"
        assert (old, new["digest"]) == ({"reference": "acme/alt:1"}, "sha256:" + "a" * 64)

    def test_and_another_rule_that_names_it(self) -> None:
        """The rule isn't why: the digest is told all the same."""
        base = acme()
        image = evolve(base.catalogue.images[NIGHTLY], digest="sha256:" + "b" * 64)
        again = rule("again", {"image": NIGHTLY}, where(model="m1", engine="run", sku="x10"))
        (block,) = impact_of(base, replaced(base, image, again)).blocks
        assert scopes(block) == ["engine=run"]
        assert list(told(block)) == ["image"]

    def test_another_image_is_told_once(self) -> None:
        """As the option; the part says the same."""
        base = acme()
        other = evolve(base.catalogue.images["acme/alt:1"], id="acme/alt:2")
        moved = rule("moved", {"image": "acme/alt:2"}, where(engine="alt", sku="x20"))
        (block,) = impact_of(base, acme(other, moved)).blocks
        assert told(block) == {"image": [("acme/alt:1", "acme/alt:2")]}

    def test_a_model_s_revision(self) -> None:
        """Every point of the model; those of an engine with fewer purposes apart."""
        base = acme()
        model = evolve(base.catalogue.models["m1"], revision="r2")
        block, fewer = impact_of(base, replaced(base, model)).blocks
        assert [scopes(block), scopes(fewer)] == [["engine=run"], ["sku=x20 engine=alt"]]
        assert [block.purposes, fewer.purposes] == [("serve", "throughput"), ("serve",)]
        ((old, new),) = told(block)["model"]
        assert (old["revision"], new["revision"]) == ("r1", "r2")

    def test_an_engine_s_rendering(self) -> None:
        """No option changes, and the command line does."""
        base = acme()
        engine = base.catalogue.engines["alt"]
        renamed = evolve(engine, render=tuple(evolve(how, flag="size") for how in engine.render))
        (block,) = impact_of(base, replaced(base, renamed)).blocks
        assert scopes(block) == ["sku=x20 engine=alt"]
        assert told(block) == {
            "argv": [
                (["alt", "acme/m1", "--tp", tp], ["alt", "acme/m1", "--size", tp])
                for tp in ("2", "4")
            ]
        }

    def test_a_sku_s_gpus_beside_an_option(self) -> None:
        """An option that says nothing of nodes doesn't hide that they change."""
        base = acme()
        sku = evolve(base.catalogue.skus["x20"], gpus_per_node=2)
        more = rule("more", {"args.odd": 1}, where(sku="x20"))
        blocks = impact_of(base, replaced(base, sku, more)).blocks
        changes = {key: values for block in blocks for key, values in told(block).items()}
        assert sorted(changes) == ["args.odd", "resources"]
        old, new = changes["resources"][0]
        assert (old["gpus_per_node"], new["gpus_per_node"]) == (4, 2)

    def test_gates(self) -> None:
        """Beside what stands behind them."""
        base = acme()
        recipe = evolve(base.catalogue.recipes["m1-x10-run"], gates=())
        (block,) = impact_of(base, replaced(base, recipe)).blocks
        assert told(block) == {"attention.backend": [("FAST", "PLAIN")], "gates": [(["fast"], [])]}
        assert scopes(block) == ["sku=x10 engine=run tp=2|4"]


def replaced(registry: Registry, *records: Any) -> Registry:
    """The registry with these records in place of those of acme with their ids."""
    ids = {(record.kind, record.id) for record in records}
    kept = [
        one
        if one.plugin != "acme"
        else one.with_placed(p for p in one.placed if (p.record.kind, p.record.id) not in ids)
        for one in registry.contributions
    ]
    return Registry(tuple(kept)).with_records("acme", *records)


class TestKinds:
    """What can become of a point."""

    FINE, OTHER = entry("1", options={"k": 1}), entry("1", options={"k": 2})
    BAD, WORSE = entry("1", error="bad"), entry("1", error="worse")

    @pytest.mark.parametrize(
        ("old", "new", "kind"),
        [
            ([], [FINE], "new"),
            ([FINE], [], "gone"),
            ([BAD], [], "gone"),
            ([], [BAD], "fails"),
            ([FINE], [BAD], "fails"),
            ([BAD], [WORSE], "fails"),
            ([BAD], [FINE], "mended"),
            ([FINE], [OTHER], "changed"),
        ],
    )
    def test_kinds(self, old: list[Entry], new: list[Entry], kind: str) -> None:
        """One block of that kind, and of what fails the reason."""
        (block,) = between(old, new).blocks
        assert (block.kind, block.count, block.purposes) == (kind, 1, ("serve",))
        assert block.error == (new[0].error if kind == "fails" else "")

    @pytest.mark.parametrize(("old", "new"), [([FINE], [FINE]), ([BAD], [BAD]), ([], [])])
    def test_the_same(self, old: list[Entry], new: list[Entry]) -> None:
        """Nothing is told; an error that stays is none of the change's."""
        impact = between(old, new)
        assert (impact.blocks, impact.regions, impact.any) == ((), (), frozenset())

    def test_failing_comes_first_and_then_the_largest(self) -> None:
        """In the order in which a reviewer has to look."""
        old = [entry(n, options={"k": 1}) for n in "123456"]
        new = [
            entry("1", options={"k": 2}),
            *(entry(n, options={"k": 1, "l": 1}) for n in "234"),
            entry("5", error="bad"),
            entry("7"),
        ]
        found = [(block.kind, block.count) for block in between(old, new).blocks]
        assert found == [("fails", 1), ("gone", 1), ("new", 1), ("changed", 3), ("changed", 1)]


class TestPurposes:
    """Every purpose is counted apart."""

    def test_points_that_change_at_some_purposes_are_blocks_of_their_own(self) -> None:
        """The same key and rule: at both for one point, at one for the other."""
        old = [entry(n, p, {"k": 1}) for n in "12" for p in ("eval", "serve")]
        new = [
            entry(n, p, {"k": 1 + (n == "1" or p == "eval")})
            for n in "12"
            for p in ("eval", "serve")
        ]
        impact = between(old, new)
        assert [(b.purposes, scopes(b)) for b in impact.blocks] == [
            (("eval", "serve"), ["conc=1"]),
            (("eval",), ["conc=2"]),
        ]
        assert {p: len(found) for p, found in impact.touched.items()} == {"eval": 2, "serve": 1}
        assert [str(region.scope) for region in impact.regions] == ["everything"]

    def test_a_purpose_that_is_new(self) -> None:
        """Its points are new there; the others stay."""
        old = [entry("1", "serve"), entry("2", "serve")]
        impact = between(old, [*old, entry("1", "eval"), entry("2", "eval")])
        (block,) = impact.blocks
        assert (block.kind, block.purposes, block.count) == ("new", ("eval",), 2)
        assert impact.purposes == ("eval", "serve")

    def test_an_axis_that_stands_between_purposes(self) -> None:
        """A point is one, however its axes and purposes sort."""
        plain = [entry("1", p) for p in ("eval", "serve")]
        deep = [evolve(e, axes=FrozenMap({**e.axes, "pp": 2})) for e in plain]
        impact = between(plain, [*plain, *deep])
        assert len(impact.points) == 2
        (block,) = impact.blocks
        assert (block.kind, block.purposes, block.count) == ("new", ("eval", "serve"), 1)


class TestValues:
    """Each is listed once, in the order of points."""

    def test_once(self) -> None:
        """However many points have it."""
        old = [entry(n, options={"k": int(n) % 2}) for n in "1234"]
        new = [entry(n, options={"k": [int(n) % 2]}) for n in "1234"]
        (block,) = between(old, new).blocks
        assert told(block) == {"k": [(1, [1]), (0, [0])]}

    def test_with_their_types(self) -> None:
        """An engine that is handed true isn't handed 1."""
        old = [entry("1", options={"j": 1, "k": True}), entry("2", options={"j": 1, "k": 1})]
        new = [entry("1", options={"j": 2, "k": 1}), entry("2", options={"j": 2, "k": 1})]
        blocks = between(old, new).blocks
        assert [told(block) for block in blocks] == [{"j": [(1, 2)]}, {"k": [(True, 1)]}]

    def test_a_key_by_two_rules_is_told_by_each(self) -> None:
        """The same values at other points: another rule did it."""
        old = [entry("1"), entry("2")]
        new = [entry("1", options={"k": 1}, by="p:a"), entry("2", options={"k": 1}, by="p:b")]
        blocks = between(old, new).blocks
        assert [block.keys[0][0].after for block in blocks] == [("p:a",), ("p:b",)]


def test_points_by_axis() -> None:
    """How many of each SKU are touched; a point that leaves an axis out has its default."""
    impact = impact_of(acme(), acme(rule("odd", {"args.odd": 1}, where(sku="x10", tp=4))))
    assert by_axis(impact, "sku") == {"x10": (2, 8), "x20": (0, 4)}
    assert by_axis(impact, "tp") == {"1": (0, 2), "2": (0, 4), "4": (2, 4), "8": (0, 2)}
