"""A `Surface` as plain data and back; what has its default is left out."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from infxreg.surface.errors import SurfaceFormatError
from infxreg.surface.model import (
    SCHEMA,
    Config,
    ConfigField,
    Enum,
    FieldKind,
    Flag,
    Json,
    Surface,
)
from infxreg.surface.reading import Part
from infxreg.values import FrozenMap

_FLAG_KEYS = frozenset(attrs.fields_dict(Flag))
_FIELD_KEYS = frozenset(attrs.fields_dict(ConfigField))
_CONFIG_KEYS = frozenset(attrs.fields_dict(Config))
_SURFACE_KEYS = frozenset(attrs.fields_dict(Surface)) | {"schema"}
_KINDS: Mapping[str, FieldKind] = {"init": "init", "noinit": "noinit", "initvar": "initvar"}


def surface_to_json(surface: Surface) -> dict[str, Json]:
    """See `Surface.to_json`."""
    data: dict[str, Json] = {
        "schema": SCHEMA,
        "engine": surface.engine,
        "version": surface.version,
        "flags": [flag_to_json(flag) for flag in surface.flags],
        "configs": {name: config_to_json(one) for name, one in surface.configs.items()},
        "enums": {name: dict(one.members) for name, one in surface.enums.items()},
        "env_read": list(surface.env_read),
        "registries": {name: list(names) for name, names in surface.registries.items()},
        "traits": list(surface.traits),
    }
    for key, names in (
        ("backends", surface.backends),
        ("env", surface.env),
        ("models", surface.models),
    ):
        if names is not None:
            data[key] = list(names)
    if surface.made_by:
        data["made_by"] = surface.made_by
    return data


def flag_to_json(flag: Flag) -> dict[str, Json]:
    """A flag's attributes that differ from their defaults."""
    return _changed(flag)


def config_to_json(config: Config) -> dict[str, Json]:
    """A config class's attributes that differ from their defaults."""
    data: dict[str, Json] = {"fields": {name: _changed(one) for name, one in config.fields.items()}}
    if config.extra is not None:
        data["extra"] = config.extra
    if config.refusals:
        data["refusals"] = list(config.refusals)
    return data


def _changed(record: Flag | ConfigField) -> dict[str, Json]:
    data: dict[str, Json] = {}
    for one in attrs.fields(type(record)):
        value = getattr(record, one.name)
        if value != one.default:
            data[one.name] = list(value) if isinstance(value, tuple) else value
    return data


def surface_from_json(data: object) -> Surface:
    """See `Surface.from_json`."""
    part = Part(data, "")
    surface = read_surface(part)
    if part.problems:
        raise SurfaceFormatError("a surface", tuple(part.problems))
    return surface


def read_surface(part: Part) -> Surface:
    """A surface; its faults go to the part."""
    part.only(_SURFACE_KEYS)
    schema = part.need("schema")
    if schema.value is not None and schema.value != SCHEMA:
        schema.wrong(f"schema {schema.value!r}; this version reads {SCHEMA}")
    return Surface(
        engine=part.need("engine").text(),
        version=part.need("version").text(),
        flags=tuple(read_flag(row) for row in part.need("flags").rows()),
        configs=FrozenMap({name: read_config(one) for name, one in part.at("configs").items()}),
        enums=FrozenMap({name: read_enum(one) for name, one in part.at("enums").items()}),
        backends=part.at("backends").texts_or_none(),
        env=part.at("env").texts_or_none(),
        env_read=part.at("env_read").texts(),
        registries=FrozenMap({name: one.texts() for name, one in part.at("registries").items()}),
        models=part.at("models").texts_or_none(),
        traits=part.at("traits").texts(),
        made_by=part.at("made_by").text(),
    )


def read_flag(part: Part) -> Flag:
    """A flag; its faults go to the part."""
    part.only(_FLAG_KEYS)
    return Flag(
        names=part.at("names").texts(),
        dest=part.need("dest").text(),
        arity=part.at("arity").text("1"),
        action=part.at("action").text("store"),
        type=part.at("type").text("str"),
        optional=part.at("optional").flag(),
        choices=part.at("choices").texts_or_none(),
        hard=part.at("hard").flag(),
        default=part.at("default").text_or_none(),
        deprecated=part.at("deprecated").text_or_none(),
        refused=part.at("refused").flag(),
        config=part.at("config").text_or_none(),
        hidden=part.at("hidden").texts(),
        required=part.at("required").flag(),
        origin=part.at("origin").text_or_none(),
    )


def read_config(part: Part) -> Config:
    """A config class; its faults go to the part."""
    part.only(_CONFIG_KEYS)
    return Config(
        fields=FrozenMap({name: read_field(one) for name, one in part.need("fields").items()}),
        extra=part.at("extra").text_or_none(),
        refusals=part.at("refusals").texts(),
    )


def read_field(part: Part) -> ConfigField:
    """One JSON key; its faults go to the part."""
    part.only(_FIELD_KEYS)
    kind = part.at("kind").text("init")
    if kind not in _KINDS:
        part.at("kind").wrong(f"unknown kind {kind!r}")
    return ConfigField(
        kind=_KINDS.get(kind, "init"),
        type=part.at("type").text_or_none(),
        choices=part.at("choices").texts_or_none(),
        validated=part.at("validated").flag(),
        reads=part.at("reads").text(),
        bounds=part.at("bounds").text(),
        default=part.at("default").text_or_none(),
        required=part.at("required").flag(),
    )


def read_enum(part: Part) -> Enum:
    """An enum class; its faults go to the part."""
    return Enum(members=FrozenMap({name: one.text_or_none() for name, one in part.items()}))
