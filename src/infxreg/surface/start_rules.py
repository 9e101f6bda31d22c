"""What no argparse looks at: the engine's own lists, what it checks at start, and plain sense.

Each finding says in its level who refuses: ``registry`` and ``start`` are the engine, ``ours`` is
this check. None of them changes whether the parser accepts a list.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from attrs import frozen

from infxreg.surface.conditions import Condition
from infxreg.surface.findings import Finding
from infxreg.surface.history import History, in_words
from infxreg.surface.model import Flag, Json, Surface
from infxreg.surface.nearest import Names


@frozen
class Rule:
    """A condition over destinations under which an engine doesn't start.

    A destination that a version lacks makes the condition unknown, and so harmless.
    """

    condition: Condition
    flag: str
    needs: str

    @classmethod
    def of(cls, condition: str, flag: str, needs: str) -> Rule:
        """A rule from the text of its condition."""
        read = Condition.read(condition)
        assert read is not None, condition
        return cls(read, flag, needs)


START_RULES: Mapping[str, tuple[Rule, ...]] = {
    "vllm": (
        Rule.of(
            "enable_auto_tool_choice and not tool_call_parser",
            "--enable-auto-tool-choice",
            "--tool-call-parser",
        ),
        Rule.of(
            "enable_reasoning and not reasoning_parser", "--enable-reasoning", "--reasoning-parser"
        ),
        Rule.of(
            "enable_log_outputs and not enable_log_requests",
            "--enable-log-outputs",
            "--enable-log-requests",
        ),
        Rule.of(
            "enable_per_request_metrics and disable_log_stats",
            "--enable-per-request-metrics",
            "a list without --disable-log-stats",
        ),
    ),
}
# A registry is no longer the whole truth where one of these flags or keys loads more names.
WAIVED_BY: Mapping[str, tuple[str, ...]] = {
    "tool_call_parser": ("tool_parser_plugin",),
    "reasoning_parser": ("reasoning_parser_plugin",),
    "StructuredOutputsConfig.reasoning_parser": ("reasoning_parser_plugin",),
    "KVTransferConfig.kv_connector": ("kv_connector_module_path",),
    "ECTransferConfig.ec_connector": ("ec_connector_module_path",),
}
# Names that stand for "choose for me" or "none" in every registry.
_FREE = frozenset({"", "auto", "none", "null"})
_BOUNDS: tuple[tuple[re.Pattern[str], float, float], ...] = tuple(
    (re.compile(pattern), low, high)
    for pattern, low, high in (
        (r"(.*_)?port", 0, 65535),
        (r"(tensor|pipeline|data|decode_context|prefill_context)_parallel_size", 1, 1 << 20),
        (r"(tp|pp|dp|ep|dcp|attn_cp|attn_dp|moe_dp|moe_dense_tp)_size", 1, 1 << 20),
        (r"nnodes", 1, 1 << 20),
        (r"(node_rank|data_parallel_rank|data_parallel_start_rank)", 0, 1 << 20),
        (r"(gpu_memory_utilization|mem_fraction_static)", 0.0, 1.0),
        (
            r"(max_num_seqs|max_running_requests|max_num_batched_tokens|block_size|page_size)",
            1,
            1e12,
        ),
        (r"(max_model_len|context_length)", -1, 1e12),
        (r"api_server_count", 0, 1 << 20),
    )
)
_FRACTION_ABOVE_0 = frozenset({"gpu_memory_utilization", "mem_fraction_static"})
_OWN_VARIABLES = {"vllm": ("VLLM_",), "sglang": ("SGLANG_", "SGL_")}


def out_of_range(dest: str, value: Json) -> str | None:
    """The range that a number has to lie in, if it doesn't; no engine's parser looks."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    for pattern, low, high in _BOUNDS:
        if pattern.fullmatch(dest):
            if low <= value <= high and not (value == 0 and dest in _FRACTION_ABOVE_0):
                return None
            above = "above 0" if dest in _FRACTION_ABOVE_0 else f"from {low:g}"
            return f"{above} to {high:g}" if high < 1e9 and high != 1 << 20 else above
    return None


def bounded_dest(dest: str) -> bool:
    """Whether `out_of_range` looks at a destination at all."""
    return any(pattern.fullmatch(dest) for pattern, _, _ in _BOUNDS)


@frozen(eq=False)
class Registry:
    """One list of names that an engine has, ready for many look-ups."""

    known: tuple[str, ...]

    @cached_property
    def folded(self) -> frozenset[str]:
        """The names in lower case."""
        return frozenset(name.lower() for name in self.known)

    @cached_property
    def names(self) -> Names:
        """The names, for near matches."""
        return Names.of(self.known)


