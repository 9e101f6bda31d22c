"""Every key and entry of a YAML document is found at the line that it stands at."""

from __future__ import annotations

import pytest

from infxreg.yamlfile import Lines, YamlError, read_lined, read_yaml

TEXT = """\
# a note
a:
  b: 1

  c:
  - x: {y: 2, z: [3,
      4]}
  -
    x: 5
1: whole
base: &base
  k: 1
  m: 2
more:
  <<: *base
  k: 3
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 1),
        (("a",), 2),
        (("a", "b"), 3),
        (("a", "c"), 5),
        (("a", "c", 0), 6),
        (("a", "c", 0, "x", "z"), 6),
        (("a", "c", 0, "x", "z", 1), 7),
        (("a", "c", 1), 9),
        (("a", "c", 1, "x"), 9),
        ((1,), 10),
        (("more", "k"), 16),
        (("more", "m"), 13),
    ],
)
def test_a_key_and_an_entry_stand_at_their_line(path: tuple[str | int, ...], line: int) -> None:
    value, lines = read_lined(TEXT, "t.yaml")
    assert lines.at(path) == line
    for step in path:
        value = value[step]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("nowhere",), 1),
        (("a", "nowhere", "at", "all"), 2),
        (("a", "c", 2), 5),
        (("a", "c", -1), 5),
        (("a", "c", "x"), 5),
        (("a", "b", "c"), 3),
    ],
)
def test_what_is_not_there_is_looked_for_where_it_would_be(
    path: tuple[str | int, ...], line: int
) -> None:
    assert read_lined(TEXT, "t.yaml")[1].at(path) == line


def test_the_value_is_the_one_that_is_read_without_lines() -> None:
    assert read_lined(TEXT, "t.yaml")[0] == read_yaml(TEXT, "t.yaml")


def test_nothing_stands_at_the_first_line() -> None:
    value, lines = read_lined("", "t.yaml")
    assert value is None
    assert lines.at(("a", 0)) == 1
    assert lines == Lines()


def test_what_is_no_yaml_has_no_lines() -> None:
    with pytest.raises(YamlError, match=r"t\.yaml:2: the key 'a' stands twice"):
        read_lined("a: 1\na: 2\n", "t.yaml")
