"""Extraction of sglang from small trees in the three shapes that its releases have.

Arguments written out by hand; arguments generated from annotated fields of one
class; fields gathered from many classes into a struct that a call makes.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from infxreg.surface.errors import NotThisEngineError, UnreadableTreeError
from infxreg.surface.model import ConfigField, Flag, Surface
from infxreg_sglang.extract import Extraction, extract
from support.trees import source

COMMON = {
    "sglang/__init__.py": "",
    "sglang/srt/environ.py": """
        import os
        class EnvField:
            def __init__(self, default, deprecated_name=None): self.default = default
            def __set_name__(self, owner, name): self.name = name
            def get(self):
                value = os.getenv(self.name)
                return self.default if value is None else value
        class EnvBool(EnvField): ...
        class Envs:
            SGLANG_X = EnvBool(False)
            SGLANG_Y = EnvField(3, deprecated_name="SGLANG_OLD_Y")
            IS_H200 = EnvBool(False)
        envs = Envs()
        _DEPRECATED_ENVS = {
            "SGLANG_MOVED": _DeprecatedEnv(replacement="SGLANG_X"),
            "SGLANG_GONE": _DeprecatedEnv(note="x"),
        }
    """,
    "sglang/srt/parsers.py": """
        class A: ...
        class FunctionCallParser:
            ToolCallParserEnum = {"deepseekv4": A, "qwen": A}
    """,
    "sglang/srt/worker.py": "import os\nX = os.environ.get('SGLANG_READ', '')\nos.getenv('HOME')\n",
    "sglang/srt/models/llama.py": "class L: ...\nclass M: ...\nEntryClass = [L, M]  # two\n",
    "sglang/srt/models/qwen.py": "class Q: ...\nEntryClass = Q\n",
    "sglang/srt/speculative/spec_info.py": """
        from enum import Enum, auto
        class SpeculativeAlgorithm(Enum):
            EAGLE = auto()
            NONE = auto()
    """,
    "sglang/srt/speculative/spec_registry.py": "_RESERVED_ALIASES = frozenset({'NEXTN'})\n",
    "sglang/srt/model_executor/cuda_graph_config.py": """
        from dataclasses import dataclass
        from typing import List, Optional
        class Phase:
            DECODE = "decode"
            PREFILL = "prefill"
        ALLOWED_KEYS_PER_PHASE = {Phase.DECODE: ("backend", "bs"), Phase.PREFILL: ("backend",)}
        @dataclass
        class PhaseConfig:
            backend: str = "full"
            bs: Optional[List[int]] = None
            internal: int = 3
        def parse_cuda_graph_config_arg(text): return text
    """,
    "sglang/srt/actions.py": """
        import argparse
        class DeprecatedAction(argparse.Action):
            def __init__(self, option_strings, dest, error_message=None, nargs=0, **kwargs):
                self.error_message = error_message
                super(DeprecatedAction, self).__init__(option_strings, dest, nargs=nargs, **kwargs)
            def __call__(self, parser, namespace, values, option_string=None):
                if self.error_message is not None:
                    parser.error(self.error_message)
        class DeprecatedAliasStoreAction(argparse.Action):
            def __init__(self, option_strings, dest, new_flag=None, **kwargs):
                self.new_flag = new_flag
                super().__init__(option_strings, dest, **kwargs)
    """,
}
BY_HAND = {
    **COMMON,
    "sglang/srt/server_args.py": """
        import argparse, dataclasses, json
        from sglang.srt.actions import DeprecatedAction, DeprecatedAliasStoreAction
        from sglang.srt.environ import envs
        from sglang.srt.model_executor.cuda_graph_config import parse_cuda_graph_config_arg
        from sglang.srt.parsers import FunctionCallParser
        BACKENDS = ["triton", "fa3"]
        def add_backend(names): BACKENDS.extend(names)
        @dataclasses.dataclass
        class ServerArgs:
            model_path: str
            port: int = 30000
            extra: dict = dataclasses.field(default_factory=dict)
            @staticmethod
            def add_cli_args(parser):
                parser.add_argument("--model-path", "--model", type=str, required=True)
                parser.add_argument("--port", type=int, default=ServerArgs.port)
                parser.add_argument("--attention-backend", type=str, choices=BACKENDS)
                parsers = list(FunctionCallParser.ToolCallParserEnum.keys())
                parser.add_argument("--tool-call-parser", choices=["auto"] + parsers)
                names = set(BACKENDS)
                if envs.SGLANG_X.get():
                    names.add("never")
                parser.add_argument("--sampling", choices=names)
                parser.add_argument("--graph", type=parse_cuda_graph_config_arg)
                parser.add_argument("--gone", action=DeprecatedAction, error_message="Use --kept.")
                parser.add_argument("--old-port", action=DeprecatedAliasStoreAction, dest="port",
                                    new_flag="--port", type=int)
                for i in range(50):
                    parser.add_argument(f"--filler-{i}", action="store_true")
    """,
}
FIELDS = """
    from typing import Annotated, Callable, List, Literal, Optional
    from sglang.srt.arg_utils import A, Arg
    from sglang.srt.choices import BACKENDS
