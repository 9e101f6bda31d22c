"""InferenceX's files as launches: points, what starts them, and the rows back again."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from infxreg import LaunchSpec, Registry, TableFile
from infxreg.cli.app import app
from infxreg.errors import BadRequestError
from infxreg.exchange import ExportError, Imported, ImportFaults, Launch
from infxreg.importing.checkout import of_records
from infxreg_inferencex.importer.launches import of_files
from infxreg_inferencex.importer.names import sku_of, slug
from infxreg_inferencex.master import combined, read_master, read_runners, rows
from infxreg_inferencex.matrix import rows as written
from support.builders import collected
from support.inferencex import DISAGG, MASTER, SOUND, Shared, shared_folder, write
from support.seed import git

SCRIPT = "benchmarks/single_node/fixed_seq_len/a_fp4_mi355x.sh"
TWIN = {**SOUND, SCRIPT: "sglang serve\n"}
Read = Callable[..., Registry]


@pytest.fixture
def read(registry: Registry) -> Read:
    """The registry of the twin, with changes: (file, what stands there, what does instead)."""

    def made(*changes: tuple[str, str, str], more: Mapping[str, str] | None = None) -> Registry:
        found = of_records(registry, imported(registry, *changes, more=more))
        found.check()
        return found

    return made


def imported(
    registry: Registry, *changes: tuple[str, str, str], more: Mapping[str, str] | None = None
) -> Imported:
    files = {**TWIN, **(more or {})}
    for name, old, new in changes:
        assert old in files[name]
        files[name] = files[name].replace(old, new, 1)
    return of_files(files, registry.catalogue)


def specs(registry: Registry, recipe: str) -> dict[str, LaunchSpec]:
    return {
        str(point.id): registry.resolve(point)
        for point in registry.points()
        if point.recipe is not None and point.recipe.id == recipe
    }


def launches(registry: Registry) -> list[Launch]:
    return [
        Launch(recipe=p.recipe.id if p.recipe else "", point=p.id or "", spec=registry.resolve(p))
        for p in registry.points()
    ]


def own_rows(files: Mapping[str, str]) -> list[dict[str, Any]]:
    names = (MASTER, "configs/amd-master.yaml")
    entries = combined([read_master(files[name], name) for name in names])
    return rows(entries, read_runners(files["configs/runners.yaml"], "r"))


def counted(found: list[dict[str, Any]]) -> Counter[str]:
    return Counter(json.dumps(row, sort_keys=True) for row in found)


class TestPoints:
    """Where each job stands, by role."""

    def test_disaggregated(self, read: Read) -> None:
        """A point for each role and concurrency, with that role's arguments, image and GPUs."""
        found = specs(read(), "a-fp4-b200-dynamo-vllm-agentic")
        assert sorted(found) == [
            "agentic_disagg_tp4_c4_prefill",
            "agentic_disagg_tp4_c8_prefill",
            "agentic_disagg_tp8_ep8_dp8_c4_decode",
            "agentic_disagg_tp8_ep8_dp8_c8_decode",
        ]
        prefill = found["agentic_disagg_tp4_c4_prefill"]
        assert prefill.argv == (
            *("python3", "-m", "dynamo.vllm", "--model", "org/A-NVFP4"),
            *("--tensor-parallel-size", "4"),
        )
        assert prefill.image.reference == "nvcr.io/org/i:v1"
        decode = found["agentic_disagg_tp8_ep8_dp8_c4_decode"]
        assert "--enable-expert-parallel" in decode.argv
        assert decode.point.axes["role"] == "decode"
        assert decode.point.axes["cluster"] == "b200-x"

    def test_aggregated_and_selected(self, read: Read) -> None:
        """The variant that the selector names; an alias of a cluster is no image."""
        (low,) = specs(read(), "a-fp4-b200-dynamo-sglang").values()
        assert low.argv[-2:] == ("--tp-size", "4")
        assert low.image.reference == "org/s:v1"
        assert low.point.axes["variant"] == "agg-override_low"
        (agentic,) = specs(read(), "a-fp4-b200-dynamo-sglang-agentic").values()
        assert agentic.env["SGLANG_SIMULATE_ACC_LEN"] == "2.2"

    def test_a_configuration_is_json(self, read: Read) -> None:
        """TensorRT-LLM's keys reach its worker as what they are."""
        (spec,) = specs(read(), "a-fp4-b200-dynamo-trt-agentic").values()
        flag = spec.argv.index("--override-engine-args")
        assert json.loads(spec.argv[flag + 1]) == {
            "enable_attention_dp": True,
            "moe_expert_parallel_size": 8,
            "speculative_config": {"max_draft_len": 1},
            "tensor_parallel_size": 8,
        }

    def test_a_script(self, read: Read) -> None:
        """It is started with what a runner tells it, and its content is part of the launch."""
        found = specs(read(), "a-fp4-mi355x-sglang")
        spec = found["8k1k_none_tp4_c8"]
        assert spec.argv == ("bash", "-c", 'exec bash "$BENCH_SCRIPT"')
        told = ("BENCH_SCRIPT", "MODEL", "TP", "CONC", "ISL", "DP_ATTENTION")
        assert [spec.env[name] for name in told] == [
            *(SCRIPT, "org/A-MXFP4", "4", "8", "8192", "false")
        ]
        after = specs(read((SCRIPT, "serve", "serve --fast")), "a-fp4-mi355x-sglang")
        assert after["8k1k_none_tp4_c8"].digest != spec.digest

    def test_a_recipe_of_elsewhere(self, read: Read) -> None:
        """Which one it is, is known."""
        found = specs(read(), "a-fp4-gb200-dynamo-trt")
        assert {spec.env["CONFIG_FILE"] for spec in found.values()} == {
            "recipes/trtllm/upstream/x.yaml"
        }

    def test_jobs_at_the_same_place(self, read: Read) -> None:
        """They are told apart, so that none is lost."""
        twice = (
            "configs/amd-master.yaml",
            "      - { tp: 4, conc-list: [1, 8] }\n",
            "      - { tp: 4, conc-list: [1, 8] }\n" * 2,
        )
        found = specs(read(twice), "a-fp4-mi355x-sglang")
        assert sorted(found) == [
            *("8k1k_none-2_tp4_c1", "8k1k_none-2_tp4_c8", "8k1k_none_tp4_c1", "8k1k_none_tp4_c8")
        ]

    def test_where_a_setting_is_from(self, read: Read) -> None:
        """The recipe file, and the entry of the master config."""
        decode = specs(read(), "a-fp4-b200-dynamo-vllm-agentic")[
            "agentic_disagg_tp8_ep8_dp8_c4_decode"
        ]
        (origin,) = decode.options["args.data-parallel-size"].origins
        assert origin.file == DISAGG
        assert origin.note is not None
        assert origin.note.startswith(f"{DISAGG}:")

    def test_rules_name_sku_model_and_engine(self, read: Read) -> None:
        """What one entry says reaches nothing else."""
        for scoped in read().catalogue.plugin_rules.all:
            if scoped.origin.plugin == "import":
                for scope in scoped.rule.when:
                    assert {"sku", "model", "engine", "config"} <= {axis for axis, _ in scope.terms}


