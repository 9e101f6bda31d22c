"""Image references, and what is known of an image from its reference."""

from __future__ import annotations

import pytest

from infxreg.errors import BadRequestError
from infxreg.references import image_of, tag_of
from support.builders import NIGHTLY, X10, acme, answer

CATALOGUE = acme().catalogue
DIGEST = "sha256:" + "0a" * 32


@pytest.mark.parametrize(
    ("reference", "tag"),
    [
        ("acme/run:nightly-1", "nightly-1"),
        ("acme/run", None),
        ("ubuntu", None),
        ("ubuntu:22", "22"),
        ("ubuntu:22.04", "22.04"),
        ("registry.example:5000/acme/run", None),
        ("registry.example:5000/acme/run:1", "1"),
        (f"acme/run@{DIGEST}", None),
        (f"acme/run:1@{DIGEST}", "1"),
        ("not a reference", None),
    ],
)
def test_tag_of(reference: str, tag: str | None) -> None:
    """The tag; a port isn't one, and a number is."""
    assert tag_of(reference) == tag


def test_a_registered_image() -> None:
    """Its own record."""
    assert image_of(NIGHTLY, CATALOGUE) is CATALOGUE.images[NIGHTLY]


@pytest.mark.parametrize(
    ("reference", "version"),
    [
        ("acme/run:v1.2.3", "1.2.3"),
        ("acme/run:v1.2.3rc1", "1.2.3rc1"),
        ("acme/run:v1.2.3.post1", "1.2.3.post1"),
        (f"acme/run:v1.2.3@{DIGEST}", "1.2.3"),
    ],
)
def test_a_release_tag_has_a_version(reference: str, version: str) -> None:
    """By the engine's pattern, without a record."""
    image = image_of(reference, CATALOGUE)
    assert image is not None
    assert (image.engine, image.version) == ("run", version)
    assert image.digest == (DIGEST if "@" in reference else None)
    assert image.source == "the tag, by a pattern of engine run"


@pytest.mark.parametrize("reference", ["acme/run:v1.2", "acme/run:v1.2.3-dev", "other/run:v1.2.3"])
def test_nothing_is_known_of_other_tags(reference: str) -> None:
    """A tag that only looks like a release has no version."""
    assert image_of(reference, CATALOGUE) is None


@pytest.mark.parametrize(
    "reference",
    [
        "",
        "-x",
        "a b",
        "acme/run:",
        "acme/Run:1",
        "acme//run",
        "a:b:c",
        "acme/run@sha256:12",
        "$(x)",
    ],
)
def test_what_is_no_reference(reference: str) -> None:
    """The message shows how one is written."""
    with pytest.raises(BadRequestError) as error:
        image_of(reference, CATALOGUE)
    assert str(error.value) == (
        f"{reference!r} is no image reference: write name:tag, or name@sha256:…"
    )


def test_a_digest_in_the_reference_is_the_specs() -> None:
    """An image named with its digest is pinned, registered or not."""
    spec = acme().resolve(**X10, image=f"other/run:dev@{DIGEST}")
    assert spec.image.digest == DIGEST
    assert answer(spec, "image-pinned").answer == "ok"
