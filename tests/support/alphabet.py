"""What generated registries are made of: axes, options, keys with their values, derivations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from infxreg.records import Axis, Option, Render

VENDORS = {"sm1": "green", "sm2": "green", "gfx1": "red"}
INTS = {"tp": (1, 2, 3, 4, 8), "conc": (1, 2, 8, 16, 64)}
SWEPT = {"tp": (1, 2, 4), "conc": (1, 8, 64)}
IMAGES = ("reg/base:1", "reg/base:2", "reg/next:1")

# --- derivations: total, so that generated ones never fail ------------------------------


def total(*values: Any, plus: int = 0, times: int = 1) -> int:
    """A number that depends on all that is read."""
    sizes = (value if isinstance(value, int) else len(repr(value)) for value in values)
    return times * sum(sizes) + plus


def label(*values: Any, tag: str = "t") -> str:
    """A text that shows all that is read."""
    return tag + "|".join(map(repr, values))


def odd(*values: Any) -> bool:
    """A boolean that depends on all that is read."""
    return total(*values) % 2 == 1


def spread(*values: Any, base: int = 1) -> list[int]:
    """A list that depends on all that is read."""
    return [base, total(*values)]


def whole(*values: Any) -> float | None:
    """A number, or absent where it would be even."""
    return total(*values) / 2 if total(*values) % 2 else None


def present(value: Any, *, tag: str = "p") -> str | None:
    """A text, absent where what is read is absent."""
    return None if value is None else f"{tag}{value!r}"


FUNCTIONS = (total, label, odd, spread, whole, present)


@dataclass(frozen=True)
class Key:
    """An option or raw key of generated registries: constants, and derivations that fit."""

    id: str
    values: tuple[Any, ...]
    derived: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...] = ()
    """(function, parameters)."""


_TEXT = (("label", (("tag", "a"),)), ("label", (("tag", "b"),)), ("present", ()))
_NUMBER = (("total", (("plus", 1), ("times", 2))), ("total", (("times", 2), ("plus", 1))))

KEYS = (
    Key("gamma.input", (4, 8, 16)),
    Key("alpha.count", (1, 2, 3), (*_NUMBER, ("total", ()))),
    Key("beta.real", (1, 1.0, 2.5), (("total", ()), ("whole", ()))),
    Key("beta.flag", (True, False), (("odd", ()),)),
    Key("gamma.list", ((1, 2), (2, 1)), (("spread", ()), ("spread", (("base", 2),)))),
    Key("alpha.text", ("a", "b", 'c "d"\n$é'), _TEXT),
    Key("delta.text", ("x", "y"), _TEXT),
    Key("args.more", (1, 1.0, True, "1"), (("total", ()), ("label", ()))),
    Key("env.MORE", ("1", "2"), _TEXT),
    Key("client_env.MORE", ("m", "n"), _TEXT),
    Key("image", IMAGES),
)
"""In the order in which derivations may read them."""

OPTIONS = (
    Option(id="image", type="str", doc="image"),
    Option(id="resources.gpus", type="int", doc="GPUs"),
    Option(id="timeout.health_interval_s", type="int", doc="s"),
    Option(id="timeout.health_attempts", type="int", doc="attempts"),
    Option(id="gamma.input", type="int", doc="read only", use="input"),
    Option(id="alpha.count", type="int", doc="number"),
    Option(id="beta.real", type="float", doc="number"),
    Option(id="beta.flag", type="bool", doc="switch"),
    Option(id="gamma.list", type="list[int]", doc="list"),
    Option(id="alpha.text", type="str", doc="text"),
    Option(id="delta.text", type="str", doc="text"),
)

RENDER = (
    Render(option="alpha.count", flag="count"),
    Render(option="beta.real", flag="config", json="real"),
    Render(option="beta.flag", flag="flag", false="no-flag"),
    Render(option="gamma.list", flag="list"),
    Render(option="alpha.text", env="TEXT"),
    Render(option="delta.text", flag="config", json="text"),
)

AXES = (
    Axis(id="sku", type="id"),
    Axis(id="model", type="id"),
    Axis(id="engine", type="id"),
    Axis(id="workload", default="chat", values=("chat", "batch")),
    Axis(id="purpose", default="serve", values=("serve", "throughput", "eval")),
    Axis(id="tp", type="int", default=1),
    Axis(id="conc", type="int", default=1),
    Axis(id="vendor", facet_of="sku"),
    Axis(id="arch", facet_of="sku"),
    Axis(id="cpu_arch", facet_of="sku"),
    Axis(id="family", facet_of="model"),
)

EXTRA = (
    Axis(id="tenant", default="none", values=("acme", "bolt")),
    Axis(id="board", facet_of="sku"),
)
"""Axes that a plugin declares, one of them a facet."""

RULED = ("p-one", "p-two", "p-three")
"""The plugins over which rules and gates are spread."""
