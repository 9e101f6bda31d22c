"""The engines that InferenceX calls frameworks, as far as no plugin declares them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

from infxreg.records import Engine, Option, Render
from infxreg_inferencex.importer.scripts import CONFIG_FILE, SCRIPT
from infxreg_inferencex.importer.settings import CONFIG

_SOURCE = "NVIDIA/srt-slurm, src/srtctl/backends, as of 2026-08-21"

_WORKERS = {
    "dynamo-vllm": ("python3", "-m", "dynamo.vllm", "--model", "{hub_id}"),
    "dynamo-sglang": ("python3", "-m", "dynamo.sglang", "--model-path", "{hub_id}"),
    "dynamo-trt": ("python3", "-m", "dynamo.trtllm", "--model-path", "{hub_id}"),
}
"""What starts a worker of a framework."""

OVERRIDES = "override-engine-args"
"""dynamo.trtllm's flag that takes its engine's configuration as JSON."""


How = Literal["recipe", "elsewhere", "script"]
"""What says how a job is started: a recipe of the checkout, one of elsewhere, or a script."""

_PREFIXES: dict[How, str] = {"recipe": "srt-", "elsewhere": "srtctl-", "script": "script-"}
_RUN = {
    "script-": ("bash", "-c", f'exec bash "${SCRIPT}"'),
    "srtctl-": ("bash", "-c", f'exec srtctl apply -f "${CONFIG_FILE}"'),
}
"""How a runner starts what can't be read."""


def base_of(framework: str) -> str:
    """The engine that a framework's images hold: ``dynamo-vllm`` starts vllm."""
    return framework.removeprefix("dynamo-").removeprefix("llmd-").removesuffix("-disagg")


def engine_of(framework: str, how: How) -> str:
    """The engine of a job.

    What a recipe says stands as it says it, and not under the names that a plugin's engine of
    the same name has for it.
    """
    known = how == "recipe" and framework in _WORKERS
    return framework if known else _PREFIXES[how] + framework


def engines(of: Collection[tuple[str, str]], keys: Collection[str]) -> Iterator[Engine]:
    """The engines of jobs, and those that their images hold.

    Args:
        of: pairs of an engine and the framework that it is for.
        keys: the options of TensorRT-LLM's configuration that recipes set.
    """
    render = tuple(
        Render(option=key, flag=OVERRIDES, json=key.removeprefix(CONFIG)) for key in sorted(keys)
    )
    for name, framework in sorted(of):
        unread = next((run for prefix, run in _RUN.items() if name.startswith(prefix)), None)
        yield Engine(
            id=name,
            argv=_WORKERS.get(name, (framework, "{hub_id}")) if unread is None else unread,
            source=_SOURCE if unread is None else "InferenceX, runners/launch_*.sh",
            render=render if framework.endswith("trt") and unread is None else (),
            starts=base_of(framework),
            doc="" if unread is None else "what the engine is given isn't in the checkout",
        )
    for name in sorted({base_of(framework) for _, framework in of}):
        yield Engine(
            id=name,
            argv=(name, "{hub_id}"),
            source="InferenceX, framework of its master configs",
            doc="what images hold; nothing is launched with it as it is",
        )


def options(keys: Collection[str]) -> Iterator[Option]:
    """The options of TensorRT-LLM's configuration."""
    for key in sorted(keys):
        doc = f"{key.removeprefix(CONFIG)} of TensorRT-LLM's configuration"
        yield Option(id=key, type="json", doc=doc)
