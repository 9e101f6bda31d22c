"""What can be wrong with an engine's tree, wheel, dump or folded file."""

from __future__ import annotations

from attrs import frozen

from infxreg.errors import InfxregError, near


class SurfaceError(InfxregError):
    """The root of what goes wrong with engine surfaces."""


@frozen
class SurfaceFormatError(SurfaceError):
    """A document that isn't a surface, a dump or a folded file; every fault of it in one go."""

    what: str
    problems: tuple[str, ...]

    def __str__(self) -> str:
        shown = "; ".join(self.problems[:12])
        more = len(self.problems) - 12
        return f"not {self.what}: {shown}" + (f"; and {more} more" if more > 0 else "")


@frozen
class SourceError(SurfaceError):
    """A wheel, archive or folder that can't be read as Python files."""

    where: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


@frozen
class NotThisEngineError(SurfaceError):
    """A tree that lacks what every version of the engine has."""

    engine: str
    where: str
    missing: str

    def __str__(self) -> str:
        return f"{self.where} isn't {self.engine}: {self.missing}"


@frozen
class UnreadableTreeError(SurfaceError):
    """A tree of the engine whose argument parser can't be followed."""

    engine: str
    where: str
    reason: str

    def __str__(self) -> str:
        return (
            f"{self.where}: the parser of this {self.engine} can't be read off its source: "
            f"{self.reason}; dump it inside the image instead"
        )


@frozen
class StoreError(SurfaceError):
    """A surface that can't be kept, or a file that can't be read for it."""

    key: str
    reason: str

    def __str__(self) -> str:
        return f"{self.key}: {self.reason}"


@frozen
class OverlayError(SurfaceError):
    """An overlay that doesn't go on a surface."""

    overlay: str
    reason: str

    def __str__(self) -> str:
        return f"overlay {self.overlay}: {self.reason}"


@frozen
class UnknownVersionError(SurfaceError):
    """A version that neither the shipped file nor the user's store has."""

    engine: str
    version: str
    known: tuple[str, ...]

    def __str__(self) -> str:
        text = f"no surface of {self.engine} {self.version}"
        if not self.known:
            return f"{text}: none is known; take one in with infxreg engine add"
        if self.version.startswith("sha256:"):
            return f"{text}: known are {', '.join(self.known)}"
        longer = next((one for one in self.known if one.startswith(self.version)), None)
        guess = longer or near(self.version, self.known)
        return (
            f"{text}: known are {self.known[0]} to {self.known[-1]}"
            + (f"; nearest by name is {guess}" if guess else "")
            + "; take another in with infxreg engine add"
        )
