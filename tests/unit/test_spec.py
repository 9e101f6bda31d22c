"""The launch spec: frozen, to plain data and back, and what its digests cover."""

from __future__ import annotations

import copy
import json
import pickle
import tomllib
from typing import Any

import pytest
import tomli_w
from attrs import evolve
from attrs.exceptions import FrozenInstanceError

from infxreg import LaunchSpec
from infxreg.contribution import Contribution
from infxreg.errors import SpecFormatError
from infxreg.spec import SpecModel, canonical
from infxreg.values import Derived, FrozenMap
from support.builders import X10, acme, rule, where

REGISTRY = acme()
SPEC = REGISTRY.resolve(**X10)


def full() -> LaunchSpec:
    """A spec with something in every field, absences and lists included."""
    return acme(site='[[rule]]\nid = "s"\nset."attention.backend" = "PLAIN"').resolve(
        **X10,
        set={
            "client_env.A": "1",
            "frontend.type": "router",
            "frontend.args.retries": 3,
            "frontend.args.hash": True,
            "setup.script": "s.sh",
            "cudagraph.capture_sizes": [1, 2],
            "memory.gpu_fraction": 0.9,
        },
        unset=["timeout.engine_ready_s", "kv_cache.dtype", "scheduler.max_num_seqs"],
        image="acme/run:v2.0.0",
    )


@pytest.mark.parametrize("spec", [SPEC, full(), REGISTRY.resolve(**X10, conc=3)])
def test_there_and_back(spec: LaunchSpec) -> None:
    """By dicts, JSON and TOML: an equal spec with equal digests."""
    data = spec.to_dict()
    through = [data, json.loads(json.dumps(data)), tomllib.loads(tomli_w.dumps(data))]
    for plain in through:
        again = LaunchSpec.from_dict(plain)
        assert again == spec
        assert again.digest == spec.digest
        assert again.launch_digest == spec.launch_digest
        assert again.to_dict() == data


def test_plain_data_has_the_names_of_the_design() -> None:
    """Schema and digests first; what is None is left out, since TOML has no null."""
    data = SPEC.to_dict()
    assert list(data)[:3] == ["schema", "digest", "launch_digest"]
    assert {"point", "image", "argv", "env", "resources", "timeouts"} < set(data)
    assert data["image"] == {"reference": "acme/run:nightly-1"}
    assert data["resources"] == {"nodes": 1, "gpus_per_node": 8, "gpus": 2}
    assert "setup" not in data
    assert data["point"]["id"] == "tp2_c16"
    origin = data["options"]["attention.backend"]["origins"][0]
    assert (origin["plugin"], origin["layer"]) == ("acme", "plugin")


def test_copies_are_equal() -> None:
    """Deep copies, and pickles across processes."""
    assert copy.deepcopy(SPEC) == SPEC
    again = pickle.loads(pickle.dumps(SPEC))
    assert again == SPEC
    assert again.digest == SPEC.digest


def test_a_spec_is_frozen() -> None:
    """No field can be set, on it or in it."""
    for target, name in (
        (SPEC, "argv"),
        (SPEC.point, "id"),
        (SPEC.image, "digest"),
        (SPEC.timeouts, "engine_ready_s"),
        (SPEC.options["image"], "value"),
        (SPEC.checks[0], "answer"),
    ):
        with pytest.raises(FrozenInstanceError):
            setattr(target, name, None)
    with pytest.raises(TypeError):
        SPEC.env["X"] = "1"  # type: ignore[index]


def digests(**request: Any) -> tuple[str, str]:
    spec = REGISTRY.resolve(**{**X10, **request})
    return spec.launch_digest, spec.digest


