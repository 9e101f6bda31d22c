"""Names across modules, and the names that a tree lists, registers and reads."""

from __future__ import annotations

import pytest

from infxreg.surface.pyread.machine import Machine
from infxreg.surface.pyread.named import listed, registered, variables_read
from infxreg.surface.pyread.project import Project
from infxreg.surface.pyread.values import External, ModuleVal, Unknown
from support.trees import machine, source


def test_star_imports_are_asked_in_turn() -> None:
    """A name comes from the first module of the tree that has it; none from outside, or itself."""
    reader = machine(
        a="A = 1",
        b="B = 2",
        use="""
        from outside import *
        from pkg.use import *
        from pkg.a import *
        from pkg.b import *
        RESULT = [A, B]
        """,
    )
    assert reader.find("pkg.use.RESULT") == [1, 2]
    assert isinstance(reader.find("pkg.use.NONE"), Unknown)


def test_a_star_import_in_a_function_binds_nothing() -> None:
    """Python forbids it; names that it might bind aren't known."""
    reader = machine(a="A = 1", use="def f():\n    from pkg.a import *\n    return A\nRESULT = f()")
    assert isinstance(reader.find("pkg.use.RESULT"), Unknown)


def test_a_folder_without_an_init_is_a_package() -> None:
    """What is imported from such a folder is the module in it."""
    files = {"pkg/__init__.py": "from pkg.space import inner\n", "pkg/space/inner.py": "X = 4\n"}
    reader = Machine(Project(source(files), "pkg"))
    assert reader.find("pkg.inner") != 4
    assert isinstance(reader.find("pkg.inner"), ModuleVal)
    assert reader.find("pkg.space.inner.X") == 4


def test_names_that_every_module_has() -> None:
    """``__name__`` and ``__file__`` are the module's; builtin errors and types are themselves."""
    reader = machine(
        mod="RESULT = [__name__, __file__, ValueError, int, __debug__, Ellipsis is ...]"
    )
    assert reader.find("pkg.mod.RESULT") == [
        "pkg.mod",
        "pkg/mod.py",
        External("builtins.ValueError"),
        int,
        True,
        True,
    ]


def test_what_the_tree_should_have_but_hasnt() -> None:
    """A module of the package that isn't there gives nothing known; one outside stays a name."""
    reader = machine(
        mod="""
        import pkg.gone, outside.deep
        from pkg.gone import x
        from pkg.also.gone import y
        import pkg
        RESULT = [x, y, pkg.gone.z, outside.deep.z]
        """
    )
    found = reader.find("pkg.mod.RESULT")
    assert isinstance(found, list)
    assert [isinstance(one, Unknown) for one in found] == [True, True, True, False]
    assert found[3] == External("outside.deep.z")


def test_values_given_for_names() -> None:
    """An override stands for a name of the tree or outside, however it is reached."""
    reader = machine(
        a="A = 1", mod="from pkg.a import A\nfrom outside import B\nRESULT = [A, B]\nC = 3\n"
    )
    reader.overrides.update({"pkg.a.A": 7, "outside.B": 8, "pkg.mod.C": 9})
    assert reader.find("pkg.mod.RESULT") == [7, 8]
    assert reader.find("pkg.mod.C") == 9


def test_a_statement_is_run_once() -> None:
    """However many names of a statement are asked for, what it appends is there once."""
    reader = machine(
        mod="""
        LOG = []
        X = [1]
        Y = [X, later()]
        X = W = LOG.append('ran') or [3]
        def later(): return W
        RESULT = [X, LOG]
        """
    )
    assert reader.find("pkg.mod.X") == [3]
    assert reader.find("pkg.mod.RESULT") == [[3], ["ran"]]


def test_names_bound_by_with_and_setattr() -> None:
    """``with … as`` and ``setattr`` at the top of a module bind and change names."""
    reader = machine(
        mod="""
        import contextlib
        class Box: pass
        with contextlib.nullcontext() as context:
            INSIDE = 1
        setattr(Box, 'x', 2)
        RESULT = [INSIDE, Box.x]
        """
    )
    assert reader.find("pkg.mod.RESULT") == [1, 2]
    assert isinstance(reader.find("pkg.mod.context"), Unknown)


def test_a_value_closed_over_by_an_outer_call() -> None:
    """A function tells names of every call around it, of its defaults, and None for others."""
    reader = machine(
        mod="""
        def outer(a):
            def middle(b):
                def inner(c, d=4): return a + b + c + d
                return inner
            return middle
        RESULT = outer(1)(2)
        """
    )
    found = reader.find("pkg.mod.RESULT")
    assert [found.closed_over(name) for name in "abdz"] == [1, 2, 4, None]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Literal['a', 1, 'b']", ("a", "b")),
        ("Literal['a'] | list[Literal['b']] | int", ("a", "b")),
        ("Mode", ("A", "B", "x")),
        ("Plain", ()),
        ("'one'", ("one",)),
        ("['a', 1, Mode.A, Mode.B]", ("a", "x", "B")),
        ("{'k': 1}", ("k",)),
        ("nowhere", ()),
        ("3", ()),
    ],
)
def test_texts_that_a_variable_lists(text: str, names: tuple[str, ...]) -> None:
    """A container, a literal type, an enum or a text lists its texts; anything else none."""
    reader = machine(
        mod=f"""
        import enum
        from typing import Literal
        class Mode(enum.Enum):
            A = 'x'
            B = 2
        class Plain: pass
        NAMES = {text}
        """
    )
    assert listed(reader, "pkg.mod.NAMES", "pkg.mod.GONE") == names


def test_names_that_calls_register() -> None:
    """First argument, ``name=`` or a list of them; files that aren't Python are passed over."""
    tree = source(
        {
            "pkg/in/a.py": """
                @register('one')
                @Manager.register(name='two')
                @register(['three', other], 5)
                @register(module_name=make())
                class A: pass
                register()
                other('no')
                """,
            "pkg/in/broken.py": "register(",
            "pkg/in/without.py": "x = 'register'",
            "pkg/out.py": "register('out')",
        }
    )
    found = sorted(registered(tree, ["pkg/in/"], frozenset({"register"})))
    assert found == ["one", "three", "two"]


def test_variables_that_files_read() -> None:
    """Every way to read a variable by a literal name; those that aren't wanted are left out."""
    tree = source(
        {
            "pkg/a.py": """
                os.environ['A_ONE']; os.environ.get("A_TWO"); os.getenv('A_THREE', 1)
                get_bool_env_var("A_FOUR"); os.environ[name]; os.getenv('B_ONE')
                """,
            "pkg/b.py": "x['A_FIVE']",
        }
    )
    found = list(variables_read(tree, lambda name: name.startswith("A_")))
    assert found == ["A_ONE", "A_TWO", "A_THREE", "A_FOUR"]
