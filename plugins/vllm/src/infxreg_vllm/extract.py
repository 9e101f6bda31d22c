"""What a vllm version accepts, read off its Python files by their syntax alone.

Entry points move between versions, so they are found by name: the ``serve``
subcommand, ``make_arg_parser``, ``FlexibleArgumentParser``.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from infxreg.surface.canonical import canonical
from infxreg.surface.errors import NotThisEngineError, UnreadableTreeError
from infxreg.surface.model import Surface, sorted_names
from infxreg.surface.pyread import classes, records
from infxreg.surface.pyread.argparser import HELP, Read, read_calls
from infxreg.surface.pyread.configs import ConfigReader
from infxreg.surface.pyread.machine import Machine
from infxreg.surface.pyread.named import variables_read
from infxreg.surface.pyread.project import Project, dotted
from infxreg.surface.pyread.values import (
    BudgetError,
    ClassVal,
    FuncVal,
    Instance,
    Native,
    ParserVal,
    Unknown,
)
from infxreg.surface.source import Source
from infxreg.values import FrozenMap
from infxreg_vllm import extract_registries, extract_traits

ENGINE = "vllm"
ARG_UTILS = "vllm/engine/arg_utils.py"
SERVE = "vllm.entrypoints.cli.serve"
CUDA_PLATFORMS = ("NvmlCudaPlatform", "NonNvmlCudaPlatform", "CudaPlatformBase")


def extract(source: Source) -> Surface:
    """The surface of the vllm whose files these are, for its CUDA build.

    Raises:
        NotThisEngineError: if the tree isn't vllm's.
        UnreadableTreeError: if its parser can't be followed.
        SourceError: if a file is damaged.
    """
    return Extraction(source).surface()


class Extraction:
    """One extraction.

    Attributes:
        machine: what was evaluated, and its ``problems``.
        reads: the arguments, with the cause where choices aren't known.
    """

    def __init__(self, source: Source) -> None:
        if source.name not in (None, ENGINE) or not source.has(ARG_UTILS):
            raise NotThisEngineError(ENGINE, source.where, f"it has no {ARG_UTILS}")
        self.source = source
        self.machine = Machine(Project(source, ENGINE))
        self.reads: list[Read] = []
        self._prepare()

    def surface(self) -> Surface:
        """See `extract`."""
        try:
            return canonical(self._surface())
        except (BudgetError, RecursionError) as error:
            raise UnreadableTreeError(ENGINE, self.source.where, str(error)) from error

    def _prepare(self) -> None:
        """What the interpreter takes instead of code that runs things or asks the machine."""
        machine = self.machine
        machine.overrides.update(
            {
                "vllm.engine.arg_utils.NEEDS_HELP": True,
                "*.get_attr_docs": Native("get_attr_docs", _attr_docs),
                "*.load_general_plugins": Native("load_general_plugins", lambda m, a, k: None),
                "*.LazyLoader": Native("LazyLoader", lambda m, a, k: m.module(str(a[2]))),
            }
        )
        machine.hooks["get_kwargs"] = _name_origins
        for name in CUDA_PLATFORMS:
            platform = machine.find(f"vllm.platforms.cuda.{name}")
            if isinstance(platform, ClassVal):
                machine.overrides["vllm.platforms.current_platform"] = Instance(platform)
                break

    def _surface(self) -> Surface:
        registries = extract_registries.parsers(self.machine, self.source)
        parser = self._parser()
        self.reads = read_calls(self.machine, parser)
        if len(self.reads) < 50:
            raise UnreadableTreeError(
                ENGINE, self.source.where, f"only {len(self.reads)} arguments were found"
            )
        reader = self._configs(parser)
        configs = FrozenMap(dict(sorted(reader.configs.items())))
        registries.update(extract_registries.others(self.machine, self.source, configs))
        flags = [one.flag for one in self.reads]
        registries.update(extract_registries.of_enums(flags, configs, reader.enums))
        env = extract_registries.environment(self.machine)
        read = variables_read(self.source, lambda name: name.startswith("VLLM_"))
        return Surface(
            engine=ENGINE,
            version=self.source.version or extract_registries.version(self.machine),
            flags=(HELP, *flags),
            configs=configs,
            enums=FrozenMap(dict(sorted(reader.enums.items()))),
            backends=extract_registries.backends(self.machine),
            env=env,
            env_read=sorted_names(set(read) - set(env)),
            registries=FrozenMap(
                {name: sorted_names(names) for name, names in sorted(registries.items()) if names}
            ),
            models=extract_registries.models(self.machine),
            traits=extract_traits.traits(self.machine),
            made_by="ast",
        )

    # the parser

    def _parser(self) -> ParserVal:
        """The parser of ``vllm serve``, with every argument added."""
        machine = self.machine
        parser = ParserVal(cls=extract_traits.parser_class(machine))
        self._registrations(parser)
        serve = machine.find(f"{SERVE}.ServeSubcommand")
        if isinstance(serve, ClassVal):
            made = machine.call(serve, [], {})
            method = machine.attribute(made, "subparser_init")
            machine.call(method, [ParserVal(subparser=parser)], {})
        if not parser.calls:
            machine.call(self._make_arg_parser(), [parser], {})
        return parser

    def _make_arg_parser(self) -> FuncVal:
        for path in self.machine.project.defining("make_arg_parser", "vllm/entrypoints/"):
            if "AsyncEngineArgs.add_cli_args" in self.source.text(path):
                found = self.machine.find(f"{dotted(path)}.make_arg_parser")
                if isinstance(found, FuncVal):
                    return found
        raise NotThisEngineError(ENGINE, self.source.where, "nothing makes its argument parser")

    def _registrations(self, parser: ParserVal) -> None:
        """Actions that the parser's own class puts in place of argparse's."""
        init = parser.cls and classes.own_attribute(self.machine, parser.cls, "__init__")
        if not init or not isinstance(init.value, FuncVal):
            return
        frame = classes.body_frame(init.owner)
        for node in ast.walk(init.value.node):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "register"
                and len(node.args) == 3
            ):
                _, old, new = (self.machine.eval(one, frame) for one in node.args)
                if not isinstance(old, Unknown):
                    parser.registered[old] = new

    # config classes

    def _configs(self, parser: ParserVal) -> ConfigReader:
        machine = self.machine
        reader = ConfigReader(machine, default_extra=self._default_extra())
        behind = [one.type_value for one in self.reads]
        wanted = [cls for cls in map(_dataclass_behind, behind) if cls is not None]
        home = machine.project.module("vllm.config")
        for name in sorted(home.touching) if home is not None else ():
            value = machine.name_in(home, name) if home is not None else None
            if isinstance(value, ClassVal) and records.is_dataclass(machine, value):
                wanted.append(value)
        reader.read(wanted)
        return reader

    def _default_extra(self) -> str | None:
        """What the ``config`` decorator sets for unknown keys, where it sets anything."""
        for home in ("vllm.config.utils", "vllm.config"):
            func = self.machine.find(f"{home}.config")
            if isinstance(func, FuncVal):
                for node in ast.walk(func.node):
                    if isinstance(node, ast.keyword) and node.arg == "extra":
                        value = node.value
                        return str(value.value) if isinstance(value, ast.Constant) else None
        return None


def _dataclass_behind(value: object) -> ClassVal | None:
    """The config class that an argument's type makes of its JSON."""
    while isinstance(value, FuncVal) and value.name in {"_optional_type", "_parse_type"}:
        value = value.closed_over("return_type")
    if isinstance(value, FuncVal) and value.name == "parse_dataclass":
        cls = value.closed_over("cls")
        return cls if isinstance(cls, ClassVal) else None
    return None


def _name_origins(machine: Machine, args: list[object], result: object) -> None:
    """Marks what ``get_kwargs(Class)`` made of each field with the class and field."""
    if isinstance(result, dict) and args and isinstance(args[0], ClassVal):
        for name, kwargs in result.items():
            if isinstance(kwargs, dict):
                kwargs["__origin__"] = f"{args[0].name}.{name}"


def _attr_docs(machine: Machine, args: list[object], kwargs: dict[str, object]) -> object:
    """The texts below the fields of a class, by which the engine says what is deprecated."""
    docs: dict[object, object] = {}
    if args and isinstance(args[0], ClassVal):
        for one in reversed(list(classes.mro(args[0]))):
            if isinstance(one, ClassVal) and one.node is not None:
                docs.update(_docs(one.node.body))
    return docs


def _docs(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for first, second in itertools.pairwise(body):
        if (
            isinstance(first, ast.AnnAssign)
            and isinstance(first.target, ast.Name)
            and isinstance(second, ast.Expr)
            and isinstance(second.value, ast.Constant)
            and isinstance(second.value.value, str)
        ):
            yield first.target.id, second.value.value
