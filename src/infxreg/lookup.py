"""The records that others refer to, by id."""

from __future__ import annotations

from attrs import frozen

from infxreg.axes import AxisSpace
from infxreg.records import (
    Arch,
    Capability,
    Derivation,
    Engine,
    EngineSurface,
    Gate,
    Image,
    Model,
    Option,
    Sku,
)
from infxreg.values import FrozenMap


@frozen(eq=False, kw_only=True)
class Lookup:
    """What checking a record and resolving a point both look up."""

    space: AxisSpace
    archs: FrozenMap[str, Arch]
    skus: FrozenMap[str, Sku]
    models: FrozenMap[str, Model]
    images: FrozenMap[str, Image]
    capabilities: FrozenMap[str, Capability]
    engines: FrozenMap[str, Engine]
    surfaces: FrozenMap[str, EngineSurface]
    options: FrozenMap[str, Option]
    gates: FrozenMap[str, Gate]
    derivations: FrozenMap[str, Derivation]
