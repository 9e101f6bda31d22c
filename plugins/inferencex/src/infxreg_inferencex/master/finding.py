"""What is found in a checkout: two of its files that don't say the same."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from infxreg_inferencex.master.place import Place

Severity = Literal["error", "warning", "note"]


@frozen(kw_only=True)
class Finding:
    """One finding.

    Attributes:
        id: its kind.
        severity: ``error`` where something doesn't run, or runs as what it isn't; ``warning``
            where it probably isn't meant; ``note`` where it may well be.
        entry: the config key that it is about; empty where it is about none.
        at: where it stands.
        message: what is where, and what to do.
    """

    id: str
    severity: Severity = "error"
    entry: str
    at: Place
    message: str

    @property
    def file(self) -> str:
        """The file."""
        return self.at.file

    @property
    def path(self) -> str:
        """The key path in the file."""
        return self.at.path

    @property
    def line(self) -> int:
        """The line, from 1."""
        return self.at.line

    def __str__(self) -> str:
        about = f"{self.entry}: " if self.entry else ""
        return f"{self.file}:{self.line}: {self.severity} [{self.id}] {about}{self.message}"
