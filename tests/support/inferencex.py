"""InferenceX's files: a small sound twin of them, and the real ones of the reference data."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from infxreg_inferencex.master import Folder

_ROOT = Path(__file__).resolve().parents[2]

MASTER = "configs/nvidia-master.yaml"
RECIPES = "benchmarks/multi_node/srt-slurm-recipes"
DISAGG = f"{RECIPES}/vllm/a/agentic/disagg.yaml"
AGG = f"{RECIPES}/sglang/a/agg.yaml"
EVAL = f"{RECIPES}/sglang/a/eval.yaml"
TRT = f"{RECIPES}/trtllm/a/trt.yaml"

SOUND = {
    MASTER: """\
a-fp4-b200-dynamo-vllm-agentic:
  image: nvcr.io#org/i:v1
  model: org/A-NVFP4
  model-prefix: a
  runner: cluster:b200-x
  precision: fp4
  framework: dynamo-vllm
  kv-p2p-transfer: nixl
  multinode: true
  disagg: true
  scenarios:
    agentic-coding:
    - search-space:
      - spec-decoding: mtp
        conc-list: [4, 8]
        prefill:
          num-worker: 2
          tp: 4
          ep: 1
          dp-attn: false
          additional-settings:
          - CONFIG_FILE=recipes/vllm/a/agentic/disagg.yaml
        decode:
          num-worker: 1
          tp: 8
          ep: 8
          dp-attn: true
          additional-settings:
          - DECODE_NODES=1
a-fp4-b200-dynamo-sglang:
  image: org/s:v1
  model: org/A-NVFP4
  model-prefix: a
  runner: b200
  precision: fp4
  framework: dynamo-sglang
  multinode: true
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - conc-list: [1, 8]
        prefill:
          num-worker: 1
          tp: 4
          ep: 1
          dp-attn: false
          additional-settings:
          - CONFIG_FILE=recipes/sglang/a/agg.yaml:override_low
        decode:
          num-worker: 0
          tp: 4
          ep: 1
          dp-attn: false
a-fp4-b200-dynamo-sglang-agentic:
  image: org/s:v1
  model: org/A-NVFP4
  model-prefix: a
  runner: cluster:b200-x
  precision: fp4
  framework: dynamo-sglang
  multinode: true
  scenarios:
    agentic-coding:
    - search-space:
      - spec-decoding: mtp
        conc-list: [2]
        prefill:
          num-worker: 1
          tp: 4
          ep: 1
          dp-attn: false
          additional-settings:
          - CONFIG_FILE=recipes/sglang/a/agg.yaml:override_agentic
          - EVAL_CONFIG_FILE=recipes/sglang/a/eval.yaml
        decode:
          num-worker: 0
          tp: 4
          ep: 1
          dp-attn: false
a-fp4-b200-dynamo-trt-agentic:
  image: org/t:v1
  model: org/A-NVFP4
  model-prefix: a
  runner: cluster:b200-x
  precision: fp4
  framework: dynamo-trt
  multinode: true
  scenarios:
    agentic-coding:
    - search-space:
      - spec-decoding: mtp
        conc-list: [2]
        prefill:
          num-worker: 1
          tp: 8
          ep: 8
          dp-attn: true
          additional-settings:
          - CONFIG_FILE=benchmarks/multi_node/srt-slurm-recipes/trtllm/a/trt.yaml
        decode:
          num-worker: 0
          tp: 8
          ep: 8
          dp-attn: true
""",
    "configs/amd-master.yaml": """\
a-fp4-mi355x-sglang:
  image: org/s:v1
  model: org/A-MXFP4
  model-prefix: a
  runner: mi355x
  precision: fp4
  framework: sglang
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - { tp: 4, conc-list: [1, 8] }
a-fp4-mi355x-sglang-disagg:
  image: org/s:v1
  model: org/A-MXFP4
  model-prefix: a
  runner: mi355x
  precision: fp4
  framework: sglang-disagg
  multinode: true
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - conc-list: [1, 8]
        prefill: { num-worker: 1, tp: 4, ep: 1, dp-attn: false }
        decode: { num-worker: 1, tp: 4, ep: 1, dp-attn: false }
