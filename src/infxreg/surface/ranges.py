"""Sets of versions as text: runs of indexes into a sorted list of versions.

``0-4 9-`` is the first five versions, and from the tenth on to the newest: a
run without an end goes on as versions are added. In memory a set is an int,
one bit a version.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from infxreg.surface.errors import SurfaceFormatError


def mask_of(indexes: Iterator[int] | list[int] | set[int]) -> int:
    """The set of some indexes."""
    mask = 0
    for index in indexes:
        mask |= 1 << index
    return mask


def runs(mask: int) -> Iterator[tuple[int, int]]:
    """First and last index of each run."""
    index = 0
    while mask:
        skip = (mask & -mask).bit_length() - 1
        index += skip
        mask >>= skip
        length = ((mask + 1) & ~mask).bit_length() - 1
        yield index, index + length - 1
        index += length
        mask >>= length


def to_text(mask: int, count: int) -> str:
    """A set as text, of ``count`` versions in all."""
    parts: list[str] = []
    for first, last in runs(mask):
        end = "-" if last == count - 1 else "" if last == first else f"-{last}"
        parts.append(f"{first}{end}")
    return " ".join(parts)


def from_text(text: str, count: int) -> int:
    """A set from its text.

    Raises:
        ValueError: if it isn't such a text, or names a version that there isn't.
    """
    mask = 0
    for part in text.split():
        first, dash, last = part.partition("-")
        low = int(first)
        high = (int(last) if last else count - 1) if dash else low
        if not 0 <= low <= high < count:
            raise ValueError(f"versions {part!r} of {count}")
        mask |= (1 << high + 1) - (1 << low)
    return mask


def sort_versions(versions: Iterable[str]) -> list[str]:
    """Versions, oldest first.

    Raises:
        SurfaceFormatError: if one isn't a version.
    """
    from packaging.version import InvalidVersion, Version

    try:
        return sorted(versions, key=Version)
    except InvalidVersion as error:
        raise SurfaceFormatError("a list of versions", (str(error),)) from error
