"""Extraction of vllm from a small tree with every trap of the real ones.

The tree is our own: it has the names by which an extraction finds its way, and
the shapes that the releases have, at a tenth of the size.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from infxreg.surface.errors import NotThisEngineError, SourceError, UnreadableTreeError
from infxreg.surface.model import Config, ConfigField, Flag, Surface
from infxreg.surface.source import open_wheel
from infxreg_vllm.extract import Extraction, extract
from support.trees import source, wheel

MANY = "\n".join(f"    filler_{i}: int = {i}" for i in range(60))
ARG_UTILS = """
    import argparse
    import json
    from dataclasses import MISSING, dataclass, fields, is_dataclass
    from typing import Annotated, Any, Literal, get_args, get_origin, Union
    from types import UnionType
    from pydantic import TypeAdapter
    from pydantic.fields import FieldInfo
    from vllm.config import AttentionConfig, CacheConfig, Filler, ModelConfig
    from vllm.config.utils import get_attr_docs
    from vllm.platforms import current_platform
    from vllm.plugins import load_general_plugins
    from vllm.utils.argparse_utils import FlexibleArgumentParser, human_readable_int

    def _expand_json_human_readable_numbers(val): return val

    def optional_type(return_type):
        def _optional_type(val):
            return None if val in ("", "None") else return_type(val)
        return _optional_type

    def hints_of(hint):
        if get_origin(hint) is Annotated:
            return hints_of(get_args(hint)[0])
        if get_origin(hint) in {Union, UnionType}:
            return set().union(*[hints_of(one) for one in get_args(hint)])
        return {hint}

    def has(hints, kind):
        return any(one is kind or get_origin(one) is kind for one in hints)

    def get_kwargs(cls):
        docs = get_attr_docs(cls)
        made = {}
        for field in fields(cls):
            hints = hints_of(field.type)
            default = field.default
            if isinstance(default, FieldInfo):
                default = default.default if default.default_factory is None else (
                    default.default_factory())
            elif default is MISSING:
                default = field.default_factory()
            kwargs = made[field.name] = {"default": default, "help": docs.get(field.name, "")}
            dataclass_cls = next((one for one in hints if is_dataclass(one)), None)
            if dataclass_cls is not None:
                def parse_dataclass(val, cls=dataclass_cls):
                    return TypeAdapter(cls).validate_json(val)
                kwargs["type"] = parse_dataclass
            elif has(hints, bool):
                kwargs["action"] = argparse.BooleanOptionalAction
            elif has(hints, Literal):
                options = get_args(next(one for one in hints if get_origin(one) is Literal))
                kwargs["metavar" if str in hints else "choices"] = sorted(options)
                kwargs["type"] = str
            elif has(hints, list):
                kwargs.update(type=str, nargs="+")
            elif int in hints:
                kwargs["type"] = human_readable_int if field.name == "max_tokens" else int
            elif has(hints, dict):
                kwargs["type"] = json.loads
            else:
                kwargs["type"] = str
            if type(None) in hints and not has(hints, bool):
                kwargs["type"] = optional_type(kwargs["type"])
                if kwargs.get("choices"):
                    kwargs["choices"].append(None)
        return made

    @dataclass
    class EngineArgs:
        model: str = ModelConfig.model

        @staticmethod
        def add_cli_args(parser):
            model = get_kwargs(ModelConfig)
            group = parser.add_argument_group(title="ModelConfig")
            for name in ("model", "dtype", "tokenizer_mode", "max_tokens", "stop", "limit"):
                group.add_argument("--" + name.replace("_", "-"), **model[name])
            model["backend"]["type"] = lambda s: s.lower().replace("-", "_")
            group.add_argument("--backend", "-b", **model["backend"])
            group.add_argument("--trust", **model["trust"])
            group.add_argument("--enable-cache", **get_kwargs(CacheConfig)["enable_cache"])
            attention = get_kwargs(AttentionConfig)
            group.add_argument("--attention-backend", **attention["backend"])
            group.add_argument("--attention-config", "-ac", **model["attention_config"])
            group.add_argument("--old", action="store_true", deprecated=True)
            for name, kwargs in get_kwargs(Filler).items():
                parser.add_argument(f"--{name.replace('_', '-')}", **kwargs)
            return parser

    @dataclass
    class AsyncEngineArgs(EngineArgs):
        enable_log_requests: bool = False

        @staticmethod
        def add_cli_args(parser):
            load_general_plugins()
            parser = EngineArgs.add_cli_args(parser)
            parser.add_argument("--log-requests", action="store_true",
                                default=AsyncEngineArgs.enable_log_requests)
            current_platform.pre_register_and_update(parser)
            if current_platform.is_cuda():
                parser.add_argument("--only-cuda")
            else:
                parser.add_argument("--never")
            return parser
