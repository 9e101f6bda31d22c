"""srt-slurm's recipe files: which variant a reference names, and what that one runs."""

from __future__ import annotations

import pytest

from infxreg_inferencex.master.recipes import RecipeError, RecipeFile, parallel

PLAIN = """\
name: one
model:
  path: a
  container: org/i:v1
resources:
  gpus_per_node: 8
  prefill_nodes: 1
  prefill_workers: 2
  gpus_per_prefill: 4
  decode_nodes: 2
  decode_workers: 1
environment:
  BOTH: 1
backend:
  type: vllm
  decode_environment:
    ONE: x
  vllm_config:
    prefill: { tensor-parallel-size: 4 }
    decode:
      tensor_parallel_size: 2
      data-parallel-size: 8
      enable-expert-parallel: true
benchmark:
  concurrencies: 1x8
"""

ZIPPED = """\
base:
  model: { container: cluster-name }
  resources: { gpus_per_node: 4, agg_nodes: 1, agg_workers: 1, gpus_per_agg: 4 }
  backend:
    sglang_config:
      aggregated:
        tp-size: 4
        enable-dp-attention: true
        moe-a2a-backend: deepep
zip_override_many:
  resources: { agg_workers: [1, 2] }
  backend:
    sglang_config:
      aggregated: { tp-size: [8], enable-dp-attention: null }
  benchmark: { concurrencies: [[4, 8], [16]] }
override_one:
  benchmark: { concurrencies: 5 }
"""


def test_a_recipe_says_what_runs() -> None:
    recipe = RecipeFile(PLAIN, "r.yaml").variant(None)
    assert (recipe.container, recipe.engine, recipe.concurrencies) == ("org/i:v1", "vllm", (1, 8))
    assert list(recipe.sides) == ["prefill", "decode"]
    prefill, decode = recipe.sides.values()
    assert (prefill.workers, prefill.nodes, prefill.gpus) == (2, 1, 4)
    assert (decode.workers, decode.nodes, decode.gpus) == (1, 2, None)
    assert decode.arguments["tensor-parallel-size"] == 2
    assert decode.environment == {"BOTH": "1", "ONE": "x"}
    assert str(recipe.container_at) == "r.yaml:4: model.container"
    assert str(decode.at.of("data-parallel-size")) == (
        "r.yaml:22: backend.vllm_config.decode.data-parallel-size"
    )
    assert decode.environment_at.line == 16


def test_a_variant_is_the_base_with_its_own_part() -> None:
    file = RecipeFile(ZIPPED, "r.yaml")
    assert file.selectors == (
        "base",
        "zip_override_many[0]",
        "zip_override_many[1]",
        "override_one",
    )
    base, second, one = map(file.variant, ("base", "zip_override_many[1]", "override_one"))
    assert (base.concurrencies, second.concurrencies, one.concurrencies) == (None, (16,), (5,))
    assert [r.sides["agg"].workers for r in (base, second, one)] == [1, 2, 1]
    assert second.sides["agg"].arguments == {"tp-size": 8, "moe-a2a-backend": "deepep"}
    assert str(second.concurrencies_at) == "r.yaml:15: zip_override_many.benchmark.concurrencies"
    assert str(one.container_at) == "r.yaml:2: base.model.container"


@pytest.mark.parametrize(
    ("text", "selector", "told"),
    [
        (PLAIN, "base", "it has no variants, and 'base' is selected"),
        (
            ZIPPED,
            None,
            "it has 3 variants, and none is selected: zip_override_many[0], "
            "zip_override_many[1], override_one",
        ),
        (
            ZIPPED,
            "zip_override_many",
            "'zip_override_many' has 2 variants: zip_override_many[0], zip_override_many[1]",
        ),
        (
            ZIPPED,
            "zip_override_many[2]",
            "it has no variant 'zip_override_many[2]'; it has: base, zip_override_many[0], "
            "zip_override_many[1], override_one",
        ),
        (
            ZIPPED.replace("[1, 2]", "[1, 2, 3]"),
            "base",
            "zip_override_many has lists of 2 and 3 entries, which don't go together",
        ),
        ("a: 1", None, "it is no recipe: that has resources and a backend"),
        ("- a", None, "a mapping is needed, not list"),
        ("base: 1", "base", "it is no recipe: that has resources and a backend"),
    ],
)
def test_what_cannot_be_had_is_told(text: str, selector: str | None, told: str) -> None:
    with pytest.raises(RecipeError) as caught:
        RecipeFile(text, "r.yaml").variant(selector)
    assert str(caught.value) == f"r.yaml:1: {told}"


