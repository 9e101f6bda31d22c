"""Tables with something wrong somewhere: a registry with faults, and no error of Python's own."""

from __future__ import annotations

import copy
import datetime
import tomllib
from collections.abc import Iterator
from typing import Any

import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st

from infxreg import InfxregError, Registry
from infxreg.plugins import core_contribution
from support.builders import ACME, from_toml

DOCUMENT = tomllib.loads(ACME)
CORE = core_contribution()

ANYTHING: list[Any] = [
    *(True, False, 0, 1, -1, 2, 10**30, 1.5, float("inf"), datetime.date(2026, 1, 1)),
    *("", "x", "run", "x10", "tp", "{tp}", "{", "}", "$(x)", "\n", "²", "int", ">=1", "a" * 50),
    *([], [1], ["x"], ["fast"], [[]], [{}]),
    *({}, {"min": 1}, {"max": -1}, {"min": 2, "max": 3}, {"sku": "x10"}, {"vendor": "acme"}),
    {"derive": "copy", "reads": ["parallel.tp"]},
    {"derive": "product", "reads": []},
    {"derive": "scaled", "reads": ["conc"], "factor": -1},
]


def paths(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path

    if isinstance(node, (dict, list)):
        pairs = node.items() if isinstance(node, dict) else enumerate(node)
        for key, value in pairs:
            yield from paths(value, (*path, key))


PATHS = list(paths(DOCUMENT))


@st.composite
def tables(draw: st.DrawFn) -> str:
    """The table of ``acme`` with one to three places changed, dropped, renamed or doubled."""
    document = copy.deepcopy(DOCUMENT)
    for path in draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=3)):
        parent: Any = document
        try:
            for step in path[:-1]:
                parent = parent[step]
            parent[path[-1]]
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took it away
        if not isinstance(parent, (dict, list)):
            continue
        change = draw(st.sampled_from(["put", "put", "drop", "double"]))
        if change == "put":
            parent[path[-1]] = copy.deepcopy(draw(st.sampled_from(ANYTHING)))
        elif change == "drop":
            del parent[path[-1]]
        elif isinstance(parent, list):
            parent.append(copy.deepcopy(parent[path[-1]]))
        else:
            parent[f"{path[-1]}x"] = parent.pop(path[-1])
    return tomli_w.dumps(document)


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(tables())
def test_whatever_a_table_holds_the_registry_stands(text: str) -> None:
    """Its faults name the plugin; without any, each point resolves or fails by name."""
    registry = Registry((CORE, from_toml(text, "acme")))
    assert {fault.plugin for fault in registry.faults} <= {"acme"}
    assert all(str(fault) for fault in registry.faults)
    if registry.faults:
        return
    for point in registry.points():
        try:
            spec = registry.resolve(point)
        except InfxregError as error:
            problem = str(error)
        else:
            problem = spec.digest
        assert problem
