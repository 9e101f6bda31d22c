"""``infxreg engine check``: verdicts, exit codes and what names a build."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from infxreg import Registry, discover
from infxreg.cli.app import app
from infxreg.cli.state import State
from support.engines import engines

TP2 = (
    '{"backend":"FLASHINFER_MLA_SPARSE_DSV41","indexer_kv_dtype":"mxfp4",'
    '"indexer_sparse_logits":true}'
)
TP4 = TP2.replace("FLASHINFER_MLA_SPARSE_DSV41", "FLASHMLA_MEGA_ATTN_DSV41")
NIGHTLY = "vllm/vllm-openai:nightly-cd10ed6f9f6b37a8ace9cf380007e66fe12ec0c3"
DIGEST = "sha256:" + "0a" * 32


@pytest.fixture(scope="module")
def shipped() -> Registry:
    return discover("/dev/null")


@pytest.fixture(scope="module")
def made() -> Registry:
    return engines()


def run(registry: Registry, *args: str) -> Result:
    return CliRunner().invoke(app, ["engine", "check", *args], obj=State(registry=registry))


def verdicts(registry: Registry, *args: str) -> list[dict[str, Any]]:
    result = run(registry, "--json", *args)
    assert result.exit_code in (0, 1), result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


class TestVerdict:
    """Accepted, refused, unknown, and what the exit code makes of them."""

    def test_accepted(self, made: Registry) -> None:
        """One word, exit code 0."""
        result = run(made, "sglang@1.0.0", "--", "--lively")
        assert (result.exit_code, result.stdout, result.stderr) == (0, "accepted\n", "")

    def test_refused(self, made: Registry) -> None:
        """Every reason in a line, with the version that has it; exit code 1."""
        result = run(made, "sglang@1.0.0", "--", "--early", "1", "--tp-size", "x")
        assert result.exit_code == 1
        assert result.stdout == (
            "refused\n"
            "  error unknown flag: sglang 1.0.0 has no --early; first in 2.0.0\n"
            "  error wrong type: --tp-size takes a whole number, not 'x'\n"
        )

    def test_a_warning_refuses_nothing(self, made: Registry) -> None:
        """What is deprecated is accepted, and the replacement is told."""
        for strict in ((), ("--strict",)):
            result = run(made, "sglang@2.0.0", *strict, "--", "--lively")
            assert (result.exit_code, result.stdout) == (
                0,
                "accepted\n  warning deprecated: --lively is deprecated: use --alive\n",
            )

    def test_what_went(self, made: Registry, shipped: Registry) -> None:
        """With what the engine had said to write instead, while it still took it."""
        result = run(made, "sglang@3.0.0", "--", "--lively")
        assert result.stdout == (
            "refused\n  error unknown flag: sglang 3.0.0 has no --lively; removed after 2.0.0, "
            "use --alive\n"
        )
        result = run(shipped, "sglang@0.5.23", "--", "--nsa-decode-backend", "fa3")
        assert result.stdout.endswith("removed after 0.5.19, use --dsa-decode-backend\n")

    def test_unknown(self, made: Registry) -> None:
        """What only a part of the bracket takes; refused only if one says --strict."""
        args = ("acme/sglang:known", "--", "--early", "1")
        result = run(made, *args)
        assert result.exit_code == 0
        assert result.stdout == (
            "unknown\n  unknown error unknown flag: sglang 1.1.0 has no --early; first in 2.0.0; "
            "2.0.0 takes it; by the record, it is from between 1.0.0 and 2.0.0\n"
        )
        strict = run(made, args[0], "--strict", *args[1:])
        assert (strict.exit_code, strict.stdout) == (1, result.stdout)

    def test_unknown_but_seen(self, made: Registry) -> None:
        """What the image's record says was seen to work is accepted, and that is told."""
        args = ("--", "--early", "1")
        result = run(made, "acme/sglang:seen", "--strict", *args)
        assert (result.exit_code, result.stdout) == (
            0,
            "accepted\n  ok unknown flag: sglang 1.1.0 has no --early; first in 2.0.0; but "
            "the image's record knows early\n",
        )
        (found,) = verdicts(made, "acme/sglang:seen", *args)
        assert (found["accepted"], found["findings"][0]["answer"]) == (True, "ok")

    def test_no_arguments_at_all(self, made: Registry) -> None:
        """Nothing is a list, too."""
        assert run(made, "sglang@1.0.0").stdout == "accepted\n"

    def test_arguments_without_dashes_before_them(self, made: Registry) -> None:
        """An option of the engine's is none of ours: where it goes is told."""
        result = run(made, "sglang@1.0.0", "--tp-size", "2")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == (
            "error: no such option --tp-size: what an engine is given stands after --\n"
            "try: infxreg engine check --help\n"
        )
        result = run(made, "sglang@1.0.0", "--strct")
        assert "--strct: did you mean --strict? what an engine is given " in result.stderr

    def test_json(self, made: Registry) -> None:
        """One object: what the parser says, and each finding with what is known of it."""
        (found,) = verdicts(made, "sglang@1.1.0", "--", "--attention-backend", "new")
        assert found == {
            "accepted": False,
            "findings": [
                {
                    "kind": "hard choice",
                    "level": "parse",
                    "severity": "error",
                    "flag": "--attention-backend",
                    "message": "--attention-backend: sglang 1.1.0 has no 'new'; it takes fa, old",
                    "value": "new",
                    "versions": "first in 2.0.0",
                    "answer": "refuted",
                }
            ],
        }
        assert verdicts(made, "sglang@1.1.0") == [{"accepted": True, "findings": []}]

    def test_json_has_the_near_match(self, made: Registry) -> None:
        """As a field of its own."""
        (found,) = verdicts(made, "sglang@1.1.0", "--", "--tp-sise", "2")
        assert [(f["kind"], f["near"]) for f in found["findings"]] == [
            ("unknown flag", "--tp-size")
        ]


