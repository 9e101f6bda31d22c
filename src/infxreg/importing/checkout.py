"""A registry whose launches are what another project's files say, on the hardware that is known."""

from __future__ import annotations

from pathlib import Path

from attrs import evolve, frozen

from infxreg.contribution import CORE, Contribution, Placed
from infxreg.errors import BadRequestError, UnknownIdError
from infxreg.exchange import Imported
from infxreg.records import (
    Arch,
    Engine,
    Evidence,
    Expect,
    Gate,
    Image,
    Model,
    Option,
    Recipe,
    Rule,
    Sku,
    Waiver,
)
from infxreg.registry import Registry

NAME = "import"
"""The plugin that has what was imported."""

_LAUNCHES = (Rule, Recipe, Gate, Expect, Evidence, Waiver)
"""What says how something is launched: of these, only what was imported counts."""

_FACTS = (Arch, Sku, Model, Image, Engine, Option)
"""What is true whoever says it: what a plugin declares already is taken from there."""


@frozen
class Checkout:
    """A folder of another project: its registry, and what reading it told."""

    registry: Registry
    imported: Imported


def split(text: str) -> tuple[str, Path]:
    """The importer and the folder of ``--from IMPORTER:FOLDER``.

    Raises:
        BadRequestError: if it isn't that.
    """
    name, colon, folder = text.partition(":")
    if not (name and colon and folder):
        raise BadRequestError(f"--from: {text!r} isn't IMPORTER:FOLDER, as inferencex:.")
    return name, Path(folder)


def checkout(registry: Registry, importer: str, folder: Path) -> Checkout:
    """The registry of a folder.

    Of the plugins it has hardware, engines, images, options, derivations and policies; their own
    launches stay out, so that nothing but the folder's files decides how something is launched.

    Args:
        registry: that of the installed plugins.
        importer: what reads the folder.
        folder: a checkout.

    Raises:
        RegistryFaults: if the registry has faults.
        UnknownIdError: if no plugin has that importer.
        BadRequestError: if the folder isn't there.
        ImportFaults: with everything that can't be read.
    """
    registry.check()
    importers = registry.catalogue.importers
    if importer not in importers:
        raise UnknownIdError("importer", importer, tuple(importers))
    if not folder.exists():
        raise BadRequestError(f"{folder} isn't there")
    imported: Imported = importers[importer].read(folder, registry.catalogue)
    return Checkout(of_records(registry, imported), imported)


def of_records(registry: Registry, imported: Imported) -> Registry:
    """The registry of what was imported, beside what is known of hardware and engines."""
    known = registry.catalogue
    declared = {(cls, id) for cls in _FACTS for id in known.of_kind(cls.kind)}
    own = Contribution(
        NAME,
        placed=tuple(
            placed
            for placed in imported.placed
            if (type(placed.record), getattr(placed.record, "id", "")) not in declared
        ),
    )
    kept = tuple(
        other if other.plugin == CORE else other.with_placed(filter(_is_fact, other.placed))
        for other in registry.contributions
    )
    return evolve(registry, contributions=(*kept, own), site=None)


def _is_fact(placed: Placed) -> bool:
    return not isinstance(placed.record, _LAUNCHES)
