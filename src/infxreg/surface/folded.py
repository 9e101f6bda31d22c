"""Reads a folded file: the surface of a version, and when an item was there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from attrs import field, frozen

from infxreg.surface.errors import SurfaceFormatError, UnknownVersionError
from infxreg.surface.history import ItemKind, Span
from infxreg.surface.implied import derived_dest, implied_names
from infxreg.surface.model import Config, ConfigField, Enum, Flag, Surface, Wheel
from infxreg.surface.ranges import from_text, runs
from infxreg.surface.reading import Part
from infxreg.values import FrozenMap

FORMAT = 1
# Attributes that are lists of names whose order means nothing.
LISTS = frozenset({"choices", "refusals"})
_WHAT = "a folded file of engine surfaces"


@frozen(eq=False)
class FoldedSurfaces:
    """The surfaces of an engine's versions, packed.

    Attributes:
        engine: ``vllm``, ``sglang`` …
        versions: oldest first.
    """

    engine: str
    versions: tuple[str, ...]
    _document: Mapping[str, object] = field(repr=False)
    _masks: dict[str, int] = field(factory=dict, repr=False, init=False)

    @classmethod
    def read(cls, text: str | bytes) -> FoldedSurfaces:
        """A folded file from its text.

        Raises:
            SurfaceFormatError: if it isn't one.
        """
        try:
            document = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise SurfaceFormatError(_WHAT, (f"not JSON: {error}",)) from error
        part = Part(document, "")
        engine = part.need("engine").text()
        versions = part.need("versions").texts()
        if part.need("format").value not in (None, FORMAT):
            part.at("format").wrong(f"format {part.at('format').value!r}; this reads {FORMAT}")
        for name in ("flags", "configs", "keys", "enums", "lists"):
            if not isinstance(part.need(name).value, Mapping):
                part.at(name).wrong("a table is needed")
        if part.problems or not isinstance(document, Mapping):
            raise SurfaceFormatError(_WHAT, tuple(part.problems))
        return cls(engine, versions, document)

    def wheel(self, version: str) -> Wheel | None:
        """What a version was read from, where the file says it."""
        part = Part(self._document, "").at("wheels").at(version)
        if not part.has("sha256"):
            return None
        built = part.at("built").text() or None
        return Wheel(part.at("name").text(), part.at("sha256").text(), built)

    def unfold(self, version: str) -> Surface:
        """The surface of a version.

        Raises:
            UnknownVersionError: if the file hasn't it.
            SurfaceFormatError: if the file is damaged.
        """
        if version not in self.versions:
            raise UnknownVersionError(self.engine, version, self.versions)
        bit = 1 << self.versions.index(version)
        try:
            return self._surface(version, bit)
        except (TypeError, ValueError, AttributeError, KeyError, IndexError) as error:
            raise SurfaceFormatError(_WHAT, (f"{version}: {error!r}",)) from error

    def _surface(self, version: str, bit: int) -> Surface:
        keys = self._table("keys")
        lists = self._table("lists")
        found = {name: self._list(lists[name], bit) for name in lists}
        prefix = "registries."
        return Surface(
            engine=self.engine,
            version=version,
            flags=tuple(self._flags(bit)),
            configs=FrozenMap(
                {
                    name: self._config(cell, _table(keys.get(name, {})), bit)
                    for name, cell in self._present("configs", bit)
                }
            ),
            enums=FrozenMap(
                {
                    name: Enum(members=FrozenMap(cell))  # type: ignore[arg-type]
                    for name, cell in self._present("enums", bit)
                }
            ),
            backends=found.get("backends"),
            env=found.get("env"),
            env_read=found.get("env_read") or (),
            registries=FrozenMap(
                {
                    name.removeprefix(prefix): names
                    for name, names in found.items()
                    if name.startswith(prefix) and names is not None
                }
            ),
            models=found.get("models"),
            traits=found.get("traits") or (),
            made_by="folded",
        )

    def _flags(self, bit: int) -> list[Flag]:
        positional: list[tuple[int, Flag]] = []
        named: list[Flag] = []
        for key, cell in self._present("flags", bit):
            place = cell.pop("place", 0)
            names, hidden = implied_names(key, str(cell.get("action", "store")))
            cell.setdefault("dest", derived_dest(key))
            cell.setdefault("names", names)
            cell.setdefault("hidden", hidden)
            origin = cell.get("origin")
            if isinstance(origin, str) and origin.endswith("."):
                cell["origin"] = f"{origin}{cell['dest']}"
            flag = Flag(**cell)  # type: ignore[arg-type]
            if flag.names:
                named.append(flag)
            else:
                positional.append((int(str(place)), flag))
        return [flag for _, flag in sorted(positional, key=lambda one: one[0])] + named

    def _config(self, cell: dict[str, object], keys: Mapping[str, object], bit: int) -> Config:
        fields = {name: ConfigField(**one) for name, one in self._cells(keys, bit)}  # type: ignore[arg-type]
        return Config(fields=FrozenMap(fields), **cell)  # type: ignore[arg-type]

    # cells

    def _table(self, section: str) -> Mapping[str, object]:
        return _table(self._document[section])

    def _present(self, section: str, bit: int) -> Iterator[tuple[str, dict[str, object]]]:
        return self._cells(self._table(section), bit)

    def _cells(
        self, table: Mapping[str, object], bit: int
    ) -> Iterator[tuple[str, dict[str, object]]]:
        """The items of a table that some version has, with their attributes there."""
        for name, item in table.items():
            made = self._cell(_table(item), bit)
            if made is not None:
                yield name, made

    def _cell(self, item: Mapping[str, object], bit: int) -> dict[str, object] | None:
        there = item.get("")
        if there is not None and not self._mask(there) & bit:
            return None
        made: dict[str, object] = {}
        for name, value in item.items():
            if not name:
                continue
            if name in LISTS:
                names = self._list(value, bit)
                if names is not None:
                    made[name] = names
            elif isinstance(value, list):
                for versions, one in value:
                    if self._mask(versions) & bit:
                        made[name] = _unpacked(name, one)
            else:
                made[name] = _unpacked(name, value)
        return made

    def _list(self, groups: object, bit: int) -> tuple[str, ...] | None:
        """The names of a list in a version; None where it isn't there at all."""
        found: list[str] | None = None
        for versions, names in _table(groups).items():
            if self._mask(versions) & bit:
                found = [*(found or ()), *_names(names)]
        return None if found is None else tuple(sorted(found))

    def _mask(self, versions: object) -> int:
        text = versions if isinstance(versions, str) else str(versions)
        mask = self._masks.get(text)
        if mask is None:
            mask = self._masks[text] = from_text(text, len(self.versions))
        return mask

    # history

    @property
    def oldest(self) -> str:
        """The oldest version that the file has."""
        return self.versions[0]

    def spans(self, kind: ItemKind, name: str) -> Sequence[Span]:
        """The runs of versions that have an item, see `infxreg.surface.history.History`."""
        try:
            mask = self._item_mask(kind, name)
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            raise SurfaceFormatError(_WHAT, (f"{kind} {name}: {error!r}",)) from error
        newest = len(self.versions) - 1
        return [
            Span(self.versions[first], None if last == newest else self.versions[last])
            for first, last in runs(mask)
        ]

    def replacement(self, flag: str) -> str | None:
        """What to write for a flag, see `infxreg.surface.history.History`."""
        try:
            named = [
                (mask.bit_length(), str(text))
                for item in self._option_items.get(flag, ())
                for mask, text in self._values(item.get("deprecated"), self._there(item))
                if text
            ]
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            raise SurfaceFormatError(_WHAT, (f"flag {flag}: {error!r}",)) from error
        return max(named)[1] if named else None

    def _item_mask(self, kind: ItemKind, name: str) -> int:
        if kind == "flag":
            return self._option_masks.get(name, 0)
        if kind == "choice":
            flag, _, choice = name.partition("=")
            return self._choice_mask(self._option_items.get(flag, ()), choice)
        if kind in {"key", "key-choice"}:
            path, _, choice = name.partition("=")
            config, _, key = path.partition(".")
            keys = _table(self._table("keys").get(config, {}))
            if key not in keys:
                return 0
            item = _table(keys[key])  # empty for a key that every version has, all by default
            return self._choice_mask([item], choice) if kind == "key-choice" else self._there(item)
        if kind == "registry":
            registry, _, one = name.partition("=")
            return self._listed_mask(self._table("lists").get(f"registries.{registry}", {}), one)
        section = {"backend": ("backends",), "env": ("env", "env_read")}[kind]
        mask = 0
        for part in section:
            mask |= self._listed_mask(self._table("lists").get(part, {}), name)
        return mask

    def _there(self, item: Mapping[str, object]) -> int:
        there = item.get("")
        return (1 << len(self.versions)) - 1 if there is None else self._mask(there)

    def _choice_mask(self, items: Sequence[Mapping[str, object]], choice: str) -> int:
        mask = 0
        for item in items:
            mask |= self._listed_mask(item.get("choices", {}), choice)
        return mask

    def _listed_mask(self, groups: object, name: str) -> int:
        mask = 0
        for versions, names in _table(groups).items():
            if name in _names(names):
                mask |= self._mask(versions)
        return mask

    @cached_property
    def _option_items(self) -> Mapping[str, Sequence[Mapping[str, object]]]:
        """Option string to the flags that have it in any version."""
        found: dict[str, list[Mapping[str, object]]] = {}
        for key, one in self._table("flags").items():
            item = _table(one)
            for name in self._options(key, item):
                found.setdefault(name, []).append(item)
        return found

    @cached_property
    def _option_masks(self) -> Mapping[str, int]:
        """Option string to the versions that take it."""
        found: dict[str, int] = {}
        for key, item in self._table("flags").items():
            for name, mask in self._options(key, _table(item)).items():
                found[name] = found.get(name, 0) | mask
        return found

    def _options(self, key: str, item: Mapping[str, object]) -> dict[str, int]:
        """A flag's option strings, hidden ones too, with the versions that have each."""
        found: dict[str, int] = {}
        there = self._there(item)
        actions = self._values(item.get("action"), there)
        left = there & ~sum(mask for mask, _ in actions)
        for attribute in ("names", "hidden"):
            stated = self._values(item.get(attribute), there)
            for mask, names in stated:
                for name in _names(names):
                    found[name] = found.get(name, 0) | mask
            rest = there & ~sum(mask for mask, _ in stated)
            for mask, action in (*actions, (left, "store")):
                implied = implied_names(key, str(action))[attribute == "hidden"]
                for name in implied:
                    if mask & rest:
                        found[name] = found.get(name, 0) | (mask & rest)
        return found

    def _values(self, value: object, there: int) -> list[tuple[int, object]]:
        """An attribute's values, each with the versions that have it."""
        if value is None:
            return []
        if isinstance(value, list):
            return [(self._mask(versions), one) for versions, one in value]
        return [(there, value)]


def _table(value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise TypeError(f"a table is needed, not {value!r:.40}")
    return value


def _names(value: object) -> list[str]:
    return value.split() if isinstance(value, str) else [str(one) for one in _list_of(value)]


def _list_of(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(f"a list is needed, not {value!r:.40}")
    return value


def _unpacked(name: str, value: object) -> object:
    return tuple(_names(value)) if name in {"names", "hidden"} else value
