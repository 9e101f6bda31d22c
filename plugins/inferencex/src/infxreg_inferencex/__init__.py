"""What InferenceX holds recipes and changes to: its reviewers' checklist, as policies."""

from __future__ import annotations

from collections.abc import Iterable

from infxreg.hookspecs import hookimpl
from infxreg.records import Policy


@hookimpl
def infxreg_policies() -> Iterable[Policy]:
    """The checklist."""
    from infxreg_inferencex.checklist import CHECKLIST  # only what checks a registry needs it

    return CHECKLIST
