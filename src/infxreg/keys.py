"""Option keys: declared names, and the raw forms for what has no neutral name."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping

from infxreg.records import Option, OptionType
from infxreg.values import Value

IMAGE = "image"

_RAW_NAMES = {
    "args.": re.compile(r"[A-Za-z0-9][^\s_=]*"),
    "env.": re.compile(r"[A-Za-z_][A-Za-z0-9_]*"),
    "client_env.": re.compile(r"[A-Za-z_][A-Za-z0-9_]*"),
    "frontend.args.": re.compile(r"[A-Za-z0-9][^\s=]*"),
}
"""How names are written: a flag without leading dashes, and with dashes for underscores."""

RAW_PREFIXES = tuple(_RAW_NAMES)
"""``args.<flag>`` and ``env.<NAME>`` reach the engine; the others what runs beside it."""


@functools.lru_cache(maxsize=4096)
def raw_prefix(key: str) -> str | None:
    """The raw namespace that a key is in, or None; its name there has to be well written."""
    for prefix, name in _RAW_NAMES.items():
        if key.startswith(prefix) and name.fullmatch(key, len(prefix)):
            return prefix
    return None


def misspelled(key: str) -> str | None:
    """What is wrong with the name of a raw key; None where it is well written or no raw key."""
    for prefix in RAW_PREFIXES:
        if key.startswith(prefix) and key != prefix and raw_prefix(key) is None:
            if prefix == "args.":
                written = key[len(prefix) :].lstrip("-").replace("_", "-")
                return f"{key!r}: flags stand here without leading dashes and _: args.{written}"
            return f"{key!r} names nothing that can be set in {prefix.rstrip('.')}"
    return None


def is_declared(key: str, options: Mapping[str, Option]) -> bool:
    """Whether a key can be set at all."""
    return key in options or raw_prefix(key) is not None


def is_key(read: str) -> bool:
    """Whether a derivation's read is an option's key; else it is an axis."""
    return "." in read or read == IMAGE


def fit(key: str, value: Value, options: Mapping[str, Option]) -> Value:
    """The value as the key's type has it (an integer given for a float becomes one).

    Raises:
        TypeError: if it doesn't fit. Variables are text; the other raw keys take anything.
    """
    option = options.get(key)
    if option is None:
        if raw_prefix(key) in ("env.", "client_env.") and not isinstance(value, str):
            raise TypeError(f"a variable's value is text, not {_name(value)}")
        return value
    return _fit(option.type, value)


def _fit(wanted: OptionType, value: Value) -> Value:
    if wanted == "float" and isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError as error:
            raise TypeError("needs float, not an integer that large") from error
    if wanted in ("list[int]", "list[str]"):
        inner = int if wanted == "list[int]" else str
        if isinstance(value, tuple) and all(type(item) is inner for item in value):
            return value
    elif wanted == "json":
        if isinstance(value, str):
            return _json(value)
    elif type(value).__name__ == wanted:
        return value
    raise TypeError(f"needs {wanted}, not {_name(value)}")


def _json(text: str) -> str:
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TypeError(f"needs text that is JSON: {error}") from error
    return text


def _name(value: Value) -> str:
    if not isinstance(value, tuple):
        return type(value).__name__
    inner = sorted({type(item).__name__ for item in value}) or ["nothing"]
    return f"a list of {' and '.join(inner)}"
