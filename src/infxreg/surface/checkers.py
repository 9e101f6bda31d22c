"""An engine's releases, each made ready to check argument lists when it is first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from attrs import field, frozen

from infxreg.surface.check import Checker
from infxreg.surface.folded import FoldedSurfaces


@frozen(eq=False)
class Checkers:
    """The releases of a folded file.

    Attributes:
        folded: also the history that findings quote.
        branch_parts: how many numbers of a version name the branch that it is cut from.
    """

    folded: FoldedSurfaces
    branch_parts: int = 3
    _ready: dict[str, Checker] = field(factory=dict, init=False, repr=False)

    @classmethod
    def read(cls, data: bytes, branch_parts: int = 3) -> Checkers:
        """The releases of a folded file.

        Raises:
            SurfaceFormatError: if it isn't one.
        """
        return cls(FoldedSurfaces.read(data), branch_parts)

    @property
    def versions(self) -> tuple[str, ...]:
        """Every release, oldest first."""
        return self.folded.versions

    @property
    def branched(self) -> tuple[str, ...]:
        """The first release of each branch: what mends one later isn't cut from main again."""
        first: dict[tuple[str, ...], str] = {}
        for version in self.versions:
            first.setdefault(tuple(version.split(".")[: self.branch_parts]), version)
        return tuple(first.values())

    def of(self, version: str) -> Checker:
        """The checker of a release.

        Raises:
            UnknownVersionError: if the file hasn't it.
            SurfaceFormatError: if the file is damaged.
        """
        if version not in self._ready:
            self._ready[version] = Checker.of(self.folded.unfold(version))
        return self._ready[version]

    @cached_property
    def built(self) -> Mapping[str, str]:
        """Release to the day that its wheel was built, of those of which it is known."""
        wheels = ((version, self.folded.wheel(version)) for version in self.versions)
        return {version: wheel.built for version, wheel in wheels if wheel and wheel.built}
