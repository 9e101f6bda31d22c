"""Classes, enums, records and types: as Python makes them, or unknown."""

from __future__ import annotations

import pytest

from infxreg.surface.pyread.machine import Machine
from infxreg.surface.pyread.operations import repr_of
from infxreg.surface.pyread.records import fields
from infxreg.surface.pyread.typetext import type_text
from infxreg.surface.pyread.values import BudgetError, ClassVal, Native, ParserVal, Unknown
from support.trees import machine
from support.twins import UNKNOWN, by_python, by_reading, exact

AGREE = {
    "attributes": """
        import abc, typing
        class Meta: kind = 'meta'
        class A(abc.ABC):
            x = [1]
            if True:
                y = 2
            z = y + 1
            short = lambda self: self.own + 3
            def __init__(self): self.own = 1
            def __getattr__(self, name): return 'got ' + name
            @staticmethod
            def s(n): return n
            @classmethod
            def c(cls): return cls.__name__
        class B(A, Meta):
            x = A.x + [2]
        b = B()
        b.extra = B.extra = 3
        setattr(b, 'set', 4)
        setattr(B, 'shared', 5)
        RESULT = [b.short(), b.x, b.y, B.z, b.kind, b.own, b.missing, b.extra, b.set, b.shared,
                  B.c(), b.c(),
                  b.s(1), B.s(2), hasattr(B, 'missing'), getattr(B, 'missing', 'none'),
                  [one for one in ('x', 'y') if one in vars(A)], B.__qualname__, A.__annotations__]
    """,
    "bases": """
        from typing import Generic, TypeVar
        T = TypeVar('T')
        class Top:
            def name(self): return 'top'
        class Left(Top):
            def name(self): return 'left ' + super().name()
        class Right(Top):
            def name(self): return 'right ' + super().name()
        class Box(Generic[T]):
            def name(self): return 'box'
        class Words(dict): pass
        class Bottom(Left, Right, Box[int]):
            def name(self):
                make = lambda: super(Bottom, self).name()
                return 'bottom ' + make()
            def inner(self):
                def call(): return super(Left, self).name()
                return call()
        RESULT = [Bottom().name(), Bottom().inner(), issubclass(Words, dict), Box[int] is not None]
    """,
    "super without a base": """
        class A:
            def __init__(self): super().__init__(); self.x = 1
            def __init_subclass__(cls, **kwargs): super().__init_subclass__(**kwargs)
            def __setattr__(self, name, value): super().__setattr__(name, value)
        class B(A):
            pass
        RESULT = B().x
    """,
    "a descriptor that is told its name": """
        class Field:
            def __init__(self, default): self.default = default
            def __set_name__(self, owner, name): self.name = owner.__name__ + '.' + name
        class Quiet: pass
        class Envs:
            FIRST = Field(1)
            quiet = Quiet()
        RESULT = [Envs.quiet is Envs.quiet, Envs.FIRST.name, Envs.FIRST.default]
    """,
    "enum members": """
        import enum
        class Color(enum.Enum):
            _ignore_ = ['tmp']
            note: str
            typed: int = 7
            RED = GREEN = 'r'
            _HIDDEN = 'h'
            SAME = 'r'
            def method(self): return self.name
            @property
            def upper(self): return self.value.upper()
            @classmethod
            def first(cls): return list(cls)[0].name
            helper = lambda self: 1
        RESULT = [[one.name for one in Color], list(Color.__members__), Color.SAME is Color.RED,
                  Color.GREEN.name, Color.__members__['SAME'].name, Color('r').name, len(Color),
                  Color.RED.upper, Color.RED.method(), Color.first(), Color['_HIDDEN'].value,
                  Color.typed.value, hasattr(Color, 'NONE'), getattr(Color, 'NONE', 'none'),
                  Color.RED in [Color.SAME], Color.RED in Color, str(Color.SAME)]
    """,
    "automatic values": """
        import enum
        class A(enum.Enum):
            ONE = enum.auto()
            FIVE = 5
            SIX = enum.auto()
        class F(enum.Flag):
            A = enum.auto()
            B = enum.auto()
            C = enum.auto()
        class G(enum.IntFlag):
            A = 5
            B = enum.auto()
        class S(enum.StrEnum):
            Low = enum.auto()
            X = 'y'
            Next = enum.auto()
        RESULT = [[one.value for one in kind] for kind in (A, F, S)] + [G.B.value]
    """,
    "enums with a str of their own": """
        import enum
        class S(enum.StrEnum):
            A = 'a'
            def __str__(self): return 'own'
        class I(enum.IntEnum):
            B = 1
        class P:
            def __str__(self): return 'plain'
        RESULT = [str(S.A), f'{S.A}', str(I.B), f'{I.B}', repr(I.B), str(P()), f'{P()}']
    """,
    "dataclass fields": """
        import dataclasses
        from dataclasses import dataclass, field, fields, is_dataclass
        from dataclasses import InitVar
        from typing import ClassVar
        @dataclass(frozen=True)
        class A:
            shared: ClassVar = 5
            other: ClassVar[int] = 6
            need: int
            has: str = 'x'
            made: list = field(default_factory=list)
            hidden: int = field(default=1, init=False)
            late: InitVar[int] = 0
            kw: int = field(default=2, kw_only=True)
        class B(A): pass
        @dataclass
        class Lazy:
            later: int = field(init=False)
        a = A(1)
        RESULT = [hasattr(a, 'nope'), hasattr(Lazy(), 'later'), hasattr(Lazy(), 'nope'),
                  a.need, a.has, a.made, a.hidden, a.kw, a.shared, A.other, A.has, A.hidden,
                  [one.name for one in fields(A)], [one.init for one in fields(a)],
                  hasattr(A, 'need'), hasattr(A, 'made'), is_dataclass(B), is_dataclass(a),
                  is_dataclass(3), A(2, 'y', [1]).made, [one.type for one in fields(A)][0],
                  [one.default_factory is dataclasses.MISSING for one in fields(A)]]
    """,
    "types": """
        from typing import (Annotated, Dict, List, Literal, NotRequired, Optional, TypedDict, Union,
                            cast, get_args, get_origin, get_type_hints, is_typeddict)
        class Keys(TypedDict):
            a: Annotated[int, 'doc']
            b: 'str | None'
        class Plain:
            x: Annotated[int, 1] = 1
        hints = get_type_hints(Plain)
        RESULT = [hints, get_args(get_type_hints(Plain, include_extras=True)['x']),
                  is_typeddict(Keys), is_typeddict(Plain), is_typeddict(3), cast(int, 'a'),
                  get_origin(List), get_origin(List[int]), get_origin(Dict[str, int]),
                  get_args(int), get_args(Optional[int]), get_args(Union[int, None, str, int]),
                  get_origin(3),
                  get_args(Literal['a', Literal['b', 'a']]), list[int].__origin__,
                  list[int].__args__, get_args(int | None), get_args(Optional['int'])[1]]
    """,
}


