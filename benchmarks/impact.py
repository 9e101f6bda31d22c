"""Cost of a snapshot and of comparing two, as the number of swept points grows, in one run.

A made registry: 20 SKUs of 4 architectures, 5 models, 2 engines, a recipe for each three,
and rules by engine, architecture, SKU, model and size, some gated, some derived. Each measure
is taken in a process of its own, so that its peak memory is its own too.

    python benchmarks/impact.py [--points 10000 100000]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the parent stays small: a child's peak begins at its parent's size
    from infxreg import Registry

SKUS, ARCHS, MODELS = 20, 4, 5
ENGINES = ("run", "alt")
TP = (1, 2, 4, 8, 16)
VARIANTS = {
    "one rule on one SKU": "one",
    "nothing": "base",
    "every point, a derived value": "all",
}


def made(points: int, variant: str) -> Registry:
    """A registry with this many swept points; ``one`` and ``all`` change a rule of ``base``."""
    from attrs import evolve

    from infxreg import Registry
    from infxreg.contribution import read_site
    from infxreg.plugins import core_contribution

    text = "\n".join(tables(points, variant))
    return Registry(
        (core_contribution(), evolve(read_site("made.toml", text.encode()), plugin="made"))
    )


def tables(points: int, variant: str) -> Iterator[str]:
    """The made plugin's records."""
    for n in range(ARCHS):
        yield f'[[arch]]\nid = "a{n}"\nvendor = "made"\nplatform = "cuda"\nsource = "made"'
        yield rule(f"a{n}", f'arch = "a{n}"', f'"env.ARCH" = "a{n}"', '"kv_cache.dtype" = "fp8"')
    for n in range(MODELS):
        yield f'[[model]]\nid = "m{n}"\nhub_id = "made/m{n}"\nfamily = "made"\nsource = "made"'
        yield rule(f"m{n}", f'model = "m{n}"', f'"args.max-model-len" = {(n + 1) * 4096}')
    for engine in ENGINES:
        yield ENGINE_TABLE.format(engine=engine)
        scaled = f'derive = "scaled", reads = ["conc"], factor = {3 if variant == "all" else 2}'
        yield rule(
            f"{engine}-seqs", f'engine = "{engine}"', f'"scheduler.max_num_seqs" = {{ {scaled} }}'
        )
    concurrencies = list(range(1, points // (SKUS * MODELS * len(ENGINES) * len(TP)) + 1))
    for n in range(SKUS):
        yield (
            f'[[sku]]\nid = "s{n}"\nname = "S{n}"\narch = "a{n % ARCHS}"\nmemory_gib = 100\n'
            'gpus_per_node = 16\ncpu_arch = "x86_64"\nsource = "made"'
        )
        fraction = 0.8 if variant == "one" and n == 3 else 0.9
        yield rule(f"s{n}", f'sku = "s{n}"', f'"memory.gpu_fraction" = {fraction}')
        yield rule(f"s{n}-wide", f'sku = "s{n}", tp = {{ min = 4 }}', f'"env.WIDE" = "{n}"')
        for model in range(MODELS):
            where = f'sku = "s{n}", model = "m{model}"'
            name = f"s{n}-m{model}"
            yield f'[[gate]]\nid = "{name}"\nwhen = {{ {where} }}\ndoc = "made"'
            gated = '"attention.backend" = "FAST"'
            yield (
                rule(name, f'{where}, engine = "run", tp = [2, 4]', gated) + f'\ngates = ["{name}"]'
            )
            for engine in ENGINES:
                gates = [name] if engine == "run" else []
                yield RECIPE_TABLE.format(
                    n=n, m=model, e=engine, gates=gates, tp=list(TP), conc=concurrencies
                )


ENGINE_TABLE = """
[[engine]]
id = "{engine}"
argv = ["{engine}", "{{hub_id}}"]
source = "made"
render = [
  {{ option = "parallel.tp", flag = "tp" }},
  {{ option = "attention.backend", flag = "attention" }},
  {{ option = "kv_cache.dtype", flag = "kv-dtype" }},
  {{ option = "scheduler.max_num_seqs", flag = "max-seqs" }},
  {{ option = "memory.gpu_fraction", flag = "memory" }},
  {{ option = "speculative.method", flag = "draft" }},
]

[[image]]
id = "made/{engine}:1"
engine = "{engine}"
source = "made"

[[rule]]
id = "{engine}"
when = {{ engine = "{engine}" }}
set.image = "made/{engine}:1"
set."attention.backend" = "PLAIN"
set."parallel.tp" = {{ derive = "copy", reads = ["tp"] }}
set."resources.gpus" = {{ derive = "product", reads = ["parallel.tp"] }}
set."args.trust-remote-code" = true
set."env.LOG" = "info"

[[rule]]
id = "{engine}-throughput"
when = {{ engine = "{engine}", purpose = "throughput" }}
set."speculative.method" = {{ derive = "text", reads = ["purpose"] }}
set."args.no-log" = true
"""
RECIPE_TABLE = """
[[recipe]]
id = "m{m}-s{n}-{e}"
model = "m{m}"
sku = "s{n}"
engine = "{e}"
gates = {gates}
sweep = [{{ id = "tp{{tp}}_c{{conc}}", tp = {tp}, conc = {conc} }}]
default_point = "tp1_c1"
"""


def rule(name: str, when: str, *settings: str) -> str:
    """A rule as a table."""
    lines = "\n".join(f"set.{setting}" for setting in settings)
    return f'[[rule]]\nid = "{name}"\nwhen = {{ {when} }}\n{lines}'


def write(points: int, variant: str, path: Path, traced: bool = False) -> dict[str, Any]:
    """Write a snapshot; the time, or, if traced, the memory that it took beside the registry."""
    from infxreg.review.snapshot import take
    from infxreg.wholefile import whole_file

    start = time.perf_counter()
    registry = made(points, variant)
    built, before = time.perf_counter() - start, peak()
    if traced:  # from here on: the peak of building would hide what is held later
        tracemalloc.start()
    start = time.perf_counter()
    lines = 0
    with whole_file(path) as stream:
        for line in take(registry).lines():
            stream.write(line + "\n")
            lines += 1
    seconds = time.perf_counter() - start
    beside = tracemalloc.get_traced_memory()[1] / 2**20
    return {
        "built": built,
        "registry": before,
        "seconds": seconds,
        "beside": beside,
        "lines": lines,
    }


def compared(base: Path, head: Path) -> dict[str, Any]:
    """Compare two snapshot files."""
    from infxreg.review.impact import compare
    from infxreg.review.snapshot import read

    start = time.perf_counter()
    with base.open(encoding="utf-8") as old, head.open(encoding="utf-8") as new:
        impact = compare(read(old, "base"), read(new, "head"))
    seconds = time.perf_counter() - start
    regions = sum(len(block.regions) for block in impact.blocks)
    return {
        "seconds": seconds,
        "peak": peak(),
        "touched": len(impact.any),
        "blocks": len(impact.blocks),
        "regions": regions,
    }


def peak() -> float:
    """The most memory that this process has held, in MiB."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (2**20 if sys.platform == "darwin" else 2**10)


def child(*args: object) -> Any:
    """What one measure gives, taken in a process of its own."""
    command = [sys.executable, __file__, "--child", *map(str, args)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def main() -> None:
    """Print a table for snapshots, and one for comparing them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        what, *rest = arguments.child
        if what == "write":
            print(json.dumps(write(int(rest[0]), rest[1], Path(rest[2]), rest[3] == "True")))
        else:
            print(json.dumps(compared(Path(rest[0]), Path(rest[1]))))
        return
    with tempfile.TemporaryDirectory() as folder:
        for points in arguments.points:
            report(points, Path(folder))


def report(points: int, folder: Path) -> None:
    """Print the measures at one size."""
    paths = {variant: folder / f"{variant}.jsonl" for variant in ("base", "one", "all")}
    # Tracing makes it slower, so the time is another one's.
    base = child("write", points, "base", paths["base"], False)
    child("write", points, "one", paths["one"], False)
    beside = child("write", points, "all", paths["all"], True)["beside"]
    print(
        f"{points} points: registry {base['built']:.1f} s, {base['registry']:.0f} MiB; snapshot of "
        f"{base['lines']} lines {base['seconds']:.1f} s, {beside:.1f} MiB beside the registry, "
        f"{paths['base'].stat().st_size / 2**20:.0f} MiB on disk"
    )
    print(f"  {'compare':<30} {'s':>7} {'MiB':>6} {'points':>7} {'blocks':>7} {'regions':>8}")
    for name, variant in VARIANTS.items():
        row = child("compare", paths["base"], paths[variant])
        print(
            f"  {name:<30} {row['seconds']:>7.2f} {row['peak']:>6.0f} {row['touched']:>7} "
            f"{row['blocks']:>7} {row['regions']:>8}"
        )


if __name__ == "__main__":
    main()
