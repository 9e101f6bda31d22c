"""The type expressions of JSON keys (`ConfigField.type`), read into a tree."""

from __future__ import annotations

import ast
from collections.abc import Container
from typing import Literal, TypeAlias

from attrs import frozen

from infxreg.surface.model import Json

Scalar: TypeAlias = Literal["any", "none", "bool", "int", "float", "str", "never"]
Holder: TypeAlias = Literal["list", "dict"]

_SCALARS: dict[str, Scalar] = {
    "Any": "any",
    "object": "any",
    "None": "none",
    "NoneType": "none",
    "bool": "bool",
    "int": "int",
    "float": "float",
    "str": "str",
    "bytes": "str",
    "Path": "str",
    "PurePath": "str",
    # Nothing that JSON can say is a class or a function.
    "Callable": "never",
    "type": "never",
    "Type": "never",
}
_LISTS = {
    *("list", "List", "set", "Set", "frozenset", "FrozenSet", "Sequence", "Iterable", "Collection"),
    *("MutableSequence", "AbstractSet", "deque", "tuple", "Tuple"),
}
_DICTS = {"dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "OrderedDict"}
_WRAPPERS = {
    "Annotated",
    "ClassVar",
    "Final",
    "InitVar",
    "Required",
    "NotRequired",
    "SkipValidation",
}


@frozen
class Simple:
    """A scalar; ``any`` takes everything, ``never`` nothing."""

    name: Scalar


@frozen
class ListOf:
    """A JSON list of any length; sets and ``tuple[T, ...]`` too."""

    item: Type


@frozen
class Row:
    """A JSON list with a type for each place."""

    items: tuple[Type, ...]


@frozen
class DictOf:
    """A JSON object of free keys."""

    key: Type
    value: Type


@frozen
class OneOf:
    """A ``Literal``."""

    values: tuple[Json, ...]


@frozen
class Union:
    """Any of several types."""

    options: tuple[Type, ...]


@frozen
class ClassOf:
    """A config class of the surface."""

    name: str


@frozen
class EnumOf:
    """An enum of the surface."""

    name: str


@frozen
class Unclear:
    """A type that the surface says nothing about."""

    text: str


Type: TypeAlias = Simple | ListOf | Row | DictOf | OneOf | Union | ClassOf | EnumOf | Unclear
ANY = Simple("any")


def read_type(
    text: str | None,
    choices: tuple[str, ...] | None,
    classes: Container[str],
    enums: Container[str],
) -> Type:
    """The tree of a type expression.

    Args:
        text: the expression; None if the surface doesn't have it.
        choices: what a bare ``Literal`` in it stands for.
        classes: names of config classes.
        enums: names of enums.
    """
    if text is None:
        return Unclear("")
    try:
        parsed = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return Unclear(text)
    return _Reader(choices, classes, enums).read(parsed)


@frozen
class _Reader:
    choices: tuple[str, ...] | None
    classes: Container[str]
    enums: Container[str]

    def read(self, node: ast.expr) -> Type:
        match node:
            case ast.Constant(value=None):
                return Simple("none")
            case ast.Constant(value=str() as text):
                return read_type(text, self.choices, self.classes, self.enums)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return _union(self.read(left), self.read(right))
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return self._named(name, node)
            case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=inside):
                parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
                return self._generic(name, parts, node)
        return Unclear(ast.unparse(node))

    def _named(self, name: str, node: ast.expr) -> Type:
        if name == "Literal" and self.choices is not None:
            return OneOf(self.choices)
        if name in self.classes:
            return ClassOf(name)
        if name in self.enums:
            return EnumOf(name)
        if name in _SCALARS:
            return Simple(_SCALARS[name])
        if name in _LISTS:
            return ListOf(ANY)
        if name in _DICTS:
            return DictOf(ANY, ANY)
        return Unclear(ast.unparse(node))

    def _generic(self, name: str, parts: list[ast.expr], node: ast.expr) -> Type:
        if name == "Literal":
            values = [part.value for part in parts if isinstance(part, ast.Constant)]
            plain = [one for one in values if one is None or isinstance(one, str | int | float)]
            return OneOf(tuple(plain)) if len(plain) == len(parts) else Unclear(ast.unparse(node))
        if name == "Optional":
            return _union(self.read(parts[0]), Simple("none"))
        if name == "Union":
            return _union(*map(self.read, parts))
        if name in _WRAPPERS:
            return self.read(parts[0])
        if name in ("tuple", "Tuple") and not _is_open(parts):
            return Row(tuple(map(self.read, parts)))
        if name in _LISTS:
            return ListOf(self.read(parts[0]))
        if name in _DICTS and len(parts) == 2:
            return DictOf(self.read(parts[0]), self.read(parts[1]))
        if _SCALARS.get(name) == "never":
            return Simple("never")
        return Unclear(ast.unparse(node))


def _is_open(parts: list[ast.expr]) -> bool:
    """``T, ...``"""
    return any(isinstance(part, ast.Constant) and part.value is ... for part in parts)


def _union(*types: Type) -> Type:
    flat: list[Type] = []
    for one in types:
        flat += one.options if isinstance(one, Union) else (one,)
    return Union(tuple(dict.fromkeys(flat)))


def in_words(kind: Type) -> str:
    """What a value of the type is, for a message."""
    match kind:
        case Simple(name=name):
            return {
                "any": "anything",
                "none": "null",
                "bool": "true or false",
                "int": "a whole number",
                "float": "a number",
                "str": "text",
                "never": "a class or a function, which JSON can't say",
            }[name]
        case ListOf(item=item):
            return "a list" if item == ANY else f"a list of ({in_words(item)})"
        case Row(items=items):
            return f"a list of {len(items)}"
        case DictOf() | ClassOf():
            return "an object"
        case OneOf(values=values):
            return "one of " + ", ".join(map(str, values))
        case EnumOf(name=name):
            return f"a member of {name}"
        case Union(options=options):
            return " or ".join(dict.fromkeys(map(in_words, options)))
        case Unclear(text=text):
            return text
