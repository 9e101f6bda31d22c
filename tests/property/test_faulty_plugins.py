"""Law: a raising plugin leaves the others' contributions as they were, and resolving then fails
and names it, unless it is skipped by name.
"""

from __future__ import annotations

import random
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings

from infxreg import Contribution, Registry, hookimpl
from infxreg.errors import RegistryFaults
from infxreg.plugins import collect
from infxreg.records import Axis, Gate, Option, Rule
from infxreg.scope import Scope
from infxreg.values import FrozenMap
from support.case import Case
from support.outcomes import outcome, same_outcome
from support.points import draw_axes, draw_request, point
from support.strategies import cases, draw_rule, randoms


def raising(error: BaseException) -> Callable[[list[Any]], Any]:
    """A hook that raises at once."""

    def hook(records: list[Any]) -> Any:
        raise error

    return hook


def midway(records: list[Any]) -> Iterator[Any]:
    """A hook that gives what it has, and then raises."""
    yield from records
    raise LookupError("half way")


FAILURES: dict[str, Callable[[list[Any]], Any]] = {
    "ValueError: broken": raising(ValueError("broken")),
    "SystemExit: 3": raising(SystemExit(3)),
    "RecursionError": raising(RecursionError()),
    "LookupError: half way": midway,
    "returned None": lambda records: None,
    "returned str": lambda records: [*records, "no record"],
    "returned Axis": lambda records: [*records, Axis(id="stray", default="x")],
    "TypeError": lambda records: 7,
}


def plugin(hooks: dict[str, list[Any]], failing: str, failure: Callable[..., Any]) -> Any:
    """A module with these hooks, one of which fails."""
    module = types.ModuleType("broken")
    for name, records in hooks.items():

        def hook(records: list[Any] = records, fails: bool = name == failing) -> Any:
            return failure(records) if fails else records

        # pluggy takes a hook's arguments from its signature: there are none.
        setattr(module, name, hookimpl(lambda hook=hook: hook()))
        getattr(module, name).__signature__ = None
    return module


@pytest.mark.parametrize("message", FAILURES)
@given(case=cases((4, 12)), rng=randoms())
@settings(max_examples=8)
def test_a_failing_plugin_is_named_and_touches_nobody(
    message: str, case: Case, rng: random.Random
) -> None:
    """Whatever its hooks do, the others resolve as before once it is skipped, and not before."""
    hooks: dict[str, list[Any]] = {
        "infxreg_rules": [draw_rule(rng, case), Rule(id="all", settings=FrozenMap({"args.x": 1}))],
        "infxreg_options": [Option(id="broken.option", type="int", doc="own", use="input")],
        "infxreg_gates": [Gate(id="broken", when=Scope.of(), doc="own")],
    }
    failing = rng.choice(sorted(hooks))
    bad = collect(plugin(hooks, failing, FAILURES[message]), Contribution("broken", "broken-dist"))
    assert bad.placed == ()
    assert any(message in fault.message and fault.where == failing for fault in bad.faults)

    alone = case.registry()
    together = Registry((*case.contributions(), bad), case.site_layer())
    assert together.contributions[:-1] == alone.contributions
    assert {fault.plugin for fault in together.faults} == {"broken"}
    skipping = Registry(case.contributions(), case.site_layer(), frozenset(["broken"]))
    for _ in range(2):
        axes = draw_axes(rng, case)
        request = draw_request(rng, case, axes)
        with pytest.raises(RegistryFaults, match=r"broken \(broken-dist\)"):
            together.resolve(point(axes), **request)
        before = outcome(alone, point(axes), request)
        for skipped in (skipping, together.without_plugin("broken")):
            assert not skipped.faults
            assert same_outcome(before, outcome(skipped, point(axes), request))


def test_a_plugin_that_works_contributes_all_its_records() -> None:
    """The same module without a failing hook: nothing of the above is due to how it is made."""
    hooks: dict[str, list[Any]] = {"infxreg_gates": [Gate(id="g", when=Scope.of(), doc="own")]}
    good = collect(plugin(hooks, "", midway), Contribution("good"))
    assert not good.faults
    assert [placed.record for placed in good.placed] == hooks["infxreg_gates"]


def test_a_failing_plugin_beside_the_shipped_ones(shipped: Registry) -> None:
    """The shipped points are equal with it skipped; with it nothing resolves."""
    hooks: dict[str, list[Any]] = {"infxreg_rules": []}
    bad = collect(plugin(hooks, "infxreg_rules", midway), Contribution("broken"))
    together = shipped.with_plugin(bad)
    skipping = together.without_plugin("broken")
    for place in list(shipped.points())[::20]:
        with pytest.raises(RegistryFaults, match="broken: infxreg_rules"):
            together.resolve(place)
        assert same_outcome(shipped.resolve(place), skipping.resolve(place))
