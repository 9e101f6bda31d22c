"""``infxreg list``, ``show`` and ``points``: what a registry holds."""

from __future__ import annotations

import json
import tomllib

import pytest
from click.testing import CliRunner, Result

from infxreg import Registry
from infxreg.cli.app import app
from infxreg.cli.state import State
from infxreg.records import Axis, Rule, Sku
from infxreg.scope import Range
from infxreg.values import ABSENT, Derived, FrozenMap
from support.builders import NIGHTLY, acme, rule, where

KINDS = {
    "sku": "skus",
    "model": "models",
    "image": "images",
    "engine": "engines",
    "option": "options",
    "gate": "gates",
    "recipe": "recipes",
    "plugin": "plugins",
    "axis": "axes",
    "capability": "capabilities",
    "arch": "archs",
    "derivation": "derivations",
    "rule": "rules",
}


def run(*args: str, registry: Registry | None = None) -> Result:
    return CliRunner().invoke(app, args, obj=State(registry=registry or acme()))


def rows(text: str) -> dict[str, list[str]]:
    """The lines of a table by their first cell."""
    body = [line.split() for line in text.splitlines()[1:]]
    return {cells[0]: cells for cells in body}


class TestList:
    """A line of facts for each record."""

    @pytest.mark.parametrize("kind", KINDS)
    def test_every_kind(self, kind: str) -> None:
        """Singular or plural, as a table or as JSON, in the order of ids."""
        plural = KINDS[kind]
        table = run("list", plural)
        assert (table.exit_code, table.stderr) == (0, "")
        assert table.stdout == run("list", kind).stdout
        found = [facts["id"] for facts in json.loads(run("list", plural, "--json").stdout)]
        assert [line.split()[0] for line in table.stdout.splitlines()] == ["id", *found]
        assert found == sorted(found)
        assert found

    def test_columns_line_up(self) -> None:
        """Each column begins at one place."""
        lines = run("list", "skus").stdout.splitlines()
        starts = {
            line.index(word)
            for line, word in zip(lines, ("arch", "ax1", "ax1", "bz1"), strict=True)
        }
        assert len(starts) == 1
        assert lines[0].split() == [
            *("id", "name", "vendor", "arch", "memory_gib", "gpus_per_node", "cpu_arch")
        ]
        assert lines[1] == "x10  Acme X10  acme    ax1   80.0        8              x86_64"

    def test_facts_that_matter(self) -> None:
        """Vendor of a SKU, engines of an option, points of a recipe, scope of a gate, …"""
        assert rows(run("list", "images").stdout)[NIGHTLY][1:] == [
            *("run", "-", "-", "cuda", "linux/amd64,", "linux/arm64", "-")
        ]
        assert "run  run serve {hub_id}  acme/run:v{version}" in run("list", "engines").stdout
        assert rows(run("list", "options").stdout)["attention.backend"][1:4] == ["str", "-", "run"]
        swept = sum(point.recipe.id == "m1-x10-run" for point in acme().points() if point.recipe)
        assert rows(run("list", "recipes").stdout)["m1-x10-run"][1:] == [
            *("m1", "x10", "run", "agentic", str(swept), "tp2_c16", "yes")
        ]
        gate = run("list", "gates").stdout
        assert "engine=run model=m1 sku=x10 tp=2|4  2      the fast backend" in gate
        axes = rows(run("list", "axes").stdout)
        assert axes["vendor"][:6] == ["vendor", "name", "-", "sku", "acme,", "bolt"]
        assert axes["tp"][:5] == ["tp", "int", "1", "-", "-"]
        assert rows(run("list", "capabilities").stdout)["gone"][1:] == [
            "run",
            "1.0.0",
            "1.5.0",
            "-",
        ]
        assert rows(run("list", "derivations").stdout)["copy"][1] == "infxreg.derivations:copy"

    def test_scopes_of_rules(self) -> None:
        """Several scopes, ranges, and no scope at all."""
        registry = acme(
            rule("two", {"args.x": 1}, where(sku="x10", conc=Range(32)), where(sku="x20")),
            rule("all", {"args.y": 1, "args.z": 2}),
        )
        shown = run("list", "rules", registry=registry).stdout
        assert "extra:two                       conc=32.. sku=x10; sku=x20 " in shown or (
            "extra:two                       sku=x10 conc=32..; sku=x20 " in shown
        )
        assert rows(shown)["extra:all"][1:4] == ["everything", "-", "2"]

    def test_kinds_that_nobody_knows(self) -> None:
        """A near match."""
        result = run("list", "skuz")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == "error: unknown kind 'skuz': did you mean 'skus'?\n"

    def test_empty(self) -> None:
        """A kind without records is a table without lines."""
        from infxreg.plugins import core_contribution

        result = run("list", "skus", registry=Registry((core_contribution(),)))
        assert result.exit_code == 0
        assert len(result.stdout.splitlines()) == 1

    def test_with_faults(self) -> None:
        """What there is is listed all the same, and the faults are told."""
        registry = acme(rule("bad", {"attention.backendd": "PLAIN"}))
        for args in (("list", "skus"), ("show", "sku", "x10")):
            result = run(*args, registry=registry)
            assert result.exit_code == 0
            assert "x10" in result.stdout
            assert result.stderr.startswith("error: 1 fault in the registry:\n  extra")
            assert "did you mean 'attention.backend'?" in result.stderr
        unknown = run("show", "sku", "x11", registry=registry)
        assert unknown.exit_code == 2
        assert "error: 1 fault in the registry:\n" in unknown.stderr
        assert "error: unknown sku 'x11'" in unknown.stderr
        plugins = run("list", "plugins", registry=registry).stdout
        assert rows(plugins)["extra"][-2:] == ["faulty", "rule=1"]

    def test_an_arch_that_is_missing(self) -> None:
        """A SKU whose architecture nobody declares is listed without a vendor."""
        lost = Sku(
            id="x30",
            name="X30",
            arch="nowhere",
            memory_gib=1,
            gpus_per_node=1,
            cpu_arch="x86_64",
            source="test",
        )
        assert rows(run("list", "skus", registry=acme(lost)).stdout)["x30"][2] == "-"


