"""When an item was there, in words; and the seed's two values, which is what it is for."""

from __future__ import annotations

import json

import pytest

from infxreg.surface.check import check
from infxreg.surface.history import Span, in_words
from infxreg.surface.model import ConfigField, Surface
from support.surfaces import Known, config, enum, flag, only, vllm

ITEMS = Known(
    {
        ("flag", "--new"): (Span("0.31.0"),),
        ("flag", "--old"): (Span("0.8.5", "0.29.0"),),
        ("flag", "--back"): (Span("0.8.5", "0.16.0"), Span("0.33.0")),
        ("flag", "--thrice"): (Span("0.10.0", "0.11.0"), Span("0.13.0", "0.14.0")),
        ("flag", "--odd"): (Span("not a version"),),
    }
)


@pytest.mark.parametrize(
    ("name", "version", "words"),
    [
        ("--new", "0.30.0", "first in 0.31.0"),
        ("--new", "0.30.1rc1.dev193+gddd6fbca1", "first in 0.31.0"),
        ("--old", "0.30.0", "removed after 0.29.0"),
        ("--back", "0.20.0", "removed after 0.16.0, back in 0.33.0"),
        ("--thrice", "0.12.0", "removed after 0.11.0, back in 0.13.0"),
        ("--thrice", "0.20.0", "removed after 0.14.0"),
        ("--nobody", "0.30.0", "no version has it"),
        ("--new", "0.31.0", None),  # there, as far as the history knows
        ("--odd", "0.31.0", None),
    ],
)
def test_in_words(name: str, version: str, words: str | None) -> None:
    assert in_words(ITEMS, "flag", name, version) == words


def test_without_a_history_nothing_is_said() -> None:
    assert in_words(None, "flag", "--new", "0.30.0") is None


REPLACED = Known(
    {
        ("flag", "--old-mode"): (Span("0.8.5", "0.29.0"),),
        ("flag", "--mode-a"): (Span("0.8.5", "0.20.0"),),
        ("flag", "--back"): (Span("0.8.5", "0.16.0"), Span("0.33.0")),
        ("flag", "--round"): (Span("0.8.5", "0.16.0"),),
    },
    replaced={
        "--old-mode": "--mode-x",
        "--mode-a": "--old-mode",
        "--back": "--mode-x",
        "--round": "--about",
        "--about": "--round",
    },
)


@pytest.mark.parametrize(
    ("written", "versions", "near"),
    [
        ("--old-mode", "removed after 0.29.0, use --mode-x", "--mode-x"),
        ("--mode-a", "removed after 0.20.0, use --mode-x", "--mode-x"),
        ("--back", "removed after 0.16.0, back in 0.33.0", None),
        ("--round", "removed after 0.16.0", None),
    ],
)
def test_what_replaces_a_flag_that_went(written: str, versions: str, near: str | None) -> None:
    """By what deprecated it, along a chain; one that is coming back isn't replaced."""
    found = only(vllm(flag("--mode-x"), flag("--mode-y")), written, "1", history=REPLACED)
    assert (found.versions, found.near) == (versions, near)
    assert "did you mean" not in str(found)


def test_a_flag_that_went_and_begins_others() -> None:
    """It isn't only a prefix: what replaces it is told."""
    made = vllm(flag("--graph-decode"), flag("--graph-prefill"))
    gone = {("flag", "--graph"): (Span("0.8.5", "0.29.0"),)}
    history = Known(gone, replaced={"--graph": "--graph-prefill"})
    found = only(made, "--graph", "1", history=history)
    assert (found.kind, found.near) == ("ambiguous prefix", "--graph-prefill")
    assert found.versions == "removed after 0.29.0, use --graph-prefill"
    never = only(made, "--grap", "1", history=history)
    assert (never.near, never.versions) == ("--graph-decode", None)


DTYPES = ("auto", "mxfp4", "fp8")
TP2 = (
    '{"backend":"FLASHINFER_MLA_SPARSE_DSV41","indexer_kv_dtype":"mxfp4",'
    '"indexer_sparse_logits":true}'
)
TP4 = TP2.replace("FLASHINFER_MLA_SPARSE_DSV41", "FLASHMLA_MEGA_ATTN_DSV41")
SEED = Known(
    {
        ("key", "AttentionConfig.indexer_sparse_logits"): (Span("0.31.0"),),
        ("backend", "FLASHINFER_MLA_SPARSE_DSV41"): (Span("0.30.0"),),
        ("backend", "FLASHMLA_MEGA_ATTN_DSV41"): (Span("0.31.0"),),
        ("flag", "--engram-config"): (Span("0.30.0"),),
    }
)


