"""Dumps what the engine in this image accepts, from its own parser, as JSON on stdout.

Run it with the image's Python: nothing but the standard library and the engine
is needed. What can't be read is named under "missing"; what the engine prints
meanwhile goes to stderr.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import enum
import functools
import importlib
import inspect
import json
import os
import pkgutil
import sys
import types
import typing
from collections.abc import Callable
from typing import Any

ENGINE = "@ENGINE@"
FORMAT = 1

SIGNS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}
SAME_AS = {
    "NoneType": "None",
    "Sequence": "list",
    "Iterable": "list",
    "Collection": "list",
    "Mapping": "dict",
    "MutableMapping": "dict",
    "object": "Any",
}
missing: list[str] = []


def attempt(what: str, work: Callable[[], Any], default: Any = None) -> Any:
    """The result of some work; what fails is noted and the dump goes on."""
    try:
        return work()
    except BaseException as error:  # an engine may even exit
        if isinstance(error, KeyboardInterrupt):
            raise
        missing.append(f"{what}: {type(error).__name__}: {error}")
        return default


def find(*dotted: str) -> Any:
    """The first of some dotted names that can be imported."""
    last = None
    for name in dotted:
        module, _, attribute = name.rpartition(".")
        try:
            return getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            last = error
    raise ImportError("none of {}: {}".format(", ".join(dotted), last))


# the parser


def closed_over(function: Any, name: str) -> Any:
    """What a function closed over, or has for a default."""
    if function.__closure__ and name in function.__code__.co_freevars:
        return function.__closure__[function.__code__.co_freevars.index(name)].cell_contents
    default = inspect.signature(function).parameters.get(name)
    return default.default if default is not None else None


def type_name(value: Any) -> str | None:
    """The name of an argument's type, with what it wraps."""
    if value is None:
        return None
    name = getattr(value, "__qualname__", None) or type(value).__name__
    name = name.replace("<locals>.", "")
    if isinstance(value, types.FunctionType):
        inner = closed_over(value, "return_type")
        if inner is not None:
            return f"{name}({type_name(inner)})"
        cls = closed_over(value, "cls")
        if isinstance(cls, type):
            return f"{name}({cls.__name__})"
    return name


def type_class(value: Any) -> Any:
    """The config class that an argument's type makes of its JSON."""
    while isinstance(value, types.FunctionType):
        cls = closed_over(value, "cls")
        if isinstance(cls, type):
            return cls
        value = closed_over(value, "return_type")
    return None


def listed(value: Any) -> list[str] | None:
    """Values as texts."""
    return None if value is None else [str(one) for one in value]


def read_parser(parser: Any) -> dict[str, Any]:
    """Every action, and every option string that the parser takes."""
    owners: dict[int, list[str]] = {}
    for name, action in parser._option_string_actions.items():
        owners.setdefault(id(action), []).append(name)
    actions = []
    for action in parser._actions:
        shown = list(action.option_strings)
        actions.append(
            {
                "opts": shown,
                "hidden": [one for one in owners.get(id(action), []) if one not in shown],
                "dest": action.dest,
                "nargs": action.nargs,
                "action": type(action).__name__,
                "type": type_name(action.type),
                "choices": listed(action.choices),
                "default": repr(action.default)[:2000],
                "required": bool(action.required),
                "metavar": listed(action.metavar)
                if isinstance(action.metavar, (list, tuple, set))
                else action.metavar,
                "deprecated": is_deprecated(parser, action),
                "replacement": replacement(action),
                "refused": bool(getattr(action, "error_message", None)),
            }
        )
    return {"actions": actions, "options": sorted(parser._option_string_actions)}


def is_deprecated(parser: Any, action: Any) -> bool:
    """Whether the engine calls an argument deprecated."""
    if getattr(action, "deprecated", False) or action in getattr(parser, "_deprecated", ()):
        return True
    if "deprecated" in type(action).__name__.lower():
        return True
    return (action.help or "").strip().lstrip("[(*`").lower().startswith("deprecated")


def replacement(action: Any) -> str:
    """The flag to use instead, where the action names one."""
    new_flag = getattr(action, "new_flag", None)
    return new_flag if isinstance(new_flag, str) else ""


# config classes


