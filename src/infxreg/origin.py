"""Where a value is from: layer, plugin, distribution and version, file, rule."""

from __future__ import annotations

from enum import IntEnum

from attrs import frozen


class Layer(IntEnum):
    """The layers, lowest first. A higher one wins whole values."""

    PLUGIN = 0
    SITE = 1
    REQUEST = 2

    @property
    def label(self) -> str:
        """The layer's name in output."""
        return self.name.lower()


@frozen(order=True)
class Origin:
    """Where a rule stands. Sources order by (plugin, file, rule), so the least is well defined."""

    plugin: str
    file: str = ""
    rule: str = ""
    distribution: str = ""
    version: str = ""
    layer: Layer = Layer.PLUGIN
    note: str = ""
    """The source that the rule itself cites."""

    def __str__(self) -> str:
        text = f"{self.plugin}:{self.rule}" if self.rule else self.plugin
        return f"{text} ({self.note})" if self.note else text
