"""Launch specs to plain data and back, by cattrs. TOML has no null, so None is left out."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, TypeVar, get_args, get_origin

import attrs
from cattrs import Converter, transform_error
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from infxreg.errors import SpecFormatError
from infxreg.origin import Layer
from infxreg.scope import AxisValue, Scope
from infxreg.spec import SCHEMA, LaunchSpec
from infxreg.strictness import axis_value, be_strict
from infxreg.tables import parse_scope, scope_table
from infxreg.values import FrozenMap, Value, as_value

T = TypeVar("T")

_DERIVED = ("digest", "launch_digest")


def to_dict(spec: LaunchSpec) -> dict[str, Any]:
    """The spec as dicts, lists and scalars, with its digests."""
    data: dict[str, Any] = _converter().unstructure(spec)
    return {"schema": data.pop("schema"), **{k: getattr(spec, k) for k in _DERIVED}, **data}


def plain(part: object) -> Any:
    """A part of a spec as dicts, lists and scalars."""
    return _converter().unstructure(part)


def structured(data: Any, cls: type[T]) -> T:
    """What `plain` made of a record of a class.

    Raises:
        Exception: every kind that cattrs groups, if it isn't that.
    """
    return _converter().structure(data, cls)


def from_dict(data: Mapping[str, Any]) -> LaunchSpec:
    """See `LaunchSpec.from_dict`."""
    if not isinstance(data, Mapping):
        raise SpecFormatError((f"a table is needed, not {type(data).__name__}",))
    if data.get("schema") != SCHEMA:
        raise SpecFormatError((f"schema {data.get('schema')!r}; this version reads {SCHEMA}",))
    content = {key: value for key, value in data.items() if key not in _DERIVED}
    try:
        spec = _converter().structure(content, LaunchSpec)
    except Exception as error:  # every kind of fault that cattrs groups
        raise SpecFormatError(tuple(transform_error(error, "spec"))) from error
    wrong = [key for key in _DERIVED if key in data and data[key] != getattr(spec, key)]
    if wrong:
        raise SpecFormatError(
            tuple(f"{key} isn't that of the content: it was edited" for key in wrong)
        )
    axes = {**spec.point.axes, "sku": spec.sku, "model": spec.model.id, "engine": spec.engine}
    if dict(spec.point.axes) != {**axes, **spec.moved_axes}:
        raise SpecFormatError(("the point isn't that of the content: it was edited",))
    return spec


@functools.cache
def _converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    be_strict(converter)
    converter.register_unstructure_hook(FrozenMap, _plain_map(converter))
    converter.register_unstructure_hook(
        tuple, lambda items: [converter.unstructure(i) for i in items]
    )
    converter.register_unstructure_hook(Scope, scope_table)
    converter.register_structure_hook(Scope, lambda raw, _: parse_scope(raw))
    converter.register_unstructure_hook(Layer, lambda layer: layer.label)
    converter.register_structure_hook(Layer, lambda raw, _: Layer[str(raw).upper()])
    converter.register_structure_hook_func(_is_map, functools.partial(_frozen_map, converter))
    converter.register_structure_hook_func(functools.partial(_is, AxisValue), axis_value)
    converter.register_structure_hook_func(_is_list, functools.partial(_list, converter))
    for union in (Value, Value | None):
        converter.register_structure_hook_func(
            functools.partial(_is, union),
            lambda raw, _: None if raw is None else as_value(raw),
        )
    converter.register_unstructure_hook_factory(
        attrs.has, functools.partial(_without_none, converter)
    )
    converter.register_structure_hook_factory(attrs.has, functools.partial(_with_none, converter))
    return converter


def _is_list(cls: Any) -> bool:
    return get_origin(cls) is tuple and get_args(cls)[1:] == (...,)


def _list(converter: Converter, raw: object, cls: Any) -> tuple[Any, ...]:
    if not isinstance(raw, (list, tuple)):
        raise TypeError(f"a list is needed, not {type(raw).__name__}")
    inner: Any = list[get_args(cls)[0]]  # type: ignore[misc]
    return tuple(converter.structure(list(raw), inner))


def _is_map(cls: Any) -> bool:
    origin: Any = get_origin(cls)
    return origin is FrozenMap


def _is(union: Any, cls: Any) -> bool:
    return bool(cls == union)


def _init_only(cls: Any) -> dict[str, Any]:
    return {a.name: override(omit=True) for a in attrs.fields(cls) if not a.init}


def _plain_map(converter: Converter) -> Any:
    return lambda data: {key: converter.unstructure(value) for key, value in data.items()}


def _frozen_map(converter: Converter, raw: Any, cls: Any) -> FrozenMap[Any, Any]:
    if not isinstance(raw, Mapping):
        raise TypeError(f"a table is needed, not {type(raw).__name__}")
    inner = get_args(cls)[1]
    return FrozenMap({key: converter.structure(value, inner) for key, value in raw.items()})


def _without_none(converter: Converter, cls: Any) -> Any:
    plain = make_dict_unstructure_fn(cls, converter, **_init_only(cls))

    def unstructure(record: Any) -> dict[str, Any]:
        return {key: value for key, value in plain(record).items() if value is not None}

    return unstructure


def _with_none(converter: Converter, cls: Any) -> Any:
    """The way back: what was left out and has no default is None."""
    plain = make_dict_structure_fn(cls, converter, **_init_only(cls))
    left_out = [
        attribute.name
        for attribute in attrs.fields(attrs.resolve_types(cls))
        if attribute.init
        and attribute.default is attrs.NOTHING
        and type(None) in get_args(attribute.type)
    ]

    def structure(raw: Any, _: Any) -> Any:
        return plain({**dict.fromkeys(left_out), **raw} if isinstance(raw, Mapping) else raw, cls)

    return structure