@pytest.mark.parametrize(
    ("request_", "launch", "whole"),
    [
        ({}, True, True),
        ({"set": {"args.x": 1}}, False, False),
        ({"set": {"env.X": "1"}}, False, False),
        ({"image": "acme/run:v2.0.0"}, False, False),
        ({"set": {"timeout.health_attempts": 181}}, False, False),
        ({"set": {"client_env.X": "1"}}, True, False),
        ({"set": {"setup.script": "s"}}, True, False),
        ({"set": {"frontend.type": "router"}}, True, False),
        ({"cluster": "none"}, True, True),
        ({"set": {"parallel.tp": 2}}, True, True),
        ({"unset": ["kv_cache.dtype"]}, True, True),
        ({"no_gates": ["extra"]}, True, True),
    ],
)
def test_what_digests_cover(request_: dict[str, Any], launch: bool, whole: bool) -> None:
    """What is started; and for what. Never origins or closed gates."""
    base, other = digests(), digests(**request_)
    assert (base[0] == other[0], base[1] == other[1]) == (launch, whole)


def test_a_digest_covers_the_axes_that_arent_defaults() -> None:
    """A new axis at its default changes no digest; another concurrency does."""
    wider = acme('[[axis]]\nid = "region"\ndefault = "here"\nvalues = ["there"]')
    assert wider.resolve(**X10).digest == SPEC.digest
    moved = wider.resolve(**X10, region="there", gates=["fast"])
    assert moved.digest != SPEC.digest
    assert moved.launch_digest == SPEC.launch_digest


def test_a_digest_covers_model_revision_and_sku() -> None:
    """Although neither is started by its name."""
    other = evolve(SPEC, model=SpecModel("m1", "acme/m1", "r2"))
    assert other.launch_digest == SPEC.launch_digest
    assert other.digest != SPEC.digest
    assert evolve(SPEC, sku="x11").digest != SPEC.digest


def test_a_digest_covers_no_versions() -> None:
    """Another version of the plugin with the same records is the same launch."""
    contributions = [evolve(c, version="9.9") for c in REGISTRY.contributions]
    newer = evolve(REGISTRY, contributions=tuple(contributions))
    assert newer.resolve(**X10).digest == SPEC.digest
    assert newer.resolve(**X10) != SPEC


def test_digests_are_pinned() -> None:
    """Across releases of infxreg: evidence is bound to them."""
    assert SPEC.launch_digest == (
        "sha256:946d3593ff833f39aefc745a2909089cd4014f4f41f33845bad3488947c28f90"
    )
    assert SPEC.digest == "sha256:54bdf44ea80c7194bbc2ebbd66ba2897571872f879240cc39083a3cf0dce24dc"


def test_canonical() -> None:
    """One spelling: keys sorted, no spaces, characters as they are."""
    assert canonical({"b": [1, True, None], "a": "ü"}) == '{"a":"ü","b":[1,true,null]}'


def edited(path: str, value: Any) -> dict[str, Any]:
    """The plain data of the spec with one key changed; None takes it out."""
    data = copy.deepcopy(SPEC.to_dict())
    *steps, last = path.split("/")
    place: Any = data
    for step in steps:
        place = place[int(step) if isinstance(place, list) else step]
    if value is None:
        del place[last]
    else:
        place[int(last) if isinstance(place, list) else last] = value
    return data


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("digest", "sha256:0"),
        ("launch_digest", "sha256:0"),
        ("argv/2", "other/model"),
        ("env/RUN_READY_S", "1"),
        ("image/reference", "other:1"),
        ("resources/gpus", 4),
        ("timeouts/health_attempts", 1),
        ("sku", "x11"),
        ("moved_axes/tp", 4),
        ("client_env/X", "1"),
    ],
)
def test_an_edited_spec_is_refused(path: str, value: Any) -> None:
    """Its digests are no longer those of its content."""
    with pytest.raises(SpecFormatError, match="isn't that of the content: it was edited"):
        LaunchSpec.from_dict(edited(path, value))


