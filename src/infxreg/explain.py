"""Why a value is what it is: the resolved option itself, and the rules that didn't match here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import frozen

from infxreg.errors import UnknownIdError
from infxreg.index import ScopedRule
from infxreg.keys import is_declared
from infxreg.origin import Origin
from infxreg.registry import Registry
from infxreg.scope import AxisValue, Scope
from infxreg.spec import Check, LaunchSpec, ResolvedOption
from infxreg.values import show


@frozen
class Unmatched:
    """A rule that sets the key elsewhere: what it would set, and what keeps it from this point."""

    origin: Origin
    value: str
    scope: str
    why: str


@frozen
class KeyExplanation:
    """A key at a point. ``option`` is the spec's own; None where no rule sets the key here."""

    key: str
    option: ResolvedOption | None
    checks: tuple[Check, ...]
    """What the spec's checks say of its value."""
    unmatched: tuple[Unmatched, ...]


@frozen
class Explanation:
    """A spec, and for each key the rules behind it and beside it."""

    spec: LaunchSpec
    keys: tuple[KeyExplanation, ...]


def explain(registry: Registry, spec: LaunchSpec, key: str | None = None) -> Explanation:
    """Explain a spec that this registry resolved.

    Args:
        registry: the registry.
        spec: a launch spec of it.
        key: one option; left out, every option of the spec.

    Raises:
        UnknownIdError: for a key that nobody declares.
    """
    catalogue = registry.catalogue
    if key is not None and not is_declared(key, catalogue.options):
        raise UnknownIdError("option", key, tuple(catalogue.options))
    facets = catalogue.space.with_facets(spec.point.axes)
    opened = frozenset(spec.gates)
    rules = (*catalogue.plugin_rules.all, *catalogue.site_rules.all)
    keys = sorted(spec.options) if key is None else [key]
    return Explanation(
        spec,
        tuple(
            KeyExplanation(
                name,
                spec.options.get(name),
                tuple(check for check in spec.checks if check.key == name),
                _unmatched(name, rules, facets, opened),
            )
            for name in keys
        ),
    )


def _unmatched(
    key: str,
    rules: Iterable[ScopedRule],
    facets: Mapping[str, AxisValue | None],
    opened: frozenset[str],
) -> tuple[Unmatched, ...]:
    """One entry a rule: of several scopes, the one that misses the point by least."""
    found: dict[Origin, list[tuple[ScopedRule, list[str]]]] = {}
    for scoped in rules:
        if key in scoped.rule.settings:
            missing = _misses(scoped.scope, facets, opened)
            found.setdefault(scoped.origin, []).append((scoped, missing))
    result: list[Unmatched] = []
    for origin in sorted(found):
        scoped, missing = min(found[origin], key=lambda item: len(item[1]))
        if missing:
            value = show(scoped.rule.settings[key])
            result.append(Unmatched(origin, value, str(scoped.scope), "; ".join(missing)))
    return tuple(result)


def _misses(
    scope: Scope, facets: Mapping[str, AxisValue | None], opened: frozenset[str]
) -> list[str]:
    misses = [
        f"{axis} is {facets.get(axis)}, not {constraint}"
        for axis, constraint in scope.terms
        if facets.get(axis) not in constraint
    ]
    return misses + [f"gate {gate} is closed" for gate in sorted(scope.gates - opened)]
