"""The two sides of ``infxreg impact``: which site file and which plugins each of them has."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from infxreg.cli.sides import sides
from infxreg.cli.state import ALLOWLIST, State
from infxreg.errors import BadRequestError

PROJECT = """
[project]
name = "infxreg-mine"
version = "1"
[project.entry-points.infxreg]
mine = "acme_mine"
"""
CODE = """
from infxreg import hookimpl
from infxreg.records import Axis

@hookimpl
def infxreg_axes():
    return [Axis(id="flavour", default="plain")]
"""
SITE = '[[axis]]\nid = "colour"\ndefault = "white"\n'


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def git(folder: Path, *args: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", "-C", str(folder), *who, *args], check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository without plugins at its first commit; no installed plugin is loaded."""
    folder = tmp_path / "repo"
    write(folder, {"readme": "x"})
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "x")
    monkeypatch.chdir(folder)
    monkeypatch.setenv(ALLOWLIST, "")
    return folder


def axes(base: str, head: str | None = None, site: str | None = None) -> list[set[str]]:
    """Which of our own axes each side has."""
    with sides(base, head, None, State(site=site), lambda done, total: None) as found:
        return [
            {"flavour", "colour"} & set(side.snapshot.defaults) for side in (found.base, found.head)
        ]


def test_a_plugin_that_is_new_and_installed_from_its_working_tree(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As its developer has it: the revision before has it not, though Python could import it."""
    write(repo, {"pyproject.toml": PROJECT, "src/acme_mine/__init__.py": CODE})
    write(
        tmp_path / "installed" / "infxreg_mine-1.dist-info",
        {
            "METADATA": "Metadata-Version: 2.1\nName: infxreg-mine\nVersion: 1\n",
            "entry_points.txt": "[infxreg]\nmine = acme_mine\n",
        },
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "installed"), prepend=":")
    monkeypatch.setenv("PYTHONPATH", str(repo / "src"), prepend=":")
    monkeypatch.setenv(ALLOWLIST, "mine")
    assert axes("HEAD") == [set(), {"flavour"}]


def test_a_site_file_that_is_new(repo: Path) -> None:
    """The revision before has none."""
    write(repo, {"infxreg.toml": SITE})
    assert axes("HEAD") == [set(), {"colour"}]


def test_a_site_file_that_is_named(repo: Path) -> None:
    """One inside the repository is each revision's own."""
    write(repo, {"conf/site.toml": SITE})
    assert axes("HEAD", site="conf/site.toml") == [set(), {"colour"}]


def test_a_site_file_that_is_gone(repo: Path) -> None:
    """The working tree has none; the revision has its own."""
    write(repo, {"infxreg.toml": SITE})
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "y")
    (repo / "infxreg.toml").unlink()
    assert axes("HEAD") == [{"colour"}, set()]


def test_a_site_file_of_another_place(repo: Path, tmp_path: Path) -> None:
    """It is on both sides, but only beside something of the repository's own."""
    write(tmp_path, {"site.toml": SITE})
    site = str(tmp_path / "site.toml")
    with pytest.raises(BadRequestError, match="nothing of infxreg is in"):
        axes("HEAD", site=site)
    write(repo, {"pyproject.toml": PROJECT, "src/acme_mine/__init__.py": CODE})
    assert axes("HEAD", site=site) == [{"colour"}, {"colour"}]