class TestShow:
    """All fields of one record, and where it is from."""

    @pytest.mark.parametrize("kind", KINDS)
    def test_every_kind(self, kind: str) -> None:
        """TOML and JSON say the same, apart from what is empty."""
        first = json.loads(run("list", kind, "--json").stdout)[0]
        shown = run("show", kind, first["id"])
        assert (shown.exit_code, shown.stderr) == (0, "")
        assert shown.stdout == run("show", KINDS[kind], first["id"]).stdout
        as_json = json.loads(run("show", kind, first["id"], "--json").stdout)
        assert as_json == first
        assert tomllib.loads(shown.stdout) == {k: v for k, v in first.items() if v not in ([], {})}

    def test_fields(self) -> None:
        """The record's own, what follows from others, and the origin."""
        assert tomllib.loads(run("show", "gate", "fast").stdout) == {
            "id": "fast",
            "when": {"sku": "x10", "model": "m1", "engine": "run", "tp": [2, 4]},
            "doc": "the fast backend",
            "rules": ["acme:run-fast", "acme:run-faster"],
            "recipes": ["m1-x10-run"],
            "origin": {
                "plugin": "acme",
                "file": "infxreg_acme/acme.toml",
                "distribution": "infxreg-acme",
                "version": "1.2",
                "layer": "plugin",
            },
        }
        model = tomllib.loads(run("show", "model", "m1").stdout)
        assert model["offload"] == [{"option": "engram.cpu_offload", "gib": 40.0}]
        recipe = tomllib.loads(run("show", "recipe", "m1-x10-run").stdout)
        assert recipe["sweep"][1] == {
            "id": "ep{ep}_c{conc}",
            "tp": [8],
            "ep": ["{tp}"],
            "conc": [2, 32],
        }
        assert recipe["points"][0] == "tp2_c1"

    def test_a_rule(self) -> None:
        """As a table writes it: scopes, what it sets and unsets, derivations, requirements."""
        made = Rule(
            id="r",
            when=(where(sku="x10", conc=Range(2, 8)),),
            settings=FrozenMap(
                {
                    "args.a": ("x", "y"),
                    "args.b": ABSENT,
                    "args.c": Derived("scaled", ("conc",), (("factor", 2),)),
                }
            ),
        )
        shown = tomllib.loads(run("show", "rule", "extra:r", registry=acme(made)).stdout)
        assert shown["when"] == [{"sku": "x10", "conc": {"min": 2, "max": 8}}]
        assert shown["set"] == {
            "args.a": ["x", "y"],
            "args.c": {"derive": "scaled", "reads": ["conc"], "factor": 2},
        }
        assert shown["unset"] == ["args.b"]
        assert shown["origin"]["plugin"] == "extra"
        known = tomllib.loads(run("show", "rule", "acme:run-fast").stdout)
        assert known["require"] == {"knows": ["fast"]}
        assert known["gates"] == ["fast"]

    def test_a_plugin(self) -> None:
        """How many records of which kind, its faults, and what lies dormant."""
        shown = tomllib.loads(run("show", "plugin", "acme").stdout)
        assert shown["state"] == "ok"
        assert shown["records"]["sku"] == 3
        registry = acme(rule("r", {"args.x": 1}, where(sku="nowhere")))
        faulty = tomllib.loads(run("show", "plugin", "extra", registry=registry).stdout)
        assert faulty["state"] == "faulty"
        assert len(faulty["faults"]) == 1
        dormant = run("show", "plugin", "extra", registry=registry.without_plugin("acme"))
        assert len(tomllib.loads(dormant.stdout)["dormant"]) == 1

    def test_the_site_file_is_among_the_plugins(self) -> None:
        """Where there is one."""
        registry = acme(site='[[rule]]\nid = "r"\nset."args.x" = 1\n')
        assert rows(run("list", "plugins", registry=registry).stdout)["site"] == [
            *("site", "-", "-", "ok", "rule=1")
        ]

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            (("sku", "x1"), "error: unknown sku 'x1': did you mean 'x10'?\n"),
            (("gates", "fst"), "error: unknown gate 'fst': did you mean 'fast'?\n"),
            (("rule", "acme:run-fst"), "did you mean 'acme:run-fast'?\n"),
            (("skoo", "x10"), "error: unknown kind 'skoo'"),
        ],
    )
    def test_unknown(self, args: tuple[str, str], message: str) -> None:
        """Exit code 2 and a near match."""
        result = run("show", *args)
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in result.stderr