@pytest.mark.parametrize("name", AGREE)
def test_is_what_python_makes(name: str) -> None:
    """RESULT has the same values, of the same kinds, after reading and after running."""
    assert exact(by_reading(AGREE[name])) == exact(by_python(AGREE[name]))


# A body before ``RESULT = …``, and expressions that mustn't be known after it.
UNSURE = {
    "class A(U): pass": ["A.x", "A().x"],
    "class A(outside.Base): pass": ["A.x", "A().x", "getattr(A, 'x', 1)"],
    "class A:\n    def f(self): return super().x": ["A().f()"],
    "import enum\nclass E(enum.Enum):\n    A = enum.auto()\n    B = 'b'\n    C = enum.auto()": [
        "E.C.value"
    ],
    "import enum\nclass E(enum.Enum):\n    A = 5\n    B = 2\n    C = enum.auto()": ["E.C.value"],
    "import enum\nclass E(enum.Enum):\n"
    "    def _generate_next_value_(name, *rest): return name\n    A = enum.auto()": ["E.A.value"],
    "import enum\nclass E(enum.Enum):\n    A = U": ["E.A.value", "E.A.__doc__", "E.A.A"],
    "import enum\nclass E(outside.Mixed, enum.Enum):\n    A = 1": ["E.A.other"],
    "from dataclasses import dataclass\n@dataclass\nclass D:\n    a: int = 1\n"
    "    def __post_init__(self):\n        if not self.a: return\n        self.a = 2\n": ["D().a"],
    "from pydantic import BaseModel\nclass M(BaseModel):\n    a: int = 1\n"
    "    def model_post_init(self, context): self.b = self.a\n": ["M().b", "M.model_fields"],
    "import argparse\nclass Pair(argparse.BooleanOptionalAction): pass": [
        "Pair(U, 'x').option_strings",
        "Pair(3, 'x').option_strings",
    ],
    "import dataclasses, typing, msgspec": [
        "dataclasses.fields(U)",
        "dataclasses.fields(3)",
        "dataclasses.is_dataclass(U)",
        "typing.get_type_hints(U)",
        "typing.get_type_hints(3)",
        "typing.is_typeddict(U)",
        "typing.get_args(U)",
        "typing.get_origin(U)",
        "typing.cast(int)",
        "msgspec.structs.fields(U)",
        "msgspec.defstruct('A', U)",
        "msgspec.defstruct(U, [])",
        "msgspec.defstruct('A', [])",
        "msgspec.defstruct('A', [], namespace=U)",
    ],
}


