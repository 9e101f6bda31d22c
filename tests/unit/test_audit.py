"""The check of a whole registry: what it looks at, and what it finds."""

from __future__ import annotations

import pytest

from infxreg import combinations
from infxreg.audit import Finding, audit, conflicts, dead_rules
from infxreg.errors import ConflictError, RegistryFaults
from infxreg.records import Gate
from infxreg.registry import Registry
from infxreg.scope import Range, Scope
from infxreg.values import ABSENT, Derived
from support.builders import X10, acme, rule, where

REGISTRY = acme()


def found(registry: Registry, check: str) -> list[Finding]:
    return [finding for finding in audit(registry).findings if finding.id == check]


def conflicting(*rules: object, site: str | None = None) -> list[str]:
    registry = acme(*rules, site=site)  # type: ignore[arg-type]
    assert registry.faults == ()
    return [finding.message for finding in conflicts(registry.catalogue)]


def dead(*rules: object, site: str | None = None) -> list[Finding]:
    registry = acme(*rules, site=site)  # type: ignore[arg-type]
    assert registry.faults == ()
    return list(dead_rules(registry.catalogue))


def test_what_an_audit_looks_at() -> None:
    """Every swept point at every purpose."""
    seen: list[tuple[int, int]] = []
    result = audit(REGISTRY, lambda done, total: seen.append((done, total)))
    assert (result.points, result.specs) == (12, 36)
    assert seen == [(done, 36) for done in range(1, 37)]


def test_a_sound_registry_has_no_errors() -> None:
    """Errors would stand first."""
    result = audit(REGISTRY)
    assert not result.failed
    assert not any(finding.fails for finding in result.findings)


def test_an_audit_needs_a_registry_without_faults() -> None:
    """Else it raises them."""
    with pytest.raises(RegistryFaults):
        audit(acme(rule("r", {"no.such": 1})))


def test_findings_of_specs_are_grouped() -> None:
    """One finding for all points that share it, each named by recipe, id and purpose."""
    findings = {finding.message: finding for finding in found(REGISTRY, "image-pinned")}
    assert len(findings) == 2
    finding = findings["acme/run:nightly-1 has no digest: a tag can be moved"]
    assert "m1-x10-run tp2_c16 serve" in finding.points
    assert "m1-x10-run tp2_c16 throughput" in finding.points


def test_a_purpose_that_no_rule_names_is_told() -> None:
    """As unknown: the engine may not know it."""
    messages = [(f.answer, f.severity, f.message) for f in found(REGISTRY, "purpose")]
    assert ("unknown", "warning", "no rule of engine run names purpose 'eval' there") in messages


def test_a_point_that_doesnt_resolve_is_an_error() -> None:
    """With the message, and the points that have it; errors stand first."""
    registry = acme(rule("r", {"acme.lost": "x"}, where(sku="x10", tp=2)))
    result = audit(registry)
    assert result.failed
    first = result.findings[0]
    assert (first.id, first.fails) == ("resolve", True)
    assert "acme.lost: engine run doesn't render it" in first.message
    assert {f.points for f in result.findings if f.id == "resolve"} == {
        ("m1-x10-run tp2_c1 serve",),
        ("m1-x10-run tp2_c1 throughput",),
        ("m1-x10-run tp2_c16 serve",),
        ("m1-x10-run tp2_c16 throughput",),
    }


# Conflicts


def test_a_conflict_at_no_swept_point_is_found() -> None:
    """Somewhere that a known SKU can be; the message shows where, and what would settle it."""
    (message,) = conflicting(
        rule("a", {"args.x": 1}, where(sku="z10")), rule("b", {"args.x": 2}, where(tp=64))
    )
    assert message == (
        "args.x is 1 by extra:a (sku=z10) and 2 by extra:b (tp=64), for example at "
        "sku=z10 model=m1 engine=alt tp=64; a rule that would settle it:\n"
        '[[rule]]\nid = "settle-args-x"\nwhen = { sku = "z10", tp = 64 }\n'
        'set."args.x" = 1  # or what you mean'
    )


