"""What a command calls an engine build: ``vllm@0.31.0``, ``vllm@sha256:…``, or an image."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from infxreg.errors import BadRequestError, UnknownIdError, near
from infxreg.references import digest_of, image_of
from infxreg.registry import Registry
from infxreg.releases import DIGEST
from infxreg.surface.check import Checker
from infxreg.surface.errors import StoreError, UnknownVersionError
from infxreg.surface.overlay import Overlay, read_overlay
from infxreg.surface.possible import Possible, possible
from infxreg.values import FrozenMap

if TYPE_CHECKING:
    from infxreg.records import EngineSurface, Image

_BUILD = re.compile(r"(?P<engine>[a-z][a-z0-9_-]*)@(?P<key>[0-9A-Za-z][0-9A-Za-z.!+_-]*|sha256:.*)")


@frozen
class Target:
    """An engine, the surfaces that the named build or image may have, and the image's record."""

    engine: str
    held: Possible
    image: Image | None = None


def target_of(text: str, registry: Registry) -> Target:
    """The build or image that a text names.

    Raises:
        UnknownIdError: if its engine isn't known.
        UnknownVersionError: if nothing is known of that version or digest.
        BadRequestError: if it is neither, or nothing is known of the image.
        SurfaceError: if a file that should tell is damaged.
    """
    registry.check()
    catalogue = registry.catalogue
    build = _BUILD.fullmatch(text)
    if build is not None:
        return _build(build["engine"], build["key"], registry)
    store, image, digest = catalogue.surface_store, image_of(text, catalogue), digest_of(text)
    engine = image.engine if image is not None else _engine_of(digest, registry)
    if engine is None:
        guess = near(text, catalogue.images)
        raise BadRequestError(
            f"nothing is known of {text!r}: name an engine's release (vllm@0.31.0), the tag of a "
            "release, or a registered image" + (f"; nearest by name is {guess}" if guess else "")
        )
    held = possible(store, engine, image, digest)
    if not held.versions and image is not None and image.version is not None:
        raise UnknownVersionError(engine, image.version, store.versions(engine))
    if not held.versions:
        raise BadRequestError(f"what {text} accepts isn't known: {held.why}")
    return Target(engine, held, image)


def _engine_of(digest: str | None, registry: Registry) -> str | None:
    """The engine of which a build was added for the image with this digest."""
    added = registry.catalogue.surface_store.added()
    return next((engine for engine, key, _ in added if key == digest), None)


def _build(engine: str, key: str, registry: Registry) -> Target:
    store = registry.catalogue.surface_store
    known = surface_engines(registry)
    if engine not in known:
        raise UnknownIdError("engine", engine, known)
    digest = key if key.startswith("sha256:") else None
    if digest is not None and not DIGEST.fullmatch(digest):
        raise BadRequestError(f"{digest!r} is no digest: write sha256: with 64 hex digits")
    found = store.find(engine, None if digest else key, digest)
    if found is None:
        keys = store.versions(engine) if digest is None else _digests(engine, registry)
        raise UnknownVersionError(engine, key, keys)
    why = f"by its {found.by}, from {found.where}"
    own = FrozenMap({found.surface.version: found.checker})
    return Target(engine, Possible(tuple(own), why, own, store.releases(engine)))


def surface_engines(registry: Registry) -> tuple[str, ...]:
    """The engines of which anything is known."""
    catalogue = registry.catalogue
    added = {engine for engine, _, _ in catalogue.surface_store.added()}
    return tuple(sorted({*catalogue.surfaces, *added}))


def surface_record(engine: str, registry: Registry) -> EngineSurface:
    """The record of an engine whose plugin can read it.

    Raises:
        UnknownIdError: if there is none.
    """
    records = registry.catalogue.surfaces
    if engine not in records:
        raise UnknownIdError("engine", engine, tuple(records))
    return records[engine]


def overlaid(target: Target, names: Iterable[str], registry: Registry) -> Target:
    """The target with what overlays add: an engine plugin's by its name, or a file's.

    Raises:
        UnknownIdError: if a name is neither a file nor an overlay of the engine.
        SurfaceError: if one can't be read, or doesn't go on the engine.
    """
    overlays = [_overlay(name, target.engine, registry) for name in names]
    if not overlays:
        return target
    held = target.held
    made: dict[str, Checker] = {}
    for version in held.versions:
        surface = held.checker(version).surface
        for overlay in overlays:
            surface = overlay.over(surface)
        made[version] = Checker.of(surface)
    return evolve(target, held=evolve(held, own=FrozenMap(made)))


def _overlay(name: str, engine: str, registry: Registry) -> Overlay:
    path = Path(name)
    if name.endswith(".toml"):
        try:
            return read_overlay(path.read_text(encoding="utf-8"), name)
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(name, f"can't be read: {error}") from error
    record = registry.catalogue.surfaces.get(engine)
    shipped = {
        Path(file.name).stem: file for file in (record.overlays if record is not None else ())
    }
    if name not in shipped:
        raise UnknownIdError("overlay", name, (*shipped, "a file, FILE.toml"))
    return read_overlay(shipped[name].read().decode("utf-8"), shipped[name].name)


def _digests(engine: str, registry: Registry) -> tuple[str, ...]:
    added = registry.catalogue.surface_store.added()
    return tuple(key for name, key, _ in added if name == engine and key.startswith("sha256:"))
