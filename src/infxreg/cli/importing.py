"""``infxreg import``: what another project's files say, and what is wrong with them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from infxreg.cli.state import state_of
from infxreg.cli.text import paint, progress

if TYPE_CHECKING:
    from infxreg.exchange import Imported, ImportFinding

_EPILOG = """\b
Examples:
  infxreg import inferencex . -f markdown
  infxreg import inferencex ~/InferenceX --json
  infxreg import inferencex . -o tables/

\b
Exit codes:
  0  everything that can be read is read, and nothing is surely wrong with it
  1  a finding at error level
  2  the request or a plugin can't be used, or files can't be read"""

_MARKS = {"error": "❌", "warning": "⚠️", "note": "💬"}


@click.command("import", short_help="What another project's files say.", epilog=_EPILOG)
@click.argument("importer")
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(("text", "markdown", "json")),
    default="text",
    help="How to write the findings.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write tables there: the records, and few rules for all that is launched.",
)
@click.option("--force", is_flag=True, help="Write over tables that are there and differ.")
@click.option("--json", "as_json", is_flag=True, help="Short for -f json.")
@click.pass_context
def import_command(
    ctx: click.Context,
    importer: str,
    source: Path,
    form: str,
    output: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Read SOURCE as IMPORTER does, and tell what it holds and what is wrong with it.

    infxreg list importers names them. All faults of files that can't be read are told at once,
    and then nothing is written.
    """
    from infxreg.importing.checkout import checkout

    state = state_of(ctx)
    with state.phase("read"):
        found = checkout(state.registry, importer, source)
    found.registry.check()
    imported = found.imported
    if output is not None:
        from infxreg.cli.writing import write_folder
        from infxreg.importing.written import tables

        with state.phase("factor"), progress("resolving") as report:
            files = tables(found, importer, report)
        write_folder(output, files, force)
    if as_json or form == "json":
        click.echo(json.dumps(_data(imported), indent=2, ensure_ascii=False))
    else:
        lines = _markdown(imported) if form == "markdown" else _text(imported)
        click.echo("\n".join(lines))
    ctx.exit(1 if any(one.severity == "error" for one in imported.findings) else 0)


def _text(imported: Imported) -> Iterator[str]:
    yield click.style(_counted(imported), bold=True)
    yield from (f"left out: {one}" for one in imported.left_out)
    yield _found(imported)
    for finding in _sorted(imported):
        yield ""
        yield f"{paint(finding.severity, finding.severity)} {finding.id}: {finding.message}"
        yield f"  in {finding.where}"


def _markdown(imported: Imported) -> Iterator[str]:
    yield f"**{_counted(imported)}**"
    yield ""
    yield from (f"- left out: {one}" for one in imported.left_out)
    yield ""
    yield _found(imported)
    yield ""
    yield "|  | Finding | Where | What |"
    yield "|---|---|---|---|"
    for one in _sorted(imported):
        cells = (_MARKS[one.severity], one.id, f"`{one.file}:{one.line}`", one.message)
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _counted(imported: Imported) -> str:
    return ", ".join(f"{number} {what}" for what, number in imported.counts.items())


def _found(imported: Imported) -> str:
    if not imported.findings:
        return "found: nothing"
    counts = Counter[str](one.severity for one in imported.findings)
    told = [f"{counts[name]} {name}{'s' * (counts[name] != 1)}" for name in _MARKS if counts[name]]
    return f"found: {', '.join(told)}"


def _sorted(imported: Imported) -> list[ImportFinding]:
    levels = list(_MARKS)
    return sorted(
        imported.findings, key=lambda one: (levels.index(one.severity), one.id, one.file, one.line)
    )


def _data(imported: Imported) -> dict[str, Any]:
    return {
        "counts": dict(imported.counts),
        "left_out": list(imported.left_out),
        "findings": [
            {
                "id": one.id,
                "severity": one.severity,
                "message": one.message,
                "file": one.file,
                "line": one.line,
                "path": one.path,
            }
            for one in _sorted(imported)
        ],
    }
