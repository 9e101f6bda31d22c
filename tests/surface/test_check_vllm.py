"""What vllm does to a list before argparse, rule by rule and version by version."""

from __future__ import annotations

import pytest

from infxreg.surface.check import check
from infxreg.surface.model import ConfigField, Flag, Surface
from infxreg.surface.vllm_dialect import Dialect
from infxreg.surface.vllm_rules import prepared
from support.surfaces import accepted, boolean, config, enum, flag, only, said, vllm

FLAGS = (
    flag("--tensor-parallel-size", "-tp", type="int"),
    flag("--max-num-seqs", type="int"),
    flag("--max-model-len", type="human-int|auto"),
    flag("--config"),
    flag("--host"),
    flag("--optimization-level"),
    flag("--nnodes", "-n", type="int"),
    boolean("--enforce-eager"),
    flag("--compilation-config", "-cc", type="dataclass", config="CompilationConfig"),
    flag("--attention-config", "-ac", type="dataclass", config="AttentionConfig"),
    flag("--speculative-config", "-sc", type="json", optional=True),
    flag("--hf-overrides", type="json|str"),
)
CONFIGS = {
    "CompilationConfig": config(
        mode=ConfigField(type="Mode | None", validated=True, reads="member null"),
        custom_ops="list[str]",
        max_size="int | None",
        pass_config="PassConfig",
        bytes="int",
    ),
    "PassConfig": config(fuse_norm="bool"),
    "AttentionConfig": config(
        backend=ConfigField(type="Backend | None", validated=True, reads="auto member"),
        use_cache="bool",
    ),
}
ENUMS = {"Mode": enum(NONE=0, FULL=3), "Backend": enum(FLASH_ATTN="f", FLASHINFER="i")}


def made(version: str = "0.31.0", *flags: Flag, **more: object) -> Surface:
    return vllm(*(flags or FLAGS), version=version, configs=CONFIGS, enums=ENUMS, **more)


NEW = made()


def tokens(version: str, *argv: str, traits: tuple[str, ...] = ()) -> list[str]:
    surface = made(version, traits=traits)
    ready = prepared(Dialect.of(surface), ("m",), argv)
    return [token.text for token in ready.tokens][1:]


def test_underscores_become_dashes_up_to_the_first_dot() -> None:
    assert accepted(NEW, "--tensor_parallel_size", "8", "--max_num_seqs=4") is True
    assert accepted(NEW, "--attention_config.use_cache", "true") is True
    assert said(check(NEW, ("--attention-config.use-cache", "true"))) == [
        ("unknown JSON key", "--attention-config")
    ]


def test_values_keep_their_underscores() -> None:
    assert tokens("0.31.0", "--host=a_b", "--host", "a_b") == ["--host=a_b", "--host", "a_b"]


def test_underscores_in_dotted_keys_became_dashes_in_0_9_0() -> None:
    assert tokens("0.9.0", "--a_b.c_d", "x") == ["--a-b", '{"c-d": "x"}']
    assert tokens("0.9.1", "--a_b.c_d", "x") == ["--a-b", '{"c_d": "x"}']


@pytest.mark.parametrize(
    ("version", "argv", "becomes"),
    [
        ("0.31.0", ["-O3"], ["--optimization-level", "3"]),
        ("0.31.0", ["-O", "3"], ["--optimization-level", "3"]),
        ("0.31.0", ["-O=3"], ["--optimization-level", "3"]),
        ("0.31.0", ["-Odecode"], ["--optimization-level", "decode"]),
        ("0.31.0", ["-O.mode=3"], ["--optimization-level", ".mode=3"]),
        ("0.31.0", ["-O", "7"], ["-O", "7"]),
        ("0.31.0", ["-O"], ["-O"]),
        ("0.12.0", ["-O3"], ["--optimization-level", "3"]),
        ("0.12.0", ["-O.mode=3"], ["-cc", '{"mode": 3}']),
        ("0.11.1", ["-O3"], ["-O", '{"mode": 3}']),
        ("0.11.1", ["-O", "3"], ["-O", '{"mode": 3}']),
        ("0.10.0", ["-O=3"], ["-O", '{"level": 3}']),
        ("0.10.0", ["-O.x=1"], ["-O", '{"x": 1}']),
        ("0.9.0", ["-O3"], ["-O3"]),
        ("0.8.5", ["-O", "3"], ["-O", "3"]),
    ],
)
def test_optimization_levels(version: str, argv: list[str], becomes: list[str]) -> None:
    assert tokens(version, *argv) == becomes


