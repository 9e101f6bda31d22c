"""The names that vllm checks after parsing: parsers, connectors, methods, models, variables."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from infxreg.surface.model import Config, Enum, Flag, sorted_names
from infxreg.surface.pyread import classes
from infxreg.surface.pyread.machine import Machine
from infxreg.surface.pyread.named import listed, registered, texts
from infxreg.surface.pyread.project import dotted
from infxreg.surface.pyread.values import ClassVal, ModuleVal
from infxreg.surface.source import Source

TOOL_PARSERS = ("vllm/tool_parsers/", "vllm/entrypoints/openai/tool_parsers/")
REASONING_PARSERS = ("vllm/reasoning/",)
# Destination, folders, manager class, table of lazy ones, the manager's own table.
PARSERS = (
    (
        "tool_call_parser",
        TOOL_PARSERS,
        "ToolParserManager",
        "_TOOL_PARSERS_TO_REGISTER",
        "tool_parsers",
    ),
    (
        "reasoning_parser",
        REASONING_PARSERS,
        "ReasoningParserManager",
        "_REASONING_PARSERS_TO_REGISTER",
        "reasoning_parsers",
    ),
)
KV_CONNECTORS = ("vllm/distributed/kv_transfer/",)
EC_CONNECTORS = ("vllm/distributed/ec_transfer/",)
BACKEND_ENUMS = (
    "vllm.v1.attention.backends.registry.AttentionBackendEnum",
    "vllm.attention.backends.registry.AttentionBackendEnum",
    "vllm.attention.backends.registry._Backend",
    "vllm.platforms.interface._Backend",
)
# Keys whose type already lists every name, and that the parser doesn't check.
TYPED = ("SpeculativeConfig.method",)


def parsers(machine: Machine, source: Source) -> dict[str, Sequence[str]]:
    """Tool and reasoning parsers; the managers of the tree list them from then on."""
    found: dict[str, Sequence[str]] = {}
    for dest, folders, manager, table, attribute in PARSERS:
        homes = [dotted(folder + "__init__.py") for folder in folders]
        names = sorted_names(
            (
                *listed(machine, *(f"{home}.{table}" for home in homes)),
                *registered(source, folders, frozenset({"register_module"})),
            )
        )
        found[dest] = names
        for home in homes:
            cls = machine.find(f"{home}.{manager}")
            if isinstance(cls, ClassVal):
                cls.statements.pop(attribute, None)
                cls.names[attribute] = dict.fromkeys(names)
    return found


def others(
    machine: Machine, source: Source, configs: Mapping[str, Config]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Every other registry, by destination or by key."""
    quantization = "vllm.model_executor.layers.quantization"
    yield (
        "quantization",
        listed(
            machine,
            f"{quantization}.QUANTIZATION_METHODS",
            f"{quantization}.DEPRECATED_QUANTIZATION_METHODS",
        ),
    )
    loader = "vllm.model_executor.model_loader"
    formats = listed(machine, f"{loader}.LoadFormats", f"{loader}._LOAD_FORMAT_TO_MODEL_LOADER")
    yield "load_format", formats or _values(machine, "vllm.config.LoadFormat")
    yield "tokenizer_mode", tuple(_tokenizer_modes(machine, source, configs))
    connector = frozenset({"register_connector"})
    yield "KVTransferConfig.kv_connector", tuple(registered(source, KV_CONNECTORS, connector))
    yield "ECTransferConfig.ec_connector", tuple(registered(source, EC_CONNECTORS, connector))
    for path in TYPED:
        name, _, key = path.partition(".")
        field = configs[name].fields.get(key) if name in configs else None
        if field is not None and field.choices:
            yield path, field.choices


def _values(machine: Machine, name: str) -> Sequence[str]:
    """The texts that are an enum's values."""
    cls = machine.find(name)
    if not isinstance(cls, ClassVal) or not classes.is_enum(cls):
        return ()
    values = [one.value for one in classes.members(machine, cls).values()]
    return tuple(one for one in values if isinstance(one, str))


def _tokenizer_modes(
    machine: Machine, source: Source, configs: Mapping[str, Config]
) -> Iterator[str]:
    modes = [
        *listed(machine, "vllm.tokenizers.registry._VLLM_TOKENIZERS"),
        *registered(source, ("vllm/tokenizers/",), frozenset({"register"})),
    ]
    field = (
        configs["ModelConfig"].fields.get("tokenizer_mode") if "ModelConfig" in configs else None
    )
    yield from modes
    yield from (field.choices if field is not None and field.choices else ())
    if modes or field is not None:
        yield "auto"


def of_enums(
    flags: Iterable[Flag], configs: Mapping[str, Config], enums: Mapping[str, Enum]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Names of an enum behind a flag that argparse takes any text for."""
    for flag in flags:
        name, _, key = (flag.origin or "").partition(".")
        field = configs[name].fields.get(key) if name in configs else None
        if field is None or flag.hard or flag.type != "str" or flag.dest == "attention_backend":
            continue
        for word in (field.type or "").split(" | "):
            members = members_of(enums, word)
            values = [ast.literal_eval(one or "None") for one in members.values()]
            if members and all(isinstance(one, (str, type(None))) for one in values):
                # A value with dots is where the code is, not a name that anyone writes.
                yield flag.dest, (*members, *(one for one in values if one and "." not in one))


def members_of(enums: Mapping[str, Enum], word: str) -> Mapping[str, str | None]:
    """The members of an enum by name, none if there is no such enum."""
    return enums[word].members if word in enums else {}


def backends(machine: Machine) -> tuple[str, ...] | None:
    """Attention-backend names."""
    for name in BACKEND_ENUMS:
        cls = machine.find(name)
        if isinstance(cls, ClassVal) and classes.is_enum(cls):
            return sorted_names(classes.members(machine, cls))
    return None


def environment(machine: Machine) -> tuple[str, ...]:
    """The variables of ``vllm.envs``."""
    module = machine.module("vllm.envs")
    if not isinstance(module, ModuleVal):
        return ()
    names: list[str] = []
    for statement in module.module.statements:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if any(
                isinstance(one, ast.Name) and one.id == "environment_variables" for one in targets
            ):
                for node in ast.walk(statement.value) if statement.value is not None else ():
                    if isinstance(node, ast.Dict):
                        names += [
                            key.value
                            for key in node.keys
                            if isinstance(key, ast.Constant) and isinstance(key.value, str)
                        ]
                        break
    return sorted_names(names)


def models(machine: Machine) -> tuple[str, ...] | None:
    """Architecture names of the model registry."""
    found = texts(machine, machine.find("vllm.model_executor.models.registry._VLLM_MODELS"))
    return sorted_names(found) or None


def version(machine: Machine) -> str:
    """The version that a tree without metadata states, or nothing."""
    for name in ("vllm._version.__version__", "vllm._version.version"):
        found = machine.find(name)
        if isinstance(found, str):
            return found
    return ""
