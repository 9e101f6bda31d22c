"""sglang for infxreg: images, option choices and rendering, and its derivations."""

from __future__ import annotations

from collections.abc import Iterable

from infxreg.hookspecs import hookimpl
from infxreg.records import Derivation, EngineSurface
from infxreg.tablefile import TableFile, data_file, table_files
from infxreg_sglang import derivations


@hookimpl
def infxreg_tables() -> Iterable[TableFile]:
    """The tables in ``infxreg_sglang/tables``."""
    return table_files(__name__)


@hookimpl
def infxreg_derivations() -> Iterable[Derivation]:
    """How many GPUs sglang takes."""
    return derivations.ALL


@hookimpl
def infxreg_surfaces() -> Iterable[EngineSurface]:
    """What the releases of sglang accept, folded into one file."""
    yield EngineSurface(
        id="sglang",
        file=data_file(__name__, "surface.json"),
        extract="infxreg_sglang.extract:extract",
        overlays=table_files(__name__, "overlays"),
    )
