"""Policies over launch specs, and waivers: what holds, what is excused, and until when."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner, Result

from infxreg import Registry
from infxreg.audit import Finding, audit
from infxreg.cli.app import app
from infxreg.cli.state import State
from infxreg.plugins import core_contribution
from infxreg.policy import Ruling, SpecView, ok, refuted, undecided
from infxreg.records import Deprecation, Model, Policy, Waiver
from infxreg.review.policies import Policies, words
from infxreg.scope import Range, Scope
from infxreg.values import ABSENT, FrozenMap
from support.builders import ACME, acme, collected, faults_of, from_toml, rule, where

DAY = "2026-12-01"
PURPOSES = 2  # acme's specs of the engine run: serve, and the throughput run


def policy(id: str = "even", **more: Any) -> Policy:
    given = {"spec": even, **more}
    return Policy(id=id, title=FrozenMap({"en": "Two GPUs at most"}), source="handbook", **given)


def even(view: SpecView) -> Iterable[Ruling]:
    """Asks nothing of the engine ``alt``."""
    if view.engine.id == "run":
        gpus = view.spec.resources.gpus
        yield ok(f"{gpus} GPUs") if gpus <= 2 else refuted(f"{gpus} GPUs are too many")


def waiver(**more: Any) -> Waiver:
    said = {
        "id": "12",
        "policy": "even",
        "when": (where(sku="x20", tp=4),),
        "what": "four of them",
        "why": "it doesn't fit",
        "upstream": ("https://example.org/12",),
        "removal": "smaller weights",
    }
    return Waiver(**{**said, **more})


def found(registry: Registry, id: str = "even", day: str | None = DAY) -> list[Finding]:
    return [one for one in audit(registry, None, day).findings if one.id == id]


def held(registry: Registry, id: str = "even") -> dict[str, int]:
    """The messages that a policy is content with, and at how many specs."""
    return {one.message: len(one.points) for one in audit(registry).held if one.id == id}


class TestPolicy:
    """What a policy says of every swept spec."""

    def test_answers(self) -> None:
        """Where it yields nothing, it isn't about that spec."""
        registry = acme(policy())
        assert {one.message: len(one.points) for one in found(registry)} == {
            "4 GPUs are too many": 3 * PURPOSES,
            "8 GPUs are too many": 2 * PURPOSES,
        }
        assert audit(registry).failed
        assert held(registry) == {"1 GPUs": 2 * PURPOSES, "2 GPUs": 3 * PURPOSES}

    @pytest.mark.parametrize(
        ("severity", "failed"), [("error", True), ("warning", False), ("note", False)]
    )
    def test_severity(self, severity: str, failed: bool) -> None:
        registry = acme(policy(severity=severity))
        assert {one.severity for one in found(registry)} == {severity}
        assert audit(registry).failed is failed

    def test_undecided(self) -> None:
        """It fails nothing, and never counts as held."""
        registry = acme(policy(spec=lambda view: [undecided("who knows")]))
        (one,) = found(registry)
        assert (one.answer, one.severity, len(one.points)) == ("unknown", "error", 22)
        assert not audit(registry).failed
        assert held(registry) == {}

    def test_several_answers(self) -> None:
        """Each counts."""
        registry = acme(policy(spec=lambda view: iter([ok("a"), refuted("b"), undecided("c")])))
        assert [(one.answer, one.message) for one in found(registry)] == [
            ("refuted", "b"),
            ("unknown", "c"),
        ]
        assert held(registry) == {"a": 22}

    @pytest.mark.parametrize("severity", ["error", "warning", "note"])
    def test_raises(self, severity: str) -> None:
        """It is refuted by name, as an error: what can't decide mustn't pass."""

        def broken(view: SpecView) -> Iterable[Ruling]:
            yield ok("so far")
            raise KeyError("gpus")

        registry = acme(policy(spec=broken, severity=severity))
        (one,) = found(registry)
        assert (one.answer, one.severity, one.message) == (
            "refuted",
            "error",
            "policy even of plugin extra raised KeyError('gpus')",
        )
        assert held(registry) == {}

    def test_a_raising_one_leaves_the_others(self) -> None:
        broken = policy("broken", spec=lambda view: 1 / 0)
        assert found(acme(broken, policy())) == found(acme(policy()))

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            (["fine"], "gave str, not Ruling"),
            ([ok("fine"), None], "gave NoneType, not Ruling"),
            (None, "raised TypeError(\"'NoneType' object is not iterable\")"),
            (ok("fine"), "raised TypeError(\"'Ruling' object is not iterable\")"),
            ([Ruling("no", "x")], "answers 'no', which is none of ok, refuted, unknown"),  # type: ignore[arg-type]
        ],
    )
    def test_something_else_than_rulings(self, given: Any, said: str) -> None:
        """Nothing of it counts."""
        registry = acme(policy(spec=lambda view: given))
        (one,) = found(registry)
        assert (one.answer, one.severity, one.message) == (
            "refuted",
            "error",
            f"policy even of plugin extra {said}",
        )
        assert held(registry) == {}

    def test_what_is_held(self) -> None:
        """What every check and policy says ok to, and nothing else; by what says it."""
        made = audit(acme(policy(), waiver()))
        assert {one.answer for one in made.held} == {"ok"}
        assert "ok" not in {one.answer for one in made.findings}
        ids = [one.id for one in made.held if one.severity == "note"]
        assert ids == sorted(ids)
        assert {"even", "memory", "image-known"} <= set(ids)

    def test_over_changes_alone(self) -> None:
        """No spec is held to it."""
        registry = acme(policy(spec=None, change=lambda view: [refuted("bad")]))
        assert found(registry) == []
        assert held(registry) == {}

    def test_what_it_sees(self) -> None:
        """The records behind the spec, the day, values and axes."""
        seen: list[tuple[object, ...]] = []

        def look(view: SpecView) -> Iterable[Ruling]:
            image = None if view.image is None else view.image.id
            seen.append((view.model.id, view.sku.id, view.engine.id, image, view.day))
            seen.append((view.value("attention.backend"), view.value("no.such"), view.axis("tp")))
            return ()

        new = rule("new", {"image": "acme/run:v2.0.0"}, where(sku="x20", model="m1", engine="run"))
        audit(acme(policy(spec=look), new), None, DAY)
        assert ("m1", "x10", "run", "acme/run:nightly-1", DAY) in seen
        assert ("m1", "x20", "run", None, DAY) in seen  # nobody declares the image
        assert ("PLAIN", None, "4") in seen

    def test_an_absent_value_and_an_axis_without_one(self) -> None:
        """None and empty, whether nobody sets it or somebody unsets it."""
        seen: set[tuple[object, str]] = set()

        def look(view: SpecView) -> Iterable[Ruling]:
            seen.add((view.value("attention.backend"), view.axis("no-such-axis")))
            return ()

        gone = rule(
            "gone", {"attention.backend": ABSENT}, where(sku="x20", model="m1", engine="run")
        )
        audit(acme(policy(spec=look), gone))
        assert seen == {("FAST", ""), ("PLAIN", ""), (None, "")}

    @pytest.mark.parametrize(
        ("more", "fault"),
        [
            ({"id": "a b"}, "id: policy 'a b': 'a b' is no id: letters, digits, and . _ - inside"),
            (
                {"title": FrozenMap({"zh": "x"})},
                "title: policy 'even': say in English what it asks: title = {en: …}",
            ),
            (
                {"title": FrozenMap({"en": ""})},
                "title: policy 'even': say in English what it asks: title = {en: …}",
            ),
            (
                {"spec": None},
                "spec: policy 'even': it decides nothing: give it spec or change, a function",
            ),
            ({"spec": 1}, "spec: policy 'even': isn't callable"),
            ({"change": "x"}, "change: policy 'even': isn't callable"),
            ({"source": None}, "policy 'even': source: NoneType where str is needed"),
            ({"number": "3"}, "policy 'even': number: str where int | None is needed"),
            (
                {"severity": "fatal"},
                "policy 'even': severity: str where Literal['error', 'warning', 'note'] is needed",
            ),
        ],
    )
    def test_records_with_faults(self, more: dict[str, Any], fault: str) -> None:
        given = {"id": "even", "title": FrozenMap({"en": "x"}), "source": "handbook", "spec": even}
        assert faults_of(Policy(**{**given, **more})) == [f"extra (infxreg-extra 1.2): {fault}"]

    def test_two_of_one_id(self) -> None:
        """Both plugins are named, and neither counts."""
        two = [collected(name, policies=lambda: [policy()]) for name in ("one", "two")]
        assert faults_of(*two) == [
            f"{one} (infxreg-{one} 1.2): infxreg_policies: policy 'even' "
            f"is declared by {other} (infxreg-{other} 1.2), infxreg_policies too"
            for one, other in (("one", "two"), ("two", "one"))
        ]

    def test_a_hook_that_gives_something_else(self) -> None:
        """Nothing of the plugin counts."""
        other = collected("one", policies=lambda: [policy(), even])
        assert not acme(other).catalogue.policies
        (fault,) = faults_of(other)
        assert fault.startswith("one (infxreg-one 1.2): infxreg_policies: returned function <func")
        assert fault.endswith(", not Policy")

    def test_it_is_python(self) -> None:
        """A table has none: a function can't stand there."""
        (fault,) = faults_of('[[policy]]\nid = "x"\n')
        assert fault.startswith(
            "extra (infxreg-extra 1.2): infxreg_extra/extra.toml: policy: unknown key: known are "
        )


