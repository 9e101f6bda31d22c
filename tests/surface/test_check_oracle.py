"""Verdicts against the real parsers' own, list by list.

On surfaces made from the real parsers' dumps. sglang's dumps say all that its parser looks at.
vllm's name JSON keys without their types, so a value of the wrong type passes here; the same
lists against surfaces with types are in `test_check_shipped.py`.
"""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from infxreg.surface.check import Checker
from infxreg.surface.findings import Verdict
from infxreg.surface.model import Surface

ROOT = Path(__file__).resolve().parents[2]
SGLANG = ("0.5.15", "0.5.20", "0.5.23")
VLLM = ("0.20.0", "0.28.0", "0.30.0", "0.31.0", "0.33.0")


@frozen
class Row:
    """One list with the real parser's verdict."""

    argv: tuple[str, ...]
    accepted: bool
    error: str
    recipe: bool


def oracle(name: str) -> Path:
    shared = Path(os.environ.get("INFXREG_SHARED", ROOT.parent / "shared"))
    path = shared / "data" / "engine-flags" / name
    if not path.is_file():
        pytest.skip(
            f"no reference data at {path}; tests/surface/test_check_twin.py runs all the same"
        )
    return path


def rows(engine: str, version: str) -> list[Row]:
    with gzip.open(oracle(f"argv-{engine}-{version}.jsonl.gz"), "rt") as lines:
        return [
            Row(tuple(one["argv"]), one["accepted"], one["error"] or "", one["origin"] == "recipe")
            for one in map(json.loads, lines)
        ]


def dumped(engine: str, version: str) -> Surface:
    with gzip.open(oracle(f"real-{engine}-{version}.json.gz"), "rt") as file:
        data: Any = json.load(file)
    return Surface.from_real_dump(data, engine)


def disagreements(surface: Surface, lists: list[Row]) -> list[tuple[Row, Verdict]]:
    checker = Checker.of(surface)
    verdicts = [(row, checker.check(row.argv)) for row in lists]
    return [(row, verdict) for row, verdict in verdicts if verdict.accepted is not row.accepted]


@pytest.mark.parametrize("version", SGLANG)
def test_sglang(version: str) -> None:
    lists = rows("sglang", version)
    assert len(lists) == 1200
    assert disagreements(dumped("sglang", version), lists) == []


@pytest.mark.parametrize("version", VLLM)
def test_vllm_without_types(version: str) -> None:
    """Nothing that the real parser takes is refused; what passes wrongly is a JSON value."""
    lists = rows("vllm", version)
    assert len(lists) == 1244
    wrong = disagreements(dumped("vllm", version), lists)
    assert len(wrong) <= 0.05 * len(lists)
    assert [row.argv for row, verdict in wrong if row.accepted or verdict.accepted is None] == []
    odd = [row.error for row, _ in wrong if "validation error" not in row.error]
    # An enum's class looks a name up itself: no validation error, but a JSON value all the same.
    assert set(odd) <= {"KeyError: 'ZZZ'"}


@pytest.mark.parametrize(
    ("version", "refused"), [("0.30.0", True), ("0.31.0", False), ("0.33.0", False)]
)
@pytest.mark.parametrize("backend", ["FLASHINFER_MLA_SPARSE_DSV41", "FLASHMLA_MEGA_ATTN_DSV41"])
def test_the_seed(version: str, refused: bool, backend: str) -> None:
    value = {"backend": backend, "indexer_kv_dtype": "mxfp4", "indexer_sparse_logits": True}
    argv = ("--attention-config", json.dumps(value), "--kv-cache-dtype", "fp8")
    verdict = Checker.of(dumped("vllm", version)).check(argv)
    assert verdict.accepted is not refused
    keys = {one.key for one in verdict.findings if one.severity == "error"}
    mega = backend == "FLASHMLA_MEGA_ATTN_DSV41"
    assert keys == (
        {"indexer_sparse_logits"} | ({"backend"} if mega else set()) if refused else set()
    )
