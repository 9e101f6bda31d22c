"""Values of a flag's type, as the engines' own converters read them."""

from __future__ import annotations

import pytest

from infxreg.surface.check import check
from support.surfaces import accepted, config, flag, only, said, sglang, surface, vllm

NUMBERS = vllm(
    flag("--count", type="int"),
    flag("--share", type="float"),
    flag("--tokens", type="human-int"),
    flag("--length", type="human-int|auto"),
    flag("--limit", type="int", optional=True),
)


@pytest.mark.parametrize("text", ["8", "+8", "-8", " 8 ", "1_000"])
def test_integer_spellings(text: str) -> None:
    assert accepted(NUMBERS, f"--count={text}") is True


@pytest.mark.parametrize("text", ["8.0", "1e3", "0x10", "128k", "1__0", "", "None", "auto", "∞"])
def test_no_integers(text: str) -> None:
    found = only(NUMBERS, f"--count={text}")
    assert (found.kind, found.message) == (
        "wrong type",
        f"--count takes a whole number, not {text!r}",
    )


def test_floats() -> None:
    assert all(accepted(NUMBERS, f"--share={text}") for text in ("1", "1e-3", "inf", " .5 "))
    assert said(check(NUMBERS, ("--share", "1k"))) == [("wrong type", "--share")]


def test_readable_integers_of_vllm() -> None:
    """``32k`` is 32,000 and ``32K`` 32,768, on the flags that say so and on no other."""
    for text in ("32k", "32K", "25.6k", "2T", "1_000", "-1"):
        assert accepted(NUMBERS, f"--tokens={text}") is True, text
    for text in ("25.6K", "32kb", "auto", "k"):
        assert accepted(NUMBERS, f"--tokens={text}") is False, text
    assert accepted(NUMBERS, "--limit=32k") is False


def test_a_length_can_be_auto() -> None:
    assert all(accepted(NUMBERS, f"--length={text}") for text in ("auto", "AUTO", "-1", "32k"))


def test_readable_integers_of_sglang() -> None:
    made = sglang(flag("--context-length", type="human-int"))
    for text in ("1k", "1M", "25.6k", "1Ki", "7"):
        assert accepted(made, f"--context-length={text}") is True, text
    for text in ("1m", "1K", "25.6Ki", ""):
        assert accepted(made, f"--context-length={text}") is False, text


def test_none_and_nothing_fit_an_optional_value() -> None:
    assert accepted(NUMBERS, "--limit=") is True
    assert accepted(NUMBERS, "--limit", "None") is True
    assert accepted(NUMBERS, "--limit", "none") is False


JSONS = vllm(
    flag("--kwargs", type="json"),
    flag("--speculative-config", type="json", optional=True),
    flag("--overrides", type="json|str"),
)


def test_json_that_is_no_object_is_json() -> None:
    for text in ("3", "true", '"x"', "[1]", "{}", "null", "NaN"):
        assert accepted(JSONS, f"--speculative-config={text}") is True, text


@pytest.mark.parametrize("text", ["{", "{'a': 1}", "zzz", "{1: 2}", '{"a":1,}', "[" * 5000])
def test_bad_json(text: str) -> None:
    found = only(JSONS, f"--kwargs={text}")
    assert (found.kind, found.flag) == ("bad JSON", "--kwargs")


def test_where_bad_json_breaks_off() -> None:
    assert only(JSONS, "--kwargs", '{"a" 1}').message == (
        "--kwargs takes JSON (Expecting ':' delimiter at character 6), not '{\"a\" 1}'"
    )


def test_text_or_json() -> None:
    assert accepted(JSONS, "--overrides", "any text") is True
    assert accepted(JSONS, "--overrides", '{"a": 1}') is True
    assert accepted(JSONS, "--overrides", "{a}") is False


def test_key_number_pairs_are_json_before_0_10() -> None:
    old = vllm(flag("--limit-mm", type="json"), version="0.9.2")
    new = vllm(flag("--limit-mm", type="json"), version="0.10.0")
    assert accepted(old, "--limit-mm", "image=2, Video=3") is True
    assert accepted(old, "--limit-mm", '{"image": 2}') is True
    for text in ("image", "image=x", "image=1,image=2", "a=b=c", "{image=2"):
        assert accepted(old, "--limit-mm", text) is False, text
    assert accepted(new, "--limit-mm", "image=2") is False


CHOICES = vllm(
    flag("--dtype", choices=("auto", "half"), hard=True),
    flag("--rank", type="int", choices=("8", "16"), hard=True),
    flag("--backend", type="lower-underscore", choices=("auto", "deep_gemm"), hard=True),
    flag("--traces", arity="+", optional=True, choices=("all", "worker", "None"), hard=True),
    flag("--kv-cache-dtype", choices=("auto", "fp8")),
    flag("--modules", hard=True),
)


