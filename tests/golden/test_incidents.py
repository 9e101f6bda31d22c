"""Real incidents of InferenceX and srt-slurm, each as a small registry before and after, and the
check that has to fail with the right scope named.

The numbers are those of the list that the project keeps; docs/cases/incidents.md says of each
what decides it, and of those that configuration can't decide, why.
"""

from __future__ import annotations

import functools
import shlex
from typing import Any

import pytest

from infxreg import LaunchSpec, Registry, discover
from infxreg.audit import audit, conflicts
from infxreg.errors import ConflictError, EngineChoiceError, NoValueError, RegistryFaults
from infxreg.export import to_shell
from infxreg.records import Recipe, Sweep
from infxreg.review.expectations import unmet
from infxreg.review.impact import Impact, compare
from infxreg.review.snapshot import take
from infxreg.scope import read_scope
from infxreg.spec import Check
from infxreg.values import FrozenMap
from support.builders import X10, acme, from_toml, rule, where

B200 = {"sku": "b200", "model": "dsv41flash", "engine": "vllm"}


@functools.cache
def shipped() -> Registry:
    return discover()


def impact_of(before: Registry, after: Registry) -> Impact:
    return compare(take(before), take(after))


def leaks(impact: Impact, meant: str, registry: Registry) -> list[str]:
    """The scopes outside what was meant that change all the same."""
    inside = impact.inside(read_scope(meant), registry.catalogue.space)
    return [str(region.scope) for region in impact.cover(impact.any - inside)]


def failing(spec: LaunchSpec, id: str, key: str | None = None) -> list[Check]:
    return [c for c in spec.failed if c.id == id and key in (None, c.key)]


def errors(registry: Registry, id: str) -> list[str]:
    return [f.message for f in audit(registry).findings if f.id == id and f.fails]


# What reaches further than it was meant to


def test_1_an_option_chosen_by_memory() -> None:
    """It can't be written; by architecture instead, the SKUs that it would reach are named."""
    text = '[[rule]]\nid = "m"\nwhen = { memory_gib = 150 }\nset."args.odd" = 1'
    with pytest.raises(RegistryFaults, match="unknown axis 'memory_gib'"):
        shipped().with_plugin(from_toml(text, "p")).check()
    wide = rule("wide", {"args.odd": 1}, where(arch="sm100", model="dsv41flash", engine="vllm"))
    after = shipped().with_plugin("p", wide)
    assert leaks(impact_of(shipped(), after), "sku=b200", after) == ["sku=gb200 engine=vllm"]


def test_3_weights_chosen_by_a_prefix_leak_to_another_engine() -> None:
    """A rule that doesn't name its engine changes the other engine's points."""
    after = acme(rule("weights", {"client_env.MODEL_PATH": "/v2"}, where(sku="x20", model="m1")))
    assert leaks(impact_of(acme(), after), "sku=x20 engine=run", after) == ["sku=x20 engine=alt"]


def test_7_a_launcher_that_rewrites_every_recipe_s_health_check() -> None:
    """A second writer of a key is a conflict, or a narrower rule whose points are told."""
    first = rule("cold-load", {"timeout.health_attempts": 2160}, where(model="m1", engine="run"))
    second = rule("compat", {"timeout.health_attempts": 720}, where(sku="x10"))
    with pytest.raises(ConflictError, match=r"timeout\.health_attempts conflicts at sku=x10"):
        acme(first, second).resolve(**X10)
    assert len(errors(acme(first, second), "conflict")) == 1


def test_9_speculative_decoding_on_the_prefill_role() -> None:
    """Refuted where the role is prefill, and nowhere else."""
    drafts = rule("drafts", {"speculative.method": "eagle"}, where(model="m1", engine="run"))
    assert failing(acme(drafts).resolve(**X10, role="prefill"), "speculative-role")
    assert not failing(acme(drafts).resolve(**X10, role="decode"), "speculative-role")
    after = acme(rule("drafts", {"speculative.method": "eagle"}, where(model="m1", role="decode")))
    assert not failing(after.resolve(**X10, role="prefill"), "speculative-role")


