"""The shipped folded files against what the real parsers of twelve versions said.

The files hold what was read off source; nothing of an engine ran for them. Run
with ``-s`` for the numbers.
"""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from infxreg.surface.folded import FoldedSurfaces
from infxreg.surface.history import Span
from infxreg.surface.model import Surface
from support.oracles import (
    DUMPED,
    Compared,
    hard_choices,
    keyed,
    keys,
    literal,
    of_flags,
    real,
)

# A hard list that differs from the real one needs a line here with its cause.
HARD_MISSES: dict[tuple[str, str, str], str] = {}
# Lists that the parser checks and that no source says, with the cause.
UNKNOWN_LISTS = {
    (version, "--guided-decoding-backend"): "one of two lists, whichever a set gives first"
    for version in ("0.8.5", "0.8.5.post1")
}


def shipped(engine: str) -> bytes:
    return (files(f"infxreg_{engine}") / "surface.json").read_bytes()


@pytest.fixture(scope="module")
def folded() -> dict[str, FoldedSurfaces]:
    return {engine: FoldedSurfaces.read(shipped(engine)) for engine in ("vllm", "sglang")}


@pytest.fixture(params=DUMPED, ids=lambda one: "-".join(one))
def pair(
    request: pytest.FixtureRequest, folded: dict[str, FoldedSurfaces]
) -> tuple[Surface, Surface]:
    """The shipped surface of a version, and the real parser's."""
    engine, version = request.param
    theirs = real(engine, version)
    return folded[engine].unfold(version), theirs


def whole(name: str, pair: tuple[Surface, Surface], compared: Compared) -> None:
    ours = pair[0]
    print(
        f"{ours.engine} {ours.version} {name}: {compared.equal} equal, "
        f"{len(compared.missing)} missing, {len(compared.extra)} extra"
    )
    assert compared.equal
    assert compared == Compared(compared.equal, (), ())


def test_option_strings(pair: tuple[Surface, Surface]) -> None:
    ours, theirs = pair
    whole("option strings", pair, Compared.of(set(ours.by_name), set(theirs.by_name)))


def test_hidden_ones_are_hidden(pair: tuple[Surface, Surface]) -> None:
    whole("shown and hidden", pair, of_flags(*pair, lambda flag: sorted(flag.hidden)))


def test_destinations(pair: tuple[Surface, Surface]) -> None:
    whole("destinations", pair, of_flags(*pair, lambda flag: flag.dest))


def test_arity(pair: tuple[Surface, Surface]) -> None:
    whole("arity", pair, of_flags(*pair, lambda flag: (flag.arity, flag.required)))


def test_actions(pair: tuple[Surface, Surface]) -> None:
    whole("actions", pair, of_flags(*pair, lambda flag: flag.action))


def test_types(pair: tuple[Surface, Surface]) -> None:
    """The real parser's dump says no more of inline code than that it is some."""
    ours, theirs = pair
    inline = {names for names, flag in keyed(theirs).items() if flag.type == "lambda"}
    assert {keyed(ours)[names].type for names in inline} <= {"comma-list", "int-list", "lambda"}
    whole(
        "types",
        pair,
        of_flags(
            *pair,
            lambda flag: (
                "inline" if (flag.names or (flag.dest,)) in inline else flag.type,
                flag.optional,
                flag.config,
            ),
        ),
    )


def test_environment(pair: tuple[Surface, Surface]) -> None:
    ours, theirs = pair
    whole("environment", pair, Compared.of(set(ours.env or ()), set(theirs.env or ())))


def test_json_keys(pair: tuple[Surface, Surface]) -> None:
    ours, theirs = pair
    if not theirs.configs:
        pytest.skip("the dump has no config classes: the engine makes none of its JSON")
    classes = set(theirs.configs)
    assert classes <= set(ours.configs)
    whole("JSON keys", pair, Compared.of(keys(ours, classes), keys(theirs, classes)))
    assert {name: ours.configs[name].extra for name in classes} == {
        name: theirs.configs[name].extra for name in classes
    }
    assert {flag.config for flag in ours.flags if flag.config} <= set(ours.configs)


