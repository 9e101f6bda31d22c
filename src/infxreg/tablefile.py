"""Files as a plugin ships them: tables, and what its surfaces are read from."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from typing import Protocol, runtime_checkable

from attrs import frozen


@runtime_checkable
class Readable(Protocol):
    """What has bytes: a package's resource, or a path."""

    def read_bytes(self) -> bytes:
        """All of them."""
        ...


@frozen
class TableFile:
    """A file, usually TOML: the name that origins and faults show, and where its bytes are."""

    name: str
    resource: Readable

    def read(self) -> bytes:
        """The file's bytes.

        Raises:
            OSError: if it can't be read.
        """
        return self.resource.read_bytes()


def sha256(data: bytes) -> str:
    """The hash of a file's bytes, with its kind in front (``sha256:…``)."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def data_file(package: str, name: str) -> TableFile:
    """One file of a package, of whatever kind.

    Args:
        package: the importable package, usually ``__name__`` of its ``__init__``.
        name: the file's name inside it.
    """
    return TableFile(f"{package}/{name}", files(package) / name)


def table_files(package: str, folder: str = "tables") -> tuple[TableFile, ...]:
    """Every ``*.toml`` in a package's folder, sorted by name.

    Args:
        package: the importable package, usually ``__name__`` of its ``__init__``.
        folder: the folder inside it.

    Raises:
        FileNotFoundError: if the package has no such folder.
    """
    root = files(package) / folder
    found = sorted(root.iterdir(), key=lambda entry: entry.name)
    return tuple(
        TableFile(f"{package}/{folder}/{entry.name}", entry)
        for entry in found
        if entry.name.endswith(".toml")
    )
