"""A small registry of our own, plugins made in memory, and a guard over the process."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from attrs import evolve, frozen

from infxreg import hookimpl
from infxreg.contribution import Contribution, read_site
from infxreg.origin import Origin
from infxreg.plugins import collect, core_contribution
from infxreg.records import Record, Rule
from infxreg.registry import Registry
from infxreg.scope import AxisValue, OneOf, Range, Scope
from infxreg.spec import Check, LaunchSpec
from infxreg.values import FrozenMap, Setting

NIGHTLY = "acme/run:nightly-1"

ACME = f"""
[[arch]]
id = "ax1"
vendor = "acme"
platform = "cuda"
source = "test"

[[arch]]
id = "bz1"
vendor = "bolt"
platform = "rocm"
source = "test"

[[sku]]
id = "x10"
name = "Acme X10"
arch = "ax1"
memory_gib = 80
gpus_per_node = 8
cpu_arch = "x86_64"
source = "test"

[[sku]]
id = "x20"
name = "Acme X20"
arch = "ax1"
memory_gib = 160
gpus_per_node = 4
cpu_arch = "aarch64"
source = "test"

[[sku]]
id = "z10"
name = "Bolt Z10"
arch = "bz1"
memory_gib = 100
gpus_per_node = 8
cpu_arch = "riscv64"
source = "test"

[[model]]
id = "m1"
hub_id = "acme/m1"
family = "fam"
revision = "r1"
weights_gib = 100
offload = [{{ option = "engram.cpu_offload", gib = 40 }}]
source = "test"

[[model]]
id = "m2"
hub_id = "acme/m2"
family = "fam"
source = "test"

[[option]]
id = "acme.cap"
type = "int"
use = "input"
doc = "read by derivations"

[[option]]
id = "acme.lost"
type = "str"
doc = "rendered by nobody"

[[capability]]
id = "fast"
engine = "run"
since = "2.0.0"
source = "test"

[[capability]]
id = "gone"
engine = "run"
since = "1.0.0"
removed_in = "1.5.0"
source = "test"

[[capability]]
id = "always"
engine = "run"
source = "test"

[[engine]]
id = "run"
argv = ["run", "serve", "{{hub_id}}"]
release_images = ["acme/run:v{{version}}"]
source = "test"
render = [
  {{ option = "parallel.tp", flag = "tp-size", aliases = ["tp"] }},
  {{ option = "parallel.pp", flag = "pp-size" }},
  {{ option = "parallel.dp", flag = "dp-size" }},
  {{ option = "parallel.ep", flag = "ep-size" }},
  {{ option = "parallel.dp_attention", flag = "dp-attention" }},
  {{ option = "attention.backend", flag = "attn", json = "backend", choices = [
    "PLAIN", "FAST", "FASTER",
  ], behind = {{ FAST = ["fast"] }} }},
  {{ option = "attention.indexer_sparse_logits", flag = "attn", json = "sparse" }},
  {{ option = "kv_cache.dtype", flag = "kv-dtype", choices = ["auto", "fp8"] }},
  {{ option = "prefix_caching.enabled", flag = "prefix-cache", false = "no-prefix-cache" }},
  {{ option = "scheduler.max_num_seqs", flag = "max-seqs" }},
  {{ option = "cudagraph.capture_sizes", flag = "graph-sizes" }},
  {{ option = "memory.gpu_fraction", flag = "memory" }},
  {{ option = "memory.cpu_offload_gib", flag = "offload-gib" }},
  {{ option = "speculative.method", flag = "draft" }},
  {{ option = "engram.cpu_offload", env = "RUN_ENGRAM", true = "on", false = "off" }},
  {{ option = "speculative.adaptive_verification", env = "RUN_ADAPTIVE" }},
  {{ option = "compile.mode", env = "RUN_MODE" }},
  {{ option = "timeout.engine_ready_s", env = "RUN_READY_S" }},
]

[[engine]]
id = "alt"
argv = ["alt", "{{hub_id}}"]
source = "test"
render = [{{ option = "parallel.tp", flag = "tp" }}]

[[image]]
id = "{NIGHTLY}"
engine = "run"
accelerator = "cuda"
platforms = ["linux/amd64", "linux/arm64"]
knows = ["fast"]
lacks = ["gone"]
source = "seen"

