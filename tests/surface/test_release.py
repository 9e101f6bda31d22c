"""One small release, fetched through pip and read anew: it is what the shipped file says."""

from __future__ import annotations

from importlib.resources import files

import pytest

from infxreg.surface.folded import FoldedSurfaces
from infxreg.surface.source import download
from infxreg_sglang.extract import extract

VERSION = "0.5.5"


@pytest.mark.slow
def test_a_release_read_anew() -> None:
    folded = FoldedSurfaces.read((files("infxreg_sglang") / "surface.json").read_bytes())
    with download("sglang", VERSION) as source:
        made = extract(source)
        assert source.wheel == folded.wheel(VERSION)
    assert made == folded.unfold(VERSION)
