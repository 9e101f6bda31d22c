"""What parsers take and engines, or good sense, don't: none of it changes `accepted`."""

from __future__ import annotations

import pytest

from infxreg.surface.check import check
from infxreg.surface.findings import Finding, Verdict
from infxreg.surface.history import Span
from infxreg.surface.model import ConfigField
from support.surfaces import Known, boolean, config, flag, only, said, sglang, vllm

ENGINE = vllm(
    boolean("--enable-auto-tool-choice", default="False"),
    flag("--tool-call-parser", optional=True, default="None"),
    flag("--tool-parser-plugin", optional=True),
    flag("--attention-backend", optional=True),
    flag("--load-format"),
    flag("--chat-template", optional=True),
    flag("--speculative-config", "-sc", type="json", optional=True),
    flag("--kv-transfer-config", type="dataclass", config="KVTransferConfig"),
    flag("--tensor-parallel-size", "-tp", type="int"),
    flag("--data-parallel-rank", type="int"),
    flag("--port", type="int"),
    flag("--gpu-memory-utilization", type="float"),
    flag("--max-model-len", type="human-int|auto"),
    flag("--max-num-seqs", type="int"),
    boolean("--enable-log-outputs", default="False"),
    boolean("--enable-log-requests", default="False"),
    configs={
        "KVTransferConfig": config(
            kv_connector="str | None",
            kv_connector_module_path="str | None",
        ),
        "SpeculativeConfig": config(
            method="str", num_speculative_tokens="int", hidden=ConfigField(kind="noinit")
        ),
    },
    backends=("FLASH_ATTN", "FLASHINFER"),
    registries={
        "tool_call_parser": ("hermes", "deepseek_v41"),
        "load_format": ("auto", "dummy"),
        "KVTransferConfig.kv_connector": ("NixlConnector",),
        "SpeculativeConfig.method": ("mtp", "dspark"),
    },
    env=("VLLM_PORT", "VLLM_USE_V1"),
    env_read=("VLLM_PLUGINS",),
)


def later(*argv: str, history: Known | None = None) -> Finding:
    verdict = check(ENGINE, argv, history=history)
    assert verdict.accepted is True
    (found,) = verdict.findings
    return found


@pytest.mark.parametrize(
    ("argv", "value", "near"),
    [
        (["--tool-call-parser", "hermez"], "hermez", "hermes"),
        (["--attention-backend", "FLASHINFERR"], "FLASHINFERR", "FLASHINFER"),
        (["--load-format", "dumy"], "dumy", "dummy"),
        (["--speculative-config", '{"method": "dsparc"}'], "dsparc", "dspark"),
        (["-sc.method=dsparc"], "dsparc", "dspark"),
        (["--kv-transfer-config", '{"kv_connector": "NixlConector"}'], "NixlConector", None),
    ],
)
def test_names_that_the_engine_has_not(argv: list[str], value: str, near: str | None) -> None:
    found = later(*argv)
    assert (found.kind, found.level, found.severity) == ("registry value", "registry", "error")
    assert found.value == value
    assert found.near == (near or "NixlConnector")


@pytest.mark.parametrize(
    "argv",
    [
        ["--tool-call-parser", "hermes"],
        ["--tool-call-parser", ""],
        ["--attention-backend", "FlashInfer"],
        ["--attention-backend", "auto"],
        ["--load-format", "auto"],
        ["-sc.method=mtp"],
        # a plugin may bring more names
        ["--tool-call-parser", "mine", "--tool-parser-plugin", "p.py"],
        [
            "--kv-transfer-config",
            '{"kv_connector": "Mine", "kv_connector_module_path": "a.b"}',
        ],
    ],
)
def test_names_that_it_has_or_may_have(argv: list[str]) -> None:
    assert check(ENGINE, argv) == Verdict(True)


def test_no_registry_no_finding() -> None:
    assert check(vllm(flag("--tool-call-parser")), ("--tool-call-parser", "x")) == Verdict(True)


def test_keys_that_the_parser_doesnt_look_at() -> None:
    for key in ("num_speculative_token", "hidden"):
        found = later("-sc", f'{{"{key}": 3}}')
        assert (found.kind, found.level, found.key) == ("unknown JSON key", "start", key)


def test_a_registry_that_another_version_has() -> None:
    history = Known({("registry", "tool_call_parser=kimi_k3"): (Span("0.33.0"),)})
    assert later("--tool-call-parser", "kimi_k3", history=history).versions == "first in 0.33.0"
    backends = Known({("backend", "MEGA"): (Span("0.32.0"),)})
    assert later("--attention-backend", "mega", history=backends).versions == "first in 0.32.0"


@pytest.mark.parametrize(
    ("argv", "needs"),
    [
        (["--enable-auto-tool-choice"], "--tool-call-parser"),
        (["--enable-auto-tool-choice", "--tool-call-parser", ""], "--tool-call-parser"),
        (["--enable-log-outputs"], "--enable-log-requests"),
        (["--enable-log-outputs", "--no-enable-log-requests"], "--enable-log-requests"),
    ],
)
def test_flags_that_need_another(argv: list[str], needs: str) -> None:
    found = later(*argv)
    assert (found.kind, found.level, found.flag) == ("needs another flag", "start", argv[0])
    assert found.message == f"{argv[0]} needs {needs}: vllm stops at start"


