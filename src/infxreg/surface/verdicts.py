"""One verdict about a command line, whether its engine's version is known or bracketed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attrs import frozen

from infxreg.surface.findings import Finding
from infxreg.surface.image_check import Reply, replies
from infxreg.surface.model import Json
from infxreg.surface.possible import Possible

_PROGRAMS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "vllm": (("vllm", "serve"),),
    "sglang": (
        ("python3", "-m", "sglang.launch_server"),
        ("python", "-m", "sglang.launch_server"),
        ("sglang", "serve"),
    ),
}
"""How a whole command line of an engine begins."""


@frozen
class Judgement:
    """Whether an engine build takes a command line.

    Attributes:
        accepted: by its parser; None where that isn't known.
        replies: what is to be said, in the order of the arguments.
    """

    accepted: bool | None
    replies: tuple[Reply, ...]

    @property
    def sound(self) -> bool | None:
        """Like `accepted`, and refused too where the engine fails later, or we refuse it."""
        if any(reply.answer == "refuted" and reply.severity == "error" for reply in self.replies):
            return False
        return self.accepted

    def to_json(self) -> dict[str, Json]:
        """One object: what ``infxreg engine check --json`` prints a list."""
        findings: list[Json] = [
            {**reply.finding.to_json(), "severity": reply.severity, "answer": reply.answer}
            for reply in self.replies
        ]
        return {"accepted": self.accepted, "findings": findings}


def judge(
    engine: str,
    held: Possible,
    argv: Sequence[str],
    env: Mapping[str, str] | None = None,
    knows: Callable[[Finding], str | None] = lambda finding: None,
) -> Judgement:
    """Checks a command line against the versions that an engine build may have.

    Args:
        engine: the engine, which tells what stands before the arguments.
        held: the versions, at least one.
        argv: what stands after the model (``vllm serve MODEL ARG…``), or a whole command line.
        env: the variables that are set.
        knows: what the image's record says of a finding, as `infxreg.surface.image_check` has it.
    """
    after = _after_program(engine, argv)
    lead = None if after is argv else ()
    found = replies(held, after, env or {}, knows, lead)
    at_parse = [reply for reply in found if reply.finding.level == "parse"]
    accepted: bool | None = None if held.newer else True
    if any(reply.answer == "refuted" and reply.severity == "error" for reply in at_parse):
        accepted = False
    elif any(reply.answer == "unknown" and _decides(reply) for reply in at_parse):
        accepted = None
    return Judgement(accepted, found)


def _after_program(engine: str, argv: Sequence[str]) -> Sequence[str]:
    """A whole command line without its program; an argument list as it is."""
    for program in _PROGRAMS.get(engine, ()):
        if tuple(argv[: len(program)]) == program:
            return argv[len(program) :]
    return argv


def _decides(reply: Reply) -> bool:
    return reply.severity == "error" or reply.finding.kind == "not known"
