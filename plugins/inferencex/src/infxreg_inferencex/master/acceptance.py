"""Whether acceptance is simulated where it is to be, and with a committed length.

Agentic jobs simulate it at the committed length of the model and draft length; jobs of a
fixed length, and every measurement of accuracy, don't.

Source of the rules: InferenceX, .github/codeowner-signoff-verify-prompt.md (Check 11) and
golden_al_distribution/README.md; of how a master config has a length written into a recipe,
runners/synthetic_injectors/; as of 2026-08-21.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from infxreg_inferencex.master.finding import Finding
from infxreg_inferencex.master.place import Place
from infxreg_inferencex.master.recipes import Recipe, Side
from infxreg_inferencex.master.records import AGENTIC, Golden
from infxreg_inferencex.master.started import Recipes, Started

_SGLANG = "SGLANG_SIMULATE_ACC_LEN"
_TRTLLM = "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS"
_LENGTH = "SYNTHETIC_ACCEPTANCE_LENGTH"

_PRECISION = re.compile(r"-(nvfp4|mxfp4|mxfp8|fp4|fp8|bf16)(-.*)?$")
_DRAFTS = ("gqa", "probabilistic")
"""What tells a model's curves apart: both their names and the drafts' settings say it."""


@frozen(kw_only=True)
class Simulated:
    """A simulated length: drafted tokens that are accepted a step, and the verified one.

    Attributes:
        tokens: drafted a step; None where the recipe doesn't say.
        draft: the settings of the draft, as text.
        written: how it is said.
    """

    length: float
    tokens: int | None
    draft: str
    written: str
    at: Place


def acceptance(recipes: Recipes, golden: Sequence[Golden]) -> Iterator[Finding]:
    """Lengths that are simulated and not committed, or where they aren't to be; and real ones.

    Args:
        recipes: what entries are started from.
        golden: the committed lengths.
    """
    seen: set[tuple[str, str, str]] = set()
    for one in recipes.started:
        told = [*_unsimulated(one)]
        for simulated in _simulated(one):
            told += _wrong(one, simulated, golden)
        for finding in told:
            key = (finding.id, finding.entry, str(finding.at))
            if key not in seen:
                seen.add(key)
                yield finding


def model_of(name: str) -> str:
    """A model's name without its owner and precision: ``glm-5.2`` of ``nvidia/GLM-5.2-NVFP4``."""
    return _PRECISION.sub("", name.rpartition("/")[2].lower())


def _unsimulated(one: Started) -> Iterator[Finding]:
    """Agentic jobs whose drafts are accepted as they happen to be."""
    reference = one.reference
    if (
        reference.scenario.kind == AGENTIC
        and reference.setting == "CONFIG_FILE"
        and reference.space.spec_decoding != "none"
        and not any(True for _ in _simulated(one))
    ):
        yield Finding(
            id="acceptance-real",
            entry=reference.entry.key,
            at=reference.at,
            message=(
                f"spec-decoding is {reference.space.spec_decoding}, and {one.recipe.file} doesn't "
                "simulate acceptance: agentic jobs do, at the committed length"
            ),
        )


def _wrong(one: Started, simulated: Simulated, golden: Sequence[Golden]) -> Iterator[Finding]:
    reference, what = one.reference, f"{simulated.written} simulates {simulated.length:g}"
    entry, at = reference.entry.key, simulated.at
    if reference.setting == "EVAL_CONFIG_FILE":
        message = f"{what} where accuracy is measured: leave it out"
        yield Finding(id="acceptance-simulated", entry=entry, at=at, message=message)
        return
    if reference.scenario.kind != AGENTIC:
        message = f"{what} in jobs of a fixed length, which accept what they do: leave it out"
        yield Finding(
            id="acceptance-simulated", severity="warning", entry=entry, at=at, message=message
        )
    wrong = _uncommitted(what, simulated, model_of(reference.entry.model), golden)
    if wrong is not None:
        yield Finding(id="acceptance-differs", entry=entry, at=at, message=wrong)


