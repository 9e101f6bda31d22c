"""Which rows are evaluated for accuracy too.

Source of the rules: InferenceX, utils/matrix_logic/generate_sweep_configs.py, as of 2026-08-21.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

LEAST = 16
"""Rows of a lower concurrency aren't evaluated."""

_LENGTHS = (8192, 1024)
_GROUPED_BY = ("model", "runner", "framework", "precision", "spec-decoding", "dp-attn")
_NOT_COMPARED = ("conc", "exp-name", "run-eval")


def mark_evals(rows: Sequence[dict[str, Any]]) -> None:
    """Set ``run-eval``, and ``eval-conc`` of those on several nodes.

    Of jobs that differ in concurrency only, those on one node are evaluated at the highest
    concurrency and the median one, whatever their topology; those on several nodes at the
    highest one of each topology.
    """
    alone: dict[str, list[dict[str, Any]]] = {}
    together: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for row in rows:
        row["run-eval"] = False
        if (row.get("isl"), row.get("osl")) != _LENGTHS:
            continue
        if "tp" in row:
            if row["conc"] >= LEAST:
                alone.setdefault(_same(row, _GROUPED_BY), []).append(row)
        elif max(row["conc"]) >= LEAST:
            keys = [key for key in sorted(row) if key not in _NOT_COMPARED]
            together.setdefault(_same(row, keys), []).append((max(row["conc"]), row))
    for group in alone.values():
        levels = sorted({row["conc"] for row in group})
        chosen = {levels[-1], levels[len(levels) // 2]}
        for row in group:
            row["run-eval"] = row["conc"] in chosen
    for pairs in together.values():
        conc, row = max(pairs, key=lambda pair: pair[0])
        row["run-eval"] = True
        row["eval-conc"] = conc


def _same(row: dict[str, Any], keys: Sequence[str]) -> str:
    return json.dumps([row[key] for key in keys], sort_keys=True)
