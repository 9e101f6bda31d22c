"""Whether the engine in an image takes a command line: one answer a finding, with its reason.

Where the image may hold one of several releases, what all refuse is refuted, and what
only some refuse is unknown, unless the image's record says that it knows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from attrs import frozen

from infxreg.spec import Answer, Severity
from infxreg.surface.findings import Finding, Kind, Verdict
from infxreg.surface.possible import Possible

_LEVELS: tuple[Severity, ...] = ("error", "warning", "note")

_ABOUT_VARIABLES: tuple[Kind, ...] = ("unknown variable", "renamed variable")


@frozen
class Reply:
    """One answer about a command line.

    Attributes:
        answer: ``refuted``, ``unknown``, or ``ok`` where only the image's record settles it.
        severity: how much it matters, in the version where it matters most.
        finding: what it is about, by the newest version that says so.
        said_by: the versions, of those that the image may hold, that say so.
        reason: the finding in words, and what the other versions say.
    """

    answer: Answer
    severity: Severity
    finding: Finding
    said_by: tuple[str, ...]
    reason: str


def replies(
    possible: Possible,
    argv: Sequence[str],
    env: Mapping[str, str],
    knows: Callable[[Finding], str | None] = lambda finding: None,
    lead: Sequence[str] | None = (),
) -> tuple[Reply, ...]:
    """What is to be said of a command line, in the order of its arguments.

    Args:
        possible: the versions that the image may hold, at least one.
        argv: the arguments after the engine's own command and after `lead`.
        env: the variables that are set.
        knows: what the image's record says of a finding: the capability that it knows, or None.
        lead: what stands before the arguments; None is a model, as `infxreg.surface.check` has it.
    """
    verdicts = _verdicts(possible, argv, env, lead)
    found: dict[tuple[str, ...], dict[str, Finding]] = {}
    for version, verdict in verdicts.items():
        for finding in verdict.findings:
            place = (finding.kind, finding.flag, finding.key or "", finding.value or "")
            found.setdefault(place, {}).setdefault(version, finding)
    return tuple(_reply(possible, verdicts, said, knows) for said in found.values())


def _verdicts(
    possible: Possible, argv: Sequence[str], env: Mapping[str, str], lead: Sequence[str] | None
) -> dict[str, Verdict]:
    """By version; of a bracket whose ends find nothing, only the ends."""

    def check(version: str) -> Verdict:
        history = possible.releases.folded if possible.releases is not None else None
        return possible.checker(version).check(argv, env, history=history, lead=lead)

    ends = dict.fromkeys((possible.versions[0], possible.versions[-1]))
    verdicts = {version: check(version) for version in ends}
    if any(verdict.findings for verdict in verdicts.values()):
        verdicts = {v: verdicts[v] if v in verdicts else check(v) for v in possible.versions}
    return verdicts


def _reply(
    possible: Possible,
    verdicts: Mapping[str, Verdict],
    said: Mapping[str, Finding],
    knows: Callable[[Finding], str | None],
) -> Reply:
    *_, finding = said.values()
    severity = _LEVELS[min(_LEVELS.index(one.severity) for one in said.values())]
    capability = knows(finding) if len(possible.versions) > 1 else None
    certain = not possible.newer and all(
        any(one.flag == finding.flag for one in _as_bad(verdict, severity))
        for verdict in verdicts.values()
    )
    if certain and capability is None and finding.kind != "not known":
        return Reply("refuted", severity, finding, tuple(said), str(finding))
    place = (finding.flag, finding.key)
    takers = [
        version
        for version, verdict in verdicts.items()
        if all((one.flag, one.key) != place for one in _as_bad(verdict, severity))
    ]
    plain = [finding.message, *([finding.versions] if finding.versions else [])]
    words = plain if takers else [str(finding)]
    if capability is not None:
        words.append(f"but the image's record knows {capability}")
        return Reply("ok", severity, finding, tuple(said), "; ".join(words))
    if takers:
        verb = "read" if finding.kind in _ABOUT_VARIABLES else "take"
        words.append(f"{_listed(takers)} {verb if len(takers) > 1 else verb + 's'} it")
    if len(possible.versions) > 1 or possible.newer:
        words.append(possible.why)
    return Reply("unknown", severity, finding, tuple(said), "; ".join(words))


def _as_bad(verdict: Verdict, severity: Severity) -> Iterator[Finding]:
    worse = _LEVELS[: _LEVELS.index(severity) + 1]
    return (one for one in verdict.findings if one.severity in worse)


def _listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