def test_what_an_audit_finds_happens() -> None:
    """The example of a conflict resolves to that conflict."""
    registry = acme(
        rule("a", {"args.x": 1}, where(sku="z10")), rule("b", {"args.x": 2}, where(tp=64))
    )
    with pytest.raises(ConflictError):
        registry.resolve(sku="z10", model="m1", engine="alt", tp=64)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (where(sku="x10"), where(sku="x20")),
        (where(sku="x10"), where(sku=["x10", "x20"])),
        (where(sku="x10"), where(vendor="acme")),
        (where(arch="ax1"), where(vendor="bolt")),
        (where(sku="x10"), where(cpu_arch="aarch64")),
        (where(conc=Range(1, 4)), where(conc=Range(5, 8))),
        (where(model="m1"), where(family="none")),
    ],
)
def test_no_conflict_where_rules_dont_meet_or_one_is_narrower(a: Scope, b: Scope) -> None:
    """No known SKU or model can be in both, or one lies inside the other."""
    text = '[[model]]\nid = "other"\nhub_id = "o"\nfamily = "none"\nsource = "s"'
    assert conflicting(text, rule("a", {"args.x": 1}, a), rule("b", {"args.x": 2}, b)) == []


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (where(sku=["x10", "x20"]), where(sku=["x20", "z10"])),
        (where(vendor="acme"), where(cpu_arch="aarch64")),
        (where(conc=Range(1, 5)), where(conc=Range(5, 8))),
        (where(conc=Range(7, None)), where(conc=Range(None, 7))),
        (where(sku="x10"), where(sku="x10")),
        (where(tp=2), where(conc=1)),
        (where(family="fam"), where(sku="x10")),
    ],
)
def test_a_conflict_where_rules_meet(a: Scope, b: Scope) -> None:
    """One finding a pair of rules and key."""
    assert len(conflicting(rule("a", {"args.x": 1}, a), rule("b", {"args.x": 2}, b))) == 1
    assert conflicting(rule("a", {"args.x": 1}, a), rule("b", {"args.x": 1}, b)) == []


def test_a_narrower_rule_settles_a_conflict() -> None:
    """Everywhere that they meet; elsewhere it is still found."""
    a, b = rule("a", {"args.x": 1}, where(sku="x10")), rule("b", {"args.x": 2}, where(tp=2))
    assert conflicting(a, b, rule("c", {"args.x": 3}, where(sku="x10", tp=2))) == []
    part = rule("c", {"args.x": 3}, where(sku="x10", tp=2, conc=1))
    assert len(conflicting(a, b, part)) == 1


def test_the_site_settles_a_conflict_of_plugins() -> None:
    """And can have one of its own, which names its file."""
    a, b = rule("a", {"args.x": 1}, where(sku="x10")), rule("b", {"args.x": 2}, where(tp=2))
    site = '[[rule]]\nid = "s"\nset."args.x" = 3'
    assert conflicting(a, b, site=site) == []
    site = (
        '[[rule]]\nid = "s"\nwhen = { sku = "x10" }\nset."args.x" = 3\n'
        '[[rule]]\nid = "t"\nwhen = { tp = 2 }\nset."args.x" = 4'
    )
    (finding,) = conflicts(acme(site=site).catalogue)
    assert finding.where == "infxreg.toml"
    assert finding.fails


def test_a_conflict_behind_gates() -> None:
    """Only with these open, and only where they may be."""
    text = """
        [[gate]]
        id = "one"
        when = { sku = "x10" }
        doc = "d"
        [[gate]]
        id = "two"
        when = { sku = ["x10", "x20"] }
        doc = "d"
        [[gate]]
        id = "bolt"
        when = { sku = "z10" }
        doc = "d"
    """
    one = rule("a", {"args.x": 1}, where(sku="x10"), gates=["one"])
    two = rule("b", {"args.x": 2}, where(sku=["x10", "x20"]), gates=["two"])
    (message,) = conflicting(text, one, two)
    assert "for example at sku=x10 model=m1 engine=alt with one, two open" in message
    bolt = rule("c", {"args.x": 2}, where(sku="z10"), gates=["bolt"])
    assert conflicting(text, one, bolt) == []


