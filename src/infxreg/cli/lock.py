"""``infxreg lock``: write down what the registry is made of, or compare it with that."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from infxreg.cli.state import state_of
from infxreg.cli.text import progress

if TYPE_CHECKING:
    from infxreg.cli.state import State
    from infxreg.lock import Lock

_EPILOG = """\b
Examples:
  infxreg lock
  infxreg lock --check
  infxreg --locked resolve b200 dsv41flash

\b
Exit codes:
  0  written, or (with --check) nothing moved
  1  something moved
  2  the request, a plugin or a file can't be used"""


@click.command("lock", short_help="Write down what the registry is made of.", epilog=_EPILOG)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Else infxreg.lock beside the site file, or, without one, here.",
)
@click.option("--check", is_flag=True, help="Compare with FILE, and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="With --check: write JSON.")
@click.pass_context
def lock_command(
    ctx: click.Context, file: Path | None, output: Path | None, check: bool, as_json: bool
) -> None:
    """Write every plugin's version, the hash of every table and of what hooks contribute, and
    the snapshot's digest.

    With --check they are compared: all that moved is told. --locked, before any command,
    refuses to go on where a plugin, a version or a hash moved. It leaves the snapshot to
    --check, since all points are resolved for that; the same plugins, tables and records give
    the same snapshot.
    """
    state = state_of(ctx)
    if check:
        if output is not None:
            raise click.UsageError("--check writes nothing: drop -o, and name FILE alone", ctx)
        moved = _compare(state, file if file is not None else state.lock, as_json)
        ctx.exit(1 if moved else 0)
    if file is not None:
        raise click.UsageError("FILE is what --check compares: to write there, say -o FILE", ctx)
    if as_json:
        raise click.UsageError("--json goes with --check: the file is TOML", ctx)
    if state.locked:
        raise click.UsageError("lock writes what --locked compares with: drop --locked", ctx)
    _write(state, output)


def _write(state: State, output: Path | None) -> None:
    from infxreg.cli.lockfile import default_path
    from infxreg.errors import BadRequestError
    from infxreg.lock import lock_of
    from infxreg.wholefile import write_whole

    path = output if output is not None else default_path(state)
    with state.phase("resolve"), progress("resolving") as report:
        lock = lock_of(state.unlocked, report)
    with state.phase("write"):
        try:
            write_whole(path, lock.to_toml())
        except OSError as error:
            raise BadRequestError(f"{path} can't be written: {error.strerror}") from error
    click.echo(f"{path}: {_size(lock)}, snapshot {lock.snapshot}")


def _size(lock: Lock) -> str:
    sources = [*lock.plugin, *([lock.site] if lock.site is not None else [])]
    tables = sum(len(item.tables) for item in sources)
    plugins = len(lock.plugin)
    return f"{plugins} plugin{'s' * (plugins != 1)}, {tables} table{'s' * (tables != 1)}"


def _compare(state: State, named: Path | None, as_json: bool) -> bool:
    """Whether anything moved, which is told."""
    from infxreg.cli.lockfile import accepting, default_path, load
    from infxreg.lock import LockedError, moved, snapshot_digest

    path = named if named is not None else default_path(state)
    accept = accepting(state, path)
    lock = load(state, path)
    registry = state.unlocked
    found = moved(lock, registry)
    if found and registry.faults:
        raise LockedError(str(path), found, accept, len(registry.faults))
    with state.phase("resolve"), progress("resolving") as report:
        now = snapshot_digest(registry, report)
    failed = bool(found) or now != lock.snapshot
    if as_json:
        data = {
            "lock": str(path),
            "moved": list(found),
            "snapshot": {"locked": lock.snapshot, "now": now},
            "failed": failed,
            "accept": accept,
        }
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(_lines(path, lock, found, now, accept)))
    return failed


def _lines(path: Path, lock: Lock, found: Sequence[str], now: str, accept: str) -> Iterator[str]:
    same = now == lock.snapshot
    if not found and same:
        yield f"nothing moved since {path}, and all points resolve to the same"
        return
    yield click.style(f"the registry isn't what {path} locks:", fg="red", bold=True)
    yield from (f"  {line}" for line in found)
    if same:
        yield "  all points resolve to the same: the snapshot's digest hasn't moved"
    else:
        yield f"  snapshot {lock.snapshot} → {now}"
    yield f"to accept it: {accept}"
