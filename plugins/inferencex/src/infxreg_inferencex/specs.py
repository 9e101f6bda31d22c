"""Policies over one launch spec: what of InferenceX's checklist configuration decides."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from infxreg.policy import Ruling, SpecView, ok, refuted, undecided

_ARCHITECTURE_FLAGS = ("--hf-overrides", "--json-model-override-args")
"""What overrides a model's own configuration: vllm's flag and sglang's."""

_SPECULATIVE_FLAGS = ("--speculative-config", "--speculative-algorithm")

_DRAFT_FLAGS = (
    "--speculative-draft-model-path",
    "--speculative-draft-model-quantization",
    "--speculative-draft-model-revision",
    "--speculative-draft-load-format",
    "--speculative-enable-w4a4-mxfp4-megamoe",
    "--speculative-token-map",
)
"""sglang's flags that serve another draft than the one that ships, or in another precision."""

_DRAFT_KEYS = (
    "model",
    "revision",
    "code_revision",
    "quantization",
    "draft_lm_head_quantization",
    "draft_load_config",
)
"""The same in vllm's --speculative-config (SpeculativeConfig of 0.33.0)."""

_PRECISION = ("quantization", "w4a4")
"""What of these says a precision."""

_CHAT_WORKLOADS = ("agentic",)
"""Workloads that are replayed through /v1/chat/completions (InferenceX, build_replay_cmd)."""

_SIMULATED = ("agentic",)
"""Workloads whose acceptance length is simulated (InferenceX, golden_al_distribution)."""

_RETIRED = {
    "1k1k": "for every model since 2026-07-17 (InferenceX #2263)",
    "1k8k": "for every model since 2026-03-27 (InferenceX #911)",
}
"""Workloads that InferenceX's MODELS.md lists as deprecated for all models."""


def upstream_image(view: SpecView) -> Iterator[Ruling]:
    """An engine that publishes images runs from one of them."""
    beginnings, reference = view.engine.upstream_images, view.spec.image.reference
    if not beginnings:
        return
    if reference.startswith(beginnings):
        yield ok(f"{reference} is published by {view.engine.id}'s own maintainers")
    else:
        known = " or ".join(f"{one}…" for one in beginnings)
        yield refuted(f"{reference} isn't upstream's: {view.engine.id} publishes {known}")


def not_deprecated(view: SpecView) -> Iterator[Ruling]:
    """Neither the workload nor the model is retired on the day."""
    workload = view.axis("workload")
    if workload in _RETIRED:
        yield refuted(f"workload {workload} is deprecated {_RETIRED[workload]}")
        return
    for gone in view.model.deprecated:
        if gone.workload not in (None, workload):
            continue
        what = f"{view.model.id} {gone.workload or ''}".strip()
        if gone.after is None:
            yield refuted(f"{what} is deprecated: {gone.source}")
            return
        if view.day is None:
            yield undecided(f"{what} is deprecated after {gone.after}: name the day")
            return
        if view.day > gone.after:
            yield refuted(f"{what} is deprecated after {gone.after}: {gone.source}")
            return
    yield ok(f"nothing says that {view.model.id} is deprecated for {workload or 'any workload'}")


def native_architecture(view: SpecView) -> Iterator[Ruling]:
    """The model is computed as its checkpoint says."""
    found = [
        f"{flag} {value}".strip()
        for flag in _ARCHITECTURE_FLAGS
        if (value := _after(view.spec.argv, flag)) is not None
    ]
    if found:
        yield refuted(f"the model's architecture is overridden: {'; '.join(found)}")
    else:
        yield ok(f"no {' or '.join(_ARCHITECTURE_FLAGS)}")


def chat_template(view: SpecView) -> Iterator[Ruling]:
    """Speculative decoding is measured on text that went through the chat template."""
    if not _speculative(view) or view.axis("purpose") != "throughput":
        return
    said = view.spec.client_env.get("USE_CHAT_TEMPLATE")
    workload = view.axis("workload")
    if said is not None and said.lower() in ("false", "0"):
        yield refuted(f"USE_CHAT_TEMPLATE is {said}: raw completions accept other lengths")
    elif said is not None:
        yield ok(f"USE_CHAT_TEMPLATE is {said}")
    elif workload in _CHAT_WORKLOADS:
        yield ok(f"{workload} is replayed through /v1/chat/completions")
    else:
        yield undecided(f"what the client of {workload} sends isn't in the configuration")


