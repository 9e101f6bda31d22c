"""``infxreg engine upgrade``: what another version of an engine does to the specs that we have."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from infxreg.cli.app import EXIT_CODES
from infxreg.cli.check import fold
from infxreg.cli.request import completing
from infxreg.cli.state import state_of
from infxreg.cli.text import paint, progress

if TYPE_CHECKING:
    from infxreg.upgrade import Change, Upgrade

_SHOWN = 4
"""Points of one group that are listed without -v."""

_HEADS = {
    "breaks": "error",
    "stops working": "error",
    "not known": "warning",
    "deprecated": "warning",
    "as before": "note",
    "mended": "note",
}


@click.command(
    "upgrade",
    short_help="What breaks in our specs with another version.",
    epilog=(
        "\b\nExample:\n"
        "  infxreg engine upgrade dsv41flash-fp4-h200-sglang-agentic --to sglang@0.5.23\n\n"
        f"{EXIT_CODES}"
    ),
)
@click.argument("subject", metavar="IMAGE-OR-RECIPE", shell_complete=completing("recipe"))
@click.option(
    "--to",
    "target",
    required=True,
    metavar="TARGET",
    help="ENGINE@VERSION, ENGINE@DIGEST, or an image.",
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.pass_context
def upgrade_command(ctx: click.Context, subject: str, target: str, as_json: bool) -> None:
    """Check every spec of a recipe, or with an image, against another version of its engine.

    Told are what breaks, what silently stops working, what is deprecated, what can't be known,
    and what to write instead where the engine says so. Exit 1 if anything breaks or stops
    working.
    """
    from infxreg.cli.target import target_of
    from infxreg.upgrade import upgrade

    state = state_of(ctx)
    registry = state.registry
    to = target_of(target, registry)
    with state.phase("check"), progress("checking") as report:
        found = upgrade(subject, to.engine, to.held, registry, report, to.image)
    if as_json:
        click.echo(json.dumps(_data(found), indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(_lines(found, f"{to.engine} {to.held.words}", state.verbose)))
    ctx.exit(1 if found.fails else 0)


def _lines(found: Upgrade, words: str, verbose: bool) -> Iterator[str]:
    counts: dict[str, int] = {}
    for change in found.changes:
        counts[change.effect] = counts.get(change.effect, 0) + 1
    told = ", ".join(f"{count} {effect}" for effect, count in counts.items())
    yield f"{found.specs} specs, with every purpose, on {words}: {told or 'nothing changes'}"
    for change in found.changes:
        yield ""
        yield f"{paint(change.effect, _HEADS[change.effect])}: {change.reason}"
        if change.option:
            yield f"  {change.option} is set by {change.origin}"
        count = len(change.points)
        yield f"  {count} spec{'s' * (count != 1)}:"
        yield from (f"    {line}" for line in fold(change.points, None if verbose else _SHOWN))


def _data(found: Upgrade) -> dict[str, Any]:
    return {
        "specs": found.specs,
        "fails": found.fails,
        "changes": [_change(change) for change in found.changes],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "effect": change.effect,
        "reason": change.reason,
        "option": change.option,
        "origin": change.origin,
        "finding": change.finding.to_json(),
        "points": list(change.points),
    }
