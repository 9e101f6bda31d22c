"""The core's derivations."""

from __future__ import annotations

import pytest

from infxreg.derivations import above_one, copy, core_derivations, product, scaled, text


@pytest.mark.parametrize(
    ("value", "cap", "floor", "factor", "expected"),
    [
        (4, None, None, 1, 4),
        (4, None, None, 2, 8),
        (4, None, 16, 2, 16),
        (16, 24, None, 2, 24),
        (1, 8, 16, 1, 8),
    ],
)
def test_scaled(value: int, cap: int | None, floor: int | None, factor: int, expected: int) -> None:
    """Times the factor, then not below the floor, then not above the cap."""
    assert scaled(value, cap, floor, factor=factor) == expected


def test_small_ones() -> None:
    """A copy, text, a size above one, a product of what is set."""
    assert copy((1, 2)) == (1, 2)
    assert copy(None) is None
    assert text(4) == "4"
    assert text(None) is None
    assert above_one(1) is None
    assert above_one(2) == 2
    assert product(2, None, 4) == 8
    assert product() == 1


def test_core_derivations() -> None:
    """Each is declared under its own name, with a summary."""
    found = {record.id: record for record in core_derivations()}
    assert set(found) == {"copy", "text", "above_one", "product", "scaled"}
    assert all(record.doc for record in found.values())
    assert found["scaled"].function is scaled
