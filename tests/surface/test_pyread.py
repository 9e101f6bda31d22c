"""The interpreter: what Python gives where it gives an answer, `Unknown` where it doesn't."""

from __future__ import annotations

import json
import os
import sys
import textwrap
import types
import typing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infxreg.surface.errors import SourceError
from infxreg.surface.pyread.machine import Machine
from infxreg.surface.pyread.operations import repr_of
from infxreg.surface.pyread.project import Project
from infxreg.surface.pyread.typetext import type_text
from infxreg.surface.pyread.values import BudgetError, ClassVal, External, Unknown
from support.trees import machine, source

# Each program sets RESULT. Python runs it, the interpreter reads it: the two must agree.
PROGRAMS = {
    "arithmetic": """
        RESULT = [1 + 2 * 3, 7 // 2, 7 % 4, 2 ** 10, -3, ~5, 1 << 4, 6 & 3, 5 ^ 1, 0.5 / 2]
    """,
    "texts": """
        x = 'ab'
        RESULT = [x + 'c', x * 3, f'{x}-{1 + 1:03d}!r {x!r}', 'a,b'.split(','), ' q '.strip(),
                  '-'.join(['a', 'b']), 'Abc'.lower().replace('b', '_'), 'b' in x, x[0], x[::-1]]
    """,
    "containers": """
        a = [1, 2, *[3, 4]]
        b = {**{'x': 1}, 'y': 2}
        a.append(5); a += [6]; a.extend((7,)); a.remove(1); b['z'] = 3; del b['x']
        first, *rest = a
        RESULT = [a, b, first, rest, sorted({3, 1, 2}), (1,) + (2,), len(b), list(b), a[1:3], a[-1]]
    """,
    "comprehensions": """
        RESULT = [[x * y for x in range(3) for y in (1, 10) if x],
                  {k: v for k, v in zip('ab', [1, 2])}, sorted({x % 3 for x in range(9)}),
                  sum(x for x in range(5)), any(x > 3 for x in range(5)), all([]),
                  next((x for x in (1, 2) if x > 5), 'none'), dict(enumerate('ab')),
                  max([3, 9, 2]), list(map(str, [1, 2])), list(filter(None, [0, 1])),
                      list(reversed([1, 2]))]
    """,
    "conditions": """
        x = 3
        RESULT = [1 if x else 2, x and 'y', 0 or 'z', not x, 1 < x < 5, x is None, x in (1, 3),
            x != 3,
                  [] or {}, None is None, 'a' not in 'abc', (0 or None) is None]
        if x > 5: RESULT.append('a')
        elif x == 3: RESULT.append('b')
        else: RESULT.append('c')
    """,
    "loops": """
        RESULT = []
        for i in range(10):
            if i == 2: continue
            if i == 5: break
            RESULT.append(i)
        else:
            RESULT.append('never')
        while len(RESULT) < 7:
            RESULT.append('w')
        else:
            RESULT.append('done')
    """,
    "functions": """
        def f(a, b=2, *args, c, d=4, **kw):
            return [a, b, list(args), c, d, sorted(kw.items())]
        def outer(n):
            def inner(m, k=n):
                return n + m + k
            return inner
        RESULT = [f(1, c=3), f(1, 5, 6, 7, c=8, e=9), f(*[1, 2], **{'c': 3}), outer(1)(2),
            (lambda x: x + 1)(1)]
    """,
    "errors": """
        RESULT = []
        try:
            {}['x']
        except (ValueError, KeyError) as error:
            RESULT.append('key')
        else:
            RESULT.append('never')
        finally:
            RESULT.append('finally')
        def f():
            try:
                raise ValueError('x')
            except LookupError:
                return 1
            except Exception:
                return 2
        try:
            [][3]
        except LookupError:
            RESULT.append('lookup')
        RESULT += [f(), getattr(object, 'nothing', 'default'), hasattr('', 'lower')]
    """,
    "classes": """
        class Base:
            shared = ['x']
            def __init__(self, n): self.n = n
            @property
            def double(self): return self.n * 2
            @classmethod
            def make(cls, n): return cls(n)
            @staticmethod
            def three(): return 3
            def name(self): return 'base'
        class Child(Base):
            other = 1
            twice = other * 2
            def __init__(self, n):
                super().__init__(n + 1)
            def name(self): return 'child of ' + super().name()
        c = Child.make(4)
        RESULT = [c.n, c.double, Child.three(), c.three(), c.name(), Child.shared, c.twice,
                  Child.__name__,
                  isinstance(c, Base), issubclass(Child, Base), isinstance(c, (int, Child)),
                  super(Child, c).name(), type(c) is Child, isinstance(True, int),
                      isinstance(str, type)]
    """,
    "enums": """
        import enum
        class Color(enum.Enum):
            RED = 'r'
            BLUE = 'b'
            ALIAS = 'r'
            def upper(self): return self.value.upper()
        class Level(enum.IntEnum):
            LOW = 1
            HIGH = enum.auto()
        class Word(enum.StrEnum):
            ONE = enum.auto()
        RESULT = [[m.name for m in Color], Color['BLUE'].value, Color('r').name,
            list(Color.__members__),
                  Level.HIGH > Level.LOW, Level.HIGH + 1, Word.ONE == 'one', str(Word.ONE),
                      str(Level.HIGH),
                  Color.RED is Color.RED, Color.RED.upper(), str(Color.BLUE),
                      Color.ALIAS.name if False else 1]
    """,
    "dataclasses": """
        import dataclasses
        from dataclasses import dataclass, field, fields
        @dataclass
        class Base:
            a: int
            b: str = 'x'
            counted: dataclasses.InitVar[int] = 3
        @dataclass
        class Child(Base):
            c: list = field(default_factory=lambda: [1])
            hidden: int = field(default=7, init=False)
        one = Child(1, b='y')
        RESULT = [[f.name for f in fields(Child)], [f.init for f in fields(Child)], one.a, one.b,
            one.c, Child.b,
                  Child.hidden, [f.default is dataclasses.MISSING for f in fields(Child)],
                  [f.default_factory() for f in fields(Child)
                   if f.default_factory is not dataclasses.MISSING],
                  dataclasses.is_dataclass(Child), dataclasses.is_dataclass(int)]
    """,
    "types": """
        from typing import Annotated, Literal, Optional, Union, get_args, get_origin
        A = Literal['a', 'b']
        B = Literal[A, 'c', 1]
        U = Union[int, Optional[str]]
        def hints(t):
            found = set()
            if get_origin(t) is Annotated: found |= hints(get_args(t)[0])
            elif get_origin(t) is Union:
                for one in get_args(t): found |= hints(one)
            else: found.add(t)
            return found
        RESULT = [list(get_args(B)), get_origin(A) is Literal, get_origin(list[int]) is list,
            get_origin(int) is None,
                  hints(U) == {int, str, type(None)}, type(None) in hints(U),
                      hints(Annotated[int, 'doc']) == {int},
                  get_args(tuple[int, ...])[1] is Ellipsis, list[int].__module__, str.__name__]
    """,
    "module order": """
        NAMES = ['a']
        NAMES.append('b')
        NAMES += ['c']
        TABLE = {}
        for name in NAMES:
            TABLE[name] = name.upper()
        NAMES = NAMES + ['d']
        RESULT = [NAMES, TABLE]
    """,
    "sets": """
        s = {3, 1, 2}
        RESULT = [next(x for x in s if x > 2), next((x for x in s if x > 5), None),
                  sorted(x for x in s), {1}.pop(), sum(x for x in s), any(x > 2 for x in s),
                  len(s), 3 in s, sorted(s | {9}), sorted(s - {1}), frozenset(s) == s]
    """,
    "iteration tools": """
        import itertools, functools, copy, json
        nested = {'x': [1]}
        twin = copy.deepcopy(nested)
        twin['x'].append(2)
        RESULT = [list(itertools.chain([1], (2,))), len(list(itertools.permutations(['a', 'b',
            'c']))),
                  functools.partial(max, 3)(5), nested, twin, json.loads('{"a": [1, null]}'),
                  [','.join(p) for p in itertools.permutations(['x', 'y'], 2)]]
    """,
    "walrus and stars": """
        RESULT = [(n := 4) + n, *range(2), *{'k': 1}]
        def swap(a, b): return b, a
        x, y = swap(1, 2)
        (p, q), r = (1, 2), 3
        RESULT += [x, y, p, q, r]
    """,
}


