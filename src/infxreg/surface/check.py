"""Whether an engine version takes an argument list and an environment, and what is wrong if not.

`check` answers at once. `Checker` is a surface made ready for many lists: indices of its option
strings, its types read, its JSON classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from attrs import frozen

from infxreg.surface import start_rules, vllm_rules
from infxreg.surface.argparse_rules import Grammar, Misuse, Token, Use, matched
from infxreg.surface.findings import Finding, Kind, Verdict, verdict_of
from infxreg.surface.flag_values import FlagValues
from infxreg.surface.history import History
from infxreg.surface.later_rules import Given, report_later, report_repeats
from infxreg.surface.misuse_rules import instead, report_misuse, report_style
from infxreg.surface.model import Flag, Json, Surface
from infxreg.surface.nearest import Names
from infxreg.surface.report import Report
from infxreg.surface.vllm_dialect import Dialect
from infxreg.surface.vllm_old import with_called_classes

__all__ = ["LEADS", "Checker", "Finding", "History", "Verdict", "check"]

# What stands before the arguments in a launch: `vllm serve MODEL …`, `… --model-path MODEL …`.
LEADS: Mapping[str, tuple[str, ...]] = {
    "vllm": ("org/model",),
    "sglang": ("--model-path", "org/model"),
}
_TOLD_AT_THE_END: tuple[Kind, ...] = ("unknown flag", "stray positional")
_CONSTANTS: Mapping[str, object] = {"None": None, "True": True, "False": False}


def check(
    surface: Surface | Checker,
    argv: Sequence[str],
    env: Mapping[str, str] | None = None,
    *,
    history: History | None = None,
    lead: Sequence[str] | None = None,
) -> Verdict:
    """Checks one argument list and environment against an engine version.

    Args:
        surface: the version; a `Checker` of it where there are many lists.
        argv: the arguments after the model: ``vllm serve MODEL ARG…``.
        env: the variables that are set for the engine.
        history: what is known of other versions, for ``first in 0.31.0``.
        lead: what stands before the arguments; `LEADS` of the engine by default. Empty where
            `argv` names the model itself.

    Returns:
        Whether the engine's parser takes the list, and every finding.
    """
    checker = surface if isinstance(surface, Checker) else Checker.of(surface)
    return checker.check(argv, env, history=history, lead=lead)


@frozen(eq=False)
class Checker:
    """A surface made ready to check argument lists: make it once, use it for many."""

    surface: Surface
    grammar: Grammar
    values: FlagValues
    dialect: Dialect | None
    required: tuple[Flag, ...]
    registries: start_rules.Registries

    @classmethod
    def of(cls, surface: Surface) -> Checker:
        """A checker of an engine version."""
        dialect = Dialect.of(surface) if surface.engine == "vllm" else None
        if dialect is not None:
            surface = with_called_classes(surface, dialect)
        return cls(
            surface=surface,
            grammar=Grammar.of(surface.flags),
            values=FlagValues.of(surface, dialect),
            dialect=dialect,
            required=tuple(flag for flag in surface.flags if flag.required),
            registries=start_rules.Registries.of(surface),
        )

    def check(
        self,
        argv: Sequence[str],
        env: Mapping[str, str] | None = None,
        *,
        history: History | None = None,
        lead: Sequence[str] | None = None,
    ) -> Verdict:
        """See `infxreg.surface.check.check`."""
        report = Report(self.surface, history)
        before = LEADS.get(self.surface.engine, ()) if lead is None else tuple(lead)
        given = self._uses(report, before, argv)
        if given is not None:
            report_repeats(report, given)
            for flag in self.required:
                if flag.dest not in given:
                    name = flag.names[0] if flag.names else flag.dest
                    report.add("missing flag", name, f"{report.engine} needs {name}")
            report_later(report, self.values.schema, self.registries, self._defaults, given)
        if env:
            report.findings.extend(
                start_rules.environment_findings(self.surface, self._variables, env, history)
            )
        return verdict_of(report.findings)

    def _uses(
        self, report: Report, lead: Sequence[str], argv: Sequence[str]
    ) -> dict[str, list[Given]] | None:
        """Every flag that is used, by destination; what is wrong with it goes to the report.

        None where the parser prints and exits: what stands behind it, and what only the end of
        the list would tell, is never looked at.
        """
        tokens = self._tokens(report, lead, argv)
        given: dict[str, list[Given]] = {}
        last: Use | None = None
        walk = matched(self.grammar, tokens)
        for one in walk:
            if isinstance(one, Misuse):
                report_misuse(report, self._names, one, last)
                last = None
                continue
            last = one
            one_given = Given(one, self._read(report, one), one.at >= len(lead))
            given.setdefault(one.flag.dest, []).append(one_given)
            if one.flag.action in ("help", "version"):
                report.forget(_TOLD_AT_THE_END)
                for number, later in enumerate(walk):
                    own_value = number == 0 and isinstance(later, Misuse) and later.flag is one.flag
                    if isinstance(later, Misuse) and (
                        own_value or later.fault == "ambiguous prefix"
                    ):
                        report_misuse(report, self._names, later, None)
                return None
        return given

    def _tokens(self, report: Report, lead: Sequence[str], argv: Sequence[str]) -> Sequence[Token]:
        if self.dialect is None:
            return [Token(text, text) for text in (*lead, *argv)]
        ready = vllm_rules.prepared(self.dialect, lead, argv)
        report.findings.extend(ready.findings)
        return ready.tokens

    def _read(self, report: Report, use: Use) -> tuple[Json, ...] | None:
        flag = use.flag
        if flag.refused:
            report.add(
                "removed flag",
                use.written,
                f"{report.engine} refuses {use.written}" + instead(flag.deprecated),
                near=flag.deprecated or None,
                item=("flag", use.name),
            )
            return None
        if use.name:
            spelled = use.written if self.dialect is None else use.written.replace("_", "-")
            report_style(report, use, spelled)
        return self.values.read(report, use)

    @cached_property
    def _names(self) -> Names:
        return Names.of(name for name in self.grammar.options if name.startswith("--"))

    @cached_property
    def _variables(self) -> Names:
        return start_rules.environment_names(self.surface)

    @cached_property
    def _defaults(self) -> Mapping[str, object]:
        """Destination to default, of flags whose default is a plain constant."""
        return {
            flag.dest: _CONSTANTS[flag.default]
            for flag in self.surface.flags
            if flag.default is not None and flag.default in _CONSTANTS
        }
