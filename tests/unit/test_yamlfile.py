"""YAML, read safely: a key that stands twice is an error, and so is what would run code."""

from __future__ import annotations

import pytest

from infxreg.yamlfile import Item, YamlError, read_items, read_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("a: 1\nb: [x, true, 1.5, null]\n", {"a": 1, "b": ["x", True, 1.5, None]}),
        ("a: &x {b: 1}\nc: *x\n", {"a": {"b": 1}, "c": {"b": 1}}),
        (
            "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  b: 3\n",
            {"a": {"b": 1, "c": 2}, "d": {"b": 3, "c": 2}},
        ),
    ],
)
def test_documents(text: str, value: object) -> None:
    """Anchors and merge keys too: what a mapping says itself wins."""
    assert read_yaml(text, "f") == value


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "the key 'a' stands twice"),
        ("x:\n  - {a: 1, a: 2}\n", 2, "the key 'a' stands twice"),
        ("a: [1\n", 2, "not YAML: "),
        ("a: 1\n---\nb: 2\n", 2, "not YAML: "),
        ("a: *x\n", 1, "not YAML: "),
        ("a: !!python/object/apply:os.system [x]\n", 1, "not YAML: could not determine a constr"),
        ("a: \x00\n", 1, "not YAML: "),
        ("[" * 20_000 + "]" * 20_000, 1, ""),
        ("a: 2026-13-99\n", 1, ""),
    ],
)
def test_faults(text: str, line: int, words: str) -> None:
    """With the line, and never another kind of error."""
    with pytest.raises(YamlError) as caught:
        read_yaml(text, "f.yaml")
    assert caught.value.line == line
    assert caught.value.reason.startswith(words)
    assert str(caught.value).startswith(f"f.yaml:{line}: ")


class TestItems:
    """The entries of a list, each with its line."""

    def test_lines(self) -> None:
        text = "# c\n- a\n\n- b: 1\n  c: 2\n- [1,\n   2]\n"
        assert read_items(text, "f") == [Item("a", 2), Item({"b": 1, "c": 2}, 4), Item([1, 2], 6)]

    def test_none(self) -> None:
        assert read_items("# nothing\n", "f") == []

    @pytest.mark.parametrize("text", ["a: 1", "\n\nx"])
    def test_no_list(self, text: str) -> None:
        with pytest.raises(YamlError, match="a list is needed"):
            read_items(text, "f")
