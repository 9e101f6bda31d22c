"""Parts of a document: each fault is noted with its path, and the reading goes on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from infxreg.surface.reading import Part


@pytest.mark.parametrize(
    ("read", "value", "result", "problems"),
    [
        (lambda part: part.text("x"), None, "x", []),
        (lambda part: part.text("x"), "a", "a", []),
        (lambda part: part.text("x"), 3, "x", ["text is needed, not int @ k"]),
        (lambda part: part.text_or_none(), {}, None, ["text is needed, not a table @ k"]),
        (lambda part: part.flag(), None, False, []),
        (lambda part: part.flag(), True, True, []),
        (lambda part: part.flag(), "yes", False, ["true or false is needed, not text @ k"]),
        (lambda part: part.texts(), None, (), []),
        (lambda part: part.texts(), ["a"], ("a",), []),
        (lambda part: part.texts(), ["a", 1], (), ["a list of texts is needed, not a list @ k"]),
        (lambda part: part.texts_or_none(), None, None, []),
        (lambda part: list(part.items()), None, [], []),
        (lambda part: list(part.items()), [1], [], ["a table is needed, not a list @ k"]),
        (lambda part: [(k, p.path) for k, p in part.items()], {"a": 1}, [("a", "k.a")], []),
        (lambda part: list(part.rows()), None, [], []),
        (lambda part: list(part.rows()), True, [], ["a list is needed, not true or false @ k"]),
        (lambda part: [one.path for one in part.rows()], [1, 2], ["k[0]", "k[1]"], []),
        (lambda part: part.need("a").value, {}, None, ["'a' is missing @ k"]),
        (lambda part: part.need("a").value, {"a": 1}, 1, []),
        (lambda part: part.has("a"), {"a": None}, False, []),
        (lambda part: part.only(frozenset("a")), {"a": 1, "b": 2}, None, ["unknown key 'b' @ k"]),
        (lambda part: part.only(frozenset("a")), 3, None, []),
    ],
)
def test_a_part(
    read: Callable[[Part], object], value: object, result: object, problems: list[str]
) -> None:
    """What is read of a value, and what is noted of one that doesn't fit."""
    whole = Part({"k": value}, "")
    assert read(whole.at("k")) == result
    assert whole.problems == problems


def test_a_fault_of_the_whole_document_has_no_path() -> None:
    """It says only what is wrong."""
    whole = Part([], "")
    whole.need("a")
    assert whole.problems == ["'a' is missing"]
