"""The dump script, run as a program against small engines that only need the standard library."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from infxreg.surface.dump import dump_script
from infxreg.surface.errors import SurfaceFormatError
from infxreg.surface.model import ConfigField, Surface
from infxreg.surface.store import SurfaceStore, add_document

VLLM = {
    "__init__.py": "__version__ = '9.9.9'\nprint('noise on stdout')\n",
    "config/__init__.py": """
        import enum
        from dataclasses import InitVar, dataclass, field
        from typing import Annotated, Any, Literal, Optional, Union
        class Mode(enum.IntEnum):
            A = 0
            B = 1
        @dataclass
        class Inner:
            x: int = 1
        @dataclass
        class AttentionConfig:
            backend: Optional[str]
            kinds: dict[str, Mode] = field(default_factory=dict)
            dtype: Union[Literal['auto', 'fp8'], str] = 'auto'
            inner: Inner = field(default_factory=Inner)
            hidden: int = field(init=False, default=3)
            lengths: Annotated[list[int], 'doc'] = field(default_factory=lambda: [1])
            anything: Any = None
            late: InitVar[Optional[Literal['q']]] = None
        @dataclass
        class SpeculativeConfig:
            method: Literal['ngram', 'eagle'] = 'ngram'
    """,
    "engine/arg_utils.py": """
        import argparse
        class EnableDisableAction(argparse.BooleanOptionalAction):
            pass
        class FlexibleArgumentParser(argparse.ArgumentParser):
            def add_argument(self, *args, **kwargs):
                action = super().add_argument(*args, **kwargs)
                if '--enable-x' in args:
                    action.option_strings = ['--enable-x', '--disable-x']
                    self._option_string_actions['--disable-x'] = action
                return action
        def optional_type(return_type):
            def _optional_type(val):
                return return_type(val)
            return _optional_type
        def kwargs_of(dataclass_cls):
            def parse_dataclass(val, cls=dataclass_cls):
                return val
            return parse_dataclass
    """,
    "entrypoints/cli/serve.py": """
        import argparse, json
        from vllm.config import AttentionConfig
        from vllm.engine.arg_utils import EnableDisableAction, kwargs_of, optional_type
        class ServeSubcommand:
            def subparser_init(self, subparsers):
                p = subparsers.add_parser('serve')
                p.add_argument('model_tag', nargs='?')
                p.add_argument('--attention-config', '-ac',
                               type=optional_type(kwargs_of(AttentionConfig)))
                p.add_argument('--enable-x', action=EnableDisableAction)
                p.add_argument('--load', type=json.loads, default='{}')
                p.add_argument('--n', type=int, default=3, choices=[1, 3])
                p.add_argument('--low', type=lambda s: s.lower(), choices=['a'])
                p.add_argument('--old', action='store_true', help='[DEPRECATED] x')
                p.add_argument('--parser', metavar='{p,q} or a name')
                return p
    """,
    "envs.py": "environment_variables = {'VLLM_B': 1, 'VLLM_A': 2}\n",
    "v1/attention/backends/registry.py": """
        import enum
        class AttentionBackendEnum(enum.Enum):
            TWO = 'b'
            ONE = 'a'
    """,
    "tool_parsers/__init__.py": """
        class ToolParserManager:
            list_registered = classmethod(lambda cls: ['t2', 't1'])
    """,
    "reasoning/__init__.py": "class ReasoningParserManager:\n    reasoning_parsers = {'r': 1}\n",
    "model_executor/layers/quantization/__init__.py": "QUANTIZATION_METHODS = ['fp8']\n",
    "model_executor/model_loader/__init__.py": """
        from typing import Literal
        LoadFormats = Literal['auto', 'pt']
    """,
    "model_executor/models/registry.py": """
        class ModelRegistry:
            models = {'ModelB': 1, 'ModelA': 2}
    """,
    "distributed/kv_transfer/kv_connector/factory.py": """
        class KVConnectorFactory:
            _registry = {'Nixl': 1}
    """,
    "tokenizers/registry.py": "_VLLM_TOKENIZERS = {'deepseek': 1}\n",
}
SGLANG = {
    "__init__.py": "__version__ = '0.5.99'\n",
    "srt/server_args.py": """
        import argparse
        class DeprecatedAction(argparse.Action):
            def __init__(self, option_strings, dest, error_message=None, new_flag=None, nargs=0,
                         **kwargs):
                self.error_message, self.new_flag = error_message, new_flag
                super().__init__(option_strings, dest, nargs=nargs, **kwargs)
        class ServerArgs:
            @staticmethod
            def add_cli_args(parser):
                parser.add_argument('--model-path', '--model', required=True)
                parser.add_argument('--attention-backend', choices=['triton', 'fa3'])
                parser.add_argument('--gone', action=DeprecatedAction, error_message='no',
                                    new_flag='--kept')
    """,
    "srt/environ.py": """
        class EnvField: ...
        class Envs:
            SGLANG_B = EnvField()
            SGLANG_A = EnvField()
            other = 1
    """,
    "srt/speculative/spec_info.py": """
        import enum
        class SpeculativeAlgorithm(enum.Enum):
            EAGLE = 1
            NONE = 2
    """,
    "srt/speculative/spec_registry.py": "_RESERVED_ALIASES = {'NEXTN'}\n",
    "srt/models/registry.py": """
        class _Registry:
            def get_supported_archs(self):
                return {'ModelB', 'ModelA'}
        ModelRegistry = _Registry()
    """,
}


def engine(folder: Path, name: str, files: Mapping[str, str]) -> Path:
    """A folder with a package that the script can import."""
    for path, text in files.items():
        place = folder / name / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(textwrap.dedent(text))
        while place.parent != folder:
            place = place.parent
            (place / "__init__.py").touch()
    return folder


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
