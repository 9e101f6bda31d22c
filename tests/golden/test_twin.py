"""Eleven points, written out in full: this runs where the reference data isn't at hand."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import infxreg

POINTS = tomllib.loads((Path(__file__).parent / "twin.toml").read_text())["point"]


@pytest.mark.parametrize("expected", POINTS, ids=lambda p: "-".join(p["request"].values()))
def test_a_point_written_out(registry: infxreg.Registry, expected: dict[str, Any]) -> None:
    """The command line to the word, variables, image, health check, GPUs, router and gates."""
    spec = registry.resolve(**expected["request"])
    assert list(spec.argv) == expected["argv"]
    assert spec.env == expected["env"]
    assert spec.client_env == expected["client_env"]
    assert spec.image.reference == expected["image"]
    health = [spec.timeouts.health_interval_s, spec.timeouts.health_attempts]
    assert health == expected["health"]
    assert spec.resources.gpus == expected["gpus"]
    assert list(spec.gates) == expected["gates"]
    assert spec.setup == expected.get("setup")
    frontend = spec.frontend and {"type": spec.frontend.type, "args": dict(spec.frontend.args)}
    assert frontend == expected.get("frontend")
