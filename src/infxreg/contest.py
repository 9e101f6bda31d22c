"""Decide a key at a point: the narrower scope wins, and only then; layers are over it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import frozen

from infxreg.index import ScopedRule
from infxreg.origin import Origin
from infxreg.scope import Facts, Scope, meet, strictly_inside
from infxreg.values import Setting, same


@frozen(eq=False)
class Entry:
    """A rule's setting of one key, as it competes at a point."""

    scoped: ScopedRule
    setting: Setting

    @property
    def origin(self) -> Origin:
        """Where the rule stands."""
        return self.scoped.origin


@frozen(eq=False)
class Beaten:
    """An entry that lost, and to what."""

    entry: Entry
    by: Entry


@frozen(eq=False)
class Contest:
    """How one key came out in one layer: the best entries, and those that they beat.

    A rule that matches through two of its scopes has two entries. There is a
    conflict where the best ones disagree.
    """

    best: tuple[Entry, ...]
    beaten: tuple[Beaten, ...]

    @property
    def conflict(self) -> bool:
        """Whether the best entries disagree."""
        first = self.best[0].setting
        return not all(same(first, entry.setting) for entry in self.best[1:])

    @property
    def setting(self) -> Setting:
        """The value that won; only meaningful without a conflict."""
        return self.best[0].setting


def by_key(matching: Iterable[ScopedRule]) -> dict[str, list[Entry]]:
    """The entries of matching rules, by the key that they set."""
    keys: dict[str, list[Entry]] = {}
    for scoped in matching:
        for key, setting in scoped.rule.settings.items():
            keys.setdefault(key, []).append(Entry(scoped, setting))
    return keys


def decide(entries: Sequence[Entry], facts: Facts) -> Contest:
    """The best of the entries of one key, in the order of their origins.

    Args:
        entries: at least one; all match the point.
        facts: of the ids that their scopes name.
    """
    if len(entries) == 1:
        return Contest(tuple(entries), ())
    best: list[Entry] = []
    beaten: list[Beaten] = []
    ordered = sorted(entries, key=lambda entry: (entry.origin, str(entry.scoped.scope)))
    for entry in ordered:
        winner = next(
            (
                other
                for other in ordered
                if other is not entry
                and strictly_inside(other.scoped.scope, entry.scoped.scope, facts)
            ),
            None,
        )
        if winner is None:
            best.append(entry)
        else:
            beaten.append(Beaten(entry, winner))
    return Contest(tuple(best), tuple(beaten))


def settling_scope(entries: Sequence[Entry], facts: Facts) -> Scope | None:
    """The scope of a rule that would beat every entry, or None where theirs are one scope."""
    scopes = [entry.scoped.scope for entry in entries]
    result: Scope | None = scopes[0]
    for scope in scopes[1:]:
        result = None if result is None else meet(result, scope)
    if result is None or not all(strictly_inside(result, scope, facts) for scope in scopes):
        return None
    return result


def origins(entries: Iterable[Entry]) -> tuple[Origin, ...]:
    """The distinct origins, least first."""
    return tuple(sorted({entry.origin for entry in entries}))


def once_each(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """One entry a rule, for those who are told of it."""
    seen: dict[Origin, Entry] = {}
    for entry in entries:
        seen.setdefault(entry.origin, entry)
    return tuple(seen.values())
