"""Every error that infxreg raises, one tree, with fields and not only text.

A message says what, where, what is known instead, and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from attrs import frozen

from infxreg.origin import Origin


def near(name: str, known: Iterable[str]) -> str | None:
    """The known name that is closest to a mistyped one, or None."""
    names = list(known)
    folded = {candidate.lower(): candidate for candidate in reversed(names)}
    found = difflib.get_close_matches(name.lower(), list(folded), n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def _known(names: Sequence[str], limit: int = 12) -> str:
    shown = ", ".join(names[:limit])
    return shown + (f" and {len(names) - limit} more" if len(names) > limit else "")


class InfxregError(Exception):
    """The root of the tree."""


@frozen
class Fault:
    """One thing wrong with a plugin, a table or a record.

    ``where`` is the file, ``path`` the key path inside it (``rule[3].when``).
    """

    plugin: str
    message: str
    distribution: str = ""
    where: str = ""
    path: str = ""

    def __str__(self) -> str:
        place = " ".join(
            part for part in (self.plugin, self.distribution and f"({self.distribution})") if part
        )
        for part in (self.where, self.path):
            place += f": {part}" if part else ""
        return f"{place}: {self.message}"


@frozen
class RegistryFaults(InfxregError):
    """The registry can't be used: every fault of every plugin and file, in one go."""

    faults: tuple[Fault, ...]

    def __str__(self) -> str:
        count = len(self.faults)
        lines = [f"{count} fault{'s' if count != 1 else ''} in the registry:"]
        lines += [f"  {fault}" for fault in self.faults]
        plugins = sorted({fault.plugin for fault in self.faults} - {"infxreg", "site"})
        if plugins:
            skips = " ".join(f"--skip-plugin {name}" for name in plugins)
            lines.append(f"Mend them, or go on without: {skips}")
        return "\n".join(lines)


@frozen
class UnknownIdError(InfxregError):
    """An id that no installed plugin and no site file declares."""

    kind: str
    id: str
    known: tuple[str, ...] = ()
    where: str = ""

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        text = f"{place}unknown {self.kind} {self.id!r}"
        guess = near(self.id, self.known)
        if guess is not None:
            return f"{text}: did you mean {guess!r}?"
        if not self.known:
            return f"{text}: none is registered; is a plugin missing?"
        return f"{text}: known are {_known(self.known)}"


class RequestError(InfxregError):
    """The request can't be used as it stands."""


@frozen
class BadRequestError(RequestError):
    """A request that contradicts itself or holds a value of the wrong kind."""

    message: str

    def __str__(self) -> str:
        return self.message


@frozen
class EngineChoiceError(RequestError):
    """No engine was named and no recipe is marked default."""

    sku: str
    model: str
    workload: str
    engines: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()
    """The workloads for which the model has recipes on the SKU, where this one has none."""

    def __str__(self) -> str:
        what = f"{self.model} on {self.sku} (workload {self.workload})"
        if not self.engines:
            others = f", only for workload {', '.join(self.elsewhere)}" if self.elsewhere else ""
            return f"no recipe for {what}{others}: name an engine to resolve it all the same"
        return f"{what} has recipes for several engines and none is the default: name one of " + (
            ", ".join(self.engines)
        )


@frozen
class UnknownPointError(RequestError):
    """A point id that the recipe doesn't have."""

    point: str
    recipe: str
    known: tuple[str, ...]

    def __str__(self) -> str:
        guess = near(self.point, self.known)
        hint = f"did you mean {guess!r}?" if guess else f"it has {_known(self.known, 40)}"
        return f"recipe {self.recipe} has no point {self.point!r}: {hint}"


@frozen
class OffSweepError(RequestError):
    """The axes named, filled up from the default point, miss every sweep that has them."""

    recipe: str
    named: str
    points: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"recipe {self.recipe} sweeps {self.named}, but not together with its default "
            f"point's other values: name the rest, or --point with one of {_known(self.points, 40)}"
        )