"""
CONFIG = f"""
    from dataclasses import InitVar, field
    from typing import Annotated, Any, Literal, TYPE_CHECKING
    from pydantic import ConfigDict, Field, SkipValidation, field_validator
    from vllm.config.utils import config
    from vllm.v1.attention.backends.registry import AttentionBackendEnum
    if TYPE_CHECKING:
        from vllm.model_executor.layers.quantization import QuantizationMethods
    else:
        QuantizationMethods = Any
    Mode = Literal["a", "b"]

    @config
    class Inner:
        size: int = Field(default=1, ge=1, le=8)

    @config
    class AttentionConfig:
        backend: AttentionBackendEnum | None = None
        per_kind: dict[str, AttentionBackendEnum] = field(default_factory=dict)
        inner: Inner | None = None
        role: Mode | None = None
        peer: str | None = None

        @field_validator("backend", mode="before")
        @classmethod
        def _backend(cls, value):
            if isinstance(value, str):
                if value.lower() == 'auto':
                    return None
                return AttentionBackendEnum[value.upper()]
            return value

        def __post_init__(self):
            if self.peer is not None and self.role is None:
                raise ValueError("a peer has a role")

    @config(config=ConfigDict(extra="ignore"))
    class ModelConfig:
        model: str = "tiny/model"
        dtype: Mode = "a"
        tokenizer_mode: Mode | str = "a"
        max_tokens: SkipValidation[int] = None
        stop: list[str] | None = None
        limit: Mode | None = None
        backend: Literal["x_y"] = "x_y"
        trust: bool = False
        attention_config: AttentionConfig | None = None
        quantization: QuantizationMethods | None = None
        computed: int = field(init=False, default=3)
        late: InitVar[bool] = False
        '''[DEPRECATED] Use `--trust` instead.'''

    @config
    class CacheConfig:
        enable_cache: bool = True
        '''Deprecated: use --other instead.'''

    @config
    class Filler:
{textwrap.indent(MANY, "    ")}

    @config
    class SpeculativeConfig:
        method: Literal["ngram", "eagle"] | None = None
