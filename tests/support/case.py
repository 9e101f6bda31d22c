"""A generated registry, taken apart: records by plugin, which tests can change and build again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from infxreg import Contribution, Registry
from infxreg.contribution import Placed
from infxreg.records import Gate, Recipe, Record, Rule, SiteSettings
from infxreg.scope import OneOf
from support import naive

T = TypeVar("T")


@dataclass(frozen=True)
class Vocabulary:
    """What scopes can name in one registry: the values of each axis, and the facts."""

    values: Mapping[str, tuple[Any, ...]]
    facts: Mapping[tuple[str, Any], Mapping[str, Any]]


@dataclass(frozen=True)
class Case:
    """A registry's records by plugin, and the site's."""

    vocabulary: Vocabulary
    plugins: Mapping[str, tuple[Record, ...]]
    site: tuple[Record, ...] = ()
    count: int = field(default=0, compare=False)
    """How many ids were given so far."""

    def contributions(self) -> tuple[Contribution, ...]:
        """One a plugin; each plugin's records stand in two files."""
        return tuple(contribution(name, records) for name, records in self.plugins.items())

    def site_layer(self) -> Contribution | None:
        """The site's contribution, or None without one."""
        return contribution("site", self.site) if self.site else None

    def registry(self) -> Registry:
        """The registry. It has no faults."""
        return Registry(self.contributions(), self.site_layer())

    def world(self) -> naive.World:
        """The same records for the naive resolver."""
        return naive.World.of(self.contributions(), self.site_layer())

    def of(self, kind: type[T]) -> list[tuple[str, T]]:
        """(plugin, record) of a kind, the site's last."""
        layered = (*self.plugins.items(), ("site", self.site))
        return [
            (name, record) for name, found in layered for record in found if type(record) is kind
        ]  # type: ignore[misc]

    def with_records(self, plugin: str, records: Iterable[Record]) -> Case:
        """The case with other records of one plugin, or of the site."""
        if plugin == "site":
            return replace(self, site=tuple(records))
        return replace(self, plugins={**self.plugins, plugin: tuple(records)})

    def adding(self, plugin: str, *records: Record) -> Case:
        """The case with more records of one plugin, or of the site."""
        old = self.site if plugin == "site" else self.plugins.get(plugin, ())
        return replace(self.with_records(plugin, (*old, *records)), count=self.count + len(records))

    def mapped(self, change: Callable[[Record], Record | None]) -> Case:
        """The case with each record changed, or dropped where the change gives None."""

        def over(records: tuple[Record, ...]) -> tuple[Record, ...]:
            return tuple(new for old in records if (new := change(old)) is not None)

        plugins = {name: over(records) for name, records in self.plugins.items()}
        return replace(self, plugins=plugins, site=over(self.site))

    def without_plugin(self, name: str) -> Case:
        """The case without a plugin."""
        return replace(self, plugins={k: v for k, v in self.plugins.items() if k != name})

    def __repr__(self) -> str:
        lines = ["", *(f"  fact {k}: {dict(v)}" for k, v in self.vocabulary.facts.items())]
        for plugin, gate in self.of(Gate):
            lines.append(f"  {plugin}: gate {gate.id}: {gate.when}")
        for plugin, recipe in self.of(Recipe):
            lines.append(f"  {plugin}: recipe {recipe.id} gates={recipe.gates}")
        for plugin, rule in self.of(Rule):
            lines.append(f"  {plugin}: {show_rule(rule)}")
        for _, settings in self.of(SiteSettings):
            lines.append(f"  site: open={settings.open} close={settings.close}")
        return "Case:" + "\n".join(lines)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))


def show_rule(rule: Rule) -> str:
    """A rule on one line."""
    scopes = "; ".join(map(str, rule.scopes))
    return f"rule {rule.id} [{scopes}] {', '.join(f'{k}={v}' for k, v in rule.settings.items())}"


def contribution(plugin: str, records: Iterable[Record]) -> Contribution:
    """A plugin's contribution, its records in two files by the length of their ids.

    They count as structured: their types are right, and checking them takes longer than
    all else that building a registry does.
    """
    placed = [
        Placed(record, f"{plugin}/{len(record.id) % 2}.toml", structured=True) for record in records
    ]
    return Contribution(plugin, version="1", placed=tuple(placed))


def one_of(*values: Any) -> OneOf:
    """A constraint that lists values."""
    return OneOf(frozenset(values))
