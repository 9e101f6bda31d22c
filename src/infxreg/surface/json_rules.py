"""Whether a JSON value is what a config class takes, as pydantic reads it in its lax mode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from attrs import field, frozen

from infxreg.surface.conditions import UNKNOWN
from infxreg.surface.json_scalars import SCALARS, No, integer, listed
from infxreg.surface.json_schema import ConfigClass, Key, Schema
from infxreg.surface.model import Json
from infxreg.surface.type_expr import (
    ClassOf,
    DictOf,
    EnumOf,
    ListOf,
    OneOf,
    Row,
    Simple,
    Type,
    Unclear,
    Union,
    in_words,
)

FaultKind: TypeAlias = Literal[
    "unknown JSON key",
    "missing JSON key",
    "wrong type",
    "hard choice",
    "refused combination",
    "not known",
]


@frozen
class JsonFault:
    """A place in a JSON value that its class doesn't take.

    Attributes:
        path: the keys that lead to it.
        wanted: what would fit, in words; for a refused combination the condition.
        owner: the class and key, ``AttentionConfig.backend``; the class alone for its own faults.
        enum: the name of the enum whose member is wanted.
        choices: the values that would fit, where these are listed.
        dropped: an unknown key that the class doesn't refuse but ignores.
    """

    kind: FaultKind
    path: tuple[str, ...]
    wanted: str
    owner: str = ""
    value: Json = None
    enum: str | None = None
    choices: Sequence[str] = ()
    dropped: bool = False


class _Misfit(Exception):
    """A value that doesn't fit its type; the faults were noted or are in it."""

    def __init__(self, *faults: JsonFault) -> None:
        super().__init__()
        self.faults = faults


def faults(schema: Schema, name: str, value: Json) -> list[JsonFault]:
    """What keeps a JSON value from being a config class; also what it would ignore.

    Args:
        schema: the classes.
        name: the class.
        value: the value, as `json.loads` gives it.
    """
    reader = _Reader(schema)
    try:
        reader.object_of(schema.class_of(name), value, ())
    except _Misfit as misfit:
        reader.noted.extend(misfit.faults)
    return reader.noted


