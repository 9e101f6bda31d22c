"""From a point to a launch spec: contests, layers, derivations, what can't be launched."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from infxreg.contribution import read_site
from infxreg.errors import (
    BadRequestError,
    ConflictError,
    DerivationError,
    InfxregError,
    NoValueError,
    PurposeError,
    UnknownIdError,
    UnusableValueError,
)
from infxreg.origin import Layer
from infxreg.records import Derivation
from infxreg.registry import Registry
from infxreg.spec import Frontend, LaunchSpec, ResolvedOption, Resources, Timeouts
from infxreg.values import ABSENT, Derived, Setting
from support.builders import NIGHTLY, X10, acme, names, rule, where

REGISTRY = acme()
HERE = "sku=x10 model=m1 engine=run conc=16 tp=2"


def x10(*extra: Any, site: str | None = None, **request: Any) -> LaunchSpec:
    registry = acme(*extra, site=site) if extra or site else REGISTRY
    return registry.resolve(**X10, **request)


def test_the_whole_spec() -> None:
    """Of the default point, field by field."""
    spec = REGISTRY.resolve(**X10)
    assert spec.argv == (
        *("run", "serve", "acme/m1", "--tp-size", "2"),
        *("--attn", '{"backend":"FAST"}', "--max-seqs", "32"),
    )
    assert spec.env == {"RUN_READY_S": "1000"}
    assert (spec.image.reference, spec.image.digest) == (NIGHTLY, None)
    assert (spec.sku, spec.engine) == ("x10", "run")
    assert (spec.model.id, spec.model.hub_id, spec.model.revision) == ("m1", "acme/m1", "r1")
    assert spec.resources == Resources(nodes=1, gpus_per_node=8, gpus=2)
    assert spec.timeouts == Timeouts(1000, 10, 180)
    assert spec.timeouts.health_budget_s == 1800
    assert spec.gates == ("fast",)
    assert spec.moved_axes == {"conc": 16, "tp": 2}
    assert (spec.client_env, spec.frontend, spec.setup) == ({}, None, None)
    assert list(spec.options) == sorted(spec.options)


def test_what_runs_beside_the_engine() -> None:
    """Client variables, the router, the setup script."""
    spec = x10(
        set={
            "client_env.B": "2",
            "frontend.type": "router",
            "frontend.args.policy": "hash",
            "frontend.args.workers": 4,
            "setup.script": "s.sh",
        }
    )
    assert spec.client_env == {"B": "2"}
    frontend = spec.frontend
    assert isinstance(frontend, Frontend)
    assert (frontend.type, dict(frontend.args)) == ("router", {"policy": "hash", "workers": 4})
    assert spec.setup == "s.sh"
    assert spec.launch_digest == x10().launch_digest
    assert spec.digest != x10().digest


def test_nodes_are_filled_up() -> None:
    """Nine GPUs of nodes with eight are two nodes."""
    assert x10(tp=9).resources == Resources(nodes=2, gpus_per_node=8, gpus=9)


# Contests


def test_an_option_shows_what_it_beat() -> None:
    """The narrower rule is its origin; the wider is shadowed, with the reason."""
    option = x10().options["attention.backend"]
    assert isinstance(option, ResolvedOption)
    assert option.value == "FAST"
    assert names(option.origins) == ["acme:run-fast"]
    assert option.origin.file == "infxreg_acme/acme.toml"
    assert (option.origin.distribution, option.origin.version) == ("infxreg-acme", "1.2")
    (lost,) = option.shadowed
    assert (lost.value, lost.origin.rule) == ("PLAIN", "run-base")
    assert lost.why == (
        "acme:run-fast is narrower "
        "(sku=x10 model=m1 engine=run tp=2|4 gate:fast, inside model=m1|m2 engine=run)"
    )


def test_rules_that_agree_are_all_origins() -> None:
    """The least is the origin."""
    agree = [
        rule(name, {"args.x": 1}, scope)
        for name, scope in (("b", where(sku="x10")), ("a", where(tp=2)))
    ]
    option = x10(*agree).options["args.x"]
    assert names(option.origins) == ["extra:a", "extra:b"]
    assert option.origin.rule == "a"


def conflict(*settings: Setting) -> ConflictError:
    scopes = [where(sku="x10"), where(tp=2), where(conc=16)]
    rules = [
        rule(f"r{index}", {"args.x": setting}, scopes[index])
        for index, setting in enumerate(settings)
    ]
    with pytest.raises(ConflictError) as error:
        x10(*rules)
    return error.value


def test_a_conflict_names_both_and_what_settles_it() -> None:
    """All in one message."""
    error = conflict(1, 2)
    assert str(error) == (
        f"args.x conflicts at {HERE}:\n"
        "  1  from extra:r0 (scope sku=x10)\n"
        "  2  from extra:r1 (scope tp=2)\n"
        "a rule with this scope would settle it:\n"
        "  [[rule]]\n"
        '  id = "settle-args-x"\n'
        '  when = { sku = "x10", tp = 2 }\n'
        '  set."args.x" = 1  # or what you mean'
    )


@pytest.mark.parametrize(
    "settings",
    [
        (1, 2),
        ("a", ("b", "c")),
        (Derived("copy", ("tp",)), 1),
        (Derived("scaled", ("tp",), (("factor", 2),)), 1),
        (ABSENT, 1),
        ("two\nlines", 1),
        (1, 2, 3),
    ],
)
def test_the_rule_that_is_offered_settles_the_conflict(settings: tuple[Setting, ...]) -> None:
    """It is TOML, and pasted into a plugin's table or a site file it gives a spec."""
    text = conflict(*settings).conflicts[0].settle
    (found,) = tomllib.loads(text)["rule"]
    assert found["id"] == "settle-args-x"
    scopes = [where(sku="x10"), where(tp=2), where(conc=16)]
    rules = [rule(f"r{i}", {"args.x": s}, scopes[i]) for i, s in enumerate(settings)]
    assert "args.x" in x10(*rules, text).options
    assert "args.x" in x10(*rules, site=text).options


