"""From resolved options to a command line, variables and what stands beside the engine."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from attrs import frozen

from infxreg.keys import IMAGE, raw_prefix
from infxreg.records import Engine, Model, Option, Render
from infxreg.values import FrozenMap, Scalar, Value

SPEC_KEYS = frozenset(
    [
        IMAGE,
        "resources.gpus",
        "timeout.health_interval_s",
        "timeout.health_attempts",
        "frontend.type",
        "setup.script",
    ]
)
"""Options that the launch spec itself holds, whatever the engine."""

SECRET = "secret://"
"""A variable whose value begins so names a secret; its text is never in a spec."""


@frozen
class Rendered:
    """What an engine makes of the options, and the keys whose value it can't take."""

    argv: tuple[str, ...]
    env: FrozenMap[str, str]
    problems: tuple[tuple[str, str], ...]
    """(key, what is wrong)."""


def render(
    engine: Engine,
    model: Model,
    values: Mapping[str, Value],
    read: Collection[str],
    options: Mapping[str, Option],
) -> Rendered:
    """The command line and variables of an engine.

    Args:
        engine: how it renders.
        model: fills ``{hub_id}`` in the beginning of the command line.
        values: the options that are set, absent ones left out.
        read: the keys that derivations read at this point.
        options: the declared options, which tell what is only ever read.
    """
    argv = [part.replace("{hub_id}", model.hub_id) for part in engine.argv]
    env: dict[str, str] = {}
    problems: list[tuple[str, str]] = []
    objects: dict[str, dict[str, Any]] = {}
    flags: dict[str, list[str]] = {}
    used: set[str] = set()
    for how in engine.render:
        if how.option not in values:
            continue
        used.add(how.option)
        value = values[how.option]
        if how.env is not None:
            env[how.env] = _variable(how, value)
        elif how.json is not None and how.flag is not None:
            objects.setdefault(how.flag, {})[how.json] = _inside(options.get(how.option), value)
            flags.setdefault(how.flag, [])
        elif how.flag is not None:
            try:
                flags[how.flag] = _flag(how.flag, value, how.false)
            except ValueError as error:
                problems.append((how.option, str(error)))
    for flag, content in objects.items():
        text = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
        flags[flag] = [f"--{flag}", text]
    for tokens in flags.values():
        argv += tokens
    for key in sorted(values):
        value = values[key]
        prefix = raw_prefix(key)
        if prefix == "args.":
            try:
                argv += _flag(key[len(prefix) :], value, None)
            except ValueError as error:
                problems.append((key, str(error)))
        elif prefix == "env.":
            env[key[len(prefix) :]] = str(value)
        elif prefix is None and key not in used and key not in SPEC_KEYS and key not in read:
            option = options.get(key)
            if option is None or option.use == "rendered":
                problems.append((key, f"engine {engine.id} doesn't render it: it would be lost"))
    return Rendered(tuple(argv), FrozenMap(dict(sorted(env.items()))), tuple(problems))


def _inside(option: Option | None, value: Value) -> Any:
    """What a value is in a JSON object."""
    if option is not None and option.type == "json" and isinstance(value, str):
        return json.loads(value)
    return value


def arguments(engine: Engine, argv: Sequence[str]) -> Sequence[str]:
    """The part of a command line that the engine's own parser sees: without its program."""
    for number, part in enumerate(engine.argv):
        if "{hub_id}" in part or part.startswith("--"):
            return argv[number:]
    return argv[len(engine.argv) :]


def raw_values(values: Mapping[str, Value], prefix: str) -> dict[str, Value]:
    """The values in a raw namespace, by the name inside it, sorted."""
    return {key[len(prefix) :]: values[key] for key in sorted(values) if raw_prefix(key) == prefix}


def text_of(value: Scalar) -> str:
    """A scalar as an argument: whole numbers without a point, booleans in small letters."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _flag(flag: str, value: Value, off: str | None) -> list[str]:
    name = f"--{flag}"
    if value is True:
        return [name]
    if value is False:
        if off is None:
            raise ValueError(f"{name} has no form that switches it off: unset it instead")
        return [f"--{off}"]
    if isinstance(value, tuple):
        if not value:
            raise ValueError(f"{name} takes at least one value: unset it instead")
        return [name, *map(text_of, value)]
    text = text_of(value)
    if text.startswith("-") and not isinstance(value, (int, float)):
        return [f"{name}={text}"]
    return [name, text]


def _variable(how: Render, value: Value) -> str:
    if isinstance(value, bool):
        written = how.true if value else how.false
        return written if written is not None else ("1" if value else "0")
    if isinstance(value, tuple):
        return ",".join(map(text_of, value))
    return text_of(value)
