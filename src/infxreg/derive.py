"""Run the derivations of a point: once each, after the keys that they read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infxreg.catalogue import Catalogue
from infxreg.errors import DerivationError
from infxreg.keys import fit, is_key
from infxreg.pick import Picked
from infxreg.scope import AxisValue
from infxreg.spec import ResolvedOption
from infxreg.values import Absent, Derived, Value, as_value, show


class Values:
    """The values of picked keys: constants as they are, derivations run once, in their order."""

    def __init__(
        self,
        picked: Mapping[str, Picked],
        facets: Mapping[str, AxisValue | None],
        where: str,
        catalogue: Catalogue,
    ) -> None:
        self._picked, self._facets, self._where = picked, facets, where
        self._catalogue = catalogue
        self._done: dict[str, ResolvedOption] = {}

    def option(self, key: str) -> ResolvedOption:
        """The resolved option of a picked key."""
        if key not in self._done:
            self._done[key] = self._compute(key, self._picked[key])
        return self._done[key]

    def _read(self, name: str) -> Value | None:
        if not is_key(name):
            return self._facets.get(name)
        return self.option(name).value if name in self._picked else None

    def _compute(self, key: str, picked: Picked) -> ResolvedOption:
        setting = picked.setting
        if not isinstance(setting, Derived):
            value = None if isinstance(setting, Absent) else setting
            return ResolvedOption(value, picked.origins, picked.shadowed)
        given = [(name, self._read(name)) for name in setting.reads]
        words = ", ".join(f"{name}={show(value)}" for name, value in given) or "nothing"
        function = self._catalogue.derivations[setting.function].function
        try:
            result: Any = function(*(value for _, value in given), **dict(setting.params))
            if result is not None:
                result = fit(key, as_value(result), self._catalogue.options)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever it raises is told with what it was given
            reason = f"{type(error).__name__}: {error}"
            raise DerivationError(
                key, self._where, str(setting), words, str(picked.origins[0]), reason
            ) from error
        label = f"{setting} with {words}"
        return ResolvedOption(result, picked.origins, picked.shadowed, label)