class TestWaiver:
    """An exception, for its scope and until its end."""

    def test_it_excuses_its_scope(self) -> None:
        """What it is and why is told where it helped."""
        registry = acme(policy(), waiver())
        assert {one.message: len(one.points) for one in found(registry)} == {
            "4 GPUs are too many": 2 * PURPOSES,
            "8 GPUs are too many": 2 * PURPOSES,
        }
        (words,) = (message for message in held(registry) if "waived" in message)
        assert words == (
            "4 GPUs are too many; waived by 12: four of them; it doesn't fit; "
            "upstream: https://example.org/12; removal: smaller weights"
        )

    @pytest.mark.parametrize(
        ("scopes", "specs"),
        [
            ([where(sku="x20")], 2),
            ([where(sku="x20", purpose="serve")], 1),
            ([where(sku="x20", pp=1)], 2),
            ([where(vendor="acme", cpu_arch="aarch64")], 2),
            ([where(tp=Range(4, 4))], 6),
            ([where(sku="x20"), where(sku="x10", tp=8, ep=8)], 6),
            ([where(sku="x10"), where(sku=["x10", "x20"], tp=4)], 10),
            ([where(sku="x20", tp=2)], 0),
            ([where(sku="x20", workload="1k1k")], 0),
            ([where(engine="alt")], 0),
        ],
        ids=lambda given: str(given) if isinstance(given, int) else " or ".join(map(str, given)),
    )
    def test_its_scopes(self, scopes: list[Scope], specs: int) -> None:
        """One of them is enough; they match as those of rules do, defaults and facts too."""
        registry = acme(policy(), waiver(when=tuple(scopes)))
        waived = [count for message, count in held(registry).items() if "waived" in message]
        assert sum(waived) == specs
        assert sum(len(one.points) for one in found(registry)) == 10 - specs
        assert len(found(registry, "waiver")) == (specs == 0)

    def test_it_excuses_no_policy_that_raises(self) -> None:
        """Nobody knows what it would have said; so the waiver helped nowhere, and stands idle."""
        broken = policy(spec=lambda view: 1 / 0)
        registry = acme(broken, waiver(when=(where(sku=["x10", "x20"]),)))
        assert found(registry) == found(acme(broken))
        assert len(found(registry, "waiver")) == 1

    def test_it_excuses_its_own_policy(self) -> None:
        registry = acme(policy(), policy("odd"), waiver(when=(where(sku=["x10", "x20"]),)))
        assert found(registry) == []
        assert found(registry, "odd") == [evolve(one, id="odd") for one in found(acme(policy()))]

    def test_what_holds_needs_none(self) -> None:
        """It isn't told where a policy says ok, and that is no use of it."""
        registry = acme(policy(spec=lambda view: [ok("fine")]), waiver())
        assert held(registry) == {"fine": 22}
        assert len(found(registry, "waiver")) == 1

    def test_undecided_is_excused_too(self) -> None:
        registry = acme(policy(spec=lambda view: [undecided("look")]), waiver())
        assert found(registry)[0].message == "look"
        assert any(message.startswith("look; waived by 12") for message in held(registry))

    @pytest.mark.parametrize(
        ("day", "helps"), [("2026-12-01", True), ("2026-12-02", False), (None, True)]
    )
    def test_its_last_day(self, day: str | None, helps: bool) -> None:
        """It helps on that day, and says afterwards that it did."""
        registry = acme(policy(), waiver(expires="2026-12-01"))
        ended = [one for one in found(registry, day=day) if "waiver 12 ended" in one.message]
        assert bool(ended) is not helps
        for one in ended:
            assert one.message == "4 GPUs are too many; waiver 12 ended on 2026-12-01"
            assert len(one.points) == PURPOSES

    def test_several(self) -> None:
        """The first by id that hasn't ended excuses; those that have ended are told otherwise."""
        ended = [waiver(id=id, expires="2026-11-30") for id in ("10", "11")]
        assert {one.message for one in found(acme(policy(), *ended))} == {
            "4 GPUs are too many",
            "8 GPUs are too many",
            "4 GPUs are too many; waiver 10 ended on 2026-11-30; waiver 11 ended on 2026-11-30",
        }
        registry = acme(policy(), *ended, waiver())
        made = audit(registry, None, DAY)
        (held,) = {one.message for one in made.held if "waived" in one.message}
        assert "waived by 12: " in held
        assert "ended" not in held
        assert found(registry, "waiver") == []  # those that ended would have been of use

    def test_one_that_waives_nothing(self) -> None:
        """It is time to delete it; one of a policy over changes may be waited for."""
        idle = '[[waiver]]\nid = "12"\npolicy = "even"\nwhen = { sku = "x20", tp = 2 }\n'
        idle += 'what = "a"\nwhy = "b"\nupstream = ["c"]\nremoval = "d"\n'
        assert found(acme(policy(), idle), "waiver") == [
            Finding(
                "waiver",
                "refuted",
                "warning",
                "waiver 12 waives nothing of even: delete it",
                "infxreg_extra/extra.toml",
            )
        ]
        assert found(acme(policy(change=lambda view: ()), idle), "waiver") == []

    def test_all_are_idle_before_they_are_asked(self) -> None:
        """In the order of their ids; each until it is used."""
        registry = acme(policy(), waiver(id="b"), waiver(id="a", when=(where(tp=8),)))
        policies = Policies(registry.catalogue)
        assert [one.id for one in policies.idle()] == ["a", "b"]
        list(policies.of(registry.resolve("tp4", sku="x20", model="m1", engine="run")))
        assert [one.id for one in policies.idle()] == ["a"]

    def test_in_words(self) -> None:
        """With its last day, and every link."""
        said = words(waiver(expires="2026-12-31", upstream=("https://a", "https://b")))
        assert said == (
            "waived by 12 until 2026-12-31: four of them; it doesn't fit; "
            "upstream: https://a, https://b; removal: smaller weights"
        )

    @pytest.mark.parametrize(
        ("more", "fault"),
        [
            ({"id": "1/2"}, "id: waiver '1/2': '1/2' is no id: letters, digits, and . _ - inside"),
            (
                {"policy": "evn"},
                "policy: waiver '12': unknown policy 'evn': did you mean 'even'?",
            ),
            (
                {"when": ()},
                "when: waiver '12': name the scope that it is for: everywhere is no exception",
            ),
            (
                {"when": (where(sku="x20"), where())},
                "when: waiver '12': name the scope that it is for: everywhere is no exception",
            ),
            (
                {"when": (where(sku="x11"),)},
                "when.sku: waiver '12': unknown sku 'x11': did you mean 'x10'?",
            ),
            (
                {"when": (where(skus="x10"),)},
                "when: waiver '12': unknown axis 'skus': did you mean 'sku'?",
            ),
            (
                {"when": (where(sku=Range(1)),)},
                "when.sku: waiver '12': a range needs an integer axis of the request",
            ),
            ({"what": " "}, "what: waiver '12': must be said"),
            ({"why": ""}, "why: waiver '12': must be said"),
            ({"removal": ""}, "removal: waiver '12': must be said"),
            ({"upstream": ()}, "upstream: waiver '12': link the upstream issue or pull request"),
            (
                {"upstream": ("https://a", " ")},
                "upstream: waiver '12': link the upstream issue or pull request",
            ),
            (
                {"expires": "soon"},
                "expires: waiver '12': 'soon' is no day: write it as 2026-12-31",
            ),
            (
                {"expires": "2026-02-30"},
                "expires: waiver '12': '2026-02-30' is no day: write it as 2026-12-31",
            ),
            (
                {"upstream": "https://a"},
                "waiver '12': upstream: str where tuple[str, ...] is needed",
            ),
        ],
    )
    def test_records_with_faults(self, more: dict[str, Any], fault: str) -> None:
        assert faults_of(policy(), waiver(**more)) == [f"extra (infxreg-extra 1.2): {fault}"]

    def test_all_faults_at_once(self) -> None:
        """A waiver that says nothing is told everything that it lacks."""
        blank = Waiver(id="", policy="", when=(), what="", why="", upstream=(), removal="")
        assert [fault.split(": ")[1] for fault in faults_of(blank)] == [
            "id",
            "policy",
            "removal",
            "upstream",
            "what",
            "when",
            "why",
        ]

    @pytest.mark.parametrize(
        ("line", "fault"),
        [
            ("", "waiver[0] (12).when: the key 'when' is missing"),
            ("when = []", "waiver[0] (12).when: an empty list of scopes matches nothing"),
            (
                "when = {}",
                "waiver[0].when: waiver '12': name the scope that it is for: "
                "everywhere is no exception",
            ),
            (
                'where = { sku = "x10" }\nwhen = { tp = 1 }',
                "waiver[0] (12).where: unknown key: did you mean 'when'?",
            ),
        ],
    )
    def test_tables_with_faults(self, line: str, fault: str) -> None:
        """An exception has its scope."""
        text = f'[[waiver]]\nid = "12"\npolicy = "even"\n{line}\n'
        text += 'what = "a"\nwhy = "b"\nupstream = ["c"]\nremoval = "d"\n'
        assert faults_of(policy(), text) == [
            f"extra (infxreg-extra 1.2): infxreg_extra/extra.toml: {fault}"
        ]

    def test_two_of_one_id(self) -> None:
        """A pull request has one; both plugins are named."""
        two = [collected(name, waivers=lambda: [waiver()]) for name in ("one", "two")]
        assert faults_of(policy(), *two) == [
            f"{one} (infxreg-{one} 1.2): infxreg_waivers: waiver '12' "
            f"is declared by {other} (infxreg-{other} 1.2), infxreg_waivers too"
            for one, other in (("one", "two"), ("two", "one"))
        ]

    def test_a_hook_that_gives_something_else(self) -> None:
        (fault,) = faults_of(collected("one", waivers=lambda: [policy()]))
        assert fault.startswith("one (infxreg-one 1.2): infxreg_waivers: returned Policy Policy(")
        assert fault.endswith(", not Waiver")

    def test_of_a_policy_that_is_skipped(self) -> None:
        """It lies dormant with it; nothing is at fault."""
        registry = acme(waiver())
        (fault,) = registry.faults
        assert fault.message == (
            "waiver '12': unknown policy 'even': none is registered; is a plugin missing?"
        )
        skipping = Registry(registry.contributions, None, frozenset(["house-rules"]))
        assert (skipping.faults, dict(skipping.catalogue.waivers)) == ((), {})
        (dormant,) = found(skipping, "dormant")
        assert (dormant.answer, dormant.message) == ("unknown", fault.message)

    def test_of_a_site(self) -> None:
        """As a table, without a plugin."""
        site = """
            [[waiver]]
            id = "12"
            policy = "even"
            when = [{ sku = "x20", tp = 4 }, { sku = "x10" }]
            what = "four of them"
            why = "it doesn't fit"
            upstream = ["https://example.org/12"]
            removal = "smaller weights"
        """
        assert found(acme(policy(), site=site)) == []
        idle = site.replace('[{ sku = "x20", tp = 4 }, { sku = "x10" }]', '{ sku = "z10" }')
        (one,) = found(acme(policy(), site=idle), "waiver")
        assert one.where == "infxreg.toml"


