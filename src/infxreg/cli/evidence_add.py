"""``infxreg evidence add``: bind a run to the specs that it ran."""

from __future__ import annotations

import json
from pathlib import Path

import click

from infxreg.cli.app import EXIT_CODES
from infxreg.cli.state import state_of


@click.command(
    "add",
    short_help="Bind a run to the specs that it ran.",
    epilog=f"\b\nExample:\n  infxreg evidence add run.json -o evidence.toml\n\n{EXIT_CODES}",
)
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="TABLE",
    help="A table that it is added to; else it is printed.",
)
@click.pass_context
def add_command(ctx: click.Context, run: Path, output: Path | None) -> None:
    """Resolve the points of RUN, a JSON file, and write [[evidence]] with their digests.

    RUN has id, shows (performance or accuracy), run, commit, source; perhaps date, head, image,
    gates, metrics and thresholds; and either scope ("sku=b200 engine=vllm purpose=eval") or
    points, each with its axes and, where measured, throughput and latency: the frontier of these
    is computed. A run with another image than the points launch is refused.
    """
    import tomli_w

    from infxreg.errors import BadRequestError
    from infxreg.review.evidence_stamp import stamped, table
    from infxreg.wholefile import write_whole

    try:
        data = json.loads(run.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise BadRequestError(f"{run} can't be read: {error}") from error
    state = state_of(ctx)
    with state.phase("resolve"):
        text = tomli_w.dumps(table(stamped(data, str(run), state.registry)))
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        before = output.read_text(encoding="utf-8") if output.exists() else ""
        write_whole(output, f"{before.rstrip()}\n\n{text}" if before.strip() else text)
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequestError(f"{output} can't be written: {error}") from error
    click.echo(str(output), err=True)
