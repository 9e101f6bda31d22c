"""The jobs of a checkout's matrix as points: where each stands on every axis, and its options."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import evolve, frozen

from infxreg.scope import AxisValue
from infxreg.values import FrozenMap, Value
from infxreg_inferencex.importer.engines import How, engine_of
from infxreg_inferencex.importer.names import cluster_of, slug, workload_of
from infxreg_inferencex.importer.scripts import CONFIG_FILE, Scripts, told
from infxreg_inferencex.importer.settings import of_role
from infxreg_inferencex.master.against_recipes import named, plain
from infxreg_inferencex.master.place import Place
from infxreg_inferencex.master.records import Space, Worker
from infxreg_inferencex.master.rows import Row
from infxreg_inferencex.master.started import Started

COMPUTED = ("run-eval", "eval-conc")
"""Keys of a row that follow from all rows together."""

LABEL = "inferencex."
"""Where what a row says stands, each key with ``_`` for ``-``."""

WORKER, RECIPE = f"{LABEL}worker", f"{LABEL}recipe"

_ROLES = ("prefill", "decode")
_SIZES = ("tp", "pp", "ep", "dp")
_OF_A_SCRIPT = ("config", "framework", "variant", "cluster", "workload", "role")
"""What a script is chosen by, as far as it is an axis."""


@frozen(kw_only=True)
class Job:
    """One role of a job, as a point.

    Attributes:
        row: the job.
        id: the point's name in its recipe.
        engine: what starts it.
        axes: where it stands, but for model, SKU and engine.
        shared: the axes on which ``settings`` depend.
        settings: what it is started with, as others are.
        own: what it alone is started with.
        labels: what else its row says.
        at: where the settings are from.
    """

    row: Row
    id: str
    engine: str
    axes: FrozenMap[str, AxisValue]
    shared: tuple[str, ...]
    settings: FrozenMap[str, Value]
    own: FrozenMap[str, Value]
    labels: FrozenMap[str, Value]
    at: Place


def jobs(
    rows: Iterable[tuple[Row, str]], started: Mapping[tuple[str, str], Started], scripts: Scripts
) -> Iterator[Job]:
    """Every role of every job.

    Args:
        rows: the jobs, each with its SKU.
        started: the recipes that search spaces are started from, by file and key path.
        scripts: what starts the others.
    """
    seen: set[tuple[AxisValue, ...]] = set()
    for row, sku in rows:
        recipe = started.get((row.space.at.file, row.space.at.path))
        yield from _distinct(list(_of_row(row, recipe, scripts.settings(row, sku))), seen)


def _of_row(row: Row, started: Started | None, script: Mapping[str, Value]) -> Iterator[Job]:
    space = row.space
    variant, image = _variant(space), plain(row.entry.image)
    workers: dict[str, Worker | Space] = dict(space.roles()) or {"agg": space}
    if started is not None and set(started.recipe.sides) == {"agg"}:
        workers = {"agg": space.prefill or space}
    for role, worker in workers.items():
        axes = _axes(row, role, worker, variant)
        settings: dict[str, Value] = {"image": image}
        own: dict[str, Value] = {}
        at, shared = space.at, tuple(axis for axis in axes if axis != "conc")
        side = None if started is None else started.recipe.sides.get(role)
        how: How = "recipe"
        if started is not None and side is not None:
            settings |= of_role(started.recipe, side)
            if named(started.recipe.container):
                settings["image"] = plain(started.recipe.container)
            at = side.at
        elif written := space.setting(CONFIG_FILE):
            how = "elsewhere"
            settings |= {"resources.gpus": _gpus(worker), f"env.{CONFIG_FILE}": written}
        else:
            how, shared = "script", _OF_A_SCRIPT
            settings |= script
            own = {"resources.gpus": _gpus(worker), **told(row)}
        yield Job(
            row=row,
            id=_id(axes),
            engine=engine_of(row.entry.framework, how),
            axes=FrozenMap(axes),
            shared=shared,
            settings=FrozenMap(settings),
            own=FrozenMap(own),
            labels=FrozenMap(_labels(row, role, started)),
            at=at,
        )


def _axes(row: Row, role: str, worker: Worker | Space, variant: str) -> dict[str, AxisValue]:
    conc = row.values["conc"]
    tp = worker.tp or 1
    return {
        "config": row.entry.key,
        "framework": row.entry.framework,
        "variant": variant,
        "cluster": cluster_of(row.entry.runner),
        "workload": workload_of(row),
        "role": role,
        "tp": tp,
        "pp": worker.pp or 1,
        "ep": worker.ep or 1,
        "dp": tp if worker.dp_attn else 1,
        "conc": max(conc, default=1) if isinstance(conc, list) else conc,
    }


def _id(axes: Mapping[str, AxisValue]) -> str:
    role = "" if axes["role"] == "agg" else f"_{axes['role']}"
    sizes = [f"{name}{axes[name]}" for name in ("pp", "ep", "dp") if axes[name] != 1]
    place = "_".join([str(axes["variant"]), f"tp{axes['tp']}", *sizes, f"c{axes['conc']}"])
    return f"{axes['workload']}_{place}{role}"


def _variant(space: Space) -> str:
    """What tells entries of one search space apart, beside their sizes."""
    written = space.setting(CONFIG_FILE)
    if written:
        path, _, selector = written.partition(":")
        stem = posixpath.splitext(posixpath.basename(path))[0]
        return slug(f"{stem}-{selector}" if selector else stem)
    parts: list[str] = [space.spec_decoding]
    if space.kv_offloading not in (None, "none"):
        parts.append(str(space.kv_offloading))
    if space.kv_offload_backend is not None:
        parts.append(space.kv_offload_backend.name)
    sizes = {"dcp": space.dcp_size, "pcp": space.pcp_size}
    parts += [f"{name}{size}" for name, size in sizes.items() if size not in (None, 1)]
    parts += [
        f"{role[0]}{worker.num_worker}x{worker.tp}{'dpa' if worker.dp_attn else ''}"
        for role, worker in space.roles()
    ]
    return slug("-".join(parts))


def _labels(row: Row, role: str, started: Started | None) -> dict[str, Value]:
    found: dict[str, Value] = {
        LABEL + key.replace("-", "_"): _json(value)
        for key, value in row.values.items()
        if key not in (*COMPUTED, *_ROLES)
    }
    worker = row.values.get(role)
    if role == "agg" and started is not None:
        worker = {name: row.values[name] for name in _ROLES if name in row.values}
    if worker:
        found[WORKER] = _json(worker)
    if started is not None:
        found[RECIPE] = started.reference.written
    return found


def _gpus(worker: Worker | Space) -> int:
    if isinstance(worker, Worker):
        return worker.gpus
    return (worker.tp or 1) * (worker.pp or 1) * (worker.pcp_size or 1)


def _distinct(of_row: list[Job], seen: set[tuple[AxisValue, ...]]) -> list[Job]:
    """A job's roles, their variant told apart from jobs that stand at the same place."""
    made, number = of_row, 1
    while any(place_of(job.axes) in seen for job in made):
        number += 1
        made = [_renamed(job, f"{job.axes['variant']}-{number}") for job in of_row]
    seen.update(place_of(job.axes) for job in made)
    return made


def place_of(axes: Mapping[str, AxisValue]) -> tuple[AxisValue, ...]:
    """What the points of one job's roles have in common, and no other job's have.

    Roles have sizes of their own; aggregated workers have the job's.
    """
    own = _SIZES if axes["role"] == "agg" else ()
    return tuple(axes[axis] for axis in ("config", "workload", "variant", "conc", *own))


def _renamed(job: Job, variant: str) -> Job:
    axes = FrozenMap({**job.axes, "variant": variant})
    return evolve(job, axes=axes, id=_id(axes))


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
