"""What an sglang version accepts, read off its Python files by their syntax alone."""

from __future__ import annotations

from infxreg.surface.canonical import canonical
from infxreg.surface.errors import NotThisEngineError, UnreadableTreeError
from infxreg.surface.model import Surface, sorted_names
from infxreg.surface.pyread.argparser import HELP, Read, read_calls
from infxreg.surface.pyread.machine import Machine
from infxreg.surface.pyread.named import variables_read
from infxreg.surface.pyread.project import Project
from infxreg.surface.pyread.values import BudgetError, ClassVal, ParserVal
from infxreg.surface.source import Source
from infxreg.values import FrozenMap
from infxreg_sglang import extract_registries

ENGINE = "sglang"
SERVER_ARGS = "sglang/srt/server_args.py"


def extract(source: Source) -> Surface:
    """The surface of the sglang whose files these are.

    Raises:
        NotThisEngineError: if the tree isn't sglang's.
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
        if source.name not in (None, ENGINE) or not source.has(SERVER_ARGS):
            raise NotThisEngineError(ENGINE, source.where, f"it has no {SERVER_ARGS}")
        self.source = source
        self.machine = Machine(Project(source, ENGINE))
        self.reads: list[Read] = []

    def surface(self) -> Surface:
        """See `extract`."""
        try:
            return canonical(self._surface())
        except (BudgetError, RecursionError) as error:
            raise UnreadableTreeError(ENGINE, self.source.where, str(error)) from error

    def _surface(self) -> Surface:
        machine = self.machine
        server_args = machine.find("sglang.srt.server_args.ServerArgs")
        if not isinstance(server_args, ClassVal):
            raise NotThisEngineError(ENGINE, self.source.where, "it has no ServerArgs")
        parser = ParserVal()
        machine.call(machine.attribute(server_args, "add_cli_args"), [parser], {})
        self.reads = read_calls(machine, parser)
        if len(self.reads) < 50:
            raise UnreadableTreeError(
                ENGINE, self.source.where, f"only {len(self.reads)} arguments were found"
            )
        flags = tuple(one.flag for one in self.reads)
        env = extract_registries.environment(machine)
        read = variables_read(self.source, lambda name: name.startswith(("SGLANG_", "SGL_")))
        aliases = extract_registries.environment_aliases(machine)
        return Surface(
            engine=ENGINE,
            version=self.source.version or extract_registries.version(machine),
            flags=(HELP, *flags),
            configs=extract_registries.graph_configs(machine),
            backends=extract_registries.backends(flags),
            env=env,
            env_read=sorted_names({*read, *aliases} - set(env)),
            registries=FrozenMap(dict(extract_registries.registries(machine, self.source))),
            models=extract_registries.models(self.source),
            made_by="ast",
        )
