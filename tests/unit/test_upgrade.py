"""What another version does to specs: the effect of each thing that is said, before and after."""

from __future__ import annotations

import pytest

from infxreg.cli.target import target_of
from infxreg.errors import BadRequestError, UnknownIdError
from infxreg.spec import Answer, Severity
from infxreg.surface.findings import Finding, Kind
from infxreg.surface.image_check import Reply
from infxreg.upgrade import Effect, Upgrade, effects, upgrade
from support.engines import engines


def reply(
    kind: Kind = "unknown flag",
    severity: Severity = "error",
    answer: Answer = "refuted",
    *,
    flag: str = "--x",
    key: str | None = None,
    value: str | None = None,
) -> Reply:
    finding = Finding(
        kind=kind, severity=severity, flag=flag, key=key, value=value, message=f"{kind} of {flag}"
    )
    return Reply(answer, severity, finding, ("1.0",), finding.message)


def told(before: list[Reply], after: list[Reply]) -> list[tuple[Effect, str]]:
    return [(effect, one.finding.kind) for effect, one in effects(before, after)]


class TestEffects:
    """One spec, from what is said of it before and after."""

    def test_nothing_said(self) -> None:
        """Nothing changes where nothing is said."""
        assert told([], []) == []

    @pytest.mark.parametrize(
        ("kind", "severity", "answer", "effect"),
        [
            ("unknown flag", "error", "refuted", "breaks"),
            ("registry value", "error", "refuted", "breaks"),
            ("unknown flag", "error", "unknown", "not known"),
            ("deprecated", "warning", "unknown", "not known"),
            ("not known", "note", "unknown", "not known"),
            ("deprecated", "warning", "refuted", "deprecated"),
            ("unknown variable", "error", "refuted", "stops working"),
            ("unknown variable", "warning", "refuted", "stops working"),
            ("renamed variable", "warning", "refuted", "stops working"),
            ("dropped value", "error", "refuted", "stops working"),
            ("JSON with dotted keys", "error", "refuted", "stops working"),
            ("unknown variable", "error", "unknown", "not known"),
        ],
    )
    def test_new(self, kind: Kind, severity: Severity, answer: Answer, effect: Effect) -> None:
        """What the old version didn't say, by what the new one does about it."""
        assert told([], [reply(kind, severity, answer)]) == [(effect, kind)]

    def test_as_before(self) -> None:
        """The same answer about the same place, though another kind says it."""
        old, new = reply("hard choice", value="a"), reply("registry value", value="a")
        assert told([old], [new]) == [("as before", "registry value")]
        unknown = reply(answer="unknown")
        assert told([unknown], [unknown]) == [("as before", "unknown flag")]

    def test_worse(self) -> None:
        """A warning that becomes an error breaks; what was open and is refused, too."""
        assert told([reply("deprecated", "warning")], [reply()]) == [("breaks", "unknown flag")]
        assert told([reply(answer="unknown")], [reply()]) == [("breaks", "unknown flag")]

    def test_better(self) -> None:
        """An error that becomes a warning is told as what it is now."""
        assert told([reply()], [reply("deprecated", "warning")]) == [("deprecated", "deprecated")]
        assert told([reply()], [reply(answer="unknown")]) == [("not known", "unknown flag")]

    def test_what_the_record_settled_can_break(self) -> None:
        """An image that knows it took it; a version that refuses it breaks it."""
        assert told([reply(answer="ok")], [reply()]) == [("breaks", "unknown flag")]
        assert told([reply(answer="ok")], []) == []
        assert told([], [reply(answer="ok")]) == []
        assert told([reply()], [reply(answer="ok")]) == [("mended", "unknown flag")]

    def test_mended(self) -> None:
        """Errors that are gone; what was a warning isn't worth a word."""
        assert told([reply(), reply("deprecated", "warning", flag="--y")], []) == [
            ("mended", "unknown flag")
        ]
        assert told([reply(answer="unknown")], []) == [("mended", "unknown flag")]

    def test_places_apart(self) -> None:
        """Flag, key and value tell what is about the same."""
        before = [reply(flag="--a"), reply(flag="--b", key="k"), reply(flag="--c", value="v")]
        after = [reply(flag="--b", key="l"), reply(flag="--c", value="w"), reply(flag="--a")]
        assert [(effect, r.finding.flag) for effect, r in effects(before, after)] == [
            ("breaks", "--b"),
            ("breaks", "--c"),
            ("as before", "--a"),
            ("mended", "--b"),
            ("mended", "--c"),
        ]

    def test_two_things_about_one_place(self) -> None:
        """Neither hides the other, on either side."""
        both = [reply("missing value"), reply("repeated", "warning")]
        assert told([], both) == [("breaks", "missing value"), ("deprecated", "repeated")]
        assert told(both, both) == [("as before", "missing value"), ("as before", "repeated")]
        assert told(both, []) == [("mended", "missing value")]


