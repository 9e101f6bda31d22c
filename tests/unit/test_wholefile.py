"""All of a file, or what was there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from infxreg.wholefile import write_whole


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    """In folders that it makes."""
    path = tmp_path / "a" / "b.txt"
    write_whole(path, "one")
    write_whole(path, "zwei ü")
    assert path.read_text(encoding="utf-8") == "zwei ü"
    assert os.listdir(path.parent) == ["b.txt"]


def test_what_was_there_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever stops it, and nothing lies beside it."""
    path = tmp_path / "b.txt"
    write_whole(path, "one")

    def broken(source: str, target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, "two")
    assert path.read_text() == "one"
    assert os.listdir(tmp_path) == ["b.txt"]
