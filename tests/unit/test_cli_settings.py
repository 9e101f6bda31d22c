"""``--set KEY=VALUE``: the text of a value is read by its key's type, or as a TOML literal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infxreg.cli.settings import parse_settings, toml_literal
from infxreg.errors import BadRequestError
from infxreg.records import Option
from infxreg.values import Value, same, show

OPTIONS = {
    kind: Option(id=kind, type=kind, doc="test")  # type: ignore[arg-type]
    for kind in ("bool", "int", "float", "str", "list[int]", "list[str]")
}
SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(2**62), 2**62),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF, blacklist_categories=["Cc"])),
)


@pytest.mark.parametrize(
    ("item", "value"),
    [
        ("bool=true", True),
        ("bool=false", False),
        ("int=-12", -12),
        ("float=3", 3.0),
        ("float=0.95", 0.95),
        ("str=true", "true"),
        ("str=", ""),
        ("str=a=b", "a=b"),
        ("list[int]=1,2, 4", (1, 2, 4)),
        ("list[int]=[1, 2]", (1, 2)),
        ("list[int]=", ()),
        ("list[str]=a,b", ("a", "b")),
        ('list[str]=["a,b", "c"]', ("a,b", "c")),
        ("args.x=1", 1),
        ("args.x=1.5", 1.5),
        ("args.x=true", True),
        ("args.x=[1, 2]", (1, 2)),
        ('args.x="1"', "1"),
        ("args.x=auto", "auto"),
        ("args.x=True", "True"),
        ("args.x=2026-01-01", "2026-01-01"),
        ("args.x={ a = 1 }", "{ a = 1 }"),
        ("args.x=[[1]]", "[[1]]"),
        ("args.x=1 # one", "1 # one"),
        ("args.x=1, y = 2", "1, y = 2"),
        ("args.x=1 }\nw = { x = 2", "1 }\nw = { x = 2"),
        ("args.x=1 }, { v = 2", "1 }, { v = 2"),
        ("args.x=nan", "nan"),
        ("args.x=" + "[" * 5000, "[" * 5000),
        ("frontend.args.x=3", 3),
        ("env.X=1", "1"),
        ("client_env.X=true", "true"),
        ("nobody.knows=1", "1"),
    ],
)
def test_values(item: str, value: Value) -> None:
    """By the type; raw arguments as TOML, or else as they stand; variables are always text."""
    key = item.partition("=")[0]
    (parsed,) = parse_settings([item], OPTIONS).items()
    assert parsed[0] == key
    assert same(parsed[1], value)


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (["x"], "--set x: write --set KEY=VALUE"),
        (["=1"], "--set =1: write --set KEY=VALUE"),
        (["str=a", "str=b"], "--set gives str twice: drop one"),
        (["bool=1"], "--set bool=1: write true or false"),
        (["int=1.0"], "--set int=1.0: an integer is needed"),
        (["int=\u0661"], "--set int=\u0661: an integer is needed"),
        (["float=much"], "--set float=much: a number is needed"),
        (["float=inf"], "--set float=inf: a number is needed"),
        (["list[int]=1,x"], "--set list[int]=1,x: an integer is needed"),
        (["list[str]=[1"], "--set list[str]=[1: this is no TOML array of values"),
    ],
)
def test_what_cant_be_read(items: list[str], message: str) -> None:
    """The message repeats what was written and says what is needed."""
    with pytest.raises(BadRequestError) as caught:
        parse_settings(items, OPTIONS)
    assert str(caught.value) == message


@given(st.one_of(SCALARS, st.lists(SCALARS).map(tuple)))
def test_a_literal_is_read_as_it_is_shown(value: Value) -> None:
    """What infxreg shows of a value, pasted after ``args.x=``, is that value."""
    literal = toml_literal(show(value))
    assert literal is not None
    assert same(literal, value)