class TestSeed:
    """The seed's two values, which a GPU sweep was to judge."""

    @pytest.mark.parametrize(
        ("version", "value", "lacks"),
        [
            ("0.29.0", TP2, ["backend", "indexer_sparse_logits"]),
            ("0.30.0", TP2, ["indexer_sparse_logits"]),
            ("0.29.0", TP4, ["backend", "indexer_sparse_logits"]),
            ("0.30.0", TP4, ["backend", "indexer_sparse_logits"]),
        ],
    )
    def test_refused(self, shipped: Registry, version: str, value: str, lacks: list[str]) -> None:
        """Each key that the release lacks, with the first one that has it."""
        result = run(shipped, f"vllm@{version}", "--json", "--", "--attention-config", value)
        assert result.exit_code == 1
        found = json.loads(result.stdout)
        assert found["accepted"] is False
        assert [(f["flag"], f["key"]) for f in found["findings"]] == [
            ("--attention-config", key) for key in lacks
        ]
        first = {f["key"]: f["versions"] for f in found["findings"]}
        assert first["indexer_sparse_logits"] == "first in 0.31.0"
        if "backend" in lacks:
            known = "first in 0.30.0" if value == TP2 else "first in 0.31.0"
            assert first["backend"] == known

    @pytest.mark.parametrize("value", [TP2, TP4])
    def test_accepted(self, shipped: Registry, value: str) -> None:
        """0.31.0 has all of it."""
        result = run(shipped, "vllm@0.31.0", "--strict", "--", "--attention-config", value)
        assert (result.exit_code, result.stdout) == (0, "accepted\n")

    def test_by_a_release_tag(self, shipped: Registry) -> None:
        """The image of a release is that release."""
        args = ("--", "--attention-config", TP4)
        (found,) = verdicts(shipped, "vllm/vllm-openai:v0.30.0", *args)
        assert found == verdicts(shipped, "vllm@0.30.0", *args)[0]
        assert run(shipped, "vllm/vllm-openai:v0.31.0-cu130", *args).stdout == "accepted\n"

    def test_by_a_nightly(self, shipped: Registry) -> None:
        """A bracket: unknown, naming key and first version."""
        (found,) = verdicts(shipped, NIGHTLY, "--", "--attention-config", TP2)
        assert found["accepted"] is None
        assert [(f["key"], f["versions"], f["answer"]) for f in found["findings"]] == [
            ("backend", "first in 0.30.0", "unknown"),
            ("indexer_sparse_logits", "first in 0.31.0", "unknown"),
        ]
        shown = run(shipped, NIGHTLY, "--", "--attention-config", TP2).stdout
        assert "; built on 2026-09-15, so between 0.29.0 and 0.31.0\n" in shown

    def test_by_the_nightly_that_was_seen_to_run_it(self, shipped: Registry) -> None:
        """Its record knows TP2's values, and nothing of TP4's backend."""
        seen = "vllm/vllm-openai:nightly-0961bbae2894d574be790d219651824eb199318e"
        (found,) = verdicts(shipped, seen, "--", "--attention-config", TP2)
        assert (found["accepted"], {f["answer"] for f in found["findings"]}) == (True, {"ok"})
        (found,) = verdicts(shipped, seen, "--", "--attention-config", TP4)
        assert (found["accepted"], {f["key"]: f["answer"] for f in found["findings"]}) == (
            None,
            {"backend": "unknown", "indexer_sparse_logits": "ok"},
        )

    def test_a_nightly_by_what_all_of_the_bracket_say(self, shipped: Registry) -> None:
        """Nothing is unknown where the releases agree."""
        assert run(shipped, NIGHTLY, "--", "--seed", "1").stdout == "accepted\n"
        refused = run(shipped, NIGHTLY, "--", "--seed", "x")
        assert (refused.exit_code, refused.stdout.splitlines()[0]) == (1, "refused")


