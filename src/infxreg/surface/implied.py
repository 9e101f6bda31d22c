"""What argparse makes of an option string, and an action of its names, so neither is stated."""

from __future__ import annotations


def derived_dest(key: str) -> str:
    """The destination that argparse makes of an option string."""
    return key.lstrip("-").replace("-", "_")


def implied_names(key: str, action: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Option strings, shown and hidden, that most flags of an action have beside the first."""
    if not key.startswith("-"):
        return (), ()
    if action not in {"boolean", "enable-disable"} or not key.startswith("--"):
        return (key,), ()
    negated = "--no-" + key.removeprefix("--")
    for prefix, inverse in (("--enable-", "--disable-"), ("--disable-", "--enable-")):
        if action == "enable-disable" and key.startswith(prefix):
            return (key, inverse + key.removeprefix(prefix)), (negated,)
    return (key, negated), ()