"""
TREE = {
    "vllm/__init__.py": "",
    "vllm/engine/arg_utils.py": ARG_UTILS,
    "vllm/config/__init__.py": """
        from vllm.config.all import (AttentionConfig, CacheConfig, Filler, ModelConfig,
                                     SpeculativeConfig)
    """,
    "vllm/config/all.py": CONFIG,
    "vllm/config/utils.py": """
        from pydantic import ConfigDict
        from pydantic.dataclasses import dataclass
        from typing import dataclass_transform
        @dataclass_transform()
        def config(cls=None, *, config=None, **kwargs):
            merged = ConfigDict(extra="forbid")
            return dataclass(cls, config=merged)
        def get_attr_docs(cls):
            raise RuntimeError("reads its own source")
    """,
    "vllm/utils/argparse_utils.py": """
        import argparse, json
        from argparse import ArgumentParser, BooleanOptionalAction
        def human_readable_int(value): return int(value)
        class EnableDisableAction(BooleanOptionalAction):
            _inverse = {"--enable-": "--disable-", "--disable-": "--enable-"}
            def __init__(self, option_strings, dest, *args, **kwargs):
                super().__init__(option_strings, dest, *args, **kwargs)
                inverses = [new + opt.removeprefix(old) for opt in option_strings
                            for old, new in self._inverse.items() if opt.startswith(old)]
                self.visible_option_strings = (
                    [*option_strings, *inverses] if inverses else list(self.option_strings))
                self.option_strings = [*self.option_strings, *inverses]
        class FlexibleArgumentParser(ArgumentParser):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
                self.register("action", BooleanOptionalAction, EnableDisableAction)
            def parse_args(self, args=None, namespace=None):
                def recursive_dict_update(original, update): ...
                value = json.loads(args[0]) or human_readable_int(args[0])
                return super().parse_args(args, namespace)
    """,
    "vllm/entrypoints/cli/serve.py": """
        from vllm.entrypoints.somewhere.new import make_arg_parser
        class ServeSubcommand:
            def subparser_init(self, subparsers):
                serve_parser = subparsers.add_parser("serve", help="h")
                serve_parser = make_arg_parser(serve_parser)
                serve_parser.epilog = "e".format(x=1)
                return serve_parser
    """,
    "vllm/entrypoints/somewhere/new.py": """
        from dataclasses import fields
        from vllm.engine.arg_utils import AsyncEngineArgs, get_kwargs
        from vllm.config.utils import config
        from vllm.tool_parsers import ToolParserManager
        @config
        class FrontendArgs:
            host: str | None = None
            api_key: list[str] | None = None
            tool_call_parser: str | None = None
            @classmethod
            def _customize(cls, kwargs):
                del kwargs["api_key"]["nargs"]
                names = ",".join(ToolParserManager.list_registered())
                kwargs["tool_call_parser"]["metavar"] = f"{{{names}}} or another"
                return kwargs
            @classmethod
            def add_cli_args(cls, parser):
                for key, value in cls._customize(get_kwargs(cls)).items():
                    parser.add_argument(f"--{key.replace('_', '-')}", **value)
                return parser
        def make_arg_parser(parser):
            parser.add_argument("model_tag", type=str, nargs="?")
            parser = FrontendArgs.add_cli_args(parser)
            parser = AsyncEngineArgs.add_cli_args(parser)
            return parser
    """,
    "vllm/entrypoints/other.py": """
        def make_arg_parser(parser):
            parser.add_argument('--wrong')
    """,
    "vllm/platforms/__init__.py": "def __getattr__(name):\n    raise AttributeError(name)\n",
    "vllm/platforms/cuda.py": """
        import torch
        class CudaPlatformBase:
            def is_cuda(self): return True
            @classmethod
            def pre_register_and_update(cls, parser=None): pass
        class NvmlCudaPlatform(CudaPlatformBase):
            count = torch.cuda.device_count()
    """,
    "vllm/plugins.py": "def load_general_plugins():\n    raise RuntimeError('loads plugins')\n",
    "vllm/v1/attention/backends/registry.py": """
        from enum import Enum, EnumMeta
        class Meta(EnumMeta): ...
        class AttentionBackendEnum(Enum, metaclass=Meta):
            FLASH = "vllm.flash.Flash"
            NONE = ""
    """,
    "vllm/envs.py": """
        import os
        environment_variables = {
            "VLLM_A": lambda: os.getenv("VLLM_A"),
            "LOCAL_RANK": lambda: int(os.environ.get("LOCAL_RANK", "0")),
        }
    """,
    "vllm/worker.py": """
        import os
        X = os.environ.get('VLLM_READ_HERE', '')
        Y = os.getenv('OTHER')
    """,
    "vllm/tool_parsers/__init__.py": """
        class ToolParserManager:
            tool_parsers = {}
            lazy_parsers = {}
            @classmethod
            def list_registered(cls):
                return sorted(set(cls.tool_parsers) | set(cls.lazy_parsers))
        _TOOL_PARSERS_TO_REGISTER = {"lazy": ("f", "C")}
    """,
    "vllm/tool_parsers/eager.py": """
        from vllm.tool_parsers import ToolParserManager
        @ToolParserManager.register_module(["eager", "other"])
        class Eager: ...
    """,
    "vllm/reasoning/__init__.py": """
        class ReasoningParserManager:
            reasoning_parsers = {}
        _REASONING_PARSERS_TO_REGISTER = {"deep": ("f", "C")}
    """,
    "vllm/model_executor/layers/quantization/__init__.py": """
        from typing import Literal, get_args
        QuantizationMethods = Literal["fp8", "awq"]
        QUANTIZATION_METHODS = list(get_args(QuantizationMethods))
    """,
    "vllm/model_executor/model_loader/__init__.py": """
        from typing import Literal
        LoadFormats = Literal["auto", "pt"]
    """,
    "vllm/model_executor/models/registry.py": """
        _TEXT = {"LlamaForCausalLM": ("llama", "L")}
        _VLLM_MODELS = {**_TEXT, "ModelB": ("b", "B")}
    """,
    "vllm/distributed/kv_transfer/kv_connector/factory.py": """
        class KVConnectorFactory: ...
        KVConnectorFactory.register_connector("Nixl", "m", "C")
    """,
    "vllm/tokenizers/registry.py": "_VLLM_TOKENIZERS = {'deepseek': ('m', 'C')}\n",
}


@pytest.fixture(scope="module")
def made() -> Surface:
    extraction = Extraction(source(TREE, "vllm", "7.0"))
    surface = extraction.surface()
    assert extraction.machine.problems == []
    assert [one.flag.names for one in extraction.reads if one.cause or not one.certain] == []
    return surface


def test_options(made: Surface) -> None:
    """The serve command's parser, found by name, with what its helpers and loops add."""
    names = {name for name in made.by_name if "filler" not in name}
    assert names == set(
        "-h --help --host --api-key --tool-call-parser --model --dtype --tokenizer-mode "
        "--max-tokens --stop --limit --backend -b --trust --no-trust --enable-cache "
        "--disable-cache --no-enable-cache --attention-backend --attention-config -ac --old "
        "--log-requests --only-cuda".split()
    )
    assert sum("filler" in name for name in made.by_name) == 60
    assert [flag.dest for flag in made.flags if not flag.names] == ["model_tag"]


