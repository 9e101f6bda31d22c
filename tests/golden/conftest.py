"""The shipped registry, and the reference data where it is at hand."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import infxreg

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def registry() -> infxreg.Registry:
    return infxreg.discover()


@pytest.fixture(scope="session")
def table() -> dict[str, Any]:
    """The 17 recipes of InferenceX, 233 points: the truth for the shipped catalogue."""
    shared = Path(os.environ.get("INFXREG_SHARED", ROOT.parent / "shared"))
    path = shared / "data" / "dsv41flash.json"
    if not path.is_file():
        pytest.skip(f"no reference data at {path}; tests/golden/test_twin.py runs all the same")
    data: dict[str, Any] = json.loads(path.read_text())
    return data