class TestDeprecation:
    """What a model isn't benchmarked with any more."""

    def test_a_table(self) -> None:
        text = ACME.replace(
            'id = "m2"\n',
            'id = "m2"\ndeprecated = [{ source = "s", workload = "1k1k", after = "2026-08-03" }, '
            '{ source = "t" }]\n',
        )
        registry = Registry((core_contribution(), from_toml(text, "acme", "acme.toml")))
        assert registry.catalogue.models["m2"].deprecated == (
            Deprecation(source="s", workload="1k1k", after="2026-08-03"),
            Deprecation(source="t"),
        )
        assert registry.faults == ()

    @pytest.mark.parametrize(
        ("gone", "fault"),
        [
            (
                {"after": "August"},
                "deprecated[1]: model 'm': after: 'August' is no day: write it as 2026-08-03",
            ),
            (
                {"after": "2026-08-32"},
                "deprecated[1]: model 'm': after: '2026-08-32' is no day: write it as 2026-08-03",
            ),
            (
                {"workload": "1k2k"},
                "deprecated[1]: model 'm': unknown workload '1k2k': did you mean '1k8k'?",
            ),
        ],
    )
    def test_faults(self, gone: dict[str, str], fault: str) -> None:
        deprecated = (Deprecation(source="s"), Deprecation(source="s", **gone))
        model = Model(id="m", hub_id="a/m", family="fam", source="s", deprecated=deprecated)
        assert faults_of(model) == [f"extra (infxreg-extra 1.2): {fault}"]


