"""An engine's Python files, read-only: from a wheel, a folder, or a version that pip downloads.

Nothing is unpacked to disk and nothing is run. Limits keep a hostile archive
from filling memory: files, bytes a file, bytes together.
"""

from __future__ import annotations

import hashlib
import lzma
import os
import re
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Protocol

from attrs import Factory, field, frozen

from infxreg.surface.errors import SourceError
from infxreg.surface.model import Wheel

MAX_ENTRIES = 200_000
MAX_FILES = 40_000
MAX_FILE_BYTES = 8 << 20
MAX_TOTAL_BYTES = 512 << 20
DOWNLOAD_TIMEOUT_S = 3600

_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.!+_-]*")
_BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError)


class Files(Protocol):
    """Where the bytes are: relative path to file."""

    def read(self, path: str) -> bytes:
        """The bytes of one file.

        Raises:
            SourceError: if it is damaged or grew past a limit.
        """
        ...


@frozen(kw_only=True)
class Source:
    """The Python files of one distribution, by path relative to its root.

    Attributes:
        where: what messages call it.
        paths: every ``*.py``, sorted, with ``/``.
        name: the distribution's name by its metadata, or None without metadata.
        version: its version by its metadata, or None.
        wheel: the archive that it is, or None for a folder.
    """

    where: str
    paths: tuple[str, ...]
    files: Files = field(repr=False)
    name: str | None = None
    version: str | None = None
    wheel: Wheel | None = None
    _known: frozenset[str] = field(
        init=False, repr=False, eq=False, default=Factory(lambda s: frozenset(s.paths), True)
    )

    def has(self, path: str) -> bool:
        """Whether there is such a file."""
        return path in self._known

    def text(self, path: str) -> str:
        """One file as text; bytes that aren't UTF-8 become U+FFFD.

        Raises:
            SourceError: if it is missing, damaged or too large.
        """
        if not self.has(path):
            raise SourceError(self.where, f"{path} is missing")
        return self.files.read(path).decode("utf-8", "replace")


@frozen
class _Zip:
    where: str
    archive: zipfile.ZipFile

    def read(self, path: str) -> bytes:
        try:
            with self.archive.open(path) as stream:
                data = stream.read(MAX_FILE_BYTES + 1)
        except (*_BROKEN, OSError, RuntimeError, KeyError) as error:
            raise SourceError(self.where, f"{path} is damaged: {error}") from error
        if len(data) > MAX_FILE_BYTES:
            raise SourceError(self.where, f"{path} is larger than {MAX_FILE_BYTES >> 20} MiB")
        return data


@frozen
class _Folder:
    where: str
    root: Path

    def read(self, path: str) -> bytes:
        try:
            with (self.root / path).open("rb") as stream:
                data = stream.read(MAX_FILE_BYTES + 1)
        except OSError as error:
            raise SourceError(self.where, f"{path} can't be read: {error.strerror}") from error
        if len(data) > MAX_FILE_BYTES:
            raise SourceError(self.where, f"{path} is larger than {MAX_FILE_BYTES >> 20} MiB")
        return data


@contextmanager
def open_wheel(path: Path) -> Iterator[Source]:
    """The Python files of a wheel, or of a zip laid out like one.

    Raises:
        SourceError: if it is damaged, has paths that leave it, or breaks a limit.
    """
    where = str(path)
    try:
        archive = zipfile.ZipFile(path)
    except (*_BROKEN, ValueError) as error:
        raise SourceError(where, f"not a wheel: {error}") from error
    except OSError as error:
        raise SourceError(where, f"can't be read: {error.strerror or error}") from error
    with archive:
        files = _Zip(where, archive)
        kept, metadata = _entries(where, archive)
        name, version = _metadata(files.read(metadata)) if metadata else (None, None)
        yield Source(
            where=where,
            paths=kept,
            files=files,
            name=name,
            version=version,
            wheel=Wheel(path.name, _sha256(path), _built(archive)),
        )


def _entries(where: str, archive: zipfile.ZipFile) -> tuple[tuple[str, ...], str | None]:
    """The ``*.py`` paths, and that of METADATA."""
    infos = archive.infolist()
    if len(infos) > MAX_ENTRIES:
        raise SourceError(where, f"{len(infos)} entries; at most {MAX_ENTRIES} are read")
    kept: dict[str, int] = {}
    metadata = None
    for info in infos:
        _check_path(where, info.filename)
        is_metadata = _is_metadata(info.filename)
        if not info.filename.endswith(".py") and not is_metadata:
            continue
        if info.filename in kept:
            raise SourceError(where, f"two entries are called {info.filename}")
        if info.flag_bits & 0x1:
            raise SourceError(where, f"{info.filename} is encrypted")
        kept[info.filename] = info.file_size
        if is_metadata:
            metadata = info.filename
    _check_sizes(where, kept)
    return tuple(sorted(name for name in kept if name.endswith(".py"))), metadata


