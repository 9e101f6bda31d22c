"""The adapter to srt-slurm's recipe files: what of one a master config can be compared with.

Source of the format: NVIDIA/srt-slurm, docs/overrides.md and src/srtctl/core/config.py at
c88ef731 (2026-08-21); of the engines' arguments, their own documentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from infxreg.errors import InfxregError
from infxreg.values import FrozenMap
from infxreg_inferencex.master.place import FileFaults, Path, Place
from infxreg_inferencex.master.reading import Document, opened
from infxreg_inferencex.master.sweep import combinations, filled

BASE = "base"
_ZIPPED = re.compile(r"(zip_override_[\w-]+)(?:\[(\d+)\])?")
_ROLES = {"prefill": "prefill", "decode": "decode", "agg": "aggregated"}
"""The roles as ``resources`` calls them, and as ``backend`` does."""

_SWEEP = "sweep"
_LATER = 2
"""The schema that keeps what is a role's own in one place."""

_TRUE = ("true", "1", "yes")


@frozen
class RecipeError(InfxregError):
    """A recipe, or a variant of it, that can't be had: where, and why."""

    place: Place
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


@frozen(kw_only=True)
class Side:
    """The workers of one role, as a recipe starts them.

    Attributes:
        role: ``prefill``, ``decode`` or ``agg``.
        workers, nodes: how many.
        gpus: of one worker, as the resources say.
        arguments: the engine's, with ``-`` for ``_``.
        environment: its variables.
        at: where the arguments stand; ``environment_at`` where the variables do.
    """

    role: str
    workers: int
    nodes: int
    gpus: int | None
    arguments: FrozenMap[str, Any]
    environment: FrozenMap[str, str]
    at: Place
    environment_at: Place


@frozen(kw_only=True)
class Recipe:
    """One variant of a recipe file.

    Attributes:
        file: its path in the checkout.
        selector: the variant's name there; None for a file that has only one.
        container: what the engine runs in; a name without ``/`` and ``:`` is the cluster's.
        engine: ``vllm``, ``sglang`` or ``trtllm``.
        gpus_per_node: of the nodes that are asked for.
        concurrencies: what the benchmark sends; None where the recipe leaves it to whoever
            starts it.
        sides: by role; of roles without workers there is none.
        document: all that the variant says, as it says it.
    """

    file: str
    selector: str | None
    container: str
    engine: str
    gpus_per_node: int | None
    concurrencies: tuple[int, ...] | None
    sides: FrozenMap[str, Side]
    at: Place = field(eq=False)
    container_at: Place = field(eq=False)
    concurrencies_at: Place = field(eq=False)
    document: Mapping[str, Any] = field(factory=dict, eq=False, repr=False)


