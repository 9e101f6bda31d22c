"""From options to argv and env."""

from __future__ import annotations

import json
from typing import Any

import pytest

from infxreg.records import Engine, Model, Option, Render
from infxreg.render import Rendered, raw_values, render, text_of
from infxreg.values import Value

MODEL = Model(id="m", hub_id="hub/m", family="f", source="test")
ENGINE = Engine(
    id="run",
    argv=("run", "--model={hub_id}"),
    source="test",
    render=(
        Render(option="a.flag", flag="flag"),
        Render(option="a.switch", flag="switch", false="no-switch"),
        Render(option="a.one_way", flag="one-way"),
        Render(option="j.a", flag="json", json="a"),
        Render(option="a.list", flag="list"),
        Render(option="j.b", flag="json", json="b"),
        Render(option="j.c", flag="json", json="c"),
        Render(option="v.text", env="TEXT"),
        Render(option="v.bool", env="BOOL"),
        Render(option="v.word", env="WORD", true="yes", false="no"),
    ),
)
OPTIONS = {
    "j.c": Option(id="j.c", type="json", doc="d"),
    "a.lost": Option(id="a.lost", type="str", doc="d"),
    "a.input": Option(id="a.input", type="str", doc="d", use="input"),
}


def rendered(values: dict[str, Value], read: Any = ()) -> Rendered:
    return render(ENGINE, MODEL, values, read, OPTIONS)


@pytest.mark.parametrize(
    ("values", "argv"),
    [
        ({}, []),
        ({"a.flag": "x"}, ["--flag", "x"]),
        ({"a.flag": 3}, ["--flag", "3"]),
        ({"a.flag": 0.95}, ["--flag", "0.95"]),
        ({"a.flag": 60.0}, ["--flag", "60"]),
        ({"a.flag": -1}, ["--flag", "-1"]),
        ({"a.flag": "-x"}, ["--flag=-x"]),
        ({"a.flag": "two words"}, ["--flag", "two words"]),
        ({"a.flag": True}, ["--flag"]),
        ({"a.switch": True}, ["--switch"]),
        ({"a.switch": False}, ["--no-switch"]),
        ({"a.list": (1, 2.0, "x", True)}, ["--list", "1", "2", "x", "true"]),
        ({"j.a": "x", "j.c": '{"d":[1,null]}'}, ["--json", '{"a":"x","c":{"d":[1,null]}}']),
        ({"args.raw": "x"}, ["--raw", "x"]),
        ({"args.raw": True}, ["--raw"]),
        ({"args.b": 1, "args.a": 2, "a.flag": 3}, ["--flag", "3", "--a", "2", "--b", "1"]),
    ],
)
def test_flags(values: dict[str, Value], argv: list[str]) -> None:
    """The engine's order, then raw flags by name."""
    result = rendered(values)
    assert list(result.argv) == ["run", "--model=hub/m", *argv]
    assert result.problems == ()


def test_a_json_flag_is_made_of_leaves() -> None:
    """In the engine's order of keys, where its first leaf stands."""
    result = rendered({"j.b": (1, 2), "j.a": True, "a.list": (1,), "a.flag": "x"})
    assert list(result.argv[2:]) == ["--flag", "x", "--json", '{"a":true,"b":[1,2]}', "--list", "1"]
    only = rendered({"j.b": "ü"})
    assert json.loads(only.argv[-1]) == {"b": "ü"}
    assert "ü" in only.argv[-1]


@pytest.mark.parametrize(
    ("values", "env"),
    [
        ({"v.text": "x"}, {"TEXT": "x"}),
        ({"v.text": 7200}, {"TEXT": "7200"}),
        ({"v.text": 2.0}, {"TEXT": "2"}),
        ({"v.text": (1, "a")}, {"TEXT": "1,a"}),
        ({"v.bool": True}, {"BOOL": "1"}),
        ({"v.bool": False}, {"BOOL": "0"}),
        ({"v.word": True}, {"WORD": "yes"}),
        ({"v.word": False}, {"WORD": "no"}),
        ({"env.RAW": "x", "env.A": "y", "v.text": "z"}, {"A": "y", "RAW": "x", "TEXT": "z"}),
    ],
)
def test_variables(values: dict[str, Value], env: dict[str, str]) -> None:
    """Text, sorted by name; booleans as the engine writes them."""
    result = rendered(values)
    assert list(result.env.items()) == list(env.items())


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"a.one_way": False}, "--one-way has no form that switches it off: unset it instead"),
        ({"args.raw": False}, "--raw has no form that switches it off: unset it instead"),
        ({"a.list": ()}, "--list takes at least one value: unset it instead"),
        ({"args.raw": ()}, "--raw takes at least one value: unset it instead"),
        ({"a.lost": "x"}, "engine run doesn't render it: it would be lost"),
        ({"a.undeclared": "x"}, "engine run doesn't render it: it would be lost"),
    ],
)
def test_what_cant_be_rendered(values: dict[str, Value], problem: str) -> None:
    """The key, and why."""
    assert rendered(values).problems == ((next(iter(values)), problem),)


def test_what_is_read_or_held_elsewhere_isnt_lost() -> None:
    """Inputs, what a derivation reads, and what the launch spec itself holds."""
    values: dict[str, Value] = {
        "a.input": "x",
        "a.lost": "x",
        "image": "i",
        "resources.gpus": 1,
        "frontend.type": "f",
        "frontend.args.x": "y",
        "client_env.X": "y",
        "setup.script": "s",
    }
    result = rendered(values, read=["a.lost"])
    assert result.problems == ()
    assert len(result.argv) == 2
    assert result.env == {}


def test_raw_values() -> None:
    """What is in a namespace, by name, sorted."""
    values: dict[str, Value] = {"client_env.B": "1", "client_env.A": "2", "env.C": "3"}
    assert list(raw_values(values, "client_env.").items()) == [("A", "2"), ("B", "1")]


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (False, "false"), (1, "1"), (1.0, "1"), (0.5, "0.5"), ("x", "x")],
)
def test_text_of(value: Any, text: str) -> None:
    """As an argument."""
    assert text_of(value) == text
