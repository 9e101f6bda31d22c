"""Unknown ids everywhere: a fault with a near match, in the file and key that names it."""

from __future__ import annotations

import pytest

from infxreg import Contribution
from infxreg.errors import UnusableValueError
from support.builders import X10, acme, faults_of

PLACE = "extra (infxreg-extra 1.2): infxreg_extra/extra.toml: "

RULE = '[[rule]]\nid = "r"\n'
RECIPE = """
[[recipe]]
id = "r"
model = "m1"
sku = "z10"
engine = "run"
sweep = [{ id = "p" }]
default_point = "p"
"""


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        # scopes
        (
            RULE + 'when = { sku = "x11" }\nset."args.x" = 1',
            "rule[0].when.sku: rule 'r': unknown sku 'x11': did you mean 'x10'?",
        ),
        (
            RULE + 'when = { model = "m1-fp8" }\nset."args.x" = 1',
            "rule[0].when.model: rule 'r': unknown model 'm1-fp8': known are m1, m2",
        ),
        (
            RULE + 'when = { engine = "rum" }\nset."args.x" = 1',
            "rule[0].when.engine: rule 'r': unknown engine 'rum': did you mean 'run'?",
        ),
        (
            RULE + 'when = { skuu = "x10" }\nset."args.x" = 1',
            "rule[0].when: rule 'r': unknown axis 'skuu': did you mean 'sku'?",
        ),
        (
            RULE + 'when = { purpose = "server" }\nset."args.x" = 1',
            "rule[0].when.purpose: rule 'r': unknown purpose 'server': did you mean 'serve'?",
        ),
        (
            RULE + 'when = { vendor = "acne" }\nset."args.x" = 1',
            "rule[0].when.vendor: rule 'r': unknown vendor 'acne': did you mean 'acme'?",
        ),
        (
            RULE + 'when = [{ sku = "x10" }, { sku = "x11" }]\nset."args.x" = 1',
            "rule[0].when[1].sku: rule 'r': unknown sku 'x11': did you mean 'x10'?",
        ),
        (
            RULE + 'when = { sku = ["x10", "x11"] }\nset."args.x" = 1',
            "rule[0].when.sku: rule 'r': unknown sku 'x11': did you mean 'x10'?",
        ),
        (
            '[[gate]]\nid = "g"\nwhen = { sku = "x11" }\ndoc = "d"',
            "gate[0].when.sku: gate 'g': unknown sku 'x11': did you mean 'x10'?",
        ),
        (
            '[[gate]]\nid = "g"\nwhen = { skuu = "x10" }\ndoc = "d"',
            "gate[0].when: gate 'g': unknown axis 'skuu': did you mean 'sku'?",
        ),
        # rules
        (
            RULE + 'set."kv_cache.dtpe" = "fp8"',
            "rule[0].set.kv_cache.dtpe: rule 'r': unknown option 'kv_cache.dtpe': "
            "did you mean 'kv_cache.dtype'?",
        ),
        (
            RULE + 'unset = ["kv_cache.dtpe"]',
            "rule[0].unset: rule 'r': unknown option 'kv_cache.dtpe': "
            "did you mean 'kv_cache.dtype'?",
        ),
        (
            RULE + 'set."args." = 1',
            "rule[0].set.args.: rule 'r': unknown option 'args.': known are ",
        ),
        (
            RULE + 'gates = ["fats"]\nset."args.x" = 1',
            "rule[0].gates: rule 'r': unknown gate 'fats': did you mean 'fast'?",
        ),
        (
            RULE + 'set.image = "acme/run:nightly-2"',
            "rule[0].set.image: rule 'r': unknown image 'acme/run:nightly-2': "
            "did you mean 'acme/run:nightly-1'?",
        ),
        (
            RULE + 'require.knows = ["fsat"]\nset."args.x" = 1',
            "rule[0].require.knows: rule 'r': unknown capability 'fsat': did you mean 'fast'?",
        ),
        (
            RULE + 'set."args.x" = { derive = "scald", reads = ["tp"] }',
            "rule[0].set.args.x: rule 'r': unknown derivation 'scald': did you mean 'scaled'?",
        ),
        (
            RULE + 'set."args.x" = { derive = "copy", reads = ["tpp"] }',
            "rule[0].set.args.x: rule 'r': unknown axis 'tpp': did you mean 'tp'?",
        ),
        (
            RULE + 'set."args.x" = { derive = "copy", reads = ["parallel.tq"] }',
            "rule[0].set.args.x: rule 'r': unknown option 'parallel.tq': "
            "did you mean 'parallel.tp'?",
        ),
        # recipes
        (
            RECIPE.replace("z10", "z11"),
            "recipe[0].sku: recipe 'r': unknown sku 'z11': did you mean 'z10'?",
        ),
        (
            RECIPE.replace('"m1"', '"m3"'),
            "recipe[0].model: recipe 'r': unknown model 'm3': known are m1, m2",
        ),
        (
            RECIPE.replace('"run"', '"rum"'),
            "recipe[0].engine: recipe 'r': unknown engine 'rum': did you mean 'run'?",
        ),
        (
            RECIPE + 'workload = "1k1"',
            "recipe[0].workload: recipe 'r': unknown workload '1k1': did you mean '1k1k'?",
        ),
        (
            RECIPE + 'gates = ["fats"]',
            "recipe[0].gates: recipe 'r': unknown gate 'fats': did you mean 'fast'?",
        ),
        (
            RECIPE.replace('id = "p" }', 'id = "p", tpp = 2 }'),
            "recipe[0].sweep: recipe 'r': tpp is no axis that a sweep can name",
        ),
        # other records
        (
            '[[axis]]\nid = "a"\nfacet_of = "skuu"',
            "axis[0].facet_of: axis 'a': unknown axis 'skuu': did you mean 'sku'?",
        ),
        (
            '[[axis_values]]\nid = "a"\naxis = "workloads"\nvalues = ["x"]',
            "axis_values[0].axis: axis_values 'a': unknown axis 'workloads': "
            "did you mean 'workload'?",
        ),
        (
            '[[sku]]\nid = "s"\nname = "s"\narch = "ax2"\nmemory_gib = 1\ngpus_per_node = 1\n'
            'cpu_arch = "c"\nsource = "t"',
            "sku[0].arch: sku 's': unknown arch 'ax2': did you mean 'ax1'?",
        ),
        (
            '[[sku]]\nid = "s"\nname = "s"\narch = "ax1"\nmemory_gib = 1\ngpus_per_node = 1\n'
            'cpu_arch = "c"\nsource = "t"\nfacets.vendr = "x"',
            "sku[0].facets: sku 's': unknown facet of a sku 'vendr': did you mean 'vendor'?",
        ),
        (
            '[[model]]\nid = "m"\nhub_id = "h"\nfamily = "f"\nsource = "t"\nfacets.arch = "x"',
            "model[0].facets: model 'm': unknown facet of a model 'arch': known are family",
        ),
        (
            '[[model]]\nid = "m"\nhub_id = "h"\nfamily = "f"\nsource = "t"\n'
            'offload = [{ option = "engram.cpu_offlod", gib = 1 }]',
            "model[0].offload[0]: model 'm': unknown option 'engram.cpu_offlod': "
            "did you mean 'engram.cpu_offload'?",
        ),
        (
            '[[image]]\nid = "i:1"\nengine = "rum"\nsource = "t"',
            "image[0].engine: image 'i:1': unknown engine 'rum': did you mean 'run'?",
        ),
        (
            '[[image]]\nid = "i:1"\nengine = "run"\nsource = "t"\nknows = ["fsat"]',
            "image[0].knows: image 'i:1': unknown capability 'fsat': did you mean 'fast'?",
        ),
        (
            '[[image]]\nid = "i:1"\nengine = "run"\nsource = "t"\nlacks = ["fsat"]',
            "image[0].",
        ),
        (
            '[[capability]]\nid = "c"\nengine = "rum"\nsource = "t"',
            "capability[0].engine: capability 'c': unknown engine 'rum': did you mean 'run'?",
        ),
        (
            '[[engine]]\nid = "e"\nargv = ["e"]\nsource = "t"\n'
            'render = [{ option = "parallel.tq", flag = "x" }]',
            "engine[0].render[0]: engine 'e': unknown option 'parallel.tq': "
            "did you mean 'parallel.tp'?",
        ),
    ],
)
def test_an_unknown_id(text: str, fault: str) -> None:
    """One fault: where it stands, and the closest known name."""
    (found,) = faults_of(text)
    assert found.startswith(PLACE + fault)


