"""The rows of the benchmark matrix: on twins of what ships, each rule by itself."""

from __future__ import annotations

from typing import Any

import pytest

from infxreg_inferencex.master import (
    Entry,
    FileFaults,
    read_master,
    read_runners,
    rows,
    sourced_rows,
)

HEAD = """\
a-fp4-{name}:
  image: org/i:v1
  model: org/A
  model-prefix: a
  runner: cluster:x
  precision: fp4
  framework: vllm
  multinode: {multinode}
"""

RUNNERS = read_runners(
    "labels: {cluster:x: [x_0]}\n"
    "hardware:\n  cluster:x: {available-cpu-dram-mib: 2_000_000, gpus-per-node: 8}\n"
    "  cluster:big: {available-cpu-dram-mib: 4_000_000, gpus-per-node: 8}\n",
    "runners.yaml",
)

COMMON = {
    "image": "org/i:v1",
    "model": "org/A",
    "model-prefix": "a",
    "precision": "fp4",
    "framework": "vllm",
    "runner": "cluster:x",
}


def entries(scenarios: str, *more: str, multinode: bool = False, name: str = "x") -> list[Entry]:
    text = HEAD.format(name=name, multinode=str(multinode).lower())
    text += "".join(f"  {line}\n" for line in more)
    return list(read_master(text + "  scenarios:\n" + scenarios, "m.yaml"))


def fixed(*spaces: str, isl: int = 8192, multinode: bool = False, more: str = "") -> list[Entry]:
    lines = f"    fixed-seq-len:\n    - isl: {isl}\n      osl: 1024\n      search-space:\n"
    lines += "".join(f"      - {{ {space} }}\n" for space in spaces)
    return entries(lines, *([more] if more else []), multinode=multinode)


def agentic(*spaces: str, multinode: bool = False, runner: str = "") -> list[Entry]:
    lines = "    agentic-coding:\n    - dram-utilization: 0.8\n      search-space:\n"
    found = entries(lines + "".join(f"      - {{ {s} }}\n" for s in spaces), multinode=multinode)
    if runner:
        text = HEAD.format(name="x", multinode=str(multinode).lower())
        text = text.replace("cluster:x", runner) + "  scenarios:\n" + lines
        found = list(read_master(text + f"      - {{ {spaces[0]} }}\n", "m.yaml"))
    return found


def workers(role: str, number: int, tp: int, ep: int = 1, more: str = "") -> str:
    dp = str(ep > 1).lower()
    return f"{role}: {{ num-worker: {number}, tp: {tp}, ep: {ep}, dp-attn: {dp}{more} }}"


def only(found: list[dict[str, Any]]) -> dict[str, Any]:
    (row,) = found
    return row


def test_a_row_on_one_node_has_a_job_for_each_concurrency() -> None:
    found = rows(fixed("tp: 4, conc-start: 4, conc-end: 10"), RUNNERS, evals=False)
    assert [row["conc"] for row in found] == [4, 8, 10]
    assert found[0] == {
        **COMMON,
        "isl": 8192,
        "osl": 1024,
        "tp": 4,
        "pp": 1,
        "dcp-size": 1,
        "pcp-size": 1,
        "ep": 1,
        "dp-attn": False,
        "conc": 4,
        "max-model-len": 9472,
        "spec-decoding": "none",
        "exp-name": "a_8k1k",
        "disagg": False,
        "run-eval": False,
    }


def test_what_an_entry_says_of_its_topology_stands_in_the_row() -> None:
    space = "tp: 4, pp: 2, dcp-size: 2, pcp-size: 3, ep: 8, dp-attn: true, spec-decoding: mtp"
    row = only(rows(fixed(f"{space}, conc-list: [2]", isl=1000), RUNNERS))
    said = ("tp", "pp", "dcp-size", "pcp-size", "ep", "dp-attn", "spec-decoding")
    assert [row[key] for key in said] == [4, 2, 2, 3, 8, True, "mtp"]
    assert (row["exp-name"], row["max-model-len"]) == ("a_1000_1024", 2280)


def test_a_row_on_several_nodes_has_every_concurrency() -> None:
    space = ", ".join(
        [
            workers("prefill", 2, 4, 4, ", additional-settings: [A=1]"),
            workers("decode", 1, 8, more=", pp: 2, additional-settings: []"),
            "conc-list: [8, 4]",
        ]
    )
    row = only(rows(fixed(space, multinode=True, more="kv-p2p-transfer: nixl"), RUNNERS))
    assert row["conc"] == [8, 4]
    sizes = {"pp": 1, "dcp-size": 1, "pcp-size": 1}
    assert row["prefill"] == {
        "num-worker": 2,
        "tp": 4,
        "ep": 4,
        "dp-attn": True,
        "additional-settings": ["A=1"],
        **sizes,
    }
    assert row["decode"] == {
        "num-worker": 1,
        "tp": 8,
        "ep": 1,
        "dp-attn": False,
        "additional-settings": [],
        **sizes,
        "pp": 2,
    }
    assert row["kv-p2p-transfer"] == "nixl"
    assert "router" not in row


