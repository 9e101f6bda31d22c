"""``infxreg points``: the swept points."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from infxreg.cli.app import EXIT_CODES
from infxreg.cli.axes import AxisCommand, named_axes
from infxreg.cli.state import state_of
from infxreg.cli.text import table

if TYPE_CHECKING:
    from infxreg.axes import AxisSpace
    from infxreg.points import Point
    from infxreg.scope import AxisValue


class FilterCommand(AxisCommand):
    """A command that filters by axes, facets among them."""

    heading = "Axes (several values comma separated, or repeated)"
    repeatable = True

    def axes(self, space: AxisSpace) -> Iterable[str]:
        """All axes but the purpose: every point is swept at every purpose."""
        return (axis for axis in sorted(space.axes) if axis != "purpose")


@click.command(
    "points",
    cls=FilterCommand,
    short_help="The swept points.",
    epilog=f"\b\nExample:\n  infxreg points --vendor nvidia --tp 2,4 --conc 16\n\n{EXIT_CODES}",
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON, with every axis.")
@click.pass_context
def points_command(ctx: click.Context, /, as_json: bool, **params: Any) -> None:
    """List the swept points of all recipes, or those with given values on some axes."""
    registry = state_of(ctx).registry
    registry.check()
    space = registry.catalogue.space
    wanted = {axis: _values(axis, texts, space) for axis, texts in named_axes(params).items()}
    found = list(registry.points(**wanted))
    if as_json:
        import json

        click.echo(json.dumps([_data(point) for point in found], indent=2, ensure_ascii=False))
    elif found:
        columns = ("sku", "model", "engine", "workload", "id", "recipe")
        click.echo(
            table(columns, ([str(_data(point)[name]) for name in columns] for point in found))
        )
    else:
        click.echo("no swept point has these values", err=True)


def _values(axis: str, texts: Iterable[str], space: AxisSpace) -> list[AxisValue]:
    parts = [part.strip() for text in texts for part in text.split(",")]
    return [part if space.is_facet(axis) else space.parse(axis, part) for part in parts]


def _data(point: Point) -> dict[str, Any]:
    return {
        "sku": point.sku,
        "model": point.model,
        "engine": point.engine,
        "workload": point.axes.get("workload"),
        "id": point.id,
        "recipe": point.recipe.id if point.recipe is not None else None,
        "axes": {axis: point.axes[axis] for axis in sorted(point.axes)},
    }
