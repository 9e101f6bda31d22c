"""AMD's GPUs, and the launch options that depend on them."""

from __future__ import annotations

from collections.abc import Iterable

from infxreg.hookspecs import hookimpl
from infxreg.tablefile import TableFile, table_files


@hookimpl
def infxreg_tables() -> Iterable[TableFile]:
    """The tables that this package ships."""
    return table_files(__name__)