class TestLeftOut:
    """What can't be read is counted, and never silently gone."""

    def test_scripts_and_recipes_of_elsewhere(self, registry: Registry) -> None:
        scripts, elsewhere = imported(registry).left_out
        assert scripts.startswith("what shell scripts give engines, at 2 entries of search spaces")
        assert elsewhere.startswith("1 recipe files that aren't in the checkout")

    def test_a_sku_that_nobody_declares(self, registry: Registry) -> None:
        runners = ("configs/runners.yaml", "mi355x: [y]", "mi355x: [y], tpu7: [z]")
        entry = ("configs/amd-master.yaml", "runner: mi355x", "runner: tpu7")
        found = imported(registry, runners, entry)
        assert "2 jobs on tpu7: no plugin declares that SKU" in found.left_out
        assert found.counts["jobs"] == len(own_rows(TWIN))

    def test_findings(self, registry: Registry) -> None:
        """With file, line and key path."""
        assert imported(registry).findings == ()
        (found,) = imported(registry, (DISAGG, "i:v1", "i:v2")).findings
        assert (found.id, found.severity, found.file) == ("image-differs", "error", MASTER)
        assert found.where == f"{MASTER}:2 a-fp4-b200-dynamo-vllm-agentic.image"

    def test_files_with_faults(self, registry: Registry) -> None:
        """All of them, with their places."""
        with pytest.raises(ImportFaults) as caught:
            imported(
                registry,
                (MASTER, "  multinode: true\n", "  multinod: true\n"),
                ("configs/amd-master.yaml", "tp: 4, conc", "tp: four, conc"),
            )
        told = str(caught.value)
        assert f"{MASTER}:" in told
        assert "multinod" in told
        assert "configs/amd-master.yaml:" in told

    def test_a_folder_that_is_none_of_inferencexs(self, registry: Registry) -> None:
        with pytest.raises(ImportFaults, match="the file is missing"):
            of_files({}, registry.catalogue)


