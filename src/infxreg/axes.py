"""The axes of a registry: which values exist, and which facts they carry.

`AxisSpace` answers the questions of the scope algebra (`infxreg.scope.Facts`)
and turns a request's text into axis values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import frozen

from infxreg.errors import BadRequestError, UnknownIdError
from infxreg.records import Arch, Axis, Model, Sku
from infxreg.scope import AxisValue, sorted_values
from infxreg.values import FrozenMap

IDENTITY = ("sku", "model", "engine")
"""The axes whose values are ids of records."""


@frozen(eq=False)
class AxisSpace:
    """Axes by id, their values, and the facts of SKUs, models and architectures."""

    axes: FrozenMap[str, Axis]
    values: FrozenMap[str, tuple[AxisValue, ...]]
    _carriers: FrozenMap[str, tuple[str, ...]]
    _facts: FrozenMap[tuple[str, AxisValue], FrozenMap[str, AxisValue]]

    @classmethod
    def build(
        cls,
        axes: Iterable[Axis],
        more_values: Mapping[str, Iterable[AxisValue]],
        archs: Iterable[Arch],
        skus: Iterable[Sku],
        models: Iterable[Model],
        engines: Iterable[str],
        gone: Iterable[Arch | Sku | Model] = (),
    ) -> AxisSpace:
        """The space of these records. A fact that a record lacks is None.

        ``gone`` are records of plugins that were taken out: their ids are no values any
        more, but scopes that still name them are compared by their facts.
        """
        by_id = {axis.id: axis for axis in axes}
        facts = _facts((*archs, *skus, *models))
        values: dict[str, list[AxisValue]] = {
            name: list(axis.values) for name, axis in by_id.items()
        }
        for name, extra in more_values.items():
            values.setdefault(name, []).extend(extra)
        for (carrier, value), known in facts.items():
            values.setdefault(carrier, []).append(value)
            for facet, fact in known.items():
                values.setdefault(facet, []).append(fact)
        values.setdefault("engine", []).extend(engines)
        for name, axis in by_id.items():
            if axis.default is not None:
                values.setdefault(name, []).append(axis.default)
        carriers = {
            name: ("sku", "arch") if name == "vendor" else (axis.facet_of,)
            for name, axis in by_id.items()
            if axis.facet_of is not None
        }
        return cls(
            FrozenMap(by_id),
            FrozenMap({name: tuple(sorted_values(set(found))) for name, found in values.items()}),
            FrozenMap(carriers),
            FrozenMap({**_facts((*gone, *archs)), **facts}),
        )

    def carriers(self, axis: str) -> tuple[str, ...]:
        """See `infxreg.scope.Facts`."""
        return self._carriers.get(axis, ())

    def fact(self, carrier: str, value: AxisValue, axis: str) -> AxisValue | None:
        """See `infxreg.scope.Facts`."""
        known = self._facts.get((carrier, value))
        return None if known is None else known.get(axis)

    @property
    def request_axes(self) -> tuple[str, ...]:
        """The axes that a request can set, sorted: all but facets."""
        return tuple(sorted(name for name, axis in self.axes.items() if axis.facet_of is None))

    def is_facet(self, axis: str) -> bool:
        """Whether an axis takes its value from a fact."""
        return self.axes[axis].facet_of is not None

    def with_facets(self, axes: Mapping[str, AxisValue]) -> dict[str, AxisValue | None]:
        """A point's axes with the facets of its SKU and model filled in."""
        full: dict[str, AxisValue | None] = dict(axes)
        for facet, carriers in self._carriers.items():
            full[facet] = None
            for carrier in carriers:
                value = axes.get(carrier)
                if value is not None:
                    full[facet] = self.fact(carrier, value, facet)
                    break
        return full

    def admits(self, axis: str, value: AxisValue) -> bool:
        """Whether a value can stand on an axis: a positive integer, or a known name."""
        if axis in self.axes and self.axes[axis].type == "int":
            return type(value) is int and value > 0
        return value in self.values.get(axis, ())

    def parse(self, axis: str, raw: object) -> AxisValue:
        """A request's value for an axis.

        Raises:
            UnknownIdError: for an axis, or a value of a named axis, that nobody declared.
            BadRequestError: for a facet, or a value that is no positive integer.
        """
        if axis not in self.axes:
            raise UnknownIdError("axis", axis, self.request_axes)
        declared = self.axes[axis]
        if declared.facet_of is not None:
            raise BadRequestError(
                f"{axis} is a fact of the {declared.facet_of}: name the {declared.facet_of} instead"
            )
        if declared.type == "int":
            return _positive(axis, raw)
        if not isinstance(raw, str) or not self.admits(axis, raw):
            known = tuple(str(value) for value in self.values.get(axis, ()))
            raise UnknownIdError(axis, str(raw), known)
        return raw


def _facts(
    records: Iterable[Arch | Sku | Model],
) -> dict[tuple[str, AxisValue], FrozenMap[str, AxisValue]]:
    """What is known of each id: the facets that it carries."""
    known = list(records)
    vendors = {record.id: record.vendor for record in known if isinstance(record, Arch)}
    facts: dict[tuple[str, AxisValue], FrozenMap[str, AxisValue]] = {}
    for record in known:
        own: dict[str, AxisValue]
        if isinstance(record, Arch):
            facts["arch", record.id] = FrozenMap({"vendor": record.vendor})
        elif isinstance(record, Sku):
            own = {"arch": record.arch, "cpu_arch": record.cpu_arch}
            if record.arch in vendors:
                own["vendor"] = vendors[record.arch]
            facts["sku", record.id] = FrozenMap({**record.facets, **own})
        else:
            own = {"family": record.family}
            facts["model", record.id] = FrozenMap({**record.facets, **own})
    return facts


def whole(text: str) -> int | None:
    """The integer that a text of up to 18 decimal digits is, else None."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None


def _positive(axis: str, raw: object) -> int:
    number = whole(raw) if isinstance(raw, str) else raw
    if type(number) is not int or number < 1:
        raise BadRequestError(f"{axis} is a positive integer, not {raw!r:.60}")
    return number
