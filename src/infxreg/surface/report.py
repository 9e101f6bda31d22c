"""Where the findings about one argument list are gathered, with words from a history."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field, frozen

from infxreg.spec import Severity
from infxreg.surface.findings import Finding, Kind, Level
from infxreg.surface.history import History, ItemKind, in_words, replaced
from infxreg.surface.model import Surface


@frozen(eq=False)
class Report:
    """The findings about one list so far; rules add to it.

    Attributes:
        surface: the engine version that the list is checked against.
        history: what is known of other versions, if anything.
        findings: in the order they were found.
    """

    surface: Surface
    history: History | None = None
    findings: list[Finding] = field(factory=list)

    @property
    def engine(self) -> str:
        """The engine and its version, for messages."""
        return f"{self.surface.engine} {self.surface.version}"

    def add(
        self,
        kind: Kind,
        flag: str,
        message: str,
        *,
        level: Level = "parse",
        severity: Severity = "error",
        value: str | None = None,
        near: str | None = None,
        key: str | None = None,
        item: tuple[ItemKind, str] | None = None,
    ) -> None:
        """Adds a finding; `item` is what the history is asked for, if there is one."""
        versions = None
        if item is not None and self.history is not None:
            versions = in_words(self.history, *item, self.surface.version)
            gone = versions is not None and "removed" in versions and "back in" not in versions
            if item[0] == "flag" and gone:
                instead = replaced(self.history, item[1], self.surface.by_name)
                if instead is not None:
                    near, versions = instead, f"{versions}, use {instead}"
        self.findings.append(
            Finding(
                kind=kind,
                level=level,
                severity=severity,
                flag=flag,
                key=key or None,
                value=value,
                message=message,
                near=near,
                versions=versions,
            )
        )

    def forget(self, kinds: Sequence[Kind]) -> None:
        """Takes back what was found of some kinds."""
        self.findings[:] = [one for one in self.findings if one.kind not in kinds]

    def not_known(
        self, flag: str, value: str, message: str, key: str = "", level: Level = "parse"
    ) -> None:
        """Adds that something can't be decided from the surface."""
        self.add("not known", flag, message, level=level, severity="note", value=value, key=key)
