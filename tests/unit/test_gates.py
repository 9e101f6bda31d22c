"""Which gates are open, and who may open them."""

from __future__ import annotations

from typing import Any

import pytest

from infxreg.errors import (
    BadRequestError,
    GateContradictionError,
    GateIdleError,
    GateScopeError,
    RequestError,
    UnknownIdError,
    UnusableValueError,
)
from infxreg.spec import LaunchSpec
from support.builders import X10, acme, answers

REGISTRY = acme()


def backend(spec: LaunchSpec) -> object:
    return spec.options["attention.backend"].value


def test_a_recipe_opens_its_gates_at_its_points() -> None:
    """Where their scope holds, and off every sweep not at all."""
    assert REGISTRY.resolve(**X10).gates == ("fast",)
    assert REGISTRY.resolve(**X10, tp=8, conc=2).gates == ()
    assert REGISTRY.resolve(**X10, conc=5).gates == ()
    assert backend(REGISTRY.resolve(**X10, conc=5)) == "PLAIN"


def test_a_request_opens_and_closes() -> None:
    """Over the recipe, and off its sweeps too."""
    assert backend(REGISTRY.resolve(**X10, no_gates=["fast"])) == "PLAIN"
    assert REGISTRY.resolve(**X10, no_gates=["fast"]).gates == ()
    assert backend(REGISTRY.resolve(**X10, conc=5, gates=["fast"])) == "FAST"
    assert backend(REGISTRY.resolve(**X10, tp=4, gates=["extra"])) == "FASTER"
    assert REGISTRY.resolve(**X10, tp=4, gates=["extra", "extra"]).gates == ("extra", "fast")


def test_a_closed_gates_rules_are_invisible() -> None:
    """They neither win, nor are they shown as beaten, nor do they require anything."""
    spec = REGISTRY.resolve(**X10, no_gates=["fast"])
    assert spec.options["attention.backend"].shadowed == ()
    assert answers(spec, "image-requirement") == []


def test_a_site_opens_and_closes() -> None:
    """Over the recipe, under the request."""
    closing = acme(site='[site]\nclose = ["fast"]')
    assert closing.resolve(**X10).gates == ()
    assert closing.resolve(**X10, gates=["fast"]).gates == ("fast",)
    opening = acme(site='[site]\nopen = ["extra", "fast"]')
    assert opening.resolve(**X10, tp=4).gates == ("extra", "fast")
    assert opening.resolve(**X10, conc=5, tp=4).gates == ("extra", "fast")
    assert opening.resolve(**X10).gates == ("fast",), "no rule behind extra counts at tp=2"
    assert opening.resolve(**X10, tp=4, no_gates=["extra"]).gates == ("fast",)
    assert opening.resolve(sku="x20", model="m1", engine="run").gates == ()


@pytest.mark.parametrize(
    ("request_", "where"),
    [
        ({**X10, "tp": 8, "conc": 2}, "sku=x10 model=m1 engine=run conc=2 ep=8 tp=8"),
        ({"sku": "x20", "model": "m1", "engine": "run"}, "sku=x20 model=m1 engine=run tp=2"),
    ],
)
def test_a_gate_outside_its_scope(request_: dict[str, Any], where: str) -> None:
    """The error names the scope."""
    with pytest.raises(GateScopeError) as error:
        REGISTRY.resolve(**request_, gates=["fast"])
    assert error.value.gate == "fast"
    assert str(error.value) == (
        f"gate fast can't be opened at {where}: its scope is sku=x10 model=m1 engine=run tp=2|4. "
        "What is behind it is meant for that scope only"
    )


def test_a_gate_whose_rules_need_another() -> None:
    """The error names the other gate."""
    with pytest.raises(GateIdleError) as error:
        REGISTRY.resolve(**X10, tp=4, gates=["extra"], no_gates=["fast"])
    assert error.value.needs == ("fast",)
    assert str(error.value) == (
        "opening gate extra at sku=x10 model=m1 engine=run conc=16 tp=4 does nothing: "
        "its rules there stand behind fast too; open these"
    )


def test_a_gate_whose_rules_are_for_other_points() -> None:
    """The error names their scopes."""
    with pytest.raises(GateIdleError) as error:
        REGISTRY.resolve(**X10, tp=2, gates=["extra"])
    assert error.value.needs == ()
    assert str(error.value) == (
        "opening gate extra at sku=x10 model=m1 engine=run conc=16 tp=2 does nothing: "
        "its rules are for sku=x10 model=m1 engine=run tp=4 gate:extra gate:fast"
    )


def test_a_gate_without_rules() -> None:
    """The error says so."""
    registry = acme('[[gate]]\nid = "empty"\nwhen = { sku = "x10" }\ndoc = "d"')
    with pytest.raises(GateIdleError) as error:
        registry.resolve(**X10, gates=["empty"])
    assert str(error.value) == (
        "opening gate empty at sku=x10 model=m1 engine=run conc=16 tp=2 does nothing: "
        "no rule stands behind it"
    )


def test_a_site_rule_behind_a_gate_counts() -> None:
    """Opening a gate for a rule of the site is opening it for something."""
    registry = acme(
        '[[gate]]\nid = "own"\nwhen = { sku = "x10" }\ndoc = "d"',
        site='[[rule]]\nid = "r"\nwhen = { sku = "x10" }\ngates = ["own"]\nset."args.x" = 1',
    )
    assert registry.resolve(**X10, gates=["own"]).argv[-2:] == ("--x", "1")
    assert "--x" not in registry.resolve(**X10).argv


def test_open_and_closed_at_once() -> None:
    """All that the request contradicts itself about are named."""
    with pytest.raises(GateContradictionError) as error:
        REGISTRY.resolve(**X10, gates=["fast", "extra"], no_gates=["extra", "fast"])
    assert (
        str(error.value) == "the request asks for extra, fast to be both open and closed: drop one"
    )


@pytest.mark.parametrize("argument", ["gates", "no_gates"])
def test_an_unknown_gate(argument: str) -> None:
    """With a near match, whether it is to be opened or closed."""
    with pytest.raises(UnknownIdError) as error:
        REGISTRY.resolve(**X10, **{argument: ["fest"]})
    assert str(error.value) == "unknown gate 'fest': did you mean 'fast'?"


@pytest.mark.parametrize("argument", ["gates", "no_gates", "unset"])
def test_a_list_isnt_a_text(argument: str) -> None:
    """A text would be taken for its letters."""
    with pytest.raises(BadRequestError) as error:
        REGISTRY.resolve(**X10, **{argument: "fast"})
    assert str(error.value) == f"{argument} is a list of names, not one text: ['fast']"


def test_a_value_behind_a_gate_needs_it_open() -> None:
    """By hand it can't be set without; with it, it can."""
    with pytest.raises(UnusableValueError) as error:
        REGISTRY.resolve(sku="x20", model="m1", engine="run", set={"attention.backend": "FAST"})
    assert str(error.value) == (
        "at sku=x20 model=m1 engine=run tp=2:\n"
        '  attention.backend: "FAST" is allowed only behind gate fast (from request:--set)'
    )
    spec = REGISTRY.resolve(**X10, set={"attention.backend": "FAST"})
    assert backend(spec) == "FAST"


def test_gate_errors_are_request_errors() -> None:
    """One class to catch them all."""
    for error in (GateScopeError, GateIdleError, GateContradictionError):
        assert issubclass(error, RequestError)
