"""The seed, replayed: what a reviewer of #3393 would have been told of each version of it."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner

from infxreg import Registry, discover
from infxreg.cli.app import app
from infxreg.records import Recipe, Record, Rule
from infxreg.review.impact import Impact, compare
from infxreg.review.snapshot import take
from infxreg.scope import Scope, read_scope
from support.builders import from_toml
from support.seed import OLD, PROPOSED, repository

B200 = read_scope("sku=b200 model=dsv41flash engine=vllm")


@functools.cache
def after() -> Registry:
    """What ships: the change as it was mended."""
    return discover()


def mapped(change: Callable[[Record], Record]) -> Registry:
    """The shipped registry with each record changed."""
    return Registry(
        tuple(
            one.with_placed(evolve(placed, record=change(placed.record)) for placed in one.placed)
            for one in after().contributions
        )
    )


@functools.cache
def before() -> Registry:
    """As it was: the gate closed, and b200 on gb200's image."""

    def undone(record: Record) -> Record:
        if isinstance(record, Recipe) and record.id == "dsv41flash-fp4-b200-vllm-agentic":
            return evolve(record, gates=())
        if isinstance(record, Rule) and record.id == "b200-vllm-image":
            return evolve(record, settings={"image": OLD})
        return record

    return mapped(undone)


def outside(impact: Impact, scope: Scope) -> list[str]:
    space = after().catalogue.space
    return [str(r.scope) for r in impact.cover(impact.any - impact.inside(scope, space))]


def test_the_mended_change_touches_b200_alone() -> None:
    """16 points at each purpose, 0 of 217 elsewhere, in three blocks."""
    impact = compare(take(before()), take(after()))
    assert {purpose: len(found) for purpose, found in impact.touched.items()} == {
        "eval": 16,
        "serve": 16,
        "throughput": 16,
    }
    assert len(impact.points) - len(impact.any) == 217
    assert outside(impact, B200) == []
    assert [str(region.scope) for region in impact.regions] == ["sku=b200 engine=vllm"]
    told = {
        str(block.regions[0].scope): {change.key for change, _ in block.keys}
        for block in impact.blocks
    }
    assert told == {
        "sku=b200 engine=vllm": {
            "image",
            "gates",
            "attention.indexer_kv_dtype",
            "attention.indexer_sparse_logits",
            "kv_cache.dtype",
            "timeout.engine_ready_s",
            "timeout.health_attempts",
        },
        "sku=b200 engine=vllm tp=2": {"attention.backend"},
        "sku=b200 engine=vllm tp=4": {"attention.backend"},
    }


def test_the_change_as_first_proposed_leaks_and_says_where() -> None:
    """gb200's points outside what was meant; where b300 and gb300 have their own, a conflict."""
    proposed = before().with_plugin(from_toml(PROPOSED, "proposal"))
    impact = compare(take(before()), take(proposed))
    leaked = outside(impact, B200)
    assert leaked
    assert any("gb200" in scope for scope in leaked)
    touched = {str(impact.points[number]["sku"]) for number in impact.any}
    assert touched == {"b200", "gb200", "b300", "gb300"}
    failing = [block for block in impact.blocks if block.kind == "fails"]
    assert {str(b.regions[0].scope) for b in failing} == {"sku=b300|gb300 engine=vllm tp=4"}
    for block in failing:
        assert "attention.backend conflicts" in block.error
        assert "nvidia:vllm-flashinfer-sparse-attention" in block.error
        assert "proposal:tp4" in block.error
    changed = {
        str(region.scope) for b in impact.blocks if b.kind == "changed" for region in b.regions
    }
    assert any("gb200" in scope for scope in changed)


def test_no_number_of_the_hardware_makes_a_scope() -> None:
    """The gate that leaked, ``memory >= 150000``, is a fault of the table."""
    text = '[[rule]]\nid = "m"\nwhen = { memory_gib = { min = 146 } }\nset."kv_cache.dtype" = "fp8"'
    faults = after().with_plugin(from_toml(text, "proposal")).faults
    assert len(faults) == 1
    assert "unknown axis 'memory_gib'" in str(faults[0])


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The states of the change as revisions of a plugin's repository."""
    return repository(tmp_path_factory.mktemp("seed") / "repo")