def test_derivations_conflict_with_constants() -> None:
    """And show in words."""
    (message,) = conflicting(
        rule("a", {"args.x": Derived("copy", ("tp",))}, where(sku="x10")),
        rule("b", {"args.x": 2}, where(tp=2)),
    )
    assert message.startswith("args.x is copy(tp) by extra:a (sku=x10) and 2 by extra:b (tp=2)")


def test_a_conflict_shows_values_as_toml() -> None:
    """Text in quotes, absent in words."""
    (message,) = conflicting(
        rule("a", {"args.x": "1"}, where(sku="x10")), rule("b", {"args.x": ABSENT}, where(tp=2))
    )
    assert message.startswith('args.x is "1" by extra:a (sku=x10) and (absent) by extra:b (tp=2)')


def test_rules_of_one_scope_conflict_without_an_offer() -> None:
    """No narrower rule could be told from them."""
    (message,) = conflicting(
        rule("a", {"args.x": 1}, where(tp=2)), rule("b", {"args.x": 2}, where(tp=2))
    )
    assert "settle" not in message


def crowd() -> list[object]:
    """A pair of rules that a third one settles, among more gates than can all be looked at."""
    scope = where(sku="x10")
    gates = [Gate(id=f"g{n}", when=Scope(), doc="d") for n in range(6)]
    behind = [rule(f"b{n}", {"args.x": n}, Scope(), gates=[f"g{n}"]) for n in range(6)]
    return [
        *gates,
        *behind,
        rule("a", {"args.x": "a"}, scope),
        rule("b", {"args.x": "b"}, where(tp=2)),
        rule("c", {"args.x": "c"}, where(sku="x10", tp=2)),
    ]


def test_too_many_combinations_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Said, and not passed over."""
    monkeypatch.setattr(combinations, "LIMIT", 2**6 - 1)
    findings = list(conflicts(acme(*crowd()).catalogue))  # type: ignore[arg-type]
    messages = {finding.message: finding for finding in findings}
    finding = messages[
        "args.x: extra:a and extra:b may conflict in sku=x10 tp=2: too many combinations"
    ]
    assert (finding.answer, finding.severity) == ("unknown", "warning")
    cover = rule("cover", {"args.x": "d"}, where(sku="x10", tp=Range(1)))
    undecided = dead(*crowd(), cover)
    assert {(f.id, f.answer, f.severity) for f in undecided} == {("dead-rule", "unknown", "note")}
    assert undecided[0].message == (
        "extra:a has too many combinations to tell whether it counts anywhere"
    )


def test_a_conflict_is_found_among_too_many_combinations(monkeypatch: pytest.MonkeyPatch) -> None:
    """One is enough: it needn't look at all of them."""
    monkeypatch.setattr(combinations, "LIMIT", 2**6 - 1)
    rules = [record for record in crowd() if getattr(record, "id", "") != "c"]
    assert any(
        message.startswith('args.x is "a" by extra:a (sku=x10) and "b" by extra:b (tp=2)')
        for message in conflicting(*rules)
    )


def test_a_conflict_of_a_rule_with_two_scopes_is_one_finding() -> None:
    """However many of its scopes meet the other rule."""
    a = rule("a", {"args.x": 1}, where(sku="x10"), where(sku="x20"))
    assert len(conflicting(a, rule("b", {"args.x": 2}, where(tp=2)))) == 1


def test_a_conflict_names_the_swept_points_that_have_it() -> None:
    """Those of its own key and rules, and no others."""
    registry = acme(
        rule("a", {"args.x": 1, "args.y": 1}, where(sku="x10")),
        rule("b", {"args.x": 2}, where(tp=2)),
        rule("c", {"args.y": 2}, where(tp=4, conc=1)),
    )
    points = {f.message.split(" ")[0]: f.points for f in found(registry, "conflict")}
    assert points == {
        "args.x": tuple(
            f"m1-x10-run {point} {purpose}"
            for point in ("tp2_c1", "tp2_c16")
            for purpose in ("serve", "throughput")
        ),
        "args.y": ("m1-x10-run tp4_c1 serve", "m1-x10-run tp4_c1 throughput"),
    }


