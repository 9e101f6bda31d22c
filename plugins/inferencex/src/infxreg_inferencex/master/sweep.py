"""srt-slurm's sweeps: one variant for each combination of a file's parameters.

Source of the rules: NVIDIA/srt-slurm, docs/sweeps.md and src/srtctl/core/sweep.py at c88ef731
(2026-08-21).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any


def combinations(sweep: Any) -> dict[str, dict[str, Any]]:
    """Every combination of a sweep's values, by the name that srt-slurm gives it.

    Args:
        sweep: parameters, each with its list of values.

    Raises:
        ValueError: if it isn't that.
    """
    if not isinstance(sweep, Mapping) or not sweep:
        raise ValueError("a sweep is a mapping of parameters to their values")
    for name, values in sweep.items():
        if not isinstance(values, list) or not values:
            raise ValueError(f"sweep.{name} needs a list of values")
    found: dict[str, dict[str, Any]] = {}
    for values in itertools.product(*sweep.values()):
        chosen = dict(zip(map(str, sweep), values, strict=True))
        found["_".join(f"{name}{value}" for name, value in chosen.items())] = chosen
    return found


def filled(value: Any, chosen: Mapping[str, Any]) -> Any:
    """A document with ``{parameter}`` replaced, everywhere in it.

    A text that is nothing but the placeholder becomes a list where the parameter's value is one;
    anything else becomes text, as srt-slurm has it.
    """
    if isinstance(value, Mapping):
        return {key: filled(one, chosen) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, chosen) for one in value]
    if not isinstance(value, str):
        return value
    for name, said in chosen.items():
        placeholder = f"{{{name}}}"
        if value == placeholder and isinstance(said, list):
            return said
        text = ",".join(map(str, said)) if isinstance(said, list) else str(said)
        value = value.replace(placeholder, text)
    return value
