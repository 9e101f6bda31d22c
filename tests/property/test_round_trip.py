"""Law: TOML and JSON round-trip to an equal spec with equal digests."""

from __future__ import annotations

import json
import random
import tomllib
from collections.abc import Callable
from typing import Any

import pytest
import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st

from infxreg import LaunchSpec, Registry
from infxreg.errors import SpecFormatError
from support.case import Case
from support.outcomes import outcome, same_outcome
from support.points import draw_axes, draw_request, point
from support.strategies import cases, randoms

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
"""Anything that UTF-8 can hold: quotes, newlines, control characters …"""

values = st.fixed_dictionaries(
    {},
    optional={
        "alpha.text": texts,
        "delta.text": texts,
        "alpha.count": st.integers(-(2**62), 2**62),
        "beta.real": st.floats(allow_nan=False) | st.integers(-9, 9),
        "beta.flag": st.booleans(),
        "gamma.list": st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=3).map(tuple),
        "args.more": st.sampled_from([1, 1.0, True, "1", (1, 1.0, True, "1"), -0.0, 1e300]),
        "args.odd": texts,
        "env.ODD": texts,
        "client_env.ODD": texts,
    },
)


def documents(spec: LaunchSpec) -> list[dict[str, Any]]:
    """The spec after a trip through JSON and one through TOML."""
    data = spec.to_dict()
    return [json.loads(json.dumps(data)), tomllib.loads(tomli_w.dumps(data))]


def assert_round_trips(spec: LaunchSpec) -> None:
    """Both trips end at an equal spec: types, digests and the document itself."""
    for document in documents(spec):
        assert document == json.loads(json.dumps(spec.to_dict()))
        again = LaunchSpec.from_dict(document)
        assert same_outcome(spec, again)
        assert again.launch_digest == spec.launch_digest
        assert repr(again) == repr(spec)
        assert document["digest"] == again.digest


@given(case=cases((4, 12)), rng=randoms(), odd=values)
@settings(max_examples=100)
def test_generated_specs_round_trip(case: Case, rng: random.Random, odd: dict[str, Any]) -> None:
    """Specs of generated registries, with values of every type and with any text."""
    axes = draw_axes(rng, case)
    request = draw_request(rng, case, axes)
    asked = {"set": {**request.get("set", {}), **odd}}
    result = outcome(case.registry(), point(axes), {**request, **asked, "unset": []})
    if isinstance(result, LaunchSpec):
        assert_round_trips(result)


@pytest.mark.parametrize("purpose", ["serve", "throughput", "eval"])
def test_shipped_specs_round_trip(shipped: Registry, purpose: str) -> None:
    """Every fourth swept point of the shipped registry, at each purpose."""
    for place in list(shipped.points())[::4]:
        assert_round_trips(shipped.resolve(place.at(purpose=purpose)))


def edits() -> list[Callable[[dict[str, Any]], Any]]:
    """Changes of what a digest covers."""
    return [
        lambda d: d["argv"].append("--leak"),
        lambda d: d["env"].update(LEAK="1"),
        lambda d: d["image"].update(reference="reg/leak:1"),
        lambda d: d["image"].update(digest="sha256:leak"),
        lambda d: d["resources"].update(gpus=64),
        lambda d: d["timeouts"].update(health_attempts=1),
        lambda d: d["client_env"].update(LEAK="1"),
        lambda d: d.update(sku="mi300x" if d["sku"] != "mi300x" else "b200"),
        lambda d: d["moved_axes"].update(tp=64),
    ]


@pytest.mark.parametrize("number", range(len(edits())))
def test_an_edited_document_isnt_read_as_the_spec_that_it_was(
    shipped: Registry, number: int
) -> None:
    """Whatever a digest covers can't be changed in a document without the digest."""
    for place in list(shipped.points())[number::30]:
        (document, _) = documents(shipped.resolve(place))
        edits()[number](document)
        with pytest.raises(SpecFormatError, match="it was edited"):
            LaunchSpec.from_dict(document)
