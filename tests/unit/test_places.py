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
    nowhere = Places(None, {"mine:one": "a.toml"})
    assert nowhere.of(Detail(text="by mine:one")) == ()
    assert nowhere.of(Detail(text="whole", where="a.toml")) == ()


def test_each_once(places: Places) -> None:
    """Though a text names a rule twice, or a list a file."""
    (place,) = places.of(Detail(text="mine:one and again mine:one"))
    assert place == Place(HOME, 4)
    (place,) = places.of(Detail(text="", where="infxreg.toml,infxreg.toml , "))
    assert place == Place("infxreg.toml")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[[gate]]\nid = "r"\n[[rule]]\nid = "r"\n', 4),
        ('[[rule]]\nid = "r"\n[[gate]]\nid = "r"\n', 2),
        ('[[ rule ]] # of ours\n\tid="r" # it\n', 2),
        ('[[rule]]\nset."a.id" = "r"\n# id = "r"\nid = "r.2"\n[[rule]]\nid = "r"\n', 6),
        ('[[rule]]\r\nid = "r"\r\n', 2),
        ('[[rule]]\ndoc = "中"\nid = "r"\n', 3),
        ('[[rule]]\nwhen = [\n  { sku = "b200" },\n]\nid = "r"\n', 5),
        ('[[gate]]\nid = "r"\n', 1),
        ('rule = [{ id = "r" }]\n', 1),
        ("", 1),
    ],
)
def test_the_line_of_a_rule(tmp_path: Path, text: str, line: int) -> None:
    """Where its id stands in a table of rules: a gate may have the same; else the first line."""
    (tmp_path / "t.toml").write_bytes(text.encode())
    assert Places(tmp_path, {"p:r": "t.toml"}).of(Detail(text="by p:r")) == (Place("t.toml", line),)


def test_a_rule_that_is_none_of_a_file(places: Places) -> None:
    """What Python gives has no file, so what the detail says counts."""
    found = Places(places.folder, {"mine:py": "", "mine:hook": "infxreg_rules"})
    assert found.of(Detail(text="by mine:py, mine:hook")) == ()
    assert found.of(Detail(text="by mine:py", where="infxreg.toml")) == (Place("infxreg.toml"),)


def test_a_file_that_is_no_utf_8(tmp_path: Path) -> None:
    """Its place is told all the same."""
    (tmp_path / "t.toml").write_bytes(b'# \xff\n[[rule]]\nid = "r"\n')
    assert Places(tmp_path, {"p:r": "t.toml"}).of(Detail(text="p:r")) == (Place("t.toml", 3),)


def test_names_are_those_of_the_repository(places: Places, tmp_path: Path) -> None:
    """By whatever way the folder is named; an absolute name in it, too."""
    assert places.folder is not None
    link = tmp_path / "link"
    link.symlink_to(places.folder, target_is_directory=True)
    detail = Detail(text="", where=f"{places.folder / 'infxreg.toml'}, {HOME}")
    for folder in (link, places.folder / "plugins" / ".."):
        found = Places(folder, places.rules)
        assert found.of(Detail(text="by mine:one, site:ours")) == (
            Place("infxreg.toml", 2),
            Place(HOME, 4),
        )
        assert found.of(detail) == (Place("infxreg.toml"), Place(HOME))


@pytest.mark.parametrize("where", ["../out.toml", "link.toml", "sub", "out/out.toml"])
def test_what_is_outside(tmp_path: Path, where: str) -> None:
    """Nobody is sent out of the repository, nor to a folder."""
    folder = tmp_path / "repo"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "out.toml").write_text("")
    (folder / "link.toml").symlink_to(tmp_path / "out.toml")
    (folder / "out").symlink_to(tmp_path)
    assert Places(folder, {}).of(Detail(text="", where=where)) == ()


def test_beside_the_package_or_in_the_root(places: Places) -> None:
    """A file of the root comes before a plugin's of the same name."""
    assert places.folder is not None
    other = places.folder / "acme_mine" / "tables"
    other.mkdir(parents=True)
    (other / "a.toml").write_text(TABLE)
    assert places.of(Detail(text="by mine:one")) == (Place("acme_mine/tables/a.toml", 4),)
