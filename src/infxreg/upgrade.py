"""What happens to launch specs when their image's engine is another version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias, get_args

from attrs import evolve, frozen

from infxreg.catalogue import Catalogue
from infxreg.engine_check import held_by, setting_of, spec_replies
from infxreg.errors import BadRequestError, PurposeError, UnknownIdError
from infxreg.records import Image
from infxreg.references import image_of
from infxreg.registry import Registry
from infxreg.spec import LaunchSpec
from infxreg.surface.findings import Finding, Kind
from infxreg.surface.image_check import Reply
from infxreg.surface.possible import Possible
from infxreg.sweeps import PURPOSE

Effect: TypeAlias = Literal[
    "breaks", "stops working", "not known", "deprecated", "as before", "mended"
]
"""What a version does: refuses what wasn't refused; ignores without a word what worked; leaves
open whether it takes it; takes it and warns; says what the old one said; takes what the old one
refused or left open."""

_SILENT: tuple[Kind, ...] = (
    "unknown variable",
    "renamed variable",
    "dropped value",
    "JSON with dotted keys",
)
"""What a version that changed says nothing of."""


@frozen
class Change:
    """One thing that a version does to some specs.

    Attributes:
        effect: see `Effect`.
        finding: what the version says; for ``mended`` what the old one said.
        reason: the same in a sentence, with what to write instead.
        option: the key whose value it is, where there is one.
        origin: the rule that sets it.
        points: the specs.
    """

    effect: Effect
    finding: Finding
    reason: str
    option: str = ""
    origin: str = ""
    points: tuple[str, ...] = ()


@frozen
class Upgrade:
    """How many specs were looked at, and what changes for them, the worst first."""

    specs: int
    changes: tuple[Change, ...]

    @property
    def fails(self) -> bool:
        """Whether anything breaks or silently stops working."""
        return any(change.effect in ("breaks", "stops working") for change in self.changes)


def upgrade(
    subject: str,
    engine: str,
    held: Possible,
    registry: Registry,
    progress: Callable[[int, int], None] = lambda done, total: None,
    image: Image | None = None,
) -> Upgrade:
    """Checks every spec of a recipe, or with an image, against other versions of its engine.

    Args:
        subject: a recipe's id, or an image's reference.
        engine: the engine whose versions they are.
        held: the versions.
        registry: whose swept points are resolved, at every purpose that their rules name.
        progress: called with (points done, points in all).
        image: the record of the image that holds the versions, if one is named.

    Raises:
        UnknownIdError: if it is no recipe, and no spec's image.
        BadRequestError: if its specs are of another engine.
        InfxregError: if a point can't be resolved.
    """
    specs = list(_specs(subject, registry, progress))
    others = {spec.engine for spec, _ in specs} - {engine}
    if others:
        raise BadRequestError(f"{subject} runs {', '.join(sorted(others))}, not {engine}")
    found: dict[Change, list[str]] = {}
    for spec, label in specs:
        for change in _changes(spec, held, registry.catalogue, image):
            found.setdefault(change, []).append(label)
    made = [evolve(change, points=tuple(labels)) for change, labels in found.items()]
    made.sort(key=lambda change: (_ORDER[change.effect], change.finding.flag, change.reason))
    return Upgrade(len(specs), tuple(made))


def _specs(
    subject: str, registry: Registry, progress: Callable[[int, int], None]
) -> Iterator[tuple[LaunchSpec, str]]:
    catalogue = registry.catalogue
    is_recipe = subject in catalogue.recipes
    points = [
        point
        for point in registry.points()
        if not is_recipe or (point.recipe is not None and point.recipe.id == subject)
    ]
    purposes = catalogue.space.values.get(PURPOSE, ())
    images: set[str] = set()
    found = False
    for number, point in enumerate(points, 1):
        for purpose in purposes:
            try:
                spec = registry.resolve(point.at(purpose=str(purpose)))
            except PurposeError:
                continue
            images.add(spec.image.reference)
            if is_recipe or spec.image.reference == subject:
                found = True
                yield spec, f"{spec.point.recipe} {spec.point.id} {purpose}"
        progress(number, len(points))
    if not found:
        raise UnknownIdError("recipe or image in use", subject, (*catalogue.recipes, *images))


def _changes(
    spec: LaunchSpec, held: Possible, catalogue: Catalogue, image: Image | None
) -> Iterator[Change]:
    own = image_of(spec.image.reference, catalogue)
    now = held_by(spec.engine, own, spec.image.digest, catalogue)
    before = spec_replies(spec, now, catalogue, own)
    after = spec_replies(spec, held, catalogue, image)
    for effect, reply in effects(before, after):
        key, origin = setting_of(reply.finding, spec, catalogue.engines[spec.engine])
        yield Change(effect, reply.finding, reply.reason, key, origin)


_ORDER: Mapping[Effect, int] = {effect: number for number, effect in enumerate(get_args(Effect))}


def effects(before: Sequence[Reply], after: Sequence[Reply]) -> Iterator[tuple[Effect, Reply]]:
    """What changes for one spec, from what is said of it before and after."""
    was = _by_place(before)
    now = _by_place(after)
    for place, replies in now.items():
        for reply in replies:
            yield _effect(was.get(place, ()), reply), reply
    for place, replies in was.items():
        if place not in now:
            yield from (("mended", reply) for reply in replies if reply.severity == "error")


def _effect(before: Sequence[Reply], after: Reply) -> Effect:
    if any((one.answer, one.severity) == (after.answer, after.severity) for one in before):
        return "as before"
    if after.answer == "unknown":
        return "not known"
    if after.finding.kind in _SILENT:
        return "stops working"
    return "breaks" if after.severity == "error" else "deprecated"


def _by_place(replies: Iterable[Reply]) -> dict[tuple[str, str, str], list[Reply]]:
    found: dict[tuple[str, str, str], list[Reply]] = {}
    for reply in (one for one in replies if one.answer != "ok"):
        found.setdefault(_place(reply.finding), []).append(reply)
    return found


def _place(finding: Finding) -> tuple[str, str, str]:
    return finding.flag, finding.key or "", finding.value or ""
