"""Law: whether a JSON value fits a type is what pydantic says in its lax mode.

pydantic is what vllm reads its JSON with. It is no dependency of ours: where it is missing, the
table in `test_check_json.py` stands in.
"""

from __future__ import annotations

import enum
import json
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infxreg.surface.json_rules import faults
from infxreg.surface.json_schema import Schema
from support.surfaces import config
from support.surfaces import enum as members

pydantic = pytest.importorskip("pydantic", reason="pydantic isn't installed; the table runs")


class Text(enum.Enum):
    A = "path.a"
    B = "path.b"


class Level(enum.IntEnum):
    NONE = 0
    FULL = 3


@pydantic.dataclasses.dataclass(config=pydantic.ConfigDict(extra="forbid"))
class Inner:
    a: int = 0
    b: list[str] | None = None


TYPES: dict[str, Any] = {
    "bool": bool,
    "int": int,
    "float": float,
    "str": str,
    "None": type(None),
    "Any": Any,
    "list[int]": list[int],
    "set[int]": set[int],
    "tuple[int, ...]": tuple[int, ...],
    "tuple[int, str]": tuple[int, str],
    "dict[str, int]": dict[str, int],
    "dict[int, bool]": dict[int, bool],
    "list": list,
    "dict": dict,
    "Literal['x', 'p']": Literal["x", "p"],
    "Literal[1, 3]": Literal[1, 3],
    "Literal[True]": Literal[True],
    "Text": Text,
    "Level": Level,
    "Inner": Inner,
    "int | None": int | None,
    "int | str": int | str,
    "bool | str": bool | str,
    "float | int": float | int,
    "list[str] | str": list[str] | str,
    "Level | None": Level | None,
    "dict[str, Inner | int]": dict[str, Inner | int],
    "list[Literal['x', 1]]": list[Literal["x", 1]],
    "Optional[Inner]": Inner | None,
}
SCHEMA = Schema(
    {
        "Inner": config(a="int", b="list[str] | None"),
        **{f"of {text}": config(k=text) for text in TYPES},
    },
    {"Text": members(A="path.a", B="path.b"), "Level": members(NONE=0, FULL=3)},
)
SCALARS = st.sampled_from(
    "null true false 0 1 2 3 -1 1.0 1.5 3.0 1e3 1e400 NaN -Infinity 12345678901234567890123".split()
) | st.sampled_from(
    [
        "3",
        "3.0",
        "3.5",
        "1e3",
        " 3 ",
        "+3",
        "-3",
        "1_000",
        "1__0",
        "x",
        "",
        "true",
        "TRUE",
        "YES",
        "on",
        "t",
        "y",
        "n",
        "0",
        "off",
        "TRUE ",
        "p",
        "path.a",
        "A",
        "nan",
        "inf",
        "0x10",
        "null",
        "FULL",
        ".5",
        "1.",
        "٣",
    ]
).map(json.dumps)
KEYS = st.sampled_from(["a", "b", "1", "x", "zzz"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: f"[{','.join(items)}]")
        | st.dictionaries(KEYS, inner, max_size=3).map(
            lambda items: "{" + ",".join(f'"{key}":{value}' for key, value in items.items()) + "}"
        )
    ),
    max_leaves=4,
)


@settings(max_examples=4000, deadline=None)
@given(st.sampled_from(sorted(TYPES)), VALUES)
def test_agrees_with_pydantic(text: str, value: str) -> None:
    try:
        pydantic.TypeAdapter(TYPES[text]).validate_json(value)
        fits = True
    except pydantic.ValidationError:
        fits = False
    found = faults(SCHEMA, f"of {text}", {"k": json.loads(value)})
    assert (not found) is fits, found
