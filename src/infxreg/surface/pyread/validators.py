"""What a config class's validators say, read off their syntax: how a raw value is read, and under
which conditions on several keys the class refuses its JSON.

`class_rules` gives the words of `ConfigField.reads` and the expressions of `Config.refusals`. It
reads straight code of assignments, conditions and ``raise``; a condition that depends on anything
else (a call, the platform) is left out, so that what is refused here is refused there.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from typing import Literal

from attrs import frozen

from infxreg.surface.pyread.refusals import Constant, Walk

_AFTER_INIT = ("__post_init__", "model_post_init")


@frozen
class ClassRules:
    """What the validators of one class say; those of its bases are asked for apart.

    Attributes:
        reads: key to words, see `ConfigField.reads`; ``*`` is every key.
        refusals: expressions over keys, see `Config.refusals`.
    """

    reads: Mapping[str, str]
    refusals: tuple[str, ...]


def class_rules(
    node: ast.ClassDef, keys: Collection[str], constant: Constant = lambda _: None
) -> ClassRules:
    """The rules of a class.

    Args:
        node: the class.
        keys: its keys, those of its bases too.
        constant: the literal that a name or an attribute of the module stands for, if it does.
    """
    reads: dict[str, list[str]] = {}
    refusals: list[str] = []
    # What `__post_init__` changes isn't as the JSON had it when the model validators run.
    changed: set[str] = set()
    properties = {
        one.name: one
        for one in node.body
        if isinstance(one, ast.FunctionDef) and "property" in map(ast.unparse, one.decorator_list)
    }
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    for one in sorted(methods, key=lambda method: method.name not in _AFTER_INIT):
        if one.name in _AFTER_INIT:
            walk = Walk({}, keys, properties, constant, changed)
            walk.run(one.body, [])
            refusals += walk.found
        for decorator in one.decorator_list:
            kind, mode, named = _validator(decorator)
            if kind == "model" and mode == "after":
                walk = Walk({}, keys, properties, constant, changed)
                walk.run(one.body, [])
                refusals += walk.found
            elif kind == "field" and mode == "after":
                for key in keys if "*" in named else named:
                    walk = Walk({_value_name(one): ast.Name(key)}, keys, {}, constant)
                    walk.run(one.body, [])
                    refusals += walk.found
            elif kind == "field":
                words = list(_words(one, _value_name(one), mode))
                for key in named:
                    reads.setdefault(key, []).extend(words)
            elif kind == "model" and mode == "before" and _only_looks(one):
                reads.setdefault("*", []).append("same")
    return ClassRules(
        {key: " ".join(dict.fromkeys(words)) for key, words in reads.items()},
        tuple(dict.fromkeys(refusals)),
    )


def _validator(node: ast.expr) -> tuple[Literal["", "field", "model"], str, list[str]]:
    """Kind, mode and keys of a pydantic decorator."""
    if not isinstance(node, ast.Call):
        return "", "", []
    name = ast.unparse(node.func).rpartition(".")[2]
    mode = "after"
    for one in node.keywords:
        if one.arg == "mode" and isinstance(one.value, ast.Constant):
            mode = str(one.value.value)
    named = [str(one.value) for one in node.args if isinstance(one, ast.Constant)]
    if name == "field_validator":
        return "field", mode, named
    return ("model", mode, []) if name == "model_validator" else ("", "", [])


def _value_name(node: ast.FunctionDef) -> str:
    """The parameter that holds the value: the one after ``cls`` or ``self``, if there is such."""
    names = [one.arg for one in node.args.args]
    return names[1] if len(names) > 1 and names[0] in ("cls", "self") else names[0]


def _only_looks(node: ast.FunctionDef) -> bool:
    """Whether a ``before`` validator of a whole class hands on what it was given."""
    name = _value_name(node)
    returned = [one.value for one in ast.walk(node) if isinstance(one, ast.Return)]
    stored = {
        one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    same = all(isinstance(one, ast.Name) and one.id == name for one in returned)
    changed = any(
        isinstance(one, ast.Subscript) and not isinstance(one.ctx, ast.Load)
        for one in ast.walk(node)
    ) or any(
        isinstance(one, ast.Attribute) and one.attr in ("pop", "update", "setdefault")
        for one in ast.walk(node)
    )
    return bool(returned) and same and name not in stored and not changed


def _words(node: ast.FunctionDef, value: str, mode: str) -> Iterator[str]:
    """How a ``before`` or ``wrap`` validator reads the raw value."""
    text = ast.unparse(ast.Module(body=node.body, type_ignores=[]))
    if mode == "wrap":
        if f"if {value} is None:" in text:
            yield "null"
        return
    found = False
    if f"{value}.lower() == 'auto'" in text:
        found = True
        yield "auto"
    if f"{value}.upper()" in text and ("__members__" in text or f"[{value}.upper()]" in text):
        found = True
        yield "member"
    if ".split(',')" in text:
        found = True
        yield "commas"
    elif f"{value}.lower().replace('-', '_')" in text:
        found = True
        yield "lower-underscore"
    elif f"return {value}.lower()" in text:
        found = True
        yield "lower"
    if not found and f"(**{value})" in text and f"return {value}" in text:
        yield "same"
    elif not found:
        for kind, word in (("str", "text"), ("dict", "object")):
            if _only_of(node, value, kind):
                yield word


def _only_of(node: ast.FunctionDef, value: str, kind: str) -> bool:
    """Whether a validator hands on what isn't of a kind: it returns it first, or in the end."""
    body = [one for one in node.body if not _is_docstring(one)]
    test = f"isinstance({value}, {kind})"
    if not body or not isinstance(body[0], ast.If) or body[0].orelse:
        return False
    first, last = body[0], ast.unparse(body[-1])
    if ast.unparse(first.test) == f"not {test}":
        return [ast.unparse(one) for one in first.body] == [f"return {value}"]
    return ast.unparse(first.test) == test and len(body) == 2 and last == f"return {value}"


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