def test_11_caps_for_few_points_applied_to_every_point_of_a_size() -> None:
    """They were meant for high concurrency at TP2; the others are named."""
    caps = rule(
        "caps", {"args.odd": 1}, where(sku=["h100", "h200"], model="dsv41flash", engine="vllm")
    )
    after = shipped().with_plugin("p", caps)
    impact = impact_of(shipped(), after)
    assert [str(region.scope) for region in impact.regions] == ["sku=h100|h200 engine=vllm"]
    assert leaks(impact, "sku=h100|h200 engine=vllm conc=32..128", after) == [
        "sku=h100|h200 engine=vllm conc=..28"
    ]


def test_19_an_option_switched_on_by_accident_by_another_commit() -> None:
    """The scope that the commit states, against what it touches."""
    both = rule("ep", {"parallel.ep": 2}, where(model="m1", engine="run", tp=2))
    after = acme(both)
    assert leaks(impact_of(acme(), after), "sku=x10", after) == ["sku=x20 engine=run tp=2"]


# What is said, and isn't so


def test_2_a_description_that_names_another_backend() -> None:
    """The claim is held against the points."""
    claim = (
        "[[expect]]\nid = 'described'\n"
        "when = { sku = 'b200', model = 'dsv41flash', engine = 'vllm', tp = 4 }\n"
        "gates = ['dsv41-blackwell-attention-as-swept']\n"
        "is.'attention.backend' = 'FLASHMLA_MEGA_ATTN_DSV41'\n"
    )
    (one,) = unmet(shipped().with_plugin(from_toml(claim, "review")))
    assert 'not "FLASHMLA_MEGA_ATTN_DSV41"' in one.message
    assert all(" tp4_" in point for point in one.points)


def test_14_a_label_that_the_engine_never_got() -> None:
    """ep=8 in the point, and nothing that renders it."""
    after = acme(rule("dropped", {"parallel.ep": 1}, where(sku="x10", engine="run", tp=8)))
    assert not failing(acme().resolve("ep8_c2", **X10), "parallel-label")
    (check,) = failing(after.resolve("ep8_c2", **X10), "parallel-label")
    assert "the point says ep=8 and parallel.ep is 1" in check.reason


def test_15_labels_that_the_recipe_contradicts() -> None:
    """Each point of it is told."""
    after = acme(rule("other", {"parallel.tp": 4}, where(sku="x10", engine="run", tp=2)))
    found = [f for f in audit(after).findings if f.id == "parallel-label" and f.fails]
    assert {label.split()[1] for f in found for label in f.points} == {"tp2_c1", "tp2_c16"}


def test_17_a_label_left_behind_by_a_change_to_pure_tp() -> None:
    """dp in the point, and no dp in what is launched."""
    sweep = (Sweep(id="dp{dp}", axes=FrozenMap({"tp": (8,), "dp": (2,)})),)
    recipe = Recipe(id="dp", model="m2", sku="x10", engine="run", sweep=sweep, default_point="dp2")
    pure = rule("pure-tp", {"parallel.dp": 1}, where(sku="x10", model="m2", engine="run"))
    spec = acme(recipe, pure).resolve("dp2", sku="x10", model="m2", engine="run")
    assert "the point says dp=2 and parallel.dp is 1" in failing(spec, "parallel-label")[0].reason


def test_26_27_28_30_an_image_that_is_said_in_two_places() -> None:
    """Two images for one point are a conflict that names both, never two truths."""
    entry = rule("entry", {"image": "acme/run:v1.0.0"}, where(sku="x10", model="m1"))
    recipe = rule("recipe", {"image": "acme/run:v1.1.0"}, where(sku="x10", engine="run"))
    with pytest.raises(ConflictError, match="image conflicts at") as error:
        acme(entry, recipe).resolve(**X10)
    assert {"extra:entry", "extra:recipe"} <= {
        f"{origin.plugin}:{origin.rule}" for c in error.value.conflicts for origin in c.origins
    }


