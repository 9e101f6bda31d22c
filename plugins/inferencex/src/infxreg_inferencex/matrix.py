"""The rows of InferenceX's benchmark matrix from launches, as its workflows read them.

Source of the format: InferenceX, utils/matrix_logic/validation.py, as of 2026-08-21.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from infxreg.exchange import ExportError, Launch

FILE = "matrix.json"

_ROW, _WORKER = "inferencex.row", "inferencex.worker"


def write(launches: Sequence[Launch]) -> Mapping[str, str]:
    """One file with a list of rows.

    Args:
        launches: each role of each job; those of one job have the same row.

    Raises:
        ExportError: naming every launch that no job of InferenceX's is behind.
    """
    text = json.dumps(rows(launches), indent=2, ensure_ascii=False)
    return {FILE: text + "\n"}


def rows(launches: Sequence[Launch]) -> list[dict[str, Any]]:
    """The rows, in the order of the launches.

    Raises:
        ExportError: naming every launch that no job of InferenceX's is behind.
    """
    from infxreg_inferencex.importer.jobs import place_of
    from infxreg_inferencex.master.evals import mark_evals

    made: dict[tuple[object, ...], dict[str, Any]] = {}
    wrong: list[str] = []
    for launch in launches:
        row = _said(launch, _ROW)
        if row is None:
            wrong.append(f"{launch.recipe}/{launch.point}: {_ROW} isn't set")
            continue
        axes = launch.spec.point.axes
        role = str(axes["role"])
        of_job = made.setdefault(place_of(axes), dict(row))
        worker = _said(launch, _WORKER)
        if worker is not None and role == "agg":
            of_job.update(worker)
        elif worker is not None:
            of_job[role] = worker
    if wrong:
        raise ExportError("inferencex-matrix", tuple(wrong))
    found = list(made.values())
    mark_evals(found)
    return found


def _said(launch: Launch, key: str) -> Any:
    option = launch.spec.options.get(key)
    return None if option is None or option.value is None else json.loads(str(option.value))