class RecipeFile:
    """A recipe file that has been read, with its variants."""

    def __init__(self, text: str, file: str) -> None:
        """Read it.

        Args:
            text: YAML.
            file: its path in the checkout.

        Raises:
            RecipeError: if it isn't a recipe.
        """
        try:
            self._document = opened(text, file)
            self._data: Mapping[str, Any] = self._document.mapping()
        except FileFaults as error:
            raise RecipeError(error.faults[0].place, error.faults[0].message) from error
        self.file = file
        self._swept: dict[str, dict[str, Any]] = {}
        if _SWEEP in self._data and BASE not in self._data:
            try:
                self._swept = combinations(self._data[_SWEEP])
            except ValueError as error:
                raise RecipeError(self._document.place((_SWEEP,)), str(error)) from error

    @property
    def selectors(self) -> tuple[str, ...]:
        """What can be selected, a group of zipped variants one by one."""
        if BASE not in self._data:
            return tuple(self._swept)
        found: list[str] = []
        for name in self._data:
            if name.startswith("zip_override_"):
                found += [f"{name}[{place}]" for place in range(self._length(name))]
            elif name == BASE or name.startswith("override_"):
                found.append(name)
        return tuple(found)

    def variant(self, selector: str | None) -> Recipe:
        """The recipe that a selector names; without one, the only one.

        Raises:
            RecipeError: if there is none, or there are several.
        """
        known = self.selectors
        if selector is None:
            if not known:
                return self._recipe(self._data, None, ())
            several = [name for name in known if name != BASE] or [BASE]
            if len(several) == 1:
                return self.variant(several[0])
            raise self._error(f"it has {len(several)} variants, and none is selected", several)
        if not known:
            raise self._error(f"it has no variants, and {selector!r} is selected")
        if selector in self._swept:
            rest = {key: value for key, value in self._data.items() if key != _SWEEP}
            return self._recipe(filled(rest, self._swept[selector]), selector, ())
        if selector not in known:
            group = [name for name in known if name.partition("[")[0] == selector]
            if len(group) == 1:
                return self.variant(group[0])
            if group:
                raise self._error(f"{selector!r} has {len(group)} variants", group)
            raise self._error(f"it has no variant {selector!r}; it has", known)
        base = self._data[BASE]
        if selector == BASE:
            return self._recipe(base, BASE, (BASE,))
        zipped = _ZIPPED.fullmatch(selector)
        name = zipped[1] if zipped else selector
        over = self._data[name]
        if zipped:
            over = _slice(over, int(zipped[2]))
        return self._recipe(_merged(base, over), selector, (name, BASE))

    def _length(self, group: str) -> int:
        lengths = sorted(set(_lengths(self._data[group])) - {1})
        if len(lengths) > 1:
            told = " and ".join(map(str, lengths))
            raise self._error(f"{group} has lists of {told} entries, which don't go together")
        return lengths[0] if lengths else 1

    def _error(self, reason: str, known: Sequence[str] = ()) -> RecipeError:
        hint = f": {', '.join(known[:8])}" if known else ""
        return RecipeError(Place(self.file, "", 1), reason + hint)

    def _recipe(self, data: Any, selector: str | None, roots: tuple[str, ...]) -> Recipe:
        later = isinstance(data, Mapping) and data.get("schema") == _LATER
        own, words = ("roles", "roles") if later else ("backend", "a backend")
        if not _table(data, "resources") or not _table(data, own):
            raise self._error(f"it is no recipe: that has resources and {words}")
        if data.get(_SWEEP):
            raise self._error("a sweep stands in a file of its own, without base and overrides")
        place = _Places(self._document, roots)
        resources = _table(data, "resources")
        if later:
            said = data.get("engine")
            engine = str(said.get("type") if isinstance(said, Mapping) else said or "sglang")
            sides = dict(_later_sides(data, place))
        else:
            engine = str(_table(data, "backend").get("type") or "sglang")
            sides = dict(_sides(data, engine, place))
        return Recipe(
            file=self.file,
            selector=selector,
            container=str(_table(data, "model").get("container", "")),
            engine=engine,
            gpus_per_node=_whole(resources.get("gpus_per_node")),
            concurrencies=_concurrencies(_table(data, "benchmark").get("concurrencies")),
            sides=FrozenMap(sides),
            at=place.of("resources"),
            container_at=place.of("model", "container"),
            concurrencies_at=place.of("benchmark", "concurrencies"),
            document=data,
        )


def _sides(data: Any, engine: str, place: _Places) -> Iterator[tuple[str, Side]]:
    resources, backend = _table(data, "resources"), _table(data, "backend")
    for role, name in _ROLES.items():
        workers = _whole(resources.get(f"{role}_workers")) or 0
        if not workers:
            continue
        nodes = _whole(resources.get(f"{role}_nodes")) or 0
        gpus = _whole(resources.get(f"gpus_per_{role}"))
        arguments = _table(_table(backend, f"{engine}_config"), name)
        environment = {**_table(data, "environment"), **_table(backend, f"{name}_environment")}
        yield (
            role,
            Side(
                role=role,
                workers=workers,
                nodes=nodes,
                gpus=gpus,
                arguments=_arguments(arguments),
                environment=FrozenMap({str(k): str(v) for k, v in environment.items()}),
                at=place.of("backend", f"{engine}_config", name),
                environment_at=place.of("backend", f"{name}_environment"),
            ),
        )


def _later_sides(data: Any, place: _Places) -> Iterator[tuple[str, Side]]:
    """The roles of schema 2, each with all that is its own in one place."""
    for role in _ROLES:
        own = _table(_table(data, "roles"), role)
        if not own:
            continue
        environment = {**_table(data, "environment"), **_table(own, "env")}
        yield (
            role,
            Side(
                role=role,
                workers=_whole(own.get("workers")) or 1,
                nodes=_whole(own.get("nodes")) or 1,
                gpus=_whole(own.get("gpus")),
                arguments=_arguments(_table(own, "args")),
                environment=FrozenMap({str(k): str(v) for k, v in environment.items()}),
                at=place.of("roles", role, "args"),
                environment_at=place.of("roles", role, "env"),
            ),
        )


