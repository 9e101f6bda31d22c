"""A small registry with an engine whose releases are made by hand, and ways to ask about it."""

from __future__ import annotations

from pathlib import Path

from infxreg.contribution import Contribution
from infxreg.plugins import core_contribution
from infxreg.records import EngineSurface
from infxreg.registry import Registry
from infxreg.surface.fold import fold, folded_text
from infxreg.surface.model import Flag, Surface, Wheel
from infxreg.surface.source import Source
from infxreg.tablefile import TableFile
from support.builders import MemoryFile, from_toml
from support.surfaces import flag, sglang

TABLES = """
[[arch]]
id = "ax1"
vendor = "acme"
platform = "cuda"
source = "test"

[[sku]]
id = "x10"
name = "Acme X10"
arch = "ax1"
memory_gib = 80
gpus_per_node = 8
cpu_arch = "x86_64"
source = "test"

[[model]]
id = "m1"
hub_id = "acme/m1"
family = "fam"
source = "test"

[[engine]]
id = "sglang"
argv = ["python3", "-m", "sglang.launch_server", "--model-path", "{hub_id}"]
release_images = ["acme/sglang:v{version}", "acme/sglang:nightly-{date}"]
source = "test"
render = [
  { option = "parallel.tp", flag = "tp-size" },
  { option = "attention.backend", flag = "attention-backend" },
  { option = "timeout.engine_ready_s", env = "SGLANG_READY_S" },
]

[[capability]]
id = "early"
engine = "sglang"
since = "2.0.0"
flag = "--early"
source = "test"

[[image]]
id = "acme/sglang:known"
engine = "sglang"
between = ["1.0.0", "2.0.0"]
source = "seen"

[[image]]
id = "acme/sglang:seen"
engine = "sglang"
between = ["1.0.0", "2.0.0"]
knows = ["early"]
source = "seen"

[[image]]
id = "acme/sglang:lost"
engine = "sglang"
source = "seen"

[[rule]]
id = "base"
when = { engine = "sglang" }
set.image = "acme/sglang:v1.1.0"
set."parallel.tp" = { derive = "copy", reads = ["tp"] }
set."resources.gpus" = { derive = "copy", reads = ["tp"] }
set."attention.backend" = "old"
set."timeout.engine_ready_s" = 1000
set."args.lively" = true
set."args.early" = 1
set."args.never" = 1

[[rule]]
id = "eval"
when = { engine = "sglang", purpose = "eval" }
set."env.SGLANG_EVAL" = "1"

[[recipe]]
id = "m1-x10"
model = "m1"
sku = "x10"
engine = "sglang"
default = true
sweep = [{ id = "tp{tp}", tp = [2, 4] }]
default_point = "tp2"
"""
"""One engine, one SKU, one recipe of two points; nobody says what it is for ``throughput``."""

LIVELY = flag("--lively", arity="0", action="store_true", type="")
OLD_LIVELY = flag("--lively", arity="0", action="store_true", type="", deprecated="--alive")


def _attention(*backends: str) -> Flag:
    return flag("--attention-backend", choices=backends, hard=True)


def releases() -> list[Surface]:
    """Four releases, of a month each; 3.0.0 drops what 2.0.0 deprecates."""
    tp = flag("--tp-size", "--tp", type="int")
    early = flag("--early", type="int")
    return [
        sglang(tp, _attention("fa", "old"), LIVELY, version="1.0.0", env=("SGLANG_READY_S",)),
        sglang(
            *(tp, _attention("fa", "old"), LIVELY),
            version="1.1.0",
            env=("SGLANG_EVAL", "SGLANG_READY_S"),
        ),
        sglang(
            *(tp, _attention("fa", "old", "new"), OLD_LIVELY, early),
            version="2.0.0",
            env=("SGLANG_EVAL",),
        ),
        sglang(tp, _attention("fa", "new"), early, version="3.0.0", env=("SGLANG_EVAL",)),
    ]


def record(extract: str = "support.engines:extract") -> EngineSurface:
    """The releases as a plugin ships them."""
    wheels = {
        one.version: Wheel(f"sglang-{one.version}.whl", "0a" * 32, f"2026-0{month}-10")
        for month, one in enumerate(releases(), 1)
    }
    data = folded_text(fold(releases(), wheels)).encode()
    return EngineSurface(
        id="sglang", file=TableFile("surface.json", MemoryFile(data)), extract=extract
    )


def engines(*tables: str, folder: Path | None = None, **more: str) -> Registry:
    """The core, `TABLES`, the releases, and more tables.

    Args:
        tables: texts of tables.
        folder: where added builds are kept.
        more: for `record`.
    """
    contributions = [
        core_contribution(),
        from_toml(TABLES, "acme", "acme.toml"),
        Contribution.of("ships", record(**more)),
        *(from_toml(text, f"extra{number}") for number, text in enumerate(tables)),
    ]
    return Registry(tuple(contributions), None, surface_folder=folder)


def extract(source: Source) -> Surface:
    """An extraction that reads next to nothing: one flag, named in ``flags.py``."""
    return sglang(flag(source.text("flags.py").strip()), version=source.version or "0")


def extract_tree(source: Source) -> Surface:
    """The same off a checkout, where only the package is read."""
    return sglang(flag(source.text("sglang/flags.py").strip()), version=source.version or "0")
