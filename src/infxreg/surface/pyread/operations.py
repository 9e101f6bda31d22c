"""What Python's operators do with the kinds of value that the interpreter has."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from infxreg.surface.pyread import classes
from infxreg.surface.pyread.values import (
    Args,
    Bound,
    BudgetError,
    ClassVal,
    External,
    FuncVal,
    Instance,
    InterpretedError,
    Member,
    TypeForm,
    Unknown,
    same,
)

if TYPE_CHECKING:
    from infxreg.surface.pyread.machine import Machine


MAX_ITEMS = 50_000
MAX_ROOM = 200_000
PLAIN = (*(str, int, float, bool, bytes, list, tuple, set, frozenset, dict, type(None), range),)
"""Types whose values are Python's own."""


MAX_TEXT = 1 << 20
MAX_NESTING = 20
"""Of containers in containers: one that holds another twice doubles with each."""


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


def unknown_in(values: Iterable[object]) -> Unknown | None:
    """The first of some values that isn't known."""
    return next((one for one in values if isinstance(one, Unknown)), None)


def fresh(value: object) -> object:
    """A copy of a container, so that changing it changes nothing else."""
    if isinstance(value, list):
        return list(value)
    if isinstance(value, dict):
        return dict(value)
    return set(value) if isinstance(value, set) else value


def restore(value: list[object] | dict[str, object] | set[object], copy: Any) -> None:
    """Puts a container back to what a copy of it holds."""
    if isinstance(value, list):
        value[:] = copy
    else:
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
    if isinstance(value, (Member, Instance)) and isinstance(value.cls, ClassVal):
        custom = classes.lookup(machine, value.cls, "__str__")
        if custom is not None and isinstance(custom.value, FuncVal):
            return machine.call(Bound(custom.value, value), [], {})
    if isinstance(value, Member):
        if classes.outside_bases(value.cls) & {"enum.StrEnum", "enum.IntEnum", "enum.IntFlag"}:
            return str(value.value)
        return f"{value.cls.name}.{value.name}"
    text = value if isinstance(value, str) else repr_of(value)
    return Unknown(f"text of {type(value).__name__}") if text is None else limited(text)


def repr_of(value: object, depth: int = 0) -> str | None:
    """``repr(value)`` where the source says all of it, else None."""
    if isinstance(value, Member):
        inner = repr_of(value.value, depth + 1)
        return None if inner is None else f"<{value.cls.name}.{value.name}: {inner}>"
    if isinstance(value, (list, tuple)):
        parts = _reprs(value, depth)
        if parts is None:
            return None
        inner = ", ".join(parts)
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, dict):
        keys, values = _reprs(value, depth), _reprs(value.values(), depth)
        if keys is None or values is None:
            return None
        return "{" + ", ".join(map(": ".join, zip(keys, values, strict=True))) + "}"
    if isinstance(value, (set, frozenset)) and not value:
        return f"{type(value).__name__}()"
    if value is None or isinstance(value, (str, int, float, bool)):
        return repr(value)
    return None


def _reprs(values: Iterable[object], depth: int) -> list[str] | None:
    parts: list[str] = []
    for one in values:
        text = None if depth > MAX_NESTING else repr_of(one, depth + 1)
        if text is None:
            return None
        parts.append(text)
    return parts


def extend(owner: list[object], items: Iterable[object]) -> None:
    """``owner.extend(items)``, if an engine could make a list so long."""
    owner.extend(items)
    if len(owner) > MAX_ROOM:
        raise BudgetError("the source makes a list larger than any engine's does")


def limited(text: str) -> str:
    """The text itself, if an engine could make one so long."""
    if len(text) > MAX_TEXT:
        raise BudgetError("the source makes a text larger than any engine's does")
    return text


def identical(left: object, right: object) -> bool | Unknown:
    """``left is right``."""
    unknown = unknown_in((left, right))
    if unknown is not None:
        return unknown
    if isinstance(left, (External, TypeForm)):
        return same(left, right)
    if isinstance(left, (str, int, float)) and not isinstance(left, bool):
        return same(left, right)
    return left is right


def equal(left: object, right: object, depth: int = 0) -> bool | Unknown:
    """``left == right``."""
    unknown = unknown_in((left, right))
    if unknown is not None:
        return unknown
    left, right = plain(left), plain(right)
    if isinstance(left, Instance) and isinstance(right, Instance) and left is not right:
        return Unknown("a comparison of objects")
    # Item by item, since Python knows neither what isn't known nor the members of enums.
    if isinstance(left, dict) and isinstance(right, dict):
        theirs = {key_in(left, key): one for key, one in right.items()}
        if left.keys() != theirs.keys():
            return False
        return _all_equal([(one, theirs[key]) for key, one in left.items()], depth)
    if isinstance(left, (list, tuple)) and type(left) is type(right):
        return len(left) == len(right) and _all_equal(list(zip(left, right, strict=True)), depth)
    if isinstance(left, (set, frozenset)) and isinstance(right, (set, frozenset)):
        return unknown_in([*left, *right]) or left == right
    return bool(left == right)


def _all_equal(pairs: list[tuple[object, object]], depth: int) -> bool | Unknown:
    if depth > MAX_NESTING:
        raise BudgetError("the source nests deeper than any engine's does")
    answers = [equal(one, other, depth + 1) for one, other in pairs]
    return False if False in answers else unknown_in(answers) or True


def contains(machine: Machine, container: object, one: object) -> bool | Unknown:
    """``one in container``."""
    if isinstance(container, Unknown):
        return container
    if isinstance(one, Unknown):
        return one
    if isinstance(container, str):
        one = plain(one)
        return one in container if isinstance(one, str) else Unknown("a substring")
    if isinstance(container, (dict, set, frozenset)):
        with guarded():
            return key_in(container, one) in container or unknown_in(container) or False
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
        return unknown_in(value) or sorted(value, key=_place)
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
    items = list(itertools.islice(found, MAX_ITEMS + 1))
    if len(items) > MAX_ITEMS:
        raise BudgetError("the source loops longer than any engine's does")
    return items


def key_in(container: object, key: object) -> object:
    """The key that a container has for a key: a member of an int or str enum equals its value."""
    if not isinstance(container, (dict, set, frozenset)):
        return plain(key)
    wanted = plain(key)
    if key in container or not isinstance(wanted, (str, int, float)):
        return key
    return next((one for one in container if plain(one) == wanted), key)


def item(machine: Machine, owner: object, index: object) -> object:
    """``owner[index]``."""
    if isinstance(owner, ClassVal):
        if classes.is_enum(owner) and isinstance(index, str):
            found = classes.members(machine, owner).get(index)
            if found is None:
                raise InterpretedError("KeyError", index)
            return found
        return owner
    if isinstance(owner, (list, tuple, str, dict, range)):
        with guarded():
            return owner[key_in(owner, index)]  # type: ignore[index,call-overload]
    return Unknown(f"an item of {type(owner).__name__}")


@contextmanager
def guarded() -> Iterator[None]:
    """Around a native operation: what it raises becomes the interpreted code's error."""
    try:
        yield
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
        raise InterpretedError(type(error).__name__, str(error)) from None


def guard(work: Callable[[], object]) -> object:
    """The result of a native operation, see `guarded`."""
    with guarded():
        return work()


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
    with guarded():
        container[key_in(container, key)] = value  # type: ignore[call-overload]


def drop(container: dict[object, object] | list[object], key: object) -> None:
    """``del container[key]``."""
    with guarded():
        del container[key_in(container, key)]  # type: ignore[arg-type]


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
