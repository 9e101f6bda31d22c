"""Where in a repository a finding's file is, and at which line a rule stands in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from attrs import frozen

from infxreg.review.revision import trees
from infxreg.review.verdict import Detail

_TABLE = re.compile(r"\s*\[\[?\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_RULE = re.compile(r"\b([A-Za-z0-9][\w.-]*):([A-Za-z0-9][\w.-]*)")


@frozen
class Place:
    """A file of the repository, by its path in it, and a line of it, from 1."""

    path: str
    line: int = 1


@frozen(eq=False)
class Places:
    """The files of a registry's sources in a folder.

    Args:
        folder: a working tree, or an exported revision; None where nothing is of a folder.
        rules: the file of each rule (``plugin:rule``).
    """

    folder: Path | None
    rules: Mapping[str, str]

    def of(self, detail: Detail) -> tuple[Place, ...]:
        """Where a detail is from: the rules that it names, else its file; sorted, each once."""
        named = [
            place
            for plugin, rule in _RULE.findall(detail.text)
            if (file := self.rules.get(f"{plugin}:{rule}"))
            and (place := self._place(file, rule)) is not None
        ]
        whole = [self._place(one.strip(), None) for one in detail.where.split(",") if one.strip()]
        found = named or [place for place in whole if place is not None]
        return tuple(sorted(set(found), key=lambda place: (place.path, place.line)))

    def _place(self, file: str, rule: str | None) -> Place | None:
        path = self._path(file)
        if path is None or self.folder is None:
            return None
        name = str(path.relative_to(self.folder.resolve()))
        return Place(name, 1 if rule is None else _line(path, rule))

    def _path(self, file: str) -> Path | None:
        """The file, if it is in the folder: beside a plugin's package, or the site file."""
        if self.folder is None:
            return None
        root = self.folder.resolve()
        homes = [root, *(Path(tree.path).resolve() for tree in trees(root)[0])]
        for path in (home / file for home in homes):  # an absolute name stays what it is
            if path.is_file() and path.resolve().is_relative_to(root):
                return path.resolve()
        return None


def _line(path: Path, rule: str) -> int:
    wanted = re.compile(rf"""\s*id\s*=\s*["']{re.escape(rule)}["']""")
    table = ""
    for number, line in enumerate(_lines(path), 1):
        if header := _TABLE.match(line):
            table = header[1]
        elif table == "rule" and wanted.match(line):  # a gate may have the same id
            return number
    return 1


def _lines(path: Path) -> Iterator[str]:
    yield from path.read_text(encoding="utf-8", errors="replace").splitlines()
