"""Keys: declared names and raw ones, and the values that fit them."""

from __future__ import annotations

from typing import Any

import pytest

from infxreg.keys import fit, is_declared, misspelled, raw_prefix
from infxreg.records import Option

OPTIONS = {
    name: Option(id=name, type=kind, doc="test")  # type: ignore[arg-type]
    for name, kind in [
        ("a.bool", "bool"),
        ("a.int", "int"),
        ("a.float", "float"),
        ("a.str", "str"),
        ("a.ints", "list[int]"),
        ("a.json", "json"),
        ("a.strs", "list[str]"),
    ]
}


@pytest.mark.parametrize(
    ("key", "prefix"),
    [
        ("args.x", "args."),
        ("env.X", "env."),
        ("client_env.X", "client_env."),
        ("frontend.args.x", "frontend.args."),
        ("args.", None),
        ("env", None),
        ("frontend.type", None),
        ("argsx.y", None),
    ],
)
def test_raw_prefix(key: str, prefix: str | None) -> None:
    """A raw key has something behind its prefix."""
    assert raw_prefix(key) == prefix
    assert is_declared(key, OPTIONS) is (prefix is not None)


def test_options_are_declared() -> None:
    """An option's own name can be set."""
    assert is_declared("a.int", OPTIONS)
    assert not is_declared("a.other", OPTIONS)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("a.bool", True),
        ("a.int", 3),
        ("a.float", 0.5),
        ("a.str", "x"),
        ("a.ints", (1, 2)),
        ("a.strs", ("x",)),
        ("a.ints", ()),
        ("env.X", "1"),
        ("client_env.X", "1"),
        ("args.x", 1),
        ("args.x", ("a", 1)),
        ("frontend.args.x", True),
    ],
)
def test_what_fits_stays(key: str, value: Any) -> None:
    """A value of the option's type is given back as it is."""
    fitted = fit(key, value, OPTIONS)
    assert fitted == value
    assert type(fitted) is type(value)


def test_an_integer_fits_a_float() -> None:
    """It becomes a float, so that both spellings are one value."""
    fitted = fit("a.float", 2, OPTIONS)
    assert fitted == 2.0
    assert type(fitted) is float


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("a.bool", 1, "needs bool, not int"),
        ("a.int", True, "needs int, not bool"),
        ("a.int", 1.0, "needs int, not float"),
        ("a.int", "1", "needs int, not str"),
        ("a.float", True, "needs float, not bool"),
        ("a.float", "1", "needs float, not str"),
        ("a.str", 1, "needs str, not int"),
        ("a.ints", 1, "needs list[int], not int"),
        ("a.ints", (1, "a"), "needs list[int], not a list of int and str"),
        ("a.ints", (True,), "needs list[int], not a list of bool"),
        ("a.json", 1, "needs json, not int"),
        ("a.json", "x", "needs text that is JSON: Expecting value: line 1 column 1 (char 0)"),
        ("a.strs", (1,), "needs list[str], not a list of int"),
        ("a.int", (), "needs int, not a list of nothing"),
        ("env.X", 1, "a variable's value is text, not int"),
        ("client_env.X", True, "a variable's value is text, not bool"),
    ],
)
def test_what_doesnt_fit_is_refused(key: str, value: Any, message: str) -> None:
    """The message says what is needed and what was given; nothing is coerced."""
    with pytest.raises(TypeError) as error:
        fit(key, value, OPTIONS)
    assert str(error.value) == message


def test_a_number_too_large_for_a_float_is_refused_like_any_other() -> None:
    """An integer beyond every float doesn't fit; it doesn't overflow."""
    with pytest.raises(TypeError):
        fit("a.float", 10**400, OPTIONS)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("args.foo_bar", "'args.foo_bar': flags stand here without leading dashes and _: "),
        ("args.--x", "'args.--x': flags stand here without leading dashes and _: args.x"),
        ("env.A B", "'env.A B' names nothing that can be set in env"),
        ("frontend.args.a b", "'frontend.args.a b' names nothing that can be set in frontend.args"),
    ],
)
def test_a_raw_key_that_is_written_wrong(key: str, message: str) -> None:
    """It says how to write it."""
    assert (misspelled(key) or "").startswith(message)
    assert misspelled("args.foo-bar") is None
    assert misspelled("compile.mode") is None
