"""``infxreg export``: launches as another project's files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from infxreg.cli.state import state_of
from infxreg.cli.text import progress

if TYPE_CHECKING:
    from infxreg.exchange import Launch
    from infxreg.registry import Registry

_EPILOG = """\b
Examples:
  infxreg --from inferencex:. export inferencex-matrix --only sku=b200
  infxreg export srt-slurm --only 'sku=b200 model=dsv41flash' -o recipes/

\b
Exit codes:
  0  written
  2  the request, a plugin or a file can't be used, or the format can't express a launch"""


@click.command("export", short_help="Launches as another project's files.", epilog=_EPILOG)
@click.argument("exporter")
@click.option("--only", metavar="SCOPE", help="Which swept points: sku=b200 tp=2|4 conc=8..64.")
@click.option("--purpose", default="serve", metavar="PURPOSE", help="What for; serve by default.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Where to write; else standard output, if it is one file.",
)
@click.option("--force", is_flag=True, help="Write over files that are there and differ.")
@click.pass_context
def export_command(
    ctx: click.Context,
    exporter: str,
    only: str | None,
    purpose: str,
    output: Path | None,
    force: bool,
) -> None:
    """Write the swept points of a scope as EXPORTER has them; infxreg list exporters names them.

    What a format can't express is an error, and then nothing is written.
    """
    from infxreg.cli.writing import write_folder
    from infxreg.errors import BadRequestError, UnknownIdError

    state = state_of(ctx)
    registry = state.registry
    registry.check()
    exporters = registry.catalogue.exporters
    if exporter not in exporters:
        raise UnknownIdError("exporter", exporter, tuple(exporters))
    with state.phase("resolve"):
        launches = _launches(registry, only, purpose)
    if not launches:
        raise BadRequestError(f"no swept point lies in {only}")
    with state.phase("write"):
        files = exporters[exporter].write(launches, registry.catalogue)
        if output is not None:
            write_folder(output, files, force)
        elif len(files) == 1:
            click.echo(next(iter(files.values())), nl=False)
        else:
            raise BadRequestError(f"these are {len(files)} files: name a folder, -o FOLDER")


def _launches(registry: Registry, only: str | None, purpose: str) -> list[Launch]:
    from infxreg.cli.only import check_scope, read_only
    from infxreg.exchange import Launch

    scope = read_only(only)
    space = registry.catalogue.space
    if scope is not None:
        check_scope(scope, space)
    points = [
        point
        for point in registry.points(purpose=purpose)
        if scope is None or scope.matches(space.with_facets(point.axes), frozenset())
    ]
    found: list[Launch] = []
    with progress("resolving") as report:
        for number, point in enumerate(points, 1):
            spec = registry.resolve(point)
            recipe = point.recipe.id if point.recipe is not None else ""
            found.append(Launch(recipe=recipe, point=point.id or "", spec=spec))
            report(number, len(points))
    return found
