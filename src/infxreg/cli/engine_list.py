"""``infxreg engine list``: the releases and builds of which it is known what they accept."""

from __future__ import annotations

import json

import click

from infxreg.cli.app import EXIT_CODES
from infxreg.cli.state import state_of
from infxreg.cli.text import table

_COLUMNS = ("engine", "build", "built", "from")


@click.command(
    "list",
    short_help="The releases and builds that are known.",
    epilog=f"\b\nExample:\n  infxreg engine list sglang\n\n{EXIT_CODES}",
)
@click.argument("engine", required=False)
@click.option("--json", "as_json", is_flag=True, help="Write JSON, with the hash of each wheel.")
@click.pass_context
def list_command(ctx: click.Context, engine: str | None, as_json: bool) -> None:
    """List every release that an engine plugin ships, and every build that you added.

    An ENGINE shows its own only.
    """
    from infxreg.cli.target import surface_engines
    from infxreg.errors import UnknownIdError

    registry = state_of(ctx).registry
    registry.check()
    known = surface_engines(registry)
    if engine is not None and engine not in known:
        raise UnknownIdError("engine", engine, known)
    rows: list[dict[str, str]] = []
    for name in known if engine is None else (engine,):
        releases = registry.catalogue.surface_store.releases(name)
        for version in releases.versions if releases is not None else ():
            wheel = releases.folded.wheel(version) if releases is not None else None
            rows.append(
                {
                    "engine": name,
                    "build": version,
                    "built": (wheel and wheel.built) or "",
                    "from": wheel.name if wheel is not None else "",
                    "sha256": wheel.sha256 if wheel is not None else "",
                }
            )
    for name, key, path in registry.catalogue.surface_store.added():
        if engine in (None, name):
            rows.append(
                {"engine": name, "build": key, "built": "", "from": str(path), "sha256": ""}
            )
    if as_json:
        filled = [{key: text for key, text in row.items() if text} for row in rows]
        click.echo(json.dumps(filled, indent=2, ensure_ascii=False))
    else:
        click.echo(table(_COLUMNS, [[row[column] or "-" for column in _COLUMNS] for row in rows]))
