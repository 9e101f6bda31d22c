"""Malformed and hostile TOML: the file is named, the rest is read, nothing hangs or crashes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from infxreg.contribution import read_site
from infxreg.errors import Fault, RegistryFaults
from infxreg.tables import MAX_BYTES, read_table
from support.builders import X10, acme, from_toml

Install = Callable[..., str]
Broken = Callable[..., tuple[Fault, ...]]

DEEP = 10_000

HOSTILE = {
    "latin-1": ("# caf\xe9".encode("latin-1"), "not UTF-8: byte 5 is 0xe9"),
    "utf-16": ('id = "x"'.encode("utf-16"), "not UTF-8: byte 0 is 0xff"),
    "binary": (bytes(range(256)), "not UTF-8: byte 128 is 0x80"),
    "nul": (b"id = 1\x00", "not TOML: "),
    "byte order mark": (b"\xef\xbb\xbfid = 1", "not TOML: Invalid statement (at line 1, column 1)"),
    "yaml": (b"sku:\n  - id: x", "not TOML: Expected '=' after a key"),
    "json": (b'{"sku": []}', "not TOML: Invalid statement (at line 1, column 1)"),
    "cut off": (b'[[sku]]\nid = "x', "not TOML: Unterminated string (at end of document)"),
    "a key twice": (b"[site]\nopen = []\nopen = []", "not TOML: Cannot overwrite a value"),
    "merge conflict": (b"<<<<<<< HEAD\n", "not TOML: "),
    "no such day": (b"x = 2026-02-31", "not TOML: Invalid date or datetime"),
    "5 MB": (
        b"# " + b"x" * 5_000_000,
        f"5000002 bytes are more than a table may have ({MAX_BYTES})",
    ),
    "deep lists": (b"x = " + b"[" * DEEP + b"]" * DEEP, "not TOML that can be read: nested too"),
    "deep tables": (b"x = " + b"{a=" * DEEP + b"1" + b"}" * DEEP, "not TOML that can be read"),
    "digits": (b"x = " + b"9" * 5000, "Exceeds the limit (4300 digits)"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_file_that_is_no_table(install: Install, broken: Broken, kind: str) -> None:
    """One fault, with file and reason, for an installed plugin."""
    data, message = HOSTILE[kind]
    (fault,) = broken(install(tables={"bad.toml": data}))
    assert fault.where == "acme_infxreg_broken/tables/bad.toml"
    assert fault.path == ""
    assert fault.message.startswith(message)


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_site_file_that_is_no_table(kind: str) -> None:
    """The same for a site file: the registry lists everything and resolves nothing."""
    data, message = HOSTILE[kind]
    registry = acme().with_site(read_site("/etc/infxreg.toml", data))
    assert "x10" in registry.catalogue.skus
    with pytest.raises(RegistryFaults) as error:
        registry.resolve(**X10)
    (fault,) = error.value.faults
    assert str(fault).startswith(f"site: /etc/infxreg.toml: {message}")


WEIRD = {
    "deep list as a value": b'[[rule]]\nid = "r"\nset."args.x" = ' + b"[" * 80 + b"]" * 80,
    "deep table as a value": b'[[rule]]\nid = "r"\nset.' + b"a." * 500 + b"a = 1",
    "deep table as a type": b'[[option]]\nid = "a.b"\ndoc = "d"\ntype.' + b"a." * 500 + b"a = 1",
    "deep table at the top": b"a." * 500 + b"a = 1",
    "deep table as facets": b"[[sku]]\nfacets." + b"a." * 500 + b"a = 1",
    "infinity": b'[[sku]]\nid = "x"\nmemory_gib = inf',
    "a huge number": b"[[sku]]\nmemory_gib = 1" + b"0" * 400,
    "an empty key": b'[[sku]]\n"" = 1',
    "a key of newlines": b'[[sku]]\n"\\n\\n" = 1',
    "every kind at once": b"sku = 1\nrule = true\ngate = 1.5\nsite = 2026-01-01\nimage = [[]]\n",
    "dates in lists": b"rule = [2026-01-01, 07:32:00]",
    "many unknown keys": b"[[sku]]\n" + b"".join(b"k%d = 1\n" % n for n in range(3000)),
}


@pytest.mark.parametrize("kind", WEIRD)
def test_toml_that_is_no_table_of_ours(kind: str) -> None:
    """Faults with key paths, on one line each."""
    contribution = from_toml(WEIRD[kind])
    assert contribution.faults
    assert contribution.placed == ()
    for fault in contribution.faults:
        assert fault.where == "infxreg_extra/extra.toml"
        assert "\n" not in fault.message


@pytest.mark.parametrize(
    "text",
    [
        '[[rule]]\nid = "r"\nset."memory.gpu_fraction" = 1' + "0" * 400,
        '[[rule]]\nid = "r"\nwhen = { tp = 0x' + "F" * 5000 + ' }\nset."no.such" = 1',
        '[[recipe]]\nid = "r"\nmodel = "m1"\nsku = "z10"\nengine = "run"\ndefault_point = "p"\n'
        'sweep = [{ id = "p", ep = "{tp}²" }]',
        '[[recipe]]\nid = "r"\nmodel = "m1"\nsku = "z10"\nengine = "run"\ndefault_point = "p"\n'
        'sweep = [{ id = "p{tp}", tp = 0x' + "F" * 5000 + " }]",
    ],
    ids=["too large for a float", "hexadecimal", "a digit that is no number", "swept hexadecimal"],
)
def test_toml_that_breaks_what_checks_it(text: str) -> None:
    """A registry with a fault that names the plugin, and no error of Python's own."""
    registry = acme(text)
    assert [fault.plugin for fault in registry.faults] == ["extra"]