@pytest.mark.parametrize(
    ("version", "argv", "becomes"),
    [
        ("0.31.0", ["--a.b", "1", "--a.c.d=x"], ["--a", '{"b": 1, "c": {"d": "x"}}']),
        ("0.31.0", ["--a.b+", "x", "--a.b+=y,z"], ["--a", '{"b": ["x", "y", "z"]}']),
        ("0.31.0", ["-a.b", "[1]", "-a.b", "[2]"], ["-a", '{"b": [1, 2]}']),
        ("0.31.0", ["--a.b=32k", "--a.c=1.5K"], ["--a", '{"b": 32000, "c": "1.5K"}']),
        ("0.19.1", ["--a.b=32k"], ["--a", '{"b": "32k"}']),
        ("0.9.2", ["--a.b=3"], ["--a", '{"b": 3}']),
        ("0.9.1", ["--a.b=3", "-a.b=3"], ["-a.b=3", "--a", '{"b": "3"}']),
        ("0.8.5", ["--a.b=3"], ["--a.b=3"]),
        # dots in a value are no keys, and what has none stays before what has
        ("0.31.0", ["--a.b", "1", "--host=a.b", "x.y"], ["--host=a.b", "x.y", "--a", '{"b": 1}']),
        # a negative number with a dot is read as a key, as vllm does
        ("0.31.0", ["--x", "-1.5", "y"], ["--x", "-1", '{"5": "y"}']),
    ],
)
def test_dotted_keys(version: str, argv: list[str], becomes: list[str]) -> None:
    assert tokens(version, *argv) == becomes


def test_a_surface_can_state_its_dialect() -> None:
    assert tokens("0.31.0", "--a.b=1", "-O3", traits=("dotted=", "optimization=")) == [
        "--a.b=1",
        "-O3",
    ]
    assert tokens("dev", "--a.b=32k") == ["--a", '{"b": 32000}']
    assert tokens("0.8.5", "-O3", traits=("optimization=flag", "dotted=nonsense")) == [
        "--optimization-level",
        "3",
    ]


def test_dotted_keys_merge_and_the_last_one_counts() -> None:
    argv = ("-cc.custom_ops+", "all", "-cc.mode=full", "-cc.mode", "none")
    found = only(NEW, *argv)
    assert (found.kind, found.flag, found.key) == ("repeated", "-cc", "mode")
    assert found.severity == "warning"


def test_a_dotted_key_as_the_last_argument() -> None:
    found = only(NEW, "--attention-config.use_cache")
    assert (found.kind, found.flag) == ("missing value", "--attention-config.use_cache")
    assert found.message == "--attention-config.use_cache is the last argument: it has no value"


@pytest.mark.parametrize("order", [0, 1])
def test_dotted_keys_drop_the_json_in_either_order(order: int) -> None:
    parts = [("--attention-config", '{"use_cache": true}'), ("-ac.backend", "FLASHINFER")]
    argv = (*parts[order], *parts[1 - order])
    verdict = check(NEW, argv)
    assert verdict.accepted is True
    assert verdict.sound is False
    (found,) = verdict.findings
    assert (found.kind, found.level, found.flag) == (
        "JSON with dotted keys",
        "ours",
        "--attention-config",
    )
    assert found.message == "the JSON of --attention-config is dropped: only -ac.backend counts"


def test_unknown_json_keys_are_refused() -> None:
    found = only(NEW, "-ac", '{"use_cach": true}')
    assert (found.kind, found.flag, found.key, found.near) == (
        "unknown JSON key",
        "-ac",
        "use_cach",
        "use_cache",
    )
    nested = only(NEW, "-cc.pass_config.nope=1")
    assert (nested.kind, nested.key) == ("unknown JSON key", "pass_config.nope")


def test_json_without_forbidden_keys_drops_them() -> None:
    loose = vllm(
        flag("--pooler-config", type="dataclass", config="P"), configs={"P": config(None, a="int")}
    )
    verdict = check(loose, ("--pooler-config", '{"b": 1}'))
    assert verdict.accepted is True
    assert [(one.kind, one.level, one.severity) for one in verdict.findings] == [
        ("unknown JSON key", "ours", "error")
    ]


def test_backend_names_ignore_case() -> None:
    assert accepted(NEW, "-ac.backend", "FlashInfer") is True
    assert accepted(NEW, "-ac", '{"backend": "auto"}') is True
    found = only(NEW, "-ac.backend=FLASHINFERR")
    assert (found.kind, found.key, found.value, found.near) == (
        "hard choice",
        "backend",
        "FLASHINFERR",
        "FLASHINFER",
    )


