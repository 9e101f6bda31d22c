"""The config classes and enums of a surface, their types read, ready for many JSON values."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import cached_property

from attrs import evolve, field, frozen

from infxreg.surface.conditions import UNKNOWN, Condition
from infxreg.surface.model import Config, ConfigField, Enum, Surface
from infxreg.surface.nearest import Names
from infxreg.surface.type_expr import Type, read_type
from infxreg.values import FrozenMap

_BOUND = re.compile(r"(>=|<=|>|<)\s*(-?[\d.e+_]+)")


@frozen(eq=False)
class Key:
    """One key of a class, with its type read."""

    record: ConfigField
    type: Type
    bounds: tuple[tuple[str, float], ...]
    default: object

    @classmethod
    def of(cls, record: ConfigField, schema: Schema) -> Key:
        """A key of a class of the schema."""
        kind = read_type(record.type, record.choices, schema.configs, schema.enums)
        bounds = tuple((sign, float(limit)) for sign, limit in _BOUND.findall(record.bounds))
        return cls(record, kind, bounds, _literal(record.default))


@frozen(eq=False)
class ConfigClass:
    """A config class with its keys' types, made when it is first asked for."""

    name: str
    record: Config
    schema: Schema

    @cached_property
    def keys(self) -> Mapping[str, Key]:
        """The keys that its JSON can have."""
        return {
            name: Key.of(one, self.schema)
            for name, one in self.record.fields.items()
            if one.kind != "noinit"
        }

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """Under which it refuses its JSON."""
        read = map(Condition.read, self.record.refusals)
        return tuple(condition for condition in read if condition is not None)

    @cached_property
    def names(self) -> Names:
        """Its keys, for near matches."""
        return Names.of(self.record.keys)


@frozen(eq=False)
class Members:
    """An enum's names and the values that stand for them."""

    names: tuple[str, ...]
    folded: frozenset[str]
    values: tuple[object, ...]

    @classmethod
    def of(cls, record: Enum) -> Members:
        """The members of an enum."""
        names = tuple(record.members)
        values = tuple(_literal(text) for text in record.members.values())
        return cls(names, frozenset(name.upper() for name in names), values)


@frozen(eq=False)
class Schema:
    """The config classes and enums of a surface, ready to read JSON."""

    configs: Mapping[str, Config]
    enums: Mapping[str, Enum]
    _classes: Mapping[str, ConfigClass] = field(init=False)

    @_classes.default
    def _make_classes(self) -> Mapping[str, ConfigClass]:
        return {name: ConfigClass(name, record, self) for name, record in self.configs.items()}

    @classmethod
    def of(cls, surface: Surface) -> Schema:
        """The schema of a surface.

        The real parser's dumps of some versions name the attention backends and state no key's
        type: the key that takes a backend is typed from the list.
        """
        configs = dict(surface.configs)
        enums = dict(surface.enums)
        attention = configs.get("AttentionConfig")
        backend = attention.fields.get("backend") if attention is not None else None
        if attention is None or backend is None or backend.type or not surface.backends:
            return cls(configs, enums)
        typed = evolve(backend, type="AttentionBackendEnum | None", reads="auto member")
        fields = FrozenMap({**attention.fields, "backend": typed})
        configs["AttentionConfig"] = evolve(attention, fields=fields)
        members: dict[str, str | None] = dict.fromkeys(surface.backends)
        enums.setdefault("AttentionBackendEnum", Enum(members=FrozenMap(members)))
        return cls(configs, enums)

    def near_key(self, name: str, key: str) -> str | None:
        """The key of a class that is nearest to a mistyped one."""
        return self._classes[name].names.near(key)

    def has(self, name: str) -> bool:
        """Whether a class is known."""
        return name in self._classes

    def class_of(self, name: str) -> ConfigClass:
        """A class by name."""
        return self._classes[name]

    def members(self, name: str) -> Members:
        """An enum by name."""
        return self._members[name]

    @cached_property
    def _members(self) -> Mapping[str, Members]:
        return {name: Members.of(record) for name, record in self.enums.items()}


def _literal(text: str | None) -> object:
    """A constant from its `repr`; UNKNOWN if it isn't one."""
    if text is None:
        return UNKNOWN
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return UNKNOWN
