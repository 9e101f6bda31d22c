"""Every check, in each of its answers."""

from __future__ import annotations

from typing import Any

import pytest

from infxreg.records import Capability, Image, Require
from infxreg.spec import Check, LaunchSpec
from support.builders import NIGHTLY, X10, acme, answer, answers, rule, where

DIGEST = "sha256:" + "0a" * 32
X20 = {"sku": "x20", "model": "m1", "engine": "run"}
REGISTRY = acme()


def x10(**request: Any) -> LaunchSpec:
    return REGISTRY.resolve(**X10, **request)


def short(check: Check) -> tuple[str, str]:
    return check.answer, check.severity


OK, REFUTED = ("ok", "note"), ("refuted", "error")


def test_checks_are_sorted_by_id() -> None:
    """So that their order says nothing."""
    ids = [check.id for check in x10().checks]
    assert ids == sorted(ids)
    assert x10().failed == ()


def test_swept() -> None:
    """The point that it is, or that nobody ran it."""
    found = answer(x10(), "swept")
    assert (short(found), found.reason) == (OK, "point tp2_c16 of m1-x10-run")
    found = answer(x10(conc=3), "swept")
    assert short(found) == ("unknown", "warning")
    assert found.reason == (
        "the point is in no recipe's sweep: nobody ran it, and no recipe opens gates for it"
    )


@pytest.mark.parametrize(
    ("request_", "expected", "reason"),
    [
        ({}, OK, "2 of 8 GPUs of one node"),
        (
            {"tp": 8, "conc": 2, "ep": 8, "dp": 2},
            ("unknown", "warning"),
            "16 GPUs span 2 nodes of 8; whether one command starts them all depends on the "
            "launcher",
        ),
        (
            {"set": {"resources.gpus": 4}},
            REFUTED,
            "tp 2 pp 1 dp 1 take 2 GPUs, not 4",
        ),
        ({"tp": 12}, REFUTED, "12 GPUs don't fill nodes of 8"),
        (
            {"tp": 4, "dp": 2, "set": {"parallel.dp_attention": True, "resources.gpus": 4}},
            OK,
            "4 of 8 GPUs of one node",
        ),
        (
            {"tp": 4, "dp": 2, "set": {"parallel.dp_attention": True}},
            REFUTED,
            "tp 4 pp 1 dp 2 take 4 GPUs, not 8",
        ),
        ({"pp": 2}, OK, "4 of 8 GPUs of one node"),
    ],
)
def test_parallel_gpus(request_: dict[str, Any], expected: tuple[str, str], reason: str) -> None:
    """The sizes multiply to the GPUs, and these fill nodes."""
    found = answer(x10(**request_), "parallel-gpus")
    assert (short(found), found.reason) == (expected, reason)


def test_dp_attention_divides() -> None:
    """With DP attention, dp divides tp; else it needn't."""
    spec = x10(tp=4, dp=3, set={"parallel.dp_attention": True, "resources.gpus": 4})
    found = answer(spec, "parallel-dp")
    assert short(found) == REFUTED
    assert found.reason == "DP attention needs dp (3) to divide tp (4)"
    assert answers(x10(tp=4, dp=3), "parallel-dp") == []


def test_expert_parallel_divides() -> None:
    """The ranks of tp and dp."""
    found = answer(x10(tp=4, ep=3), "parallel-ep")
    assert short(found) == REFUTED
    assert found.reason == "ep 3 doesn't divide the 4 ranks of tp and dp"
    assert answers(x10(tp=4, dp=2, ep=8), "parallel-ep") == []


def test_labels() -> None:
    """A size that was set by hand against the point's own axis."""
    found = answer(x10(set={"parallel.tp": 4}), "parallel-label")
    assert short(found) == REFUTED
    assert found.reason == "the point says tp=2 and parallel.tp is 4: name the axis (tp) instead"
    assert answers(x10(), "parallel-label") == []
    alt = REGISTRY.resolve(**X10, engine="alt", dp=2)
    assert answers(alt, "parallel-label") == [], "nobody sets parallel.dp on alt"


