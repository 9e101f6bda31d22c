"""Records of the tree: dataclasses, pydantic models, msgspec structs, named tuples."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from attrs import frozen

from infxreg.surface.pyread import classes
from infxreg.surface.pyread.values import (
    DATACLASS_FIELD,
    ENUMS,
    FIELD_INFO,
    MISSING,
    NODEFAULT,
    UNDEFINED,
    Bound,
    ClassVal,
    External,
    Frame,
    FuncVal,
    Instance,
    InterpretedError,
    Native,
    ParserVal,
    Super,
    TypeForm,
    Unknown,
    same,
)

if TYPE_CHECKING:
    from infxreg.surface.pyread.machine import Machine


RECORDS = frozenset({"typing.NamedTuple", "msgspec.Struct", "pydantic.BaseModel"})


PARSERS = frozenset({"argparse.ArgumentParser"})


@frozen
class FieldVal:
    """A field of a record: dataclass, pydantic model, msgspec struct, named tuple.

    ``kind`` is ``field``, ``initvar`` or ``classvar``; ``default`` the value in the
    class body, `MISSING` without one.
    """

    name: str
    type: object
    kind: str
    default: object
    node: ast.AnnAssign | None
    owner: ClassVal


def is_dataclass(machine: Machine, value: object) -> bool:
    """Whether a class is a dataclass, by its classes.decorators or a base's."""
    if not isinstance(value, ClassVal):
        return False
    return any(isinstance(one, ClassVal) and _decorated(machine, one) for one in classes.mro(value))


def _decorated(machine: Machine, cls: ClassVal) -> bool:
    for decorator in cls.node.decorator_list if cls.node is not None else []:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        value = machine.eval(target, cls.frame or Frame(cls.module, cls.module.names))
        if isinstance(value, External) and value.last == "dataclass":
            return True
        if isinstance(value, FuncVal) and _makes_dataclass(value):
            return True
    return False


def _makes_dataclass(func: FuncVal) -> bool:
    """A decorator of the tree that makes dataclasses says so by ``dataclass_transform``."""
    if not isinstance(func.node, ast.FunctionDef):
        return False
    words = {ast.unparse(one).partition("(")[0] for one in func.node.decorator_list}
    return any(word.endswith("dataclass_transform") for word in words)


def is_record(machine: Machine, cls: ClassVal) -> bool:
    """Whether calling it assigns its fields."""
    return (
        cls.fields is not None
        or bool(classes.outside_bases(cls) & RECORDS)
        or is_dataclass(machine, cls)
    )


def fields(machine: Machine, cls: ClassVal) -> list[FieldVal]:
    """Every annotated name of a record, inherited ones first, in Python's order."""
    found: dict[str, FieldVal] = {}
    for one in reversed(list(classes.mro(cls))):
        if isinstance(one, ClassVal):
            for field in own_fields(machine, one):
                found[field.name] = field
    return list(found.values())


def own_fields(machine: Machine, cls: ClassVal) -> list[FieldVal]:
    """The annotated names of the class's own body."""
    if cls.fields is not None:
        return [one for one in cls.fields if isinstance(one, FieldVal)]
    made: list[FieldVal] = []
    frame = classes.body_frame(cls)
    for statement in cls.node.body if cls.node is not None else []:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        name = statement.target.id
        hint = machine.annotation(statement.annotation, frame)
        kind = "field"
        origin = hint.origin if isinstance(hint, TypeForm) else hint
        if isinstance(origin, External) and origin.last in {"ClassVar", "InitVar"}:
            kind = origin.last.lower()
            if isinstance(hint, TypeForm):
                hint = hint.args[0]
        default: object = MISSING
        if statement.value is not None:
            has = classes.own_attribute(machine, cls, name)
            default = has.value if has is not None else Unknown(name)
        made.append(FieldVal(name, hint, kind, default, statement, cls))
    return made


def default_of(machine: Machine, field: FieldVal) -> object:
    """What a field is without a value: factories are called; `MISSING` if it must be given."""
    value = field.default
    if isinstance(value, Instance) and value.cls in {FIELD_INFO, DATACLASS_FIELD}:
        factory = value.attrs.get("default_factory", None)
        if factory not in (None, MISSING, NODEFAULT):
            return machine.call(factory, [], {})
        value = value.attrs.get("default", MISSING)
    return MISSING if value in (UNDEFINED, NODEFAULT) else value


def dataclass_field(machine: Machine, field: FieldVal) -> Instance:
    """A field as ``dataclasses.fields`` gives it."""
    default, factory, init = field.default, MISSING, True
    if isinstance(default, Instance) and default.cls == DATACLASS_FIELD:
        init = default.attrs.get("init", True) is not False
        factory = default.attrs.get("default_factory", MISSING)  # type: ignore[assignment]
        default = default.attrs.get("default", MISSING)
    return Instance(
        DATACLASS_FIELD,
        {
            "name": field.name,
            "type": field.type,
            "default": default,
            "default_factory": factory,
            "init": init,
        },
    )


def instantiate(
    machine: Machine, cls: ClassVal, args: list[object], kwargs: dict[str, object]
) -> object:
    """The result of calling a class."""
    override = machine.overrides.get(cls.path) or machine.overrides.get(f"*.{cls.name}")
    if isinstance(override, Native):
        return override.call(machine, args, kwargs)
    outside = classes.outside_bases(cls)
    if outside & ENUMS:
        return _member_of(machine, cls, args)
    if outside & PARSERS:
        return ParserVal(cls=cls)
    made = Instance(cls)
    init = classes.lookup(machine, cls, "__init__")
    if init is not None and isinstance(init.value, FuncVal):
        machine.call(Bound(init.value, made), args, kwargs)
        return made
    if is_record(machine, cls):
        names = [one.name for one in fields(machine, cls) if one.kind != "classvar"]
        made.attrs.update(zip(names, args, strict=False))
    made.attrs.update(kwargs)
    # An action over argparse's own may leave its constructor to it.
    machine.call(machine.attribute(Super(cls, made), "__init__"), args, kwargs)
    for hook in ("__post_init__", "model_post_init"):
        after = classes.lookup(machine, cls, hook)
        if after is not None and isinstance(after.value, FuncVal):
            for node in ast.walk(after.value.node):
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                    made.attrs[node.attr] = Unknown(f"{cls.name}.{hook} sets {node.attr}")
    return made


def _member_of(machine: Machine, cls: ClassVal, args: list[object]) -> object:
    if not args or isinstance(args[0], Unknown):
        return args[0] if args else Unknown(cls.name)
    for one in classes.members(machine, cls).values():
        if one is args[0] or same(one.value, args[0]):
            return one
    raise InterpretedError("ValueError", f"{args[0]!r} is no {cls.name}")


def instance_default(machine: Machine, made: Instance, name: str) -> classes.Found | None:
    """A record's attribute that wasn't given: its field's default."""
    if not isinstance(made.cls, ClassVal) or not is_record(machine, made.cls):
        return None
    for one in fields(machine, made.cls):
        if one.name == name and one.kind == "field":
            value = default_of(machine, one)
            if value is not MISSING:
                made.attrs[name] = value
                return classes.Found(value, one.owner)
    return None
