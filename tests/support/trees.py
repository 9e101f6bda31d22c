"""Small source trees and wheels, made by hand."""

from __future__ import annotations

import textwrap
import zipfile
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipInfo

from attrs import frozen

from infxreg.surface.errors import SourceError
from infxreg.surface.pyread.machine import Machine
from infxreg.surface.pyread.project import Project
from infxreg.surface.source import Source

BUILT = (2026, 9, 22, 1, 2, 4)


@frozen
class Texts:
    """Files in memory."""

    files: Mapping[str, str]

    def read(self, path: str) -> bytes:
        if path not in self.files:
            raise SourceError("memory", f"{path} is missing")
        return self.files[path].encode()


def source(files: Mapping[str, str], name: str | None = None, version: str | None = None) -> Source:
    """A tree in memory; texts are dedented."""
    texts = {path: textwrap.dedent(text) for path, text in files.items()}
    return Source(
        where="memory",
        paths=tuple(sorted(texts)),
        files=Texts(texts),
        name=name,
        version=version,
    )


def machine(package: str = "pkg", **modules: str) -> Machine:
    """An interpreter over a package whose modules are given by name; ``__`` is a dot."""
    files = {f"{package}/__init__.py": ""}
    for name, text in modules.items():
        path = "/".join([package, *name.split("__")]) + ".py"
        files[path] = text
        folder = path.rpartition("/")[0]
        while folder != package:
            files.setdefault(f"{folder}/__init__.py", "")
            folder = folder.rpartition("/")[0]
    return Machine(Project(source(files), package))


def wheel(
    folder: Path, files: Mapping[str, str | bytes], name: str = "vllm", version: str = "1.0"
) -> Path:
    """A wheel with metadata, built on 2026-09-22."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for inside, data in files.items():
            text = textwrap.dedent(data) if isinstance(data, str) else data
            archive.writestr(ZipInfo(inside, BUILT), text, zipfile.ZIP_DEFLATED)
        archive.writestr(
            ZipInfo(f"{name}-{version}.dist-info/METADATA", BUILT),
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nText\nVersion: 9\n",
        )
    return path
