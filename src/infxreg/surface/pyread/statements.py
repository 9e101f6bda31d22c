"""Runs statements.

Where a condition isn't known both branches run, each for its ``add_argument``
calls only: what it does to names and containers is undone.
"""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from infxreg.surface.pyread import calls, classes, expressions, operations
from infxreg.surface.pyread.project import own_nodes, touched
from infxreg.surface.pyread.values import (
    ClassVal,
    Frame,
    FuncVal,
    ImportRef,
    Instance,
    InterpretedError,
    ModuleVal,
    ParserVal,
    Unknown,
    same,
)

if TYPE_CHECKING:
    from infxreg.surface.pyread.machine import Control, Machine


_AGAIN = "raise"
"""The kind of what a bare ``raise`` raises, until the handler around it says which it was."""
_KEPT = (ParserVal, Instance, ClassVal, FuncVal, ModuleVal, ImportRef)
"""What a call of a method doesn't make unknown, beside the attributes that it sets."""


def run(machine: Machine, body: list[ast.stmt], frame: Frame) -> Control:
    """Runs statements; a return, break or continue comes back as a pair."""
    for statement in body:
        control = safely(machine, statement, frame)
        if control is not None:
            return control
    return None


def safely(machine: Machine, statement: ast.stmt, frame: Frame) -> Control:
    """One statement; what would end the run is noted and passed over, outside of ``try``."""
    if machine.tries:
        return _statement(machine, statement, frame)
    try:
        return _statement(machine, statement, frame)
    except InterpretedError as error:
        if isinstance(statement, ast.Raise):
            raise
        machine.problems.append(f"{frame.module.path}:{statement.lineno}: {error}")
        if isinstance(statement, ast.Return):
            return "return", Unknown(str(error))
        _forget(machine, statement, frame, str(error))
        return None


def _forget(machine: Machine, statement: ast.stmt, frame: Frame, why: str) -> None:
    """What a statement that isn't followed would have set, or returned, isn't known any more."""
    for name in touched(statement):
        if not isinstance(frame.names.get(name), _KEPT):
            frame.names[name] = Unknown(why)
    for node in own_nodes([statement]):
        if isinstance(node, ast.Return):
            frame.maybe.append(Unknown(why))
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            assign(machine, node, Unknown(why), frame)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            frame.names[node.id] = Unknown(why)


def _statement(machine: Machine, statement: ast.stmt, frame: Frame) -> Control:
    machine.step()
    match statement:
        case ast.Expr(value=value):
            if not isinstance(value, ast.Constant):
                machine.eval(value, frame)
        case ast.Assign(targets=targets, value=value):
            made = machine.eval(value, frame)
            for target in targets:
                assign(machine, target, made, frame)
        case ast.AnnAssign(target=target, value=value):
            if value is not None:
                assign(machine, target, machine.eval(value, frame), frame)
        case ast.AugAssign(target=target, op=op, value=value):
            _augment(machine, target, op, machine.eval(value, frame), frame)
        case ast.Return(value=value):
            return "return", None if value is None else machine.eval(value, frame)
        case ast.If():
            return _if(machine, statement, frame)
        case ast.For():
            return _for(machine, statement, frame)
        case ast.While():
            return _while(machine, statement, frame)
        case ast.FunctionDef(name=name):
            frame.names[name] = calls.function(machine, statement, frame)
        case ast.ClassDef(name=name):
            frame.names[name] = classes.make(machine, statement, frame)
        case ast.Import() | ast.ImportFrom():
            _bind_import(machine, statement, frame)
        case ast.Try():
            return _try(machine, statement, frame)
        case ast.Match() | ast.TryStar() | ast.AsyncFor() | ast.AsyncWith():
            why = f"{type(statement).__name__.lower()} isn't read"
            machine.problems.append(f"{frame.module.path}:{statement.lineno}: {why}")
            _forget(machine, statement, frame, why)
        case ast.With(items=items, body=body):
            for item in items:
                made = machine.eval(item.context_expr, frame)
                if item.optional_vars is not None:
                    assign(machine, item.optional_vars, made, frame)
            return run(machine, body, frame)
        case ast.Raise(exc=exc):
            raise InterpretedError(_exception(machine, exc, frame))
        case ast.Delete(targets=targets):
            for target in targets:
                _delete(machine, target, frame)
        case ast.Break():
            return "break", None
        case ast.Continue():
            return "continue", None
    return None


