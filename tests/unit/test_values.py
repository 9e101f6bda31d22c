"""Values compare with their types, show as TOML, and maps stay as they were made."""

from __future__ import annotations

import copy
import datetime
import pickle
import tomllib
from typing import Any

import pytest

from infxreg.values import ABSENT, Derived, FrozenMap, as_value, same, show


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (True, 1),
        (1, 1.0),
        (0, False),
        ("1", 1),
        ((1,), (True,)),
        ((1,), (1, 1)),
        ((), ""),
        (ABSENT, None),
        (ABSENT, False),
        (Derived("copy", ("tp",)), "copy(tp)"),
        (Derived("copy", ("tp",)), Derived("copy", ("pp",))),
        (Derived("copy", ("tp",)), Derived("text", ("tp",))),
        (
            Derived("scaled", ("tp",), (("factor", 1),)),
            Derived("scaled", ("tp",), (("factor", 1.0),)),
        ),
    ],
)
def test_values_of_other_types_are_other_values(a: object, b: object) -> None:
    """Neither a number of another type nor a derivation is the same value."""
    assert not same(a, b)
    assert not same(b, a)


@pytest.mark.parametrize(
    "value",
    [
        True,
        1,
        1.5,
        "a",
        (1, "a", (2.0)),
        ABSENT,
        Derived("scaled", ("tp", "conc"), (("factor", 2),)),
    ],
)
def test_a_value_is_the_same_as_its_copy(value: object) -> None:
    """Equality is by content."""
    assert same(value, copy.deepcopy(value))


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        0,
        -3,
        1.5,
        1e16,
        1e-9,
        "plain",
        'quo"te',
        "back\\slash",
        "two\nlines",
        "tab\tand\x7fdelete",
        "ünï",
        "",
        (1, 2),
        ("a", "b\\"),
        (),
    ],
)
def test_show_writes_toml(value: Any) -> None:
    """What is shown reads back as the same value."""
    read = tomllib.loads(f"x = {show(value)}")["x"]
    assert same(as_value(read), value)


def test_show_leaves_letters_as_they_are() -> None:
    """Only what TOML can't hold is escaped."""
    assert show("ünï") == '"ünï"'


@pytest.mark.parametrize("value", [ABSENT, None])
def test_show_absent(value: object) -> None:
    """An absent value is shown in words."""
    assert show(value) == "(absent)"


def test_derived_in_words() -> None:
    """A derivation shows its function, what it reads and its parameters."""
    derived = Derived("scaled", ("conc", "acme.cap"), (("factor", 2), ("label", "x")))
    assert str(derived) == 'scaled(conc, acme.cap, factor=2, label="x")'
    assert repr(ABSENT) == "ABSENT"


def test_as_value_freezes_lists() -> None:
    """Lists become tuples, scalars stay."""
    assert as_value([1, "a", True]) == (1, "a", True)
    assert as_value("a") == "a"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ([[1]], "a list can hold only scalars, not list"),
        ([{"a": 1}], "a list can hold only scalars, not dict"),
        ({"a": 1}, "dict is no value for an option"),
        (datetime.date(2026, 1, 1), "date is no value for an option"),
        (None, "NoneType is no value for an option"),
    ],
)
def test_as_value_refuses_what_no_option_holds(raw: object, message: str) -> None:
    """Tables, dates, nested lists and nothing are no values."""
    with pytest.raises(TypeError) as error:
        as_value(raw)
    assert str(error.value) == message


def test_as_value_refuses_numbers_that_are_none() -> None:
    """NaN equals nothing, not even itself: a spec with it could not be compared."""
    with pytest.raises((TypeError, ValueError)):
        as_value(float("nan"))


def test_a_frozen_map_is_a_mapping() -> None:
    """It keeps order, compares like a dict, hashes by content, and copies."""
    made = FrozenMap({"b": 1, "a": 2})
    assert list(made) == ["b", "a"]
    assert len(made) == 2
    assert made == {"a": 2, "b": 1}
    assert hash(made) == hash(FrozenMap({"a": 2, "b": 1}))
    assert made != FrozenMap({"a": 2})
    assert repr(made) == "FrozenMap({'b': 1, 'a': 2})"
    assert pickle.loads(pickle.dumps(made)) == made
    assert FrozenMap() == {}


def test_a_frozen_map_cant_be_changed() -> None:
    """Neither an item nor an attribute can be set, and its source is copied."""
    source = {"a": 1}
    made = FrozenMap(source)
    source["a"] = 2
    assert made["a"] == 1
    with pytest.raises(TypeError):
        made["a"] = 2  # type: ignore[index]
    with pytest.raises(AttributeError, match="a FrozenMap can't be changed"):
        made._data = {}
