"""Validators read off their syntax: only what is sure to be refused is called refused."""

from __future__ import annotations

import ast
import textwrap

import pytest

from infxreg.surface.pyread.validators import ClassRules, class_rules


def rules(body: str, keys: str = "a b c", **constants: str) -> ClassRules:
    source = "class C:\n" + textwrap.indent(textwrap.dedent(body), "    ")
    (node,) = ast.parse(source).body
    assert isinstance(node, ast.ClassDef)

    def constant(named: ast.expr) -> ast.expr | None:
        text = constants.get(ast.unparse(named).replace(".", "_"))
        return None if text is None else ast.parse(text, mode="eval").body

    return class_rules(node, keys.split(), constant)


def refusals(body: str, **constants: str) -> list[str]:
    indented = textwrap.indent(textwrap.dedent(body), "    ")
    return list(rules(f"def __post_init__(self):\n{indented}", **constants).refusals)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("if self.a and self.b is None:\n    raise ValueError()", ["a and self.b is None"]),
        ("if self.a:\n    if not self.b:\n        raise E", ["self.a and (not self.b)"]),
        ("if self.a:\n    pass\nelse:\n    raise E", ["not self.a"]),
        ("if self.a:\n    pass\nelif self.b:\n    raise E", ["not self.a and self.b"]),
        (
            "if self.a is None:\n    return\nif self.b:\n    raise E",
            ["not self.a is None and self.b"],
        ),
        ("if self.a:\n    raise E\nif self.b:\n    raise E", ["self.a", "self.b"]),
        (
            "if not self.a:\n    x = 1\nelse:\n    return\nif self.b:\n    raise E",
            ["not self.a and self.b"],
        ),
        ("x = self.a\ny: int = 3\nif x > y:\n    raise E", ["self.a > 3"]),
        ("if x := self.a:\n    if x == 1:\n        raise E", ["self.a and self.a == 1"]),
        ("assert self.a > 0, 'no'", ["not self.a > 0"]),
        ("if self.a in ('x', *Y):\n    raise E", []),
        ("if len(self.a) != len(set(self.a)):\n    raise E", ["len(self.a) != len(set(self.a))"]),
        ("if self.a.startswith('/'):\n    raise E", ["self.a.startswith('/')"]),
        (
            "if any(x is None for x in (self.a, self.b)):\n    raise E",
            ["self.a is None or self.b is None"],
        ),
        ("if all([self.a, self.b]):\n    raise E", ["self.a and self.b"]),
        (
            "odd = [n for n, v, d in (('a', self.a, 1), ('b', self.b, 2)) if v != d]\n"
            "if self.c and odd:\n    raise E",
            ["self.c and (self.a != 1 or self.b != 2)"],
        ),
        ("if self.a * self.b % 2 == -1:\n    raise E", ["self.a * self.b % 2 == -1"]),
        # what isn't about keys and constants, or isn't sure, is left out
        ("raise E", []),
        ("if self.a and torch.cuda.is_available():\n    raise E", []),
        ("if helper(self.a):\n    raise E", []),
        ("if isinstance(self.a, str):\n    raise E", []),
        ("for x in self.a:\n    if x:\n        raise E", ["any((x_ for x_ in self.a))"]),
        (
            "if self.b:\n    for x in self.a:\n        if x == 1:\n            continue\n"
            "        if x[0] == 'y':\n            raise E",
            ["self.b and any((not x_ == 1 and x_[0] == 'y' for x_ in self.a))"],
        ),
        ("for x in self.a:\n    if x == 1:\n        break\n    if x:\n        raise E", []),
        ("for x in helper():\n    if x:\n        raise E", []),
        ("for x, y in self.a:\n    if x:\n        raise E", []),
        ("if self.a.count('x') > 1:\n    raise E", ["self.a.count('x') > 1"]),
        ("try:\n    pass\nexcept E:\n    raise F", []),
        ("if helper():\n    return\nif self.b:\n    raise E", []),
        ("if helper():\n    raise E\nif self.b:\n    raise E", ["self.b"]),
        ("if self.a:\n    x = 1\nelse:\n    x = 2\nif x == self.b:\n    raise E", []),
        ("x = 1\nfor x in self.a:\n    pass\nif x == self.b:\n    raise E", []),
        ("self.a = 3\nif self.a:\n    raise E\nif self.b:\n    raise E", ["self.b"]),
        ("if self.b:\n    self.a = 3\nif self.a:\n    raise E", []),
        ("if self.unknown:\n    raise E", []),
        ("if all(x for x in (self.a, self.b)):\n    raise E", ["self.a and self.b"]),
        ("if any((self.a,)):\n    raise E", ["self.a"]),
        ("if any(self.a):\n    raise E", []),
        ("if any([]):\n    raise E", []),
        ("if any((self.a, helper())):\n    raise E", []),
        ("if any(x for x in (self.a,) if x):\n    raise E", []),
        ("if any(x for x in self.a):\n    raise E", []),
        ("if any(x for y in (self.a,) for x in y):\n    raise E", []),
        ("if any(helper(x) for x in (self.a, self.b)):\n    raise E", []),
        ("if any(x for x, y in ((self.a, 1, 2),)):\n    raise E", []),
        ("if any(y for x.z, y in ((self.a, self.b),)):\n    raise E", []),
        ("if any(v for k, v in (('a', self.a),)):\n    raise E", ["self.a"]),
        ("if self.a.startswith(helper()):\n    raise E", []),
        ("if self.a.encode():\n    raise E", []),
        ("if len(helper()):\n    raise E", []),
        ("if len(self.a, key=1):\n    raise E", []),
        ("if (lambda: 1)(self.a):\n    raise E", []),
        ("if self.a[self.b]:\n    raise E", []),
        ("if helper()[0]:\n    raise E", []),
        ("if -self.a > abs(self.b):\n    raise E", ["-self.a > abs(self.b)"]),
        ("if {self.a} == {helper()}:\n    raise E", []),
        ("if not helper() or self.a:\n    raise E", []),
        ("if self.a:\n    return\nelse:\n    return\nif self.b:\n    raise E", []),
        (
            "if self.a:\n    raise E\nelse:\n    raise E\nif self.b:\n    raise E",
            ["self.a", "not self.a"],
        ),
    ],
)
def test_refusals(body: str, found: list[str]) -> None:
    assert refusals(body) == [text.replace("self.", "") for text in found]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("return self.a or self.b", ("a or b",)),
        ("x = self.a\nreturn x > 1", ("a > 1",)),
        ("x = self.a\nreturn", ()),
        ("x = self.a\nprint(x)", ()),
        ("del self.a\nreturn self.b", ()),
        ("if self.a:\n    return 1\nreturn self.b", ()),
        ("if self.a:\n    raise E\nreturn self.b", ()),
    ],
)
def test_properties(body: str, found: tuple[str, ...]) -> None:
    """A property of assignments and one ``return`` stands for its value; others for none."""
    text = "@property\ndef odd(self):\n" + textwrap.indent(body, "    ")
    text += "\ndef __post_init__(self):\n    if self.odd:\n        raise E\n"
    assert rules(text).refusals == found


