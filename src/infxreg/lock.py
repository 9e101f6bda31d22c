"""Locks: what a registry is made of, written down, so that a change of any of it is noticed.

A lock holds each plugin's distribution and version, the hash of each table and of what hooks
contribute, and the digest of the snapshot. Plugins, versions and hashes are compared in
milliseconds. The snapshot's digest needs every point resolved, so it is compared only when
asked for: equal tables, records and versions give equal snapshots. What that leaves out is the
code of derivations, where a plugin changes it under the version that it had.
"""

from __future__ import annotations

import functools
import hashlib
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, get_args, get_origin

import tomli_w
from attrs import field, frozen
from cattrs import Converter, transform_error
from cattrs.gen import make_dict_structure_fn

from infxreg.contribution import CORE, Contribution
from infxreg.errors import InfxregError
from infxreg.fingerprint import fingerprint
from infxreg.plugins import hook_of
from infxreg.records import Record
from infxreg.registry import Registry
from infxreg.snapshot import take
from infxreg.strictness import be_strict
from infxreg.values import FrozenMap

FORMAT = 1
_HEAD = "# Written by infxreg lock; infxreg --locked refuses to resolve from anything else.\n"
_ACCEPT = "infxreg lock"

Progress = Callable[[int, int], None]


@frozen(kw_only=True)
class Sources:
    """What records are from.

    Attributes:
        tables: the name of each file to the hash of its bytes.
        records: each hook to the hash of the records that it gave.
    """

    tables: FrozenMap[str, str] = field(factory=FrozenMap)
    records: FrozenMap[str, str] = field(factory=FrozenMap)


@frozen(kw_only=True)
class Plugin(Sources):
    """A plugin, or the core (``infxreg``)."""

    name: str
    distribution: str = ""
    version: str = ""

    @property
    def label(self) -> str:
        """Distribution and version, where known."""
        return " ".join(part for part in (self.distribution, self.version) if part)


@frozen(kw_only=True)
class Lock:
    """What a registry was made of, and the digest of its snapshot.

    Attributes:
        snapshot: ``sha256:…`` of the file that ``infxreg snapshot`` writes.
        plugin: the core and every plugin, sorted by name.
        site: the site file, under its name alone; None where there was none.
    """

    snapshot: str
    plugin: tuple[Plugin, ...]
    site: Sources | None = None

    def to_toml(self) -> str:
        """The text of the lock file."""
        data: dict[str, Any] = {
            "format": FORMAT,
            "snapshot": self.snapshot,
            "plugin": [_plugin_data(plugin) for plugin in self.plugin],
        }
        if self.site is not None:
            data["site"] = _sources_data(self.site)
        return _HEAD + tomli_w.dumps(data)


@frozen
class LockFormatError(InfxregError):
    """A text that is no lock file of a format that this version reads."""

    where: str
    problems: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.where} is no lock file: {'; '.join(self.problems)}. {_ACCEPT} writes one"


@frozen
class LockedError(InfxregError):
    """The registry isn't what the lock says: all that moved, and how to accept it.

    Attributes:
        where: the lock file.
        moved: see `moved`.
        accept: the command that locks the registry as it is.
        faults: how many faults the registry has besides.
    """

    where: str
    moved: tuple[str, ...]
    accept: str = _ACCEPT
    faults: int = 0

    def __str__(self) -> str:
        lines = [f"the registry isn't what {self.where} locks:"]
        lines += [f"  {line}" for line in self.moved]
        if self.faults:
            count = f"{self.faults} fault{'s' * (self.faults != 1)}"
            lines.append(f"it has {count} besides, which infxreg check tells")
        lines.append(f"to accept it: {self.accept}")
        return "\n".join(lines)


def lock_of(registry: Registry, progress: Progress = lambda done, total: None) -> Lock:
    """The lock of a registry; every point is resolved for it.

    Args:
        registry: the registry.
        progress: called with (points done, points in all).

    Raises:
        RegistryFaults: if the registry has faults.
        UnreadableError: if a file that a record names can't be read.
    """
    digest = snapshot_digest(registry, progress)
    plugins = sorted(map(_plugin, registry.contributions), key=lambda plugin: plugin.name)
    return Lock(snapshot=digest, plugin=tuple(plugins), site=_site(registry))


def snapshot_digest(registry: Registry, progress: Progress = lambda done, total: None) -> str:
    """The digest of a registry's snapshot, as ``sha256sum`` has it of the file.

    Args:
        registry: the registry.
        progress: called with (points done, points in all).

    Raises:
        RegistryFaults: if the registry has faults.
    """
    found = hashlib.sha256()
    for line in take(registry, progress).lines():
        found.update(f"{line}\n".encode())
    return f"sha256:{found.hexdigest()}"


def read_lock(text: str, where: str = "this text") -> Lock:
    """A lock from the text of its file.

    Args:
        text: the whole text.
        where: what errors call it.

    Raises:
        LockFormatError: with everything that is wrong.
    """
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise LockFormatError(where, (f"not TOML: {error}",)) from error
    version = data.pop("format", None)
    if type(version) is not int or version != FORMAT:
        raise LockFormatError(where, (f"format {version!r}, and this version reads {FORMAT}",))
    try:
        lock: Lock = _converter().structure(data, Lock)
    except Exception as error:  # every kind of fault that cattrs groups
        raise LockFormatError(where, tuple(transform_error(error, "lock"))) from error
    names = [plugin.name for plugin in lock.plugin]
    twice = tuple(f"plugin {name} stands there twice" for name in _repeated(names))
    if twice:
        raise LockFormatError(where, twice)
    return lock


