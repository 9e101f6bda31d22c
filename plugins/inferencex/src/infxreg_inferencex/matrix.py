"""The rows of InferenceX's benchmark matrix from launches, as its workflows read them.

Source of the format: InferenceX, utils/matrix_logic/validation.py, as of 2026-08-21.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from infxreg.exchange import ExportError, Launch

FILE = "matrix.json"


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
    from infxreg_inferencex.importer.jobs import WORKER, place_of
    from infxreg_inferencex.master.evals import mark_evals

    made: dict[tuple[object, ...], dict[str, Any]] = {}
    wrong: list[str] = []
    for launch in launches:
        row = _row(launch)
        if not row:
            wrong.append(f"{launch.recipe}/{launch.point}: no job of InferenceX's is behind it")
            continue
        axes = launch.spec.point.axes
        role = str(axes["role"])
        of_job = made.setdefault(place_of(axes), row)
        worker = launch.spec.options.get(WORKER)
        if worker is not None and worker.value is not None:
            said = json.loads(str(worker.value))
            of_job.update(said if role == "agg" else {role: said})
    if wrong:
        raise ExportError("inferencex-matrix", tuple(wrong))
    found = list(made.values())
    mark_evals(found)
    return found


def _row(launch: Launch) -> dict[str, Any]:
    """What a launch's labels say of its job."""
    from infxreg_inferencex.importer.jobs import LABEL, RECIPE, WORKER

    return {
        key.removeprefix(LABEL).replace("_", "-"): json.loads(str(option.value))
        for key, option in launch.spec.options.items()
        if key.startswith(LABEL) and key not in (RECIPE, WORKER) and option.value is not None
    }
