"""The oracle's small twin: rows of our own, in its format, against a dump of our own.

It always runs, through the same reading of a dump and the same check as the oracle.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from infxreg.surface.check import Checker
from infxreg.surface.model import Surface


def action(opts: str, nargs: Any = None, type_: str | None = "str", **more: Any) -> dict[str, Any]:
    names = opts.split()
    long = next((name for name in names if name.startswith("--")), "--model_tag")
    row = {"opts": names, "dest": long.lstrip("-").replace("-", "_"), "nargs": nargs, "type": type_}
    row |= {"action": "_StoreAction", "choices": None, "default": "None", "required": False}
    return row | {"metavar": None, "deprecated": False} | more


def switch(opts: str, class_: str = "BooleanOptionalAction") -> dict[str, Any]:
    return action(opts, 0, None, action=class_)


OPTIONAL_INT = "optional_type._optional_type(int)"
VLLM = {
    "version": "0.31.0",
    "actions": [
        action("", "?", dest="model_tag"),
        action("--tensor-parallel-size -tp", type_="int"),
        action("--max-model-len", type_="human_readable_int_or_auto"),
        action("--max-loras", type_=OPTIONAL_INT),
        action("--dtype", choices=["auto", "half"]),
        action("--served-model-name", "+"),
        switch("--enforce-eager --no-enforce-eager"),
        switch("--async-scheduling --no-async-scheduling"),
        action("--attention-config -ac", type_="_compute_kwargs.parse_dataclass(AttentionConfig)"),
        action("--speculative-config -sc", type_="optional_type._optional_type(loads)"),
    ],
    "configs": {
        "AttentionConfig": {
            "extra": "forbid",
            "fields": {"backend": {"init": True}, "depth": {"init": True, "type": "int"}},
        }
    },
    "envs": ["VLLM_PORT"],
    "backends": ["FLASH_ATTN", "FLASHINFER"],
}
VLLM["options"] = sorted(name for row in VLLM["actions"] for name in row["opts"])  # type: ignore[attr-defined,index]
SGLANG = {
    "version": "0.5.23",
    "actions": [
        action("--model-path --model", required=True, dest="model_path"),
        action("--tp-size --tensor-parallel-size", type_="int", dest="tp_size"),
        action("--pp-size", type_="int"),
        action("--pp-async-batch-depth", type_="int"),
        action("--context-length", type_="human_readable_int"),
        action("--quantization", choices=["fp8", "awq"]),
        switch("--enable-metrics", "_StoreTrueAction"),
        action("--served-model-name"),
        action("--gc-threshold", "+", "int"),
    ],
    "envs": [],
}
SGLANG["options"] = sorted(name for row in SGLANG["actions"] for name in row["opts"])  # type: ignore[attr-defined,index]
ROWS = r"""
vllm   true  -tp 8 --max-model-len auto --dtype half
vllm   true  --tensor_parallel_size=+8 --no-enforce-eager
vllm   true  -t 8 --max-loras None --served-model-name a b
vllm   true  -ac {"backend":"flashinfer","depth":"3"}
vllm   true  -ac.backend FlashInfer --attention-config.depth=3
vllm   true  -ac {"depth":1} -ac.depth 2
vllm   false -ac {"zzz":1} -ac.depth 2
vllm   true  -sc 3 -sc.method mtp
vllm   true  -tp=--
vllm   true  -tp -5
vllm   false -tp8
vllm   false -tp 8.0
vllm   false --max-model-len 25.6K
vllm   false --dtype float
vllm   false --enforce-eager=true
vllm   false --enforce-eager true
vllm   false --served-model-name
vllm   false -ac {"backend":"ZZZ"}
vllm   false -ac {"zzz":1}
vllm   false -ac {"depth":"x"}
vllm   false -ac {"depth":1
vllm   false -ac.depth
vllm   false --no-dtype
vllm   false -sc {'method':1}
sglang true  --tp 8 --context-length 1Ki --quantization fp8
sglang true  --model-path org/m --gc-threshold 1 2
sglang true  --served-model-name=--x
sglang false --tp_size 8
sglang false --pp 2
sglang false --no-enable-metrics
sglang false --context-length 1K
sglang false --quantization FP8
sglang false --served-model-name a b
sglang false --served-model-name --x
sglang false --gc-threshold 1 x
sglang false --enable-metrics=
"""
CHECKERS = {
    "vllm": Checker.of(Surface.from_real_dump(VLLM, "vllm")),
    "sglang": Checker.of(Surface.from_real_dump(SGLANG, "sglang")),
}


@pytest.mark.parametrize("row", [row for row in ROWS.splitlines() if row])
def test_rows(row: str) -> None:
    engine, accepted, *argv = row.split()
    assert CHECKERS[engine].check(argv).accepted is json.loads(accepted)
