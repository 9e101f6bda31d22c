"""Small surfaces made by hand, and ways to check lists against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import field, frozen

from infxreg.surface.check import check
from infxreg.surface.findings import Finding, Verdict
from infxreg.surface.history import History, ItemKind, Span
from infxreg.surface.model import Config, ConfigField, Enum, Flag, Surface
from infxreg.values import FrozenMap


def flag(*names: str, **more: object) -> Flag:
    """A flag whose destination is its first long name."""
    long = next((name for name in names if name.startswith("--")), names[0])
    more.setdefault("dest", long.lstrip("-").replace("-", "_"))
    return Flag(names=names, **more)  # type: ignore[arg-type]


def boolean(name: str, **more: object) -> Flag:
    """``--x`` with ``--no-x``."""
    more.setdefault("dest", name.lstrip("-").replace("-", "_"))
    return flag(name, "--no-" + name.lstrip("-"), arity="0", action="boolean", type="", **more)


def config(extra: str | None = "forbid", refusals: Sequence[str] = (), **fields: object) -> Config:
    """A config class; a field is its type expression, or a `ConfigField`."""
    return Config(
        fields=FrozenMap(
            {
                name: one if isinstance(one, ConfigField) else ConfigField(type=str(one))
                for name, one in fields.items()
            }
        ),
        extra=extra,
        refusals=tuple(refusals),
    )


def enum(**members: object) -> Enum:
    """An enum of constant values."""
    return Enum(members=FrozenMap({name: repr(value) for name, value in members.items()}))


def surface(engine: str = "vllm", version: str = "0.31.0", *flags: Flag, **more: object) -> Surface:
    """A surface of some flags; mappings are frozen."""
    for key in ("configs", "enums", "registries"):
        if key in more:
            more[key] = FrozenMap(more[key])  # type: ignore[arg-type]
    return Surface(engine=engine, version=version, flags=flags, **more)  # type: ignore[arg-type]


MODEL = Flag(dest="model_tag", arity="?")


def vllm(*flags: Flag, version: str = "0.31.0", **more: object) -> Surface:
    """A vllm surface, with the model as its positional."""
    return surface("vllm", version, MODEL, *flags, **more)


def sglang(*flags: Flag, version: str = "0.5.23", **more: object) -> Surface:
    """An sglang surface, with ``--model-path``."""
    path = Flag(names=("--model-path", "--model"), dest="model_path", required=True)
    return surface("sglang", version, path, *flags, **more)


def said(verdict: Verdict) -> list[tuple[str, str]]:
    """Kind and flag of each finding."""
    return [(finding.kind, finding.flag) for finding in verdict.findings]


def accepted(made: Surface, *argv: str) -> bool | None:
    """Whether the parser takes a list."""
    return check(made, argv).accepted


def only(
    made: Surface,
    *argv: str,
    env: Mapping[str, str] | None = None,
    history: History | None = None,
) -> Finding:
    """The one finding about a list."""
    verdict = check(made, argv, env, history=history)
    assert len(verdict.findings) == 1, verdict.findings
    return verdict.findings[0]


@frozen
class Known:
    """A history from a table: (kind, name) to spans."""

    items: Mapping[tuple[str, str], Sequence[Span]]
    oldest: str = "0.8.5"
    replaced: Mapping[str, str] = field(factory=dict)

    def spans(self, kind: ItemKind, name: str) -> Sequence[Span]:
        """The runs of versions that have an item."""
        return self.items.get((kind, name), ())

    def replacement(self, flag: str) -> str | None:
        """What a flag was deprecated for."""
        return self.replaced.get(flag)
