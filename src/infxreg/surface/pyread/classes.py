"""Classes of the tree: attributes, inheritance, record fields, enum members, and type forms."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from attrs import frozen

from infxreg.surface.pyread.project import touched
from infxreg.surface.pyread.values import (
    ANNOTATED,
    DATACLASS_FIELD,
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
    Member,
    Native,
    ParserVal,
    TypeForm,
    Unknown,
    literal,
    same,
    union,
)

if TYPE_CHECKING:
    from infxreg.surface.pyread.machine import Machine

ENUMS = frozenset(
    f"enum.{name}" for name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum")
)
RECORDS = frozenset({"typing.NamedTuple", "msgspec.Struct", "pydantic.BaseModel"})
PARSERS = frozenset({"argparse.ArgumentParser"})
_CONTAINERS = (list, dict, set, frozenset, tuple, type)
_ALIASES: dict[str, object] = {
    "List": list,
    "Dict": dict,
    "Set": set,
    "FrozenSet": frozenset,
    "Tuple": tuple,
    "Type": type,
}


@frozen
class Found:
    """An attribute, and the class that has it."""

    value: object
    owner: ClassVal


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


def make(machine: Machine, node: ast.ClassDef, frame: Frame) -> ClassVal:
    """The class of a class statement; its body is evaluated name by name, when asked."""
    at_top = frame.parent is None and frame.names is frame.module.names
    cls = ClassVal(node.name, frame.module, node, None if at_top else frame)
    cls.bases = tuple(machine.eval(base, frame) for base in node.bases)
    for statement in node.body:
        for name in sorted(set(touched(statement))):
            cls.statements.setdefault(name, []).append(statement)
    return cls


def body_frame(cls: ClassVal) -> Frame:
    """The scope that a class's body runs in."""
    parent = cls.frame or Frame(cls.module, cls.module.names)
    return Frame(cls.module, cls.names, parent, is_class=True, owner=cls)


def own_attribute(machine: Machine, cls: ClassVal, name: str) -> Found | None:
    """An attribute that the class itself has."""
    statements = cls.statements.pop(name, None)
    if statements is not None:
        frame = body_frame(cls)
        for statement in statements:
            machine.run([statement], frame)
        made = cls.names.get(name)
        if isinstance(made, FuncVal) and made.owner is None:
            made.owner = cls
        elif isinstance(made, Instance) and isinstance(made.cls, ClassVal):
            hook = lookup(machine, made.cls, "__set_name__")
            if hook is not None and isinstance(hook.value, FuncVal):
                machine.call(Bound(hook.value, made), [cls, name], {})
    if name in cls.names:
        return Found(machine.settle(cls.names, name), cls)
    return None


def mro(cls: ClassVal) -> Iterator[ClassVal | External]:
    """The class and its bases, nearest first."""
    yield from _order(cls)


def _order(cls: ClassVal) -> list[ClassVal | External]:
    order: list[ClassVal | External] = [cls]
    for base in cls.bases:
        inner = base.origin if isinstance(base, TypeForm) else base
        if isinstance(inner, ClassVal):
            tail: list[ClassVal | External] = _order(inner)
        elif isinstance(inner, External):
            tail = [inner]
        elif isinstance(inner, type):
            tail = [External(f"builtins.{inner.__name__}")]
        else:
            continue
        order = [one for one in order if one not in tail] + tail
    return order


def lookup(
    machine: Machine, cls: ClassVal, name: str, after: ClassVal | None = None
) -> Found | None:
    """An attribute by inheritance; ``after`` skips up to and with that class."""
    order = list(mro(cls))
    if after is not None and after in order:
        order = order[order.index(after) + 1 :]
    for one in order:
        if isinstance(one, ClassVal):
            found = own_attribute(machine, one, name)
            if found is not None:
                return found
    return None


def outside_bases(cls: ClassVal) -> set[str]:
    """The dotted names of the bases that aren't the tree's."""
    return {one.path for one in mro(cls) if isinstance(one, External)}


def is_enum(cls: ClassVal) -> bool:
    """Whether it is an enum class."""
    return bool(outside_bases(cls) & ENUMS)


def members(machine: Machine, cls: ClassVal) -> dict[str, Member]:
    """An enum's members, aliases too."""
    if cls.members is None:
        cls.members = {}
        for name in _member_names(cls):
            found = own_attribute(machine, cls, name)
            value = found.value if found is not None else Unknown(f"{cls.name}.{name}")
            if isinstance(value, (FuncVal, Native, ClassVal)):
                continue
            if isinstance(value, External) and value.path == "enum.auto()":
                lower = "enum.StrEnum" in outside_bases(cls)
                value = name.lower() if lower else len(cls.members) + 1
            cls.members[name] = value if isinstance(value, Member) else Member(cls, name, value)
    return {name: one for name, one in cls.members.items() if isinstance(one, Member)}


def _member_names(cls: ClassVal) -> Iterator[str]:
    body = cls.node.body if cls.node is not None else []
    for statement in body:
        if isinstance(statement, ast.Assign):
            names = [one.id for one in statement.targets if isinstance(one, ast.Name)]
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            names = [statement.target.id] if statement.value is not None else []
        else:
            continue
        yield from (name for name in names if not name.startswith("_"))


def distinct_members(machine: Machine, cls: ClassVal) -> list[Member]:
    """An enum's members without aliases."""
    found: list[Member] = []
    for one in members(machine, cls).values():
        if not any(same(one.value, seen.value) for seen in found):
            found.append(one)
    return found


