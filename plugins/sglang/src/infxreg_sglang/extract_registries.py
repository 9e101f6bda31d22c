"""The names that sglang checks after parsing, its variables and its models."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from infxreg.surface.model import Config, ConfigField, Flag, sorted_names
from infxreg.surface.pyread.configs import ConfigReader
from infxreg.surface.pyread.machine import Machine
from infxreg.surface.pyread.named import listed, registered
from infxreg.surface.pyread.values import ClassVal, ModuleVal
from infxreg.surface.source import Source
from infxreg.values import FrozenMap

MODELS = "sglang/srt/models/"
SPECULATIVE = "sglang/srt/speculative/"
GRAPH = "sglang.srt.model_executor.cuda_graph_config"

_ENTRY = re.compile(r"^EntryClass\s*(?::[^=\n]+)?\+?=\s*(\[[^\]]*\]|\([^)]*\)|\w+)", re.MULTILINE)
_ENTRY_MORE = re.compile(r"^EntryClass\.(?:append|extend)\(([^)]*)\)", re.MULTILINE)
_COMMENT = re.compile(r"#[^\n]*")
_ALIAS = re.compile(r"deprecated_name\s*=\s*[\"'](\w+)[\"']")
_RENAMED = re.compile(r"_print_deprecated_env\(\s*[\"']\w+[\"'],\s*[\"'](\w+)[\"']")


def registries(machine: Machine, source: Source) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every registry that argparse doesn't check, by destination."""
    home = "sglang.srt.speculative"
    names = sorted_names(
        (
            *listed(
                machine,
                f"{home}.spec_info.SpeculativeAlgorithm",
                f"{home}.spec_registry._RESERVED_ALIASES",
            ),
            *registered(
                source,
                (f"{SPECULATIVE}spec_info.py",),
                frozenset({"register_speculative_algorithm", "register"}),
            ),
            *_aliases(machine),
        )
    )
    found = tuple(name for name in names if name != "NONE")
    if found:
        yield "speculative_algorithm", found


def _aliases(machine: Machine) -> Iterator[str]:
    """Names in ``aliases=`` of the calls that register algorithms."""
    module = machine.module("sglang.srt.speculative.spec_info")
    if not isinstance(module, ModuleVal):
        return
    for node in ast.walk(module.module.tree):
        if isinstance(node, ast.keyword) and node.arg == "aliases":
            for one in ast.walk(node.value):
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    yield one.value


def backends(flags: Iterable[Flag]) -> tuple[str, ...] | None:
    """Attention-backend names: the choices of the flag."""
    flag = next((one for one in flags if "--attention-backend" in one.names), None)
    return sorted_names(flag.choices) if flag is not None and flag.choices else None


def environment(machine: Machine) -> tuple[str, ...]:
    """The variables that ``sglang.srt.environ.Envs`` declares."""
    cls = machine.find("sglang.srt.environ.Envs")
    if not isinstance(cls, ClassVal) or cls.node is None:
        return ()
    names: list[str] = []
    for statement in cls.node.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and isinstance(
            statement.value, ast.Call
        ):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names += [one.id for one in targets if isinstance(one, ast.Name)]
    return sorted_names(names)


def environment_aliases(machine: Machine) -> Iterator[str]:
    """Old names of variables that are still read."""
    module = machine.module("sglang.srt.environ")
    if isinstance(module, ModuleVal):
        text = machine.project.source.text(module.module.path)
        yield from _ALIAS.findall(text)
        yield from _RENAMED.findall(text)
        yield from _forwarded(module.module.tree)


def _forwarded(tree: ast.Module) -> Iterator[str]:
    """Keys of the table of deprecated variables whose value goes to another."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Dict):
            continue
        for key, value in zip(node.keys, node.values, strict=True):
            if (
                isinstance(key, ast.Constant)
                and isinstance(key.value, str)
                and isinstance(value, ast.Call)
                and any(one.arg == "replacement" for one in value.keywords)
            ):
                yield key.value


def models(source: Source) -> tuple[str, ...] | None:
    """Architecture names: the classes that each model file enters."""
    found: list[str] = []
    for path in source.paths:
        if path.startswith(MODELS):
            text = source.text(path)
            if "EntryClass" in text:
                for pattern in (_ENTRY, _ENTRY_MORE):
                    for value in pattern.findall(text):
                        found += re.findall(r"\w+", _COMMENT.sub("", value))
    return sorted_names(found) or None


def graph_configs(machine: Machine) -> FrozenMap[str, Config]:
    """The keys of ``--cuda-graph-config``: a class for each phase."""
    allowed = machine.find(f"{GRAPH}.ALLOWED_KEYS_PER_PHASE")
    phase = machine.find(f"{GRAPH}.PhaseConfig")
    if not isinstance(allowed, dict) or not isinstance(phase, ClassVal):
        return FrozenMap()
    reader = ConfigReader(machine)
    reader.read([phase])
    fields = reader.configs[phase.name].fields
    made: dict[str, Config] = {}
    top: dict[str, ConfigField] = {}
    for name, keys in allowed.items():
        if isinstance(name, str) and isinstance(keys, (tuple, list)):
            config = f"CudaGraph{name.capitalize()}"
            top[name] = ConfigField(type=config)
            made[config] = Config(
                fields=FrozenMap({str(k): fields.get(str(k), ConfigField()) for k in keys}),
                extra="forbid",
            )
    made["CudaGraphConfig"] = Config(fields=FrozenMap(top), extra="forbid")
    return FrozenMap(dict(sorted(made.items())))


def version(machine: Machine) -> str:
    """The version that a tree without metadata states, or nothing."""
    for name in ("sglang._version.__version__", "sglang.version.__version__"):
        found = machine.find(name)
        if isinstance(found, str):
            return found
    return ""