def test_a_conflict_with_ranges_and_gates() -> None:
    """They stand in the rule that is offered too."""
    text = """
        [[rule]]
        id = "a"
        when = { sku = "x10", model = "m1", engine = "run", tp = [2, 4] }
        gates = ["fast"]
        set."args.x" = 1
        [[rule]]
        id = "b"
        when = { conc = { min = 8, max = 32 } }
        set."args.x" = 2
    """
    with pytest.raises(ConflictError) as error:
        x10(text)
    offered = error.value.conflicts[0].settle
    (found,) = tomllib.loads(offered)["rule"]
    assert found["when"]["conc"] == {"min": 8, "max": 32}
    assert found["when"]["tp"] == [2, 4]
    assert found["gates"] == ["fast"]
    assert x10(text, offered).options["args.x"].value == 1


def test_rules_with_one_scope_offer_nothing() -> None:
    """One of them has to change; also where one only adds a fact of the other."""
    for scope in (where(sku="x10"), where(sku="x10", vendor="acme")):
        rules = [
            rule("a", {"args.x": 1}, where(sku="x10")),
            rule("b", {"args.x": 2}, scope),
        ]
        with pytest.raises(ConflictError) as error:
            x10(*rules)
        assert error.value.conflicts[0].settle == "(they have one scope: change one of them)"
        assert "change one of them" in str(error.value)


def test_all_conflicts_of_a_point_are_told() -> None:
    """In one go, and only at points that both rules match."""
    rules = [
        rule("a", {"args.x": 1, "args.y": 1, "args.z": 1}, where(sku="x10")),
        rule("b", {"args.x": 2, "args.y": 2, "args.z": 1}, where(tp=2)),
    ]
    registry = acme(*rules)
    with pytest.raises(ConflictError) as error:
        registry.resolve(**X10)
    assert [found.key for found in error.value.conflicts] == ["args.x", "args.y"]
    assert str(error.value).count("conflicts at") == 2
    assert registry.resolve(**X10, tp=4).options["args.x"].value == 1
    assert registry.resolve(sku="x20", model="m1", engine="run").options["args.x"].value == 2


