"""Many versions of an engine in one document: item to the versions that have it.

The document is plain JSON, one item a line, the same for the same surfaces:

``versions``  sorted; everything else speaks of their indexes, see `ranges`
``wheels``    version to what it was read from, with its sha256 and the day that it was built
``flags``, ``configs``, ``enums``  name to attributes that differ from their defaults
``keys``  class to key to attributes
``lists``     the surface's own lists: environment, models, backends …

An attribute is its value where it never changes while the item is there; else a
list of [versions, value]. A list is an object, versions to the names that they
have and others don't. ``""`` among the attributes says which versions have the
item, unless all do.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from attrs import field, frozen

from infxreg.surface.canonical import canonical
from infxreg.surface.errors import SurfaceFormatError
from infxreg.surface.folded import FORMAT, LISTS
from infxreg.surface.implied import derived_dest, implied_names
from infxreg.surface.jsonform import config_to_json, flag_to_json
from infxreg.surface.model import Config, Json, Surface, Wheel
from infxreg.surface.ranges import mask_of, sort_versions, to_text

SURFACE_LISTS = ("backends", "env", "env_read", "models", "traits")

Folded: TypeAlias = "dict[str, Json]"
Cell: TypeAlias = "Mapping[str, Json]"
"""The attributes of one item in one version."""


@frozen
class _Fold:
    count: int
    everything: int = field()

    @everything.default
    def _everything(self) -> int:
        return (1 << self.count) - 1

    def text(self, mask: int) -> str:
        return to_text(mask, self.count)

    def items(self, tables: list[Mapping[str, Cell]]) -> Folded:
        """Tables of items, a table a version, as one table."""
        names = sorted({name for table in tables for name in table})
        return {
            name: self.item({i: table[name] for i, table in enumerate(tables) if name in table})
            for name in names
        }

    def item(self, cells: Mapping[int, Cell]) -> Folded:
        """One item from its attributes by version."""
        present = mask_of(list(cells))
        made: Folded = {} if present == self.everything else {"": self.text(present)}
        for name in sorted({name for cell in cells.values() for name in cell}):
            values = {index: cell[name] for index, cell in cells.items() if name in cell}
            made[name] = (
                self.names({i: _texts(one) for i, one in values.items()})
                if name in LISTS
                else self.value(values, present)
            )
        return made

    def value(self, values: Mapping[int, Json], present: int) -> Json:
        """An attribute: its value, or a list of [versions, value]."""
        groups: dict[str, list[int]] = {}
        for index, value in values.items():
            groups.setdefault(json.dumps(value), []).append(index)
        if len(groups) == 1 and mask_of(list(values)) == present:
            only = json.loads(next(iter(groups)))
            return _packed(only)
        rows = sorted((indexes[0], mask_of(indexes), text) for text, indexes in groups.items())
        return [[self.text(mask), _packed(json.loads(text))] for _, mask, text in rows]

    def names(self, lists: Mapping[int, Iterable[str]]) -> Folded:
        """Lists of names by version: versions to names. An empty list leaves an empty text."""
        having: dict[str, int] = {}
        empty = 0
        for index, names in lists.items():
            for name in names:
                having[name] = having.get(name, 0) | 1 << index
            if not names:
                empty |= 1 << index
        groups: dict[int, list[str]] = {empty: []} if empty else {}
        for name in sorted(having):
            groups.setdefault(having[name], []).append(name)
        order = sorted(groups, key=lambda mask: ((mask & -mask).bit_length(), mask))
        return {self.text(mask): packed_names(groups[mask]) for mask in order}


def packed_names(names: list[str]) -> Json:
    """Names as one text with spaces, or as a list where one has a space or is empty."""
    if any(not name or " " in name for name in names):
        return list(names)
    return " ".join(names)


def _packed(value: Json) -> Json:
    if isinstance(value, list):
        return packed_names([str(one) for one in value])
    return value


def _texts(value: Json) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def fold(surfaces: Iterable[Surface], wheels: Mapping[str, Wheel]) -> Folded:
    """One document of many versions.

    Args:
        surfaces: of one engine, each of another version, in any order.
        wheels: version to what it was read from; versions without are left out there.

    Raises:
        SurfaceFormatError: if there is none, or two are of one version or of several engines.
    """
    by_version = {}
    given = list(surfaces)
    for one in given:
        by_version[one.version] = canonical(one)
    engines = sorted({one.engine for one in given})
    if len(engines) != 1 or len(by_version) != len(given):
        problem = f"engines {engines}, {len(given)} surfaces of {len(by_version)} versions"
        raise SurfaceFormatError("surfaces of one engine, each of its own version", (problem,))
    versions = sort_versions(by_version)
    ordered = [by_version[version] for version in versions]
    made = _Fold(len(versions))
    lists: Folded = {}
    for name in SURFACE_LISTS:
        found = {i: getattr(one, name) for i, one in enumerate(ordered)}
        found = {i: names for i, names in found.items() if names is not None}
        if found:
            lists[name] = made.names(found)
    for name in sorted({name for one in ordered for name in one.registries}):
        lists[f"registries.{name}"] = made.names(
            {i: one.registries[name] for i, one in enumerate(ordered) if name in one.registries}
        )
    return {
        "format": FORMAT,
        "engine": engines[0],
        "versions": list(versions),
        "wheels": {
            version: {
                name: text
                for name, text in (
                    ("name", wheels[version].name),
                    ("sha256", wheels[version].sha256),
                    ("built", wheels[version].built),
                )
                if text is not None
            }
            for version in versions
            if version in wheels
        },
        "flags": made.items([_flags(one) for one in ordered]),
        "configs": made.items([_classes(one) for one in ordered]),
        "keys": {
            name: made.items([_keys(one, name) for one in ordered])
            for name in sorted({name for one in ordered for name in one.configs})
        },
        "enums": made.items([_enums(one) for one in ordered]),
        "lists": lists,
    }


def _flags(surface: Surface) -> dict[str, Cell]:
    made: dict[str, Cell] = {}
    positionals = 0
    for flag in surface.flags:
        key = flag.names[0] if flag.names else flag.dest
        cell = dict(flag_to_json(flag))
        names, hidden = implied_names(key, flag.action)
        if flag.names == names:
            cell.pop("names", None)
        if flag.hidden == hidden:
            cell.pop("hidden", None)
        elif not flag.hidden:
            cell["hidden"] = []
        if flag.dest == derived_dest(key):
            del cell["dest"]
        if flag.origin is not None and flag.origin.endswith(f".{flag.dest}"):
            cell["origin"] = flag.origin.removesuffix(flag.dest)
        if not flag.names:
            if positionals:  # their order is the only one that means something
                cell["place"] = positionals
            positionals += 1
        made[key] = cell
    return made


def _classes(surface: Surface) -> dict[str, Cell]:
    return {name: _without_fields(one) for name, one in surface.configs.items()}


def _without_fields(config: Config) -> Cell:
    return {key: value for key, value in config_to_json(config).items() if key != "fields"}


def _keys(surface: Surface, name: str) -> dict[str, Cell]:
    fields = config_to_json(surface.configs[name])["fields"] if name in surface.configs else {}
    return dict(fields) if isinstance(fields, Mapping) else {}  # type: ignore[arg-type]


def _enums(surface: Surface) -> dict[str, Cell]:
    return {name: dict(one.members) for name, one in surface.enums.items()}


def folded_text(document: Folded) -> str:
    """The document as text, one item a line."""
    return _lines(document, 3) + "\n"


def _lines(value: Json, depth: int) -> str:
    if not isinstance(value, Mapping) or depth < 2 or not value:
        return _line(value)
    rows = [
        f"{json.dumps(key)}:{_lines(one, depth - (1 if key != 'keys' else 0))}"
        for key, one in value.items()
    ]
    return "{\n" + ",\n".join(rows) + "\n}"


def _line(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