"""
GENERATED = {
    **COMMON,
    "sglang/srt/choices.py": "BACKENDS = ['triton', 'fa3']\n",
    "sglang/srt/arg_utils.py": """
        import dataclasses
        from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints
        import msgspec
        import msgspec.structs
        A = Annotated
        class Arg(msgspec.Struct, frozen=True):
            help: str = ""
            choices: list | None = None
            aliases: list | None = None
            cli_name: str | None = None
            type_parser: Any | None = None
            action: Any | None = None
            action_kwargs: dict | None = None
            no_cli: bool = False
        def record_fields(cls):
            if isinstance(cls, type) and issubclass(cls, msgspec.Struct):
                return msgspec.structs.fields(cls)
            return dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
        def unwrap(tp):
            if get_origin(tp) is Annotated:
                inner, *rest = get_args(tp)
                for one in rest:
                    if isinstance(one, Arg):
                        return inner, one
                    if isinstance(one, str):
                        return inner, Arg(help=one)
                return inner, None
            return tp, None
        def add_from(parser, cls):
            hints = get_type_hints(cls, include_extras=True)
            for field in record_fields(cls):
                tp, arg = unwrap(hints.get(field.name))
                if arg is None or arg.no_cli:
                    continue
                name = arg.cli_name or "--" + field.name.replace("_", "-")
                kwargs = {"dest": field.name}
                absent = (dataclasses.MISSING, msgspec.NODEFAULT)
                if field.default not in absent:
                    kwargs["default"] = field.default
                elif field.default_factory not in absent:
                    kwargs["default"] = field.default_factory()
                else:
                    kwargs["required"] = True
                if arg.action is not None:
                    kwargs.update(action=arg.action, **(arg.action_kwargs or {}))
                    parser.add_argument(name, *(arg.aliases or []), **kwargs)
                    continue
                if get_origin(tp) is Union:
                    tp = [one for one in get_args(tp) if one is not type(None)][0]
                if get_origin(tp) is Literal:
                    kwargs.update(type=type(get_args(tp)[0]), choices=list(get_args(tp)))
                elif get_origin(tp) is list and arg.type_parser is None:
                    kwargs.update(type=get_args(tp)[0], nargs="+")
                elif tp is bool:
                    kwargs.update(action="store_true")
                else:
                    kwargs["type"] = arg.type_parser or (tp if tp in (int, float) else str)
                if arg.choices:
                    kwargs["choices"] = arg.choices
                parser.add_argument(name, *(arg.aliases or []), **kwargs)
    """,
    "sglang/srt/server_args.py": FIELDS
    + """
    import argparse, dataclasses, json
    from sglang.srt.arg_utils import add_from
    @dataclasses.dataclass
    class ServerArgs:
        model_path: A[str, Arg(help="h", aliases=["--model"])]
        tp_size: A[int, Arg(help="h", cli_name="--tensor-parallel-size", aliases=["--tp-size"])] = 1
        mode: A[Optional[Literal["serial", "overlap"]], "bare help"] = None
        attention_backend: A[str, Arg(help="h", choices=BACKENDS)] = "triton"
        buckets: A[Optional[List[float]], "h"] = None
        linker: A[Optional[dict], Arg(help="h", type_parser=json.loads)] = None
        fast: A[bool, "h"] = False
        tri: A[Optional[bool], Arg(help="h", action=argparse.BooleanOptionalAction)] = None
        hidden: A[int, Arg(help="h", no_cli=True)] = 0
        unmarked: Optional[Callable] = None
        @staticmethod
        def add_cli_args(parser):
            add_from(parser, ServerArgs)
            parser.add_argument("--config", type=str)
            for i in range(50):
                parser.add_argument(f"--filler-{i}", action="store_true")
    """,
}
GATHERED = {
    **GENERATED,
    "sglang/srt/fields/model.py": FIELDS
    + """
    import msgspec
    class Model(msgspec.Struct):
        _NS_PATH = "model"
        model_path: A[str, Arg(help="h", aliases=["--model"])]
        fast: A[bool, "h"] = False
        _private: A[int, "h"] = 2
    """,
    "sglang/srt/fields/parallel.py": FIELDS
    + """
    import msgspec
    class Parallel(msgspec.Struct):
        _NS_PATH = "parallel"
        tp_size: A[int, Arg(help="h", aliases=["--tp"])] = 1
        names: A[List[str], "h"] = msgspec.field(default_factory=list)
        derived = 3
    """,
    "sglang/srt/fields/__init__.py": """
        from typing import get_type_hints
        import msgspec
        import msgspec.structs
        ORDER = ("tp_size", "model_path")
        def collect(sources):
            annotations, defaults = {}, {}
            for source in sources:
                hints = get_type_hints(source, include_extras=True)
                for field in msgspec.structs.fields(source):
                    if field.name in annotations:
                        raise ValueError("twice")
                    annotations[field.name] = hints[field.name]
                    if field.default is not msgspec.NODEFAULT:
                        defaults[field.name] = field.default
                    elif field.default_factory is not msgspec.NODEFAULT:
                        defaults[field.name] = msgspec.field(default_factory=field.default_factory)
            known = [n for n in ORDER if n in annotations]
            rest = [n for n in annotations if n not in set(ORDER)]
            return {n: annotations[n] for n in known + rest}, defaults
    """,
    "sglang/srt/server_args.py": """
        import msgspec
        from sglang.srt.arg_utils import add_from
        from sglang.srt.fields import collect
        from sglang.srt.fields.model import Model
        from sglang.srt.fields.parallel import Parallel
        def _default(name):
            return {field.name: field for field in msgspec.structs.fields(ServerArgs)}[name].default
        class ServerArgs:
            LIMITS = ("a",)
            @staticmethod
            def add_cli_args(parser):
                add_from(parser, ServerArgs)
                parser.add_argument("--also", type=int, default=_default("tp_size"))
                for i in range(50):
                    parser.add_argument(f"--filler-{i}", action="store_true")
        _annotations, _defaults = collect([Model, Parallel])
        ServerArgs.__annotations__ = {**_annotations, **ServerArgs.__annotations__}
        ServerArgs._NAMESPACES = [Model, Parallel]
        ServerArgs = msgspec.defstruct(
            "ServerArgs",
            [(n, a, _defaults[n]) if n in _defaults else (n, a)
             for n, a in ServerArgs.__annotations__.items()],
            namespace={k: v for k, v in vars(ServerArgs).items() if k != "__dict__"},
            dict=True,
        )
    """,
}


def read(tree: Mapping[str, str]) -> Surface:
    extraction = Extraction(source(tree, "sglang", "0.5.99"))
    made = extraction.surface()
    assert extraction.machine.problems == []
    assert [one.flag.names for one in extraction.reads if one.cause or not one.certain] == []
    assert sum("filler" in name for name in made.by_name) == 50
    return made


def shown(made: Surface) -> set[str]:
    return {name for name in made.by_name if "filler" not in name} - {"-h", "--help"}


class TestByHand:
    def test_options(self) -> None:
        made = read(BY_HAND)
        assert shown(made) == set(
            "--model-path --model --port --attention-backend --tool-call-parser --sampling "
            "--graph --gone --old-port".split()
        )
        assert made.by_name["--model"].required is True
        assert made.by_name["--port"].default == "30000"
        assert made.by_name["--tool-call-parser"].choices == ("auto", "deepseekv4", "qwen")
        assert made.by_name["--sampling"].choices == ("fa3", "triton")
        assert made.by_name["--graph"].type == "parse_cuda_graph_config_arg"
        gone = made.by_name["--gone"]
        assert (gone.refused, gone.arity, gone.deprecated) == (True, "0", "--kept")
        assert [flag.names for flag in made.by_dest["port"]] == [("--old-port",), ("--port",)]
        assert made.by_name["--old-port"].deprecated == "--port"

    def test_lists(self) -> None:
        made = read(BY_HAND)
        assert made.backends == ("fa3", "triton")
        assert made.env == ("IS_H200", "SGLANG_X", "SGLANG_Y")
        assert made.env_read == ("SGLANG_MOVED", "SGLANG_OLD_Y", "SGLANG_READ")
        assert made.models == ("L", "M", "Q")
        assert dict(made.registries) == {"speculative_algorithm": ("EAGLE", "NEXTN")}
        assert (made.engine, made.version, made.made_by) == ("sglang", "0.5.99", "ast")

    def test_the_keys_of_a_checked_json_flag(self) -> None:
        configs = read(BY_HAND).configs
        assert dict(configs["CudaGraphConfig"].fields) == {
            "decode": ConfigField(type="CudaGraphDecode"),
            "prefill": ConfigField(type="CudaGraphPrefill"),
        }
        assert configs["CudaGraphDecode"].keys == ("backend", "bs")
        assert configs["CudaGraphPrefill"].keys == ("backend",)


class TestGenerated:
    def test_options(self) -> None:
        assert shown(read(GENERATED)) == set(
            "--model-path --model --tensor-parallel-size --tp-size --mode --attention-backend "
            "--buckets --linker --fast --tri --no-tri --config".split()
        )

    @pytest.mark.parametrize(
        "flag",
        [
            Flag(names=("--model-path", "--model"), dest="model_path", required=True,
                 default="None"),
            Flag(names=("--tensor-parallel-size", "--tp-size"), dest="tp_size", type="int",
                 default="1"),
            Flag(names=("--mode",), dest="mode", choices=("overlap", "serial"), hard=True,
                 default="None"),
            Flag(names=("--attention-backend",), dest="attention_backend",
                 choices=("fa3", "triton"), hard=True, default="'triton'"),
            Flag(names=("--buckets",), dest="buckets", type="float", arity="+", default="None"),
            Flag(names=("--linker",), dest="linker", type="json", default="None"),
            Flag(names=("--fast",), dest="fast", type="", arity="0", action="store_true",
                 default="False"),
            Flag(names=("--tri", "--no-tri"), dest="tri", type="", arity="0", action="boolean",
                 default="None"),
        ],
        ids=lambda flag: flag.dest,
    )  # fmt: skip
    def test_a_flag(self, flag: Flag) -> None:
        assert read(GENERATED).by_dest[flag.dest] == (flag,)


class TestGathered:
    def test_options_of_every_namespace(self) -> None:
        made = read(GATHERED)
        assert shown(made) == set(
            "--model-path --model --fast ---private --tp-size --tp --names --also".split()
        )
        assert made.by_name["--tp"].default == "1"
        assert made.by_name["--also"].default == "1"
        assert (made.by_name["--names"].arity, made.by_name["--names"].default) == ("+", "[]")
        assert made.by_name["--model"].required is True


class TestErrors:
    def test_a_tree_that_isnt_the_engine(self) -> None:
        with pytest.raises(NotThisEngineError, match=r"it has no sglang/srt/server_args\.py"):
            extract(source({"sglang/__init__.py": ""}))
        with pytest.raises(NotThisEngineError, match="memory isn't sglang"):
            extract(source(BY_HAND, name="vllm"))

    def test_no_arguments_class(self) -> None:
        tree = {**COMMON, "sglang/srt/server_args.py": "X = 1\n"}
        with pytest.raises(NotThisEngineError, match="it has no ServerArgs"):
            extract(source(tree))

    def test_a_parser_that_cant_be_followed(self) -> None:
        tree = {
            **COMMON,
            "sglang/srt/server_args.py": """
                import torch
                class ServerArgs:
                    @staticmethod
                    def add_cli_args(parser):
                        for name in torch.names():
                            parser.add_argument(name)
            """,
        }
        with pytest.raises(UnreadableTreeError, match="only 0 arguments were found; dump it"):
            extract(source(tree))

    def test_a_version_that_only_the_tree_says(self) -> None:
        tree = {**BY_HAND, "sglang/version.py": "__version__ = '0.6.dev1'\n"}
        assert extract(source(tree)).version == "0.6.dev1"
