"""What a check of an argument list says: findings, and the verdict that they add up to."""

from __future__ import annotations

from typing import Literal, TypeAlias

from attrs import field, frozen

from infxreg.spec import Severity
from infxreg.surface.model import Json

Level: TypeAlias = Literal["parse", "registry", "start", "ours"]
Kind: TypeAlias = Literal[
    # level `parse`: the engine's parser refuses the list
    "unknown flag",
    "removed flag",
    "ambiguous prefix",
    "missing value",
    "ignored value",
    "stray positional",
    "wrong type",
    "hard choice",
    "bad JSON",
    "unknown JSON key",
    "missing JSON key",
    "refused combination",
    "missing flag",
    # level `parse`: the parser takes it, but perhaps not as meant
    "abbreviation",
    "deprecated",
    "repeated",
    "JSON with dotted keys",
    "dropped value",
    "prints and exits",
    "not known",
    # after the parser
    "registry value",
    "needs another flag",
    "out of range",
    "unknown variable",
    "renamed variable",
]


@frozen(kw_only=True)
class Finding:
    """One thing to say about an argument list or an environment.

    Attributes:
        kind: what it is; see `Kind`.
        level: who says so: ``parse`` (the engine's own parser), ``registry`` (the engine's lists
            of parsers, backends, connectors … that its parser doesn't look at), ``start`` (what
            the engine checks after parsing), ``ours`` (nobody but this check).
        severity: ``error`` at level ``parse`` is what makes a list refused.
        flag: the option string as the user wrote it, or a variable's name; ``""`` where there
            is none (a stray positional).
        key: the path inside the flag's JSON, ``pass_config.fuse_norm_quant``.
        value: the value that it is about.
        message: what is wrong and what to do, in a sentence; the names and values are in it.
        near: the known name that is nearest to what was written.
        versions: when the item was there, in words: ``first in 0.31.0``.
    """

    kind: Kind
    level: Level = "parse"
    severity: Severity = "error"
    flag: str = ""
    key: str | None = None
    value: str | None = None
    message: str
    near: str | None = None
    versions: str | None = None

    def to_json(self) -> dict[str, Json]:
        """The finding as plain data; what it doesn't say is left out."""
        data: dict[str, Json] = {
            "kind": self.kind,
            "level": self.level,
            "severity": self.severity,
            "flag": self.flag,
            "message": self.message,
        }
        for name, text in (
            ("key", self.key),
            ("value", self.value),
            ("near", self.near),
            ("versions", self.versions),
        ):
            if text is not None:
                data[name] = text
        return data

    def __str__(self) -> str:
        # What another version has was no slip of the pen.
        elsewhere = self.versions is not None and self.versions.startswith("first in")
        said = f"{self.message} {self.versions}"
        told = self.near is None or self.near in said or elsewhere
        hints = ["" if told else f"did you mean {self.near}?", self.versions or ""]
        return "; ".join([self.message, *(hint for hint in hints if hint)])


@frozen
class Verdict:
    """Whether the engine's parser takes an argument list, and everything found in it.

    Attributes:
        accepted: true, false, or None where the surface doesn't say enough to know.
        findings: in the order of the arguments.
    """

    accepted: bool | None
    findings: tuple[Finding, ...] = field(default=())

    @property
    def sound(self) -> bool | None:
        """Like `accepted`, and refused too where any finding is an error, whoever says it."""
        if any(finding.severity == "error" for finding in self.findings):
            return False
        return self.accepted

    def to_json(self) -> dict[str, Json]:
        """One object, as ``infxreg engine check --json`` prints it."""
        return {
            "accepted": self.accepted,
            "findings": [finding.to_json() for finding in self.findings],
        }


def verdict_of(findings: list[Finding]) -> Verdict:
    """The verdict that findings add up to: refused, else unknown, else accepted."""
    at_parse = [finding for finding in findings if finding.level == "parse"]
    if any(finding.severity == "error" for finding in at_parse):
        return Verdict(False, tuple(findings))
    if any(finding.kind == "not known" for finding in at_parse):
        return Verdict(None, tuple(findings))
    return Verdict(True, tuple(findings))
