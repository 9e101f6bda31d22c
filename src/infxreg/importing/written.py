"""What was imported as tables: the records as they are, and few rules for all that they launch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import attrs

from infxreg.importing.checkout import NAME, Checkout
from infxreg.importing.factor import Point, factor
from infxreg.records import Recipe, Rule, Sweep
from infxreg.registry import Registry
from infxreg.scope import AxisValue, Scope
from infxreg.sweeps import PURPOSE
from infxreg.tables import scope_table
from infxreg.values import ABSENT, Derived, FrozenMap

FACTS = "facts.toml"

_CONC = "conc"

_HEAD = """\
# Made by infxreg import {importer}. Edit it as you like: a second import shows what would change.
"""


def tables(
    found: Checkout, importer: str, progress: Callable[[int, int], None] = lambda done, total: None
) -> dict[str, str]:
    """The tables of a checkout, by file name: ``facts.toml``, and one for each model.

    Args:
        found: the checkout.
        importer: what read it.
        progress: called with (points resolved, points in all).
    """
    (own,) = (one for one in found.registry.contributions if one.plugin == NAME)
    records = [placed.record for placed in own.placed]
    rules = factor(points_of(found.registry, progress), importer)
    defaults = {name: axis.default for name, axis in found.registry.catalogue.space.axes.items()}
    by_model: dict[str, list[Any]] = {}
    for record in records:
        if isinstance(record, Recipe):
            sweep = tuple(_gathered(record.sweep, defaults))
            made = attrs.evolve(record, sweep=sweep)
            by_model.setdefault(f"{record.model}.toml", []).append(made)
    for rule in rules:
        by_model.setdefault(f"{_model(rule)}.toml", []).append(rule)
    facts = [record for record in records if not isinstance(record, (Recipe, Rule))]
    files = {FACTS: facts, **by_model}
    return {name: _text(importer, several) for name, several in sorted(files.items()) if several}


def points_of(
    registry: Registry, progress: Callable[[int, int], None] = lambda done, total: None
) -> list[Point]:
    """The swept points of a registry as they are served, resolved.

    Options that only derivations read are left out: what is derived of them is said itself.
    """
    catalogue = registry.catalogue
    axes = [name for name in catalogue.space.request_axes if name != PURPOSE]
    found: list[Point] = []
    places = list(registry.points())
    for number, place in enumerate(places, 1):
        spec = registry.resolve(place)
        options = {
            key: option.value
            for key, option in spec.options.items()
            if option.value is not None and not _is_input(key, catalogue.options)
        }
        found.append(
            Point(
                FrozenMap({axis: spec.point.axes[axis] for axis in axes}),
                FrozenMap(options),
            )
        )
        progress(number, len(places))
    return found


def _gathered(sweeps: Iterable[Sweep], defaults: Mapping[str, AxisValue | None]) -> Iterator[Sweep]:
    """Sweeps without what is the default, those that differ in concurrency alone as one."""
    found: dict[tuple[str, FrozenMap[str, tuple[AxisValue, ...]]], list[AxisValue]] = {}
    for sweep in sweeps:
        axes = {axis: v for axis, v in sweep.axes.items() if v != (defaults.get(axis),)}
        conc = sweep.axes.get(_CONC, ())
        if len(conc) == 1 and sweep.id.count(f"_c{conc[0]}") == 1:
            template = sweep.id.replace(f"_c{conc[0]}", "_c{conc}")
            rest = FrozenMap({axis: v for axis, v in axes.items() if axis != _CONC})
            found.setdefault((template, rest), []).append(conc[0])
        else:
            found[sweep.id, FrozenMap(axes)] = []
    for (id, rest), several in found.items():
        own = {_CONC: tuple(several)} if several else {}
        yield Sweep(id=id, axes=FrozenMap({**rest, **own}))


def _is_input(key: str, options: Mapping[str, Any]) -> bool:
    return key in options and options[key].use == "input"


def _model(rule: Rule) -> str:
    (model,) = rule.when[0].get("model").values  # type: ignore[union-attr]
    return str(model)


def _text(importer: str, records: Iterable[Any]) -> str:
    import tomli_w

    document: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        document.setdefault(record.kind, []).append(table(record))
    return _HEAD.format(importer=importer) + "\n" + tomli_w.dumps(document)


def table(record: Any) -> dict[str, Any]:
    """A record as its table is written, without what has its default."""
    if isinstance(record, Rule):
        when = [scope_table(scope) for scope in record.when]
        return {
            "id": record.id,
            "when": when if len(when) > 1 else when[0],
            "set": {key: _plain(value) for key, value in record.settings.items()},
            **({"source": record.source} if record.source else {}),
        }
    found: dict[str, Any] = {}
    for field in attrs.fields(type(record)):
        value = getattr(record, field.name)
        default = field.default
        if isinstance(default, attrs.Factory):  # type: ignore[arg-type]
            default = default.factory()
        if value is not None and value != default:
            found[field.name] = _plain(value)
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Scope):
        return scope_table(value)
    if isinstance(value, Derived):
        return {"derive": value.function, "reads": list(value.reads), **dict(value.params)}
    if isinstance(value, Sweep):
        axes = {axis: v[0] if len(v) == 1 else list(v) for axis, v in value.axes.items()}
        return {"id": value.id, **axes}
    if attrs.has(type(value)):
        return table(value)
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]
    if value is ABSENT:
        raise TypeError("an absent value stands under unset")
    return value