def test_an_edited_point_is_refused() -> None:
    """The axes that it shows are those that its digest covers."""
    with pytest.raises(SpecFormatError):
        LaunchSpec.from_dict(edited("point/axes/tp", 4))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("schema", 2, "schema 2; this version reads 1"),
        ("schema", None, "schema None; this version reads 1"),
        ("surprise", 1, "extra fields found (surprise) @ spec"),
        ("image/tag", "x", "extra fields found (tag) @ spec.image"),
        ("argv", None, "required field missing @ spec.argv"),
        ("point/axes", None, "required field missing @ spec.point.axes"),
        ("env", [], "@ spec.env"),
        ("checks/0/answer", "maybe", "@ spec.checks[0].answer"),
        ("options/image/origins/0/layer", "cellar", "spec.options"),
        ("options/image/value", {"a": 1}, "@ spec.options"),
    ],
)
def test_what_is_no_launch_spec(path: str, value: Any, message: str) -> None:
    """The problem and where it is."""
    with pytest.raises(SpecFormatError) as error:
        LaunchSpec.from_dict(edited(path, value))
    assert str(error.value).startswith("not a launch spec: ")
    assert message in str(error.value)
    assert isinstance(error.value.problems, tuple)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("resources/gpus", 2.5),
        ("resources/gpus", "2"),
        ("resources/gpus", True),
        ("timeouts/engine_ready_s", "1000"),
        ("argv", "run"),
        ("argv/4", 2),
        ("sku", 10),
        ("env/RUN_READY_S", 1000),
        ("point/axes/tp", [2]),
        ("point/axes/tp", 2.0),
        ("setup", ["s.sh"]),
    ],
)
def test_values_of_the_wrong_type_arent_coerced(path: str, value: Any) -> None:
    """Two and a half GPUs aren't two: what isn't of its type is refused, not made to fit."""
    with pytest.raises(SpecFormatError):
        LaunchSpec.from_dict(edited(path, value))


def test_all_problems_of_a_document_in_one_go() -> None:
    """Not only the first."""
    data = edited("argv", None)
    del data["env"]
    data["surprise"] = 1
    with pytest.raises(SpecFormatError) as error:
        LaunchSpec.from_dict(data)
    assert len(error.value.problems) == 3


@pytest.mark.parametrize(("data", "kind"), [([], "list"), ("x", "str"), (None, "NoneType")])
def test_what_is_no_table(data: Any, kind: str) -> None:
    """Neither is a launch spec."""
    with pytest.raises(SpecFormatError) as error:
        LaunchSpec.from_dict(data)
    assert str(error.value) == f"not a launch spec: a table is needed, not {kind}"


def test_values_keep_their_types() -> None:
    """A boolean stays one, a whole float too, a derivation is shown beside its value."""
    registry = acme(
        rule("r", {"args.b": True, "memory.gpu_fraction": 1, "args.l": ("a", 1)}, where(sku="x10"))
    )
    options = LaunchSpec.from_dict(registry.resolve(**X10).to_dict()).options
    assert options["args.b"].value is True
    assert type(options["memory.gpu_fraction"].value) is float
    assert options["args.l"].value == ("a", 1)
    assert options["parallel.tp"].derived == "copy(tp) with tp=2"


def test_a_spec_of_an_api_user() -> None:
    """A contribution made in Python gives the same spec as one made of TOML."""
    made = rule("r", {"args.x": Derived("copy", ("tp",)), "args.y": 1}, where(sku="x10"))
    toml = (
        '[[rule]]\nid = "r"\nwhen = { sku = "x10" }\n'
        'set."args.x" = { derive = "copy", reads = ["tp"] }\nset."args.y" = 1'
    )
    a = acme(Contribution.of("extra", made)).resolve(**X10)
    b = acme(toml).resolve(**X10)
    assert a.digest == b.digest
    assert FrozenMap({k: o.value for k, o in a.options.items()}) == {
        k: o.value for k, o in b.options.items()
    }
