"""The shell scripts that start what no recipe file does: which one, its content, what it is told.

What a script gives an engine can't be read off it. Which one it is, and what it held, is known:
a change of it is seen, at every job that it starts.

Source of the names: InferenceX, runners/launch_*.sh (``BENCH_SCRIPT``), and of the variables
.github/workflows/benchmark-tmpl.yml, as of 2026-08-21.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from infxreg.values import Value
from infxreg_inferencex.master.records import AGENTIC
from infxreg_inferencex.master.rows import Row

SCRIPT = "BENCH_SCRIPT"
"""The variable that a runner has a script's path in."""

CONFIG_FILE = "CONFIG_FILE"
"""The variable that a runner has a recipe's path in."""

_SINGLE, _MULTI = "benchmarks/single_node", "benchmarks/multi_node"
_FOLDERS = {AGENTIC: "agentic", "": "fixed_seq_len"}
_VARIABLES = {
    "exp-name": "EXP_NAME",
    "model": "MODEL",
    "model-prefix": "MODEL_PREFIX",
    "isl": "ISL",
    "osl": "OSL",
    "max-model-len": "MAX_MODEL_LEN",
    "image": "IMAGE",
    "framework": "FRAMEWORK",
    "precision": "PRECISION",
    "tp": "TP",
    "pp": "PP_SIZE",
    "dcp-size": "DCP_SIZE",
    "pcp-size": "PCP_SIZE",
    "ep": "EP_SIZE",
    "dp-attn": "DP_ATTENTION",
    "conc": "CONC",
    "spec-decoding": "SPEC_DECODING",
    "disagg": "DISAGG",
    "scenario-type": "SCENARIO_TYPE",
    "kv-offloading": "KV_OFFLOADING",
    "kv-p2p-transfer": "KV_P2P_TRANSFER",
    "total-cpu-dram-gb": "TOTAL_CPU_DRAM_GB",
    "duration": "DURATION",
}
"""What of a row a script is told, and how."""


@frozen
class Scripts:
    """The scripts of a checkout.

    Args:
        files: the checkout's files, by path.
    """

    files: Mapping[str, str]
    _digests: dict[str, str] = field(factory=dict, init=False, repr=False)

    def settings(self, row: Row, sku: str) -> dict[str, Value]:
        """The script that starts a job, and its content's digest; nothing where there is none.

        Args:
            row: the job.
            sku: what it runs on.
        """
        script = self._script(row, sku)
        if script is None:
            return {}
        return {f"env.{SCRIPT}": script, f"env.{SCRIPT}_SHA256": self._digest(script)}

    def _script(self, row: Row, sku: str) -> str | None:
        stem = f"{row.entry.model_prefix}_{row.entry.precision}_{sku}"
        framework = row.entry.framework
        mtp = "_mtp" if row.values["spec-decoding"] == "mtp" else ""
        if row.entry.multinode:
            names = [f"{_MULTI}/{stem}_{framework}{mtp}.sh", f"{_MULTI}/{stem}_{framework}.sh"]
        else:
            folder = f"{_SINGLE}/{_FOLDERS[row.values.get('scenario-type', '')]}"
            plain = "_trt" if framework == "trt" else ""
            names = [f"{folder}/{stem}_{framework}{mtp}.sh", f"{folder}/{stem}{plain}{mtp}.sh"]
        return next((name for name in names if name in self.files), None)

    def _digest(self, name: str) -> str:
        if name not in self._digests:
            self._digests[name] = hashlib.sha256(self.files[name].encode()).hexdigest()
        return self._digests[name]


def told(row: Row) -> dict[str, Value]:
    """What a script is told of a job."""
    return {
        f"env.{_VARIABLES[key]}": _text(value)
        for key, value in row.values.items()
        if key in _VARIABLES
    }


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
