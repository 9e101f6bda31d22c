"""How what InferenceX names is called here: SKUs, models, engines, workloads."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from infxreg_inferencex.master.records import Entry
from infxreg_inferencex.master.rows import Row, exp_name

_NO_ID = re.compile(r"[^a-z0-9._-]+")


def sku_of(runner: str, known: Collection[str]) -> str | None:
    """The SKU of a runner's label: ``cluster:b200-dgxc`` is b200; None where nobody declares it.

    Args:
        runner: the label.
        known: the SKUs that plugins declare.
    """
    label = cluster_of(runner)
    fitting = [sku for sku in known if label == sku or label.startswith(f"{sku}-")]
    return max(fitting, key=len, default=None)


def cluster_of(runner: str) -> str:
    """A runner's label without the word that says that it is a cluster's."""
    return runner.removeprefix("cluster:")


def slug(text: str) -> str:
    """Text as an id: small letters, digits, and ``. _ -`` inside."""
    return _NO_ID.sub("-", text.lower()).strip("._-")


def models(entries: Iterable[Entry], known: Mapping[str, str]) -> dict[str, str]:
    """The id of each checkpoint that entries name.

    Args:
        entries: of the master configs.
        known: the ids that plugins declare, by hub id.
    """
    found = {entry.model: known.get(entry.model) for entry in entries}
    return {hub: id or slug(hub.rpartition("/")[2]) for hub, id in found.items()}


def workload_of(row: Row) -> str:
    """``8k1k`` or ``agentic``."""
    values = row.values
    return exp_name(values["isl"], values["osl"]) if "isl" in values else "agentic"