def _is_metadata(name: str) -> bool:
    return re.fullmatch(r"[^/]+\.dist-info/METADATA", name) is not None


def _check_path(where: str, name: str) -> None:
    parts = PurePosixPath(name).parts
    if (
        not name
        or name.startswith("/")
        or ".." in parts
        or "\\" in name
        or "\0" in name
        or re.match(r"[A-Za-z]:", name)
    ):
        raise SourceError(where, f"path {name!r} leaves the archive")


def _check_sizes(where: str, sizes: Mapping[str, int]) -> None:
    if len(sizes) > MAX_FILES:
        raise SourceError(where, f"{len(sizes)} Python files; at most {MAX_FILES} are read")
    for name, size in sizes.items():
        if size > MAX_FILE_BYTES:
            raise SourceError(
                where, f"{name} would be {size >> 20} MiB; at most {MAX_FILE_BYTES >> 20} are read"
            )
    total = sum(sizes.values())
    if total > MAX_TOTAL_BYTES:
        raise SourceError(
            where,
            f"its files would be {total >> 20} MiB; at most {MAX_TOTAL_BYTES >> 20} are read",
        )


def _metadata(data: bytes) -> tuple[str | None, str | None]:
    """Name and version from a METADATA file's header."""
    found: dict[str, str] = {}
    for line in data.decode("utf-8", "replace").splitlines():
        if not line.strip():
            break
        key, colon, value = line.partition(":")
        if colon:
            found.setdefault(key.strip().lower(), value.strip())
    return found.get("name"), found.get("version")


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _built(archive: zipfile.ZipFile) -> str | None:
    """The day of the newest entry; archives that are made without times have 1980."""
    year, month, day = max(
        (info.date_time[:3] for info in archive.infolist()), default=(1980, 1, 1)
    )
    return None if year <= 1980 else f"{year:04}-{month:02}-{day:02}"


def open_tree(root: Path, package: str) -> Source:
    """The Python files of one package in a folder: site-packages, a checkout, an unpacked wheel.

    Args:
        root: the folder that holds the package, or ``python/`` with it, or the package itself.
        package: its import name.

    Raises:
        SourceError: if there is no such folder, one links out of itself, or a limit is broken.
    """
    where = str(root)
    if not root.is_dir():
        raise SourceError(where, "no such folder")
    base = root.resolve()
    if (base / "python" / package).is_dir():
        base = base / "python"
    elif not (base / package).is_dir() and base.name == package:
        base = base.parent
    sizes: dict[str, int] = {}
    for folder, folders, names in os.walk(base / package):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        for entry in names:
            path = Path(folder, entry)
            relative = path.relative_to(base).as_posix()
            if path.is_symlink() and not path.resolve().is_relative_to(base):
                raise SourceError(where, f"{relative} links out of the folder")
            if entry.endswith(".py") and path.is_file():
                sizes[relative] = path.stat().st_size
        if len(sizes) > MAX_FILES:
            break
    _check_sizes(where, sizes)
    files = _Folder(where, base)
    found = sorted(base.glob(f"{package}-*.dist-info/METADATA"))
    data = files.read(found[0].relative_to(base).as_posix()) if len(found) == 1 else b""
    name, version = _metadata(data)
    return Source(where=where, paths=tuple(sorted(sizes)), files=files, name=name, version=version)


@contextmanager
def download(engine: str, version: str, timeout_s: float = DOWNLOAD_TIMEOUT_S) -> Iterator[Source]:
    """The Python files of a release, whose wheel pip downloads to a folder that is then deleted.

    Raises:
        SourceError: if pip can't find or fetch it; pip's last words are in the message.
    """
    where = f"{engine}=={version}"
    if not _VERSION.fullmatch(version):
        raise SourceError(where, "not a version")
    with tempfile.TemporaryDirectory(prefix="infxreg-wheel-") as folder:
        command = [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"),
            *("--no-cache-dir", "--only-binary=:all:", "--disable-pip-version-check"),
            *("--dest", folder, where),
        ]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=timeout_s, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise SourceError(where, f"pip took longer than {timeout_s:.0f} s") from error
        wheels = sorted(Path(folder).glob("*.whl"))
        if done.returncode or len(wheels) != 1:
            words = done.stderr.strip().splitlines()
            raise SourceError(where, f"pip found no wheel: {words[-1] if words else 'no reason'}")
        with open_wheel(wheels[0]) as source:
            yield source
