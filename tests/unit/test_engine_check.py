"""Specs against what the engine in their image accepts: made engines, and the shipped ones."""

from __future__ import annotations

import functools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from infxreg import Registry, discover
from infxreg.records import Capability, EngineSurface, Image
from infxreg.spec import LaunchSpec
from infxreg.surface.fold import fold, folded_text
from infxreg.surface.model import Flag, Surface, Wheel
from infxreg.tablefile import TableFile
from support.builders import NIGHTLY, X10, MemoryFile, acme, rule
from support.surfaces import boolean, config, flag, surface

MEGA = "FLASHMLA_MEGA_ATTN_DSV41"
GB200_NIGHTLY = "vllm/vllm-openai:nightly-cd10ed6f9f6b37a8ace9cf380007e66fe12ec0c3"


def run_surface(version: str, *flags: Flag, keys: str = "backend sparse") -> Surface:
    """What the made engine ``run`` accepts."""
    return surface(
        "run",
        version,
        Flag(dest="model"),
        flag("--attn", type="dataclass", config="Attn"),
        *(flag(f"--{name}") for name in ("tp-size", "max-seqs", "draft")),
        boolean("--prefix-cache"),
        *flags,
        configs={"Attn": config(**dict.fromkeys(keys.split(), "str | bool | None"))},
    )


def shipped(data: bytes, engine: str = "run", extract: str = "a.b:c") -> EngineSurface:
    file = TableFile("surface.json", MemoryFile(data))
    return EngineSurface(id=engine, file=file, extract=extract)


def releases(*surfaces: Surface) -> EngineSurface:
    days = {"1.0.0": "2026-01-10", "1.1.0": "2026-02-10", "1.2.0": "2026-03-10"}
    wheels = {v: Wheel(f"{v}.whl", "ab" * 32, day) for v, day in days.items()}
    return shipped(folded_text(fold(surfaces, wheels)).encode())


ALL = releases(run_surface("1.0.0", keys="backend"), run_surface("1.1.0"), run_surface("1.2.0"))


def engine(spec: LaunchSpec) -> list[tuple[str, str, str]]:
    return [(c.answer, c.severity, c.reason) for c in spec.checks if c.id == "engine"]


def test_a_release_that_takes_it() -> None:
    """One line says so, with how the version is known."""
    spec = acme(ALL).resolve(**X10, image="acme/run:v1.1.0")
    assert engine(spec) == [
        (
            "ok",
            "note",
            "run 1.1.0 takes the command line; by its version, from the run plugin",
        )
    ]


def test_a_release_that_refuses_it() -> None:
    """The key, the first version, the option, and the rule that sets it."""
    registry = acme(ALL, rule("mine", {"attention.indexer_sparse_logits": True}))
    spec = registry.resolve(**X10, image="acme/run:v1.0.0")
    assert engine(spec) == [
        (
            "refuted",
            "error",
            "--attn: run 1.0.0 has no key 'sparse'; first in 1.1.0; "
            "attention.indexer_sparse_logits is set by extra:mine",
        )
    ]
    assert "engine" in [check.id for check in spec.failed]


def test_raw_arguments_and_variables_have_their_key() -> None:
    """As the rule wrote it."""
    registry = acme(ALL, rule("mine", {"args.own-flag": 1}))
    spec = registry.resolve(**X10, image="acme/run:v1.0.0")
    assert engine(spec)[0][2].endswith("; args.own-flag is set by extra:mine")


@pytest.mark.parametrize("knows", [True, False])
def test_a_nightly(knows: bool) -> None:
    """Unknown, unless its record knows the capability that stands for the key."""
    registry = acme(
        ALL,
        Capability(
            id="sparse", engine="run", source="t", since="1.1.0", flag="--attn", key="sparse"
        ),
        Image(
            id="acme/run:n2",
            engine="run",
            source="t",
            date="2026-02-01",
            knows=("sparse",) if knows else (),
        ),
        rule("mine", {"attention.indexer_sparse_logits": True}),
    )
    ((answer, _, reason), *more) = engine(registry.resolve(**X10, image="acme/run:n2"))
    assert answer == ("ok" if knows else "unknown")
    assert ("the image's record knows sparse" in reason) == knows
    assert ("built on 2026-02-01, so between 1.0.0 and 1.2.0" in reason) != knows
    assert len(more) == knows


def test_a_requirement_is_decided_by_the_bracket() -> None:
    """What every release of it has, it has."""
    image = Image(id="acme/run:n2", engine="run", source="t", date="2026-02-01")
    for since, answer in (("0.9.0", "ok"), ("1.1.0", "unknown"), ("1.3.0", "refuted")):
        made = Capability(id="made", engine="run", source="t", since=since)
        needing = "[[rule]]\nid='mine'\nset.'args.odd'='x'\nrequire.knows=['made']"
        spec = acme(ALL, image, made, needing).resolve(**X10, image="acme/run:n2")
        (check,) = [c for c in spec.checks if "extra:mine needs" in c.reason]
        assert check.answer == answer


def test_an_image_of_which_nothing_is_known() -> None:
    """Told, at note level."""
    ((answer, severity, reason),) = engine(acme(ALL).resolve(**X10))
    assert (answer, severity) == ("unknown", "note")
    assert reason == (
        f"whether {NIGHTLY} takes the command line isn't known: "
        "the image's record states no version, no releases around it, no date"
    )


