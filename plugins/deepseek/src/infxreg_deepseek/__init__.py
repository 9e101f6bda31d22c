"""DeepSeek's models, and the launch settings that they have on every GPU."""

from __future__ import annotations

from collections.abc import Iterable

from infxreg.hookspecs import hookimpl
from infxreg.tablefile import TableFile, table_files


@hookimpl
def infxreg_tables() -> Iterable[TableFile]:
    """The tables that this package ships."""
    return table_files(__name__)