def test_constants_of_the_module() -> None:
    body = "if self.a in NAMES or self.b == Kind.X:\n    raise E"
    assert refusals(body, NAMES="('x', 'y')", Kind_X="3") == ["a in ('x', 'y') or b == 3"]
    assert refusals(body, NAMES="('x', 'y')") == []


def test_model_validators_run_after_post_init() -> None:
    found = rules(
        """
        @model_validator(mode="after")
        def check(self):
            if self.a:
                raise E
            if self.b:
                raise E

        def __post_init__(self):
            self.a = 3
        """
    )
    assert found.refusals == ("b",)


def test_a_pydantic_model_says_it_after_its_init() -> None:
    found = rules("def model_post_init(self, __context):\n    if self.a:\n        raise E")
    assert found.refusals == ("a",)


def test_validators_before_the_types_say_nothing_of_combinations() -> None:
    found = rules(
        """
        @model_validator(mode="before")
        def check(cls, data):
            if "old" in data:
                raise E
        """
    )
    assert found == ClassRules({}, ())


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("if 'old' in data:\n    raise E\nreturn data", {"*": "same"}),
        ("values = data.kwargs\nif not values:\n    return data\nreturn data", {"*": "same"}),
        ("data['a'] = 1\nreturn data", {}),
        ("data.pop('a')\nreturn data", {}),
        ("data = dict(data)\nreturn data", {}),
        ("return {**data}", {}),
        ("return data\nreturn other", {}),
    ],
)
def test_a_class_wide_look_before_the_types(body: str, words: dict[str, str]) -> None:
    indented = textwrap.indent(body, "    ")
    found = rules(f"@model_validator(mode='before')\n@classmethod\ndef f(cls, data):\n{indented}")
    assert found == ClassRules(words, ())


