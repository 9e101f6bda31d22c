"""What policies are written with: rulings, and the views of specs and changes that they decide on.

A policy is a pure function: the same view, the same rulings. It names what it looked at, and
where it can't tell it says so (``unknown``) rather than pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from attrs import field, frozen

from infxreg.records import Engine, Image, Model, Sku
from infxreg.spec import Answer, LaunchSpec
from infxreg.values import FrozenMap, Value

if TYPE_CHECKING:
    from infxreg.records import Evidence, Shows
    from infxreg.review.evidence import Standing
    from infxreg.review.facts import Facts
    from infxreg.review.impact import Impact


@frozen
class Ruling:
    """One answer of a policy, with its reason: in English, and as far as it is translated.

    Attributes:
        answer: ``ok``, ``refuted``, or ``unknown`` where what is known doesn't decide.
        reason: what was looked at, and what is asked.
        translations: the reason by language (``zh``).
    """

    answer: Answer
    reason: str
    translations: FrozenMap[str, str] = field(factory=FrozenMap)


def ok(reason: str, **translations: str) -> Ruling:
    """What the policy asks holds."""
    return Ruling("ok", reason, FrozenMap(translations))


def refuted(reason: str, **translations: str) -> Ruling:
    """What the policy asks doesn't hold."""
    return Ruling("refuted", reason, FrozenMap(translations))


def undecided(reason: str, **translations: str) -> Ruling:
    """Somebody has to look: what is known doesn't decide."""
    return Ruling("unknown", reason, FrozenMap(translations))


@frozen(eq=False, kw_only=True)
class SpecView:
    """A launch spec with the records behind it.

    Attributes:
        spec: the launch spec.
        model: its model's record.
        sku: its SKU's.
        engine: its engine's.
        image: its image's, None where nobody declares it.
        day: today (``2026-12-01``), None where nobody said.
    """

    spec: LaunchSpec
    model: Model
    sku: Sku
    engine: Engine
    image: Image | None
    day: str | None = None

    def value(self, key: str) -> Value | None:
        """An option's value, None where it is absent or nobody sets it."""
        option = self.spec.options.get(key)
        return None if option is None else option.value

    def axis(self, name: str) -> str:
        """The point's value on an axis, as text; empty without one."""
        return str(self.spec.point.axes.get(name, ""))


@frozen(eq=False, kw_only=True)
class ChangeView:
    """What a change does, and what is known of it beside the configuration.

    Attributes:
        impact: the points that it touches.
        recipes: by id, the touched recipes that are there afterwards, with the workload of each.
        standings: what evidence says of the touched points, by kind of run and by
            ``recipe/point``.
        runs: the runs that the registry has evidence of, by id.
        images: those that the touched points launch.
        facts: what only the forge knows.
        append_only: whether the change says that it only adds points.
    """

    impact: Impact
    recipes: Mapping[str, str]
    standings: Mapping[Shows, Mapping[str, Standing]]
    runs: Mapping[str, Evidence]
    images: frozenset[str]
    facts: Facts
    append_only: bool = False


SpecPolicy: TypeAlias = Callable[[SpecView], Iterable[Ruling]]
ChangePolicy: TypeAlias = Callable[[ChangeView], Iterable[Ruling]]
