"""Subscripted types, in one shape for every spelling."""

from __future__ import annotations

from infxreg.surface.pyread.values import (
    ANNOTATED,
    ClassVal,
    External,
    TypeForm,
    Unknown,
    literal,
    union,
)

_CONTAINERS = (list, dict, set, frozenset, tuple, type)


_ALIASES: dict[str, object] = {
    "List": list,
    "Dict": dict,
    "Set": set,
    "FrozenSet": frozenset,
    "Tuple": tuple,
    "Type": type,
}


def is_type(value: object) -> bool:
    """Whether ``|`` with another such value makes a union."""
    return value is None or isinstance(value, (type, TypeForm, External, ClassVal))


def subscripts_as_type(owner: object) -> bool:
    """Whether ``owner[…]`` is a type form and not an item."""
    if isinstance(owner, type):
        return issubclass(owner, _CONTAINERS)
    return isinstance(owner, (External, TypeForm))


def type_form(owner: object, args: tuple[object, ...]) -> object:
    """``owner[args]``, with unions and literals in one shape."""
    if isinstance(owner, External):
        if owner.last == "Optional":
            return union(args[0], None)
        if owner.last == "Union":
            return union(*args)
        if owner.last == "Literal":
            return literal(*args)
        if owner.last in {"Annotated", "SkipValidation"}:
            return TypeForm(ANNOTATED, args)
        if owner.last in _ALIASES:
            return TypeForm(_ALIASES[owner.last], args)
    return TypeForm(owner, tuple(type(None) if one is None else one for one in args))


def strip_annotated(hint: object) -> object:
    """The type inside ``Annotated``, ``Required`` and the like."""
    while isinstance(hint, TypeForm) and (
        hint.origin == ANNOTATED
        or (
            isinstance(hint.origin, External)
            and hint.origin.last in {"Required", "NotRequired", "Final", "SkipValidation"}
        )
    ):
        hint = hint.args[0]
    return hint


def origin_of(value: object) -> object:
    """``typing.get_origin``."""
    if isinstance(value, TypeForm):
        return value.origin
    if isinstance(value, External) and value.last in _ALIASES:
        return _ALIASES[value.last]
    return value if isinstance(value, Unknown) else None


def args_of(value: object) -> object:
    """``typing.get_args``."""
    if isinstance(value, TypeForm):
        return value.args
    return value if isinstance(value, Unknown) else ()
