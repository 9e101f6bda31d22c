"""Config classes read off their syntax: keys, limits, unknown keys, validators, refusals."""

from __future__ import annotations

import textwrap

import pytest

from infxreg.surface.model import Config, ConfigField
from infxreg.surface.pyread.configs import ConfigReader
from infxreg.surface.pyread.values import ClassVal
from support.trees import machine

IMPORTS = """
import enum
from dataclasses import InitVar, dataclass, field
from typing import Annotated, ClassVar, Literal
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from pkg.utils import config
"""
UTILS = "def config(cls=None, *, config=None): return cls\n"


def read(text: str, default_extra: str | None = None) -> ConfigReader:
    """What the class C of a text, and what it names, are read as."""
    reader = machine(mod=IMPORTS + textwrap.dedent(text), utils=UTILS)
    cls = reader.find("pkg.mod.C")
    assert isinstance(cls, ClassVal)
    made = ConfigReader(reader, default_extra=default_extra)
    made.read([cls])
    assert reader.problems == []
    return made


def config(text: str, default_extra: str | None = None) -> Config:
    return read(text, default_extra).configs["C"]


def test_keys_of_every_kind() -> None:
    """Class variables are no keys; others have type, limits, default, and whether needed."""
    made = config("""
        @dataclass
        class C:
            shared: ClassVar[int] = 1
            need: int
            limited: int = Field(default=1, ge=1, lt=9)
            both: Annotated[float, Field(gt=0), 'doc', Field(le=1)] = 0.5
            made: list = field(default_factory=lambda: [1])
            hidden: int = field(default=2, init=False)
            later: int = field(init=False)
            late: InitVar[int] = 3
            kind: Literal['a', 'b'] = 'a'
            loose: int = Field(default=1, ge=limit())
    """)
    assert dict(made.fields) == {
        "need": ConfigField(type="int", required=True),
        "limited": ConfigField(type="int", bounds=">=1 <9", default="1"),
        "both": ConfigField(type="float", bounds=">0 <=1", default="0.5"),
        "made": ConfigField(type="list", default="[1]"),
        "hidden": ConfigField(kind="noinit", type="int", default="2"),
        "later": ConfigField(kind="noinit", type="int"),
        "late": ConfigField(kind="initvar", type="int", default="3"),
        "kind": ConfigField(type="Literal", choices=("a", "b"), default="'a'"),
        "loose": ConfigField(type="int", default="1"),
    }


@pytest.mark.parametrize(
    ("text", "default_extra", "extra"),
    [
        ("class C:\n    a: int", None, None),
        ("@config\nclass C:\n    a: int", "forbid", "forbid"),
        ("@config(config=ConfigDict(extra='ignore'))\nclass C:\n    a: int", "forbid", "ignore"),
        ("@config(config=ConfigDict(strict=True))\nclass C:\n    a: int", "forbid", "forbid"),
        ("@config(config=nowhere)\nclass C:\n    a: int", "forbid", "forbid"),
        ("@config(other=1)\nclass C:\n    a: int", "forbid", "forbid"),
        ("@dataclass(frozen=True)\nclass C:\n    a: int", "forbid", None),
        ("@(lambda c: c)\nclass C:\n    a: int", "forbid", None),
        ("class C(BaseModel):\n    model_config = ConfigDict(extra='allow')", None, "allow"),
        ("class C(BaseModel):\n    model_config = {'extra': 3}", None, None),
        ("class C(BaseModel):\n    model_config = nowhere", None, None),
        ("@config\nclass B:\n    a: int\nclass C(B):\n    b: int", "forbid", "forbid"),
    ],
)
def test_what_unknown_keys_meet(text: str, default_extra: str | None, extra: str | None) -> None:
    """The nearest of decorator, ``model_config`` and base says it; else it isn't known."""
    assert config(text, default_extra).extra == extra


@pytest.mark.parametrize(
    ("decorator", "validated"),
    [
        ("field_validator('a', mode='before')", ["a"]),
        ("field_validator('a', name, mode='wrap')", ["a"]),
        ("field_validator('a')", []),
        ("field_validator('a', mode='after')", []),
        ("model_validator(mode='before')", ["a", "b"]),
        ("pydantic.model_validator(mode='plain')", ["a", "b"]),
        ("model_validator(mode=MODE)", []),
        ("other(mode='before')", []),
        ("(lambda f: f)(mode='before')", []),
        ("staticmethod", []),
    ],
)
def test_keys_that_a_validator_sees_first(decorator: str, validated: list[str]) -> None:
    """Only validators before the types change what a raw value may be."""
    made = config(f"""
        import pydantic
        class C(BaseModel):
            a: int = 1
            b: int = 2
            @{decorator}
            def check(cls, value, *rest): return helper(value)
    """)
    assert [name for name, one in made.fields.items() if one.validated] == validated


def test_what_a_validator_reads() -> None:
    """The words of a validator go to its keys, to all for ``*``, and not to others."""
    made = config("""
        class C(BaseModel):
            a: str = 'x'
            b: int = 2
            @field_validator('a', 'gone', mode='before')
            def lower(cls, value):
                if isinstance(value, str):
                    return value.lower()
                return value
            @field_validator('b', mode='before')
            def silent(cls, value): return helper(value)
            @model_validator(mode='before')
            def look(cls, data):
                return data
    """)
    assert {name: one.reads for name, one in made.fields.items()} == {"a": "lower", "b": "same"}


def test_constants_in_refusals() -> None:
    """Names of constants become their values; what isn't one leaves the condition out."""
    made = config("""
        class Kind(enum.Enum):
            A = 'x'
        NAMES = {'q', 'p'}
        TABLE = {'k': 1}
        LIMIT = 5
        class Level(enum.IntEnum):
            LOW = 1
        class Base(outside):
            def __post_init__(self):
                if self.a > LIMIT: raise ValueError
        class C(Base):
            a: int = 1
            b: str = 'x'
            def __post_init__(self):
                if self.b in NAMES: raise ValueError
                if self.b in TABLE: raise ValueError
                if self.b == Kind.A: raise ValueError
                if self.a == Level.LOW: raise ValueError
                if self.a == nowhere: raise ValueError
                if self.a == Kind.missing: raise ValueError
                if self.a == C: raise ValueError
    """)
    assert made.refusals == ("b in ('p', 'q')", "a == 1", "a > 5")


def test_classes_and_enums_that_keys_hold() -> None:
    """Every class is read once, with the enums and classes of its keys."""
    made = read("""
        class Mode(enum.Enum):
            A = 1
            B = nowhere
        @dataclass
        class Inner:
            mode: Mode = Mode.A
            back: 'C | None' = None
        @dataclass
        class C:
            inner: Inner = field(default_factory=Inner)
            more: list[Inner] = field(default_factory=list)
            other: Mode | None = None
    """)
    assert sorted(made.configs) == ["C", "Inner"]
    assert made.configs["Inner"].fields["mode"].default == "<Mode.A: 1>"
    assert made.configs["C"].fields["inner"].default is None
    assert {name: dict(one.members) for name, one in made.enums.items()} == {
        "Mode": {"A": "1", "B": None}
    }
