"""The case that this project exists for: an option for b200 that must reach b200 alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from attrs import evolve

import infxreg
from infxreg.contribution import Contribution, Placed
from infxreg.errors import GateIdleError, GateScopeError, RegistryFaults, UnusableValueError
from infxreg.records import Gate, Rule
from infxreg.scope import OneOf, Scope

GATE = "dsv41-blackwell-attention"
SWEPT = "dsv41-blackwell-attention-as-swept"
IMAGE = "vllm/vllm-openai:nightly-0961bbae2894d574be790d219651824eb199318e"
OLDER = "vllm/vllm-openai:nightly-cd10ed6f9f6b37a8ace9cf380007e66fe12ec0c3"
FLASHINFER = "FLASHINFER_MLA_SPARSE_DSV41"
MEGA = "FLASHMLA_MEGA_ATTN_DSV41"


def b200(registry: infxreg.Registry, **request: Any) -> infxreg.LaunchSpec:
    return registry.resolve(sku="b200", model="dsv41flash", engine="vllm", **request)


def attention(spec: infxreg.LaunchSpec) -> Any:
    if "--attention-config" not in spec.argv:
        return None
    return json.loads(spec.argv[spec.argv.index("--attention-config") + 1])


@pytest.mark.parametrize(("tp", "backend"), [(2, FLASHINFER), (4, MEGA)])
def test_b200_is_as_described(registry: infxreg.Registry, tp: int, backend: str) -> None:
    """TP2 runs FlashInfer and TP4 MegaAttention, on the new image, with 7200 s to get ready."""
    for conc in (1, 2, 4, 8, 16, 32, 64, 128):
        spec = b200(registry, tp=tp, conc=conc)
        assert attention(spec) == {
            "backend": backend,
            "indexer_kv_dtype": "mxfp4",
            "indexer_sparse_logits": True,
        }
        assert spec.argv[spec.argv.index("--kv-cache-dtype") + 1] == "fp8"
        assert spec.image.reference == IMAGE
        assert spec.env["VLLM_ENGINE_READY_TIMEOUT_S"] == "7200"
        assert spec.timeouts.engine_ready_s == 7200
        assert spec.timeouts.health_budget_s >= 7200
        assert spec.gates == (GATE,)


def test_the_sweep(registry: infxreg.Registry) -> None:
    """Sixteen points, and the default is tp2_c16."""
    points = list(registry.points(sku="b200", engine="vllm"))
    concs = (1, 2, 4, 8, 16, 32, 64, 128)
    assert {p.id for p in points} == {f"tp{tp}_c{conc}" for tp in (2, 4) for conc in concs}
    assert b200(registry).point.id == "tp2_c16"
    assert b200(registry, tp=4).point.id == "tp4_c16"
    assert registry.resolve(sku="b200", model="dsv41flash").engine == "vllm"


def test_as_swept(registry: infxreg.Registry) -> None:
    """The second gate gives what the green sweep ran: FlashInfer at TP4 too."""
    described, swept = b200(registry, tp=4), b200(registry, tp=4, gates=[SWEPT])
    assert attention(swept)["backend"] == FLASHINFER
    assert described.digest != swept.digest
    assert swept.options["attention.backend"].shadowed[0].value == MEGA
    assert {**attention(swept), "backend": MEGA} == attention(described)


def test_as_swept_alone_does_nothing(registry: infxreg.Registry) -> None:
    """The gate as-swept names the gate that its rule also stands behind."""
    with pytest.raises(GateIdleError) as error:
        b200(registry, tp=4, gates=[SWEPT], no_gates=[GATE])
    assert error.value.needs == (GATE,)
    with pytest.raises(GateIdleError):
        b200(registry, tp=2, gates=[SWEPT])


def test_the_image_has_to_know(registry: infxreg.Registry) -> None:
    """What the new image is known to have is ok; MegaAttention on a nightly can't be decided."""

    def answers(spec: infxreg.LaunchSpec) -> dict[str, str]:
        found = [c for c in spec.checks if c.id == "image-requirement"]
        return {c.reason.split(" needs ")[1].split(" ")[0]: c.answer for c in found}

    backend = f"attention.backend={MEGA}"
    logits = "attention.indexer_sparse_logits"
    assert set(answers(b200(registry, tp=2)).values()) == {"ok"}
    assert answers(b200(registry, tp=4))[backend] == "unknown"
    assert answers(b200(registry, tp=4))[logits] == "ok"
    assert answers(b200(registry, image=OLDER))[logits] == "unknown"
    release = b200(registry, tp=4, image="vllm/vllm-openai:v0.30.0")
    assert answers(release)[logits] == answers(release)[backend] == "refuted"
    assert all("first in 0.31.0" in check.reason for check in release.failed)
    newer = b200(registry, tp=4, image="vllm/vllm-openai:v0.31.0")
    assert set(answers(newer).values()) == {"ok"}