def test_ids_of_a_plugin_that_is_left_out_lie_dormant() -> None:
    """They are told, and no fault: everything else goes on."""
    text = RULE + 'when = { sku = "x11" }\nset."args.x" = 1'
    registry = acme(text, Contribution.of("other"))
    assert len(registry.faults) == 1
    gone = registry.without_plugin("other")
    assert gone.faults == ()
    assert len(gone.catalogue.dormant) == 1
    assert (
        gone.resolve(sku="x10", model="m1").digest == acme().resolve(sku="x10", model="m1").digest
    )


def test_a_rule_stays_where_only_some_of_its_ids_are_unknown() -> None:
    """It counts for the others."""
    text = RULE + 'when = { sku = ["x10", "x11"] }\nset."args.x" = 1'
    gone = acme(text, Contribution.of("other")).without_plugin("other")
    assert gone.resolve(sku="x10", model="m1").options["args.x"].value == 1


def test_a_recipe_whose_gate_reaches_none_of_its_points() -> None:
    """A fault, but for the sake of a plugin that is left out: the recipe stays, the gate closed."""
    text = RECIPE + 'gates = ["fast"]'
    (fault,) = faults_of(text)
    assert fault.startswith(
        PLACE + "recipe[0].gates: recipe 'r': no swept point lies in the scope of fast: "
    )
    gone = acme(text, Contribution.of("other")).without_plugin("other")
    assert gone.faults == ()
    spec = gone.resolve(sku="z10", model="m1")
    assert (spec.point.recipe, spec.gates) == ("r", ())


