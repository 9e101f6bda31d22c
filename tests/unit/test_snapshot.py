"""Snapshots: lines, their order, and files that are none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from infxreg import Registry
from infxreg.cli.app import app
from infxreg.cli.state import State
from infxreg.contribution import read_site
from infxreg.errors import RegistryFaults
from infxreg.review.snapshot import SnapshotFormatError, read, take
from support.builders import acme, rule, where

HEAD = '{"defaults":{},"format":1,"infxreg":"snapshot"}'


def run(*args: str, registry: Registry | None = None) -> Result:
    return CliRunner().invoke(app, ["snapshot", *args], obj=State(registry=registry or acme()))


def test_a_line_says_what_is_launched_and_by_which_rules() -> None:
    """Axes at their default, checks, files and versions stay out of it."""
    (line,) = [
        json.loads(line)
        for line in take(acme()).lines()
        if '"point":"tp2_c16"' in line and '"purpose":"serve"' in line
    ]
    assert line["axes"] == {
        "sku": "x10",
        "model": "m1",
        "engine": "run",
        "workload": "agentic",
        "purpose": "serve",
        "tp": 2,
        "conc": 16,
    }
    assert line["recipe"] == "m1-x10-run"
    spec = acme().resolve("tp2_c16", sku="x10", model="m1")
    assert line["digest"] == spec.digest
    assert line["launch"]["argv"] == list(spec.argv)
    assert line["launch"]["gates"] == ["fast"]
    assert line["options"]["attention.backend"] == ["FAST", "acme:run-fast"]
    assert sorted(line) == ["axes", "digest", "launch", "options", "point", "recipe"]


def test_every_point_at_every_purpose_is_there_once_and_in_order() -> None:
    """But for purposes that no rule of the engine names: there is nothing to launch."""
    entries = list(take(acme()).entries)
    assert [entry.order for entry in entries] == sorted({entry.order for entry in entries})
    places = {(entry.recipe, entry.point) for entry in entries}
    swept = {(point.recipe.id, point.id) for point in acme().points() if point.recipe}
    assert places == swept
    assert {entry.axes["purpose"] for entry in entries} == {"serve", "throughput"}


def test_an_axis_between_two_purposes_keeps_the_order() -> None:
    """``pp`` stands between ``eval`` and ``serve``, and points at its default leave it out."""
    recipe = """
[[recipe]]
id = "deep"
model = "m1"
sku = "z10"
engine = "run"
sweep = [{ id = "pp{pp}", pp = [1, 2] }]
default_point = "pp1"
"""
    registry = acme(recipe, rule("e", {"args.odd": 1}, where(engine="run", purpose="eval")))
    entries = list(read(take(registry).lines(), "f").entries)
    deep = [(entry.point, entry.axes["purpose"]) for entry in entries if entry.recipe == "deep"]
    purposes = ("eval", "serve", "throughput")
    assert deep == [(point, purpose) for point in ("pp1", "pp2") for purpose in purposes]


def test_a_point_that_conflicts_has_its_error() -> None:
    """The others are as they were."""
    clash = rule("clash", {"attention.backend": "FASTER"}, where(sku="x10", model="m1", tp=2))
    found = {
        entry.point: entry for entry in take(acme(clash)).entries if entry.recipe == "m1-x10-run"
    }
    assert "attention.backend" in found["tp2_c16"].error
    assert (found["tp2_c16"].digest, found["tp4_c16"].error) == ("", "")


def test_an_error_names_the_site_file_and_not_its_folder() -> None:
    """Or the same point would fail otherwise on another machine, and at another revision."""
    text = "".join(
        f'[[rule]]\nid = "r{n}"\nwhen = {{ {scope} }}\nset."args.odd" = {n}\n'
        for n, scope in enumerate(('sku = "x10"', 'model = "m1"'))
    )
    registries = [
        acme().with_site(read_site(f"{folder}infxreg.toml", text.encode()))
        for folder in ("/home/a/", "/home/b/", "")
    ]
    one, other, bare = [[entry.error for entry in take(r).entries] for r in registries]
    assert one == other == bare
    assert "from site:r0 in infxreg.toml (" in "".join(one)


def test_a_registry_with_faults_has_no_snapshot() -> None:
    """It has to be mended first."""
    with pytest.raises(RegistryFaults):
        take(acme(rule("bad", {"nobody.knows": 1})))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f is empty"),
        ("{", "f line 1: not JSON: "),
        ("[]", "f is no snapshot: infxreg snapshot writes one"),
        ('{"infxreg":"snapshot","format":9}', "f: format 9; this version reads 1"),
        ('{"infxreg":"snapshot","format":1}', "f: format 1; this version reads 1"),
        (f"{HEAD}\nno", "f line 2: not JSON: "),
        (f"{HEAD}\n[]", "f line 2: no point of a snapshot: "),
        (f'{HEAD}\n{{"axes":{{}}}}', "f line 2: no point of a snapshot: KeyError('point')"),
        (
            f'{HEAD}\n{{"axes":{{"sku":"b"}},"point":"p","recipe":"r"}}\n'
            '{"axes":{"sku":"a"},"point":"p","recipe":"r"}',
            "f line 3: out of order, so it was edited",
        ),
    ],
)
def test_files_that_are_no_snapshot(text: str, message: str) -> None:
    """The file and the line are named."""
    with pytest.raises(SnapshotFormatError) as error:
        list(read(text.splitlines(), "f").entries)
    assert str(error.value).startswith(message)


def test_the_command_writes_the_lines(tmp_path: Path) -> None:
    """To standard output, or whole to a file."""
    printed = run()
    assert printed.exit_code == 0
    path = tmp_path / "made" / "s.jsonl"
    assert run("-o", str(path)).exit_code == 0
    assert (
        path.read_text() == printed.stdout == "".join(f"{line}\n" for line in take(acme()).lines())
    )


def test_a_file_that_can_t_be_written(tmp_path: Path) -> None:
    """Exit code 2, and nothing is left."""
    (tmp_path / "file").write_text("")
    result = run("-o", str(tmp_path / "file" / "s.jsonl"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "can't be written" in result.stderr
    assert os.listdir(tmp_path) == ["file"]


def test_hash_seeds_move_nothing() -> None:
    """The shipped catalogue's snapshot is the same in two processes."""
    command = [sys.executable, "-m", "infxreg", "--site", "/dev/null", "snapshot"]
    made = [
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert made[0] == made[1]
    assert made[0].count(b"\n") == 700
