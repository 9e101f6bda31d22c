"""Names that code registers or lists: keys of dicts, first arguments of calls, variables read."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator

from infxreg.surface.pyread import classes
from infxreg.surface.pyread.machine import Machine
from infxreg.surface.pyread.values import LITERAL, ClassVal, Member, TypeForm, Unknown
from infxreg.surface.source import Source

_READ = re.compile(
    r"""(?:getenv\(|environ(?:\.get|\.setdefault|\.pop)?[\[(]|get_bool_env_var\(|get_int_env_var\()
    \s*["']([A-Z][A-Z0-9_]+)["']""",
    re.VERBOSE,
)


def texts(machine: Machine, value: object) -> tuple[str, ...]:
    """The texts that a value lists: of a container, a literal type, or an enum."""
    if isinstance(value, TypeForm):
        if value.origin == LITERAL:
            return tuple(one for one in value.args if isinstance(one, str))
        return tuple(text for one in value.args for text in texts(machine, one))
    if isinstance(value, ClassVal):
        if not classes.is_enum(value):
            return ()
        members = classes.members(machine, value)
        values = [one.value for one in members.values()]
        return (*members, *(one for one in values if isinstance(one, str)))
    if isinstance(value, str):
        return (value,)
    items = machine.iterate(value)
    if isinstance(items, Unknown):
        return ()
    found: list[str] = []
    for one in items:
        if isinstance(one, Member):
            found.append(one.value if isinstance(one.value, str) else one.name)
        elif isinstance(one, str):
            found.append(one)
    return tuple(found)


def listed(machine: Machine, *dotted: str) -> tuple[str, ...]:
    """The texts that variables of the tree list; a variable that isn't there lists none."""
    return tuple(text for name in dotted for text in texts(machine, machine.find(name)))


def registered(source: Source, folders: Iterable[str], functions: frozenset[str]) -> Iterator[str]:
    """The names that calls of some functions register, as first argument or ``name=``.

    Args:
        source: the tree.
        folders: path prefixes of the files that are read.
        functions: last words of the functions.
    """
    starts = tuple(folders)
    words = tuple(f"{name}(" for name in functions)
    for path in source.paths:
        if not path.startswith(starts):
            continue
        text = source.text(path)
        if not any(word in text for word in words):
            continue
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _last(node.func) in functions:
                yield from _first_texts(node)


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _first_texts(node: ast.Call) -> Iterator[str]:
    named = next((one.value for one in node.keywords if one.arg in {"name", "module_name"}), None)
    first = named if named is not None else node.args[0] if node.args else None
    items = first.elts if isinstance(first, (ast.List, ast.Tuple)) else [first]
    for one in items:
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value


def variables_read(source: Source, keep: Callable[[str], bool]) -> Iterator[str]:
    """Environment variables that any file reads by a literal name.

    Args:
        source: the tree.
        keep: whether a name is of interest.
    """
    for path in source.paths:
        text = source.text(path)
        if "env" in text:
            yield from (name for name in _READ.findall(text) if keep(name))
