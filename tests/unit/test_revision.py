"""Source trees and git revisions: what is found in them, and what a process of its own resolves."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from infxreg import plugins
from infxreg.errors import BadRequestError, UnknownIdError
from infxreg.plugins import Installed
from infxreg.review import revision
from infxreg.review.revision import (
    PluginTree,
    RevisionError,
    Source,
    exported,
    registry_of,
    take,
    trees,
)

PROJECT = """
[project]
name = "infxreg-{name}"
version = "1.5"
[project.entry-points.infxreg]
{name} = "{module}"
"""
CODE = """
from infxreg import hookimpl
from infxreg.records import Axis

@hookimpl
def infxreg_axes():
    return [Axis(id="{axis}", default="plain")]
"""


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def plugin(name: str, code: str, at: str = "src/", module: str | None = None) -> dict[str, str]:
    """The files of a plugin whose package is ``acme_NAME``."""
    top = f"acme_{name}"
    return {
        "pyproject.toml": PROJECT.format(name=name, module=module or top),
        f"{at}{top}/__init__.py": code,
    }


def git(folder: Path, *args: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", "-C", str(folder), *who, *args], check=True, capture_output=True)


def commit(folder: Path) -> None:
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "x")


def defaults(source: Source) -> dict[str, Any]:
    """The defaults of the axes in the snapshot of a source, without the installed plugins."""
    found: dict[str, Any] = json.loads(next(take(source)))["defaults"]
    return found


class TestTrees:
    """Which plugins a folder has."""

    def test_in_src_and_at_top_level(self, tmp_path: Path) -> None:
        """The folder to import from is where the package is."""
        write(tmp_path / "one", plugin("one", ""))
        write(tmp_path / "two", plugin("two", "", at=""))
        found, core = trees(tmp_path)
        assert [(tree.name, tree.path) for tree in found] == [
            ("one", str(tmp_path / "one" / "src")),
            ("two", str(tmp_path / "two")),
        ]
        assert found[0] == PluginTree(
            "one", "acme_one", "infxreg-one", "1.5", str(tmp_path / "one" / "src")
        )
        assert core == []

    @pytest.mark.parametrize("place", ["node_modules", "build", ".tox", "venv"])
    def test_what_is_none_of_the_project_s(self, tmp_path: Path, place: str) -> None:
        """Builds, hidden folders and virtual environments, whatever they are called."""
        write(tmp_path / place / "one", plugin("one", ""))
        write(tmp_path, {"venv/pyvenv.cfg": ""})
        assert trees(tmp_path) == ([], [])

    def test_a_core(self, tmp_path: Path) -> None:
        """It resolves its own tables, if it can take a snapshot."""
        write(tmp_path, {"pyproject.toml": '[project]\nname = "infxreg"\n'})
        assert trees(tmp_path) == ([], [])
        write(tmp_path, {"src/infxreg/review/assess.py": ""})
        assert trees(tmp_path) == ([], [str(tmp_path / "src")])

    def test_a_project_that_is_none_of_ours(self, tmp_path: Path) -> None:
        """Without entry points, or without a name."""
        write(tmp_path, {"a/pyproject.toml": "[tool.x]\n", "b/pyproject.toml": "[project]\n"})
        assert trees(tmp_path) == ([], [])

    def test_an_object_in_a_module(self, tmp_path: Path) -> None:
        """An entry point may name one; it is where its module is."""
        write(tmp_path, plugin("one", "", module="acme_one:plugin"))
        assert trees(tmp_path)[0][0].path == str(tmp_path / "src")

    def test_a_module_that_is_one_file(self, tmp_path: Path) -> None:
        """Beside the pyproject.toml."""
        write(tmp_path, {"pyproject.toml": PROJECT.format(name="one", module="acme_one")})
        write(tmp_path, {"acme_one.py": ""})
        assert trees(tmp_path)[0][0].path == str(tmp_path)

    def test_a_package_that_is_elsewhere(self, tmp_path: Path) -> None:
        """What is installed would be taken at every revision: nothing would ever change."""
        write(tmp_path / "one", plugin("one", "", at="lib/"))
        with pytest.raises(RevisionError) as error:
            trees(tmp_path)
        assert str(error.value) == (
            "one/pyproject.toml: plugin one is acme_one, which is neither beside it nor in src/"
        )

    @pytest.mark.parametrize(
        "text",
        [
            "project = 1",
            "[project]\nentry-points = 1",
            "[project.entry-points]\ninfxreg = 1",
            "[project.entry-points.infxreg]\none = 1",
        ],
    )
    def test_a_project_that_is_written_otherwise(self, tmp_path: Path, text: str) -> None:
        """It has no plugin that could be loaded: an installer takes it for a fault."""
        write(tmp_path, {"pyproject.toml": text})
        assert trees(tmp_path) == ([], [])

    def test_a_file_that_is_no_toml(self, tmp_path: Path) -> None:
        """Its place in the folder is named."""
        write(tmp_path, {"a/pyproject.toml": "["})
        with pytest.raises(RevisionError, match=r"^a/pyproject\.toml: "):
            trees(tmp_path)


class TestRegistryOf:
    """Trees over installed plugins of their names; skipped and allowed ones."""

    @pytest.fixture(autouse=True)
    def _installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def made(name: str) -> Installed:
            value = f"not_there_{name}"
            point = plugins.EntryPoint(name=name, value=value, group="infxreg")
            return Installed(name, f"infxreg-{name}", "1", point)

        monkeypatch.setattr(plugins, "installed", lambda: (made("one"), made("old")))

    def names(self, found: list[PluginTree], skip: Any = (), allow: Any = None) -> list[str]:
        """The plugins of the registry, a ``+`` at those from a tree."""
        registry = registry_of(found, None, skip, allow)
        return [
            item.plugin + "+" * (item.version == "tree")
            for item in registry.contributions
            if item.plugin != "infxreg"
        ]

    ONE = PluginTree("one", "json", "infxreg-one", "tree", ".")
    TWO = PluginTree("two", "json", "infxreg-two", "tree", ".")

    def test_all(self) -> None:
        """A tree takes the place of what is installed by its name."""
        assert self.names([self.ONE, self.TWO]) == ["old", "one+", "two+"]
        assert self.names([]) == ["one", "old"]

    @pytest.mark.parametrize(
        ("skip", "left"),
        [
            (("one",), ["old", "two+"]),
            (("old", "two"), ["one+"]),
            (("not-there-yet",), ["old", "one+", "two+"]),
            (("infxreg-one", "infxreg-old"), ["two+"]),
        ],
    )
    def test_skipped(self, skip: tuple[str, ...], left: list[str]) -> None:
        """Trees and installed ones; a name that a revision hasn't yet is no error."""
        assert self.names([self.ONE, self.TWO], skip) == left

    @pytest.mark.parametrize(
        ("allow", "left"),
        [
            (("two",), ["two+"]),
            (("one", "old"), ["old", "one+"]),
            ((), []),
            (("infxreg-one",), ["one+"]),
        ],
    )
    def test_allowed(self, allow: tuple[str, ...], left: list[str]) -> None:
        """Only these, from the tree where it has them."""
        assert self.names([self.ONE, self.TWO], (), allow) == left

    def test_a_name_that_nobody_has(self) -> None:
        """A typo in the list of what is allowed would leave a plugin out unseen."""
        with pytest.raises(UnknownIdError, match="unknown plugin 'tow'"):
            self.names([self.TWO], (), ("tow",))

    def test_a_tree_that_was_skipped_hides_nothing(self) -> None:
        """What it declares lies dormant for those that name it; what is taken isn't missing."""
        registry = registry_of([self.ONE], None, ("old",), None)
        assert registry.skipped == {"old"}