# Layers


SITE = """
[[rule]]
id = "house"
set."attention.backend" = "PLAIN"
set."args.house" = true
unset = ["scheduler.max_num_seqs"]
"""


def test_the_site_is_over_plugins() -> None:
    """However narrow their rules; what it hid is kept and shown."""
    spec = x10(site=SITE)
    option = spec.options["attention.backend"]
    assert option.value == "PLAIN"
    assert (option.origin.plugin, option.origin.layer) == ("site", Layer.SITE)
    assert option.origin.file == "infxreg.toml"
    assert [(item.value, item.origin.rule, item.why) for item in option.shadowed] == [
        ("FAST", "run-fast", "the site layer is above the plugin layer"),
        (
            "PLAIN",
            "run-base",
            "acme:run-fast is narrower (sku=x10 model=m1 engine=run tp=2|4 gate:fast, inside "
            "model=m1|m2 engine=run)",
        ),
    ]
    assert "--house" in spec.argv
    seqs = spec.options["scheduler.max_num_seqs"]
    assert seqs.absent
    assert seqs.shadowed[0].derived == "scaled(conc, acme.cap, factor=2)"
    assert "--max-seqs" not in spec.argv


def test_the_request_is_over_all() -> None:
    """--set over the site over plugins, each shown."""
    option = x10(site=SITE, set={"attention.backend": "FASTER"}).options["attention.backend"]
    assert option.value == "FASTER"
    assert option.origin.layer is Layer.REQUEST
    assert names([option.origin]) == ["request:--set"]
    whys = [item.why for item in option.shadowed]
    assert whys[0] == "the request layer is above the site layer"
    assert whys[1] == "the request layer is above the plugin layer"


def test_the_request_hides_a_conflict_below() -> None:
    """What a higher layer settles is settled; both sides are shown."""
    rules = [
        rule("a", {"args.x": 1}, where(sku="x10")),
        rule("b", {"args.x": ABSENT}, where(tp=2)),
    ]
    option = x10(*rules, set={"args.x": 3}).options["args.x"]
    assert option.value == 3
    assert [(item.value, item.origin.rule) for item in option.shadowed] == [(1, "a"), (None, "b")]
    option = x10(*rules, site='[[rule]]\nid = "s"\nset."args.x" = 4').options["args.x"]
    assert option.value == 4


def test_a_conflict_of_the_site_is_told() -> None:
    """Its own rules can disagree too."""
    site = (
        '[[rule]]\nid = "a"\nwhen = { tp = 2 }\nset."args.x" = 1\n'
        '[[rule]]\nid = "b"\nwhen = { conc = 16 }\nset."args.x" = 2'
    )
    with pytest.raises(ConflictError, match=r"site:a in infxreg\.toml"):
        x10(site=site)