@frozen(eq=False)
class _Reader:
    """One reading of a value: what it is as the class would hold it, and what is wrong."""

    schema: Schema
    noted: list[JsonFault] = field(factory=list)

    def object_of(self, wanted: ConfigClass, value: Json, path: tuple[str, ...]) -> Json:
        if not isinstance(value, Mapping):
            raise _Misfit(JsonFault("wrong type", path, "an object", wanted.name, value))
        held: dict[str, Json] = {}
        broken = False
        for key, given in value.items():
            one = wanted.keys.get(key)
            if one is None:
                broken = self._unknown(wanted, key, given, (*path, key)) or broken
                continue
            try:
                held[key] = self._key(one, given, (*path, key), f"{wanted.name}.{key}")
            except _Misfit as misfit:
                self.noted.extend(misfit.faults)
                broken = True
        for key, one in wanted.keys.items():
            if one.record.required and key not in value:
                self.noted.append(
                    JsonFault(
                        "missing JSON key", (*path, key), in_words(one.type), f"{wanted.name}.{key}"
                    )
                )
                broken = True
        if broken:
            raise _Misfit
        self._refuse_combinations(wanted, held, path)
        return held

    def _unknown(self, wanted: ConfigClass, key: str, value: Json, path: tuple[str, ...]) -> bool:
        extra = wanted.record.extra
        if extra == "allow":
            return False
        self.noted.append(
            JsonFault(
                "unknown JSON key",
                path,
                "one of " + ", ".join(wanted.keys),
                f"{wanted.name}.{key}",
                value,
                choices=tuple(wanted.keys),
                dropped=extra != "forbid",
            )
        )
        return extra == "forbid"

    def _refuse_combinations(
        self, wanted: ConfigClass, held: Mapping[str, Json], path: tuple[str, ...]
    ) -> None:
        if not wanted.conditions:
            return
        values: dict[str, object] = {name: one.default for name, one in wanted.keys.items()}
        values.update(held)
        broken = [
            JsonFault("refused combination", path, condition.text, wanted.name)
            for condition in wanted.conditions
            if condition.holds(values)
        ]
        if broken:
            raise _Misfit(*broken)

    def _key(self, key: Key, value: Json, path: tuple[str, ...], owner: str) -> Json:
        record = key.record
        reads = record.reads.split()
        if record.validated and not reads:
            return self._validated(key, value, path, owner)
        if value is None and "null" in reads:
            return None
        if isinstance(value, str):
            if "auto" in reads and value.lower() == "auto":
                return None
            if "lower" in reads:
                value = value.lower()
            elif "lower-underscore" in reads:
                value = value.lower().replace("-", "_")
            elif "commas" in reads:
                value = list(value.replace(" ", "").split(","))
            elif "member" in reads and (enum := _enum_in(key.type)) is not None:
                return self._member_name(enum, value, path, owner)
        looked_at = {"text": str, "object": Mapping}
        if any(isinstance(value, looked_at[word]) for word in reads if word in looked_at):
            return self._validated(key, value, path, owner)
        held = self.of_type(key.type, value, path, owner)
        _bounded(key.bounds, held, path, owner)
        return held

    def _validated(self, key: Key, value: Json, path: tuple[str, ...], owner: str) -> Json:
        """A key whose raw value the engine looks at in a way that isn't known here."""
        if value is None:
            return None
        enum = _enum_in(key.type)
        if isinstance(value, str) and enum is not None:
            if value.lower() == "auto":
                return None
            try:
                return self.of_type(key.type, value, path, owner)
            except _Misfit:
                return self._member_name(enum, value, path, owner)
        for tried in _likely(value):
            try:
                return self.of_type(key.type, tried, path, owner)
            except _Misfit:
                continue
        if isinstance(value, str | Mapping):
            self.noted.append(JsonFault("not known", path, in_words(key.type), owner, value))
            return value
        return self.of_type(key.type, value, path, owner)

    def _member_name(self, enum: str, value: str, path: tuple[str, ...], owner: str) -> Json:
        members = self.schema.members(enum)
        if value.upper() in members.folded:
            return value
        raise _Misfit(
            JsonFault(
                "hard choice",
                path,
                f"a member of {enum}",
                owner,
                value,
                enum=enum,
                choices=members.names,
            )
        )

    def of_type(self, kind: Type, value: Json, path: tuple[str, ...], owner: str) -> Json:
        """The value as the type holds it; raises `_Misfit`."""
        match kind:
            case Simple(name=name):
                held = SCALARS[name](value)
                if isinstance(held, No):
                    raise _misfit(kind, value, path, owner)
                return held
            case Union(options=options):
                return self._any_of(kind, options, value, path, owner)
            case OneOf(values=values):
                if not listed(values, value):
                    raise _Misfit(
                        JsonFault(
                            "hard choice",
                            path,
                            in_words(kind),
                            owner,
                            value,
                            choices=tuple(map(str, values)),
                        )
                    )
                return value
            case ListOf(item=item):
                if not isinstance(value, list):
                    raise _misfit(kind, value, path, owner)
                return [
                    self.of_type(item, one, (*path, str(index)), owner)
                    for index, one in enumerate(value)
                ]
            case Row(items=items):
                if not isinstance(value, list) or len(value) != len(items):
                    raise _misfit(kind, value, path, owner)
                return [
                    self.of_type(item, one, (*path, str(index)), owner)
                    for index, (item, one) in enumerate(zip(items, value, strict=True))
                ]
            case DictOf(key=key, value=inner):
                if not isinstance(value, Mapping):
                    raise _misfit(kind, value, path, owner)
                for name in value:
                    self.of_type(key, name, (*path, name), owner)
                return {
                    name: self.of_type(inner, one, (*path, name), owner)
                    for name, one in value.items()
                }
            case ClassOf(name=name):
                return self.object_of(self.schema.class_of(name), value, path)
            case EnumOf(name=name):
                return self._enum_value(name, value, path, owner)
            case Unclear():
                self.noted.append(JsonFault("not known", path, in_words(kind), owner, value))
                return value

    def _any_of(
        self,
        kind: Type,
        options: Sequence[Type],
        value: Json,
        path: tuple[str, ...],
        owner: str,
    ) -> Json:
        unclear = [option for option in options if isinstance(option, Unclear)]
        misfits: list[JsonFault] = []
        for option in sorted(options, key=lambda one: not _exact(one, value)):
            if isinstance(option, Unclear):
                continue
            trial = _Reader(self.schema)
            try:
                held = trial.of_type(option, value, path, owner)
            except _Misfit as misfit:
                misfits += [*trial.noted, *misfit.faults]
                continue
            self.noted.extend(trial.noted)
            return held
        if unclear:
            return self.of_type(unclear[0], value, path, owner)
        deeper = [fault for fault in misfits if len(fault.path) > len(path)]
        real = [option for option in options if option != Simple("none")]
        if deeper or len(real) == 1:
            raise _Misfit(*(deeper or [one for one in misfits if one.wanted != "null"]))
        choices = tuple(choice for fault in misfits for choice in fault.choices)
        if choices:
            raise _Misfit(
                JsonFault("hard choice", path, in_words(kind), owner, value, choices=choices)
            )
        raise _misfit(kind, value, path, owner)

    def _enum_value(self, name: str, value: Json, path: tuple[str, ...], owner: str) -> Json:
        members = self.schema.members(name)
        for known in members.values:
            if known is UNKNOWN:
                continue
            if isinstance(known, str):
                if isinstance(value, str) and value == known:
                    return value
            elif isinstance(known, int | float):
                read = value if isinstance(value, bool) else integer(value)
                if not isinstance(read, No) and read == known:
                    return read
        fault = JsonFault(
            "hard choice",
            path,
            f"a member of {name}",
            owner,
            value,
            enum=name,
            choices=members.names,
        )
        if UNKNOWN in members.values and isinstance(value, str | int):
            self.noted.append(JsonFault("not known", path, fault.wanted, owner, value))
            return value
        raise _Misfit(fault)


