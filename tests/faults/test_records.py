"""Records that can't be: each fault names plugin, record, file and key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve

import infxreg
from infxreg.contribution import Contribution
from infxreg.errors import Fault, RegistryFaults
from infxreg.records import (
    Arch,
    Axis,
    AxisValues,
    Capability,
    Derivation,
    Engine,
    Gate,
    Image,
    Model,
    Offload,
    Option,
    Recipe,
    Render,
    Require,
    Rule,
    Sku,
    Sweep,
)
from infxreg.scope import Range, Scope
from infxreg.validate import RESERVED_AXES
from infxreg.values import Derived, FrozenMap
from support.builders import acme, collected, faults_of, from_toml, rule, where

Install = Callable[..., str]
Broken = Callable[..., tuple[Fault, ...]]

SKU = Sku(
    id="s",
    name="s",
    arch="ax1",
    memory_gib=1.0,
    gpus_per_node=1,
    cpu_arch="x86_64",
    source="test",
)
MODEL = Model(id="m", hub_id="h/m", family="f", source="test")
IMAGE = Image(id="i:1", engine="run", source="test")
CAPABILITY = Capability(id="c", engine="run", source="test")
RECIPE = Recipe(
    id="r",
    model="m1",
    sku="z10",
    engine="run",
    sweep=(Sweep(id="p", axes=FrozenMap()),),
    default_point="p",
)


def engine(*render: Render, **more: Any) -> Engine:
    return Engine(**{"id": "e", "argv": ("e",), "source": "test", "render": render, **more})


def messages(*records: Any) -> list[str]:
    """Faults of these records without the plugin's name."""
    found = faults_of(*records)
    start = "extra (infxreg-extra 1.2): "
    assert all(fault.startswith(start) for fault in found)
    return [fault.removeprefix(start) for fault in found]


# Single records


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            Axis(id="Two-Words", default="a"),
            "id: axis 'Two-Words': an axis is named with small letters, digits and _",
        ),
        (Axis(id="a", type="int"), "default: axis 'a': an int axis needs a positive default"),
        (
            Axis(id="a", type="int", default=0),
            "default: axis 'a': an int axis needs a positive default",
        ),
        (
            Axis(id="a", type="int", default="x"),
            "default: axis 'a': an int axis needs a positive default",
        ),
        (Axis(id="a"), "default: axis 'a': a name axis needs a default, as text"),
        (Axis(id="a", default=1), "default: axis 'a': a name axis needs a default, as text"),
        (
            AxisValues(id="a", axis="tp", values=("x",)),
            "values: axis_values 'a': axis tp takes no further names",
        ),
        (
            AxisValues(id="a", axis="sku", values=("x",)),
            "values: axis_values 'a': axis sku takes no further names",
        ),
        (
            AxisValues(id="a", axis="workload", values=(1,)),
            "values: axis_values 'a': axis workload takes no further names",
        ),
        (
            Arch(id="-x", vendor="v", platform="p", source="s"),
            "id: arch '-x': '-x' is no id: letters, digits, and . _ - inside",
        ),
        (evolve(SKU, id=""), "id: sku '': '' is no id: letters, digits, and . _ - inside"),
        (evolve(SKU, id="a b"), "id: sku 'a b': 'a b' is no id: "),
        (evolve(SKU, id="a\nb"), "id: sku 'a\\nb': 'a\\nb' is no id: "),
        (evolve(SKU, memory_gib=0.0), "memory_gib: sku 's': must be positive"),
        (evolve(SKU, gpus_per_node=0), "gpus_per_node: sku 's': must be positive"),
        (evolve(MODEL, id="a/b"), "id: model 'a/b': 'a/b' is no id: "),
        (
            evolve(IMAGE, knows=("fast",), lacks=("fast",)),
            "lacks: image 'i:1': fast is in knows too",
        ),
        (engine(id="$e"), "id: engine '$e': '$e' is no id: "),
        (engine(argv=()), "argv: engine 'e': an engine's command line begins with something"),
        (
            Option(id="nodot", type="str", doc="d"),
            "id: option 'nodot': an option is named like attention.backend",
        ),
        (
            Option(id="A.b", type="str", doc="d"),
            "id: option 'A.b': an option is named like attention.backend",
        ),
        (
            Option(id="env.x", type="str", doc="d"),
            "id: option 'env.x': env.x is in a raw namespace",
        ),
        (Gate(id="a b", when=Scope(), doc="d"), "id: gate 'a b': 'a b' is no id: "),
        (
            Derivation(id="d", function="scaled"),  # type: ignore[arg-type]
            "function: derivation 'd': isn't callable",
        ),
        (evolve(RECIPE, id="a b"), "id: recipe 'a b': 'a b' is no id: "),
    ],
)
def test_a_record_that_cant_be(record: Any, message: str) -> None:
    """One fault with the record's kind and id, and what is wrong with it."""
    (fault,) = messages(record)
    assert fault.startswith(message)


