"""The group of commands: global options, lazily loaded commands, errors and exit codes."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import click

from infxreg import __version__
from infxreg.cli.lazy import Lazy
from infxreg.cli.state import State, state_of
from infxreg.cli.text import say_error

EXIT_CODES = """\b
Exit codes:
  0  done, and nothing refuted at error level
  1  an answer is no: a check is refuted at error level
  2  the request, a plugin or a file can't be used"""

COMPLETE_VARIABLE = "_INFXREG_COMPLETE"

_COMMANDS = {
    "resolve": "resolve",
    "explain": "explain",
    "list": "listing",
    "show": "listing",
    "points": "points",
    "check": "check",
    "snapshot": "snapshot",
    "impact": "impact",
    "review": "review",
    "evidence": "evidence",
    "lock": "lock",
    "import": "importing",
    "export": "export",
    "engine": "engine",
    "completion": "completion",
}
"""Each command and its module, in the order of ``--help``."""

_INTERRUPTED, _BROKEN_PIPE = 130, 141
_DISK_TROUBLE = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


class App(Lazy):
    """The whole command line: it turns errors into exit codes."""

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        *,
        began: float | None = None,
        **extra: Any,
    ) -> None:
        """Run the command line and raise SystemExit with its code."""
        name = prog_name or "infxreg"
        if COMPLETE_VARIABLE in os.environ:
            super().main(args, name, COMPLETE_VARIABLE, **extra)
        started = perf_counter() if began is None else began
        given = list(sys.argv[1:] if args is None else args)
        try:
            code = self._run(name, given, started, extra)
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
        except BrokenPipeError:
            code = _BROKEN_PIPE
        except OSError as error:
            if error.errno not in _DISK_TROUBLE:
                raise
            say_error(f"the output can't be written: {error}")
            code = 2
        sys.exit(code)

    def _run(self, name: str, args: list[str], began: float, extra: dict[str, Any]) -> int:
        root: click.Context | None = None
        try:
            with self.make_context(name, args, **extra) as root:
                state_of(root).phases.append(("start", perf_counter() - began))
                self.invoke(root)
            return 0
        except click.exceptions.Exit as done:
            return done.exit_code
        except (KeyboardInterrupt, click.Abort):
            say_error("interrupted")
            return _INTERRUPTED
        except click.UsageError as error:
            say_error(_usage(error))
            return 2
        except Exception as error:
            from infxreg.errors import InfxregError

            if not isinstance(error, InfxregError):
                raise
            say_error(str(error))
            return 2
        finally:
            if root is not None and isinstance(root.obj, State) and root.obj.verbose:
                _say_times(root.obj, perf_counter() - began)


@click.command(
    "infxreg",
    cls=App,
    homes={
        name: (f"infxreg.cli.{module}", f"{name}_command") for name, module in _COMMANDS.items()
    },
    no_args_is_help=True,
    epilog=f"\b\nExample:\n  infxreg resolve b200 dsv41flash -f shell\n\n{EXIT_CODES}",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--skip-plugin", multiple=True, metavar="NAME", help="Go on without this plugin. Repeatable."
)
@click.option(
    "--site",
    metavar="FILE",
    help="Site file; else the nearest infxreg.toml from here upward. /dev/null is none.",
)
@click.option("--locked", is_flag=True, help="Refuse a registry that isn't the lock's.")
@click.option(
    "--lock",
    metavar="FILE",
    help="--locked by this file; else infxreg.lock beside the site file, or here.",
)
@click.option(
    "--from",
    metavar="IMPORTER:FOLDER",
    help="Launches as another project's files say: inferencex:DIR.",
)
@click.option("-v", "--verbose", is_flag=True, help="Say more, and where time went.")
@click.version_option(__version__, message="infxreg %(version)s")
def app(**_: Any) -> None:
    """Launch settings for inference engines: per model, engine and GPU.

    Plugins that are named in INFXREG_PLUGINS (comma separated) are loaded, and no
    others; without that variable, all that are installed.
    """


def _usage(error: click.UsageError) -> str:
    text = error.format_message()
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        text = _no_such_option(error, error.ctx)
    if error.ctx is not None:
        text += f"\ntry: {error.ctx.command_path} --help"
    return text


def _no_such_option(error: click.NoSuchOption, ctx: click.Context) -> str:
    from infxreg.errors import near

    text = f"no such option {error.option_name}"
    known = [name for param in ctx.command.get_params(ctx) for name in param.opts]
    guess = near(error.option_name, [name for name in known if name.startswith("-")])
    if any(error.option_name in param.opts for param in app.params):
        return f"{text}: it goes before the command"
    from infxreg.cli.axes import AxisCommand

    facet = (
        ctx.command.facet(ctx, error.option_name) if isinstance(ctx.command, AxisCommand) else None
    )
    if facet is not None:
        return f"{text}: {facet.id} is a fact of the {facet.facet_of}, so name the {facet.facet_of}"
    hints = [f"did you mean {guess}?"] if guess else []
    if any(param.type is click.UNPROCESSED for param in ctx.command.params):
        hints.append("what an engine is given stands after --")
    return f"{text}: {' '.join(hints)}" if hints else text


def _say_times(state: State, total_s: float) -> None:
    click.echo("time:", err=True)
    for name, seconds in (*state.phases, ("in all", total_s)):
        click.echo(f"  {seconds * 1000:8.1f} ms  {name}", err=True)