def normal(value: object) -> object:
    """Iterators and sets to lists, so that both sides compare."""
    if isinstance(value, (list, tuple)):
        return [normal(one) for one in value]
    if isinstance(value, dict):
        return {str(key): normal(one) for key, one in value.items()}
    return value


@pytest.mark.parametrize("name", PROGRAMS)
def test_agrees_with_python(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = textwrap.dedent(PROGRAMS[name])
    scope: dict[str, typing.Any] = {"__name__": "pkg.mod"}
    monkeypatch.setitem(sys.modules, "pkg.mod", types.ModuleType("pkg.mod"))
    exec(compile(text, "mod", "exec", dont_inherit=True), scope)
    reader = machine(mod=text)
    found = reader.find("pkg.mod.RESULT")
    assert reader.problems == []
    assert normal(found) == normal(scope["RESULT"])


scalars = st.one_of(
    st.integers(-50, 50), st.booleans(), st.none(), st.text("ab-_ ", max_size=4), st.floats(-5, 5)
)
operators = st.sampled_from(
    ["+", "-", "*", "//", "%", "<", "<=", "==", "!=", "and", "or", "in", "is", "|", "&"]
)


@given(st.lists(scalars, min_size=2, max_size=4), st.lists(operators, min_size=3, max_size=3))
def test_expressions_agree_or_are_unknown(values: list[object], signs: list[str]) -> None:
    parts = [repr(values[0])]
    for value, sign in zip(values[1:], signs, strict=False):
        parts += [sign, repr(value)]
    text = f"RESULT = ({' '.join(parts)})"
    scope: dict[str, object] = {}
    try:
        exec(compile(text, "x", "exec"), scope)
    except (TypeError, ZeroDivisionError, SyntaxError, ValueError):
        return
    except Warning:
        return
    found = machine(mod=text).find("pkg.mod.RESULT")
    assert isinstance(found, Unknown) or (found, type(found)) == (
        scope["RESULT"],
        type(scope["RESULT"]),
    )


class TestUnknown:
    @pytest.mark.parametrize(
        ("text", "why"),
        [
            (
                "import torch\nRESULT = torch.cuda.is_available()",
                "a call of torch.cuda.is_available",
            ),
            ("RESULT = nothing", "nothing isn't bound"),
            ("import torch\nRESULT = torch.version() + 1", "a call of torch.version"),
            ("import torch\nRESULT = [x for x in torch.all()]", "a call of torch.all"),
            ("RESULT = open('/etc/passwd').read()", "open isn't bound"),
            ("RESULT = eval('1')", "eval isn't bound"),
            ("def f():\n    yield 1\nRESULT = f()", "f is a generator"),
            ("RESULT = next(x for x in {'a', 'b'} if x)", "the first of a set of several"),
            ("RESULT = {1, 2}.pop()", "the first of a set of several"),
        ],
    )
    def test_names_the_first_cause(self, text: str, why: str) -> None:
        found = machine(mod=text).find("pkg.mod.RESULT")
        assert isinstance(found, Unknown)
        assert why in found.why

    def test_a_branch_that_depends_on_the_machine(self) -> None:
        found = machine(
            mod="""
            import torch
            A, B, NAMES = 1, 2, ['x']
            def f():
                if torch.cuda.is_available():
                    return 'gpu'
                return 'cpu'
            def g():
                if torch.cuda.is_available():
                    return 'same'
                return 'same'
            def h(names):
                if torch.cuda.is_available():
                    names.append('y')
                    names = names + ['z']
                return names
            def k():
                names = ['x']
                if torch.cuda.is_available():
                    names.append('y')
                return names
            RESULT = [f(), g(), h(NAMES), k()]
            """
        ).find("pkg.mod.RESULT")
        assert isinstance(found, list)
        assert isinstance(found[0], Unknown)
        assert found[1] == "same"
        assert isinstance(found[2], Unknown)
        assert found[3] == ["x"]

    def test_an_environment_is_empty(self) -> None:
        os.environ["HOME_OF_TEST"] = "1"
        found = machine(
            mod="""
            import os, sys
            RESULT = [os.environ.get('HOME_OF_TEST', 'd'), os.getenv('HOME_OF_TEST'),
                'X' in os.environ, len(sys.argv)]
            """
        ).find("pkg.mod.RESULT")
        del os.environ["HOME_OF_TEST"]
        assert found == ["d", None, False, 1]


class TestModules:
    def test_imports_of_every_kind(self) -> None:
        reader = machine(
            a="X = 1\nLATE = 5\n",
            sub__b="""
            from ..a import X as Y
            from . import c
            import pkg.a
            Z = [Y, c.C, pkg.a.LATE]
            """,
            sub__c="C = 3",
            star="from pkg.sub.c import *\nD = C + 1",
            lazy="""
            def __getattr__(name):
                if name == 'E':
                    return 9
                raise AttributeError(name)
            """,
            use="""
            from typing import TYPE_CHECKING
            if TYPE_CHECKING:
                from pkg.nowhere import T
            else:
                T = str
            try:
                from pkg.a import X
            except ImportError:
                X = None
            from pkg.lazy import E
            from pkg import sub
            RESULT = [T, X, E, sub.c.C]
            """,
        )
        assert reader.find("pkg.sub.b.Z") == [1, 3, 5]
        assert reader.find("pkg.star.D") == 4
        assert reader.find("pkg.use.RESULT") == [str, 1, 9, 3]
        assert isinstance(reader.find("pkg.a.NOPE"), Unknown)
        assert isinstance(reader.find("pkg.none.X"), Unknown)
        assert isinstance(reader.find("other.x"), Unknown)

    def test_only_what_is_asked_for_is_parsed(self) -> None:
        reader = machine(a="from pkg.broken import B\nA = 1", broken="def (:")
        assert reader.find("pkg.a.A") == 1
        with pytest.raises(SourceError, match=r"pkg/broken\.py isn't Python"):
            reader.find("pkg.a.B")

    def test_imports_in_a_circle(self) -> None:
        reader = machine(a="from pkg.b import B\nA = [B]", b="from pkg.a import A\nB = 1\nC = A")
        assert reader.find("pkg.b.C") == [1]
        reader = machine(a="from pkg.b import X", b="from pkg.a import X")
        assert isinstance(reader.find("pkg.a.X"), Unknown)

    def test_nothing_is_run(self, tmp_path: Path) -> None:
        marker = tmp_path / "ran"
        reader = machine(
            mod=f"""
            import pathlib, subprocess, os
            open({str(marker)!r}, 'w')
            pathlib.Path({str(marker)!r}).touch()
            subprocess.run(['touch', {str(marker)!r}])
            os.system('touch {marker}')
            RESULT = [open({str(marker)!r}, 'w'), __import__('os')]
            """
        )
        before = set(sys.modules)
        reader.find("pkg.mod.RESULT")
        assert not marker.exists()
        assert "pkg" not in sys.modules
        assert set(sys.modules) == before


class TestHostile:
    @pytest.mark.parametrize(
        "text",
        [
            "def f():\n    while True:\n        x = 1\nRESULT = f()",
            "def f(n):\n    return f(n + 1)\nRESULT = f(0)",
            "RESULT = 'a' * 10 ** 9",
            "RESULT = [0] * 10 ** 9",
            "RESULT = 10 ** 10 ** 10",
            "RESULT = 1 << 10 ** 9",
            "x = 'ab' * 1000\nfor i in range(40):\n    x = x + x\nRESULT = x",
            "x = 'ab' * 10000\nRESULT = x.replace('a', x)",
            "RESULT = [x for x in range(10 ** 9)]",
            "import itertools\nRESULT = list(itertools.product(range(1000), range(1000)))",
            "def f():\n for i in range(50000):\n  for j in range(50000):\n   x = 1\nRESULT = f()",
        ],
    )
    def test_ends_in_an_error(self, text: str) -> None:
        with pytest.raises(BudgetError):
            machine(mod=text).find("pkg.mod.RESULT")

    def test_nesting_that_python_cant_parse(self) -> None:
        reader = machine(mod="RESULT = " + "(" * 5000 + ")" * 5000)
        with pytest.raises(SourceError):
            reader.find("pkg.mod.RESULT")


class TestTypeText:
    @pytest.mark.parametrize(
        ("annotation", "text", "choices"),
        [
            ("int", "int", None),
            ("int | None", "int | None", None),
            ("Optional[List[str]]", "list[str] | None", None),
            ("'int | None'", "int | None", None),
            ("Dict[str, Any]", "dict[str, Any]", None),
            ("tuple[int, ...]", "tuple[int, ...]", None),
            ("Literal['a', 'b'] | None", "Literal | None", ("a", "b")),
            ("Alias | str", "Literal | str", ("x", "y")),
            ("list[Alias]", "list[Literal]", ("x", "y")),
            ("Literal[1, 2]", "Literal[1, 2]", None),
            ("Annotated[int, Field(ge=1)]", "int", None),
            ("SkipValidation[float]", "float", None),
            ("Inner | None", "Inner | None", None),
            ("Mode", "Mode", None),
            ("torch.dtype", "dtype", None),
            ("Callable[[int], str]", "Callable", None),
            ("Sequence[Mapping[str, object]]", "list[dict[str, Any]]", None),
            ("Nowhere | int", "Nowhere | int", None),
            ("type[Inner]", "type[Inner]", None),
        ],
    )
    def test_one_form_for_every_spelling(
        self, annotation: str, text: str, choices: tuple[str, ...] | None
    ) -> None:
        reader = machine(
            mod=f"""
            import enum, torch
            from collections.abc import Callable, Mapping, Sequence
            from dataclasses import dataclass
            from typing import Annotated, Any, Dict, List, Literal, Optional
            from pydantic import Field, SkipValidation
            Alias = Literal['x', 'y']
            @dataclass
            class Inner:
                a: int
            class Mode(enum.Enum):
                A = 1
            @dataclass
            class Holder:
                field: {annotation}
            """
        )
        holder = reader.find("pkg.mod.Holder")
        assert isinstance(holder, ClassVal)
        from infxreg.surface.pyread.records import fields

        made, found, records, enums = type_text(reader, fields(reader, holder)[0].type)
        assert (made, found) == (text, choices)
        assert [one.name for one in records] == (["Inner"] if "Inner" in text else [])
        assert [one.name for one in enums] == (["Mode"] if "Mode" in text else [])


def test_repr_is_pythons() -> None:
    values = [None, True, 1, 1.5, "a'b", [1, "x"], (1,), {"a": [None]}, (), {}, set(), []]
    assert [repr_of(one) for one in values] == [repr(one) for one in values]
    assert repr_of([External("x")]) is None
    assert repr_of({1, 2}) is None


def test_modules_are_found_by_name() -> None:
    project = Project(source({"pkg/a.py": "def make(x): ...", "pkg/b.py": "make(1)"}), "pkg")
    assert project.defining("make") == ["pkg/a.py"]
    assert Machine(project).find("pkg.a.make").name == "make"  # type: ignore[attr-defined]
    assert json.dumps(project.owns("pkgs")) == "false"