def release(version: str, *backends: str, sparse: bool = False) -> Surface:
    keys = {
        "backend": ConfigField(
            type="AttentionBackendEnum | None", validated=True, reads="auto member"
        ),
        "indexer_kv_dtype": ConfigField(type="Literal", choices=DTYPES),
    }
    if sparse:
        keys["indexer_sparse_logits"] = ConfigField(type="bool")
    names = ("FLASHMLA", "FLASHINFER_MLA_SPARSE", *backends)
    return vllm(
        flag("--attention-config", "-ac", type="dataclass", config="AttentionConfig"),
        version=version,
        configs={"AttentionConfig": config("forbid", **keys)},
        enums={"AttentionBackendEnum": enum(**{name: name.lower() for name in names})},
        backends=names,
    )


V029 = release("0.29.0")
V030 = release("0.30.0", "FLASHINFER_MLA_SPARSE_DSV41")
V031 = release("0.31.0", "FLASHINFER_MLA_SPARSE_DSV41", "FLASHMLA_MEGA_ATTN_DSV41", sparse=True)
SPARSE = ("unknown JSON key", "indexer_sparse_logits", "first in 0.31.0")


@pytest.mark.parametrize(
    ("surface", "value", "found"),
    [
        (V029, TP2, [("hard choice", "backend", "first in 0.30.0"), SPARSE]),
        (V029, TP4, [("hard choice", "backend", "first in 0.31.0"), SPARSE]),
        (V030, TP2, [SPARSE]),
        (V030, TP4, [("hard choice", "backend", "first in 0.31.0"), SPARSE]),
        (V031, TP2, []),
        (V031, TP4, []),
    ],
)
def test_the_seeds_attention_config(
    surface: Surface, value: str, found: list[tuple[str, str, str]]
) -> None:
    """0.29.0 and 0.30.0 refuse both; 0.30.0 knows TP2's backend, and 0.31.0 takes both."""
    verdict = check(surface, ("--attention-config", value), history=SEED)
    assert verdict.accepted is not bool(found)
    assert [(one.kind, one.key, one.versions) for one in verdict.findings] == found


def test_the_seeds_message_names_flag_key_and_version() -> None:
    (one,) = check(V030, ("--attention-config", TP2), history=SEED).findings
    assert str(one) == (
        "--attention-config: vllm 0.30.0 has no key 'indexer_sparse_logits'; first in 0.31.0"
    )


def test_the_same_by_dotted_keys() -> None:
    argv = [f"-ac.{key}={json.dumps(one)}" for key, one in json.loads(TP4).items()]
    assert check(V031, argv).accepted is True
    assert check(V030, argv).accepted is False


def test_backends_of_a_dump_that_states_no_types() -> None:
    """The oracles name the backends and no key's type: that is enough for the seed."""
    bare = vllm(
        flag("--attention-config", type="dataclass", config="AttentionConfig"),
        version="0.30.0",
        configs={
            "AttentionConfig": config(
                "forbid", backend=ConfigField(), indexer_kv_dtype=ConfigField()
            )
        },
        backends=("FLASHINFER_MLA_SPARSE_DSV41",),
    )
    assert check(bare, ("--attention-config", '{"backend":"auto"}')).accepted is True
    verdict = check(bare, ("--attention-config", TP4), history=SEED)
    assert verdict.accepted is False
    assert [(one.kind, one.severity) for one in verdict.findings] == [
        ("hard choice", "error"),
        ("not known", "note"),
        ("unknown JSON key", "error"),
    ]


def test_a_flag_that_came_later() -> None:
    (one,) = check(V029, ("--engram_config", "{}"), history=SEED).findings
    assert (one.kind, one.versions) == ("unknown flag", "first in 0.30.0")


def test_a_choice_of_a_key_and_of_a_flag() -> None:
    made = vllm(
        flag("-cc", type="dataclass", config="C"),
        flag("--dtype", "-d", choices=("auto",), hard=True),
        configs={
            "C": config(
                mode=ConfigField(type="Mode", validated=True, reads="member"),
                format=ConfigField(type="Literal", choices=("a", "b")),
            )
        },
        enums={"Mode": enum(NONE=0)},
        backends=("FLASHINFER",),
    )
    history = Known(
        {
            ("key-choice", "C.mode=FULL"): (Span("0.33.0"),),
            ("key-choice", "C.format=c"): (Span("0.8.5", "0.9.0"),),
            ("choice", "--dtype=half"): (Span("0.32.0"),),
        }
    )
    argv = ("-cc", '{"mode": "FULL", "format": "c"}', "-d", "half")
    verdict = check(made, argv, history=history)
    assert [one.versions for one in verdict.findings] == [
        "first in 0.33.0",
        "removed after 0.9.0",
        "first in 0.32.0",
    ]
