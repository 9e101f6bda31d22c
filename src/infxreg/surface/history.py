"""When an item of a surface was there: what a folded file knows, and how to say it.

Ranges, not a first and a last version: a flag can go and come back.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Literal, Protocol, TypeAlias

from attrs import frozen

ItemKind: TypeAlias = Literal["flag", "choice", "key", "key-choice", "backend", "env", "registry"]


@frozen
class Span:
    """A run of versions, both ends in it; ``last`` is None where it goes on to the newest."""

    first: str
    last: str | None = None


class History(Protocol):
    """What is known of an engine's items over its versions.

    Names, by kind: ``flag`` is an option string (``--engram-config``), ``choice`` a value of a
    flag (``--kv-cache-dtype=fp8``), ``key`` a JSON key with its class
    (``AttentionConfig.indexer_sparse_logits``), ``key-choice`` a value of one
    (``KernelConfig.moe_backend=b12x``), ``backend`` and ``env`` a name, ``registry`` a name with
    its registry (``tool_call_parser=deepseek_v41``).
    """

    @property
    def oldest(self) -> str:
        """The oldest version that it covers: an item may well be older."""

    def spans(self, kind: ItemKind, name: str) -> Sequence[Span]:
        """The runs of versions that have the item, oldest first; none if no version has it."""

    def replacement(self, flag: str) -> str | None:
        """What the newest version that deprecates a flag says to write instead, if any does."""


def in_words(history: History | None, kind: ItemKind, name: str, version: str) -> str | None:
    """When an item was there, seen from a version that lacks it; None without a history.

    ``first in 0.31.0``, ``removed after 0.29.0``, ``not in 0.20.0 to 0.32.0`` for what comes
    back, ``no version has it``.
    """
    if history is None:
        return None
    spans = history.spans(kind, name)
    if not spans:
        return "no version has it"
    before = [span for span in spans if span.last is not None and not _later(span.first, version)]
    after = [span for span in spans if _later(span.first, version)]
    if before and after:
        return f"removed after {before[-1].last}, back in {after[0].first}"
    if after:
        return f"first in {after[0].first}"
    if before:
        return f"removed after {before[-1].last}"
    return None


def _later(one: str, other: str) -> bool:
    from packaging.version import InvalidVersion, Version

    try:
        return Version(one) > Version(other)
    except InvalidVersion:
        return False


def replaced(history: History, flag: str, known: Container[str]) -> str | None:
    """What to write for a flag that went, in a version that knows these; None if nothing says.

    What replaced it may have been replaced since.
    """
    seen = {flag}
    named = history.replacement(flag)
    while named is not None and named not in known and named not in seen:
        seen.add(named)
        named = history.replacement(named) or named
    return None if named == flag else named