def as_shipped(view: SpecView) -> Iterator[Ruling]:
    """The pinned image runs as it was published: a script before it may patch it."""
    if view.spec.setup is None:
        yield ok("nothing runs before the engine")
    else:
        yield undecided(
            f"{view.spec.setup} runs before the engine: whether it patches it isn't in the "
            "configuration; a waiver says what it does"
        )


def golden_acceptance(view: SpecView) -> Iterator[Ruling]:
    """Simulated acceptance is the committed length of the model, mode and draft length."""
    if not _speculative(view):
        return
    length, workload = _simulated(view), view.axis("workload")
    purpose = view.axis("purpose")
    if workload not in _SIMULATED or purpose != "throughput":
        if length is not None:
            yield refuted(f"acceptance is simulated ({length:g}) for {workload} at {purpose}")
        return
    if length is None:
        yield refuted(f"acceptance isn't simulated: {workload} needs the golden length")
        return
    method = str(view.value("speculative.method") or "").lower()
    tokens = view.value("speculative.num_tokens")
    curve = [
        golden
        for golden in view.model.golden_acceptance
        if golden.method.lower() == method and golden.draft_tokens == tokens
    ]
    words = f"{view.model.id} {method} with {tokens} draft tokens"
    if not curve:
        yield undecided(f"{length:g}: no golden length of {words} is committed")
        return
    said = ", ".join(f"{golden.length:g} ({golden.mode})" for golden in curve)
    if any(golden.length == length for golden in curve):
        yield ok(f"{length:g} is the golden length of {words}: {said}")
    else:
        yield refuted(f"{length:g} isn't the golden length of {words}: {said}")


def draft_as_shipped(view: SpecView) -> Iterator[Ruling]:
    """The draft is the one that ships with the checkpoint, at its stored precision."""
    if not _speculative(view):
        return
    argv = view.spec.argv
    found = [
        f"{flag} {value}".strip()
        for flag in _DRAFT_FLAGS
        if (value := _after(argv, flag)) is not None and value != view.spec.model.hub_id
    ]
    config = _json(_after(argv, "--speculative-config"))
    found += [
        f"--speculative-config {key} {config[key]}"
        for key in _DRAFT_KEYS
        if config.get(key) is not None and config[key] != view.spec.model.hub_id
    ]
    lowered = [one for one in found if any(word in one for word in _PRECISION)]
    if lowered:
        yield refuted(f"the draft's precision is set: {'; '.join(lowered)}")
    elif found:
        yield undecided(f"another draft is named: {'; '.join(found)}; does it ship with the model?")
    else:
        yield ok(f"no option names another draft or precision than {view.model.id} ships")


def _speculative(view: SpecView) -> bool:
    if view.value("speculative.method") is not None:
        return True
    return any(_after(view.spec.argv, flag) is not None for flag in _SPECULATIVE_FLAGS)


def _simulated(view: SpecView) -> float | None:
    """The simulated acceptance length, however it is said; drafts and the verified token."""
    said = view.value("speculative.synthetic_acceptance_length")
    if isinstance(said, (int, float)):
        return float(said)
    for name, more in (
        ("SGLANG_SIMULATE_ACC_LEN", 0),
        ("TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS", 1),  # it leaves the verified token out
    ):
        try:
            return float(view.spec.env[name]) + more
        except (KeyError, ValueError):
            continue
    config = _json(_after(view.spec.argv, "--speculative-config"))
    length = config.get("synthetic_acceptance_length")
    return float(length) if isinstance(length, (int, float)) else None


def _after(argv: Sequence[str], flag: str) -> str | None:
    """What a flag is given, empty where that is nothing; None without the flag."""
    for place, token in enumerate(argv):
        name, equals, value = token.partition("=")
        if name.replace("_", "-") == flag:
            following = argv[place + 1 : place + 2]
            return value if equals else (following[0] if following else "")
    return None


def _json(text: str | None) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