class TestRows:
    """The rows of the matrix from resolved launches."""

    def test_of_the_twin(self, read: Read) -> None:
        assert counted(written(launches(read()))) == counted(own_rows(TWIN))

    def test_a_launch_of_nobody(self, registry: Registry) -> None:
        """Each is named."""
        some = launches(registry)[:2]
        with pytest.raises(ExportError) as caught:
            written(some)
        assert str(caught.value).startswith("inferencex-matrix can't express:\n  ")
        assert len(caught.value.problems) == 2

    @pytest.mark.slow
    def test_of_the_real_one(self, registry: Registry) -> None:
        """1,820 of 1,820, as InferenceX's own generator makes them."""
        shared = shared_folder()
        made = of_records(registry, of_files(Shared(shared), registry.catalogue))
        with gzip.open(shared / "matrix-rows.json.gz") as file:
            wanted = json.load(file)
        assert len(wanted) == 1820
        assert counted(written(launches(made))) == counted(wanted)


@pytest.mark.parametrize(
    ("runner", "sku"),
    [
        ("b200", "b200"),
        ("cluster:b200-dgxc", "b200"),
        ("gb200-nv", "gb200"),
        ("b2000", None),
        ("tpu7", None),
    ],
)
def test_the_sku_of_a_runner(runner: str, sku: str | None) -> None:
    assert sku_of(runner, ["b200", "gb200", "b300"]) == sku


def test_slug() -> None:
    assert slug("A_b+C/d v1.5-") == "a_b-c-d-v1.5"


class TestCommandLine:
    """``import``, ``export`` and ``--from``."""

    @pytest.fixture
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A checkout at two revisions: the second changes one argument of one role."""
        home = write(tmp_path / "infx", {SCRIPT: "x\n"})
        git(home, "init", "-q", "-b", "main")
        for size in ("8", "16"):
            text = SOUND[DISAGG].replace("data-parallel-size: 8", f"data-parallel-size: {size}")
            (home / DISAGG).write_text(text)
            git(home, "add", "-A")
            git(home, "commit", "-q", "-m", "x")
        monkeypatch.chdir(home)
        return home

    def run(self, *args: str) -> Result:
        return CliRunner().invoke(app, args)

    def test_impact(self, folder: Path) -> None:
        """Of the recipe's points alone those of the role, by its file."""
        result = self.run(
            "--from", "inferencex:.", "impact", "HEAD~1", "HEAD", "--only", "sku=b200"
        )
        assert result.exit_code == 0, result.output
        assert "args.data-parallel-size  8 → 16" in result.stdout
        assert "2 points change" in result.stdout
        wrong = self.run("--from", "inferencex:.", "impact", "HEAD~1", "--only", "sku=b300")
        assert wrong.exit_code == 1

    def test_changelog(self, folder: Path) -> None:
        """An entry that names another config."""
        entry = (
            "\n- config-keys:\n    - a-fp4-mi355x-sglang\n  description:\n    - x\n  pr-link: z\n"
        )
        with (folder / "perf-changelog.yaml").open("a") as file:
            file.write(entry)
        result = self.run(
            *("--from", "inferencex:.", "impact", "HEAD~1", "--check-changelog"),
            "perf-changelog.yaml",
        )
        assert result.exit_code == 1, result.output
        assert "a-fp4-b200-dynamo-vllm-agentic changes (2 points), and no entry" in result.stderr

    def test_import(self, folder: Path) -> None:
        """Counts, what is left out, findings; exit code 1 for an error."""
        result = self.run("import", "inferencex", ".")
        assert result.exit_code == 1
        assert result.stdout.startswith("7 entries, 9 jobs, ")
        assert "error label-contradicted: " in result.stdout
        data = json.loads(self.run("import", "inferencex", ".", "--json").stdout)
        assert data["findings"][0]["file"] == MASTER
        assert (
            "| ❌ | label-contradicted |"
            in self.run("import", "inferencex", ".", "-f", "markdown").stdout
        )
        git(folder, "checkout", "-q", "HEAD~1")
        sound = self.run("import", "inferencex", ".")
        assert (sound.exit_code, "found: nothing" in sound.stdout) == (0, True)

    def test_export(self, folder: Path, tmp_path: Path) -> None:
        """To standard output or a folder, where nothing is lost unasked."""
        args = ("--from", "inferencex:.", "export", "inferencex-matrix")
        assert len(json.loads(self.run(*args).stdout)) == len(own_rows(TWIN))
        out = tmp_path / "out"
        assert self.run(*args, "-o", str(out)).exit_code == 0
        part = self.run(*args, "--only", "sku=b200", "-o", str(out))
        assert part.exit_code == 2
        assert "nothing is written: " in part.stderr
        assert "--- " in part.stdout
        assert self.run(*args, "--only", "sku=b200", "-o", str(out), "--force").exit_code == 0
        assert {row["runner"] for row in json.loads((out / "matrix.json").read_text())} == {
            *("b200", "cluster:b200-x")
        }

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            (("import", "infx", "."), "unknown importer 'infx'"),
            (("import", "inferencex", "nowhere"), "nowhere isn't there"),
            (("export", "matrix"), "unknown exporter 'matrix'"),
            (("export", "inferencex-matrix"), "no job of InferenceX's is behind it"),
            (("export", "inferencex-matrix", "--only", "sku=b2"), "unknown sku 'b2'"),
            (("export", "inferencex-matrix", "--only", "tp=64"), "no swept point lies in tp=64"),
        ],
    )
    def test_requests_that_can_t_be_used(
        self, folder: Path, args: tuple[str, ...], message: str
    ) -> None:
        result = self.run(*args)
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in result.stderr

    def test_several_recipes_of_one_engine(self, read: Read) -> None:
        """The axis that tells them apart is named."""
        more = SOUND["configs/amd-master.yaml"].replace("a-fp4-mi355x-sglang:", "a-b:", 1)
        text = more[: more.index("a-fp4-mi355x-sglang-disagg:")]
        registry = read(
            ("configs/amd-master.yaml", "a-fp4-mi355x-sglang:", f"{text}a-fp4-mi355x-sglang:")
        )
        wanted = {"sku": "mi355x", "model": "a-mxfp4", "engine": "script-sglang"}
        with pytest.raises(
            BadRequestError, match="2 recipes of script-sglang fit: name the config"
        ):
            registry.resolve(**wanted, workload="8k1k")
        spec = registry.resolve(**wanted, workload="8k1k", config="a-b")
        assert spec.point.axes["config"] == "a-b"