@pytest.mark.parametrize("size", ["tp", "pp", "dp", "ep"])
@pytest.mark.parametrize("value", [0, -2])
def test_a_size_below_one_is_refuted(size: str, value: int) -> None:
    """By some parallel check, and never by a crash."""
    spec = x10(set={f"parallel.{size}": value})
    failed = {check.id for check in spec.failed}
    assert failed & {"parallel-gpus", "parallel-dp", "parallel-ep"}


def test_no_gpus_at_all_are_refuted() -> None:
    """Also where the sizes agree."""
    spec = x10(set={"resources.gpus": 0, "parallel.tp": 0})
    assert "parallel-gpus" in {check.id for check in spec.failed}


def test_the_image_is_registered() -> None:
    """With its source, or unknown with a hint."""
    found = answer(x10(), "image-known")
    assert (short(found), found.reason) == (OK, "seen")
    found = answer(x10(image="other/run:1"), "image-known")
    assert short(found) == ("unknown", "warning")
    assert found.reason == (
        "other/run:1 isn't registered: what it holds can't be checked; add an [[image]]"
    )


def test_the_image_holds_the_engine() -> None:
    """Another engine's is refuted."""
    found = answer(x10(image="acme/alt:1"), "image-engine")
    assert short(found) == REFUTED
    assert found.reason == "acme/alt:1 holds alt, not run"
    assert answers(x10(), "image-engine") == []


def test_the_image_is_built_for_the_accelerator() -> None:
    """Of the SKU's architecture; unknown where the record doesn't say."""
    assert short(answer(x10(), "image-accelerator")) == OK
    spec = REGISTRY.resolve(sku="z10", model="m1", engine="run")
    found = answer(spec, "image-accelerator")
    assert short(found) == REFUTED
    assert found.reason == f"{NIGHTLY} is built for cuda; z10 (bz1) needs rocm"
    for image in ("acme/alt:1", "other/run:1"):
        found = answer(x10(image=image), "image-accelerator")
        assert short(found) == ("unknown", "note")
        assert found.reason == "the image's platform isn't known"


def test_the_image_is_built_for_the_cpu() -> None:
    """Of the SKU; unknown where either side doesn't say."""
    found = answer(x10(), "image-platform")
    assert (short(found), found.reason) == (OK, "linux/amd64, as x10 needs")
    assert answer(REGISTRY.resolve(**X20), "image-platform").reason == "linux/arm64, as x20 needs"
    amd = acme(Image(id="a:1", engine="run", source="s", platforms=("linux/amd64",)))
    found = answer(amd.resolve(**X20, image="a:1"), "image-platform")
    assert short(found) == REFUTED
    assert found.reason == "a:1 is built for linux/amd64; x20 needs linux/arm64"
    riscv = REGISTRY.resolve(sku="z10", model="m1", engine="run")
    for spec in (riscv, x10(image="acme/alt:1"), x10(image="other/run:1")):
        found = answer(spec, "image-platform")
        assert short(found) == ("unknown", "note")
        assert found.reason == "the image's CPU architectures aren't known"


@pytest.mark.parametrize(
    ("image", "expected", "reason"),
    [
        (None, ("unknown", "note"), f"{NIGHTLY} has no digest: a tag can be moved"),
        ("p:1", OK, DIGEST),
        (f"acme/run:v1.2.3@{DIGEST}", OK, DIGEST),
        ("p:2", ("refuted", "note"), "p:2: the tag moves and there is no digest"),
        ("o/o:latest", ("refuted", "note"), "o/o:latest: the tag moves and there is no digest"),
        ("o/o:nightly", ("refuted", "note"), "o/o:nightly: the tag moves and there is no digest"),
        ("o/o", ("refuted", "note"), "o/o: the tag moves and there is no digest"),
    ],
)
def test_the_image_is_pinned(image: str | None, expected: tuple[str, str], reason: str) -> None:
    """By a digest; a moving tag, or none, is refuted as a note."""
    registry = acme(
        Image(id="p:1", engine="run", source="s", digest=DIGEST, moving=True),
        Image(id="p:2", engine="run", source="s", moving=True),
    )
    found = answer(registry.resolve(**X10, image=image), "image-pinned")
    assert (short(found), found.reason) == (expected, reason)


