"""What a registry says at a point, spec or error, and when two of these say the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from infxreg import InfxregError, LaunchSpec, Point, Registry
from infxreg.errors import ConflictError, GateIdleError, GateScopeError
from infxreg.spec import ResolvedOption

Outcome = LaunchSpec | InfxregError


def outcome(registry: Registry, point: Point, request: Mapping[str, Any] | None = None) -> Outcome:
    """The spec, or the error that is raised instead of one."""
    try:
        return registry.resolve(point, **(request or {}))
    except InfxregError as error:
        return error


def same_outcome(a: Outcome, b: Outcome) -> bool:
    """Whether two outcomes are equal: values with their types, origins, digests, conflicts.

    Of a gate that can't be opened only the name counts: the errors also tell its scope, and
    what its other rules need, which an edit elsewhere may change.
    """
    if isinstance(a, LaunchSpec) and isinstance(b, LaunchSpec):
        return a == b and a.digest == b.digest and same_types(a.options, b.options)
    if type(a) is not type(b):
        return False
    for cls in (GateIdleError, GateScopeError):
        if isinstance(a, cls) and isinstance(b, cls):
            return a.gate == b.gate
    return attrs.astuple(a, recurse=False) == attrs.astuple(b, recurse=False)  # type: ignore[arg-type]


def same_values(a: LaunchSpec, b: LaunchSpec) -> bool:
    """Whether two specs start the same thing for the same purpose, and for the same reasons."""
    return a.digest == b.digest and a.options == b.options and same_types(a.options, b.options)


def same_types(a: Mapping[str, ResolvedOption], b: Mapping[str, ResolvedOption]) -> bool:
    """Whether values that are equal have equal types too: ``1``, ``1.0`` and ``True`` differ."""
    return all(type(option.value) is type(b[key].value) for key, option in a.items())


def told(result: Outcome) -> str:
    """An outcome in a few words, for an assertion's message."""
    if isinstance(result, LaunchSpec):
        values = {key: (o.value, [str(w) for w in o.origins]) for key, o in result.options.items()}
        return f"gates {result.gates} {values}"
    return f"{type(result).__name__}: {result}"


def conflicting(error: ConflictError) -> dict[str, tuple[str, ...]]:
    """Key -> its sides, of a conflict."""
    return {conflict.key: conflict.sides for conflict in error.conflicts}
