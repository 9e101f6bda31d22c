"""``infxreg check``: look at the whole registry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from infxreg.cli.app import EXIT_CODES
from infxreg.cli.state import state_of
from infxreg.cli.text import paint, progress, today_or

if TYPE_CHECKING:
    from infxreg.audit import Audit, Finding

_SHOWN = 4
"""Points of one group that are listed without -v."""


@click.command(
    "check",
    short_help="Conflicts, dead rules, and every point at every purpose.",
    epilog=f"\b\nExample:\n  infxreg --skip-plugin amd check\n\n{EXIT_CODES}",
)
@click.option("--day", metavar="DAY", help="Today, for waivers that end: 2026-12-01.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.pass_context
def check_command(ctx: click.Context, day: str | None, as_json: bool) -> None:
    """Check the registry: conflicts, dead rules, and every swept point at every purpose.

    Findings that are the same at many points are told once, with these points. With -v
    all of the points are listed.
    """
    state = state_of(ctx)
    today = today_or(day)
    registry = state.registry
    registry.check()
    with state.phase("check"):
        from infxreg.audit import audit

        with progress("checking") as report:
            found = audit(registry, report, today)
    if as_json:
        import json

        click.echo(json.dumps(_data(found), indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(_lines(found, state.verbose)))
    if found.failed:
        ctx.exit(1)


def _lines(found: Audit, verbose: bool) -> Iterator[str]:
    counts: dict[str, int] = {}
    for finding in found.findings:
        kind = f"{finding.answer} {finding.severity}"
        counts[kind] = counts.get(kind, 0) + 1
    words = [f"{count} {kind}{'s' * (count != 1)}" for kind, count in counts.items()]
    verdict = "failed" if found.failed else "nothing is refuted at error level"
    yield f"{found.points} points, {found.specs} specs with every purpose: {verdict}"
    yield f"found: {', '.join(words) or 'nothing'}"
    for finding in found.findings:
        yield ""
        yield from _block(finding, verbose)


def _block(finding: Finding, verbose: bool) -> Iterator[str]:
    first, *rest = finding.message.splitlines() or [""]
    head = paint(f"{finding.answer} {finding.severity}", finding.severity)
    yield f"{head} {finding.id}: {first}"
    yield from (f"    {line}" for line in rest)
    if finding.where:
        yield f"  in {finding.where}"
    if finding.points:
        count = len(finding.points)
        yield f"  {count} spec{'s' * (count != 1)}:"
        yield from (f"    {line}" for line in fold(finding.points, None if verbose else _SHOWN))


def fold(labels: Sequence[str], shown: int | None) -> Iterator[str]:
    """Labels of specs, one line for all that differ only in point and purpose.

    Args:
        labels: words, of which the last two are a point's id and a purpose.
        shown: how many points to name on a line; None names all.
    """
    groups: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for label in labels:
        words = label.rsplit(" ", 2)
        head, point, purpose = words if len(words) == 3 else (label, "", "")
        points, purposes = groups.setdefault(head, ({}, {}))
        points[point] = None
        purposes[purpose] = None
    for head, (points, purposes) in groups.items():
        names = list(points)
        listed = " ".join(names[:shown])
        more = f" and {len(names) - shown} more" if shown is not None and len(names) > shown else ""
        yield f"{head}: {listed}{more} ({', '.join(purposes)})" if listed else head


def _data(found: Audit) -> dict[str, Any]:
    return {
        "points": found.points,
        "specs": found.specs,
        "failed": found.failed,
        "findings": [
            {
                "id": finding.id,
                "answer": finding.answer,
                "severity": finding.severity,
                "message": finding.message,
                "where": finding.where,
                "points": list(finding.points),
            }
            for finding in found.findings
        ],
    }
