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
    Gate,
    Image,
    Model,
    Option,
    Recipe,
    Rule,
    Sku,
)
from infxreg.tablefile import TableFile

PROJECT = "infxreg"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def infxreg_tables() -> Iterable[TableFile]:  # type: ignore[empty-body]
    """TOML files that the plugin ships: ``return infxreg.table_files(__name__)``."""


@hookspec
def infxreg_axes() -> Iterable[Axis | AxisValues]:  # type: ignore[empty-body]
    """Axes, and more values of axes that others declared."""


@hookspec
def infxreg_archs() -> Iterable[Arch]:  # type: ignore[empty-body]
    """GPU architectures."""


@hookspec
def infxreg_skus() -> Iterable[Sku]:  # type: ignore[empty-body]
    """Hardware products."""


@hookspec
def infxreg_models() -> Iterable[Model]:  # type: ignore[empty-body]
    """Checkpoints."""


@hookspec
def infxreg_images() -> Iterable[Image]:  # type: ignore[empty-body]
    """Container images."""


@hookspec
def infxreg_capabilities() -> Iterable[Capability]:  # type: ignore[empty-body]
    """What an engine can do, and since which release."""


@hookspec
def infxreg_engines() -> Iterable[Engine]:  # type: ignore[empty-body]
    """Inference engines, with how they render options."""


@hookspec
def infxreg_options() -> Iterable[Option]:  # type: ignore[empty-body]
    """Typed, named settings."""


@hookspec
def infxreg_gates() -> Iterable[Gate]:  # type: ignore[empty-body]
    """Named opt-ins."""


@hookspec
def infxreg_rules() -> Iterable[Rule]:  # type: ignore[empty-body]
    """Values set for every point in a scope."""


@hookspec
def infxreg_recipes() -> Iterable[Recipe]:  # type: ignore[empty-body]
    """Supported (model, SKU, engine, workload) with their sweeps."""


@hookspec
def infxreg_derivations() -> Iterable[Derivation]:  # type: ignore[empty-body]
    """Pure functions that rules can set keys to."""
