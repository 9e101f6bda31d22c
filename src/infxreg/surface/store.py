"""Where surfaces are found: in the folded files of engine plugins, and in what a user added.

A user's surface is one file, keyed by the digest of an image or by a version. It
is written beside its place and then renamed, so there is all of it or nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from attrs import evolve, field, frozen

from infxreg.surface.canonical import canonical
from infxreg.surface.check import Checker
from infxreg.surface.checkers import Checkers
from infxreg.surface.errors import StoreError, SurfaceFormatError
from infxreg.surface.jsonform import surface_from_json
from infxreg.surface.model import Surface
from infxreg.surface.ranges import sort_versions
from infxreg.wholefile import write_whole

Shipped: TypeAlias = Mapping[str, Callable[[], Checkers]]
"""Engine to what gives the releases of its plugin's folded file."""
FoundBy: TypeAlias = Literal["digest", "version"]

MAX_BYTES = 64 << 20
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.!+_-]{0,127}")
_ENGINE = re.compile(r"[a-z][a-z0-9_-]{0,63}")


@frozen
class FoundSurface:
    """A surface made ready, by what it was found, and where it is from."""

    checker: Checker
    by: FoundBy
    where: str

    @property
    def surface(self) -> Surface:
        """What it accepts."""
        return self.checker.surface


@frozen(eq=False)
class SurfaceStore:
    """The shipped surfaces and those in a user's folder.

    Attributes:
        folder: the user's, which needn't be there; None is none.
        shipped: see `Shipped`; a file is read when its engine is first asked for.
    """

    folder: Path | None
    shipped: Shipped = field(factory=dict)
    _own: dict[Path, Checker] = field(factory=dict, init=False, repr=False)

    def releases(self, engine: str) -> Checkers | None:
        """An engine's shipped releases, or None if no plugin ships any.

        Raises:
            SurfaceFormatError: if the plugin's file is damaged.
        """
        return self.shipped[engine]() if engine in self.shipped else None

    def versions(self, engine: str) -> tuple[str, ...]:
        """Every version that is known by its number, oldest first where it is one."""
        releases = self.releases(engine)
        added = {key for key in self._keys(engine) if not _DIGEST.fullmatch(key)}
        known = {*(releases.versions if releases is not None else ()), *added}
        try:
            return tuple(sort_versions(known))
        except SurfaceFormatError:
            return tuple(sorted(known))

    def find(
        self, engine: str, version: str | None = None, digest: str | None = None
    ) -> FoundSurface | None:
        """The surface of an image by its digest, else of its version, else None.

        What the user added comes before what plugins ship.

        Raises:
            SurfaceFormatError: if the file that should answer is damaged.
        """
        keys: list[tuple[str | None, FoundBy]] = [(digest, "digest"), (version, "version")]
        for key, by in keys:
            path = self._path(engine, key) if key is not None and _is_key(key) else None
            if path is not None and path.is_file():
                if path not in self._own:
                    self._own[path] = Checker.of(self._load(path))
                return FoundSurface(self._own[path], by, str(path))
        releases = self.releases(engine)
        if releases is None or version not in releases.versions:
            return None
        return FoundSurface(releases.of(version), "version", f"the {engine} plugin")

    def added(self) -> Iterator[tuple[str, str, Path]]:
        """Engine, key and file of everything that the user added, sorted."""
        root = self.folder
        engines = sorted(root.iterdir()) if root is not None and root.is_dir() else []
        for folder in engines:
            for key in self._keys(folder.name):
                path = self._path(folder.name, key)
                if path is not None:
                    yield folder.name, key, path

    def add(self, surface: Surface, key: str, *, replace: bool = False) -> Path:
        """Keeps a surface under the digest of an image, or a version.

        Args:
            surface: what a dump or an extraction gave.
            key: ``sha256:…`` with 64 hex digits, or a version.
            replace: whether another surface under that key may be overwritten.

        Raises:
            StoreError: if the key isn't one, is taken, or nothing can be written.
        """
        if not _is_key(key) or not _ENGINE.fullmatch(surface.engine):
            raise StoreError(key, "a key is sha256: with 64 hex digits, or a version")
        path = self._path(surface.engine, key)
        if path is None:
            raise StoreError(key, "there is no folder to keep it in")
        text = json.dumps(canonical(surface).to_json(), indent=1) + "\n"
        if path.exists() and not replace and path.read_text(encoding="utf-8") != text:
            raise StoreError(key, f"{path} holds another surface; say that it may be replaced")
        try:
            write_whole(path, text)
        except OSError as error:
            raise StoreError(key, f"{path} can't be written: {error.strerror}") from error
        return path

    def remove(self, engine: str, key: str) -> bool:
        """Forgets a surface that the user added; whether there was one."""
        path = self._path(engine, key) if _is_key(key) else None
        if path is None or not path.is_file():
            return False
        path.unlink()
        return True

    def _path(self, engine: str, key: str) -> Path | None:
        if self.folder is None:
            return None
        return self.folder / engine / (key.replace(":", "-") + ".json")

    def _keys(self, engine: str) -> list[str]:
        if self.folder is None:
            return []
        folder = self.folder / engine
        names = sorted(path.stem for path in folder.glob("*.json")) if folder.is_dir() else []
        keys = (re.sub(r"^sha256-(?=[0-9a-f]{64}$)", "sha256:", name) for name in names)
        return [key for key in keys if _is_key(key)]

    def _load(self, path: Path) -> Surface:
        try:
            return surface_from_json(read_json(path))
        except SurfaceFormatError as error:
            raise SurfaceFormatError(f"a kept surface ({path})", error.problems) from error


