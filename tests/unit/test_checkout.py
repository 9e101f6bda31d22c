"""``--from``: launches that another project's files say, on the hardware that is known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from infxreg import Registry
from infxreg.cli.app import app
from infxreg.cli.state import ALLOWLIST
from infxreg.errors import BadRequestError, RegistryFaults, UnknownIdError
from infxreg.exchange import ImportFaults
from infxreg.importing.checkout import checkout, split
from infxreg.records import Importer
from support.builders import ACME, acme, collected, rule
from support.seed import git

# A project that keeps one value for each line: the model, the SKU, and how many sequences.
CODE = '''
"""Reads lines of ``SKU TP SEQS``."""
from infxreg import hookimpl
from infxreg.contribution import Placed
from infxreg.exchange import Imported, ImportFaults
from infxreg.records import Importer, Model, Recipe, Rule, Sku, Sweep
from infxreg.scope import OneOf, Scope
from infxreg.values import FrozenMap


def read(folder, catalogue):
    lines = [line.split() for line in (folder / "launches.txt").read_text().splitlines()]
    wrong = [f"launches.txt:{n}: three words are needed"
             for n, line in enumerate(lines, 1) if len(line) != 3]
    if wrong:
        raise ImportFaults(tuple(wrong))
    placed = [Placed(Model(id="m1", hub_id="other/m1", family="f", source="x"), "launches.txt")]
    for number, (sku, tp, seqs) in enumerate(lines, 1):
        at = {"model": "m1", "sku": sku, "engine": "run", "tp": int(tp)}
        scope = Scope.of({axis: OneOf(frozenset([value])) for axis, value in at.items()})
        values = {"image": "acme/run:nightly-1", "parallel.tp": int(tp), "resources.gpus": int(tp),
                  "scheduler.max_num_seqs": int(seqs)}
        placed += [
            Placed(Rule(id=f"line-{number}", when=(scope,), settings=FrozenMap(values)),
                   "launches.txt"),
            Placed(
                Recipe(id=f"r{number}", model="m1", sku=sku, engine="run", default_point="p",
                       sweep=(Sweep(id="p", axes=FrozenMap({"tp": (int(tp),)})),), source="x"),
                "launches.txt",
            ),
        ]
    return Imported(placed=tuple(placed), left_out=("notes.txt: nobody reads it",))


@hookimpl
def infxreg_importers():
    return [Importer(id="plain", read=read, source="here")]
'''


def reader() -> Importer:
    found: dict[str, object] = {}
    exec(CODE, found)
    (importer,) = found["infxreg_importers"]()  # type: ignore[operator]
    assert isinstance(importer, Importer)
    return importer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "launches.txt").write_text("x10 2 32\nx20 4 64\n")
    return tmp_path


def registry() -> Registry:
    return acme(collected("reads", importers=lambda: [reader()]))


class TestRegistry:
    """What of the plugins stays, and what is the folder's."""

    def test_only_the_folder_says_how_something_is_launched(self, folder: Path) -> None:
        """Rules, recipes and gates of plugins are out; hardware, engines and images stay."""
        made = checkout(registry(), "plain", folder).registry
        assert sorted(made.catalogue.recipes) == ["r1", "r2"]
        assert not made.catalogue.gates
        spec = made.resolve(sku="x10", model="m1")
        assert {key: o.value for key, o in spec.options.items() if key.startswith("sched")} == {
            "scheduler.max_num_seqs": 32
        }
        assert str(spec.options["scheduler.max_num_seqs"].origins[0].file) == "launches.txt"
        assert "attention.backend" not in spec.options  # acme's run-base sets it
        assert set(made.catalogue.skus) == {"x10", "x20", "z10"}

    def test_facts_that_a_plugin_declares_are_its_own(self, folder: Path) -> None:
        """The folder's model of the same id is the plugin's."""
        made = checkout(registry(), "plain", folder).registry
        assert made.catalogue.models["m1"].hub_id == "acme/m1"

    def test_faults_of_what_was_imported(self, folder: Path) -> None:
        """They are those of any plugin, with the file."""
        (folder / "launches.txt").write_text("x11 2 32\n")
        with pytest.raises(RegistryFaults, match="unknown sku 'x11'"):
            checkout(registry(), "plain", folder).registry.check()

    def test_files_that_can_t_be_read(self, folder: Path) -> None:
        """All at once."""
        (folder / "launches.txt").write_text("x10 2\nx20\n")
        with pytest.raises(ImportFaults) as caught:
            checkout(registry(), "plain", folder)
        assert str(caught.value) == (
            "nothing is imported: 2 faults\n"
            "  launches.txt:1: three words are needed\n"
            "  launches.txt:2: three words are needed"
        )

    def test_names_that_nothing_has(self, folder: Path) -> None:
        with pytest.raises(UnknownIdError, match="unknown importer 'plan': did you mean 'plain'"):
            checkout(registry(), "plan", folder)
        with pytest.raises(BadRequestError, match="nowhere isn't there"):
            checkout(registry(), "plain", folder / "nowhere")

    def test_a_registry_with_faults(self, folder: Path) -> None:
        broken = acme(rule("bad", {"nobody.knows": 1}))
        with pytest.raises(RegistryFaults):
            checkout(broken, "plain", folder)


