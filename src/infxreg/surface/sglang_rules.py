"""What is sglang's own in reading an argument list: it hands it to argparse as it is.

Underscores in option strings aren't converted, dotted keys don't exist. What remains are types,
the format of ``--lora-paths``, and the JSON of ``--cuda-graph-config``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from infxreg.surface.model import Json, Surface
from infxreg.surface.value_rules import COMMON, Convert, Unfit, json_text, sglang_human

GRAPH_CONFIG = "CudaGraphConfig"
_RETIRED = "tc_piecewise"
_PHASES = ("decode", "prefill")


def converters(surface: Surface) -> Mapping[str, Convert]:
    """Type word to converter, sglang's own words with the common ones.

    A surface can hold a config `GRAPH_CONFIG` with a key for each phase, whose type is the name
    of a config with the phase's keys; without it the phases are known and their keys aren't.
    """
    retired = any(flag.type == "parse_cuda_graph_backend_arg" for flag in surface.flags)

    def graph_backend(text: str) -> Json:
        if retired and text == _RETIRED:
            raise Unfit(f"a backend other than {_RETIRED}, which is gone")
        return text

    def graph_config(text: str) -> Json:
        value = json_text(text)
        if not isinstance(value, Mapping):
            raise Unfit("a JSON object of phases")
        phases = _graph_keys(surface)
        for phase, settings in value.items():
            if phase not in phases:
                raise Unfit(f"phases {', '.join(phases)}, not {phase!r}", "unknown JSON key")
            if not isinstance(settings, Mapping):
                raise Unfit(f"a JSON object for {phase}")
            if "backend" in settings:
                graph_backend(str(settings["backend"]))
            keys = phases[phase]
            for key in settings:
                if keys is not None and key not in keys:
                    raise Unfit(
                        f"keys {', '.join(keys)} for {phase}, not {key!r}", "unknown JSON key"
                    )
        return value

    return {
        **COMMON,
        "human-int": sglang_human,
        "json_list_type": strict_json,
        "nullable_str": COMMON["str"],
        "parse_cuda_graph_config_arg": graph_config,
        "parse_cuda_graph_backend_arg": graph_backend,
    }


def strict_json(text: str) -> Json:
    """JSON as orjson reads it: without NaN and the infinities."""
    value = json_text(text)

    def refuse(name: str) -> Json:
        raise Unfit(f"JSON, which has no {name}", "bad JSON")

    json.loads(text, parse_constant=refuse)
    return value


def lora_paths(values: Sequence[str]) -> None:
    """``--lora-paths``: a text in braces is JSON with ``lora_name`` and ``lora_path``.

    Raises:
        Unfit: for one that isn't.
    """
    for text in map(str.strip, values):
        if text.startswith("{") and text.endswith("}"):
            value = json_text(text)
            if not isinstance(value, Mapping) or not {"lora_name", "lora_path"} <= value.keys():
                raise Unfit("JSON with lora_name and lora_path")


def _graph_keys(surface: Surface) -> Mapping[str, Sequence[str] | None]:
    known = surface.configs.get(GRAPH_CONFIG)
    if known is None:
        return dict.fromkeys(_PHASES)
    found: dict[str, Sequence[str] | None] = {}
    for phase, one in known.fields.items():
        phase_config = surface.configs.get(one.type or "")
        found[phase] = None if phase_config is None else phase_config.keys
    return found