def read_json(path: Path) -> object:
    """The JSON of a file that may come from anywhere.

    Raises:
        SurfaceFormatError: if it is too large or no JSON.
        StoreError: if it can't be read.
    """
    try:
        found: object = json.loads(read_bytes(path))
    except (ValueError, RecursionError) as error:
        raise SurfaceFormatError("JSON", (f"{path}: {error}",)) from error
    return found


def read_bytes(path: Path) -> bytes:
    """The bytes of a file that may come from anywhere.

    Raises:
        SurfaceFormatError: if it is too large.
        StoreError: if it can't be read.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            problem = f"{path.stat().st_size >> 20} MiB; at most {MAX_BYTES >> 20} are read"
            raise SurfaceFormatError(str(path), (problem,))
        return path.read_bytes()
    except OSError as error:
        raise StoreError(str(path), f"can't be read: {error.strerror}") from error


def add_document(
    store: SurfaceStore,
    path: Path,
    *,
    key: str | None = None,
    engine: str | None = None,
    replace: bool = False,
    partial: bool = False,
) -> Path:
    """Takes in what the dump script printed inside an image, or what an extraction gave.

    Args:
        store: where it goes.
        path: a dump, or a surface as `Surface.to_json` has it.
        key: digest or version; the document's own version without.
        engine: where the document doesn't name it.
        replace: see `SurfaceStore.add`.
        partial: takes a dump that says itself what it couldn't read; that stays unknown.

    Raises:
        SurfaceFormatError: naming every part that is missing or of the wrong kind.
        StoreError: see `SurfaceStore.add`, or if it names another engine; nothing is stored then.
    """
    surface = _surface(read_json(path), engine, partial)
    if engine not in (None, surface.engine):
        raise StoreError(str(path), f"it is of {surface.engine}, not {engine}")
    if key is None and not surface.version:
        raise StoreError(str(path), "it states no version: say which, or the image's digest")
    if key is not None and not surface.version:  # a checkout states none
        surface = evolve(surface, version=key)
    return store.add(surface, surface.version if key is None else key, replace=replace)


def _surface(data: object, engine: str | None, partial: bool) -> Surface:
    if isinstance(data, Mapping) and "schema" in data:
        return surface_from_json(data)
    if partial and isinstance(data, Mapping):
        data = {name: one for name, one in data.items() if name not in {"dump", "missing"}}
    return Surface.from_real_dump(data, engine)


def _is_key(key: str) -> bool:
    if key.startswith("sha256:"):
        return _DIGEST.fullmatch(key) is not None
    return _VERSION.fullmatch(key) is not None and ".." not in key
