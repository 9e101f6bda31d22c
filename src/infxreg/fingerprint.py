"""The fingerprint of records made in Python: equal records have equal ones on every machine."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from infxreg.errors import InfxregError
from infxreg.records import Record
from infxreg.tablefile import TableFile, sha256


@attrs.frozen
class UnreadableError(InfxregError):
    """A file that a record names, and whose bytes can't be had."""

    file: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file} can't be read: {self.reason}; install its plugin anew"


def fingerprint(records: Iterable[Record]) -> str:
    """The hash of records, whatever their order: a hook may iterate over a set.

    Files that records name count by their bytes, functions by their qualified name: what a
    function does isn't seen.

    Raises:
        UnreadableError: if such a file can't be read.
    """
    return sha256("\n".join(sorted(_text(record) for record in records)).encode())


def _text(value: object) -> str:
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: Any) -> Any:
    """Types as JSON has them, each form told from the others: true isn't 1, nor a list a set."""
    if isinstance(value, TableFile):
        return {"file": sha256(_bytes(value))}
    if isinstance(value, enum.Enum):
        return {"enum": value.name}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if attrs.has(type(value)):
        fields = (field.name for field in attrs.fields(type(value)))
        return {type(value).__name__: {name: _plain(getattr(value, name)) for name in fields}}
    if isinstance(value, Mapping):
        return {"map": sorted(_text([key, item]) for key, item in value.items())}
    if isinstance(value, (set, frozenset)):
        return {"set": sorted(map(_text, value))}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    # A repr may hold an address, so what isn't known has its name only.
    named = value if hasattr(value, "__qualname__") else type(value)
    return {"name": f"{named.__module__}:{named.__qualname__}"}


def _bytes(file: TableFile) -> bytes:
    try:
        return file.read()
    except Exception as error:  # whatever a resource that is none raises
        raise UnreadableError(str(file.name), f"{type(error).__name__}: {error}") from error