@pytest.mark.parametrize("number", ["nan", "-nan", "+nan"])
def test_a_number_that_is_none(number: str) -> None:
    """NaN is below and above nothing, so that no check could ever refute it."""
    text = f"""
        [[sku]]
        id = "s"
        name = "s"
        arch = "ax1"
        memory_gib = {number}
        gpus_per_node = 8
        cpu_arch = "x86_64"
        source = "test"
    """
    assert [fault.plugin for fault in acme(text).faults] == ["extra"]


SWEEP = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from support.builders import acme
values = list(range(1, int(sys.argv[1]) + 1))
axes = sys.argv[2:]
print(acme(
    '[[recipe]]\\nid = "r"\\nmodel = "m1"\\nsku = "z10"\\nengine = "run"\\n'
    f'default_point = "{".".join("1" * len(axes))}"\\n'
    f'sweep = [{{ id = "{".".join("{" + a + "}" for a in axes)}", '
    + ", ".join(f"{a} = {values}" for a in axes) + " }]"
).faults)
"""


def swept(values: int, *axes: str) -> str:
    """The faults of a recipe that sweeps so many values on each axis, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", SWEEP, str(values), *axes],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-500:]
    return done.stdout


def test_a_sweep_that_is_too_long() -> None:
    """A line of TOML can ask for 10^10 points: counted first, it is a fault that says so."""
    assert "'r'" in swept(100, "tp", "pp", "dp", "ep", "conc")


def test_a_long_sweep_takes_its_time_once() -> None:
    """Eight thousand points in a few seconds, or a fault."""
    assert swept(20, "tp", "pp", "dp")


def test_all_faults_of_all_files_in_one_go(install: Install, broken: Broken) -> None:
    """Three files, two syntax errors and five wrong keys: seven faults, each with its place."""
    good = '[[gate]]\nid = "good"\nwhen = {}\ndoc = "d"\n'
    faults = broken(
        install(
            tables={
                "a.toml": good + '[[gate]]\nid = 1\nwhen = []\ndoc = "d"\nodc = "d"',
                "b.toml": "[[gate",
                "c.toml": 'gates = 1\n[[option]]\nid = "a.b"\ntype = "text"\ndoc = "d"',
                "d.toml": b"\xff",
            }
        )
    )
    found = [(fault.where.rpartition("/")[2], fault.path) for fault in faults]
    assert found == [
        ("a.toml", "gate[1].id"),
        ("a.toml", "gate[1].odc"),
        ("a.toml", "gate[1].when"),
        ("b.toml", ""),
        ("c.toml", "gates"),
        ("c.toml", "option[0] (a.b).type"),
        ("d.toml", ""),
    ]


def test_a_file_at_the_limit_is_read() -> None:
    """The limit is one of bytes, and the largest file that is allowed is read in a moment."""
    data = b"# " + b"x" * (MAX_BYTES - 2)
    assert read_table(data).faults == ()
    (fault,) = read_table(data + b"x").faults
    assert fault.message == f"{MAX_BYTES + 1} bytes are more than a table may have ({MAX_BYTES})"


def test_many_rules_are_read() -> None:
    """Two thousand of them, ten times the shipped catalogue."""
    text = "".join(f'[[rule]]\nid = "r{n}"\nset."args.x{n}" = {n}\n' for n in range(2000))
    assert len(read_table(text.encode()).records) == 2000


def test_tables_hold_no_code() -> None:
    """Text that looks like code is text: it reaches argv as one word."""
    text = '[[rule]]\nid = "r"\nwhen = { sku = "x10" }\nset."args.x" = "`id`; rm -rf / #"'
    assert acme(text).resolve(**X10).argv[-1] == "`id`; rm -rf / #"
