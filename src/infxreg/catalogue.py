"""All records of a registry, looked up by id, checked, and indexed.

Building never stops at the first fault: it collects all of them, so that one
look tells everything that is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import attrs
from attrs import evolve, frozen

from infxreg import problems, sweeps, validate, validate_rules
from infxreg.axes import AxisSpace
from infxreg.contribution import CORE, Contribution, Placed
from infxreg.errors import Fault
from infxreg.index import RuleIndex, ScopedRule
from infxreg.lookup import Lookup
from infxreg.origin import Layer, Origin
from infxreg.records import (
    Arch,
    Axis,
    AxisValues,
    Capability,
    Derivation,
    Engine,
    EngineSurface,
    Evidence,
    Expect,
    Exporter,
    Gate,
    Image,
    Importer,
    Model,
    Option,
    Policy,
    Recipe,
    Rule,
    SiteSettings,
    Sku,
    Waiver,
)
from infxreg.recordtypes import wrong_fields
from infxreg.scope import AxisValue
from infxreg.values import FrozenMap

if TYPE_CHECKING:
    from infxreg.review.evidence import EvidenceBook
    from infxreg.surface.store import SurfaceStore

R = TypeVar("R")

PER_PLUGIN = (Rule, AxisValues, Expect, SiteSettings)
"""Kinds whose ids need be unique only within a plugin."""


@frozen(eq=False, kw_only=True)
class Catalogue(Lookup):
    """The records by kind and id. ``faults`` make it unusable, ``dormant`` are only told."""

    recipes: FrozenMap[str, Recipe]
    points: FrozenMap[str, FrozenMap[str, FrozenMap[str, AxisValue]]]
    """recipe -> point id -> axes, in the sweeps' order."""
    swept: FrozenMap[frozenset[tuple[str, AxisValue]], tuple[str, str]]
    """`sweeps.place` of a point -> its recipe and its id."""
    recipes_of: FrozenMap[tuple[str, str], tuple[Recipe, ...]]
    """(SKU, model) -> recipes."""
    expects: tuple[tuple[Expect, Origin], ...]
    evidence: FrozenMap[str, Evidence]
    policies: FrozenMap[str, Policy]
    waivers: FrozenMap[str, Waiver]
    importers: FrozenMap[str, Importer]
    exporters: FrozenMap[str, Exporter]
    site: SiteSettings
    plugin_rules: RuleIndex
    site_rules: RuleIndex
    surface_folder: Path | None = None
    """Where the user keeps surfaces of engine builds that no plugin ships."""
    origins: FrozenMap[tuple[str, str], Origin]
    faults: tuple[Fault, ...]
    dormant: tuple[Fault, ...]

    @cached_property
    def surface_store(self) -> SurfaceStore:
        """The surfaces of engines that plugins ship, and the user's own."""
        from infxreg.surface.store import SurfaceStore

        shipped = {name: record.read for name, record in self.surfaces.items()}
        return SurfaceStore(self.surface_folder, shipped)

    @cached_property
    def evidence_book(self) -> EvidenceBook:
        """The evidence, by digest and by point."""
        from infxreg.review.evidence import EvidenceBook

        return EvidenceBook(self)

    def of_kind(self, kind: str) -> FrozenMap[str, Any]:
        """The records of a kind, by id."""
        if kind == "axis":
            return self.space.axes
        found: FrozenMap[str, Any] = getattr(self, _ATTRIBUTE[kind])
        return found


_ATTRIBUTE = {
    "arch": "archs",
    "sku": "skus",
    "model": "models",
    "image": "images",
    "capability": "capabilities",
    "engine": "engines",
    "surface": "surfaces",
    "option": "options",
    "gate": "gates",
    "recipe": "recipes",
    "derivation": "derivations",
    "evidence": "evidence",
    "policy": "policies",
    "waiver": "waivers",
    "importer": "importers",
    "exporter": "exporters",
}


def build(
    contributions: Iterable[Contribution],
    site: Contribution | None = None,
    skipped: frozenset[str] = frozenset(),
    gone: Iterable[Contribution] = (),
    surface_folder: Path | None = None,
) -> Catalogue:
    """The catalogue of these contributions.

    Args:
        contributions: one a plugin, in any order.
        site: the site file's, or None.
        skipped: plugins left out by name. Records that name what only they (or
            plugins that failed) could have declared lie dormant; else they are faults.
        gone: what plugins declared that were taken out: it still tells how scopes compare.
        surface_folder: see `Catalogue.surface_folder`.
    """
    # The core's own first: of an id declared twice the first stays, and all are faults.
    ordered = sorted(contributions, key=lambda c: (c.plugin != CORE, c.plugin))
    return evolve(_Builder(ordered, site, skipped, gone).build(), surface_folder=surface_folder)


