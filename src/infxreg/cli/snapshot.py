"""``infxreg snapshot``: all points, resolved, one line each."""

from __future__ import annotations

from pathlib import Path

import click

from infxreg.cli.app import EXIT_CODES
from infxreg.cli.state import state_of
from infxreg.cli.text import progress


@click.command(
    "snapshot",
    short_help="All points, resolved, one line each.",
    epilog=f"\b\nExample:\n  infxreg snapshot -o before.jsonl\n\n{EXIT_CODES}",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Else standard output.",
)
@click.pass_context
def snapshot_command(ctx: click.Context, output: Path | None) -> None:
    """Write every swept point at every purpose: what is launched, and which rule set what.

    One line of JSON each, in one order, the same on every machine; `impact` compares two. A
    point that can't be resolved has its error there.
    """
    from infxreg.errors import BadRequestError
    from infxreg.review.snapshot import take
    from infxreg.wholefile import whole_file

    state = state_of(ctx)
    registry = state.registry
    with state.phase("resolve and write"), progress("resolving") as report:
        found = take(registry, report)
        if output is None:
            for line in found.lines():
                click.echo(line)
            return
        try:
            with whole_file(output) as stream:
                for line in found.lines():
                    stream.write(line + "\n")
        except OSError as error:
            raise BadRequestError(f"{output} can't be written: {error.strerror}") from error
