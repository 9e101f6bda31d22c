"""What one launch spec decides: on what ships, and on copies of it that are varied."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

import infxreg
from infxreg.policy import Ruling, SpecView
from infxreg.records import Deprecation, GoldenAcceptance
from infxreg.spec import LaunchSpec, ResolvedOption
from infxreg.values import FrozenMap, Value
from infxreg_inferencex import specs
from infxreg_inferencex.checklist import CHECKLIST

MODEL = "dsv41flash"
HUB_ID = "deepseek-ai/DeepSeek-V4.1-Flash"
VLLM = {"sku": "b200", "model": MODEL, "engine": "vllm"}
SGLANG = {"sku": "b200", "model": MODEL, "engine": "sglang"}
FIXED = {"sku": "b300", "model": MODEL, "engine": "vllm", "workload": "8k1k"}
"""The one recipe that sends prompts of a fixed length."""

ViewOf = Callable[..., SpecView]


def looked_at(registry: infxreg.Registry, spec: LaunchSpec, day: str | None = None) -> SpecView:
    catalogue = registry.catalogue
    return SpecView(
        spec=spec,
        model=catalogue.models[spec.model.id],
        sku=catalogue.skus[spec.sku],
        engine=catalogue.engines[spec.engine],
        image=catalogue.images.get(spec.image.reference),
        day=day,
    )


@pytest.fixture
def view_of(registry: infxreg.Registry) -> ViewOf:
    """The view of a shipped spec, of the throughput sweep unless something else is asked for."""

    def made(*, day: str | None = None, **request: Any) -> SpecView:
        spec = registry.resolve(**{"purpose": "throughput", **request})
        return looked_at(registry, spec, day)

    return made


def only(policy: Callable[[SpecView], Iterator[Ruling]], view: SpecView) -> tuple[str, str]:
    """Answer and reason of a policy that has just one."""
    (ruling,) = policy(view)
    return ruling.answer, ruling.reason


def answer(policy: Callable[[SpecView], Iterator[Ruling]], view: SpecView) -> str:
    return only(policy, view)[0]


def with_spec(view: SpecView, **more: Any) -> SpecView:
    return evolve(view, spec=evolve(view.spec, **more))


def with_argv(view: SpecView, *more: str) -> SpecView:
    return with_spec(view, argv=(*view.spec.argv, *more))


def with_env(view: SpecView, **more: str | None) -> SpecView:
    env = {name: text for name, text in {**view.spec.env, **more}.items() if text is not None}
    return with_spec(view, env=FrozenMap(env))


def with_options(view: SpecView, values: dict[str, Value | None]) -> SpecView:
    options = {**view.spec.options}
    for key, value in values.items():
        options[key] = ResolvedOption(value, ())
    return with_spec(view, options=FrozenMap(options))


def with_axes(view: SpecView, **axes: str) -> SpecView:
    point = evolve(view.spec.point, axes=FrozenMap({**view.spec.point.axes, **axes}))
    return with_spec(view, point=point)


def drafts(view: SpecView, **more: Any) -> SpecView:
    """Other keys in vllm's JSON; None takes one out."""
    argv = list(view.spec.argv)
    place = argv.index("--speculative-config") + 1
    config = {**json.loads(argv[place]), **more}
    argv[place] = json.dumps({key: value for key, value in config.items() if value is not None})
    return with_spec(view, argv=tuple(argv))


def undrafted(view: SpecView) -> SpecView:
    """Nothing speculates any more."""
    argv = list(view.spec.argv)
    for flag in ("--speculative-config", "--speculative-algorithm"):
        if flag in argv:
            place = argv.index(flag)
            del argv[place : place + 2]
    return with_options(with_spec(view, argv=tuple(argv)), {"speculative.method": None})