@pytest.mark.parametrize(
    ("attempts", "ready", "expected", "reason"),
    [
        (180, 1800, OK, "180 × 10 s = 1800 s covers the engine's 1800 s"),
        (
            179,
            1800,
            REFUTED,
            "the launcher gives up after 179 × 10 s = 1790 s, before the engine's own 1800 s",
        ),
        (
            360,
            1800,
            ("refuted", "warning"),
            "the engine gives up after 1800 s, long before the launcher (360 × 10 s = 3600 s)",
        ),
        (359, 1800, OK, "359 × 10 s = 3590 s covers the engine's 1800 s"),
    ],
)
def test_health_budget(attempts: int, ready: int, expected: tuple[str, str], reason: str) -> None:
    """It covers the engine's own limit, and isn't twice as long."""
    settings = {"timeout.health_attempts": attempts, "timeout.engine_ready_s": ready}
    found = answer(x10(set=settings), "health-budget")
    assert (short(found), found.reason) == (expected, reason)


def test_health_budget_without_a_limit_of_the_engine() -> None:
    """It can't be told."""
    found = answer(x10(unset=["timeout.engine_ready_s"]), "health-budget")
    assert short(found) == ("unknown", "note")
    assert found.reason == "180 × 10 s = 1800 s; the engine has no ready limit of its own"


def test_concurrency() -> None:
    """At least as many requests at once as the client sends."""
    found = answer(x10(), "concurrency")
    assert (short(found), found.reason) == (OK, "32 requests at once for a concurrency of 16")
    found = answer(x10(set={"scheduler.max_num_seqs": 15}), "concurrency")
    assert short(found) == ("refuted", "warning")
    assert found.reason == "the engine takes 15 requests at once, below the concurrency of 16"
    assert short(answer(x10(set={"scheduler.max_num_seqs": 16}), "concurrency")) == OK
    assert answers(x10(unset=["scheduler.max_num_seqs"]), "concurrency") == []


def test_speculative_decoding_on_a_prefill_role() -> None:
    """Refuted there, and only there."""
    spec = x10(role="prefill", set={"speculative.method": "draft"})
    found = answer(spec, "speculative-role")
    assert short(found) == REFUTED
    assert found.reason == "speculative decoding is set on a prefill role"
    assert answers(x10(role="prefill"), "speculative-role") == []
    assert answers(x10(role="decode", set={"speculative.method": "d"}), "speculative-role") == []


@pytest.mark.parametrize(
    ("request_", "expected", "reason"),
    [
        (
            {},
            OK,
            "100 GiB of weights, over tp 2 × pp 1: 50.0 GiB on each GPU of 80 GiB; "
            "what is left is for KV cache, graphs and buffers",
        ),
        ({"tp": 1}, REFUTED, "100 GiB of weights, over tp 1 × pp 1: 100.0 GiB on each GPU of 80"),
        (
            {"tp": 1, "set": {"engram.cpu_offload": True}},
            OK,
            "100 GiB of weights, less 40 GiB by engram.cpu_offload, over tp 1 × pp 1: 60.0 GiB",
        ),
        ({"tp": 1, "set": {"engram.cpu_offload": False}}, REFUTED, "100 GiB of weights, over"),
        (
            {"tp": 1, "set": {"memory.cpu_offload_gib": 20}},
            REFUTED,
            "100 GiB of weights, less 20 GiB a GPU by memory.cpu_offload_gib, over tp 1 × pp 1: "
            "80.0 GiB on each GPU of 80 GiB",
        ),
        (
            {"tp": 1, "set": {"memory.cpu_offload_gib": 20.5, "engram.cpu_offload": True}},
            OK,
            "100 GiB of weights, less 40 GiB by engram.cpu_offload and 20.5 GiB a GPU by "
            "memory.cpu_offload_gib, over tp 1 × pp 1: 39.5 GiB on each GPU",
        ),
        ({"tp": 1, "pp": 2}, OK, "100 GiB of weights, over tp 1 × pp 2: 50.0 GiB"),
    ],
)
def test_memory(request_: dict[str, Any], expected: tuple[str, str], reason: str) -> None:
    """The weights' share of a GPU, with what is offloaded taken off, is below its memory."""
    found = answer(x10(**request_), "memory")
    assert short(found) == expected
    assert found.reason.startswith(reason)


