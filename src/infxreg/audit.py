"""Check a whole registry: conflicts over all combinations, dead rules, every point and purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from attrs import evolve, frozen

from infxreg.catalogue import Catalogue
from infxreg.combinations import Combination, TooManyError, representatives
from infxreg.contest import Entry, by_key, decide, once_each, settling_scope
from infxreg.errors import ConflictError, InfxregError, PurposeError
from infxreg.index import ScopedRule
from infxreg.neighbours import Neighbours
from infxreg.origin import Layer, Origin
from infxreg.pick import rule_toml
from infxreg.points import describe
from infxreg.registry import Registry
from infxreg.review.expectations import unmet
from infxreg.review.policies import Policies
from infxreg.scope import inside, meet
from infxreg.spec import Answer, LaunchSpec, Severity
from infxreg.sweeps import PURPOSE
from infxreg.values import Derived, same, show

Progress = Callable[[int, int], None]


@frozen
class Finding:
    """One thing that is wrong, or that can't be told, and the specs that share it."""

    id: str
    answer: Answer
    severity: Severity
    message: str
    where: str = ""
    points: tuple[str, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether it is refuted at error level."""
        return self.answer == "refuted" and self.severity == "error"


@frozen
class Audit:
    """What was looked at, and what was found, errors first.

    ``held`` is what was looked at and is as it should be: checks and policies that say ok.
    """

    points: int
    specs: int
    findings: tuple[Finding, ...]
    held: tuple[Finding, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether any finding is refuted at error level."""
        return any(finding.fails for finding in self.findings)


def audit(registry: Registry, progress: Progress | None = None, day: str | None = None) -> Audit:
    """Check a registry.

    Args:
        registry: the registry.
        progress: called with (specs done, specs in all) as they are resolved.
        day: today, as ``2026-12-01``; without it no waiver expires.

    Raises:
        RegistryFaults: if the registry has faults.
    """
    registry.check()
    catalogue = registry.catalogue
    points = list(registry.points())
    purposes = catalogue.space.values.get(PURPOSE, ())
    grouped: dict[Finding, list[str]] = {}
    conflicting: dict[tuple[str, tuple[Origin, ...]], list[str]] = {}
    counted: set[Origin] = set()
    policies = Policies(catalogue, day)
    done, total = 0, len(points) * len(purposes)
    for point in points:
        recipe = point.recipe.id if point.recipe else ""
        for purpose in purposes:
            label = f"{recipe} {point.id} {purpose}"
            try:
                spec = registry.resolve(point.at(purpose=purpose))
            except ConflictError as error:
                for conflict in error.conflicts:
                    place = (conflict.key, conflict.origins)
                    conflicting.setdefault(place, []).append(label)
            except InfxregError as error:
                grouped.setdefault(_failure(error), []).append(label)
            else:
                counted |= {o for option in spec.options.values() for o in option.origins}
                for finding in _of_spec(spec, policies):
                    grouped.setdefault(finding, []).append(label)
            done += 1
            if progress is not None:
                progress(done, total)
    told = [evolve(finding, points=tuple(labels)) for finding, labels in grouped.items()]
    findings = [finding for finding in told if finding.answer != "ok"]
    findings += conflicts(catalogue, conflicting)
    findings += dead_rules(catalogue, counted)
    findings += [
        Finding(
            "expect",
            "refuted",
            "error",
            f"{claim.origin.plugin}:{claim.expect.id}: {claim.message}",
            claim.origin.file,
            claim.points,
        )
        for claim in unmet(registry)
    ]
    findings += _unread(catalogue)
    findings += _empty_gates(catalogue)
    findings += _idle_waivers(policies)
    findings += [
        Finding("dormant", "unknown", "note", fault.message, f"{fault.plugin}: {fault.where}")
        for fault in catalogue.dormant
    ]
    held = sorted((finding for finding in told if finding.answer == "ok"), key=_rank)
    return Audit(len(points), done, tuple(sorted(findings, key=_rank)), tuple(held))


def conflicts(
    catalogue: Catalogue,
    points: Mapping[tuple[str, tuple[Origin, ...]], list[str]] | None = None,
) -> Iterator[Finding]:
    """Every pair of rules that disagree at some combination that known SKUs can have.

    Args:
        catalogue: the registry's records.
        points: swept points at which a key is known to conflict, by key and rules.
    """
    upper = by_key(catalogue.site_rules.all)
    lower = by_key(catalogue.plugin_rules.all)
    seen: set[tuple[str, frozenset[Origin]]] = set()
    for key in sorted(set(upper) | set(lower)):
        entries = [*upper.get(key, ()), *lower.get(key, ())]
        near = Neighbours(entries)
        for a, b in near.pairs():
            if a.origin.layer is b.origin.layer and _may_conflict(a, b, catalogue):
                for finding, rules in _conflicts_of(key, a, b, near, catalogue):
                    if (key, rules) not in seen:
                        seen.add((key, rules))
                        labels = [
                            label
                            for (other, origins), found in (points or {}).items()
                            if other == key and rules <= set(origins)
                            for label in found
                        ]
                        yield evolve(finding, points=tuple(labels))


def dead_rules(catalogue: Catalogue, counted: Iterable[Origin] = ()) -> Iterator[Finding]:
    """Rules that set no key anywhere: nothing matches them, or narrower ones always win.

    Args:
        catalogue: the registry's records.
        counted: origins that are known to count somewhere.
    """
    everything = (*catalogue.site_rules.all, *catalogue.plugin_rules.all)
    neighbours = {key: Neighbours(entries) for key, entries in by_key(everything).items()}
    alive = set(counted)
    undecided: set[Origin] = set()
    for scoped in everything:
        if scoped.origin in alive:
            continue
        try:
            if _counts(scoped, neighbours, catalogue):
                alive.add(scoped.origin)
        except TooManyError:
            undecided.add(scoped.origin)
    for origin in sorted({scoped.origin for scoped in everything} - alive):
        if origin in undecided:
            message = "has too many combinations to tell whether it counts anywhere"
            yield Finding("dead-rule", "unknown", "note", f"{origin} {message}", origin.file)
        else:
            message = "never counts: nothing known matches it, or narrower rules win everywhere"
            yield Finding("dead-rule", "refuted", "warning", f"{origin} {message}", origin.file)


def _may_conflict(a: Entry, b: Entry, catalogue: Catalogue) -> bool:
    if same(a.setting, b.setting) or a.origin == b.origin:
        return False
    down = inside(a.scoped.scope, b.scoped.scope, catalogue.space)
    up = inside(b.scoped.scope, a.scoped.scope, catalogue.space)
    return down == up


def _conflicts_of(
    key: str, a: Entry, b: Entry, neighbours: Neighbours, catalogue: Catalogue
) -> Iterator[tuple[Finding, frozenset[Origin]]]:
    scope = meet(a.scoped.scope, b.scoped.scope)
    if scope is None:
        return
    near = neighbours.of(scope)
    rules = frozenset((a.origin, b.origin))
    try:
        for at in representatives(scope, [e.scoped.scope for e in near], catalogue):
            here = [e for e in near if e.scoped.scope.matches(at.facets, at.gates)]
            top = max(e.origin.layer for e in here)
            if top is not a.origin.layer:
                continue
            contest = decide([e for e in here if e.origin.layer is top], catalogue.space)
            origins = {entry.origin for entry in contest.best}
            if contest.conflict and rules <= origins:
                yield _conflict(key, contest.best, at, catalogue), rules
                return
    except TooManyError:
        message = f"{key}: {a.origin} and {b.origin} may conflict in {scope}: too many combinations"
        yield Finding("conflict", "unknown", "warning", message), rules


def _conflict(key: str, best: tuple[Entry, ...], at: Combination, catalogue: Catalogue) -> Finding:
    sides = " and ".join(
        f"{show(entry.setting)} by {entry.origin.plugin}:{entry.origin.rule} ({entry.scoped.scope})"
        for entry in once_each(best)
    )
    where = describe(at.axes, catalogue.space)
    opened = f" with {', '.join(sorted(at.gates))} open" if at.gates else ""
    message = f"{key} is {sides}, for example at {where}{opened}"
    scope = settling_scope(best, catalogue.space)
    if scope is not None:
        message += "; a rule that would settle it:\n" + rule_toml(scope, key, best[0].setting)
    files = ", ".join(sorted({entry.origin.file for entry in best if entry.origin.file}))
    return Finding("conflict", "refuted", "error", message, files)


def _counts(scoped: ScopedRule, neighbours: Mapping[str, Neighbours], catalogue: Catalogue) -> bool:
    for key in scoped.rule.settings:
        near = neighbours[key].of(scoped.scope)
        for at in representatives(scoped.scope, [e.scoped.scope for e in near], catalogue):
            here = [e for e in near if e.scoped.scope.matches(at.facets, at.gates)]
            top = max((e.origin.layer for e in here), default=Layer.PLUGIN)
            best = decide([e for e in here if e.origin.layer is top], catalogue.space).best
            if any(entry.origin == scoped.origin for entry in best):
                return True
    return False


def _of_spec(spec: LaunchSpec, policies: Policies) -> Iterator[Finding]:
    for check in spec.checks:
        yield Finding(check.id, check.answer, check.severity, check.reason)
    for held in policies.of(spec):
        yield Finding(held.policy, held.answer, held.severity, held.message)


def _failure(error: InfxregError) -> Finding:
    if isinstance(error, PurposeError):
        return Finding(
            "purpose",
            "unknown",
            "warning",
            f"no rule of engine {error.engine} names purpose {error.purpose!r} there",
        )
    return Finding("resolve", "refuted", "error", str(error))


def _unread(catalogue: Catalogue) -> Iterator[Finding]:
    """Options that only derivations could read, and none does."""
    rules = (*catalogue.site_rules.all, *catalogue.plugin_rules.all)
    read = {
        name
        for scoped in rules
        for setting in scoped.rule.settings.values()
        if isinstance(setting, Derived)
        for name in setting.reads
    }
    for scoped in rules:
        for key in scoped.rule.settings:
            option = catalogue.options.get(key)
            if option is not None and option.use == "input" and key not in read:
                message = f"{scoped.origin} sets {key}, which no derivation reads"
                yield Finding("unread-option", "refuted", "error", message, scoped.origin.file)


def _empty_gates(catalogue: Catalogue) -> Iterator[Finding]:
    for name in sorted(catalogue.gates):
        if not (catalogue.plugin_rules.behind(name) or catalogue.site_rules.behind(name)):
            origin = catalogue.origins["gate", name]
            message = f"no rule stands behind gate {name}: opening it does nothing"
            yield Finding("empty-gate", "refuted", "warning", message, origin.file)


def _idle_waivers(policies: Policies) -> Iterator[Finding]:
    for waiver in policies.idle():
        origin = policies.catalogue.origins["waiver", waiver.id]
        message = f"waiver {waiver.id} waives nothing of {waiver.policy}: delete it"
        yield Finding("waiver", "refuted", "warning", message, origin.file)


def _rank(finding: Finding) -> tuple[object, ...]:
    levels = ("error", "warning", "note")
    return (
        not finding.fails,
        levels.index(finding.severity),
        finding.answer,
        finding.id,
        finding.message,
        finding.where,
    )
