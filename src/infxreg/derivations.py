"""Derivations that any rule can use: small pure functions over numbers and text.

What an engine or a model needs alone lives in its plugin.
"""

from __future__ import annotations

from collections.abc import Iterator

from infxreg.records import Derivation
from infxreg.values import Value


def copy(value: Value | None) -> Value | None:
    """The value that it reads."""
    return value


def text(value: Value | None) -> str | None:
    """The value that it reads, as text."""
    return None if value is None else str(value)


def above_one(value: int) -> int | None:
    """The size that it reads, absent where it is 1: what an engine does unasked."""
    return value if value > 1 else None


def product(*sizes: int | None) -> int:
    """The product of the sizes that are set."""
    total = 1
    for size in sizes:
        total *= 1 if size is None else size
    return total


def scaled(value: int, cap: int | None = None, floor: int | None = None, *, factor: int = 1) -> int:
    """``factor`` times the value, not below the floor, then not above the cap."""
    result = factor * value
    if floor is not None:
        result = max(result, floor)
    return result if cap is None else min(result, cap)


def core_derivations() -> Iterator[Derivation]:
    """The records of this module."""
    for function in (copy, text, above_one, product, scaled):
        summary = (function.__doc__ or "").splitlines()[0]
        yield Derivation(id=function.__name__, function=function, doc=summary)
