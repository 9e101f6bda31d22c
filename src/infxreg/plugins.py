"""Find plugins, load each by itself, and collect what it contributes.

A plugin that fails to import, raises in a hook or returns a wrong type
contributes a fault and nothing else; the others aren't touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pluggy
from attrs import evolve, frozen

from infxreg import core, hookspecs
from infxreg.contribution import CORE, Contribution, Placed, read_files
from infxreg.errors import Fault, UnknownIdError
from infxreg.records import (
    Arch,
    Axis,
    AxisValues,
    Capability,
    Derivation,
    Engine,
    EngineSurface,
    Evidence,
    Expect,
    Exporter,
    Gate,
    Image,
    Importer,
    Model,
    Option,
    Policy,
    Recipe,
    Rule,
    Sku,
    Waiver,
)
from infxreg.tablefile import TableFile
from infxreg.values import FrozenMap

GROUP = "infxreg"
OWN_NAMES = (CORE, "site", "request")
"""Names that origins give to what is no plugin."""

_HOOKS: dict[str, tuple[type[Any], ...]] = {
    "infxreg_tables": (TableFile,),
    "infxreg_axes": (Axis, AxisValues),
    "infxreg_archs": (Arch,),
    "infxreg_skus": (Sku,),
    "infxreg_models": (Model,),
    "infxreg_images": (Image,),
    "infxreg_capabilities": (Capability,),
    "infxreg_engines": (Engine,),
    "infxreg_surfaces": (EngineSurface,),
    "infxreg_options": (Option,),
    "infxreg_gates": (Gate,),
    "infxreg_rules": (Rule,),
    "infxreg_recipes": (Recipe,),
    "infxreg_expects": (Expect,),
    "infxreg_evidence": (Evidence,),
    "infxreg_derivations": (Derivation,),
    "infxreg_policies": (Policy,),
    "infxreg_waivers": (Waiver,),
    "infxreg_importers": (Importer,),
    "infxreg_exporters": (Exporter,),
}


@frozen
class Installed:
    """An entry point of the group ``infxreg`` and the distribution it is from."""

    name: str
    distribution: str
    version: str
    entry_point: EntryPoint


def installed() -> tuple[Installed, ...]:
    """The plugins that are installed, sorted by name; nothing is imported."""
    found = [
        Installed(
            point.name,
            point.dist.name if point.dist else "",
            point.dist.version if point.dist else "",
            point,
        )
        for point in entry_points(group=GROUP)
    ]
    return tuple(sorted(found, key=lambda item: (item.name, item.distribution)))


def load(
    skip: Iterable[str] = (), allow: Iterable[str] | None = None
) -> tuple[tuple[Contribution, ...], frozenset[str]]:
    """The core's contribution and that of every installed plugin, and the names left out.

    Args:
        skip: plugins to go on without, by name.
        allow: if given, only these are loaded.

    Raises:
        UnknownIdError: if a name is no installed plugin's.
    """
    plugins = installed()
    skipped = named(skip, plugins)
    allowed = None if allow is None else named(allow, plugins)
    wanted = [
        plugin
        for plugin in plugins
        if plugin.name not in skipped and (allowed is None or plugin.name in allowed)
    ]
    found = [core_contribution()]
    for name in dict.fromkeys(plugin.name for plugin in wanted):
        found.append(_load_named([plugin for plugin in wanted if plugin.name == name]))
    left_out = frozenset(plugin.name for plugin in plugins) - {item.plugin for item in found}
    return tuple(found), left_out


def named(names: Iterable[str], plugins: Sequence[Installed]) -> frozenset[str]:
    """The plugins of these names; a distribution's name stands for the plugins that it provides.

    Raises:
        UnknownIdError: for a name that is neither.
    """
    found: set[str] = set()
    for name in names:
        matching = {item.name for item in plugins if name in (item.name, item.distribution)}
        if not matching:
            raise UnknownIdError("plugin", name, tuple(sorted({item.name for item in plugins})))
        found |= matching
    return frozenset(found)


def core_contribution() -> Contribution:
    """What the core itself declares: axes, neutral options, derivations, defaults."""
    from infxreg import __version__

    return collect(core, Contribution(CORE, "infxreg", __version__))


def collect(plugin: object, base: Contribution) -> Contribution:
    """Call every hook of one plugin object.

    Args:
        plugin: a module or object with `hookimpl` functions.
        base: the contribution to fill, with the plugin's name and distribution.
    """
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    try:
        manager.register(plugin, base.plugin)
        manager.check_pending()
    except Exception as error:  # whatever a broken plugin raises is its fault, by name
        return evolve(base, faults=(base.fault(_describe(error)),))
    placed: list[Placed] = []
    faults: list[Fault] = []
    tables: dict[str, str] = {}
    for hook in _HOOKS:
        function = getattr(plugin, hook, None)
        if callable(function) and manager.parse_hookimpl_opts(plugin, hook) is None:
            faults.append(base.fault("isn't marked with @hookimpl, so it is never called", hook))
    implemented = {caller.name for caller in manager.get_hookcallers(plugin) or ()}
    for hook in _HOOKS:
        if hook not in implemented:
            continue
        try:
            returned = getattr(manager.hook, hook)()
            items = [item for result in returned for item in result]
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a hook may even exit
            faults.append(base.fault(f"raised {_describe(error)}", hook))
            continue
        if not returned:
            faults.append(base.fault("returned None, not an iterable of records", hook))
            continue
        wrong = [item for item in items if not isinstance(item, _HOOKS[hook])]
        if wrong:
            faults.append(base.fault(_wrong_type(wrong[0], _HOOKS[hook]), hook))
        elif hook == "infxreg_tables":
            records, problems, tables = read_files(base, items)
            placed += records
            faults += problems
        else:
            placed += [Placed(item, hook) for item in items]
    return evolve(
        base,
        placed=() if faults else tuple(placed),
        faults=tuple(faults),
        tables=FrozenMap(tables),
    )


def _load_named(candidates: Sequence[Installed]) -> Contribution:
    first = candidates[0]
    base = Contribution(first.name, first.distribution, first.version)
    if len(candidates) > 1:
        providers = " and ".join(f"{item.distribution} {item.version}" for item in candidates)
        return evolve(base, faults=(base.fault(f"two distributions provide it: {providers}"),))
    if first.name in OWN_NAMES:
        return evolve(base, faults=(base.fault("this name is infxreg's own: choose another"),))
    return _imported(base, first.entry_point.load)


def collect_tree(name: str, module: str, distribution: str, version: str) -> Contribution:
    """What a plugin contributes that can be imported, whether it is installed or not."""
    base = Contribution(name, distribution, version)
    return _imported(base, EntryPoint(name=name, value=module, group=GROUP).load)


def _imported(base: Contribution, load: Callable[[], object]) -> Contribution:
    try:
        module = load()
    except BaseException as error:  # an import may even exit
        if isinstance(error, KeyboardInterrupt):
            raise
        return evolve(base, faults=(base.fault(f"can't be imported: {_describe(error)}"),))
    return collect(module, base)


def _describe(error: BaseException) -> str:
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _wrong_type(item: object, wanted: tuple[type[Any], ...]) -> str:
    names = " or ".join(cls.__name__ for cls in wanted)
    try:
        shown = f" {item!r:.60}"
    except Exception:  # a repr may be as broken as the rest
        shown = ""
    return f"returned {type(item).__name__}{shown}, not {names}"