[[image]]
id = "acme/alt:1"
engine = "alt"
source = "seen"

[[gate]]
id = "fast"
when = {{ sku = "x10", model = "m1", engine = "run", tp = [2, 4] }}
doc = "the fast backend"

[[gate]]
id = "extra"
when = {{ sku = "x10", model = "m1", engine = "run", tp = [2, 4] }}
doc = "the faster backend"

[[rule]]
id = "sizes"
when = {{ engine = ["run", "alt"] }}
set."parallel.tp" = {{ derive = "copy", reads = ["tp"] }}
set."resources.gpus" = {{ derive = "product", reads = [
  "parallel.tp", "parallel.pp", "parallel.dp",
] }}

[[rule]]
id = "run-sizes"
when = {{ engine = "run" }}
set."parallel.pp" = {{ derive = "above_one", reads = ["pp"] }}
set."parallel.dp" = {{ derive = "above_one", reads = ["dp"] }}
set."parallel.ep" = {{ derive = "above_one", reads = ["ep"] }}

[[rule]]
id = "alt-image"
when = {{ engine = "alt" }}
set.image = "acme/alt:1"

[[rule]]
id = "run-base"
when = {{ model = ["m1", "m2"], engine = "run" }}
set.image = "{NIGHTLY}"
set."attention.backend" = "PLAIN"
set."scheduler.max_num_seqs" = {{ derive = "scaled", reads = ["conc", "acme.cap"], factor = 2 }}
set."acme.cap" = 64
set."timeout.engine_ready_s" = 1000
source = "the manual"

[[rule]]
id = "run-fast"
when = {{ sku = "x10", model = "m1", engine = "run", tp = [2, 4] }}
gates = ["fast"]
set."attention.backend" = "FAST"
require.knows = ["fast"]

[[rule]]
id = "run-faster"
when = {{ sku = "x10", model = "m1", engine = "run", tp = 4 }}
gates = ["fast", "extra"]
set."attention.backend" = "FASTER"

[[rule]]
id = "run-throughput"
when = {{ model = ["m1", "m2"], engine = "run", purpose = "throughput" }}
set."speculative.method" = "simulated"

[[rule]]
id = "x10-one-gpu"
when = {{ sku = "x10", model = "m1", engine = "run", workload = "1k1k" }}
set."engram.cpu_offload" = true

[[recipe]]
id = "m1-x10-run"
model = "m1"
sku = "x10"
engine = "run"
default = true
gates = ["fast"]
sweep = [
  {{ id = "tp{{tp}}_c{{conc}}", tp = [2, 4], conc = [1, 16] }},
  {{ id = "ep{{ep}}_c{{conc}}", tp = 8, ep = "{{tp}}", conc = [2, 32] }},
]
default_point = "tp2_c16"

[[recipe]]
id = "m1-x10-run-1k1k"
model = "m1"
sku = "x10"
engine = "run"
workload = "1k1k"
default = true
sweep = [{{ id = "c{{conc}}", tp = 1, conc = [1, 2] }}]
default_point = "c2"

[[recipe]]
id = "m1-x20-run"
model = "m1"
sku = "x20"
engine = "run"
sweep = [{{ id = "tp{{tp}}", tp = [2, 4] }}]
default_point = "tp2"

[[recipe]]
id = "m1-x20-alt"
model = "m1"
sku = "x20"
engine = "alt"
sweep = [{{ id = "tp{{tp}}", tp = [2, 4] }}]
default_point = "tp2"
"""
"""Two vendors, three SKUs (two share an arch), two models, two engines, two gates, four recipes.