@pytest.mark.parametrize(
    ("request_", "key", "value", "kind"),
    [
        ({"set": {"kv_cache.dtype": "fp8"}}, "kv_cache.dtype", "fp8", "--set"),
        ({"set": {"memory.gpu_fraction": 1}}, "memory.gpu_fraction", 1.0, "--set"),
        ({"set": {"cudagraph.capture_sizes": [1, 2]}}, "cudagraph.capture_sizes", (1, 2), "--set"),
        ({"unset": ["acme.cap"]}, "acme.cap", None, "--unset"),
        ({"unset": ["args.unheard-of"]}, "args.unheard-of", None, "--unset"),
        ({"image": "acme/run:v1.0.0"}, "image", "acme/run:v1.0.0", "--image"),
        ({"set": {"image": "acme/run:v1.0.0"}}, "image", "acme/run:v1.0.0", "--set"),
    ],
)
def test_what_a_request_sets(request_: dict[str, Any], key: str, value: Any, kind: str) -> None:
    """With the origin that says how."""
    option = x10(**request_).options[key]
    assert option.value == value
    assert type(option.value) is type(value)
    assert names(option.origins) == [f"request:{kind}"]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (
            {"set": {"args.x": 1}, "unset": ["args.x"]},
            "the request sets and unsets args.x: drop one",
        ),
        (
            {"set": {"image": "a:1"}, "image": "b:1"},
            "the request names the image twice: drop --set image or --image",
        ),
        (
            {"unset": ["image"], "image": "b:1"},
            "the request names the image twice: drop --set image or --image",
        ),
        (
            {"set": {"args.tp-size": 4}},
            "args.tp-size is what parallel.tp renders on run: set parallel.tp",
        ),
        (
            {"set": {"args.tp": 4}},
            "args.tp is what parallel.tp renders on run: set parallel.tp",
        ),
        (
            {"unset": ["env.RUN_MODE"]},
            "env.RUN_MODE is what compile.mode renders on run: set compile.mode",
        ),
        ({"set": {"parallel.tp": "2"}}, 'parallel.tp needs int, not str: "2"'),
        (
            {"set": {"env.X": 1}},
            "env.X a variable's value is text, not int: 1",
        ),
        ({"set": {"args.x": None}}, "args.x: NoneType is no value for an option"),
        ({"set": {"args.x": {"a": 1}}}, "args.x: dict is no value for an option"),
        (
            {"image": "no image"},
            "'no image' is no image reference: write name:tag, or name@sha256:…",
        ),
    ],
)
def test_a_request_that_cant_be_used(request_: dict[str, Any], message: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(BadRequestError) as error:
        x10(**request_)
    assert str(error.value) == message


@pytest.mark.parametrize("request_", [{"set": {"parallel.tq": 1}}, {"unset": ["parallel.tq"]}])
def test_an_unknown_key(request_: dict[str, Any]) -> None:
    """With a near match, set or unset."""
    with pytest.raises(UnknownIdError) as error:
        x10(**request_)
    assert str(error.value) == "unknown option 'parallel.tq': did you mean 'parallel.tp'?"


@pytest.mark.parametrize("key", ["args.--x", "args.-x"])
def test_a_raw_flag_is_named_without_dashes(key: str) -> None:
    """``args.--x`` isn't rendered as ``----x``, which no engine knows."""
    with pytest.raises((BadRequestError, UnknownIdError)):
        x10(set={key: "v"})


@pytest.mark.parametrize("key", ["env.X", "args.x", "compile.mode"])
def test_a_text_that_is_no_unicode(key: str) -> None:
    """Bytes of a command line that aren't UTF-8 are refused: no digest of them can be taken."""
    with pytest.raises(InfxregError):
        assert x10(set={key: "\udcff"}).digest


# Purposes


def test_a_purpose_that_the_engine_names() -> None:
    """Its rules count, and the point stays the same."""
    spec = x10(purpose="throughput")
    assert spec.options["speculative.method"].value == "simulated"
    assert spec.point.id == "tp2_c16"
    assert spec.digest != x10().digest


def test_a_purpose_that_no_rule_of_the_engine_names() -> None:
    """An error: else it would silently get another purpose's values."""
    with pytest.raises(PurposeError) as error:
        x10(purpose="eval")
    where_ = "sku=x10 model=m1 engine=run conc=16 purpose=eval tp=2"
    assert str(error.value) == (
        f"no rule of engine run names purpose 'eval' at {where_}: "
        "none is named here; the values would be those of another purpose"
    )
    everywhere = rule("r", {"args.x": 1}, where(purpose=["eval", "throughput"]))
    with pytest.raises(PurposeError) as error:
        x10(everywhere, purpose="eval")
    assert error.value.known == ("eval", "throughput")
    assert "rules name eval, throughput here" in str(error.value)


def test_a_rule_of_the_site_can_name_a_purpose() -> None:
    """Then the engine knows it."""
    site = '[[rule]]\nid = "e"\nwhen = { engine = "run", purpose = "eval" }\nset."args.eval" = true'
    assert "--eval" in x10(site=site, purpose="eval").argv


# Derivations


def test_a_derivation_shows_what_it_was_given() -> None:
    """In words."""
    option = x10().options["scheduler.max_num_seqs"]
    assert option.value == 32
    assert option.derived == "scaled(conc, acme.cap, factor=2) with conc=16, acme.cap=64"


def test_derivations_read_what_layers_decided() -> None:
    """The request's value, an absent one as None, a facet as the SKU's fact."""
    assert x10(set={"acme.cap": 8}).options["scheduler.max_num_seqs"].value == 8
    option = x10(unset=["acme.cap"]).options["scheduler.max_num_seqs"]
    assert option.derived == "scaled(conc, acme.cap, factor=2) with conc=16, acme.cap=(absent)"
    facet = rule("r", {"args.v": Derived("copy", ("vendor",))})
    assert x10(facet).options["args.v"].value == "acme"
    unset = rule("r", {"args.v": Derived("text", ("kv_cache.dtype",))})
    assert x10(unset).options["args.v"].value is None


def test_a_chain_of_derivations() -> None:
    """Each runs once, after what it reads."""
    calls: list[object] = []

    def count(value: int) -> int:
        calls.append(value)
        return value + 1

    spec = x10(
        Derivation(id="count", function=count),
        rule(
            "r",
            {
                "args.a": Derived("count", ("args.b",)),
                "args.b": Derived("count", ("args.c",)),
                "args.c": Derived("count", ("tp",)),
                "args.d": Derived("product", ("args.a", "args.b")),
            },
        ),
    )
    assert calls == [2, 3, 4]
    assert spec.options["args.d"].value == 20


def test_a_derivation_without_reads() -> None:
    """It is given nothing."""
    made = Derivation(id="constant", function=lambda: [1, 2])
    option = x10(made, rule("r", {"cudagraph.capture_sizes": Derived("constant")})).options[
        "cudagraph.capture_sizes"
    ]
    assert option.value == (1, 2)
    assert option.derived == "constant() with nothing"


@pytest.mark.parametrize(
    ("key", "result", "reason"),
    [
        ("compile.mode", 2, "TypeError: needs str, not int"),
        ("memory.gpu_fraction", "0.9", "TypeError: needs float, not str"),
        ("cudagraph.capture_sizes", [1, "a"], "TypeError: needs list[int], not a list of int"),
        ("env.X", 5, "TypeError: a variable's value is text, not int"),
        ("args.x", {"a": 1}, "TypeError"),
        ("args.x", [[1]], "TypeError"),
        ("args.x", object(), "TypeError"),
    ],
)
def test_a_derivation_of_the_wrong_type(key: str, result: object, reason: str) -> None:
    """The error names key, derivation, what it was given and whose it is."""
    made = Derivation(id="bad", function=lambda tp: result)
    with pytest.raises(DerivationError) as error:
        x10(made, rule("r", {key: Derived("bad", ("tp",))}, where(sku="x10")))
    assert error.value.reason.startswith(reason)
    assert str(error.value).startswith(
        f"{key} at {HERE}: derivation bad(tp) given tp=2 failed: {error.value.reason}"
    )
    assert str(error.value).endswith("(from extra:r)")


@pytest.mark.parametrize("failure", [ValueError("no"), ZeroDivisionError("no"), SystemExit("no")])
def test_a_derivation_that_raises(failure: BaseException) -> None:
    """Whatever it raises is told with its inputs."""

    def fail(tp: int) -> int:
        raise failure

    made = Derivation(id="fail", function=fail)
    with pytest.raises(DerivationError) as error:
        x10(made, rule("r", {"args.x": Derived("fail", ("tp",))}))
    assert error.value.reason == f"{type(failure).__name__}: no"
    assert error.value.inputs == "tp=2"


def test_control_c_in_a_derivation() -> None:
    """Stops: it is the user's, not the derivation's."""

    def stop() -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        x10(Derivation(id="stop", function=stop), rule("r", {"args.x": Derived("stop")}))


# What can't be launched


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("image", "name one with --image"),
        ("resources.gpus", "engine run should derive it"),
        ("timeout.health_interval_s", "set it"),
        ("timeout.health_attempts", "set it"),
    ],
)
def test_a_value_that_a_spec_needs(key: str, hint: str) -> None:
    """Without it there is no spec, and the message says what to do."""
    with pytest.raises(NoValueError) as error:
        x10(unset=[key])
    assert str(error.value) == f"no rule sets {key} at {HERE}: {hint}"


