"""How many GPUs sglang takes."""

from __future__ import annotations

from infxreg.records import Derivation


def sglang_gpus(tp: int | None, pp: int | None, dp: int | None, dp_attention: bool | None) -> int:
    """GPUs of one launch: DP attention lives inside the tensor parallel group."""
    inside = dp_attention is True
    return (tp or 1) * (pp or 1) * (1 if inside else dp or 1)


ALL = (Derivation(id="sglang_gpus", function=sglang_gpus, doc="GPUs of one launch"),)