@pytest.mark.parametrize(
    "record",
    [
        evolve(MODEL, weights_gib=-5.0),
        evolve(MODEL, weights_gib=0.0),
        evolve(MODEL, context_len=0),
        evolve(MODEL, weights_gib=5.0, offload=(Offload(option="engram.cpu_offload", gib=-1.0),)),
    ],
    ids=["negative weights", "no weights", "no context", "negative offload"],
)
def test_numbers_of_a_model_are_positive(record: Model) -> None:
    """As a SKU's are: else the memory check would answer ok to anything."""
    (fault,) = messages(record)
    assert fault.endswith("must be positive")


@pytest.mark.parametrize(
    "record",
    [
        evolve(IMAGE, id="not a reference"),
        evolve(IMAGE, id=""),
        evolve(IMAGE, digest="latest"),
        evolve(IMAGE, digest="sha256:12"),
        evolve(IMAGE, id=f"i:1@sha256:{'a' * 64}", digest=f"sha256:{'b' * 64}"),
    ],
    ids=["no reference", "nothing", "no digest", "short digest", "two digests"],
)
def test_an_image_that_can_t_be_pulled(record: Image) -> None:
    """Its id is a reference, its digest the one that this names."""
    assert len(messages(record)) == 1


def test_a_release_pattern_has_a_place_for_the_version() -> None:
    """Else it would match nothing."""
    (fault,) = messages(engine(release_images=("a/b:latest",)))
    assert "a/b:latest" in fault


@pytest.mark.parametrize("name", ["", "a\nb", "a b"])
def test_the_id_of_a_rule(name: str) -> None:
    """It stands in messages, origins and the rule that is offered to settle a conflict."""
    (fault,) = messages(rule(name, {"args.x": 1}))
    assert f"{name!r} is no id" in fault


@pytest.mark.parametrize(
    "record",
    [
        rule("r", {"args.x": 1}, where(conc=Range(5, 2))),
        rule("r", {"args.x": 1}, where(sku=[])),
        Rule(id="r", when=(), settings=FrozenMap({"args.x": 1})),
        Rule(id="r"),
        Gate(id="g", when=where(sku=[]), doc="d"),
    ],
    ids=["empty range", "empty list", "no scope", "no key", "gate"],
)
def test_python_can_t_make_what_a_table_can_t(record: Any) -> None:
    """What TOML refuses since it matches or sets nothing is a fault from a hook too."""
    assert len(messages(record)) == 1


def test_two_spellings_of_one_flag() -> None:
    """They are one flag: rules that disagree on it conflict, or one spelling is refused."""
    registry = acme(rule("a", {"args.foo_bar": 1}), rule("b", {"args.foo-bar": 2}))
    with pytest.raises(infxreg.InfxregError):
        registry.resolve(sku="x10", model="m1")


@pytest.mark.parametrize("name", sorted(RESERVED_AXES))
def test_an_axis_named_like_a_cli_option(name: str) -> None:
    """It could never be given."""
    (fault,) = messages(Axis(id=name, default="a"))
    option = name.replace("_", "-")
    assert fault == f"id: axis {name!r}: --{option} is the command line's own: rename the axis"


def test_every_option_of_the_command_line_is_reserved() -> None:
    """Also one that a command gets later: this test looks at the commands themselves."""
    from infxreg.cli.app import app

    context = app.make_context("infxreg", [], resilient_parsing=True)
    commands = [app.get_command(context, name) for name in app.list_commands(context)]
    names = {
        option.removeprefix("--").replace("-", "_")
        for command in (app, *commands)
        if command is not None
        for parameter in command.get_params(context)
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("--")
    }
    axes = set(infxreg.discover().catalogue.space.axes)
    assert {"gate", "set", "point", "skip_plugin"} <= names
    for name in sorted(names - axes):
        assert messages(Axis(id=name, default="a")), f"--{name} is an option, and an axis may be it"


