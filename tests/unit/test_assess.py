"""What a registry says of itself, and how another process tells it."""

from __future__ import annotations

from pathlib import Path

import pytest
import tomli_w

from infxreg.audit import audit
from infxreg.errors import InfxregError, RegistryFaults
from infxreg.policy import ok
from infxreg.records import Policy, Waiver
from infxreg.review.assess import Assessment, assess, from_json, to_json
from infxreg.review.evidence_stamp import stamped
from infxreg.review.lock import lock_of
from infxreg.values import FrozenMap
from support.builders import acme, rule, where

RUN = {
    "id": "run-1",
    "shows": "performance",
    "run": "1",
    "commit": "abc",
    "source": "the nightly sweep",
    "scope": "sku=x10 model=m1 engine=run workload=agentic purpose=throughput",
}
CLAIM = '[[expect]]\nid = "c"\nwhen = { sku = "x20", engine = "run" }\nabsent = ["args.odd"]\n'


def full() -> Assessment:
    """Of a registry with something of everything."""
    held = Policy(id="p", title=FrozenMap({"en": "P"}), source="s", spec=lambda view: [ok("fine")])
    excused = Waiver(
        id="7",
        policy="p",
        when=(where(sku="x10", tp=[2, 4]),),
        what="a",
        why="b",
        upstream=("u",),
        removal="c",
    )
    registry = acme(held, excused, CLAIM, rule("odd", {"args.odd": 1}, where(sku="x10")))
    registry = registry.with_plugin("runs", stamped(RUN, "run.json", registry))
    return assess(registry, "2026-12-01")


def test_everything() -> None:
    made = full()
    assert made.claims == ("extra:c",)
    assert made.workloads["m1-x10-run-1k1k"] == "1k1k"
    assert made.rules["acme:run-base"] == "infxreg_acme/acme.toml"
    assert made.standings["performance"]["m1-x10-run/tp2_c1"].status == "verified"
    assert set(made.evidence) == {"run-1"}
    assert set(made.waivers) == {"7"}
    assert made.moved is None
    assert {finding.id for finding in made.held} >= {"p"}


def test_as_an_audit_has_it() -> None:
    registry = acme()
    made, found = assess(registry), audit(registry)
    assert (made.findings, made.held) == (found.findings, found.held)


def test_over_to_another_process_and_back() -> None:
    """Nothing is lost, and it is one line."""
    made = full()
    text = to_json(made)
    assert "\n" not in text
    assert from_json(text) == made


@pytest.mark.parametrize("text", ["", "{", "[]", '{"findings": 1}', '{"odd": 1}'])
def test_what_isn_t_one(text: str) -> None:
    """The other process ran another version."""
    with pytest.raises(InfxregError, match="the assessment can't be read"):
        from_json(text)


def test_a_registry_with_faults() -> None:
    with pytest.raises(RegistryFaults):
        assess(acme(rule("bad", {"nobody.knows": 1})))


class TestLock:
    """What the lock has otherwise."""

    def moved(self, path: Path, text: str) -> tuple[str, ...] | None:
        path.write_text(text)
        return assess(acme(), lock=path).moved

    def test_nothing(self, tmp_path: Path) -> None:
        for resolved in (True, False):
            text = tomli_w.dumps(lock_of(acme(), resolved=resolved).to_dict())
            assert self.moved(tmp_path / "infxreg.lock", text) == ()

    def test_something(self, tmp_path: Path) -> None:
        """Plugins, and what all points resolve to."""
        lock = lock_of(acme(rule("odd", {"args.odd": 1}, where(sku="x10"))))
        found = self.moved(tmp_path / "infxreg.lock", tomli_w.dumps(lock.to_dict()))
        assert found is not None
        assert found[0] == "plugin extra is gone"
        assert found[1].startswith("the points resolve to sha256:")

    def test_a_file_that_is_none(self, tmp_path: Path) -> None:
        """Its faults are what moved: it can't be told that nothing did."""
        (fault,) = self.moved(tmp_path / "infxreg.lock", "format = 9") or ()
        assert "infxreg.lock is no lock" in fault
        (fault,) = assess(acme(), lock=tmp_path / "nowhere").moved or ()
        assert fault.startswith("nowhere can't be read")