def test_off_b200_nothing_moves(registry: infxreg.Registry) -> None:
    """Every point off b200 has the same digest whether or not the rules of this case exist."""

    def without_case(contribution: Contribution) -> Contribution:
        case = ("dsv41flash-b200-attention.toml", "dsv41flash-b200-evidence.toml")
        kept: list[Placed] = []
        for placed in contribution.placed:
            if placed.where.endswith(case):
                continue
            kept.append(placed)
        return contribution.with_placed(kept)

    bare = evolve(registry, contributions=tuple(map(without_case, registry.contributions)))
    points = [p for p in registry.points() if (p.sku, p.engine) != ("b200", "vllm")]
    assert len(points) == 217
    for point in points:
        for purpose in ("serve", "throughput", "eval"):
            at = point.at(purpose=purpose)
            assert bare.resolve(at).digest == registry.resolve(at).digest


@pytest.mark.parametrize("sku", ["gb200", "gb300", "b300", "h200"])
def test_the_gate_cant_be_opened_elsewhere(registry: infxreg.Registry, sku: str) -> None:
    """Opening the gate off b200 is an error that names its scope."""
    with pytest.raises(GateScopeError) as error:
        registry.resolve(sku=sku, model="dsv41flash", gates=[GATE])
    assert "sku=b200" in str(error.value)
    assert sku in str(error.value)


@pytest.mark.parametrize("sku", ["gb200", "b300", "mi355x"])
def test_mega_attention_cant_be_set_elsewhere(registry: infxreg.Registry, sku: str) -> None:
    """The backend that stands behind the gate can't be set by hand without it."""
    with pytest.raises(UnusableValueError, match=GATE):
        registry.resolve(sku=sku, model="dsv41flash", set={"attention.backend": MEGA})


def test_a_gated_rule_moved_to_gb200_is_a_fault(registry: infxreg.Registry) -> None:
    """Moving a gated rule's scope off the gate's names plugin, rule and gate."""

    def moved(contribution: Contribution) -> Contribution:
        placed = []
        for item in contribution.placed:
            record = item.record
            if isinstance(record, Rule) and record.id == "b200-attention-tp4":
                terms = dict(record.when[0].terms)
                terms["sku"] = OneOf(frozenset(["gb200"]))
                record = evolve(record, when=(Scope.of(terms),))
            placed.append(evolve(item, record=record))
        return contribution.with_placed(placed)

    leaking = evolve(registry, contributions=tuple(map(moved, registry.contributions)))
    with pytest.raises(RegistryFaults) as error:
        leaking.resolve(sku="b200", model="dsv41flash")
    (fault,) = error.value.faults
    assert fault.plugin == "nvidia"
    assert "b200-attention-tp4" in fault.message
    assert GATE in fault.message


def test_off_the_sweep_the_recipes_gate_stays_closed(registry: infxreg.Registry) -> None:
    """A point that nobody swept resolves, says so, and opens nothing by itself."""
    spec = b200(registry, tp=4, conc=24)
    assert spec.gates == ()
    assert attention(spec) is None
    (swept,) = [c for c in spec.checks if c.id == "swept"]
    assert swept.answer == "unknown"
    assert attention(b200(registry, tp=4, conc=24, gates=[GATE]))["backend"] == MEGA


def test_both_gates_are_b200s(registry: infxreg.Registry) -> None:
    """Neither gate's scope names any other SKU."""
    gates: list[Gate] = [registry.catalogue.gates[name] for name in (GATE, SWEPT)]
    for gate in gates:
        assert gate.when.get("sku") == OneOf(frozenset(["b200"]))
        assert gate.when.get("tp") == OneOf(frozenset([2, 4]))
