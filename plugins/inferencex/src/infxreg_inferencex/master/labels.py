"""Whether the labels of a topology are what a recipe does.

Source of what labels mean: InferenceX, configs/CONFIGS.md, as of 2026-08-21: a pool of workers
has ``num-worker * tp * pp * pcp-size`` GPUs, and ranks of ``dcp-size`` are among those of ``tp``.
"""

from __future__ import annotations

from collections.abc import Iterator

from infxreg_inferencex.master.place import Place
from infxreg_inferencex.master.recipes import Recipe, Side, parallel
from infxreg_inferencex.master.references import Reference, Topology


def contradicted(
    reference: Reference, recipe: Recipe
) -> Iterator[tuple[Topology, Place, tuple[str, ...]]]:
    """The roles whose labels the recipe contradicts, where in it, and what it does instead."""
    whole = recipe.sides.get("agg")
    for topology in reference.roles:
        if whole is None:
            side = recipe.sides.get(topology.role)
        else:  # without disaggregation prefill has all the workers, and decode none
            side = whole if topology.role == "prefill" else None
        if side is None:
            if topology.workers:
                none = f"num-worker {topology.workers}, and none is started"
                yield topology, recipe.at, (none,)
            continue
        told = (*_counts(topology, recipe, side), *_sizes(topology, recipe, side))
        if told:
            yield topology, side.at, told


def _counts(topology: Topology, recipe: Recipe, side: Side) -> Iterator[str]:
    runs = parallel(recipe, side)
    gpus = side.gpus if runs is None else runs.gpus
    pool = topology.workers * topology.gpus
    if gpus is not None and pool != side.workers * gpus:
        yield (
            f"{_gpus(pool)} (num-worker {topology.workers} × tp {topology.tp}{_more(topology)}), "
            f"and {side.workers} × {gpus} are used"
        )
    elif gpus is None and topology.workers != side.workers:
        yield f"num-worker {topology.workers}, and {side.workers} are started"
    if topology.nodes is not None and topology.nodes != side.nodes:
        yield f"{topology.nodes} nodes, and it asks for {side.nodes}"


def _sizes(topology: Topology, recipe: Recipe, side: Side) -> Iterator[str]:
    runs = parallel(recipe, side)
    if runs is None:
        return
    for key, said, does in (
        ("ep", topology.ep, runs.ep),
        ("pp", topology.pp, runs.pp),
        ("dcp-size", topology.dcp, runs.dcp),
    ):
        if said != does:
            yield f"{key} {said}, and {does} is set"
    if topology.dp_attn != runs.dp_attn:
        word = "is" if runs.dp_attn else "isn't"
        yield f"dp-attn {str(topology.dp_attn).lower()}, and attention {word} data-parallel"


def _gpus(count: int) -> str:
    return f"{count} GPU" if count == 1 else f"{count} GPUs"


def _more(topology: Topology) -> str:
    rest = topology.gpus // topology.tp
    return "" if rest == 1 else f" × {rest}"
