"""Statements: programs that Python runs and the interpreter reads to the same end."""

from __future__ import annotations

import pytest

from infxreg.surface.pyread.values import Unknown
from support.trees import machine
from support.twins import UNKNOWN, by_python, by_reading, exact

AGREE = {
    "targets": """
        class Box: pass
        box = Box()
        box.a = box.b = 1
        (x, [y, *z]), *w, last = (1, [2, 3, 4]), 5, 6, 7
        [p, q] = 'ab'
        *head, tail = [1, 2, 3]
        first, *middle, end = [1, 2]
        items, table = [1, 2, 3], {'a': 1}
        items[0], items[-1], table['b'] = 9, 8, 2
        items[1:2] = [5, 6]
        Box.c = 3
        typed: int = 4
        bare: int
        RESULT = [box.a, box.b, x, y, z, w, last, p, q, head, tail, first, middle, end]
        RESULT += [items, table, Box.c, box.c, typed]
    """,
    "deletion": """
        class Box: pass
        def f():
            box, items, table, name = Box(), [1, 2, 3], {'a': 1, 'b': 2}, 5
            box.a = 1
            del items[0], table['a'], (box.a, [name])
            return [items, table, hasattr(box, 'a')]
        RESULT = f()
    """,
    "augmented": """
        a = [1]; b = a; a += [2]; a += (3,)
        c = {'x': 1}; d = c; c |= {'y': 2}
        e = {1}; f = e; e |= {2}; e |= frozenset({3})
        n = 2; n **= 3; n -= 1; n //= 2
        t = 'a'; t += 'b'; t *= 2
        a[0] += 5; c['x'] -= 1
        RESULT = [a, b, c, d, e, f, n, t]
    """,
    "loops": """
        RESULT = []
        def search(items):
            for one in items:
                if one > 2:
                    return one
            else:
                return 'none'
        def nested():
            while True:
                while True:
                    return 'deep'
        n = 0
        while n < 5:
            n += 1
            if n == 2: continue
            if n == 4: break
            RESULT.append(n)
        else:
            RESULT.append('never')
        for key, value in {'a': 1}.items():
            RESULT.append((key, value))
        RESULT += [search([1, 3]), search([1]), nested()]
    """,
    "conditions": """
        def f(x):
            if x == 1:
                return 'one'
            elif x == 2:
                pass
            else:
                return 'more'
            return 'two'
        RESULT = [f(1), f(2), f(3)]
    """,
    "what an exception is caught by": """
        import importlib
        RESULT = []
        class Own(Exception): pass
        def tried(work):
            try:
                work()
            except (KeyError, AttributeError): return 'key'
            except LookupError: return 'lookup'
            except ArithmeticError: return 'arithmetic'
            except Own: return 'own'
            except Exception: return 'other'
            else: return 'fine'
        def raiser(error):
            def work(): raise error
            return work
        def own(): raise Own('x')
        def missing(): raise ModuleNotFoundError()
        RESULT = [tried(lambda: {}['a']), tried(lambda: [][0]), tried(lambda: 1 / 0), tried(own),
                  tried(lambda: int('x')), tried(lambda: 1), tried(lambda: None.x)]
        try:
            missing()
        except ImportError as error:
            RESULT.append('import')
        try:
            missing()
        except:
            RESULT.append('bare')
    """,
    "raising again": """
        def again():
            try:
                {}['a']
            except Exception:
                raise
        def named():
            try:
                [][1]
            except Exception as error:
                raise error
        def another():
            try:
                {}['a']
            except KeyError as error:
                raise ValueError('x') from error
        def kind(work):
            try:
                work()
            except KeyError: return 'key'
            except IndexError: return 'index'
            except ValueError: return 'value'
        RESULT = [kind(again), kind(named), kind(another)]
    """,
    "what isn't caught": """
        def inner():
            try:
                {}['a']
            except ValueError:
                return 'never'
        def exits():
            try:
                raise SystemExit(2)
            except Exception:
                return 'never'
        RESULT = []
        for work in (inner, exits):
            try:
                RESULT.append(work())
            except (SystemExit, KeyError):
                RESULT.append('outside')
    """,
    "finally": """
        seen = []
        def f():
            try:
                return 1
            finally:
                seen.append('f')
        def g():
            try:
                seen.append('try')
            except ValueError:
                seen.append('never')
            else:
                seen.append('else')
            finally:
                seen.append('g')
            return 2
        def h():
            try:
                return 1
            finally:
                return 3
        RESULT = [f(), g(), h(), seen]
    """,
    "with": """
        import contextlib
        def f():
            with contextlib.nullcontext() as a, contextlib.nullcontext():
                return 'inside'
        class Box: pass
        with contextlib.nullcontext():
            inside = 1
        RESULT = [f(), inside]
    """,
    "inner definitions": """
        def outer(n):
            class Inner:
                value = n
                def twice(self): return self.value * n
            import itertools as tools
            from itertools import chain
            def f(m, k=n, *, j=1): return m + k + j
            return [Inner().twice(), list(chain([1], tools.chain([2]))), f(1), f(1, 2, j=3)]
        RESULT = outer(3)
    """,
    "docstrings and bare names": '''
        """A module."""
        x = 1
        x
        ...
        pass
        assert x == 1
        def f():
            """A function."""
            bare: int
        RESULT = [f(), x]
    ''',
}


