"""All 233 points of the 17 real recipes, at all three purposes."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

import infxreg
from support import srtslurm

GATE = "dsv41-blackwell-attention"
MODEL = "dsv41flash"


def resolve(registry: infxreg.Registry, point: srtslurm.Expected, **more: Any) -> Any:
    if (point.sku, point.engine) == ("b200", "vllm"):
        more = {"no_gates": [GATE], "image": point.image, **more}
    return registry.resolve(
        point.id,
        sku=point.sku,
        model=MODEL,
        engine=point.engine,
        workload=point.workload,
        **more,
    )


def seen(spec: infxreg.LaunchSpec) -> dict[str, Any]:
    frontend = spec.frontend
    return {
        "args": srtslurm.parse(spec.argv, spec.engine),
        "env": dict(spec.env),
        "client_env": dict(spec.client_env),
        "image": spec.image.reference,
        "health": (spec.timeouts.health_interval_s, spec.timeouts.health_attempts),
        "gpus": (spec.resources.gpus, spec.resources.gpus_per_node, spec.resources.nodes),
        "frontend": frontend and {"type": frontend.type, "args": dict(frontend.args)},
        "setup": spec.setup,
    }


def wanted(point: srtslurm.Expected) -> dict[str, Any]:
    return {
        "args": point.args,
        "env": point.env,
        "client_env": point.client_env,
        "image": point.image,
        "health": point.health,
        "gpus": (point.gpus, point.gpus_per_node, 1),
        "frontend": point.frontend,
        "setup": point.setup,
    }


def test_every_point_is_as_its_recipe_launches_it(
    registry: infxreg.Registry, table: dict[str, Any]
) -> None:
    """At purpose serve all 233 points equal the table; b200 with vllm once its gate is closed."""
    points = list(srtslurm.points(table))
    assert len(points) == table["total_points"] == 233
    for point in points:
        assert seen(resolve(registry, point)) == wanted(point), point


def test_throughput_simulates_the_golden_acceptance(
    registry: infxreg.Registry, table: dict[str, Any]
) -> None:
    """At purpose throughput every agentic point differs from its recipe in the acceptance alone.

    8k1k's prompts are real text, so nothing is simulated there: as the recipe has it.
    """
    for point in srtslurm.points(table):
        expected = wanted(point)
        if point.workload != "agentic":
            assert (point.sku, point.engine, point.workload) == ("b300", "vllm", "8k1k")
        elif point.engine == "vllm":
            config = json.loads(point.args["--speculative-config"][0])
            config["rejection_sample_method"] = "synthetic"
            del config["enable_adaptive_verification"]
            config |= {"synthetic_acceptance_length": 3.51, "enable_adaptive_verification": False}
            text = json.dumps(config, separators=(",", ":"))
            expected["args"] = {**point.args, "--speculative-config": (text,)}
        else:
            expected["env"] = {
                **point.env,
                "SGLANG_SIMULATE_ACC_LEN": "3.51",
                "SGLANG_SIMULATE_ACC_METHOD": "match-expected",
                "SGLANG_SIMULATE_ACC_TOKEN_MODE": "real-draft-token",
            }
        assert seen(resolve(registry, point, purpose="throughput")) == expected, point


def test_eval_verifies_for_real(registry: infxreg.Registry, table: dict[str, Any]) -> None:
    """At purpose eval drafts are verified for real, adaptively on NVIDIA and not on AMD."""
    for point in srtslurm.points(table):
        expected = wanted(point)
        if point.engine == "vllm" and not point.sku.startswith("mi"):
            config = json.loads(point.args["--speculative-config"][0])
            assert config["rejection_sample_method"] == "block"
            config["enable_adaptive_verification"] = True
            text = json.dumps(config, separators=(",", ":"))
            expected["args"] = {**point.args, "--speculative-config": (text,)}
        assert seen(resolve(registry, point, purpose="eval")) == expected, point


def test_the_registry_sweeps_these_points_and_no_others(
    registry: infxreg.Registry, table: dict[str, Any]
) -> None:
    """The sweeps give exactly the table's point ids, recipe by recipe."""
    ours = Counter((p.sku, p.engine, str(p["workload"]), p.id) for p in registry.points())
    theirs = Counter((p.sku, p.engine, p.workload, p.id) for p in srtslurm.points(table))
    assert ours == theirs


def test_a_recipe_without_a_health_check_has_srt_slurms(
    registry: infxreg.Registry, table: dict[str, Any]
) -> None:
    """A null health check is 180 attempts of 10 s, and says whose default that is."""
    silent = {(r["sku"], r["engine"]) for r in table["recipes"] if r["health_check"] is None}
    assert silent
    for sku, engine in silent:
        spec = registry.resolve(sku=sku, model=MODEL, engine=engine)
        for key in ("timeout.health_interval_s", "timeout.health_attempts"):
            assert spec.options[key].origin.note == "srt-slurm default"


@pytest.mark.parametrize("purpose", ["serve", "throughput", "eval"])
def test_no_point_is_refuted(registry: infxreg.Registry, purpose: str) -> None:
    """Every swept point passes every error-level check at every purpose."""
    for point in registry.points():
        assert registry.resolve(point.at(purpose=purpose)).failed == ()


def test_warnings_are_those_that_the_recipes_have(registry: infxreg.Registry) -> None:
    """Eleven sglang points take fewer requests than they are sent; gb200's vllm gives up early."""
    found: Counter[tuple[str, str, str]] = Counter()
    for point in registry.points():
        for check in registry.resolve(point).checks:
            if check.answer == "refuted" and check.severity == "warning":
                found[check.id, point.sku, point.engine] += 1
    assert sum(n for (id, _, _), n in found.items() if id == "concurrency") == 11
    assert {engine for (id, _, engine) in found if id == "concurrency"} == {"sglang"}
    assert found["health-budget", "gb200", "vllm"] == 16
    assert {id for (id, _, _) in found} == {"concurrency", "health-budget"}


def test_weights_fit_everywhere(registry: infxreg.Registry) -> None:
    """Every swept point's weights fit its GPUs, with what it keeps on the host taken off."""
    for point in registry.points():
        memory = next(c for c in registry.resolve(point).checks if c.id == "memory")
        assert memory.answer == "ok", (point, memory)
    spec = registry.resolve(sku="b300", model=MODEL, workload="8k1k")
    memory = next(c for c in spec.checks if c.id == "memory")
    assert "233.0 GiB on each GPU" in memory.reason