def test_json_takes_yes_for_true() -> None:
    assert accepted(NEW, "-ac", '{"use_cache": "yes"}') is True
    found = only(NEW, "-ac", '{"use_cache": "maybe"}')
    assert found.message == '-ac use_cache takes true or false, not "maybe"'


def test_a_mode_as_text_is_a_name() -> None:
    assert accepted(NEW, "-cc", '{"mode": 3}') is True
    assert accepted(NEW, "-cc", '{"mode": "full"}') is True
    assert accepted(NEW, "-cc", '{"mode": "3"}') is False
    assert accepted(NEW, "-cc", '{"mode": [3]}') is False
    assert accepted(NEW, "-cc", "3") is False


def test_suffixes_in_json_stand_for_numbers() -> None:
    assert accepted(NEW, "-cc", '{"bytes": 80m}') is True
    assert accepted(NEW, "-cc", '{"bytes": "80m"}') is False
    assert accepted(NEW, "-cc", '{"bytes": 1.5G}') is False
    assert accepted(made("0.19.1"), "-cc", '{"bytes": 80m}') is False


def test_half_a_surrogate_pair_is_no_json() -> None:
    assert only(NEW, "-cc", '{"custom_ops": ["\\ud800"]}').kind == "bad JSON"
    assert accepted(NEW, "-cc", '{"custom_ops": ["\\u00e9"]}') is True


def test_json_of_an_unknown_class() -> None:
    odd = vllm(flag("--x", type="dataclass", config="Nowhere"))
    assert accepted(odd, "--x", "{}") is True
    assert accepted(odd, "--x", "{") is False


def test_pairs_of_booleans() -> None:
    both = made(
        "0.33.0",
        flag(
            "--enable-chunked-prefill",
            "--disable-chunked-prefill",
            arity="0",
            action="enable-disable",
            type="",
            hidden=("--no-enable-chunked-prefill",),
        ),
    )
    for name in ("enable", "disable", "no-enable"):
        assert accepted(both, f"--{name}-chunked-prefill") is True
    assert accepted(both, "--no-chunked-prefill") is False


def test_an_argument_list_names_its_model() -> None:
    assert check(NEW, ("org/model", "-tp", "8"), lead=()).accepted is True
    assert check(NEW, ("-tp", "8", "org/model"), lead=()).accepted is True
    assert said(check(NEW, ("org/other",))) == [("stray positional", "")]


def test_model_as_a_flag() -> None:
    assert check(NEW, ("-tp", "8", "--model", "m"), lead=()).accepted is True
    assert check(NEW, ("--model=m",), lead=()).accepted is True
    assert said(check(NEW, ("--model", "m"))) == [("stray positional", "")]
    assert said(check(NEW, ("--model",), lead=())) == [("missing value", "--model")]
    old = made("0.11.0", *FLAGS, flag("--model"))
    (found,) = check(old, ("--model", "m", "-tp", "8")).findings
    assert found.message == "vllm serve refuses --model: the model is its first argument"
    assert check(old, ("--model=m",)).accepted is True  # it looks for the word alone


@pytest.mark.parametrize(
    ("argv", "accepted_", "kind"),
    [
        (["--config", "x.yaml"], None, "not known"),
        (["--config", "x.json"], False, "wrong type"),
        (["--config"], False, "missing value"),
        (["--config", "a.yaml", "--config", "b.yaml"], False, "repeated"),
    ],
)
def test_a_config_file_is_not_read(argv: list[str], accepted_: bool | None, kind: str) -> None:
    verdict = check(NEW, argv)
    assert verdict.accepted is accepted_
    assert [one.kind for one in verdict.findings] == [kind]


def test_a_config_file_with_equals_is_a_flag_like_others() -> None:
    assert check(NEW, ("--config=x",)).findings == ()


def test_help_prints_and_exits() -> None:
    helps = made("0.31.0", flag("--help", "-h", arity="0", action="help", type=""))
    for argv in ("--help", "-h", "--help=max-num-seqs"):
        verdict = check(helps, (argv,))
        assert verdict.accepted is True
        assert [one.kind for one in verdict.findings] == ["prints and exits"]


