"""The recipes of the reference table, expanded by srt-slurm's rules and nothing of ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import frozen

ENGINE_WORDS = {"vllm": 3, "sglang": 5}
"""How many words of the command line come before the arguments."""


@frozen
class Expected:
    """One point of a recipe, as srt-slurm would launch it."""

    sku: str
    engine: str
    workload: str
    id: str
    image: str
    args: dict[str, tuple[str, ...]]
    env: dict[str, str]
    client_env: dict[str, str]
    health: tuple[int, int]
    gpus: int
    gpus_per_node: int
    frontend: dict[str, Any] | None
    setup: str | None


def points(table: dict[str, Any]) -> Iterator[Expected]:
    """Every point of every recipe: base, overlaid by the point's own values."""
    for recipe in table["recipes"]:
        health = recipe["health_check"] or {"interval_seconds": 10, "max_attempts": 180}
        for point in recipe["points"]:
            zipped = point["name"].startswith("zip_override_")
            name = f"tp1_c{point['conc']}" if zipped else point["name"].removeprefix("override_")
            yield Expected(
                sku=recipe["sku"],
                engine=recipe["engine"],
                workload="8k1k" if recipe["source"]["path"].endswith("8k1k.yaml") else "agentic",
                id=name,
                image=recipe["image"],
                args=flags({**recipe["base_args"], **point["args"]}),
                env={**recipe["base_env"], **point.get("env", {})},
                client_env={**recipe["benchmark_env"], **point["benchmark_env"]},
                health=(health["interval_seconds"], health["max_attempts"]),
                gpus=point["gpus"],
                gpus_per_node=recipe["gpus_per_node"],
                frontend=point.get("frontend"),
                setup=recipe.get("setup_script"),
            )


def flags(args: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """Arguments as words: true is a bare flag, a list is several words."""
    words: dict[str, tuple[str, ...]] = {}
    for flag, value in args.items():
        assert value is not False
        assert value is not None
        if value is True:
            words[f"--{flag}"] = ()
        elif isinstance(value, list):
            words[f"--{flag}"] = tuple(str(item) for item in value)
        else:
            words[f"--{flag}"] = (str(value),)
    return words


def parse(argv: Sequence[str], engine: str) -> dict[str, tuple[str, ...]]:
    """A command line's flags and their words; a flag that stands twice is an error."""
    found: dict[str, tuple[str, ...]] = {}
    flag = ""
    for word in argv[ENGINE_WORDS[engine] :]:
        if word.startswith("--"):
            flag = word
            assert flag not in found, f"{flag} stands twice"
            found[flag] = ()
        else:
            found[flag] += (word,)
    return found
