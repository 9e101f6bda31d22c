"""``infxreg engine``: what the releases of an engine accept, and what that means for specs."""

from __future__ import annotations

import click

from infxreg.cli.app import EXIT_CODES
from infxreg.cli.lazy import Lazy

_COMMANDS = {
    "check": "engine_check",
    "upgrade": "engine_upgrade",
    "list": "engine_list",
    "add": "engine_store",
    "remove": "engine_store",
    "dump-script": "engine_read",
    "extract": "engine_read",
    "fold": "engine_read",
}


@click.command(
    "engine",
    cls=Lazy,
    homes={
        name: (f"infxreg.cli.{module}", f"{name.replace('-', '_')}_command")
        for name, module in _COMMANDS.items()
    },
    no_args_is_help=True,
    short_help="What an engine's release accepts: check, upgrade, add.",
    epilog=(
        f"\b\nExample:\n  infxreg engine check vllm@0.31.0 -- --kv-cache-dtype fp9\n\n{EXIT_CODES}"
    ),
)
def engine_command() -> None:
    """What the releases of vllm, sglang and others accept, without running them.

    Every spec that infxreg resolves is checked by it; these commands ask directly, take in
    private builds, and make the files that the engine plugins ship.
    """
