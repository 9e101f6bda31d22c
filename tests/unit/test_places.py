"""Where in a repository a finding's file is, and at which line a rule stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from infxreg.review.places import Place, Places
from infxreg.review.verdict import Detail

TABLE = "# rules\n\n[[rule]]\nid = \"one\"\n\n[[rule]]\n  id = 'two'\n"
PROJECT = """
[project]
name = "infxreg-mine"
version = "1"
[project.entry-points.infxreg]
mine = "acme_mine"
"""


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A plugin's source in a repository, and a site file."""
    tables = tmp_path / "plugins" / "mine" / "src" / "acme_mine" / "tables"
    tables.mkdir(parents=True)
    (tables / "a.toml").write_text(TABLE)
    (tables.parent / "__init__.py").write_text("")
    (tmp_path / "plugins" / "mine" / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "infxreg.toml").write_text('[[rule]]\nid = "ours"\n')
    file = "acme_mine/tables/a.toml"
    return Places(
        tmp_path,
        {
            "mine:one": file,
            "mine:two": file,
            "mine:three": file,
            "site:ours": "infxreg.toml",
            "other:x": "elsewhere/tables/x.toml",
        },
    )


HOME = "plugins/mine/src/acme_mine/tables/a.toml"


@pytest.mark.parametrize(
    ("text", "where", "found"),
    [
        ("by mine:two", "", [Place(HOME, 7)]),
        ("mine:two and site:ours, mine:one", "", [
            Place("infxreg.toml", 2), Place(HOME, 4), Place(HOME, 7)
        ]),
        ("by mine:one", "infxreg.toml", [Place(HOME, 4)]),
        ("by mine:three", "", [Place(HOME, 1)]),
        ("whole", "acme_mine/tables/a.toml", [Place(HOME, 1)]),
        ("whole", "acme_mine/tables/a.toml, infxreg.toml", [
            Place("infxreg.toml", 1), Place(HOME, 1)
        ]),
        ("by other:x, mine:four", "", []),
        ("nothing", "elsewhere.toml", []),
        ("nothing", "", []),
        ("nothing", "/etc/hostname", []),
    ],
)  # fmt: skip
def test_of(places: Places, text: str, where: str, found: list[Place]) -> None:
    """The rules that it names, with their lines, else its file; only what is in the folder."""
    assert list(places.of(Detail(text=text, where=where))) == found


def test_nowhere() -> None:
    """A registry of no folder."""
    assert Places(None, {"mine:one": "a.toml"}).of(Detail(text="by mine:one")) == ()