class TestTake:
    """The other process."""

    def test_a_tree_and_a_site_file(self, tmp_path: Path) -> None:
        """Both are in the lines."""
        write(tmp_path, plugin("one", CODE.format(axis="flavour")))
        site = '[[axis]]\nid = "colour"\ndefault = "white"\n'
        write(tmp_path, {"infxreg.toml": site})
        found = defaults(Source(tmp_path, tmp_path / "infxreg.toml", allow=("one",)))
        assert (found["flavour"], found["colour"]) == ("plain", "white")

    def test_a_plugin_that_is_an_object(self, tmp_path: Path) -> None:
        """As an entry point names it: ``module:object``."""
        code = "class Plugin:\n    @staticmethod\n" + "".join(
            f"    {line}\n" for line in CODE.format(axis="flavour").split("\n\n")[1].splitlines()
        )
        head = CODE.split("\n\n")[0]
        write(tmp_path, plugin("one", f"{head}\n{code}", module="acme_one:Plugin"))
        assert "flavour" in defaults(Source(tmp_path, None, allow=("one",)))

    def test_a_plugin_that_raises_at_import(self, tmp_path: Path) -> None:
        """It is named, with what it raised."""
        write(tmp_path, plugin("one", "raise ValueError('no GPU here')"))
        with pytest.raises(RevisionError) as error:
            list(take(Source(tmp_path, None, allow=("one",))))
        assert "one (infxreg-one 1.5): can't be imported: ValueError: no GPU here" in str(
            error.value
        )

    def test_a_process_that_dies(self, tmp_path: Path) -> None:
        """Without a word: its exit code is told."""
        write(tmp_path, plugin("one", "import os\nos._exit(7)"))
        with pytest.raises(RevisionError, match=r"^exit 7$"):
            list(take(Source(tmp_path, None, allow=("one",))))

    def test_the_working_directory_is_not_on_the_path(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A plugin at a repository's top level would be the working tree's at every revision."""
        write(tmp_path / "old", plugin("one", CODE.format(axis="before"), at=""))
        write(tmp_path / "new", plugin("one", CODE.format(axis="after"), at=""))
        monkeypatch.chdir(tmp_path / "new")
        found = defaults(Source(tmp_path / "old", None, allow=("one",)))
        assert "before" in found
        assert "after" not in found

    def test_text_is_utf_8_whatever_the_environment_says(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """And a plugin that prints at its import prints elsewhere."""
        write(tmp_path, plugin("one", "print('hello')\n" + CODE.format(axis="flavour")))
        site = '[[axis]]\nid = "colour"\ndefault = "weiß"\n'
        (tmp_path / "infxreg.toml").write_text(site, encoding="utf-8")
        monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
        found = defaults(Source(tmp_path, tmp_path / "infxreg.toml", allow=("one",)))
        assert (found["flavour"], found["colour"]) == ("plain", "weiß")

    def test_nothing_is_left_in_the_tree(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It may be the working tree."""
        for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"):
            monkeypatch.delenv(name, raising=False)
        write(tmp_path, plugin("one", CODE.format(axis="flavour")))
        list(take(Source(tmp_path, None, allow=("one",))))
        assert not list(tmp_path.rglob("__pycache__"))

    def test_a_reader_that_stops(self, tmp_path: Path) -> None:
        """The process ends, and nothing is raised."""
        write(tmp_path, {"infxreg.toml": ""})
        lines = take(Source(tmp_path, tmp_path / "infxreg.toml", allow=()))
        assert next(lines).startswith('{"defaults"')
        lines.close()


class TestGit:
    """Revisions of a repository."""

    def test_an_export_is_gone_afterwards(self, tmp_path: Path) -> None:
        """With what the commit has, and not what came after."""
        write(tmp_path, {"a/b": "1"})
        commit(tmp_path)
        write(tmp_path, {"a/b": "2", "c": "3"})
        with exported(tmp_path, "HEAD") as folder:
            assert (folder / "a" / "b").read_text() == "1"
            assert os.listdir(folder) == ["a"]
        assert not folder.exists()

    def test_a_submodule_is_an_empty_folder(self, tmp_path: Path) -> None:
        """Its files aren't the repository's."""
        write(tmp_path / "repo", {"a": "1"})
        commit(tmp_path / "repo")
        other = write(tmp_path / "repo" / "sub", {"pyproject.toml": "["})
        commit(other)
        git(tmp_path / "repo", "add", "sub")
        git(tmp_path / "repo", "commit", "-q", "-m", "y")
        with exported(tmp_path / "repo", "HEAD") as folder:
            assert sorted(os.listdir(folder)) == ["a", "sub"]
            assert os.listdir(folder / "sub") == []
            assert trees(folder) == ([], [])

    def test_a_link_out_of_the_repository(self, tmp_path: Path) -> None:
        """Left out; a link inside is kept, and the rest with it."""
        repo = write(tmp_path / "repo", {"a": "1"})
        (repo / "inside").symlink_to("a")
        (repo / "outside").symlink_to("/etc/hosts")
        (repo / "above").symlink_to("../other")
        commit(repo)
        with exported(repo, "HEAD") as folder:
            assert sorted(os.listdir(folder)) == ["a", "inside"]
            assert (folder / "inside").read_text() == "1"

    def test_git_that_ends_early(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Half of a revision would be compared as if it were whole."""
        script = tmp_path / "bin" / "git"
        write(tmp_path, {"bin/git": "#!/bin/sh\nhead -c 10240 /dev/zero\nexit 3\n"})
        script.chmod(0o755)
        monkeypatch.setenv("PATH", str(script.parent), prepend=os.pathsep)
        with (
            pytest.raises(RevisionError, match="HEAD can't be exported: git ended with 3"),
            exported(tmp_path, "HEAD"),
        ):
            pass

    def test_without_git(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Snapshot files still do."""
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(BadRequestError, match="git isn't installed: name snapshot files"):
            revision.repository(tmp_path)

    def test_a_revision_that_git_can_t_give(self, tmp_path: Path) -> None:
        """In git's words."""
        write(tmp_path, {"a": "1"})
        commit(tmp_path)
        with pytest.raises(RevisionError) as error, exported(tmp_path, "nobody"):
            pass
        assert str(error.value).startswith("nobody can't be exported: fatal: ")

    @pytest.mark.parametrize("text", ["-h", "nobody", ""])
    def test_what_is_no_revision(self, tmp_path: Path, text: str) -> None:
        """An option of git's is none."""
        write(tmp_path, {"a": "1"})
        commit(tmp_path)
        assert revision.is_revision(tmp_path, "HEAD")
        assert not revision.is_revision(tmp_path, text)
