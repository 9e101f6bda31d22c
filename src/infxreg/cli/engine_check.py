"""``infxreg engine check``: does a release take these arguments?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from infxreg.cli.state import state_of
from infxreg.cli.text import paint, printable, progress

if TYPE_CHECKING:
    from infxreg.surface.verdicts import Judgement

_EPILOG = """\b
Examples:
  infxreg engine check vllm@0.30.0 -- --attention-config '{"indexer_sparse_logits":true}'
  infxreg engine check vllm/vllm-openai:v0.31.0 --from lists.jsonl --json

\b
Exit codes:
  0  accepted, or unknown (unknown: 1 with --strict)
  1  refused
  2  the request or a file can't be used"""

_WORDS = {True: "accepted", False: "refused", None: "unknown"}


@click.command(
    "check",
    short_help="Does a release or image take these arguments and variables?",
    epilog=_EPILOG,
)
@click.argument("target")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--from",
    "source",
    metavar="FILE",
    help="One list a line: a JSON array, or an object with `argv`. - is standard input.",
)
@click.option(
    "--env",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="A variable that is set. Repeatable.",
)
@click.option(
    "--overlay",
    "overlays",
    metavar="NAME",
    multiple=True,
    help="What a wrapper adds: one the engine's plugin ships (dynamo), or a FILE.toml. Repeatable.",
)
@click.option("--strict", is_flag=True, help="Unknown is refused.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object a list.")
@click.pass_context
def check_command(
    ctx: click.Context,
    target: str,
    args: tuple[str, ...],
    source: str | None,
    settings: tuple[str, ...],
    overlays: tuple[str, ...],
    strict: bool,
    as_json: bool,
) -> None:
    """Check argument lists against TARGET: ENGINE@VERSION, ENGINE@DIGEST, or an image.

    ARGS are what stands after the model (vllm serve MODEL ARGS), or a whole command line.
    A nightly is checked against the releases around it: what only some of them refuse is
    unknown, unless the image's record says that it was seen to work.
    """
    from infxreg.cli.lists import read_lists, variables
    from infxreg.cli.target import overlaid, target_of
    from infxreg.engine_check import knower
    from infxreg.surface.verdicts import judge

    if source is not None and args:
        raise click.UsageError("give arguments, or --from a file, not both", ctx)
    env = variables(settings)
    lists = [list(args)] if source is None else read_lists(source)
    state = state_of(ctx)
    with state.phase("load surfaces"):
        found = overlaid(target_of(target, state.registry), overlays, state.registry)
        knows = knower(found.image, state.registry.catalogue.capabilities)
    worst = 0
    with state.phase("check"), progress("checking") as report:
        for number, argv in enumerate(lists, 1):
            judgement = judge(found.engine, found.held, argv, env, knows)
            if as_json:
                click.echo(printable(json.dumps(judgement.to_json(), ensure_ascii=False)))
            else:
                label = f"line {number}: " if source is not None else ""
                click.echo(printable("\n".join(_lines(judgement, label))))
            if judgement.sound is False or (strict and judgement.sound is None):
                worst = 1
            report(number, len(lists))
    ctx.exit(worst)


def _lines(judgement: Judgement, label: str) -> Iterator[str]:
    yield f"{label}{_WORDS[judgement.sound]}"
    for reply in judgement.replies:
        unknown = "unknown " if reply.answer == "unknown" else ""
        head = paint(f"{unknown}{reply.severity}", reply.severity)
        if reply.answer == "ok":
            head = paint("ok", "note")
        yield f"  {head} {reply.finding.kind}: {reply.reason}"
