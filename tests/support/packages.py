"""Small engines that need nothing but the standard library, for the dump script to look into."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

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