def test_hard_choices() -> None:
    assert accepted(CHOICES, "--dtype", "half") is True
    found = only(CHOICES, "--dtype", "hal")
    assert (found.kind, found.near, found.value) == ("hard choice", "half", "hal")
    assert found.message == "--dtype: vllm 0.31.0 has no 'hal'; it takes auto, half"


def test_a_long_list_of_choices_is_cut() -> None:
    made = vllm(flag("--x", choices=tuple(f"c{n}" for n in range(14)), hard=True))
    assert only(made, "--x", "zzz").message.endswith("c10, c11 and 2 more")


def test_choices_are_compared_after_conversion() -> None:
    assert accepted(CHOICES, "--rank", "+8") is True
    assert accepted(CHOICES, "--rank", "9") is False
    assert accepted(CHOICES, "--backend", "Deep-GEMM") is True
    assert accepted(CHOICES, "--backend", "deep") is False


def test_each_of_several_values_is_a_choice() -> None:
    assert accepted(CHOICES, "--traces", "all", "worker") is True
    assert accepted(CHOICES, "--traces", "all", "zzz") is False


def test_the_choice_none() -> None:
    """Before 0.31.0 the choices held the word and the converter made it a value: refused."""
    assert accepted(CHOICES, "--traces", "None") is True
    old = vllm(*CHOICES.flags[1:], version="0.30.0")
    assert accepted(old, "--traces", "None") is False
    stated = vllm(*CHOICES.flags[1:], version="0.30.0", traits=("none-choice",))
    assert accepted(stated, "--traces", "None") is True


def test_a_soft_choice_only_warns() -> None:
    verdict = check(CHOICES, ("--kv-cache-dtype", "fp9"))
    assert verdict.accepted is True
    found = verdict.findings[0]
    assert (found.kind, found.level, found.severity, found.near) == (
        "registry value",
        "registry",
        "warning",
        "fp8",
    )


def test_choices_that_code_makes_leave_the_answer_open() -> None:
    verdict = check(CHOICES, ("--modules", "q_proj"))
    assert verdict.accepted is None
    assert verdict.sound is None
    assert said(verdict) == [("not known", "--modules")]


def test_a_refusal_beats_what_isnt_known() -> None:
    assert check(CHOICES, ("--modules", "q_proj", "--rank", "9")).accepted is False


def test_inline_code_of_the_engine_is_taken_at_its_word() -> None:
    made = vllm(flag("--device-ids", type="lambda"))
    verdict = check(made, ("--device-ids", "0,1"))
    assert verdict.accepted is True
    assert [one.level for one in verdict.findings] == ["ours"]


def test_lora_modules_of_vllm() -> None:
    made = vllm(
        flag("--lora-modules", arity="+", action="LoRAParserAction", optional=True),
        configs={"LoRAModulePath": config(name="str", path="str", base_model_name="str | None")},
    )
    for text in ("a=b", "", "None", '{"name": "a", "path": "b"}'):
        assert accepted(made, "--lora-modules", text) is True, text
    for text in ("a", "1", '{"name": "a"}', '{"name": "a", "path": "b", "x": 1}', "a=b,c=d"):
        assert accepted(made, "--lora-modules", text) is False, text
    unknown = vllm(flag("--lora-modules", arity="+", action="LoRAParserAction"))
    assert accepted(unknown, "--lora-modules", '{"name": "a", "path": "b", "x": 1}') is False
    assert accepted(unknown, "--lora-modules", '{"name": "a", "path": "b"}') is True


def test_lora_paths_of_sglang() -> None:
    made = sglang(flag("--lora-paths", arity="*", action="LoRAPathAction"))
    for text in ("a", "a=b", '{"lora_name": "a", "lora_path": "b"}', "{"):
        assert accepted(made, "--lora-paths", text) is True, text
    for text in ("{}", "{x}", ' {"lora_name": "a"} '):
        assert accepted(made, "--lora-paths", text) is False, text


def test_old_booleans_of_vllm() -> None:
    made = vllm(flag("--chunked", arity="?", action="StoreBoolean"), version="0.8.5")
    assert accepted(made, "--chunked") is True
    assert accepted(made, "--chunked=TRUE") is True
    assert accepted(made, "--chunked", "1") is False


def test_ports_of_vllm() -> None:
    made = vllm(flag("--port", type="check_port"))
    assert accepted(made, "--port", "8000") is True
    assert accepted(made, "--port", "80") is False


def test_orjson_has_no_nan() -> None:
    made = sglang(flag("--hooks", type="json_list_type"))
    assert accepted(made, "--hooks", "[1]") is True
    assert accepted(made, "--hooks", "[NaN]") is False


def test_integer_lists_and_other_engines() -> None:
    made = surface("atom", "1.0", flag("--ids", type="int-list"), flag("--on", type="bool"))
    assert accepted(made, "--ids", "1,2", "--on", "yes") is True
    assert accepted(made, "--ids", "1,x") is False
