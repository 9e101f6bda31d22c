"""Calls functions and classes of the tree, and what is known outside of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from infxreg.surface.pyread import builtin_functions, expressions, library, records
from infxreg.surface.pyread.project import own_nodes
from infxreg.surface.pyread.values import (
    Bound,
    BudgetError,
    ClassVal,
    External,
    Frame,
    FuncVal,
    Instance,
    InterpretedError,
    Native,
    NativeCall,
    Super,
    Unknown,
    same,
)

if TYPE_CHECKING:
    from infxreg.surface.pyread.machine import Machine


MAX_DEPTH = 40


def call_node(machine: Machine, node: ast.Call, frame: Frame) -> object:
    """The value of a call expression."""
    if isinstance(node.func, ast.Name) and node.func.id == "super":
        return _super(machine, node, frame)
    function = machine.eval(node.func, frame)
    args = expressions.item_values(machine, node.args, frame)
    kwargs: dict[str, object] = {}
    for keyword in node.keywords:
        value = machine.eval(keyword.value, frame)
        if keyword.arg is not None:
            kwargs[keyword.arg] = value
        elif isinstance(value, dict):
            kwargs.update({key: one for key, one in value.items() if isinstance(key, str)})
        else:
            kwargs["**"] = value if isinstance(value, Unknown) else Unknown("** of no dict")
    if isinstance(args, Unknown):
        return args
    if isinstance(function, Native) and function.name == "add_argument":
        kwargs["__where__"] = f"{frame.module.path}:{node.lineno}"
    return call(machine, function, args, kwargs)


def _super(machine: Machine, node: ast.Call, frame: Frame) -> object:
    if len(node.args) == 2:
        owner, receiver = (machine.eval(one, frame) for one in node.args)
        return Super(owner, receiver) if isinstance(owner, ClassVal) else Unknown("super()")
    scope: Frame | None = frame
    while scope is not None and scope.owner is None:
        scope = scope.parent
    if scope is None or scope.owner is None:
        return Unknown("super()")
    return Super(scope.owner, scope.receiver)


def call(
    machine: Machine, function: object, args: list[object], kwargs: dict[str, object]
) -> object:
    """The result of a call, Unknown where the callee isn't known."""
    machine.depth += 1
    try:
        if machine.depth > MAX_DEPTH:
            raise BudgetError("the source calls deeper than any engine's does")
        match function:
            case FuncVal():
                return _call_function(machine, function, args, kwargs, None)
            case Bound(func=func, receiver=receiver):
                return _call_function(machine, func, [receiver, *args], kwargs, receiver)
            case Native(name=name, call=native):
                return _call_native(machine, name, native, args, kwargs)
            case ClassVal():
                return records.instantiate(machine, function, args, kwargs)
            case Instance():
                method = machine.attribute(function, "__call__")
                if isinstance(method, (Bound, FuncVal)):
                    return call(machine, method, args, kwargs)
                return Unknown("a call of an object")
            case External(path=path):
                known = library.FUNCTIONS.get(path)
                if known is not None:
                    return _call_native(machine, path, known, args, kwargs)
                return Unknown(f"a call of {path}")
            case type():
                return builtin_functions.call_type(machine, function, args, kwargs)
            case Unknown():
                return function
            case _:
                return Unknown(f"a call of {type(function).__name__}")
    finally:
        machine.depth -= 1


def _call_native(
    machine: Machine, name: str, native: NativeCall, args: list[object], kwargs: dict[str, object]
) -> object:
    try:
        return native(machine, args, kwargs)
    except (IndexError, TypeError, ValueError):
        return Unknown(f"a call of {name} with other arguments than it takes")


def _call_function(
    machine: Machine, func: FuncVal, args: list[object], kwargs: dict[str, object], receiver: object
) -> object:
    override = machine.overrides.get(f"{func.module.name}.{func.name}")
    override = override or machine.overrides.get(f"*.{func.name}")
    if isinstance(override, Native):
        return override.call(machine, args, kwargs)
    node = func.node
    if machine.uncertain and node in machine.active:
        return Unknown(f"{func.name} calls itself where that isn't certain")
    machine.active.append(node)
    try:
        return _enter_function(machine, func, node, args, kwargs, receiver)
    finally:
        machine.active.pop()


