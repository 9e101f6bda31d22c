"""Formats of vllm's own inside a value: numbers in JSON, LoRA modules, old booleans."""

from __future__ import annotations

import re
from collections.abc import Sequence

from infxreg.surface.model import Surface
from infxreg.surface.value_rules import Unfit, json_text, vllm_human

_SUFFIXED = re.compile(r"\b\d+(?:\.\d+)?[kKmMgGtT]\b")
# Of vllm 0.33.0; a surface that has the class says better.
_LORA_KEYS = ("name", "path", "base_model_name", "is_3d_lora_weight")
_QUOTED = re.compile(r'("(?:[^"\\]|\\.)*")')


def without_suffixes(text: str) -> str:
    """JSON text with ``80g`` written out, outside of quoted strings.

    Raises:
        Unfit: for ``1.5G``, which stands for no whole number.
    """
    parts = _QUOTED.split(text)
    parts[::2] = [
        _SUFFIXED.sub(lambda found: str(vllm_human(found.group())), part) for part in parts[::2]
    ]
    return "".join(parts)


def lora_modules(surface: Surface, values: Sequence[str]) -> None:
    """``--lora-modules``: ``NAME=PATH``, or JSON with ``name`` and ``path``.

    Raises:
        Unfit: for one that is neither.
    """
    known = surface.configs.get("LoRAModulePath")
    keys = set(_LORA_KEYS if known is None else known.keys)
    for text in values:
        if not text or ("=" in text and "," not in text):
            continue
        value = json_text(text)
        if not isinstance(value, dict):
            raise Unfit("NAME=PATH, or a JSON object with name and path")
        if not {"name", "path"} <= set(value) <= keys:
            raise Unfit("JSON with the keys name and path, and no unknown one")


def store_boolean(values: Sequence[str]) -> None:
    """``true`` or ``false``, of flags of vllm before 0.9.

    Raises:
        Unfit: for anything else.
    """
    for text in values:
        if text.lower() not in ("true", "false"):
            raise Unfit("true or false")


def prompt_adapters(values: Sequence[str]) -> None:
    """``--prompt-adapters NAME=PATH``, of vllm before 0.10.

    Raises:
        Unfit: for one that isn't.
    """
    if not all("=" in text for text in values):
        raise Unfit("NAME=PATH")
