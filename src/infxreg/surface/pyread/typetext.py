"""Annotations as the type expressions of `infxreg.surface.model.ConfigField`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from infxreg.surface.pyread import classes, records, typeforms
from infxreg.surface.pyread.values import (
    LITERAL,
    UNION,
    ClassVal,
    External,
    Member,
    TypeForm,
    Unknown,
)

if TYPE_CHECKING:
    from infxreg.surface.pyread.machine import Machine

_SAME_AS = {
    "Sequence": "list",
    "Iterable": "list",
    "Collection": "list",
    "Mapping": "dict",
    "MutableMapping": "dict",
    "NoneType": "None",
    "object": "Any",
}


@define
class TypeText:
    """Turns types into text, and collects the classes that it met.

    Attributes:
        literals: texts of the literal types whose values are all texts.
        plain_literals: how many such types there were.
    """

    machine: Machine
    literals: list[str] = field(factory=list)
    literal_count: int = 0
    records: list[ClassVal] = field(factory=list)
    enums: list[ClassVal] = field(factory=list)

    def text(self, value: object) -> str:
        """The type's text."""
        value = typeforms.strip_annotated(value)
        if isinstance(value, TypeForm):
            return self._form(value)
        if value is None or value is type(None):
            return "None"
        if isinstance(value, type):
            return _SAME_AS.get(value.__name__, value.__name__)
        if isinstance(value, External):
            return _SAME_AS.get(value.last, value.last)
        if isinstance(value, ClassVal):
            self._meet(value)
            return value.name
        return "Any" if not isinstance(value, Unknown) else "Unknown"

    def _meet(self, cls: ClassVal) -> None:
        if classes.is_enum(cls):
            self.enums.append(cls)
        elif records.is_record(self.machine, cls):
            self.records.append(cls)

    def _form(self, form: TypeForm) -> str:
        if form.origin == UNION:
            return " | ".join(dict.fromkeys(self.text(one) for one in form.args))
        if form.origin == LITERAL:
            return self._literal(form)
        head = self.text(form.origin)
        if head == "Callable":
            return head
        parts = ["..." if one is Ellipsis else self.text(one) for one in form.args]
        return f"{head}[{', '.join(parts)}]"

    def _literal(self, form: TypeForm) -> str:
        if all(isinstance(one, str) for one in form.args):
            self.literal_count += 1
            self.literals.extend(str(one) for one in form.args)
            return "Literal"
        parts = [one.name if isinstance(one, Member) else repr(one) for one in form.args]
        return f"Literal[{', '.join(parts)}]"


def type_text(
    machine: Machine, value: object
) -> tuple[str, tuple[str, ...] | None, list[ClassVal], list[ClassVal]]:
    """A type's text, what ``Literal`` in it stands for, and the records and enums in it."""
    made = TypeText(machine)
    text = made.text(value)
    choices = tuple(dict.fromkeys(made.literals)) if made.literal_count else None
    return text, choices, made.records, made.enums