def test_hardware_of_a_role_stands_in_the_row() -> None:
    both = [workers(role, 1, 4, more=", hardware: b200") for role in ("prefill", "decode")]
    row = only(rows(fixed(f"{', '.join(both)}, conc-list: [1]", multinode=True), RUNNERS))
    assert row["prefill"]["hardware"] == row["decode"]["hardware"] == "b200"


@pytest.mark.parametrize("where", ["entry", "space"])
def test_a_router_is_the_spaces_or_the_entrys(where: str) -> None:
    router = "router: { name: r, version: '1' }"
    space, more = ("", router) if where == "entry" else (f", {router}", "")
    row = only(rows(fixed(f"tp: 1, conc-list: [1]{space}", more=more), RUNNERS))
    assert row["router"] == {"name": "r", "version": "1"}


def test_an_agentic_row_on_one_node() -> None:
    space = "tp: 4, kv-offloading: dram, kv-offload-backend: { name: native }, conc-list: [2]"
    assert only(rows(agentic(space), RUNNERS, evals=False)) == {
        **COMMON,
        "tp": 4,
        "pp": 1,
        "dcp-size": 1,
        "pcp-size": 1,
        "ep": 1,
        "dp-attn": False,
        "spec-decoding": "none",
        "conc": 2,
        "kv-offloading": "dram",
        "kv-offload-backend": {"name": "native"},
        "total-cpu-dram-gb": 838,  # 2,000,000 MiB * 0.8 * 4/8 = 838.86 GB
        "duration": 3600,
        "exp-name": "a_tp4_conc2_kvdram-native",
        "scenario-type": "agentic-coding",
    }


def test_an_agentic_row_on_several_nodes_has_one_concurrency() -> None:
    space = f"{workers('prefill', 1, 8, 8)}, {workers('decode', 2, 4)}, conc-list: [2, 4]"
    found = rows(agentic(space, multinode=True), RUNNERS, evals=False)
    assert [row["conc"] for row in found] == [[2], [4]]
    assert [row["exp-name"] for row in found] == [
        "a_p1x8ep8dpa_d2x4_conc2",
        "a_p1x8ep8dpa_d2x4_conc4",
    ]
    assert (found[0]["kv-offloading"], found[0]["total-cpu-dram-gb"]) == ("none", 0)
    assert "run-eval" not in found[0]


@pytest.mark.parametrize(
    ("space", "multinode", "name"),
    [
        ("tp: 4, kv-offloading: none, spec-decoding: mtp", False, "a_tp4_conc2_kvnone_spec-mtp"),
        (
            f"{workers('prefill', 1, 4)}, {workers('decode', 0, 4)}, kv-offloading: dram, "
            "kv-offload-backend: { name: h, version: '2' }",
            True,
            "a_p1x4_d0x4_conc2_kvdram-h",
        ),
    ],
)
def test_an_agentic_jobs_name_tells_its_offloading(space: str, multinode: bool, name: str) -> None:
    row = only(rows(agentic(f"{space}, conc-list: [2]", multinode=multinode), RUNNERS))
    assert row["exp-name"] == name


DRAM = "kv-offloading: dram, kv-offload-backend: { name: h }, conc-list: [1]"


@pytest.mark.parametrize(
    ("worker", "runner", "gb"),
    [
        ("tp: 8", "", 1677),
        ("tp: 2, pp: 2, pcp-size: 2", "", 1677),
        ("tp: 1", "", 209),
        ("tp: 8", "cluster:big", 2399),  # capped at 2,861,022 MiB
    ],
)
def test_a_budget_is_the_part_of_the_node_that_a_job_has(worker: str, runner: str, gb: int) -> None:
    found = agentic(f"{worker}, {DRAM}", runner=runner)
    assert only(rows(found, RUNNERS))["total-cpu-dram-gb"] == gb


@pytest.mark.parametrize(("tp", "gb"), [(16, 1677), (8, 1677), (2, 419)])
def test_on_several_nodes_it_is_the_prefill_workers_part(tp: int, gb: int) -> None:
    space = f"{workers('prefill', 3, tp)}, {workers('decode', 1, 1)}, {DRAM}"
    assert only(rows(agentic(space, multinode=True), RUNNERS))["total-cpu-dram-gb"] == gb