def test_an_image_newer_than_every_release() -> None:
    """What they all take isn't certain of it."""
    image = Image(id="acme/run:n9", engine="run", source="t", date="2026-09-01")
    ((answer, severity, reason),) = engine(acme(ALL, image).resolve(**X10, image="acme/run:n9"))
    assert (answer, severity) == ("unknown", "note")
    assert "newer than what is known for certain" in reason


def test_an_image_of_another_engine_tells_nothing() -> None:
    """That it is another engine's is a check of its own."""
    spec = acme(ALL).resolve(**X10, image="acme/alt:1")
    assert engine(spec)[0][0] == "unknown"
    assert any(check.id == "image-engine" for check in spec.failed)


def test_an_engine_whose_plugin_ships_no_surface() -> None:
    """There is nothing to say."""
    assert engine(acme().resolve(**X10)) == []


@pytest.mark.parametrize("data", [b"", b"{}", b'{"format":1,"engine":"run"}'])
def test_a_damaged_surface_is_told_and_hinders_nothing(data: bytes) -> None:
    """The spec is there all the same."""
    ((answer, severity, reason),) = engine(acme(shipped(data)).resolve(**X10))
    assert (answer, severity) == ("unknown", "warning")
    assert "not a folded file of engine surfaces" in reason


def test_a_surface_that_can_t_be_read() -> None:
    """The same."""

    class Gone(MemoryFile):
        def read_bytes(self) -> bytes:
            raise FileNotFoundError(2, "No such file", "surface.json")

    record = EngineSurface(id="run", file=TableFile("surface.json", Gone(b"")), extract="a:b")
    ((_, severity, reason),) = engine(acme(record).resolve(**X10))
    assert severity == "warning"
    assert "not what run accepts: " in reason


def test_a_surface_of_an_engine_that_nobody_declares() -> None:
    """A fault, with the near match; and so is an extraction that can't be named."""
    faults = [str(fault) for fault in acme(shipped(b"{}", "rum", "nothing")).faults]
    assert len(faults) == 2
    assert "'rum'" in faults[0] + faults[1]
    assert "'nothing' names no function" in faults[0] + faults[1]


def test_what_the_user_added_comes_first(tmp_path: Path) -> None:
    """A private build of a release, from the folder that the registry was given."""
    folder = tmp_path / "run"
    folder.mkdir()
    own = json.dumps(run_surface("1.0.0").to_json())
    (folder / "1.0.0.json").write_text(own)
    base = acme(ALL, rule("mine", {"attention.indexer_sparse_logits": True}))
    registry = Registry(base.contributions, surface_folder=tmp_path)
    ((answer, _, reason),) = engine(registry.resolve(**X10, image="acme/run:v1.0.0"))
    assert answer == "ok"
    assert str(folder) in reason
    assert registry.without_plugin("extra").surface_folder == tmp_path


# The shipped engines


@functools.cache
def real() -> Registry:
    return discover()


def found(**request: Any) -> list[tuple[str, str, str]]:
    return engine(real().resolve(model="dsv41flash", **request))


def test_b200_s_options_on_an_older_release() -> None:
    """The seed: refused by 0.30.0, naming flag, key and first version; 0.31.0 takes them."""
    told = found(sku="b200", image="vllm/vllm-openai:v0.30.0")
    assert told == [
        (
            "refuted",
            "error",
            "--attention-config: vllm 0.30.0 has no key 'indexer_sparse_logits'; first in 0.31.0; "
            "attention.indexer_sparse_logits is set by nvidia:b200-attention",
        )
    ]
    told = found(sku="b200", tp=4, image="vllm/vllm-openai:v0.30.0")
    assert [answer for answer, _, _ in told] == ["refuted", "refuted"]
    assert f"--attention-config backend: vllm 0.30.0 has no '{MEGA}'" in told[0][2]
    assert "first in 0.31.0" in told[0][2]
    assert found(sku="b200", tp=4, image="vllm/vllm-openai:v0.31.0")[0][0] == "ok"


def test_b200_s_options_on_gb200_s_nightly() -> None:
    """Unknown, naming the same."""
    told = found(sku="b200", tp=4, image=GB200_NIGHTLY)
    assert {answer for answer, _, _ in told} == {"unknown", "ok"}
    told = [row for row in told if row[0] == "unknown"]
    assert [severity for _, severity, _ in told] == ["error", "error"]
    assert f"--attention-config backend: vllm 0.30.0 has no '{MEGA}'; first in 0.31.0" in told[0][2]
    assert "has no key 'indexer_sparse_logits'; first in 0.31.0" in told[1][2]


def test_all_points_of_dsv41flash() -> None:
    """Nothing that we ship is refused by the engine in its image; what is unknown is counted."""
    counts: Counter[tuple[str, str]] = Counter()
    for point in real().points(model="dsv41flash"):
        worst: dict[str, str] = {}
        for answer, severity, _ in engine(real().resolve(point)):
            worst[answer] = severity
        (answer,) = [one for one in ("refuted", "unknown", "ok") if one in worst][:1]
        counts[point.engine, answer] += 1
    assert not [place for place in counts if place[1] == "refuted"]
    assert counts == {
        ("vllm", "ok"): 87,
        ("vllm", "unknown"): 54,
        ("sglang", "unknown"): 92,
    }
