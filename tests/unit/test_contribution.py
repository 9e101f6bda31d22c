"""What a plugin or a site file contributes, each record with its place."""

from __future__ import annotations

from pathlib import Path

from infxreg import Contribution, TableFile
from infxreg.contribution import Placed, read_files, read_site
from infxreg.tablefile import sha256
from support.builders import MemoryFile, rule


def table(name: str, text: str) -> TableFile:
    return TableFile(name, MemoryFile(text.encode()))  # type: ignore[arg-type]


def test_of_makes_one_of_records() -> None:
    """As scripts and tests do."""
    one = rule("r", {"args.x": 1})
    made = Contribution.of("mine", one, where="here.py", version="3")
    assert made.placed == (Placed(one, "here.py"),)
    assert (made.plugin, made.version, made.faults) == ("mine", "3", ())
    assert made.with_placed([]).placed == ()
    assert made.placed, "the first is as it was"


def test_a_label() -> None:
    """Distribution and version, as far as they are known."""
    assert Contribution("p", "infxreg-p", "1.2").label == "infxreg-p 1.2"
    assert Contribution("p").label == ""
    fault = Contribution("p", "infxreg-p", "1.2").fault("is odd", "f.toml", "rule[0]")
    assert str(fault) == "p (infxreg-p 1.2): f.toml: rule[0]: is odd"


def test_read_files_reads_them_all(tmp_path: Path) -> None:
    """Records and faults of each, in their order, with file and key path."""
    files = [
        table("a.toml", '[[rule]]\nid = "a"\nset.image = "i"\n[[rule]]\nid = 5\nset.image = "i"'),
        TableFile("gone.toml", tmp_path / "gone.toml"),
        table("b.toml", '[[rule]]\nid = "b"\nset.image = "i"'),
    ]
    read = read_files(Contribution("p"), files)
    assert [(item.where, item.path) for item in read.placed] == [
        ("a.toml", "rule[0]"),
        ("b.toml", "rule[0]"),
    ]
    assert [(fault.where, fault.path) for fault in read.faults] == [
        ("a.toml", "rule[1].id"),
        ("gone.toml", ""),
    ]
    assert read.tables == {
        file.name: sha256(file.read()) for file in files if file.name != "gone.toml"
    }


def test_a_site_file_counts_as_a_whole_or_not_at_all() -> None:
    """With a fault, none of its records does."""
    good = '[[rule]]\nid = "a"\nset.image = "i"\n'
    assert len(read_site("s.toml", good.encode()).placed) == 1
    assert read_site("/home/a/s.toml", good.encode()).tables == {"s.toml": sha256(good.encode())}
    faulty = read_site("s.toml", (good + "[[rule]]").encode())
    assert faulty.placed == ()
    assert [str(fault) for fault in faulty.faults] == [
        "site: s.toml: rule[1].id: the key 'id' is missing"
    ]