class TestPoints:
    """The swept points, filtered by axes."""

    def test_all(self) -> None:
        """One line each, in the sweeps' order."""
        lines = run("points").stdout.splitlines()
        assert lines[0].split() == ["sku", "model", "engine", "workload", "id", "recipe"]
        assert len(lines) - 1 == len(list(acme().points()))
        assert lines[1].split() == ["x10", "m1", "run", "agentic", "tp2_c1", "m1-x10-run"]

    @pytest.mark.parametrize(
        ("args", "wanted"),
        [
            (("--sku", "x10"), {"sku": ("x10",)}),
            (("--tp", "2,4"), {"tp": (2, 4)}),
            (("--tp", "2", "--tp", "4"), {"tp": (2, 4)}),
            (("--tp", "2", "--engine", "run, alt"), {"tp": (2,), "engine": ("run", "alt")}),
            (("--vendor", "acme", "--workload", "1k1k"), {"workload": ("1k1k",)}),
            (("--arch", "bz1"), {"sku": ("z10",)}),
        ],
    )
    def test_filters(self, args: tuple[str, ...], wanted: dict[str, tuple[str | int, ...]]) -> None:
        """Every axis, facets too; several values comma separated or repeated."""
        result = run("points", *args, "--json")
        assert result.exit_code == 0
        assert [found["axes"] for found in json.loads(result.stdout)] == [
            dict(point.axes)
            for point in acme().points()
            if all(point.axes[axis] in values for axis, values in wanted.items())
        ]

    def test_none(self) -> None:
        """Nothing found is said on standard error."""
        result = run("points", "--tp", "64")
        assert (result.exit_code, result.stdout) == (0, "")
        assert result.stderr == "no swept point has these values\n"

    def test_json(self) -> None:
        """With the value on every axis."""
        point = next(acme().points())
        assert json.loads(run("points", "--json").stdout)[0] == {
            "sku": "x10",
            "model": "m1",
            "engine": "run",
            "workload": "agentic",
            "id": "tp2_c1",
            "recipe": "m1-x10-run",
            "axes": dict(point.axes),
        }

    def test_help(self) -> None:
        """The axes are listed, all but the purpose: every point is swept at every purpose."""
        shown = run("points", "--help").stdout
        assert "Axes (several values comma separated, or repeated):" in shown
        assert "--vendor VENDOR" in shown
        assert "--purpose" not in shown

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            (("--sku", "x1"), "error: unknown sku 'x1': did you mean 'x10'?\n"),
            (("--arch", "ax2"), "error: unknown arch 'ax2': did you mean 'ax1'?\n"),
            (("--tp", "2,x"), "error: tp is a positive integer, not 'x'\n"),
            (("--vendr", "a"), "error: no such option --vendr: did you mean --vendor?\n"),
        ],
    )
    def test_unknown(self, args: tuple[str, ...], message: str) -> None:
        """A value that nobody has is an error, not an empty list."""
        result = run("points", *args)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(message)

    def test_faults(self) -> None:
        """It resolves recipes, so it refuses."""
        result = run("points", registry=acme(Axis(id="image", default="a")))
        assert result.exit_code == 2
        assert result.stderr.startswith("error: 1 fault in the registry:\n")
