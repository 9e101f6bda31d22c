"""The record of an image: a registered one, or what a release tag's pattern tells."""

from __future__ import annotations

import re
from collections.abc import Mapping

from infxreg.records import Engine, Image

DIGEST = re.compile(r"sha256:[0-9a-f]{64}")

REFERENCE = re.compile(
    r"(?P<name>[a-z0-9][a-zA-Z0-9._-]*(?::[0-9]+(?=/))?(?:/[a-z0-9][a-z0-9._-]*)*)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?"
    r"(?:@(?P<digest>sha256:[0-9a-f]{64}))?"
)
"""A container image reference: name, tag, digest."""


def record_of(
    reference: str, images: Mapping[str, Image], engines: Mapping[str, Engine]
) -> Image | None:
    """The registered record, else one made of a release tag; None where nothing is known."""
    known = images.get(reference)
    if known is not None:
        return known
    match = REFERENCE.fullmatch(reference)
    for engine in engines.values():
        version = _release(reference.partition("@")[0], engine) if match else None
        if match is not None and version is not None:
            return Image(
                id=reference,
                engine=engine.id,
                version=version,
                digest=match["digest"],
                source=f"the release tag, by the pattern of engine {engine.id}",
            )
    return None


def _release(reference: str, engine: Engine) -> str | None:
    for pattern in engine.release_images:
        before, _, after = pattern.partition("{version}")
        found = re.fullmatch(
            re.escape(before) + r"(\d+\.\d+\.\d+(?:\.post\d+|rc\d+)?)" + re.escape(after), reference
        )
        if found:
            return found[1]
    return None