def moved(lock: Lock, registry: Registry) -> tuple[str, ...]:
    """What of a registry isn't as it was locked, one text each; the snapshot isn't looked at.

    A registry with faults can be compared too: of a plugin that is broken, what couldn't be
    read isn't said to be gone.

    Raises:
        UnreadableError: if a file that a record names can't be read.
    """
    return tuple(_moved(lock, registry))


def require(lock: Lock, registry: Registry, where: str, accept: str = _ACCEPT) -> None:
    """Nothing, if no plugin, version, table or record moved.

    Args:
        lock: what must hold.
        registry: the registry.
        where: what the error calls the lock.
        accept: the command that locks the registry as it is.

    Raises:
        LockedError: with all that moved.
        UnreadableError: if a file that a record names can't be read.
    """
    found = moved(lock, registry)
    if found:
        raise LockedError(where, found, accept, len(registry.faults))


def _moved(lock: Lock, registry: Registry) -> Iterator[str]:
    locked = {plugin.name: plugin for plugin in lock.plugin}
    now = {item.plugin: item for item in registry.contributions}
    for name in sorted({*locked, *now}):
        who = name if name == CORE else f"plugin {name}"
        if name not in now:
            how = "left out" if name in registry.skipped else "gone"
            yield f"{who} is {how} (locked: {locked[name].label or 'no version'})"
        elif name not in locked:
            yield f"{who} is new ({now[name].label or 'no version'})"
        else:
            plugin, was = _plugin(now[name]), locked[name]
            if plugin.label != was.label:
                yield f"{who}: {was.label or 'no version'} → {plugin.label or 'no version'}"
            yield from _differences(who, was, plugin, whole=not now[name].faults)
    site = registry.site
    whole = site is None or not site.faults
    yield from _differences("site", lock.site or Sources(), _site(registry) or Sources(), whole)


def _differences(who: str, was: Sources, now: Sources, whole: bool) -> Iterator[str]:
    """What differs; of a contribution that isn't whole, nothing is called gone."""
    for name, verb in _each(was.tables, now.tables, whole):
        yield f"{who}: table {name} {'' if verb == 'changed' else 'is '}{verb}"
    for hook, verb in _each(was.records, now.records, whole):
        yield f"{who}: the records of {hook} {'' if verb == 'changed' else 'are '}{verb}"


def _each(was: Mapping[str, str], now: Mapping[str, str], whole: bool) -> Iterator[tuple[str, str]]:
    for name in sorted({*was, *now}):
        if name not in now:
            if whole:
                yield name, "gone"
        elif name not in was:
            yield name, "new"
        elif was[name] != now[name]:
            yield name, "changed"


def _plugin(contribution: Contribution) -> Plugin:
    return Plugin(
        name=contribution.plugin,
        distribution=contribution.distribution,
        version=contribution.version,
        tables=_sorted(contribution.tables),
        records=_records(contribution),
    )


def _site(registry: Registry) -> Sources | None:
    """What the site's records are from; an empty file is none."""
    if registry.site is None:
        return None
    found = Sources(tables=_sorted(registry.site.tables), records=_records(registry.site))
    return found if found.tables or found.records else None


def _records(contribution: Contribution) -> FrozenMap[str, str]:
    """The records that no table gave; those of tables have the table's hash."""
    made: dict[str, list[Record]] = {}
    for item in contribution.placed:
        if not item.structured:
            made.setdefault(hook_of(item.record), []).append(item.record)
    return _sorted({hook: fingerprint(records) for hook, records in made.items()})


def _sorted(data: Mapping[str, str]) -> FrozenMap[str, str]:
    return FrozenMap(dict(sorted(data.items())))


def _repeated(names: Iterable[str]) -> list[str]:
    listed = list(names)
    return sorted({name for name in listed if listed.count(name) > 1})


def _plugin_data(plugin: Plugin) -> dict[str, Any]:
    own = {
        "name": plugin.name,
        "distribution": plugin.distribution,
        "version": plugin.version,
    }
    return {**{key: value for key, value in own.items() if value}, **_sources_data(plugin)}


def _sources_data(sources: Sources) -> dict[str, Any]:
    both = {"tables": dict(sources.tables), "records": dict(sources.records)}
    return {key: value for key, value in both.items() if value}


@functools.cache
def _converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    be_strict(converter)
    converter.register_structure_hook_func(_is_map, functools.partial(_map, converter))
    for kind in (Plugin, Sources):
        plain = make_dict_structure_fn(kind, converter)
        converter.register_structure_hook(kind, functools.partial(_table, plain))
    return converter


def _table(plain: Callable[[Mapping[str, Any], Any], Any], raw: Any, cls: Any) -> Any:
    if not isinstance(raw, Mapping):
        raise TypeError(f"a table is needed, not {type(raw).__name__}")
    return plain(raw, cls)


def _is_map(cls: Any) -> bool:
    origin: Any = get_origin(cls)
    return origin is FrozenMap


def _map(converter: Converter, raw: Any, cls: Any) -> FrozenMap[str, str]:
    if not isinstance(raw, Mapping):
        raise TypeError(f"a table is needed, not {type(raw).__name__}")
    inner = get_args(cls)[1]
    return FrozenMap({key: converter.structure(value, inner) for key, value in raw.items()})
