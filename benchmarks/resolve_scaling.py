"""Cost of one resolve as the number of rules grows, beside a naive scan, in one run.

Rules are spread over models that the resolved points don't use, as a site's would be,
so that the answer stays the same and only the registry grows.

    python benchmarks/resolve_scaling.py [--rules 0 1000 10000 100000]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import infxreg
from infxreg.records import Model, Rule
from infxreg.scope import OneOf, Scope
from infxreg.values import FrozenMap


def grown(registry: infxreg.Registry, rules: int) -> infxreg.Registry:
    """The registry with a plugin of this many rules for other models."""
    if not rules:
        return registry
    models = [
        Model(id=f"made{n}", hub_id=f"made/{n}", family="made", source="benchmark")
        for n in range(max(1, rules // 20))
    ]
    records: list[Model | Rule] = list(models)
    for n in range(rules):
        model = models[n % len(models)].id
        scope = Scope.of({"model": OneOf(frozenset([model])), "tp": OneOf(frozenset([n % 8 + 1]))})
        records.append(
            Rule(id=f"r{n}", when=(scope,), settings=FrozenMap({"env.MADE": str(n)}), source="made")
        )
    return registry.with_plugin("made", *records)


def scan(registry: infxreg.Registry, point: infxreg.Point) -> int:
    """What resolving would cost at least without an index: match every rule."""
    facets = registry.catalogue.space.with_facets(point.axes)
    rules = registry.catalogue.plugin_rules.all
    return sum(scoped.scope.matches(facets, frozenset()) for scoped in rules)


def main() -> None:
    """Print a line a size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", type=int, nargs="+", default=[0, 1_000, 10_000, 100_000])
    arguments = parser.parse_args()
    base = infxreg.discover()
    points = list(base.points())
    print(f"{'rules':>8} {'build s':>8} {'resolve ms':>11} {'scan ms':>9}")
    for count in arguments.rules:
        start = time.perf_counter()
        registry = grown(base, count)
        built = time.perf_counter() - start
        resolving = [_timed(registry.resolve, point) for point in points]
        scanning = [_timed(scan, registry, point) for point in points[:20]]
        print(
            f"{len(registry.catalogue.plugin_rules.all):>8} {built:>8.2f} "
            f"{statistics.median(resolving):>11.3f} {statistics.median(scanning):>9.3f}"
        )


def _timed(work: Callable[..., object], *arguments: object) -> float:
    start = time.perf_counter()
    work(*arguments)
    return (time.perf_counter() - start) * 1000


if __name__ == "__main__":
    main()