a-fp4-gb200-dynamo-trt:
  image: org/t:v1
  model: org/A-MXFP4
  model-prefix: a
  runner: mi355x
  precision: fp4
  framework: dynamo-trt
  multinode: true
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - conc-list: [1, 8]
        prefill:
          num-worker: 1
          tp: 4
          ep: 1
          dp-attn: false
          additional-settings: [CONFIG_FILE=recipes/trtllm/upstream/x.yaml]
        decode: { num-worker: 1, tp: 4, ep: 1, dp-attn: false }
""",
    "configs/runners.yaml": "labels: { cluster:b200-x: [x], b200: [x], mi355x: [y] }\n",
    "golden_al_distribution/a_mtp.yaml": "a:\n  thinking_on: {1: 1.5, 2: 2.2, 3: 2.5}\n",
    "golden_al_distribution/a_mtp_gqa.yaml": "a:\n  thinking_on: {1: 1.6, 2: 2.3, 3: 2.6}\n",
    "perf-changelog.yaml": "- config-keys: [gone]\n  description: [x]\n  pr-link: y\n\n"
    "- config-keys: [a-fp4-*]\n  description: [x]\n  pr-link: y\n",
    DISAGG: """\
model: { container: nvcr.io/org/i:v1 }
resources:
  prefill_workers: 2
  prefill_nodes: 1
  decode_workers: 1
  decode_nodes: 1
backend:
  type: vllm
  vllm_config:
    prefill:
      tensor-parallel-size: 4
    decode:
      data-parallel-size: 8
      enable-expert-parallel: true
      speculative-config: '{"num_speculative_tokens": 3, "rejection_sample_method": "synthetic",
        "synthetic_acceptance_length": 2.5}'
""",
    AGG: """\
base:
  model: { container: cluster-alias }
  resources: { agg_workers: 1, agg_nodes: 1 }
  backend:
    sglang_config:
      aggregated: { tp-size: 4 }
override_low:
  benchmark: { concurrencies: [8, 1] }
override_agentic:
  backend:
    aggregated_environment:
      SGLANG_SIMULATE_ACC_LEN: '2.2'
    sglang_config:
      aggregated: { speculative-num-steps: 2 }
""",
    EVAL: """\
model: { container: org/s:v1 }
resources: { agg_workers: 1, agg_nodes: 1 }
backend:
  sglang_config:
    aggregated: { tp-size: 4, speculative-num-steps: 2 }
""",
    TRT: """\
model: { container: org/t:v1 }
resources: { agg_workers: 1, agg_nodes: 1 }
backend:
  type: trtllm
  aggregated_environment:
    TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS: '0.5'
  trtllm_config:
    aggregated:
      tensor_parallel_size: 8
      moe_expert_parallel_size: 8
      enable_attention_dp: true
      speculative_config: { max_draft_len: 1 }
""",
}


def write(folder: Path, more: Mapping[str, str]) -> Path:
    """The twin in a folder, and more files."""
    for name, text in {**SOUND, **more}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


class Shared(Mapping[str, str]):
    """The files of the reference data under the paths that they have in InferenceX."""

    def __init__(self, root: Path) -> None:
        folder = Folder(root)
        self._files = {self._path(name): name for name in folder}
        self._folder = folder

    @staticmethod
    def _path(name: str) -> str:
        if name.startswith("srt-slurm-recipes/"):
            return f"benchmarks/multi_node/{name}"
        if name.endswith("-master.yaml") or name == "runners.yaml":
            return f"configs/{name}"
        return name

    def __getitem__(self, name: str) -> str:
        return self._folder[self._files[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def shared_folder() -> Path:
    """InferenceX's files of 2026-08-21; the test is skipped where they aren't."""
    folder = Path(os.environ.get("INFXREG_SHARED", _ROOT.parent / "shared")) / "data" / "inferencex"
    if not folder.is_dir():
        pytest.skip(f"InferenceX's files aren't in {folder}")
    return folder
