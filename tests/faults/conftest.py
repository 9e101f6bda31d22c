"""Broken plugins as they are met: installed, with an entry point and a distribution."""

from __future__ import annotations

import importlib
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import infxreg
from infxreg.errors import Fault, RegistryFaults
from support.builders import process_left_alone

Install = Callable[..., str]


@pytest.fixture(autouse=True)
def _process_left_alone() -> Iterator[None]:
    with process_left_alone():
        yield


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install a plugin from source text: a module, tables, an entry point, metadata.

    Gives the plugin's name. All of it is gone after the test.
    """
    site = tmp_path / "site-packages"
    site.mkdir()
    monkeypatch.syspath_prepend(site)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def install(
        source: str = "",
        *,
        name: str = "broken",
        distribution: str | None = None,
        version: str = "1.2",
        tables: Mapping[str, str | bytes] | None = None,
        target: str | None = None,
    ) -> str:
        distribution = distribution or f"infxreg-{name}"
        module = f"acme_{distribution.replace('-', '_')}"
        package = site / module
        package.mkdir()
        (package / "__init__.py").write_text(PRELUDE + textwrap.dedent(source) + TABLES)
        (package / "tables").mkdir()
        for file, text in (tables or {}).items():
            data = text.encode() if isinstance(text, str) else text
            (package / "tables" / file).write_bytes(data)
        info = site / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
        )
        (info / "entry_points.txt").write_text(f"[infxreg]\n{name} = {target or module}\n")
        importlib.invalidate_caches()
        return name

    yield install
    for module in [module for module in sys.modules if module.startswith("acme_")]:
        del sys.modules[module]
    monkeypatch.undo()
    importlib.invalidate_caches()


PRELUDE = """
from infxreg import Contribution, TableFile, hookimpl, table_files
from infxreg.records import *
from infxreg.scope import OneOf, Scope
from infxreg.values import Derived, FrozenMap
"""

TABLES = """

@hookimpl
def infxreg_tables():
    return table_files(__name__)
"""

B200: dict[str, Any] = {"sku": "b200", "model": "dsv41flash"}


def digests(registry: infxreg.Registry) -> dict[str, str]:
    """Of each recipe's default point."""
    recipes = registry.catalogue.recipes
    return {
        str(point.recipe and point.recipe.id): registry.resolve(point).digest
        for point in registry.points()
        if point.recipe is not None and point.id == recipes[point.recipe.id].default_point
    }


@pytest.fixture(scope="session")
def shipped() -> infxreg.Registry:
    """The registry without any plugin of a test."""
    return infxreg.discover()


@pytest.fixture(scope="session")
def sound(shipped: infxreg.Registry) -> dict[str, str]:
    """The digests of the shipped catalogue."""
    return digests(shipped)


@pytest.fixture
def broken(shipped: infxreg.Registry, sound: dict[str, str]) -> Callable[..., tuple[Fault, ...]]:
    """What must hold of every plugin that can't be used; gives its faults.

    It is named with its distribution and version, nothing of it counts, everything
    else is listed, nothing resolves, and without it all is as if it weren't there.
    """

    def check(name: str, label: str | None = None) -> tuple[Fault, ...]:
        registry = infxreg.discover()
        assert {fault.plugin for fault in registry.faults} == {name}
        label = f"infxreg-{name} 1.2" if label is None else label
        assert {fault.distribution for fault in registry.faults} == {label}
        for kind in ("sku", "model", "engine", "gate", "recipe", "image", "option", "axis"):
            assert set(registry.catalogue.of_kind(kind)) == set(shipped.catalogue.of_kind(kind))
        assert len(registry.catalogue.plugin_rules.all) == len(shipped.catalogue.plugin_rules.all)
        with pytest.raises(RegistryFaults) as error:
            registry.resolve(**B200)
        assert error.value.faults == registry.faults
        assert f"go on without: --skip-plugin {name}" in str(error.value)
        for fault in registry.faults:
            assert str(fault) in str(error.value)
        without = infxreg.discover(skip=[name])
        assert without.faults == ()
        assert digests(without) == sound
        return registry.faults

    return check