def test_a_validator_of_one_key_after_its_type() -> None:
    found = rules(
        """
        @field_validator("a", "b")
        @classmethod
        def check(cls, value):
            if value is None:
                return value
            if value not in ("x", "y"):
                raise E
            return value
        """
    )
    assert found.reads == {}
    assert found.refusals == (
        "not a is None and a not in ('x', 'y')",
        "not b is None and b not in ('x', 'y')",
    )


def test_properties_are_looked_into() -> None:
    found = rules(
        """
        @property
        def both(self):
            "Both."
            first = self.a
            return first and self.b

        @property
        def far(self):
            if self.a:
                return True
            return False

        def __post_init__(self):
            if self.both:
                raise E
            if self.far:
                raise E
        """
    )
    assert found.refusals == ("a and b",)


@pytest.mark.parametrize(
    ("mode", "body", "words"),
    [
        ("wrap", "if v is None:\n    return v\nreturn handler(v)", "null"),
        ("wrap", "return handler(v)", ""),
        ("before", "if isinstance(v, str):\n    return Kind[v.upper()]\nreturn v", "member"),
        (
            "before",
            "if v.lower() == 'auto':\n    return None\nreturn Kind[v.upper()]",
            "auto member",
        ),
        (
            "before",
            "name = v.upper()\nif name not in Kind.__members__:\n    raise E\nreturn Kind[name]",
            "member",
        ),
        ("before", "return v.lower().replace('-', '_')", "lower-underscore"),
        ("before", "if isinstance(v, str):\n    return v.lower()\nreturn v", "lower"),
        ("before", "v = v.replace(' ', '').split(',')\nreturn v", "commas"),
        ("before", "if isinstance(v, dict):\n    return Inner(**v)\nreturn v", "same"),
        ("before", "return magic(v)", ""),
        ("before", "'Doc.'\nif not isinstance(v, str):\n    return v\nreturn magic(v)", "text"),
        ("before", "if isinstance(v, str):\n    return magic(v)\nreturn v", "text"),
        ("before", "if not isinstance(v, dict):\n    return v\nreturn magic(v)", "object"),
        ("before", "if isinstance(v, str):\n    return magic(v)\nreturn other(v)", ""),
        ("before", "if not isinstance(v, str):\n    v = 3\n    return v\nreturn magic(v)", ""),
    ],
)
def test_how_raw_values_are_read(mode: str, body: str, words: str) -> None:
    indented = textwrap.indent(body, "    ")
    found = rules(f"@field_validator('a', mode='{mode}')\ndef f(cls, v, handler):\n{indented}")
    assert found.reads == {"a": words}


def test_two_validators_of_one_key() -> None:
    found = rules(
        """
        @field_validator("a", mode="before")
        def first(cls, v):
            return Kind[v.upper()]

        @field_validator("a", "b", mode="wrap")
        def second(cls, v, handler):
            if v is None:
                return v
            return handler(v)
        """
    )
    assert found.reads == {"a": "member null", "b": "null"}


def test_every_key_at_once() -> None:
    found = rules("@field_validator('*', mode='before')\ndef f(cls, v):\n    return v.split(',')")
    assert found.reads == {"*": "commas"}
