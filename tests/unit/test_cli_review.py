"""``infxreg review``: two revisions of a site, in every way that it is asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from infxreg.cli.app import app
from infxreg.cli.state import ALLOWLIST, State
from infxreg.registry import Registry
from infxreg.review.changelog import NAME
from support.builders import ACME, acme, rule, where
from support.seed import git

ODD = '[[rule]]\nid = "odd"\nwhen = { %s }\nset."args.odd" = 1\n'
NARROW = ODD % 'sku = "x10", model = "m1", engine = "run", tp = 2'
WIDE = ODD % 'model = "m1", engine = "run"'
ENTRY = """\
- config-keys:
    - {keys}
  description:
    - "an odd one"
  pr-link: https://github.com/acme/infer/pull/1
"""


def run(*args: str, registry: Registry | None = None) -> Result:
    obj = None if registry is None else State(registry=registry)
    return CliRunner().invoke(app, ["review", *args], obj=obj)


def rows(result: Result) -> dict[str, dict[str, Any]]:
    assert result.stdout, result.output
    return {row["id"]: row for row in json.loads(result.stdout)["rows"]}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose site file is the whole registry; no plugin is loaded."""
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "infxreg.toml").write_text(ACME)
    (folder / NAME).write_text(ENTRY.format(keys="m1-x20-alt"))
    git(folder, "init", "-q", "-b", "main")
    commit(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv(ALLOWLIST, "")
    return folder


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "x")


class TestRevisions:
    """What is reviewed."""

    def test_the_working_tree(self, repo: Path) -> None:
        """Without HEAD; a check that passes is one line, and what fails is told below."""
        (repo / "infxreg.toml").write_text(ACME + WIDE)
        result = run("main", "--only", "sku=x10")
        assert result.exit_code == 1
        lines = result.stdout.splitlines()
        assert lines[0] == "infxreg review: main → the working tree"
        assert (
            "fail     Only what was meant changes: sku=x10: 8 points change inside, 2 outside"
            in (lines)
        )
        assert lines[-4:] == [
            "Only what was meant changes",
            "  2 points outside changed by site:odd",
            "    in infxreg.toml",
            "    at sku=x20 engine=run (2 points)",
        ]
        told = run("main", "--only", "sku=x10", "-f", "github").stdout
        line = 1 + (ACME + WIDE).splitlines().index('id = "odd"')
        assert told.startswith(f"::error file=infxreg.toml,line={line},title=Only what was meant")

    def test_two_revisions(self, repo: Path) -> None:
        (repo / "infxreg.toml").write_text(ACME + NARROW)
        commit(repo)
        result = run("HEAD~1", "HEAD", "--only", "sku=x10", "-f", "json")
        assert result.exit_code == 0
        assert rows(result)["scope"]["verdict"] == "pass"

    def test_in_chinese(self, repo: Path) -> None:
        """And in both, one after the other."""
        (repo / "infxreg.toml").write_text(ACME + NARROW)
        assert run("main", "--lang", "zh").stdout.startswith(
            "infxreg 评审: main → the working tree"
        )
        both = run("main", "--lang", "en,zh").stdout
        assert both.index("infxreg review:") < both.index("infxreg 评审:")

    def test_a_registry_that_can_t_be_resolved(self, repo: Path) -> None:
        """Its faults, and exit code 2."""
        broken = NARROW.replace('"args.odd" = 1', '"parallel.tp" = "many"')
        (repo / "infxreg.toml").write_text(ACME + broken)
        result = run("main")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "infxreg.toml: " in result.stderr
        assert "parallel.tp" in result.stderr

    def test_a_snapshot(self, repo: Path, tmp_path: Path) -> None:
        """It has no registry that could be checked."""
        file = str(tmp_path / "a.jsonl")
        assert CliRunner().invoke(app, ["snapshot", "-o", file]).exit_code == 0
        result = run(file, "main")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "is a snapshot: it says nothing of checks; name a git revision" in result.stderr

    def test_without_a_plugin(self) -> None:
        """What it does to the others, held to every check."""
        odd = rule("odd", {"args.odd": 1}, where(sku="x10", model="m1", engine="run", tp=2))
        result = run("--without", "extra", "-f", "json", registry=acme(odd))
        assert result.exit_code == 0
        assert "2 of 12 points change" in rows(result)["scope"]["summary"]["en"]