At ``x10 m1`` the default is ``run`` at ``tp2_c16`` with the gate ``fast`` open.
"""

X10: dict[str, Any] = {"sku": "x10", "model": "m1"}
"""The request that most tests begin from."""


@frozen
class MemoryFile:
    """Just as much of a `Traversable` as a table needs."""

    data: bytes

    def read_bytes(self) -> bytes:
        return self.data


def module(source: str, name: str = "acme_plugin") -> ModuleType:
    """A module of this source, never in `sys.modules`; hookimpl and infxreg are at hand."""
    import infxreg
    from infxreg import records

    made = ModuleType(name)
    made.__dict__.update(vars(records), infxreg=infxreg, hookimpl=hookimpl)
    exec(source, made.__dict__)
    return made


def plugin(**hooks: Callable[[], object]) -> object:
    """A plugin object with these functions as its hooks: ``plugin(skus=lambda: [...])``."""
    made = ModuleType("acme_plugin")
    for name, function in hooks.items():
        setattr(made, f"infxreg_{name}", hookimpl(function))
    return made


def collected(name: str = "acme", **hooks: Callable[[], object]) -> Contribution:
    """What a plugin with these hooks contributes."""
    return collect(plugin(**hooks), Contribution(name, f"infxreg-{name}", "1.2"))


def from_toml(text: str | bytes, name: str = "extra", file: str = "extra.toml") -> Contribution:
    """The contribution of a plugin that ships one table."""
    from infxreg import TableFile

    data = text.encode() if isinstance(text, str) else text
    table = MemoryFile(data)
    return collected(name, tables=lambda: [TableFile(f"infxreg_{name}/{file}", table)])


@functools.cache
def _base() -> tuple[Contribution, Contribution]:
    return core_contribution(), from_toml(ACME, "acme", "acme.toml")


def acme(*extra: Record | Contribution | str, site: str | None = None) -> Registry:
    """The core, the plugin ``acme``, and more.

    Args:
        extra: contributions, and records or TOML that a plugin named ``extra`` gives.
        site: the text of a site file.
    """
    more = [item for item in extra if isinstance(item, Contribution)]
    records = [item for item in extra if not isinstance(item, (Contribution, str))]
    texts = [item for item in extra if isinstance(item, str)]
    if records or texts:
        own = from_toml("\n".join(texts), "extra")
        placed = (*own.placed, *Contribution.of("extra", *records).placed)
        more.append(evolve(own, placed=placed))
    layer = None if site is None else read_site("infxreg.toml", site.encode())
    return Registry((*_base(), *more), layer)


def faults_of(*extra: Record | Contribution | str, site: str | None = None) -> list[str]:
    """The messages of all faults of a registry, with where they are."""
    return [str(fault) for fault in acme(*extra, site=site).faults]


def where(**axes: AxisValue | Iterable[AxisValue] | Range) -> Scope:
    """A scope: ``where(sku="x10", tp=[2, 4], conc=Range(1, 8))``."""
    terms: dict[str, OneOf | Range] = {}
    for axis, value in axes.items():
        if isinstance(value, Range):
            terms[axis] = value
        else:
            values = [value] if isinstance(value, (str, int)) else value
            terms[axis] = OneOf(frozenset(values))
    return Scope.of(terms)


def rule(
    name: str, settings: dict[str, Setting], *scopes: Scope, gates: Iterable[str] = (), **more: Any
) -> Rule:
    """A rule that sets keys in scopes; everywhere if there is none."""
    return Rule(
        id=name,
        when=scopes or (Scope(),),
        gates=tuple(gates),
        settings=FrozenMap(settings),
        **more,
    )


def answers(spec: LaunchSpec, check: str) -> list[Check]:
    """The answers of one check."""
    return [found for found in spec.checks if found.id == check]


def answer(spec: LaunchSpec, check: str) -> Check:
    """The only answer of a check."""
    (found,) = answers(spec, check)
    return found


def names(origins: Iterable[Origin]) -> list[str]:
    """The rules of origins, as ``plugin:rule``."""
    return [f"{origin.plugin}:{origin.rule}" for origin in origins]


@contextmanager
def process_left_alone() -> Iterator[None]:
    """Fail if environment, working directory, import path or loaded plugins change inside."""

    def state() -> dict[str, Any]:
        return {
            "environment": {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"},
            "working directory": os.getcwd(),
            "import path": list(sys.path),
        }

    def plugins() -> dict[str, ModuleType]:
        return {name: m for name, m in sys.modules.items() if name.startswith("infxreg")}

    before, loaded = state(), plugins()
    yield
    after, now = state(), plugins()
    assert after == before
    gone = [name for name, made in loaded.items() if now.get(name) is not made]
    assert not gone, f"modules of infxreg were taken out or put anew: {gone}"
    left = [name for name in sys.modules if name.startswith("acme_")]
    assert not left, f"a test's plugin is still loaded: {left}"
