"""What one plugin (or a site file) contributes, each record with where it is from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath

from attrs import evolve, field, frozen

from infxreg.errors import Fault
from infxreg.records import Record
from infxreg.tablefile import TableFile, sha256
from infxreg.tables import read_table
from infxreg.values import FrozenMap

CORE = "infxreg"
"""The name of the core's own contribution."""


@frozen
class Placed:
    """A record and its place: the file and key path, or the hook, that gave it."""

    record: Record
    where: str = ""
    path: str = ""
    structured: bool = False
    """Whether its types were checked when it was read from a table."""


@frozen
class Contribution:
    """A plugin's records, or the faults for which none of them counts.

    A plugin that fails anywhere contributes nothing: it never half-registers.
    """

    plugin: str
    distribution: str = ""
    version: str = ""
    placed: tuple[Placed, ...] = ()
    faults: tuple[Fault, ...] = ()
    tables: FrozenMap[str, str] = field(factory=FrozenMap)
    """The files that were read for it, faulty ones too: name to the hash of their bytes."""

    @classmethod
    def of(cls, plugin: str, *records: Record, where: str = "", version: str = "") -> Contribution:
        """A contribution made of records, as tests and scripts make one."""
        placed = tuple(Placed(record, where) for record in records)
        return cls(plugin, version=version, placed=placed)

    @property
    def label(self) -> str:
        """Distribution and version, where known."""
        return " ".join(part for part in (self.distribution, self.version) if part)

    def fault(self, message: str, where: str = "", path: str = "") -> Fault:
        """A fault of this plugin."""
        return Fault(self.plugin, message, self.label, where, path)

    def with_placed(self, placed: Iterable[Placed]) -> Contribution:
        """The same contribution with these records."""
        return evolve(self, placed=tuple(placed))


def read_files(base: Contribution, tables: Iterable[TableFile]) -> Contribution:
    """A contribution with the records and faults of TOML files, in their order."""
    placed: list[Placed] = []
    faults: list[Fault] = []
    hashes: dict[str, str] = {}
    for table in tables:
        try:
            data = table.read()
        except Exception as error:  # whatever a resource that is none raises
            reason = f"{type(error).__name__}: {error}"
            faults.append(base.fault(f"can't be read: {reason}", str(table.name)))
            continue
        hashes[_file_name(str(table.name), hashes)] = sha256(data)
        contents = read_table(data)
        placed += [Placed(item.record, table.name, item.path, True) for item in contents.records]
        faults += [base.fault(item.message, table.name, item.path) for item in contents.faults]
    return evolve(base, placed=tuple(placed), faults=tuple(faults), tables=FrozenMap(hashes))


def read_site(path: str, data: bytes) -> Contribution:
    """The contribution of a site file (``infxreg.toml``)."""
    base = Contribution("site")
    contents = read_table(data)
    faults = tuple(base.fault(item.message, path, item.path) for item in contents.faults)
    placed = tuple(Placed(item.record, path, item.path, True) for item in contents.records)
    # An empty file is none, whatever its name: that is how /dev/null switches the site off.
    tables = FrozenMap({_file_name(path, {}): sha256(data)} if data else {})
    return evolve(base, placed=() if faults else placed, faults=faults, tables=tables)


def _file_name(name: str, taken: Mapping[str, str]) -> str:
    """A name that is the same on every machine, that can be written, and that isn't taken."""
    path = PurePath(name)
    shown = path.name if path.is_absolute() else name
    shown = shown.encode("utf-8", "backslashreplace").decode("utf-8")
    count = sum(other == shown or other.startswith(f"{shown}#") for other in taken)
    return f"{shown}#{count + 1}" if count else shown
