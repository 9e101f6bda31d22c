"""The real parsers' dumps in ``../shared``, and how a surface compares with one."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from infxreg.surface.model import Flag, Surface

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("INFXREG_SHARED", ROOT.parent / "shared")) / "data" / "engine-flags"
DUMPED = (
    *(("sglang", version) for version in ("0.5.10", "0.5.15", "0.5.19", "0.5.20", "0.5.23")),
    *(("vllm", version) for version in ("0.12.0", "0.20.0", "0.24.0", "0.28.0")),
    *(("vllm", version) for version in ("0.30.0", "0.31.0", "0.33.0")),
)


def real(engine: str, version: str) -> Surface:
    """What the real parser of a version said; skips where the data isn't there."""
    path = FOLDER / f"real-{engine}-{version}.json.gz"
    if not path.is_file():
        pytest.skip(f"no reference data at {path}; the twins in test_extract_*.py run all the same")
    with gzip.open(path, "rt") as file:
        data: Any = json.load(file)
    return Surface.from_real_dump(data, engine)


@frozen
class Compared:
    """Two sides of one kind of item."""

    equal: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]

    @classmethod
    def of(cls, ours: set[str], theirs: set[str]) -> Compared:
        return cls(len(ours & theirs), tuple(sorted(theirs - ours)), tuple(sorted(ours - theirs)))

    @property
    def whole(self) -> bool:
        """Whether nothing is missing and nothing extra."""
        return not self.missing and not self.extra


def keyed(surface: Surface) -> Mapping[tuple[str, ...], Flag]:
    """Flags by their option strings; a positional by its destination."""
    return {flag.names or (flag.dest,): flag for flag in surface.flags}


def of_flags(ours: Surface, theirs: Surface, say: Callable[[Flag], object]) -> Compared:
    """Something about each flag, as text with the flag's name."""

    def said(surface: Surface) -> set[str]:
        return {f"{' '.join(names)}: {say(flag)}" for names, flag in keyed(surface).items()}

    return Compared.of(said(ours), said(theirs))


def keys(surface: Surface, classes: set[str]) -> set[str]:
    """JSON keys as ``Class.key``, with whether the JSON can have it; `InitVar` keys left out."""
    return {
        f"{name}.{key} {'init' if field.kind == 'init' else 'no'}"
        for name, config in surface.configs.items()
        if name in classes
        for key, field in config.fields.items()
        if field.kind != "initvar"
    }


def hard_choices(surface: Surface) -> dict[str, tuple[str, ...] | None]:
    """Flags that are checked against a list, with the list, sorted."""
    return {
        " ".join(names): None if flag.choices is None else tuple(sorted(flag.choices))
        for names, flag in keyed(surface).items()
        if flag.hard
    }


def literal(default: str | None) -> bool:
    """Whether a default's text is a literal and no object's."""
    return default is not None and not default.startswith("<") and "(" not in default.split("'")[0]
