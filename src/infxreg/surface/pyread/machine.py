"""Evaluates expressions, statements and calls of a source tree over `values`.

Where a condition isn't known both branches run, each for its ``add_argument``
calls only: what it does to names and containers is undone.
"""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from attrs import define, field

from infxreg.surface.pyread import classes, natives
from infxreg.surface.pyread.project import Module, Project
from infxreg.surface.pyread.values import (
    Bound,
    BudgetError,
    ClassVal,
    External,
    Frame,
    FuncVal,
    ImportRef,
    Instance,
    InterpretedError,
    ModuleVal,
    Native,
    Super,
    Unknown,
    is_type_like,
    same,
    union,
)

Control: TypeAlias = tuple[str, object] | None

BUDGET = 6_000_000
MAX_DEPTH = 40
MAX_LENGTH = 200_000
_MISSING = object()

_BINARY: Mapping[type[ast.operator], Callable[[object, object], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}
_ORDER: Mapping[type[ast.cmpop], Callable[[object, object], object]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_PLAIN = (str, int, float, bool, bytes, list, tuple, set, frozenset, dict, type(None), range)


@define(eq=False, repr=False)
class Machine:
    """An interpreter over one project.

    Attributes:
        overrides: values for dotted names, of the tree or outside, instead of what is there;
            ``*.name`` for functions and classes wherever they are.
        hooks: function name to what looks at the arguments and the result of each call.
        problems: what couldn't be evaluated and was passed over.
    """

    project: Project
    overrides: dict[str, object] = field(factory=dict)
    hooks: dict[str, Callable[[Machine, list[object], object], None]] = field(factory=dict)
    problems: list[str] = field(factory=list)
    _left: int = BUDGET
    _depth: int = 0
    _tries: int = 0
    _uncertain: int = 0
    _active: list[ast.AST] = field(factory=list)
    _generators: dict[ast.AST, bool] = field(factory=dict)

    # names and modules

    def module(self, name: str) -> object:
        """A module as a value; `External` if the tree hasn't it."""
        found = self.project.module(name)
        if found is not None:
            return ModuleVal(found)
        return External(name)

    def name_in(self, module: Module, name: str) -> object:
        """What a name means at the end of a module, or Unknown."""
        found = self._global(module, name)
        if found is _MISSING:
            return Unknown(f"{module.name} has no {name}")
        return found

    def find(self, dotted: str) -> object:
        """A dotted name of the tree, or Unknown."""
        module_name, _, name = dotted.rpartition(".")
        module = self.project.module(module_name)
        if module is None:
            return Unknown(f"no module {module_name}")
        return self.name_in(module, name)

    def _global(self, module: Module, name: str) -> object:
        override = self.overrides.get(f"{module.name}.{name}", _MISSING)
        if override is not _MISSING:
            return override
        if name in module.names and (name in module.running or self._settled(module, name)):
            return self._resolved(module.names, name)
        indexes = module.touching.get(name)
        if indexes is not None and name not in module.running:
            module.running.add(name)
            try:
                self._run_top(module, indexes)
            finally:
                module.running.discard(name)
            if name in module.names:
                return self._resolved(module.names, name)
        submodule = f"{module.name}.{name}"
        if module.is_package and self.project.module(submodule) is not None:
            return self.module(submodule)
        for star in module.star_imports:
            other = self.project.module(star)
            if other is not None and other is not module:
                found = self._global(other, name)
                if found is not _MISSING:
                    return found
        if name in {"__name__", "__file__"}:
            return module.name if name == "__name__" else module.path
        return _MISSING

    def _settled(self, module: Module, name: str) -> bool:
        return all(index in module.done for index in module.touching.get(name, ()))

    def _run_top(self, module: Module, indexes: Iterable[int]) -> None:
        frame = Frame(module, module.names)
        for index in indexes:
            if index in module.done:
                continue
            module.done.add(index)
            self._statement_safely(module.statements[index], frame)

    def _resolved(self, names: dict[str, object], name: str) -> object:
        value = names[name]
        if isinstance(value, ImportRef):
            value = self._import(value)
            names[name] = value
        return value

    def settle(self, names: dict[str, object], name: str) -> object:
        """A name of a namespace; one that an import bound is looked up now."""
        return self._resolved(names, name)

    def _import(self, ref: ImportRef) -> object:
        if ref.name is None:
            return self.module(ref.module)
        dotted = f"{ref.module}.{ref.name}"
        if dotted in self.overrides:
            return self.overrides[dotted]
        module = self.project.module(ref.module)
        if module is not None:
            found = self._global(module, ref.name)
            if found is not _MISSING:
                return found
            return self._module_getattr(module, ref.name)
        if self.project.module(dotted) is not None:
            return self.module(dotted)
        return self.outside(dotted)

    def outside(self, dotted: str) -> object:
        """A dotted name outside the tree: a known constant, or `External`."""
        if dotted in self.overrides:
            return self.overrides[dotted]
        if self.project.owns(dotted):
            return Unknown(f"{dotted} isn't in the tree")
        found: object = natives.CONSTANTS.get(dotted, _MISSING)
        return natives.fresh(found) if found is not _MISSING else External(dotted)

    def _module_getattr(self, module: Module, name: str) -> object:
        hook = self._global(module, "__getattr__")
        if isinstance(hook, FuncVal):
            return self.call(hook, [name], {})
        return Unknown(f"{module.name} has no {name}")

    def _name(self, name: str, frame: Frame) -> object:
        scope: Frame | None = frame
        first = True
        while scope is not None:
            if scope.is_class and not first:
                scope = scope.parent
                continue
            if scope.is_class and scope.owner is not None:
                found = classes.own_attribute(self, scope.owner, name)
                if found is not None:
                    return found.value
            elif scope.parent is None and scope.names is scope.module.names:
                break
            elif name in scope.names:
                return self._resolved(scope.names, name)
            first = False
            scope = scope.parent
        found_global = self._global(frame.module, name)
        if found_global is not _MISSING:
            return found_global
        if name in natives.BUILTINS:
            return natives.BUILTINS[name]
        native_type = getattr(builtins, name, None)
        if isinstance(native_type, type):
            if issubclass(native_type, BaseException):
                return External(f"builtins.{name}")
            return native_type
        return Unknown(f"{frame.module.name}: {name} isn't bound")

    # expressions

    def eval(self, node: ast.expr, frame: Frame) -> object:
        """The value of an expression.

        Raises:
            InterpretedError: where the code would raise.
            BudgetError: past the step limit.
        """
        self._left -= 1
        if self._left < 0:
            raise BudgetError("the source takes more steps than any engine's does")
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._name(name, frame)
            case ast.Attribute(value=owner, attr=name):
                return self.attribute(self.eval(owner, frame), name)
            case ast.Call():
                return self._call_node(node, frame)
            case ast.Tuple(elts=elts):
                items = self._items(elts, frame)
                return items if isinstance(items, Unknown) else tuple(items)
            case ast.List(elts=elts):
                return self._items(elts, frame)
            case ast.Set(elts=elts):
                return self._set(self._items(elts, frame))
            case ast.Dict():
                return self._dict(node, frame)
            case ast.JoinedStr(values=values):
                return self._joined(values, frame)
            case ast.FormattedValue():
                return self._formatted(node, frame)
            case ast.Subscript(value=owner, slice=index):
                return self._subscript(self.eval(owner, frame), index, frame)
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(op, self.eval(left, frame), self.eval(right, frame))
            case ast.BoolOp(op=op, values=values):
                return self._bool_op(op, values, frame)
            case ast.UnaryOp(op=op, operand=operand):
                return self._unary(op, self.eval(operand, frame))
            case ast.Compare():
                return self._compare(node, frame)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                answer = self.truth(self.eval(test, frame))
                if answer is None:
                    return self._either(body, orelse, frame)
                return self.eval(body if answer else orelse, frame)
            case ast.Lambda():
                return self._function(node, frame)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                return self._comprehension(node, frame)
            case ast.NamedExpr(target=ast.Name(id=name), value=value_node):
                value = self.eval(value_node, frame)
                frame.names[name] = value
                return value
            case ast.Starred(value=value_node):
                return self.eval(value_node, frame)
            case ast.Slice(lower=lower, upper=upper, step=step):
                parts = [
                    None if one is None else self.eval(one, frame) for one in (lower, upper, step)
                ]
                unknown = next((one for one in parts if isinstance(one, Unknown)), None)
                return unknown or slice(*parts)
            case _:
                return Unknown(f"{type(node).__name__.lower()} isn't read")

    def _either(self, body: ast.expr, orelse: ast.expr, frame: Frame) -> object:
        first, second = self.eval(body, frame), self.eval(orelse, frame)
        return first if same(first, second) else Unknown("a choice that depends on where it runs")

    def _items(self, nodes: list[ast.expr], frame: Frame) -> list[object] | Unknown:
        items: list[object] = []
        for one in nodes:
            value = self.eval(one, frame)
            if isinstance(one, ast.Starred):
                inner = self.iterate(value)
                if isinstance(inner, Unknown):
                    return inner
                items.extend(inner)
            else:
                items.append(value)
        return items

    def _set(self, items: list[object] | Unknown) -> object:
        if isinstance(items, Unknown):
            return items
        unknown = next((one for one in items if isinstance(one, Unknown)), None)
        if unknown is not None:
            return unknown
        return self._guard(lambda: set(items))

    def _dict(self, node: ast.Dict, frame: Frame) -> object:
        made: dict[object, object] = {}
        for key_node, value_node in zip(node.keys, node.values, strict=True):
            value = self.eval(value_node, frame)
            if key_node is None:
                if not isinstance(value, dict):
                    return value if isinstance(value, Unknown) else Unknown("** of no dict")
                made.update(value)
                continue
            key = self.eval(key_node, frame)
            if isinstance(key, Unknown):
                return key
            self._guard(lambda key=key, value=value: made.__setitem__(key, value))
        return made

    def _joined(self, nodes: list[ast.expr], frame: Frame) -> object:
        parts: list[str] = []
        for one in nodes:
            value = self.eval(one, frame)
            if not isinstance(value, str):
                return value if isinstance(value, Unknown) else Unknown("an f-string")
            parts.append(value)
        return "".join(parts)[:MAX_LENGTH]

    def _formatted(self, node: ast.FormattedValue, frame: Frame) -> object:
        value = self.eval(node.value, frame)
        if isinstance(value, Unknown):
            return value
        if not isinstance(value, _PLAIN):
            return natives.text_of(self, value)
        spec = (
            self._joined(node.format_spec.values, frame)
            if isinstance(node.format_spec, ast.JoinedStr)
            else ""
        )
        if not isinstance(spec, str) or len(spec) > 12:
            return Unknown("a format")
        if node.conversion == ord("r"):
            return repr(value)[:MAX_LENGTH]
        return self._guard(lambda: format(value, spec)[:MAX_LENGTH])

    def _subscript(self, owner: object, index_node: ast.expr, frame: Frame) -> object:
        if isinstance(owner, Unknown):
            return owner
        if classes.subscripts_as_type(owner):
            return self._type_form(owner, index_node, frame)
        index = self.eval(index_node, frame)
        if isinstance(index, Unknown):
            return index
        return natives.item(self, owner, index)

    def _type_form(self, owner: object, index_node: ast.expr, frame: Frame) -> object:
        nodes = index_node.elts if isinstance(index_node, ast.Tuple) else [index_node]
        word = owner.last if isinstance(owner, External) else ""
        args: list[object] = []
        for node in nodes:
            literal = word == "Literal" or (word == "Annotated" and bool(args))
            if isinstance(node, ast.List):
                args.append(tuple(self.eval(one, frame) for one in node.elts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not literal:
                args.append(self.annotation(node, frame))
            elif literal:
                args.append(self.eval(node, frame))
            else:
                args.append(_opaque(self.eval(node, frame), node))
        return classes.type_form(owner, tuple(args))

    def annotation(self, node: ast.expr, frame: Frame) -> object:
        """The value of an annotation; one in quotes is read as an expression."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = ast.parse(node.value.strip(), mode="eval").body
            except (SyntaxError, ValueError, RecursionError):
                return Unknown("an annotation in quotes")
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return union(self.annotation(node.left, frame), self.annotation(node.right, frame))
        return _opaque(self.eval(node, frame), node)

    def binary(self, op: ast.operator, left: object, right: object) -> object:
        """``left op right``; ``|`` between types makes a union."""
        for one in (left, right):
            if isinstance(one, Unknown):
                if isinstance(op, ast.BitOr) and (is_type_like(left) and is_type_like(right)):
                    break
                return one
        if isinstance(op, ast.BitOr) and classes.is_type(left) and classes.is_type(right):
            return union(left, right)
        left, right = natives.plain(left), natives.plain(right)
        if not isinstance(left, _PLAIN) or not isinstance(right, _PLAIN):
            return Unknown(f"an operator on {type(left).__name__}")
        if isinstance(op, (ast.Mult, ast.Pow, ast.LShift)) and not _small(op, left, right):
            raise BudgetError("the source makes a value larger than any engine's does")
        function = _BINARY.get(type(op))
        if function is None:
            return Unknown("an operator")
        made = self._guard(lambda: function(left, right))
        if isinstance(made, (str, list, tuple, bytes)) and len(made) > MAX_LENGTH:
            raise BudgetError("the source makes a value larger than any engine's does")
        return made

    def _guard(self, work: Callable[[], object]) -> object:
        """Runs a native operation; what it raises becomes the interpreted code's error."""
        try:
            return work()
        except (
            TypeError,
            ValueError,
            KeyError,
            IndexError,
            AttributeError,
            ArithmeticError,
            StopIteration,
            LookupError,
        ) as error:
            raise InterpretedError(type(error).__name__, str(error)) from None

    def _bool_op(self, op: ast.boolop, nodes: list[ast.expr], frame: Frame) -> object:
        value: object = None
        unsure: Unknown | None = None
        for node in nodes:
            value = self.eval(node, frame)
            answer = self.truth(value)
            if answer is None:
                unsure = value if isinstance(value, Unknown) else Unknown("a condition")
            elif answer == isinstance(op, ast.Or):
                return value if unsure is None or isinstance(value, bool) else unsure
        return unsure if unsure is not None else value

    def _unary(self, op: ast.unaryop, value: object) -> object:
        if isinstance(op, ast.Not):
            answer = self.truth(value)
            return Unknown("a condition") if answer is None else not answer
        if isinstance(value, Unknown):
            return value
        value = natives.plain(value)
        if not isinstance(value, (int, float)):
            return Unknown("an operator")
        if isinstance(op, ast.USub):
            return -value
        if isinstance(op, ast.Invert) and isinstance(value, int):
            return ~value
        return value

    def _compare(self, node: ast.Compare, frame: Frame) -> object:
        left = self.eval(node.left, frame)
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.eval(right_node, frame)
            answer = self.compare(op, left, right)
            if isinstance(answer, Unknown) or not answer:
                return answer
            left = right
        return True

    def compare(self, op: ast.cmpop, left: object, right: object) -> object:
        """``left op right``: a bool or Unknown."""
        if isinstance(op, (ast.Is, ast.IsNot)):
            answer = natives.identical(left, right)
            return answer if isinstance(answer, Unknown) else answer == isinstance(op, ast.Is)
        if isinstance(op, (ast.In, ast.NotIn)):
            found = natives.contains(self, right, left)
            return found if isinstance(found, Unknown) else found == isinstance(op, ast.In)
        for one in (left, right):
            if isinstance(one, Unknown):
                return one
        if isinstance(op, (ast.Eq, ast.NotEq)):
            equal = natives.equal(left, right)
            return equal if isinstance(equal, Unknown) else equal == isinstance(op, ast.Eq)
        left, right = natives.plain(left), natives.plain(right)
        if not isinstance(left, _PLAIN) or not isinstance(right, _PLAIN):
            return Unknown("a comparison")
        return self._guard(lambda: bool(_ORDER[type(op)](left, right)))

    def truth(self, value: object) -> bool | None:
        """Whether a value counts as true; None if that isn't known."""
        if isinstance(value, Unknown):
            return None
        value = natives.plain(value)
        return bool(value) if isinstance(value, _PLAIN) else True

    def _comprehension(
        self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp, frame: Frame
    ) -> object:
        inner = Frame(frame.module, {}, frame, owner=frame.owner, receiver=frame.receiver)
        items: list[object] = []
        unknown = self._generate(node, 0, inner, items)
        if unknown is not None:
            return unknown
        if isinstance(node, ast.DictComp):
            made: dict[object, object] = {}
            for pair in items:
                if isinstance(pair, tuple):
                    self._guard(lambda pair=pair: made.__setitem__(pair[0], pair[1]))
            return made
        if isinstance(node, ast.SetComp):
            return self._set(items)
        return iter(items) if isinstance(node, ast.GeneratorExp) else items

    def _generate(
        self,
        node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp,
        level: int,
        frame: Frame,
        items: list[object],
    ) -> Unknown | None:
        if level == len(node.generators):
            if isinstance(node, ast.DictComp):
                key = self.eval(node.key, frame)
                if isinstance(key, Unknown):
                    return key
                items.append((key, self.eval(node.value, frame)))
            else:
                items.append(self.eval(node.elt, frame))
            return None
        generator = node.generators[level]
        source = self.iterate(self.eval(generator.iter, frame))
        if isinstance(source, Unknown):
            return source
        for one in source:
            self._assign(generator.target, one, frame)
            keep: bool | None = True
            for test in generator.ifs:
                value = self.eval(test, frame)
                keep = self.truth(value)
                if keep is None:
                    return value if isinstance(value, Unknown) else Unknown("a condition")
                if not keep:
                    break
            if keep:
                unknown = self._generate(node, level + 1, frame, items)
                if unknown is not None:
                    return unknown
        return None

    def iterate(self, value: object) -> list[object] | Iterator[object] | Unknown:
        """The items of a value."""
        return natives.items_of(self, value)

    # calls

    def _call_node(self, node: ast.Call, frame: Frame) -> object:
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            return self._super(node, frame)
        function = self.eval(node.func, frame)
        args = self._items(node.args, frame)
        kwargs: dict[str, object] = {}
        for keyword in node.keywords:
            value = self.eval(keyword.value, frame)
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
        return self.call(function, args, kwargs)

    def _super(self, node: ast.Call, frame: Frame) -> object:
        if len(node.args) == 2:
            owner, receiver = (self.eval(one, frame) for one in node.args)
            return Super(owner, receiver) if isinstance(owner, ClassVal) else Unknown("super()")
        scope: Frame | None = frame
        while scope is not None and scope.owner is None:
            scope = scope.parent
        if scope is None or scope.owner is None:
            return Unknown("super()")
        return Super(scope.owner, scope.receiver)

    def call(self, function: object, args: list[object], kwargs: dict[str, object]) -> object:
        """The result of a call, Unknown where the callee isn't known."""
        self._depth += 1
        try:
            if self._depth > MAX_DEPTH:
                raise BudgetError("the source calls deeper than any engine's does")
            match function:
                case FuncVal():
                    return self._call_function(function, args, kwargs, None)
                case Bound(func=func, receiver=receiver):
                    return self._call_function(func, [receiver, *args], kwargs, receiver)
                case Native():
                    return function.call(self, args, kwargs)
                case ClassVal():
                    return classes.instantiate(self, function, args, kwargs)
                case Instance():
                    method = self.attribute(function, "__call__")
                    if isinstance(method, (Bound, FuncVal)):
                        return self.call(method, args, kwargs)
                    return Unknown("a call of an object")
                case External(path=path):
                    known = natives.FUNCTIONS.get(path)
                    if known is not None:
                        return known(self, args, kwargs)
                    return Unknown(f"a call of {path}")
                case type():
                    return natives.call_type(self, function, args, kwargs)
                case Unknown():
                    return function
                case _:
                    return Unknown(f"a call of {type(function).__name__}")
        finally:
            self._depth -= 1

    def _call_function(
        self, func: FuncVal, args: list[object], kwargs: dict[str, object], receiver: object
    ) -> object:
        override = self.overrides.get(f"{func.module.name}.{func.name}")
        override = override or self.overrides.get(f"*.{func.name}")
        if isinstance(override, Native):
            return override.call(self, args, kwargs)
        node = func.node
        if self._uncertain and node in self._active:
            return Unknown(f"{func.name} calls itself where that isn't certain")
        self._active.append(node)
        try:
            return self._enter_function(func, node, args, kwargs, receiver)
        finally:
            self._active.pop()

    def _enter_function(
        self,
        func: FuncVal,
        node: ast.FunctionDef | ast.Lambda,
        args: list[object],
        kwargs: dict[str, object],
        receiver: object,
    ) -> object:
        frame = Frame(func.module, {}, func.frame)
        self._bind(func, args, kwargs, frame)
        frame.owner = func.owner
        frame.receiver = receiver if receiver is not None else (args[0] if args else None)
        if isinstance(node, ast.Lambda):
            return self.eval(node.body, frame)
        if self._yields(node):
            return Unknown(f"{func.name} is a generator")
        control = self.run(node.body, frame)
        value = control[1] if control is not None and control[0] == "return" else None
        if func.name in self.hooks:
            self.hooks[func.name](self, args, value)
        if all(same(value, one) for one in frame.maybe):
            return value
        return Unknown(f"{func.name} depends on where it runs")

    def _yields(self, node: ast.FunctionDef) -> bool:
        """Whether a function is a generator."""
        known = self._generators.get(node)
        if known is None:
            known = False
            stack: list[ast.AST] = list(node.body)
            while stack and not known:
                one = stack.pop()
                known = isinstance(one, (ast.Yield, ast.YieldFrom))
                if not isinstance(one, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
                    stack.extend(ast.iter_child_nodes(one))
            self._generators[node] = known
        return known

    def _bind(
        self, func: FuncVal, args: list[object], kwargs: dict[str, object], frame: Frame
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
        for name, default in self._defaults(func):
            if name not in frame.names:
                frame.names[name] = default if rest is None else rest
        for name in names:
            if name not in frame.names:
                frame.names[name] = rest or Unknown(f"{func.name} wasn't given {name}")

    def _defaults(self, func: FuncVal) -> Iterator[tuple[str, object]]:
        if func.defaults:
            yield from func.defaults.items()
            return
        frame = func.frame or Frame(func.module, func.module.names)
        yield from self._default_values(func.node.args, frame)

    def _default_values(self, spec: ast.arguments, frame: Frame) -> Iterator[tuple[str, object]]:
        positional = [*spec.posonlyargs, *spec.args]
        with_default = positional[len(positional) - len(spec.defaults) :]
        for one, node in zip(with_default, spec.defaults, strict=True):
            yield one.arg, self.eval(node, frame)
        for one, maybe in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
            if maybe is not None:
                yield one.arg, self.eval(maybe, frame)

    def _function(self, node: ast.FunctionDef | ast.Lambda, frame: Frame) -> FuncVal:
        at_top = frame.parent is None and frame.names is frame.module.names
        func = FuncVal(node, frame.module, None if at_top else frame)
        if not at_top and not frame.is_class:
            func.defaults.update(self._default_values(node.args, frame))
        return func

    def attribute(self, owner: object, name: str) -> object:
        """``owner.name``, Unknown if it isn't known.

        Raises:
            InterpretedError: where the code would raise AttributeError.
        """
        match owner:
            case Unknown():
                return owner
            case ModuleVal(module=module):
                found = self._global(module, name)
                return found if found is not _MISSING else self._module_getattr(module, name)
            case External(path=path):
                return self.outside(f"{path}.{name}")
            case _:
                return natives.attribute(self, owner, name)

    # statements

    def run(self, body: list[ast.stmt], frame: Frame) -> Control:
        """Runs statements; a return, break or continue comes back as a pair."""
        for statement in body:
            control = self._statement_safely(statement, frame)
            if control is not None:
                return control
        return None

    def _statement_safely(self, statement: ast.stmt, frame: Frame) -> Control:
        """One statement; what would end the run is noted and passed over, outside of ``try``."""
        if self._tries:
            return self._statement(statement, frame)
        try:
            return self._statement(statement, frame)
        except InterpretedError as error:
            if isinstance(statement, ast.Raise):
                raise
            self.problems.append(f"{frame.module.path}:{statement.lineno}: {error}")
            if isinstance(statement, ast.Return):
                return "return", Unknown(str(error))
            for name in self._bound_by(statement):
                frame.names[name] = Unknown(str(error))
            return None

    def _bound_by(self, statement: ast.stmt) -> list[str]:
        if isinstance(statement, ast.Assign):
            return [one.id for one in statement.targets if isinstance(one, ast.Name)]
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            return [statement.target.id]
        return []

    def _statement(self, statement: ast.stmt, frame: Frame) -> Control:
        self._left -= 1
        match statement:
            case ast.Expr(value=value):
                if not isinstance(value, ast.Constant):
                    self.eval(value, frame)
            case ast.Assign(targets=targets, value=value):
                made = self.eval(value, frame)
                for target in targets:
                    self._assign(target, made, frame)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self._assign(target, self.eval(value, frame), frame)
            case ast.AugAssign(target=target, op=op, value=value):
                self._augment(target, op, self.eval(value, frame), frame)
            case ast.Return(value=value):
                return "return", None if value is None else self.eval(value, frame)
            case ast.If():
                return self._if(statement, frame)
            case ast.For():
                return self._for(statement, frame)
            case ast.While():
                return self._while(statement, frame)
            case ast.FunctionDef(name=name):
                frame.names[name] = self._decorated(statement, frame)
            case ast.ClassDef(name=name):
                frame.names[name] = classes.make(self, statement, frame)
            case ast.Import() | ast.ImportFrom():
                self._bind_import(statement, frame)
            case ast.Try():
                return self._try(statement, frame)
            case ast.With(items=items, body=body):
                for item in items:
                    made = self.eval(item.context_expr, frame)
                    if item.optional_vars is not None:
                        self._assign(item.optional_vars, made, frame)
                return self.run(body, frame)
            case ast.Raise(exc=exc):
                raise InterpretedError(self._exception(exc, frame))
            case ast.Delete(targets=targets):
                for target in targets:
                    self._delete(target, frame)
            case ast.Break():
                return "break", None
            case ast.Continue():
                return "continue", None
            case _:
                pass
        return None

    def _decorated(self, node: ast.FunctionDef, frame: Frame) -> object:
        return self._function(node, frame)

    def _exception(self, node: ast.expr | None, frame: Frame) -> str:
        target = node.func if isinstance(node, ast.Call) else node
        if isinstance(target, ast.Name):
            return target.id
        return target.attr if isinstance(target, ast.Attribute) else "Exception"

    def _assign(self, target: ast.expr, value: object, frame: Frame) -> None:
        match target:
            case ast.Name(id=name):
                frame.names[name] = value
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                self._unpack(elts, value, frame)
            case ast.Attribute(value=owner_node, attr=name):
                owner = self.eval(owner_node, frame)
                if isinstance(owner, Instance):
                    owner.attrs[name] = value
                elif isinstance(owner, ClassVal):
                    owner.names[name] = value
            case ast.Subscript(value=owner_node, slice=index_node):
                owner = self.eval(owner_node, frame)
                index = self.eval(index_node, frame)
                if isinstance(owner, (dict, list)) and not isinstance(index, Unknown):
                    self._guard(lambda: owner.__setitem__(index, value))  # type: ignore[index]
            case ast.Starred(value=inner):
                self._assign(inner, value, frame)
            case _:
                pass

    def _unpack(self, targets: list[ast.expr], value: object, frame: Frame) -> None:
        items = self.iterate(value)
        if isinstance(items, Unknown):
            for target in targets:
                self._assign(target, items, frame)
            return
        left = list(items)
        star = next((i for i, one in enumerate(targets) if isinstance(one, ast.Starred)), None)
        if star is None:
            if len(left) != len(targets):
                raise InterpretedError("ValueError", "unpacking")
            for target, one in zip(targets, left, strict=True):
                self._assign(target, one, frame)
            return
        after = len(targets) - star - 1
        if len(left) < len(targets) - 1:
            raise InterpretedError("ValueError", "unpacking")
        for target, one in zip(targets[:star], left, strict=False):
            self._assign(target, one, frame)
        self._assign(targets[star], left[star : len(left) - after], frame)
        for target, one in zip(targets[star + 1 :], left[len(left) - after :], strict=True):
            self._assign(target, one, frame)

    def _augment(self, target: ast.expr, op: ast.operator, value: object, frame: Frame) -> None:
        old = self.eval(target, frame)
        if isinstance(op, ast.Add) and isinstance(old, list):
            items = self.iterate(value)
            if isinstance(items, Unknown):
                self._assign(target, items, frame)
            else:
                old.extend(items)
            return
        if isinstance(op, ast.BitOr) and isinstance(old, (set, dict)) and type(old) is type(value):
            old.update(value)  # type: ignore[arg-type]
            return
        self._assign(target, self.binary(op, old, value), frame)

    def _delete(self, target: ast.expr, frame: Frame) -> None:
        if isinstance(target, ast.Subscript):
            owner = self.eval(target.value, frame)
            index = self.eval(target.slice, frame)
            if isinstance(owner, (dict, list)) and not isinstance(index, Unknown):
                self._guard(lambda: owner.__delitem__(index))  # type: ignore[arg-type]
        elif isinstance(target, ast.Name):
            frame.names.pop(target.id, None)

    def _if(self, node: ast.If, frame: Frame) -> Control:
        answer = self.truth(self.eval(node.test, frame))
        if answer is not None:
            return self.run(node.body if answer else node.orelse, frame)
        returned = [self._maybe(body, frame) for body in (node.body, node.orelse) if body]
        sure = [one for one in returned if one is not None]
        if len(sure) == 2 and same(sure[0][1], sure[1][1]):
            return "return", sure[0][1]
        frame.maybe.extend(one[1] for one in sure)
        if len(sure) == 2:
            return "return", sure[1][1]
        return None

    def _maybe(self, body: list[ast.stmt], frame: Frame) -> Control:
        """Runs a branch of unknown condition, and undoes what it does to names and containers."""
        before = dict(frame.names)
        copies = [
            (value, natives.fresh(value))
            for value in before.values()
            if isinstance(value, (list, dict, set))
        ]
        self._uncertain += 1
        self._tries += 1
        try:
            control = self.run(body, frame)
        except InterpretedError:
            control = None
        finally:
            self._tries -= 1
            self._uncertain -= 1
        for name, value in frame.names.items():
            if name not in before or not same(before[name], value):
                before[name] = Unknown(f"{name} depends on where it runs")
        for value, copy in copies:
            natives.restore(value, copy)
        frame.names.update(before)
        return control if control is not None and control[0] == "return" else None

    def _for(self, node: ast.For, frame: Frame) -> Control:
        items = self.iterate(self.eval(node.iter, frame))
        if isinstance(items, Unknown):
            self.problems.append(
                f"{frame.module.path}:{node.lineno}: a loop over what isn't known: {items.why}"
            )
            return None
        for one in items:
            self._assign(node.target, one, frame)
            control = self.run(node.body, frame)
            if control is None or control[0] == "continue":
                continue
            return None if control[0] == "break" else control
        return self.run(node.orelse, frame)

    def _while(self, node: ast.While, frame: Frame) -> Control:
        while True:
            answer = self.truth(self.eval(node.test, frame))
            if answer is None:
                self.problems.append(f"{frame.module.path}:{node.lineno}: a loop that isn't known")
                return None
            if not answer:
                return self.run(node.orelse, frame)
            control = self.run(node.body, frame)
            if control is None or control[0] == "continue":
                continue
            return None if control[0] == "break" else control

    def _try(self, node: ast.Try, frame: Frame) -> Control:
        self._tries += 1
        try:
            control = self.run(node.body, frame)
        except InterpretedError as error:
            handler = next((one for one in node.handlers if _catches(one, error)), None)
            if handler is None:
                raise
            if handler.name:
                frame.names[handler.name] = Unknown("an exception")
            control = self.run(handler.body, frame)
        else:
            if control is None:
                control = self.run(node.orelse, frame)
        finally:
            self._tries -= 1
        return self.run(node.finalbody, frame) or control

    def _bind_import(self, node: ast.Import | ast.ImportFrom, frame: Frame) -> None:
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

    def enter_try(self) -> int:
        """From here on an error of the interpreted code is raised instead of noted."""
        self._tries += 1
        return self._tries - 1

    def leave_try(self, depth: int) -> None:
        """Undoes `enter_try`."""
        self._tries = depth

    @property
    def certain(self) -> bool:
        """Whether every condition on the way here is known."""
        return not self._uncertain


def _opaque(value: object, node: ast.expr) -> object:
    """A type that isn't known, as a class outside that no other equals."""
    return External(f"?.{ast.unparse(node)}") if isinstance(value, Unknown) else value


def _catches(handler: ast.ExceptHandler, error: InterpretedError) -> bool:
    if handler.type is None:
        return True
    nodes = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in nodes
        if isinstance(node, (ast.Name, ast.Attribute))
    }
    wider = {"Exception", "BaseException", error.kind}
    if error.kind in {"KeyError", "IndexError"}:
        wider.add("LookupError")
    if error.kind == "ModuleNotFoundError":
        wider.add("ImportError")
    return bool(names & wider)


def _small(op: ast.operator, left: object, right: object) -> bool:
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        limit = 256 if isinstance(op, (ast.Pow, ast.LShift)) else 1 << 256
        return abs(right) <= limit and abs(left) <= 1 << 256
    sizes = [len(one) for one in (left, right) if isinstance(one, (str, bytes, list, tuple))]
    times = [one for one in (left, right) if isinstance(one, int)]
    return not sizes or not times or max(sizes) * max(times) <= MAX_LENGTH
