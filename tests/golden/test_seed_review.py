"""The seed, replayed: what a reviewer of #3393 would have been told of each version of it."""

from __future__ import annotations

import functools
from collections.abc import Callable

from attrs import evolve

from infxreg import Registry, discover
from infxreg.records import Recipe, Record, Rule
from infxreg.review.impact import Impact, compare
from infxreg.review.snapshot import take
from infxreg.scope import Scope, read_scope
from support.builders import from_toml

OLD = "vllm/vllm-openai:nightly-cd10ed6f9f6b37a8ace9cf380007e66fe12ec0c3"
B200 = read_scope("sku=b200 model=dsv41flash engine=vllm")

# The gate on memory can't be written: a scope names identities and facts, never a number of the
# hardware. The nearest thing is a rule for both of the architectures that have so much memory.
PROPOSED = """
[[rule]]
id = "sparse-indexer"
when = { arch = ["sm100", "sm103"], model = "dsv41flash", engine = "vllm", tp = [2, 4] }
set."attention.indexer_kv_dtype" = "mxfp4"
set."attention.indexer_sparse_logits" = true
set."kv_cache.dtype" = "fp8"

[[rule]]
id = "tp2"
when = { arch = ["sm100", "sm103"], model = "dsv41flash", engine = "vllm", tp = 2 }
set."attention.backend" = "FLASHINFER_MLA_SPARSE_DSV41"

[[rule]]
id = "tp4"
when = { arch = ["sm100", "sm103"], model = "dsv41flash", engine = "vllm", tp = 4 }
set."attention.backend" = "FLASHMLA_SPARSE_DSV41"
"""


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
