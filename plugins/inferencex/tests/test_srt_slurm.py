"""Launches as srt-slurm's recipes, expanded again by its rules and nothing of ours."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from infxreg import Registry
from infxreg.exchange import ExportError, Launch
from infxreg_inferencex.srt_slurm import _scalar, flags, write
from support import srtslurm

ROOT = Path(__file__).resolve().parents[3]


def merged(base: Any, over: Any) -> Any:
    """srt-slurm's rules: mappings merge, null deletes, everything else replaces."""
    if not isinstance(base, dict) or not isinstance(over, dict):
        return over
    found = dict(base)
    for key, value in over.items():
        if value is None:
            found.pop(key, None)
        else:
            found[key] = merged(found.get(key), value)
    return found


def variants(text: str) -> dict[str, dict[str, Any]]:
    document = yaml.safe_load(text)
    base = document.pop("base")
    return {name.removeprefix("override_"): merged(base, over) for name, over in document.items()}


def seen(variant: Mapping[str, Any]) -> dict[str, Any]:
    """What a variant launches, in the words of the reference table."""
    role, frontend = variant["roles"]["agg"], variant["frontend"]
    engine = variant["engine"]
    name = engine if isinstance(engine, str) else engine["type"]
    own = frontend["type"] == name
    health = variant["health_check"]
    return {
        "args": srtslurm.flags(role["args"]),
        "env": role["env"],
        "client_env": variant["benchmark"]["env"],
        "image": variant["model"]["container"],
        "health": (health["interval_seconds"], health["max_attempts"]),
        "gpus": (role["gpus"], variant["resources"]["gpus_per_node"], role["nodes"]),
        "frontend": None if own else {"type": frontend["type"], "args": frontend["args"]},
        "setup": variant.get("setup_script"),
    }


def launches(registry: Registry, **more: Any) -> list[Launch]:
    return [
        Launch(
            recipe=point.recipe.id if point.recipe else "",
            point=point.id or "",
            spec=registry.resolve(point, **more),
        )
        for point in registry.points(purpose="serve")
    ]


def test_every_point_comes_back_as_it_is_launched(registry: Registry) -> None:
    """All 233, against our own launch specs."""
    found = launches(registry)
    files = write(found, registry.catalogue)
    back = {name: variants(text) for name, text in files.items()}
    assert sum(map(len, back.values())) == len(found) == 233
    for one in found:
        spec, told = one.spec, seen(back[f"{one.recipe}.yaml"][one.point])
        assert told["args"] == {
            name: words
            for name, words in srtslurm.parse(spec.argv, spec.engine).items()
            if name != "--model-path"
        }
        assert told["env"] == dict(spec.env)
        assert told["client_env"] == dict(spec.client_env)
        assert told["image"] == spec.image.reference
        assert told["setup"] == spec.setup


def test_every_point_is_as_the_real_recipes_have_it(registry: Registry) -> None:
    """The 233 points of the reference table; b200 with vllm as it was before its gate."""
    shared = Path(os.environ.get("INFXREG_SHARED", ROOT.parent / "shared"))
    path = shared / "data" / "dsv41flash.json"
    if not path.is_file():
        pytest.skip(f"no reference data at {path}; the test before this one runs all the same")
    table = json.loads(path.read_text())
    expected = list(srtslurm.points(table))
    assert len(expected) == 233
    made: list[Launch] = []
    for point in expected:
        more: dict[str, Any] = {}
        if (point.sku, point.engine) == ("b200", "vllm"):
            more = {"no_gates": ["dsv41-blackwell-attention"], "image": point.image}
        axes = {"sku": point.sku, "engine": point.engine, "workload": point.workload}
        spec = registry.resolve(point.id, model="dsv41flash", **axes, **more)
        recipe = f"{point.sku}-{point.engine}-{point.workload}"
        made.append(Launch(recipe=recipe, point=point.id, spec=spec))
    files = write(made, registry.catalogue)
    back = {name: variants(text) for name, text in files.items()}
    for point in expected:
        told = seen(back[f"{point.sku}-{point.engine}-{point.workload}.yaml"][point.id])
        assert told == {
            "args": point.args,
            "env": point.env,
            "client_env": point.client_env,
            "image": point.image,
            "health": point.health,
            "gpus": (point.gpus, point.gpus_per_node, 1),
            "frontend": point.frontend,
            "setup": point.setup,
        }, point


def test_what_all_points_say_is_said_once(registry: Registry) -> None:
    """An override has only what is its own; the same launches give the same bytes."""
    found = [one for one in launches(registry) if "b200-vllm" in one.recipe]
    found = [one for one in found if "gb200" not in one.recipe]
    (text,) = write(found, registry.catalogue).values()
    document = yaml.safe_load(text)
    assert document["base"]["schema"] == 2
    assert "tensor-parallel-size" not in document["base"]["roles"]["agg"]["args"]
    assert set(document["override_tp2_c1"]["roles"]["agg"]["args"]) == {
        "tensor-parallel-size",
        "attention-config",
        "max-num-seqs",
        "max-num-batched-tokens",
        "max-cudagraph-capture-size",
    }
    assert (text,) == tuple(write(found, registry.catalogue).values())


def test_what_can_t_be_expressed(registry: Registry) -> None:
    """All of it is named, and nothing is written."""
    (point,) = registry.points(sku="h100", engine="vllm", conc=1, purpose="throughput")
    spec = registry.resolve(point)
    with pytest.raises(ExportError) as caught:
        write([Launch(recipe="r", point="p", spec=spec)] * 2, registry.catalogue)
    assert len(caught.value.problems) == 2
    assert caught.value.problems[0].startswith("r/p: purpose is throughput: InferenceX makes that")
    decode = registry.resolve(sku="h100", model="dsv41flash", engine="vllm", role="decode")
    with pytest.raises(ExportError, match="r/p: role is decode"):
        write([Launch(recipe="r", point="p", spec=decode)], registry.catalogue)


@pytest.mark.parametrize(
    ("argv", "found"),
    [
        (["org/m", "--a", "1", "--b", "--c", "x"], {"a": 1, "b": True, "c": "x"}),
        (["--model-path", "org/m", "--a", "0.95"], {"a": 0.95}),
        (["--a=-x", "--b", "1.50", "--c", "007"], {"a": "-x", "b": "1.50", "c": "007"}),
        (["--a", "1", "2", "--b", "x", "y"], {"a": [1, 2], "b": ["x", "y"]}),
        ([], {}),
    ],
)
def test_flags(argv: list[str], found: dict[str, Any]) -> None:
    """A number only where its text is just that number's."""
    assert dict(flags(argv)) == found


@given(
    st.one_of(
        st.text(st.characters(exclude_categories=("Cs",))),
        st.integers(),
        st.booleans(),
        st.none(),
        st.sampled_from(
            ["yes", "1", "1e3", "~", "null", "- a", "a: b", "#x", "'", '"', "{", "0o7"]
        ),
    )
)
def test_a_scalar_is_read_back_as_itself(value: Any) -> None:
    """Whatever a value looks like."""
    assert yaml.safe_load(f"a:\n  b: {_scalar(value)}\n") == {"a": {"b": value}}
    assert yaml.safe_load(f"- {_scalar(value)}\n") == [value]
