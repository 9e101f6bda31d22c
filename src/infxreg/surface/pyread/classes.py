"""Classes of the tree: their attributes, inheritance, and enum members."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from attrs import frozen

from infxreg.surface.pyread import names
from infxreg.surface.pyread.project import touched
from infxreg.surface.pyread.values import (
    ENUMS,
    Bound,
    ClassVal,
    External,
    Frame,
    FuncVal,
    Instance,
    Member,
    Native,
    TypeForm,
    Unknown,
    same,
)

if TYPE_CHECKING:
    from infxreg.surface.pyread.machine import Machine


_NO_MEMBER = re.compile(r"__|_.*_$")
"""Names in an enum's body that Python keeps for itself, or for the class."""


@frozen
class Found:
    """An attribute, and the class that has it."""

    value: object
    owner: ClassVal


def make(machine: Machine, node: ast.ClassDef, frame: Frame) -> ClassVal:
    """The class of a class statement; its body is evaluated name by name, when asked."""
    at_top = frame.parent is None and frame.names is frame.module.names
    cls = ClassVal(node.name, frame.module, node, None if at_top else frame)
    cls.bases = tuple(machine.eval(base, frame) for base in node.bases)
    for statement in node.body:
        for name in sorted(set(touched(statement))):
            cls.statements.setdefault(name, []).append(statement)
    return cls


def body_frame(cls: ClassVal) -> Frame:
    """The scope that a class's body runs in."""
    parent = cls.frame or Frame(cls.module, cls.module.names)
    return Frame(cls.module, cls.names, parent, is_class=True, owner=cls)


def own_attribute(machine: Machine, cls: ClassVal, name: str) -> Found | None:
    """An attribute that the class itself has."""
    statements = cls.statements.pop(name, None)
    if statements is not None:
        frame = body_frame(cls)
        for statement in statements:
            machine.run([statement], frame)
        made = cls.names.get(name)
        if isinstance(made, FuncVal) and made.owner is None:
            made.owner = cls
        elif isinstance(made, Instance) and isinstance(made.cls, ClassVal):
            hook = lookup(machine, made.cls, "__set_name__")
            if hook is not None and isinstance(hook.value, FuncVal):
                machine.call(Bound(hook.value, made), [cls, name], {})
    if name in cls.names:
        return Found(names.settled(machine, cls.names, name), cls)
    return None


def mro(cls: ClassVal) -> Iterator[ClassVal | External]:
    """The class and its bases, nearest first."""
    yield from _order(cls)


def _order(cls: ClassVal) -> list[ClassVal | External]:
    order: list[ClassVal | External] = [cls]
    for base in cls.bases:
        inner = base.origin if isinstance(base, TypeForm) else base
        if isinstance(inner, ClassVal):
            tail: list[ClassVal | External] = _order(inner)
        elif isinstance(inner, External):
            tail = [inner]
        elif isinstance(inner, type):
            tail = [External(f"builtins.{inner.__name__}")]
        else:
            continue
        order = [one for one in order if one not in tail] + tail
    return order


def lookup(
    machine: Machine, cls: ClassVal, name: str, after: ClassVal | None = None
) -> Found | None:
    """An attribute by inheritance; ``after`` skips up to and with that class."""
    order = list(mro(cls))
    if after is not None and after in order:
        order = order[order.index(after) + 1 :]
    for one in order:
        if isinstance(one, ClassVal):
            found = own_attribute(machine, one, name)
            if found is not None:
                return found
    return None


def outside_bases(cls: ClassVal) -> set[str]:
    """The dotted names of the bases that aren't the tree's."""
    return {one.path for one in mro(cls) if isinstance(one, External)}


def is_enum(cls: ClassVal) -> bool:
    """Whether it is an enum class."""
    return bool(outside_bases(cls) & ENUMS)


def members(machine: Machine, cls: ClassVal) -> dict[str, Member]:
    """An enum's members, aliases too."""
    if cls.members is None:
        cls.members = {}
        for name in _member_names(cls):
            found = own_attribute(machine, cls, name)
            value = found.value if found is not None else Unknown(f"{cls.name}.{name}")
            if isinstance(value, (FuncVal, Native, ClassVal)):
                continue
            if isinstance(value, External) and value.path == "enum.auto()":
                value = _automatic(machine, cls, name)
            alias = (one for one in cls.members.values() if same(one.value, value))
            cls.members[name] = next(alias, None) or Member(cls, name, value)
    return dict(cls.members)


def _automatic(machine: Machine, cls: ClassVal, name: str) -> object:
    """What ``enum.auto()`` gives a member, by those before it."""
    outside = outside_bases(cls)
    before = [one.value for one in (cls.members or {}).values()]
    numbers = [one for one in before if isinstance(one, int)]
    if lookup(machine, cls, "_generate_next_value_") is not None:
        return Unknown(f"{cls.name}.{name}")
    if "enum.StrEnum" in outside:
        return name.lower()
    highest = max(numbers, default=0)
    # Versions of Python differ on what follows a number that isn't the highest.
    if len(numbers) < len(before) or highest != (numbers or [0])[-1]:
        return Unknown(f"{cls.name}.{name}")
    flag = outside & {"enum.Flag", "enum.IntFlag"}
    return 1 << highest.bit_length() if flag else highest + 1


def _member_names(cls: ClassVal) -> Iterator[str]:
    body = cls.node.body if cls.node is not None else []
    for statement in body:
        if isinstance(statement, ast.Assign):
            names = [one.id for one in statement.targets if isinstance(one, ast.Name)]
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            names = [statement.target.id] if statement.value is not None else []
        else:
            continue
        yield from (name for name in names if not _NO_MEMBER.match(name))


def distinct_members(machine: Machine, cls: ClassVal) -> list[Member]:
    """An enum's members without aliases."""
    return [one for name, one in members(machine, cls).items() if one.name == name]


def decorators(func: FuncVal) -> set[str]:
    """The last words of a function's decorators."""
    if not isinstance(func.node, ast.FunctionDef):
        return set()
    found = set()
    for node in func.node.decorator_list:
        target = node.func if isinstance(node, ast.Call) else node
        if isinstance(target, ast.Name):
            found.add(target.id)
        elif isinstance(target, ast.Attribute):
            found.add(target.attr)
    return found


def bind(machine: Machine, value: object, receiver: object, cls: ClassVal) -> object:
    """An attribute found in a class, as an access through an object or the class gives it."""
    if not isinstance(value, FuncVal):
        return value
    words = decorators(value)
    if "staticmethod" in words:
        return value
    if "classmethod" in words:
        return Bound(value, cls)
    if receiver is cls:
        return value
    if words & {"property", "cached_property"}:
        return machine.call(Bound(value, receiver), [], {})
    return Bound(value, receiver)
