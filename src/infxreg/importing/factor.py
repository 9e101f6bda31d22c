"""Few scoped rules from many resolved points, which give exactly these points back.

Each option is a tree: where it has one value, that is a rule's; where it has several, the axis that
tells them apart best splits the scope, and each part is looked at in turn. The value of the largest
part is said for the whole scope, and the others are exceptions inside it. So of two rules that set
one option at a point, one is always the narrower, and no others meet anywhere.

Every scope is bounded by model, engine and SKU: nothing reaches a SKU that none of the points has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import frozen

from infxreg.records import Rule
from infxreg.scope import AxisValue, OneOf, Scope, sorted_values
from infxreg.values import ABSENT, Derived, FrozenMap, Setting, Value, same

_GROUPED = ("model", "engine")
_NOT_SPLIT = frozenset({*_GROUPED, "purpose"})
_PREFERRED = ("sku", "workload", "role", "tp", "dp", "ep", "pp", "conc")
"""Axes in the order in which they are tried: of equally good ones the first splits."""

_LEAST = 3
"""Values of an axis from which on a function of it is believed."""

Body = FrozenMap[str, Setting]
_Box = dict[str, frozenset[AxisValue]]


@frozen
class Point:
    """A resolved point.

    Attributes:
        axes: where it stands; every point names the same axes.
        options: what it is launched with; what isn't there is absent.
    """

    axes: FrozenMap[str, AxisValue]
    options: FrozenMap[str, Value]


def factor(points: Sequence[Point], prefix: str = "rule") -> tuple[Rule, ...]:
    """Rules that resolve to the options of every point.

    Args:
        points: resolved points.
        prefix: how the rules' ids begin.

    Raises:
        ValueError: if two points at the same place differ, so that no rules can give both.
    """
    bodies: dict[Scope, dict[str, Setting]] = {}
    for group in _groups(points):
        box = _box(group)
        for key in sorted({key for point in group for key in point.options}):
            for scope, setting in _leaves(key, group, box):
                bodies.setdefault(scope, {})[key] = setting
    groups: dict[str, tuple[Body, list[Scope]]] = {}
    for scope in sorted(bodies, key=str):
        body = FrozenMap(dict(sorted(bodies[scope].items())))
        # By text, since 1 and true are equal in Python and not here.
        groups.setdefault(repr(body), (body, []))[1].append(scope)
    return tuple(_named(list(groups.values()), prefix))


def differences(points: Iterable[Point], rules: Sequence[Rule]) -> Iterator[str]:
    """Where rules and points differ, found without a registry and without the trees.

    Args:
        points: what the rules should give.
        rules: none behind a gate.
    """
    for point in points:
        where = " ".join(f"{axis}={value}" for axis, value in sorted(point.axes.items()))
        matching = [
            (scope, rule)
            for rule in rules
            for scope in rule.when
            if scope.matches(point.axes, frozenset())
        ]
        keys = {key for _, rule in matching for key in rule.settings} | set(point.options)
        for key in sorted(keys):
            said = [(scope, rule.settings[key]) for scope, rule in matching if key in rule.settings]
            best = [one for one in said if not any(_narrower(other[0], one[0]) for other in said)]
            found = [_at(setting, point.axes) for _, setting in best]
            wanted = point.options.get(key)
            if not all(_equal(one, wanted) for one in found or [None]):
                told = " or ".join(map(repr, found)) or "absent"
                yield f"{where}: {key} is {told}, not {wanted!r}"


def _groups(points: Sequence[Point]) -> list[list[Point]]:
    groups: dict[tuple[AxisValue, ...], list[Point]] = {}
    seen: dict[FrozenMap[str, AxisValue], Point] = {}
    for point in points:
        other = seen.setdefault(point.axes, point)
        if other.options != point.options:
            raise ValueError(f"two points at {dict(point.axes)} differ")
        if other is point:
            groups.setdefault(tuple(point.axes[axis] for axis in _GROUPED), []).append(point)
    return [
        sorted(groups[key], key=lambda point: sorted((a, str(v)) for a, v in point.axes.items()))
        for key in sorted(groups, key=str)
    ]


def _box(points: Sequence[Point]) -> _Box:
    return {axis: frozenset(p.axes[axis] for p in points) for axis in (*_GROUPED, "sku")}


def _leaves(key: str, points: Sequence[Point], box: _Box) -> Iterator[tuple[Scope, Setting]]:
    """The rules of one option: each a scope and what it sets there.

    Where some points have no value, nothing is said for the whole scope, so nothing has to be
    taken back.
    """
    setting = _single(key, points)
    if setting is not None:
        if setting is not ABSENT:
            yield _scope(box), setting
        return
    axis, parts = _split(key, points)
    said = None
    if all(key in point.options for point in points):
        simple = [(len(part), values) for values, part in parts if _single(key, part) is not None]
        said = max(simple, key=lambda one: (one[0], len(one[1])), default=None)
    for values, part in parts:
        common = said is not None and values == said[1]
        inner = box if common else {**box, axis: values & box.get(axis, values)}
        yield from _leaves(key, part, inner)


def _single(key: str, points: Sequence[Point]) -> Setting | None:
    """What says the option at all these points; None where nothing single does."""
    values = [point.options.get(key) for point in points]
    first = values[0]
    if all(_equal(value, first) for value in values):
        return ABSENT if first is None else first
    return _derived(points, values)


def _derived(points: Sequence[Point], values: Sequence[Value | None]) -> Derived | None:
    """The derivation of one axis that gives every value."""
    for axis in _PREFERRED:
        sizes = [point.axes.get(axis) for point in points]
        if len(set(sizes)) < _LEAST or not all(type(size) is int for size in sizes):
            continue
        for derived in _candidates(axis, sizes[0], values[0]):
            if all(
                _equal(_compute(derived, size), value)
                for size, value in zip(sizes, values, strict=True)
            ):
                return derived
    return None


def _candidates(axis: str, size: AxisValue | None, value: Value | None) -> Iterator[Derived]:
    if isinstance(value, str):
        yield Derived("text", (axis,))
    elif type(value) is int and type(size) is int and size:
        yield Derived("copy", (axis,))
        if value % size == 0:
            yield Derived("scaled", (axis,), (("factor", value // size),))


def _compute(derived: Derived, size: AxisValue | None) -> Value | None:
    if derived.function == "text":
        return str(size)
    if derived.function == "copy" or not isinstance(size, int):
        return size
    factor = dict(derived.params)["factor"]
    return factor * size if isinstance(factor, int) else None


def _split(
    key: str, points: Sequence[Point]
) -> tuple[str, list[tuple[frozenset[AxisValue], list[Point]]]]:
    """The axis that tells the option's values apart in the fewest parts, and these parts."""
    best: tuple[int, str, list[tuple[frozenset[AxisValue], list[Point]]]] | None = None
    for axis in _axes(points):
        parts = _parts(key, points, axis)
        if len(parts) < 2:
            continue
        cost = sum(
            1 if _single(key, part) is not None else _distinct(key, part) for _, part in parts
        )
        if best is None or cost < best[0]:
            best = (cost, axis, parts)
    if best is None:  # every axis tells the same: take the first that has several values
        axis = next(a for a in _axes(points) if len({p.axes[a] for p in points}) > 1)
        by_value = _by_value(points, axis)
        return axis, [(frozenset([value]), part) for value, part in by_value.items()]
    return best[1], best[2]


