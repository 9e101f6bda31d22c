"""What names mean: in a scope, in a module, behind an import."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import TYPE_CHECKING

from infxreg.surface.pyread import builtin_functions, classes, library, operations, statements
from infxreg.surface.pyread.project import Module
from infxreg.surface.pyread.values import (
    External,
    Frame,
    FuncVal,
    ImportRef,
    Unknown,
)

if TYPE_CHECKING:
    from infxreg.surface.pyread.machine import Machine


_CONSTANTS: dict[str, object] = {"Ellipsis": Ellipsis, "__debug__": True}
NOT_THERE = object()
"""What a module gives for a name that it hasn't."""


def global_name(machine: Machine, module: Module, name: str) -> object:
    """What a name means at the end of a module; `NOT_THERE` if it has none."""
    override = machine.overrides.get(f"{module.name}.{name}", NOT_THERE)
    if override is not NOT_THERE:
        return override
    due = _due(module, name)
    if due and name not in module.running:
        module.running.add(name)
        try:
            _run_top(machine, module, due)
        finally:
            module.running.discard(name)
    if name in module.names:
        return settled(machine, module.names, name)
    submodule = f"{module.name}.{name}"
    if module.is_package and machine.project.module(submodule) is not None:
        return machine.module(submodule)
    for star in module.star_imports:
        other = machine.project.module(star)
        if other is not None and other is not module:
            found = global_name(machine, other, name)
            if found is not NOT_THERE:
                return found
    if name in {"__name__", "__file__"}:
        return module.name if name == "__name__" else module.path
    return NOT_THERE


def _due(module: Module, name: str) -> list[int]:
    """The top-level statements about a name that are still to run.

    While a top-level statement runs, only those before it, as Python has it; all of
    them where none is before it, since classes and functions are read late here.
    """
    about = module.touching.get(name, [])
    before = about if module.at is None else [one for one in about if one < module.at]
    due = [one for one in before or about if one not in module.done]
    if len(about) < 2 or not due:
        return due
    # What reads the name between two changes must read what it was then.
    readers = (one for one in module.mentioning(name) if one < due[-1] and one not in module.done)
    return sorted({*due, *readers})


def _run_top(machine: Machine, module: Module, indexes: Iterable[int]) -> None:
    frame = Frame(module, module.names)
    outer = module.at
    try:
        for index in indexes:
            if index in module.done:
                continue
            module.done.add(index)
            module.at = index
            statements.safely(machine, module.statements[index], frame)
    finally:
        module.at = outer


def settled(machine: Machine, namespace: dict[str, object], name: str) -> object:
    """A name of a namespace; one that an import bound is looked up now."""
    value = namespace[name]
    if isinstance(value, ImportRef):
        namespace[name] = Unknown(f"{name} is imported in a circle")
        value = namespace[name] = _imported(machine, value)
    return value


def _imported(machine: Machine, ref: ImportRef) -> object:
    if ref.name is None:
        return machine.module(ref.module)
    dotted = f"{ref.module}.{ref.name}"
    if dotted in machine.overrides:
        return machine.overrides[dotted]
    module = machine.project.module(ref.module)
    if module is not None:
        return attribute_of_module(machine, module, ref.name)
    if machine.project.module(dotted) is not None:
        return machine.module(dotted)
    return outside(machine, dotted)


def outside(machine: Machine, dotted: str) -> object:
    """A dotted name outside the tree: a known constant, or `External`."""
    if dotted in machine.overrides:
        return machine.overrides[dotted]
    if machine.project.owns(dotted):
        return Unknown(f"{dotted} isn't in the tree")
    found: object = library.CONSTANTS.get(dotted, NOT_THERE)
    return operations.fresh(found) if found is not NOT_THERE else External(dotted)


def attribute_of_module(machine: Machine, module: Module, name: str) -> object:
    """``module.name``."""
    found = global_name(machine, module, name)
    return module_getattr(machine, module, name) if found is NOT_THERE else found


def module_getattr(machine: Machine, module: Module, name: str) -> object:
    """What a module\'s own ``__getattr__`` gives for a name."""
    hook = global_name(machine, module, "__getattr__")
    if isinstance(hook, FuncVal):
        return machine.call(hook, [name], {})
    return Unknown(f"{module.name} has no {name}")


def name_value(machine: Machine, name: str, frame: Frame) -> object:
    """What a name means in a scope."""
    scope: Frame | None = frame
    first = True
    while scope is not None:
        if scope.is_class and not first:
            scope = scope.parent
            continue
        if scope.is_class and scope.owner is not None:
            found = classes.own_attribute(machine, scope.owner, name)
            if found is not None:
                return found.value
        elif scope.parent is None and scope.names is scope.module.names:
            break
        elif name in scope.names:
            return settled(machine, scope.names, name)
        first = False
        scope = scope.parent
    found_global = global_name(machine, frame.module, name)
    if found_global is not NOT_THERE:
        return found_global
    if name in _CONSTANTS:
        return _CONSTANTS[name]
    if name in builtin_functions.BUILTINS:
        return builtin_functions.BUILTINS[name]
    native_type = getattr(builtins, name, None)
    if isinstance(native_type, type):
        if issubclass(native_type, BaseException):
            return External(f"builtins.{name}")
        return native_type
    return Unknown(f"{frame.module.name}: {name} isn't bound")
