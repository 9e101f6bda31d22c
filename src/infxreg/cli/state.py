"""What every command shares: the global options, and the registry that they make."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from infxreg.registry import Registry

ALLOWLIST = "INFXREG_PLUGINS"
SURFACES = "INFXREG_SURFACES"


class State:
    """The global options of one run. The registry is made when it is first asked for.

    A registry that is given is used as it is, whatever the options say.
    """

    def __init__(
        self,
        skip: tuple[str, ...] = (),
        site: str | None = None,
        verbose: bool = False,
        registry: Registry | None = None,
        locked: bool = False,
        lock: str | None = None,
    ) -> None:
        self.skip = skip
        self.site = site
        self.verbose = verbose
        self.phases: list[tuple[str, float]] = []
        """(name, seconds), in the order in which they ended."""
        self.lock = None if lock is None else Path(lock)
        self.locked = locked or lock is not None
        self._registry = registry
        self._verified = False

    @property
    def allow(self) -> tuple[str, ...] | None:
        """The plugins that INFXREG_PLUGINS allows; None allows all."""
        raw = os.environ.get(ALLOWLIST)
        if raw is None:
            return None
        return tuple(name.strip() for name in raw.split(",") if name.strip())

    @property
    def surface_folder(self) -> Path:
        """Where ``infxreg engine add`` keeps surfaces: INFXREG_SURFACES, else by the XDG rules."""
        named = os.environ.get(SURFACES)
        if named:
            return Path(named)
        data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
        return Path(data, "infxreg", "surfaces")

    @property
    def site_file(self) -> Path | None:
        """The site file that is named, else the nearest one."""
        from infxreg import sitefile

        return Path(self.site) if self.site is not None else sitefile.find()

    @property
    def registry(self) -> Registry:
        """The registry of the installed plugins and the site file, with its faults.

        With ``--locked`` it is compared with the lock file first, whichever command asks.

        Raises:
            InfxregError: as `unlocked` does, and if the registry isn't what the lock file says.
        """
        registry = self.unlocked
        if self.locked and not self._verified:
            with self.phase("compare with the lock"):
                from infxreg.cli.lockfile import verify

                verify(self, registry)
            self._verified = True
        return registry

    @property
    def unlocked(self) -> Registry:
        """The registry, whatever a lock file says of it.

        Raises:
            InfxregError: if a plugin that is named isn't installed, or the site file
                can't be read.
        """
        if self._registry is None:
            with self.phase("import the core"):
                from infxreg.registry import discover
            with self.phase("load plugins and tables"):
                site = self.site_file
                self._registry = discover(
                    site, skip=self.skip, allow=self.allow, surfaces=self.surface_folder
                )
            self._tell(site)
        return self._registry

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Take the time of what runs inside."""
        began = perf_counter()
        try:
            yield
        finally:
            self.phases.append((name, perf_counter() - began))

    def _tell(self, site: object) -> None:
        if self.verbose and self._registry is not None:
            click.echo(f"site file: {site if site is not None else 'none'}", err=True)
            for fault in self._registry.catalogue.dormant:
                click.echo(f"dormant: {fault}", err=True)


def state_of(ctx: click.Context) -> State:
    """The state of a run, made from the global options that were parsed."""
    root = ctx.find_root()
    if not isinstance(root.obj, State):
        given = root.params
        root.obj = State(
            tuple(given.get("skip_plugin") or ()),
            given.get("site"),
            bool(given.get("verbose")),
            locked=bool(given.get("locked")),
            lock=given.get("lock"),
        )
        if os.environ.get("NO_COLOR"):
            root.color = False
    return root.obj