class Types:
    """Annotations as text, with the classes that they name."""

    def __init__(self) -> None:
        self.records: list[Any] = []
        self.enums: list[Any] = []

    def text(self, hint: Any, literals: list[Any]) -> str:
        """The text of an annotation; literal types of texts go to the list."""
        origin, args = typing.get_origin(hint), typing.get_args(hint)
        if hint is None or hint is type(None):
            return "None"
        if origin is typing.Annotated or str(origin) in ("typing.Required", "typing.NotRequired"):
            return self.text(args[0], literals)
        if origin is typing.Union or origin is getattr(types, "UnionType", ()):
            parts = [self.text(one, literals) for one in args]
            return " | ".join(dict.fromkeys(parts))
        if origin is typing.Literal:
            if all(isinstance(one, str) for one in args):
                literals.append(args)
                return "Literal"
            return "Literal[{}]".format(", ".join(map(repr, args)))
        if origin is not None:
            head = self.text(origin, literals)
            if head == "Callable":
                return head
            parts = ["..." if one is Ellipsis else self.text(one, literals) for one in args]
            return "{}[{}]".format(head, ", ".join(parts)) if parts else head
        if isinstance(hint, str):
            return hint
        if isinstance(hint, type):
            if issubclass(hint, enum.Enum):
                self.enums.append(hint)
            elif dataclasses.is_dataclass(hint) or hasattr(hint, "model_fields"):
                self.records.append(hint)
        name = getattr(hint, "__name__", None) or getattr(hint, "_name", None) or "Any"
        return SAME_AS.get(name, name)


def bounds(metadata: Any) -> str:
    """Limits on a number."""
    made = []
    for one in metadata:
        for key, sign in SIGNS.items():
            limit = getattr(one, key, None)
            if isinstance(limit, (int, float)):
                made.append(f"{sign}{limit}")
    return " ".join(made)


def validated_keys(cls: Any) -> set[str]:
    """Keys whose raw value a validator sees first; ``*`` for all."""
    made: set[str] = set()
    decorators = getattr(cls, "__pydantic_decorators__", None)
    for one in getattr(decorators, "field_validators", {}).values():
        if one.info.mode in ("before", "wrap", "plain"):
            made.update(one.info.fields)
    for one in getattr(decorators, "model_validators", {}).values():
        if one.info.mode in ("before", "wrap"):
            made.add("*")
    return made


def read_config(cls: Any, kinds: Types) -> dict[str, Any]:
    """A config class: its keys, with types, limits and defaults."""
    made: dict[str, Any] = {}
    validated = validated_keys(cls)
    info = getattr(cls, "__pydantic_fields__", {})
    fields = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
    hints = attempt(f"types of {cls.__name__}", lambda: typing.get_type_hints(cls), {})
    for field in fields:
        known = info.get(field.name)
        hint = getattr(known, "annotation", None) or hints.get(field.name, field.type)
        literals: list[Any] = []
        text = kinds.text(hint, literals)
        value = field.default
        if known is not None:
            value = known.default_factory() if known.default_factory else known.default
        elif field.default_factory is not dataclasses.MISSING:
            value = field.default_factory()
        required = value is dataclasses.MISSING or type(value).__name__ == "PydanticUndefinedType"
        made[field.name] = {
            "init": field.init and getattr(known, "init", None) is not False,
            "type": text,
            "validated": field.name in validated or "*" in validated,
            "bounds": bounds(getattr(known, "metadata", ())),
            "required": required and field.init,
        }
        if literals:
            flat = dict.fromkeys(one for group in literals for one in group)
            made[field.name]["choices"] = list(flat)
        if not required:
            made[field.name]["default"] = repr(value)[:500]
    for name, hint in getattr(cls, "__annotations__", {}).items():
        if name not in made and type(hint).__name__ == "InitVar":
            literals = []
            made[name] = {"init": True, "kind": "initvar", "type": kinds.text(hint.type, literals)}
            if literals:
                made[name]["choices"] = [one for group in literals for one in group]
    extra = (getattr(cls, "__pydantic_config__", None) or {}).get("extra")
    return {"extra": extra, "fields": made}