def test_33_a_name_that_says_another_concurrency_than_the_point() -> None:
    """Ids are made from the axes, so a literal that contradicts them is two points with one id."""
    text = (
        "[[recipe]]\nid = 'named'\nmodel = 'm2'\nsku = 'x10'\nengine = 'run'\n"
        "sweep = [{ id = 'conc256', conc = [16, 256] }]\ndefault_point = 'conc256'\n"
    )
    with pytest.raises(RegistryFaults, match="two points have the id 'conc256'"):
        acme(from_toml(text)).check()


# What the engine in the image doesn't take


def test_20_a_flag_that_newer_releases_removed() -> None:
    """Taken by 0.16.0, refused after an image bump, with the releases that have it."""
    at: dict[str, Any] = {**B200, "set": {"args.disable-log-requests": True}}
    key = "args.disable-log-requests"
    old = shipped().resolve(**at, image="vllm/vllm-openai:v0.16.0")
    new = shipped().resolve(**at, image="vllm/vllm-openai:v0.30.0")
    assert not failing(old, "engine", key)
    (check,) = failing(new, "engine", key)
    assert "removed after 0.16.0, back in 0.33.0" in check.reason


def test_21_a_flag_that_the_release_never_had() -> None:
    """Gone since 0.10.2, and the image has 0.15.1."""
    at: dict[str, Any] = {**B200, "set": {"args.max-seq-len-to-capture": 1}}
    spec = shipped().resolve(**at, image="vllm/vllm-openai:v0.15.1")
    (check,) = failing(spec, "engine", "args.max-seq-len-to-capture")
    assert "vllm 0.15.1 has no --max-seq-len-to-capture" in check.reason
    assert "removed after 0.10.2" in check.reason


def test_22_a_variable_under_its_old_name() -> None:
    """It would be ignored without a word."""
    name = "VLLM_USE_AITER_UNIFIED_ATTENTION"
    at: dict[str, Any] = {**B200, "sku": "mi300x", "set": {f"env.{name}": "1"}}
    spec = shipped().resolve(**at, image="vllm/vllm-openai-rocm:v0.14.0")
    (check,) = failing(spec, "engine", f"env.{name}")
    assert f"vllm 0.14.0 doesn't read {name}" in check.reason
    assert "removed after 0.11.0" in check.reason


def test_24_a_flag_that_a_nightly_removed() -> None:
    """Told before anything is queued, by the releases around the nightly."""
    at: dict[str, Any] = {
        "sku": "b200",
        "model": "dsv41flash",
        "engine": "sglang",
        "set": {"args.disable-piecewise-cuda-graph": True},
    }
    key = "args.disable-piecewise-cuda-graph"
    nightly = "lmsysorg/sglang:nightly-dev-cu13-{}-0123abcd"
    checks = shipped().resolve(**at, image=nightly.format("20260910")).checks
    between = [check for check in checks if check.key == key and "removed after" in check.reason]
    assert [check.answer for check in between] == ["unknown"]
    (after,) = failing(shipped().resolve(**at, image=nightly.format("20261002")), "engine", key)
    assert "removed after 0.5.19" in after.reason


def test_25_an_image_for_another_platform() -> None:
    """An option and an image of one vendor's SKUs on another's."""
    image = shipped().resolve(**B200).image.reference
    spec = shipped().resolve(sku="mi300x", model="dsv41flash", engine="vllm", image=image)
    (check,) = failing(spec, "image-accelerator")
    assert "is built for cuda; mi300x" in check.reason


# What can't run


def test_12_a_list_of_sizes_copied_to_a_smaller_gpu() -> None:
    """The weights don't fit on each GPU, before anything is queued."""
    text = (
        "[[model]]\nid = 'big'\nhub_id = 'acme/big'\nfamily = 'fam'\nweights_gib = 300\n"
        "source = 'test'\n"
    )
    base = rule("big", {"image": "acme/run:v1.0.0"}, where(model="big", engine="run"))
    registry = acme(from_toml(text, "models"), base)
    for tp, fits in ((2, False), (8, True)):
        spec = registry.resolve(sku="x10", model="big", engine="run", tp=tp)
        assert bool(failing(spec, "memory")) != fits


