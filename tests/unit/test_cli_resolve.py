"""``infxreg resolve``: every option, every format, every way to fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from infxreg import LaunchSpec, Registry, discover
from infxreg.cli.app import app
from infxreg.cli.state import State
from infxreg.records import Axis, AxisValues
from support.builders import ACME, NIGHTLY, acme


@pytest.fixture(scope="module")
def shipped() -> Registry:
    return discover()


def run(*args: str, registry: Registry | None = None, verbose: bool = False) -> Result:
    state = State(verbose=verbose, registry=registry or acme())
    return CliRunner().invoke(app, ["resolve", *args], obj=state)


def spec_of(*args: str, registry: Registry | None = None) -> LaunchSpec:
    result = run(*args, "--json", registry=registry)
    assert result.exit_code == 0, result.stderr
    return LaunchSpec.from_dict(json.loads(result.stdout))


class TestOptions:
    """What a command line says is what the library is asked."""

    def test_default(self) -> None:
        """SKU and model are enough: the default recipe's default point."""
        assert spec_of("x10", "m1") == acme().resolve(sku="x10", model="m1")

    def test_toml_is_the_default_format(self) -> None:
        """-f toml changes nothing, and reads back."""
        assert run("x10", "m1").stdout == run("x10", "m1", "-f", "toml").stdout
        read = LaunchSpec.from_dict(tomllib.loads(run("x10", "m1").stdout))
        assert read == acme().resolve(sku="x10", model="m1")

    def test_json_is_a_format(self) -> None:
        """--json is -f json; together with another -f it is an error."""
        assert run("x10", "m1", "--json").stdout == run("x10", "m1", "-f", "json").stdout
        assert run("x10", "m1", "--json", "-f", "json").exit_code == 0
        result = run("x10", "m1", "--json", "-f", "shell")
        assert result.exit_code == 2
        assert "error: --json is -f json, and -f says shell: drop one" in result.stderr

    def test_axes(self) -> None:
        """Each axis of the registry is an option; unnamed ones are the default point's."""
        spec = spec_of("x10", "m1", "--tp", "4", "--purpose", "throughput")
        assert spec == acme().resolve(sku="x10", model="m1", tp=4, purpose="throughput")
        assert spec.point.id == "tp4_c16"
        moved = run("x10", "m1", "--workload", "1k1k", "--json")
        assert json.loads(moved.stdout)["point"]["recipe"] == "m1-x10-run-1k1k"

    def test_axes_of_a_plugin(self) -> None:
        """With _ written either way."""
        axis = Axis(id="acme_mode", default="slow", doc="how")
        more = AxisValues(id="more", axis="acme_mode", values=("quick",))
        registry = acme(axis, more)
        for option in ("--acme-mode", "--acme_mode"):
            spec = spec_of("x10", "m1", option, "quick", registry=registry)
            assert spec.point.axes["acme_mode"] == "quick"
        shown = run("--help", registry=registry).stdout
        assert "--acme-mode, --acme_mode ACME_MODE" in shown
        assert "how (quick, slow)" in shown

    def test_help_lists_the_axes(self) -> None:
        """In a section of their own, and the arguments aren't among the options."""
        shown = run("--help").stdout
        options, _, axes = shown.partition("Axes (what isn't named is the default point's):")
        assert "--tp N" in axes
        assert "--purpose PURPOSE" in axes
        assert "--engine E" in options
        assert "--sku" not in shown
        assert "\n  SKU" not in shown

    def test_engine_and_point(self) -> None:
        """Both by id."""
        assert spec_of("x20", "m1", "--engine", "alt", "--point", "tp4").engine == "alt"
        assert spec_of("x10", "m1", "--point", "tp4_c1").point.axes["conc"] == 1

    def test_gates(self) -> None:
        """Opened and closed by name, several at once."""
        opened = spec_of("x10", "m1", "--tp", "4", "--gate", "extra", "--gate", "fast")
        assert opened.gates == ("extra", "fast")
        assert spec_of("x10", "m1", "--no-gate", "fast").gates == ()

    def test_set_and_unset(self) -> None:
        """By the key's type; what is unset is absent."""
        spec = spec_of(
            *("x10", "m1", "--set", "scheduler.max_num_seqs=77", "--set", "args.port=8000"),
            *("--set", "env.A=1", "--unset", "attention.backend"),
        )
        assert spec.options["scheduler.max_num_seqs"].value == 77
        assert spec.argv[-2:] == ("--port", "8000")
        assert spec.env["A"] == "1"
        assert spec.options["attention.backend"].absent

    def test_image(self) -> None:
        """In place of the rules' one."""
        assert spec_of("x10", "m1", "--image", "acme/run:v2.1.0").image.reference.endswith("2.1.0")


