"""Which recipe file each entry of a search space is started from.

Source of the rules: InferenceX, .github/workflows/benchmark-multinode-tmpl.yml (additional
settings are exported) and runners/launch_*.sh (what they do with ``CONFIG_FILE``), as of
2026-08-21.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import Literal

from attrs import field, frozen

from infxreg_inferencex.master.place import Place
from infxreg_inferencex.master.records import (
    Agentic,
    Entry,
    FixedLength,
    Space,
    Worker,
)

RECIPES = "benchmarks/multi_node/srt-slurm-recipes"
"""Recipe files that launchers lay over a clone of srt-slurm, under ``recipes/``."""

LLMD_RECIPES = "benchmarks/multi_node/llm-d-recipes"

Setting = Literal["CONFIG_FILE", "EVAL_CONFIG_FILE"]
_SETTINGS: tuple[Setting, ...] = ("CONFIG_FILE", "EVAL_CONFIG_FILE")
"""The recipe of what is measured, and another one for accuracy."""


@frozen(kw_only=True)
class Topology:
    """The labels of one role: they name the measured point, and start nothing."""

    role: str
    workers: int
    tp: int
    ep: int
    dp_attn: bool
    pp: int
    dcp: int
    gpus: int
    nodes: int | None
    at: Place = field(eq=False, repr=False)


@frozen(kw_only=True)
class Reference:
    """A recipe file that an entry of a search space names.

    Attributes:
        setting: the additional setting that names it.
        written: as it stands there.
        file: where it would be in the checkout.
        selector: the variant of the file, if one is named.
        llmd: whether it is one of llm-d's files, and not srt-slurm's.
        concurrencies: of the entry.
        roles: the labels.
        at: where the setting stands.
    """

    entry: Entry = field(repr=False)
    scenario: FixedLength | Agentic = field(repr=False)
    space: Space = field(repr=False)
    setting: Setting
    written: str
    file: str
    selector: str | None
    llmd: bool
    concurrencies: tuple[int, ...]
    roles: tuple[Topology, ...]
    at: Place


@frozen(kw_only=True)
class Unread:
    """An entry of a search space that a shell script starts: what it starts can't be read."""

    entry: Entry = field(repr=False)
    space: Space = field(repr=False)
    reason: str
    at: Place


def references(entries: Iterable[Entry]) -> Iterator[Reference | Unread]:
    """What every entry of every search space is started from, in their order."""
    for entry in entries:
        for scenario, space in entry.spaces():
            found = list(_named(entry, scenario, space))
            yield from found
            if not any(one.setting == "CONFIG_FILE" for one in found):
                nodes = "several nodes" if entry.multinode else "one node"
                reason = f"a shell script starts {entry.framework} on {nodes}"
                yield Unread(entry=entry, space=space, reason=reason, at=space.at)


def topology(role: str, worker: Worker) -> Topology:
    """The labels of a worker."""
    nodes = worker.setting(f"{role.upper()}_NODES")
    return Topology(
        role=role,
        workers=worker.num_worker,
        tp=worker.tp,
        ep=worker.ep,
        dp_attn=worker.dp_attn,
        pp=worker.pp or 1,
        dcp=worker.dcp_size or 1,
        gpus=worker.gpus,
        nodes=int(nodes) if nodes is not None and nodes.isdecimal() else None,
        at=worker.at,
    )


def _named(entry: Entry, scenario: FixedLength | Agentic, space: Space) -> Iterator[Reference]:
    for setting in _SETTINGS:
        said = space.said(setting)
        if said is None or not said[0]:
            continue
        written, at = said
        path, _, selector = written.partition(":")
        llmd = "/" not in path
        yield Reference(
            entry=entry,
            scenario=scenario,
            space=space,
            setting=setting,
            written=written,
            file=posixpath.normpath(_file(path, llmd)),
            selector=selector or None,
            llmd=llmd,
            concurrencies=space.concurrencies(),
            roles=tuple(topology(role, worker) for role, worker in space.roles()),
            at=at,
        )


def _file(path: str, llmd: bool) -> str:
    if llmd:
        return f"{LLMD_RECIPES}/{path}"
    if path.startswith("recipes/"):
        return f"{RECIPES}/{path.removeprefix('recipes/')}"
    return path