ORIGIN = {
    "plugin": "extra",
    "distribution": "infxreg-extra",
    "version": "1.2",
    "layer": "plugin",
}


class TestCommandLine:
    """``list``, ``show`` and ``check --day``."""

    REGISTRY = staticmethod(lambda: acme(policy(number=3), waiver(expires="2026-12-01")))

    def run(self, *args: str) -> Result:
        return CliRunner().invoke(app, args, obj=State(registry=self.REGISTRY()))

    def test_list(self) -> None:
        assert [line.split() for line in self.run("list", "policies").stdout.splitlines()] == [
            ["id", "number", "severity", "asks", "source"],
            ["even", "3", "error", "Two", "GPUs", "at", "most", "handbook"],
        ]
        assert self.run("list", "waivers").stdout.split() == [
            *("id", "policy", "when", "what", "expires"),
            *("12", "even", "sku=x20", "tp=4", "four", "of", "them", "2026-12-01"),
        ]
        assert json.loads(self.run("list", "policies", "--json").stdout) == [
            json.loads(self.run("show", "policy", "even", "--json").stdout)
        ]

    def test_list_without_any(self) -> None:
        for kind in ("policies", "waivers"):
            result = CliRunner().invoke(app, ["list", kind], obj=State(registry=acme()))
            assert (result.exit_code, len(result.stdout.splitlines())) == (0, 1)

    def test_show(self) -> None:
        assert json.loads(self.run("show", "policy", "even", "--json").stdout) == {
            "id": "even",
            "title": {"en": "Two GPUs at most"},
            "asks": "Two GPUs at most",
            "source": "handbook",
            "severity": "error",
            "number": 3,
            "spec": f"{__name__}:even",
            "origin": ORIGIN,
        }
        assert json.loads(self.run("show", "waiver", "12", "--json").stdout) == {
            "id": "12",
            "policy": "even",
            "when": [{"sku": "x20", "tp": 4}],
            "what": "four of them",
            "why": "it doesn't fit",
            "upstream": ["https://example.org/12"],
            "removal": "smaller weights",
            "expires": "2026-12-01",
            "origin": ORIGIN,
        }
        assert tomllib.loads(self.run("show", "waiver", "12").stdout) == json.loads(
            self.run("show", "waiver", "12", "--json").stdout
        )

    @pytest.mark.parametrize(
        ("kind", "id", "error"),
        [
            ("policy", "evne", "error: unknown policy 'evne': did you mean 'even'?\n"),
            ("waiver", "99", "error: unknown waiver '99': known are 12\n"),
        ],
    )
    def test_show_what_is_not_there(self, kind: str, id: str, error: str) -> None:
        result = self.run("show", kind, id)
        assert (result.exit_code, result.stdout, result.stderr) == (2, "", error)

    def test_check(self) -> None:
        """On its last day a waiver helps, and on the next it doesn't."""
        last = self.run("check", "--day", "2026-12-01", "--json")
        after = self.run("check", "--day", "2026-12-02", "--json")
        assert self.waived(last) == {}
        assert self.waived(after) == {
            "4 GPUs are too many; waiver 12 ended on 2026-12-01": [
                "m1-x20-run tp4 serve",
                "m1-x20-run tp4 throughput",
            ]
        }
        assert (last.exit_code, after.exit_code) == (1, 1)  # for other points

    def waived(self, result: Result) -> dict[str, list[str]]:
        findings = json.loads(result.stdout)["findings"]
        return {one["message"]: one["points"] for one in findings if "waiver" in one["message"]}

    def test_check_passes_by_a_waiver_alone(self) -> None:
        registry = acme(policy(), waiver(when=(where(sku=["x10", "x20"]),), expires="2026-12-01"))
        codes = [
            CliRunner().invoke(app, ["check", "--day", day], obj=State(registry=registry)).exit_code
            for day in ("2026-12-01", "2026-12-02")
        ]
        assert codes == [0, 1]

    def test_check_by_itself_takes_the_day_it_is(self) -> None:
        """So a waiver of yesterday has ended, and one of tomorrow hasn't."""
        today = date.today()
        for days, code in ((-1, 1), (1, 0)):
            expires = (today + timedelta(days=days)).isoformat()
            registry = acme(policy(), waiver(when=(where(sku=["x10", "x20"]),), expires=expires))
            result = CliRunner().invoke(app, ["check"], obj=State(registry=registry))
            assert result.exit_code == code

    def test_check_tells_what_is_refuted(self) -> None:
        """In text as every finding."""
        told = self.run("check", "--day", "2026-12-02").stdout
        assert (
            "refuted error even: 4 GPUs are too many; waiver 12 ended on 2026-12-01\n"
            "  2 specs:\n"
            "    m1-x20-run: tp4 (serve, throughput)\n"
        ) in told

    @pytest.mark.parametrize("day", ["soon", "2026-1-1", "2026-02-30", "", "20261201"])
    def test_check_on_no_day(self, day: str) -> None:
        result = self.run("check", "--day", day)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == f"error: --day: {day!r} is no day: write it as 2026-12-01\n"


def test_rulings_in_other_languages() -> None:
    """Beside the English."""
    made: Callable[..., Ruling]
    for made, answer in ((ok, "ok"), (refuted, "refuted"), (undecided, "unknown")):
        assert made("why", zh="因为") == Ruling(answer, "why", FrozenMap({"zh": "因为"}))  # type: ignore[arg-type]
