"""What a JSON scalar is to a Python type that asks for another: pydantic's lax reading.

``"yes"`` is true, ``"8"`` and ``8.0`` are 8, true is 1; but ``8`` isn't text. The rules were
compared with pydantic's own answers, type by type and value by value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

from attrs import frozen

from infxreg.surface.model import Json
from infxreg.surface.type_expr import Scalar

_TRUE = frozenset("1 true t yes y on".split())
_FALSE = frozenset("0 false f no n off".split())
_INTEGER = re.compile(r"\s*[+-]?\d+(_\d+)*(\.0+)?\s*", re.ASCII)


@frozen
class No:
    """No value: what a scalar's reading gives for what doesn't fit."""


NO = No()


def _bool(value: Json) -> Json | No:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return bool(value) if value in (0, 1) else NO
    if isinstance(value, str):
        folded = value.lower()
        return True if folded in _TRUE else False if folded in _FALSE else NO
    return NO


def integer(value: Json) -> Json | No:
    """The whole number that a value is read as."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return (
            int(value)
            if math.isfinite(value) and value == int(value) and (abs(value) < 2**63)
            else NO
        )
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        return int(value.strip().partition(".")[0])
    return NO


def _float(value: Json) -> Json | No:
    if isinstance(value, int | float):
        return float(value) if not isinstance(value, int) or abs(value) < 2**1023 else NO
    if isinstance(value, str) and value.isascii():
        try:
            return float(value)
        except ValueError:
            return NO
    return NO


SCALARS: Mapping[Scalar, Callable[[Json], Json | No]] = {
    "any": lambda value: value,
    "none": lambda value: None if value is None else NO,
    "bool": _bool,
    "int": integer,
    "float": _float,
    "str": lambda value: value if isinstance(value, str) else NO,
    "never": lambda _: NO,
}


def listed(values: Sequence[Json], value: Json) -> bool:
    """Literals compare by type, but a number's type is no part of it: true is 1 is 1.0."""
    if isinstance(value, str) or value is None:
        return any(type(one) is type(value) and one == value for one in values)
    numbers = [one for one in values if isinstance(one, int | float)]
    return isinstance(value, int | float) and value in numbers