def test_attention_backends(pair: tuple[Surface, Surface]) -> None:
    ours, theirs = pair
    known = theirs.backends
    if known is None and theirs.engine == "sglang":
        known = theirs.by_name["--attention-backend"].choices
    if known is None:
        pytest.skip("the dump of this version doesn't name them")
    whole("attention backends", pair, Compared.of(set(ours.backends or ()), set(known)))


def test_hard_choices(pair: tuple[Surface, Surface]) -> None:
    """At least 95 %, each miss with its cause; and no list that the parser hasn't."""
    ours, theirs = (hard_choices(one) for one in pair)
    assert set(ours) == set(theirs)
    misses = {name for name, choices in theirs.items() if ours[name] != choices}
    surface = pair[0]
    known = {name for e, v, name in HARD_MISSES if (e, v) == (surface.engine, surface.version)}
    print(
        f"{surface.engine} {surface.version} hard choices: {len(theirs) - len(misses)} of "
        f"{len(theirs)}, {sum(len(one or ()) for one in theirs.values())} values"
    )
    assert misses == known
    assert len(misses) <= 0.05 * len(theirs)


def test_choices_that_only_help_lists(pair: tuple[Surface, Surface]) -> None:
    whole(
        "soft choices",
        pair,
        of_flags(
            *pair,
            lambda flag: None if flag.hard or flag.choices is None else sorted(flag.choices),
        ),
    )


def test_defaults_that_are_literal(pair: tuple[Surface, Surface]) -> None:
    ours, theirs = (keyed(one) for one in pair)
    wanted = {names for names, flag in theirs.items() if literal(flag.default)}
    wrong = {
        names: (ours[names].default, theirs[names].default)
        for names in wanted
        if ours[names].default != theirs[names].default
    }
    # A default that is an object's text in disguise: a config class or a class of the tree.
    odd = {("--compilation-config", "-cc", "-O"), ("--compilation-config", "-cc")}
    odd |= {("--compilation-config", "-O"), ("--limit-mm-per-prompt",)}
    assert {names: one for names, one in wrong.items() if one[0] is not None} == {}
    assert set(wrong) <= odd
    print(f"{pair[0].engine} {pair[0].version} defaults: {len(wanted) - len(wrong)} equal")


def test_deprecation_covers_the_parsers_own(pair: tuple[Surface, Surface]) -> None:
    """argparse knows only ``deprecated=True``; the source says more, and never less."""
    ours, theirs = (keyed(one) for one in pair)
    said = {names for names, flag in theirs.items() if flag.deprecated is not None}
    assert said <= {names for names, flag in ours.items() if flag.deprecated is not None}


class TestTheFilesThemselves:
    @pytest.mark.parametrize(("engine", "count"), [("vllm", 45), ("sglang", 29)])
    def test_what_they_cover(
        self, folded: dict[str, FoldedSurfaces], engine: str, count: int
    ) -> None:
        made = folded[engine]
        assert len(made.versions) >= count
        first, last = {"vllm": ("0.8.5", "0.33.0"), "sglang": ("0.5.5", "0.5.23")}[engine]
        assert (made.versions[0], last in made.versions) == (first, True)
        for version in made.versions:
            wheel = made.wheel(version)
            assert wheel is not None
            assert wheel.name.startswith(f"{engine}-{version}-")
            assert len(bytes.fromhex(wheel.sha256)) == 32

    @pytest.mark.parametrize("engine", ["vllm", "sglang"])
    def test_size(self, engine: str) -> None:
        assert len(shipped(engine)) <= 250_000

    @pytest.mark.parametrize("engine", ["vllm", "sglang"])
    def test_every_version_is_whole(self, folded: dict[str, FoldedSurfaces], engine: str) -> None:
        made = folded[engine]
        for version in made.versions:
            surface = made.unfold(version)
            assert len(surface.flags) > 130, version
            assert len(surface.by_name) == sum(len(flag.all_names) for flag in surface.flags)
            assert surface.env, version
            assert surface.backends, version
            assert surface.models, version
            assert surface.registries, version
            for flag in surface.flags:
                known = flag.type != "unknown" and (flag.choices or not flag.hard)
                assert known or (version, flag.names[0]) in UNKNOWN_LISTS
            assert Surface.from_json(json.loads(json.dumps(surface.to_json()))) == surface


