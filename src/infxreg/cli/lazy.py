"""A group of commands whose modules are imported when a command is used."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click


class Lazy(click.Group):
    """A group that knows where its commands are, in the order of ``--help``.

    Args:
        homes: command to the module that has it, and its name there.
    """

    def __init__(self, *args: Any, homes: Mapping[str, tuple[str, str]], **extra: Any) -> None:
        super().__init__(*args, **extra)
        self.homes = homes

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands, in the order in which a newcomer needs them."""
        return list(self.homes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command, imported now."""
        if cmd_name not in self.homes:
            return None
        module, name = self.homes[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name; an unknown one with a near match."""
        name = args[0]
        if name not in self.homes and not ctx.resilient_parsing:
            from infxreg.errors import UnknownIdError

            raise click.UsageError(str(UnknownIdError("command", name, tuple(self.homes))), ctx)
        return super().resolve_command(ctx, args)
