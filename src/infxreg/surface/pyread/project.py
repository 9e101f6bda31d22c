"""Finds and parses the modules of a source tree, each when it is first asked for."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from functools import cached_property

from attrs import define, field

from infxreg.surface.errors import SourceError
from infxreg.surface.source import Source


@define(eq=False, repr=False)
class Module:
    """One parsed module.

    ``names`` is its namespace as far as it was evaluated.
    """

    name: str
    path: str
    tree: ast.Module
    is_package: bool
    names: dict[str, object] = field(factory=dict)
    done: set[int] = field(factory=set)
    """Indexes of the top-level statements that were run."""
    running: set[str] = field(factory=set)
    at: int | None = None
    """The top-level statement that is running."""

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """The top-level statements."""
        return self.tree.body

    @cached_property
    def touching(self) -> dict[str, list[int]]:
        """Name to the top-level statements that bind or change it, in order."""
        found: dict[str, list[int]] = {}
        for index, statement in enumerate(self.statements):
            for name in sorted(set(touched(statement))):
                found.setdefault(name, []).append(index)
        return found

    def mentioning(self, name: str) -> list[int]:
        """The top-level statements, but definitions, whose code names it."""
        return [
            index
            for index, statement in enumerate(self.statements)
            if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            and any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(statement))
        ]

    @cached_property
    def star_imports(self) -> list[str]:
        """Modules whose every name is imported."""
        return [
            self.absolute(one.module, one.level)
            for one in self.statements
            if isinstance(one, ast.ImportFrom) and one.names[0].name == "*"
        ]

    def absolute(self, module: str | None, level: int) -> str:
        """The absolute name of an import's module."""
        if not level:
            return module or ""
        parts = self.name.split(".")
        keep = len(parts) - level + (1 if self.is_package else 0)
        base = parts[: max(keep, 0)]
        return ".".join([*base, *([module] if module else [])])


def touched(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement binds, or whose objects it changes."""
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.Import(names=names):
            for one in names:
                yield one.asname or one.name.partition(".")[0]
        case ast.ImportFrom(names=names):
            for one in names:
                yield one.asname or one.name
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            for target in targets:
                yield from _roots(target)
        case ast.AnnAssign(target=target, value=value):
            if value is not None:
                yield from _roots(target)
        case ast.AugAssign(target=target):
            yield from _roots(target)
        case (
            ast.Expr(value=ast.Call(func=ast.Attribute(value=owner)))
            | ast.Expr(value=ast.Call(func=ast.Name(id="setattr"), args=[owner, *_]))
        ):
            yield from _roots(owner)
        case ast.If(body=body, orelse=orelse):
            yield from _all(body, orelse)
        case ast.For(target=target, body=body, orelse=orelse):
            yield from _roots(target)
            yield from _all(body, orelse)
        case ast.While(body=body, orelse=orelse):
            yield from _all(body, orelse)
        case ast.With(items=items, body=body):
            for item in items:
                if item.optional_vars is not None:
                    yield from _roots(item.optional_vars)
            yield from _all(body)
        case (
            ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody)
            | ast.TryStar(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody)
        ):
            yield from _all(body, *(handler.body for handler in handlers), orelse, finalbody)
        case ast.Match(cases=cases):
            yield from _all(*(one.body for one in cases))
            for part in (part for case in cases for part in ast.walk(case.pattern)):
                if isinstance(part, (ast.MatchAs, ast.MatchStar)) and part.name:
                    yield part.name


def own_nodes(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """The nodes of statements, but those inside functions and classes that they define."""
    stack: list[ast.AST] = list(body)
    while stack:
        one = stack.pop()
        yield one
        if not isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(one))


def _all(*blocks: list[ast.stmt]) -> Iterator[str]:
    for block in blocks:
        for statement in block:
            yield from touched(statement)


def _roots(target: ast.expr) -> Iterator[str]:
    match target:
        case ast.Name(id=name):
            yield name
        case ast.Attribute(value=value) | ast.Subscript(value=value) | ast.Starred(value=value):
            yield from _roots(value)
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            for one in elts:
                yield from _roots(one)


@define(eq=False, repr=False)
class Project:
    """The modules of one top-level package."""

    source: Source
    package: str
    _modules: dict[str, Module | None] = field(factory=dict, init=False)

    def owns(self, name: str) -> bool:
        """Whether a dotted name is the package's."""
        return name == self.package or name.startswith(self.package + ".")

    def module(self, name: str) -> Module | None:
        """A module by dotted name, or None if the tree hasn't it.

        Raises:
            SourceError: if the file is damaged or isn't Python.
        """
        if name not in self._modules:
            self._modules[name] = self._load(name) if self.owns(name) else None
        return self._modules[name]

    def _load(self, name: str) -> Module | None:
        stem = name.replace(".", "/")
        for path, is_package in ((f"{stem}/__init__.py", True), (f"{stem}.py", False)):
            if self.source.has(path):
                return Module(name, path, self.parse(path), is_package)
        return None

    def parse(self, path: str) -> ast.Module:
        """The syntax tree of one file.

        Raises:
            SourceError: if it isn't Python that this interpreter reads.
        """
        text = self.source.text(path)
        try:
            with warnings.catch_warnings():  # about escapes in the engine's strings
                warnings.simplefilter("ignore")
                return ast.parse(text, path)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise SourceError(self.source.where, f"{path} isn't Python: {error}") from error

    def defining(self, name: str, under: str = "") -> list[str]:
        """Paths of files whose text defines a function or class of that name."""
        wanted = (f"def {name}(", f"class {name}(", f"class {name}:")
        return [
            path
            for path in self.source.paths
            if path.startswith(under) and any(one in self.source.text(path) for one in wanted)
        ]


def dotted(path: str) -> str:
    """The dotted module name of a path."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