@frozen(eq=False)
class _Item:
    placed: Placed
    owner: Contribution
    origin: Origin


_Items: TypeAlias = dict[tuple[str, ...], _Item]


class _Builder:
    def __init__(
        self,
        contributions: list[Contribution],
        site: Contribution | None,
        skipped: frozenset[str],
        gone: Iterable[Contribution],
    ) -> None:
        hardware = (Arch, Sku, Model)
        placed = (item.record for contribution in gone for item in contribution.placed)
        self.gone = [record for record in placed if isinstance(record, hardware)]
        # What only a missing plugin can declare is unknown for its sake: told, but no fault.
        everyone = [*contributions, site] if site is not None else contributions
        self.missing = bool(skipped) or any(c.faults for c in everyone)
        self.faults: list[Fault] = []
        self.dormant: list[Fault] = []
        self.items: dict[type[Any], _Items] = {}
        layered = [(c, Layer.PLUGIN) for c in contributions]
        if site is not None:
            layered.append((site, Layer.SITE))
        for contribution, layer in layered:
            self.faults += contribution.faults
            for item in contribution.placed:
                self._file(item, contribution, layer)

    def _file(self, placed: Placed, owner: Contribution, layer: Layer) -> None:
        record: Any = placed.record
        cls = type(record)
        origin = Origin(
            plugin=owner.plugin,
            file=placed.where,
            rule=record.id,
            distribution=owner.distribution,
            version=owner.version,
            layer=layer,
            note=getattr(record, "source", None) or "",
        )
        wrong = [] if placed.structured else wrong_fields(record)
        if wrong:
            message = f"{cls.kind} {record.id!r}: {'; '.join(wrong)}"
            self.faults.append(owner.fault(message, placed.where, placed.path))
            self.missing = True
            return
        own = (layer.label, owner.plugin)
        key = (*own, record.id) if cls in PER_PLUGIN else (record.id,)
        filed = self.items.setdefault(cls, {})
        item = _Item(placed, owner, origin)
        if cls is SiteSettings and layer is not Layer.SITE:
            message = "only a site file has a [site] table: a plugin can't open gates for everyone"
            self.faults.append(owner.fault(message, placed.where, placed.path))
            return
        if key in filed:
            for one, other in ((filed[key], item), (item, filed[key])):
                message = f"{cls.kind} {record.id!r} is declared by {_place(other)} too"
                self.faults.append(one.owner.fault(message, one.placed.where, one.placed.path))
            return
        filed[key] = item

    def _records(self, cls: type[R]) -> FrozenMap[str, R]:
        return FrozenMap(
            {key[-1]: item.placed.record for key, item in self.items.get(cls, {}).items()}  # type: ignore[misc]
        )

    def build(self) -> Catalogue:
        context, kept = self._settle()
        rules = {layer: self._rules(kept[Rule], layer) for layer in (Layer.PLUGIN, Layer.SITE)}
        everything = [scoped for index in rules.values() for scoped in index.all]
        for origin, message in validate_rules.cycles(everything):
            self._fault_at(origin, message)
        recipes: FrozenMap[str, Recipe] = _by_id(kept[Recipe])
        for recipe, message in validate.recipe_clashes(
            recipes.values(), context.points, context.space
        ):
            self._fault_at(self.items[Recipe][(recipe,)].origin, message)
        return Catalogue(
            **{name: getattr(context, name) for name in attrs.fields_dict(Lookup)},
            recipes=recipes,
            points=FrozenMap({name: context.points[name] for name in recipes}),
            swept=FrozenMap(
                {
                    sweeps.place(axes): (recipe, name)
                    for recipe in recipes
                    for name, axes in context.points[recipe].items()
                }
            ),
            recipes_of=_by_sku_and_model(recipes.values()),
            expects=tuple(
                (item.placed.record, item.origin)  # type: ignore[misc]
                for _, item in sorted(kept[Expect].items())
            ),
            evidence=_by_id(kept[Evidence]),
            policies=_by_id(kept[Policy]),
            waivers=_by_id(kept[Waiver]),
            importers=_by_id(kept[Importer]),
            exporters=_by_id(kept[Exporter]),
            site=self._site_settings(context),
            plugin_rules=rules[Layer.PLUGIN],
            site_rules=rules[Layer.SITE],
            origins=FrozenMap(
                {
                    (cls.kind, key[-1]): item.origin
                    for cls, filed in self.items.items()
                    if cls not in PER_PLUGIN
                    for key, item in filed.items()
                }
            ),
            faults=tuple(sorted(self.faults, key=str)),
            dormant=tuple(sorted(self.dormant, key=str)),
        )

    def _settle(self) -> tuple[problems.Context, dict[type[Any], _Items]]:
        """Check every record; leave out what lies dormant, and then what named it."""
        while True:
            context = self._context()
            kept = {cls: self._check(cls, context, check) for cls, check in validate.CHECKS.items()}
            if not self.missing or all(kept[cls] == self.items.get(cls, {}) for cls in kept):
                return context, kept
            self.items = kept

    def _context(self) -> problems.Context:
        more: dict[str, list[Any]] = {}
        for item in self.items.get(AxisValues, {}).values():
            extra: Any = item.placed.record
            more.setdefault(extra.axis, []).extend(extra.values)
        archs, skus = self._records(Arch), self._records(Sku)
        models, engines = self._records(Model), self._records(Engine)
        axes = self._records(Axis).values()
        return problems.Context(
            space=AxisSpace.build(
                axes, more, archs.values(), skus.values(), models.values(), engines, self.gone
            ),
            archs=archs,
            skus=skus,
            models=models,
            images=self._records(Image),
            capabilities=self._records(Capability),
            engines=engines,
            surfaces=self._records(EngineSurface),
            options=self._records(Option),
            gates=self._records(Gate),
            derivations=self._records(Derivation),
            policies=frozenset(key[-1] for key in self.items.get(Policy, {})),
            points={},
        )

    def _site_settings(self, context: problems.Context) -> SiteSettings:
        """The site's wishes for the gates that are known."""
        for item in self.items.get(SiteSettings, {}).values():
            wishes: Any = item.placed.record
            return SiteSettings(
                open=tuple(name for name in wishes.open if name in context.gates),
                close=tuple(name for name in wishes.close if name in context.gates),
            )
        return SiteSettings()

    def _check(
        self,
        cls: type[Any],
        context: problems.Context,
        check: Callable[[Any, problems.Context], Iterable[problems.Problem]],
    ) -> _Items:
        kept: _Items = {}
        for key, item in self.items.get(cls, {}).items():
            found = list(check(item.placed.record, context))
            for problem in found:
                path = ".".join(part for part in (item.placed.path, problem.path) if part)
                label = f"{cls.kind} {item.origin.rule!r}: {problem.message}"
                fault = item.owner.fault(label, item.placed.where, path)
                told = self.dormant if problem.unknown and self.missing else self.faults
                if fault not in told:
                    told.append(fault)
            if not any(problem.drops for problem in found):
                kept[key] = item
        return kept

    def _rules(self, items: dict[tuple[str, ...], _Item], layer: Layer) -> RuleIndex:
        scoped: list[ScopedRule] = []
        options = self._records(Option)
        for item in items.values():
            if item.origin.layer is layer:
                rule = validate_rules.normalised(item.placed.record, options)  # type: ignore[arg-type]
                scoped += [ScopedRule(rule, scope, item.origin) for scope in rule.scopes]
        return RuleIndex(scoped)

    def _fault_at(self, origin: Origin, message: str) -> None:
        self.faults.append(
            Fault(
                origin.plugin,
                message,
                " ".join(part for part in (origin.distribution, origin.version) if part),
                origin.file,
                origin.rule,
            )
        )


def _by_id(items: _Items) -> FrozenMap[str, Any]:
    return FrozenMap({key[-1]: item.placed.record for key, item in items.items()})


def _by_sku_and_model(
    recipes: Iterable[Recipe],
) -> FrozenMap[tuple[str, str], tuple[Recipe, ...]]:
    found: dict[tuple[str, str], list[Recipe]] = {}
    for recipe in recipes:
        found.setdefault((recipe.sku, recipe.model), []).append(recipe)
    return FrozenMap({key: tuple(listed) for key, listed in found.items()})


def _place(item: _Item) -> str:
    label = f" ({item.owner.label})" if item.owner.label else ""
    where = f", {item.placed.where}" if item.placed.where else ""
    return f"{item.owner.plugin}{label}{where}"
