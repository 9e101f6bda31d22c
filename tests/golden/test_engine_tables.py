"""Tables that state facts of engines agree with what the releases themselves accept."""

from __future__ import annotations

import functools

import pytest
from packaging.version import Version

from infxreg import Registry, discover
from infxreg.records import Capability, Render
from infxreg.surface.folded import FoldedSurfaces
from infxreg.surface.model import Surface


@functools.cache
def shipped() -> Registry:
    return discover()


def folded(engine: str) -> FoldedSurfaces:
    return shipped().catalogue.surfaces[engine].read().folded


@functools.cache
def surfaces(engine: str) -> dict[str, Surface]:
    known = folded(engine)
    return {version: known.unfold(version) for version in known.versions}


CAPABILITIES = [one for one in shipped().catalogue.capabilities.values() if one.flag is not None]


@pytest.mark.parametrize("capability", CAPABILITIES, ids=lambda one: one.id)
def test_capabilities_are_those_of_the_releases(capability: Capability) -> None:
    """Since, and until when, each is taken."""
    known = surfaces(capability.engine)
    having = [version for version, surface in known.items() if has(capability, surface)]
    assert having[0] == capability.since
    later = [v for v in known if Version(v) > Version(having[-1])]
    assert (later[0] if later else None) == capability.removed_in
    inside = [v for v in known if Version(having[0]) <= Version(v) <= Version(having[-1])]
    assert having == inside


def has(capability: Capability, surface: Surface) -> bool:
    flag = surface.by_name.get(capability.flag or "")
    if flag is None:
        return False
    if capability.key is not None:
        name = flag.config or flag.dest.title().replace("_", "")  # SpeculativeConfig
        config = surface.configs.get(name)
        if config is None or capability.key not in config.keys:
            return False
        if capability.value is None:
            return True
        if capability.key == "backend":
            return capability.value in (surface.backends or ())
        listed = surface.registries.get(f"{name}.{capability.key}", ())
        return capability.value in (*listed, *(config.fields[capability.key].choices or ()))
    if capability.value is None:
        return True
    return capability.value in (*surface.registries.get(flag.dest, ()), *(flag.choices or ()))


RENDERED = [
    pytest.param(engine.id, how, id=f"{engine.id} {how.option}")
    for engine in shipped().catalogue.engines.values()
    if engine.id in shipped().catalogue.surfaces
    for how in engine.render
]


@pytest.mark.parametrize(("engine", "how"), RENDERED)
def test_every_rendering_is_one_of_the_engine(engine: str, how: Render) -> None:
    """Some release has the flag, the form that switches it off, the key, or the variable."""
    known = surfaces(engine).values()
    if how.env is not None:
        assert any(how.env in (*(one.env or ()), *one.env_read) for one in known)
        return
    having = [one for one in known if f"--{how.flag}" in one.by_name]
    assert having, how.flag
    if how.json is not None:
        configs = [one.configs.get(one.by_name[f"--{how.flag}"].config or "") for one in having]
        assert any(config is None or how.json in config.keys for config in configs)
    elif how.false is not None:
        assert any(f"--{how.false}" in one.by_name for one in known)