@pytest.mark.parametrize("name", AGREE)
def test_ends_as_in_python(name: str) -> None:
    """RESULT has the same values, of the same kinds, after reading and after running."""
    assert exact(by_reading(AGREE[name])) == exact(by_python(AGREE[name]))


# What each function gives must be unknown; `NOTED` are those that also leave a problem.
UNSURE = {
    "a name set in a branch": """
        x = 1
        if U: x = 2
        return x
    """,
    "a name set in the other branch": """
        x = 1
        if U: pass
        else: x = 2
        return x
    """,
    "an attribute set in a branch": """
        self = Box()
        self.x = 1
        if U: self.x = 2
        return self.x
    """,
    "an attribute first set in a branch": """
        self = Box()
        if U: self.x = 2
        return self.x
    """,
    "returns that differ": """
        if U: return 1
        return 2
    """,
    "both returns differ": """
        if U: return 1
        else: return 2
    """,
    "a call of itself": """
        def again(n):
            if U: return again(n)
            return n
        return again(1)
    """,
    "unpacking": """
        a, *b = U
        return [a, b][1]
    """,
    "a list extended": """
        a = [1]
        a += U
        return a
    """,
    "an exception": """
        try: {}['a']
        except KeyError as error: return error
    """,
    "a context": """
        with U as a: return a
    """,
    "a set added to": """
        a = {1}
        a.add(U)
        return len(a)
    """,
    "a set updated": """
        a = {1}
        a.update(U)
        return 2 in a
    """,
    "a list's tail": """
        a = [1]
        a.extend(U)
        return a[1]
    """,
    "a dict updated": """
        a = {'x': 1}
        a.update(U)
        return a['**']
    """,
    "what a generator gives": """
        def f():
            for x in [1]:
                yield x
        return list(f())
    """,
    "what a generator delegates": """
        def f(): yield from [1]
        return f()
    """,
}
NOTED = {
    "a name set in a loop": """
        x = 1
        for one in U: x = 2
        return x
    """,
    "a loop's own name": """
        for one in U: pass
        return one
    """,
    "a list changed in a loop": """
        x = []
        for one in U: x.append(1)
        return x
    """,
    "a return from a loop": """
        for one in U: return 1
        return 2
    """,
    "a loop while": """
        x = 1
        while U: x = 2
        return x
    """,
    "a match": """
        x = 1
        match x:
            case 1: x = 2
        return x
    """,
    "a match's capture": """
        y = 1
        match 2:
            case y: pass
        return y
    """,
    "a group of exceptions": """
        x = 1
        try: x = 2
        except* ValueError: x = 3
        return x
    """,
    "a value that raises": """
        x = 1
        x = {}['a']
        return x
    """,
    "a typed value that raises": """
        x: int = {}['a']
        return x
    """,
    "an attribute whose value raises": """
        self = Box()
        self.x = 1
        self.x = {}['a']
        return self.x
    """,
    "adding what raises": """
        x = 1
        x += {}['a']
        return x
    """,
    "a call that raises": """
        x = []
        x.append({}['a'])
        return x
    """,
    "a return that raises": """
        return {}['a']
    """,
    "too few to unpack": """
        a, b = [1]
        return a
    """,
    "too few for a star": """
        a, *b, c = [1]
        return a
    """,
}


