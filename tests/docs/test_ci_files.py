"""The hooks for pre-commit and the GitHub Action: they are what their readers take, and run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from pre_commit.clientlib import load_manifest

from infxreg.cli.app import app
from infxreg.cli.state import ALLOWLIST
from support.builders import ACME
from support.seed import git

ROOT = Path(__file__).resolve().parents[2]
HOOKS, ACTION = ROOT / ".pre-commit-hooks.yaml", ROOT / "action.yml"
WIDE = '[[rule]]\nid = "odd"\nwhen = { model = "m1", engine = "run" }\nset."args.odd" = 1\n'

pytestmark = pytest.mark.skipif(
    not ACTION.is_file(), reason="no action.yml beside these tests: they run against the wheels"
)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site's repository: its last commit changes x10 and x20."""
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q")
    for text in (ACME, ACME + WIDE):
        (folder / "infxreg.toml").write_text(text)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "x")
    monkeypatch.chdir(folder)
    monkeypatch.setenv(ALLOWLIST, "")
    return folder


class TestHooks:
    """``.pre-commit-hooks.yaml``, as pre-commit reads it."""

    @pytest.mark.parametrize("id", ["infxreg-check", "infxreg-review"])
    def test_entry_runs(self, repo: Path, id: str) -> None:
        """What the hook runs is a command of ours, and passes where nothing is wrong."""
        hooks = {hook["id"]: hook for hook in load_manifest(str(HOOKS))}
        program, *args = shlex.split(hooks[id]["entry"])
        assert program == "infxreg"
        result = CliRunner().invoke(app, [*args, *hooks[id]["args"]])
        assert result.exit_code == 0, result.output

    def test_they_look_at_tables_and_plugins(self) -> None:
        for hook in load_manifest(str(HOOKS)):
            assert hook["pass_filenames"] is False
            assert re.search(hook["files"], "infxreg.toml")
            assert not re.search(hook["files"], "README.md")


class TestAction:
    """``action.yml``: the script of its step, as a runner would run it."""

    @pytest.fixture
    def action(self) -> dict[str, Any]:
        found: dict[str, Any] = yaml.safe_load(ACTION.read_text())
        return found

    def run(
        self, action: dict[str, Any], folder: Path, **inputs: str
    ) -> subprocess.CompletedProcess[str]:
        """Run the step ``review`` with inputs; what isn't named has its default."""
        given = {name: one["default"] for name, one in action["inputs"].items()} | inputs
        (step,) = [one for one in action["runs"]["steps"] if one.get("id") == "review"]
        names = {
            key: re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", v) for key, v in step["env"].items()
        }
        files = {name: folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        env = {
            **os.environ,
            **{key: given[found[1]] for key, found in names.items() if found},
            **{name: str(path) for name, path in files.items()},
            "RUNNER_TEMP": str(folder),
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=False)

    def test_passes(self, action: dict[str, Any], repo: Path, tmp_path: Path) -> None:
        """The table is the step's summary and a file; the log has annotations."""
        done = self.run(action, tmp_path)
        assert done.returncode == 0, done.stderr
        assert "::notice title=infxreg review::Verdict: PASS" in done.stdout
        assert (
            (tmp_path / "GITHUB_STEP_SUMMARY").read_text().startswith("## ✅✅✅ **Verdict: PASS")
        )
        outputs = dict(
            line.split("=", 1) for line in (tmp_path / "GITHUB_OUTPUT").read_text().splitlines()
        )
        assert set(outputs) == set(action["outputs"])
        assert all(Path(path).is_file() for path in outputs.values())

    def test_fails(self, action: dict[str, Any], repo: Path, tmp_path: Path) -> None:
        """The exit code is the review's, and the table is there all the same."""
        done = self.run(action, tmp_path, only="sku=x10", lang="en,zh")
        assert done.returncode == 1
        assert "::error file=infxreg.toml,line=" in done.stdout
        assert "REJECTED" in (tmp_path / "GITHUB_STEP_SUMMARY").read_text()

    def test_an_input_is_never_a_command(
        self, action: dict[str, Any], repo: Path, tmp_path: Path
    ) -> None:
        """A title of a pull request may end in one."""
        done = self.run(action, tmp_path, only="sku=x10; touch broken $(touch broken)")
        assert done.returncode == 2
        assert "error: --only" in done.stderr
        assert not (repo / "broken").exists()

    def test_every_input_is_used(self, action: dict[str, Any]) -> None:
        used = re.findall(r"\$\{\{ inputs\.(\w+) \}\}", ACTION.read_text())
        assert sorted(used) == sorted(action["inputs"])
        assert all("${{" not in step.get("run", "") for step in action["runs"]["steps"])
