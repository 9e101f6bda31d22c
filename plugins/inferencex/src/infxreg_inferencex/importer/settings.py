"""What a recipe starts one role with, as options."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from infxreg.values import Value
from infxreg_inferencex.master.recipes import Recipe, Side

HEALTH_ATTEMPTS, HEALTH_INTERVAL_S = 180, 10
"""What srt-slurm asks for where a recipe doesn't say (docs/config-reference.md, health_check)."""

CONFIG = "trtllm."
"""Where TensorRT-LLM's configuration stands: one option a key, each text that is JSON."""


def of_role(recipe: Recipe, side: Side) -> dict[str, Value]:
    """The options of one role's workers.

    Args:
        recipe: the variant.
        side: the role.
    """
    found: dict[str, Value] = {"resources.gpus": _gpus(recipe, side)}
    for name, value in side.arguments.items():
        if recipe.engine == "trtllm":
            found[CONFIG + name.replace("-", "_")] = _json(value)
        elif value is not None and value is not False:
            found[f"args.{name}"] = _argument(value)
    found |= {f"env.{name}": value for name, value in side.environment.items()}
    document = recipe.document
    health = _table(document, "health_check")
    found["timeout.health_attempts"] = int(health.get("max_attempts", HEALTH_ATTEMPTS))
    found["timeout.health_interval_s"] = int(health.get("interval_seconds", HEALTH_INTERVAL_S))
    script = document.get("setup_script")
    if script:
        found["setup.script"] = str(script)
    frontend = _table(document, "frontend")
    if frontend.get("type"):
        found["frontend.type"] = str(frontend["type"])
        arguments = _table(frontend, "args")
        found |= {
            f"frontend.args.{name}": _argument(value)
            for name, value in arguments.items()
            if value is not None and value is not False
        }
    client = _table(_table(document, "benchmark"), "env")
    found |= {f"client_env.{name}": str(value) for name, value in client.items()}
    return found


def _gpus(recipe: Recipe, side: Side) -> int:
    if side.gpus is not None:
        return side.gpus
    return max(1, (recipe.gpus_per_node or 1) * side.nodes // max(1, side.workers))


def _argument(value: Any) -> Value:
    if isinstance(value, (str, int, float)):
        return value
    if isinstance(value, list) and all(isinstance(item, (str, int, float)) for item in value):
        return tuple(value)
    return _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _table(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = data.get(key)
    return found if isinstance(found, Mapping) else {}