def _enter_function(
    machine: Machine,
    func: FuncVal,
    node: ast.FunctionDef | ast.Lambda,
    args: list[object],
    kwargs: dict[str, object],
    receiver: object,
) -> object:
    frame = Frame(func.module, {}, func.frame)
    _bind(machine, func, args, kwargs, frame)
    frame.owner = func.owner
    frame.receiver = receiver if receiver is not None else (args[0] if args else None)
    if isinstance(node, ast.Lambda):
        return machine.eval(node.body, frame)
    if _yields(machine, node):
        return Unknown(f"{func.name} is a generator")
    control = machine.run(node.body, frame)
    value = control[1] if control is not None and control[0] == "return" else None
    if func.name in machine.hooks:
        machine.hooks[func.name](machine, args, value)
    if all(same(value, one) for one in frame.maybe):
        return value
    return Unknown(f"{func.name} depends on where it runs")


def _yields(machine: Machine, node: ast.FunctionDef) -> bool:
    """Whether a function is a generator."""
    known = machine.generators.get(node)
    if known is None:
        known = any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in own_nodes(node.body))
        machine.generators[node] = known
    return known


def _bind(
    machine: Machine, func: FuncVal, args: list[object], kwargs: dict[str, object], frame: Frame
) -> None:
    spec = func.node.args
    names = [one.arg for one in (*spec.posonlyargs, *spec.args)]
    left = dict(kwargs)
    rest: Unknown | None = None
    if "**" in left:
        unknown = left.pop("**")
        rest = unknown if isinstance(unknown, Unknown) else Unknown("**")
    left.pop("__where__", None)
    for name, value in zip(names, args, strict=False):
        frame.names[name] = value
    if spec.vararg is not None:
        frame.names[spec.vararg.arg] = tuple(args[len(names) :])
    elif len(args) > len(names):
        raise InterpretedError("TypeError", f"{func.name} takes fewer arguments")
    for name in (*names, *(one.arg for one in spec.kwonlyargs)):
        if name in left:
            frame.names[name] = left.pop(name)
    if spec.kwarg is not None:
        frame.names[spec.kwarg.arg] = {**left, **({"**": rest} if rest else {})}
    elif left:
        raise InterpretedError("TypeError", f"{func.name} has no {next(iter(left))}")
    for name, default in _defaults(machine, func):
        if name not in frame.names:
            frame.names[name] = default if rest is None else rest
    for name in names:
        if name not in frame.names:
            frame.names[name] = rest or Unknown(f"{func.name} wasn't given {name}")


def _defaults(machine: Machine, func: FuncVal) -> Iterator[tuple[str, object]]:
    if func.defaults:
        yield from func.defaults.items()
        return
    frame = func.frame or Frame(func.module, func.module.names)
    yield from default_values(machine, func.node.args, frame)


def default_values(
    machine: Machine, spec: ast.arguments, frame: Frame
) -> Iterator[tuple[str, object]]:
    """Parameter to default, of those that have one."""
    positional = [*spec.posonlyargs, *spec.args]
    with_default = positional[len(positional) - len(spec.defaults) :]
    for one, node in zip(with_default, spec.defaults, strict=True):
        yield one.arg, machine.eval(node, frame)
    for one, maybe in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if maybe is not None:
            yield one.arg, machine.eval(maybe, frame)


def function(machine: Machine, node: ast.FunctionDef | ast.Lambda, frame: Frame) -> FuncVal:
    """The function of a definition; defaults of inner ones are evaluated now, as Python does."""
    at_top = frame.parent is None and frame.names is frame.module.names
    func = FuncVal(node, frame.module, None if at_top else frame)
    if not at_top and not frame.is_class:
        func.defaults.update(default_values(machine, node.args, frame))
    return func
