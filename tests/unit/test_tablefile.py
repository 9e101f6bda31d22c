"""The TOML files of a package."""

from __future__ import annotations

from pathlib import Path

import pytest

from infxreg import TableFile, table_files


def test_table_files_are_sorted_and_named_by_package() -> None:
    """The core's own tables; other files aren't tables."""
    found = table_files("infxreg")
    assert [table.name for table in found] == [
        "infxreg/tables/axes.toml",
        "infxreg/tables/launcher.toml",
        "infxreg/tables/options.toml",
    ]
    assert all(table.read() for table in found)


def test_only_toml_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A README beside the tables is no table."""
    folder = tmp_path / "tf_package" / "data"
    folder.mkdir(parents=True)
    (tmp_path / "tf_package" / "__init__.py").touch()
    for name in ("b.toml", "a.toml", "README.md"):
        (folder / name).touch()
    monkeypatch.syspath_prepend(tmp_path)
    names = [table.name for table in table_files("tf_package", "data")]
    assert names == ["tf_package/data/a.toml", "tf_package/data/b.toml"]


def test_a_package_without_the_folder() -> None:
    """It says so."""
    with pytest.raises(FileNotFoundError):
        table_files("infxreg", "nowhere")


def test_read(tmp_path: Path) -> None:
    """The bytes, or the system's own error."""
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xff")
    assert TableFile("a.toml", path).read() == b"\xff"
    with pytest.raises(FileNotFoundError):
        TableFile("b.toml", tmp_path / "b.toml").read()