def is_dataclass(machine: Machine, value: object) -> bool:
    """Whether a class is a dataclass, by its decorators or a base's."""
    if not isinstance(value, ClassVal):
        return False
    return any(isinstance(one, ClassVal) and _decorated(machine, one) for one in mro(value))


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
        cls.fields is not None or bool(outside_bases(cls) & RECORDS) or is_dataclass(machine, cls)
    )


def fields(machine: Machine, cls: ClassVal) -> list[FieldVal]:
    """Every annotated name of a record, inherited ones first, in Python's order."""
    found: dict[str, FieldVal] = {}
    for one in reversed(list(mro(cls))):
        if isinstance(one, ClassVal):
            for field in own_fields(machine, one):
                found[field.name] = field
    return list(found.values())


def own_fields(machine: Machine, cls: ClassVal) -> list[FieldVal]:
    """The annotated names of the class's own body."""
    if cls.fields is not None:
        return [one for one in cls.fields if isinstance(one, FieldVal)]
    made: list[FieldVal] = []
    frame = body_frame(cls)
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
            has = own_attribute(machine, cls, name)
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
    outside = outside_bases(cls)
    if outside & ENUMS:
        return _member_of(machine, cls, args)
    if outside & PARSERS:
        return ParserVal(cls=cls)
    made = Instance(cls)
    init = lookup(machine, cls, "__init__")
    if init is not None and isinstance(init.value, FuncVal):
        machine.call(Bound(init.value, made), args, kwargs)
        return made
    if is_record(machine, cls):
        names = [one.name for one in fields(machine, cls) if one.kind != "classvar"]
        made.attrs.update(zip(names, args, strict=False))
    made.attrs.update(kwargs)
    return made


def _member_of(machine: Machine, cls: ClassVal, args: list[object]) -> object:
    if not args or isinstance(args[0], Unknown):
        return args[0] if args else Unknown(cls.name)
    for one in members(machine, cls).values():
        if one is args[0] or same(one.value, args[0]):
            return one
    raise InterpretedError("ValueError", f"{args[0]!r} is no {cls.name}")


def instance_default(machine: Machine, made: Instance, name: str) -> Found | None:
    """A record's attribute that wasn't given: its field's default."""
    if not isinstance(made.cls, ClassVal) or not is_record(machine, made.cls):
        return None
    for one in fields(machine, made.cls):
        if one.name == name and one.kind == "field":
            value = default_of(machine, one)
            if value is not MISSING:
                made.attrs[name] = value
                return Found(value, one.owner)
    return None


def decorators(func: FuncVal) -> set[str]:
    """The last words of a function's decorators."""
    if not isinstance(func.node, ast.FunctionDef):
        return set()
    found = set()
    for node in func.node.decorator_list:
        target = node.func if isinstance(node, ast.Call) else node
        if isinstance(target, ast.Name):
            found.add(target.id)
        elif isinstance(target, ast.Attribute):
            found.add(target.attr)
    return found


def bind(machine: Machine, value: object, receiver: object, cls: ClassVal) -> object:
    """An attribute found in a class, as an access through an object or the class gives it."""
    if not isinstance(value, FuncVal):
        return value
    words = decorators(value)
    if "staticmethod" in words:
        return value
    if "classmethod" in words:
        return Bound(value, cls)
    if receiver is cls:
        return value
    if words & {"property", "cached_property"}:
        return machine.call(Bound(value, receiver), [], {})
    return Bound(value, receiver)


def is_type(value: object) -> bool:
    """Whether ``|`` with another such value makes a union."""
    return value is None or isinstance(value, (type, TypeForm, External, ClassVal, Unknown))


def subscripts_as_type(owner: object) -> bool:
    """Whether ``owner[…]`` is a type form and not an item."""
    if isinstance(owner, External):
        return True
    if isinstance(owner, type):
        return issubclass(owner, _CONTAINERS)
    return isinstance(owner, TypeForm) and not isinstance(owner.origin, ClassVal)


def type_form(owner: object, args: tuple[object, ...]) -> object:
    """``owner[args]``, with unions and literals in one shape."""
    if isinstance(owner, External):
        if owner.last == "Optional":
            return union(args[0], None)
        if owner.last == "Union":
            return union(*args)
        if owner.last == "Literal":
            return literal(*args)
        if owner.last in {"Annotated", "SkipValidation"}:
            return TypeForm(ANNOTATED, args)
        if owner.last in _ALIASES:
            return TypeForm(_ALIASES[owner.last], args)
    return TypeForm(owner, tuple(type(None) if one is None else one for one in args))


def strip_annotated(hint: object) -> object:
    """The type inside ``Annotated``, ``Required`` and the like."""
    while isinstance(hint, TypeForm) and (
        hint.origin == ANNOTATED
        or (
            isinstance(hint.origin, External)
            and hint.origin.last in {"Required", "NotRequired", "Final", "SkipValidation"}
        )
    ):
        hint = hint.args[0]
    return hint


def origin_of(value: object) -> object:
    """``typing.get_origin``."""
    if isinstance(value, TypeForm):
        return value.origin
    if isinstance(value, External) and value.last in _ALIASES:
        return _ALIASES[value.last]
    return value if isinstance(value, Unknown) else None


def args_of(value: object) -> object:
    """``typing.get_args``."""
    return (
        value if isinstance(value, Unknown) else value.args if isinstance(value, TypeForm) else ()
    )
