"""Law: resolving is pure: equal specs in every thread, process and hash seed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import tomllib

import pytest
import tomli_w

from infxreg import LaunchSpec, Registry
from support.outcomes import outcome, same_outcome
from support.points import draw_axes, draw_request, point
from support.strategies import build

THREADS = 8

SCRIPT = """
import sys
import infxreg
import tomli_w

registry = infxreg.discover()
for place in registry.points():
    for purpose in ("serve", "throughput", "eval"):
        spec = registry.resolve(place.at(purpose=purpose))
        print(place.recipe.id, place.id, purpose, spec.digest, spec.launch_digest)
print("---")
specs = [registry.resolve(place) for place in list(registry.points())[::60]]
sys.stdout.write(tomli_w.dumps({"spec": [spec.to_dict() for spec in specs]}))
"""


@pytest.mark.slow
def test_hash_seeds_and_processes_change_no_shipped_digest(shipped: Registry) -> None:
    """All points and purposes, at three hash seeds, each in a process of its own."""
    seeds = ("0", "1", "42")
    outputs = []
    for seed in seeds:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
        )
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1] == outputs[2]
    digests, _, document = outputs[0].partition("---\n")
    here = [
        f"{place.recipe.id} {place.id} {purpose} {spec.digest} {spec.launch_digest}"
        for place in shipped.points()
        if place.recipe is not None
        for purpose in ("serve", "throughput", "eval")
        for spec in [shipped.resolve(place.at(purpose=purpose))]
    ]
    assert digests.splitlines() == here
    specs = tomllib.loads(document)["spec"]
    for data, place in zip(specs, list(shipped.points())[::60], strict=True):
        assert same_outcome(LaunchSpec.from_dict(data), shipped.resolve(place))


def test_threads_get_equal_specs() -> None:
    """Eight threads at once on a registry that nobody used yet give what one gives."""
    rng = random.Random(11)
    case = build(rng, (12, 24))
    asked = []
    for _ in range(25):
        axes = draw_axes(rng, case)
        asked.append((point(axes), draw_request(rng, case, axes)))
    alone = case.registry()
    wanted = [outcome(alone, place, request) for place, request in asked]
    shared = case.registry()
    barrier = threading.Barrier(THREADS)
    found: list[list] = [[] for _ in range(THREADS)]

    def work(mine: list, order: list[int]) -> None:
        barrier.wait()
        mine += [(index, outcome(shared, *asked[index])) for index in order]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [
            threading.Thread(target=work, args=(mine, rng.sample(range(len(asked)), len(asked))))
            for mine in found
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    for mine in found:
        assert len(mine) == len(asked)
        for index, got in mine:
            assert same_outcome(wanted[index], got)


def test_threads_get_equal_shipped_specs(shipped: Registry) -> None:
    """The same on a new copy of the shipped registry, digests and documents included."""
    shared = Registry(shipped.contributions)
    places = list(shipped.points())[::12]
    found: dict[int, list[str]] = {}
    barrier = threading.Barrier(4)

    def work(number: int) -> None:
        barrier.wait()
        specs = [shared.resolve(place) for place in places]
        found[number] = [tomli_w.dumps(spec.to_dict()) for spec in specs]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wanted = [tomli_w.dumps(shipped.resolve(place).to_dict()) for place in places]
    assert [found[number] for number in range(4)] == [wanted] * 4


def test_resolving_twice_is_resolving_once(shipped: Registry) -> None:
    """Nothing is left behind by a resolve that a later one could see."""
    places = list(shipped.points())[::30]
    first = [shipped.resolve(place) for place in places]
    for place in places:
        shipped.resolve(
            place, set={"args.leak": True, "image": "reg/leak:1"}, unset=["moe.backend"]
        )
        outcome(shipped, place, {"gates": ["dsv41-blackwell-attention"]})
    assert all(map(same_outcome, first, [shipped.resolve(place) for place in places]))
