"""Records as plain data, with what follows from the registry: for ``list`` and ``show``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import attrs

from infxreg import plugins
from infxreg.cli.state import State
from infxreg.errors import Fault
from infxreg.index import ScopedRule
from infxreg.origin import Origin
from infxreg.records import Recipe, Rule, Sweep
from infxreg.registry import Registry
from infxreg.scope import Scope
from infxreg.sweeps import WORKLOAD
from infxreg.tables import scope_table
from infxreg.values import ABSENT, Derived, FrozenMap

Facts = dict[str, Any]


def of_kind(kind: str, state: State) -> dict[str, Facts]:
    """What is known of every record of a kind, by id, sorted.

    Beside the record's own fields (what is None or empty text is left out) there are
    facts that follow from others, and ``origin``.
    """
    registry = state.registry
    if kind == "plugin":
        return _plugins(state)
    if kind == "rule":
        return _rules(registry)
    if kind == "expect":
        return _expects(registry)
    records = registry.catalogue.of_kind(kind)
    found: dict[str, Facts] = {}
    for name in sorted(records):
        facts = plain(records[name])
        facts |= _MORE.get(kind, _nothing)(records[name], registry)
        origin = registry.catalogue.origins[kind, name]
        found[name] = {**facts, "origin": _home(origin)}
    return found


def plain(value: Any) -> Any:
    """A record, a scope or a value as dicts, lists and scalars, as a table writes it."""
    if isinstance(value, Scope):
        return scope_table(value)
    if isinstance(value, Sweep):
        return {"id": value.id, **{axis: plain(values) for axis, values in value.axes.items()}}
    if isinstance(value, Derived):
        params = {name: plain(given) for name, given in value.params}
        return {"derive": value.function, "reads": list(value.reads), **params}
    if attrs.has(type(value)):
        fields = ((a.name, getattr(value, a.name)) for a in attrs.fields(type(value)))
        return {name: plain(given) for name, given in fields if given is not None and given != ""}
    if isinstance(value, Mapping):
        return {key: plain(given) for key, given in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return f"{value.__module__}:{value.__qualname__}" if callable(value) else value


def origin_facts(origin: Origin) -> Facts:
    """An origin with the names that a launch spec has for it."""
    return {**plain(origin), "layer": origin.layer.label}


def _home(origin: Origin) -> Facts:
    """Where a record is from; its id and source stand in the record itself."""
    facts = origin_facts(origin)
    return {name: fact for name, fact in facts.items() if name not in ("rule", "note")}


def _nothing(record: Any, registry: Registry) -> Facts:
    return {}


def _sku(sku: Any, registry: Registry) -> Facts:
    arch = registry.catalogue.archs.get(sku.arch)
    return {} if arch is None else {"vendor": arch.vendor}


def _image(image: Any, registry: Registry) -> Facts:
    release = image.version or (image.commit or "")[:12]
    return {"release": release} if release else {}


def _option(option: Any, registry: Registry) -> Facts:
    engines = registry.catalogue.engines
    rendered = [
        name for name in sorted(engines) if any(r.option == option.id for r in engines[name].render)
    ]
    return {"engines": rendered}


def _gate(gate: Any, registry: Registry) -> Facts:
    catalogue = registry.catalogue
    behind = (*catalogue.plugin_rules.behind(gate.id), *catalogue.site_rules.behind(gate.id))
    recipes = [name for name, recipe in catalogue.recipes.items() if gate.id in recipe.gates]
    return {"rules": sorted({rule_name(scoped) for scoped in behind}), "recipes": sorted(recipes)}


def _recipe(recipe: Recipe, registry: Registry) -> Facts:
    points = registry.catalogue.points[recipe.id]
    workload = points[recipe.default_point].get(WORKLOAD)
    return {"workload": workload, "points": list(points)}


def _axis(axis: Any, registry: Registry) -> Facts:
    if axis.type == "int":
        return {}  # every positive integer, not only those that are named somewhere
    return {"values": list(registry.catalogue.space.values.get(axis.id, ()))}


def _evidence(evidence: Any, registry: Registry) -> Facts:
    return {"points": len(evidence.digests)}


def _policy(policy: Any, registry: Registry) -> Facts:
    return {"asks": policy.title["en"]}


_MORE: dict[str, Callable[[Any, Registry], Facts]] = {
    "sku": _sku,
    "image": _image,
    "option": _option,
    "gate": _gate,
    "recipe": _recipe,
    "axis": _axis,
    "evidence": _evidence,
    "policy": _policy,
}


def rule_name(scoped: ScopedRule) -> str:
    """A rule's name in output: its id is unique in its plugin only."""
    return f"{scoped.origin.plugin}:{scoped.origin.rule}"


def _rules(registry: Registry) -> dict[str, Facts]:
    catalogue = registry.catalogue
    found: dict[str, Facts] = {}
    for scoped in (*catalogue.plugin_rules.all, *catalogue.site_rules.all):
        name = rule_name(scoped)
        if name not in found:
            found[name] = {**_rule(scoped.rule), "id": name, "origin": _home(scoped.origin)}
    return dict(sorted(found.items()))


def _rule(rule: Rule) -> Facts:
    facts: Facts = plain(attrs.evolve(rule, settings=FrozenMap()))
    facts.pop("settings")
    settings = rule.settings.items()
    facts["set"] = {key: plain(value) for key, value in settings if value is not ABSENT}
    facts["unset"] = [key for key, value in settings if value is ABSENT]
    return facts


def _expects(registry: Registry) -> dict[str, Facts]:
    found: dict[str, Facts] = {}
    for expect, origin in registry.catalogue.expects:
        facts = plain(expect)
        facts["is"] = facts.pop("values")
        name = f"{origin.plugin}:{expect.id}"
        found[name] = {**facts, "id": name, "origin": _home(origin)}
    return dict(sorted(found.items()))


def _plugins(state: State) -> dict[str, Facts]:
    registry = state.registry
    everyone = (*registry.contributions, *((registry.site,) if registry.site is not None else ()))
    loaded = {contribution.plugin: contribution for contribution in everyone}
    faults = _by_plugin(registry.faults)
    dormant = _by_plugin(registry.catalogue.dormant)
    rows = {(c.plugin, c.distribution, c.version) for c in loaded.values()}
    rows |= {(p.name, p.distribution, p.version) for p in plugins.installed()}
    found: dict[str, Facts] = {}
    for name, distribution, version in sorted(rows):
        contribution = loaded.get(name)
        state_word = "faulty" if name in faults else "ok"
        if contribution is None:
            skipped = {name, distribution} & set(state.skip)
            state_word = "skipped" if skipped else "not allowed"
        counts: dict[str, int] = {}
        for placed in contribution.placed if contribution is not None else ():
            kind = placed.record.kind
            counts[kind] = counts.get(kind, 0) + 1
        found[name if name not in found else f"{name} {distribution}"] = {
            "id": name,
            "distribution": distribution,
            "version": version,
            "state": state_word,
            "records": dict(sorted(counts.items())),
            "faults": faults.get(name, []),
            "dormant": dormant.get(name, []),
        }
    return found


def _by_plugin(faults: Iterable[Fault]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for fault in faults:
        found.setdefault(fault.plugin, []).append(str(fault))
    return found
