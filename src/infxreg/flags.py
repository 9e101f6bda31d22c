"""What an engine renders: which flag or variable belongs to which option."""

from __future__ import annotations

from collections.abc import Iterator

from infxreg.errors import UnknownIdError
from infxreg.records import Engine, Render
from infxreg.values import Value, same


def rendered_by(engine: Engine, key: str) -> Render | None:
    """How the engine renders an option, or None where it doesn't."""
    for render in engine.render:
        if render.option == key:
            return render
    return None


def clash(engine: Engine, key: str) -> str | None:
    """The neutral option that renders what a raw key renders, or None."""
    space, _, name = key.partition(".")
    if space == "env":
        return next((render.option for render in engine.render if render.env == name), None)
    if space == "args":
        flag = spelled(name)
        return next((r.option for r in engine.render if flag in _spellings(r)), None)
    return None


def spelled(flag: str) -> str:
    """A flag's name in one spelling: no leading dashes, no underscores."""
    return flag.lstrip("-").replace("_", "-")


def refused(render: Render, value: Value, engine: Engine) -> str | None:
    """Why an engine refuses a value, or None where it takes it (or declares no choices)."""
    if not render.choices or any(same(value, choice) for choice in render.choices):
        return None
    error = UnknownIdError(
        f"value of {render.option} on {engine.id}",
        str(value),
        tuple(str(choice) for choice in render.choices),
    )
    return str(error)


def needed_gates(render: Render, value: Value) -> tuple[str, ...]:
    """The gates of which one must be open for this value; none if it is free."""
    found: tuple[str, ...] = render.behind.get(value, ()) if isinstance(value, str) else ()
    return found


def rendered_places(render: Render) -> tuple[str, ...]:
    """Every flag, in one spelling, or variable that a rendering writes to."""
    if render.env is not None:
        return (render.env,)
    return tuple(dict.fromkeys(f"--{name}" for name in _spellings(render)))


def _spellings(render: Render) -> Iterator[str]:
    if render.flag is None:
        return
    yield spelled(render.flag)
    if render.false is not None:
        yield spelled(render.false)
    yield from map(spelled, render.aliases)
