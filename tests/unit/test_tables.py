"""TOML to records: nothing is coerced, nothing is skipped, every fault has its key path."""

from __future__ import annotations

from typing import Any

import pytest

from infxreg.records import (
    Arch,
    Axis,
    AxisValues,
    Engine,
    Gate,
    GoldenAcceptance,
    Image,
    Model,
    Offload,
    Recipe,
    Require,
    Rule,
    SiteSettings,
    Sku,
)
from infxreg.scope import EVERYTHING, OneOf, Range, Scope
from infxreg.tables import parse_scope, read_table
from infxreg.values import ABSENT, Derived, FrozenMap


def one(text: str) -> Any:
    """The only record of a table without faults."""
    contents = read_table(text.encode())
    assert contents.faults == ()
    (located,) = contents.records
    return located.record


def faults(text: str) -> list[tuple[str, str]]:
    """Key path and message of each fault."""
    contents = read_table(text.encode())
    return [(fault.path, fault.message) for fault in contents.faults]


def test_a_sku() -> None:
    """Numbers are numbers, and a whole one fits where a float is needed."""
    record = one("""
        [[sku]]
        id = "x10"
        name = "X"
        arch = "ax1"
        memory_gib = 80
        gpus_per_node = 8
        cpu_arch = "x86_64"
        facets = { rack = "nvl72", generation = 3 }
        source = "s"
    """)
    assert record == Sku(
        id="x10",
        name="X",
        arch="ax1",
        memory_gib=80.0,
        gpus_per_node=8,
        cpu_arch="x86_64",
        facets=FrozenMap({"rack": "nvl72", "generation": 3}),
        source="s",
    )
    assert type(record.memory_gib) is float


def test_a_model() -> None:
    """Nested lists of tables."""
    record = one("""
        [[model]]
        id = "m1"
        hub_id = "acme/m1"
        family = "fam"
        weights_gib = 1.5
        offload = [{ option = "engram.cpu_offload", gib = 4 }]
        source = "s"
        [[model.golden_acceptance]]
        method = "dspark"
        mode = "on"
        draft_tokens = 5
        length = 3.5
        source = "t"
    """)
    assert record == Model(
        id="m1",
        hub_id="acme/m1",
        family="fam",
        weights_gib=1.5,
        offload=(Offload(option="engram.cpu_offload", gib=4.0),),
        golden_acceptance=(
            GoldenAcceptance(method="dspark", mode="on", draft_tokens=5, length=3.5, source="t"),
        ),
        source="s",
    )


def test_an_engine() -> None:
    """Rendering with choices, and values that stand behind gates."""
    record = one("""
        [[engine]]
        id = "run"
        argv = ["run"]
        source = "s"
        render = [{ option = "a.b", flag = "ab", choices = ["A", 1, true], behind = { A = ["g"] } }]
    """)
    assert isinstance(record, Engine)
    (render,) = record.render
    assert render.choices == ("A", 1, True)
    assert render.behind == {"A": ("g",)}


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (
            '[[axis]]\nid = "tp"\ntype = "int"\ndefault = 1',
            Axis(id="tp", type="int", default=1),
        ),
        (
            '[[axis]]\nid = "c"\ndefault = "a"\nvalues = ["a", "b"]',
            Axis(id="c", default="a", values=("a", "b")),
        ),
        (
            '[[axis_values]]\nid = "v"\naxis = "c"\nvalues = ["x"]',
            AxisValues(id="v", axis="c", values=("x",)),
        ),
        (
            '[[arch]]\nid = "a"\nvendor = "v"\nplatform = "p"\nsource = "s"',
            Arch(id="a", vendor="v", platform="p", source="s"),
        ),
        (
            '[[image]]\nid = "a:1"\nengine = "run"\nsource = "s"\nmoving = true\nknows = ["f"]',
            Image(id="a:1", engine="run", source="s", moving=True, knows=("f",)),
        ),
        (
            '[[gate]]\nid = "g"\nwhen = { tp = 2 }\ndoc = "d"',
            Gate(id="g", when=Scope.of({"tp": OneOf(frozenset([2]))}), doc="d"),
        ),
        ('[site]\nopen = ["g"]\nclose = ["h"]', SiteSettings(open=("g",), close=("h",))),
    ],
)
def test_other_records(text: str, record: object) -> None:
    """Each table gives the record of its kind."""
    assert one(text) == record