def test_what_ships(registry: infxreg.Registry) -> None:
    """All 699 specs: nothing is refuted, and only a script before the engine is in doubt."""
    policies = [policy for policy in CHECKLIST if policy.spec is not None]
    found: Counter[tuple[str, str]] = Counter()
    for point in registry.points():
        for purpose in ("serve", "throughput", "eval"):
            spec = registry.resolve(point.at(purpose=purpose))
            view = looked_at(registry, spec, "2026-12-01")
            measured, agentic = purpose == "throughput", view.axis("workload") == "agentic"
            wanted = {
                "upstream-image": ["ok"],
                "not-deprecated": ["ok"],
                "native-architecture": ["ok"],
                "chat-template": ["ok"] if measured else [],
                "no-engine-patches": ["unknown" if spec.setup else "ok"],
                "golden-acceptance": ["ok"] if measured and agentic else [],
                "draft-as-shipped": ["ok"],
            }
            for policy in policies:
                assert policy.spec is not None
                said = [ruling.answer for ruling in policy.spec(view)]
                assert said == wanted.pop(policy.id), (policy.id, point, purpose)
                found.update((policy.id, one) for one in said)
            assert wanted == {}
    assert found["golden-acceptance", "ok"] == 225
    assert found["chat-template", "ok"] == 233
    assert found["no-engine-patches", "unknown"] == 3 * 26


class TestUpstreamImage:
    """Check 6: from whom the image is."""

    @pytest.mark.parametrize("request_", [VLLM, SGLANG])
    def test_published_by_the_engines_own(self, view_of: ViewOf, request_: dict[str, Any]) -> None:
        view = view_of(**request_)
        said, reason = only(specs.upstream_image, view)
        assert said == "ok"
        assert reason.startswith(f"{view.spec.image.reference} is published by ")

    @pytest.mark.parametrize(
        "reference",
        [
            "acme/vllm:1",
            "registry.example.org/vllm/vllm-openai:v9",
            "vllm-openai:v9",
            "lmsysorg/sglang:v9",
        ],
    )
    def test_a_fork(self, view_of: ViewOf, reference: str) -> None:
        """A name that has vllm in it isn't enough, and another engine's image isn't vllm's."""
        view = view_of(**VLLM)
        forked = with_spec(view, image=evolve(view.spec.image, reference=reference))
        assert only(specs.upstream_image, forked) == (
            "refuted",
            f"{reference} isn't upstream's: vllm publishes vllm/…",
        )

    def test_several_that_publish(self, view_of: ViewOf) -> None:
        view = view_of(**VLLM)
        both = evolve(view, engine=evolve(view.engine, upstream_images=("acme/", "bolt/")))
        _, reason = only(specs.upstream_image, both)
        assert reason.endswith("isn't upstream's: vllm publishes acme/… or bolt/…")

    def test_an_engine_that_publishes_none(self, view_of: ViewOf) -> None:
        """Nothing is asked of it."""
        view = view_of(**VLLM)
        silent = evolve(view, engine=evolve(view.engine, upstream_images=()))
        assert list(specs.upstream_image(silent)) == []


class TestNotDeprecated:
    """Check 7: on the day of the review."""

    @staticmethod
    def gone(view: SpecView, *what: Deprecation) -> SpecView:
        return evolve(view, model=evolve(view.model, deprecated=what))

    def test_nothing_is(self, view_of: ViewOf) -> None:
        assert only(specs.not_deprecated, view_of(**VLLM)) == (
            "ok",
            "nothing says that dsv41flash is deprecated for agentic",
        )

    @pytest.mark.parametrize("workload", ["1k1k", "1k8k"])
    def test_a_workload_that_is_for_every_model(self, view_of: ViewOf, workload: str) -> None:
        said, reason = only(specs.not_deprecated, with_axes(view_of(**VLLM), workload=workload))
        assert said == "refuted"
        assert reason.startswith(f"workload {workload} is deprecated for every model since 2026-")

    def test_by_a_day(self, view_of: ViewOf) -> None:
        """The day that is named is the last one on which it isn't."""
        soon = Deprecation(source="our notice", workload="agentic", after="2026-12-24")
        said = {
            day: answer(specs.not_deprecated, self.gone(view_of(day=day, **VLLM), soon))
            for day in ("2026-12-23", "2026-12-24", "2026-12-25", "2027-01-01")
        }
        assert list(said.values()) == ["ok", "ok", "refuted", "refuted"]

    def test_no_day(self, view_of: ViewOf) -> None:
        """Then it can't be told, and all that is announced is."""
        soon = Deprecation(source="our notice", workload="agentic", after="2026-12-24")
        later = Deprecation(source="our notice", after="2027-12-24")
        assert only(specs.not_deprecated, self.gone(view_of(**VLLM), soon, later)) == (
            "unknown",
            "dsv41flash agentic is deprecated after 2026-12-24; "
            "dsv41flash is deprecated after 2027-12-24: name the day",
        )

    def test_at_once(self, view_of: ViewOf) -> None:
        """The model as a whole, whatever the day; what is only announced hides nothing."""
        soon = Deprecation(source="our notice", after="2026-12-24")
        now = Deprecation(source="our board")
        for order in ((now,), (soon, now), (now, soon)):
            assert only(specs.not_deprecated, self.gone(view_of(**VLLM), *order)) == (
                "refuted",
                "dsv41flash is deprecated: our board",
            )

    def test_another_workload(self, view_of: ViewOf) -> None:
        other = Deprecation(source="our board", workload="8k1k")
        assert answer(specs.not_deprecated, self.gone(view_of(**VLLM), other)) == "ok"
        assert answer(specs.not_deprecated, self.gone(view_of(**FIXED), other)) == "refuted"

    def test_no_workload(self, view_of: ViewOf) -> None:
        _, reason = only(specs.not_deprecated, with_axes(view_of(**VLLM), workload=""))
        assert reason.endswith("is deprecated for any workload")


