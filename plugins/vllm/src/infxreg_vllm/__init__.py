"""vllm for infxreg: images, capabilities, option choices and rendering, and its derivations."""

from __future__ import annotations

from collections.abc import Iterable

from infxreg.hookspecs import hookimpl
from infxreg.records import Derivation, EngineSurface
from infxreg.tablefile import TableFile, data_file, table_files
from infxreg_vllm import derivations


@hookimpl
def infxreg_tables() -> Iterable[TableFile]:
    """The tables in ``infxreg_vllm/tables``."""
    return table_files(__name__)


@hookimpl
def infxreg_derivations() -> Iterable[Derivation]:
    """Graph-capture sizes, and expert parallelism as vllm knows it."""
    return derivations.ALL


@hookimpl
def infxreg_surfaces() -> Iterable[EngineSurface]:
    """What the releases of vllm accept, folded into one file."""
    yield EngineSurface(
        id="vllm",
        file=data_file(__name__, "surface.json"),
        extract="infxreg_vllm.extract:extract",
        branch_parts=2,
        overlays=table_files(__name__, "overlays"),
    )
