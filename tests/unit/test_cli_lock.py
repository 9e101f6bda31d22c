"""``infxreg lock``, ``--check`` and ``--locked``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner, Result

from infxreg import Registry
from infxreg.cli.app import app
from infxreg.cli.state import State
from infxreg.lock import lock_of
from infxreg.records import Derivation
from support.builders import acme, collected, rule

ODD = '[[rule]]\nid = "odd"\nwhen = { engine = "run", model = "m1" }\nset."args.odd" = %d\n'
SITE = '[[rule]]\nid = "p"\nwhen = { sku = "b200", model = "dsv41flash" }\nset."args.port" = %d\n'


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("INFXREG_PLUGINS", raising=False)


def run(*args: str, registry: Registry | None = None, locked: bool = False) -> Result:
    state = State(registry=registry or acme(), locked=locked)
    return CliRunner().invoke(app, args, obj=state)


def real(*args: str) -> Result:
    """With the installed plugins."""
    return CliRunner().invoke(app, args)


class TestWrite:
    """``infxreg lock`` alone."""

    def test_here(self, tmp_path: Path) -> None:
        """The file, and a line that says so."""
        result = run("lock")
        lock = lock_of(acme())
        assert result.exit_code == 0
        assert (tmp_path / "infxreg.lock").read_text() == lock.to_toml()
        tables = sum(len(plugin.tables) for plugin in lock.plugin)
        assert result.stdout == (
            f"infxreg.lock: 2 plugins, {tables} tables, snapshot {lock.snapshot}\n"
        )

    def test_elsewhere(self, tmp_path: Path) -> None:
        """Folders are made; what stood there is replaced."""
        path = tmp_path / "made" / "x.lock"
        assert run("lock", "-o", str(path)).exit_code == 0
        before = path.read_text()
        assert run("lock", "-o", str(path), registry=acme(ODD % 1)).exit_code == 0
        assert path.read_text() != before

    def test_beside_the_site_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Wherever below it one stands, so that both are committed together."""
        (tmp_path / "infxreg.toml").write_text(SITE % 1)
        below = tmp_path / "below"
        below.mkdir()
        monkeypatch.chdir(below)
        assert real("lock").stdout.startswith(f"{tmp_path / 'infxreg.lock'}: ")
        assert os.listdir(below) == []
        monkeypatch.chdir(tmp_path)
        assert real("lock", "--check").stdout.startswith("nothing moved since infxreg.lock, ")
        other = tmp_path / "other"
        other.mkdir()
        (other / "s.toml").write_text(SITE % 2)
        assert real("--site", "other/s.toml", "lock").stdout.startswith("other/infxreg.lock: ")
        assert "s.toml" in (other / "infxreg.lock").read_text()

    def test_without_a_site_file(self, tmp_path: Path) -> None:
        """/dev/null is none: the lock isn't written beside it."""
        assert real("--site", os.devnull, "lock").stdout.startswith("infxreg.lock: 6 plugins, ")
        assert "[site" not in (tmp_path / "infxreg.lock").read_text()

    def test_nothing_is_half_written(self, tmp_path: Path) -> None:
        """Not where the registry has faults, and not where the folder is none."""
        assert run("lock").exit_code == 0
        before = (tmp_path / "infxreg.lock").read_text()
        result = run("lock", registry=acme("[[rule]]"))
        assert (result.exit_code, result.stdout) == (2, "")
        assert "1 fault in the registry" in result.stderr
        result = run("lock", "-o", "infxreg.lock/x")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == "error: infxreg.lock/x can't be written: File exists\n"
        assert os.listdir(tmp_path) == ["infxreg.lock"]
        assert (tmp_path / "infxreg.lock").read_text() == before

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            (("x.lock",), "FILE is what --check compares: to write there, say -o FILE"),
            (("--json",), "--json goes with --check: the file is TOML"),
            (("--check", "-o", "x"), "--check writes nothing: drop -o, and name FILE alone"),
        ],
    )
    def test_options_that_don_t_go_together(self, args: tuple[str, ...], message: str) -> None:
        """Exit code 2, and nothing is written."""
        result = run("lock", *args)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == f"error: {message}\ntry: infxreg lock --help\n"
        assert os.listdir() == []

    def test_not_under_locked(self) -> None:
        """It would change what is compared with."""
        result = run("lock", locked=True)
        assert result.exit_code == 2
        assert "lock writes what --locked compares with: drop --locked" in result.stderr

    def test_processes_and_folders_don_t_count(self, tmp_path: Path) -> None:
        """The shipped registry with a site file: two hash seeds, two folders, the same bytes."""
        made = set()
        for seed in ("1", "2"):
            folder = tmp_path / seed
            folder.mkdir()
            (folder / "infxreg.toml").write_text(SITE % 1)
            subprocess.run(
                [sys.executable, "-m", "infxreg", "lock"],
                cwd=folder,
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                check=True,
            )
            made.add((folder / "infxreg.lock").read_text())
        assert len(made) == 1
        assert str(tmp_path) not in made.pop()


