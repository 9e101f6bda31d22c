"""The dump script, run as a program against small engines that only need the standard library."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from infxreg.surface.dump import dump_script
from infxreg.surface.errors import SurfaceFormatError
from infxreg.surface.model import ConfigField, Surface
from infxreg.surface.store import SurfaceStore, add_document
from support.packages import SGLANG, VLLM, engine


def run(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    """The script as a user runs it: alone, by the image's Python."""
    script = folder / "dump.py"
    script.write_text(dump_script(name))
    return subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(folder), "PATH": "/usr/bin"},
        cwd=folder,
        check=False,
    )


def dumped(folder: Path, name: str) -> Surface:
    done = run(folder, name)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["missing"] == []
    return Surface.from_real_dump(data)


class TestVllm:
    def test_the_parser(self, tmp_path: Path) -> None:
        made = dumped(engine(tmp_path, "vllm", VLLM), "vllm")
        assert (made.engine, made.version, made.made_by) == ("vllm", "9.9.9", "dump")
        flags = {one.dest: one for one in made.flags}
        assert (flags["attention_config"].config, flags["attention_config"].optional) == (
            "AttentionConfig",
            True,
        )
        assert (flags["enable_x"].names, flags["enable_x"].hidden) == (
            ("--enable-x", "--disable-x"),
            ("--no-enable-x",),
        )
        assert flags["enable_x"].action == "enable-disable"
        assert (flags["load"].type, flags["load"].default) == ("json", "'{}'")
        assert (flags["n"].choices, flags["n"].hard, flags["n"].type) == (("1", "3"), True, "int")
        assert flags["low"].type == "lower-underscore"
        assert (flags["old"].deprecated, flags["n"].deprecated) == ("", None)
        assert (flags["parser"].choices, flags["parser"].hard) == (("p", "q"), False)
        assert (flags["model_tag"].names, flags["model_tag"].arity) == ((), "?")

    def test_the_config_classes(self, tmp_path: Path) -> None:
        made = dumped(engine(tmp_path, "vllm", VLLM), "vllm")
        assert sorted(made.configs) == ["AttentionConfig", "Inner", "SpeculativeConfig"]
        assert dict(made.configs["AttentionConfig"].fields) == {
            "backend": ConfigField(type="str | None", required=True),
            "kinds": ConfigField(type="dict[str, Mode]", default="{}"),
            "dtype": ConfigField(type="Literal | str", choices=("auto", "fp8"), default="'auto'"),
            "inner": ConfigField(type="Inner", default="Inner(x=1)"),
            "hidden": ConfigField(kind="noinit", type="int", default="3"),
            "lengths": ConfigField(type="list[int]", default="[1]"),
            "anything": ConfigField(type="Any", default="None"),
            "late": ConfigField(kind="initvar", type="Literal | None", choices=("q",)),
        }
        assert dict(made.enums["Mode"].members) == {"A": "0", "B": "1"}

    def test_the_lists(self, tmp_path: Path) -> None:
        made = dumped(engine(tmp_path, "vllm", VLLM), "vllm")
        assert made.env == ("VLLM_A", "VLLM_B")
        assert made.backends == ("ONE", "TWO")
        assert made.models == ("ModelA", "ModelB")
        assert dict(made.registries) == {
            "KVTransferConfig.kv_connector": ("Nixl",),
            "SpeculativeConfig.method": ("eagle", "ngram"),
            "load_format": ("auto", "pt"),
            "quantization": ("fp8",),
            "reasoning_parser": ("r",),
            "tokenizer_mode": ("auto", "deepseek"),
            "tool_call_parser": ("t1", "t2"),
        }

    def test_what_fails_is_named_and_the_rest_is_there(self, tmp_path: Path) -> None:
        files = {**VLLM, "reasoning/__init__.py": "raise RuntimeError('no torch')\n"}
        folder = engine(tmp_path, "vllm", files)
        data = json.loads(run(folder, "vllm").stdout)
        assert data["missing"] == ["registry reasoning_parser: RuntimeError: no torch"]
        assert len(data["actions"]) == 9

    def test_taken_in(self, tmp_path: Path) -> None:
        folder = engine(tmp_path, "vllm", VLLM)
        (tmp_path / "dump.json").write_text(run(folder, "vllm").stdout)
        store = SurfaceStore(tmp_path / "user")
        digest = "sha256:" + "1" * 64
        add_document(store, tmp_path / "dump.json", key=digest)
        found = store.find("vllm", digest=digest)
        assert found is not None
        assert found.surface.version == "9.9.9"

    def test_older_versions_without_a_serve_command(self, tmp_path: Path) -> None:
        files = {name: text for name, text in VLLM.items() if "serve.py" not in name}
        files["entrypoints/openai/cli_args.py"] = """
            def make_arg_parser(parser):
                parser.add_argument('--found')
                return parser
        """
        made = dumped(engine(tmp_path, "vllm", files), "vllm")
        assert "--found" in made.by_name


class TestSglang:
    def test_everything(self, tmp_path: Path) -> None:
        made = dumped(engine(tmp_path, "sglang", SGLANG), "sglang")
        assert (made.engine, made.version) == ("sglang", "0.5.99")
        assert made.by_name["--model"].required is True
        gone = made.by_name["--gone"]
        assert (gone.action, gone.refused, gone.deprecated) == ("DeprecatedAction", True, "--kept")
        assert made.backends == ("fa3", "triton")
        assert made.env == ("SGLANG_A", "SGLANG_B")
        assert dict(made.registries) == {"speculative_algorithm": ("EAGLE", "NEXTN")}
        assert made.models == ("ModelA", "ModelB")


class TestErrors:
    def test_no_such_engine_in_the_image(self, tmp_path: Path) -> None:
        done = run(tmp_path, "vllm")
        assert (done.returncode, done.stdout) == (1, "")
        assert "vllm: ModuleNotFoundError: No module named 'vllm'" in done.stderr

    def test_an_engine_that_exits(self, tmp_path: Path) -> None:
        folder = engine(tmp_path, "vllm", {"__init__.py": "import sys\nsys.exit('no GPU')\n"})
        done = run(folder, "vllm")
        assert (done.returncode, done.stdout) == (1, "")
        assert "SystemExit: no GPU" in done.stderr

    def test_an_engine_without_a_script(self) -> None:
        with pytest.raises(SurfaceFormatError, match="'trtllm' has none; sglang and vllm have"):
            dump_script("trtllm")
