"""What a registry says of itself: its checks, its policies' rulings, and what its runs showed.

A git revision's is made by a process of its own, as its snapshot is, and comes over as JSON.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from attrs import frozen

from infxreg.audit import Finding, Progress, audit
from infxreg.codec import plain, structured
from infxreg.errors import InfxregError
from infxreg.records import Evidence, Waiver
from infxreg.registry import Registry
from infxreg.review.evidence import Standing
from infxreg.review.evidence_status import statuses
from infxreg.review.lock import LockError, lock_of, moved, read_lock
from infxreg.sweeps import WORKLOAD

Standings = dict[str, dict[str, Standing]]
"""Kind of run -> ``recipe/point`` -> what evidence says of it."""


@frozen(kw_only=True)
class Assessment:
    """A registry, assessed.

    Attributes:
        findings: what is refuted or can't be told, errors first.
        held: what was looked at and is as it should be.
        claims: every claim, as ``plugin:id``.
        standings: what evidence says of each point.
        evidence: every run that is recorded, by id.
        waivers: every exception from a policy, by id.
        workloads: every recipe with its workload.
        rules: the file of every rule (``plugin:rule``).
        moved: what its lock has otherwise; None without a lock.
    """

    findings: tuple[Finding, ...]
    held: tuple[Finding, ...]
    claims: tuple[str, ...]
    standings: Standings
    evidence: dict[str, Evidence]
    waivers: dict[str, Waiver]
    workloads: dict[str, str]
    rules: dict[str, str]
    moved: tuple[str, ...] | None = None


def assess(
    registry: Registry,
    day: str | None = None,
    lock: Path | None = None,
    progress: Progress | None = None,
) -> Assessment:
    """Assess a registry.

    Args:
        registry: the registry.
        day: today, as ``2026-12-01``; without it no waiver expires.
        lock: the file that locks it, if there is one.
        progress: called with (specs done, specs in all).

    Raises:
        RegistryFaults: if the registry has faults.
    """
    found = audit(registry, progress, day)
    catalogue = registry.catalogue
    standings: Standings = {}
    if catalogue.evidence:
        for status in statuses(registry):
            points = standings.setdefault(status.shows, {})
            for point, standing in status.points.items():
                points[f"{status.recipe}/{point}"] = standing
    points_of = catalogue.points
    everything = (*catalogue.site_rules.all, *catalogue.plugin_rules.all)
    return Assessment(
        findings=found.findings,
        held=found.held,
        claims=tuple(f"{origin.plugin}:{expect.id}" for expect, origin in catalogue.expects),
        standings=standings,
        evidence=dict(catalogue.evidence),
        waivers=dict(catalogue.waivers),
        workloads={
            name: str(next(iter(points_of[name].values())).get(WORKLOAD, ""))
            for name in catalogue.recipes
        },
        rules={f"{s.origin.plugin}:{s.origin.rule}": s.origin.file for s in everything},
        moved=None if lock is None else _moved(lock, registry),
    )


def _moved(path: Path, registry: Registry) -> tuple[str, ...]:
    try:
        lock = read_lock(path.read_text(encoding="utf-8"), path.name)
    except (OSError, UnicodeDecodeError) as error:
        return (f"{path.name} can't be read: {error}",)
    except LockError as error:
        return (str(error),)
    return moved(lock, lock_of(registry, resolved=bool(lock.snapshot)))


def to_json(assessment: Assessment) -> str:
    """One line of JSON."""
    return json.dumps(plain(assessment), ensure_ascii=False)


def from_json(text: str) -> Assessment:
    """What `to_json` wrote.

    Raises:
        InfxregError: if it isn't that: the other process ran another version.
    """
    try:
        data: Any = json.loads(text)
        return structured(data, Assessment)
    except Exception as error:  # every kind of fault that cattrs groups
        raise InfxregError(f"the assessment can't be read: {error}") from error