@pytest.mark.parametrize("name", ["gates", "no_gates", "self"])
def test_an_axis_named_like_an_argument_of_resolve(name: str) -> None:
    """`Registry.resolve` could never be given it."""
    assert messages(Axis(id=name, default="a"))


@pytest.mark.parametrize(
    "record",
    [
        evolve(SKU, facets=FrozenMap({"arch": "bz1"})),
        evolve(SKU, facets=FrozenMap({"vendor": "bolt"})),
        evolve(SKU, facets=FrozenMap({"cpu_arch": "aarch64"})),
        evolve(MODEL, facets=FrozenMap({"family": "other"})),
    ],
    ids=["arch", "vendor", "cpu_arch", "family"],
)
def test_a_fact_is_said_once(record: Any) -> None:
    """A facet that is a field of its own, or a fact of the arch, would be dropped in silence."""
    (fault,) = messages(record)
    assert "facets" in fault


@pytest.mark.parametrize("carrier", ["engine", "tp", "arch", "workload"])
def test_only_skus_and_models_carry_facets(carrier: str) -> None:
    """No other record has any: the facet would have no value anywhere."""
    assert messages(Axis(id="a", facet_of=carrier))


def test_an_axis_of_names_takes_text() -> None:
    """A number could never be asked for."""
    assert messages(Axis(id="a", default="a", values=("b", 1)))


def test_an_axis_of_ids_is_the_cores() -> None:
    """Without a default a point has no value on it, and no swept point would resolve any more."""
    registry = acme(Axis(id="rack", type="id"))
    if not registry.faults:
        point = next(registry.points())
        assert registry.resolve(point).point.id == point.id


@pytest.mark.parametrize("field", ["since", "removed_in"])
def test_a_capability_of_no_version(field: str) -> None:
    """It would compare with nothing, at the point where it is needed."""
    (fault,) = messages(evolve(CAPABILITY, **{field: "soon"}))
    assert "'soon'" in fault


@pytest.mark.parametrize(
    ("render", "message"),
    [
        (
            [Render(option="compile.mode")],
            "render[0]: engine 'e': compile.mode is rendered to one flag or one variable",
        ),
        (
            [Render(option="compile.mode", flag="a", env="B")],
            "render[0]: engine 'e': compile.mode is rendered to one flag or one variable",
        ),
        (
            [Render(option="compile.mode", env="B", json="x")],
            "render[0]: engine 'e': compile.mode: json names a key of a flag",
        ),
        (
            [Render(option="compile.mode", flag="a"), Render(option="compile.mode", flag="b")],
            "render[1]: engine 'e': compile.mode is rendered twice",
        ),
        (
            [Render(option="compile.mode", flag="a"), Render(option="kv_cache.dtype", flag="a")],
            "render[1]: engine 'e': --a is compile.mode's already",
        ),
        (
            [Render(option="compile.mode", env="A"), Render(option="kv_cache.dtype", env="A")],
            "render[1]: engine 'e': A is compile.mode's already",
        ),
        (
            [
                Render(option="compile.mode", flag="a", json="x"),
                Render(option="kv_cache.dtype", flag="a", json="x"),
            ],
            "render[1]: engine 'e': --a.x is compile.mode's already",
        ),
        (
            [Render(option="compile.mode", flag="a", choices=("A", 1))],
            "render[0]: engine 'e': choice 1 of compile.mode needs str, not int",
        ),
    ],
)
def test_rendering_that_cant_be(render: list[Render], message: str) -> None:
    """Each option once, in one way, and no two to one place."""
    (fault,) = messages(engine(*render))
    assert fault == message


@pytest.mark.parametrize(
    "render",
    [
        [
            Render(option="compile.mode", flag="a"),
            Render(option="kv_cache.dtype", flag="a", json="x"),
        ],
        [
            Render(option="compile.mode", flag="a", json="x"),
            Render(option="kv_cache.dtype", flag="a"),
        ],
        [
            Render(option="compile.mode", flag="a-b"),
            Render(option="kv_cache.dtype", flag="a_b"),
        ],
        [
            Render(option="compile.mode", flag="a", aliases=("b",)),
            Render(option="kv_cache.dtype", flag="b"),
        ],
        [
            Render(option="prefix_caching.enabled", flag="a", false="no-a"),
            Render(option="kv_cache.dtype", flag="no-a"),
        ],
    ],
    ids=["whole and leaf", "leaf and whole", "spelling", "alias", "off form"],
)
def test_two_options_never_share_a_flag(render: list[Render]) -> None:
    """However it is written: one of the two values would be lost."""
    (fault,) = messages(engine(*render))
    assert "compile.mode" in fault or "prefix_caching.enabled" in fault


