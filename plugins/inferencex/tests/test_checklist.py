"""The checklist as a whole: its numbers, its titles, and what it says when nothing is known."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import infxreg
from infxreg.records import Policy
from infxreg.review.assess import assess
from infxreg.review.change import Change, view_of
from infxreg.review.facts import NOTHING, Facts
from infxreg.review.impact import compare
from infxreg.review.snapshot import take
from infxreg.review.table import rows
from infxreg.review.verdict import Row
from infxreg_inferencex.checklist import CHECKLIST
from support.builders import acme, rule, where

VLLM = """
[[engine]]
id = "vllm"
argv = ["vllm", "{hub_id}"]
upstream_images = ["acme/"]
render = [{ option = "parallel.tp", flag = "tp" }]
source = "test"

[[image]]
id = "acme/vllm:1"
engine = "vllm"
source = "seen"

[[rule]]
id = "vllm"
when = { engine = "vllm" }
set.image = "acme/vllm:1"
set."parallel.tp" = { derive = "copy", reads = ["tp"] }
set."resources.gpus" = { derive = "copy", reads = ["tp"] }

[[recipe]]
id = "m1-x20-vllm"
model = "m1"
sku = "x20"
engine = "vllm"
sweep = [{ id = "tp{tp}", tp = [2, 4] }]
default_point = "tp2"
"""
"""An engine that has one of the names that the policies know, and a recipe of it."""

FORGE = {
    "codeowner",
    "latest-checklist",
    "no-engine-patches",
    "pareto-coverage",
    "passing-evals",
    "passing-sweep",
    "reuse",
    "upstream-recipe",
}
"""The checks that a configuration alone can't pass."""


def test_every_number_once() -> None:
    """0 to 14, in their order, each under an id of its own."""
    assert [policy.number for policy in CHECKLIST] == list(range(15))
    assert len({policy.id for policy in CHECKLIST}) == 15


@pytest.mark.parametrize("policy", CHECKLIST, ids=lambda policy: policy.id)
def test_each(policy: Policy) -> None:
    """It has a title in both languages, a source that tells its number, and something to ask."""
    assert set(policy.title) == {"en", "zh"}
    assert re.fullmatch(r"[\x20-\x7e]+", policy.title["en"])
    assert re.search(r"[\u4e00-\u9fff]", policy.title["zh"])
    assert policy.source.endswith(f", Check {policy.number}")
    assert policy.severity == "error"
    assert policy.spec or policy.change


def test_the_plugin_gives_them(registry: infxreg.Registry) -> None:
    """These and no others, by its entry point."""
    assert {policy.id: policy for policy in CHECKLIST} == dict(registry.catalogue.policies)
    origins = {registry.catalogue.origins["policy", policy.id].plugin for policy in CHECKLIST}
    assert origins == {"inferencex"}


def test_only_what_checks_loads_them() -> None:
    """To load the plugin loads no policy."""
    code = "import sys, infxreg_inferencex; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    assert "infxreg_inferencex" in loaded
    assert not {"infxreg_inferencex.checklist", "infxreg_inferencex.specs"} & set(loaded)


def reviewed(facts: Facts) -> dict[str, Row]:
    """The numbered rows of a change that gives both of vllm's points another flag."""
    odd = rule("odd", {"args.odd": 1}, where(engine="vllm"))
    old, new = acme(VLLM, *CHECKLIST), acme(VLLM, *CHECKLIST, odd)
    impact, now = compare(take(old), take(new)), assess(new, "2026-12-01")
    change = Change(impact=impact, base=assess(old, "2026-12-01"), head=now)
    made = rows(change, new.catalogue.policies.values(), view_of(impact, now, facts, False))
    return {row.id: row for row in made if row.number is not None}


def test_what_isn_t_known_never_passes() -> None:
    """Without facts every check that asks for one is unknown, though its other half may hold."""
    found = reviewed(NOTHING)
    assert [row.number for row in found.values()] == list(range(15))
    assert {id for id, row in found.items() if row.verdict == "unknown"} == FORGE
    assert {id: row.verdict for id, row in found.items() if id not in FORGE} == {
        "append-only": "n/a",
        "chat-template": "n/a",
        "draft-as-shipped": "n/a",
        "golden-acceptance": "n/a",
        "native-architecture": "pass",
        "not-deprecated": "pass",
        "upstream-image": "pass",
    }
    # The script that isn't there can't hide the files that nobody looked at.
    assert "nothing runs before the engine" in found["no-engine-patches"].summary["en"]


def test_with_nothing_in_the_facts() -> None:
    """An empty list is an answer: no run, no patch, no curve, no recipe."""
    found = reviewed(Facts(runs=(), patches=(), curves=(), recipes=(), reused=False))
    told = {id: found[id].verdict for id in FORGE}
    assert told == {
        "codeowner": "unknown",
        "latest-checklist": "unknown",
        "no-engine-patches": "pass",
        "pareto-coverage": "n/a",
        "passing-evals": "fail",
        "passing-sweep": "fail",
        "reuse": "n/a",
        "upstream-recipe": "fail",
    }
