"""What a rule can set a key to: a constant, *absent*, or a derivation.

Values compare with their types: ``True`` isn't ``1`` and ``1`` isn't ``1.0``,
because an engine that is handed one of them isn't handed the other.
"""

from __future__ import annotations

import enum
import json
import math
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any, Generic, TypeAlias, TypeVar, overload

from attrs import field, frozen

Scalar: TypeAlias = bool | int | float | str
Value: TypeAlias = Scalar | tuple[Scalar, ...]


class Absent(enum.Enum):
    """The value *absent*: it competes like any other and renders nothing."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent.ABSENT


def _by_name(params: Iterable[tuple[str, Value]]) -> tuple[tuple[str, Value], ...]:
    return tuple(sorted(params, key=lambda item: item[0]))


@frozen
class Derived:
    """A value computed at a point: a derivation's id, what it reads, its parameters.

    Two are equal when function, reads and parameters are; none equals a constant.
    """

    function: str
    reads: tuple[str, ...] = ()
    params: tuple[tuple[str, Value], ...] = field(default=(), converter=_by_name)

    def __str__(self) -> str:
        parameters = "".join(f", {name}={show(value)}" for name, value in self.params)
        return f"{self.function}({', '.join(self.reads)}{parameters})"


Setting: TypeAlias = Value | Absent | Derived

_S = TypeVar("_S")
_T = TypeVar("_T")
_K = TypeVar("_K")
_V = TypeVar("_V", covariant=True)


class FrozenMap(Mapping[_K, _V], Generic[_K, _V]):
    """A read-only mapping that keeps the order it was given, compares like a dict, and hashes."""

    __slots__ = ("_data",)
    _data: dict[_K, _V]

    def __init__(self, data: Mapping[_K, _V] | None = None) -> None:
        object.__setattr__(self, "_data", dict(data or {}))

    def __getitem__(self, key: _K) -> _V:
        return self._data[key]

    def __iter__(self) -> Iterator[_K]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    # The methods and views of Mapping are made in Python; a dict's own are many times faster.

    def __contains__(self, key: object) -> bool:
        return key in self._data

    @overload
    def get(self, key: _K, default: None = None, /) -> _V | None: ...

    @overload
    def get(self, key: _K, default: _V | _T, /) -> _V | _T: ...

    def get(self, key: _K, default: object = None, /) -> object:
        """The value of a key, or the default."""
        return self._data.get(key, default)

    def keys(self) -> KeysView[_K]:
        """The keys, in their order."""
        return self._data.keys()

    def values(self) -> ValuesView[_V]:
        """The values, in their order."""
        return self._data.values()

    def items(self) -> ItemsView[_K, _V]:
        """The pairs, in their order."""
        return self._data.items()

    def __hash__(self) -> int:
        return hash(frozenset(self._data.items()))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a FrozenMap can't be changed")

    def __reduce__(self) -> tuple[Any, ...]:
        return (FrozenMap, (self._data,))

    def __repr__(self) -> str:
        return f"FrozenMap({self._data!r})"


def same(a: object, b: object) -> bool:
    """Whether two settings are the same value, types included."""
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, Derived) and isinstance(b, Derived):
        return (a.function, a.reads) == (b.function, b.reads) and same(a.params, b.params)
    return a == b


def show(value: object) -> str:
    """A value as TOML would write it, and a derivation as a call, for messages and tables."""
    if value is ABSENT or value is None:
        return "(absent)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple):
        return "[" + ", ".join(show(item) for item in value) + "]"
    return str(value)


def as_value(raw: object) -> Value:
    """A TOML value as a `Value`: lists become tuples.

    Raises:
        TypeError: for tables, dates and nested lists, which no option can hold.
    """
    if isinstance(raw, (bool, int, float, str)):
        return bounded(raw)
    if isinstance(raw, (list, tuple)):
        items: list[Scalar] = []
        for item in raw:
            if not isinstance(item, (bool, int, float, str)):
                raise TypeError(f"a list can hold only scalars, not {type(item).__name__}")
            items.append(bounded(item))
        return tuple(items)
    raise TypeError(f"{type(raw).__name__} is no value for an option")


def bounded(scalar: _S) -> _S:
    """The scalar, if JSON and TOML can hold it: finite, and within 64 bits.

    Raises:
        TypeError: if they can't.
    """
    if isinstance(scalar, float) and not math.isfinite(scalar):
        raise TypeError(f"{scalar} is no number that can be compared")
    if isinstance(scalar, int) and not -(2**63) <= scalar < 2**63:
        raise TypeError("an integer needs to fit 64 bits")
    if isinstance(scalar, str) and not _is_unicode(scalar):
        raise TypeError("text needs to be Unicode, and this holds bytes that aren't")
    return scalar


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
