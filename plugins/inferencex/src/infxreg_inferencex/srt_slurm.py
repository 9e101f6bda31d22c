"""Launches as srt-slurm's recipes of schema 2: a base, and an override for each point.

Source of the format: NVIDIA/srt-slurm, docs/config-reference.md and docs/overrides.md, and the
recipes that InferenceX keeps in benchmarks/single_node/srt-slurm-recipes, as of 2026-09.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from infxreg.catalogue import Catalogue
from infxreg.exchange import ExportError, Launch
from infxreg.render import arguments
from infxreg.spec import LaunchSpec

SCHEMA = 2

_COMMANDS = {"agentic": "bash /infmax-workspace/benchmarks/srt_agentic.sh"}
"""What measures a workload in InferenceX; fixed lengths have a script of their own."""

_FIXED = "bash /infmax-workspace/benchmarks/single_node/srt_fixed_sequence.sh"

Tree = dict[str, Any]


def write(launches: Sequence[Launch], catalogue: Catalogue) -> Mapping[str, str]:
    """A file for each recipe, ``<recipe>.yaml``.

    Args:
        launches: points at purpose ``serve``: InferenceX itself puts simulated acceptance in.
        catalogue: what is known of models and engines.

    Raises:
        ExportError: naming every launch that the format can't express, and what of it.
    """
    wrong = [f"{one.recipe}/{one.point}: {why}" for one in launches for why in _problems(one.spec)]
    if wrong:
        raise ExportError("srt-slurm", tuple(wrong))
    by_recipe: dict[str, dict[str, Tree]] = {}
    for one in launches:
        name = one.recipe or f"{one.spec.model.id}-{one.spec.sku}-{one.spec.engine}"
        document = _document(name, one.spec, catalogue)
        by_recipe.setdefault(name, {})[one.point or "point"] = document
    return {f"{name}.yaml": _recipe(points) for name, points in sorted(by_recipe.items())}


def _problems(spec: LaunchSpec) -> Iterator[str]:
    axes = spec.point.axes
    if axes["purpose"] != "serve":
        yield (
            f"purpose is {axes['purpose']}: InferenceX makes that of the recipe for serve, and "
            "refuses one that has simulated acceptance already"
        )
    if axes["role"] != "agg":
        yield f"role is {axes['role']}: which workers belong together isn't in a launch spec"
    if spec.engine not in ("vllm", "sglang"):
        yield f"engine is {spec.engine}: known are vllm, sglang"


def _document(name: str, spec: LaunchSpec, catalogue: Catalogue) -> Tree:
    """The recipe of one point, in the order in which InferenceX writes it."""
    resources, timeouts = spec.resources, spec.timeouts
    model = catalogue.models[spec.model.id]
    frontend: Tree = {"type": spec.engine, "enable_multiple_frontends": False}
    if spec.frontend is not None:
        frontend |= {"type": spec.frontend.type, "args": _plain(dict(spec.frontend.args))}
    document: Tree = {
        "schema": SCHEMA,
        "name": name,
        "model": {
            "path": f"hf:{spec.model.hub_id}",
            "container": spec.image.reference,
            "precision": model.precision or "bf16",
        },
        "resources": {"gpu_type": spec.sku, "gpus_per_node": resources.gpus_per_node},
        "frontend": frontend,
        "observability": {"enabled": False, "tachometer": {"enabled": False}},
        "engine": {"type": "vllm", "connector": None} if spec.engine == "vllm" else "sglang",
        "health_check": {
            "interval_seconds": timeouts.health_interval_s,
            "max_attempts": timeouts.health_attempts,
        },
    }
    if spec.setup is not None:
        document["setup_script"] = spec.setup
    document["roles"] = {
        "agg": {
            "nodes": resources.nodes,
            "workers": 1,
            "gpus": resources.gpus,
            "args": dict(flags(arguments(catalogue.engines[spec.engine], spec.argv))),
            "env": dict(spec.env),
        }
    }
    document["benchmark"] = {
        "type": "custom",
        "command": _command(spec),
        "env": dict(spec.client_env),
    }
    return document


def _command(spec: LaunchSpec) -> str:
    known = _COMMANDS.get(str(spec.point.axes.get("workload")))
    if known is not None:
        return known
    mode = spec.options.get("tokenizer.mode")
    tokenizer = f" --tokenizer-mode {mode.value}" if mode is not None and mode.value else ""
    return _FIXED + tokenizer


def flags(argv: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Arguments as srt-slurm has them: true for a bare flag, a list for several words.

    What stands before the first flag is the model, which a recipe names elsewhere; so does what
    gives the model's path.
    """
    words: list[str] = []
    name = ""
    for token in (*argv, "--"):
        if not token.startswith("--"):
            words.append(token)
            continue
        if name and name != "model-path":
            yield name, _value(words)
        name, equals, value = token[2:].partition("=")
        words = [value] if equals else []


