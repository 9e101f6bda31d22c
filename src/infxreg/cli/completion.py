"""``infxreg completion``: the script that makes a shell complete commands, options and ids."""

from __future__ import annotations

import click

from infxreg.cli.app import COMPLETE_VARIABLE, EXIT_CODES, app


@click.command(
    "completion",
    short_help="A shell's completion script.",
    epilog=f'\b\nExample:\n  eval "$(infxreg completion bash)"\n\n{EXIT_CODES}',
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    """Write the completion script of SHELL: bash, zsh or fish."""
    from click.shell_completion import BashComplete, FishComplete, ZshComplete

    made = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}[shell]
    click.echo(made(app, {}, "infxreg", COMPLETE_VARIABLE).source())
