"""Makes an engine's folded file from its wheels, or adds releases to one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeAlias

from infxreg.surface.errors import StoreError, SurfaceFormatError
from infxreg.surface.fold import fold, folded_text
from infxreg.surface.folded import FoldedSurfaces
from infxreg.surface.model import Surface, Wheel
from infxreg.surface.reading import Part
from infxreg.surface.source import Source
from infxreg.surface.store import read_bytes

Extract: TypeAlias = Callable[[Source], Surface]


def fold_wheels(
    extract: Extract,
    sources: Iterable[AbstractContextManager[Source]],
    hashes: Mapping[tuple[str, str], Wheel] | None = None,
    known: FoldedSurfaces | None = None,
) -> str:
    """The text of a folded file. Sources are opened one at a time.

    Args:
        extract: the engine's extraction.
        sources: wheels, or zips of nothing but their Python files and metadata; see
            `infxreg.surface.source`.
        hashes: (engine, version) to the wheel that a zip was made from, see `read_hashes`.
        known: a folded file whose other versions are kept.

    Raises:
        SurfaceError: if a wheel can't be read, or a zip's wheel isn't in the hashes.
    """
    surfaces: dict[str, Surface] = {}
    wheels: dict[str, Wheel] = {}
    if known is not None:
        surfaces.update({version: known.unfold(version) for version in known.versions})
        kept = ((version, known.wheel(version)) for version in known.versions)
        wheels.update({version: wheel for version, wheel in kept if wheel is not None})
    for opened in sources:
        with opened as source:
            surface = extract(source)
            surfaces[surface.version] = surface
            wheels[surface.version] = _wheel(source, surface, hashes or {})
    return folded_text(fold(surfaces.values(), wheels))


def _wheel(source: Source, surface: Surface, hashes: Mapping[tuple[str, str], Wheel]) -> Wheel:
    if source.wheel is not None and source.wheel.name.endswith(".whl"):
        return source.wheel
    key = (surface.engine, surface.version)
    if key not in hashes:
        problem = f"{source.where} is no wheel, and no hash of {' '.join(key)}'s is given"
        raise SurfaceFormatError("a wheel with a known hash", (problem,))
    return hashes[key]


def read_hashes(path: Path) -> Mapping[tuple[str, str], Wheel]:
    """A file of JSON lines: ``engine``, ``version``, ``wheel``, ``sha256``, perhaps ``built``.

    Raises:
        SurfaceFormatError: if a line isn't one.
        StoreError: if the file can't be read.
    """
    try:
        lines = read_bytes(path).decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise StoreError(str(path), f"can't be read: {error}") from error
    found: dict[tuple[str, str], Wheel] = {}
    problems: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            part = Part(json.loads(line), f"line {number}", problems)
        except ValueError as error:
            problems.append(f"line {number}: {error}")
            continue
        wheel = Wheel(
            part.need("wheel").text(), part.need("sha256").text(), part.at("built").text() or None
        )
        found[part.need("engine").text(), part.need("version").text()] = wheel
    if problems:
        raise SurfaceFormatError(f"hashes of wheels ({path})", tuple(problems))
    return found
