"""Releases and ranges of them."""

from __future__ import annotations

import pytest

from infxreg.versions import in_range, is_range, is_version


@pytest.mark.parametrize(
    ("version", "wanted", "expected"),
    [
        ("1.2", ">=1.2", "ok"),
        ("1.10", ">=1.9", "ok"),
        ("1.1", ">=1.2", "refuted"),
        ("1.3rc1", ">=1.2", "ok"),
        ("1.2rc1", ">=1.2", "refuted"),
        ("1.2.post1", ">=1.2,<1.3", "ok"),
        ("1.2", "", "ok"),
        (None, ">=1.2", "unknown"),
        ("nightly", ">=1.2", "unknown"),
        ("nightly", "", "unknown"),
    ],
)
def test_in_range(version: str | None, wanted: str, expected: str) -> None:
    """Candidates count as releases; what is no version decides nothing."""
    assert in_range(version, wanted) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", True),
        ("0.33.0", True),
        ("1.2rc1", True),
        ("1.2.post1", True),
        ("1.2.dev3+g12", True),
        ("", False),
        ("nightly", False),
        ("1..2", False),
        (">=1.2", False),
    ],
)
def test_is_version(text: str, expected: bool) -> None:
    """As PEP 440 has it."""
    assert is_version(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [(">=1.2", True), (">=0.31,<0.33", True), ("", True), ("1.2", False), (">=soon", False)],
)
def test_is_range(text: str, expected: bool) -> None:
    """Of releases."""
    assert is_range(text) is expected