class TestTables:
    """What is imported, as tables with few rules."""

    def tables(self, folder: Path, out: Path, *args: str) -> Result:
        return CliRunner().invoke(app, ["import", "inferencex", str(folder), "-o", str(out), *args])

    def test_they_launch_the_same(self, registry: Registry, read: Read, tmp_path: Path) -> None:
        """Every point, read back as any plugin's tables are; and the same rows come of them."""
        folder, out = write(tmp_path / "infx", {SCRIPT: "sglang serve\n"}), tmp_path / "out"
        assert self.tables(folder, out).exit_code == 0
        names = [path.name for path in sorted(out.iterdir())]
        assert names == ["a-mxfp4.toml", "a-nvfp4.toml", "facts.toml"]
        files = [TableFile(f"x/tables/{path.name}", path) for path in sorted(out.iterdir())]
        back = collected("back", tables=lambda: files)
        made = of_records(registry, Imported(placed=back.placed))
        made.check()
        assert {id: _launched(spec) for id, spec in _all(made).items()} == {
            id: _launched(spec) for id, spec in _all(read()).items()
        }
        assert counted(written(launches(made))) == counted(own_rows(TWIN))

    def test_a_second_import(self, tmp_path: Path) -> None:
        """The same bytes; what was edited is shown, and stays as it is unless asked."""
        folder, out = write(tmp_path / "infx", {}), tmp_path / "out"
        assert self.tables(folder, out).exit_code == 0
        before = {path.name: path.read_bytes() for path in out.iterdir()}
        assert self.tables(folder, out).exit_code == 0
        assert {path.name: path.read_bytes() for path in out.iterdir()} == before
        edited = out / "a-nvfp4.toml"
        edited.write_text(edited.read_text() + "\n# ours\n")
        result = self.tables(folder, out)
        assert result.exit_code == 2
        assert "-# ours" in result.stdout
        assert "a-nvfp4.toml would change; --force writes over what is there" in result.stderr
        assert edited.read_text().endswith("# ours\n")
        assert self.tables(folder, out, "--force").exit_code == 0
        assert edited.read_bytes() == before[edited.name]


def _all(registry: Registry) -> dict[str, LaunchSpec]:
    return {f"{one.recipe}/{one.point}": one.spec for one in launches(registry)}


def _launched(spec: LaunchSpec) -> dict[str, object]:
    options = {key: option.value for key, option in spec.options.items()}
    return {"digest": spec.digest, **{k: v for k, v in options.items() if v is not None}}
