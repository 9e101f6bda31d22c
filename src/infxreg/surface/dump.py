"""The script that dumps an engine's real parser inside an image.

It needs the image's Python, the engine, and nothing else; what it prints is what
`infxreg.surface.store.add_document` takes in.
"""

from __future__ import annotations

from importlib.resources import files

from infxreg.surface.errors import SurfaceFormatError

ENGINES = ("sglang", "vllm")


def dump_script(engine: str) -> str:
    """The script's text for an engine.

    Raises:
        SurfaceFormatError: if there is none for it.
    """
    if engine not in ENGINES:
        problem = f"{engine!r} has none; {' and '.join(ENGINES)} have"
        raise SurfaceFormatError("an engine with a dump script", (problem,))
    text = (files("infxreg.surface") / "dump_script.py").read_text(encoding="utf-8")
    return text.replace('ENGINE = "@ENGINE@"', f'ENGINE = "{engine}"', 1)
