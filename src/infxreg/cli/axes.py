"""Options that a registry adds to a command: one for each axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from infxreg.cli.state import state_of

if TYPE_CHECKING:
    from infxreg.axes import AxisSpace
    from infxreg.records import Axis

_PREFIX = "axis_"
"""Of the parameters' names, so that no axis collides with a parameter of a command."""

_CACHE = "infxreg.cli.axes"


class AxisCommand(click.Command):
    """A command with an option for each axis that a request can set.

    Where the registry can't be made, the command goes on without them: `--help` works,
    and resolving then says what is wrong.
    """

    heading = "Axes (what isn't named is the default point's)"
    repeatable = False

    def axes(self, space: AxisSpace) -> Iterable[str]:
        """The axes that are options; SKU and model are arguments."""
        return (axis for axis in space.request_axes if axis not in ("sku", "model", "engine"))

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own parameters, then the axes'."""
        return [*super().get_params(ctx), *self._axis_options(ctx)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does; an unknown option may be an axis of a plugin that is broken."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption:
            state_of(ctx).registry.check()
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, and the axes in a section of their own."""
        axes = self._axis_options(ctx)
        own = [param for param in super().get_params(ctx) if not isinstance(param, click.Argument)]
        for title, params in (("Options", own), (self.heading, axes)):
            records = [param.get_help_record(ctx) for param in params]
            shown = [record for record in records if record is not None]
            if shown:
                with formatter.section(title):
                    formatter.write_dl(shown)

    def facet(self, ctx: click.Context, option: str) -> Axis | None:
        """The facet that an option names, which no request can set."""
        axis = state_of(ctx).registry.catalogue.space.axes.get(option.lstrip("-").replace("-", "_"))
        return axis if axis is not None and axis.facet_of is not None else None

    def _axis_options(self, ctx: click.Context) -> list[click.Option]:
        found: list[click.Option] | None = ctx.meta.get(_CACHE)
        if found is None:
            from infxreg.errors import InfxregError

            try:
                space = state_of(ctx).registry.catalogue.space
            except InfxregError:
                found = []
            else:
                taken = {name for param in super().get_params(ctx) for name in param.opts}
                found = [
                    self._option(axis, space)
                    for axis in self.axes(space)
                    if _spellings(axis)[0] not in taken  # a fault of the plugin that declares it
                ]
            ctx.meta[_CACHE] = found
        return found

    def _option(self, axis: str, space: AxisSpace) -> click.Option:
        declared = space.axes[axis]
        values = [str(value) for value in space.values.get(axis, ())]
        words = declared.doc
        if declared.type == "name" and declared.facet_of is None and values:
            words += f" ({', '.join(values)})"
        return click.Option(
            [*_spellings(axis), f"{_PREFIX}{axis}"],
            metavar="N" if declared.type == "int" else axis.upper(),
            multiple=self.repeatable,
            help=words,
            shell_complete=lambda _ctx, _param, begun: [v for v in values if v.startswith(begun)],
        )


def named_axes(params: Mapping[str, Any]) -> dict[str, Any]:
    """The axes that a command line names, from the parameters of an `AxisCommand`."""
    return {
        name.removeprefix(_PREFIX): value
        for name, value in sorted(params.items())
        if name.startswith(_PREFIX) and value not in (None, ())
    }


def _spellings(axis: str) -> list[str]:
    return list(dict.fromkeys([f"--{axis.replace('_', '-')}", f"--{axis}"]))
