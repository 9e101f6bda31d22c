"""``infxreg evidence``: what was shown by runs, and of which specs."""

from __future__ import annotations

import click

from infxreg.cli.app import EXIT_CODES
from infxreg.cli.lazy import Lazy

_COMMANDS = {
    "status": "evidence_status",
    "add": "evidence_add",
    "reuse": "evidence_status",
}


@click.command(
    "evidence",
    cls=Lazy,
    homes={
        name: (f"infxreg.cli.{module}", f"{name}_command") for name, module in _COMMANDS.items()
    },
    no_args_is_help=True,
    short_help="What runs have shown, and of which specs: status, add, reuse.",
    epilog=f"\b\nExample:\n  infxreg evidence status\n\n{EXIT_CODES}",
)
def evidence_command() -> None:
    """Runs, bound to the digests of the specs that they ran.

    When a spec changes its digest does, so its evidence is stale; whether a recipe is verified
    follows from that, and never from a typed word.
    """
