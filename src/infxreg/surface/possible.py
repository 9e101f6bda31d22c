"""Which releases of an engine an image may hold, as far as its record tells.

A release tag holds that release, an image with a dump of its own what the dump says.
A nightly is bracketed: by the releases that its record names, else by its date.
Releases are cut from branches, so the bracket runs from the last release before the
nightly's day to the second one after it.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from infxreg.records import Image
from infxreg.surface.check import Checker
from infxreg.surface.checkers import Checkers
from infxreg.surface.store import SurfaceStore
from infxreg.values import FrozenMap


@frozen
class Possible:
    """The surfaces that an image may have, oldest first.

    Attributes:
        versions: one where it is known; the whole bracket where it isn't; none where
            nothing is known.
        why: how that is known, in words.
        own: surfaces that aren't the shipped ones, by version.
        releases: the engine's shipped releases, if any.
        newer: the image is newer than every known release, so nothing is certain.
    """

    versions: tuple[str, ...]
    why: str
    own: Mapping[str, Checker] = field(factory=FrozenMap)
    releases: Checkers | None = None
    newer: bool = False

    @property
    def words(self) -> str:
        """The versions, for messages."""
        ends = (self.versions[0], self.versions[-1])
        return " to ".join(dict.fromkeys(ends))

    def checker(self, version: str) -> Checker:
        """The surface of one of the versions."""
        if version in self.own or self.releases is None:
            return self.own[version]
        return self.releases.of(version)


def possible(store: SurfaceStore, engine: str, image: Image | None, digest: str | None) -> Possible:
    """The surfaces that an image may have.

    Args:
        store: the surfaces that are known.
        engine: the engine that it should hold.
        image: its record, or what its tag tells; None where nothing is known.
        digest: that of the reference, which a dump may have been kept under.

    Raises:
        SurfaceFormatError: if the file that should answer is damaged.
    """
    releases = store.releases(engine)
    version = image.version if image is not None else None
    found = store.find(engine, version, (image.digest if image is not None else None) or digest)
    if found is not None:
        why = f"by its {found.by}, from {found.where}"
        own = FrozenMap({found.surface.version: found.checker})
        return Possible(tuple(own), why, own, releases)
    if image is None:
        return Possible((), "the image isn't registered, and its tag names no release")
    if version is not None:
        return Possible((), f"{engine} {version} is none of the known releases")
    if releases is None:
        return Possible((), f"no release of {engine} is known")
    if image.between is not None:
        return _between(image.between, releases)
    if image.date is not None:
        return _around(image.date, releases)
    return Possible((), "the image's record states no version, no releases around it, no date")


def _between(ends: tuple[str, str], releases: Checkers) -> Possible:
    missing = [end for end in ends if end not in releases.versions]
    if missing:
        return Possible((), f"its record names {' and '.join(missing)}, which isn't known")
    first, last = sorted(map(releases.versions.index, ends))
    why = f"by the record, it is from between {ends[0]} and {ends[1]}"
    return Possible(releases.versions[first : last + 1], why, releases=releases)


def _around(day: str, releases: Checkers) -> Possible:
    built = releases.built
    before = [v for v in releases.versions if v in built and built[v] < day]
    after = [v for v in releases.branched if v in built and built[v] >= day]
    if not before:
        return Possible((), f"{day} is before the first release that is known")
    first = releases.versions.index(before[-1])
    if len(after) < 2:
        why = f"built on {day}, after {before[-1]}: newer than what is known for certain"
        return Possible(releases.versions[first:], why, releases=releases, newer=True)
    last = releases.versions.index(after[1])
    why = f"built on {day}, so between {before[-1]} and {after[1]}"
    return Possible(releases.versions[first : last + 1], why, releases=releases)
