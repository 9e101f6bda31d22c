"""``infxreg impact``: files, revisions, working trees, and the scope that was meant."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner, Result

from infxreg import Registry
from infxreg.cli.app import app
from infxreg.cli.state import State
from infxreg.records import Rule
from infxreg.review.snapshot import take
from infxreg.wholefile import write_whole
from support.builders import acme, rule, where

Write = Callable[[str, Registry], str]


def run(*args: str, registry: Registry | None = None) -> Result:
    return CliRunner().invoke(app, ["impact", *args], obj=State(registry=registry or acme()))


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, registry: Registry) -> str:
        path = tmp_path / name
        write_whole(path, "".join(f"{line}\n" for line in take(registry).lines()))
        return str(path)

    return written


WIDE = rule("wide", {"args.odd": 1}, where(vendor="acme", engine="run"))
NARROW = rule("narrow", {"args.odd": 1}, where(sku="x10", engine="run"))


class TestWhatChanges:
    """Blocks of points, as coarse as they can be."""

    def test_nothing(self, write: Write) -> None:
        """Said, with how much was looked at."""
        result = run(write("a", acme()), write("b", acme()))
        assert result.exit_code == 0
        assert result.stdout.startswith("nothing changes: 0 of 12 points, at each of 2 purposes\n")

    def test_one_scope(self, write: Write) -> None:
        """Every key with both values and the rule, and what stayed."""
        result = run(write("a", acme()), write("b", acme(NARROW)))
        assert result.exit_code == 0
        lines = result.stdout.splitlines()
        assert (
            lines[0]
            == "8 points change on sku=x10 engine=run, 0 of 4 elsewhere, at each of 2 purposes"
        )
        assert "~ changed sku=x10 engine=run (8 points)" in lines
        at = lines.index("    args.odd  (absent) → 1")
        assert lines[at + 1] == "        by nobody → extra:narrow"
        assert lines[-4:] == [
            "not changed:",
            "  sku     x20 (4)",
            "  model   m1 (4 of 12)",
            "  engine  alt (2), run (2 of 10)",
        ]

    def test_keys_that_change_elsewhere_are_a_block_of_their_own(self, write: Write) -> None:
        """And those that change at the same points are together."""
        more = rule("more", {"args.a": 1, "args.b": 2}, where(sku="x10", tp=4))
        result = run(write("a", acme()), write("b", acme(NARROW, more)))
        assert "~ changed sku=x10 engine=run (8 points)\n    args.odd" in result.stdout
        assert "~ changed sku=x10 engine=run tp=4 (2 points)\n    args.a" in result.stdout
        assert "    args.b  (absent) → 2" in result.stdout

    def test_one_rule_with_many_values_is_one_line(self, write: Write) -> None:
        """A derivation's values are listed, the first of them."""
        caps = 'set."acme.cap" = 8'
        site = f'[[rule]]\nid = "cap"\nwhen = {{ engine = "run", model = "m1" }}\n{caps}'
        result = run(write("a", acme()), write("b", acme(site=site)))
        assert "scheduler.max_num_seqs  32 → 8, 64 → 8" in result.stdout
        assert "by acme:run-base" in result.stdout

    def test_another_rule_for_the_same_value_is_no_change(self, write: Write) -> None:
        """What is launched is the same."""
        same = rule(
            "same", {"attention.backend": "PLAIN"}, where(sku="x20", model="m1", engine="run")
        )
        assert run(write("a", acme()), write("b", acme(same))).stdout.startswith("nothing changes")

    def test_at_one_purpose(self, write: Write) -> None:
        """Counted apart."""
        eval_only = rule(
            "t", {"args.odd": 1}, where(engine="run", model="m1", purpose="throughput")
        )
        lines = run(write("a", acme()), write("b", acme(eval_only))).stdout.splitlines()
        assert (
            lines[0]
            == "points that change, on engine=run: 0 at serve, 10 at throughput; 0 of 2 elsewhere"
        )
        assert "~ changed engine=run (10 points at throughput)" in lines

    def test_new_and_gone_points(self, write: Write) -> None:
        """As scopes too."""
        recipe = evolve(acme().catalogue.recipes["m1-x20-run"], id="new", workload="1k1k")
        result = run(write("a", acme()), write("b", acme(recipe)))
        assert "+ new sku=x20 engine=run workload=1k1k (2 points)" in result.stdout
        result = run(write("b2", acme(recipe)), write("a2", acme()))
        assert "- gone sku=x20 engine=run workload=1k1k (2 points)" in result.stdout

    def test_a_point_that_conflicts_now(self, write: Write) -> None:
        """Exit code 1, the conflict in its words; and mended the other way round."""
        clash = rule("clash", {"attention.backend": "FASTER"}, where(sku="x10", model="m1", tp=2))
        a, b = write("a", acme()), write("b", acme(clash))
        result = run(a, b)
        assert result.exit_code == 1
        assert "! fails sku=x10 engine=run tp=2 (2 points)\n" in result.stdout
        assert "attention.backend conflicts at this point:" in result.stdout
        assert "extra:clash" in result.stdout
        back = run(b, a)
        assert back.exit_code == 0
        assert "* mended " in back.stdout

    def test_other_points_at_each_purpose(self, write: Write) -> None:
        """As many at each, but no one scope of them all."""
        serve = rule("s", {"args.odd": 1}, where(sku="x10", engine="run", purpose="serve", tp=4))
        other = rule("t", {"args.odd": 1}, where(engine="run", purpose="throughput", sku="x20"))
        lines = run(write("a", acme()), write("b", acme(serve, other))).stdout.splitlines()
        assert lines[0] == (
            "points that change, on sku=x10 engine=run tp=4 and sku=x20 engine=run: "
            "2 at serve, 2 at throughput; 0 of 8 elsewhere"
        )

    def test_one_purpose(self, write: Write) -> None:
        """It is named."""
        paths = [write("a", acme()), write("b", acme(NARROW))]
        for path in map(Path, paths):
            lines = path.read_text().splitlines()
            path.write_text("\n".join(line for line in lines if '"throughput"' not in line))
        result = run(*paths)
        assert result.stdout.startswith(
            "8 points change on sku=x10 engine=run, 0 of 4 elsewhere, at serve\n"
        )

    def test_many_scopes(self, write: Write) -> None:
        """Four in the first line, all in the block."""
        scopes = [
            where(sku="x10", engine="run", tp=2, conc=1),
            where(sku="x10", engine="run", tp=4, conc=16),
            where(sku="x10", engine="run", ep=8, conc=2),
            where(sku="x20", engine="run", tp=4),
            where(sku="x20", engine="alt", tp=2),
        ]
        many = rule("many", {"args.odd": 1}, *scopes)
        lines = run(write("a", acme()), write("b", acme(many))).stdout.splitlines()
        assert lines[0].startswith("points that change, on sku=x10 engine=run ")
        assert " and 1 more scope: 5 at serve, 4 at throughput; 0 of 7 elsewhere" in lines[0]
        at = lines.index("~ changed 4 points:")
        assert lines[at + 1 : at + 5] == [
            "    sku=x10 engine=run conc=1 tp=2 (1 point)",
            "    sku=x10 engine=run conc=2 ep=8 (1 point)",
            "    sku=x10 engine=run conc=16 tp=4 (1 point)",
            "    sku=x20 engine=run tp=4 (1 point)",
        ]

    def test_failing_points_as_json(self, write: Write) -> None:
        """With the error, and no keys."""
        clash = rule("clash", {"attention.backend": "FASTER"}, where(sku="x10", model="m1", tp=2))
        result = run(write("a", acme()), write("b", acme(clash)), "--json")
        assert result.exit_code == 1
        (block,) = json.loads(result.stdout)["blocks"]
        assert block["kind"] == "fails"
        assert block["error"].startswith("attention.backend conflicts at this point:")
        assert "keys" not in block

    def test_json(self, write: Write) -> None:
        """All of it."""
        data = json.loads(run(write("a", acme()), write("b", acme(NARROW)), "--json").stdout)
        assert data["points"] == 12
        assert data["purposes"] == {"serve": {"changed": 8}, "throughput": {"changed": 8}}
        (block,) = data["blocks"]
        assert block["regions"] == [{"scope": "sku=x10 engine=run", "points": 8}]
        assert block["keys"] == [
            {
                "key": "args.odd",
                "before": [],
                "after": ["extra:narrow"],
                "values": [{"old": None, "new": 1}],
            }
        ]
        assert data["by"]["sku"] == {
            "x10": {"changed": 8, "points": 8},
            "x20": {"changed": 0, "points": 4},
        }


