"""The nearest of many names to a mistyped one, fast enough for every argument list.

`infxreg.errors.near` compares with every name; with an engine's five hundred flags that takes
milliseconds. Here names are indexed by their letter pairs, and two are near by Dice's measure:
twice the pairs they share over the pairs they have.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping

from attrs import frozen

# In a short name one wrong letter spoils half of the pairs.
_CUTOFF, _SHORT_CUTOFF, _SHORT = 0.6, 0.49, 6
# A pair that more names than this have tells little and costs most of the time.
_COMMON = 120


@frozen(eq=False)
class Names:
    """Names, indexed by their letter pairs."""

    names: tuple[str, ...]
    known: frozenset[str]
    pairs: Mapping[str, tuple[int, ...]]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, names: Iterable[str]) -> Names:
        """An index of the names."""
        distinct = tuple(dict.fromkeys(names))
        found: dict[str, list[int]] = {}
        for index, name in enumerate(distinct):
            for pair in _pairs(name):
                found.setdefault(pair, []).append(index)
        telling = {pair: tuple(at) for pair, at in found.items() if len(at) <= _COMMON}
        sizes = [0] * len(distinct)
        for at in telling.values():
            for index in at:
                sizes[index] += 1
        return cls(distinct, frozenset(distinct), telling, tuple(sizes))

    def __contains__(self, name: object) -> bool:
        return name in self.known

    def near(self, name: str) -> str | None:
        """The nearest name, case and ``_`` against ``-`` ignored, or None if none is near."""
        shared: dict[int, int] = {}
        own = 0
        for pair in _pairs(name):
            at = self.pairs.get(pair)
            if at is None:
                own += pair not in _UNTOLD
                continue
            own += 1
            for index in at:
                shared[index] = shared.get(index, 0) + 1
        best, found = _SHORT_CUTOFF if own < _SHORT else _CUTOFF, None
        for index, count in shared.items():
            likeness = 2 * count / (own + self.sizes[index])
            if likeness > best:
                best, found = likeness, self.names[index]
        return found


@functools.lru_cache(maxsize=256)
def near_one(name: str, names: tuple[str, ...]) -> str | None:
    """The nearest of a few names, such as the choices of a flag; see `Names.near`."""
    return Names.of(names).near(name)


# Every option string begins with this pair: it is too common to be indexed, and no difference.
_UNTOLD = frozenset({" -", "--"})


def _pairs(name: str) -> set[str]:
    folded = f" {name.lower().replace('_', '-')} "
    return {folded[index : index + 2] for index in range(len(folded) - 1)}
