"""The shipped registry; each test leaves the process as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import infxreg
from support.builders import process_left_alone


@pytest.fixture(autouse=True)
def _process_left_alone() -> Iterator[None]:
    with process_left_alone():
        yield


@pytest.fixture(scope="session")
def registry() -> infxreg.Registry:
    return infxreg.discover()
