"""The kinds of value that the interpreter has beside Python's own constants and containers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from attrs import Factory, define, field, frozen

if TYPE_CHECKING:
    from infxreg.surface.pyread.machine import Machine
    from infxreg.surface.pyread.project import Module


@define(eq=False)
class Unknown:
    """A value that can't be known from the source; ``why`` names the first cause."""

    why: str


@frozen
class External:
    """Something outside the tree, by its dotted name (``argparse.BooleanOptionalAction``)."""

    path: str

    @property
    def last(self) -> str:
        """The last part of the dotted name."""
        return self.path.rpartition(".")[2]


@frozen
class TypeForm:
    """A subscripted type: ``Literal["a"]``, ``list[int]``, ``A | B`` (origin ``Union``)."""

    origin: object
    args: tuple[object, ...]


UNION = External("typing.Union")
LITERAL = External("typing.Literal")
ANNOTATED = External("typing.Annotated")
MISSING = External("dataclasses.MISSING")
NODEFAULT = External("msgspec.NODEFAULT")
UNDEFINED = External("pydantic_core.PydanticUndefined")
FIELD_INFO = External("pydantic.fields.FieldInfo")
DATACLASS_FIELD = External("dataclasses.Field")
ENUMS = frozenset(
    f"enum.{name}" for name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum")
)


@define(eq=False, repr=False)
class Frame:
    """A scope: a function call, a class body, or a module (whose names are the module's)."""

    module: Module
    names: dict[str, object]
    parent: Frame | None = None
    is_class: bool = False
    owner: ClassVal | None = None
    """The class that a method was found in, for ``super()``."""
    receiver: object = None
    maybe: list[object] = Factory(list)
    """What branches of unknown condition would have returned."""


@define(eq=False, repr=False)
class FuncVal:
    """A function or lambda of the tree."""

    node: ast.FunctionDef | ast.Lambda
    module: Module
    frame: Frame | None
    defaults: dict[str, object] = Factory(dict)
    owner: ClassVal | None = None

    @property
    def name(self) -> str:
        """The function's name, ``<lambda>`` for one without."""
        return self.node.name if isinstance(self.node, ast.FunctionDef) else "<lambda>"

    def closed_over(self, name: str) -> object:
        """A name of the enclosing call, or of the defaults; None if there is none."""
        if name in self.defaults:
            return self.defaults[name]
        frame = self.frame
        while frame is not None:
            if name in frame.names:
                return frame.names[name]
            frame = frame.parent
        return None


@define(eq=False, repr=False)
class Bound:
    """A function with its receiver."""

    func: FuncVal
    receiver: object


@define(eq=False, repr=False)
class ClassVal:
    """A class of the tree, or one that a call made (then ``node`` is None)."""

    name: str
    module: Module
    node: ast.ClassDef | None = None
    frame: Frame | None = None
    bases: tuple[object, ...] = ()
    names: dict[str, object] = Factory(dict)
    """Attributes evaluated or set so far."""
    statements: dict[str, list[ast.stmt]] = Factory(dict)
    """Attribute name to the statements of the body that bind it."""
    fields: list[object] | None = None
    """Its record fields, where a call made it."""
    members: dict[str, Member] | None = None
    """Its enum members, once read."""

    @property
    def path(self) -> str:
        """Its dotted name."""
        return f"{self.module.name}.{self.name}"


@define(eq=False, repr=False)
class Instance:
    """An object of a class of the tree, or of a known class outside."""

    cls: ClassVal | External
    attrs: dict[str, object] = Factory(dict)


@define(eq=False, repr=False)
class Member:
    """A member of an enum of the tree."""

    cls: ClassVal
    name: str
    value: object


@define(eq=False, repr=False)
class ModuleVal:
    """A module of the tree."""

    module: Module


@define(eq=False, repr=False)
class Super:
    """``super()`` inside a method."""

    owner: ClassVal
    receiver: object


Args: TypeAlias = list[object]
Kwargs: TypeAlias = dict[str, object]
NativeCall: TypeAlias = "Callable[[Machine, Args, Kwargs], object]"


@frozen(eq=False)
class Native:
    """A function that the interpreter supplies."""

    name: str
    call: NativeCall


@frozen(eq=False)
class ImportRef:
    """A name that an import bound, not looked up yet."""

    module: str
    name: str | None


@define(eq=False, repr=False)
class ArgumentCall:
    """One ``add_argument`` call.

    ``certain`` is false under a condition that isn't known.
    """

    names: tuple[object, ...]
    kwargs: Mapping[str, object]
    certain: bool
    where: str


@define(eq=False, repr=False)
class ParserVal:
    """An argparse parser, or a group of one: it notes what is added."""

    calls: list[ArgumentCall] = Factory(list)
    defaults: dict[str, object] = Factory(dict)
    registered: dict[object, object] = field(factory=dict)
    cls: ClassVal | None = None
    subparser: ParserVal | None = None
    """What ``add_parser`` gives."""


class Unordered(Iterator[object]):
    """What a generator over a set gives: the items are known, which comes first isn't."""

    def __init__(self, items: list[object]) -> None:
        self._items = items

    def __next__(self) -> object:
        if not self._items:
            raise StopIteration
        return self._items.pop(0)

    def first(self) -> object:
        """What ``next`` gives, Unknown where that depends on the set's order."""
        if len(self._items) > 1:
            return Unknown("the first of a set of several")
        return next(self)


class InterpretedError(Exception):
    """The interpreted code raised; ``kind`` is the exception's class name."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind = kind
        self.detail = detail


class BudgetError(Exception):
    """The interpreted code takes more steps, or room, than any engine's does."""


def union(*parts: object) -> object:
    """``A | B``, flat and without repeats; None stands for its type."""
    flat: list[object] = []
    for part in parts:
        one = type(None) if part is None else part
        inner = one.args if isinstance(one, TypeForm) and one.origin == UNION else (one,)
        for each in inner:
            if not any(same(each, seen) for seen in flat):
                flat.append(each)
    return flat[0] if len(flat) == 1 else TypeForm(UNION, tuple(flat))


def literal(*parts: object) -> TypeForm:
    """``Literal[…]``, nested ones flattened."""
    flat: list[object] = []
    for part in parts:
        inner = part.args if isinstance(part, TypeForm) and part.origin == LITERAL else (part,)
        flat.extend(each for each in inner if not any(same(each, seen) for seen in flat))
    return TypeForm(LITERAL, tuple(flat))


def same(a: object, b: object) -> bool:
    """Equality that never confuses ``True`` with ``1``."""
    if isinstance(a, (Unknown, Instance, ClassVal)) or isinstance(b, (Unknown, Instance, ClassVal)):
        return a is b
    return type(a) is type(b) and a == b