class TestNativeArchitecture:
    """Check 8: what the checkpoint says is computed."""

    def test_nothing_is_overridden(self, view_of: ViewOf) -> None:
        assert only(specs.native_architecture, view_of(**VLLM)) == (
            "ok",
            "no --hf-overrides or --json-model-override-args",
        )

    @pytest.mark.parametrize(
        ("more", "told"),
        [
            (("--hf-overrides", '{"layers":2}'), '--hf-overrides {"layers":2}'),
            (('--hf-overrides={"layers":2}',), '--hf-overrides {"layers":2}'),
            (("--hf_overrides", '{"layers":2}'), '--hf-overrides {"layers":2}'),
            (("--hf-overrides.layers", "2"), "--hf-overrides.layers 2"),
            (("--hf-overrides",), "--hf-overrides"),
            (("--hf-overrides", "--enforce-eager"), "--hf-overrides"),
            (("--json-model-override-args", "{}"), "--json-model-override-args {}"),
        ],
    )
    def test_overridden(self, view_of: ViewOf, more: tuple[str, ...], told: str) -> None:
        """However the flag is written, it is named with what it is given."""
        assert only(specs.native_architecture, with_argv(view_of(**VLLM), *more)) == (
            "refuted",
            f"the model's architecture is overridden: {told}",
        )

    def test_a_rule_that_overrides(self, view_of: ViewOf) -> None:
        """As somebody would really ask for it."""
        view = view_of(**VLLM, set={"args.hf-overrides": '{"layers":2}'})
        assert answer(specs.native_architecture, view) == "refuted"

    def test_a_value_that_looks_like_it(self, view_of: ViewOf) -> None:
        """Only a flag counts."""
        view = with_argv(view_of(**VLLM), "--served-model-name", "hf-overrides")
        assert answer(specs.native_architecture, view) == "ok"


class TestChatTemplate:
    """Check 9: drafts are measured on text as it is really sent."""

    def test_replayed(self, view_of: ViewOf) -> None:
        assert only(specs.chat_template, view_of(**VLLM)) == (
            "ok",
            "agentic is replayed through /v1/chat/completions",
        )

    def test_said_by_the_recipe(self, view_of: ViewOf) -> None:
        assert only(specs.chat_template, view_of(**FIXED)) == ("ok", "USE_CHAT_TEMPLATE is true")

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("1", "ok"),
            ("True", "ok"),
            ("false", "refuted"),
            ("FALSE", "refuted"),
            ("0", "refuted"),
            ("", "unknown"),
            ("chatml", "unknown"),
        ],
    )
    def test_said_otherwise(self, view_of: ViewOf, text: str, said: str) -> None:
        """What is neither yes nor no isn't taken for a yes."""
        view = view_of(**FIXED)
        client = FrozenMap({**view.spec.client_env, "USE_CHAT_TEMPLATE": text})
        assert answer(specs.chat_template, with_spec(view, client_env=client)) == said

    def test_not_said(self, view_of: ViewOf) -> None:
        view = view_of(**FIXED)
        client = {k: v for k, v in view.spec.client_env.items() if k != "USE_CHAT_TEMPLATE"}
        assert only(specs.chat_template, with_spec(view, client_env=FrozenMap(client))) == (
            "unknown",
            "what the client of 8k1k sends isn't in the configuration",
        )

    def test_not_asked(self, view_of: ViewOf) -> None:
        """Where nothing is measured, or nothing speculates."""
        for purpose in ("serve", "eval"):
            assert list(specs.chat_template(view_of(**FIXED, purpose=purpose))) == []
        assert list(specs.chat_template(undrafted(view_of(**FIXED)))) == []

    @pytest.mark.parametrize("flag", ["--speculative-config", "--speculative-algorithm"])
    def test_a_flag_speculates_too(self, view_of: ViewOf, flag: str) -> None:
        """Without the neutral option."""
        view = with_argv(undrafted(view_of(**FIXED)), flag, "{}")
        assert answer(specs.chat_template, view) == "ok"