class TestWhenDeepSeekV41Arrived:
    """The table of ENGINE-FLAGS.md, and what else it says of ranges."""

    @pytest.mark.parametrize(
        ("kind", "name", "spans"),
        [
            ("key", "AttentionConfig.indexer_kv_dtype", [Span("0.24.0")]),
            ("registry", "SpeculativeConfig.method=dspark", [Span("0.25.0")]),
            ("key", "SpeculativeConfig.enable_adaptive_verification", [Span("0.28.0")]),
            ("flag", "--engram-config", [Span("0.30.0")]),
            ("registry", "tokenizer_mode=deepseek_v41", [Span("0.30.0")]),
            ("registry", "tool_call_parser=deepseek_v41", [Span("0.30.0")]),
            ("registry", "reasoning_parser=deepseek_v41", [Span("0.30.0")]),
            ("backend", "FLASHINFER_MLA_SPARSE_DSV41", [Span("0.30.0")]),
            ("backend", "FLASHMLA_SPARSE_DSV41", [Span("0.30.0")]),
            ("key", "AttentionConfig.indexer_sparse_logits", [Span("0.31.0")]),
            ("backend", "FLASHMLA_MEGA_ATTN_DSV41", [Span("0.31.0")]),
            ("backend", "ROCM_FLASHMLA_SPARSE_DSV41", [Span("0.33.0")]),
            ("key", "AttentionConfig.use_fp4_indexer_cache", [Span("0.20.0", "0.29.0")]),
            ("flag", "--disable-log-requests", [Span("0.8.5", "0.16.0"), Span("0.33.0")]),
            ("env", "VLLM_USE_FLASHINFER_MOE_FP4", [Span("0.10.0", "0.23.0")]),
            ("flag", "--tool-call-parser-plugin", []),
        ],
    )
    def test_vllm(
        self, folded: dict[str, FoldedSurfaces], kind: str, name: str, spans: list[Span]
    ) -> None:
        assert folded["vllm"].spans(kind, name) == spans  # type: ignore[arg-type]

    def test_a_list_that_became_free(self, folded: dict[str, FoldedSurfaces]) -> None:
        hard = [
            version
            for version in folded["vllm"].versions
            if folded["vllm"].unfold(version).by_name["--kv-cache-dtype"].hard
        ]
        assert hard == list(folded["vllm"].versions[:-1])

    def test_the_model_class(self, folded: dict[str, FoldedSurfaces]) -> None:
        versions = folded["vllm"].versions
        having = [
            version
            for version in versions
            if "DeepseekV41ForCausalLM" in (folded["vllm"].unfold(version).models or ())
        ]
        assert having == list(versions[versions.index("0.30.0") :])

    def test_an_ambiguous_prefix_of_sglang(self, folded: dict[str, FoldedSurfaces]) -> None:
        """``--cuda-graph-max-bs`` is a flag of 0.5.17 and only a prefix in 0.5.20."""
        names = {v: set(folded["sglang"].unfold(v).by_name) for v in ("0.5.17", "0.5.20")}
        assert "--cuda-graph-max-bs" in names["0.5.17"]
        assert [one for one in names["0.5.20"] if one.startswith("--cuda-graph-max-bs")] != []
        assert "--cuda-graph-max-bs" not in names["0.5.20"]
