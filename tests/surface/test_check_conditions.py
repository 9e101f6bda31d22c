"""Conditions over several keys, in three values: true, false, unknown."""

from __future__ import annotations

import pytest

from infxreg.surface.conditions import UNKNOWN, Condition

VALUES = {
    "connector": "Nixl",
    "role": None,
    "count": 3,
    "names": ["a", "a"],
    "path": "/x",
    "on": True,
    "mystery": UNKNOWN,
}


@pytest.mark.parametrize(
    "text",
    [
        "connector is not None and role is None",
        "count > 2",
        "1 < count <= 3",
        "connector in ('Nixl', 'P2p')",
        "connector not in ('P2p',)",
        "not role",
        "len(names) != len(set(names))",
        "path.startswith('/')",
        "count % 2 == 1",
        "count * 2 - 1 == 5",
        "count == -(-3)",
        "on or mystery",
        "mystery or on",
        "not (role and mystery)",
        "abs(count) == 3",
        "any(name == 'a' for name in names)",
        "all(name[0] == 'a' for name in names)",
        "not any(name in ('b',) for name in names)",
        "names.count('a') == 2",
    ],
)
def test_holds(text: str) -> None:
    condition = Condition.read(text)
    assert condition is not None
    assert condition.holds(VALUES)


@pytest.mark.parametrize(
    "text",
    [
        "role is not None",
        "count > 3",
        "mystery",
        "not mystery",
        "mystery and on",
        "on and mystery",
        "mystery is None",
        "mystery in ('a',)",
        "connector in (mystery,)",
        "nobody == 1",  # a key that isn't there
        "count + mystery > 0",
        "len(mystery) > 0",
        "mystery.startswith('a')",
        "connector < 3",  # what Python itself can't compare
        "connector % 3 == 1",  # no formatting
        "connector * count",
        "count // 0 == 1",
        "count ** 2 == 9",  # not among the operators
        "open('/etc/passwd')",
        "connector.format(1)",
        "[x for x in names]",
        "any(x for x in mystery)",
        "any(mystery for x in names)",
        "any(x == 'a' for x in names if x)",
        "any(x == 'a' for x in connector)",
        "names[7] == 'a'",
        "role.count('a') == 0",
        "~count == -4",
        "not ~count",
        "not any(x for x in mystery)",
        "not role.count('a')",
        "not connector.format(1)",
        "not (connector % 3)",
        "not nobody",
    ],
)
def test_doesnt_hold_where_it_is_false_or_unknown(text: str) -> None:
    condition = Condition.read(text)
    assert condition is not None
    assert not condition.holds(VALUES)


def test_a_text_that_is_no_expression() -> None:
    assert Condition.read("x =") is None
    assert Condition.read("(" * 3000) is None


def test_the_keys_that_it_reads() -> None:
    condition = Condition.read("len(names) > 1 and connector and any(x for x in names)")
    assert condition is not None
    assert condition.keys == ("names", "connector")