@pytest.mark.parametrize("behind", [{"B": ("fast",)}, {"A": ()}], ids=["value", "no gate"])
def test_a_value_behind_a_gate_is_a_choice_and_stands_behind_one(behind: Any) -> None:
    """Else it would stand behind nothing, without a word."""
    (fault,) = messages(
        engine(Render(option="compile.mode", flag="a", choices=("A",), behind=FrozenMap(behind)))
    )
    assert "render[0]" in fault


# Duplicates


DUPLICATES: list[Any] = [
    Axis(id="dup", default="a"),
    Arch(id="dup", vendor="v", platform="p", source="s"),
    evolve(SKU, id="dup"),
    evolve(MODEL, id="dup"),
    evolve(IMAGE, id="dup"),
    evolve(CAPABILITY, id="dup"),
    engine(id="dup"),
    Option(id="dup.dup", type="str", doc="d"),
    Gate(id="dup", when=Scope(), doc="d"),
    rule("dup", {"args.x": 1}),
    evolve(RECIPE, id="dup"),
    Derivation(id="dup", function=len),
    AxisValues(id="dup", axis="workload", values=("x",)),
]


@pytest.mark.parametrize("record", DUPLICATES, ids=lambda record: record.kind)
def test_an_id_twice_inside_one_plugin(record: Any) -> None:
    """A fault at each that says where the other is."""
    hook = hook_of(record)
    registry = acme(collected("one", **{hook: lambda: [record, record]}))
    assert {str(fault) for fault in registry.faults} == {
        f"one (infxreg-one 1.2): infxreg_{hook}: {record.kind} {record.id!r} "
        f"is declared by one (infxreg-one 1.2), infxreg_{hook} too"
    }
    assert len(registry.faults) == 2


@pytest.mark.parametrize("record", DUPLICATES, ids=lambda record: record.kind)
def test_an_id_twice_across_plugins(record: Any) -> None:
    """Both providers are named; rules and axis values have ids of their own in each plugin."""
    hook = hook_of(record)
    a = collected("one", **{hook: lambda: [record]})
    b = collected("two", **{hook: lambda: [record]})
    faults = acme(a, b).faults
    assert faults == acme(b, a).faults
    if isinstance(record, (Rule, AxisValues)):
        assert faults == ()
        return
    assert [str(fault) for fault in faults] == [
        f"{one} (infxreg-{one} 1.2): infxreg_{hook}: {record.kind} {record.id!r} "
        f"is declared by {other} (infxreg-{other} 1.2), infxreg_{hook} too"
        for one, other in (("one", "two"), ("two", "one"))
    ]


@pytest.mark.parametrize("axis", sorted(acme().catalogue.space.axes))
def test_an_axis_of_the_cores_again(axis: str) -> None:
    """Only its two providers are at fault, and the registry stands without it."""
    registry = acme(Axis(id=axis, default="a"))
    assert {fault.plugin for fault in registry.faults} == {"extra", "infxreg"}
    for fault in registry.faults:
        assert f"axis {axis!r}" in fault.message
    with pytest.raises(RegistryFaults):
        registry.resolve(sku="x10", model="m1")


def hook_of(record: Any) -> str:
    special = {"capability": "capabilities", "axis": "axes", "axis_values": "axes"}
    return special.get(record.kind, f"{record.kind}s")


def test_an_id_twice_across_installed_plugins(install: Install) -> None:
    """Two files of two distributions: both are named, with versions."""
    text = '[[gate]]\nid = "dup"\nwhen = {}\ndoc = "d"'
    install(name="one", tables={"a.toml": text})
    install(name="two", tables={"b.toml": text}, version="2.0")
    assert [str(fault) for fault in infxreg.discover().faults] == [
        "one (infxreg-one 1.2): acme_infxreg_one/tables/a.toml: gate[0]: gate 'dup' is declared "
        "by two (infxreg-two 2.0), acme_infxreg_two/tables/b.toml too",
        "two (infxreg-two 2.0): acme_infxreg_two/tables/b.toml: gate[0]: gate 'dup' is declared "
        "by one (infxreg-one 1.2), acme_infxreg_one/tables/a.toml too",
    ]
    assert infxreg.discover(skip=["two"]).faults == ()


