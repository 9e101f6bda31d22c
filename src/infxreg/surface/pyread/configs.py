"""Config classes as `Config` records: keys, types, limits, and which unknown keys are refused."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable
from functools import partial
from typing import TYPE_CHECKING

import attrs
from attrs import define, field

from infxreg.surface.model import Config, ConfigField, Enum, FieldKind
from infxreg.surface.pyread import classes, operations, records
from infxreg.surface.pyread.typetext import type_text
from infxreg.surface.pyread.validators import class_rules
from infxreg.surface.pyread.values import (
    ANNOTATED,
    DATACLASS_FIELD,
    FIELD_INFO,
    MISSING,
    ClassVal,
    Frame,
    Instance,
    InterpretedError,
    TypeForm,
)
from infxreg.values import FrozenMap

if TYPE_CHECKING:
    from infxreg.surface.pyread.machine import Machine

_SIGNS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}


@define
class ConfigReader:
    """Reads config classes and all classes that their keys hold."""

    machine: Machine
    default_extra: str | None = None
    """What unknown keys meet where neither class nor decorator says it, but the decorator does."""
    configs: dict[str, Config] = field(factory=dict)
    enums: dict[str, Enum] = field(factory=dict)

    def read(self, wanted: Iterable[ClassVal]) -> None:
        """Adds classes, and those that they name."""
        todo = list(wanted)
        while todo:
            cls = todo.pop()
            if cls.name not in self.configs:
                self.configs[cls.name] = Config()
                todo.extend(self._read(cls))

    def _read(self, cls: ClassVal) -> list[ClassVal]:
        validated = validated_fields(cls)
        made: dict[str, ConfigField] = {}
        found: list[ClassVal] = []
        for one in records.fields(self.machine, cls):
            if one.kind == "classvar":
                continue
            text, choices, inner, enums = type_text(self.machine, one.type)
            found += inner
            for enum in enums:
                self.enums.setdefault(enum.name, self._enum(enum))
            default = records.default_of(self.machine, one)
            made[one.name] = ConfigField(
                kind=_kind(one),
                type=text,
                choices=choices,
                validated=one.name in validated or "*" in validated,
                bounds=_bounds(one),
                default=None if default is MISSING else operations.repr_of(default),
                required=default is MISSING and _kind(one) != "noinit",
            )
        reads, refusals = self._rules(cls, made)
        for key, words in reads.items():
            made[key] = attrs.evolve(made[key], reads=words)
        self.configs[cls.name] = Config(
            fields=FrozenMap(made), extra=self._extra(cls), refusals=tuple(refusals)
        )
        return found

    def _rules(
        self, cls: ClassVal, keys: Collection[str]
    ) -> tuple[dict[str, str], dict[str, None]]:
        """What the validators of the class and its bases say, see `class_rules`."""
        reads: dict[str, str] = {}
        refusals: dict[str, None] = {}
        for one in classes.mro(cls):
            if isinstance(one, ClassVal) and one.node is not None:
                frame = classes.body_frame(one)
                rules = class_rules(one.node, keys, partial(self._constant, frame))
                for key, words in rules.reads.items():
                    for name in keys if key == "*" else [key]:
                        if name in keys and words:
                            reads.setdefault(name, words)
                refusals |= dict.fromkeys(rules.refusals)
        return reads, refusals

    def _constant(self, frame: Frame, node: ast.expr) -> ast.expr | None:
        """The literal that a name or attribute of a module stands for."""
        try:
            value = operations.plain(self.machine.eval(node, frame))
        except InterpretedError:
            return None
        if isinstance(value, (set, frozenset)):
            value = tuple(sorted(value, key=repr))
        text = None if isinstance(value, dict) else operations.repr_of(value)
        return None if text is None or text[0] == "<" else ast.parse(text, mode="eval").body

    def _enum(self, cls: ClassVal) -> Enum:
        members = classes.members(self.machine, cls)
        return Enum(
            members=FrozenMap(
                {name: operations.repr_of(one.value) for name, one in members.items()}
            )
        )

    def _extra(self, cls: ClassVal) -> str | None:
        for one in classes.mro(cls):
            if not isinstance(one, ClassVal) or one.node is None:
                continue
            frame = one.frame or Frame(one.module, one.module.names)
            for decorator in one.node.decorator_list:
                said = self._decorator_extra(decorator, frame)
                if said is not None:
                    return said
            config = classes.own_attribute(self.machine, one, "model_config")
            if config is not None and isinstance(config.value, dict):
                extra = config.value.get("extra")
                return extra if isinstance(extra, str) else None
        return None

    def _decorator_extra(self, node: ast.expr, frame: Frame) -> str | None:
        target = node.func if isinstance(node, ast.Call) else node
        word = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg == "config":
                    value = self.machine.eval(keyword.value, frame)
                    extra = value.get("extra") if isinstance(value, dict) else None
                    if isinstance(extra, str):
                        return extra
        return self.default_extra if word == "config" else None


def _kind(one: records.FieldVal) -> FieldKind:
    if one.kind == "initvar":
        return "initvar"
    value = one.default
    if isinstance(value, Instance) and value.cls in {FIELD_INFO, DATACLASS_FIELD}:
        return "noinit" if value.attrs.get("init") is False else "init"
    return "init"


def _bounds(one: records.FieldVal) -> str:
    infos: list[object] = [one.default]
    if isinstance(one.type, TypeForm) and one.type.origin == ANNOTATED:
        infos += one.type.args[1:]
    made: list[str] = []
    for info in infos:
        if isinstance(info, Instance) and info.cls == FIELD_INFO:
            for key, sign in _SIGNS.items():
                limit = info.attrs.get(key)
                if isinstance(limit, (int, float)):
                    made.append(f"{sign}{limit}")
    return " ".join(made)


def validated_fields(cls: ClassVal) -> set[str]:
    """Fields whose raw value a validator of the class sees first; ``*`` for all."""
    found: set[str] = set()
    for one in classes.mro(cls):
        if not isinstance(one, ClassVal) or one.node is None:
            continue
        for statement in one.node.body:
            if not isinstance(statement, ast.FunctionDef):
                continue
            for decorator in statement.decorator_list:
                if isinstance(decorator, ast.Call):
                    found |= _validates(decorator)
    return found


def _validates(node: ast.Call) -> set[str]:
    target = node.func
    word = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
    mode = next(
        (
            one.value.value
            for one in node.keywords
            if one.arg == "mode" and isinstance(one.value, ast.Constant)
        ),
        "after",
    )
    if mode not in {"before", "wrap", "plain"}:
        return set()
    if word == "model_validator":
        return {"*"}
    if word != "field_validator":
        return set()
    return {str(one.value) for one in node.args if isinstance(one, ast.Constant)}