def test_a_rule() -> None:
    """Values, absences and derivations, in one mapping from keys."""
    record = one("""
        [[rule]]
        id = "r"
        when = [{ sku = "x10", tp = [2, 4] }, { conc = { min = 8 } }]
        gates = ["g"]
        set."a.b" = [1, 2]
        set."a.c" = { derive = "scaled", reads = ["conc", "a.b"], factor = 2, also = ["x"] }
        set.image = "i:1"
        unset = ["a.d"]
        require = { version = ">=1.0", knows = ["fast"] }
        source = "s"
        doc = "d"
    """)
    assert record == Rule(
        id="r",
        when=(
            Scope.of({"sku": OneOf(frozenset(["x10"])), "tp": OneOf(frozenset([2, 4]))}),
            Scope.of({"conc": Range(8, None)}),
        ),
        gates=("g",),
        settings=FrozenMap(
            {
                "a.b": (1, 2),
                "a.c": Derived("scaled", ("conc", "a.b"), (("also", ("x",)), ("factor", 2))),
                "image": "i:1",
                "a.d": ABSENT,
            }
        ),
        require=Require(version=">=1.0", knows=("fast",)),
        source="s",
        doc="d",
    )
    assert [scope.gates for scope in record.scopes] == [frozenset(["g"])] * 2


def test_a_rule_without_when_is_for_everything() -> None:
    """And one with an empty table too."""
    assert one('[[rule]]\nid = "r"\nset.image = "i"').when == (EVERYTHING,)
    assert one('[[rule]]\nid = "r"\nwhen = {}\nset.image = "i"').when == (EVERYTHING,)


def test_a_recipe() -> None:
    """Sweeps keep the order of axes and values; a scalar is a list of one."""
    record = one("""
        [[recipe]]
        id = "r"
        model = "m1"
        sku = "x10"
        engine = "run"
        sweep = [{ id = "tp{tp}_c{conc}", tp = [4, 2], ep = "{tp}", conc = 1 }]
        default_point = "tp2_c1"
    """)
    assert isinstance(record, Recipe)
    (sweep,) = record.sweep
    assert sweep.id == "tp{tp}_c{conc}"
    assert list(sweep.axes.items()) == [("tp", (4, 2)), ("ep", ("{tp}",)), ("conc", (1,))]


def test_an_empty_table_has_neither_records_nor_faults() -> None:
    """A file of comments is fine."""
    contents = read_table(b"# nothing yet\n")
    assert contents.records == contents.faults == ()


def test_records_know_their_place() -> None:
    """The path counts the tables of one kind."""
    text = '[[rule]]\nid = "a"\nset.image = "i"\n[[rule]]\nid = "b"\nset.image = "i"'
    contents = read_table(text.encode())
    assert [located.path for located in contents.records] == ["rule[0]", "rule[1]"]


