"""Files written all or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """A stream whose text takes the place of a file at the end, if nothing was raised.

    It is written beside its place, then renamed. Folders that aren't there are made.

    Raises:
        OSError: if it can't be written; nothing is left behind then.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=".writing-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_whole(path: Path, text: str) -> None:
    """Writes a text; see `whole_file`."""
    with whole_file(path) as stream:
        stream.write(text)
