"""How much memory KV offloading may have on a node.

Source of the rules: InferenceX, utils/matrix_logic/generate_sweep_configs.py, as of 2026-08-21.
"""

from __future__ import annotations

from fractions import Fraction

from infxreg.errors import near
from infxreg_inferencex.master.records import Agentic, Entry, Hardware, Runners, Space

_MOST_MIB = 2_861_022
"""No node counts as having more: 3 TB."""

_MIB, _GB = 1024 * 1024, 10**9


class NoBudget(ValueError):
    """Why there is no budget."""


def offload_gb(entry: Entry, scenario: Agentic, space: Space, runners: Runners) -> int:
    """The memory, in whole GB, that the KV cache of one worker may have on a node.

    It is the utilization's part of the node, and of that as much as the worker has of the
    node's GPUs. With disaggregation it is the prefill worker's.

    Raises:
        NoBudget: if runners.yaml doesn't say what the node has, or the worker doesn't fit.
    """
    if space.kv_offloading != "dram" or scenario.dram_utilization is None:
        return 0
    node = runners.hardware.get(entry.runner)
    if node is None:
        guess = near(entry.runner, runners.hardware)
        hint = f"did you mean {guess!r}?" if guess else "add it there"
        raise NoBudget(
            f"kv-offloading: dram, and the hardware of runner {entry.runner!r} isn't in "
            f"{runners.file}: {hint}"
        )
    gpus = _gpus_on_a_node(space, node)
    part = Fraction(str(scenario.dram_utilization)) * gpus / node.gpus_per_node
    return int(min(node.available_cpu_dram_mib, _MOST_MIB) * _MIB * part / _GB)


def _gpus_on_a_node(space: Space, node: Hardware) -> int:
    """The GPUs that a worker has on one node."""
    per_node = node.gpus_per_node
    if space.prefill is None:
        gpus = (space.tp or 1) * (space.pp or 1) * (space.pcp_size or 1)
        if gpus > per_node:
            raise NoBudget(f"{gpus} GPUs don't fit a node of {per_node}")
        return gpus
    gpus = space.prefill.gpus
    if gpus > per_node and gpus % per_node:
        raise NoBudget(f"a prefill worker's {gpus} GPUs don't fill nodes of {per_node}")
    if gpus <= per_node and per_node % gpus:
        raise NoBudget(f"prefill workers of {gpus} GPUs don't divide a node of {per_node}")
    return min(gpus, per_node)
