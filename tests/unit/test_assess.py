"""What a registry says of itself, and how another process tells it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from attrs import evolve

from infxreg import Registry
from infxreg.audit import audit
from infxreg.errors import InfxregError, RegistryFaults
from infxreg.policy import ok, refuted
from infxreg.records import Policy, Waiver
from infxreg.review.assess import Assessment, assess, from_json, to_json
from infxreg.review.evidence_stamp import stamped
from infxreg.review.lock import lock_of
from infxreg.scope import Range
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


@pytest.mark.parametrize(
    "registry",
    [
        acme(),
        acme(rule("a", {"args.x": 1}, where(sku="x10")), rule("b", {"args.x": 2}, where(tp=2))),
        acme(rule("lost", {"acme.lost": "“x”\n\x00"}, where(sku="x10", tp=2))),
    ],
    ids=["sound", "with a conflict", "that can't be resolved"],
)
def test_findings_go_over_as_they_are(registry: Registry) -> None:
    """Scopes, points and files of each; with what the lock has otherwise, too."""
    made = assess(registry, "2026-12-01")
    assert from_json(to_json(made)) == made
    for moved in ((), ("plugin a is new", "plugin b is gone")):
        told = evolve(made, moved=moved)
        assert from_json(to_json(told)) == told


def test_every_standing_and_kind_of_run_goes_over() -> None:
    """Stale ones with their runs, and the day that a run is from."""
    registry = acme()
    runs = (
        stamped(RUN, "run.json", registry),
        stamped({**RUN, "id": "run-2", "shows": "accuracy", "date": "2026-11-30"}, "b", registry),
    )
    odd = rule("odd", {"args.odd": 1}, where(sku="x10", tp=2, engine="run"))
    made = assess(acme(odd).with_plugin("runs", *runs))
    assert {one.status for one in made.standings["performance"].values()} == {
        "verified",
        "stale",
        "unverified",
    }
    assert set(made.standings) == {"accuracy", "performance"}
    assert from_json(to_json(made)) == made


def test_waivers_go_over_with_all_that_a_scope_may_be() -> None:
    """Ranges, lists and facts; a day or none."""
    scopes = (where(conc=Range(2, 8), vendor="acme"), where(tp=Range(4)), where(sku=["x10", "z10"]))
    held = Policy(id="p", title=FrozenMap({"en": "P"}), source="s", change=lambda view: ())
    ends: dict[str, Any] = {"what": "a", "why": "b", "upstream": ("u", "v"), "removal": "c"}
    waivers = (
        Waiver(id="1", policy="p", when=scopes, **ends, expires="2026-12-31", source="s"),
        Waiver(id="2", policy="p", when=scopes[:1], **ends),
    )
    found = from_json(to_json(assess(acme(held, *waivers)))).waivers
    assert found == {"1": waivers[0], "2": waivers[1]}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Expecting value: line 1 column 1 (char 0)"),
        ("[1", "Expecting ',' delimiter: line 1 column 3 (char 2)"),
        ("[]", ""),
        ("null", ""),
        ('{"findings": 1}', "While structuring Assessment ("),
        ('{"odd": 1}', "While structuring Assessment ("),
    ],
)
def test_what_isn_t_one(text: str, why: str) -> None:
    """The other process ran another version."""
    with pytest.raises(InfxregError) as caught:
        from_json(text)
    assert str(caught.value).startswith(f"the assessment can't be read: {why}")


@pytest.mark.parametrize("field", ["findings", "held", "claims", "standings", "evidence", "rules"])
def test_a_part_that_is_missing(field: str) -> None:
    """It isn't taken for an empty one."""
    data = json.loads(to_json(full()))
    del data[field]
    with pytest.raises(InfxregError, match=r"^the assessment can't be read: "):
        from_json(json.dumps(data))


def test_a_part_that_nobody_knows() -> None:
    data = json.loads(to_json(full()))
    with pytest.raises(InfxregError, match=r"^the assessment can't be read: "):
        from_json(json.dumps({**data, "more": 1}))


def test_standings() -> None:
    """By kind of run and point, those that nobody ran too; without any evidence there are none."""
    made = full()
    assert set(made.standings) == {"performance", "accuracy"}
    for kind in ("performance", "accuracy"):
        assert {name: one.status for name, one in made.standings[kind].items()} == {
            f"{point.recipe.id}/{point.id}": "verified"
            if point.recipe.id == "m1-x10-run" and kind == "performance"
            else "unverified"
            for point in acme().points()
            if point.recipe is not None
        }
    assert assess(acme()).standings == {}


def test_the_file_of_every_rule() -> None:
    """The site's too; a rule of Python has none."""
    site = '[[rule]]\nid = "ours"\nset."args.x" = 1\nwhen = { sku = "z10" }\n'
    table = '[[rule]]\nid = "tabled"\nset."args.x" = 1\nwhen = { sku = "x10" }\n'
    rules = assess(acme(table, rule("py", {"args.y": 1}), site=site)).rules
    assert rules["site:ours"] == "infxreg.toml"
    assert rules["extra:tabled"] == "infxreg_extra/extra.toml"
    assert rules["extra:py"] == ""
    assert rules["acme:run-fast"] == "infxreg_acme/acme.toml"
    registry = acme()
    assert set(assess(registry).rules) == {
        f"{scoped.origin.plugin}:{scoped.origin.rule}"
        for scoped in registry.catalogue.plugin_rules.all
    }


def test_workloads() -> None:
    assert assess(acme()).workloads == {
        "m1-x10-run": "agentic",
        "m1-x10-run-1k1k": "1k1k",
        "m1-x20-run": "agentic",
        "m1-x20-alt": "agentic",
    }


def test_the_day_and_the_progress_are_the_audit_s() -> None:
    """A waiver ends by that day, and every spec is counted."""
    held = Policy(
        id="p", title=FrozenMap({"en": "P"}), source="s", spec=lambda view: [refuted("no")]
    )
    ends = Waiver(
        id="7",
        policy="p",
        when=(where(sku=["x10", "x20"]),),
        what="a",
        why="b",
        upstream=("u",),
        removal="c",
        expires="2026-12-01",
    )
    seen: list[tuple[int, int]] = []
    registry = acme(held, ends)
    for day, refused in (("2026-12-01", False), ("2026-12-02", True)):
        made = assess(registry, day, progress=lambda done, total: seen.append((done, total)))
        assert any(one.id == "p" for one in made.findings) is refused
    assert seen == [(done, 36) for done in range(1, 37)] * 2


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
        assert fault.startswith("nowhere can't be read: [Errno 2] No such file or directory")
        (fault,) = assess(acme(), lock=tmp_path).moved or ()
        assert fault.startswith(f"{tmp_path.name} can't be read: [Errno 21] Is a directory")
        (tmp_path / "infxreg.lock").write_bytes(b"\xff")
        (fault,) = assess(acme(), lock=tmp_path / "infxreg.lock").moved or ()
        assert fault == (
            "infxreg.lock can't be read: 'utf-8' codec can't decode byte 0xff in position 0: "
            "invalid start byte"
        )

    def test_one_without_points(self, tmp_path: Path) -> None:
        """A lock of sources alone says nothing of what points resolve to."""
        old = lock_of(acme(rule("odd", {"args.odd": 1}, where(sku="x10"))), resolved=False)
        found = self.moved(tmp_path / "infxreg.lock", tomli_w.dumps(old.to_dict()))
        assert found == ("plugin extra is gone",)
