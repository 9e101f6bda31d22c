"""On the surfaces that the engine plugins ship: the oracle, the seed, and the time it takes."""

from __future__ import annotations

import gzip
import json
import os
from importlib.resources import files
from pathlib import Path

import pytest

from infxreg.surface.check import Checker, check
from infxreg.surface.folded import FoldedSurfaces
from support.surfaces import said

ROOT = Path(__file__).resolve().parents[2]
ORACLES = [
    *(("vllm", version) for version in ("0.20.0", "0.28.0", "0.30.0", "0.31.0", "0.33.0")),
    *(("sglang", version) for version in ("0.5.15", "0.5.20", "0.5.23")),
]
FLASHINFER, MEGA = "FLASHINFER_MLA_SPARSE_DSV41", "FLASHMLA_MEGA_ATTN_DSV41"
SPARSE = ("unknown JSON key", "indexer_sparse_logits", "first in 0.31.0")


@pytest.fixture(scope="module")
def shipped() -> dict[str, FoldedSurfaces]:
    return {
        engine: FoldedSurfaces.read((files(f"infxreg_{engine}") / "surface.json").read_bytes())
        for engine in ("vllm", "sglang")
    }


@pytest.mark.parametrize(("engine", "version"), ORACLES)
def test_every_list_of_the_oracle(
    shipped: dict[str, FoldedSurfaces], engine: str, version: str
) -> None:
    """All 9,820 lists of 8 versions, recipes and mutations: no disagreement."""
    shared = Path(os.environ.get("INFXREG_SHARED", ROOT.parent / "shared"))
    path = shared / "data" / "engine-flags" / f"argv-{engine}-{version}.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"no reference data at {path}; test_check_twin.py runs all the same")
    checker = Checker.of(shipped[engine].unfold(version))
    with gzip.open(path, "rt") as lines:
        wrong = [
            one["argv"]
            for one in map(json.loads, lines)
            if checker.check(one["argv"]).accepted is not one["accepted"]
        ]
    assert wrong == []


def attention(backend: str) -> tuple[str, ...]:
    value = {"backend": backend, "indexer_kv_dtype": "mxfp4", "indexer_sparse_logits": True}
    return ("--attention-config", json.dumps(value), "--kv-cache-dtype", "fp8")


@pytest.mark.parametrize(
    ("version", "backend", "found"),
    [
        ("0.29.0", FLASHINFER, [("hard choice", "backend", "first in 0.30.0"), SPARSE]),
        ("0.29.0", MEGA, [("hard choice", "backend", "first in 0.31.0"), SPARSE]),
        ("0.30.0", FLASHINFER, [SPARSE]),
        ("0.30.0", MEGA, [("hard choice", "backend", "first in 0.31.0"), SPARSE]),
        ("0.31.0", FLASHINFER, []),
        ("0.31.0", MEGA, []),
        ("0.33.0", MEGA, []),
    ],
)
def test_the_seed(
    shipped: dict[str, FoldedSurfaces],
    version: str,
    backend: str,
    found: list[tuple[str, str, str]],
) -> None:
    verdict = check(shipped["vllm"].unfold(version), attention(backend), history=shipped["vllm"])
    assert verdict.accepted is not bool(found)
    assert [(one.kind, one.key, one.versions) for one in verdict.findings] == found


def test_what_recipes_get_wrong(shipped: dict[str, FoldedSurfaces]) -> None:
    """Flags newer than the version, names that no version has, variables that went away."""
    vllm = shipped["vllm"]
    old = Checker.of(vllm.unfold("0.11.0"))
    (flag,) = old.check(("--language-model-only",), history=vllm).findings
    assert flag.kind == "unknown flag"
    assert (flag.versions or "").startswith("first in ")
    new = Checker.of(vllm.unfold("0.25.1"))
    (nobody,) = new.check(("--tool-call-parser-plugin", "x.py"), history=vllm).findings
    assert (nobody.versions, nobody.near) == ("no version has it", "--tool-parser-plugin")
    (gone,) = new.check((), {"VLLM_USE_FLASHINFER_MOE_FP4": "1"}, history=vllm).findings
    assert (gone.kind, gone.versions) == ("unknown variable", "removed after 0.23.0")
    assert said(new.check(("--max-model-len auto",))) == [("stray positional", "")]


def test_an_abbreviation_that_a_release_made_ambiguous(
    shipped: dict[str, FoldedSurfaces],
) -> None:
    argv = ("--cuda-graph-max-bs", "8")
    assert check(shipped["sglang"].unfold("0.5.17"), argv).accepted is True
    assert check(shipped["sglang"].unfold("0.5.20"), argv).accepted is False
