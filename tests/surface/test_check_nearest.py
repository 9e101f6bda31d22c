"""Near matches: found, silent where nothing is near, and fast over five hundred names."""

from __future__ import annotations

import pytest

from infxreg.surface.nearest import Names

FLAGS = Names.of(
    [
        "--tensor-parallel-size",
        "--tool-call-parser",
        "--max-model-len",
        "--max-num-seqs",
        "--reasoning-parser",
        "--kv-cache-dtype",
        "--tp-size",
    ]
)


@pytest.mark.parametrize(
    ("written", "near"),
    [
        ("--tensor-paralel-size", "--tensor-parallel-size"),
        ("--TOOL_CALL_PARSER", "--tool-call-parser"),
        ("--tool-call-parser-plugin", "--tool-call-parser"),
        ("--tp_size", "--tp-size"),
        ("--max-model-length", "--max-model-len"),
        ("--zzz", None),
        ("--", None),
        ("", None),
    ],
)
def test_the_nearest(written: str, near: str | None) -> None:
    assert FLAGS.near(written) == near


def test_short_names() -> None:
    assert Names.of(["fp8", "auto", "bf16"]).near("fp9") == "fp8"
    assert Names.of(["fp8", "auto", "bf16"]).near("xyz") is None


def test_names_are_members() -> None:
    assert "--tp-size" in FLAGS
    assert "--tp" not in FLAGS
