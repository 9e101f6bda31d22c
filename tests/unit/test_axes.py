"""The axis space: values, facts, and a request's words for them."""

from __future__ import annotations

import pytest

from infxreg.axes import AxisSpace
from infxreg.errors import BadRequestError, UnknownIdError
from infxreg.records import Axis, AxisValues
from support.builders import acme

SPACE = acme().catalogue.space


def test_values_of_an_axis() -> None:
    """Declared ones, ids of records, and facts that records have."""
    assert SPACE.values["sku"] == ("x10", "x20", "z10")
    assert SPACE.values["arch"] == ("ax1", "bz1")
    assert SPACE.values["vendor"] == ("acme", "bolt")
    assert SPACE.values["cpu_arch"] == ("aarch64", "riscv64", "x86_64")
    assert SPACE.values["family"] == ("fam",)
    assert SPACE.values["engine"] == ("alt", "run")
    assert SPACE.values["purpose"] == ("eval", "serve", "throughput")


def test_facets_come_from_facts() -> None:
    """Of the SKU and the model; vendor through the architecture."""
    assert SPACE.fact("sku", "x20", "vendor") == "acme"
    assert SPACE.fact("arch", "bz1", "vendor") == "bolt"
    assert SPACE.fact("sku", "x20", "family") is None
    assert SPACE.fact("sku", "nobody", "vendor") is None
    assert SPACE.carriers("vendor") == ("sku", "arch")
    assert SPACE.carriers("family") == ("model",)
    assert SPACE.carriers("tp") == ()
    full = SPACE.with_facets({"sku": "z10", "model": "m1", "tp": 2})
    assert full == {
        "sku": "z10",
        "model": "m1",
        "tp": 2,
        "arch": "bz1",
        "vendor": "bolt",
        "cpu_arch": "riscv64",
        "family": "fam",
    }
    assert SPACE.with_facets({})["vendor"] is None


def test_request_axes_are_all_but_facets() -> None:
    """A facet can't be asked for."""
    assert "vendor" not in SPACE.request_axes
    assert "sku" in SPACE.request_axes
    assert SPACE.is_facet("vendor")
    assert not SPACE.is_facet("tp")


@pytest.mark.parametrize(
    ("axis", "raw", "value"),
    [("tp", 4, 4), ("tp", "4", 4), ("purpose", "eval", "eval"), ("sku", "x10", "x10")],
)
def test_parse(axis: str, raw: object, value: object) -> None:
    """Text of the command line becomes a value of the axis."""
    assert SPACE.parse(axis, raw) == value


@pytest.mark.parametrize("raw", [0, -1, "0", "-1", "two", "", 1.0, "1.0", True, None, "²", "٣"])
def test_an_integer_axis_takes_positive_integers(raw: object) -> None:
    """And nothing that only looks like one."""
    with pytest.raises(BadRequestError) as error:
        SPACE.parse("tp", raw)
    assert str(error.value) == f"tp is a positive integer, not {raw!r}"


def test_a_number_with_thousands_of_digits_is_refused() -> None:
    """As a request error, not as Python's own."""
    with pytest.raises(BadRequestError):
        SPACE.parse("tp", "9" * 5000)


def test_a_facet_cant_be_asked_for() -> None:
    """The message says what to name instead."""
    with pytest.raises(BadRequestError) as error:
        SPACE.parse("vendor", "acme")
    assert str(error.value) == "vendor is a fact of the sku: name the sku instead"


@pytest.mark.parametrize(
    ("axis", "raw", "message"),
    [
        ("purpos", "eval", "unknown axis 'purpos': did you mean 'purpose'?"),
        ("purpose", "evl", "unknown purpose 'evl': did you mean 'eval'?"),
        ("purpose", "zzz", "unknown purpose 'zzz': known are eval, serve, throughput"),
        ("purpose", 5, "unknown purpose '5': known are eval, serve, throughput"),
        ("sku", "X10", "unknown sku 'X10': did you mean 'x10'?"),
    ],
)
def test_unknown_axes_and_values(axis: str, raw: object, message: str) -> None:
    """With a near match, or all that are known."""
    with pytest.raises(UnknownIdError) as error:
        SPACE.parse(axis, raw)
    assert str(error.value) == message


def test_plugins_declare_axes_values_and_facets() -> None:
    """A new axis, more values of another one's, and facts that records carry."""
    registry = acme(
        Axis(id="region", default="here", values=("there",)),
        AxisValues(id="more", axis="workload", values=("chat",)),
        Axis(id="rack", facet_of="sku"),
        """
        [[sku]]
        id = "x30"
        name = "X30"
        arch = "ax1"
        memory_gib = 1
        gpus_per_node = 1
        cpu_arch = "x86_64"
        facets.rack = "tall"
        source = "test"
        """,
    )
    assert registry.faults == ()
    space = registry.catalogue.space
    assert space.values["region"] == ("here", "there")
    assert "chat" in space.values["workload"]
    assert space.values["rack"] == ("tall",)
    assert space.with_facets({"sku": "x30"})["rack"] == "tall"
    assert space.with_facets({"sku": "x10"})["rack"] is None


def test_a_sku_whose_arch_nobody_declares_has_no_vendor() -> None:
    """Its other facts are there."""
    from infxreg.records import Sku

    sku = Sku(
        id="s",
        name="s",
        arch="none",
        memory_gib=1,
        gpus_per_node=1,
        cpu_arch="x86_64",
        source="test",
    )
    space = AxisSpace.build([Axis(id="vendor", facet_of="sku")], {}, [], [sku], [], [])
    assert space.with_facets({"sku": "s"}) == {"sku": "s", "vendor": None}
