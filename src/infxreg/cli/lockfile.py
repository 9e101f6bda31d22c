"""The lock file of a run: where it is, what is in it, and the command that writes it."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from infxreg.errors import BadRequestError
from infxreg.lock import Lock, read_lock, require

if TYPE_CHECKING:
    from infxreg.cli.state import State
    from infxreg.registry import Registry

NAME = "infxreg.lock"


def default_path(state: State) -> Path:
    """Beside the site file, else in the working directory."""
    site = state.site_file
    if site is None or not os.path.isfile(site):  # /dev/null is none
        return Path(NAME)
    folder = site.parent
    if state.site is None and folder == Path.cwd():
        return Path(NAME)
    return folder / NAME


def accepting(state: State, path: Path) -> str:
    """The command that locks the registry of this run, in that file."""
    words = ["infxreg"]
    for name in state.skip:
        words += ["--skip-plugin", name]
    if state.site is not None:
        words += ["--site", state.site]
    words.append("lock")
    if path != default_path(state):
        words += ["-o", str(path)]
    return shlex.join(words)


def load(state: State, path: Path) -> Lock:
    """The lock in a file.

    Raises:
        BadRequestError: if it can't be read.
        LockFormatError: if it is no lock.
    """
    try:
        text = path.read_bytes().decode("utf-8", "backslashreplace")
    except FileNotFoundError as error:
        made = accepting(state, path)
        raise BadRequestError(f"there is no lock file {path}: {made} makes one") from error
    except OSError as error:
        raise BadRequestError(f"the lock file {path} can't be read: {error.strerror}") from error
    return read_lock(text, str(path))


def verify(state: State, registry: Registry) -> None:
    """Nothing, if the registry is made of what the lock file of this run says.

    Raises:
        InfxregError: if it isn't, or if there is no such file.
    """
    path = state.lock if state.lock is not None else default_path(state)
    require(load(state, path), registry, str(path), accepting(state, path))
