"""Answers where an image may hold one of several releases."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from infxreg.surface.checkers import Checkers
from infxreg.surface.findings import Finding
from infxreg.surface.fold import fold, folded_text
from infxreg.surface.image_check import Reply, replies
from infxreg.surface.model import Flag, Surface
from infxreg.surface.possible import Possible
from infxreg.surface.verdicts import judge
from support.surfaces import MODEL, config, flag, surface

C = {"C": config(extra="forbid", old="int")}
NEW = {"C": config(extra="forbid", old="int", new="int")}


def json_flag() -> Flag:
    return flag("--c", type="dataclass", config="C")


def one(version: str, *flags: Flag, **more: object) -> Surface:
    more.setdefault("env", ("VLLM_A",))
    return surface("vllm", version, MODEL, *flags, **more)


def bracket(*surfaces: Surface, newer: bool = False) -> Possible:
    releases = Checkers.read(folded_text(fold(surfaces, {})).encode())
    return Possible(releases.versions, "it is a nightly", releases=releases, newer=newer)


def told(
    held: Possible,
    *argv: str,
    env: Sequence[str] = (),
    knows: Callable[[Finding], str | None] = lambda finding: None,
) -> list[Reply]:
    return list(replies(held, ["org/model", *argv], dict.fromkeys(env, "1"), knows))


def test_what_all_take_is_no_matter() -> None:
    """Nothing is said."""
    held = bracket(one("1.0.0", flag("--a")), one("1.1.0", flag("--a")))
    assert told(held, "--a", "1") == []


def test_what_all_refuse_is_refuted() -> None:
    """By the newest one's word."""
    held = bracket(one("1.0.0"), one("1.1.0"), one("1.2.0"))
    (reply,) = told(held, "--a", "1")
    assert (reply.answer, reply.severity) == ("refuted", "error")
    assert reply.said_by == ("1.0.0", "1.1.0", "1.2.0")
    assert reply.reason == "vllm 1.2.0 has no --a; no version has it"


def test_what_only_some_refuse_is_unknown() -> None:
    """With the version that has it first, those that take it, and why it isn't known."""
    held = bracket(one("1.0.0"), one("1.1.0", flag("--a")), one("1.2.0", flag("--a")))
    (reply,) = told(held, "--a", "1")
    assert (reply.answer, reply.severity, reply.said_by) == ("unknown", "error", ("1.0.0",))
    assert reply.reason == (
        "vllm 1.0.0 has no --a; first in 1.1.0; 1.1.0 and 1.2.0 take it; it is a nightly"
    )


def test_the_middle_can_tell_more_than_the_ends() -> None:
    """A flag that came and went."""
    held = bracket(one("1.0.0"), one("1.1.0", flag("--a")), one("1.2.0"))
    (reply,) = told(held, "--a", "1")
    assert (reply.answer, reply.said_by) == ("unknown", ("1.0.0", "1.2.0"))
    assert "; 1.1.0 takes it; " in reply.reason


def test_one_flag_refused_for_different_reasons() -> None:
    """Then it is certain that it is refused."""
    held = bracket(one("1.0.0"), one("1.1.0", json_flag(), configs=C))
    found = told(held, "--c", '{"new":1}')
    assert [(reply.answer, reply.said_by) for reply in found] == [
        ("refuted", ("1.0.0",)),
        ("refuted", ("1.1.0",)),
    ]


def test_each_key_is_told_apart() -> None:
    """Two keys of one flag, one of which is known to all."""
    held = bracket(one("1.0.0", json_flag(), configs=C), one("1.1.0", json_flag(), configs=NEW))
    (reply,) = told(held, "--c", '{"new":1,"old":2}')
    assert (reply.answer, reply.finding.key) == ("unknown", "new")


def test_the_record_settles_what_is_open() -> None:
    """And what it says nothing of stays open."""
    held = bracket(one("1.0.0"), one("1.1.0", flag("--a"), flag("--b")))
    found = told(held, "--a", "1", "--b", "1", knows=lambda f: "fast" if f.flag == "--a" else None)
    assert [reply.answer for reply in found] == ["ok", "unknown"]
    assert found[0].reason == (
        "vllm 1.0.0 has no --a; first in 1.1.0; but the image's record knows fast"
    )


def test_the_record_settles_nothing_of_a_release() -> None:
    """Its parser is known."""
    (reply,) = told(bracket(one("1.0.0")), "--a", "1", knows=lambda finding: "fast")
    assert reply.answer == "refuted"


def test_nothing_is_refuted_of_an_image_newer_than_all_releases() -> None:
    """It may have what no release has yet."""
    (reply,) = told(bracket(one("1.0.0"), newer=True), "--a", "1")
    assert reply.answer == "unknown"


def test_what_no_surface_tells_is_unknown() -> None:
    """In a single version as well."""
    (reply,) = told(bracket(one("1.0.0", flag("--f", type="unknown"))), "--f", "1")
    assert (reply.answer, reply.severity) == ("unknown", "note")


def test_a_deprecation_is_a_warning() -> None:
    """Refuted as it stands, though the engine goes on."""
    (reply,) = told(bracket(one("1.0.0", flag("--a", deprecated="--b"))), "--a", "1")
    assert (reply.answer, reply.severity) == ("refuted", "warning")


def test_variables_are_read_not_taken() -> None:
    """In the words."""
    held = bracket(one("1.0.0"), one("1.1.0", env=("VLLM_A", "VLLM_B")))
    (reply,) = told(held, env=["VLLM_A", "VLLM_B"])
    assert "; 1.1.0 reads it; " in reply.reason


@pytest.mark.parametrize(
    ("argv", "accepted", "sound"),
    [
        (["--a", "1"], True, True),
        (["--b", "1"], None, None),
        (["--no", "1"], False, False),
        (["--b", "1", "--no", "1"], False, False),
        (["vllm", "serve", "org/m", "--a", "1"], True, True),
        (["vllm", "serve", "org/m", "org/n"], False, False),
    ],
)
def test_judgements(argv: list[str], accepted: bool | None, sound: bool | None) -> None:
    """Refused if anything is for certain, else unknown if anything is."""
    held = bracket(one("1.0.0", flag("--a")), one("1.1.0", flag("--a"), flag("--b")))
    found = judge("vllm", held, argv)
    assert (found.accepted, found.sound) == (accepted, sound)
    data = found.to_json()
    assert data["accepted"] == accepted
    assert len(data["findings"]) == len(found.replies)  # type: ignore[arg-type]


def test_a_list_that_the_parser_takes_and_we_don_t() -> None:
    """Accepted, and not sound."""
    held = bracket(one("1.0.0", flag("--tensor-parallel-size", type="int")))
    found = judge("vllm", held, ["--tensor-parallel-size", "-5"])
    assert (found.accepted, found.sound) == (True, False)


def test_an_image_newer_than_all_releases_is_never_accepted_for_certain() -> None:
    """What they take may be gone."""
    held = bracket(one("1.0.0", flag("--a")), newer=True)
    assert judge("vllm", held, ["--a", "1"]).accepted is None