class TestOnly:
    """The scope that was meant."""

    def test_inside(self, write: Write) -> None:
        """Exit code 0, and what is outside is counted."""
        result = run(write("a", acme()), write("b", acme(NARROW)), "--only", "sku=x10")
        assert result.exit_code == 0
        assert result.stdout.startswith("outside sku=x10: 0 of 4 points change\n")

    def test_outside(self, write: Write) -> None:
        """Exit code 1, and it is listed first."""
        result = run(write("a", acme()), write("b", acme(WIDE)), "--only", "sku=x10 engine=run")
        assert result.exit_code == 1
        assert result.stdout.startswith(
            "outside sku=x10 engine=run: 2 of 4 points change\n  sku=x20 engine=run (2 points)\n\n"
        )
        data = json.loads(
            run(write("c", acme()), write("d", acme(WIDE)), "--only", "sku=x10", "--json").stdout
        )
        assert data["outside"] == [{"scope": "sku=x20 engine=run", "points": 2}]

    def test_by_facts_and_ranges(self, write: Write) -> None:
        """A scope can name what a SKU is, and a span of concurrencies."""
        a, b = write("a", acme()), write("b", acme(WIDE))
        assert run(a, b, "--only", "vendor=acme").exit_code == 0
        assert run(a, b, "--only", "vendor=bolt").exit_code == 1
        assert run(a, b, "--only", "conc=1..64").exit_code == 0
        assert run(a, b, "--only", "conc=2..64").exit_code == 1

    @pytest.mark.parametrize(
        ("scope", "message"),
        [
            ("b200", "--only: 'b200' is no constraint: write axis=value, a|b, or 8..64"),
            ("sku=x10 sku=x20", "--only: sku stands there twice"),
            ("skuu=x10", "unknown axis 'skuu': did you mean 'sku'?"),
            ("sku=x11", "unknown sku 'x11'"),
        ],
    )
    def test_a_scope_that_means_nothing(self, write: Write, scope: str, message: str) -> None:
        """Exit code 2: a typo must not pass for a scope that nothing touches."""
        result = run(write("a", acme()), write("b", acme()), "--only", scope)
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in result.stderr


