"""YAML, read safely: a key that stands twice is an error, and so is what would run code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from infxreg import yamlfile
from infxreg.yamlfile import Item, YamlError, read_items, read_lined, read_yaml

LOADERS = [yaml.SafeLoader, *([yaml.CSafeLoader] if yaml.__with_libyaml__ else [])]


@pytest.fixture(params=LOADERS, ids=lambda loader: loader.__name__, autouse=True)
def _loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyYAML is built with libyaml or without it, and both read alike."""
    monkeypatch.setattr(yamlfile, "_Loader", request.param)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# a note\n", None),
        ("\ufeffa: 1\n", {"a": 1}),
        ("a: '1'\nb: 01\nc: yes\n", {"a": "1", "b": 1, "c": True}),
        ("a: 1\n'1': 2\n1: 3\n", {"a": 1, "1": 2, 1: 3}),
        ("=: 1\n<<: {a: 2}\n", {"=": 1, "a": 2}),
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


READERS: list[Callable[[str, str], Any]] = [read_yaml, read_lined, read_items]


def refused(text: str, read: Callable[[str, str], Any] = read_yaml) -> YamlError:
    with pytest.raises(YamlError) as caught:
        read(text, "f.yaml")
    error = caught.value
    assert str(error) == f"f.yaml:{error.line}: {error.reason}"
    return error


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("- a: 1\n  b: 2\n  a: 3\n", 3, "a"),
        ("- x:\n  - {a: 1, a: 2}\n", 2, "a"),
        ("- &x {a: 1}\n- b: *x\n  'b': *x\n", 3, "b"),
        ("- yes: 1\n  true: 2\n", 2, "true"),
        ("- 1: a\n  0x1: b\n", 2, "0x1"),
        ("- 1: a\n  1.0: b\n", 2, "1.0"),
        ("- ~: a\n  null: b\n", 2, "null"),
        ("- 2026-12-01: a\n  ? !!timestamp '2026-12-1'\n  : b\n", 2, "2026-12-1"),
        ("- '=': 1\n  =: 2\n", 2, "="),
        ("- <<: {a: 1}\n  <<: {b: 1}\n", 2, "<<"),
        ("- !!set {a, a}\n", 1, "a"),
        ("- ? {a: 1, a: 2}\n  : 3\n", 1, "a"),
    ],
)
def test_a_key_that_stands_twice(
    read: Callable[[str, str], Any], text: str, line: int, key: str
) -> None:
    """However it is written: of its two values one would be lost."""
    error = refused(text, read)
    assert (error.line, error.reason) == (line, f"the key {key!r} stands twice")


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("- a: [1\n", 2),
        ("- 1\n---\n- 2\n", 2),
        ("- 1\n- *x\n", 2),
        ("- 1\n- !!python/object/apply:os.system [x]\n", 2),
        ("- 1\n- !ours x\n", 2),
        ("- 1\n- ? [a]\n  : 1\n", 2),
        ("- 1\n- ? !!set\n  : 1\n", 2),
        ("- 1\n- <<: 2\n", 2),
        ("- a: 1\n\tb: 2\n", 2),
        ("- a: b: c\n", 1),
        ("[" * 20_000 + "]" * 20_000, 1),
    ],
)
def test_what_is_no_yaml_of_ours(read: Callable[[str, str], Any], text: str, line: int) -> None:
    """At its line, and never another kind of error: nothing of it is run."""
    error = refused(text, read)
    assert error.line == line
    assert error.reason.startswith("not YAML: ") or error.reason == "nested too deep"


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("text", "line", "character"),
    [
        ("a: \x00\n", 1, "\x00"),
        ("a: 1\nb: 2\nc: '\x07'\n", 3, "\x07"),
        ("# \x7f", 1, "\x7f"),
        ("\n\ud800\n", 2, "\ud800"),
        ("\n\n\ufffe", 3, "\ufffe"),
    ],
)
def test_characters_that_no_yaml_holds(
    read: Callable[[str, str], Any], text: str, line: int, character: str
) -> None:
    error = refused(text, read)
    assert (error.line, error.reason) == (line, f"not YAML: {character!r} can't stand in it")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("2026-13-99", "month must be in 1..12"),
        ("!!int x", "invalid literal for int() with base 10: 'x'"),
        ("!!int ''", "string index out of range"),
        ("!!float ''", "string index out of range"),
        ("!!bool maybe", "'maybe'"),
        ("!!timestamp soon", "'NoneType' object has no attribute 'groupdict'"),
        ("9" * 5000, "Exceeds the limit (4300 digits) for integer string conversion"),
    ],
)
def test_a_value_that_is_not_what_its_tag_says(value: str, why: str) -> None:
    """PyYAML raises whatever it likes for it; the line is that of the entry, or of the key."""
    for text, line in ((f"- 1\n- {value}\n", 2), (f"- 1\n- a: 1\n  ? {value}\n  : 2\n", 3)):
        error = refused(text, read_items)
        assert error.line == line
        assert error.reason.startswith(f"a value isn't what its tag says: {why}")


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
DOCUMENTS = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(SCALARS, inner), max_leaves=8
)
ANY_LOADER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@ANY_LOADER
@given(DOCUMENTS)
def test_what_pyyaml_writes_is_read_back(document: object) -> None:
    assert read_yaml(yaml.safe_dump(document), "f") == document


