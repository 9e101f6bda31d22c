"""What an engine says is deprecated, and what it says to use instead."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from infxreg.surface.pyread.values import ClassVal

_REPLACEMENT = re.compile(
    r"\b(?:[Uu]se|by|to|[Aa]lias for|with)\b[\s:]*[`'\"]*"
    r"(--?[a-zA-Z](?:[\w.{},=<>|-]*[\w}>])?|[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:=\w+)?)"
)
_DEPRECATED = re.compile(
    r"^\W*deprecated\b"
    r"|(?:this (?:parameter|argument|option|flag|field)|--[\w-]+[`'\"]*)(?: flag)?"
    r"\s+is\s+(?:now\s+)?deprecated"
    r"|has no effect, do not set it",
    re.IGNORECASE,
)


def deprecation(action: object, given: Mapping[str, object]) -> str | None:
    """None, or what replaces a flag that the engine calls deprecated.

    Said by ``deprecated=True``, by the action's class, or by the help; the
    replacement is the flag that ``new_flag``, the help or the action's message names.
    """
    help_text = given.get("help")
    text = help_text if isinstance(help_text, str) else ""
    named = isinstance(action, ClassVal) and "deprecated" in action.name.lower()
    # Another class's texts are about what it does, not about what to write instead.
    message = _messages(action) if named and isinstance(action, ClassVal) else ""
    if not (given.get("deprecated") is True or named or says_deprecated(text)):
        return None
    new_flag = given.get("new_flag")
    if isinstance(new_flag, str):
        return new_flag
    error = given.get("error_message")
    for one in (error if isinstance(error, str) else "", text, message):
        found = replacement_in(one)
        if found:
            return found
    return ""


def says_deprecated(text: str) -> bool:
    """Whether a help text calls its flag deprecated."""
    return _DEPRECATED.search(text) is not None


def replacement_in(text: str) -> str | None:
    """The first flag, or variable, that a text says to use."""
    found = _REPLACEMENT.search(text)
    return found[1] if found else None


def _messages(cls: ClassVal) -> str:
    """The texts, and named texts, in a class's body, joined."""
    made: list[str] = []
    for one in ast.walk(cls.node) if cls.node is not None else ():
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            made.append(one.value)
        elif isinstance(one, ast.Name) and one.id.isupper():
            for statement in cls.module.statements:
                if isinstance(statement, ast.Assign) and any(
                    isinstance(target, ast.Name) and target.id == one.id
                    for target in statement.targets
                ):
                    made.extend(
                        part.value
                        for part in ast.walk(statement.value)
                        if isinstance(part, ast.Constant) and isinstance(part.value, str)
                    )
    return " ".join(made)
