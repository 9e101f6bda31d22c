"""TOML tables to records: read with tomllib, structured by cattrs, all faults in one go.

Unknown keys are refused, and so is every value of the wrong type: nothing is
coerced, nothing is skipped.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeVar, cast, get_args, get_origin

import attrs
from attrs import field, frozen
from cattrs import Converter
from cattrs.errors import (
    ClassValidationError,
    ForbiddenExtraKeysError,
    IterableValidationError,
    IterableValidationNote,
)
from cattrs.gen import make_dict_structure_fn

from infxreg.errors import near
from infxreg.records import (
    KINDS,
    Derivation,
    EngineSurface,
    Expect,
    Exporter,
    Importer,
    Policy,
    Record,
    Require,
    Rule,
    SiteSettings,
    Sweep,
)
from infxreg.scope import AxisValue, Constraint, OneOf, Range, Scope, sorted_values
from infxreg.strictness import axis_value, be_strict
from infxreg.values import ABSENT, Derived, FrozenMap, Setting, Value, as_value, bounded

T = TypeVar("T")

MAX_BYTES = 4 * 1024 * 1024
"""A table larger than this is refused: the largest real one has some tens of KB."""


@frozen
class Located:
    """A record, and where in its file it stands (``rule[3]``)."""

    record: Record
    path: str


@frozen
class TableFault:
    """What is wrong at one key path of a table."""

    path: str
    message: str


@frozen
class TableContents:
    """What a table gave: the records that could be read, and the faults of those that couldn't."""

    records: tuple[Located, ...]
    faults: tuple[TableFault, ...]


@frozen(kw_only=True)
class _RuleTable:
    """A ``[[rule]]`` as it is written."""

    id: str
    when: tuple[Scope, ...] = (Scope(),)
    gates: tuple[str, ...] = ()
    set: FrozenMap[str, Any] = field(factory=FrozenMap)
    unset: tuple[str, ...] = ()
    require: Require = Require()
    source: str | None = None
    doc: str = ""


@frozen(kw_only=True)
class _ExpectTable:
    """An ``[[expect]]`` as it is written, but for ``is``, which is no name in Python."""

    id: str = ""
    when: tuple[Scope, ...] = (Scope(),)
    gates: tuple[str, ...] = ()
    values: FrozenMap[str, Value] = field(factory=FrozenMap)
    absent: tuple[str, ...] = ()
    digest: str | None = None
    like: FrozenMap[str, AxisValue] = field(factory=FrozenMap)
    but: tuple[str, ...] = ()
    source: str | None = None
    doc: str = ""


_TABLES: tuple[type[Any], ...] = (*KINDS, SiteSettings)
_OF_PYTHON = (Derivation, EngineSurface, Policy, Importer, Exporter)
_TOP_LEVEL = {cls.kind: cls for cls in _TABLES if cls not in _OF_PYTHON}


def read_table(data: bytes) -> TableContents:
    """The records of one TOML document.

    Args:
        data: the file's bytes, UTF-8.

    Returns:
        Records and faults; a document that isn't TOML at all gives one fault and no record.
    """
    try:
        document = _parse(data)
    except ValueError as error:
        return TableContents((), (TableFault("", str(error)),))
    records: list[Located] = []
    faults: list[TableFault] = []
    for name, content in document.items():
        cls = _TOP_LEVEL.get(name)
        if cls is None:
            faults.append(TableFault(name, _unknown_key(name, _TOP_LEVEL)))
            continue
        for path, raw in _entries(name, content, faults):
            try:
                records.append(Located(_converter().structure(raw, cls), path))
            except Exception as error:  # every kind of fault that cattrs groups
                faults += _faults(error, path + _label(raw))
    return TableContents(tuple(records), tuple(faults))


def read_as(raw: object, cls: type[T], path: str = "") -> T | tuple[TableFault, ...]:
    """Plain data as a record of a class, as strictly as tables are read; else every fault."""
    try:
        return _converter().structure(raw, cls)
    except Exception as error:  # every kind of fault that cattrs groups
        return tuple(_faults(error, path))


def parse_scope(raw: object) -> Scope:
    """A scope from its TOML form: ``{ sku = "b200", tp = [2, 4], conc = { min = 32 } }``.

    Raises:
        TypeError: if it isn't a table of constraints.
        ValueError: if a constraint can admit nothing.
    """
    if not isinstance(raw, Mapping):
        raise TypeError(f"a scope is a table, not {type(raw).__name__}")
    return Scope.of({str(axis): _constraint(str(axis), value) for axis, value in raw.items()})


def scope_table(scope: Scope) -> dict[str, Any]:
    """A scope in its TOML form; see `parse_scope`. Gates aren't part of it."""
    return {axis: _plain_constraint(constraint) for axis, constraint in scope.terms}


def _plain_constraint(constraint: Constraint) -> Any:
    if isinstance(constraint, Range):
        return dict(constraint.bounds)
    listed = sorted_values(constraint.values)
    return listed if len(listed) > 1 else listed[0]