def test_the_only_variant_needs_no_selector() -> None:
    text = ZIPPED[: ZIPPED.index("zip_override_many")]
    assert RecipeFile(text, "r.yaml").variant(None).selector == "base"
    more = text + "zip_override_x:\n  benchmark: { concurrencies: [[2, 4]] }\n"
    file = RecipeFile(more, "r.yaml")
    assert file.variant(None).selector == file.variant("zip_override_x").selector
    assert file.variant(None).concurrencies == (2, 4)


@pytest.mark.parametrize(
    ("engine", "arguments", "gpus", "ep", "dp_attn", "pp", "dcp"),
    [
        ("vllm", "tensor-parallel-size: 4", 4, 1, False, 1, 1),
        ("vllm", "data-parallel-size: 8, enable-expert-parallel: true", 8, 8, True, 1, 1),
        (
            "vllm",
            "tensor-parallel-size: 8, pipeline-parallel-size: 2, decode-context-parallel-size: 8, "
            "enable-expert-parallel: true",
            16,
            8,
            False,
            2,
            8,
        ),
        ("vllm", "tensor-parallel-size: 8, prefill-context-parallel-size: 2", 16, 1, False, 1, 1),
        (
            "sglang",
            "tp-size: 8, dp-size: 8, ep-size: 8, enable-dp-attention: true",
            8,
            8,
            True,
            1,
            1,
        ),
        ("sglang", "tensor-parallel-size: 8, moe-a2a-backend: deepep", 8, 8, False, 1, 1),
        ("sglang", "tensor-parallel-size: 8, moe-a2a-backend: none", 8, 1, False, 1, 1),
        (
            "trtllm",
            "tensor_parallel_size: 4, moe_expert_parallel_size: 4, pipeline_parallel_size: 2, "
            "enable_attention_dp: true",
            8,
            4,
            True,
            2,
            1,
        ),
    ],
)
def test_how_arguments_split_a_model(
    engine: str, arguments: str, gpus: int, ep: int, dp_attn: bool, pp: int, dcp: int
) -> None:
    text = (
        "resources: { decode_workers: 1 }\n"
        f"backend: {{ type: {engine}, {engine}_config: {{ decode: {{ {arguments} }} }} }}\n"
    )
    recipe = RecipeFile(text, "r.yaml").variant(None)
    found = parallel(recipe, recipe.sides["decode"])
    assert found is not None
    assert (found.gpus, found.ep, found.dp_attn, found.pp, found.dcp) == (
        gpus,
        ep,
        dp_attn,
        pp,
        dcp,
    )


def test_of_another_engine_nothing_is_said() -> None:
    text = "resources: { decode_workers: 1 }\nbackend: { type: mocker }\n"
    recipe = RecipeFile(text, "r.yaml").variant(None)
    assert parallel(recipe, recipe.sides["decode"]) is None


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("1x2x4", (1, 2, 4)),
        ("'8'", (8,)),
        ("8", (8,)),
        ("[8, 16]", (8, 16)),
        ("$CONC_LIST", None),
        ("null", None),
    ],
)
def test_concurrencies_are_written_in_several_ways(
    said: str, found: tuple[int, ...] | None
) -> None:
    text = f"resources: {{ a: 1 }}\nbackend: {{ a: 1 }}\nbenchmark: {{ concurrencies: {said} }}\n"
    assert RecipeFile(text, "r.yaml").variant(None).concurrencies == found
