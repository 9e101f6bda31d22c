"""The hooks that a plugin can implement, one a kind of record.

Each returns an iterable of frozen records; TOML tables, through `infxreg_tables`,
are the normal way, and Python is for derivations and for records that code makes.
Plugins are called one at a time, sorted by name; their order never matters.
"""

# The bodies are pluggy's way to declare a hook: they never run.
# pragma: no cover file

from __future__ import annotations

from collections.abc import Iterable

import pluggy

from infxreg.records import (
    Arch,
    Axis,
    AxisValues,
    Capability,
    Derivation,
    Engine,
    EngineSurface,
    Evidence,
    Expect,
    Exporter,
    Gate,
    Image,
    Importer,
    Model,
    Option,
    Policy,
    Recipe,
    Rule,
    Sku,
    Waiver,
)
from infxreg.tablefile import TableFile

PROJECT = "infxreg"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def infxreg_tables() -> Iterable[TableFile]:
    """TOML files that the plugin ships: ``return infxreg.table_files(__name__)``."""
    yield from ()


@hookspec
def infxreg_axes() -> Iterable[Axis | AxisValues]:
    """Axes, and more values of axes that others declared."""
    yield from ()


@hookspec
def infxreg_archs() -> Iterable[Arch]:
    """GPU architectures."""
    yield from ()


@hookspec
def infxreg_skus() -> Iterable[Sku]:
    """Hardware products."""
    yield from ()


@hookspec
def infxreg_models() -> Iterable[Model]:
    """Checkpoints."""
    yield from ()


@hookspec
def infxreg_images() -> Iterable[Image]:
    """Container images."""
    yield from ()


@hookspec
def infxreg_capabilities() -> Iterable[Capability]:
    """What an engine can do, and since which release."""
    yield from ()


@hookspec
def infxreg_engines() -> Iterable[Engine]:
    """Inference engines, with how they render options."""
    yield from ()


@hookspec
def infxreg_surfaces() -> Iterable[EngineSurface]:
    """What the releases of an engine accept on their command line."""
    yield from ()


@hookspec
def infxreg_options() -> Iterable[Option]:
    """Typed, named settings."""
    yield from ()


@hookspec
def infxreg_gates() -> Iterable[Gate]:
    """Named opt-ins."""
    yield from ()


@hookspec
def infxreg_rules() -> Iterable[Rule]:
    """Values set for every point in a scope."""
    yield from ()


@hookspec
def infxreg_recipes() -> Iterable[Recipe]:
    """Supported (model, SKU, engine, workload) with their sweeps."""
    yield from ()


@hookspec
def infxreg_expects() -> Iterable[Expect]:
    """Claims about points, which ``infxreg check`` holds them to."""
    yield from ()


@hookspec
def infxreg_evidence() -> Iterable[Evidence]:
    """Runs that showed what launch specs do."""
    yield from ()


@hookspec
def infxreg_derivations() -> Iterable[Derivation]:
    """Pure functions that rules can set keys to."""
    yield from ()


@hookspec
def infxreg_policies() -> Iterable[Policy]:
    """What a team holds specs and changes to."""
    yield from ()


@hookspec
def infxreg_waivers() -> Iterable[Waiver]:
    """Exceptions from policies."""
    yield from ()


@hookspec
def infxreg_importers() -> Iterable[Importer]:
    """What reads other projects' files."""
    yield from ()


@hookspec
def infxreg_exporters() -> Iterable[Exporter]:
    """What writes launch specs as other projects' files."""
    yield from ()
