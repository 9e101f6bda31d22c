"""What Python's operators do with the kinds of value that the interpreter has."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from infxreg.surface.pyread import classes
from infxreg.surface.pyread.values import (
    Args,
    Bound,
    BudgetError,
    ClassVal,
    External,
    FuncVal,
    InterpretedError,
    Member,
    TypeForm,
    Unknown,
    same,
)

if TYPE_CHECKING:
    from infxreg.surface.pyread.machine import Machine


MAX_ITEMS = 50_000
PLAIN = (*(str, int, float, bool, bytes, list, tuple, set, frozenset, dict, type(None), range),)
"""Types whose values are Python's own."""


MAX_TEXT = 1 << 20


_EMPTY: dict[object, object] = {}
_VIEWS = (type(_EMPTY.keys()), type(_EMPTY.values()), type(_EMPTY.items()))


_MIXINS = {
    "builtins.int",
    "builtins.str",
    "builtins.float",
    "enum.IntEnum",
    "enum.StrEnum",
    "enum.IntFlag",
}


def fresh(value: object) -> object:
    """A copy of a container, so that changing it changes nothing else."""
    if isinstance(value, list):
        return list(value)
    if isinstance(value, dict):
        return dict(value)
    return set(value) if isinstance(value, set) else value


def restore(value: object, copy: object) -> None:
    """Puts a container back to what a copy holds."""
    if isinstance(value, list) and isinstance(copy, list):
        value[:] = copy
    elif (isinstance(value, dict) and isinstance(copy, dict)) or (
        isinstance(value, set) and isinstance(copy, set)
    ):
        value.clear()
        value.update(copy)


def plain(value: object) -> object:
    """A member of an int or str enum as its value; other values as they are."""
    if isinstance(value, Member) and classes.outside_bases(value.cls) & _MIXINS:
        return value.value
    return value


def text_of(machine: Machine, value: object) -> object:
    """``str(value)``."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Member):
        outside = classes.outside_bases(value.cls)
        if "enum.StrEnum" in outside or "enum.IntEnum" in outside:
            return str(value.value)
        custom = classes.lookup(machine, value.cls, "__str__")
        if custom is not None and isinstance(custom.value, FuncVal):
            return machine.call(Bound(custom.value, value), [], {})
        return f"{value.cls.name}.{value.name}"
    if isinstance(value, (str, int, float, bool, type(None), list, tuple, dict, set)):
        return limited(str(value))
    return Unknown(f"text of {type(value).__name__}")


def repr_of(value: object) -> str | None:
    """``repr(value)`` where the source says all of it, else None."""
    if isinstance(value, Member):
        inner = repr_of(value.value)
        return None if inner is None else f"<{value.cls.name}.{value.name}: {inner}>"
    if isinstance(value, (list, tuple)):
        parts = [repr_of(one) for one in value]
        if any(part is None for part in parts):
            return None
        inner = ", ".join(part for part in parts if part is not None)
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, dict):
        pairs = [(repr_of(key), repr_of(one)) for key, one in value.items()]
        if any(key is None or one is None for key, one in pairs):
            return None
        return "{" + ", ".join(f"{key}: {one}" for key, one in pairs) + "}"
    if isinstance(value, (set, frozenset)) and not value:
        return f"{type(value).__name__}()"
    if value is None or isinstance(value, (str, int, float, bool)):
        return repr(value)
    return None


def limited(text: str) -> str:
    """The text itself, if an engine could make one so long."""
    if len(text) > MAX_TEXT:
        raise BudgetError("the source makes a text larger than any engine's does")
    return text


def identical(left: object, right: object) -> bool | Unknown:
    """``left is right``."""
    for one in (left, right):
        if isinstance(one, Unknown):
            return one
    if isinstance(left, (External, TypeForm)):
        return same(left, right)
    if isinstance(left, (str, int, float)) and not isinstance(left, bool):
        return same(left, right)
    return left is right


def equal(left: object, right: object) -> bool | Unknown:
    """``left == right``."""
    for one in (left, right):
        if isinstance(one, Unknown):
            return one
    left, right = plain(left), plain(right)
    try:
        return bool(left == right)
    except (TypeError, ValueError, RecursionError):
        return Unknown("a comparison")


def contains(machine: Machine, container: object, one: object) -> bool | Unknown:
    """``one in container``."""
    if isinstance(container, Unknown):
        return container
    if isinstance(one, Unknown):
        return one
    one = plain(one)
    if isinstance(container, str):
        return one in container if isinstance(one, str) else Unknown("a substring")
    if isinstance(container, (dict, set, frozenset)):
        try:
            return one in container
        except TypeError as error:
            raise InterpretedError("TypeError", str(error)) from None
    found = items_of(machine, container)
    if isinstance(found, Unknown):
        return found
    unsure: Unknown | None = None
    for each in found:
        answer = equal(one, each)
        if isinstance(answer, Unknown):
            unsure = answer
        elif answer:
            return True
    return unsure if unsure is not None else False


def items_of(machine: Machine, value: object) -> Args | Iterator[object] | Unknown:
    """What a loop over the value sees. Sets come in one order, whatever their hashes."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=_place)
    if isinstance(value, (list, tuple, dict, str, *_VIEWS)):
        return list(value)
    if isinstance(value, range):
        if len(value) > MAX_ITEMS:
            raise BudgetError("the source loops longer than any engine's does")
        return list(value)
    if isinstance(value, ClassVal) and classes.is_enum(value):
        return list(classes.distinct_members(machine, value))
    if isinstance(value, Iterator):
        return value
    return Unknown(f"a loop over {type(value).__name__}")