def test_each_data_parallel_replica_offloads_for_itself() -> None:
    """20 GiB a GPU stay 20 GiB a GPU, however many replicas there are."""
    spec = x10(tp=1, dp=2, set={"memory.cpu_offload_gib": 15})
    found = answer(spec, "memory")
    assert "85.0 GiB on each GPU of 80" in found.reason
    assert short(found) == REFUTED


def test_memory_of_a_model_of_unknown_size() -> None:
    """It can't be told."""
    spec = REGISTRY.resolve(sku="x10", model="m2", engine="run")
    found = answer(spec, "memory")
    assert short(found) == ("unknown", "note")
    assert found.reason == "the weights' size of m2 isn't known"


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"args.model": "$MODEL"}, "argv: '$MODEL'"),
        ({"args.model": "/models/${NAME}/x"}, "argv: '/models/${NAME}/x'"),
        ({"compile.mode": "$(id)"}, "env RUN_MODE: '$(id)'"),
        ({"env.X": "a$B"}, "env X: 'a$B'"),
        ({"client_env.X": "$HOME"}, "client env X: '$HOME'"),
    ],
)
def test_unresolved_variables(settings: dict[str, Any], place: str) -> None:
    """Nothing fills them in: what is in a spec is launched as it stands."""
    found = answer(x10(set=settings), "unresolved-variable")
    assert short(found) == REFUTED
    assert found.reason == f"{place} holds a variable that nobody fills in"


@pytest.mark.parametrize("text", ["5 $", "a$", "$ x", "100%", "secret://$X"])
def test_what_is_no_variable(text: str) -> None:
    """A dollar alone, and a reference to a secret."""
    assert answers(x10(set={"env.X": text}), "unresolved-variable") == []


