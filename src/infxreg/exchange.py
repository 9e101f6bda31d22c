"""What importers give and exporters take: files of another project, as records, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from attrs import field, frozen

from infxreg.catalogue import Catalogue
from infxreg.contribution import Placed
from infxreg.errors import InfxregError
from infxreg.spec import LaunchSpec, Severity
from infxreg.values import FrozenMap


@frozen(kw_only=True)
class ImportFinding:
    """Something in the files that is surely or perhaps a mistake.

    Attributes:
        id: the kind of finding: ``image-differs``.
        severity: ``error`` for what can't be right, ``warning`` for what somebody should look at.
        message: what is where, and what to do.
        file: the file, by its path in the folder.
        path: the key path in it.
        line: its line, from 1; 0 where nobody knows.
    """

    id: str
    message: str
    file: str
    path: str = ""
    line: int = 0
    severity: Severity = "warning"

    @property
    def where(self) -> str:
        """File and line, and the key path."""
        line = f":{self.line}" if self.line else ""
        return f"{self.file}{line}" + (f" {self.path}" if self.path else "")


@frozen(kw_only=True)
class Imported:
    """What an importer makes of a folder.

    Attributes:
        placed: the records, each with its file (by its path in the folder) and key path.
        findings: what is or may be wrong in the files.
        left_out: what can't be read, each with why.
        counts: how many of what was read, for people: ``{"recipe files": 469}``.
    """

    placed: tuple[Placed, ...]
    findings: tuple[ImportFinding, ...] = ()
    left_out: tuple[str, ...] = ()
    counts: FrozenMap[str, int] = field(factory=FrozenMap)


@frozen
class ImportFaults(InfxregError):
    """Files that can't be read: everything that is wrong, each with its place."""

    problems: tuple[str, ...]

    def __str__(self) -> str:
        count = f"{len(self.problems)} fault{'s' * (len(self.problems) != 1)}"
        return "\n".join([f"nothing is imported: {count}", *(f"  {one}" for one in self.problems)])


@frozen
class ExportError(InfxregError):
    """Specs that a format can't express: which, and what of them."""

    format: str
    problems: tuple[str, ...]

    def __str__(self) -> str:
        lines = "\n".join(f"  {problem}" for problem in self.problems)
        return f"{self.format} can't express:\n{lines}"


@frozen(kw_only=True)
class Launch:
    """A point of a recipe, resolved, as exporters take it."""

    recipe: str
    point: str
    spec: LaunchSpec


ReadFolder: TypeAlias = Callable[[Path, Catalogue], Imported]
"""From a file or folder, and what is known, to its launches.

Raises:
    ImportFaults: naming everything that can't be read.
"""
WriteFiles: TypeAlias = Callable[[Sequence[Launch], Catalogue], Mapping[str, str]]
"""From launches, and what is known, to the files of a format, each with its text.

Raises:
    ExportError: naming everything that the format can't express.
"""
