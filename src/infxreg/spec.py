"""The frozen launch spec: what a point resolves to, with an origin for each value."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, TypeAlias

from attrs import define, field, frozen

from infxreg.origin import Origin
from infxreg.scope import AxisValue
from infxreg.values import FrozenMap, Value

SCHEMA = 1

Answer: TypeAlias = Literal["ok", "refuted", "unknown"]
Severity: TypeAlias = Literal["error", "warning", "note"]


@frozen
class Check:
    """One answer about a spec: never two-valued. ``key`` is the option that it is about, if one."""

    id: str
    answer: Answer
    severity: Severity
    reason: str
    key: str | None = None

    @property
    def fails(self) -> bool:
        """Whether it is refuted at error level."""
        return self.answer == "refuted" and self.severity == "error"


@frozen
class Shadowed:
    """A value that didn't make it: whose, and why."""

    value: Value | None
    origin: Origin
    why: str
    derived: str | None = None


@frozen
class ResolvedOption:
    """An option's value at a point. ``value`` is None where it is absent, by a rule's word.

    ``origins`` are all rules that agree on it, least first; ``derived`` is the
    derivation with what it was given.
    """

    value: Value | None
    origins: tuple[Origin, ...]
    shadowed: tuple[Shadowed, ...] = ()
    derived: str | None = None

    @property
    def origin(self) -> Origin:
        """The least origin."""
        return self.origins[0]

    @property
    def absent(self) -> bool:
        """Whether the value is *absent*."""
        return self.value is None


@frozen
class SpecPoint:
    """The point of a spec: a value on every axis, and the swept point that it is."""

    axes: FrozenMap[str, AxisValue]
    id: str | None = None
    recipe: str | None = None


@frozen
class SpecModel:
    """What is served."""

    id: str
    hub_id: str
    revision: str | None = None


@frozen
class SpecImage:
    """The image: the reference that is launched, and its digest where known."""

    reference: str
    digest: str | None = None


@frozen
class Resources:
    """``gpus`` in all, on ``nodes`` nodes that have ``gpus_per_node`` each."""

    nodes: int
    gpus_per_node: int
    gpus: int


@frozen
class Timeouts:
    """Seconds, and attempts. ``engine_ready_s`` is None for an engine without such a limit."""

    engine_ready_s: int | None
    health_interval_s: int
    health_attempts: int

    @property
    def health_budget_s(self) -> int:
        """How long the launcher asks before it gives up."""
        return self.health_interval_s * self.health_attempts


@frozen
class Frontend:
    """A router in front of the engine, and its arguments."""

    type: str
    args: FrozenMap[str, Value] = field(factory=FrozenMap)


@define(frozen=True, slots=False, kw_only=True)
class LaunchSpec:
    """Everything needed to start a point, and where each value is from."""

    point: SpecPoint
    sku: str
    model: SpecModel
    engine: str
    image: SpecImage
    argv: tuple[str, ...]
    env: FrozenMap[str, str]
    resources: Resources
    timeouts: Timeouts
    client_env: FrozenMap[str, str] = field(factory=FrozenMap)
    frontend: Frontend | None = None
    setup: str | None = None
    gates: tuple[str, ...] = ()
    moved_axes: FrozenMap[str, AxisValue] = field(factory=FrozenMap)
    """The axes that differ from their defaults: what `digest` covers of the point."""
    options: FrozenMap[str, ResolvedOption] = field(factory=FrozenMap)
    checks: tuple[Check, ...] = ()
    schema: int = SCHEMA

    @cached_property
    def launch_digest(self) -> str:
        """Of what is started: image, argv, env, resources, timeouts."""
        return _digest(self._launched())

    @cached_property
    def digest(self) -> str:
        """Of what is started and for what: evidence binds to it.

        Beside `launch_digest`: SKU, model and revision, engine, axes that differ from
        their defaults, open gates, and what runs beside the engine. Never origins,
        versions, closed gates or checks.
        """
        return _digest(
            {
                **self._launched(),
                "sku": self.sku,
                "model": [self.model.hub_id, self.model.revision],
                "engine": self.engine,
                "axes": dict(self.moved_axes),
                "gates": list(self.gates),
                "client_env": dict(self.client_env),
                "frontend": self.frontend
                and {"type": self.frontend.type, "args": dict(self.frontend.args)},
                "setup": self.setup,
            }
        )

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that are refuted at error level."""
        return tuple(check for check in self.checks if check.fails)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON or TOML: keys whose value is None are left out."""
        from infxreg.codec import to_dict

        return to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> LaunchSpec:
        """The spec that `to_dict` gave.

        Raises:
            SpecFormatError: for another schema, unknown or missing keys, or digests
                that aren't those of the content.
        """
        from infxreg.codec import from_dict

        return from_dict(data)

    def _launched(self) -> dict[str, Any]:
        return {
            "image": [self.image.reference, self.image.digest],
            "argv": list(self.argv),
            "env": dict(self.env),
            "resources": [
                self.resources.nodes,
                self.resources.gpus_per_node,
                self.resources.gpus,
            ],
            "timeouts": [
                self.timeouts.engine_ready_s,
                self.timeouts.health_interval_s,
                self.timeouts.health_attempts,
            ],
        }


def canonical(data: object) -> str:
    """JSON in one spelling: sorted keys, no spaces, UTF-8."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _digest(data: object) -> str:
    return "sha256:" + hashlib.sha256(canonical(data).encode()).hexdigest()
