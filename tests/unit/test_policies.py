"""Policies over launch specs, and waivers: what holds, what is excused, and until when."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from click.testing import CliRunner, Result

from infxreg import Registry
from infxreg.audit import Finding, audit
from infxreg.cli.app import app
from infxreg.cli.state import State
from infxreg.policy import Ruling, SpecView, ok, refuted, undecided
from infxreg.records import Policy, Waiver
from infxreg.values import FrozenMap
from support.builders import acme, collected, faults_of, where

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

    def test_raises(self) -> None:
        """It is refuted by name: what can't decide mustn't pass."""

        def broken(view: SpecView) -> Iterable[Ruling]:
            raise KeyError("gpus")

        (one,) = found(acme(policy(spec=broken)))
        assert (one.answer, one.message) == (
            "refuted",
            "policy even of plugin extra raised KeyError('gpus')",
        )

    def test_something_else_than_rulings(self) -> None:
        (one,) = found(acme(policy(spec=lambda view: ["fine"])))
        assert one.message == "policy even of plugin extra gave str, not Ruling"

    def test_what_it_sees(self) -> None:
        """The records behind the spec, the day, values and axes."""
        seen: list[tuple[object, ...]] = []

        def look(view: SpecView) -> Iterable[Ruling]:
            image = None if view.image is None else view.image.id
            seen.append((view.model.id, view.sku.id, view.engine.id, image, view.day))
            seen.append((view.value("attention.backend"), view.value("no.such"), view.axis("tp")))
            return ()

        audit(acme(policy(spec=look)), None, DAY)
        assert ("m1", "x20", "run", "acme/run:nightly-1", DAY) in seen
        assert ("PLAIN", None, "4") in seen

    @pytest.mark.parametrize(
        ("more", "words"),
        [
            ({"id": "a b"}, "'a b' is no id"),
            ({"title": FrozenMap({"zh": "x"})}, "say in English what it asks"),
            ({"spec": None}, "it decides nothing: give it spec or change, a function"),
            ({"spec": 1}, "spec: policy 'even': isn't callable"),
            ({"change": 1}, "change: policy 'even': isn't callable"),
        ],
    )
    def test_records_with_faults(self, more: dict[str, Any], words: str) -> None:
        record = Policy(
            **{
                "id": "even",
                "title": FrozenMap({"en": "x"}),
                "source": "handbook",
                "spec": even,
                **more,
            }
        )
        (fault,) = faults_of(record)
        assert words in fault

    def test_two_of_one_id(self) -> None:
        """Both plugins are named."""
        two = [collected(name, policies=lambda: [policy()]) for name in ("one", "two")]
        told = " ".join(map(str, acme(*two).faults))
        assert "policy 'even'" in told
        assert "infxreg-one" in told
        assert "infxreg-two" in told

    def test_it_is_python(self) -> None:
        """A table has none: a function can't stand there."""
        assert any("unknown" in fault for fault in faults_of('[[policy]]\nid = "x"\n'))


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

    def test_one_that_waives_nothing(self) -> None:
        """It is time to delete it; one of a policy over changes may be waited for."""
        registry = acme(policy(), waiver(when=(where(sku="x20", tp=2),)))
        (idle,) = found(registry, "waiver")
        assert (idle.message, idle.severity) == (
            "waiver 12 waives nothing of even: delete it",
            "warning",
        )
        changes = policy(change=lambda view: ())
        assert found(acme(changes, waiver(when=(where(sku="x20", tp=2),))), "waiver") == []

    @pytest.mark.parametrize(
        ("more", "words"),
        [
            ({"policy": "evn"}, "unknown policy 'evn': did you mean 'even'?"),
            ({"when": ()}, "name the scope that it is for: everywhere is no exception"),
            ({"when": (where(),)}, "name the scope that it is for"),
            ({"when": (where(sku="x11"),)}, "unknown sku 'x11'"),
            ({"what": " "}, "must be said"),
            ({"why": ""}, "must be said"),
            ({"removal": ""}, "must be said"),
            ({"upstream": ()}, "link the upstream issue or pull request"),
            ({"upstream": (" ",)}, "link the upstream issue"),
            ({"expires": "soon"}, "'soon' is no day: write it as 2026-12-31"),
        ],
    )
    def test_records_with_faults(self, more: dict[str, Any], words: str) -> None:
        faults = faults_of(policy(), waiver(**more))
        assert any(words in fault for fault in faults), faults

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
        assert "2026-12-01" in self.run("list", "waivers").stdout

    def test_show(self) -> None:
        shown = json.loads(self.run("show", "policy", "even", "--json").stdout)
        assert shown["title"] == {"en": "Two GPUs at most"}
        assert shown["spec"].endswith(":even")
        assert json.loads(self.run("show", "waiver", "12", "--json").stdout)["when"] == [
            {"sku": "x20", "tp": 4}
        ]

    def test_check(self) -> None:
        """On its last day a waiver helps, and on the next it doesn't."""
        last = self.run("check", "--day", "2026-12-01", "--json")
        after = self.run("check", "--day", "2026-12-02", "--json")
        assert "ended" not in last.stdout
        assert "waiver 12 ended on 2026-12-01" in after.stdout
        wrong = self.run("check", "--day", "soon")
        assert (wrong.exit_code, wrong.stdout) == (2, "")


def test_rulings_in_other_languages() -> None:
    """Beside the English."""
    made: Callable[..., Ruling]
    for made, answer in ((ok, "ok"), (refuted, "refuted"), (undecided, "unknown")):
        assert made("why", zh="因为") == Ruling(answer, "why", FrozenMap({"zh": "因为"}))  # type: ignore[arg-type]