def test_all_values_that_cant_be_launched() -> None:
    """Each with its origin, in one go."""
    with pytest.raises(UnusableValueError) as error:
        x10(
            no_gates=["fast"],
            set={
                "acme.lost": "x",
                "args.off": False,
                "attention.backend": "FAST",
                "frontend.args.policy": "x",
                "kv_cache.dtype": "fp9",
                "moe.backend": "x",
                "cudagraph.capture_sizes": [],
            },
        )
    assert str(error.value) == (
        f"at {HERE}:\n"
        "  acme.lost: engine run doesn't render it: it would be lost (from request:--set)\n"
        "  args.off: --off has no form that switches it off: unset it instead "
        "(from request:--set)\n"
        '  attention.backend: "FAST" is allowed only behind gate fast (from request:--set)\n'
        "  cudagraph.capture_sizes: --graph-sizes takes at least one value: unset it instead "
        "(from request:--set)\n"
        "  frontend.args.policy: there is no frontend to take it: set frontend.type "
        "(from request:--set)\n"
        "  kv_cache.dtype: unknown value of kv_cache.dtype on run 'fp9': did you mean 'fp8'? "
        "(from request:--set)\n"
        "  moe.backend: engine run doesn't render it: it would be lost (from request:--set)"
    )


def test_arguments_of_an_absent_frontend_arent_dropped() -> None:
    """Unset is not set: they would be lost."""
    with pytest.raises(UnusableValueError, match="there is no frontend to take it"):
        x10(set={"frontend.args.policy": "x"}, unset=["frontend.type"])


