"""A launch spec against what the engine in its image accepts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from infxreg.catalogue import Catalogue
from infxreg.records import Capability, Engine, Image
from infxreg.render import arguments
from infxreg.spec import LaunchSpec
from infxreg.surface.findings import Finding
from infxreg.surface.image_check import Reply, replies
from infxreg.surface.possible import Possible, possible

Knows = Callable[[Finding], "str | None"]


def held_by(engine: str, image: Image | None, digest: str | None, catalogue: Catalogue) -> Possible:
    """The versions of an engine that an image may hold.

    Raises:
        SurfaceError: if a file that should tell is damaged.
    """
    fitting = image if image is not None and image.engine == engine else None
    return possible(catalogue.surface_store, engine, fitting, digest)


def spec_replies(
    spec: LaunchSpec, held: Possible, catalogue: Catalogue, image: Image | None = None
) -> tuple[Reply, ...]:
    """What is to be said of a spec's command line and variables; nothing where nothing is known.

    Args:
        spec: the launch spec.
        held: the versions that its image may hold.
        catalogue: the registry's records.
        image: the record whose ``knows`` settles what a bracket leaves open.
    """
    if not held.versions:
        return ()
    argv = arguments(catalogue.engines[spec.engine], spec.argv)
    return replies(held, argv, spec.env, knower(image, catalogue.capabilities))


def knower(image: Image | None, capabilities: Mapping[str, Capability]) -> Knows:
    """A function that names the capability, of those that an image knows, of a finding."""
    known = [capabilities[name] for name in (image.knows if image is not None else ())]

    def knows(finding: Finding) -> str | None:
        for one in known:
            if (one.flag, one.key) == (finding.flag, finding.key) and one.value in (
                None,
                finding.value,
            ):
                return one.id
        return None

    return knows


def setting_of(finding: Finding, spec: LaunchSpec, engine: Engine) -> tuple[str, str]:
    """The option that a finding is about and the rule that set it; empty where there is none."""
    for key in _keys(finding, engine):
        option = spec.options.get(key)
        if option is not None and option.value is not None:
            return key, " and ".join(f"{o.plugin}:{o.rule}" for o in option.origins)
    return "", ""


def _keys(finding: Finding, engine: Engine) -> list[str]:
    flag = finding.flag.removeprefix("--")
    key = (finding.key or "").partition(".")[0]
    rendered = [
        how.option
        for how in engine.render
        if finding.flag == how.env
        or (flag in (how.flag, how.false) and (not key or how.json in (None, key)))
    ]
    return [*rendered, *(f"{prefix}{flag}" for prefix in ("args.", "env."))]