@pytest.mark.parametrize(
    ("space", "runner", "told"),
    [
        ("tp: 16", "", "16 GPUs don't fit a node of 8"),
        (
            "tp: 8",
            "cluster:y",
            "kv-offloading: dram, and the hardware of runner 'cluster:y' isn't in runners.yaml: "
            "did you mean 'cluster:x'?",
        ),
        (
            "tp: 8",
            "b",
            "kv-offloading: dram, and the hardware of runner 'b' isn't in runners.yaml: "
            "add it there",
        ),
        (
            f"{workers('prefill', 1, 12)}, {workers('decode', 1, 1)}",
            "",
            "a prefill worker's 12 GPUs don't fill nodes of 8",
        ),
        (
            f"{workers('prefill', 1, 3)}, {workers('decode', 1, 1)}",
            "",
            "prefill workers of 3 GPUs don't divide a node of 8",
        ),
    ],
)
def test_a_budget_that_cannot_be_made_is_told(space: str, runner: str, told: str) -> None:
    found = agentic(f"{space}, {DRAM}", multinode="prefill" in space, runner=runner)
    with pytest.raises(FileFaults) as caught:
        rows(found * 2, RUNNERS)
    place = "m.yaml:13: a-fp4-x.scenarios.agentic-coding[0].search-space[0]"
    assert [str(fault) for fault in caught.value.faults] == [f"{place}: {told}"] * 2


def evaluated(found: list[dict[str, Any]]) -> list[Any]:
    return [row["conc"] for row in found if row["run-eval"]]


def test_on_one_node_the_highest_and_the_median_concurrency_are_evaluated() -> None:
    found = rows(fixed("tp: 4, conc-start: 4, conc-end: 128", "tp: 8, conc-list: [32, 4]"), RUNNERS)
    assert evaluated(found) == [64, 128]  # of 16 32 64 128, whatever the topology
    found = rows(fixed("tp: 4, conc-start: 4, conc-end: 64", "tp: 8, conc-list: [32, 4]"), RUNNERS)
    assert evaluated(found) == [32, 64, 32]


def test_attention_and_drafts_are_evaluated_apart() -> None:
    spaces = ("tp: 2, dp-attn: true", "tp: 4, spec-decoding: mtp", "tp: 4, ep: 4", "tp: 4")
    found = rows(fixed(*(f"{s}, conc-list: [{16 * n}]" for n, s in enumerate(spaces, 1))), RUNNERS)
    assert evaluated(found) == [16, 32, 64]  # of 48 and 64, which are one curve's, the median is 64


@pytest.mark.parametrize("space", ["tp: 4, conc-list: [15]", "tp: 4, conc-list: [1, 2]"])
def test_a_low_concurrency_is_not_evaluated(space: str) -> None:
    assert evaluated(rows(fixed(space), RUNNERS)) == []


def test_other_lengths_are_not_evaluated() -> None:
    assert evaluated(rows(fixed("tp: 4, conc-list: [64]", isl=1024), RUNNERS)) == []


def test_on_several_nodes_the_highest_concurrency_of_each_topology_is_evaluated() -> None:
    topology = f"{workers('prefill', 1, 4)}, {workers('decode', 1, 4)}"
    other = f"{workers('prefill', 2, 4)}, {workers('decode', 1, 4)}"
    found = rows(
        fixed(
            f"{topology}, conc-list: [8, 64]",
            f"{topology}, conc-list: [32]",
            f"{other}, conc-list: [16, 4]",
            f"{other}, conc-list: [4]",
            multinode=True,
        ),
        RUNNERS,
    )
    assert [(row["run-eval"], row.get("eval-conc")) for row in found] == [
        (True, 64),
        (False, None),
        (True, 16),
        (False, None),
    ]


def test_evals_may_be_left_out() -> None:
    found = rows(fixed("tp: 4, conc-list: [64]"), RUNNERS, evals=False)
    assert evaluated(found) == []


def test_a_row_knows_the_entry_that_it_is_of() -> None:
    (entry,) = fixed("tp: 4, conc-list: [1]", "tp: 8, conc-list: [1, 2]")
    found = sourced_rows([entry], RUNNERS)
    spaces = [space for _, space in entry.spaces()]
    assert [(row.entry, row.space) for row in found] == [
        (entry, spaces[0]),
        (entry, spaces[1]),
        (entry, spaces[1]),
    ]
    assert [row.values for row in found] == rows([entry], RUNNERS)


def test_a_step_that_goes_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match="a step of 1 never reaches a range's end"):
        rows(fixed("tp: 4, conc-start: 4, conc-end: 10"), RUNNERS, step=1)


def test_there_are_no_rows_without_entries() -> None:
    assert rows([], RUNNERS) == []