@pytest.mark.parametrize("text", ["inferencex", ":x", "inferencex:", ""])
def test_from_is_two_words(text: str) -> None:
    with pytest.raises(BadRequestError, match=r"isn't IMPORTER:FOLDER, as inferencex:\."):
        split(text)


def test_an_importer_that_can_t_be_called() -> None:
    bad = Importer(id="bad", read=None, source="x")  # type: ignore[arg-type]
    (fault,) = acme(collected("reads", importers=lambda: [bad])).faults
    assert "isn't callable" in str(fault)


PROJECT = """
[project]
name = "infxreg-reads"
version = "1"
[project.entry-points.infxreg]
reads = "acme_reads"
"""


class TestCommandLine:
    """``infxreg --from plain:FOLDER``."""

    @pytest.fixture(autouse=True)
    def _installed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        home = tmp_path / "installed"
        about = home / "infxreg_reads-1.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: infxreg-reads\nVersion: 1\n")
        (about / "entry_points.txt").write_text("[infxreg]\nreads = infxreg_reads_for_a_test\n")
        facts = ACME.split("[[gate]]")[0]
        tables = home / "infxreg_reads_for_a_test" / "tables"
        tables.mkdir(parents=True)
        (tables / "acme.toml").write_text(facts)
        (tables.parent / "__init__.py").write_text(
            CODE + "\n\nfrom infxreg import table_files\n\n\n@hookimpl\n"
            "def infxreg_tables():\n    return table_files(__name__)\n"
        )
        monkeypatch.syspath_prepend(str(home))
        monkeypatch.setenv("PYTHONPATH", str(home), prepend=":")
        monkeypatch.setenv(ALLOWLIST, "reads")

    @pytest.fixture
    def repo(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """The project, at two revisions."""
        home = tmp_path / "repo"
        (home / "config").mkdir(parents=True)
        git(home, "init", "-q", "-b", "main")
        for text in ("x10 2 32\nx20 4 64\n", "x10 2 32\nx20 4 128\n"):
            (home / "config" / "launches.txt").write_text(text)
            git(home, "add", "-A")
            git(home, "commit", "-q", "-m", "x")
        monkeypatch.chdir(tmp_path)
        return home

    def run(self, *args: str, source: str = "plain:repo/config") -> Result:
        return CliRunner().invoke(app, ["--from", source, *args])

    def test_resolve(self, repo: Path) -> None:
        """And what wasn't read is told."""
        result = self.run("resolve", "x20", "m1", "-f", "shell")
        assert (result.exit_code, result.stdout) == (
            0,
            "run serve acme/m1 --tp-size 4 --max-seqs 128\n",
        )
        assert result.stderr == "left out: notes.txt: nobody reads it\n"

    def test_impact_of_two_revisions(self, repo: Path) -> None:
        """Which points, by which file's rule; from wherever one stands."""
        result = self.run("impact", "HEAD~1", "HEAD", "--only", "sku=x10", "--json")
        assert result.exit_code == 1, result.output
        data = json.loads(result.stdout)
        assert data["outside"] == [{"scope": "sku=x20", "points": 1}]
        (block,) = data["blocks"]
        assert block["keys"][0]["key"] == "scheduler.max_num_seqs"

    def test_review(self, repo: Path) -> None:
        result = self.run("review", "HEAD~1", "HEAD", "-f", "json")
        assert result.exit_code == 0, result.output
        rows = {row["id"]: row for row in json.loads(result.stdout)["rows"]}
        assert "1 of 2 points change" in rows["scope"]["summary"]["en"]

    def test_the_working_tree(self, repo: Path) -> None:
        (repo / "config" / "launches.txt").write_text("x10 4 32\nx20 4 128\n")
        result = self.run("impact", "HEAD")
        assert result.exit_code == 0, result.output
        assert "+ new sku=x10 tp=4 (1 point)" in result.stdout

    def test_a_folder_that_isn_t_there(self, repo: Path) -> None:
        for command in (("points",), ("impact", "HEAD")):
            result = self.run(*command, source="plain:nowhere")
            assert (result.exit_code, result.stdout) == (2, "")
            assert "nowhere isn't there" in result.stderr