def _parse(data: bytes) -> dict[str, Any]:
    if len(data) > MAX_BYTES:
        raise ValueError(f"{len(data)} bytes are more than a table may have ({MAX_BYTES})")
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: byte {error.start} is 0x{data[error.start]:02x}") from error
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not TOML: {error}") from error
    except RecursionError as error:
        raise ValueError("not TOML that can be read: nested too deep") from error


def _entries(
    name: str, content: object, faults: list[TableFault]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if name == SiteSettings.kind:
        if isinstance(content, dict):
            yield name, content
        else:
            faults.append(TableFault(name, f"write it as [{name}]"))
        return
    if not isinstance(content, list):
        faults.append(TableFault(name, f"write it as [[{name}]]"))
        return
    for index, raw in enumerate(content):
        if isinstance(raw, dict):
            yield f"{name}[{index}]", raw
        else:
            faults.append(TableFault(f"{name}[{index}]", f"write it as [[{name}]]"))


def _label(raw: Mapping[str, Any]) -> str:
    return f" ({raw['id']})" if isinstance(raw.get("id"), str) else ""


def _constraint(axis: str, raw: object) -> Constraint:
    if isinstance(raw, Mapping):
        unknown = sorted(set(raw) - {"min", "max"})
        bounds = [raw.get("min"), raw.get("max")]
        if unknown:
            raise ValueError(f"{axis}: a range has min and max, not {', '.join(unknown)}")
        if bounds == [None, None]:
            raise ValueError(f"{axis}: a range needs min or max")
        if any(bound is not None and type(bound) is not int for bound in bounds):
            raise TypeError(f"{axis}: min and max are integers")
        low, high = cast(list[int | None], list(map(bounded, bounds)))
        if low is not None and high is not None and low > high:
            raise ValueError(f"{axis}: min {low} is above max {high}, so nothing can match")
        return Range(low, high)
    values: list[Any] = raw if isinstance(raw, list) else [raw]
    if not values:
        raise ValueError(f"{axis}: an empty list matches nothing")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            raise TypeError(f"{axis}: a value is text or an integer, not {type(value).__name__}")
        bounded(value)
    return OneOf(frozenset(values))


def _scopes(raw: object, _: Any) -> tuple[Scope, ...]:
    if isinstance(raw, list):
        if not raw:
            raise ValueError("an empty list of scopes matches nothing")
        return tuple(parse_scope(item) for item in raw)
    return (parse_scope(raw),)


def _setting(raw: object) -> Setting:
    if not isinstance(raw, Mapping):
        return as_value(raw)
    if "derive" not in raw:
        raise ValueError(
            'a table is no value; write the whole key in quotes (set."a.b" = …), '
            'or { derive = "name", reads = [...] } for a derivation'
        )
    rest = {str(key): value for key, value in raw.items() if key not in ("derive", "reads")}
    name, reads = raw["derive"], raw.get("reads", [])
    if not isinstance(name, str):
        raise TypeError("derive names a derivation")
    if not isinstance(reads, list) or not all(isinstance(read, str) for read in reads):
        raise TypeError("reads is a list of keys and axes")
    params = tuple(sorted((key, as_value(value)) for key, value in rest.items()))
    return Derived(name, tuple(reads), params)


def _rule(raw: Any, _: Any) -> Rule:
    table = _converter().structure(raw, _RuleTable)
    settings: dict[str, Setting] = {}
    problems: list[Exception] = []
    for key, value in table.set.items():
        try:
            settings[key] = _setting(value)
        except (TypeError, ValueError) as error:
            problems.append(type(error)(f"set.{key}: {error}"))
    for key in table.unset:
        if key in settings:
            problems.append(ValueError(f"unset: {key} is set by the same rule"))
        settings[key] = ABSENT
    if not settings and not problems:
        problems.append(ValueError("a rule sets or unsets at least one key"))
    if problems:
        raise ClassValidationError("rule", problems, Rule)
    return Rule(
        id=table.id,
        when=table.when,
        gates=table.gates,
        settings=FrozenMap(settings),
        require=table.require,
        source=table.source,
        doc=table.doc,
    )


def _expect(raw: Any, _: Any) -> Expect:
    """A claim; without an id it is named by what it says."""
    if "values" in raw:
        raise ValueError("unknown key: did you mean 'is'?")
    table = _converter().structure(
        {"values" if key == "is" else key: value for key, value in raw.items()}, _ExpectTable
    )
    keys = (*table.values, *table.absent, *(f"like {axis}={v}" for axis, v in table.like.items()))
    said = " ".join([" or ".join(map(str, table.when)), *keys])
    fields = {a.name: getattr(table, a.name) for a in attrs.fields(_ExpectTable)}
    return Expect(**{**fields, "id": table.id or said})


def _sweep(raw: Any, _: Any) -> Sweep:
    if not isinstance(raw, Mapping) or not isinstance(raw.get("id"), str):
        raise TypeError('a sweep is a table with an id template, such as "tp{tp}_c{conc}"')
    axes: dict[str, tuple[str | int, ...]] = {}
    for axis, value in raw.items():
        if axis == "id":
            continue
        constraint = _constraint(axis, value)
        if not isinstance(constraint, OneOf):
            raise TypeError(f"{axis}: a sweep lists its values")
        values = tuple(value) if isinstance(value, list) else (value,)
        if len(set(values)) != len(values):
            raise ValueError(f"{axis}: a value is listed twice")
        axes[axis] = values
    return Sweep(id=raw["id"], axes=FrozenMap(axes))


def _literal(raw: object, cls: Any) -> Any:
    if raw in get_args(cls):
        return raw
    raise ValueError(f"{raw!r} isn't one of {', '.join(map(repr, get_args(cls)))}")


def _frozen_map(raw: object, cls: Any) -> FrozenMap[str, Any]:
    if not isinstance(raw, Mapping):
        raise TypeError(f"a table is needed, not {type(raw).__name__}")
    inner = get_args(cls)[1]
    if inner is Any:
        return FrozenMap({str(key): value for key, value in raw.items()})
    return FrozenMap({str(k): _converter().structure(value, inner) for k, value in raw.items()})


@functools.cache
def _converter() -> Converter:
    converter = Converter(forbid_extra_keys=True, detailed_validation=True)
    be_strict(converter)
    for union in (AxisValue, AxisValue | None):
        converter.register_structure_hook_func(functools.partial(_is, union), axis_value)
    converter.register_structure_hook_func(
        functools.partial(_is, Value), lambda raw, _: as_value(raw)
    )
    converter.register_structure_hook_func(_is_literal, _literal)
    converter.register_structure_hook_func(
        lambda cls: getattr(cls, "__origin__", None) is FrozenMap, _frozen_map
    )
    converter.register_structure_hook_factory(attrs.has, functools.partial(_table_hook, converter))
    converter.register_structure_hook_func(_is_list, _list)
    converter.register_structure_hook_func(functools.partial(_is, tuple[Scope, ...]), _scopes)
    converter.register_structure_hook(Scope, lambda raw, _: parse_scope(raw))
    converter.register_structure_hook(Rule, _rule)
    converter.register_structure_hook(Expect, _expect)
    converter.register_structure_hook(Sweep, _sweep)
    return converter


def _is(wanted: Any, cls: Any) -> bool:
    return bool(cls == wanted)


def _is_literal(cls: Any) -> bool:
    return get_origin(cls) is Literal


def _is_list(cls: Any) -> bool:
    return get_origin(cls) is tuple and get_args(cls)[1:] == (...,)


def _list(raw: object, cls: Any) -> tuple[Any, ...]:
    if not isinstance(raw, list):
        raise TypeError(f"a list is needed, not {type(raw).__name__}")
    inner = get_args(cls)[0]
    items: list[Any] = []
    errors: list[Exception] = []
    for index, item in enumerate(raw):
        try:
            items.append(_converter().structure(item, inner))
        except Exception as error:  # grouped, so that every item's fault is told
            error.__notes__ = [IterableValidationNote(f"item {index}", index, inner)]
            errors.append(error)
    if errors:
        raise IterableValidationError("list", errors, cls)
    return tuple(items)


def _table_hook(converter: Converter, cls: Any) -> Any:
    structure = make_dict_structure_fn(cls, converter)

    def hook(raw: object, _: Any) -> Any:
        if not isinstance(raw, Mapping):
            raise TypeError(f"a table is needed, not {type(raw).__name__}")
        return structure(raw, _)

    return hook


def _faults(error: BaseException, path: str) -> Iterator[TableFault]:
    """Flatten cattrs' groups of exceptions into one fault a key path."""
    if isinstance(error, (ClassValidationError, IterableValidationError)):
        noted, rest = error.group_exceptions()
        for inner, note in noted:
            if isinstance(note, IterableValidationNote):
                step = f"[{note.index}]"
            else:
                step = f".{note.name}"
            yield from _faults(inner, path + step)
        for inner in rest:
            yield from _faults(inner, path)
    elif isinstance(error, ForbiddenExtraKeysError):
        cls = _RuleTable if error.cl is Rule else error.cl
        known = ["is" if a.name == "values" else a.name for a in attrs.fields(cls)]
        for name in sorted(error.extra_fields):
            yield TableFault(f"{path}.{name}", _unknown_key(name, known))
    elif isinstance(error, KeyError):
        yield TableFault(path, f"the key {error.args[0]!r} is missing")
    else:
        yield TableFault(path, re.sub(r"\s+", " ", str(error)))


def _unknown_key(name: str, known: Any) -> str:
    guess = near(name, known)
    hint = f"did you mean {guess!r}?" if guess else f"known are {', '.join(sorted(known))}"
    return f"unknown key: {hint}"