@pytest.mark.parametrize(
    "flag",
    [
        Flag(dest="model_tag", arity="?", default="None"),
        Flag(
            names=("--dtype",),
            dest="dtype",
            choices=("a", "b"),
            hard=True,
            default="'a'",
            origin="ModelConfig.dtype",
        ),
        Flag(
            names=("--tokenizer-mode",),
            dest="tokenizer_mode",
            choices=("a", "b"),
            default="'a'",
            origin="ModelConfig.tokenizer_mode",
        ),
        Flag(
            names=("--limit",),
            dest="limit",
            optional=True,
            choices=("None", "a", "b"),
            hard=True,
            default="None",
            origin="ModelConfig.limit",
        ),
        Flag(
            names=("--max-tokens",),
            dest="max_tokens",
            type="human-int",
            default="None",
            origin="ModelConfig.max_tokens",
        ),
        Flag(
            names=("--stop",),
            dest="stop",
            arity="+",
            optional=True,
            default="None",
            origin="ModelConfig.stop",
        ),
        Flag(
            names=("--api-key",),
            dest="api_key",
            optional=True,
            default="None",
            origin="FrontendArgs.api_key",
        ),
        Flag(
            names=("--backend", "-b"),
            dest="backend",
            type="lower-underscore",
            choices=("x_y",),
            hard=True,
            default="'x_y'",
            origin="ModelConfig.backend",
        ),
        Flag(
            names=("--trust", "--no-trust"),
            dest="trust",
            arity="0",
            action="enable-disable",
            type="",
            default="False",
            origin="ModelConfig.trust",
        ),
        Flag(
            names=("--enable-cache", "--disable-cache"),
            hidden=("--no-enable-cache",),
            dest="enable_cache",
            arity="0",
            action="enable-disable",
            type="",
            default="True",
            deprecated="--other",
            origin="CacheConfig.enable_cache",
        ),
        Flag(
            names=("--attention-config", "-ac"),
            dest="attention_config",
            type="dataclass",
            optional=True,
            default="None",
            config="AttentionConfig",
            origin="ModelConfig.attention_config",
        ),
        Flag(
            names=("--tool-call-parser",),
            dest="tool_call_parser",
            optional=True,
            choices=("eager", "lazy", "other"),
            default="None",
            origin="FrontendArgs.tool_call_parser",
        ),
        Flag(
            names=("--old",),
            dest="old",
            arity="0",
            action="store_true",
            type="",
            default="False",
            deprecated="",
        ),
    ],
    ids=lambda flag: flag.dest,
)
def test_a_flag(made: Surface, flag: Flag) -> None:
    assert made.by_dest[flag.dest] == (flag,)


def test_config_classes(made: Surface) -> None:
    assert made.configs["AttentionConfig"].extra == "forbid"
    assert dict(made.configs["AttentionConfig"].fields) == {
        "backend": ConfigField(
            type="AttentionBackendEnum | None",
            validated=True,
            reads="auto member",
            default="None",
        ),
        "per_kind": ConfigField(type="dict[str, AttentionBackendEnum]", default="{}"),
        "inner": ConfigField(type="Inner | None", default="None"),
        "role": ConfigField(type="Literal | None", choices=("a", "b"), default="None"),
        "peer": ConfigField(type="str | None", default="None"),
    }
    assert made.configs["AttentionConfig"].refusals == ("peer is not None and role is None",)
    assert made.configs["Inner"].fields["size"] == ConfigField(
        type="int", bounds=">=1 <=8", default="1"
    )
    assert made.configs["ModelConfig"].extra == "ignore"
    assert made.configs["ModelConfig"].fields["computed"].kind == "noinit"
    assert made.configs["ModelConfig"].fields["late"] == ConfigField(
        kind="initvar", type="bool", default="False"
    )
    assert "computed" not in made.configs["ModelConfig"].keys
    assert "late" in made.configs["ModelConfig"].keys
    assert isinstance(made.configs["SpeculativeConfig"], Config)