# Dead rules


def test_a_rule_that_nothing_matches_is_dead() -> None:
    """No SKU of that vendor has that CPU."""
    (finding,) = dead(rule("r", {"args.x": 1}, where(vendor="bolt", cpu_arch="aarch64")))
    assert finding.message == (
        "extra:r never counts: nothing known matches it, or narrower rules win everywhere"
    )
    assert (finding.id, finding.answer, finding.severity) == ("dead-rule", "refuted", "warning")


def test_a_rule_that_narrower_ones_always_beat_is_dead() -> None:
    """For every SKU that it could reach; one key that counts keeps it alive."""
    wide = rule("wide", {"args.x": 1}, where(arch="ax1"))
    narrow = rule("narrow", {"args.x": 2}, where(sku=["x10", "x20"]))
    assert [finding.message.split(" ")[0] for finding in dead(wide, narrow)] == ["extra:wide"]
    more = rule("wide", {"args.x": 1, "args.y": 1}, where(arch="ax1"))
    assert dead(more, narrow) == []


def test_a_rule_under_the_site_is_dead() -> None:
    """Where the site sets all its keys everywhere."""
    one = rule("r", {"args.x": 1}, where(sku="x10"))
    (finding,) = dead(one, site='[[rule]]\nid = "s"\nset."args.x" = 2')
    assert finding.message.startswith("extra:r never counts")


def test_a_rule_off_every_sweep_is_alive() -> None:
    """Swept or not, a known SKU can be there; also behind a gate."""
    assert dead(rule("r", {"args.x": 1}, where(sku="z10", tp=96, conc=Range(7, 9)))) == []
    assert dead() == []


def test_audit_reports_dead_rules() -> None:
    """With the file that they are in."""
    text = '[[rule]]\nid = "r"\nwhen = { vendor = "bolt", arch = "ax1" }\nset."args.x" = 1'
    (finding,) = found(acme(text), "dead-rule")
    assert finding.where == "infxreg_extra/extra.toml"


# The rest


def test_an_input_that_nothing_reads() -> None:
    """An option that only derivations could read, set by a rule, is an error."""
    text = '[[option]]\nid = "acme.unread"\ntype = "int"\nuse = "input"\ndoc = "d"'
    (finding,) = found(acme(text, rule("r", {"acme.unread": 1})), "unread-option")
    assert finding.fails
    assert finding.message == "extra:r sets acme.unread, which no derivation reads"


def test_a_gate_without_rules() -> None:
    """Told, with the file that declares it."""
    text = '[[gate]]\nid = "idle"\nwhen = { sku = "x10" }\ndoc = "d"'
    (finding,) = found(acme(text), "empty-gate")
    assert finding.message == "no rule stands behind gate idle: opening it does nothing"
    assert (finding.where, finding.severity) == ("infxreg_extra/extra.toml", "warning")
    assert found(REGISTRY, "empty-gate") == []


def test_what_lies_dormant_is_told() -> None:
    """As unknown, with its plugin."""
    gone = acme(rule("r", {"args.x": 1}, where(sku="x30"))).with_plugin("p").without_plugin("p")
    gone = Registry(gone.contributions, None, frozenset(["other"]))
    (finding,) = found(gone, "dormant")
    assert (finding.answer, finding.severity) == ("unknown", "note")
    assert finding.where.startswith("extra")
    assert "unknown sku 'x30'" in finding.message


def test_errors_stand_first() -> None:
    """Then warnings, then notes."""
    registry = acme(
        rule("a", {"args.x": 1}, where(sku="x10")), rule("b", {"args.x": 2}, where(tp=2))
    )
    ranks = [
        (not finding.fails, ["error", "warning", "note"].index(finding.severity))
        for finding in audit(registry).findings
    ]
    assert ranks == sorted(ranks)
    assert ranks[0] == (False, 0)
    with pytest.raises(ConflictError):
        registry.resolve(**X10)
