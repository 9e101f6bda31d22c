"""What a master config can't mean: an entry from which no rows can be made.

Source of the rules: InferenceX, utils/matrix_logic/validation.py, as of 2026-08-21.
"""

from __future__ import annotations

from collections.abc import Iterator

from infxreg_inferencex.master.place import FileFault, Place
from infxreg_inferencex.master.records import Agentic, Entry, FixedLength, Space, Worker

_ONE_NODE = ("tp", "pp", "dcp-size", "pcp-size", "ep", "dp-attn")
_SIZES = ("tp", "pp", "dcp-size", "pcp-size", "ep")


def contradictions(entry: Entry) -> Iterator[FileFault]:
    """Everything that an entry says and can't mean."""
    scenarios = entry.scenarios
    if not scenarios.fixed_seq_len and not scenarios.agentic_coding:
        yield FileFault(entry.at.of("scenarios"), "at least one scenario is needed")
    if entry.disagg and not entry.multinode:
        yield FileFault(entry.at.of("disagg"), "disaggregation needs multinode: true")
    for key in ("router", "kv-p2p-transfer"):
        name = key.replace("-", "_")
        if getattr(entry, name) is None:
            continue
        for _, space in entry.spaces():
            if getattr(space, name) is not None:
                place = space.at.of(key)
                yield FileFault(place, f"{key} is also said at line {entry.at.of(key).line}")
    for scenario, space in entry.spaces():
        yield from _topology(entry.multinode, scenario, space)
        yield from _concurrency(space)
        yield from _offloading(scenario, space)
    for agentic in scenarios.agentic_coding:
        part = agentic.dram_utilization
        if part is not None and not 0 < part <= 1:
            place = agentic.at.of("dram-utilization")
            yield FileFault(place, f"{part:g} isn't above 0 and at most 1")


def _topology(
    multinode: bool, scenario: FixedLength | Agentic, space: Space
) -> Iterator[FileFault]:
    at, roles = space.at, dict(space.roles())
    if multinode:
        for key in ("prefill", "decode"):
            if key not in roles:
                yield FileFault(at.of(key), f"the key {key!r} is missing: multinode")
        for key in _ONE_NODE:
            if key in at.keys:
                yield FileFault(at.of(key), f"{key} is said of prefill and decode: multinode")
    else:
        if space.tp is None:
            yield FileFault(at.of("tp"), "the key 'tp' is missing: the entry is of one node")
        for key in (*roles, *(["kv-p2p-transfer"] if space.kv_p2p_transfer is not None else [])):
            yield FileFault(at.of(key), f"{key} needs multinode: true")
    yield from _sizes(space)
    hardware = {role: worker.hardware for role, worker in roles.items()}
    if len(hardware) == 2 and None in hardware.values() and any(hardware.values()):
        yield FileFault(at, "hardware is said of both prefill and decode, or of neither")
    for worker in roles.values():
        yield from _sizes(worker)
        if worker.num_worker < 0:
            yield FileFault(worker.at.of("num-worker"), f"{worker.num_worker} is below 0")


def _sizes(topology: Space | Worker) -> Iterator[FileFault]:
    at = topology.at
    for key in _SIZES:
        size = getattr(topology, key.replace("-", "_"))
        if size is not None and size < 1:
            yield FileFault(at.of(key), f"{size} is below 1")
    tp, shared = topology.tp, topology.dcp_size
    if tp is not None and shared is not None and shared > 0 and tp % shared:
        yield FileFault(at.of("dcp-size"), f"tp {tp} isn't a multiple of dcp-size {shared}")


def _concurrency(space: Space) -> Iterator[FileFault]:
    at, start, end = space.at, space.conc_start, space.conc_end
    listed = bool(space.conc_list)
    if listed and not (start is None and end is None):
        yield FileFault(at.of("conc-list"), "write either conc-list or conc-start and conc-end")
        return
    if not listed and (start is None or end is None):
        yield FileFault(at, "conc-list, or both conc-start and conc-end, are needed")
        return
    for key, values in (
        ("conc-list", space.conc_list or ()),
        ("conc-start", () if start is None else (start,)),
        ("conc-end", () if end is None else (end,)),
    ):
        if any(value < 1 for value in values):
            yield FileFault(at.of(key), f"{min(values)} is below 1")
    if start is not None and end is not None and start > end:
        yield FileFault(at.of("conc-start"), f"{start} is above conc-end {end}")


def _offloading(scenario: FixedLength | Agentic, space: Space) -> Iterator[FileFault]:
    at, said, backend = space.at, space.kv_offloading, space.kv_offload_backend
    if isinstance(scenario, FixedLength):
        for key in ("kv-offloading", "kv-offload-backend"):
            if key in at.keys:
                yield FileFault(at.of(key), f"{key} is for {Agentic.kind} only")
        return
    if said is None and space.tp is not None:
        yield FileFault(at.of("kv-offloading"), "the key 'kv-offloading' is missing")
    if backend is not None and said != "dram":
        yield FileFault(at.of("kv-offload-backend"), "needs kv-offloading: dram")
    if said == "dram":
        if backend is None:
            yield FileFault(at.of("kv-offloading"), "the key 'kv-offload-backend' is missing")
        if scenario.dram_utilization is None:
            words = "the scenario's key 'dram-utilization' is missing"
            yield FileFault(at.of("kv-offloading"), words)


def said_twice(entries: list[Entry]) -> Iterator[FileFault]:
    """Config keys that several files have, all but the first."""
    seen: dict[str, Place] = {}
    for entry in entries:
        first = seen.setdefault(entry.key, entry.at)
        if first is not entry.at:
            yield FileFault(entry.at, f"the entry stands at {first.file}:{first.line} too")
