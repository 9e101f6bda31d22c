"""Which releases an image may hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from infxreg.records import Image
from infxreg.surface.checkers import Checkers
from infxreg.surface.fold import fold, folded_text
from infxreg.surface.model import Wheel
from infxreg.surface.possible import Possible, possible
from infxreg.surface.store import SurfaceStore
from support.surfaces import flag, surface

BUILT = {
    "0.29.0": "2026-09-09",
    "0.30.0": "2026-09-22",
    "0.30.1": "2026-09-25",
    "0.31.0": "2026-10-03",
    "0.32.0": "2026-10-17",
}
DIGEST = "sha256:" + "0a" * 32
IMAGE = Image(id="acme/vllm:nightly", engine="vllm", source="test")


def releases(parts: int = 2, built: dict[str, str] | None = None) -> Checkers:
    days = BUILT if built is None else built
    wheels = {version: Wheel(f"{version}.whl", "ab" * 32, day) for version, day in days.items()}
    text = folded_text(fold([surface("vllm", version, flag("--a")) for version in BUILT], wheels))
    return Checkers.read(text.encode(), parts)


def held(image: Image | None, digest: str | None = None, **more: Any) -> Possible:
    given = more.pop("releases", None) or releases(**more)
    return possible(SurfaceStore(None, {"vllm": lambda: given}), "vllm", image, digest)


def test_a_release() -> None:
    """One version, and how it is known."""
    found = held(evolve(IMAGE, version="0.30.0"))
    assert (found.versions, found.words) == (("0.30.0",), "0.30.0")
    assert found.why == "by its version, from the vllm plugin"
    assert found.checker("0.30.0").surface.version == "0.30.0"


@pytest.mark.parametrize(
    ("day", "versions"),
    [
        ("2026-09-15", ("0.29.0", "0.30.0", "0.30.1", "0.31.0")),
        # A release of the same day isn't before it: it was cut earlier, from a branch.
        ("2026-09-22", ("0.29.0", "0.30.0", "0.30.1", "0.31.0")),
        # 0.30.1 mends the branch of 0.30, so it isn't the second release after.
        ("2026-09-23", ("0.30.0", "0.30.1", "0.31.0", "0.32.0")),
        ("2026-10-01", ("0.30.1", "0.31.0", "0.32.0")),
    ],
)
def test_a_nightly_is_between_the_release_before_and_the_second_after(
    day: str, versions: tuple[str, ...]
) -> None:
    """By the days that the wheels were built; all between are possible."""
    found = held(evolve(IMAGE, date=day))
    assert found.versions == versions
    assert not found.newer
    assert found.why == f"built on {day}, so between {versions[0]} and {versions[-1]}"
    assert found.words == f"{versions[0]} to {versions[-1]}"


def test_where_every_release_is_a_branch_of_its_own() -> None:
    """As sglang's are: the next two count."""
    found = held(evolve(IMAGE, date="2026-09-23"), parts=3)
    assert found.versions == ("0.30.0", "0.30.1", "0.31.0")


@pytest.mark.parametrize("day", ["2026-10-10", "2026-11-30"])
def test_a_nightly_newer_than_the_second_newest_release(day: str) -> None:
    """Nothing is certain of it."""
    found = held(evolve(IMAGE, date=day))
    assert found.newer
    assert found.versions[-1] == "0.32.0"
    assert "newer than what is known for certain" in found.why


def test_a_nightly_older_than_every_release() -> None:
    """Nothing is known of it."""
    found = held(evolve(IMAGE, date="2020-01-01"))
    assert found.versions == ()
    assert found.why == "2020-01-01 is before the first release that is known"


def test_without_the_days_of_the_wheels() -> None:
    """No bracket can be told."""
    assert held(evolve(IMAGE, date="2026-09-15"), built={}).versions == ()


def test_the_record_says_between_which() -> None:
    """It comes before the date."""
    found = held(evolve(IMAGE, date="2020-01-01", between=("0.31.0", "0.32.0")))
    assert found.versions == ("0.31.0", "0.32.0")
    assert found.why == "by the record, it is from between 0.31.0 and 0.32.0"


def test_the_record_names_releases_that_aren_t_known() -> None:
    """Said, with their names."""
    found = held(evolve(IMAGE, between=("0.31.0", "0.99.0")))
    assert (found.versions, found.why) == ((), "its record names 0.99.0, which isn't known")


@pytest.mark.parametrize(
    ("image", "why"),
    [
        (None, "the image isn't registered, and its tag names no release"),
        (IMAGE, "the image's record states no version, no releases around it, no date"),
        (evolve(IMAGE, version="9.9.9"), "vllm 9.9.9 is none of the known releases"),
    ],
)
def test_nothing_is_known(image: Image | None, why: str) -> None:
    """With the reason."""
    found = held(image)
    assert (found.versions, found.why) == ((), why)


def test_an_engine_without_releases() -> None:
    """Only what the user added can be known."""
    store = SurfaceStore(None, {})
    found = possible(store, "vllm", evolve(IMAGE, date="2026-09-15"), None)
    assert (found.versions, found.why) == ((), "no release of vllm is known")


@pytest.mark.parametrize("place", ["record", "reference"])
def test_a_dump_of_the_image_itself(tmp_path: Path, place: str) -> None:
    """By its digest, whatever its date says."""
    given = releases()
    store = SurfaceStore(tmp_path, {"vllm": lambda: given})
    store.add(surface("vllm", "0.30.1.dev7", flag("--own")), DIGEST)
    image = evolve(IMAGE, date="2026-09-15", digest=DIGEST if place == "record" else None)
    found = possible(store, "vllm", image, DIGEST if place == "reference" else None)
    assert found.versions == ("0.30.1.dev7",)
    assert "--own" in found.checker("0.30.1.dev7").surface.by_name
    assert found.releases is given
    assert found.why.startswith("by its digest, from ")
