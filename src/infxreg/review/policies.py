"""Policies over launch specs: who holds to them, and which exceptions are waived."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from attrs import field, frozen

from infxreg.catalogue import Catalogue
from infxreg.policy import Ruling, SpecPolicy, SpecView
from infxreg.records import Policy, Waiver
from infxreg.spec import Answer, LaunchSpec, Severity


@frozen
class Held:
    """What one policy says of one spec, after waivers."""

    policy: str
    answer: Answer
    severity: Severity
    message: str


@frozen(eq=False)
class Policies:
    """The policies and waivers of a registry, ready to be applied to specs.

    Args:
        catalogue: the registry's records.
        day: today, as ``2026-12-01``; without it no waiver expires.
    """

    catalogue: Catalogue
    day: str | None = None
    used: set[str] = field(factory=set, init=False)
    """The waivers that something was waived by."""

    def of(self, spec: LaunchSpec) -> Iterator[Held]:
        """What every policy says of a spec.

        A policy that raises, or gives something else than rulings, is refuted as an error, by
        name: whatever its severity, and whatever is waived.
        """
        catalogue = self.catalogue
        if not catalogue.policies:
            return
        view = SpecView(
            spec=spec,
            model=catalogue.models[spec.model.id],
            sku=catalogue.skus[spec.sku],
            engine=catalogue.engines[spec.engine],
            image=catalogue.images.get(spec.image.reference),
            day=self.day,
        )
        for name in sorted(catalogue.policies):
            policy = catalogue.policies[name]
            if policy.spec is None:
                continue
            found = _rulings(policy.spec, view)
            if isinstance(found, str):  # what can't decide mustn't pass for one that did
                yield Held(name, "refuted", "error", f"{_home(policy, catalogue)} {found}")
                continue
            for ruling in found:
                yield self._waived(policy, ruling, spec)

    def idle(self) -> Iterator[Waiver]:
        """The waivers that waived nothing so far, of policies that no change is held to."""
        for name in sorted(self.catalogue.waivers):
            waiver = self.catalogue.waivers[name]
            if name not in self.used and self.catalogue.policies[waiver.policy].change is None:
                yield waiver

    def _waived(self, policy: Policy, ruling: Ruling, spec: LaunchSpec) -> Held:
        severity: Severity = "note" if ruling.answer == "ok" else policy.severity
        if ruling.answer == "ok":
            return Held(policy.id, ruling.answer, severity, ruling.reason)
        facets = self.catalogue.space.with_facets(spec.point.axes)
        notes: list[str] = []
        for name in sorted(self.catalogue.waivers):
            waiver = self.catalogue.waivers[name]
            if waiver.policy != policy.id or not any(
                scope.matches(facets, frozenset(spec.gates)) for scope in waiver.when
            ):
                continue
            self.used.add(name)
            if waiver.expires is not None and self.day is not None and self.day > waiver.expires:
                notes.append(f"waiver {name} ended on {waiver.expires}")
                continue
            return Held(policy.id, "ok", "note", f"{ruling.reason}; {words(waiver)}")
        message = "; ".join([ruling.reason, *notes])
        return Held(policy.id, ruling.answer, severity, message)


def words(waiver: Waiver) -> str:
    """A waiver in one line."""
    until = f" until {waiver.expires}" if waiver.expires else ""
    links = ", ".join(waiver.upstream)
    return (
        f"waived by {waiver.id}{until}: {waiver.what}; {waiver.why}; upstream: {links}; "
        f"removal: {waiver.removal}"
    )


def _rulings(function: SpecPolicy, view: SpecView) -> list[Ruling] | str:
    """What a policy says, or what is wrong with the policy."""
    try:
        found = list(function(view))
    except Exception as error:
        return f"raised {error!r}"
    for one in found:
        if not isinstance(one, Ruling):
            return f"gave {type(one).__name__}, not Ruling"
        if one.answer not in get_args(Answer):
            return f"answers {one.answer!r}, which is none of {', '.join(get_args(Answer))}"
    return found


def _home(policy: Policy, catalogue: Catalogue) -> str:
    origin = catalogue.origins["policy", policy.id]
    return f"policy {policy.id} of plugin {origin.plugin}"
