"""What the master configs and the files beside them don't say alike."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from infxreg.errors import near
from infxreg.review import changelog
from infxreg_inferencex.master.checkout import CHANGELOG, Checkout
from infxreg_inferencex.master.finding import Finding
from infxreg_inferencex.master.place import Place
from infxreg_inferencex.master.records import Entry, Space
from infxreg_inferencex.master.rows import Row

_CLUSTER = "cluster:"


def runners(checkout: Checkout) -> Iterator[Finding]:
    """Runners that no label of runners.yaml is."""
    known = checkout.runners.labels
    for entry in checkout.entries:
        if entry.runner not in known:
            guess = near(entry.runner, known)
            hint = f"add it there, or did you mean {guess!r}?" if guess else "add it there"
            yield Finding(
                id="runner-unknown",
                severity="warning",
                entry=entry.key,
                at=entry.at.of("runner"),
                message=f"{entry.runner!r} is no label of {checkout.runners.file}: {hint}",
            )


def images(checkout: Checkout) -> Iterator[Finding]:
    """Images that an entry alone has, of at least three that are measured alike."""
    groups: dict[tuple[str, ...], list[Entry]] = {}
    for entry in checkout.entries:
        family = re.split(r"[-_]", entry.runner.removeprefix(_CLUSTER))[0]
        for kind in sorted({scenario.kind for scenario, _ in entry.spaces()}):
            key = (entry.model_prefix, entry.precision, entry.framework, family, kind)
            groups.setdefault(key, []).append(entry)
    for group in groups.values():
        for entry in group:
            others = {one.image for one in group if one is not entry}
            if len(group) > 2 and len(others) == 1 and entry.image not in others:
                yield Finding(
                    id="image-alone",
                    severity="note",
                    entry=entry.key,
                    at=entry.at.of("image"),
                    message=(
                        f"it alone has {entry.image}; {_others(group, entry)} have "
                        f"{others.pop()}: meant?"
                    ),
                )


def conventions(checkout: Checkout) -> Iterator[Finding]:
    """What InferenceX's own generator refuses, though rows can be made of it."""
    for entry in checkout.entries:
        if entry.scenarios.agentic_coding and not entry.runner.startswith(_CLUSTER):
            yield Finding(
                id="refused",
                entry=entry.key,
                at=entry.at.of("runner"),
                message=f"agentic jobs need a {_CLUSTER}… runner, and this is {entry.runner}",
            )
        spaces = [space for _, space in entry.spaces()]
        said = [entry.kv_p2p_transfer, *(space.kv_p2p_transfer for space in spaces)]
        if entry.disagg and (None in said[1:] or not spaces) and said[0] is None:
            yield Finding(
                id="refused",
                entry=entry.key,
                at=entry.at.of("disagg"),
                message="disagg: true needs kv-p2p-transfer here, or in every search space",
            )
        yield from _unversioned(entry)


def twice(rows: Iterable[Row]) -> Iterator[Finding]:
    """Jobs that are the same as another one."""
    seen: dict[str, Row] = {}
    for row in rows:
        first = seen.setdefault(json.dumps(row.values, sort_keys=True), row)
        if first is not row:
            conc = row.values["conc"]
            yield Finding(
                id="row-twice",
                severity="note",
                entry=row.entry.key,
                at=row.space.at,
                message=(
                    f"the job at concurrency {conc} is the same as the one of {first.space.at} "
                    f"({first.entry.key}): it is measured twice; meant?"
                ),
            )


def changes(checkout: Checkout, new: Iterable[changelog.Entry]) -> Iterator[Finding]:
    """Config keys of changelog entries that no entry has.

    Args:
        checkout: where they are looked for.
        new: the entries to look at; older ones may name what has another name since.
    """
    kinds = {e.key: {scenario.kind for scenario, _ in e.spaces()} for e in checkout.entries}
    for entry in new:
        for key in entry.config_keys:
            pattern = re.compile(re.escape(key).replace(r"\*", ".*"))
            found = [name for name in kinds if pattern.fullmatch(name)]
            at = Place(CHANGELOG, "config-keys", entry.line)
            if not found:
                guess = near(key, kinds)
                retired = any(pattern.fullmatch(name) for name in checkout.retired)
                hint = "what has it is deprecated" if retired else f"did you mean {guess!r}?"
                if not retired and guess is None:
                    hint = "drop it"
                message = f"the config key {key} matches no entry: {hint}"
            elif entry.scenario_type and not any(
                set(entry.scenario_type) & kinds[name] for name in found
            ):
                kind = " or ".join(entry.scenario_type)
                message = f"the config key {key} matches no entry of {kind}"
            else:
                continue
            yield Finding(id="changelog-key", entry="", at=at, message=message)


def _unversioned(entry: Entry) -> Iterator[Finding]:
    holders: list[Entry | Space] = [entry, *(space for _, space in entry.spaces())]
    for holder in holders:
        if holder.router is not None and holder.router.version is None:
            yield Finding(
                id="refused",
                entry=entry.key,
                at=holder.at.of("router"),
                message=f"the router {holder.router.name} needs a version",
            )


def _others(group: list[Entry], entry: Entry) -> str:
    names = [one.key for one in group if one is not entry]
    return ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")