def test_a_shipped_id_again(install: Install) -> None:
    """A plugin can't replace a SKU of another's, nor an option of the core's."""
    install(
        tables={
            "a.toml": '[[arch]]\nid = "sm100"\nvendor = "x"\nplatform = "cuda"\nsource = "s"\n'
            '[[option]]\nid = "kv_cache.dtype"\ntype = "int"\ndoc = "d"'
        }
    )
    faults = infxreg.discover().faults
    assert len(faults) >= 2
    for fault in faults:
        assert "broken" in str(fault), "nobody else is at fault"
    assert infxreg.discover(skip=["broken"]).faults == ()


# Rules


def test_a_gated_rule_moved_off_its_gate(install: Install) -> None:
    """Plugin, rule and gate are named, with both scopes."""
    text = """
        [[rule]]
        id = "moved"
        when = { sku = "gb200", model = "dsv41flash", engine = "vllm", tp = 4 }
        gates = ["dsv41-blackwell-attention"]
        set."attention.backend" = "FLASHMLA_MEGA_ATTN_DSV41"
    """
    install(tables={"a.toml": text})
    registry = infxreg.discover()
    (fault,) = registry.faults
    assert str(fault) == (
        "broken (infxreg-broken 1.2): acme_infxreg_broken/tables/a.toml: rule[0].when: "
        "rule 'moved': the scope (sku=gb200 model=dsv41flash engine=vllm tp=4) doesn't lie inside "
        "that of its gate dsv41-blackwell-attention "
        "(sku=b200 model=dsv41flash engine=vllm tp=2|4): "
        "narrow it, or ask the gate's owner to widen the gate"
    )
    with pytest.raises(RegistryFaults):
        registry.resolve(sku="b200", model="dsv41flash")


@pytest.mark.parametrize(
    "scope",
    [
        where(sku="x20", model="m1", engine="run", tp=2),
        where(sku=["x10", "x20"], model="m1", engine="run", tp=2),
        where(arch="ax1", model="m1", engine="run", tp=2),
        where(sku="x10", model="m1", engine="run", tp=[2, 8]),
        where(sku="x10", model="m1", engine="run", tp=Range(2, 4)),
        where(sku="x10", model="m1", engine="run"),
        where(sku="x10", family="fam", engine="run", tp=2),
        Scope(),
    ],
)
def test_a_rule_lies_inside_its_gates(scope: Scope) -> None:
    """Wider on any axis, or not naming one, is a fault; a facet is wider than the ids."""
    (fault,) = messages(rule("r", {"args.x": 1}, scope, gates=["fast"]))
    assert f"the scope ({scope}) doesn't lie inside that of its gate fast" in fault


def test_each_scope_of_a_rule_lies_inside_each_gate() -> None:
    """One fault for each that doesn't."""
    inside = where(sku="x10", model="m1", engine="run", tp=2)
    outside = where(sku="x10", model="m1", engine="run")
    found = messages(rule("r", {"args.x": 1}, inside, outside, gates=["fast", "extra"]))
    assert [fault.partition(" (sku=x10 model=m1 engine=run tp=2|4)")[0] for fault in found] == [
        f"when: rule 'r': the scope ({outside}) doesn't lie inside that of its gate {gate}"
        for gate in ("extra", "fast")
    ]


