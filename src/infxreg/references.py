"""Container image references, and what is known of an image that is named."""

from __future__ import annotations

import re

from infxreg.catalogue import Catalogue
from infxreg.errors import BadRequestError
from infxreg.records import Engine, Image

_REFERENCE = re.compile(
    r"(?P<name>[a-z0-9][a-zA-Z0-9._-]*(?::[0-9]+(?=/))?(?:/[a-z0-9][a-z0-9._-]*)*)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?"
    r"(?:@(?P<digest>sha256:[0-9a-f]{64}))?"
)

MOVING_TAGS = frozenset(["latest", "nightly", "dev", "main", "stable"])
"""Tags that the projects move by custom."""


def image_of(reference: str, catalogue: Catalogue) -> Image | None:
    """The record of an image: a registered one, or one made of a release tag's pattern.

    None for a well-formed reference of which nothing is known.

    Raises:
        BadRequestError: if it is no image reference.
    """
    known = catalogue.images.get(reference)
    if known is not None:
        return known
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        raise BadRequestError(
            f"{reference!r} is no image reference: write name:tag, or name@sha256:…"
        )
    for engine in catalogue.engines.values():
        version = _release(reference.partition("@")[0], engine)
        if version is not None:
            return Image(
                id=reference,
                engine=engine.id,
                version=version,
                digest=match["digest"],
                source=f"the release tag, by the pattern of engine {engine.id}",
            )
    return None


def digest_of(reference: str) -> str | None:
    """The digest of a reference, or None if it has none."""
    match = _REFERENCE.fullmatch(reference)
    return match["digest"] if match else None


def tag_of(reference: str) -> str | None:
    """The tag of a reference, or None if it has none."""
    match = _REFERENCE.fullmatch(reference)
    return match["tag"] if match else None


def _release(reference: str, engine: Engine) -> str | None:
    for pattern in engine.release_images:
        before, _, after = pattern.partition("{version}")
        found = re.fullmatch(
            re.escape(before) + r"(\d+\.\d+\.\d+(?:\.post\d+|rc\d+)?)" + re.escape(after), reference
        )
        if found:
            return found[1]
    return None