RULE = '[[rule]]\nid = "r"\nset.image = "i"\n'
RECIPE = '[[recipe]]\nid = "r"\nmodel = "m"\nsku = "s"\nengine = "e"\ndefault_point = "p"\n'
SKU = '[[sku]]\nid = "x"\nname = "x"\narch = "a"\ncpu_arch = "c"\nsource = "s"\n'
FULL_SKU = SKU + "memory_gib = 80\ngpus_per_node = 8\n"


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        # top level
        ("rules = 1", "rules", "unknown key: did you mean 'rule'?"),
        ("zzzz = 1", "zzzz", "unknown key: known are arch, axis, axis_values,"),
        ("[[derivation]]", "derivation", "unknown key"),
        ("sku = 1", "sku", "write it as [[sku]]"),
        ("[sku]", "sku", "write it as [[sku]]"),
        ('sku = ["x"]', "sku[0]", "write it as [[sku]]"),
        ("[[site]]", "site", "write it as [site]"),
        ("site = 1", "site", "write it as [site]"),
        # keys
        (FULL_SKU + "memory = 3", "sku[0] (x).memory", "unknown key: did you mean 'memory_gib'?"),
        (FULL_SKU + "zzz = 3", "sku[0] (x).zzz", "unknown key: known are arch, cpu_arch, doc,"),
        (SKU + "memory_gib = 80", "sku[0] (x).gpus_per_node", "the key 'gpus_per_node' is missing"),
        ('[[gate]]\nid = "g"\nwhen = {}', "gate[0] (g).doc", "the key 'doc' is missing"),
        (RULE + "wen = {}", "rule[0] (r).wen", "unknown key: did you mean 'when'?"),
        (RULE + "settings = {}", "rule[0] (r).settings", "unknown key: known are doc, gates, id,"),
        # scalars of the wrong type
        (SKU + 'memory_gib = "80"\ngpus_per_node = 8', "sku[0] (x).memory_gib", "a number is"),
        (SKU + "memory_gib = true\ngpus_per_node = 8", "sku[0] (x).memory_gib", "a number is"),
        (SKU + "memory_gib = 80\ngpus_per_node = 8.0", "sku[0] (x).gpus_per_node", "an integer is"),
        (SKU + "memory_gib = 8\ngpus_per_node = true", "sku[0] (x).gpus_per_node", "an integer is"),
        ("[[gate]]\nid = 5\nwhen = {}\ndoc = 'd'", "gate[0].id", "text is needed, not int"),
        (RULE + "doc = 2026-01-01", "rule[0] (r).doc", "text is needed, not date"),
        (RULE + "doc = 07:00:00", "rule[0] (r).doc", "text is needed, not time"),
        (RECIPE + 'sweep = []\ndefault = "yes"', "recipe[0] (r).default", "true or false is"),
        ('[[axis]]\nid = "a"\ndefault = true', "axis[0] (a).default", "text or an integer is"),
        ('[[axis]]\nid = "a"\ndefault = 1.5', "axis[0] (a).default", "text or an integer is"),
        (
            '[[axis]]\nid = "a"\ntype = "float"',
            "axis[0] (a).type",
            "'float' isn't one of 'id', 'name', 'int'",
        ),
        ('[[axis]]\nid = "a"\ntype = []', "axis[0] (a).type", "[] isn't one of"),
        (
            '[[option]]\nid = "a.b"\ntype = "text"\ndoc = "d"',
            "option[0] (a.b).type",
            "'text' isn't one of 'bool', 'int',",
        ),
        # lists and tables
        (RULE + 'gates = "g"', "rule[0] (r).gates", "a list is needed, not str"),
        (RULE + "gates = [1]", "rule[0] (r).gates[0]", "text is needed, not int"),
        (RULE + 'gates = ["a", ["b"]]', "rule[0] (r).gates[1]", "text is needed, not list"),
        (RULE + "require = 5", "rule[0] (r).require", "a table is needed, not int"),
        (RULE + "require = []", "rule[0] (r).require", "a table is needed, not list"),
        (
            RULE + "require.know = []",
            "rule[0] (r).require.know",
            "unknown key: did you mean 'knows'?",
        ),
        ('[[rule]]\nid = "r"\nset = 5', "rule[0] (r).set", "a table is needed, not int"),
        (FULL_SKU + "facets = []", "sku[0] (x).facets", "a table is needed, not list"),
        (FULL_SKU + "facets.a = 1.5", "sku[0] (x).facets", "text or an integer is needed"),
        (RECIPE + "sweep = {}", "recipe[0] (r).sweep", "a list is needed, not dict"),
        (
            '[[engine]]\nid = "e"\nargv = ["e"]\nsource = "s"\nrender = [5]',
            "engine[0] (e).render[0]",
            "a table is needed, not int",
        ),
        # values
        (
            '[[rule]]\nid = "r"\nset."a.b" = 2026-01-01',
            "rule[0] (r)",
            "set.a.b: date is no value for an option",
        ),
        (
            '[[rule]]\nid = "r"\nset."a.b" = [[1]]',
            "rule[0] (r)",
            "set.a.b: a list can hold only scalars, not list",
        ),
        (
            '[[rule]]\nid = "r"\nset.a.b = 1',
            "rule[0] (r)",
            'set.a: a table is no value; write the whole key in quotes (set."a.b" = …), or '
            '{ derive = "name", reads = [...] } for a derivation',
        ),
        (
            '[[rule]]\nid = "r"\nset."a.b" = { derive = 5 }',
            "rule[0] (r)",
            "set.a.b: derive names a derivation",
        ),
        (
            '[[rule]]\nid = "r"\nset."a.b" = { derive = "d", reads = "tp" }',
            "rule[0] (r)",
            "set.a.b: reads is a list of keys and axes",
        ),
        (
            '[[rule]]\nid = "r"\nset."a.b" = { derive = "d", reads = [1] }',
            "rule[0] (r)",
            "set.a.b: reads is a list of keys and axes",
        ),
        (
            '[[rule]]\nid = "r"\nset."a.b" = { derive = "d", factor = {} }',
            "rule[0] (r)",
            "set.a.b: dict is no value for an option",
        ),
        ('[[rule]]\nid = "r"', "rule[0] (r)", "a rule sets or unsets at least one key"),
        (
            RULE + 'unset = ["image"]',
            "rule[0] (r)",
            "unset: image is set by the same rule",
        ),
        # scopes
        (RULE + 'when = "x"', "rule[0] (r).when", "a scope is a table, not str"),
        (RULE + "when = [5]", "rule[0] (r).when", "a scope is a table, not int"),
        (RULE + "when = []", "rule[0] (r).when", "an empty list of scopes matches nothing"),
        (RULE + "when = { tp = [] }", "rule[0] (r).when", "tp: an empty list matches nothing"),
        (
            RULE + "when = { tp = 1.5 }",
            "rule[0] (r).when",
            "tp: a value is text or an integer, not float",
        ),
        (
            RULE + "when = { tp = [true] }",
            "rule[0] (r).when",
            "tp: a value is text or an integer, not bool",
        ),
        (
            RULE + "when = { tp = [[2]] }",
            "rule[0] (r).when",
            "tp: a value is text or an integer, not list",
        ),
        (
            RULE + "when = { tp = { min = 1, below = 3 } }",
            "rule[0] (r).when",
            "tp: a range has min and max, not below",
        ),
        (RULE + "when = { tp = {} }", "rule[0] (r).when", "tp: a range needs min or max"),
        (
            RULE + 'when = { tp = { min = "1" } }',
            "rule[0] (r).when",
            "tp: min and max are integers",
        ),
        (
            RULE + "when = { tp = { max = true } }",
            "rule[0] (r).when",
            "tp: min and max are integers",
        ),
        (
            RULE + "when = { tp = { min = 4, max = 2 } }",
            "rule[0] (r).when",
            "tp: min 4 is above max 2, so nothing can match",
        ),
        ('[[gate]]\nid = "g"\ndoc = "d"\nwhen = []', "gate[0] (g).when", "a scope is a table"),
        # sweeps
        (
            RECIPE + "sweep = [{ tp = 2 }]",
            "recipe[0] (r).sweep[0]",
            'a sweep is a table with an id template, such as "tp{tp}_c{conc}"',
        ),
        (RECIPE + "sweep = [5]", "recipe[0] (r).sweep[0]", "a sweep is a table with an id"),
        (
            RECIPE + 'sweep = [{ id = "p", tp = { min = 2 } }]',
            "recipe[0] (r).sweep[0]",
            "tp: a sweep lists its values",
        ),
        (
            RECIPE + 'sweep = [{ id = "p", tp = [2, 2] }]',
            "recipe[0] (r).sweep[0]",
            "tp: a value is listed twice",
        ),
        (
            RECIPE + 'sweep = [{ id = "p", tp = [] }]',
            "recipe[0] (r).sweep[0]",
            "tp: an empty list matches nothing",
        ),
    ],
)
def test_one_fault_with_its_place(text: str, path: str, message: str) -> None:
    """What is wrong, and at which key."""
    ((found_path, found_message),) = faults(text)
    assert found_path == path
    assert found_message.startswith(message)


