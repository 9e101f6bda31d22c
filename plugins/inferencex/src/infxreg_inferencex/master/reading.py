"""Strict reading: what stands at a key path of a file as a record, or every fault of it."""

from __future__ import annotations

import functools
import re
import types
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import attrs
from attrs import frozen

from infxreg.errors import near
from infxreg.tables import read_as
from infxreg.values import FrozenMap
from infxreg.yamlfile import Lines, YamlError, read_lined
from infxreg_inferencex.master.place import FileFault, FileFaults, Path, Place, shown

T = TypeVar("T")

_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]")
_MISSING = re.compile(r"the key '(\w+)' is missing")


@frozen
class Document:
    """A file that has been read, and where its keys stand."""

    file: str
    value: Any
    lines: Lines

    def place(self, path: Path, raw: object = None) -> Place:
        """The place of a key path, with the lines of the keys of the mapping there.

        Args:
            path: the steps from the document's root.
            raw: what stands there; of its lists of scalars, every entry has a line too.
        """
        lines: dict[str, int] = {}
        for key, value in raw.items() if isinstance(raw, Mapping) else ():
            lines[str(key)] = self.lines.at((*path, key))
            if isinstance(value, list) and not any(isinstance(one, dict) for one in value):
                for place in range(len(value)):
                    lines[f"{key}[{place}]"] = self.lines.at((*path, key, place))
        return Place(self.file, shown(path), self.lines.at(path), FrozenMap(lines))

    def fault(self, path: Path, message: str) -> FileFault:
        """What is wrong at a key path."""
        return FileFault(self.place(path), message)

    def mapping(self) -> Mapping[str, Any]:
        """The whole document, if it is a mapping whose keys are text.

        Raises:
            FileFaults: if it isn't.
        """
        if not isinstance(self.value, Mapping):
            kind = type(self.value).__name__
            raise FileFaults((self.fault((), f"a mapping is needed, not {kind}"),))
        wrong = [key for key in self.value if not isinstance(key, str)]
        if wrong:
            raise FileFaults(
                tuple(self.fault((str(key),), f"text is needed, not {key!r}") for key in wrong)
            )
        return self.value


def opened(text: str, file: str) -> Document:
    """A file's text as a document.

    Args:
        text: YAML.
        file: what places call it.

    Raises:
        FileFaults: if it isn't YAML.
    """
    try:
        value, lines = read_lined(text, file)
    except YamlError as error:
        raise FileFaults((FileFault(Place(file, "", error.line), error.reason),)) from error
    return Document(file, value, lines)


def structured(
    document: Document, path: Path, raw: object, cls: type[T], more: Mapping[str, object]
) -> T | tuple[FileFault, ...]:
    """What stands at a key path as a record, or everything that is wrong with it.

    Args:
        document: the file.
        path: where it stands.
        raw: what stands there.
        cls: the record's class. A key is a field's name with ``-`` for ``_``; a field ``at`` gets
            the place.
        more: fields that the file doesn't say here.
    """
    faults: list[FileFault] = []
    named = _named(document, path, raw, cls, frozenset(more), faults)
    if isinstance(named, dict):
        named |= more
    made = read_as(named, cls)
    if isinstance(made, cls) and not faults:
        return made
    if isinstance(made, tuple):
        for fault in made:
            message = _MISSING.sub(
                lambda found: f"the key {_key(found[1])!r} is missing", fault.message
            )
            faults.append(document.fault((*path, *_steps(fault.path)), message))
    return tuple(sorted(faults, key=lambda fault: fault.place.line))


def _named(
    document: Document,
    path: Path,
    raw: object,
    cls: Any,
    given: frozenset[str],
    faults: list[FileFault],
) -> Any:
    """Plain data with the fields' names for the keys, and with places; what no field is goes."""
    cls = _one(cls)
    if get_origin(cls) is tuple and isinstance(raw, list):
        return [
            _named(document, (*path, place), item, get_args(cls)[0], frozenset(), faults)
            for place, item in enumerate(raw)
        ]
    if not attrs.has(cls) or not isinstance(raw, Mapping):
        return raw
    fields = {_key(name): name for name in _hints(cls) if name != "at" and name not in given}
    found: dict[str, Any] = {}
    for key, value in raw.items():
        name = fields.get(key)
        step = key if isinstance(key, str) else str(key)
        if name is None:
            faults.append(document.fault((*path, step), _unknown(step, fields)))
        else:
            found[name] = _named(
                document, (*path, step), value, _hints(cls)[name], frozenset(), faults
            )
    if "at" in _hints(cls):
        place = document.place(path, raw)
        found["at"] = {
            "file": place.file,
            "path": place.path,
            "line": place.line,
            "keys": place.keys,
        }
    return found


@functools.cache
def _hints(cls: Any) -> Mapping[str, Any]:
    hints = get_type_hints(cls)
    return {one.name: hints[one.name] for one in attrs.fields(cls)}


def _one(cls: Any) -> Any:
    """The type of what may also be None."""
    if isinstance(cls, types.UnionType):
        return next(one for one in get_args(cls) if one is not types.NoneType)
    return cls


def _unknown(key: str, known: Mapping[str, str]) -> str:
    guess = near(key, known)
    hint = f"did you mean {guess!r}?" if guess else f"known are {', '.join(sorted(known))}"
    return f"unknown key: {hint}"


def _key(name: str) -> str:
    return name.replace("_", "-")


def _steps(path: str) -> Iterator[str | int]:
    """The steps of a fault's path, as the file has them."""
    for name, place in _STEP.findall(path):
        yield int(place) if place else _key(name)
