"""The words of a request, shared by ``resolve`` and ``explain``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from infxreg.cli.axes import named_axes
from infxreg.cli.state import State, state_of

if TYPE_CHECKING:
    from infxreg.spec import LaunchSpec

C = TypeVar("C", bound=Callable[..., Any])


def completing(kind: str) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """A completion by the ids of a kind; nothing where there is no registry."""

    def complete(ctx: click.Context, _: click.Parameter, begun: str) -> list[str]:
        from infxreg.errors import InfxregError

        try:
            catalogue = state_of(ctx).registry.catalogue
        except InfxregError:
            return []
        if kind == "point":
            known = {name for points in catalogue.points.values() for name in points}
        else:
            known = set(catalogue.of_kind(kind))
        return sorted(name for name in known if name.startswith(begun))

    return complete


def request_options(command: C) -> C:
    """Add SKU, MODEL and the options of a request to a command's function."""
    for decorate in reversed(
        (
            click.argument("sku", shell_complete=completing("sku")),
            click.argument("model", shell_complete=completing("model")),
        )
    ):
        command = decorate(command)
    for decorate in reversed(
        (
            click.option(
                "--engine",
                metavar="E",
                shell_complete=completing("engine"),
                help="Engine; else the recipe marked default decides.",
            ),
            click.option(
                "--point",
                metavar="ID",
                shell_complete=completing("point"),
                help="A swept point by its id, such as tp4_c16.",
            ),
            click.option(
                "--gate",
                "gates",
                metavar="NAME",
                multiple=True,
                shell_complete=completing("gate"),
                help="Open a gate. Repeatable.",
            ),
            click.option(
                "--no-gate",
                "no_gates",
                metavar="NAME",
                multiple=True,
                shell_complete=completing("gate"),
                help="Keep a gate closed. Repeatable.",
            ),
            click.option(
                "--set",
                "settings",
                metavar="KEY=VALUE",
                multiple=True,
                help="A value over every rule's. Repeatable.",
            ),
            click.option(
                "--unset",
                metavar="KEY",
                multiple=True,
                shell_complete=completing("option"),
                help="Make a key absent. Repeatable.",
            ),
            click.option(
                "--image",
                metavar="REF",
                shell_complete=completing("image"),
                help="An image in place of the rules' one.",
            ),
        )
    ):
        command = decorate(command)
    return command


def resolve_request(state: State, params: dict[str, Any]) -> LaunchSpec:
    """The launch spec of a command's parameters.

    Raises:
        InfxregError: as `infxreg.Registry.resolve` does, and for a ``--set`` that can't
            be read.
    """
    registry = state.registry
    registry.check()
    with state.phase("resolve"):
        from infxreg.cli.settings import parse_settings

        return registry.resolve(
            params["point"],
            sku=params["sku"],
            model=params["model"],
            engine=params["engine"],
            gates=params["gates"],
            no_gates=params["no_gates"],
            image=params["image"],
            set=parse_settings(params["settings"], registry.catalogue.options),
            unset=params["unset"],
            **named_axes(params),
        )
