"""``infxreg impact``: what changes between two states of a registry, and what doesn't."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from infxreg.cli.state import state_of
from infxreg.cli.text import progress, say_error

if TYPE_CHECKING:
    from infxreg.cli.only import Only
    from infxreg.review.impact import Block, Impact
    from infxreg.review.regions import Region

_EPILOG = """\b
Examples:
  infxreg impact main --only 'sku=b200 model=dsv41flash'
  infxreg impact before.jsonl after.jsonl --json
  infxreg impact --without nvidia
  (echo; infxreg impact main --changelog) >> perf-changelog.yaml

\b
Exit codes:
  0  done, and nothing outside --only
  1  something changes outside --only, a point that resolved no longer does, or the
     changelog names other recipes than those that change
  2  the request, a plugin or a file can't be used"""


@click.command(
    "impact",
    short_help="What a change touches, and what it doesn't.",
    epilog=_EPILOG,
)
@click.argument("base", required=False)
@click.argument("head", required=False)
@click.option("--without", metavar="PLUGIN", help="In place of BASE: the registry without it.")
@click.option(
    "--only", metavar="SCOPE", help="The scope that was meant: sku=b200 tp=2|4 conc=8..64."
)
@click.option("--changelog", is_flag=True, help="Write the entry for a perf-changelog.yaml.")
@click.option("--pr-link", metavar="URL", help="The pull request's link, for that entry.")
@click.option(
    "--check-changelog",
    metavar="FILE",
    help="Hold the entries that FILE has more in HEAD to what really changes.",
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.pass_context
def impact_command(
    ctx: click.Context,
    base: str | None,
    head: str | None,
    without: str | None,
    only: str | None,
    changelog: bool,
    pr_link: str | None,
    check_changelog: str | None,
    as_json: bool,
) -> None:
    """Compare BASE with HEAD: which points are new, gone or changed, by which keys and rules.

    Each is a snapshot file or a git revision. Of a revision the plugins' sources and the site
    file that the repository holds are resolved; without HEAD that is the working tree, or, after
    a file, the registry as it is. Every purpose is compared.
    """
    from infxreg.cli import only as meant
    from infxreg.cli.sides import sides
    from infxreg.review.impact import compare

    if changelog and as_json:
        raise click.UsageError("--changelog writes YAML: leave --json out")
    if pr_link is not None and not changelog:
        raise click.UsageError("--pr-link goes with --changelog")
    state = state_of(ctx)
    scope = meant.read_only(only)
    differ: tuple[str, ...] = ()
    with (
        state.phase("compare"),
        progress("resolving") as report,
        sides(base, head, without, state, report) as found,
    ):
        known = meant.known(state).catalogue
        impact = compare(found.base.snapshot, found.head.snapshot, known.evidence_book.by_digest)
        names = found.names
        if check_changelog is not None:
            from infxreg.cli.changes import held_to

            _, differ = held_to(check_changelog, found, impact)
    outside = None if scope is None else meant.only(scope, impact, known.space)
    if changelog:
        click.echo(_entry(impact, pr_link), nl=False)
    elif as_json:
        data = _data(impact, names, outside)
        if check_changelog is not None:
            data["changelog"] = {"file": check_changelog, "disagreements": list(differ)}
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        from infxreg.cli.impact_text import lines

        click.echo("\n".join(lines(impact, names, outside)))
    if differ and not as_json:
        say_error(
            f"{check_changelog} and the change differ:\n" + "\n".join(f"  {d}" for d in differ)
        )
    failing = any(block.kind == "fails" for block in impact.blocks)
    ctx.exit(1 if failing or differ or (outside is not None and outside.outside) else 0)


def _entry(impact: Impact, link: str | None) -> str:
    """The entry for the changelog; nothing where nothing changes."""
    from infxreg.cli.changes import workloads
    from infxreg.review.changelog import PLACEHOLDER, described, entry_text, touched

    recipes = touched(impact)
    if not recipes:
        return ""
    lines = described(impact)
    return entry_text(recipes, workloads(impact), lines, link or PLACEHOLDER)


def _data(impact: Impact, names: tuple[str, str], only: Only | None) -> dict[str, Any]:
    from infxreg.review.impact import by_axis

    data: dict[str, Any] = {
        "base": names[0],
        "head": names[1],
        "points": len(impact.points),
        "purposes": {p: {"changed": len(found)} for p, found in impact.touched.items()},
        "regions": _regions(impact.regions),
        "blocks": [_block_data(block) for block in impact.blocks],
        "by": {
            axis: {
                name: {"changed": changed, "points": total}
                for name, (changed, total) in by_axis(impact, axis).items()
            }
            for axis in ("sku", "model", "engine")
        },
    }
    if impact.stale:
        data["stale"] = {run: _regions(impact.cover(found)) for run, found in impact.stale.items()}
    if only is not None:
        data["only"] = str(only.scope)
        data["outside"] = _regions(impact.cover(only.outside))
    return data


def _regions(regions: Iterable[Region]) -> list[dict[str, Any]]:
    return [{"scope": str(r.scope), "points": len(r.members)} for r in regions]


def _block_data(block: Block) -> dict[str, Any]:
    data: dict[str, Any] = {
        "kind": block.kind,
        "purposes": list(block.purposes),
        "points": block.count,
        "regions": _regions(block.regions),
    }
    if block.keys:
        data["keys"] = [
            {
                "key": change.key,
                "before": list(change.before),
                "after": list(change.after),
                "values": [{"old": pair.old, "new": pair.new} for pair in pairs],
            }
            for change, pairs in block.keys
        ]
    if block.error:
        data["error"] = block.error
    return data
