"""Overlays: what a wrapper or an out-of-tree plugin adds to an engine's surface.

A TOML file with the wrapper's own flags and variables, and with names that a
plugin adds to the engine's lists:

    name = "dynamo"
    engine = "vllm"
    source = "where this was read"
    env = ["DYN_NAMESPACE"]
    registries.tool_call_parser = ["house_style"]

    [[flag]]
    names = ["--dyn-tool-call-parser"]
    hard = true                       # a list that isn't known here

A flag has the attributes of `infxreg.surface.model.Flag`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

import attrs
from attrs import field, frozen

from infxreg.surface.canonical import canonical
from infxreg.surface.errors import OverlayError, SurfaceFormatError
from infxreg.surface.implied import derived_dest, implied_names
from infxreg.surface.jsonform import read_flag
from infxreg.surface.model import Flag, Surface
from infxreg.surface.reading import Part
from infxreg.values import FrozenMap

_KEYS = frozenset({"name", "engine", "source", "doc", "env", "backends", "registries", "flag"})


@frozen(kw_only=True)
class Overlay:
    """What is added to an engine's surfaces, and where that was read."""

    name: str
    engine: str
    source: str
    doc: str = ""
    flags: tuple[Flag, ...] = ()
    env: tuple[str, ...] = ()
    backends: tuple[str, ...] = ()
    registries: FrozenMap[str, tuple[str, ...]] = field(factory=FrozenMap)

    def over(self, surface: Surface) -> Surface:
        """The surface with what the overlay adds.

        Raises:
            OverlayError: if it is another engine's, or a flag's name is taken.
        """
        if surface.engine != self.engine:
            raise OverlayError(self.name, f"it is for {self.engine}, not {surface.engine}")
        taken = sorted(
            {name for one in self.flags for name in one.all_names} & set(surface.by_name)
        )
        if taken:
            raise OverlayError(
                self.name, f"{surface.engine} {surface.version} has {', '.join(taken)} itself"
            )
        registries = dict(surface.registries)
        for name, names in self.registries.items():
            registries[name] = (*registries.get(name, ()), *names)
        return canonical(
            attrs.evolve(
                surface,
                flags=(*surface.flags, *self.flags),
                env_read=(*surface.env_read, *self.env),
                backends=_with(surface.backends, self.backends),
                registries=FrozenMap(registries),
            )
        )


def _with(names: tuple[str, ...] | None, more: tuple[str, ...]) -> tuple[str, ...] | None:
    return None if names is None else (*names, *more)


def read_overlay(text: str, where: str) -> Overlay:
    """An overlay from its TOML.

    Raises:
        SurfaceFormatError: naming every part that is missing or of the wrong kind.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SurfaceFormatError(f"an overlay ({where})", (str(error),)) from error
    part = Part(data, "")
    part.only(_KEYS)
    made = Overlay(
        name=part.need("name").text(),
        engine=part.need("engine").text(),
        source=part.need("source").text(),
        doc=part.at("doc").text(),
        flags=tuple(_flag(row) for row in part.at("flag").rows()),
        env=part.at("env").texts(),
        backends=part.at("backends").texts(),
        registries=FrozenMap({name: one.texts() for name, one in part.at("registries").items()}),
    )
    if part.problems:
        raise SurfaceFormatError(f"an overlay ({where})", tuple(part.problems))
    return made


def _flag(row: Part) -> Flag:
    """A flag; its destination, its type and what its action implies needn't be said."""
    data = dict(row.value) if isinstance(row.value, Mapping) else {}
    names = row.need("names").texts()
    first = names[0] if names else ""
    data.setdefault("dest", derived_dest(first))
    action = str(data.get("action", "store"))
    if action in {"store_true", "store_false", "boolean", "enable-disable"}:
        data.setdefault("arity", "0")
        data.setdefault("type", "")
    if len(names) == 1:
        implied, hidden = implied_names(first, action)
        data["names"] = list(implied)
        data.setdefault("hidden", list(hidden))
    return read_flag(Part(data, row.path, row.problems))