class TestOutput:
    """Files beside what is printed, from one review."""

    def test_files(self, repo: Path, tmp_path: Path) -> None:
        (repo / "infxreg.toml").write_text(ACME + WIDE)
        names = {form: tmp_path / f"review.{form}" for form in ("markdown", "sarif", "text")}
        given = [word for form, path in names.items() for word in ("-o", f"{form}={path}")]
        result = run("main", "--only", "sku=x10", "-f", "github", *given)
        assert result.exit_code == 1
        assert result.stdout.startswith("::error ")
        assert names["markdown"].read_text().startswith("## ❌❌❌ **REJECTED** ❌❌❌\n")
        assert json.loads(names["sarif"].read_text())["version"] == "2.1.0"
        assert names["text"].read_text().startswith("infxreg review: main → the working tree\n")

    @pytest.mark.parametrize(
        ("outputs", "message"),
        [
            (["review.md"], "--output: 'review.md' isn't FORMAT=FILE, as markdown=review.md"),
            (["markdown="], "--output: 'markdown=' isn't FORMAT=FILE"),
            (["html=a"], "unknown format 'html': known are text, markdown, json, github, sarif"),
            (["json=a", "text=a"], "--output: a is named twice"),
        ],
    )
    def test_that_can_t_be_used(self, repo: Path, outputs: list[str], message: str) -> None:
        """Before anything is resolved."""
        result = run("main", *(word for text in outputs for word in ("-o", text)))
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in result.stderr

    def test_a_folder_in_the_way(self, repo: Path, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()
        result = run("main", "-o", f"json={tmp_path / 'a'}")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "a can't be written: Is a directory" in result.stderr


class TestChangelog:
    """The entries that HEAD has more, held to what changes."""

    def review(self, repo: Path, text: str) -> Result:
        (repo / "infxreg.toml").write_text(ACME + NARROW)
        (repo / NAME).write_text(text)
        return run("main", "--check-changelog", NAME, "-f", "json")

    def test_it_names_what_changes(self, repo: Path) -> None:
        result = self.review(
            repo, ENTRY.format(keys="m1-x20-alt") + "\n" + ENTRY.format(keys="m1-x10-run")
        )
        assert result.exit_code == 0
        assert rows(result)["changelog"]["verdict"] == "pass"

    def test_it_names_others(self, repo: Path) -> None:
        """Both sides of the difference are named."""
        result = self.review(
            repo, ENTRY.format(keys="m1-x20-alt") + "\n" + ENTRY.format(keys="m1-x20-run")
        )
        assert result.exit_code == 1
        told = " ".join(detail["text"] for detail in rows(result)["changelog"]["details"])
        assert "m1-x10-run" in told
        assert "m1-x20-run" in told

    def test_it_names_nothing(self, repo: Path) -> None:
        """A change without an entry."""
        result = self.review(repo, ENTRY.format(keys="m1-x20-alt"))
        assert result.exit_code == 1

    def test_it_was_edited(self, repo: Path) -> None:
        """The file only grows; what changes is told all the same."""
        result = self.review(repo, ENTRY.format(keys="m1-x10-run"))
        assert result.exit_code == 1
        found = rows(result)
        assert found["changelog"]["verdict"] == "fail"
        assert found["changelog"]["details"][0]["text"] == (
            "line 2 isn't what it was: the file only grows at its end"
        )
        assert "2 of 12 points change" in found["scope"]["summary"]["en"]


class TestLock:
    """A lock that lies beside the site file is held to the registry."""

    def test_moved(self, repo: Path) -> None:
        assert CliRunner().invoke(app, ["lock"]).exit_code == 0
        commit(repo)
        (repo / "infxreg.toml").write_text(ACME + NARROW)
        result = run("HEAD", "-f", "json")
        assert result.exit_code == 1
        assert rows(result)["lock"]["verdict"] == "fail"
        assert CliRunner().invoke(app, ["lock"]).exit_code == 0
        assert rows(run("HEAD", "-f", "json"))["lock"]["verdict"] == "pass"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "name a base: a snapshot file or a git revision, or --without"),
        (("nobody",), "'nobody' is no snapshot file, and no revision of"),
        (("main", "--lang", "fr"), "unknown language 'fr': known are en, zh"),
        (("main", "--lang", ""), "unknown language ''"),
        (("main", "--facts", "none.json"), "--facts: none.json can't be read"),
        (("main", "--day", "tomorrow"), "--day: 'tomorrow' is no day"),
        (("main", "--only", "skuu=x10"), "unknown axis 'skuu': did you mean 'sku'?"),
        (("main", "--check-changelog", "none.yaml"), "none.yaml isn't there in the working tree"),
        (("main", "-f", "yaml"), "Invalid value for '-f' / '--format'"),
    ],
)
def test_requests_that_can_t_be_used(repo: Path, args: tuple[str, ...], message: str) -> None:
    """Exit code 2, with what is wrong, and nothing on standard output."""
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_facts_with_faults(repo: Path) -> None:
    """All of them at once."""
    (repo / "facts.json").write_text('{"heads": 1, "commits": 2}')
    result = run("main", "--facts", "facts.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "facts.json can't be used as --facts" in result.stderr
    assert "heads" in result.stderr
    assert "commits" in result.stderr
