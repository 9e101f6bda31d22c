"""Finding ``infxreg.toml``: the nearest one, from a folder upward."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from infxreg import sitefile


def test_the_nearest_one(tmp_path: Path) -> None:
    """In the folder itself, else in the next one above it."""
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / "infxreg.toml").touch()
    assert sitefile.find(below) == tmp_path / "infxreg.toml"
    (below / "infxreg.toml").touch()
    assert sitefile.find(below) == below / "infxreg.toml"
    assert sitefile.find(str(tmp_path / "a")) == tmp_path / "infxreg.toml"


def test_a_folder_of_that_name_isnt_one(tmp_path: Path) -> None:
    """Only a file counts."""
    (tmp_path / "a" / "infxreg.toml").mkdir(parents=True)
    (tmp_path / "infxreg.toml").touch()
    assert sitefile.find(tmp_path / "a") == tmp_path / "infxreg.toml"


def test_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is where the search begins; where it is gone, there is no site file."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    assert sitefile.find() is None
    (tmp_path / "infxreg.toml").touch()
    assert sitefile.find() == tmp_path / "infxreg.toml"
    os.rmdir(home)
    assert sitefile.find() is None
    monkeypatch.chdir(tmp_path)
