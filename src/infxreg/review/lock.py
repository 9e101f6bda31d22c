"""A lock: which plugins, tables and records a registry was made of, and what it resolved to.

Equal plugins, versions, tables and records make an equal registry, so comparing these is
enough before something is resolved; the snapshot's digest says of all points that they are
the same, and takes resolving them.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs
from attrs import field, frozen

from infxreg import __version__
from infxreg.contribution import Contribution
from infxreg.errors import InfxregError
from infxreg.registry import Registry
from infxreg.review.snapshot import take
from infxreg.spec import canonical
from infxreg.surface.reading import Part
from infxreg.tablefile import TableFile
from infxreg.values import FrozenMap

FORMAT = 1
NAME = "infxreg.lock"


class LockError(InfxregError):
    """A lock that can't be read, or that the registry doesn't keep."""


@frozen
class Locked:
    """One plugin: where it is from, and the hashes of its tables and of its Python records."""

    distribution: str
    version: str
    tables: FrozenMap[str, str] = field(factory=FrozenMap)
    records: str = ""


@frozen
class Lock:
    """What a registry is made of; ``snapshot`` is empty where nobody resolved it."""

    core: str
    plugins: FrozenMap[str, Locked]
    snapshot: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The lock as its file has it."""
        return {
            "format": FORMAT,
            "core": self.core,
            "snapshot": self.snapshot,
            "plugins": {
                name: {
                    "distribution": one.distribution,
                    "version": one.version,
                    **({"records": one.records} if one.records else {}),
                    "tables": dict(sorted(one.tables.items())),
                }
                for name, one in sorted(self.plugins.items())
            },
        }


def lock_of(
    registry: Registry,
    *,
    resolved: bool = True,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Lock:
    """The lock of a registry.

    Args:
        registry: the registry.
        resolved: whether all points are resolved for the snapshot's digest.
        progress: called with (points done, points in all).

    Raises:
        RegistryFaults: if the registry has faults and is to be resolved.
    """
    everyone = [*registry.contributions, *([registry.site] if registry.site is not None else [])]
    plugins = FrozenMap({one.plugin: _locked(one) for one in everyone})
    return Lock(__version__, plugins, _snapshot(registry, progress) if resolved else "")


def read_lock(text: str, where: str) -> Lock:
    """A lock from its file.

    Raises:
        LockError: naming everything that is missing, unknown or of the wrong kind.
    """
    try:
        part = Part(tomllib.loads(text), "")
    except tomllib.TOMLDecodeError as error:
        raise LockError(f"{where} is no lock: {error}") from error
    part.only(frozenset({"format", "core", "snapshot", "plugins"}))
    if part.need("format").value not in (None, FORMAT):
        part.at("format").wrong(f"format {part.at('format').value!r}; this version reads {FORMAT}")
    plugins = {name: _read(one) for name, one in part.need("plugins").items()}
    made = Lock(part.need("core").text(), FrozenMap(plugins), part.at("snapshot").text())
    if part.problems:
        raise LockError(f"{where} is no lock: {'; '.join(part.problems)}")
    return made


def moved(lock: Lock, now: Lock) -> tuple[str, ...]:
    """What a lock has otherwise, in words; the snapshots only where both have one."""
    found = [] if lock.core == now.core else [f"infxreg is {now.core}, not {lock.core}"]
    for name in sorted({*lock.plugins, *now.plugins}):
        old, new = lock.plugins.get(name), now.plugins.get(name)
        if old is None or new is None:
            found.append(f"plugin {name} is {'new' if old is None else 'gone'}")
        else:
            found += _moved(name, old, new)
    if lock.snapshot and now.snapshot and lock.snapshot != now.snapshot:
        found.append(f"the points resolve to {now.snapshot}, not {lock.snapshot}")
    return tuple(found)


def _moved(name: str, old: Locked, new: Locked) -> Iterator[str]:
    was, is_ = f"{old.distribution} {old.version}", f"{new.distribution} {new.version}"
    if was != is_:
        yield f"plugin {name} is {is_.strip() or 'of no distribution'}, not {was.strip()}"
    for table in sorted({*old.tables, *new.tables}):
        before, after = old.tables.get(table), new.tables.get(table)
        if before != after:
            how = "is new" if before is None else "is gone" if after is None else "changed"
            yield f"plugin {name}: {table} {how}"
    if old.records != new.records:
        yield f"plugin {name}: what its Python hooks give changed"


def _locked(one: Contribution) -> Locked:
    made = [placed.record for placed in one.placed if not placed.structured]
    records = _hash(canonical([_plain(record) for record in made])) if made else ""
    return Locked(one.distribution, one.version, one.tables, records)


def _read(part: Part) -> Locked:
    part.only(frozenset({"distribution", "version", "tables", "records"}))
    tables = {name: one.text() for name, one in part.at("tables").items()}
    return Locked(
        part.need("distribution").text(),
        part.need("version").text(),
        FrozenMap(tables),
        part.at("records").text(),
    )


def _snapshot(registry: Registry, progress: Callable[[int, int], None]) -> str:
    digest = hashlib.sha256()
    for line in take(registry, progress).lines():
        digest.update(line.encode() + b"\n")
    return f"sha256:{digest.hexdigest()}"


def _hash(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _plain(value: Any) -> Any:
    """A record as data: functions by name, files by content, sets sorted."""
    if isinstance(value, TableFile):
        return [value.name, hashlib.sha256(value.read()).hexdigest()]
    if attrs.has(type(value)):
        fields = [a.name for a in attrs.fields(type(value)) if a.eq]
        return [type(value).__name__, {name: _plain(getattr(value, name)) for name in fields}]
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (frozenset, set)):
        return sorted(map(canonical, map(_plain, value)))
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]
    if callable(value):
        home = getattr(value, "__module__", "")
        return f"{home}:{getattr(value, '__qualname__', type(value).__qualname__)}"
    return value
