"""An impact as text for people, in the manner of a plan."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from infxreg.review.impact import Block, Impact, KeyChange, Pair, by_axis
from infxreg.review.words import count_of

if TYPE_CHECKING:
    from infxreg.cli.only import Only

_SIGNS = {"fails": "!", "gone": "-", "new": "+", "mended": "*", "changed": "~"}
_COLOURS = {"fails": "red", "gone": "red", "new": "green", "mended": "green", "changed": "yellow"}
_VALUES = 4
"""Values of one key that are listed."""


def lines(impact: Impact, names: tuple[str, str], only: Only | None = None) -> Iterator[str]:
    """An impact, line by line: what is outside, how much changes, each block, what doesn't change.

    Args:
        impact: the difference of both sides.
        names: what they are called.
        only: the scope that was meant.
    """
    if only is not None:
        words = f"outside {only.scope}: {len(only.outside)} of {only.others} points change"
        yield click.style(words, bold=True, fg="red" if only.outside else None)
        for region in impact.cover(only.outside):
            yield click.style(
                f"  {region.scope} ({count_of(len(region.members), 'point')})", fg="red"
            )
        yield ""
    yield click.style(_verdict(impact), bold=True)
    yield f"{names[0]} → {names[1]}"
    for block in impact.blocks:
        yield ""
        yield from _block(block, impact.purposes)
    for run, numbers in impact.stale.items():
        yield ""
        words = f"goes stale: {count_of(len(numbers), 'point')} that {run} ran"
        yield click.style(words, fg="yellow")
        yield from (f"    {region.scope}" for region in impact.cover(numbers))
    yield ""
    yield "not changed:"
    for axis in ("sku", "model", "engine"):
        yield f"  {axis:<7} {_unchanged(impact, axis)}"


def _verdict(impact: Impact) -> str:
    counts = {purpose: len(found) for purpose, found in impact.touched.items()}
    total = len(impact.points)
    if not impact.any:
        return f"nothing changes: 0 of {total} points, at {_each(impact.purposes, impact.purposes)}"
    where = " and ".join(str(region.scope) for region in impact.regions[:4])
    more = len(impact.regions) - 4
    if more > 0:
        where += f" and {more} more scope{'s' * (more != 1)}"
    if len(set(impact.touched.values())) == 1:
        count = len(impact.any)
        return (
            f"{count_of(count, 'point')} change{'s' * (count == 1)} on {where}, "
            f"0 of {total - count} elsewhere, at {_each(impact.purposes, impact.purposes)}"
        )
    told = ", ".join(f"{count} at {purpose}" for purpose, count in counts.items())
    return f"points that change, on {where}: {told}; 0 of {total - len(impact.any)} elsewhere"


def _each(purposes: Sequence[str], all_of_them: Sequence[str]) -> str:
    if list(purposes) == list(all_of_them) and len(purposes) > 1:
        return f"each of {len(purposes)} purposes"
    return ", ".join(purposes)


def _block(block: Block, purposes: Sequence[str]) -> Iterator[str]:
    at = "" if block.purposes == tuple(purposes) else f" at {', '.join(block.purposes)}"
    sign = click.style(f"{_SIGNS[block.kind]} {block.kind}", fg=_COLOURS[block.kind])
    if len(block.regions) == 1:
        yield f"{sign} {block.regions[0].scope} ({count_of(block.count, 'point')}{at})"
    else:
        yield f"{sign} {count_of(block.count, 'point')}{at}:"
        yield from (f"    {r.scope} ({count_of(len(r.members), 'point')})" for r in block.regions)
    for change, pairs in block.keys:
        yield f"    {change.key}  {_pairs(pairs)}"
        rules = _rules(change)
        if rules:
            yield f"        {rules}"
    yield from (f"    {line}" for line in block.error.splitlines())


def _pairs(pairs: Sequence[Pair]) -> str:
    shown = [f"{_value(pair.old)} → {_value(pair.new)}" for pair in pairs[:_VALUES]]
    more = f" and {len(pairs) - _VALUES} more" if len(pairs) > _VALUES else ""
    return ", ".join(shown) + more


def _value(value: Any) -> str:
    return "(absent)" if value is None else json.dumps(value, ensure_ascii=False)


def _rules(change: KeyChange) -> str:
    before, after = " and ".join(change.before), " and ".join(change.after)
    if before == after:
        return f"by {after}" if after else ""
    return f"by {before or 'nobody'} → {after or 'nobody'}"


def _unchanged(impact: Impact, axis: str) -> str:
    found = by_axis(impact, axis)
    whole = [f"{name} ({total})" for name, (changed, total) in found.items() if not changed]
    part = [
        f"{name} ({total - changed} of {total})"
        for name, (changed, total) in found.items()
        if 0 < changed < total
    ]
    return ", ".join([*whole, *part]) or "none"
