"""A hardware-aware config registry: how a model is launched on a GPU.

``infxreg.discover()`` gives the `Registry` of all installed plugins;
``registry.resolve(sku="b200", model="dsv41flash")`` a frozen `LaunchSpec`.
Names are imported when they are first used, so that importing infxreg is cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from infxreg.contribution import Contribution
    from infxreg.errors import InfxregError
    from infxreg.hookspecs import hookimpl
    from infxreg.points import Point
    from infxreg.registry import Registry, discover
    from infxreg.spec import LaunchSpec
    from infxreg.tablefile import TableFile, table_files

__all__ = [
    "Contribution",
    "InfxregError",
    "LaunchSpec",
    "Point",
    "Registry",
    "TableFile",
    "__version__",
    "discover",
    "hookimpl",
    "table_files",
]

_HOMES = {
    "Contribution": "contribution",
    "InfxregError": "errors",
    "LaunchSpec": "spec",
    "Point": "points",
    "Registry": "registry",
    "TableFile": "tablefile",
    "discover": "registry",
    "hookimpl": "hookspecs",
    "table_files": "tablefile",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'infxreg' has no attribute {name!r}")
    return getattr(importlib.import_module(f"infxreg.{_HOMES[name]}"), name)