def _arguments(said: Mapping[str, Any]) -> FrozenMap[str, Any]:
    return FrozenMap({str(k).replace("_", "-"): v for k, v in said.items()})


@frozen(kw_only=True)
class Parallel:
    """How a side splits the model, in the words of a master config.

    Attributes:
        gpus: of one worker.
        ep: ranks that share a layer's experts.
        dp_attn: whether attention is data-parallel.
        pp: stages of a pipeline.
        dcp: ranks that share a context at decode.
    """

    gpus: int
    ep: int
    dp_attn: bool
    pp: int
    dcp: int


def parallel(recipe: Recipe, side: Side) -> Parallel | None:
    """What the arguments of a side say; None for an engine that isn't known here."""
    arguments = side.arguments

    def size(*names: str) -> int:
        said = next((arguments[name] for name in names if name in arguments), None)
        return _whole(said) or 1

    pp, dcp = size("pipeline-parallel-size", "pp-size"), size("decode-context-parallel-size")
    tp = size("tensor-parallel-size", "tp-size", "tp")
    if recipe.engine == "vllm":
        dp = size("data-parallel-size")
        pcp = size("prefill-context-parallel-size")
        shared = _true(arguments.get("enable-expert-parallel"))
        ep = tp * dp * pcp if shared else 1
        return Parallel(gpus=tp * pp * dp * pcp, ep=ep, dp_attn=dp > 1, pp=pp, dcp=dcp)
    if recipe.engine == "sglang":
        ep = size("expert-parallel-size", "ep-size", "ep")
        if arguments.get("moe-a2a-backend") not in (None, "none"):
            ep = tp  # sglang sets it so
        split = _true(arguments.get("enable-dp-attention"))
        return Parallel(gpus=tp * pp, ep=ep, dp_attn=split, pp=pp, dcp=dcp)
    if recipe.engine == "trtllm":
        ep = size("moe-expert-parallel-size")
        split = _true(arguments.get("enable-attention-dp"))
        return Parallel(gpus=tp * pp, ep=ep, dp_attn=split, pp=pp, dcp=dcp)
    return None


@frozen
class _Places:
    """Where things of a variant stand: in its own part of the file, else in the base."""

    document: Document
    roots: tuple[str, ...]

    def of(self, *path: str) -> Place:
        for root in self.roots or (None,):
            whole: Path = path if root is None else (root, *path)
            value: Any = self.document.value
            for step in whole:
                value = value.get(step) if isinstance(value, Mapping) else None
            if value is not None:
                return self.document.place(whole, value)
        return self.document.place(path if not self.roots else (self.roots[-1], *path))


def _merged(base: Any, over: Any) -> Any:
    """Two mappings, the second winning; None takes a key away."""
    if not isinstance(base, Mapping) or not isinstance(over, Mapping):
        return over
    found = dict(base)
    for key, value in over.items():
        if value is None:
            found.pop(key, None)
        else:
            found[key] = _merged(found.get(key), value)
    return found


def _slice(value: Any, place: int) -> Any:
    """One variant of a zipped group: of every list its entry, of a list of one that one."""
    if isinstance(value, Mapping):
        return {key: _slice(one, place) for key, one in value.items()}
    if isinstance(value, list) and value:
        return value[0] if len(value) == 1 else value[place]
    return value


def _lengths(value: Any) -> list[int]:
    if isinstance(value, Mapping):
        return [length for one in value.values() for length in _lengths(one)]
    return [len(value)] if isinstance(value, list) else []


def _table(data: Any, key: str) -> Mapping[str, Any]:
    found = data.get(key) if isinstance(data, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _whole(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return value if type(value) is int else None


def _true(value: object) -> bool:
    return value is True or str(value).lower() in _TRUE


def _concurrencies(said: object) -> tuple[int, ...] | None:
    """``"1x8x16"``, a list or one number."""
    parts = said if isinstance(said, list) else re.split(r"[x,\s]+", str(said).strip())
    numbers = [_whole(part) for part in parts]
    if said is None or None in numbers:
        return None
    return tuple(number for number in numbers if number is not None)
