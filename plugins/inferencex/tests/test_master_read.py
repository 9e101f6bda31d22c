"""InferenceX's files are read as they stand: every key at its place, every fault in one go."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from infxreg_inferencex.master import (
    Component,
    Entry,
    FileFaults,
    Folder,
    Golden,
    Hardware,
    combined,
    read_checkout,
    read_golden,
    read_master,
    read_runners,
)

MASTER = """\
# a note
a1.5-fp4-b200-dynamo-vllm:
  image: vllm/vllm-openai:v1
  model: org/A-FP4
  model-prefix: a1.5
  runner: cluster:b200-x
  precision: fp4
  framework: dynamo-vllm
  router: { name: dynamo-router, version: "1.2" }
  kv-p2p-transfer: nixl
  multinode: true
  disagg: true
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - spec-decoding: mtp
        conc-list: [1, 16]
        prefill:
          num-worker: 2
          tp: 4
          pp: 2
          ep: 4
          dp-attn: true
          additional-settings:
          - A=1
          - CONFIG_FILE=recipes/x.yaml
        decode: { num-worker: 1, tp: 8, ep: 1, dp-attn: false }
a1.5-fp4-b200-vllm:
  image: vllm/vllm-openai:v1
  model: org/A-FP4
  model-prefix: a1.5
  runner: cluster:b200-x
  precision: fp4
  framework: vllm
  multinode: false
  scenarios:
    agentic-coding:
    - dram-utilization: 0.8
      search-space:
      - { tp: 4, kv-offloading: none, conc-start: 1, conc-end: 10 }
      - { tp: 4, ep: 4, kv-offloading: dram, kv-offload-backend: { name: native }, conc-list: [3] }
"""

RUNNERS = """\
labels:
  cluster:b200-x:
  - b200-x_0
  - b200-x_1
hardware:
  cluster:b200-x:
    available-cpu-dram-mib: 2_000_000
    gpus-per-node: 8
