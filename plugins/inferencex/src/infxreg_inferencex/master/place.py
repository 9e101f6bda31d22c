"""Where in a file a thing stands, and what is wrong there."""

from __future__ import annotations

import re
from collections.abc import Iterable

from attrs import field, frozen

from infxreg.errors import InfxregError
from infxreg.values import FrozenMap

Path = tuple[str | int, ...]

_PLAIN = re.compile(r"[^\s.\[\]\"]+")


@frozen
class Place:
    """A mapping or an entry of a list in a file.

    Attributes:
        file: its path in the checkout.
        path: the key path there, ``a.b[2]``; a key with a dot in it stands in quotes.
        line: from 1.
        keys: the line of each of its own keys.
    """

    file: str
    path: str
    line: int
    keys: FrozenMap[str, int] = field(factory=FrozenMap, eq=False, repr=False)

    def of(self, key: str) -> Place:
        """Where one of its keys stands; without it, where it would."""
        return Place(self.file, f"{self.path}.{key}".lstrip("."), self.keys.get(key, self.line))

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.path}".removesuffix(": ")


@frozen
class FileFault:
    """What is wrong at one place of a file."""

    place: Place
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@frozen
class FileFaults(InfxregError):
    """Files that can't be used: everything that is wrong with them, in one go."""

    faults: tuple[FileFault, ...]

    def __str__(self) -> str:
        count = len(self.faults)
        head = f"{count} fault{'s' if count != 1 else ''} in files of InferenceX:"
        return "\n".join([head, *(f"  {fault}" for fault in self.faults)])


def shown(path: Iterable[str | int]) -> str:
    """A key path as text."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if _PLAIN.fullmatch(step) else f'."{step}"'
    return text.removeprefix(".")