def _exception(machine: Machine, node: ast.expr | None, frame: Frame) -> str:
    if node is None:
        return _AGAIN
    target = node.func if isinstance(node, ast.Call) else node
    if isinstance(target, ast.Name):
        return target.id
    return target.attr if isinstance(target, ast.Attribute) else "Exception"


def assign(machine: Machine, target: ast.expr, value: object, frame: Frame) -> None:
    """Binds a target."""
    match target:
        case ast.Name(id=name):
            frame.names[name] = value
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            _unpack(machine, elts, value, frame)
        case ast.Attribute(value=owner_node, attr=name):
            owner = machine.eval(owner_node, frame)
            if isinstance(owner, Instance):
                owner.attrs[name] = value
            elif isinstance(owner, ClassVal):
                owner.names[name] = value
        case ast.Subscript(value=owner_node, slice=index_node):
            owner = machine.eval(owner_node, frame)
            index = machine.eval(index_node, frame)
            if isinstance(owner, (dict, list)) and not isinstance(index, Unknown):
                operations.put(owner, index, value)
        case ast.Starred(value=inner):
            assign(machine, inner, value, frame)


def _unpack(machine: Machine, targets: list[ast.expr], value: object, frame: Frame) -> None:
    items = machine.iterate(value)
    if isinstance(items, Unknown):
        for target in targets:
            assign(machine, target, items, frame)
        return
    left = list(items)
    star = next((i for i, one in enumerate(targets) if isinstance(one, ast.Starred)), None)
    if star is None:
        if len(left) != len(targets):
            raise InterpretedError("ValueError", "unpacking")
        for target, one in zip(targets, left, strict=True):
            assign(machine, target, one, frame)
        return
    after = len(targets) - star - 1
    if len(left) < len(targets) - 1:
        raise InterpretedError("ValueError", "unpacking")
    for target, one in zip(targets[:star], left, strict=False):
        assign(machine, target, one, frame)
    assign(machine, targets[star], left[star : len(left) - after], frame)
    for target, one in zip(targets[star + 1 :], left[len(left) - after :], strict=True):
        assign(machine, target, one, frame)


def _augment(
    machine: Machine, target: ast.expr, op: ast.operator, value: object, frame: Frame
) -> None:
    old = machine.eval(target, frame)
    if isinstance(op, ast.Add) and isinstance(old, list):
        items = machine.iterate(value)
        if isinstance(items, Unknown):
            assign(machine, target, items, frame)
        else:
            operations.extend(old, items)
        return
    if isinstance(op, ast.BitOr) and (
        (isinstance(old, dict) and isinstance(value, dict))
        or (isinstance(old, set) and isinstance(value, (set, frozenset)))
    ):
        old.update(value)
        return
    assign(machine, target, expressions.binary(machine, op, old, value), frame)


def _delete(machine: Machine, target: ast.expr, frame: Frame) -> None:
    match target:
        case ast.Name(id=name):
            frame.names.pop(name, None)
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            for one in elts:
                _delete(machine, one, frame)
        case ast.Subscript(value=owner_node, slice=index_node):
            owner = machine.eval(owner_node, frame)
            index = machine.eval(index_node, frame)
            if isinstance(owner, (dict, list)) and not isinstance(index, Unknown):
                operations.drop(owner, index)
        case ast.Attribute(value=owner_node, attr=name):
            owner = machine.eval(owner_node, frame)
            if isinstance(owner, Instance):
                owner.attrs.pop(name, None)