@pytest.mark.parametrize(
    ("argv", "accepted_"),
    [
        # Help ends the parse: only what argparse looks at before it counts.
        (("--nobody", "-h"), True),
        (("-h", "--num", "x"), True),
        (("-h", "stray"), True),
        (("--num", "x", "-h"), False),
        (("-h", "--enable"), False),
        (("-hx",), False),
        (("-h=1",), False),
    ],
)
def test_what_stands_around_help(argv: tuple[str, ...], accepted_: bool) -> None:
    helps = made(
        "0.31.0",
        flag("--help", "-h", arity="0", action="help", type=""),
        flag("--num", type="int"),
        flag("--enable-a"),
        flag("--enable-b"),
    )
    assert check(helps, argv).accepted is accepted_


def test_deprecated_and_removed_flags() -> None:
    old = made(
        "0.31.0",
        flag("--old", arity="0", type="", deprecated="--new"),
        flag("--gone", refused=True, deprecated="--new"),
        flag("--older", arity="0", type="", action="DeprecatedStoreTrueAction"),
    )
    found = only(old, "--old")
    assert (found.kind, found.severity, found.near) == ("deprecated", "warning", "--new")
    assert found.message == "--old is deprecated: use --new"
    assert only(old, "--older").message == "--older is deprecated"
    removed = check(old, ("--gon", "1"))
    assert removed.accepted is False
    assert removed.findings[0].message == "vllm 0.31.0 refuses --gon: use --new"
    assert removed.findings[0].near == "--new"


def test_an_abbreviation_with_underscores() -> None:
    assert said(check(NEW, ("--max_num_s", "4"))) == [("abbreviation", "--max_num_s")]
    assert check(NEW, ("--max_num_seqs", "4")).findings == ()


CALLED = {
    "CompilationConfig": config(None, level="int", use_inductor="bool"),
    "KVTransferConfig": config(
        None,
        ["kv_connector is not None and kv_role is None"],
        kv_connector=ConfigField(type="str | None", default="None"),
        kv_role=ConfigField(type="str | None", default="None"),
    ),
}


def called(version: str) -> Surface:
    return vllm(
        flag("--compilation-config", "-O", type="from_cli"),
        flag("--kv-transfer-config", type="lambda", optional=True),
        flag("--override-pooler-config", type="from_json"),
        flag("--prompt-adapters", arity="+", action="PromptAdapterParserAction"),
        version=version,
        configs=CALLED,
    )


@pytest.mark.parametrize(
    ("argv", "accepted_"),
    [
        (["-O3"], True),
        (["-O", "2"], True),
        (["-O7"], False),
        (["-O", "[3]"], False),
        (["--kv-transfer-config", '{"kv_role": "kv_both"}'], True),
        (["--kv-transfer-config", '{"kv_connector": "Nixl"}'], False),
        (["--kv-transfer-config", "3"], False),
        (["--kv-transfer-config", "None"], True),
        (["--override-pooler-config", "{}"], True),  # its class isn't known here
        (["--prompt-adapters", "a=b"], True),
        (["--prompt-adapters", "a"], False),
    ],
)
@pytest.mark.parametrize("version", ["0.8.5", "0.9.0.1"])
def test_classes_called_with_their_keys(version: str, argv: list[str], accepted_: bool) -> None:
    assert accepted(called(version), *argv) is accepted_


def test_a_called_class_doesnt_look_at_types_and_refuses_unknown_keys() -> None:
    """The models of 0.8 do the opposite."""
    for version, called_ in (("0.8.5", False), ("0.9.0.1", True)):
        assert accepted(called(version), "-O", '{"level": "x"}') is called_
        assert accepted(called(version), "-O", '{"levels": 3}') is not called_


def test_the_first_compilation_config_was_python() -> None:
    for version, json_, python in (("0.8.5", False, True), ("0.9.0.1", True, False)):
        made_ = called(version)
        assert accepted(made_, "-O", '{"use_inductor": false}') is json_
        assert accepted(made_, "-O", "{'use_inductor': False}") is python


def test_types_are_checked_from_0_9_1_on() -> None:
    for version, level in (("0.9.1", True), ("0.9.2", False)):
        typed = vllm(
            flag("-O", type="dataclass", config="CompilationConfig", dest="compilation_config"),
            version=version,
            configs=CALLED,
            traits=("optimization=",) if level else (),
        )
        assert accepted(typed, "-O", '{"level": "x"}') is False
        assert accepted(typed, "-O", "{}") is True
        # "-O 3" is a dotted key from 0.9.2 on, and any other way to say 3 is no object
        assert accepted(typed, "-O", "3") is True
        assert accepted(typed, "-O", "7") is False
