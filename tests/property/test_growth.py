"""Law: adding a SKU, a model or an image changes no existing point: value, origin or conflict."""

from __future__ import annotations

import random

from attrs import evolve
from hypothesis import given, settings

from infxreg import Registry
from infxreg.records import Arch, Image, Model, Record, Sku
from infxreg.values import FrozenMap
from support.case import Case
from support.outcomes import outcome, same_outcome, told
from support.points import draw_axes, draw_request, point
from support.strategies import cases, chance, randoms


def newcomers(rng: random.Random) -> list[Record]:
    """New SKUs, on a new or an old architecture, models and images."""
    arch = rng.choice(("sm1", "sm2", "gfx1", "new"))
    found: list[Record] = [
        Sku(
            id="n1",
            name="n1",
            arch=arch,
            memory_gib=rng.choice((1.0, 1000.0)),
            gpus_per_node=rng.choice((1, 72)),
            cpu_arch=rng.choice(("x86_64", "aarch64", "riscv")),
            source="test",
            facets=FrozenMap({"board": rng.choice(("tray", "new"))} if chance(rng, 50) else {}),
        ),
        Model(id="n2", hub_id="org/n2", family=rng.choice(("f1", "new")), source="test"),
        Image(id="reg/new:1", engine=rng.choice(("e1", "e2")), version="1.0", source="test"),
    ]
    if arch == "new":
        vendor = rng.choice(("green", "red", "new"))
        found.append(Arch(id="new", vendor=vendor, platform="p", source="test"))
    return found


@given(case=cases(), rng=randoms())
@settings(max_examples=60)
def test_newcomers_change_no_existing_point(case: Case, rng: random.Random) -> None:
    """New SKUs, models and images leave every point of a generated registry as it was."""
    registry = case.registry()
    grown = registry.with_plugin("newcomers", *newcomers(rng))
    grown.check()
    for _ in range(3):
        axes = draw_axes(rng, case)
        request = draw_request(rng, case, axes)
        before, after = (outcome(r, point(axes), request) for r in (registry, grown))
        assert same_outcome(before, after), f"{told(before)}\n{told(after)}"


def test_newcomers_change_no_shipped_point(shipped: Registry) -> None:
    """Twins of every SKU, of the model and of every image leave all 233 points as they were."""
    catalogue = shipped.catalogue
    twins: list[Record] = [evolve(sku, id=f"{sku.id}x") for sku in catalogue.skus.values()]
    twins += [evolve(sku, id=f"{sku.id}y", arch="sm999") for sku in catalogue.skus.values()]
    twins.append(Arch(id="sm999", vendor="nvidia", platform="cuda", source="test"))
    twins += [evolve(model, id=f"{model.id}x") for model in catalogue.models.values()]
    images = {
        name: evolve(image, id=name, digest=None)
        for image in catalogue.images.values()
        if (name := image.id.partition("@")[0] + "-x")
    }
    twins += images.values()
    grown = shipped.with_plugin("twins", *twins)
    grown.check()
    for number, place in enumerate(shipped.points()):
        moved = place.at(purpose=("serve", "throughput", "eval")[number % 3])
        assert same_outcome(shipped.resolve(moved), grown.resolve(moved)), moved