def _exact(kind: Type, value: Json) -> bool:
    """Whether a value has a type without being read as another: such a type is tried first."""
    match kind:
        case Simple(name=name):
            own: Mapping[type, str] = {bool: "bool", int: "int", float: "float", str: "str"}
            return name == ("none" if value is None else own.get(type(value), ""))
        case OneOf():
            return True
        case ListOf() | Row():
            return isinstance(value, list)
        case DictOf() | ClassOf():
            return isinstance(value, Mapping)
    return False


def _likely(value: Json) -> Iterator[Json]:
    """What an engine's own look at a raw value often makes of it."""
    yield value
    if isinstance(value, str):
        yield value.lower()
        yield value.lower().replace("-", "_")
        yield value.upper()
        yield list(value.replace(" ", "").split(","))


def _enum_in(kind: Type) -> str | None:
    options = kind.options if isinstance(kind, Union) else (kind,)
    return next((option.name for option in options if isinstance(option, EnumOf)), None)


def _bounded(
    bounds: Sequence[tuple[str, float]], value: Json, path: tuple[str, ...], owner: str
) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    for sign, limit in bounds:
        fits = {
            ">=": value >= limit,
            "<=": value <= limit,
            ">": value > limit,
            "<": value < limit,
        }[sign]
        if not fits:
            raise _Misfit(JsonFault("wrong type", path, f"{sign} {limit:g}", owner, value))


def _misfit(kind: Type, value: Json, path: tuple[str, ...], owner: str) -> _Misfit:
    return _Misfit(JsonFault("wrong type", path, in_words(kind), owner, value))