class TestAsShipped:
    """Check 10: what runs before the engine."""

    def test_nothing_does(self, view_of: ViewOf) -> None:
        assert only(specs.as_shipped, view_of(**VLLM)) == ("ok", "nothing runs before the engine")

    def test_a_script_does(self, view_of: ViewOf) -> None:
        """Never a pass: what it does isn't in the configuration."""
        said, reason = only(specs.as_shipped, view_of(sku="h100", model=MODEL, engine="sglang"))
        assert said == "unknown"
        assert reason.startswith("dsv41flash-h100-block32.sh runs before the engine")


class TestGoldenAcceptance:
    """Check 11: agentic throughput is simulated at the committed length, and nothing else is."""

    TOLD = "dsv41flash dspark with 5 draft tokens: 3.51 (thinking_on)"

    @pytest.mark.parametrize("request_", [VLLM, SGLANG])
    def test_as_it_ships(self, view_of: ViewOf, request_: dict[str, Any]) -> None:
        """The method is written in small letters by one engine and in capitals by the other."""
        assert only(specs.golden_acceptance, view_of(**request_)) == (
            "ok",
            f"3.51 is the golden length of {self.TOLD}",
        )

    @pytest.mark.parametrize("request_", [VLLM, SGLANG])
    def test_another_length(self, view_of: ViewOf, request_: dict[str, Any]) -> None:
        view = view_of(**request_, set={"speculative.synthetic_acceptance_length": 3.6})
        assert only(specs.golden_acceptance, view) == (
            "refuted",
            f"3.6 isn't the golden length of {self.TOLD}",
        )

    @pytest.mark.parametrize("request_", [VLLM, SGLANG])
    def test_not_simulated(self, view_of: ViewOf, request_: dict[str, Any]) -> None:
        view = view_of(**request_, unset=["speculative.synthetic_acceptance_length"])
        assert only(specs.golden_acceptance, view) == (
            "refuted",
            "acceptance isn't simulated: agentic needs the golden length",
        )

    def test_a_length_that_vllm_doesn_t_use(self, view_of: ViewOf) -> None:
        """It takes the length only where rejection is synthetic."""
        view = view_of(**VLLM, set={"speculative.rejection_sample_method": "block"})
        assert only(specs.golden_acceptance, view) == (
            "refuted",
            "acceptance isn't simulated: 3.51 has no effect unless rejection_sample_method "
            "is synthetic",
        )

    @pytest.mark.parametrize("purpose", ["serve", "eval"])
    @pytest.mark.parametrize("request_", [VLLM, SGLANG, FIXED])
    def test_elsewhere_drafts_are_verified(
        self, view_of: ViewOf, request_: dict[str, Any], purpose: str
    ) -> None:
        """Nothing is asked where nothing is simulated."""
        assert list(specs.golden_acceptance(view_of(**request_, purpose=purpose))) == []

    def test_fixed_lengths_are_not_simulated(self, view_of: ViewOf) -> None:
        assert list(specs.golden_acceptance(view_of(**FIXED))) == []
        length = {"speculative.synthetic_acceptance_length": 3.51}
        assert only(specs.golden_acceptance, view_of(**FIXED, set=length)) == (
            "refuted",
            "acceptance is simulated (3.51) for 8k1k at throughput",
        )

    def test_simulated_without_a_length(self, view_of: ViewOf) -> None:
        """By rates, say: it is simulated all the same."""
        view = drafts(view_of(**FIXED), rejection_sample_method="synthetic")
        assert only(specs.golden_acceptance, view) == (
            "refuted",
            "acceptance is simulated (synthetic) for 8k1k at throughput",
        )

    @pytest.mark.parametrize("purpose", ["serve", "eval"])
    def test_what_is_served_or_judged(self, view_of: ViewOf, purpose: str) -> None:
        """A simulated answer is wrong text."""
        length = {"speculative.synthetic_acceptance_length": 3.51}
        view = view_of(**VLLM, purpose=purpose, set=length)
        said, reason = only(specs.golden_acceptance, view)
        assert (said, reason) == (
            "refuted",
            f"acceptance is simulated (3.51) for agentic at {purpose}",
        )

    def test_nothing_speculates(self, view_of: ViewOf) -> None:
        assert list(specs.golden_acceptance(undrafted(view_of(**VLLM)))) == []

    def by_variable(self, view: SpecView, **env: str) -> SpecView:
        """sglang's spec with the length in these variables and nowhere else."""
        view = with_options(view, {"speculative.synthetic_acceptance_length": None})
        return with_env(view, **{"SGLANG_SIMULATE_ACC_LEN": None, **env})

    @pytest.mark.parametrize(
        ("env", "said"),
        [
            ({"SGLANG_SIMULATE_ACC_LEN": "3.51"}, "ok"),
            ({"SGLANG_SIMULATE_ACC_LEN": "2.51"}, "refuted"),
            ({"SGLANG_SIMULATE_ACC_LEN": "golden"}, "refuted"),
            ({"TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS": "2.51"}, "ok"),
            ({"TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS": "3.51"}, "refuted"),
            ({}, "refuted"),
        ],
    )
    def test_said_by_a_variable(self, view_of: ViewOf, env: dict[str, str], said: str) -> None:
        """TensorRT-LLM's leaves the verified token out, so it is one less."""
        view = self.by_variable(view_of(**SGLANG), **env)
        assert answer(specs.golden_acceptance, view) == said

    def test_said_by_a_flag(self, view_of: ViewOf) -> None:
        """As raw JSON, or key by key, and not by the option."""
        view = with_options(view_of(**VLLM), {"speculative.synthetic_acceptance_length": None})
        assert answer(specs.golden_acceptance, view) == "ok"
        other = drafts(view, synthetic_acceptance_length=3.6)
        assert answer(specs.golden_acceptance, other) == "refuted"
        text = drafts(view, synthetic_acceptance_length="long")
        assert answer(specs.golden_acceptance, text) == "refuted"
        bare = drafts(view, synthetic_acceptance_length=None)
        dotted = with_argv(bare, "--speculative-config.synthetic_acceptance_length", "3.51")
        assert answer(specs.golden_acceptance, dotted) == "ok"

    @pytest.mark.parametrize("text", ["[]", "no JSON"])
    def test_a_flag_that_holds_no_object(self, view_of: ViewOf, text: str) -> None:
        """It says no length."""
        view = with_argv(undrafted(view_of(**VLLM)), "--speculative-config", text)
        view = with_options(view, {"speculative.synthetic_acceptance_length": None})
        assert answer(specs.golden_acceptance, view) == "refuted"

    @pytest.mark.parametrize(
        "values",
        [{"speculative.num_tokens": 4}, {"speculative.method": "other"}],
    )
    def test_no_curve_is_committed(self, view_of: ViewOf, values: dict[str, Value]) -> None:
        """Another draft length or method has a length of its own: somebody has to say which."""
        said, reason = only(specs.golden_acceptance, with_options(view_of(**VLLM), values))
        assert said == "unknown"
        assert reason.startswith("3.51: no golden length of dsv41flash ")

    def test_of_one_mode(self, view_of: ViewOf) -> None:
        """Where modes differ, a length of one of them may be the wrong one."""

        def golden(mode: str, length: float) -> GoldenAcceptance:
            return GoldenAcceptance(
                method="dspark", mode=mode, draft_tokens=5, length=length, source="measured"
            )

        def said(*curve: GoldenAcceptance) -> str:
            view = view_of(**VLLM)
            model = evolve(view.model, golden_acceptance=curve)
            return answer(specs.golden_acceptance, evolve(view, model=model))

        on = golden("thinking_on", 3.51)
        assert said(on, golden("thinking_off", 3.51)) == "ok"
        assert said(on, golden("thinking_off", 3.2)) == "unknown"
        assert said(golden("thinking_on", 3.4), golden("thinking_off", 3.2)) == "refuted"

    @given(hundredths=st.integers(min_value=100, max_value=900))
    def test_one_less_in_binary(self, registry: infxreg.Registry, hundredths: int) -> None:
        """Whatever the length: 0.14 + 1 isn't 1.14 in binary, and is the same length."""
        view = looked_at(registry, registry.resolve(**SGLANG, purpose="throughput"))
        (golden,) = view.model.golden_acceptance
        length = evolve(golden, length=float(f"{hundredths / 100:.2f}"))
        view = evolve(view, model=evolve(view.model, golden_acceptance=(length,)))
        text = f"{(hundredths - 100) / 100:.2f}"
        env = {"TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS": text}
        assert answer(specs.golden_acceptance, self.by_variable(view, **env)) == "ok"


