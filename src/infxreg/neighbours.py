"""Of many rules that set one key, find those whose scopes can meet a given one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from infxreg.axes import IDENTITY
from infxreg.contest import Entry
from infxreg.scope import AxisValue, OneOf, Scope, meet


class Neighbours:
    """Entries by the SKUs, models and engines that they name, so that few are compared.

    Built once, then only read.
    """

    __slots__ = ("_entries", "_free", "_named")

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = tuple(entries)
        self._named: dict[tuple[str, AxisValue], list[int]] = {}
        self._free: dict[str, list[int]] = {axis: [] for axis in IDENTITY}
        for number, entry in enumerate(self._entries):
            for axis in IDENTITY:
                constraint = entry.scoped.scope.get(axis)
                if isinstance(constraint, OneOf):
                    for value in constraint.values:
                        self._named.setdefault((axis, value), []).append(number)
                else:
                    self._free[axis].append(number)

    def of(self, scope: Scope) -> list[Entry]:
        """The entries whose scopes meet this one, in their order."""
        return [self._entries[number] for number in self._meeting(scope)]

    def pairs(self) -> Iterator[tuple[Entry, Entry]]:
        """Every two entries whose scopes meet, once."""
        for number, entry in enumerate(self._entries):
            for other in self._meeting(entry.scoped.scope):
                if other > number:
                    yield entry, self._entries[other]

    def _meeting(self, scope: Scope) -> list[int]:
        candidates: Iterable[int] = range(len(self._entries))
        fewest = len(self._entries)
        for axis in IDENTITY:
            constraint = scope.get(axis)
            if isinstance(constraint, OneOf):
                found = set(self._free[axis])
                for value in constraint.values:
                    found.update(self._named.get((axis, value), ()))
                if len(found) < fewest:
                    candidates, fewest = sorted(found), len(found)
        return [n for n in candidates if meet(self._entries[n].scoped.scope, scope) is not None]