def read_configs(classes: list[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Config classes and all that they hold, and the enums among them."""
    kinds = Types()
    todo = list(classes)
    configs: dict[str, Any] = {}
    while todo:
        cls = todo.pop()
        if cls.__name__ not in configs:
            configs[cls.__name__] = {"extra": None, "fields": {}}
            read = attempt(f"config {cls.__name__}", functools.partial(read_config, cls, kinds))
            if read is None:
                del configs[cls.__name__]
                continue
            configs[cls.__name__] = read
            todo.extend(kinds.records)
    enums = {
        one.__name__: {name: repr(member.value)[:500] for name, member in one.__members__.items()}
        for one in kinds.enums
    }
    return configs, enums


# engines


def version_of(module: Any) -> str:
    """The version of a package."""
    version = getattr(module, "__version__", None)
    if not version:
        from importlib import metadata

        version = metadata.version(module.__name__)
    return str(version)


def dump_vllm() -> dict[str, Any]:
    """What vllm accepts."""
    with contextlib.suppress(Exception):  # where it matters, making the parser fails and says so
        name_platform()
    vllm = importlib.import_module("vllm")
    flexible = find(
        "vllm.engine.arg_utils.FlexibleArgumentParser",
        "vllm.utils.argparse_utils.FlexibleArgumentParser",
        "vllm.utils.FlexibleArgumentParser",
    )
    parser = vllm_parser(flexible)
    made = {"version": version_of(vllm), **read_parser(parser)}
    classes = [type_class(action.type) for action in parser._actions]
    classes = [one for one in classes if one is not None]
    home = attempt("vllm.config", lambda: importlib.import_module("vllm.config"))
    for value in list(vars(home).values()) if home is not None else ():
        if isinstance(value, type) and dataclasses.is_dataclass(value):
            classes.append(value)
    made["configs"], made["enums"] = read_configs(classes)
    backends = attempt(
        "attention backends",
        lambda: find(
            "vllm.v1.attention.backends.registry.AttentionBackendEnum",
            "vllm.attention.backends.registry.AttentionBackendEnum",
            "vllm.attention.backends.registry._Backend",
            "vllm.platforms.interface._Backend",
        ),
    )
    made["backends"] = sorted(backends.__members__) if backends is not None else None
    made["envs"] = attempt("variables", lambda: sorted(find("vllm.envs.environment_variables")))
    made["registries"] = vllm_registries(made["configs"])
    made["models"] = attempt(
        "models", lambda: sorted(find("vllm.model_executor.models.registry.ModelRegistry").models)
    )
    return made


def name_platform() -> None:
    """Without a GPU vllm can't tell what it runs on: take what its torch is built for."""
    platforms = importlib.import_module("vllm.platforms")
    if platforms.current_platform.device_type:
        return
    torch = importlib.import_module("torch")
    home = "rocm" if getattr(torch.version, "hip", None) else "cuda"
    import_without_driver(f"vllm.platforms.{home}")
    named = find(
        f"vllm.platforms.{home}.RocmPlatform",
        f"vllm.platforms.{home}.NonNvmlCudaPlatform",
        f"vllm.platforms.{home}.CudaPlatformBase",
    )
    vars(platforms)["_current_platform"] = named()


def import_without_driver(name: str) -> None:
    """Imports a module; compiled parts of vllm stay empty where the GPU's driver isn't there."""
    for _ in range(16):
        try:
            importlib.import_module(name)
        except ImportError as error:
            folder, _, file = str(error.path or "").rpartition("/vllm/")
            if not folder or not file.endswith(".so"):
                raise
            compiled = "vllm." + file.partition(".")[0].replace("/", ".")
            sys.modules[compiled] = types.ModuleType(compiled)
        else:
            return


def vllm_parser(flexible: Any) -> Any:
    """The parser of ``vllm serve``, however this version makes it."""
    with contextlib.suppress(ImportError):
        serve = find("vllm.entrypoints.cli.serve.ServeSubcommand")
        return serve().subparser_init(flexible().add_subparsers(dest="subparser"))
    package = importlib.import_module("vllm.entrypoints")
    for info in pkgutil.walk_packages(package.__path__, "vllm.entrypoints."):
        if info.name.rpartition(".")[2] == "cli_args":
            make = getattr(importlib.import_module(info.name), "make_arg_parser", None)
            if make is not None:
                return make(flexible())
    raise ImportError("nothing makes vllm's argument parser")


def manager_names(manager: Any) -> list[str]:
    """The names of a parser manager."""
    if hasattr(manager, "list_registered"):
        return list(manager.list_registered())
    for name in ("tool_parsers", "reasoning_parsers"):
        if hasattr(manager, name):
            return list(getattr(manager, name))
    raise AttributeError("a manager without names")


def vllm_registries(configs: dict[str, Any]) -> dict[str, list[str]]:
    """The names that vllm checks after parsing."""
    made: dict[str, list[str]] = {}

    def note(name: str, work: Callable[[], Any]) -> None:
        names = attempt(f"registry {name}", work)
        if names:
            made[name] = sorted(set(names))

    note(
        "tool_call_parser",
        lambda: manager_names(
            find(
                "vllm.tool_parsers.ToolParserManager",
                "vllm.entrypoints.openai.tool_parsers.ToolParserManager",
            )
        ),
    )
    note("reasoning_parser", lambda: manager_names(find("vllm.reasoning.ReasoningParserManager")))
    note(
        "quantization",
        lambda: find("vllm.model_executor.layers.quantization.QUANTIZATION_METHODS"),
    )
    note(
        "load_format",
        lambda: typing.get_args(find("vllm.model_executor.model_loader.LoadFormats")),
    )
    note(
        "KVTransferConfig.kv_connector",
        lambda: (
            find("vllm.distributed.kv_transfer.kv_connector.factory.KVConnectorFactory")._registry
        ),
    )
    if "ECTransferConfig" in configs:
        note(
            "ECTransferConfig.ec_connector",
            lambda: (
                find(
                    "vllm.distributed.ec_transfer.ec_connector.factory.ECConnectorFactory"
                )._registry
            ),
        )
    method = configs.get("SpeculativeConfig", {}).get("fields", {}).get("method", {})
    if method.get("choices"):
        made["SpeculativeConfig.method"] = sorted(method["choices"])
    modes = configs.get("ModelConfig", {}).get("fields", {}).get("tokenizer_mode", {})
    named = list(modes.get("choices") or [])
    with contextlib.suppress(ImportError):  # older versions name them in the type alone
        named += list(find("vllm.tokenizers.registry._VLLM_TOKENIZERS"))
    if named:
        made["tokenizer_mode"] = sorted({*named, "auto"})
    return made


def dump_sglang() -> dict[str, Any]:
    """What sglang accepts."""
    sglang = importlib.import_module("sglang")
    parser = argparse.ArgumentParser(prog="sglang")
    find("sglang.srt.server_args.ServerArgs").add_cli_args(parser)
    made = {"version": version_of(sglang), **read_parser(parser)}
    made["backends"] = attempt("attention backends", lambda: sglang_backends(parser))
    made["envs"] = attempt("variables", sglang_variables)
    names = attempt("registry speculative_algorithm", sglang_algorithms, [])
    made["registries"] = {"speculative_algorithm": names} if names else {}
    made["models"] = attempt(
        "models",
        lambda: sorted(find("sglang.srt.models.registry.ModelRegistry").get_supported_archs()),
    )
    return made


def sglang_backends(parser: Any) -> list[str]:
    """The choices of the attention backend."""
    action = parser._option_string_actions["--attention-backend"]
    return sorted(action.choices)


def sglang_variables() -> list[str]:
    """The variables that sglang declares."""
    fields = vars(find("sglang.srt.environ.Envs"))
    base = find("sglang.srt.environ.EnvField")
    return sorted(name for name, value in fields.items() if isinstance(value, base))


def sglang_algorithms() -> list[str]:
    """The names of speculative algorithms."""
    known = find("sglang.srt.speculative.spec_info.SpeculativeAlgorithm")
    names = set(getattr(known, "__members__", ()) or getattr(known, "_registry_by_name", ()))
    with contextlib.suppress(ImportError):  # older versions keep aliases with the names
        names |= set(find("sglang.srt.speculative.spec_registry._RESERVED_ALIASES"))
    return sorted(names - {"NONE"})


def main() -> None:
    """Dumps to stdout; what the engine prints goes to stderr."""
    dumps = {"vllm": dump_vllm, "sglang": dump_sglang}
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the engine prints while it is imported is not the dump
    sys.argv = [ENGINE]
    made = attempt(ENGINE, dumps[ENGINE])
    if made is None:
        sys.stderr.write("\n".join(missing) + "\n")
        os._exit(1)
    made = {"dump": FORMAT, "engine": ENGINE, **made, "missing": missing}
    json.dump(made, out, indent=1, sort_keys=True)
    out.write("\n")
    out.flush()
    os._exit(0)  # engines leave threads behind


if __name__ == "__main__":
    main()
