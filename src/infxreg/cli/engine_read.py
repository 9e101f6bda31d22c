"""``infxreg engine extract``, ``fold`` and ``dump-script``: how surfaces come to be known."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from infxreg.cli.app import EXIT_CODES
from infxreg.cli.state import state_of
from infxreg.cli.text import progress

if TYPE_CHECKING:
    from infxreg.records import EngineSurface
    from infxreg.surface.fold_wheels import Extract
    from infxreg.surface.folded import FoldedSurfaces
    from infxreg.surface.source import Source

    Progress = Callable[[int, int], None]


@click.command(
    "extract",
    short_help="Read what a release accepts off its source.",
    epilog=(
        "\b\nExample:\n  infxreg engine extract sglang --version 0.5.23 -o sglang.json\n\n"
        f"{EXIT_CODES}"
    ),
)
@click.argument("engine")
@click.option("--wheel", type=click.Path(path_type=Path), metavar="FILE", help="A wheel.")
@click.option(
    "--tree",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A checkout, or a site-packages folder.",
)
@click.option(
    "--version", metavar="V", help="A release, whose wheel pip downloads and infxreg then deletes."
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Else standard output."
)
@click.pass_context
def extract_command(
    ctx: click.Context,
    engine: str,
    wheel: Path | None,
    tree: Path | None,
    version: str | None,
    output: Path | None,
) -> None:
    """Read the flags, JSON keys, variables and registries of ENGINE by syntax alone.

    Nothing of the engine is imported or run. Name one of --wheel, --tree and --version. What
    is written can be taken in with `engine add`, or shown.
    """
    from infxreg.cli.target import surface_record
    from infxreg.surface import source
    from infxreg.surface.canonical import canonical

    if sum(given is not None for given in (wheel, tree, version)) != 1:
        raise click.UsageError("name one of --wheel FILE, --tree DIR and --version V", ctx)
    state = state_of(ctx)
    record = surface_record(engine, state.registry)
    opened: AbstractContextManager[Source]
    if wheel is not None:
        opened = source.open_wheel(wheel)
    elif tree is not None:
        opened = nullcontext(source.open_tree(tree, engine))
    else:
        opened = source.download(engine, str(version))
    with state.phase("extract"), opened as files:
        surface = canonical(_extraction(record)(files))
    _write(json.dumps(surface.to_json(), indent=1) + "\n", output)


@click.command(
    "fold",
    short_help="Make the file that an engine plugin ships.",
    epilog=(
        "\b\nExample:\n  infxreg engine fold vllm --version 0.34.0 --onto old.json -o new.json\n\n"
        f"{EXIT_CODES}"
    ),
)
@click.argument("engine")
@click.argument("wheels", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--version",
    "versions",
    multiple=True,
    metavar="V",
    help="A release, whose wheel pip downloads and infxreg then deletes. Repeatable.",
)
@click.option(
    "--hashes",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="JSON lines (engine, version, wheel, sha256, built) for zips of a wheel's Python files.",
)
@click.option(
    "--onto",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A folded file whose other releases are kept.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Else standard output."
)
@click.pass_context
def fold_command(
    ctx: click.Context,
    engine: str,
    wheels: tuple[Path, ...],
    versions: tuple[str, ...],
    hashes: Path | None,
    onto: Path | None,
    output: Path | None,
) -> None:
    """Fold releases of ENGINE, from WHEELS and --version, into one file.

    Releases are read one at a time. The file has each wheel's hash and the day it was built.
    """
    from infxreg.cli.target import surface_record
    from infxreg.surface.fold_wheels import fold_wheels, read_hashes

    if not wheels and not versions:
        raise click.UsageError("name wheels, or releases with --version", ctx)
    state = state_of(ctx)
    record = surface_record(engine, state.registry)
    with state.phase("fold"), progress("reading releases") as report:
        text = fold_wheels(
            _extraction(record),
            _sources(engine, wheels, versions, report),
            read_hashes(hashes) if hashes is not None else None,
            _folded(onto) if onto is not None else None,
        )
    _write(text, output)


@click.command(
    "dump-script",
    short_help="A script that dumps an engine's real parser.",
    epilog=(
        "\b\nExample:\n  infxreg engine dump-script vllm > dump.py\n"
        "  docker run --rm -i --entrypoint python3 IMAGE - < dump.py > dump.json\n"
        f"  infxreg engine add dump.json --digest sha256:…\n\n{EXIT_CODES}"
    ),
)
@click.argument("engine")
def dump_script_command(engine: str) -> None:
    """Print a script for an image's own Python, without any dependency.

    What it prints there is what `engine add` takes in. It starts no engine and needs no GPU.
    """
    from infxreg.surface.dump import dump_script

    click.echo(dump_script(engine), nl=False)


def _extraction(record: EngineSurface) -> Extract:
    from infxreg.errors import BadRequestError

    module, _, name = record.extract.partition(":")
    try:
        function: Extract = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        message = f"the plugin of {record.id} names {record.extract} to read it with: {error}"
        raise BadRequestError(message) from error
    return function


def _folded(path: Path) -> FoldedSurfaces:
    from infxreg.surface.errors import SurfaceFormatError
    from infxreg.surface.folded import FoldedSurfaces
    from infxreg.surface.store import read_bytes

    try:
        return FoldedSurfaces.read(read_bytes(path))
    except SurfaceFormatError as error:
        raise SurfaceFormatError(f"{error.what} ({path})", error.problems) from error


def _sources(
    engine: str, wheels: Sequence[Path], versions: Sequence[str], report: Progress
) -> Iterator[AbstractContextManager[Source]]:
    """Each opened when its turn comes."""
    from infxreg.surface import source

    total = len(wheels) + len(versions)
    for number, path in enumerate(wheels):
        yield source.open_wheel(path)
        report(number + 1, total)
    for number, version in enumerate(versions, len(wheels)):
        yield source.download(engine, version)
        report(number + 1, total)


def _write(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
    else:
        from infxreg.errors import BadRequestError
        from infxreg.wholefile import write_whole

        try:
            write_whole(output, text)
        except OSError as error:
            raise BadRequestError(f"{output} can't be written: {error.strerror}") from error
        click.echo(str(output), err=True)
