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
    from infxreg.review.lock import Lock

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
        checkout: str | None = None,
    ) -> None:
        self.skip = skip
        self.site = site
        self.verbose = verbose
        self.locked = locked
        self.lock = lock
        self.checkout = checkout
        self.phases: list[tuple[str, float]] = []
        """(name, seconds), in the order in which they ended."""
        self._registry = registry

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
    def registry(self) -> Registry:
        """The registry of the installed plugins and the site file, with its faults.

        Raises:
            InfxregError: if a plugin that is named isn't installed, or the site file
                can't be read.
        """
        if self._registry is None:
            with self.phase("import the core"):
                from infxreg import sitefile
                from infxreg.registry import discover
            with self.phase("load plugins and tables"):
                site = self.site if self.site is not None else sitefile.find()
                found = discover(
                    site, skip=self.skip, allow=self.allow, surfaces=self.surface_folder
                )
            if self.locked:
                self._compare(found)
            if self.checkout is not None:
                found = self._read(found, self.checkout)
            self._registry = found
            self._tell(site)
        return self._registry

    @property
    def lock_path(self) -> Path:
        """The lock file: as it was named, else beside the site file, else here."""
        from infxreg import sitefile
        from infxreg.review.lock import NAME

        if self.lock is not None:
            return Path(self.lock)
        site = Path(self.site) if self.site is not None else sitefile.find()
        return site.parent / NAME if site is not None and site.is_file() else Path(NAME)

    def read_lock(self) -> Lock:
        """The lock.

        Raises:
            LockError: if there is none, or it can't be read.
        """
        from infxreg.review.lock import LockError, read_lock

        path = self.lock_path
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise LockError(f"{path} can't be read: {error}; infxreg lock writes one") from error
        return read_lock(text, str(path))

    def _compare(self, registry: Registry) -> None:
        from infxreg.review.lock import LockError, lock_of, moved

        with self.phase("compare with the lock"):
            found = moved(self.read_lock(), lock_of(registry, resolved=False))
        if found:
            told = "\n".join(f"  {one}" for one in found)
            raise LockError(
                f"the registry isn't that of {self.lock_path}:\n{told}\n"
                "infxreg lock takes it as it is now"
            )

    def _read(self, registry: Registry, text: str) -> Registry:
        """The registry of the folder that ``--from`` names; what isn't read is told."""
        from infxreg.importing.checkout import checkout, split

        with self.phase("read the checkout"):
            found = checkout(registry, *split(text))
        for one in found.imported.left_out:
            click.echo(f"left out: {one}", err=True)
        return found.registry

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
            locked=bool(given.get("locked")) or given.get("lock") is not None,
            lock=given.get("lock"),
            checkout=given.get("from"),
        )
        if os.environ.get("NO_COLOR"):
            root.color = False
    return root.obj
