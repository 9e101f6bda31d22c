"""Find the site file as the command line does: ``infxreg.toml``, from here upward."""

from __future__ import annotations

import os
from pathlib import Path

NAME = "infxreg.toml"


def find(start: str | os.PathLike[str] | None = None) -> Path | None:
    """The nearest site file in a folder or above it, or None.

    Args:
        start: the folder to begin in; left out, the working directory.
    """
    try:
        here = Path.cwd() if start is None else Path(start).absolute()
    except FileNotFoundError:  # the working directory is gone
        return None
    for folder in (here, *here.parents):
        if os.path.isfile(folder / NAME):  # unlike Path.is_file, False where access is denied
            return folder / NAME
    return None
