"""Policies over one launch spec: what of InferenceX's checklist configuration decides."""

from __future__ import annotations

import json
import math
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
    announced: list[str] = []
    for gone in view.model.deprecated:
        if gone.workload not in (None, workload):
            continue
        what = f"{view.model.id} {gone.workload or ''}".strip()
        if gone.after is None:
            yield refuted(f"{what} is deprecated: {gone.source}")
            return
        if view.day is None:
            announced.append(f"{what} is deprecated after {gone.after}")
        elif view.day > gone.after:
            yield refuted(f"{what} is deprecated after {gone.after}: {gone.source}")
            return
    if announced:
        yield undecided(f"{'; '.join(announced)}: name the day")
        return
    yield ok(f"nothing says that {view.model.id} is deprecated for {workload or 'any workload'}")


def native_architecture(view: SpecView) -> Iterator[Ruling]:
    """The model is computed as its checkpoint says."""
    found = [
        f"{flag}{key and '.'}{key} {value}".strip()
        for flag in _ARCHITECTURE_FLAGS
        for key, value in _given(view.spec.argv, flag)
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
    elif said is not None and said.lower() in ("true", "1"):
        yield ok(f"USE_CHAT_TEMPLATE is {said}")
    elif said is not None:
        yield undecided(f"USE_CHAT_TEMPLATE is {said!r}, neither true nor false")
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
    purpose, config = view.axis("purpose"), _config(view.spec.argv)
    synthetic = config.get("rejection_sample_method") == "synthetic"
    if workload not in _SIMULATED or purpose != "throughput":
        if length is not None or synthetic:
            how = "synthetic" if length is None else f"{length:g}"
            yield refuted(f"acceptance is simulated ({how}) for {workload} at {purpose}")
        return
    if length is None:
        yield refuted(f"acceptance isn't simulated: {workload} needs the golden length")
        return
    if "synthetic_acceptance_length" in config and not synthetic:
        yield refuted(
            f"acceptance isn't simulated: {length:g} has no effect unless "
            "rejection_sample_method is synthetic"
        )
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
    same = [math.isclose(golden.length, length) for golden in curve]  # 1.39 + 1 isn't 2.39
    if all(same):
        yield ok(f"{length:g} is the golden length of {words}: {said}")
    elif any(same):
        yield undecided(f"{length:g} is the golden length of one mode of {words}: {said}; of its?")
    else:
        yield refuted(f"{length:g} isn't the golden length of {words}: {said}")


def draft_as_shipped(view: SpecView) -> Iterator[Ruling]:
    """The draft is the one that ships with the checkpoint, at its stored precision."""
    if not _speculative(view):
        return
    argv, own = view.spec.argv, view.spec.model.hub_id
    named = [
        (flag, value) for flag in _DRAFT_FLAGS for _, value in _given(argv, flag) if value != own
    ]
    config = _config(argv)
    named += [
        (f"--speculative-config {key}", config[key])
        for key in _DRAFT_KEYS
        if config.get(key) not in (None, own)
    ]
    found = [f"{name} {value}".strip() for name, value in named]
    lowered = [
        words
        for words, (name, _) in zip(found, named, strict=True)
        if any(word in name for word in _PRECISION)
    ]
    if lowered:
        yield refuted(f"the draft's precision is set: {'; '.join(lowered)}")
    elif found:
        yield undecided(f"another draft is named: {'; '.join(found)}; does it ship with the model?")
    else:
        yield ok(f"no option names another draft or precision than {view.model.id} ships")


def _speculative(view: SpecView) -> bool:
    if view.value("speculative.method") is not None:
        return True
    return any(True for flag in _SPECULATIVE_FLAGS for _ in _given(view.spec.argv, flag))


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
    length = _config(view.spec.argv).get("synthetic_acceptance_length")
    return float(length) if isinstance(length, (int, float)) else None


def _given(argv: Sequence[str], flag: str) -> Iterator[tuple[str, str]]:
    """What a flag is given, each time that it stands there.

    As (key, value): ``--flag.key value`` sets one key of the flag's JSON, otherwise the key is
    empty; and so is the value of a bare flag.
    """
    for place, token in enumerate(argv):
        name, equals, value = token.partition("=")
        name, _, key = name.partition(".")
        if name.replace("_", "-") == flag:
            following = [one for one in argv[place + 1 : place + 2] if not one.startswith("--")]
            yield key, value if equals else "".join(following)


def _config(argv: Sequence[str]) -> dict[str, Any]:
    """vllm's --speculative-config: its JSON, and the keys that are set one by one."""
    found: dict[str, Any] = {}
    for key, text in _given(argv, "--speculative-config"):
        value = _json(text, text)
        if key:
            found[key] = value
        elif isinstance(value, dict):
            found |= value
    return found


def _json(text: str, default: object) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return default