def test_flags_that_have_what_they_need() -> None:
    for argv in (
        ["--enable-auto-tool-choice", "--tool-call-parser", "hermes"],
        ["--no-enable-auto-tool-choice"],
        ["--enable-log-outputs", "--enable-log-requests"],
    ):
        assert check(ENGINE, argv) == Verdict(True), argv


@pytest.mark.parametrize(
    ("argv", "reach"),
    [
        (["-tp", "-5"], "from 1"),
        (["-tp=0"], "from 1"),
        (["--port", "99999999"], "from 0 to 65535"),
        (["--gpu-memory-utilization", "7"], "above 0 to 1"),
        (["--gpu-memory-utilization", "0"], "above 0 to 1"),
        (["--max-num-seqs", "0"], "from 1"),
        (["--max-model-len", "-2"], "from -1"),
        (["--data-parallel-rank", "-1"], "from 0"),
    ],
)
def test_numbers_out_of_range(argv: list[str], reach: str) -> None:
    """No parser refuses these: we do."""
    verdict = check(ENGINE, argv)
    assert verdict.accepted is True
    assert verdict.sound is False
    (found,) = verdict.findings
    assert (found.kind, found.level) == ("out of range", "ours")
    assert found.message.endswith(f"makes no sense: it has to be {reach}")


def test_numbers_in_range() -> None:
    argv = ("-tp", "8", "--port", "0", "--gpu-memory-utilization", "1", "--max-model-len", "auto")
    assert check(ENGINE, argv) == Verdict(True)


def test_ranges_are_of_numbers() -> None:
    made = vllm(flag("--port"), flag("--block-size", type="json"))
    assert check(made, ("--port", "x", "--block-size", "true")) == Verdict(True)


def test_a_chat_template_that_is_a_file() -> None:
    found = later("--chat-template", "chat.jinja")
    assert (found.severity, found.message) == (
        "note",
        "--chat-template: 'chat.jinja' has to be a file where vllm runs",
    )
    assert check(ENGINE, ("--chat-template", "{{ x }}")) == Verdict(True)


def test_unknown_variables_are_loud() -> None:
    env = {"VLLM_PORTS": "1", "VLLM_USE_V1": "1", "VLLM_PLUGINS": "", "NCCL_DEBUG": "INFO"}
    found = only(ENGINE, env=env)
    assert (found.kind, found.flag, found.value, found.near, found.severity) == (
        "unknown variable",
        "VLLM_PORTS",
        "1",
        "VLLM_PORT",
        "warning",
    )
    assert found.message == "vllm 0.31.0 doesn't read VLLM_PORTS: it has no effect"


def test_a_variable_that_went_away_is_an_error() -> None:
    history = Known({("env", "VLLM_USE_FLASHINFER_MOE_FP4"): (Span("0.11.0", "0.23.0"),)})
    verdict = check(ENGINE, (), {"VLLM_USE_FLASHINFER_MOE_FP4": "1"}, history=history)
    (found,) = verdict.findings
    assert (found.severity, found.versions) == ("error", "removed after 0.23.0")
    assert (verdict.accepted, verdict.sound) == (True, False)


def test_a_variable_that_no_version_has_warns() -> None:
    (found,) = check(ENGINE, (), {"VLLM_ZZZ": "1"}, history=Known({})).findings
    assert (found.severity, found.versions) == ("warning", "no version has it")


def test_variables_of_an_engine_that_lists_none() -> None:
    assert check(vllm(), (), {"VLLM_ZZZ": "1"}) == Verdict(True)


def test_sglang_copies_its_old_names() -> None:
    made = sglang(env=("SGLANG_PORT",))
    found = only(made, env={"SGL_PORT": "1"})
    assert (found.kind, found.near, found.message) == (
        "renamed variable",
        "SGLANG_PORT",
        "SGL_PORT is copied to SGLANG_PORT: write that",
    )
    assert said(check(made, (), {"SGL_PORTS": "1", "SGLANG_X": "1"})) == [
        ("unknown variable", "SGL_PORTS"),
        ("unknown variable", "SGLANG_X"),
    ]


def test_findings_as_plain_data() -> None:
    verdict = check(ENGINE, ("-tp=x",))
    assert verdict.to_json() == {
        "accepted": False,
        "findings": [
            {
                "kind": "wrong type",
                "level": "parse",
                "severity": "error",
                "flag": "-tp",
                "message": "-tp takes a whole number, not 'x'",
                "value": "x",
            }
        ],
    }


def test_a_finding_as_text() -> None:
    history = Known({("flag", "--max-num-seq"): ()})
    (found,) = check(ENGINE, ("--max-num-sequences", "1"), history=history).findings
    assert str(found) == (
        "vllm 0.31.0 has no --max-num-sequences; did you mean --max-num-seqs?; no version has it"
    )


def test_a_finding_doesnt_say_its_near_match_twice() -> None:
    made = vllm(flag("--old", deprecated="--new"))
    assert str(only(made, "--old", "x")) == "--old is deprecated: use --new"
