"""The constants and functions outside the tree that the interpreter knows."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from infxreg.surface.pyread import classes, operations, records, typeforms
from infxreg.surface.pyread.values import (
    DATACLASS_FIELD,
    FIELD_INFO,
    MISSING,
    NODEFAULT,
    UNDEFINED,
    UNION,
    Args,
    BudgetError,
    ClassVal,
    External,
    FuncVal,
    Instance,
    Kwargs,
    Native,
    NativeCall,
    Unknown,
)

if TYPE_CHECKING:
    from infxreg.surface.pyread.machine import Machine


CONSTANTS: Mapping[str, object] = {
    "sys.argv": ["engine"],
    "sys.version_info": (3, 12, 0, "final", 0),
    "sys.platform": "linux",
    "sys.modules": {},
    "sys.maxsize": 2**63 - 1,
    "os.environ": {},
    "os.name": "posix",
    "math.inf": float("inf"),
    "ssl.CERT_NONE": 0,
    "typing.TYPE_CHECKING": False,
    "typing_extensions.TYPE_CHECKING": False,
    "types.NoneType": type(None),
    "types.UnionType": UNION,
    "typing.Union": UNION,
    "argparse.SUPPRESS": "==SUPPRESS==",
    "argparse.OPTIONAL": "?",
    "argparse.ZERO_OR_MORE": "*",
    "argparse.ONE_OR_MORE": "+",
    "argparse.REMAINDER": "...",
    "argparse.PARSER": "A...",
    "dataclasses.MISSING": MISSING,
    "msgspec.NODEFAULT": NODEFAULT,
}


def _get_origin(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return typeforms.origin_of(args[0])


def _get_args(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return typeforms.args_of(args[0])


def _type_hints(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    cls = args[0]
    if not isinstance(cls, ClassVal):
        return cls if isinstance(cls, Unknown) else Unknown("type hints")
    extras = machine.truth(kwargs.get("include_extras", False))
    return {
        one.name: one.type if extras else typeforms.strip_annotated(one.type)
        for one in records.fields(machine, cls)
    }


def _fields(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    cls = args[0].cls if isinstance(args[0], Instance) else args[0]
    if not isinstance(cls, ClassVal):
        return cls if isinstance(cls, Unknown) else Unknown("fields")
    return tuple(
        records.dataclass_field(machine, one)
        for one in records.fields(machine, cls)
        if one.kind == "field"
    )


def _struct_fields(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    made = _fields(machine, args, kwargs)
    if isinstance(made, tuple):
        for one in made:
            for key in ("default", "default_factory"):
                if isinstance(one, Instance) and one.attrs[key] == MISSING:
                    one.attrs[key] = NODEFAULT
    return made


def _is_dataclass(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    value = args[0].cls if isinstance(args[0], Instance) else args[0]
    if isinstance(value, Unknown):
        return value
    return records.is_dataclass(machine, value)


def _is_typeddict(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    if not isinstance(args[0], ClassVal):
        return args[0] if isinstance(args[0], Unknown) else False
    return any(path.endswith(".TypedDict") for path in classes.outside_bases(args[0]))


def _field(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return Instance(DATACLASS_FIELD, {"default": MISSING, "default_factory": MISSING, **kwargs})


def _pydantic_field(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    default = args[0] if args else UNDEFINED
    default = UNDEFINED if default is Ellipsis else default
    attrs: Kwargs = {"default": default, "default_factory": None, "init": None, **kwargs}
    return Instance(FIELD_INFO, attrs)


def _defstruct(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    """``msgspec.defstruct(name, fields, bases=…, namespace=…)``."""
    rows = operations.all_items(machine, args[1])
    namespace = kwargs.get("namespace")
    if isinstance(rows, Unknown) or not isinstance(args[0], str):
        return rows if isinstance(rows, Unknown) else Unknown("defstruct")
    given = namespace if isinstance(namespace, dict) else {}
    home = next((one for one in given.values() if isinstance(one, FuncVal)), None)
    if home is None:
        return Unknown("defstruct without functions")
    made = ClassVal(args[0], home.module, bases=(External("msgspec.Struct"),), fields=[])
    made.names.update({str(key): one for key, one in given.items()})
    for row in rows:
        if isinstance(row, tuple) and isinstance(row[0], str):
            default = row[2] if len(row) > 2 else MISSING
            one = records.FieldVal(row[0], row[1], "field", default, None, made)
            made.fields = [*(made.fields or []), one]
            if len(row) > 2:
                made.names[row[0]] = default
    return made


def _copy(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return _deep(args[0], 0)


def _deep(value: object, depth: int) -> object:
    if depth > operations.MAX_NESTING:
        raise BudgetError("the source nests deeper than any engine's does")
    if isinstance(value, list):
        return [_deep(one, depth + 1) for one in value]
    if isinstance(value, dict):
        return {key: _deep(one, depth + 1) for key, one in value.items()}
    if isinstance(value, tuple):
        return tuple(_deep(one, depth + 1) for one in value)
    return operations.fresh(value)


def _loads(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    if not isinstance(args[0], str):
        return Unknown("json.loads")
    text = args[0]
    return operations.guard(lambda: json.loads(text))


def _getenv(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return args[1] if len(args) > 1 else kwargs.get("default")


def _identity(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return args[0]


def _second(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return args[1]


def _partial(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    head, fixed, named = args[0], args[1:], dict(kwargs)
    return Native(
        "partial", lambda m, more, extra: m.call(head, [*fixed, *more], {**named, **extra})
    )


def _auto(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    return External("enum.auto()")


def _chain(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    made: list[object] = []
    for one in args:
        items = operations.all_items(machine, one)
        if isinstance(items, Unknown):
            return items
        operations.extend(made, items)
    return made


def _chain_of(machine: Machine, args: Args, kwargs: Kwargs) -> object:
    lists = operations.all_items(machine, args[0])
    return lists if isinstance(lists, Unknown) else _chain(machine, lists, {})


def _combine(name: str) -> NativeCall:
    make = {
        "permutations": itertools.permutations,
        "combinations": itertools.combinations,
        "product": itertools.product,
    }[name]

    def call(machine: Machine, args: Args, kwargs: Kwargs) -> object:
        parts = [
            one if isinstance(one, int) else operations.all_items(machine, one) for one in args
        ]
        unknown = operations.unknown_in([*parts, *kwargs.values()])
        if unknown is not None:
            return unknown
        numbers = {key: one for key, one in kwargs.items() if isinstance(one, int)}
        if len(numbers) < len(kwargs) or max(numbers.values(), default=0) > 16:
            return Unknown(name)
        made = make(*parts, **numbers)
        rows = list(itertools.islice(made, operations.MAX_ITEMS))
        if len(rows) == operations.MAX_ITEMS:
            raise BudgetError("the source makes more combinations than any engine's does")
        return rows

    return call


FUNCTIONS: Mapping[str, NativeCall] = {
    **{f"{home}.get_origin": _get_origin for home in ("typing", "typing_extensions")},
    **{f"{home}.get_args": _get_args for home in ("typing", "typing_extensions")},
    **{f"{home}.get_type_hints": _type_hints for home in ("typing", "typing_extensions")},
    "typing.is_typeddict": _is_typeddict,
    "typing_extensions.is_typeddict": _is_typeddict,
    "typing.cast": _second,
    "dataclasses.fields": _fields,
    "dataclasses.field": _field,
    "dataclasses.is_dataclass": _is_dataclass,
    "pydantic.Field": _pydantic_field,
    "pydantic.fields.Field": _pydantic_field,
    "pydantic.ConfigDict": operations.make_dict,
    "msgspec.field": _field,
    "msgspec.structs.fields": _struct_fields,
    "msgspec.defstruct": _defstruct,
    "copy.copy": lambda machine, args, kwargs: operations.fresh(args[0]),
    "copy.deepcopy": _copy,
    "json.loads": _loads,
    "os.getenv": _getenv,
    "os.environ.get": _getenv,
    "functools.partial": _partial,
    "functools.cache": _identity,
    "types.MappingProxyType": _identity,
    "collections.OrderedDict": operations.make_dict,
    "enum.auto": _auto,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chain_of,
    "itertools.permutations": _combine("permutations"),
    "itertools.combinations": _combine("combinations"),
    "itertools.product": _combine("product"),
}