class TestErrors:
    """Exit code 2, a message on standard error, nothing on standard output."""

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            (["x11", "m1"], "error: unknown sku 'x11': did you mean 'x10'?\n"),
            (
                ["x10", "m1", "--vendor", "acme"],
                "error: no such option --vendor: vendor is a fact of the sku, so name the sku\n"
                "try: infxreg resolve --help\n",
            ),
            (["x10", "m3"], "error: unknown model 'm3': known are m1, m2\n"),
            (
                ["x10", "m1", "--engine", "runn"],
                "error: unknown engine 'runn': did you mean 'run'?",
            ),
            (
                ["x10", "m1", "--purpose", "evl"],
                "error: unknown purpose 'evl': did you mean 'eval'",
            ),
            (["x10", "m1", "--tp", "two"], "error: tp is a positive integer, not 'two'\n"),
            (["x10", "m1", "--point", "tp2_c2"], "has no point 'tp2_c2': did you mean 'tp2_c1'?"),
            (["x10", "m1", "--gate", "fst"], "error: unknown gate 'fst': did you mean 'fast'?\n"),
            (["x10", "m1", "--set", "a"], "error: --set a: write --set KEY=VALUE\n"),
            (
                ["x10", "m1", "--set", "atention.backend=PLAIN"],
                "error: unknown option 'atention.backend': did you mean 'attention.backend'?\n",
            ),
            (["x10", "m1", "--unset", "kv_cache.dtyp"], "did you mean 'kv_cache.dtype'?\n"),
            (["x10", "m1", "--image", "a b"], "error: 'a b' is no image reference"),
            (["x10", "m1", "--set", "env.A=1\n2", "-f", "env"], "error: env 'A' can't be written"),
            (["x20", "m1"], "has recipes for several engines and none is the default"),
            (["x10", "m1", "--tq", "4"], "error: no such option --tq: did you mean --tp?\n"),
            (["x10", "m1", "--gat", "a"], "error: no such option --gat: did you mean --gate?\n"),
            (["x10", "m1", "--verbose"], "error: no such option --verbose: it goes before the"),
            (["x10"], "error: Missing argument 'MODEL'.\ntry: infxreg resolve --help\n"),
            (["x10", "m1", "-f", "yaml"], "'yaml' is not one of 'toml', 'json', 'shell', 'env'"),
        ],
    )
    def test_message(self, args: list[str], message: str) -> None:
        """It says what, and what is known instead."""
        result = run(*args)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("error: ")
        assert message in result.stderr

    def test_a_gate_outside_its_scope(self) -> None:
        """The message names the scope."""
        result = run("x20", "m1", "--engine", "run", "--gate", "fast")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "sku=x10" in result.stderr.partition("its scope is ")[2]

    def test_faults_before_a_missing_axis(self) -> None:
        """An unknown option may be an axis of a plugin with faults: these are told instead."""
        registry = acme(Axis(id="image", default="a"), Axis(id="mode", facet_of="nothing"))
        for args in (["x10", "m1"], ["x10", "m1", "--mod", "a"]):
            result = run(*args, registry=registry)
            assert (result.exit_code, result.stdout) == (2, "")
            assert result.stderr.startswith("error: 2 faults in the registry:\n")
            assert "--image is the command line's own: rename the axis" in result.stderr
        shown = run("--help", registry=registry)
        assert shown.exit_code == 0
        assert shown.stdout.count("--image") == 1

    def test_help_without_a_registry(self) -> None:
        """Where nothing can be loaded, help still lists what is always there."""
        runner = CliRunner()
        result = runner.invoke(app, ["--skip-plugin", "nobody", "resolve", "--help"])
        assert result.exit_code == 0
        assert "--gate NAME" in result.stdout
        assert "Axes (" not in result.stdout
        result = runner.invoke(app, ["--skip-plugin", "nobody", "resolve", "a", "b", "--tp", "4"])
        assert result.exit_code == 2
        assert result.stderr.startswith("error: unknown plugin 'nobody'")


class TestChecks:
    """What a person has to know is said beside the spec."""

    REFUTED = ("x10", "m1", "--set", "timeout.health_attempts=3")

    @pytest.mark.parametrize("format", ["toml", "json"])
    def test_a_spec_that_fails_is_written_with_its_failure(self, format: str) -> None:
        """Exit code 1, the spec on standard output, the failure on standard error."""
        result = run(*self.REFUTED, "-f", format)
        assert result.exit_code == 1
        read = (json if format == "json" else tomllib).loads(result.stdout)
        assert LaunchSpec.from_dict(read).failed
        assert result.stderr == (
            "refuted error health-budget: the launcher gives up after 3 × 10 s = 30 s, before the "
            "engine's own 1000 s\n"
        )

    @pytest.mark.parametrize("format", ["shell", "env"])
    def test_what_fails_cant_be_pasted(self, format: str) -> None:
        """Nothing on standard output that could start it."""
        result = run(*self.REFUTED, "-f", format)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.startswith("refuted error health-budget: ")

    @pytest.mark.parametrize("format", ["toml", "shell", "env"])
    def test_warnings_and_unknowns(self, format: str) -> None:
        """Warnings, and what can't be decided at error level; exit code 0, errors first."""
        args = ("x10", "m1", "--set", "timeout.health_attempts=300", "--image", "acme/run:other")
        result = run(*args, "-f", format)
        assert result.exit_code == 0
        assert [line.split(":")[0] for line in result.stderr.splitlines()] == [
            "unknown error image-requirement",
            "refuted warning health-budget",
            "unknown warning image-known",
        ]
        assert run(*args, "--json").stderr == ""

    def test_notes_are_for_verbose(self) -> None:
        """Without -v a note isn't said; what is ok never is."""
        assert run("x10", "m1").stderr == ""
        noted = run("x10", "m1", verbose=True).stderr
        assert f"unknown note image-pinned: {NIGHTLY} has no digest" in noted
        assert "ok note" not in noted
        assert "resolve" in noted.partition("time:")[2]


