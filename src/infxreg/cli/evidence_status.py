"""``infxreg evidence status`` and ``reuse``: what is verified, and what no longer is."""

from __future__ import annotations

import json

import click

from infxreg.cli.app import EXIT_CODES
from infxreg.cli.request import completing
from infxreg.cli.state import state_of
from infxreg.cli.text import progress, table


@click.command(
    "status",
    short_help="What is verified, stale and unverified, by recipe.",
    epilog=f"\b\nExample:\n  infxreg evidence status --json\n\n{EXIT_CODES}",
)
@click.argument("recipe", required=False, shell_complete=completing("recipe"))
@click.option("--json", "as_json", is_flag=True, help="Write JSON, with every point.")
@click.pass_context
def status_command(ctx: click.Context, recipe: str | None, as_json: bool) -> None:
    """Show of each recipe how many of its points runs have verified.

    A recipe is verified where all its points are, stale where one was run as another spec, else
    unverified.
    """
    from infxreg.errors import UnknownIdError
    from infxreg.review.evidence_status import statuses

    state = state_of(ctx)
    registry = state.registry
    registry.check()
    known = registry.catalogue.recipes
    if recipe is not None and recipe not in known:
        raise UnknownIdError("recipe", recipe, tuple(known))
    with state.phase("resolve"), progress("resolving") as report:
        found = statuses(registry, recipe, report)
    if as_json:
        data = [
            {
                "recipe": one.recipe,
                "shows": one.shows,
                "status": one.status,
                "points": {name: standing.status for name, standing in one.points.items()},
            }
            for one in found
        ]
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
        return
    rows = [(one.recipe, one.shows, one.status, one.words) for one in found]
    click.echo(table(("recipe", "shows", "status", "points"), rows))


@click.command(
    "reuse",
    short_help="Whether a run still stands for all that it ran.",
    epilog=f"\b\nExample:\n  infxreg evidence reuse run-35902738208\n\n{EXIT_CODES}",
)
@click.argument("id", shell_complete=completing("evidence"))
@click.pass_context
def reuse_command(ctx: click.Context, id: str) -> None:
    """Compare the digests of the run ID with those that its points have now.

    A run can be reused only where all of them match; exit 1 tells which don't.
    """
    from infxreg.errors import UnknownIdError
    from infxreg.review.evidence_status import moved

    registry = state_of(ctx).registry
    registry.check()
    known = registry.catalogue.evidence
    if id not in known:
        raise UnknownIdError("evidence", id, tuple(known))
    problems = moved(known[id], registry)
    count = len(known[id].digests)
    if problems:
        click.echo(f"{id} can't be reused: {len(problems)} of {count} specs aren't what was run")
        click.echo("\n".join(f"  {problem}" for problem in problems))
        ctx.exit(1)
    click.echo(f"{id} can be reused: all {count} specs are what was run")
