"""Locks: what a registry is made of, what moved, and a registry that is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from attrs import evolve
from click.testing import CliRunner, Result

from infxreg import Registry
from infxreg.cli.app import app
from infxreg.cli.state import State
from infxreg.contribution import Contribution
from infxreg.records import Derivation, Rule
from infxreg.review.lock import Lock, Locked, LockError, lock_of, moved, read_lock
from infxreg.values import FrozenMap
from support.builders import acme, from_toml, rule, where

TABLE = '[[rule]]\nid = "odd"\nset."args.odd" = 1\nwhen = { sku = "x10" }\n'


def one(value: int) -> int:
    return value


def other(value: int) -> int:
    return value


def run(*args: str) -> Result:
    return CliRunner().invoke(app, args)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class TestWhatMoved:
    """Everything, in words."""

    def moved(self, before: Registry, after: Registry) -> list[str]:
        return list(moved(lock_of(before), lock_of(after)))

    def test_nothing(self) -> None:
        """Whatever the order of the plugins."""
        base = acme(from_toml(TABLE, "b"), from_toml(TABLE, "a"))
        turned = Registry(tuple(reversed(base.contributions)))
        assert self.moved(base, turned) == []

    def test_a_plugin(self) -> None:
        """New, gone, or of another version."""
        with_one = acme(from_toml(TABLE, "more"))
        assert self.moved(acme(), with_one)[0] == "plugin more is new"
        assert self.moved(with_one, acme())[0] == "plugin more is gone"
        newer = acme(evolve(from_toml(TABLE, "more"), version="2.0"))
        assert self.moved(with_one, newer) == [
            "plugin more is infxreg-more 2.0, not infxreg-more 1.2"
        ]

    def test_a_table(self) -> None:
        """Changed, new or gone; and what it did to the points."""
        base = acme(from_toml(TABLE, "more"))
        comment = acme(from_toml(f"# a comment\n{TABLE}", "more"))
        assert self.moved(base, comment) == ["plugin more: infxreg_more/extra.toml changed"]
        renamed = acme(from_toml(TABLE, "more", "new.toml"))
        assert self.moved(base, renamed) == [
            "plugin more: infxreg_more/extra.toml is gone",
            "plugin more: infxreg_more/new.toml is new",
        ]
        table, points = self.moved(base, acme(from_toml(TABLE.replace("= 1", "= 2"), "more")))
        assert table == "plugin more: infxreg_more/extra.toml changed"
        assert points.startswith("the points resolve to sha256:")

    @pytest.mark.parametrize(
        "change",
        [
            {"settings": FrozenMap({"args.odd": 2})},
            {"settings": FrozenMap({"args.odd": 1.0})},
            {"when": (where(sku="x20"),)},
            {"source": "another"},
        ],
    )
    def test_python_records(self, change: dict[str, Any]) -> None:
        """By all that they say."""
        made: Rule = rule("odd", {"args.odd": 1}, where(sku="x10"))
        before = acme(Contribution.of("py", made))
        after = acme(Contribution.of("py", evolve(made, **change)))
        assert "plugin py: what its Python hooks give changed" in self.moved(before, after)

    def test_functions_by_name(self) -> None:
        """A derivation that names another function is another record."""
        before = acme(Contribution.of("py", Derivation(id="d", function=one)))
        after = acme(Contribution.of("py", Derivation(id="d", function=other)))
        assert self.moved(before, after) == ["plugin py: what its Python hooks give changed"]
        assert self.moved(before, before) == []

    def test_the_site_file(self) -> None:
        """It is locked under its name alone."""
        before = acme(site='[[rule]]\nid = "s"\nset."args.odd" = 1')
        after = acme(site='[[rule]]\nid = "s"\nset."args.odd" = 2')
        assert self.moved(before, after)[0] == "plugin site: infxreg.toml changed"

    def test_the_core(self) -> None:
        """Another version of infxreg itself."""
        now = lock_of(acme(), resolved=False)
        assert moved(evolve(now, core="0.0.1"), now) == (f"infxreg is {now.core}, not 0.0.1",)


class TestFiles:
    """Written and read."""

    def test_round_trip(self) -> None:
        """The same lock, and the same bytes."""
        lock = lock_of(acme(from_toml(TABLE), rule("py", {"args.x": 1})))
        text = tomli_w.dumps(lock.to_dict())
        assert read_lock(text, "f") == lock
        assert tomli_w.dumps(read_lock(text, "f").to_dict()) == text

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("[", "f is no lock: "),
            ("", "'format' is missing"),
            ('format = 2\ncore = "1"\n[plugins]', "format 2; this version reads 1"),
            ('format = 1\ncore = "1"\nextra = 1\n[plugins]', "unknown key 'extra'"),
            ("format = 1\ncore = 1\n[plugins]", "text is needed"),
            ('format = 1\ncore = "1"\nplugins = 3', "a table is needed"),
            (
                'format = 1\ncore = "1"\n[plugins.a]\nversion = "1"\nhash = "x"',
                "unknown key 'hash' @ plugins.a; 'distribution' is missing @ plugins.a",
            ),
        ],
    )
    def test_files_that_are_no_lock(self, text: str, problem: str) -> None:
        """Everything that is wrong, with its place."""
        with pytest.raises(LockError) as error:
            read_lock(text, "f")
        assert problem in str(error.value)

    def test_an_empty_lock(self) -> None:
        """Every plugin is new to it."""
        empty = read_lock('format = 1\ncore = "0.1.0"\n[plugins]', "f")
        assert empty == Lock("0.1.0", FrozenMap())
        now = Lock("0.1.0", FrozenMap({"a": Locked("infxreg-a", "1")}))
        assert moved(empty, now) == ("plugin a is new",)


class TestCommand:
    """``infxreg lock`` and ``--locked``, with what is installed."""

    def test_locked(self, tmp_path: Path) -> None:
        """The lock is written, holds, and is without a path of the machine."""
        assert run("lock").exit_code == 0
        text = (tmp_path / "infxreg.lock").read_text()
        assert str(tmp_path) not in text
        assert set(tomllib.loads(text)["plugins"]) >= {"nvidia", "amd", "vllm", "sglang", "infxreg"}
        held = run("lock", "--check")
        assert (held.exit_code, held.stdout) == (0, "the registry is that of infxreg.lock\n")
        result = run("--locked", "resolve", "b200", "dsv41flash", "-f", "env")
        assert result.exit_code == 0, result.stderr

    def test_beside_the_site_file(self, tmp_path: Path) -> None:
        """And the site's rules are part of it."""
        (tmp_path / "infxreg.toml").write_text(
            '[[rule]]\nid = "s"\nwhen = { sku = "b200" }\nset."args.seed" = 1\n'
        )
        below = tmp_path / "below"
        below.mkdir()
        os.chdir(below)
        assert run("lock").exit_code == 0
        assert (tmp_path / "infxreg.lock").is_file()
        (tmp_path / "infxreg.toml").write_text("")
        for command in ("resolve b200 dsv41flash", "points", "check", "snapshot", "list skus"):
            refused = run("--locked", *command.split())
            assert (refused.exit_code, refused.stdout) == (2, "")
            assert "plugin site: infxreg.toml changed\ninfxreg lock takes it" in refused.stderr
        told = run("lock", "--check", "--json")
        assert told.exit_code == 1
        assert json.loads(told.stdout)["moved"][0] == "plugin site: infxreg.toml changed"
        assert len(json.loads(told.stdout)["moved"]) == 2

    def test_another_file(self, tmp_path: Path) -> None:
        """Named before the command, it locks without --locked; what writes it isn't locked."""
        path = tmp_path / "my.lock"
        assert run("--lock", str(path), "lock").exit_code == 0
        skipped = run("--lock", str(path), "--skip-plugin", "amd", "points")
        assert (skipped.exit_code, skipped.stdout) == (2, "")
        assert "plugin amd is gone" in skipped.stderr
        again = run("--lock", str(path), "--skip-plugin", "amd", "lock")
        assert again.exit_code == 0, again.stderr
        assert run("--lock", str(path), "--skip-plugin", "amd", "points").exit_code == 0

    @pytest.mark.parametrize("args", [("--locked", "points"), ("lock", "--check")])
    def test_without_a_lock(self, args: tuple[str, ...]) -> None:
        """How to make one."""
        result = run(*args)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "infxreg.lock can't be read" in result.stderr
        assert "infxreg lock writes one" in result.stderr

    def test_a_folder_in_the_way(self, tmp_path: Path) -> None:
        """Nothing is left."""
        (tmp_path / "infxreg.lock").mkdir()
        result = run("lock")
        assert result.exit_code == 2
        assert "can't be written" in result.stderr
        assert os.listdir(tmp_path) == ["infxreg.lock"]

    def test_a_registry_with_faults(self) -> None:
        """It has to be mended first."""
        state = State(registry=acme(rule("bad", {"nobody.knows": 1})))
        result = CliRunner().invoke(app, ["lock"], obj=state)
        assert result.exit_code == 2
        assert "1 fault in the registry" in result.stderr


def test_hash_seeds_move_nothing(tmp_path: Path) -> None:
    """The same bytes in two processes."""
    for seed in ("1", "2"):
        command = [sys.executable, "-m", "infxreg", "--lock", str(tmp_path / seed), "lock"]
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, check=True)
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
