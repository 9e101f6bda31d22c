"""What is sglang's own: no respelling, abbreviations, its types, its graph config."""

from __future__ import annotations

import pytest

from infxreg.surface.check import check
from support.surfaces import accepted, boolean, config, flag, only, said, sglang

SIZES = sglang(
    flag("--tp-size", "--tensor-parallel-size", type="int", dest="tp_size"),
    flag("--dp-size", "--data-parallel-size", type="int", dest="dp_size"),
    flag("--pp-size", type="int"),
    flag("--pp-max-micro-batch-size", type="int"),
    flag("--enable-mixed-chunk", arity="0", action="store_true", type=""),
    boolean("--dllm-fdfo"),
    flag("--served-model-name"),
    flag("--quantization", choices=("fp8", "awq"), hard=True),
    flag("--speculative-algorithm"),
    flag("--json-model-override-args"),
)


def test_underscores_are_not_converted() -> None:
    found = only(SIZES, "--tp_size", "8")
    assert (found.kind, found.near, found.value) == ("unknown flag", "--tp-size", "8")


def test_tp_and_dp_work_as_abbreviations_only() -> None:
    assert said(check(SIZES, ("--tp", "8", "--dp", "2"))) == [
        ("abbreviation", "--tp"),
        ("abbreviation", "--dp"),
    ]
    assert only(SIZES, "--pp", "2").kind == "ambiguous prefix"


def test_a_flag_can_make_an_abbreviation_ambiguous() -> None:
    """As --cuda-graph-max-bs became in 0.5.20: the same list, another version."""
    old = sglang(flag("--cuda-graph-max-bs-decode", type="int"))
    new = sglang(*old.flags[1:], flag("--cuda-graph-max-bs-prefill", type="int"))
    assert accepted(old, "--cuda-graph-max-bs", "8") is True
    assert accepted(new, "--cuda-graph-max-bs", "8") is False


def test_no_only_where_the_action_allows_it() -> None:
    assert accepted(SIZES, "--no-dllm-fdfo") is True
    assert accepted(SIZES, "--no-enable-mixed-chunk") is False


def test_one_served_name() -> None:
    assert said(check(SIZES, ("--served-model-name", "a", "b"))) == [("stray positional", "")]


def test_hard_and_free_choices() -> None:
    assert accepted(SIZES, "--quantization", "nvfp4") is False
    assert accepted(SIZES, "--speculative-algorithm", "ZZZ") is True
    assert accepted(SIZES, "--json-model-override-args", "{not json") is True


def test_dots_are_no_keys() -> None:
    assert only(SIZES, "--tp-size.x", "8").kind == "unknown flag"


def test_the_model_path_of_the_list_beats_the_one_before_it() -> None:
    assert check(SIZES, ("--model-path", "m")).findings == ()
    assert check(SIZES, (), lead=()).accepted is False
    assert said(check(SIZES, ("--model", "m", "--model-path", "n"))) == [
        ("repeated", "--model-path")
    ]


GRAPHS = (
    flag("--cuda-graph-config", type="parse_cuda_graph_config_arg"),
    flag(
        "--cuda-graph-backend-decode",
        type="parse_cuda_graph_backend_arg",
        choices=("full", "disabled"),
        hard=True,
    ),
)
KNOWN = {
    "CudaGraphConfig": config(decode="DecodePhase", prefill="PrefillPhase"),
    "DecodePhase": config(backend="str", bs="list[int]"),
    "PrefillPhase": config(backend="str", max_seq_len="int"),
}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{}", None),
        ('{"decode": {"backend": "full", "bs": 3}}', None),
        ('{"prefill": {"max_seq_len": 3}}', None),
        ("3", "wrong type"),
        ("{", "bad JSON"),
        ('{"encode": {}}', "unknown JSON key"),
        ('{"decode": 3}', "wrong type"),
        ('{"decode": {"max_seq_len": 3}}', "unknown JSON key"),
        ('{"decode": {"backend": "tc_piecewise"}}', "wrong type"),
    ],
)
def test_graph_config(text: str, kind: str | None) -> None:
    made = sglang(*GRAPHS, configs=KNOWN)
    assert [one.kind for one in check(made, ("--cuda-graph-config", text)).findings] == (
        [] if kind is None else [kind]
    )


def test_graph_config_without_its_keys() -> None:
    made = sglang(*GRAPHS)
    assert accepted(made, "--cuda-graph-config", '{"decode": {"any": 1}}') is True
    assert accepted(made, "--cuda-graph-config", '{"encode": {}}') is False


def test_a_retired_graph_backend() -> None:
    made = sglang(*GRAPHS)
    assert accepted(made, "--cuda-graph-backend-decode", "full") is True
    assert accepted(made, "--cuda-graph-backend-decode", "zzz") is False
    assert accepted(made, "--cuda-graph-backend-decode", "tc_piecewise") is False
    older = sglang(GRAPHS[0])
    assert accepted(older, "--cuda-graph-config", '{"decode": {"backend": "tc_piecewise"}}') is True
