"""Loading an engine's folded surfaces, and checking one argument list, in one run.

python benchmarks/surface.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from importlib.resources import files

from infxreg.surface.check import Checker
from infxreg.surface.folded import FoldedSurfaces

ARGV = ["--trust-remote-code", "--port", "8000", "--dtype", "auto", "--host", "0.0.0.0"] * 6


def main() -> None:
    """Print a line an engine: medians in milliseconds."""
    print(f"{'engine':>8} {'load ms':>8} {'unfold ms':>10} {'check ms':>9}")
    for engine in ("vllm", "sglang"):
        data = (files(f"infxreg_{engine}") / "surface.json").read_bytes()
        folded = FoldedSurfaces.read(data)
        newest = folded.versions[-1]
        checker = Checker.of(folded.unfold(newest))
        load = _median(lambda data=data: FoldedSurfaces.read(data))  # type: ignore[misc]
        unfold = _median(lambda f=folded, v=newest: f.unfold(v))  # type: ignore[misc]
        check = _median(lambda c=checker: c.check(ARGV))  # type: ignore[misc]
        print(f"{engine:>8} {load:>8.2f} {unfold:>10.2f} {check:>9.3f}")


def _median(work: Callable[[], object], times: int = 15) -> float:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


if __name__ == "__main__":
    main()
