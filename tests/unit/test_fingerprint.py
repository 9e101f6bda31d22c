"""Fingerprints: a change in a record shows, and nothing else does."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from infxreg import TableFile
from infxreg.fingerprint import UnreadableError, fingerprint
from infxreg.records import Derivation, EngineSurface, Rule
from infxreg.scope import Range
from infxreg.values import ABSENT, Derived, Setting
from support.builders import MemoryFile, rule, where

RULE = rule("r", {"args.x": 1}, where(sku=["a", "b"], conc=Range(1, 8)), gates=["g"])


def valued(value: Setting) -> Rule:
    return rule("r", {"args.x": value})


def surface(data: bytes, name: str = "s.json") -> EngineSurface:
    return EngineSurface(id="e", file=TableFile(name, MemoryFile(data)), extract="m:f")


def twice(value: int) -> int:
    return 2 * value


def test_equal_records_in_any_order() -> None:
    """The order of records, of keys and of a scope's values doesn't count."""
    other = rule("s", {"args.a": 1, "args.b": 2})
    turned = rule("s", {"args.b": 2, "args.a": 1})
    same = rule("r", {"args.x": 1}, where(conc=Range(1, 8), sku=["b", "a"]), gates=["g"])
    assert fingerprint([RULE, other]) == fingerprint([turned, same])


@pytest.mark.parametrize(
    "changed",
    [
        [],
        [RULE, RULE],
        [evolve(RULE, id="s")],
        [evolve(RULE, doc="new")],
        [evolve(RULE, gates=())],
        [evolve(RULE, when=(where(sku=["a"], conc=Range(1, 8)),))],
        [evolve(RULE, when=(where(sku=["a", "b"], conc=Range(1, 9)),))],
        [evolve(RULE, settings=valued(2).settings)],
    ],
)
def test_every_field_shows(changed: list[Rule]) -> None:
    """And so does a record more or less."""
    assert fingerprint(changed) != fingerprint([RULE])


def test_types_of_values_show() -> None:
    """No two of these are launched alike."""
    values: list[Setting] = [True, 1, 1.0, "1", "True", (1,), (True,), ABSENT, "ABSENT"]
    values += [Derived("copy"), Derived("copy", ("tp",)), Derived("copy", (), (("factor", 1),))]
    assert len({fingerprint([valued(value)]) for value in values}) == len(values)


def test_a_file_counts_by_its_bytes() -> None:
    """Not by where it is."""
    assert fingerprint([surface(b"1")]) == fingerprint([surface(b"1", "/other/s.json")])
    assert fingerprint([surface(b"1")]) != fingerprint([surface(b"2")])


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    """It is named."""
    gone = EngineSurface(id="e", file=TableFile("p/s.json", tmp_path / "none"), extract="m:f")
    with pytest.raises(UnreadableError) as error:
        fingerprint([gone])
    assert str(error.value).startswith("p/s.json can't be read: FileNotFoundError: ")
    assert str(error.value).endswith("; install its plugin anew")


def test_a_function_counts_by_its_name() -> None:
    """A callable that has none by its type's: an address would differ in each process."""
    made = [
        fingerprint([Derivation(id="d", function=function)])
        for function in (twice, max, functools.partial(twice), functools.partial(max))
    ]
    assert made[2] == made[3]
    assert len(set(made)) == 3


def test_what_is_no_record_s_has_a_fingerprint_too() -> None:
    """A registry with a wrong field is compared before its faults are told."""
    odd: Any = object()
    assert fingerprint([evolve(RULE, doc=odd)]) != fingerprint([RULE])
    listed: Any = {"b", "a"}
    assert fingerprint([evolve(RULE, gates=listed)]) != fingerprint([RULE])


def test_hash_seeds_move_nothing() -> None:
    """Sets are in another order in each process."""
    script = (
        "from support.builders import rule, where\n"
        "from infxreg.fingerprint import fingerprint\n"
        "print(fingerprint([rule(n, {'args.x': 1}, where(sku=list('abcdef'))) for n in {*'pqrs'}]))"
    )
    path = os.pathsep.join(sys.path)
    made = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(made) == 1
