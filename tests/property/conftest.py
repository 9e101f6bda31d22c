"""Hypothesis settings of the property tests, and the shipped registry.

``INFXREG_HYPOTHESIS`` names a profile: ``ci`` (unless said) tries the same examples in every
run, ``search`` new ones, ``brief`` doesn't shrink what fails.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, settings

import infxreg

COMMON = {
    "deadline": None,
    "print_blob": True,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
settings.register_profile("ci", derandomize=True, **COMMON)  # type: ignore[arg-type]
settings.register_profile("search", **COMMON)  # type: ignore[arg-type]
settings.register_profile(
    "brief",
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    **COMMON,  # type: ignore[arg-type]
)
settings.load_profile(os.environ.get("INFXREG_HYPOTHESIS", "ci"))


@pytest.fixture(scope="session")
def shipped() -> infxreg.Registry:
    registry = infxreg.discover()
    registry.check()
    return registry
