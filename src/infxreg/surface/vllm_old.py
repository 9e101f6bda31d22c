"""JSON of config classes in vllm before 0.9.1, whose parser calls the class with the keys.

An unknown key is refused, as a call refuses it; a value of another type isn't. The two classes of
0.8 that read their own text are pydantic models: they check types, and ignore unknown keys.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from attrs import evolve

from infxreg.surface.model import Config, Flag, Json, Surface
from infxreg.surface.value_rules import Unfit
from infxreg.surface.vllm_dialect import Dialect
from infxreg.values import FrozenMap

_LEVELS = ("0", "1", "2", "3")


def with_called_classes(surface: Surface, dialect: Dialect) -> Surface:
    """The surface with its JSON flags bound to their classes, and no types in these.

    The parser of these versions hands the JSON to a function without a name, or to a method of
    the class; the class is the one that the destination names.
    """
    if dialect.json_types:
        return surface
    by_name = {name.lower(): name for name in surface.configs}
    flags = tuple(_bound(flag, by_name) for flag in surface.flags)
    bound = {
        new.config
        for old, new in zip(surface.flags, flags, strict=True)
        if not (dialect.python_json and old.type == "from_cli")
    }
    configs = {
        name: _called(one) if name in bound else one for name, one in surface.configs.items()
    }
    return evolve(surface, flags=flags, configs=FrozenMap(configs))


def early_json(flag: Flag, text: str, dialect: Dialect) -> Json | None:
    """What `CompilationConfig` made of its own text in early versions; None where it reads JSON.

    Raises:
        Unfit: for what isn't Python's literal, where that is what it read.
    """
    if flag.config != "CompilationConfig" or dialect.optimization:
        return None
    if text in _LEVELS:
        return {}
    return _python(text) if dialect.python_json else None


def _python(text: str) -> Json:
    try:
        value: Json = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise Unfit("a dict as Python writes it, or a level of 0 to 3", "bad JSON") from None
    return value


def _bound(flag: Flag, by_name: Mapping[str, str]) -> Flag:
    if flag.type not in ("from_cli", "from_json", "lambda", "dataclass"):
        return flag
    wanted = flag.dest.removeprefix("override_").replace("_", "").lower()
    config = by_name.get(wanted, flag.config)
    return flag if config is None else evolve(flag, type="dataclass", config=config)


def _called(config: Config) -> Config:
    fields = {
        name: evolve(one, type="Any", choices=None, validated=False, reads="", bounds="")
        for name, one in config.fields.items()
    }
    return evolve(config, fields=FrozenMap(fields), extra="forbid")