def _uncommitted(
    what: str, simulated: Simulated, model: str, golden: Sequence[Golden]
) -> str | None:
    """How a length isn't the committed one; None if it is, or none is committed."""
    curves = [one for one in golden if model_of(one.model) == model]
    if not curves:
        return None
    curves = _of_draft(curves, simulated.draft)
    tokens = simulated.tokens
    at = [one for one in curves if tokens in (None, one.draft_tokens)]
    if any(math.isclose(one.length, simulated.length, abs_tol=5e-3) for one in at):
        return None
    drafts = "an unknown draft length" if tokens is None else f"draft length {tokens}"
    if not at:
        return f"{what} at {drafts}, for which no length of {model} is committed"
    said = ", ".join(f"{one.length:g} ({one.curve}, {one.mode})" for one in at[:4])
    others = [o for o in curves if math.isclose(o.length, simulated.length, abs_tol=5e-3)]
    hint = f", which is that of draft length {others[0].draft_tokens}" if others else ""
    return f"{what} at {drafts}{hint}: what is committed is {said}; take that"


def _of_draft(curves: list[Golden], draft: str) -> list[Golden]:
    """The curves that were measured with such a draft, if any were."""
    for word in _DRAFTS:
        fit = [one for one in curves if (word in one.curve) == (word in draft)]
        curves = fit or curves
    return curves


def _simulated(one: Started) -> Iterator[Simulated]:
    """Every length that a recipe, or its entry, has simulated."""
    injected = _injected(one)
    drafting = [side for side in one.recipe.sides.values() if side.role != "prefill"]
    for side in one.recipe.sides.values():
        own = _own(side, _tokens(one.recipe, drafting) or _tokens(one.recipe, [side]))
        if own is not None:
            yield own
    if injected is not None:
        length, at = injected
        for side in drafting:
            yield Simulated(
                length=length,
                tokens=_tokens(one.recipe, [side]),
                draft=_draft(side),
                written=f"{_LENGTH}={length:g}",
                at=at,
            )


def _own(side: Side, drafted: int | None) -> Simulated | None:
    """What a side says itself."""
    config = _config(side)
    if config.get("rejection_sample_method") == "synthetic":
        length = _number(config.get("synthetic_acceptance_length"))
        if length is None:
            return None
        return Simulated(
            length=length,
            tokens=_whole(config.get("num_speculative_tokens")),
            draft=_draft(side),
            written=f"synthetic_acceptance_length {length:g}",
            at=side.at.of("speculative-config"),
        )
    for name, verified in ((_SGLANG, 0), (_TRTLLM, 1)):  # the second leaves the verified one out
        said = _number(side.environment.get(name))
        if said is not None:
            return Simulated(
                length=said + verified,
                tokens=drafted,
                draft=_draft(side),
                written=f"{name}={said:g}",
                at=side.environment_at.of(name),
            )
    return None


def _injected(one: Started) -> tuple[float, Place] | None:
    """What the launcher writes into the recipe, except where accuracy is measured."""
    space, said = one.reference.space, one.reference.space.said(_LENGTH)
    on = space.setting("SYNTHETIC_ACCEPTANCE") == "true"
    length = None if said is None else _number(said[0])
    if said is None or length is None or not on or one.reference.setting != "CONFIG_FILE":
        return None
    return length, said[1]


def _tokens(recipe: Recipe, sides: Sequence[Side]) -> int | None:
    """The tokens that these sides draft a step, if they say it and the same."""
    found: set[int | None] = set()
    for side in sides:
        arguments, config = side.arguments, _config(side)
        if recipe.engine == "sglang":
            found.add(_whole(arguments.get("speculative-num-steps")))
        else:
            keys = ("num_speculative_tokens", "max_draft_len", "num_nextn_predict_layers")
            found.add(next((_whole(config[key]) for key in keys if key in config), None))
    return next(iter(found)) if len(found) == 1 else None


def _config(side: Side) -> Mapping[str, Any]:
    """The mapping of the draft's settings, which vllm has as JSON."""
    said = side.arguments.get("speculative-config")
    if isinstance(said, str):
        try:
            said = json.loads(said)
        except ValueError:
            return {}
    return said if isinstance(said, Mapping) else {}


def _draft(side: Side) -> str:
    return json.dumps(_config(side), default=str).lower()


def _number(said: object) -> float | None:
    try:
        return None if isinstance(said, bool) else float(str(said))
    except ValueError:
        return None


def _whole(said: object) -> int | None:
    number = _number(said)
    return int(number) if number is not None and number.is_integer() else None
