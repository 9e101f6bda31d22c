"""Container image references, and what is known of an image that is named."""

from __future__ import annotations

from infxreg.catalogue import Catalogue
from infxreg.errors import BadRequestError
from infxreg.records import Image
from infxreg.releases import REFERENCE, record_of

MOVING_TAGS = frozenset(["latest", "nightly", "dev", "main", "stable"])
"""Tags that the projects move by custom."""


def image_of(reference: str, catalogue: Catalogue) -> Image | None:
    """The record of an image, or None for a well-formed reference of which nothing is known.

    Raises:
        BadRequestError: if it is no image reference.
    """
    known = record_of(reference, catalogue.images, catalogue.engines)
    if known is None and REFERENCE.fullmatch(reference) is None:
        raise BadRequestError(
            f"{reference!r} is no image reference: write name:tag, or name@sha256:…"
        )
    return known


def digest_of(reference: str) -> str | None:
    """The digest of a reference, or None if it has none."""
    match = REFERENCE.fullmatch(reference)
    return match["digest"] if match else None


def tag_of(reference: str) -> str | None:
    """The tag of a reference, or None if it has none."""
    match = REFERENCE.fullmatch(reference)
    return match["tag"] if match else None
