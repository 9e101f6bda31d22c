"""The record of an image: a registered one, or what a release tag's pattern tells."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping

from infxreg.records import Engine, Image

DIGEST = re.compile(r"sha256:[0-9a-f]{64}")

REFERENCE = re.compile(
    r"(?P<name>[a-z0-9][a-zA-Z0-9._-]*(?::[0-9]+(?=/))?(?:/[a-z0-9][a-z0-9._-]*)*)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?"
    r"(?:@(?P<digest>sha256:[0-9a-f]{64}))?"
)
"""A container image reference: name, tag, digest."""


_PARTS = {
    "version": r"(?P<version>\d+\.\d+\.\d+(?:\.post\d+|rc\d+)?)",
    "date": r"(?P<date>20\d\d[01]\d[0-3]\d)",
    "commit": r"(?P<commit>[0-9a-f]{7,40})",
    "build": r"[A-Za-z0-9][A-Za-z0-9._-]*",
}
"""What the placeholders of an engine's ``release_images`` match."""


def record_of(
    reference: str, images: Mapping[str, Image], engines: Mapping[str, Engine]
) -> Image | None:
    """The registered record, else one made of what its tag says; None where nothing is known."""
    known = images.get(reference)
    if known is not None:
        return known
    match = REFERENCE.fullmatch(reference)
    for engine in engines.values() if match is not None else ():
        told = _told(reference.partition("@")[0], engine)
        if match is not None and told is not None:
            day = told.get("date")
            return Image(
                id=reference,
                engine=engine.id,
                version=told.get("version"),
                date=f"{day[:4]}-{day[4:6]}-{day[6:]}" if day else None,
                commit=told.get("commit"),
                digest=match["digest"],
                source=f"the tag, by a pattern of engine {engine.id}",
            )
    return None


def _told(reference: str, engine: Engine) -> Mapping[str, str] | None:
    for pattern in engine.release_images:
        found = re.fullmatch(_regex(pattern), reference)
        if found:
            return found.groupdict()
    return None


@functools.lru_cache(maxsize=64)
def _regex(pattern: str) -> str:
    pieces = re.split(r"\{(\w+)\}", pattern)
    return "".join(
        _PARTS.get(piece, "(?!)") if number % 2 else re.escape(piece)
        for number, piece in enumerate(pieces)
    )


def pattern_problems(pattern: str) -> Iterator[str]:
    """What is wrong with a pattern of ``release_images``."""
    named = re.findall(r"\{(\w+)\}", pattern)
    for name in named:
        if name not in _PARTS:
            yield f"{pattern!r}: no placeholder {name!r}; there are {', '.join(_PARTS)}"
    if not {"version", "date"} & set(named):
        yield f"{pattern!r} has neither {{version}} nor {{date}}, so it tells nothing"
    twice = {name for name in named if named.count(name) > 1} - {"build"}
    yield from (f"{pattern!r} has {{{name}}} twice" for name in sorted(twice))
