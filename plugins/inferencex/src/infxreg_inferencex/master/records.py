"""What InferenceX's master configs, runners and golden lengths say, as they say it.

A record has a field for each key of the file, under its own name with ``_`` for ``-``; what
a file leaves out is None, and what that then means is decided where it matters. Two records
are equal when they say the same, wherever they stand.

Source of the keys and their meaning: InferenceX, utils/matrix_logic/validation.py and
configs/CONFIGS.md, as of 2026-08-21.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from attrs import field, frozen

from infxreg.values import FrozenMap
from infxreg_inferencex.master.place import Place

FIXED, AGENTIC = "fixed-seq-len", "agentic-coding"
"""The kinds of a scenario."""

SpecDecoding = Literal["mtp", "draft_model", "none"]
KvOffloading = Literal["none", "dram"]
Role = Literal["prefill", "decode"]


@frozen(kw_only=True)
class Component:
    """A router or a backend of KV offloading, and its own release."""

    name: str
    version: str | None = None


@frozen(kw_only=True)
class Worker:
    """The workers of one role. Without disaggregation, ``prefill`` has them all.

    Attributes:
        num_worker: how many there are.
        tp, pp, pcp_size: each worker has as many GPUs as their product says.
        ep: ranks that share a layer's experts.
        dcp_size: ranks of ``tp`` that share a context at decode.
        dp_attn: whether attention is data-parallel.
        hardware: the SKU, where the roles' differ.
        additional_settings: ``NAME=value`` for the launcher.
    """

    num_worker: int
    tp: int
    ep: int
    dp_attn: bool
    pp: int | None = None
    dcp_size: int | None = None
    pcp_size: int | None = None
    hardware: str | None = None
    additional_settings: tuple[str, ...] | None = None
    at: Place = field(eq=False, repr=False)

    @property
    def gpus(self) -> int:
        """The GPUs of one worker."""
        return self.tp * (self.pp or 1) * (self.pcp_size or 1)

    def setting(self, name: str) -> str | None:
        """What a name of ``additional_settings`` is given; of several, the last counts."""
        found = [one.partition("=") for one in self.additional_settings or ()]
        return next((value for key, _, value in reversed(found) if key == name), None)


@frozen(kw_only=True)
class Space:
    """An entry of a search space: one topology, and the concurrencies to measure it at.

    On one node it has ``tp`` and what goes with it, on several ``prefill`` and ``decode``.
    """

    spec_decoding: SpecDecoding = "none"
    tp: int | None = None
    pp: int | None = None
    dcp_size: int | None = None
    pcp_size: int | None = None
    ep: int | None = None
    dp_attn: bool | None = None
    prefill: Worker | None = None
    decode: Worker | None = None
    kv_offloading: KvOffloading | None = None
    kv_offload_backend: Component | None = None
    router: Component | None = None
    kv_p2p_transfer: str | None = None
    conc_start: int | None = None
    conc_end: int | None = None
    conc_list: tuple[int, ...] | None = None
    at: Place = field(eq=False, repr=False)

    def concurrencies(self, step: int = 2) -> tuple[int, ...]:
        """The concurrencies, in the file's order.

        Args:
            step: a range multiplies by this, and always has its end.

        Raises:
            ValueError: if the step is below 2, with which a range would never end.
        """
        if step < 2:
            raise ValueError(f"a step of {step} never reaches a range's end")
        if self.conc_list:
            return self.conc_list
        if self.conc_start is None or self.conc_end is None:
            return ()  # no file that can be read says neither
        found = [self.conc_start]
        while found[-1] < self.conc_end:
            found.append(min(found[-1] * step, self.conc_end))
        return tuple(found)

    def roles(self) -> Iterator[tuple[Role, Worker]]:
        """The workers on several nodes, by role."""
        if self.prefill is not None:
            yield "prefill", self.prefill
        if self.decode is not None:
            yield "decode", self.decode

    def said(self, name: str) -> tuple[str, Place] | None:
        """What an additional setting is given, and where.

        All of them end in one environment, decode's after prefill's, so the last one counts.
        """
        found = None
        for _, worker in self.roles():
            for place, one in enumerate(worker.additional_settings or ()):
                key, _, value = one.partition("=")
                if key == name:
                    found = value, worker.at.of(f"additional-settings[{place}]")
        return found

    def setting(self, name: str) -> str | None:
        """What an additional setting is given."""
        found = self.said(name)
        return None if found is None else found[0]


@frozen(kw_only=True)
class FixedLength:
    """A scenario of prompts and answers of a fixed length, in tokens."""

    isl: int
    osl: int
    search_space: tuple[Space, ...]
    at: Place = field(eq=False, repr=False)

    kind = FIXED


@frozen(kw_only=True)
class Agentic:
    """A scenario that replays traces of coding agents.

    Attributes:
        dram_utilization: the part of a node's memory that KV offloading may have.
    """

    search_space: tuple[Space, ...]
    dram_utilization: float | None = None
    at: Place = field(eq=False, repr=False)

    kind = AGENTIC


@frozen(kw_only=True)
class Scenarios:
    """An entry's scenarios."""

    fixed_seq_len: tuple[FixedLength, ...] = ()
    agentic_coding: tuple[Agentic, ...] = ()


@frozen(kw_only=True)
class Entry:
    """An entry of a master config.

    Attributes:
        key: its name, which the changelog calls a config key.
    """

    key: str
    image: str
    model: str
    model_prefix: str
    precision: str
    framework: str
    runner: str
    multinode: bool
    disagg: bool = False
    router: Component | None = None
    kv_p2p_transfer: str | None = None
    scenarios: Scenarios
    at: Place = field(eq=False, repr=False)

    def spaces(self) -> Iterator[tuple[FixedLength | Agentic, Space]]:
        """Every entry of its search spaces, with the scenario it is of."""
        scenarios: tuple[FixedLength | Agentic, ...] = self.scenarios.fixed_seq_len
        for scenario in (*scenarios, *self.scenarios.agentic_coding):
            for space in scenario.search_space:
                yield scenario, space


@frozen(kw_only=True)
class Hardware:
    """What a node of a runner has: memory that offloading can use, in MiB, and GPUs."""

    available_cpu_dram_mib: int
    gpus_per_node: int


@frozen(kw_only=True)
class Runners:
    """runners.yaml.

    Attributes:
        labels: which runners (one a cluster's node or queue) take the jobs of a label.
        hardware: of some of the labels.
        file: its path.
        lines: where each label stands.
    """

    labels: FrozenMap[str, tuple[str, ...]]
    hardware: FrozenMap[str, Hardware]
    file: str = field(default="", eq=False)
    lines: FrozenMap[str, int] = field(factory=FrozenMap, eq=False, repr=False)


@frozen(kw_only=True)
class Golden:
    """A committed acceptance length: accepted draft tokens a step, and the verified one.

    Attributes:
        curve: the file without its ending: a model has a curve for each draft and sampling.
        model: as the file calls it.
        mode: ``thinking_on`` or ``thinking_off``.
        draft_tokens: tokens drafted a step.
    """

    curve: str
    model: str
    mode: str
    draft_tokens: int
    length: float
    at: Place = field(eq=False, repr=False)
