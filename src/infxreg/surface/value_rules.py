"""Whether a text is a value of a flag's type, as the engines' own converters read it.

Each converter returns the value that choices are compared with, or raises `Unfit`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TypeAlias

from attrs import frozen

from infxreg.surface.model import Json

Value: TypeAlias = Json
Convert: TypeAlias = Callable[[str], Value]

_VLLM_HUMAN = re.compile(r"(\d+(?:\.\d+)?)([kKmMgGtT])")
_SGLANG_HUMAN = re.compile(r"(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|k|M|G|T)")
_POWER = {"k": 1, "m": 2, "g": 3, "t": 4}
_OBJECT = re.compile(r"(?s)^\s*{.*}\s*$")


@frozen
class Unfit(Exception):
    """A text that isn't a value of the type; says what would be one."""

    wanted: str
    kind: str = "wrong type"


def whole(text: str) -> int:
    """Python's ``int``: ``8``, ``+8``, ``1_000``, spaces around; not ``8.0``, ``0x10``, ``1e3``."""
    try:
        return int(text)
    except ValueError:
        raise Unfit("a whole number") from None


def number(text: str) -> float:
    """Python's ``float``."""
    try:
        return float(text)
    except ValueError:
        raise Unfit("a number") from None


def vllm_human(text: str) -> int:
    """``32k`` is 32,000, ``32K`` is 32,768, ``25.6k`` is 25,600; ``25.6K`` is refused."""
    text = text.strip()
    found = _VLLM_HUMAN.fullmatch(text)
    if found is None:
        try:
            return int(text)
        except ValueError:
            raise Unfit("a whole number, or one with k, m, g, t or K, M, G, T after it") from None
    digits, suffix = found.groups()
    power = _POWER[suffix.lower()]
    if suffix.islower():
        return int(float(digits) * 1000**power)
    if "." in digits:
        raise Unfit(f"a whole number before {suffix} (decimals go with {suffix.lower()})")
    return int(digits) * int(1024**power)


def vllm_human_or_auto(text: str) -> int:
    """Like `vllm_human`, and ``auto`` in any case or ``-1``."""
    text = text.strip()
    return -1 if text == "-1" or text.lower() == "auto" else vllm_human(text)


def sglang_human(text: str) -> int:
    """``1k`` is 1,000, ``1Ki`` is 1,024, ``25.6k`` is 25,600; ``25.6Ki`` and ``1m`` are refused."""
    text = text.strip()
    found = _SGLANG_HUMAN.fullmatch(text)
    if found is None:
        try:
            return int(text)
        except ValueError:
            raise Unfit("a whole number, or one with k, M, G, T or Ki, Mi, Gi, Ti") from None
    digits, suffix = found.groups()
    power = _POWER[suffix[0].lower()]
    if suffix.endswith("i"):
        if "." in digits:
            raise Unfit(f"a whole number before {suffix}")
        return int(digits) * int(1024**power)
    return int(Decimal(digits) * 1000**power)


def json_text(text: str) -> Value:
    """Anything that `json.loads` reads: an object, but also ``3`` or ``true``."""
    try:
        value: Value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unfit(f"JSON ({_place(error)})", "bad JSON") from None
    return value


def json_or_text(text: str) -> Value:
    """JSON where the text is in braces, else any text."""
    if not _OBJECT.match(text):
        return text
    return json_text(text)


def pairs_or_json(text: str) -> Value:
    """JSON, or ``KEY=NUMBER,…`` (vllm before 0.10.0)."""
    try:
        return json_text(text)
    except Unfit:
        if text.startswith("{"):
            raise
    found: dict[str, Value] = {}
    for item in text.split(","):
        key, equals, value = (part.strip() for part in item.lower().partition("="))
        if not equals or "=" in value or found.get(key, value) != value:
            raise Unfit("JSON, or KEY=NUMBER pairs with commas between", "bad JSON")
        found[key] = whole(value)
    return found


def whole_list(text: str) -> Value:
    """Whole numbers with commas between."""
    return [whole(part) for part in text.split(",")]


def lower_underscore(text: str) -> str:
    """``deep-gemm`` and ``Deep_GEMM`` are ``deep_gemm``."""
    return text.lower().replace("-", "_")


def port(text: str) -> int:
    """vllm's `check_port`."""
    value = whole(text)
    if not 1024 <= value <= 65535:
        raise Unfit("a port from 1024 to 65535")
    return value


def anything(text: str) -> Value:
    """Any text is a value."""
    return text


COMMON: Mapping[str, Convert] = {
    "": anything,
    "str": anything,
    "bool": anything,
    "int": whole,
    "float": number,
    "json": json_text,
    "json|str": json_or_text,
    "lower-underscore": lower_underscore,
    "int-list": whole_list,
}


def _place(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos + 1}"
    return "nested too deep" if isinstance(error, RecursionError) else "unreadable"
