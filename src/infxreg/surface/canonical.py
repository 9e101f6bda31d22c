"""One order for everything in a surface that has no meaning in its order."""

from __future__ import annotations

import attrs

from infxreg.surface.model import Config, Flag, Surface
from infxreg.values import FrozenMap


def canonical(surface: Surface) -> Surface:
    """The surface with positionals first and flags by name, choices sorted, tables by key.

    Equal parsers then make equal text, and a fold loses nothing.
    """
    positional = [flag for flag in surface.flags if not flag.names]
    named = sorted((flag for flag in surface.flags if flag.names), key=lambda flag: flag.names[0])
    return attrs.evolve(
        surface,
        flags=tuple(map(_flag, (*positional, *named))),
        configs=FrozenMap({name: _config(one) for name, one in sorted(surface.configs.items())}),
        enums=FrozenMap(dict(sorted(surface.enums.items()))),
        backends=_sorted(surface.backends),
        env=_sorted(surface.env),
        env_read=tuple(sorted(set(surface.env_read))),
        registries=FrozenMap(
            {name: tuple(sorted(set(one))) for name, one in sorted(surface.registries.items())}
        ),
        models=_sorted(surface.models),
        traits=tuple(sorted(set(surface.traits))),
    )


def _sorted(names: tuple[str, ...] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(sorted(set(names)))


def _flag(flag: Flag) -> Flag:
    return attrs.evolve(flag, choices=_sorted(flag.choices))


def _config(config: Config) -> Config:
    return attrs.evolve(
        config,
        fields=FrozenMap(
            {
                name: attrs.evolve(one, choices=_sorted(one.choices))
                for name, one in sorted(config.fields.items())
            }
        ),
        refusals=tuple(sorted(set(config.refusals))),
    )
