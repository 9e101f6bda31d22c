"""How a version of vllm reads an argument list: what differs between its releases.

A surface can state each difference as a trait (see `Dialect`); where it states none, the version
decides. The versions were read off ``FlexibleArgumentParser`` and ``arg_utils`` of 43 releases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

from attrs import frozen
from packaging.version import InvalidVersion, Version

from infxreg.surface.model import Surface
from infxreg.surface.value_rules import (
    COMMON,
    Convert,
    pairs_or_json,
    port,
    vllm_human,
    vllm_human_or_auto,
)

Level: TypeAlias = Literal["", "level", "mode", "flag"]
Dotted: TypeAlias = Literal["", "text", "json", "human"]
_LEVELS: Mapping[str, Level] = {"": "", "level": "level", "mode": "mode", "flag": "flag"}
_DOTTED: Mapping[str, Dotted] = {"": "", "text": "text", "json": "json", "human": "human"}


@frozen(kw_only=True)
class Dialect:
    """How one version reads an argument list. Each attribute is a trait of its surface.

    Attributes:
        optimization: what ``-O3`` becomes. Trait ``optimization=``: ``level`` and ``mode`` for
            that key of ``-O``'s JSON, ``flag`` for ``--optimization-level``, nothing for nothing.
        optimization_dots: ``-O.key`` is a dotted key: of ``-O``, of ``-cc``, or (nothing) a level.
            Trait ``optimization-dots=``.
        dotted: what dotted keys' values are. Trait ``dotted=``: ``text`` always, ``json``, or
            ``human`` for JSON with ``32k`` for 32,000; nothing where there are no dotted keys.
        dotted_dashes: underscores in the keys become dashes too. Trait ``dotted-dashes``.
        none_choice: the text ``None`` fits a flag that has choices and may be unset. Trait
            ``none-choice``; before 0.31.0 the choices hold the word and not the value, so the
            text is converted and then refused.
        json_suffixes: ``80g`` stands for a number in the JSON of a config class. Trait
            ``json-suffixes``.
        pairs: ``a=1,b=2`` is taken for JSON. Trait ``json-pairs``.
        model_flag: ``--model`` is moved to the front instead of refused. Trait ``model-flag``.
        json_types: the JSON of a config class is checked against its types; before 0.9.1 the
            class is called with its keys, whatever their values. Trait ``json-types``.
        python_json: what is read so is Python's literals and no JSON. Trait ``python-json``.
    """

    optimization: Level
    optimization_dots: str
    dotted: Dotted
    dotted_dashes: bool
    none_choice: bool
    json_suffixes: bool
    pairs: bool
    model_flag: bool
    json_types: bool
    python_json: bool

    @classmethod
    def of(cls, surface: Surface) -> Dialect:
        """The dialect that a surface's traits state, and its version where they don't."""
        since = _since(surface.version)
        return cls(
            optimization=_LEVELS[
                _stated(
                    surface,
                    "optimization",
                    "flag"
                    if since("0.12.0")
                    else "mode"
                    if since("0.11.1")
                    else "level"
                    if since("0.9.2")
                    else "",
                    _LEVELS,
                )
            ],
            optimization_dots=_stated(
                surface,
                "optimization-dots",
                "" if since("0.13.0") else "-cc" if since("0.12.0") else "-O",
                ("", "-O", "-cc"),
            ),
            dotted=_DOTTED[
                _stated(
                    surface,
                    "dotted",
                    "human"
                    if since("0.20.0")
                    else "json"
                    if since("0.9.2")
                    else "text"
                    if since("0.9.0")
                    else "",
                    _DOTTED,
                )
            ],
            dotted_dashes=_flagged(surface, "dotted-dashes", not since("0.9.1")),
            none_choice=_flagged(surface, "none-choice", since("0.31.0")),
            json_suffixes=_flagged(surface, "json-suffixes", since("0.20.0")),
            pairs=_flagged(surface, "json-pairs", not since("0.10.0")),
            model_flag=_flagged(surface, "model-flag", since("0.11.1")),
            json_types=_flagged(surface, "json-types", since("0.9.1")),
            python_json=_flagged(surface, "python-json", not since("0.9.0")),
        )

    def converters(self) -> Mapping[str, Convert]:
        """Type word to converter, vllm's own words with the common ones."""
        words = {
            **COMMON,
            "human-int": vllm_human,
            "human-int|auto": vllm_human_or_auto,
            "check_port": port,
            "parse_reasoning_parser": COMMON["str"],
            "nullable_str": COMMON["str"],
        }
        if self.pairs:
            words["json"] = pairs_or_json
        return words


def _stated(
    surface: Surface, trait: str, else_: str, known: Sequence[str] | Mapping[str, object]
) -> str:
    stated = surface.trait(trait)
    return else_ if stated is None or stated not in known else stated


def _flagged(surface: Surface, trait: str, else_: bool) -> bool:
    stated = surface.trait(trait)
    return else_ if stated is None else stated not in ("no", "false", "0")


def _since(version: str) -> Callable[[str], bool]:
    """Whether a version is at least another; every version is, where it can't be read."""
    try:
        own = Version(version)
    except InvalidVersion:
        return lambda _: True
    return lambda first: own >= Version(first)