class TestUpgrade:
    """The specs of a recipe, or with an image."""

    @staticmethod
    def to(subject: str, target: str, *tables: str) -> Upgrade:
        registry = engines(*tables)
        found = target_of(target, registry)
        return upgrade(subject, found.engine, found.held, registry)

    def test_the_worst_first(self) -> None:
        """With the option, the rule that sets it, and the specs."""
        found = self.to("m1-x10", "sglang@3.0.0")
        assert [(c.effect, c.option, c.origin) for c in found.changes] == [
            ("breaks", "attention.backend", "acme:base"),
            ("breaks", "args.lively", "acme:base"),
            ("stops working", "timeout.engine_ready_s", "acme:base"),
            ("as before", "args.never", "acme:base"),
            ("mended", "args.early", "acme:base"),
        ]
        assert found.fails
        assert found.changes[0].points == (
            "m1-x10 tp2 eval",
            "m1-x10 tp2 serve",
            "m1-x10 tp4 eval",
            "m1-x10 tp4 serve",
        )

    def test_a_purpose_that_no_rule_names(self) -> None:
        """It is no spec: two points, served and evaluated."""
        assert self.to("m1-x10", "sglang@1.1.0").specs == 4

    def test_some_points_only(self) -> None:
        """A variable that only one purpose sets."""
        (gone, *_) = self.to("m1-x10", "sglang@1.0.0").changes
        assert (gone.effect, gone.option) == ("stops working", "env.SGLANG_EVAL")
        assert gone.points == ("m1-x10 tp2 eval", "m1-x10 tp4 eval")

    def test_the_same_version(self) -> None:
        """What is refused stays so; nothing fails by the upgrade."""
        found = self.to("m1-x10", "sglang@1.1.0")
        assert {change.effect for change in found.changes} == {"as before"}
        assert not found.fails

    def test_by_image(self) -> None:
        """Only the specs that it is the image of."""
        other = (
            '[[rule]]\nid = "other"\nwhen = { engine = "sglang", tp = 4 }\n'
            'set.image = "acme/sglang:v2.0.0"\n'
        )
        assert self.to("acme/sglang:v1.1.0", "sglang@3.0.0", other).specs == 2
        assert self.to("acme/sglang:v2.0.0", "sglang@3.0.0", other).specs == 2
        assert self.to("m1-x10", "sglang@3.0.0", other).specs == 4

    def test_to_an_image_that_was_seen_to_take_it(self) -> None:
        """What its record knows is mended there, and open by another of the same releases."""
        registry = engines()
        effect: dict[str, str] = {}
        for name in ("known", "seen"):
            to = target_of(f"acme/sglang:{name}", registry)
            found = upgrade("m1-x10", to.engine, to.held, registry, image=to.image)
            (effect[name],) = [c.effect for c in found.changes if c.option == "args.early"]
        assert effect == {"known": "not known", "seen": "mended"}

    def test_an_image_of_which_nothing_is_known(self) -> None:
        """All that the new version says is new."""
        lost = (
            '[[rule]]\nid = "lost"\nwhen = { engine = "sglang", model = "m1" }\n'
            'set.image = "acme/sglang:lost"\n'
        )
        found = self.to("m1-x10", "sglang@2.0.0", lost)
        assert [c.effect for c in found.changes] == ["breaks", "stops working", "deprecated"]

    def test_to_a_bracket(self) -> None:
        """What only some of its releases refuse isn't known, so it doesn't fail."""
        found = self.to("m1-x10", "acme/sglang:nightly-20260205")
        assert {c.effect for c in found.changes} == {"not known", "as before"}
        assert not found.fails

    @pytest.mark.parametrize(
        ("subject", "message"),
        [
            ("m1-x11", "unknown recipe or image in use 'm1-x11': did you mean 'm1-x10'?"),
            ("acme/sglang:known", "did you mean 'acme/sglang:v1.1.0'?"),
        ],
    )
    def test_unknown(self, subject: str, message: str) -> None:
        """Neither a recipe nor the image of a spec."""
        with pytest.raises(UnknownIdError) as caught:
            self.to(subject, "sglang@1.0.0")
        assert message in str(caught.value)

    def test_another_engine(self) -> None:
        """A recipe isn't moved to an engine that it doesn't run."""
        registry = engines()
        held = target_of("sglang@1.0.0", registry).held
        with pytest.raises(BadRequestError, match="m1-x10 runs sglang, not vllm"):
            upgrade("m1-x10", "vllm", held, registry)

    def test_progress(self) -> None:
        """Points done, of all."""
        registry = engines()
        seen: list[tuple[int, int]] = []
        held = target_of("sglang@1.0.0", registry).held
        upgrade("m1-x10", "sglang", held, registry, lambda done, all: seen.append((done, all)))
        assert seen == [(1, 2), (2, 2)]