def test_a_rule_that_names_no_engine_may_set_what_one_renders() -> None:
    """It is an error only at points of the engine that doesn't."""
    everywhere = rule("r", {"compile.mode": "fast"}, where(model="m1"))
    registry = acme(everywhere)
    assert registry.resolve(**X10).env["RUN_MODE"] == "fast"
    with pytest.raises(UnusableValueError) as error:
        registry.resolve(sku="x20", model="m1", engine="alt")
    assert "compile.mode: engine alt doesn't render it: it would be lost (from extra:r)" in str(
        error.value
    )


def test_a_raw_key_that_clashes_on_another_engine_only() -> None:
    """args.tp is what parallel.tp renders on both; a rule for one engine is judged by that one."""
    registry = acme(
        '[[engine]]\nid = "third"\nargv = ["third"]\nsource = "s"',
        '[[rule]]\nid = "r"\nwhen = { engine = "third" }\nset."args.tp" = 1\n'
        'set.image = "acme/alt:1"\nset."resources.gpus" = 1',
    )
    assert registry.faults == ()
    spec = registry.resolve(sku="x10", model="m1", engine="third")
    assert spec.argv == ("third", "--tp", "1")


def test_resolving_is_pure() -> None:
    """The same request gives an equal spec, and the registry stays as it was."""
    site = read_site("s.toml", SITE.encode())
    registry = Registry(REGISTRY.contributions, site)
    assert registry.resolve(**X10) == registry.resolve(**X10)
    assert REGISTRY.resolve(**X10) == acme().resolve(**X10)