class TestCheck:
    """``infxreg lock --check``."""

    def test_nothing_moved(self) -> None:
        """Exit code 0."""
        run("lock")
        result = run("lock", "--check")
        assert (result.exit_code, result.stdout) == (
            0,
            "nothing moved since infxreg.lock, and all points resolve to the same\n",
        )
        assert json.loads(run("lock", "--check", "--json").stdout)["failed"] is False

    def test_what_moved(self) -> None:
        """Exit code 1, all of it, the snapshot and how to accept it."""
        run("lock", "-o", "x.lock")
        now = acme(ODD % 1)
        result = run("lock", "--check", "x.lock", registry=now)
        assert result.exit_code == 1
        assert result.stdout == (
            "the registry isn't what x.lock locks:\n"
            "  plugin extra is new (infxreg-extra 1.2)\n"
            f"  snapshot {lock_of(acme()).snapshot} → {lock_of(now).snapshot}\n"
            "to accept it: infxreg lock -o x.lock\n"
        )

    def test_json(self) -> None:
        """The same."""
        run("lock", "-o", "x.lock")
        result = run("lock", "--check", "x.lock", "--json", registry=acme(ODD % 1))
        assert result.exit_code == 1
        assert json.loads(result.stdout) == {
            "lock": "x.lock",
            "moved": ["plugin extra is new (infxreg-extra 1.2)"],
            "snapshot": {
                "locked": lock_of(acme()).snapshot,
                "now": lock_of(acme(ODD % 1)).snapshot,
            },
            "failed": True,
            "accept": "infxreg lock -o x.lock",
        }

    def test_only_the_tables_moved(self) -> None:
        """A comment more: that no point is launched otherwise is told."""
        run("lock", registry=acme(ODD % 1))
        result = run("lock", "--check", registry=acme(ODD % 1 + "# more\n"))
        assert result.exit_code == 1
        assert "  all points resolve to the same: the snapshot's digest hasn't" in result.stdout

    def test_only_the_snapshot_moved(self) -> None:
        """A derivation's code under the same name and version: --locked can't see that."""

        def registry(factor: int) -> Registry:
            def made(conc: int) -> int:
                return factor * conc

            derivation = Derivation(id="made", function=made)
            table = (ODD % 1).replace("= 1", '= { derive = "made", reads = ["conc"] }')
            return acme(collected("more", derivations=lambda: [derivation]), table)

        run("lock", registry=registry(1))
        assert run("points", registry=registry(2), locked=True).exit_code == 0
        result = run("lock", "--check", registry=registry(2))
        assert result.exit_code == 1
        assert result.stdout.splitlines()[1].startswith("  snapshot sha256:")

    def test_a_registry_with_faults(self) -> None:
        """Exit code 2: what moved, else the faults."""
        run("lock")
        result = run("lock", "--check", registry=acme("[[rule]]"))
        assert (result.exit_code, result.stdout) == (2, "")
        assert "plugin extra is new" in result.stderr
        assert "it has 1 fault besides" in result.stderr
        result = run("lock", "--check", registry=acme("[[rule]]").without_plugin("extra"))
        assert result.exit_code == 0

    def test_no_lock_file(self) -> None:
        """It says how to make that one."""
        result = run("lock", "--check", "none.lock")
        assert result.exit_code == 2
        assert result.stderr == (
            "error: there is no lock file none.lock: infxreg lock -o none.lock makes one\n"
        )


