"""The core's own contribution: axes, neutral options, derivations, srt-slurm's defaults.

It goes the same way as any plugin's.
"""

from __future__ import annotations

from collections.abc import Iterable

from infxreg.derivations import core_derivations
from infxreg.hookspecs import hookimpl
from infxreg.records import Derivation
from infxreg.tablefile import TableFile, table_files


@hookimpl
def infxreg_tables() -> Iterable[TableFile]:
    """The tables in ``infxreg/tables``."""
    return table_files("infxreg")


@hookimpl
def infxreg_derivations() -> Iterable[Derivation]:
    """The derivations that any rule can use."""
    return core_derivations()