@ANY_LOADER
@given(st.lists(DOCUMENTS))
def test_entries_are_those_of_the_list(document: list[object]) -> None:
    """Each at a line of its own, in order."""
    text = yaml.safe_dump(document, default_flow_style=False) if document else ""
    items = read_items(text, "f")
    assert [item.value for item in items] == document
    assert [item.line for item in items] == sorted({item.line for item in items})


TAGS = [f"!!{tag} " for tag in "bool int float timestamp binary null str set omap map seq".split()]
PIECES = [
    *TAGS,
    "<<: ",
    "&a ",
    "*a ",
    ": ",
    "- ",
    "? ",
    *"ab1:-[]{},|>'\"%#@ \n\t~=.\x00\x85\u2028",
]


@ANY_LOADER
@given(st.lists(st.sampled_from(PIECES)).map("".join))
@example("? !!set ")
def test_any_text_is_a_document_or_an_error_with_its_line(text: str) -> None:
    """No other kind of error gets out, and the line is one of the text's, or just behind it."""
    line = line_of_a_fault(text)
    assert line is None or 1 <= line <= len(text.splitlines()) + 1


def line_of_a_fault(text: str) -> int | None:
    try:
        read_yaml(text, "f")
    except YamlError as error:
        return error.line
    return None


class TestItems:
    """The entries of a list, each with its line."""

    def test_lines(self) -> None:
        text = "# c\n- a\n\n- b: 1\n  c: 2\n- [1,\n   2]\n"
        assert read_items(text, "f") == [Item("a", 2), Item({"b": 1, "c": 2}, 4), Item([1, 2], 6)]

    def test_none(self) -> None:
        assert read_items("# nothing\n", "f") == []

    def test_an_entry_that_stands_twice_by_an_alias(self) -> None:
        """It is told where it is written; its merged keys aren't taken for doubles."""
        text = "- &a {x: 1}\n- &b\n  <<: *a\n  x: 2\n- *b\n"
        assert read_items(text, "f") == [Item({"x": 1}, 1), Item({"x": 2}, 2), Item({"x": 2}, 2)]

    @pytest.mark.parametrize(
        ("text", "line"), [("a: 1", 1), ("\n\nx", 3), ("# c\n{}", 2), ("null", 1)]
    )
    def test_no_list(self, text: str, line: int) -> None:
        error = refused(text, read_items)
        assert (error.line, error.reason) == (line, "a list is needed")