@frozen(eq=False)
class Registries:
    """What an engine version lists and its parser doesn't look at."""

    surface: Surface
    by_name: Mapping[str, Registry]
    backends: Registry

    @classmethod
    def of(cls, surface: Surface) -> Registries:
        """The registries of a surface."""
        by_name = {name: Registry(known) for name, known in surface.registries.items()}
        return cls(surface, by_name, Registry(surface.backends or ()))

    def finding(
        self,
        history: History | None,
        registry: str,
        value: str,
        given: Collection[str],
        flag: str,
        key: str | None = None,
    ) -> Finding | None:
        """What a list says of a name; None if it has it or isn't decisive.

        Args:
            history: what is known of other versions.
            registry: a destination, ``Class.key``, or ``attention_backend``.
            value: the name.
            given: destinations and keys set beside it: a plugin flag waives its registry.
            flag: the option string as written.
            key: the path inside its JSON.
        """
        backends = registry.endswith("attention_backend") and registry not in self.by_name
        found = self.backends if backends else self.by_name.get(registry)
        if found is None or not found.known or value.lower() in _FREE:
            return None
        if value.lower() in found.folded:
            return None
        if any(waiver in given for waiver in WAIVED_BY.get(registry, ())):
            return None
        place = f"{flag} {key}" if key else flag
        version = self.surface.version
        versions = (
            in_words(history, "backend", value.upper(), version)
            if backends
            else in_words(history, "registry", f"{registry}={value}", version)
        )
        return Finding(
            kind="registry value",
            level="registry",
            flag=flag,
            key=key,
            value=value,
            message=f"{place}: {self.surface.engine} {version} has no {value!r}",
            near=found.names.near(value),
            versions=versions,
        )


def start_findings(surface: Surface, values: Mapping[str, object]) -> Iterator[Finding]:
    """What the engine refuses after parsing, before it loads anything.

    Args:
        surface: the engine version.
        values: destination to value, given or default; unknown ones left out.
    """
    for rule in START_RULES.get(surface.engine, ()):
        if rule.condition.holds(values):
            yield Finding(
                kind="needs another flag",
                level="start",
                flag=rule.flag,
                message=f"{rule.flag} needs {rule.needs}: {surface.engine} stops at start",
            )


def template_finding(surface: Surface, flag: Flag, written: str, value: str) -> Finding | None:
    """A chat template that is no template text has to be a file where the engine runs."""
    if surface.engine != "vllm" or flag.dest != "chat_template" or set(value) & set("{}\n"):
        return None
    return Finding(
        kind="not known",
        level="start",
        severity="note",
        flag=written,
        value=value,
        message=f"{written}: {value!r} has to be a file where {surface.engine} runs",
    )


def environment_findings(
    surface: Surface, known: Names, env: Mapping[str, str], history: History | None
) -> Iterator[Finding]:
    """Variables of the engine's own name space that this version doesn't know.

    The engine warns at most, so a setting that went away fails silently.

    Args:
        surface: the engine version.
        known: the names of `environment_names`.
        env: the variables that are set.
        history: what is known of other versions.
    """
    prefixes: Sequence[str] = _OWN_VARIABLES.get(surface.engine, ())
    if surface.env is None or not prefixes:
        return
    for name in env:
        if name in known or not name.startswith(tuple(prefixes)):
            continue
        renamed = _renamed(surface, name)
        if renamed is not None and renamed in known:
            yield Finding(
                kind="renamed variable",
                level="start",
                severity="warning",
                flag=name,
                value=env[name],
                message=f"{name} is copied to {renamed}: write that",
                near=renamed,
            )
            continue
        versions = in_words(history, "env", name, surface.version)
        gone = versions is not None and not versions.startswith("no version")
        yield Finding(
            kind="unknown variable",
            level="start",
            severity="error" if gone else "warning",
            flag=name,
            value=env[name],
            message=f"{surface.engine} {surface.version} doesn't read {name}: it has no effect",
            near=known.near(name),
            versions=versions,
        )


def environment_names(surface: Surface) -> Names:
    """Every variable that an engine version is known to read."""
    return Names.of((*(surface.env or ()), *surface.env_read))


def _renamed(surface: Surface, name: str) -> str | None:
    if surface.engine == "sglang" and name.startswith("SGL_"):
        return "SGLANG_" + name.removeprefix("SGL_")
    return None