@pytest.mark.parametrize(
    "name",
    ["HF_TOKEN", "TOKEN", "OPENAI_API_KEY", "X_APIKEY", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD"],
)
@pytest.mark.parametrize("space", ["env", "client_env"])
def test_secrets_are_references(space: str, name: str) -> None:
    """A variable that is named like a secret holds secret://<name>, in both environments."""
    found = answer(x10(set={f"{space}.{name}": "abc"}), "secret")
    assert short(found) == REFUTED
    assert found.reason == f"{name} looks like a secret: write a reference, secret://<name>"
    assert "abc" not in found.reason
    assert answers(x10(set={f"{space}.{name}": f"secret://{name}"}), "secret") == []


def test_a_reference_to_a_secret_has_a_name() -> None:
    """``secret://`` alone names nothing."""
    assert short(answer(x10(set={"env.HF_TOKEN": "secret://"}), "secret")) == REFUTED


@pytest.mark.parametrize("name", ["TOKENIZERS_PARALLELISM", "MAX_TOKENS", "KEYS", "SECRETARY"])
def test_what_isnt_named_like_a_secret(name: str) -> None:
    """Words that only begin so."""
    assert answers(x10(set={f"env.{name}": "abc"}), "secret") == []


@pytest.mark.parametrize(
    ("image", "expected", "reason"),
    [
        (None, "ok", "fast (run: first in 2.0.0); acme/run:nightly-1 has it: seen"),
        ("acme/run:v2.0.0", "ok", "fast (run: first in 2.0.0); acme/run:v2.0.0 is 2.0.0"),
        ("acme/run:v1.9.9", "refuted", "fast (run: first in 2.0.0); acme/run:v1.9.9 is 1.9.9"),
        (
            "acme/run:nightly-2",
            "unknown",
            "fast (run: first in 2.0.0); acme/run:nightly-2 is no release, and its record "
            "doesn't say",
        ),
    ],
)
def test_a_rule_requires_a_capability(image: str | None, expected: str, reason: str) -> None:
    """What the image is known to have, else what its release has, else unknown."""
    found = answer(x10(image=image), "image-requirement")
    assert short(found) == (expected, "error")
    assert found.reason == f"acme:run-fast needs {reason}"


def test_a_rule_that_lost_requires_nothing() -> None:
    """Only the rules behind the values do."""
    assert answers(x10(tp=4, gates=["extra"]), "image-requirement") == []


def needing(require: Require, image: str, *records: Any) -> Check:
    registry = acme(rule("needy", {"args.x": 1}, where(sku="x10"), require=require), *records)
    spec = registry.resolve(**X10, no_gates=["fast"], image=image)
    return answer(spec, "image-requirement")


@pytest.mark.parametrize(
    ("name", "image", "expected", "reason"),
    [
        ("gone", NIGHTLY, "refuted", f"{NIGHTLY} lacks it: seen"),
        ("gone", "acme/run:v1.4.9", "ok", "acme/run:v1.4.9 is 1.4.9"),
        ("gone", "acme/run:v1.5.0", "refuted", "acme/run:v1.5.0 is 1.5.0"),
        ("gone", "acme/run:v0.9.0", "refuted", "acme/run:v0.9.0 is 0.9.0"),
        ("gone", "acme/run:v1.5.0rc1", "refuted", "acme/run:v1.5.0rc1 is 1.5.0rc1"),
        ("always", "acme/run:v0.1.0", "ok", "acme/run:v0.1.0 is 0.1.0"),
        ("always", NIGHTLY, "unknown", "is no release, and its record doesn't say"),
        ("fast", "other/run:1", "unknown", "is no release, and its record doesn't say"),
        ("fast", "acme/run:v2.0.0rc1", "refuted", "acme/run:v2.0.0rc1 is 2.0.0rc1"),
    ],
)
def test_capabilities(name: str, image: str, expected: str, reason: str) -> None:
    """Since a release, until another, or always."""
    found = needing(Require(knows=(name,)), image)
    assert found.answer == expected
    assert reason in found.reason


def test_a_capabilitys_words() -> None:
    """Its engine, and the releases that bound it."""
    found = needing(Require(knows=("gone",)), NIGHTLY)
    assert "gone (run: first in 1.0.0, removed in 1.5.0)" in found.reason
    found = needing(Require(knows=("always",)), NIGHTLY)
    assert "always (run: any version)" in found.reason


@pytest.mark.parametrize(
    ("image", "expected", "had"),
    [
        ("acme/run:v1.2.0", "ok", "acme/run:v1.2.0 is 1.2.0"),
        ("acme/run:v1.3.0", "refuted", "acme/run:v1.3.0 is 1.3.0"),
        (NIGHTLY, "unknown", f"{NIGHTLY} is of no known version"),
        ("other/run:1", "unknown", "other/run:1 is of no known version"),
    ],
)
def test_a_rule_requires_a_version(image: str, expected: str, had: str) -> None:
    """A PEP 440 range; unknown where the image is no release."""
    found = needing(Require(version=">=1.2,<1.3"), image)
    assert short(found) == (expected, "error")
    assert found.reason == f"extra:needy needs version >=1.2,<1.3; {had}"


def test_a_capability_of_another_plugin() -> None:
    """A rule can need what any plugin declares."""
    own = Capability(id="own", engine="run", since="3.0.0", source="s")
    assert needing(Require(knows=("own",)), "acme/run:v3.0.0", own).answer == "ok"
    assert needing(Require(knows=("own",)), "acme/run:v2.0.0", own).answer == "refuted"


def test_an_axis_that_nothing_reads_is_told() -> None:
    """A value that changes nothing would be a label without a meaning."""
    registry = acme()
    told = registry.resolve(sku="x10", model="m1", role="decode")
    assert [check.answer for check in told.checks if check.id == "axis-unread"] == ["refuted"]
    assert not [c for c in registry.resolve(sku="x10", model="m1").checks if c.id == "axis-unread"]