class TestTarget:
    """What a build can be called."""

    def test_a_day_in_the_tag(self, made: Registry) -> None:
        """The releases around the day."""
        args = ("--", "--early", "1")
        result = run(made, "acme/sglang:nightly-20260115", *args)
        assert "built on 2026-01-15, so between 1.0.0 and 2.0.0\n" in result.stdout
        result = run(made, "acme/sglang:nightly-20260515", *args)
        assert (result.exit_code, result.stdout) == (0, "unknown\n")

    def test_newer_than_every_release(self, made: Registry) -> None:
        """What the last ones refuse is unknown, since nothing newer is known; that is told."""
        image, newer = "acme/sglang:nightly-20260515", "newer than what is known for certain\n"
        result = run(made, image, "--", "--tp-sise", "2")
        assert (result.exit_code, result.stdout) == (
            0,
            "unknown\n  unknown error unknown flag: sglang 3.0.0 has no --tp-sise; did you mean "
            f"--tp-size?; no version has it; built on 2026-05-15, after 3.0.0: {newer}",
        )

    def test_who_takes_it(self, made: Registry) -> None:
        """A release that has worse to say of a flag isn't one that takes it."""
        result = run(made, "acme/sglang:nightly-20260405", "--", "--lively")
        day = "built on 2026-04-05, after 2.0.0: newer than what is known for certain\n"
        assert result.stdout == (
            "unknown\n"
            f"  unknown warning deprecated: --lively is deprecated: use --alive; {day}"
            "  unknown error unknown flag: sglang 3.0.0 has no --lively; removed after 2.0.0, use "
            f"--alive; 2.0.0 takes it; {day}"
        )

    def test_a_shipped_day_in_the_tag(self, shipped: Registry) -> None:
        """sglang's nightlies name it."""
        image = "lmsysorg/sglang:nightly-dev-cu13-20260922-deadbeef"
        assert run(shipped, image, "--", "--tp-size", "4").stdout == "accepted\n"
        result = run(shipped, image, "--", "--swa-prefix-tails", "4")
        assert result.stdout.startswith("unknown\n")
        assert "built on 2026-09-22" in result.stdout

    @pytest.mark.parametrize(
        ("target", "message"),
        [
            ("sglagn@1.0.0", "unknown engine 'sglagn': did you mean 'sglang'?"),
            (
                "sglang@1.1.9",
                "no surface of sglang 1.1.9: known are 1.0.0 to 3.0.0; nearest by name is 1.1.0; "
                "take another in with infxreg engine add",
            ),
            (f"sglang@{DIGEST}", f"no surface of sglang {DIGEST}: none is known; take one in "),
            ("sglang@sha256:12", "'sha256:12' is no digest: write sha256: with 64 hex digits"),
            ("acme/sglang:v1.1.9", "no surface of sglang 1.1.9: known are 1.0.0 to 3.0.0; nearest"),
            ("acme/sglang:knwn", "or a registered image; nearest by name is acme/sglang:known\n"),
            (f"acme/other:1@{DIGEST}", "nothing is known of 'acme/other:1@sha256:0a0a"),
            ("a b", "'a b' is no image reference: write name:tag, or name@sha256:…"),
            ("sglang", "nothing is known of 'sglang': name an engine's release (vllm@0.31.0), "),
            ("acme/other:1", "nothing is known of 'acme/other:1': name an engine's release "),
            (
                "acme/sglang:lost",
                "what acme/sglang:lost accepts isn't known: the image's record states no version, "
                "no releases around it, no date",
            ),
            (
                "acme/sglang:nightly-20200101",
                "isn't known: 2020-01-01 is before the first release that is known",
            ),
        ],
    )
    def test_unusable(self, made: Registry, target: str, message: str) -> None:
        """Exit code 2, nothing on standard output, and what is known instead."""
        result = run(made, target, "--", "--lively")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("error: ")
        assert message in result.stderr

    def test_a_registry_with_faults(self) -> None:
        """Nothing is checked against what may be wrong."""
        result = run(engines('[[recipe]]\nid = "r"\n'), "sglang@1.0.0")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "in the registry:\n" in result.stderr

    def test_installed(self) -> None:
        """As a person runs it: the installed plugins, no site file."""
        args = ["--site", "/dev/null", "engine", "check", "vlm@0.31.0"]
        result = CliRunner().invoke(app, args)
        assert result.exit_code == 2
        assert result.stderr == "error: unknown engine 'vlm': did you mean 'vllm'?\n"


