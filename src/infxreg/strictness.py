"""Structuring without coercion: text isn't turned to a number, nor 2.5 to 2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cattrs import Converter

from infxreg.values import bounded

_SCALARS = ((str, "text"), (int, "an integer"), (bool, "true or false"), (float, "a number"))


def be_strict(converter: Converter) -> None:
    """Make a converter take scalars of their own type only (and an integer for a float)."""
    for kind, name in _SCALARS:
        converter.register_structure_hook(kind, _strict(kind, name))


def axis_value(raw: object, _: Any) -> str | int:
    """A value of an axis: text or an integer, and true is neither."""
    if isinstance(raw, bool) or not isinstance(raw, (str, int)):
        raise TypeError(f"text or an integer is needed, not {type(raw).__name__}")
    return bounded(raw)


def _strict(kind: type[Any], name: str) -> Callable[[object, Any], Any]:
    def structure(raw: object, _: Any) -> Any:
        if type(raw) is kind:
            return bounded(raw)
        if kind is float and type(raw) is int:
            return float(bounded(raw))
        raise TypeError(f"{name} is needed, not {type(raw).__name__}")

    return structure
