"""What is found in a checkout: nothing in a sound twin, and each fault that is put into it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from infxreg_inferencex.master import (
    Checkout,
    Finding,
    Folder,
    Reference,
    findings,
    read_checkout,
    references,
    started,
)
from infxreg_inferencex.master.acceptance import model_of
from infxreg_inferencex.master.against_recipes import named, plain
from support.inferencex import AGG, DISAGG, EVAL, MASTER, RECIPES, SOUND, TRT


def checkout(*changes: tuple[str, str, str], more: Mapping[str, str] | None = None) -> Checkout:
    files = {**SOUND, **(more or {})}
    for name, old, new in changes:
        assert old in files[name]
        files[name] = files[name].replace(old, new, 1)
    return read_checkout(files)


def told(*changes: tuple[str, str, str], more: Mapping[str, str] | None = None) -> list[str]:
    return [str(one) for one in findings(checkout(*changes, more=more))]


def test_in_a_sound_checkout_nothing_is_found() -> None:
    recipes = started(checkout())
    assert [len(recipes.started), len(recipes.broken)] == [5, 0]
    assert findings(checkout()) == ()


def test_what_a_shell_script_starts_is_counted() -> None:
    recipes = started(checkout())
    assert [(one.entry.key, one.reason) for one in recipes.unread] == [
        ("a-fp4-mi355x-sglang", "a shell script starts sglang on one node"),
        ("a-fp4-mi355x-sglang-disagg", "a shell script starts sglang-disagg on several nodes"),
    ]


def test_a_recipe_of_srt_slurms_own_is_elsewhere() -> None:
    (one,) = started(checkout()).elsewhere
    assert one.written == "recipes/trtllm/upstream/x.yaml"


def test_a_reference_has_the_labels_of_its_entry() -> None:
    found = [one for one in references(checkout().entries) if isinstance(one, Reference)]
    first, second = found[:2]
    assert first.file == DISAGG
    assert first.concurrencies == (4, 8)
    assert (second.file, second.selector) == (AGG, "override_low")
    prefill, decode = first.roles
    assert (prefill.role, prefill.workers, prefill.tp, prefill.gpus) == ("prefill", 2, 4, 4)
    assert (decode.ep, decode.dp_attn, decode.nodes, prefill.nodes) == (8, True, 1, None)
    assert str(first.at).endswith(".prefill.additional-settings[0]")
    assert first.at.line == 22


def test_of_a_setting_that_is_given_twice_the_last_one_counts() -> None:
    setting = "          - CONFIG_FILE=recipes/vllm/a/agentic/disagg.yaml\n"
    first, *_ = references(
        checkout((MASTER, setting, setting.replace("disagg", "x") + setting)).entries
    )
    assert (first.file, first.at.line) == (DISAGG, 23)
    after = "          - DECODE_NODES=1\n"
    first, *_ = references(
        checkout((MASTER, after, after + setting.replace("disagg", "y"))).entries
    )
    assert (first.file, first.at.line) == (f"{RECIPES}/vllm/a/agentic/y.yaml", 30)


def test_a_recipe_of_llm_d_is_elsewhere_too() -> None:
    change = (MASTER, "CONFIG_FILE=recipes/vllm/a/agentic/disagg.yaml", "CONFIG_FILE=x.yaml")
    name = "benchmarks/multi_node/llm-d-recipes/x.yaml"
    for more in ({}, {name: "kind: other"}):
        found = started(checkout(change, more=more)).elsewhere
        assert [one.file for one in found if one.llmd] == [name]


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (
            (MASTER, "agentic/disagg.yaml", "agentic/disag.yaml"),
            f"{MASTER}:22: error [recipe-missing] a-fp4-b200-dynamo-vllm-agentic: CONFIG_FILE "
            f"names {RECIPES}/vllm/a/agentic/disag.yaml, which isn't there; the nearest is "
            f"{DISAGG}: add it, or drop the entry",
        ),
        (
            (MASTER, "CONFIG_FILE=benchmarks/multi_node/srt", "CONFIG_FILE=elsewhere/srt"),
            f"{MASTER}:101: error [recipe-missing] a-fp4-b200-dynamo-trt-agentic: CONFIG_FILE "
            "names elsewhere/srt-slurm-recipes/trtllm/a/trt.yaml, which isn't there: add it, or "
            "drop the entry",
        ),
        (
            (MASTER, ":override_low", ":override_lo"),
            f"{MASTER}:50: error [recipe-broken] a-fp4-b200-dynamo-sglang: CONFIG_FILE names "
            f"{AGG}:1: it has no variant 'override_lo'; it has: base, override_low, "
            "override_agentic: mend it, because it can't be read as it stands",
        ),
        (
            (EVAL, "model:", "model: 1\nmodel:"),
            f"{MASTER}:76: error [recipe-broken] a-fp4-b200-dynamo-sglang-agentic: "
            f"EVAL_CONFIG_FILE names {EVAL}:2: the key 'model' stands twice: mend it, because it "
            "can't be read as it stands",
        ),
        (
            (DISAGG, "org/i:v1", "org/i:v2"),
            f"{MASTER}:2: error [image-differs] a-fp4-b200-dynamo-vllm-agentic: the image is "
            f"nvcr.io#org/i:v1, and {DISAGG}:1 runs nvcr.io/org/i:v2: what runs isn't what is "
            "recorded; write the same in both",
        ),
        (
            (EVAL, "org/s:v1", "org/s:v2"),
            f"{MASTER}:57: error [image-differs] a-fp4-b200-dynamo-sglang-agentic: the image is "
            f"org/s:v1, and {EVAL}:1 runs org/s:v2: what runs isn't what is recorded; write the "
            "same in both",
        ),
        (
            (AGG, "concurrencies: [8, 1]", "concurrencies: 1x8x16"),
            f"{MASTER}:43: warning [concurrency-differs] a-fp4-b200-dynamo-sglang: the entry "
            f"lists 1 8, and {AGG}:8 sends 1 8 16: 16 is measured besides; write the same in both",
        ),
        (
            (AGG, "concurrencies: [8, 1]", "concurrencies: 8x16"),
            f"{MASTER}:43: error [concurrency-differs] a-fp4-b200-dynamo-sglang: the entry lists "
            f"1 8, and {AGG}:8 sends 8 16: 1 isn't measured, 16 is measured besides; write the "
            "same in both",
        ),
        (
            (DISAGG, "tensor-parallel-size: 4", "tensor-parallel-size: 8"),
            f"{MASTER}:16: error [label-contradicted] a-fp4-b200-dynamo-vllm-agentic: prefill "
            f"says 8 GPUs (num-worker 2 × tp 4), and 2 × 8 are used ({DISAGG}:10): results stand "
            "under what it says; make it say what runs",
        ),
        (
            (MASTER, "          tp: 8\n          ep: 8", "          tp: 1\n          ep: 8"),
            f"{MASTER}:23: error [label-contradicted] a-fp4-b200-dynamo-vllm-agentic: decode "
            f"says 1 GPU (num-worker 1 × tp 1), and 1 × 8 are used ({DISAGG}:12): results stand "
            "under what it says; make it say what runs",
        ),
        (
            (MASTER, "          tp: 4\n          ep: 1", "          tp: 4\n          ep: 4"),
            f"{MASTER}:16: error [label-contradicted] a-fp4-b200-dynamo-vllm-agentic: prefill "
            f"says ep 4, and 1 is set ({DISAGG}:10): results stand under what it says; make it "
            "say what runs",
        ),
        (
            (MASTER, "dp-attn: true", "dp-attn: false"),
            f"{MASTER}:23: error [label-contradicted] a-fp4-b200-dynamo-vllm-agentic: decode "
            f"says dp-attn false, and attention is data-parallel ({DISAGG}:12): results stand "
            "under what it says; make it say what runs",
        ),
        (
            (MASTER, "DECODE_NODES=1", "DECODE_NODES=2"),
            f"{MASTER}:23: error [label-contradicted] a-fp4-b200-dynamo-vllm-agentic: decode "
            f"says 2 nodes, and it asks for 1 ({DISAGG}:12): results stand under what it says; "
            "make it say what runs",
        ),
        (
            (MASTER, "          num-worker: 0", "          num-worker: 1"),
            f"{MASTER}:51: error [label-contradicted] a-fp4-b200-dynamo-sglang: decode says "
            f"num-worker 1, and none is started ({AGG}:3): results stand under what it says; "
            "make it say what runs",
        ),
        (
            (
                DISAGG,
                "tensor-parallel-size: 4",
                "tensor-parallel-size: 2\n"
                "      pipeline-parallel-size: 2\n      decode-context-parallel-size: 2",
            ),
            f"{MASTER}:16: error [label-contradicted] a-fp4-b200-dynamo-vllm-agentic: prefill "
            f"says pp 1, and 2 is set; dcp-size 1, and 2 is set ({DISAGG}:10): results stand "
            "under what it says; make it say what runs",
        ),
        (
            (DISAGG, 'length": 2.5', 'length": 2.2'),
            f"{DISAGG}:15: error [acceptance-differs] a-fp4-b200-dynamo-vllm-agentic: "
            "synthetic_acceptance_length 2.2 simulates 2.2 at draft length 3, which is that of "
            "draft length 2: what is committed is 2.5 (a_mtp, thinking_on); take that",
        ),
        (
            (DISAGG, '{"num_spec', '{"model": "A-GQA", "num_spec'),
            f"{DISAGG}:15: error [acceptance-differs] a-fp4-b200-dynamo-vllm-agentic: "
            "synthetic_acceptance_length 2.5 simulates 2.5 at draft length 3: what is "
            "committed is 2.6 (a_mtp_gqa, thinking_on); take that",
        ),
        (
            (DISAGG, 'tokens": 3', 'tokens": 9'),
            f"{DISAGG}:15: error [acceptance-differs] a-fp4-b200-dynamo-vllm-agentic: "
            "synthetic_acceptance_length 2.5 simulates 2.5 at draft length 9, for which no length "
            "of a is committed",
        ),
        (
            (AGG, "'2.2'", "'2.21'"),
            f"{AGG}:12: error [acceptance-differs] a-fp4-b200-dynamo-sglang-agentic: "
            "SGLANG_SIMULATE_ACC_LEN=2.21 simulates 2.21 at draft length 2: what is "
            "committed is 2.2 (a_mtp, thinking_on); take that",
        ),
        (
            (TRT, "'0.5'", "'1.5'"),
            f"{TRT}:6: error [acceptance-differs] a-fp4-b200-dynamo-trt-agentic: "
            "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS=1.5 simulates 2.5 at draft length 1, which "
            "is that of draft length 3: what is committed is 1.5 (a_mtp, thinking_on); take that",
        ),
        (
            (AGG, "      SGLANG_SIMULATE_ACC_LEN: '2.2'", "      X: 1"),
            f"{MASTER}:75: error [acceptance-real] a-fp4-b200-dynamo-sglang-agentic: "
            f"spec-decoding is mtp, and {AGG} doesn't simulate acceptance: agentic jobs do, at "
            "the committed length",
        ),
        (
            (
                EVAL,
                "backend:",
                "backend:\n  aggregated_environment: {SGLANG_SIMULATE_ACC_LEN: 2.2}",
            ),
            f"{EVAL}:4: error [acceptance-simulated] a-fp4-b200-dynamo-sglang-agentic: "
            "SGLANG_SIMULATE_ACC_LEN=2.2 simulates 2.2 where accuracy is measured: leave it out",
        ),
        (
            (AGG, "override_low:", "override_low:\n  environment: {SGLANG_SIMULATE_ACC_LEN: 2.2}"),
            f"{AGG}:4: warning [acceptance-simulated] a-fp4-b200-dynamo-sglang: "
            "SGLANG_SIMULATE_ACC_LEN=2.2 simulates 2.2 in jobs of a fixed length, which accept "
            "what they do: leave it out",
        ),
        (
            ("configs/amd-master.yaml", "runner: mi355x", "runner: mi35x"),
            "configs/amd-master.yaml:5: warning [runner-unknown] a-fp4-mi355x-sglang: 'mi35x' is "
            "no label of configs/runners.yaml: add it there, or did you mean 'mi355x'?",
        ),
        (
            ("configs/amd-master.yaml", "runner: mi355x", "runner: zz"),
            "configs/amd-master.yaml:5: warning [runner-unknown] a-fp4-mi355x-sglang: 'zz' is no "
            "label of configs/runners.yaml: add it there",
        ),
        (
            (MASTER, "runner: cluster:b200-x", "runner: b200"),
            f"{MASTER}:5: error [refused] a-fp4-b200-dynamo-vllm-agentic: agentic jobs need a "
            "cluster:… runner, and this is b200",
        ),
        (
            (MASTER, "  kv-p2p-transfer: nixl\n", ""),
            f"{MASTER}:9: error [refused] a-fp4-b200-dynamo-vllm-agentic: disagg: true needs "
            "kv-p2p-transfer here, or in every search space",
        ),
        (
            (MASTER, "  multinode: true\n", "  router: {name: r}\n  multinode: true\n"),
            f"{MASTER}:9: error [refused] a-fp4-b200-dynamo-vllm-agentic: the router r needs a "
            "version",
        ),
        (
            ("configs/amd-master.yaml", "conc-list: [1, 8] }", "conc-list: [1, 1] }"),
            "configs/amd-master.yaml:14: note [row-twice] a-fp4-mi355x-sglang: the job at "
            "concurrency 1 is the same as the one of configs/amd-master.yaml:14: "
            "a-fp4-mi355x-sglang.scenarios.fixed-seq-len[0].search-space[0] "
            "(a-fp4-mi355x-sglang): it is measured twice; meant?",
        ),
        (
            ("perf-changelog.yaml", "[a-fp4-*]", "[a-fp4-mi355x-sglangs]"),
            "perf-changelog.yaml:5: error [changelog-key] the config key a-fp4-mi355x-sglangs "
            "matches no entry: did you mean 'a-fp4-mi355x-sglang'?",
        ),
        (
            ("perf-changelog.yaml", "[a-fp4-*]", "[a-fp4-mi355x]"),
            "perf-changelog.yaml:5: error [changelog-key] the config key a-fp4-mi355x matches no "
            "entry: did you mean 'a-fp4-mi355x-sglang'?",
        ),
        (
            ("perf-changelog.yaml", "[a-fp4-*]", "[zz]"),
            "perf-changelog.yaml:5: error [changelog-key] the config key zz matches no entry: "
            "drop it",
        ),
        (
            (
                "perf-changelog.yaml",
                "[a-fp4-*]",
                "[a-fp4-mi355x-*]\n  scenario-type: [agentic-coding]",
            ),
            "perf-changelog.yaml:5: error [changelog-key] the config key a-fp4-mi355x-* matches "
            "no entry of agentic-coding",
        ),
    ],
)
def test_a_fault_is_found(change: tuple[str, str, str], finding: str) -> None:
    assert told(change) == [finding]


def test_a_key_of_what_is_deprecated_is_told_so() -> None:
    more = {"configs/deprecated/x.yaml": "old-fp4: {}"}
    assert told(("perf-changelog.yaml", "[a-fp4-*]", "[old-*]"), more=more) == [
        "perf-changelog.yaml:5: error [changelog-key] the config key old-* matches no entry: "
        "what has it is deprecated"
    ]


def test_of_the_changelog_only_what_is_new_is_looked_at() -> None:
    whole = checkout()
    found = findings(whole, new=whole.changes)
    assert [(one.id, one.line, one.entry) for one in found] == [("changelog-key", 1, "")]
    assert findings(whole, new=()) == ()


def test_rows_that_cannot_be_made_are_found() -> None:
    change = (
        MASTER,
        "    - search-space:\n      - spec-decoding: mtp\n        conc-list: [4, 8]\n",
        "    - dram-utilization: 0.8\n      search-space:\n      - spec-decoding: mtp\n"
        "        conc-list: [4, 8]\n        kv-offloading: dram\n"
        "        kv-offload-backend: { name: h }\n",
    )
    assert told(change) == [
        f"{MASTER}:15: error [no-rows] a-fp4-b200-dynamo-vllm-agentic: kv-offloading: dram, and "
        "the hardware of runner 'cluster:b200-x' isn't in configs/runners.yaml: add it there"
    ]


def test_an_injected_length_is_the_entrys() -> None:
    settings = "          - SYNTHETIC_ACCEPTANCE=true\n          - SYNTHETIC_ACCEPTANCE_LENGTH={}\n"
    own = "          - CONFIG_FILE=recipes/vllm/a/agentic/disagg.yaml\n"
    synthetic = (
        DISAGG,
        ', "rejection_sample_method": "synthetic",\n        "synthetic_acceptance_length": 2.5',
        "",
    )
    assert told(synthetic, (MASTER, own, own + settings.format("2.5"))) == []
    assert told(synthetic, (MASTER, own, own + settings.format("2.2"))) == [
        f"{MASTER}:24: error [acceptance-differs] a-fp4-b200-dynamo-vllm-agentic: "
        "SYNTHETIC_ACCEPTANCE_LENGTH=2.2 simulates 2.2 at draft length 3, which is that of "
        "draft length 2: what is committed is 2.5 (a_mtp, thinking_on); take that"
    ]


def test_of_a_model_without_committed_lengths_any_will_do() -> None:
    assert told((MASTER, "model: org/A-NVFP4", "model: org/B-NVFP4"), (DISAGG, "2.5", "2.2")) == []


def test_of_an_engine_that_is_not_known_the_workers_are_compared() -> None:
    other = (DISAGG, "type: vllm", "type: other")
    real = "error [acceptance-real]"  # nor are its drafts known
    assert [one for one in told(other) if real not in one] == []
    found = told(other, (DISAGG, "prefill_workers: 2", "prefill_workers: 1"))
    assert [one for one in found if real not in one] == [
        f"{MASTER}:16: error [label-contradicted] a-fp4-b200-dynamo-vllm-agentic: prefill says "
        f"num-worker 2, and 1 are started ({DISAGG}:7): results stand under what it says; make "
        "it say what runs"
    ]


def test_one_fault_of_a_recipe_is_told_once_an_entry() -> None:
    text = SOUND[MASTER]
    space = text[text.index("      - spec-decoding") : text.index("a-fp4-b200-dynamo-sglang:")]
    twice = {MASTER: text.replace(space, space + space.replace("[4, 8]", "[16]"))}
    for change, kind in (
        ((DISAGG, 'length": 2.5', 'length": 2.2'), "acceptance-differs"),
        ((DISAGG, "org/i:v1", "org/i:v2"), "image-differs"),
        ((DISAGG, "backend:", "backends:"), "recipe-broken"),
    ):
        found = findings(checkout(change, more=twice))
        assert [one.id for one in found] == [kind]


def test_several_recipes_with_another_image_are_one_finding() -> None:
    alias = (AGG, "cluster-alias", "org/s:v2")
    found = told(alias, (EVAL, "org/s:v1", "org/s:v2"))
    assert [one.partition(", and ")[2] for one in found] == [
        f"{AGG}:2 runs org/s:v2: what runs isn't what is recorded; write the same in both",
        f"{AGG}:2 (and 1 more) runs org/s:v2: what runs isn't what is recorded; write the same in "
        "both",
    ]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (DISAGG, '"synthetic_acceptance_length": 2.5', '"synthetic_acceptance_length": "x"'),
        (DISAGG, "'{\"num", "'{num"),
        (AGG, "'2.2'", "'much'"),
    ],
)
def test_what_says_no_length_simulates_none(name: str, old: str, new: str) -> None:
    assert [one.id for one in findings(checkout((name, old, new)))] == ["acceptance-real"]


def test_at_an_unknown_draft_length_any_committed_length_will_do() -> None:
    unknown = (AGG, "{ speculative-num-steps: 2 }", "{ tp-size: 4 }")
    assert told(unknown) == []
    assert told(unknown, (AGG, "'2.2'", "'2.21'")) == [
        f"{AGG}:12: error [acceptance-differs] a-fp4-b200-dynamo-sglang-agentic: "
        "SGLANG_SIMULATE_ACC_LEN=2.21 simulates 2.21 at an unknown draft length: what is "
        "committed is 1.5 (a_mtp, thinking_on), 2.2 (a_mtp, thinking_on), 2.5 (a_mtp, "
        "thinking_on); take that"
    ]


def test_a_recipe_that_is_no_text_is_broken(tmp_path: Path) -> None:
    for name, text in SOUND.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / EVAL).write_bytes(b"\xff")
    (one,) = findings(read_checkout(Folder(tmp_path)))
    assert (one.id, one.line) == ("recipe-broken", 76)
    assert f"{EVAL}:1: not UTF-8: byte 0" in one.message


def test_of_two_images_neither_is_the_one_alone() -> None:
    amd = "configs/amd-master.yaml"
    one = SOUND[amd][: SOUND[amd].index("a-fp4-mi355x-sglang-disagg")]
    other = one.replace("sglang:", "sglang-mtp:", 1).replace("s:v1", "s:v2").replace("[1,", "[2,")
    assert told(more={amd: one + other}) == []


def test_an_image_that_one_alone_has_is_noted() -> None:
    one = SOUND["configs/amd-master.yaml"]
    one = one[: one.index("a-fp4-mi355x-sglang-disagg")]
    more = one + "".join(
        one.replace("sglang:", f"sglang-{n}:", 1).replace("tp: 4", f"tp: {n}") for n in (1, 2)
    )
    amd = "configs/amd-master.yaml"
    assert told(more={amd: more}) == []
    assert told((amd, "org/s:v1", "org/s:v2"), more={amd: more}) == [
        f"{amd}:2: note [image-alone] a-fp4-mi355x-sglang: it alone has org/s:v2; "
        "a-fp4-mi355x-sglang-1, a-fp4-mi355x-sglang-2 have org/s:v1: meant?"
    ]


def test_a_finding_says_where_it_is() -> None:
    (one,) = findings(checkout((MASTER, "runner: b200\n", "runner: b20\n")))
    assert isinstance(one, Finding)
    assert (one.file, one.line, one.path) == (MASTER, 34, "a-fp4-b200-dynamo-sglang.runner")


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("nvidia/GLM-5.2-NVFP4", "glm-5.2"),
        ("glm-5.2-fp8", "glm-5.2"),
        ("nvidia/Qwen3.5-397B-A17B-NVFP4-V2", "qwen3.5-397b-a17b"),
        ("deepseek-ai/DeepSeek-V4-Pro", "deepseek-v4-pro"),
        ("deepseek-v4-pro-0813", "deepseek-v4-pro-0813"),
    ],
)
def test_a_model_is_the_same_in_every_precision(name: str, model: str) -> None:
    assert model_of(name) == model


def test_a_reference_is_the_same_however_it_is_written() -> None:
    assert plain("nvcr.io#nvidia/x:1") == plain("nvcr.io/nvidia/x:1") == "nvcr.io/nvidia/x:1"
    assert plain("docker://a/b:1") == "a/b:1"
    assert named("a/b:1")
    assert not named("dynamo-sglang")
