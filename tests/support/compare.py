"""Hold the registry's answer at a point against the naive resolver's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infxreg import LaunchSpec, Registry
from infxreg.errors import (
    ConflictError,
    DerivationError,
    GateContradictionError,
    GateIdleError,
    GateScopeError,
    InfxregError,
    PurposeError,
    UnknownIdError,
)
from infxreg.origin import Origin
from support import naive
from support.outcomes import Outcome, outcome
from support.points import point

REFUSALS: dict[type[naive.Refused], type[InfxregError]] = {
    naive.UnknownGate: UnknownIdError,
    naive.GateBoth: GateContradictionError,
    naive.GateOutside: GateScopeError,
    naive.GateIdle: GateIdleError,
    naive.PurposeUnnamed: PurposeError,
    naive.DerivationFailed: DerivationError,
}


def compare(
    registry: Registry, world: naive.World, axes: Mapping[str, Any], request: Mapping[str, Any]
) -> str:
    """Assert that both say the same of a point; what conflicts is set, and looked at again.

    Returns:
        What the first answer was: ``spec``, or the name of an error.
    """
    got = outcome(registry, point(axes), request)
    try:
        wanted = naive.resolve(world, axes, **request)
    except naive.Refused as refused:
        same_refusal(got, refused, request)
        return type(got).__name__
    clashes = {key: found for key, found in wanted.items() if isinstance(found, naive.Clash)}
    if not clashes:
        assert isinstance(got, LaunchSpec), f"naive: a spec, got {got!r}"
        same_answers(got, wanted)  # type: ignore[arg-type]
        assert frozenset(got.gates) == naive.opened(
            world, axes, request.get("gates", ()), request.get("no_gates", ())
        )
        return "spec"
    assert isinstance(got, ConflictError), f"naive: {clashes}, got {got!r}"
    assert {conflict.key for conflict in got.conflicts} == set(clashes)
    for conflict in got.conflicts:
        sides = sorted(place.partition(" ")[0] for _, place in conflict.sides)
        wanted_sides = [f"{plugin}:{rule}" for _, plugin, _, rule in clashes[conflict.key].origins]
        assert sides == sorted(wanted_sides)
    settled = {**request.get("set", {}), **{key: VALUES[key] for key in clashes if key in VALUES}}
    if len(settled) - len(request.get("set", {})) == len(clashes):
        compare(registry, world, axes, {**request, "set": settled})
    return "ConflictError"


def same_refusal(got: Outcome, refused: naive.Refused, request: Mapping[str, Any]) -> None:
    """Assert that a request is refused for the same reason."""
    assert type(got) is REFUSALS[type(refused)], f"naive: {refused!r}, got {got!r}"
    if isinstance(refused, naive.GateIdle) and len(request["gates"]) == 1:
        assert isinstance(got, GateIdleError)
        assert got.needs == refused.needs


def same_answers(spec: LaunchSpec, wanted: Mapping[str, naive.Answer]) -> None:
    """Assert that a spec's options are the naive resolver's, key by key."""
    assert set(spec.options) == set(wanted)
    for key, option in spec.options.items():
        answer = wanted[key]
        assert naive.typed(option.value) == naive.typed(answer.value), key
        assert [named(origin) for origin in option.origins] == list(answer.origins), key
        assert {named(item.origin) for item in option.shadowed} == answer.shadowed, key


def named(origin: Origin) -> naive.Origin:
    """An origin as the naive resolver names it."""
    return (origin.layer.label, origin.plugin, origin.file, origin.rule)


VALUES: dict[str, Any] = {
    "gamma.input": 32,
    "alpha.count": 32,
    "beta.real": 32.5,
    "beta.flag": True,
    "gamma.list": (32,),
    "alpha.text": "settled",
    "delta.text": "settled",
    "args.more": "settled",
    "env.MORE": "settled",
    "client_env.MORE": "settled",
    "image": "reg/base:1",
}
"""What a request sets a key of generated registries to, where it conflicts."""