def test_the_same_fault_is_told_once() -> None:
    """A rule that lists one scope twice says one thing wrong."""
    scope = where(sku="x20")
    assert len(messages(rule("r", {"args.x": 1}, scope, scope, gates=["fast"]))) == 1


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            rule("r", {"args.x": 1}, where(sku=[5])),
            "when.sku: rule 'r': unknown sku '5': known are x10, x20, z10",
        ),
        (
            rule("r", {"args.x": 1}, where(tp="two")),
            "when.tp: rule 'r': 'two' is no positive integer",
        ),
        (
            rule("r", {"args.x": 1}, where(tp=[0, 2])),
            "when.tp: rule 'r': 0 is no positive integer",
        ),
        (
            rule("r", {"args.x": 1}, where(sku=Range(1, 2))),
            "when.sku: rule 'r': a range needs an integer axis of the request",
        ),
        (
            rule("r", {"args.x": 1}, where(purpose=Range(1, 2))),
            "when.purpose: rule 'r': a range needs an integer axis of the request",
        ),
        (
            rule("r", {"args.x": 1}, require=Require(version="new")),
            "require.version: rule 'r': 'new' is no version range",
        ),
        (
            rule("r", {"kv_cache.dtype": 8}),
            "set.kv_cache.dtype: rule 'r': needs str, not int: 8",
        ),
        (
            rule("r", {"cudagraph.capture_sizes": ("a",)}),
            "set.cudagraph.capture_sizes: rule 'r': needs list[int], not a list of str: [\"a\"]",
        ),
        (
            rule("r", {"env.X": True}),
            "set.env.X: rule 'r': a variable's value is text, not bool: true",
        ),
        (
            rule("r", {"kv_cache.dtype": "fp9"}, where(engine="run")),
            "set.kv_cache.dtype: rule 'r': unknown value of kv_cache.dtype on run 'fp9': "
            "did you mean 'fp8'?",
        ),
        (
            rule("r", {"attention.backend": "FAST"}, where(engine="run")),
            "set.attention.backend: rule 'r': \"FAST\" is allowed on run only behind gate fast",
        ),
        (
            rule("r", {"args.tp_size": 2}, where(engine="run")),
            "set.args.tp_size: rule 'r': 'args.tp_size': flags stand here without leading "
            "dashes and _: args.tp-size",
        ),
        (
            rule("r", {"args.no-prefix-cache": True}, where(engine="run")),
            "set.args.no-prefix-cache: rule 'r': args.no-prefix-cache is what "
            "prefix_caching.enabled renders on run: set prefix_caching.enabled",
        ),
        (
            rule("r", {"args.attn": "{}"}, where(engine=["run"])),
            "set.args.attn: rule 'r': args.attn is what attention.backend renders on run: "
            "set attention.backend",
        ),
        (
            rule("r", {"env.RUN_MODE": "x"}),
            "set.env.RUN_MODE: rule 'r': env.RUN_MODE is what compile.mode renders on run: "
            "set compile.mode",
        ),
        (
            rule("r", {"args.x": Derived("scaled", ())}),
            "set.args.x: rule 'r': derivation scaled can't be called so: "
            "missing a required argument: 'value'",
        ),
        (
            rule("r", {"args.x": Derived("scaled", ("tp",), (("factr", 2),))}),
            "set.args.x: rule 'r': derivation scaled can't be called so: "
            "got an unexpected keyword argument 'factr'",
        ),
        (
            rule("r", {"args.x": Derived("copy", ("tp", "pp"))}),
            "set.args.x: rule 'r': derivation copy can't be called so: "
            "too many positional arguments",
        ),
    ],
)
def test_a_rule_that_cant_be(record: Rule, message: str) -> None:
    """One fault, at the key that is wrong."""
    assert messages(record) == [message]


def test_a_derivation_whose_signature_cant_be_told() -> None:
    """It can't be checked, so it can't be used."""
    found = messages(
        Derivation(id="d", function=getattr), rule("r", {"args.x": Derived("d", ("tp", "pp"))})
    )
    assert len(found) <= 1
    for fault in found:
        assert "derivation d can't be called so: no signature found" in fault


def test_a_raw_key_is_judged_by_every_engine_that_a_rule_reaches() -> None:
    """Without an engine in its scope, by all; with one, by that one."""
    third = '[[engine]]\nid = "third"\nargv = ["third"]\nsource = "s"'
    assert len(messages(rule("r", {"args.tp": 1}), third)) == 2
    assert len(messages(rule("r", {"args.tp": 1}, where(engine=["run", "third"])), third)) == 1
    assert messages(rule("r", {"args.tp": 1}, where(engine="third")), third) == []
    mixed = rule("r", {"args.tp": 1}, where(engine="third"), where(sku="x10"))
    assert len(messages(mixed, third)) == 2


