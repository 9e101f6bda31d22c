"""Every row of a change's verdict table.

A row that fails names points, rules and files. What can't be told is ``unknown``, never a pass.
"""

from __future__ import annotations

from collections.abc import Iterable

from infxreg.policy import ChangeView
from infxreg.records import Policy
from infxreg.review.change import Change
from infxreg.review.concerned import concerned
from infxreg.review.own_rows import own_rows
from infxreg.review.policy_rows import policy_rows
from infxreg.review.spots import Spots
from infxreg.review.verdict import Row


def rows(change: Change, policies: Iterable[Policy], view: ChangeView) -> tuple[Row, ...]:
    """Every row: infxreg's own, then one for each policy.

    Args:
        change: what is reviewed.
        policies: those that it is held to.
        view: what policies over changes look at.
    """
    held_to = tuple(policies)
    spots = Spots(change.impact)
    ids = {policy.id for policy in held_to}
    found = concerned(change.impact, change.base, change.head, spots, ids)
    return (
        *own_rows(change, found, spots),
        *policy_rows(held_to, view, found, spots, change.waived),
    )
