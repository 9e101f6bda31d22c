"""Decide every key of a point: the highest layer that sets it, in it the narrowest scope."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import frozen

from infxreg.catalogue import Catalogue
from infxreg.contest import Contest, Entry, by_key, decide, once_each, origins, settling_scope
from infxreg.errors import Conflict, ConflictError
from infxreg.index import ScopedRule
from infxreg.origin import Layer, Origin
from infxreg.scope import OneOf, Scope, in_reading_order, sorted_values
from infxreg.spec import Shadowed
from infxreg.values import Absent, Derived, Setting, show


@frozen(eq=False)
class Picked:
    """What a key is set to, whose it is, and what it beat or hid."""

    setting: Setting
    origins: tuple[Origin, ...]
    shadowed: tuple[Shadowed, ...]
    rules: tuple[ScopedRule, ...] = ()


def pick(
    lower: Iterable[ScopedRule],
    upper: Iterable[ScopedRule],
    requested: Mapping[str, Picked],
    where: str,
    catalogue: Catalogue,
) -> dict[str, Picked]:
    """Decide every key that a rule or the request sets.

    Args:
        lower: the plugins' rules that match the point.
        upper: the site's.
        requested: what the request sets; it is above both.
        where: the point in words, for errors.
        catalogue: the registry's records.

    Raises:
        ConflictError: with every key that conflicts.
    """
    stacks = [(by_key(upper), Layer.SITE), (by_key(lower), Layer.PLUGIN)]
    keys = set(requested).union(*(stack for stack, _ in stacks))
    conflicts: list[Conflict] = []
    picked: dict[str, Picked] = {}
    for key in sorted(keys):
        contests = [
            (decide(stack[key], catalogue.space), layer) for stack, layer in stacks if key in stack
        ]
        if key in requested:
            top = requested[key]
            hidden = contests
        else:
            contest, _ = contests[0]
            hidden = contests[1:]
            if contest.conflict:
                conflicts.append(_conflict(key, contest, where, catalogue))
                continue
            top = Picked(
                contest.setting,
                origins(contest.best),
                _shadowed(contest),
                tuple(entry.scoped for entry in contest.best),
            )
        winner = top.origins[0]
        below = tuple(item for contest, _ in hidden for item in _hidden(contest, winner))
        picked[key] = Picked(top.setting, top.origins, top.shadowed + below, top.rules)
    if conflicts:
        raise ConflictError(tuple(conflicts))
    return picked


def _conflict(key: str, contest: Contest, where: str, catalogue: Catalogue) -> Conflict:
    sides = tuple((show(entry.setting), _place(entry)) for entry in once_each(contest.best))
    scope = settling_scope(contest.best, catalogue.space)
    if scope is None:
        settle = "(they have one scope: change one of them)"
    else:
        settle = rule_toml(scope, key, contest.best[0].setting)
    return Conflict(key, where, sides, settle, origins(contest.best))


def rule_toml(scope: Scope, key: str, setting: Setting) -> str:
    """A rule with this scope, as TOML to paste into a site file."""
    terms = []
    for axis, constraint in in_reading_order(scope.terms):
        if isinstance(constraint, OneOf):
            listed = sorted_values(constraint.values)
            shown = show(listed[0]) if len(listed) == 1 else show(tuple(listed))
        else:
            inner = ", ".join(f"{name} = {bound}" for name, bound in constraint.bounds.items())
            shown = f"{{ {inner} }}"
        terms.append(f"{axis} = {shown}")
    lines = ["[[rule]]", f'id = "settle-{key.replace(".", "-")}"']
    lines.append(f"when = {{ {', '.join(terms)} }}" if terms else "when = {}")
    if scope.gates:
        lines.append(f"gates = {show(tuple(sorted(scope.gates)))}")
    if isinstance(setting, Absent):
        lines.append(f"unset = [{show(key)}]  # or what you mean")
    else:
        lines.append(f"set.{show(key)} = {_toml(setting)}  # or what you mean")
    return "\n".join(lines)


def _toml(setting: Setting) -> str:
    if not isinstance(setting, Derived):
        return show(setting)
    parts = [f"derive = {show(setting.function)}", f"reads = {show(setting.reads)}"]
    parts += [f"{show(name)} = {show(value)}" for name, value in setting.params]
    return f"{{ {', '.join(parts)} }}"


def _place(entry: Entry) -> str:
    file = f" in {entry.origin.file}" if entry.origin.file else ""
    return f"{entry.origin.plugin}:{entry.origin.rule}{file} (scope {entry.scoped.scope})"


def _shadowed(contest: Contest) -> tuple[Shadowed, ...]:
    told = {entry.origin for entry in contest.best}
    lost: list[Shadowed] = []
    for item in contest.beaten:
        if item.entry.origin in told:
            continue
        told.add(item.entry.origin)
        why = (
            f"{item.by.origin.plugin}:{item.by.origin.rule} is narrower "
            f"({item.by.scoped.scope}, inside {item.entry.scoped.scope})"
        )
        lost.append(_lost(item.entry, why))
    return tuple(lost)


def _hidden(contest: Contest, winner: Origin) -> list[Shadowed]:
    why = f"the {winner.layer.label} layer is above the {contest.best[0].origin.layer.label} layer"
    return [_lost(entry, why) for entry in once_each(contest.best)] + list(_shadowed(contest))


def _lost(entry: Entry, why: str) -> Shadowed:
    setting = entry.setting
    if isinstance(setting, Derived):
        return Shadowed(None, entry.origin, why, str(setting))
    return Shadowed(None if isinstance(setting, Absent) else setting, entry.origin, why)
