"""The interpreter: its state, and the operations that its parts share.

`names`, `expressions`, `statements` and `calls` do the work; this class holds what
they need and is what the rest of the package sees.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from attrs import define, field

from infxreg.surface.pyread import attributes, calls, expressions, names, operations, statements
from infxreg.surface.pyread.project import Module, Project
from infxreg.surface.pyread.values import (
    BudgetError,
    External,
    Frame,
    ModuleVal,
    Unknown,
)

Control: TypeAlias = tuple[str, object] | None
"""How statements ended: None at their end, else ``return``, ``break`` or ``continue``."""
Hook: TypeAlias = "Callable[[Machine, list[object], object], None]"

BUDGET = 3_000_000
"""Some ten times what the largest engine takes."""


@define(eq=False, repr=False)
class Machine:
    """An interpreter over one project.

    Attributes:
        overrides: values for dotted names, of the tree or outside, instead of what is there;
            ``*.name`` for functions and classes wherever they are.
        hooks: function name to what looks at the arguments and the result of each call.
        problems: what couldn't be evaluated and was passed over.
        left: steps that may still be taken.
        depth: calls that are under way.
        tries: ``try`` blocks that are under way; an error is passed over only outside of all.
        uncertain: branches under way whose condition isn't known.
        active: functions under way.
        generators: function to whether it yields.
    """

    project: Project
    overrides: dict[str, object] = field(factory=dict)
    hooks: dict[str, Hook] = field(factory=dict)
    problems: list[str] = field(factory=list)
    left: int = BUDGET
    depth: int = 0
    tries: int = 0
    uncertain: int = 0
    active: list[ast.AST] = field(factory=list)
    generators: dict[ast.AST, bool] = field(factory=dict)

    def step(self) -> None:
        """Counts one step.

        Raises:
            BudgetError: when there have been too many.
        """
        self.left -= 1
        if self.left < 0:
            raise BudgetError("the source takes more steps than any engine's does")

    @property
    def certain(self) -> bool:
        """Whether every condition on the way here is known."""
        return not self.uncertain

    @contextmanager
    def strictly(self) -> Iterator[None]:
        """Inside, an error of the interpreted code is raised, and problems aren't kept."""
        noted = len(self.problems)
        self.tries += 1
        try:
            yield
        finally:
            self.tries -= 1
            del self.problems[noted:]

    # names

    def module(self, name: str) -> object:
        """A module as a value; `External` if the tree hasn't it."""
        found = self.project.module(name)
        return External(name) if found is None else ModuleVal(found)

    def name_in(self, module: Module, name: str) -> object:
        """What a name means at the end of a module, or Unknown."""
        found = names.global_name(self, module, name)
        return Unknown(f"{module.name} has no {name}") if found is names.NOT_THERE else found

    def find(self, dotted: str) -> object:
        """A dotted name of the tree, or Unknown."""
        module_name, _, name = dotted.rpartition(".")
        module = self.project.module(module_name)
        if module is None:
            return Unknown(f"no module {module_name}")
        return self.name_in(module, name)

    def attribute(self, owner: object, name: str) -> object:
        """``owner.name``, Unknown if it isn't known.

        Raises:
            InterpretedError: where the code would raise AttributeError.
        """
        match owner:
            case Unknown():
                return owner
            case ModuleVal(module=module):
                return names.attribute_of_module(self, module, name)
            case External(path=path):
                return names.outside(self, f"{path}.{name}")
            case _:
                return attributes.attribute(self, owner, name)

    # code

    def eval(self, node: ast.expr, frame: Frame) -> object:
        """The value of an expression.

        Raises:
            InterpretedError: where the code would raise.
            BudgetError: past the step limit.
        """
        return expressions.evaluate(self, node, frame)

    def annotation(self, node: ast.expr, frame: Frame) -> object:
        """The value of an annotation; one in quotes is read as an expression."""
        return expressions.annotation(self, node, frame)

    def run(self, body: list[ast.stmt], frame: Frame) -> Control:
        """Runs statements."""
        return statements.run(self, body, frame)

    def call(self, function: object, args: list[object], kwargs: dict[str, object]) -> object:
        """The result of a call, Unknown where the callee isn't known."""
        return calls.call(self, function, args, kwargs)

    def truth(self, value: object) -> bool | None:
        """Whether a value counts as true; None if that isn't known."""
        return operations.truth(value)

    def iterate(self, value: object) -> list[object] | Iterator[object] | Unknown:
        """What a loop over a value sees."""
        return operations.items_of(self, value)