@frozen
class PurposeError(RequestError):
    """A purpose that no rule of the engine names at this point."""

    purpose: str
    engine: str
    point: str
    known: tuple[str, ...]

    def __str__(self) -> str:
        known = f"rules name {', '.join(self.known)} here" if self.known else "none is named here"
        return (
            f"no rule of engine {self.engine} names purpose {self.purpose!r} at {self.point}: "
            f"{known}; the values would be those of another purpose"
        )


@frozen
class GateScopeError(RequestError):
    """A gate that was asked to be open at a point outside its scope."""

    gate: str
    scope: str
    point: str

    def __str__(self) -> str:
        return (
            f"gate {self.gate} can't be opened at {self.point}: its scope is {self.scope}. "
            "What is behind it is meant for that scope only"
        )


@frozen
class GateIdleError(RequestError):
    """A gate that was asked to be open where none of its rules counts."""

    gate: str
    point: str
    needs: tuple[str, ...]
    scopes: tuple[str, ...]

    def __str__(self) -> str:
        text = f"opening gate {self.gate} at {self.point} does nothing: "
        if self.needs:
            return text + f"its rules there stand behind {', '.join(self.needs)} too; open these"
        if self.scopes:
            return text + "its rules are for " + "; ".join(self.scopes)
        return text + "no rule stands behind it"


@frozen
class GateContradictionError(RequestError):
    """A gate asked to be both open and closed in one place."""

    gates: tuple[str, ...]
    where: str

    def __str__(self) -> str:
        return f"{self.where} asks for {', '.join(self.gates)} to be both open and closed: drop one"


class ResolveError(InfxregError):
    """The point is fine, but its values aren't."""


@frozen
class Conflict:
    """Rules that disagree on a key at a point, none being narrower than the others."""

    key: str
    point: str
    sides: tuple[tuple[str, str], ...]
    """(value as TOML, origin) for each side."""
    settle: str
    """A rule, as TOML, that would settle it."""
    origins: tuple[Origin, ...] = ()
    """Where the sides' rules stand."""

    def __str__(self) -> str:
        lines = [f"{self.key} conflicts at {self.point}:"]
        lines += [f"  {value}  from {origin}" for value, origin in self.sides]
        lines += ["a rule with this scope would settle it:"]
        lines += [f"  {line}" for line in self.settle.splitlines()]
        return "\n".join(lines)


@frozen
class ConflictError(ResolveError):
    """At least one key conflicts at this point; all of them are listed."""

    conflicts: tuple[Conflict, ...]

    def __str__(self) -> str:
        return "\n".join(str(conflict) for conflict in self.conflicts)


@frozen
class ValueProblem:
    """A resolved value that can't be launched, and where it is from."""

    key: str
    message: str
    origin: str

    def __str__(self) -> str:
        return f"{self.key}: {self.message} (from {self.origin})"


@frozen
class UnusableValueError(ResolveError):
    """Values that no engine renders, that an engine refuses, or that stand behind a closed gate."""

    point: str
    problems: tuple[ValueProblem, ...]

    def __str__(self) -> str:
        return "\n".join([f"at {self.point}:", *(f"  {problem}" for problem in self.problems)])


@frozen
class DerivationError(ResolveError):
    """A derivation raised, or gave a value of the wrong type."""

    key: str
    point: str
    derivation: str
    inputs: str
    origin: str
    reason: str

    def __str__(self) -> str:
        return (
            f"{self.key} at {self.point}: derivation {self.derivation} given {self.inputs} failed: "
            f"{self.reason} (from {self.origin})"
        )


@frozen
class NoValueError(ResolveError):
    """A launch spec needs a key that no rule sets at this point."""

    key: str
    point: str
    hint: str

    def __str__(self) -> str:
        return f"no rule sets {self.key} at {self.point}: {self.hint}"


@frozen
class SpecFormatError(InfxregError):
    """A document that is no launch spec of a schema that this version reads."""

    problems: tuple[str, ...]

    def __str__(self) -> str:
        return "not a launch spec: " + "; ".join(self.problems)