class TestLocked:
    """``--locked``, before any command that reads the registry."""

    @pytest.mark.parametrize(
        "args",
        [
            ("resolve", "x10", "m1"),
            ("resolve", "x10", "m1", "--tp", "4", "-f", "shell"),
            ("explain", "x10", "m1"),
            ("points", "--tp", "4"),
            ("check",),
            ("snapshot",),
            ("impact", "--without", "acme"),
            ("list", "skus"),
        ],
    )
    def test_commands(self, args: tuple[str, ...]) -> None:
        """They do as ever while nothing moved; else nothing is written but what moved."""
        run("lock")
        free, held = run(*args), run(*args, locked=True)
        assert (held.exit_code, held.stdout) == (free.exit_code, free.stdout)
        moved = run(*args, registry=acme(ODD % 1, site=ODD % 2), locked=True)
        assert (moved.exit_code, moved.stdout) == (2, "")
        assert moved.stderr == (
            "error: the registry isn't what infxreg.lock locks:\n"
            "  plugin extra is new (infxreg-extra 1.2)\n"
            "  site: table infxreg.toml is new\n"
            "to accept it: infxreg lock\n"
        )

    def test_without_a_lock_file(self) -> None:
        """It says how to make one."""
        result = run("check", locked=True)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == (
            "error: there is no lock file infxreg.lock: infxreg lock makes one\n"
        )

    def test_a_damaged_lock_file(self, tmp_path: Path) -> None:
        """And one that is a folder."""
        (tmp_path / "infxreg.lock").write_bytes(b"format = 1\n\xff")
        result = run("check", locked=True)
        assert result.exit_code == 2
        assert result.stderr.startswith("error: infxreg.lock is no lock file: not TOML: ")
        (tmp_path / "folder").mkdir()
        result = real("--lock", "folder", "check")
        assert result.exit_code == 2
        assert result.stderr == "error: the lock file folder can't be read: Is a directory\n"

    def test_faults_are_told_where_nothing_moved(self) -> None:
        """As without it."""
        whole = collected("more", rules=lambda: [rule("r", {"args.r": 1})])
        run("lock", registry=acme(whole))
        broken = evolve(whole, placed=(), faults=(whole.fault("can't be imported"),))
        result = run("check", registry=acme(broken), locked=True)
        assert result.exit_code == 2
        assert "can't be imported" in result.stderr

    def test_as_it_is_typed(self, tmp_path: Path) -> None:
        """With a site file that changes, plugins that are left out, and files that are named."""
        (tmp_path / "infxreg.toml").write_text(SITE % 1)
        resolve = ("resolve", "b200", "dsv41flash", "--tp", "4", "-f", "shell")
        assert real("lock").exit_code == 0
        assert "--port 1" in real("--locked", *resolve).stdout
        assert real("lock", "-o", "a/b c.lock").exit_code == 0
        (tmp_path / "infxreg.toml").write_text(SITE % 2)
        assert "--port 2" in real(*resolve).stdout
        result = real("--locked", "--skip-plugin", "amd", *resolve)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("error: the registry isn't what infxreg.lock locks:\n")
        assert "  plugin amd is left out (locked: infxreg-amd " in result.stderr
        assert "  site: table infxreg.toml changed\n" in result.stderr
        assert result.stderr.endswith("to accept it: infxreg --skip-plugin amd lock\n")
        result = real("--site", "infxreg.toml", "--lock", "a/b c.lock", *resolve)
        assert result.exit_code == 2
        assert result.stderr.endswith(
            "to accept it: infxreg --site infxreg.toml lock -o 'a/b c.lock'\n"
        )
        assert real("--lock", "a/b c.lock", "lock", "--check").exit_code == 1

    def test_help_works(self, tmp_path: Path) -> None:
        """Whatever moved."""
        (tmp_path / "infxreg.toml").write_text(SITE % 1)
        assert real("--locked", "resolve", "--help").exit_code == 0

    def test_nothing_is_loaded_for_it_unasked(self) -> None:
        """Start-up counts."""
        script = (
            "import sys\nsys.argv = ['infxreg', 'resolve', 'b200', 'dsv41flash']\n"
            "from infxreg.cli import main\ntry:\n    main()\nfinally:\n"
            "    names = {'infxreg.lock', 'infxreg.fingerprint', 'infxreg.snapshot', 'tomli_w'}\n"
            "    print(sorted(names & set(sys.modules)), file=sys.stderr)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", script.replace("flash']", "flash', '-f', 'shell']")],
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, "[]\n")