class TestVariables:
    """--env."""

    def test_read_and_not(self, made: Registry) -> None:
        """A variable that went is an error, since nobody else says so; one of others isn't."""
        args = ("--env", "SGLANG_READY_S=1", "--env", "HOME=", "--env", "A=b=c")
        assert run(made, "sglang@1.0.0", *args).stdout == "accepted\n"
        result = run(made, "sglang@2.0.0", *args)
        assert result.exit_code == 1
        assert result.stdout == (
            "refused\n  error unknown variable: sglang 2.0.0 doesn't read SGLANG_READY_S: it has "
            "no effect; removed after 1.1.0\n"
        )

    def test_the_parser_takes_what_it_doesnt_see(self, made: Registry) -> None:
        """A variable doesn't change what the parser says."""
        result = run(made, "sglang@2.0.0", "--env", "SGLANG_READY_S=1", "--json")
        assert result.exit_code == 1
        found = json.loads(result.stdout)
        assert found["accepted"] is True
        assert [(f["kind"], f["value"]) for f in found["findings"]] == [("unknown variable", "1")]

    def test_a_slip(self, made: Registry) -> None:
        """What no version has is a warning, with the near match."""
        result = run(made, "sglang@1.0.0", "--env", "SGLANG_REDY_S=1")
        assert result.exit_code == 0
        assert "warning unknown variable: " in result.stdout
        assert "did you mean SGLANG_READY_S?" in result.stdout

    def test_unusable(self, made: Registry) -> None:
        """All that are wrong, at once."""
        result = run(made, "sglang@1.0.0", "--env", "A", "--env", "=1", "--env", "B=2")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == (
            "error: --env 'A': write NAME=VALUE\n--env '=1': write NAME=VALUE\n"
        )
