"""Whether a record made in Python holds what its fields say: attrs itself doesn't look."""

from __future__ import annotations

import functools
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin

import attrs

from infxreg.values import FrozenMap


def wrong_fields(record: Any) -> list[str]:
    """What is wrong with the types of a record's fields, one text a field."""
    cls: Any = type(record)
    return [
        f"{name}: {type(getattr(record, name)).__name__} where {_words(wanted)} is needed"
        for name, wanted in _fields(cls)
        if not _is(getattr(record, name), wanted)
    ]


@functools.cache
def _fields(cls: Any) -> tuple[tuple[str, Any], ...]:
    resolved = attrs.fields(attrs.resolve_types(cls))
    return tuple((attribute.name, attribute.type) for attribute in resolved)


def _is(value: object, wanted: Any) -> bool:
    origin = get_origin(wanted)
    if wanted is Any:
        return True
    if origin in (types.UnionType, Union):
        return any(_is(value, option) for option in get_args(wanted))
    if origin is Literal:
        return value in get_args(wanted)
    if origin is tuple:
        inner = get_args(wanted)
        if not isinstance(value, tuple):
            return False
        if inner[1:] == (...,):
            return all(_is(item, inner[0]) for item in value)
        return len(value) == len(inner) and all(map(_is, value, inner))
    if origin is frozenset:
        return isinstance(value, frozenset) and all(_is(i, get_args(wanted)[0]) for i in value)
    if origin in (FrozenMap, dict):
        key, inner = get_args(wanted)
        return isinstance(value, Mapping) and all(
            _is(k, key) and _is(v, inner) for k, v in value.items()
        )
    if origin is not None:  # a callable: `validate` tells whether it can be called
        return True
    if wanted is None or wanted is type(None):
        return value is None
    if wanted is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if wanted is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if attrs.has(wanted):
        return isinstance(value, wanted) and not wrong_fields(value)
    return isinstance(value, wanted)


def _words(wanted: Any) -> str:
    return wanted.__name__ if isinstance(wanted, type) else str(wanted).replace("typing.", "")