class TestSides:
    """What can be compared."""

    def test_a_file_with_the_registry(self, write: Write) -> None:
        """Without a second name."""
        result = run(write("a", acme()), registry=acme(NARROW))
        assert "→ the registry\n" in result.stdout
        assert "8 points change" in result.stdout

    def test_without_a_plugin(self) -> None:
        """What it does to the others."""
        result = run("--without", "extra", registry=acme(NARROW))
        assert result.stdout.startswith("8 points change on sku=x10 engine=run")
        assert "without extra → with it" in result.stdout

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            ((), "name a base: a snapshot file or a git revision, or --without"),
            (("--without", "extr"), "unknown plugin 'extr'"),
            (("x", "--without", "acme"), "name a base, or --without a plugin, not both"),
            (("nowhere",), "'nowhere' is no snapshot file, and no git repository is here"),
        ],
    )
    def test_names_that_can_t_be_used(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], message: str
    ) -> None:
        """Exit code 2, with what there is instead."""
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
        result = run(*args)
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in result.stderr


SITE = """
[[rule]]
id = "ours"
when = { sku = "b200", model = "dsv41flash", engine = "vllm" }
set."scheduler.max_num_seqs" = %d
"""


def git(folder: Path, *args: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", "-C", str(folder), *who, *args], check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q")
    monkeypatch.chdir(folder)
    return folder


