"""The rows of InferenceX's benchmark matrix: one a job, as its own generator makes them.

Source of the rules: InferenceX, utils/matrix_logic/generate_sweep_configs.py (``full-sweep``),
as of 2026-08-21.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from attrs import frozen

from infxreg_inferencex.master.dram import NoBudget, offload_gb
from infxreg_inferencex.master.evals import mark_evals
from infxreg_inferencex.master.place import FileFault, FileFaults
from infxreg_inferencex.master.records import (
    AGENTIC,
    Agentic,
    Component,
    Entry,
    FixedLength,
    Runners,
    Space,
    Worker,
)

AGENTIC_S = 3600
"""How long an agentic job replays traces, in seconds."""

_MARGIN = 256
"""Tokens that a model's length is longer than prompt and answer."""

_NAMES = {(1024, 1024): "1k1k", (8192, 1024): "8k1k"}


@frozen
class Row:
    """A job, and the entry of a master config that it is of."""

    entry: Entry
    scenario: FixedLength | Agentic
    space: Space
    values: dict[str, Any]


def rows(
    entries: Iterable[Entry], runners: Runners, *, step: int = 2, evals: bool = True
) -> list[dict[str, Any]]:
    """The rows of a full sweep, in its order.

    Args:
        entries: of the master configs, in their order; evals are chosen among them.
        runners: what the nodes have.
        step: what a range of concurrencies multiplies by.
        evals: whether to choose the rows that are evaluated too.

    Raises:
        FileFaults: if a budget of memory can't be made; every one that can't.
        ValueError: if the step is below 2.
    """
    return [row.values for row in sourced_rows(entries, runners, step=step, evals=evals)]


def sourced_rows(
    entries: Iterable[Entry], runners: Runners, *, step: int = 2, evals: bool = True
) -> list[Row]:
    """The same rows, each with where it is from; for the rest see `rows`."""
    found: list[Row] = []
    faults: list[FileFault] = []
    for entry in entries:
        for scenario, space in entry.spaces():
            concurrencies = space.concurrencies(step)
            if isinstance(scenario, FixedLength):
                made = _fixed(entry, scenario, space, concurrencies)
            else:
                try:
                    budget = offload_gb(entry, scenario, space, runners)
                except NoBudget as error:
                    faults.append(FileFault(space.at, str(error)))
                    continue
                made = _agentic(entry, space, concurrencies, budget)
            parts = {**_part("router", entry, space), **_part("kv-p2p-transfer", entry, space)}
            found += [Row(entry, scenario, space, {**values, **parts}) for values in made]
    if faults:
        raise FileFaults(tuple(faults))
    if evals:
        mark_evals([row.values for row in found])
    return found


def exp_name(isl: int, osl: int) -> str:
    """How lengths in tokens are called: ``8k1k``."""
    return _NAMES.get((isl, osl), f"{isl}_{osl}")


def _fixed(
    entry: Entry, scenario: FixedLength, space: Space, concurrencies: Sequence[int]
) -> Iterator[dict[str, Any]]:
    isl, osl = scenario.isl, scenario.osl
    lengths = {"isl": isl, "osl": osl, "max-model-len": isl + osl + _MARGIN}
    rest = {
        "exp-name": f"{entry.model_prefix}_{exp_name(isl, osl)}",
        "disagg": entry.disagg,
        "run-eval": False,
    }
    if entry.multinode:  # one job measures all of them
        jobs: list[object] = [list(concurrencies)]
    else:
        jobs = list(concurrencies)
    for conc in jobs:
        yield {**_common(entry, space), **lengths, **_topology(space), "conc": conc, **rest}


def _agentic(
    entry: Entry, space: Space, concurrencies: Sequence[int], budget_gb: int
) -> Iterator[dict[str, Any]]:
    offloading, backend = space.kv_offloading or "none", space.kv_offload_backend
    for conc in concurrencies:
        yield {
            **_common(entry, space),
            **_topology(space),
            "conc": [conc] if entry.multinode else conc,
            "kv-offloading": offloading,
            "total-cpu-dram-gb": budget_gb,
            "duration": AGENTIC_S,
            "exp-name": _agentic_name(entry, space, conc),
            **({"disagg": entry.disagg} if entry.multinode else {}),
            "scenario-type": AGENTIC,
            **({} if backend is None else {"kv-offload-backend": _component(backend)}),
        }


def _common(entry: Entry, space: Space) -> dict[str, Any]:
    return {
        "image": entry.image,
        "model": entry.model,
        "model-prefix": entry.model_prefix,
        "precision": entry.precision,
        "framework": entry.framework,
        "runner": entry.runner,
        "spec-decoding": space.spec_decoding,
    }


def _topology(space: Space) -> dict[str, Any]:
    roles: dict[str, Any] = {role: _worker(worker) for role, worker in space.roles()}
    if roles:
        return roles
    return {
        "tp": space.tp,
        **_sizes(space),
        "ep": 1 if space.ep is None else space.ep,
        "dp-attn": bool(space.dp_attn),
    }


def _worker(worker: Worker) -> dict[str, Any]:
    made: dict[str, Any] = {
        "num-worker": worker.num_worker,
        "tp": worker.tp,
        **_sizes(worker),
        "ep": worker.ep,
        "dp-attn": worker.dp_attn,
    }
    if worker.hardware is not None:
        made["hardware"] = worker.hardware
    if worker.additional_settings is not None:
        made["additional-settings"] = list(worker.additional_settings)
    return made


def _sizes(topology: Space | Worker) -> dict[str, int]:
    said = {"pp": topology.pp, "dcp-size": topology.dcp_size, "pcp-size": topology.pcp_size}
    return {key: 1 if size is None else size for key, size in said.items()}


def _part(key: str, entry: Entry, space: Space) -> dict[str, Any]:
    """A component that the space or its entry names."""
    name = key.replace("-", "_")
    said = getattr(space, name)
    if said is None:
        said = getattr(entry, name)
    if said is None:
        return {}
    return {key: _component(said) if isinstance(said, Component) else said}


def _component(component: Component) -> dict[str, str]:
    made = {"name": component.name}
    if component.version is not None:
        made["version"] = component.version
    return made


def _agentic_name(entry: Entry, space: Space, conc: int) -> str:
    backend = space.kv_offload_backend
    kept = "kvnone" if backend is None else f"kv{space.kv_offloading}-{backend.name}"
    if entry.multinode:
        tags = "_".join(_tag(role[0], worker) for role, worker in space.roles())
        more = "" if backend is None else f"_{kept}"
        return f"{entry.model_prefix}_{tags}_conc{conc}{more}"
    drafts = "" if space.spec_decoding == "none" else f"_spec-{space.spec_decoding}"
    return f"{entry.model_prefix}_tp{space.tp}_conc{conc}_{kept}{drafts}"


def _tag(letter: str, worker: Worker) -> str:
    experts = "" if worker.ep == 1 else f"ep{worker.ep}"
    return f"{letter}{worker.num_worker}x{worker.tp}{experts}{'dpa' if worker.dp_attn else ''}"
