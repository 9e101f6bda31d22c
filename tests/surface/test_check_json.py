"""JSON against a config class: types, enums, nesting, limits, keys, combinations.

`test_check_pydantic.py` compares the types with pydantic itself; this table runs without it.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from infxreg.surface.json_report import report_json_fault
from infxreg.surface.json_rules import JsonFault, faults
from infxreg.surface.json_schema import Schema
from infxreg.surface.model import Config, ConfigField
from infxreg.surface.report import Report
from infxreg.surface.type_expr import (
    ANY,
    ClassOf,
    DictOf,
    EnumOf,
    ListOf,
    OneOf,
    Row,
    Simple,
    Type,
    Unclear,
    Union,
    in_words,
    read_type,
)
from support.surfaces import config, enum, surface

ENUMS = {
    "Mode": enum(NONE=0, FULL=3),
    "Kind": enum(A="path.a", B="path.b"),
    "Odd": enum(PAIR=(1, 2)),
}
INNER = config(a="int", b="list[str] | None")


def check_one(record: ConfigField | str, value: object) -> list[JsonFault]:
    schema = Schema({"Inner": INNER, "Outer": config(k=record)}, ENUMS)
    return faults(schema, "Outer", {"k": json.loads(json.dumps(value))})


def fits(record: ConfigField | str, value: object) -> bool:
    return not check_one(record, value)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("bool", [True, "yes", "OFF", 1, 0.0], ["maybe", 2, None, [], "true "]),
        ("int", [3, "3", " +3 ", "3.0", 3.0, True], ["x", 3.5, None, [3], "1e3", 1e300]),
        ("float", [1, 1.5, "1e3", True, "nan"], ["x", None, [], "1_", "٣"]),
        ("str", ["", "x"], [1, True, None, [], {}]),
        ("None", [None], [0, "", "null", False]),
        ("Any", [None, 1, [], {}], []),
        ("list[int]", [[], [1, "2"]], [1, {}, "1", [None], ["x"]]),
        ("set[str]", [["a"]], ["a", [1]]),
        ("tuple[int, ...]", [[1, 2, 3]], [["x"], 1]),
        ("tuple[int, str]", [[1, "a"]], [[1], [1, 2], [1, "a", 3]]),
        ("dict[str, int]", [{}, {"a": 1}], [[], {"a": "x"}, None]),
        ("dict[int, Any]", [{"1": None}], [{"x": 1}]),
        ("dict", [{"a": []}], [[], 1]),
        ("int | None", [None, 1], ["x", []]),
        ("list[str] | str", ["a", ["a"]], [1, [1]]),
        ("Literal['a', 'b']", ["a"], ["c", "A", None, 1]),
        ("Literal[1, 3]", [1, 3.0, True], [2, "1", None]),
        ("Mode", [0, 3, "3", False], [1, "FULL", None, [3]]),
        ("Kind", ["path.a"], ["A", "path.c", 0]),
        ("Odd", [], [[1, 2], "PAIR", 1]),
        ("Inner", [{}, {"a": "1"}, {"b": None}], [[], {"c": 1}, {"a": "x"}, None]),
        ("Inner | None", [None, {"a": 1}], [1, {"c": 1}]),
        ("Callable[[int], str]", [], ["f", None, 1, {}]),
        ("type[int] | None", [None], ["int"]),
    ],
)
def test_types(kind: str, good: list[object], bad: list[object]) -> None:
    assert [value for value in good if not fits(kind, value)] == []
    assert [value for value in bad if fits(kind, value)] == []


def test_a_literal_by_its_choices() -> None:
    one = ConfigField(type="Literal | None", choices=("recompute", "fail"))
    assert fits(one, "fail")
    assert fits(one, None)
    (fault,) = check_one(one, "ignore")
    assert (fault.kind, fault.choices) == ("hard choice", ("recompute", "fail"))


def test_limits() -> None:
    one = ConfigField(type="int | None", bounds=">=0 <10")
    assert fits(one, 0)
    assert fits(one, "9")
    assert fits(one, None)
    assert [fault.wanted for fault in check_one(one, 10)] == ["< 10"]
    assert [fault.wanted for fault in check_one(one, -1)] == [">= 0"]
    assert [
        fault.wanted for fault in check_one(ConfigField(type="float", bounds=">0.5 <=1"), 2)
    ] == ["<= 1"]


def test_a_fault_says_where_and_what() -> None:
    (fault,) = check_one("dict[str, Inner]", {"x": {"b": ["a", 1]}})
    assert fault == JsonFault("wrong type", ("k", "x", "b", "1"), "text", "Inner.b", 1)


def test_a_fault_inside_an_optional_class_is_its_own() -> None:
    (fault,) = check_one("Inner | None", {"c": 1})
    assert (fault.kind, fault.path, fault.owner) == ("unknown JSON key", ("k", "c"), "Inner.c")


def test_every_unknown_key_is_told() -> None:
    found = faults(Schema({"Inner": INNER}, {}), "Inner", {"x": 1, "a": "z", "y": 2})
    assert [fault.path for fault in found] == [("x",), ("a",), ("y",)]


def test_unknown_keys_where_a_class_doesnt_forbid_them() -> None:
    for extra, dropped in ((None, [True]), ("ignore", [True]), ("allow", [])):
        found = faults(Schema({"C": config(extra, a="int")}, {}), "C", {"x": 1})
        assert [fault.dropped for fault in found] == dropped, extra


def test_a_field_that_is_no_key() -> None:
    made = config(
        a=ConfigField(type="int", kind="noinit"), b=ConfigField(type="int", kind="initvar")
    )
    schema = Schema({"C": made}, {})
    assert [fault.kind for fault in faults(schema, "C", {"a": 1})] == ["unknown JSON key"]
    assert faults(schema, "C", {"b": 1}) == []


def test_a_key_that_must_be_there() -> None:
    schema = Schema({"C": config(a=ConfigField(type="int", required=True))}, {})
    assert [fault.kind for fault in faults(schema, "C", {})] == ["missing JSON key"]
    assert faults(schema, "C", {"a": 1}) == []


def test_no_object() -> None:
    for value in (None, 3, [], "x"):
        (fault,) = faults(Schema({"C": INNER}, {}), "C", value)  # type: ignore[arg-type]
        assert (fault.kind, fault.wanted, fault.owner) == ("wrong type", "an object", "C")


TRANSFER = config(
    refusals=[
        "connector is not None and role is None",
        "quiet and backend not in ('xgrammar', 'guidance')",
        "not an expression",
    ],
    connector=ConfigField(type="str | None", default="None"),
    role=ConfigField(type="Literal | None", choices=("producer", "both"), default="None"),
    quiet=ConfigField(type="bool", default="False"),
    backend=ConfigField(type="str", default="'auto'"),
    device=ConfigField(type="str"),
)


@pytest.mark.parametrize(
    ("value", "refused"),
    [
        ({}, False),
        ({"connector": "Nixl"}, True),
        ({"connector": None}, False),
        ({"connector": "Nixl", "role": "both"}, False),
        ({"quiet": "yes"}, True),  # as the class holds it, not as it was written
        ({"quiet": "no"}, False),
        ({"quiet": True, "backend": "guidance"}, False),
    ],
)
def test_refused_combinations(value: Any, refused: bool) -> None:
    found = faults(Schema({"T": TRANSFER}, {}), "T", value)
    assert [fault.kind for fault in found] == ["refused combination"] * refused


@pytest.mark.parametrize(
    ("made", "value", "kind", "message"),
    [
        (
            TRANSFER,
            {"connector": "Nixl"},
            "refused combination",
            "--kv: T refuses it where connector is not None and role is None",
        ),
        (
            config(a=ConfigField(type="int", required=True)),
            {},
            "missing JSON key",
            "--kv a is missing: a whole number",
        ),
    ],
)
def test_a_fault_in_words(made: Config, value: Any, kind: str, message: str) -> None:
    """The finding names the flag, and the class and condition, or the key and what it takes."""
    report, schema = Report(surface("vllm", "1.0")), Schema({"T": made}, {})
    (fault,) = faults(schema, "T", value)
    report_json_fault(report, schema, "--kv", fault)
    (found,) = report.findings
    assert (found.kind, found.message) == (kind, message)


def test_a_wrong_key_is_told_before_combinations() -> None:
    found = faults(Schema({"T": TRANSFER}, {}), "T", {"connector": 1})
    assert [fault.kind for fault in found] == ["wrong type"]


def read(kind: str, words: str, **more: Any) -> ConfigField:
    return ConfigField(type=kind, validated=True, reads=words, **more)


def test_how_a_raw_value_is_read() -> None:
    member = read("Mode", "member")
    assert fits(member, "full")
    assert fits(member, 3)
    assert not fits(member, None)
    (fault,) = check_one(member, "3")
    assert (fault.kind, fault.enum, fault.choices) == ("hard choice", "Mode", ("NONE", "FULL"))
    assert fits(read("Mode", "null member"), None)
    assert fits(read("Mode | None", "auto member"), "AUTO")
    literal = ("deep_gemm", "auto")
    assert fits(read("Literal", "lower-underscore", choices=literal), "Deep-GEMM")
    assert not fits(read("Literal", "lower", choices=literal), "Deep-GEMM")
    assert fits(read("Literal", "lower", choices=literal), "AUTO")
    assert fits(read("list[str]", "commas"), "a, b")
    assert not fits(read("list[str]", "commas"), 3)
    assert [fault.kind for fault in check_one(read("Inner", "same"), {"c": 1})] == [
        "unknown JSON key"
    ]


def test_a_look_at_one_kind_of_value_alone() -> None:
    text = read("Inner | None", "text")
    assert [fault.kind for fault in check_one(text, "fp8")] == ["not known"]
    assert [fault.kind for fault in check_one(text, {"c": 1})] == ["unknown JSON key"]
    assert fits(text, {"a": 1})
    assert fits(text, None)
    table = read("dict[str, int]", "object")
    assert [fault.kind for fault in check_one(table, {"a": "x"})] == ["not known"]
    assert [fault.kind for fault in check_one(table, "x")] == ["wrong type"]
    assert fits(table, {"a": 1})


def test_a_validated_key_of_which_no_more_is_known() -> None:
    """Only what no such look would take is refused; text and objects stay open."""
    enum_key = ConfigField(type="Kind | None", validated=True)
    for value in ("path.a", "a", "auto", None):
        assert fits(enum_key, value), value
    assert [fault.kind for fault in check_one(enum_key, "zzz")] == ["hard choice"]
    assert [fault.kind for fault in check_one(enum_key, 7)] == ["hard choice"]
    words = ConfigField(type="Literal", choices=("deep_gemm",), validated=True)
    assert fits(words, "DEEP-GEMM")
    assert [fault.kind for fault in check_one(words, "zzz")] == ["not known"]
    assert [fault.kind for fault in check_one(words, [1])] == ["hard choice"]
    assert fits(ConfigField(type="list[str]", validated=True), "a,b")


def test_types_that_arent_known() -> None:
    assert [fault.kind for fault in check_one("torch.dtype", "x")] == ["not known"]
    assert fits("int | ModelImpl", 3)
    assert [fault.kind for fault in check_one("int | ModelImpl", "x")] == ["not known"]
    (fault,) = check_one(ConfigField(), 1)
    assert (fault.kind, fault.wanted) == ("not known", "")


def test_an_enum_with_a_value_that_isnt_known() -> None:
    from infxreg.surface.model import Enum
    from infxreg.values import FrozenMap

    enums = {"E": Enum(members=FrozenMap({"A": "'a'", "B": None}))}
    schema = Schema({"C": config(k="E")}, enums)
    assert faults(schema, "C", {"k": "a"}) == []
    assert [fault.kind for fault in faults(schema, "C", {"k": "b"})] == ["not known"]
    assert [fault.kind for fault in faults(schema, "C", {"k": []})] == ["hard choice"]


def test_a_choice_from_several_lists() -> None:
    (fault,) = check_one("Literal['a'] | Kind", "c")
    assert (fault.kind, fault.choices) == ("hard choice", ("a", "A", "B"))
    (fault,) = check_one("int | list[int]", "c")
    assert (fault.kind, fault.wanted) == (
        "wrong type",
        "a whole number or a list of (a whole number)",
    )


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("int", Simple("int")),
        ("'int'", Simple("int")),
        ("Optional[int]", Union((Simple("int"), Simple("none")))),
        ("typing.Union[int, str]", Union((Simple("int"), Simple("str")))),
        ("int | (str | None) | int", Union((Simple("int"), Simple("str"), Simple("none")))),
        ("Annotated[int, Field(ge=0)]", Simple("int")),
        ("InitVar[bool]", Simple("bool")),
        ("Sequence[int]", ListOf(Simple("int"))),
        ("tuple", ListOf(ANY)),
        ("tuple[int, ...]", ListOf(Simple("int"))),
        ("tuple[int, str]", Row((Simple("int"), Simple("str")))),
        ("Mapping[str, Any]", DictOf(Simple("str"), ANY)),
        ("dict", DictOf(ANY, ANY)),
        ("Literal['a', 1, None]", OneOf(("a", 1, None))),
        ("Literal", OneOf(("x", "y"))),
        ("Literal[X.A]", Unclear("Literal[X.A]")),
        ("config.Inner", ClassOf("Inner")),
        ("Mode", EnumOf("Mode")),
        ("torch.dtype", Unclear("torch.dtype")),
        ("type[X]", Simple("never")),
        ("Box[int]", Unclear("Box[int]")),
        ("3", Unclear("3")),
        ("int |", Unclear("int |")),
        ("", Unclear("")),
        (None, Unclear("")),
    ],
)
def test_type_expressions(text: str | None, tree: Type) -> None:
    assert read_type(text, ("x", "y"), {"Inner"}, {"Mode"}) == tree


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("int | None", "a whole number or null"),
        ("list[str]", "a list of (text)"),
        ("list", "a list"),
        ("tuple[int, str]", "a list of 2"),
        ("dict[str, int]", "an object"),
        ("Literal", "one of x, y"),
        ("Mode", "a member of Mode"),
        ("torch.dtype", "torch.dtype"),
        ("Callable", "a class or a function, which JSON can't say"),
        ("Any", "anything"),
    ],
)
def test_types_in_words(text: str, words: str) -> None:
    assert in_words(read_type(text, ("x", "y"), {"Inner"}, {"Mode"})) == words