def commit(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "x")


def real(*args: str) -> Result:
    return CliRunner().invoke(app, args)


class TestRevisions:
    """Of a git repository, with the installed plugins."""

    def test_a_site_file(self, repo: Path) -> None:
        """Between two revisions, and with the working tree."""
        commit(repo, {"infxreg.toml": SITE % 8})
        commit(repo, {"infxreg.toml": SITE % 16})
        result = real("impact", "HEAD~1", "HEAD", "--only", "sku=b200")
        assert result.exit_code == 0, result.output
        assert "scheduler.max_num_seqs  8 → 16\n        by site:ours" in result.stdout
        (repo / "infxreg.toml").write_text(SITE % 32)
        result = real("impact", "HEAD")
        assert "16 points change on sku=b200 engine=vllm, 0 of 217 elsewhere" in result.stdout
        assert "HEAD → the working tree" in result.stdout
        assert "max_num_seqs  16 → 32" in result.stdout

    def test_a_plugin_s_own_source(self, repo: Path) -> None:
        """Installed or not; what it adds at a revision, and changes later."""
        project = (
            '[project]\nname = "infxreg-mine"\nversion = "1"\n'
            '[project.entry-points.infxreg]\nmine = "infxreg_mine"\n'
        )
        code = (
            "from infxreg import hookimpl, table_files\n"
            "@hookimpl\ndef infxreg_tables():\n    return table_files(__name__)\n"
        )
        commit(repo, {"readme": "x"})
        source = {
            "pyproject.toml": project,
            "src/infxreg_mine/__init__.py": code,
            "src/infxreg_mine/tables/a.toml": (SITE % 8).replace(
                "scheduler.max_num_seqs", "args.seed"
            ),
        }
        commit(repo, source)
        result = real("--site", os.devnull, "impact", "HEAD~1", "HEAD")
        assert result.exit_code == 0, result.output
        assert "16 points change on sku=b200 engine=vllm" in result.stdout
        assert "→ mine:ours" in result.stdout
        skipped = real("--site", os.devnull, "--skip-plugin", "mine", "impact", "HEAD~1", "HEAD")
        assert skipped.stdout.startswith("nothing changes")

    def test_a_revision_that_can_t_be_resolved(self, repo: Path) -> None:
        """Its faults, and exit code 2."""
        commit(repo, {"infxreg.toml": SITE % 8})
        commit(repo, {"infxreg.toml": '[[rule]]\nid = "bad"\nset."nobody.knows" = 1\n'})
        result = real("impact", "HEAD~1", "HEAD")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "nobody.knows" in result.stderr

    def test_a_repository_without_anything_of_ours(self, repo: Path) -> None:
        """Two equal sides would say that nothing changes."""
        commit(repo, {"readme": "x"})
        result = real("--site", os.devnull, "impact", "HEAD")
        assert result.exit_code == 2
        assert "nothing of infxreg is in" in result.stderr

    @pytest.mark.parametrize("name", ["nobody", "--output=x"])
    def test_no_revision(self, repo: Path, name: str) -> None:
        """Neither a file nor a commit."""
        commit(repo, {"infxreg.toml": SITE % 8})
        result = real("impact", "--", name)
        assert result.exit_code == 2
        assert f"{name!r} is no snapshot file, and no revision of" in result.stderr

    def test_a_broken_pyproject(self, repo: Path) -> None:
        """It is named."""
        commit(repo, {"infxreg.toml": SITE % 8, "pyproject.toml": "["})
        result = real("impact", "HEAD", "HEAD")
        assert result.exit_code == 2
        assert "pyproject.toml: " in result.stderr


def test_rules_that_scope_by_arch_are_told_by_sku(write: Write) -> None:
    """The seed: what is meant for one SKU and written for an architecture."""
    wide: Rule = rule("wide", {"args.odd": 1}, where(arch="ax1", engine="run"))
    result = run(write("a", acme()), write("b", acme(wide)), "--only", "sku=x10")
    assert result.exit_code == 1
    assert "  sku=x20 engine=run (2 points)\n" in result.stdout
