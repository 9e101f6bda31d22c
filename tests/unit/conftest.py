"""Each test leaves the process as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.builders import process_left_alone


@pytest.fixture(autouse=True)
def _process_left_alone() -> Iterator[None]:
    with process_left_alone():
        yield
