"""Read ``--set KEY=VALUE``: the text of a value, by the type that its key has."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Mapping

from infxreg.errors import BadRequestError
from infxreg.keys import raw_prefix
from infxreg.records import Option
from infxreg.values import Value, as_value

_INTEGER = re.compile(r"[+-]?[0-9]+")
_TEXT_ONLY = ("env.", "client_env.")


def parse_settings(items: Iterable[str], options: Mapping[str, Option]) -> dict[str, Value]:
    """The values of ``KEY=VALUE`` texts, by key.

    A key that nobody declares keeps its text; resolving refuses it by name.

    Raises:
        BadRequestError: for a text without ``=``, a key given twice, or a value that
            isn't of its key's type.
    """
    result: dict[str, Value] = {}
    for item in items:
        key, equals, text = item.partition("=")
        if not equals or not key:
            raise BadRequestError(f"--set {item}: write --set KEY=VALUE")
        if key in result:
            raise BadRequestError(f"--set gives {key} twice: drop one")
        result[key] = _value(key, text, options.get(key))
    return result


def _value(key: str, text: str, option: Option | None) -> Value:
    if option is None:
        if raw_prefix(key) is None or raw_prefix(key) in _TEXT_ONLY:
            return text
        literal = toml_literal(text)
        return text if literal is None else literal
    try:
        return _typed(option.type, text)
    except ValueError as error:
        raise BadRequestError(f"--set {key}={text}: {error}") from error


def _typed(wanted: str, text: str) -> Value:
    if wanted == "bool":
        if text not in ("true", "false"):
            raise ValueError("write true or false")
        return text == "true"
    if wanted == "int":
        return _integer(text)
    if wanted == "float":
        return _number(text)
    if wanted == "str":
        return text
    return _list(wanted, text)


def _integer(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise ValueError("an integer is needed")
    return int(text)


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError("a number is needed")
    return number


def _list(wanted: str, text: str) -> Value:
    if text.startswith("["):
        literal = toml_literal(text)
        if not isinstance(literal, tuple):
            raise ValueError("this is no TOML array of values")
        return literal
    items = [item.strip() for item in text.split(",")] if text else []
    return tuple(_integer(item) for item in items) if wanted == "list[int]" else tuple(items)


def toml_literal(text: str) -> Value | None:
    """The value that a text is as a TOML literal, or None if it is none that an option holds."""
    try:
        # In an inline table a comment or a second line can't hide: the brace would be gone.
        document = tomllib.loads(f"v = {{ v = {text} }}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    found = document["v"] if list(document) == ["v"] else None
    if not isinstance(found, dict) or list(found) != ["v"]:
        return None
    try:
        return as_value(found["v"])
    except TypeError:
        return None
