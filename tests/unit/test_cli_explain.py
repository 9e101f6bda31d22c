"""``infxreg explain``: origins, what a value beat, and the rules that don't match here."""

from __future__ import annotations

import json

import click
from click.testing import CliRunner, Result

from infxreg import Registry
from infxreg.cli.app import app
from infxreg.cli.state import State
from infxreg.values import ABSENT
from support.builders import acme, rule, where

AGREEING = (
    rule("again", {"attention.backend": "PLAIN"}, where(engine="run", model=["m1", "m2"])),
    rule("wide", {"attention.backend": "FASTER"}, where(engine="run")),
    rule("off", {"args.port": ABSENT}, where(engine="run")),
)


def run(*args: str, registry: Registry | None = None, verbose: bool = False) -> Result:
    state = State(verbose=verbose, registry=registry or acme())
    return CliRunner().invoke(app, ["explain", *args], obj=state)


def test_one_key_in_full() -> None:
    """The value, its origin, what it beat and why, and what doesn't match here and why."""
    result = run("x10", "m1", "attention.backend")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "x10 m1 run conc=16 tp=2"
    assert lines[1] == "point tp2_c16 of m1-x10-run; gates open: fast"
    assert lines[2] == ""
    assert lines[3] == 'attention.backend = "FAST"'
    assert lines[4] == "  from      acme:run-fast (infxreg-acme 1.2, infxreg_acme/acme.toml)"
    assert lines[5] == (
        '  beat      "PLAIN"  acme:run-base (infxreg-acme 1.2, infxreg_acme/acme.toml)'
    )
    assert lines[6].startswith("            acme:run-fast is narrower (")
    assert lines[7] == (
        '  not here  "FASTER"  acme:run-faster (infxreg-acme 1.2, infxreg_acme/acme.toml)'
    )
    assert lines[8].startswith("            tp is 2, not 4")
    assert "gate extra is closed" in lines[8]
    assert "(its scope: " in lines[8]
    assert len(lines) == 9


def test_the_source_that_a_rule_cites() -> None:
    """It stands under the origin."""
    shown = run("x10", "m1", "acme.cap").stdout
    assert "acme:run-base (infxreg-acme 1.2, infxreg_acme/acme.toml)\n" in shown
    assert "            source: the manual\n" in shown


def test_a_derivation_with_its_inputs() -> None:
    """What it read, and the value of each."""
    shown = run("x10", "m1", "scheduler.max_num_seqs").stdout
    assert "scheduler.max_num_seqs = 32\n" in shown
    assert "  derived   scaled(conc, acme.cap, factor=2) with conc=16, acme.cap=64\n" in shown


def test_all_that_agree_and_what_was_derived_instead() -> None:
    """Every origin of a value, and a beaten derivation in its own words."""
    registry = acme(*AGREEING, site='[[rule]]\nid = "s"\nset."scheduler.max_num_seqs" = 9\n')
    shown = run("x10", "m1", "attention.backend", "--no-gate", "fast", registry=registry).stdout
    assert "  from      acme:run-base (" in shown
    assert "  also from extra:again (" in shown
    hidden = run("x10", "m1", "scheduler.max_num_seqs", registry=registry).stdout
    assert "  from      site:s (infxreg.toml)\n" in hidden
    assert "  beat      scaled(conc, acme.cap, factor=2) with " in hidden or (
        "  beat      scaled(conc, acme.cap, factor=2)  acme:run-base (" in hidden
    )
    assert "the site layer is above the plugin layer" in hidden


def test_a_request_and_an_absence() -> None:
    """What was asked for is an origin too, and so is the word of a rule that takes a key away."""
    registry = acme(AGREEING[2])
    shown = run("x10", "m1", "acme.cap", "--set", "acme.cap=8").stdout
    assert "acme.cap = 8\n  from      request:--set\n" in shown
    assert "the request layer is above the plugin layer" in shown
    assert "args.port = (absent)\n" in run("x10", "m1", "args.port", registry=registry).stdout


def test_a_key_that_nobody_sets_here() -> None:
    """It says so, and which rules set it elsewhere."""
    shown = run("x10", "m1", "speculative.method").stdout
    assert "speculative.method: no rule sets it here\n" in shown
    assert '  not here  "simulated"  acme:run-throughput (' in shown
    assert "purpose is serve, not throughput" in shown


def test_all_keys_in_brief() -> None:
    """One block each; the rules elsewhere are counted, and said with -v."""
    spec = acme().resolve(sku="x10", model="m1")
    registry = acme(rule("a", {"args.x": 1}, where(sku="x20")), rule("b", {"args.x": 2}, where()))
    shown = run("x10", "m1", registry=registry).stdout
    for key in spec.options:
        assert f"\n\n{key} = " in shown
    assert "  not here  1 rule sets it elsewhere\n" in shown
    assert shown.endswith("name a KEY, or say -v, for the rules that set a key elsewhere\n")
    full = run("x10", "m1", registry=registry, verbose=True).stdout
    assert "acme:run-faster (" in full
    assert "elsewhere" not in full


def test_a_point_off_every_sweep() -> None:
    """It says that nobody ran it."""
    shown = run("z10", "m1", "image", "--engine", "run", "--tp", "2", "--conc", "3").stdout
    assert shown.splitlines()[:2] == [
        "z10 m1 run conc=3 tp=2",
        "off every sweep; gates open: none",
    ]


def test_several_rules_elsewhere_are_counted() -> None:
    """In the plural."""
    shown = run("x20", "m1", "--engine", "run").stdout
    assert "  not here  2 rules set it elsewhere\n" in shown


def test_json() -> None:
    """The spec's own data for each key, with the rules that don't match."""
    data = json.loads(run("x10", "m1", "attention.backend", "--json").stdout)
    spec = acme().resolve(sku="x10", model="m1").to_dict()
    assert data["digest"] == spec["digest"]
    assert data["point"] == spec["point"]
    assert data["gates"] == ["fast"]
    (key,) = data["keys"]
    unmatched = key.pop("unmatched")
    assert key.pop("checks") == []
    assert key == {
        "key": "attention.backend",
        "set": True,
        **spec["options"]["attention.backend"],
    }
    assert [item["origin"]["rule"] for item in unmatched] == ["run-faster"]
    assert set(unmatched[0]) == {"origin", "value", "scope", "why"}
    assert set(unmatched[0]["origin"]) <= set(key["origins"][0])
    (gone,) = json.loads(run("x10", "m1", "speculative.method", "--json").stdout)["keys"]
    assert gone["set"] is False
    assert len(json.loads(run("x10", "m1", "--json").stdout)["keys"]) == len(spec["options"])


def test_errors() -> None:
    """An unknown key has a near match; a request that can't be used is resolve's error."""
    result = run("x10", "m1", "atention.backend")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error: unknown option 'atention.backend': did you mean 'attention.backend'?\n"
    )
    assert run("x11", "m1").stderr == "error: unknown sku 'x11': did you mean 'x10'?\n"


def test_options_are_those_of_resolve() -> None:
    """Whatever resolve can be asked, explain can explain."""
    context = app.make_context("infxreg", [], resilient_parsing=True, obj=State(registry=acme()))
    names = {}
    for name in ("resolve", "explain"):
        command = app.get_command(context, name)
        assert command is not None
        params = command.get_params(click.Context(command, parent=context))
        names[name] = {opt for p in params for opt in p.opts}
    assert names["resolve"] - names["explain"] == {"-f", "--format"}
    assert names["explain"] - names["resolve"] == {"key"}