def _axes(points: Sequence[Point]) -> list[str]:
    there = set(points[0].axes) - _NOT_SPLIT
    first = [axis for axis in _PREFERRED if axis in there]
    return [*first, *sorted(there - set(first))]


def _parts(
    key: str, points: Sequence[Point], axis: str
) -> list[tuple[frozenset[AxisValue], list[Point]]]:
    """The values of an axis, together where the option is the same function of the others."""
    groups: dict[tuple[object, ...], tuple[set[AxisValue], list[Point]]] = {}
    for value, part in _by_value(points, axis).items():
        values, members = groups.setdefault(_shape(key, part, axis), (set(), []))
        values.add(value)
        members += part
    return [(frozenset(values), members) for values, members in groups.values()]


def _shape(key: str, points: Sequence[Point], axis: str) -> tuple[object, ...]:
    single = _single(key, points)
    if single is not None:
        return ("one", repr(single))
    rest = sorted(
        (
            [(a, str(v)) for a, v in sorted(point.axes.items()) if a != axis],
            repr(point.options.get(key)),
        )
        for point in points
    )
    return ("several", repr(rest))


def _by_value(points: Sequence[Point], axis: str) -> dict[AxisValue, list[Point]]:
    found: dict[AxisValue, list[Point]] = {}
    for value in sorted_values({point.axes[axis] for point in points}):
        found[value] = [point for point in points if point.axes[axis] == value]
    return found


def _distinct(key: str, points: Sequence[Point]) -> int:
    return 1 + len({repr(point.options.get(key)) for point in points})


def _scope(box: _Box) -> Scope:
    return Scope.of({axis: OneOf(values) for axis, values in box.items()})


def _named(groups: Sequence[tuple[Body, list[Scope]]], prefix: str) -> Iterator[Rule]:
    """Rules, widest scopes first, with ids that say where they hold and what they set."""
    taken: set[str] = set()
    order = sorted(groups, key=lambda item: (len(item[1][0].terms), str(item[1][0])))
    for body, where in order:
        words = [_slug(value) for axis, value in where[0].terms if axis not in _GROUPED]
        first = next(iter(body)).rpartition(".")[2]
        base = "-".join(
            [prefix, *[word for word in words if word][:3], _slug(OneOf(frozenset([first])))]
        )
        name, number = base, 1
        while name in taken:
            number += 1
            name = f"{base}-{number}"
        taken.add(name)
        yield Rule(id=name, when=tuple(where), settings=body)


def _slug(constraint: object) -> str:
    return re.sub(r"[^A-Za-z0-9._]+", "-", str(constraint)).strip("-.")[:40]


def _narrower(a: Scope, b: Scope) -> bool:
    """Whether a scope lies inside another one, and isn't it."""
    if a == b:
        return False
    for axis, constraint in b.terms:
        own = a.get(axis)
        if not isinstance(own, OneOf) or not isinstance(constraint, OneOf):
            return False
        if not own.values <= constraint.values:
            return False
    return True


def _at(setting: Setting, axes: Mapping[str, AxisValue]) -> Value | None:
    if setting is ABSENT:
        return None
    if isinstance(setting, Derived):
        return _compute(setting, axes[setting.reads[0]])
    return setting


def _equal(a: Value | None, b: Value | None) -> bool:
    if a is None or b is None:
        return a is b
    return same(a, b)
