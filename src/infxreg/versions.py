"""Releases and ranges of them, as PEP 440 has it. `packaging` is imported when first needed."""

from __future__ import annotations

import datetime
import re

from infxreg.spec import Answer

_PLAIN = re.compile(r"\d{1,9}(\.\d{1,9}){0,4}")
"""What needs no library to tell."""


def is_version(text: str) -> bool:
    """Whether a text is a release."""
    if _PLAIN.fullmatch(text):
        return True
    from packaging.version import InvalidVersion, Version

    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


def is_date(text: str) -> bool:
    """Whether a text is a day, as ``2026-09-22``."""
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def is_range(text: str) -> bool:
    """Whether a text is a range of releases, such as ``>=0.31,<0.33``."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        return False
    return True


def in_range(version: str | None, wanted: str) -> Answer:
    """Whether a release lies in a range; unknown where there is no release."""
    if version is None or not is_version(version):
        return "unknown"
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    inside = SpecifierSet(wanted, prereleases=True).contains(Version(version))
    return "ok" if inside else "refuted"