"""


def faults(text: str) -> list[str]:
    with pytest.raises(FileFaults) as caught:
        read_master(text, "m.yaml")
    return [str(fault) for fault in caught.value.faults]


def changed(old: str, new: str) -> str:
    assert old in MASTER
    return MASTER.replace(old, new)


def test_an_entry_has_what_the_file_says() -> None:
    entry, _ = read_master(MASTER, "m.yaml")
    assert (entry.key, entry.image, entry.model_prefix) == (
        "a1.5-fp4-b200-dynamo-vllm",
        "vllm/vllm-openai:v1",
        "a1.5",
    )
    assert entry.router == Component(name="dynamo-router", version="1.2")
    assert (entry.multinode, entry.disagg, entry.kv_p2p_transfer) == (True, True, "nixl")
    ((scenario, space),) = entry.spaces()
    assert (scenario.kind, space.spec_decoding) == ("fixed-seq-len", "mtp")
    assert space.concurrencies() == (1, 16)
    assert space.prefill is not None
    assert (space.prefill.gpus, space.prefill.dcp_size) == (8, None)
    assert space.setting("CONFIG_FILE") == "recipes/x.yaml"
    assert space.setting("B") is None
    assert [role for role, _ in space.roles()] == ["prefill", "decode"]


def test_a_record_knows_its_place() -> None:
    entry, other = read_master(MASTER, "m.yaml")
    ((_, space),) = entry.spaces()
    key = '"a1.5-fp4-b200-dynamo-vllm"'
    assert str(entry.at) == f"m.yaml:2: {key}"
    assert str(entry.at.of("image")) == f"m.yaml:3: {key}.image"
    where = f"{key}.scenarios.fixed-seq-len[0].search-space[0]"
    assert str(space.at) == f"m.yaml:18: {where}"
    assert space.prefill is not None
    assert str(space.prefill.at.of("pp")) == f"m.yaml:23: {where}.prefill.pp"
    setting = space.prefill.at.of("additional-settings[1]")
    assert str(setting) == f"m.yaml:28: {where}.prefill.additional-settings[1]"
    assert other.at.of("router").line == other.at.line  # where it would stand


def test_two_entries_that_say_the_same_are_equal_wherever_they_stand() -> None:
    first = read_master(MASTER, "m.yaml")
    assert first == read_master("\n\n" + MASTER, "n.yaml")
    assert first != read_master(changed("tp: 8, ep: 1", "tp: 8, ep: 8"), "m.yaml")


@pytest.mark.parametrize(
    ("step", "found"), [(2, (1, 2, 4, 8, 10)), (3, (1, 3, 9, 10)), (100, (1, 10))]
)
def test_a_range_multiplies_and_has_its_end(step: int, found: tuple[int, ...]) -> None:
    _, entry = read_master(MASTER, "m.yaml")
    assert next(entry.spaces())[1].concurrencies(step) == found


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            "conc-list: [1, 16]",
            "conc-lst: [1, 16]",
            ":19: {m}.search-space[0].conc-lst: unknown key: did you mean 'conc-list'?",
        ),
        (
            "conc-list: [1, 16]",
            "conc_list: [1, 16]",
            ":19: {m}.search-space[0].conc_list: unknown key: did you mean 'conc-list'?",
        ),
        (
            "conc-list: [1, 16]",
            'conc-list: [1, "16"]',
            ":19: {m}.search-space[0].conc-list[1]: an integer is needed, not str",
        ),
        (
            "          num-worker: 2\n",
            "",
            ":20: {m}.search-space[0].prefill.num-worker: the key 'num-worker' is missing",
        ),
        (
            "dp-attn: true",
            "dp-attn: 1",
            ":25: {m}.search-space[0].prefill.dp-attn: true or false is needed, not int",
        ),
        (
            "spec-decoding: mtp",
            "spec-decoding: mpt",
            ":18: {m}.search-space[0].spec-decoding: 'mpt' isn't one of 'mtp', 'draft_model', "
            "'none'",
        ),
        (
            "conc-list: [1, 16]",
            "conc-list: [0, 16]",
            ":19: {m}.search-space[0].conc-list: 0 is below 1",
        ),
        (
            "conc-list: [1, 16]",
            "conc-list: []",
            ":18: {m}.search-space[0]: conc-list, or both conc-start and conc-end, are needed",
        ),
        (
            "conc-list: [1, 16]",
            "conc-list: [1, 16]\n        conc-end: 8",
            ":19: {m}.search-space[0].conc-list: write either conc-list or conc-start and conc-end",
        ),
        (
            "conc-list: [1, 16]",
            "conc-start: 8\n        conc-end: 4",
            ":19: {m}.search-space[0].conc-start: 8 is above conc-end 4",
        ),
        (
            "spec-decoding: mtp",
            "tp: 4",
            ":18: {m}.search-space[0].tp: tp is said of prefill and decode: multinode",
        ),
        (
            "conc-list: [1, 16]",
            "conc-list: [1]\n        router: {name: x, version: '1'}",
            ":20: {m}.search-space[0].router: router is also said at line 9",
        ),
        (
            "conc-list: [1, 16]",
            "conc-list: [1]\n        kv-offloading: none",
            ":20: {m}.search-space[0].kv-offloading: kv-offloading is for agentic-coding only",
        ),
        (
            "          pp: 2\n",
            "          dcp-size: 3\n",
            ":23: {m}.search-space[0].prefill.dcp-size: tp 4 isn't a multiple of dcp-size 3",
        ),
        (
            "          pp: 2\n",
            "          pp: 0\n",
            ":23: {m}.search-space[0].prefill.pp: 0 is below 1",
        ),
        (
            "          pp: 2\n",
            "          hardware: b200\n",
            ":18: {m}.search-space[0]: hardware is said of both prefill and decode, or of neither",
        ),
        (
            "decode: { num-worker: 1, tp: 8, ep: 1, dp-attn: false }",
            "",
            ":18: {m}.search-space[0].decode: the key 'decode' is missing: multinode",
        ),
        (
            "num-worker: 1,",
            "num-worker: -1,",
            ":29: {m}.search-space[0].decode.num-worker: -1 is below 0",
        ),
    ],
)
def test_what_is_wrong_on_several_nodes_is_told_with_its_place(
    old: str, new: str, fault: str
) -> None:
    where = '"a1.5-fp4-b200-dynamo-vllm".scenarios.fixed-seq-len[0]'
    assert faults(changed(old, new)) == ["m.yaml" + fault.replace("{m}", where)]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            "{ tp: 4, kv-offloading: none,",
            "{ kv-offloading: none,",
            ":42: {m}.search-space[0].tp: the key 'tp' is missing: the entry is of one node",
        ),
        (
            "{ tp: 4, kv-offloading: none,",
            "{ tp: 4,",
            ":42: {m}.search-space[0].kv-offloading: the key 'kv-offloading' is missing",
        ),
        (
            "kv-offloading: none,",
            "kv-offloading: none, kv-offload-backend: { name: native },",
            ":42: {m}.search-space[0].kv-offload-backend: needs kv-offloading: dram",
        ),
        (
            "kv-offloading: none,",
            "kv-offloading: none, kv-p2p-transfer: nixl,",
            ":42: {m}.search-space[0].kv-p2p-transfer: kv-p2p-transfer needs multinode: true",
        ),
        (
            "kv-offload-backend: { name: native }, ",
            "",
            ":43: {m}.search-space[1].kv-offloading: the key 'kv-offload-backend' is missing",
        ),
        (
            "- dram-utilization: 0.8\n      search",
            "- search",
            ":42: {m}.search-space[1].kv-offloading: the scenario's key 'dram-utilization' is "
            "missing",
        ),
        (
            "dram-utilization: 0.8",
            "dram-utilization: 1.5",
            ":40: {m}.dram-utilization: 1.5 isn't above 0 and at most 1",
        ),
    ],
)
def test_what_is_wrong_on_one_node_is_told_with_its_place(old: str, new: str, fault: str) -> None:
    where = '"a1.5-fp4-b200-vllm".scenarios.agentic-coding[0]'
    assert faults(changed(old, new)) == ["m.yaml" + fault.replace("{m}", where)]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "a1.5-fp4-b200-vllm:",
            "a1.5-*-vllm:",
            ['m.yaml:30: "a1.5-*-vllm": a key with a * would be a pattern elsewhere'],
        ),
        (
            "multinode: false",
            "multinode: false\n  disagg: true",
            ['m.yaml:38: "a1.5-fp4-b200-vllm".disagg: disaggregation needs multinode: true'],
        ),
        (
            "    agentic-coding:\n",
            "    agentic-coding: []\n    x:\n",
            [
                'm.yaml:40: "a1.5-fp4-b200-vllm".scenarios.x: unknown key: known are '
                "agentic-coding, fixed-seq-len"
            ],
        ),
    ],
)
def test_what_is_wrong_with_an_entry_is_told(old: str, new: str, told: list[str]) -> None:
    assert faults(changed(old, new)) == told


def test_an_entry_needs_a_scenario() -> None:
    text = MASTER[: MASTER.index("    fixed-seq-len")] + "    fixed-seq-len: []\n"
    (told,) = faults(text)
    assert told.endswith(".scenarios: at least one scenario is needed")


def test_every_fault_is_told_at_once_and_nothing_is_half_read() -> None:
    text = changed("conc-list: [1, 16]", "conc-lst: 1").replace("conc-start: 1,", "conc-start: x,")
    text = text.replace("  model: org/A-FP4\n", "", 1).replace("precision: fp4", "precision: 4")
    told = faults(text)
    assert [one.split(": ", 2)[2] for one in told] == [
        "the key 'model' is missing",
        "text is needed, not int",
        "unknown key: did you mean 'conc-list'?",
        "text is needed, not int",
        "an integer is needed, not str",
    ]
    with pytest.raises(FileFaults, match=r"^5 faults in files of InferenceX:\n  m\.yaml:2: "):
        read_master(text, "m.yaml")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: [", "m.yaml:2: not YAML: did not find expected node content"),
        ("a: 1\na: 2\n", "m.yaml:2: the key 'a' stands twice"),
        ("- a\n", "m.yaml:1: a mapping is needed, not list"),
        ("", "m.yaml:1: a mapping is needed, not NoneType"),
        ("1: {}\n", "m.yaml:1: 1: text is needed, not 1"),
        ("a: 1\n", "m.yaml:1: a: a table is needed, not int"),
    ],
)
def test_what_is_no_master_config_is_told(text: str, fault: str) -> None:
    assert faults(text) == [fault]


def test_a_backend_may_be_just_a_name_as_before_2026_07_13() -> None:
    _, entry = read_master(
        changed("kv-offload-backend: { name: native }", "kv-offload-backend: native"), "m.yaml"
    )
    assert list(entry.spaces())[1][1].kv_offload_backend == Component(name="native")


def test_an_entry_in_two_files_is_a_fault() -> None:
    first = read_master(MASTER, "m.yaml")
    assert combined([first, ()]) == first
    with pytest.raises(FileFaults) as caught:
        combined([first, read_master(MASTER, "n.yaml")])
    assert [str(fault) for fault in caught.value.faults] == [
        'n.yaml:2: "a1.5-fp4-b200-dynamo-vllm": the entry stands at m.yaml:2 too',
        'n.yaml:30: "a1.5-fp4-b200-vllm": the entry stands at m.yaml:30 too',
    ]


def test_runners_have_labels_and_hardware() -> None:
    runners = read_runners(RUNNERS, "r.yaml")
    assert runners.labels == {"cluster:b200-x": ("b200-x_0", "b200-x_1")}
    assert runners.hardware == {
        "cluster:b200-x": Hardware(available_cpu_dram_mib=2_000_000, gpus_per_node=8)
    }
    assert runners.lines == {"cluster:b200-x": 2}


def test_runners_need_no_hardware() -> None:
    assert read_runners("labels: {a: [b]}", "r.yaml").hardware == {}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("hardware: {}", ["r.yaml:1: labels: a mapping by label is needed"]),
        ("labels: {1: [a]}", ["r.yaml:1: labels: a mapping by label is needed"]),
        (
            "labels: {a: []}\nlable: {}",
            [
                "r.yaml:2: lable: unknown key: known are hardware, labels",
                "r.yaml:1: labels.a: a list of runners is needed",
            ],
        ),
        ("labels: {a: [b, 1]}", ["r.yaml:1: labels.a[1]: text is needed, not int"]),
        (
            "labels: {a: [b]}\nhardware:\n  a: {gpus-per-node: 0, available-cpu-dram-mib: 1}",
            ["r.yaml:3: hardware.a.gpus-per-node: it is below 1"],
        ),
        (
            "labels: {a: [b]}\nhardware:\n  a: {gpus_per_node: 8}",
            [
                "r.yaml:3: hardware.a.gpus_per_node: unknown key: did you mean 'gpus-per-node'?",
                "r.yaml:3: hardware.a.available-cpu-dram-mib: "
                "the key 'available-cpu-dram-mib' is missing",
                "r.yaml:3: hardware.a.gpus-per-node: the key 'gpus-per-node' is missing",
            ],
        ),
    ],
)
def test_what_is_wrong_with_runners_is_told(text: str, told: list[str]) -> None:
    with pytest.raises(FileFaults) as caught:
        read_runners(text, "r.yaml")
    assert [str(fault) for fault in caught.value.faults] == told


def test_golden_lengths_are_by_model_mode_and_draft_tokens() -> None:
    text = "a-fp4:\n  thinking_on:\n    1: 1.8\n    2: 2\n"
    found = read_golden(text, "golden_al_distribution/a_mtp.yaml")
    assert [(one.curve, one.model, one.mode, one.draft_tokens, one.length) for one in found] == [
        ("a_mtp", "a-fp4", "thinking_on", 1, 1.8),
        ("a_mtp", "a-fp4", "thinking_on", 2, 2.0),
    ]
    assert isinstance(found[0], Golden)
    assert str(found[1].at).endswith("a_mtp.yaml:4: a-fp4.thinking_on.2")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: 1", "g.yaml:1: a: a mapping of modes is needed"),
        ("a: {on: 1}", "g.yaml:1: a.on: a mapping of draft tokens to lengths is needed"),
        (
            "a: {on: {x: 1.5}}",
            "g.yaml:1: a.on.x: a number of draft tokens is needed, not 'x'",
        ),
        ("a: {on: {1: 2.5}}", "g.yaml:1: a.on.1: a length from 1 to 2 is needed, not 2.5"),
        ("a: {on: {1: '2'}}", "g.yaml:1: a.on.1: a length from 1 to 2 is needed, not '2'"),
    ],
)
def test_what_is_wrong_with_golden_lengths_is_told(text: str, told: str) -> None:
    with pytest.raises(FileFaults) as caught:
        read_golden(text.replace("on:", '"on":'), "g.yaml")
    assert [str(fault) for fault in caught.value.faults] == [told]


def test_a_checkout_is_read_in_one_go(tmp_path: Path) -> None:
    for name, text in {
        "configs/nvidia-master.yaml": MASTER,
        "configs/amd-master.yaml": "{}",
        "configs/runners.yaml": RUNNERS,
        "configs/deprecated/old.yaml": "gone-fp8: {seq-len-configs: 1}",
        "golden_al_distribution/a_mtp.yaml": "a: {thinking_on: {1: 1.5}}",
        "golden_al_distribution/README.md": "no YAML: [",
        "perf-changelog.yaml": "- config-keys: [a*]\n  description: [b]\n  pr-link: c\n",
        ".git/config": "x",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    files = Folder(tmp_path)
    assert ".git/config" not in list(files)
    assert len(files) == 7
    checkout = read_checkout(files)
    assert checkout.entries == read_master(MASTER, "m.yaml")
    assert all(isinstance(entry, Entry) for entry in checkout.entries)
    assert [change.config_keys for change in checkout.changes] == [("a*",)]
    assert (len(checkout.golden), checkout.retired) == (1, frozenset({"gone-fp8"}))


def test_every_fault_of_a_checkout_is_told_at_once() -> None:
    with pytest.raises(FileFaults) as caught:
        read_checkout(
            {
                "configs/nvidia-master.yaml": "a: 1",
                "configs/runners.yaml": "labels: 1",
                "golden_al_distribution/a.yaml": "a: 1",
                "perf-changelog.yaml": "- 1",
            }
        )
    assert [str(fault) for fault in caught.value.faults] == [
        "configs/nvidia-master.yaml:1: a: a table is needed, not int",
        "configs/amd-master.yaml:1: the file is missing",
        "configs/runners.yaml:1: labels: a mapping by label is needed",
        "golden_al_distribution/a.yaml:1: a: a mapping of modes is needed",
        "perf-changelog.yaml:1: entry at line 1: a mapping is needed, not int",
    ]


def test_an_entry_in_both_masters_is_a_fault_of_the_checkout() -> None:
    files = {
        "configs/nvidia-master.yaml": MASTER,
        "configs/amd-master.yaml": MASTER,
        "configs/runners.yaml": RUNNERS,
    }
    with pytest.raises(FileFaults, match=r"the entry stands at configs/nvidia-master\.yaml:2 too"):
        read_checkout(files)


def test_a_folder_has_nothing_that_is_outside_of_it(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out.yaml").write_text("secret")
    (tmp_path / "in" / "link.yaml").symlink_to(tmp_path / "out.yaml")
    files = Folder(tmp_path / "in")
    for name in ("../out.yaml", str(tmp_path / "out.yaml"), "link.yaml", "no.yaml"):
        assert name not in files
        with pytest.raises(KeyError):
            files[name]


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "configs").mkdir()
    for name in ("nvidia-master", "amd-master", "runners"):
        (tmp_path / "configs" / f"{name}.yaml").write_bytes(b"a: \xff")
    with pytest.raises(FileFaults) as caught:
        read_checkout(Folder(tmp_path))
    assert [fault.message for fault in caught.value.faults] == ["not UTF-8: byte 3"] * 3


def test_the_plugin_reads_no_yaml_before_it_is_asked_to() -> None:
    code = "import sys, infxreg_inferencex; sys.exit('yaml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