def _if(machine: Machine, node: ast.If, frame: Frame) -> Control:
    answer = machine.truth(machine.eval(node.test, frame))
    if answer is not None:
        return run(machine, node.body if answer else node.orelse, frame)
    returned = [_maybe(machine, body, frame) for body in (node.body, node.orelse) if body]
    sure = [one for one in returned if one is not None]
    if len(sure) == 2 and same(sure[0][1], sure[1][1]):
        return "return", sure[0][1]
    frame.maybe.extend(one[1] for one in sure)
    if len(sure) == 2:
        return "return", sure[1][1]
    return None


def _maybe(machine: Machine, body: list[ast.stmt], frame: Frame) -> Control:
    """Runs a branch of unknown condition, and undoes what it does to names and containers."""
    before = dict(frame.names)
    held = [one.attrs for one in before.values() if isinstance(one, Instance)]
    copies = [
        (value, operations.fresh(value))
        for value in (*before.values(), *held)
        if isinstance(value, (list, dict, set))
    ]
    machine.uncertain += 1
    machine.tries += 1
    try:
        control = run(machine, body, frame)
    except InterpretedError:
        control = None
    finally:
        machine.tries -= 1
        machine.uncertain -= 1
    after = [(one, dict(one)) for one in (frame.names, *held)]
    frame.names.update(before)
    for container, copy in copies:
        operations.restore(container, copy)
    for names, then in after:
        for name, value in then.items():
            if name not in names or not same(names[name], value):
                names[name] = Unknown(f"{name} depends on where it runs")
    return control if control is not None and control[0] == "return" else None


def _for(machine: Machine, node: ast.For, frame: Frame) -> Control:
    items = machine.iterate(machine.eval(node.iter, frame))
    if isinstance(items, Unknown):
        machine.problems.append(
            f"{frame.module.path}:{node.lineno}: a loop over what isn't known: {items.why}"
        )
        _forget(machine, node, frame, items.why)
        return None
    for one in items:
        assign(machine, node.target, one, frame)
        control = run(machine, node.body, frame)
        if control is None or control[0] == "continue":
            continue
        return None if control[0] == "break" else control
    return run(machine, node.orelse, frame)


def _while(machine: Machine, node: ast.While, frame: Frame) -> Control:
    while True:
        answer = machine.truth(machine.eval(node.test, frame))
        if answer is None:
            machine.problems.append(f"{frame.module.path}:{node.lineno}: a loop that isn't known")
            _forget(machine, node, frame, "a loop that isn't known")
            return None
        if not answer:
            return run(machine, node.orelse, frame)
        control = run(machine, node.body, frame)
        if control is None or control[0] == "continue":
            continue
        return None if control[0] == "break" else control


def _try(machine: Machine, node: ast.Try, frame: Frame) -> Control:
    machine.tries += 1
    try:
        control = run(machine, node.body, frame)
    except InterpretedError as error:
        handler = next((one for one in node.handlers if _catches(one, error)), None)
        if handler is None:
            raise
        if handler.name:
            frame.names[handler.name] = Unknown("an exception")
        try:
            control = run(machine, handler.body, frame)
        except InterpretedError as again:
            raise error if again.kind in {_AGAIN, handler.name} else again from None
    else:
        if control is None:
            control = run(machine, node.orelse, frame)
    finally:
        machine.tries -= 1
    return run(machine, node.finalbody, frame) or control


def _bind_import(machine: Machine, node: ast.Import | ast.ImportFrom, frame: Frame) -> None:
    if isinstance(node, ast.Import):
        for one in node.names:
            if one.asname:
                frame.names[one.asname] = ImportRef(one.name, None)
            else:
                root = one.name.partition(".")[0]
                frame.names[root] = ImportRef(root, None)
        return
    base = frame.module.absolute(node.module, node.level)
    for one in node.names:
        if one.name != "*":
            frame.names[one.asname or one.name] = ImportRef(base, one.name)


def _catches(handler: ast.ExceptHandler, error: InterpretedError) -> bool:
    if handler.type is None:
        return True
    nodes = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in nodes
        if isinstance(node, (ast.Name, ast.Attribute))
    }
    known = getattr(builtins, error.kind, None)
    wider = known.__mro__ if isinstance(known, type) else (Exception, BaseException)
    return bool(names & {error.kind, *(one.__name__ for one in wider)})