@pytest.mark.parametrize(
    ("body", "text"), [(body, text) for body, texts in UNSURE.items() for text in texts]
)
def test_isnt_known(body: str, text: str) -> None:
    """What a base, hook or function outside may decide is unknown."""
    reader = machine(mod=f"{UNKNOWN}{body}\nRESULT = {text}\n")
    assert isinstance(reader.find("pkg.mod.RESULT"), Unknown)
    assert reader.problems == []


def holder(reader: Machine, name: str = "Holder") -> ClassVal:
    found = reader.find(f"pkg.mod.{name}")
    assert isinstance(found, ClassVal)
    return found


class TestStructs:
    TEXT = """
        import msgspec
        class Old(msgspec.Struct):
            a: int
            b: str = 'x'
        def helper(self): return self.a
        rows = [('a', int), ('b', str, 'x'), ('c', missing()), 'no row']
        Holder = msgspec.defstruct('Holder', rows, namespace={'helper': helper, 'extra': 3})
        NAMES = [one.name for one in msgspec.structs.fields(Old)]
        GIVEN = [one.default is msgspec.NODEFAULT for one in msgspec.structs.fields(Old)]
        RESULT = [Holder(1).b, Holder(1).helper(), Holder.extra, Old(2).b, NAMES, GIVEN]
    """

    def test_a_struct_that_a_call_makes(self) -> None:
        """Fields and functions are those that the call gave; what is no row is left out."""
        reader = machine(mod=self.TEXT)
        assert reader.find("pkg.mod.RESULT") == ["x", 1, 3, "x", ["a", "b"], [True, False]]
        made = fields(reader, holder(reader))
        assert [(one.name, type_text(reader, one.type)[0]) for one in made] == [
            ("a", "int"),
            ("b", "str"),
            ("c", "Unknown"),
        ]

    def test_a_struct_without_a_namespace_of_texts(self) -> None:
        """Functions in a list tell no module, so that nothing is made."""
        reader = machine(
            mod="import msgspec\nRESULT = msgspec.defstruct('A', [], namespace=[print])\n"
        )
        assert isinstance(reader.find("pkg.mod.RESULT"), Unknown)


