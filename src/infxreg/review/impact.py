"""What changes between two snapshots: points, keys, the rules that did it; and what doesn't."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from attrs import field, frozen

from infxreg.axes import AxisSpace
from infxreg.review.regions import Region, Universe
from infxreg.review.snapshot import Entry, Json, Order, Set, Snapshot
from infxreg.scope import AxisValue, Scope
from infxreg.spec import canonical
from infxreg.sweeps import PURPOSE
from infxreg.values import FrozenMap

_BY_OPTIONS = {
    "image": ("image",),
    "resources": ("resources.",),
    "timeouts": ("timeout.",),
    "client_env": ("client_env.",),
    "frontend": ("frontend.",),
    "setup": ("setup.",),
    "gates": (),
    "model": (),
}
"""The options that tell of a part of the launch; of the other parts all do but the image."""


@frozen
class KeyChange:
    """What happens to one key: a value for another, or another rule for the same value.

    Attributes:
        key: an option, or a part of the launch (``argv``) where no option tells.
        before: the rules that set it, empty where none did.
        after: those that set it now.
    """

    key: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@frozen
class Pair:
    """An old and a new value; None is absent."""

    old: Json
    new: Json


@frozen(kw_only=True)
class Block:
    """What happens alike to a set of points.

    Attributes:
        kind: ``changed``, ``new``, ``gone``, or ``fails`` (there is no spec any more).
        purposes: at which this holds.
        regions: the points as scopes.
        keys: for ``changed``: each key with its distinct values, in the order of points.
        error: for ``fails``: why.
    """

    kind: str
    purposes: tuple[str, ...]
    regions: tuple[Region, ...]
    keys: tuple[tuple[KeyChange, tuple[Pair, ...]], ...] = ()
    error: str = ""

    @property
    def count(self) -> int:
        """How many points."""
        return len(self.members)

    @property
    def members(self) -> frozenset[int]:
        """Their numbers."""
        return frozenset(number for region in self.regions for number in region.members)


@frozen(kw_only=True)
class Impact:
    """The difference of two snapshots.

    Attributes:
        points: every point of either, by number: its axes but the purpose.
        names: ``recipe/point`` of each.
        purposes: every purpose of either.
        touched: by purpose, the numbers of the points that aren't the same.
        blocks: what happens to them, the largest first.
        regions: all points that are touched at any purpose, as scopes.
        images: what the touched points launch afterwards.
    """

    points: tuple[FrozenMap[str, AxisValue], ...]
    names: tuple[str, ...]
    purposes: tuple[str, ...]
    touched: FrozenMap[str, frozenset[int]]
    blocks: tuple[Block, ...]
    regions: tuple[Region, ...]
    images: frozenset[str]
    defaults: FrozenMap[str, AxisValue]
    stale: FrozenMap[str, frozenset[int]] = field(factory=FrozenMap)
    """Evidence to the points whose spec it ran, and which are another spec now."""

    @property
    def any(self) -> frozenset[int]:
        """The points that are touched at any purpose."""
        return frozenset().union(*self.touched.values())

    def cover(self, numbers: frozenset[int]) -> tuple[Region, ...]:
        """Some of the points as scopes."""
        return Universe(self.points, self.defaults).cover(numbers)

    def inside(self, scope: Scope, space: AxisSpace) -> frozenset[int]:
        """All points that a scope holds, touched or not.

        Args:
            scope: where to look.
            space: what the SKUs and models are, for scopes that name a fact of them.
        """
        return frozenset(
            number
            for number, point in enumerate(self.points)
            if scope.matches(space.with_facets({**self.defaults, **point}), frozenset())
        )


def compare(
    base: Snapshot, head: Snapshot, evidence: Mapping[str, tuple[str, ...]] = FrozenMap()
) -> Impact:
    """The difference of two snapshots. Both are read once, side by side.

    Args:
        base: what was.
        head: what is.
        evidence: the digest of a spec to the runs that ran it.

    Raises:
        SnapshotFormatError: if a file turns out not to be one.
    """
    found = _Differences(evidence)
    for old, new in _side_by_side(base.entries, head.entries):
        found.add(old, new)
    return found.impact(FrozenMap({**base.defaults, **head.defaults}))


def _side_by_side(
    base: Iterator[Entry], head: Iterator[Entry]
) -> Iterator[tuple[Entry | None, Entry | None]]:
    old, new = next(base, None), next(head, None)
    while old is not None or new is not None:
        if new is None or (old is not None and old.order < new.order):
            yield old, None
            old = next(base, None)
        elif old is None or new.order < old.order:
            yield None, new
            new = next(head, None)
        else:
            yield old, new
            old, new = next(base, None), next(head, None)


class _Differences:
    def __init__(self, evidence: Mapping[str, tuple[str, ...]]) -> None:
        self.evidence = evidence
        self.stale: dict[str, set[int]] = {}
        self.points: list[FrozenMap[str, AxisValue]] = []
        self.names: list[str] = []
        self.images: set[str] = set()
        self.place: Order = ()
        self.touched: dict[str, set[int]] = {}
        self.changes: dict[KeyChange, dict[str, dict[int, Pair]]] = {}
        self.others: dict[tuple[str, str], dict[str, set[int]]] = {}
        # What is alike at many points is held once.
        self.values: dict[AxisValue, AxisValue] = {}
        self.pairs: dict[str, Pair] = {}

    def add(self, old: Entry | None, new: Entry | None) -> None:
        entry = new or old
        if entry is None:
            return
        purpose = str(entry.axes.get(PURPOSE, ""))
        number = self._number(entry)
        touched = self.touched.setdefault(purpose, set())
        kind = _kind(old, new)
        if kind == "same":
            return
        touched.add(number)
        if new is not None and not new.error:
            self.images.add(str(new.launch["image"]["reference"]))
        for run in self.evidence.get(old.digest, ()) if old is not None else ():
            self.stale.setdefault(run, set()).add(number)
        if kind != "changed" or old is None or new is None:
            error = new.error if new is not None else ""
            at = self.others.setdefault((kind, error), {})
            at.setdefault(purpose, set()).add(number)
            return
        for change, pair in _changes(old, new):
            held = self.pairs.setdefault(canonical([pair.old, pair.new]), pair)
            self.changes.setdefault(change, {}).setdefault(purpose, {})[number] = held

    def impact(self, defaults: FrozenMap[str, AxisValue]) -> Impact:
        everything = frozenset().union(*self.touched.values())
        universe = Universe(self.points if everything else (), defaults)
        blocks = [*self._changed(universe), *self._others(universe)]
        blocks.sort(key=lambda b: (_KINDS.index(b.kind), -b.count, str(b.regions[0].scope)))
        return Impact(
            points=tuple(self.points),
            names=tuple(self.names),
            purposes=tuple(sorted(self.touched)),
            touched=FrozenMap({p: frozenset(found) for p, found in sorted(self.touched.items())}),
            blocks=tuple(blocks),
            regions=universe.cover(everything),
            images=frozenset(self.images),
            defaults=defaults,
            stale=FrozenMap({run: frozenset(found) for run, found in sorted(self.stale.items())}),
        )

    def _changed(self, universe: Universe) -> Iterator[Block]:
        """Keys that change at the same points and purposes, together."""
        together: dict[tuple[tuple[int, ...], tuple[str, ...]], list[_Told]] = {}
        for change, happened in self.changes.items():
            for purposes, numbers in _by_purposes(happened):
                there = (happened[purpose][n] for n in numbers for purpose in purposes)
                distinct = {id(pair): pair for pair in there}
                told = (change, tuple(distinct.values()))
                together.setdefault((numbers, purposes), []).append(told)
        for (numbers, purposes), keys in together.items():
            keys.sort(key=lambda told: told[0].key)
            regions = universe.cover(numbers)
            yield Block(kind="changed", purposes=purposes, regions=regions, keys=tuple(keys))

    def _others(self, universe: Universe) -> Iterator[Block]:
        for (kind, error), happened in self.others.items():
            for purposes, numbers in _by_purposes(happened):
                regions = universe.cover(numbers)
                yield Block(kind=kind, purposes=purposes, regions=regions, error=error)

    def _number(self, entry: Entry) -> int:
        """The number of its point; the purposes of a point follow each other."""
        if entry.place != self.place:
            self.place = entry.place
            held = self.values.setdefault
            axes = {held(a, a): held(v, v) for a, v in entry.axes.items() if a != PURPOSE}
            self.points.append(FrozenMap(axes))  # type: ignore[arg-type]
            self.names.append(f"{entry.recipe}/{entry.point}")
        return len(self.points) - 1


def _by_purposes(
    happened: Mapping[str, Collection[int]],
) -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
    """The points of something that happens, by the purposes at which it does."""
    found: dict[tuple[str, ...], list[int]] = {}
    for number in sorted(set().union(*happened.values())):
        purposes = tuple(purpose for purpose in sorted(happened) if number in happened[purpose])
        found.setdefault(purposes, []).append(number)
    for purposes, numbers in found.items():
        yield purposes, tuple(numbers)


_Told = tuple[KeyChange, tuple[Pair, ...]]
_KINDS = ("fails", "gone", "new", "mended", "changed")


def _kind(old: Entry | None, new: Entry | None) -> str:
    if old is None:
        return "fails" if new is not None and new.error else "new"
    if new is None:
        return "gone"
    if new.error:
        return "same" if old.error == new.error else "fails"
    if old.error:
        return "mended"
    return "same" if old.digest == new.digest else "changed"


def _changes(old: Entry, new: Entry) -> Iterator[tuple[KeyChange, Pair]]:
    told: set[str] = set()
    for key in sorted({*old.options, *new.options}):
        before, after = old.options.get(key, _UNSET), new.options.get(key, _UNSET)
        if before.value != after.value or repr(before.value) != repr(after.value):  # True == 1
            told.add(key)
            yield KeyChange(key, before.rules, after.rules), Pair(before.value, after.value)
    for part in sorted({*old.launch, *new.launch}):
        was, now = old.launch.get(part), new.launch.get(part)
        if was != now and not _explained(part, told):
            yield KeyChange(part, (), ()), Pair(was, now)


def _explained(part: str, told: Collection[str]) -> bool:
    """Whether an option that changes says why a part of the launch does."""
    if part not in _BY_OPTIONS:
        return any(key != "image" for key in told)
    return any(key.startswith(_BY_OPTIONS[part]) for key in told)


_UNSET = Set(None, ())


def by_axis(impact: Impact, axis: str) -> Mapping[str, tuple[int, int]]:
    """For each value of an axis: how many of its points are touched, and how many it has."""
    touched = impact.any
    found: dict[str, tuple[int, int]] = {}
    for number, point in enumerate(impact.points):
        value = str(point.get(axis, impact.defaults.get(axis, "")))
        changed, total = found.get(value, (0, 0))
        found[value] = (changed + (number in touched), total + 1)
    return dict(sorted(found.items()))