@pytest.mark.parametrize(
    "text",
    [
        RULE + 'set."env.X" = 1',
        RULE + 'when = { conc = [0] }\nset."args.x" = 1',
        RECIPE.replace('default_point = "p"', 'default_point = "q"'),
        '[[sku]]\nid = "s"\nname = "s"\narch = "ax1"\nmemory_gib = 0\ngpus_per_node = 1\n'
        'cpu_arch = "c"\nsource = "t"',
    ],
)
def test_other_faults_are_faults_whatever_is_left_out(text: str) -> None:
    """A wrong value isn't what a missing plugin could explain."""
    gone = acme(text, Contribution.of("other")).without_plugin("other")
    assert len(gone.faults) == 1


def test_a_value_behind_a_gate_that_nobody_declares() -> None:
    """It can't be used at all: what guards it may be in a plugin that isn't installed."""
    text = """
        [[engine]]
        id = "third"
        argv = ["third"]
        source = "s"
        render = [{ option = "compile.mode", flag = "mode", behind = { A = ["theirs"] } }]
        [[rule]]
        id = "third"
        when = { engine = "third" }
        set.image = "acme/alt:1"
        set."resources.gpus" = 1
    """
    registry = acme(text)
    request = {**X10, "engine": "third"}
    assert registry.resolve(**request, set={"compile.mode": "B"}).argv[-1] == "B"
    with pytest.raises(UnusableValueError, match='"A" is allowed only behind gate theirs'):
        registry.resolve(**request, set={"compile.mode": "A"})