class TestPasted:
    """What ``-f shell`` and ``-f env`` say is exactly what the spec holds."""

    def test_every_shipped_recipe(self, shipped: Registry, tmp_path: Path) -> None:
        """Pasted into bash, each default point hands the engine its argv and variables."""
        tools = tmp_path / "bin"
        tools.mkdir()
        for name in ("vllm", "python3"):
            fake = tools / name
            fake.write_text('#!/bin/bash\nprintf "%s\\0" "$@" >"$ARGV"\nexec env -0 >"$ENVIRON"\n')
            fake.chmod(0o755)
        base = {
            "PATH": f"{tools}:{os.environ['PATH']}",
            "ARGV": str(tmp_path / "argv"),
            "ENVIRON": str(tmp_path / "environ"),
        }
        extra = 'args.chat-template=a b\t"c" \' !d\n`e` \\ * $ '
        for recipe in shipped.catalogue.recipes.values():
            args = (recipe.sku, recipe.model, "--engine", recipe.engine, "--set", extra)
            if recipe.workload is not None:
                args += ("--workload", recipe.workload)
            line = run(*args, "-f", "shell", registry=shipped)
            assert line.exit_code == 0, line.stderr
            assert line.stdout.count("\n") == 1
            spec = spec_of(*args, registry=shipped)
            subprocess.run(["bash", "-c", line.stdout], env=base, check=True)
            argv = (tmp_path / "argv").read_bytes().decode().split("\0")[:-1]
            assert (spec.argv[0], *argv) == spec.argv
            environ = (tmp_path / "environ").read_bytes().decode().split("\0")[:-1]
            seen = dict(item.split("=", 1) for item in environ)
            theirs = {"_", "SHLVL", "PWD", "OLDPWD"}
            assert {k: v for k, v in seen.items() if k not in theirs} == {**base, **spec.env}

    def test_env_lines(self) -> None:
        """One NAME=value line a variable."""
        result = run("x10", "m1", "-f", "env", "--set", "env.B=x y")
        assert result.stdout == "B=x y\nRUN_READY_S=1000\n"


class TestSeed:
    """The three commands that the project is shown by, as a newcomer runs them."""

    @staticmethod
    def infxreg(*args: str, folder: Path) -> subprocess.CompletedProcess[str]:
        env = {k: v for k, v in os.environ.items() if k != "INFXREG_PLUGINS"}
        command = [sys.executable, "-m", "infxreg", *args]
        return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=env)

    def test_resolve(self, tmp_path: Path) -> None:
        """B200 gets the gated attention, as one line."""
        done = self.infxreg("resolve", "b200", "dsv41flash", "-f", "shell", folder=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert " vllm serve deepseek-ai/DeepSeek-V4.1-Flash " in done.stdout
        assert '"backend":"FLASHINFER_MLA_SPARSE_DSV41"' in done.stdout
        assert done.stdout.count("\n") == 1

    def test_explain(self, tmp_path: Path) -> None:
        """Its origin, and the rules that don't match here."""
        done = self.infxreg("explain", "b200", "dsv41flash", "attention.backend", folder=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert "from      nvidia:b200-attention-tp2 (infxreg-nvidia " in done.stdout
        assert "nvidia:b200-attention-tp4 (" in done.stdout
        assert "tp is 2, not 4" in done.stdout

    def test_gate_elsewhere(self, tmp_path: Path) -> None:
        """On GB200 the gate can't be opened, and the message says where it can."""
        gate = ("--gate", "dsv41-blackwell-attention")
        done = self.infxreg("resolve", "gb200", "dsv41flash", *gate, folder=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: gate dsv41-blackwell-attention can't be opened at ")
        assert "sku=b200" in done.stderr.partition("its scope is ")[2]


def test_output_doesnt_depend_on_the_hash_seed(tmp_path: Path) -> None:
    """The same bytes in every process."""
    site = tmp_path / "site.toml"
    site.write_text(ACME)
    shown = set()
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "INFXREG_PLUGINS": ""}
        command = [sys.executable, "-m", "infxreg", "--site", str(site), "resolve", "x10", "m1"]
        shown.add(subprocess.run(command, capture_output=True, check=True, env=env).stdout)
    assert len(shown) == 1