def _value(words: list[str]) -> Any:
    if not words:
        return True
    typed = [_typed(word) for word in words]
    return typed[0] if len(typed) == 1 else typed


def _typed(word: str) -> Any:
    """A number where its text is just that of the number, else the text."""
    for kind in (int, float):
        try:
            number = kind(word)
        except ValueError:
            continue
        if str(number) == word:
            return number
    return word


def _recipe(points: Mapping[str, Tree]) -> str:
    """The file: what all points say, and for each what it says besides."""
    base = _common(list(points.values()))
    parts = [_block("base", base)]
    parts += [_block(f"override_{name}", _besides(point, base)) for name, point in points.items()]
    return "\n".join(parts)


def _common(trees: Sequence[Tree]) -> Tree:
    first, *others = trees
    found: Tree = {}
    for key, value in first.items():
        if any(key not in other for other in others):
            continue
        values = [other[key] for other in others]
        if isinstance(value, dict) and all(isinstance(one, dict) for one in values):
            found[key] = _common([value, *values])
        elif all(one == value and type(one) is type(value) for one in values):
            found[key] = value
    return found


def _besides(tree: Tree, base: Tree) -> Tree:
    found: Tree = {}
    for key, value in tree.items():
        if key not in base:
            found[key] = value
        elif isinstance(value, dict):
            inner = _besides(value, base[key])
            if inner:
                found[key] = inner
    return found


def _block(name: str, tree: Tree) -> str:
    if not tree:
        return f"{name}: {{}}\n"
    return "\n".join([f"{name}:", *_lines(tree, "  ")]) + "\n"


def _lines(tree: Tree, indent: str) -> Iterator[str]:
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield f"{indent}{_scalar(key)}:"
            yield from _lines(value, indent + "  ")
        elif isinstance(value, list):
            yield f"{indent}{_scalar(key)}:"
            yield from (f"{indent}  - {_scalar(item)}" for item in value)
        else:
            yield f"{indent}{_scalar(key)}: {_scalar(value)}"


def _scalar(value: Any) -> str:
    """A scalar as YAML has it: plain where it is read back as itself, else in quotes."""
    import yaml

    if isinstance(value, str):
        try:
            plain = yaml.safe_load(value) == value and "\n" not in value
            inside = yaml.safe_load(f"- {value}") == [value] == [yaml.safe_load(f"a: {value}")["a"]]
        except (yaml.YAMLError, TypeError, KeyError):
            return _quoted(value)
        return value if plain and inside else _quoted(value)
    return "{}" if value == {} else json.dumps(value)


def _quoted(text: str) -> str:
    import yaml

    if text.isprintable() and "'" not in text:
        return f"'{text}'"
    quoted: str = yaml.safe_dump(text, default_style='"', width=math.inf)
    return quoted.rstrip("\n")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return list(value) if isinstance(value, tuple) else value
