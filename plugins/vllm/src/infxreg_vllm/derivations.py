"""How vllm's graph-capture sizes and expert parallelism follow from other options."""

from __future__ import annotations

from infxreg.records import Derivation


def double_until_covered(
    requests: int, draft_tokens: int | None, cap: int | None = None, *, floor: int, factor: int = 1
) -> int:
    """The least of floor, 2 floor, 4 floor … tokens that covers the verification blocks.

    Args:
        requests: requests in a step.
        draft_tokens: draft length; a request's block is one token longer.
        cap: the largest size, or None.
        floor: the smallest size.
        factor: how many times the requests a step may hold.
    """
    tokens = factor * requests * ((draft_tokens or 0) + 1)
    size = floor
    while size < tokens:
        size *= 2
    return size if cap is None else min(size, cap)


def up_to(cap: int | None, *, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes that aren't above the cap."""
    return tuple(size for size in sizes if cap is None or size <= cap)


def largest(sizes: tuple[int, ...] | None) -> int | None:
    """The largest of the sizes; absent without any."""
    return max(sizes) if sizes else None


def vllm_expert_parallel(ep: int | None, tp: int | None, dp: int | None) -> bool | None:
    """Whether experts are spread: vllm knows all ranks or none.

    Raises:
        ValueError: for a size between, which vllm can't do.
    """
    if ep is None:
        return None
    ranks = (tp or 1) * (dp or 1)
    if ep != ranks:
        raise ValueError(f"vllm spreads experts over all {ranks} ranks (tp × dp), not over {ep}")
    return True


ALL = tuple(
    Derivation(id=function.__name__, function=function, doc=(function.__doc__ or "").split("\n")[0])
    for function in (double_until_covered, up_to, largest, vllm_expert_parallel)
)
