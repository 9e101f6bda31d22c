"""A checkout of InferenceX, from whatever holds its files, read in one go."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TypeVar

from attrs import frozen

from infxreg.review import changelog
from infxreg.values import FrozenMap
from infxreg_inferencex.master.files import combined, read_golden, read_master, read_runners
from infxreg_inferencex.master.place import FileFault, FileFaults, Place
from infxreg_inferencex.master.reading import opened
from infxreg_inferencex.master.records import Entry, Golden, Runners

T = TypeVar("T")

MASTERS = ("configs/nvidia-master.yaml", "configs/amd-master.yaml")
RUNNERS = "configs/runners.yaml"
GOLDEN = "golden_al_distribution"
CHANGELOG = changelog.NAME
DEPRECATED = "configs/deprecated"
"""Master configs of what is no longer measured, which the changelog still names."""


class Folder(Mapping[str, str]):
    """The text files of a folder, by their path in it; read when they are asked for.

    What a link takes out of the folder isn't one of them, nor what a hidden folder has.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def __getitem__(self, name: str) -> str:
        if not self._holds(name):
            raise KeyError(name)
        return (self._root / name).read_text(encoding="utf-8")

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._holds(name)

    def __iter__(self) -> Iterator[str]:
        for folder, folders, names in os.walk(self._root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                yield (Path(folder) / name).relative_to(self._root).as_posix()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _holds(self, name: str) -> bool:
        path = (self._root / name).resolve()
        return path.is_relative_to(self._root) and path.is_file()


@frozen(kw_only=True)
class Checkout:
    """What a checkout says.

    Attributes:
        entries: of the master configs, in their order.
        golden: every committed acceptance length.
        changes: the changelog's entries, oldest first.
        retired: config keys of what is no longer measured.
        files: the checkout's files, by path.
    """

    entries: tuple[Entry, ...]
    runners: Runners
    golden: tuple[Golden, ...] = ()
    changes: tuple[changelog.Entry, ...] = ()
    retired: frozenset[str] = frozenset()
    files: Mapping[str, str] = FrozenMap()


def read_checkout(files: Mapping[str, str]) -> Checkout:
    """A checkout's master configs, runners, golden lengths and changelog.

    Args:
        files: the text of each file, by its path; a `Folder`, or a revision's.

    Raises:
        FileFaults: with everything that is wrong with any of them.
    """
    faults: list[FileFault] = []

    def read(name: str, reader: Callable[[str, str], T]) -> T | None:
        try:
            return reader(files[name], name)
        except KeyError:
            faults.append(FileFault(Place(name, "", 1), "the file is missing"))
        except UnicodeDecodeError as error:
            faults.append(FileFault(Place(name, "", 1), f"not UTF-8: byte {error.start}"))
        except FileFaults as error:
            faults.extend(error.faults)
        except changelog.ChangelogError as error:
            faults.extend(FileFault(Place(name, "", 1), one) for one in error.problems)
        return None

    masters = [read(name, read_master) for name in MASTERS]
    runners = read(RUNNERS, read_runners)
    names = [name for name in files if name.endswith(".yaml")]
    golden = [read(name, read_golden) for name in names if _within(name, GOLDEN)]
    changes = None
    if CHANGELOG in files:
        changes = read(CHANGELOG, lambda text, name: changelog.read_changelog(text.encode(), name))
    retired = [read(name, _keys) for name in names if _within(name, DEPRECATED)]
    try:
        entries = combined(master or () for master in masters)
    except FileFaults as error:
        faults += error.faults
    if faults or runners is None:
        raise FileFaults(tuple(faults))
    return Checkout(
        entries=entries,
        runners=runners,
        golden=tuple(one for curve in golden for one in curve or ()),
        changes=changes or (),
        retired=frozenset(key for keys in retired for key in keys or ()),
        files=files,
    )


def _keys(text: str, name: str) -> tuple[str, ...]:
    """The keys of a master config that needn't be one of today's format."""
    return tuple(opened(text, name).mapping())


def _within(name: str, folder: str) -> bool:
    return PurePosixPath(name).parent == PurePosixPath(folder)
