"""``infxreg lock``: write down what the registry is made of, or tell what moved."""

from __future__ import annotations

import json

import click

from infxreg.cli.app import EXIT_CODES
from infxreg.cli.state import state_of
from infxreg.cli.text import progress


@click.command(
    "lock",
    short_help="Write down what the registry is made of.",
    epilog=(
        f"\b\nExample:\n  infxreg lock && infxreg --locked resolve b200 dsv41flash\n\n{EXIT_CODES}"
    ),
)
@click.option("--check", is_flag=True, help="Compare, and write nothing; exit 1 if anything moved.")
@click.option("--json", "as_json", is_flag=True, help="With --check: write JSON.")
@click.pass_context
def lock_command(ctx: click.Context, check: bool, as_json: bool) -> None:
    """Write plugins and versions, hashes of tables and records, and the snapshot's digest.

    The file is --lock FILE, else infxreg.lock beside the site file, else here. With --locked,
    before a command, nothing is resolved unless plugins, tables and records are what the lock
    says; --check compares what all points resolve to as well.
    """
    import tomli_w

    from infxreg.errors import BadRequestError
    from infxreg.review.lock import lock_of, moved
    from infxreg.wholefile import write_whole

    state = state_of(ctx)
    state.locked = False  # what --lock names is written, or compared with every difference told
    path = state.lock_path
    old = state.read_lock() if check else None
    registry = state.registry
    registry.check()
    with state.phase("resolve"), progress("resolving") as report:
        now = lock_of(registry, progress=report)
    if old is None:
        try:
            write_whole(path, tomli_w.dumps(now.to_dict()))
        except OSError as error:
            raise BadRequestError(f"{path} can't be written: {error.strerror}") from error
        click.echo(str(path), err=True)
        return
    found = moved(old, now)
    if as_json:
        click.echo(json.dumps({"lock": str(path), "moved": list(found)}, ensure_ascii=False))
    elif found:
        click.echo(f"the registry isn't that of {path}:")
        click.echo("\n".join(f"  {one}" for one in found))
        click.echo("infxreg lock takes it as it is now")
    else:
        click.echo(f"the registry is that of {path}")
    ctx.exit(1 if found else 0)