def _place(value: object) -> tuple[str, str]:
    """A key to sort members of a set by: kind and text."""
    if isinstance(value, TypeForm):
        parts = ", ".join(f"{kind} {text}" for kind, text in map(_place, value.args))
        return "type", f"{_place(value.origin)[1]}[{parts}]"
    if isinstance(value, (ClassVal, External)):
        return "type", value.path
    if isinstance(value, type):
        return "type", value.__name__
    if isinstance(value, Member):
        return "member", f"{value.cls.path}.{value.name}"
    if isinstance(value, FuncVal):
        return "function", value.name
    return type(value).__name__, str(value) if isinstance(value, (str, int, float)) else ""


def all_items(machine: Machine, value: object) -> Args | Unknown:
    """What a loop over the value sees, all at once."""
    found = items_of(machine, value)
    if isinstance(found, (Unknown, list)):
        return found
    return list(itertools.islice(found, MAX_ITEMS))


def item(machine: Machine, owner: object, index: object) -> object:
    """``owner[index]``."""
    if isinstance(owner, ClassVal):
        if classes.is_enum(owner) and isinstance(index, str):
            found = classes.members(machine, owner).get(index)
            if found is None:
                raise InterpretedError("KeyError", index)
            return found
        return owner
    if isinstance(owner, TypeForm):
        return owner
    if isinstance(owner, (list, tuple, str, dict, range)):
        try:
            return owner[index]  # type: ignore[index,call-overload]
        except (KeyError, IndexError, TypeError) as error:
            raise InterpretedError(type(error).__name__, repr(index)) from None
    return Unknown(f"an item of {type(owner).__name__}")


def guard(work: Callable[[], object]) -> object:
    """Runs a native operation; what it raises becomes the interpreted code's error."""
    try:
        return work()
    except (
        TypeError,
        ValueError,
        LookupError,
        AttributeError,
        ArithmeticError,
        StopIteration,
    ) as error:
        raise InterpretedError(type(error).__name__, str(error)) from None


def with_negations(strings: object) -> object:
    """Option strings as ``argparse.BooleanOptionalAction`` makes them."""
    if not isinstance(strings, (list, tuple)):
        return strings if isinstance(strings, Unknown) else Unknown("option strings")
    made: list[object] = []
    for one in strings:
        made.append(one)
        if isinstance(one, str) and one.startswith("--"):
            made.append("--no-" + one[2:])
    return made


def put(container: dict[object, object] | list[object], key: object, value: object) -> None:
    """``container[key] = value``."""
    if isinstance(container, dict):
        guard(lambda: container.__setitem__(key, value))
    elif isinstance(key, int) and -len(container) <= key < len(container):
        container[key] = value
    else:
        raise InterpretedError("IndexError", "a list's index")


def drop(container: dict[object, object] | list[object], key: object) -> None:
    """``del container[key]``."""
    if isinstance(container, dict):
        guard(lambda: container.__delitem__(key))
    elif isinstance(key, int) and -len(container) <= key < len(container):
        del container[key]
    else:
        raise InterpretedError("IndexError", "a list's index")


def make_dict(machine: Machine, args: list[object], kwargs: dict[str, object]) -> object:
    """``dict(…)``."""
    made: dict[object, object] = {}
    if args:
        if isinstance(args[0], dict):
            made.update(args[0])
        else:
            pairs = all_items(machine, args[0])
            if isinstance(pairs, Unknown):
                return pairs
            for pair in pairs:
                if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                    return pair if isinstance(pair, Unknown) else Unknown("a dict of no pairs")
                if isinstance(pair[0], Unknown):
                    return pair[0]
                put(made, pair[0], pair[1])
    made.update(kwargs)
    return made


def truth(value: object) -> bool | None:
    """Whether a value counts as true; None if that isn't known."""
    if isinstance(value, Unknown):
        return None
    value = plain(value)
    return bool(value) if isinstance(value, PLAIN) else True