def test_choices_are_those_of_the_engines_that_a_rule_names() -> None:
    """Without an engine, the value is judged where it is resolved."""
    assert messages(rule("r", {"kv_cache.dtype": "fp9"}, where(sku="x10"))) == []
    assert messages(rule("r", {"kv_cache.dtype": "fp9"}, where(engine="alt"))) == []
    gated = rule(
        "r",
        {"attention.backend": "FAST"},
        where(sku="x10", model="m1", engine="run", tp=2),
        gates=["fast"],
    )
    assert messages(gated) == []


def test_derivations_that_go_in_a_circle() -> None:
    """The keys are named in the order in which they read each other, scopes ignored."""
    a = rule("a", {"args.a": Derived("copy", ("args.b",))}, where(sku="x10"))
    b = rule("b", {"args.b": Derived("copy", ("args.a",))}, where(sku="x20"))
    (fault,) = messages(a, b)
    assert fault in (
        "a: derivations go in a circle: args.a -> args.b -> args.a",
        "a: derivations go in a circle: args.b -> args.a -> args.b",
    )
    (fault,) = messages(rule("r", {"args.a": Derived("copy", ("args.a",))}))
    assert fault == "r: derivations go in a circle: args.a -> args.a"


def test_a_circle_across_plugins() -> None:
    """The plugin of the least key is named; its keys name the other."""
    one = from_toml(
        '[[rule]]\nid = "r"\nset."args.a" = { derive = "copy", reads = ["args.b"] }', "one"
    )
    two = from_toml(
        '[[rule]]\nid = "r"\nset."args.b" = { derive = "copy", reads = ["args.a"] }', "two"
    )
    (fault,) = acme(one, two).faults
    assert fault.plugin == "one"
    assert (fault.distribution, fault.where) == ("infxreg-one 1.2", "infxreg_one/extra.toml")
    assert "circle" in fault.message
    assert acme(two, one).faults == (fault,)


def test_all_circles_are_told() -> None:
    """In one go, as all faults are."""
    found = messages(
        rule("a", {"args.a": Derived("copy", ("args.a",))}),
        rule("b", {"args.b": Derived("copy", ("args.b",))}),
    )
    assert len(found) == 2


def test_a_release_image_needs_no_record() -> None:
    """The engine's pattern knows it, in a rule as in a request."""
    assert messages(rule("r", {"image": "acme/run:v1.2.3"}, where(sku="x10", engine="run"))) == []


# Recipes


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (evolve(RECIPE, sweep=()), "sweep: recipe 'r': a recipe sweeps at least one point"),
        (
            evolve(RECIPE, default_point="q"),
            "default_point: recipe 'r': 'q' is in no sweep of the recipe",
        ),
        (
            evolve(RECIPE, sweep=(Sweep(id="p", axes=FrozenMap({"tp": (1, 2)})),)),
            "sweep: recipe 'r': two points have the id 'p': name more axes in 'p'",
        ),
        (
            evolve(RECIPE, sweep=(Sweep(id="p", axes=FrozenMap({"ep": ("{tpp}",)})),)),
            "sweep: recipe 'r': '{tpp}' names 'tpp', which is no axis of the point",
        ),
        (
            evolve(RECIPE, sweep=(Sweep(id="p", axes=FrozenMap({"ep": ("x{tp}",)})),)),
            "sweep: recipe 'r': 'x1' is no value of axis ep",
        ),
        (
            evolve(RECIPE, sweep=(Sweep(id="p", axes=FrozenMap({"arch": ("bz1",)})),)),
            "sweep: recipe 'r': arch is no axis that a sweep can name",
        ),
        (
            evolve(RECIPE, sweep=(Sweep(id="p", axes=FrozenMap({"engine": ("alt",)})),)),
            "sweep: recipe 'r': engine is the recipe's own: one recipe a engine",
        ),
        (
            evolve(RECIPE, gates=("fast",)),
            "gates: recipe 'r': no swept point lies in the scope of fast: "
            "sku=x10 model=m1 engine=run tp=2|4",
        ),
        (
            evolve(RECIPE, sku="x20", default_point="p"),
            "r: recipe m1-x20-run is for x20 m1 run agentic already",
        ),
        (
            evolve(RECIPE, sku="x10", engine="alt", default=True),
            "r: recipe m1-x10-run is the default there already",
        ),
    ],
)
def test_a_recipe_that_cant_be(record: Recipe, message: str) -> None:
    """One fault: the sweep, the default point, the gates, or the recipe that was there."""
    assert messages(record) == [message]


