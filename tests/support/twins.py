"""One program, run by Python and read by the interpreter."""

from __future__ import annotations

import ast
import sys
import textwrap
import types
from unittest.mock import patch

from infxreg.surface.pyread.values import Unknown
from support.trees import machine

UNKNOWN = "import outside\nU = outside.made()\n"
"""What gives programs a value that isn't known, and a condition."""


def by_python(text: str) -> object:
    """What Python makes of a program's RESULT."""
    scope: dict[str, object] = {"__name__": "pkg.mod"}
    with patch.dict(sys.modules, {"pkg.mod": types.ModuleType("pkg.mod")}):
        exec(compile(textwrap.dedent(text), "mod", "exec", dont_inherit=True), scope)
    return scope["RESULT"]


def by_reading(text: str) -> object:
    """What the interpreter makes of it; nothing may have been passed over on the way."""
    reader = machine(mod=text)
    found = reader.find("pkg.mod.RESULT")
    assert reader.problems == []
    return found


def unread(text: str) -> Unknown:
    """The RESULT of a program after `UNKNOWN`, which mustn't be known."""
    found = machine(mod=UNKNOWN + textwrap.dedent(text)).find("pkg.mod.RESULT")
    assert isinstance(found, Unknown), found
    return found


def failure(text: str) -> str:
    """The kind of error that reading a program's RESULT ended in, as its problem says it."""
    reader = machine(mod=text)
    assert isinstance(reader.find("pkg.mod.RESULT"), Unknown)
    (problem,) = reader.problems
    return problem.split(": ")[1]


def exact(value: object) -> object:
    """A value with the kinds of all its parts, so that 1, True and 1.0 differ, and sets sorted."""
    if isinstance(value, (list, tuple)):
        return type(value), [exact(one) for one in value]
    if isinstance(value, dict):
        return dict, [(exact(key), exact(one)) for key, one in value.items()]
    if isinstance(value, (set, frozenset)):
        return type(value), sorted(map(repr, value))
    return type(value), value


def lines(table: str) -> list[str]:
    """The expressions of a table, one a line; a line that ends in ``\\`` goes on."""
    rows = [one.strip() for one in table.replace("\\\n", "").splitlines()]
    made = [one for one in rows if one and not one.startswith("#")]
    for one in made:
        ast.parse(one)
    return made