def test_36_a_concurrency_above_the_server_s_limit() -> None:
    """The shipped catalogue has some, too: told with their points."""
    cap = rule("cap", {"scheduler.max_num_seqs": 8}, where(sku="x10", model="m1", engine="run"))
    found = [f for f in audit(acme(cap)).findings if f.id == "concurrency"]
    assert [f.answer for f in found] == ["refuted", "refuted"]
    assert {label.split()[1] for f in found for label in f.points} == {
        "tp2_c16",
        "tp4_c16",
        "ep8_c32",
    }


def test_59_60_a_launcher_that_gives_up_before_the_engine() -> None:
    """And one that waits long after the engine gave up."""
    ready = {"timeout.engine_ready_s": 7200, "timeout.health_attempts": 180}
    short = acme(rule("slow", ready, where(sku="x10", model="m1", engine="run"))).resolve(**X10)
    (check,) = failing(short, "health-budget")
    assert "gives up after 180 × 10 s = 1800 s, before the engine's own 7200 s" in check.reason
    long = shipped().resolve(sku="gb200", model="dsv41flash", engine="vllm")
    (told,) = [c for c in long.checks if c.id == "health-budget"]
    assert (told.answer, told.severity) == ("refuted", "warning")
    assert "3600 s, long before the launcher" in told.reason


# What falls through


def test_48_49_an_engine_that_nobody_thought_of() -> None:
    """No silent default: a point without rules is an error that says what there is."""
    with pytest.raises(EngineChoiceError):
        shipped().resolve(sku="h100", model="dsv41flash", workload="8k1k")
    bare = "[[engine]]\nid = 'bare'\nargv = ['bare']\nsource = 'test'\n"
    with pytest.raises(NoValueError, match="image") as error:
        acme(from_toml(bare)).resolve(sku="x10", model="m1", engine="bare")
    assert "engine=bare" in str(error.value)


def test_50_every_point_resolves() -> None:
    """A recipe whose engine lacks an image is found by `check`, and not by a job."""
    text = (
        "[[engine]]\nid = 'bare'\nargv = ['bare']\nsource = 'test'\n"
        "[[recipe]]\nid = 'lost'\nmodel = 'm2'\nsku = 'z10'\nengine = 'bare'\n"
        "sweep = [{ id = 'tp{tp}', tp = [1] }]\ndefault_point = 'tp1'\n"
    )
    found = errors(acme(from_toml(text)), "resolve")
    assert any("image" in message and "z10" in message for message in found)


def test_52_a_migration_that_drops_an_option() -> None:
    """Equal before and after, or the keys that aren't."""
    before = acme(
        rule("node", {"frontend.type": "router", "client_env.ETCD": "1"}, where(sku="x10"))
    )
    after = acme(rule("node", {"frontend.type": "router"}, where(sku="x10")))
    impact = impact_of(before, after)
    (block,) = impact.blocks
    assert [change.key for change, _ in block.keys] == ["client_env.ETCD"]


def test_57_quoting_that_breaks_json() -> None:
    """Values are typed, and written for a shell by rules of its own."""
    nasty = {"attention.backend": "PLAIN", "args.odd": '${VAR:-{"a": "b c"}}'}
    spec = acme().resolve(sku="x20", model="m1", engine="run", set=nasty)
    words = shlex.split(to_shell(spec).partition("run serve")[2])
    assert '${VAR:-{"a": "b c"}}' in words
    assert failing(spec, "unresolved-variable")


def test_conflicts_are_found_where_nobody_sweeps() -> None:
    """Before anyone resolves the point."""
    a = rule("a", {"args.odd": 1}, where(sku="x10", model="m2"))
    b = rule("b", {"args.odd": 2}, where(model="m2", engine="alt"))
    (finding,) = list(conflicts(acme(a, b).catalogue))
    assert "sku=x10 model=m2 engine=alt" in finding.message