def test_recipes_for_one_combination_name_both_plugins() -> None:
    """The one that comes second by plugin's name is at fault, whatever the order."""
    one = collected("one", recipes=lambda: [evolve(RECIPE, id="first")])
    two = collected("two", recipes=lambda: [evolve(RECIPE, id="second", workload="agentic")])
    faults = acme(one, two).faults
    assert acme(two, one).faults == faults
    (fault,) = faults
    assert fault.plugin == "two"
    assert fault.message == "recipe first is for z10 m1 run agentic already"


def test_a_faulty_recipe_has_no_points() -> None:
    """It is listed nowhere."""
    registry = acme(evolve(RECIPE, default_point="q"))
    assert "r" not in registry.catalogue.recipes
    assert "r" not in registry.catalogue.points


@pytest.mark.parametrize(
    "sweep",
    [
        (Sweep(id="p", axes=FrozenMap()), Sweep(id="q", axes=FrozenMap({"tp": (1,)}))),
        (
            Sweep(id="p", axes=FrozenMap()),
            Sweep(id="q{purpose}", axes=FrozenMap({"purpose": ("serve", "eval")})),
        ),
    ],
    ids=["the same axes", "another purpose"],
)
def test_a_swept_point_has_one_id(sweep: tuple[Sweep, ...]) -> None:
    """A second one for the same point is a fault, or else each resolves under its own."""
    registry = acme(evolve(RECIPE, sweep=sweep))
    if not registry.faults:
        for point in registry.points(sku="z10"):
            assert registry.resolve(point.at(purpose="serve")).point.id == point.id


# Python hooks that give records of the right class with values of the wrong type


@pytest.mark.parametrize(
    "record",
    [
        evolve(SKU, memory_gib="80"),  # type: ignore[arg-type]
        evolve(SKU, gpus_per_node=None),  # type: ignore[arg-type]
        evolve(SKU, id=None),  # type: ignore[arg-type]
        evolve(SKU, id=["s"]),  # type: ignore[arg-type]
        evolve(SKU, arch=["ax1"]),  # type: ignore[arg-type]
        evolve(SKU, facets=None),  # type: ignore[arg-type]
        evolve(MODEL, offload=[("engram.cpu_offload", 1)]),  # type: ignore[list-item]
        evolve(IMAGE, knows=None),  # type: ignore[arg-type]
        engine(render=None),
        Gate(id="g", when=None, doc="d"),  # type: ignore[arg-type]
        Gate(id="g", when={"sku": "x10"}, doc="d"),  # type: ignore[arg-type]
        Rule(id="r", when=Scope(), settings=FrozenMap({"args.x": 1})),  # type: ignore[arg-type]
        Rule(id="r", settings={"args.x": {"a": 1}}),  # type: ignore[arg-type]
        Rule(id="r", settings={"args.x": [1, 2]}),  # type: ignore[arg-type]
        Rule(id="r", settings=None),  # type: ignore[arg-type]
        rule("r", {"args.x": object()}),  # type: ignore[dict-item]
        evolve(RECIPE, sweep=None),  # type: ignore[arg-type]
        evolve(RECIPE, sweep=("p",)),  # type: ignore[arg-type]
        Axis(id="a", default="a", values=None),  # type: ignore[arg-type]
    ],
    ids=lambda record: record.kind,
)
def test_a_record_with_values_of_the_wrong_type(record: Any) -> None:
    """The plugin is named, and the registry is there to list the rest."""
    registry = acme(collected("sloppy", **{hook_of(record): lambda: [record]}))
    assert {fault.plugin for fault in registry.faults} == {"sloppy"}
    assert "x10" in registry.catalogue.skus


def test_an_installed_plugin_with_values_of_the_wrong_type(
    install: Install, broken: Broken
) -> None:
    """As any that is broken."""
    source = "@hookimpl\ndef infxreg_rules():\n    return [Rule(id='r', when=Scope())]\n"
    broken(install(source))


def test_contributions_of_a_script_are_checked_alike() -> None:
    """A fault of records that were given by hand names the plugin that they were given for."""
    registry = acme().with_plugin(Contribution.of("mine", rule("r", {"no.such": 1})))
    (fault,) = registry.faults
    assert str(fault).startswith("mine: set.no.such: rule 'r': unknown option 'no.such'")