class TestDraftAsShipped:
    """Check 13: which draft is served, and how precisely."""

    @pytest.mark.parametrize("request_", [VLLM, SGLANG, FIXED])
    def test_as_it_ships(self, view_of: ViewOf, request_: dict[str, Any]) -> None:
        assert only(specs.draft_as_shipped, view_of(**request_)) == (
            "ok",
            "no option names another draft or precision than dsv41flash ships",
        )

    def test_nothing_speculates(self, view_of: ViewOf) -> None:
        assert list(specs.draft_as_shipped(undrafted(view_of(**VLLM)))) == []

    @pytest.mark.parametrize(
        ("key", "value"), [("quantization", "fp8"), ("draft_lm_head_quantization", "int8")]
    )
    def test_another_precision_with_vllm(self, view_of: ViewOf, key: str, value: str) -> None:
        told = f"the draft's precision is set: --speculative-config {key} {value}"
        view = view_of(**VLLM)
        assert only(specs.draft_as_shipped, drafts(view, **{key: value})) == ("refuted", told)
        dotted = with_argv(view, f"--speculative-config.{key}", value)
        assert only(specs.draft_as_shipped, dotted) == ("refuted", told)

    @pytest.mark.parametrize(
        ("more", "told"),
        [
            (("--speculative-draft-model-quantization", "fp8"), "-model-quantization fp8"),
            (("--speculative-draft-model-quantization=fp8",), "-model-quantization fp8"),
            (("--speculative-enable-w4a4-mxfp4-megamoe",), "-w4a4-mxfp4-megamoe"),
            (
                ("--speculative-enable-w4a4-mxfp4-megamoe", "--trust-remote-code"),
                "-w4a4-mxfp4-megamoe",
            ),
        ],
    )
    def test_another_precision_with_sglang(
        self, view_of: ViewOf, more: tuple[str, ...], told: str
    ) -> None:
        said, reason = only(specs.draft_as_shipped, with_argv(view_of(**SGLANG), *more))
        assert said == "refuted"
        assert reason.startswith("the draft's precision is set: --speculative-")
        assert reason.endswith(told)

    def test_another_draft(self, view_of: ViewOf) -> None:
        """It may be what ships with the model, or not: a name doesn't tell of a precision."""
        name = "acme/quantization-w4a4-draft"
        assert only(specs.draft_as_shipped, drafts(view_of(**VLLM), model=name)) == (
            "unknown",
            f"another draft is named: --speculative-config model {name}; "
            "does it ship with the model?",
        )
        view = with_argv(view_of(**SGLANG), "--speculative-draft-model-path", name)
        assert answer(specs.draft_as_shipped, view) == "unknown"

    def test_the_checkpoint_itself(self, view_of: ViewOf) -> None:
        """To name the model as its own draft changes nothing."""
        assert answer(specs.draft_as_shipped, drafts(view_of(**VLLM), model=HUB_ID)) == "ok"
        view = with_argv(view_of(**SGLANG), "--speculative-draft-model-path", HUB_ID)
        assert answer(specs.draft_as_shipped, view) == "ok"

    def test_both(self, view_of: ViewOf) -> None:
        """A precision is worse than a name, and is told alone."""
        view = drafts(view_of(**VLLM), model="acme/draft", quantization="fp8")
        assert only(specs.draft_as_shipped, view) == (
            "refuted",
            "the draft's precision is set: --speculative-config quantization fp8",
        )
