"""``infxreg resolve``: the launch spec of a point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from infxreg.cli.app import EXIT_CODES
from infxreg.cli.axes import AxisCommand
from infxreg.cli.request import request_options, resolve_request
from infxreg.cli.state import state_of
from infxreg.cli.text import check_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infxreg.spec import Check, LaunchSpec

_FORMATS = ("toml", "json", "shell", "env")
_DOCUMENTS = ("toml", "json")
"""Formats that hold the checks, so that a spec that fails is written all the same."""


@click.command(
    "resolve",
    cls=AxisCommand,
    short_help="The launch spec of a point.",
    epilog=f"\b\nExample:\n  infxreg resolve b200 dsv41flash --tp 4 -f shell\n\n{EXIT_CODES}",
)
@request_options
@click.option(
    "-f",
    "--format",
    "format",
    type=click.Choice(_FORMATS),
    help="What is written: the whole spec (toml, the default, or json), the engine's command "
    "in one line (shell), its variables (env).",
)
@click.option("--json", "as_json", is_flag=True, help="The same as -f json.")
@click.pass_context
def resolve_command(
    ctx: click.Context, /, format: str | None, as_json: bool, **params: Any
) -> None:
    """Resolve the launch spec of MODEL on SKU.

    Axes that aren't named take the values of the recipe's default point. --set reads VALUE
    by the option's type; a list is a TOML array or comma separated; what follows args. and
    frontend.args. is a TOML literal, or else text.

    A spec that is refuted at error level is written as toml and json all the same; shell
    and env then write nothing.
    """
    if as_json and format not in (None, "json"):
        raise click.UsageError(f"--json is -f json, and -f says {format}: drop one", ctx)
    chosen = "json" if as_json else format or "toml"
    state = state_of(ctx)
    spec = resolve_request(state, params)
    with state.phase("write"):
        if chosen in _DOCUMENTS or not spec.failed:
            click.echo(_written(spec, chosen), nl=False)
        for check in _told(spec, chosen, state.verbose):
            click.echo(check_line(check), err=True)
    if spec.failed:
        ctx.exit(1)


def _written(spec: LaunchSpec, format: str) -> str:
    from infxreg import export

    writers = {
        "toml": export.to_toml,
        "json": export.to_json,
        "shell": export.to_shell,
        "env": export.to_env,
    }
    return writers[format](spec)


def _told(spec: LaunchSpec, format: str, verbose: bool) -> Iterator[Check]:
    """The checks that a person should see: in JSON all of them stand already, bar a failure."""
    levels = ("error", "warning", "note") if verbose else ("error", "warning")
    for check in sorted(
        spec.checks, key=lambda check: ("error", "warning", "note").index(check.severity)
    ):
        if check.answer != "ok" and check.severity in levels and (format != "json" or check.fails):
            yield check