def function(body: str) -> str:
    lines = "\n".join(
        "    " + one.removeprefix("    " * 2) for one in body.strip("\n").splitlines()
    )
    return f"{UNKNOWN}class Box: pass\ndef f():\n{lines}\nRESULT = f()\n"


@pytest.mark.parametrize("name", UNSURE)
def test_isnt_known(name: str) -> None:
    """What hangs on a condition or value that isn't known is unknown, without a problem."""
    reader = machine(mod=function(UNSURE[name]))
    assert isinstance(reader.find("pkg.mod.RESULT"), Unknown)
    assert reader.problems == []


@pytest.mark.parametrize("name", NOTED)
def test_isnt_known_and_is_noted(name: str) -> None:
    """What a statement that can't be followed would have changed is unknown, and it is noted."""
    reader = machine(mod=function(NOTED[name]))
    assert isinstance(reader.find("pkg.mod.RESULT"), Unknown)
    assert [one.split(":")[0] for one in reader.problems] == ["pkg/mod.py"]


@pytest.mark.parametrize("name", ["a match", "a match's capture", "a group of exceptions"])
def test_syntax_that_isnt_read_at_the_top(name: str) -> None:
    """At the top of a module, too, what such a statement binds isn't known."""
    last = NOTED[name].strip().splitlines()[-1].strip()
    text = function(NOTED[name]).partition("def f():\n")[2].replace(last, "")
    text = "\n".join(one.removeprefix("    ") for one in text.splitlines()[:-1])
    reader = machine(mod=text)
    assert isinstance(reader.find(f"pkg.mod.{last.removeprefix('return ')}"), Unknown)


def test_the_rest_of_an_unsure_branch_stays() -> None:
    """What an unsure branch does to containers is undone, and to nothing else is anything done."""
    reader = machine(
        mod=UNKNOWN
        + """
class Box: pass
def f():
    a, b, c, box, kept = [1], {'x': 1}, {1}, Box(), 'kept'
    if U:
        a.append(2); b['y'] = 2; c.add(2); new = 1
        raise ValueError
    else:
        undefined['x']
    return [a, b, c, kept, vars(box)]
def same():
    if U: return 1
    else: return 1
RESULT = [f(), same()]
"""
    )
    assert reader.find("pkg.mod.RESULT") == [[[1], {"x": 1}, {1}, "kept", {}], 1]


def test_after_an_error_the_run_goes_on() -> None:
    """Outside of ``try`` a statement that raises is noted with its line, and passed over."""
    reader = machine(
        mod="""
        def f(parser):
            if parser == 'bad':
                raise ValueError('x')
            kept = 1
            lost, other = {}['a']
            def g(x={}['b']): return x
            return kept
        RESULT = [f('bad'), f('good')]
        """
    )
    assert reader.find("pkg.mod.RESULT") == [1, 1]
    assert reader.problems == [
        "pkg/mod.py:3: ValueError",
        "pkg/mod.py:6: KeyError: 'a'",
        "pkg/mod.py:7: KeyError: 'b'",
        "pkg/mod.py:6: KeyError: 'a'",
        "pkg/mod.py:7: KeyError: 'b'",
    ]


@pytest.mark.parametrize("raised", ["errors.Own('x')", "errors.Own", "errors['x']"])
def test_an_error_of_a_module(raised: str) -> None:
    """An exception named by a module is that one; one that no name says is some exception."""
    text = f"""
        import errors
        RESULT = []
        try:
            raise {raised}
        except errors.Own:
            RESULT.append('own')
        except Exception:
            RESULT.append('any')
    """
    assert by_reading(text) == ["any" if "[" in raised else "own"]


def test_what_cant_be_set_is_passed_over() -> None:
    """Setting a part of what isn't known changes nothing that is."""
    reader = machine(
        mod=UNKNOWN
        + "def f(x):\n    U.x = 1; U['a'] = 2; x[U] = 2; del U['a'], U.x, x[U]\n    return x\n"
        + "RESULT = f([1])\n"
    )
    assert reader.find("pkg.mod.RESULT") == [1]
