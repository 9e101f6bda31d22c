"""InferenceX for infxreg: its reviewers' checklist as policies, and its own files as launches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from infxreg.hookspecs import hookimpl
from infxreg.records import Exporter, Importer, Policy
from infxreg.tablefile import TableFile, table_files

if TYPE_CHECKING:
    from pathlib import Path

    from infxreg.catalogue import Catalogue
    from infxreg.exchange import Imported, Launch

FORMAT = "2026-08-21"
"""The day of the format of rows: it has no version of its own."""


@hookimpl
def infxreg_tables() -> Iterable[TableFile]:
    """The axes and labels of InferenceX's matrix."""
    return table_files(__name__)


@hookimpl
def infxreg_policies() -> Iterable[Policy]:
    """The checklist."""
    from infxreg_inferencex.checklist import CHECKLIST  # only what checks a registry needs it

    return CHECKLIST


@hookimpl
def infxreg_importers() -> Iterable[Importer]:
    """What reads a checkout of InferenceX, and recipes of srt-slurm alone."""
    yield Importer(
        id="inferencex",
        read=_read,
        source="InferenceX, configs/CONFIGS.md",
        doc="a checkout of InferenceX: master configs, runners, and the recipes they point to",
    )
    yield Importer(
        id="srt-slurm",
        read=_read_recipes,
        source="NVIDIA/srt-slurm, docs/config-reference.md",
        doc="recipe files of srt-slurm, schema 1 and 2: one, or a folder of them",
    )


@hookimpl
def infxreg_exporters() -> Iterable[Exporter]:
    """The rows of the benchmark matrix, and srt-slurm's recipes."""
    yield Exporter(
        id="inferencex-matrix",
        media_type="application/json",
        format=FORMAT,
        write=_write_matrix,
        source="InferenceX, utils/matrix_logic/validation.py",
        doc="rows of InferenceX's benchmark matrix, of what was imported from it",
    )
    yield Exporter(
        id="srt-slurm",
        media_type="application/yaml",
        format="schema 2",
        write=_write_recipes,
        source="NVIDIA/srt-slurm, docs/config-reference.md",
        doc="recipes of srt-slurm, one a recipe, with an override for each point",
    )


def _write_matrix(launches: Sequence[Launch], catalogue: Catalogue) -> Mapping[str, str]:
    from infxreg_inferencex.matrix import write

    return write(launches)


def _write_recipes(launches: Sequence[Launch], catalogue: Catalogue) -> Mapping[str, str]:
    from infxreg_inferencex.srt_slurm import write  # needs a YAML library

    return write(launches, catalogue)


def _read_recipes(place: Path, catalogue: Catalogue) -> Imported:
    from infxreg_inferencex.importer.srt_slurm import read

    return read(place, catalogue)


def _read(folder: Path, catalogue: Catalogue) -> Imported:
    from infxreg_inferencex.importer.launches import read  # needs a YAML library

    return read(folder, catalogue)