def test_all_faults_of_a_file_in_one_go() -> None:
    """Every table and every key of it; the good records are read all the same."""
    text = """
        [[sku]]
        id = 1
        memory_gib = "x"
        surprise = 1
        [[rule]]
        id = "bad"
        set."a.b" = {}
        set."a.c" = 2026-01-01
        [[rule]]
        id = "good"
        set."a.b" = 1
        [[gates]]
    """
    contents = read_table(text.encode())
    assert [located.path for located in contents.records] == ["rule[1]"]
    assert [fault.path for fault in contents.faults] == [
        "sku[0].id",
        "sku[0].name",
        "sku[0].arch",
        "sku[0].memory_gib",
        "sku[0].gpus_per_node",
        "sku[0].cpu_arch",
        "sku[0].source",
        "sku[0].surprise",
        "rule[0] (bad)",
        "rule[0] (bad)",
        "gates",
    ]


def test_parse_scope_is_for_python_too() -> None:
    """The TOML form of a scope as plain data."""
    assert parse_scope({"tp": [2, 4], "sku": "x10"}) == Scope.of(
        {"tp": OneOf(frozenset([2, 4])), "sku": OneOf(frozenset(["x10"]))}
    )
    assert parse_scope({"conc": {"max": 8}}) == Scope.of({"conc": Range(None, 8)})