@pytest.mark.slow
class TestReview:
    """``infxreg review`` of the change's states, each against what was before it."""

    @pytest.fixture(autouse=True)
    def _here(self, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(repo)

    def test_as_first_proposed(self) -> None:
        """It fails outside b200: gb200 changes, and b300 and gb300 have settings of their own."""
        code, rows = review("base", "proposed")
        assert code == 1
        assert rows["scope"]["verdict"] == "fail"
        assert said(rows["scope"]).endswith("16 points change inside, 32 outside")
        assert {detail["text"]: detail["at"] for detail in rows["scope"]["details"]} == {
            "16 points outside can't be resolved any more": [
                "sku=b300|gb300 engine=vllm tp=4 (16 points)"
            ],
            "8 points outside changed by nvidia:sparse-indexer, nvidia:tp2": [
                "sku=gb200 engine=vllm tp=2 (8 points)"
            ],
            "8 points outside changed by nvidia:sparse-indexer, nvidia:tp4": [
                "sku=gb200 engine=vllm tp=4 (8 points)"
            ],
        }
        assert rows["resolves"]["verdict"] == "fail"
        (conflict,) = rows["resolves"]["details"]
        assert conflict["text"].startswith("attention.backend conflicts at this point:")
        assert conflict["at"] == ["sku=b300|gb300 engine=vllm tp=4 (16 points)"]
        tables = "src/infxreg_nvidia/tables"
        assert conflict["places"] == [
            {"path": f"{tables}/dsv41flash-vllm.toml", "line": line_of("dsv41flash-vllm.toml")},
            {"path": f"{tables}/proposed.toml", "line": 15},
        ]
        # Only what was there before: the old image doesn't surely know what is asked of it.
        assert rows["engine"]["verdict"] == "unknown"

    def test_as_mended(self) -> None:
        """It passes: 16 points change, 0 of 217 elsewhere; at TP4 what ships wasn't run."""
        code, rows = review("base", "mended")
        assert code == 0
        assert said(rows["scope"]).endswith("16 points change inside, 0 outside")
        assert [id for id, row in rows.items() if row["verdict"] == "fail"] == []
        assert (rows["claims"]["verdict"], said(rows["claims"])) == ("pass", "4 claims hold")
        assert said(rows["evidence"]) == (
            "performance: 8 of 16 unverified, 8 of 16 verified; accuracy: 16 of 16 unverified"
        )
        numbers = [row["number"] for row in rows.values() if "number" in row]
        assert numbers == list(range(15))
        # No facts were given: what only the forge knows isn't known.
        asks = ("codeowner", "passing-sweep", "passing-evals", "upstream-recipe", "reuse")
        assert {rows[id]["verdict"] for id in asks} == {"unknown"}

    def test_the_sign_offs_claim_against_what_was_swept(self) -> None:
        """TP4 was said to run MegaAttention, and the sweep ran FlashInfer."""
        code, rows = review("base", "swept")
        assert code == 1
        assert [id for id, row in rows.items() if row["verdict"] == "fail"] == ["claims"]
        (claim,) = rows["claims"]["details"]
        assert claim["text"] == (
            "refuted error expect: nvidia:b200-tp4-as-described: attention.backend is "
            '"FLASHINFER_MLA_SPARSE_DSV41" (by nvidia:b200-attention-tp4-as-swept), '
            'not "FLASHMLA_MEGA_ATTN_DSV41"'
        )
        assert claim["at"] == ["sku=b200 engine=vllm tp=4 (8 points)"]
        assert rows["passing-sweep"]["verdict"] == "pass"


def review(base: str, head: str) -> tuple[int, dict[str, Any]]:
    """The exit code of a review of what was meant for b200, and its rows by id."""
    args = ["review", base, head, "--only", str(B200), "-f", "json", "--day", "2026-12-01"]
    result = CliRunner().invoke(app, args)
    assert result.stdout, result.output
    return result.exit_code, {row["id"]: row for row in json.loads(result.stdout)["rows"]}


def said(row: dict[str, Any]) -> str:
    text: str = row["summary"]["en"]
    return text


def line_of(table: str) -> int:
    """Where b300's and gb300's own setting stands in a table."""
    lines = Path("src/infxreg_nvidia/tables", table).read_text().splitlines()
    return 1 + lines.index('id = "vllm-flashinfer-sparse-attention"')