def test_lists(made: Surface) -> None:
    assert made.env == ("LOCAL_RANK", "VLLM_A")
    assert made.env_read == ("VLLM_READ_HERE",)
    assert made.backends == ("FLASH", "NONE")
    assert made.models == ("LlamaForCausalLM", "ModelB")
    assert dict(made.registries) == {
        "KVTransferConfig.kv_connector": ("Nixl",),
        "SpeculativeConfig.method": ("eagle", "ngram"),
        "load_format": ("auto", "pt"),
        "quantization": ("awq", "fp8"),
        "reasoning_parser": ("deep",),
        "tokenizer_mode": ("a", "auto", "b", "deepseek"),
        "tool_call_parser": ("eager", "lazy", "other"),
    }
    assert dict(made.enums["AttentionBackendEnum"].members) == {
        "FLASH": "'vllm.flash.Flash'",
        "NONE": "''",
    }
    assert made.traits == ("dotted=human", "json-suffixes=yes", "none-choice=yes")
    assert (made.engine, made.version, made.made_by) == ("vllm", "7.0", "ast")


class TestOtherShapes:
    def test_a_parser_that_isnt_made_by_a_command(self) -> None:
        tree = {name: text for name, text in TREE.items() if "serve.py" not in name}
        assert "--host" in extract(source(tree)).by_name

    def test_plain_pairs_before_the_action(self) -> None:
        tree = dict(TREE)
        tree["vllm/utils/argparse_utils.py"] = TREE["vllm/utils/argparse_utils.py"].replace(
            'self.register("action", BooleanOptionalAction, EnableDisableAction)', "pass"
        )
        made = extract(source(tree))
        assert made.by_dest["enable_cache"][0].names == ("--enable-cache", "--no-enable-cache")
        assert made.by_dest["enable_cache"][0].action == "boolean"

    def test_an_alias_of_the_backends(self) -> None:
        tree = dict(TREE)
        path = "vllm/v1/attention/backends/registry.py"
        tree[path] = TREE[path].replace('NONE = ""', 'NONE = ""; SECOND = FLASH')
        assert extract(source(tree)).backends == ("FLASH", "NONE", "SECOND")

    def test_a_version_that_only_the_tree_says(self) -> None:
        tree = {**TREE, "vllm/_version.py": "__version__ = version = '8.1.dev3'\n"}
        assert extract(source(tree)).version == "8.1.dev3"


class TestErrors:
    def test_another_package(self, tmp_path: Path) -> None:
        path = wheel(tmp_path, dict(TREE), name="other")
        with open_wheel(path) as found, pytest.raises(NotThisEngineError, match="isn't vllm"):
            extract(found)

    def test_a_tree_that_isnt_the_engine(self) -> None:
        with pytest.raises(NotThisEngineError) as caught:
            extract(source({"vllm/__init__.py": ""}))
        assert str(caught.value) == "memory isn't vllm: it has no vllm/engine/arg_utils.py"

    def test_nothing_makes_a_parser(self) -> None:
        tree = {name: text for name, text in TREE.items() if "entrypoints" not in name}
        with pytest.raises(NotThisEngineError, match="nothing makes its argument parser"):
            extract(source(tree))

    def test_a_parser_that_cant_be_followed(self) -> None:
        tree = dict(TREE)
        tree["vllm/entrypoints/somewhere/new.py"] = """
            def make_arg_parser(parser):
                parser.add_argument("--one")
                return parser
        """
        with pytest.raises(UnreadableTreeError, match="only 1 arguments were found"):
            extract(source(tree))

    def test_code_that_never_ends(self) -> None:
        tree = dict(TREE)
        tree["vllm/entrypoints/somewhere/new.py"] = """
            def make_arg_parser(parser):
                while True:
                    parser.add_argument("--one")
        """
        with pytest.raises(UnreadableTreeError, match="more steps than any engine's does"):
            extract(source(tree))

    def test_a_file_that_isnt_python(self) -> None:
        tree = {**TREE, "vllm/config/all.py": "def (:\n"}
        with pytest.raises(SourceError, match=r"vllm/config/all\.py isn't Python"):
            extract(source(tree))