class TestAnnotations:
    @pytest.mark.parametrize(
        ("annotation", "text"),
        [
            ("'int |'", "Unknown"),
            ("list['int']", "list[int]"),
            ("dict['str', 'int']", "dict[str, int]"),
            ("Later", "Later"),
            ("Later | None", "Later | None"),
            ("Literal[Mode.A, 1]", "Literal[A, 1]"),
            ("Callable[..., int]", "Callable"),
            ("Plain", "Plain"),
            ("3", "Any"),
        ],
    )
    def test_of_every_kind(self, annotation: str, text: str) -> None:
        """What is no type, or no Python, is named as far as it goes."""
        reader = machine(
            mod=f"""
            import enum
            from typing import Callable, Literal
            class Mode(enum.Enum):
                A = 1
            class Plain: pass
            class Holder:
                field: {annotation}
            """
        )
        made, _, records, _ = type_text(reader, fields(reader, holder(reader))[0].type)
        assert made == text
        assert records == []

    def test_an_alias_with_a_part_that_isnt_known(self) -> None:
        """A union with something unknown is unknown as a whole."""
        reader = machine(mod="Alias = nowhere | int\nclass Holder:\n    field: Alias\n")
        assert isinstance(reader.find("pkg.mod.Alias"), Unknown)
        assert type_text(reader, fields(reader, holder(reader))[0].type)[0] == "Alias"


class TestReplaced:
    def test_classes_and_functions_by_name(self) -> None:
        """A native in the overrides is called instead of the tree's class or function."""
        reader = machine(
            mod="""
            import outside
            class Loader: pass
            def load(): return 1
            RESULT = [Loader(3), load(), outside.FLAG]
            """
        )
        reader.overrides.update(
            {
                "*.Loader": Native("Loader", lambda m, a, k: a[0]),
                "pkg.mod.load": Native("load", lambda m, a, k: "loaded"),
                "outside.FLAG": "flag",
            }
        )
        found = reader.find("pkg.mod.RESULT")
        assert isinstance(found, list)
        assert (found[0], found[2]) == (3, "flag")

    def test_a_parser_of_the_tree(self) -> None:
        """A class over argparse's parser makes a parser that knows its class."""
        reader = machine(
            mod="""
            import argparse
            class Parser(argparse.ArgumentParser): pass
            RESULT = Parser(prog='x')
            """
        )
        found = reader.find("pkg.mod.RESULT")
        assert isinstance(found, ParserVal)
        assert found.cls is holder(reader, "Parser")


def test_decorators_of_every_shape() -> None:
    """A decorator counts by its last word; one of the tree makes dataclasses only if it says so."""
    text = """
        import functools
        from dataclasses import dataclass, is_dataclass
        def plain(cls): return cls
        other = lambda cls: cls
        class A:
            @functools.cached_property
            def x(self): return 1
            @(lambda f: f)
            def y(self): return 2
        @plain
        class B: pass
        @other
        class C: pass
        RESULT = [A().x, A().y(), is_dataclass(B), is_dataclass(C)]
    """
    assert exact(by_reading(text)) == exact(by_python(text))


def test_sets_of_classes_and_functions_have_one_order() -> None:
    """A loop over a set of anything gives the same order each time."""
    reader = machine(
        mod="""
        import enum, outside
        class E(enum.Enum):
            A = 2
            B = 1
        class K: pass
        def f(): pass
        RESULT = [str(type(one)) for one in {f, K, E.B, E.A, 3, 'x', list[int], outside.X, int}]
        KINDS = list({f, K, E.B, E.A})
        """
    )
    reader.find("pkg.mod.RESULT")
    found = reader.find("pkg.mod.KINDS")
    assert isinstance(found, list)
    assert [getattr(one, "name", None) for one in found] == ["f", "A", "B", "K"]


def test_containers_that_hold_each_other_end() -> None:
    """A list of lists that doubles with each level is cut off, not written out."""
    reader = machine(
        mod="""
        x = [1]
        for i in range(60):
            x = [x, x]
        RESULT = str(x)
        """
    )
    assert isinstance(reader.find("pkg.mod.RESULT"), Unknown)
    assert repr_of(reader.find("pkg.mod.x")) is None


@pytest.mark.parametrize("text", ["copy.deepcopy(x)", "x == y"])
def test_containers_that_hold_each_other_are_too_large(text: str) -> None:
    """A copy or comparison of such lists would take for ever, and ends the reading."""
    reader = machine(
        mod=f"""
        import copy
        x, y = [1], [1]
        for i in range(60):
            x, y = [x, x], [y, y]
        RESULT = {text}
        """
    )
    with pytest.raises(BudgetError):
        reader.find("pkg.mod.RESULT")
