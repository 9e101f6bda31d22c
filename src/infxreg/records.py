"""The frozen records that plugins contribute, in the field's words.

Every record is plain data with its source. Tables (TOML) and Python hooks give
the same records; `infxreg.tables` reads the former.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from attrs import field, frozen

from infxreg.scope import EVERYTHING, AxisValue, Scope
from infxreg.tablefile import TableFile
from infxreg.values import FrozenMap, Setting, Value

if TYPE_CHECKING:
    from infxreg.surface.checkers import Checkers

AxisType: TypeAlias = Literal["id", "name", "int"]
OptionType: TypeAlias = Literal["bool", "int", "float", "str", "list[int]", "list[str]", "json"]
"""``json`` is text that is JSON: in an object of a flag it stands as what it says."""
Shows: TypeAlias = Literal["performance", "accuracy"]
OptionUse: TypeAlias = Literal["rendered", "input", "label"]
"""``input`` is for derivations alone, ``label`` for exporters; neither reaches an engine."""
PolicySeverity: TypeAlias = Literal["error", "warning", "note"]


@frozen(kw_only=True)
class Axis:
    """Something that a point has one value of.

    A facet (``facet_of`` names its carrier) takes its value from a fact of the
    carrier's record, so a request can't set it.
    """

    kind: ClassVar[str] = "axis"
    id: str
    type: AxisType = "name"
    default: AxisValue | None = None
    values: tuple[AxisValue, ...] = ()
    facet_of: str | None = None
    doc: str = ""


@frozen(kw_only=True)
class AxisValues:
    """More values of an axis that somebody else declared."""

    kind: ClassVar[str] = "axis_values"
    id: str
    axis: str
    values: tuple[AxisValue, ...]
    doc: str = ""


@frozen(kw_only=True)
class Arch:
    """A GPU architecture: whose it is, and the software platform that images are built for."""

    kind: ClassVar[str] = "arch"
    id: str
    vendor: str
    platform: str
    source: str
    doc: str = ""


@frozen(kw_only=True)
class Sku:
    """A hardware product by identity. Its numbers check, they never select."""

    kind: ClassVar[str] = "sku"
    id: str
    name: str
    arch: str
    memory_gib: float
    gpus_per_node: int
    cpu_arch: str
    source: str
    facets: FrozenMap[str, AxisValue] = field(factory=FrozenMap)
    doc: str = ""


@frozen(kw_only=True)
class Offload:
    """A part of a checkpoint that an option moves to host memory."""

    option: str
    gib: float


@frozen(kw_only=True)
class GoldenAcceptance:
    """A committed acceptance length that simulated speculative decoding has to use."""

    method: str
    mode: str
    draft_tokens: int
    length: float
    source: str


@frozen(kw_only=True)
class Deprecation:
    """A workload that a model is benchmarked with no longer, or all where none is named.

    ``after`` is the last day (``2026-08-03``); without it, it is so already.
    """

    source: str
    workload: str | None = None
    after: str | None = None


@frozen(kw_only=True)
class Model:
    """A checkpoint: what is served. Sizes in GiB, context in tokens."""

    kind: ClassVar[str] = "model"
    id: str
    hub_id: str
    family: str
    source: str
    revision: str | None = None
    precision: str | None = None
    context_len: int | None = None
    weights_gib: float | None = None
    offload: tuple[Offload, ...] = ()
    golden_acceptance: tuple[GoldenAcceptance, ...] = ()
    deprecated: tuple[Deprecation, ...] = ()
    facets: FrozenMap[str, AxisValue] = field(factory=FrozenMap)
    doc: str = ""


@frozen(kw_only=True)
class Image:
    """A pinned container image. ``id`` is the reference that is launched.

    ``knows`` and ``lacks`` list capabilities that were seen or refuted on this
    very image; what neither lists is decided by ``version``, else unknown.

    ``between`` are the releases before and after it, both ends in it, where its
    ancestry is known; without it a ``date`` (``2026-09-22``) gives them: the last
    release before that day, and the second after it, since releases are cut from branches.
    """

    kind: ClassVar[str] = "image"
    id: str
    engine: str
    source: str
    digest: str | None = None
    version: str | None = None
    commit: str | None = None
    date: str | None = None
    between: tuple[str, str] | None = None
    accelerator: str | None = None
    platforms: tuple[str, ...] = ()
    moving: bool = False
    knows: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    doc: str = ""


@frozen(kw_only=True)
class Capability:
    """Something that an engine can do since a release (and, where it went, until one).

    ``flag`` (``--attention-config``), ``key`` (inside its JSON) and ``value`` say what of
    the command line it is, so that an image that knows it can be told to take it.
    """

    kind: ClassVar[str] = "capability"
    id: str
    engine: str
    source: str
    since: str | None = None
    removed_in: str | None = None
    flag: str | None = None
    key: str | None = None
    value: str | None = None
    doc: str = ""


@frozen(kw_only=True)
class Render:
    """How one engine renders one option: a flag, a leaf of a JSON flag, or a variable.

    ``true`` and ``false`` are how a boolean is written: the text of a variable, or,
    for a flag, ``false`` is the flag that switches it off (``no-…``). A flag's
    ``true`` is the bare flag.
    """

    option: str
    flag: str | None = None
    json: str | None = None
    env: str | None = None
    true: str | None = None
    false: str | None = None
    aliases: tuple[str, ...] = ()
    choices: tuple[Value, ...] = ()
    behind: FrozenMap[str, tuple[str, ...]] = field(factory=FrozenMap)


@frozen(kw_only=True)
class Engine:
    """An inference engine: how its command line begins, and how it renders options.

    ``release_images`` are patterns of references, so that a tag which says what it holds
    needs no record: ``{version}`` is a release, ``{date}`` a nightly's day (20260922),
    ``{commit}`` its commit, ``{build}`` any other words. ``upstream_images`` are beginnings of
    the references that the engine's own maintainers publish (``vllm/``). ``starts`` is the
    engine whose workers it starts, where it is around another one: images hold that.
    """

    kind: ClassVar[str] = "engine"
    id: str
    argv: tuple[str, ...]
    source: str
    render: tuple[Render, ...] = ()
    release_images: tuple[str, ...] = ()
    upstream_images: tuple[str, ...] = ()
    starts: str | None = None
    doc: str = ""


@frozen(kw_only=True, slots=False)
class EngineSurface:
    """What the releases of an engine accept on their command line, as its plugin ships it.

    ``id`` is the engine's. ``file`` is what ``infxreg engine fold`` made, ``extract`` the
    function that reads one more release off its source, as ``package.module:function``.
    ``branch_parts`` numbers of a version name the branch that it is cut from (0.25.1 mends
    vllm's 0.25, 0.5.21 is a branch of sglang's own). ``overlays`` are TOML files with what
    wrappers of the engine take besides.
    """

    kind: ClassVar[str] = "surface"
    id: str
    file: TableFile
    extract: str
    branch_parts: int = 3
    overlays: tuple[TableFile, ...] = ()
    doc: str = ""

    def read(self) -> Checkers:
        """Its releases, ready to check with; what is read once stays with the record.

        Raises:
            SurfaceFormatError: if the file isn't what it should be.
        """
        return self._checkers

    @cached_property
    def _checkers(self) -> Checkers:
        from infxreg.surface.checkers import Checkers
        from infxreg.surface.errors import SurfaceFormatError

        try:
            data = self.file.read()
        except OSError as error:
            raise SurfaceFormatError(f"what {self.id} accepts", (str(error),)) from error
        return Checkers.read(data, self.branch_parts)


@frozen(kw_only=True)
class Option:
    """A typed, named setting.

    ``use`` says who consumes it: an engine or the launch spec (``rendered``), or
    only derivations and checks (``input``).
    """

    kind: ClassVar[str] = "option"
    id: str
    type: OptionType
    doc: str
    unit: str | None = None
    use: OptionUse = "rendered"


@frozen(kw_only=True)
class Gate:
    """A named opt-in with a scope of its own."""

    kind: ClassVar[str] = "gate"
    id: str
    when: Scope
    doc: str
    source: str | None = None


@frozen(kw_only=True)
class Require:
    """What a rule needs of the image: a version range (PEP 440) and capabilities."""

    version: str | None = None
    knows: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.version is not None or bool(self.knows)


@frozen(kw_only=True)
class Rule:
    """Values set for every point in a scope. Several scopes are as many rules with one body."""

    kind: ClassVar[str] = "rule"
    id: str
    when: tuple[Scope, ...] = (EVERYTHING,)
    gates: tuple[str, ...] = ()
    settings: FrozenMap[str, Setting] = field(factory=FrozenMap)
    require: Require = Require()
    source: str | None = None
    doc: str = ""

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The scopes with the gates that the rule stands behind."""
        return tuple(scope.behind(self.gates) for scope in self.when)


@frozen(kw_only=True)
class Sweep:
    """Points of a recipe: the product of its axes' values.

    ``id`` is a template over axes. A text value such as ``"{tp}"`` ties an axis to
    another one.
    """

    id: str
    axes: FrozenMap[str, tuple[AxisValue, ...]]


@frozen(kw_only=True)
class Recipe:
    """A supported (model, SKU, engine, workload): sweeps, default point, gates it opens."""

    kind: ClassVar[str] = "recipe"
    id: str
    model: str
    sku: str
    engine: str
    sweep: tuple[Sweep, ...]
    default_point: str
    workload: str | None = None
    default: bool = False
    gates: tuple[str, ...] = ()
    source: str | None = None
    doc: str = ""


@frozen(kw_only=True)
class Expect:
    """A claim about the swept points of a scope, which ``infxreg check`` holds them to.

    Any of: every option of ``values`` has its value, and those of ``absent`` have none; the
    points are those of a ``digest`` (`infxreg.review.expectations.digest_of`); each point equals
    the one with the axes of ``like`` (``sku = "gb200"``), but for the keys of ``but``.
    ``gates`` are opened for it.
    """

    kind: ClassVar[str] = "expect"
    id: str
    when: tuple[Scope, ...] = (EVERYTHING,)
    gates: tuple[str, ...] = ()
    values: FrozenMap[str, Value] = field(factory=FrozenMap)
    absent: tuple[str, ...] = ()
    digest: str | None = None
    like: FrozenMap[str, AxisValue] = field(factory=FrozenMap)
    but: tuple[str, ...] = ()
    source: str | None = None
    doc: str = ""


@frozen(kw_only=True)
class Evidence:
    """A run that showed something, bound to the digests of the specs that were run.

    ``digests`` are by point (``recipe/point@purpose``, ``+gate`` for each gate that was open beside
    the recipe's), stamped by ``infxreg evidence add``.
    ``gates`` are those that were open beside the recipe's. A metric below its threshold shows
    nothing; ``frontier`` are the points that no other of the run beats.
    """

    kind: ClassVar[str] = "evidence"
    id: str
    shows: Shows
    run: str
    commit: str
    source: str
    digests: FrozenMap[str, str]
    date: str | None = None
    head: str | None = None
    image: str | None = None
    gates: tuple[str, ...] = ()
    metrics: FrozenMap[str, float] = field(factory=FrozenMap)
    thresholds: FrozenMap[str, float] = field(factory=FrozenMap)
    frontier: tuple[str, ...] = ()
    doc: str = ""

    @property
    def missed(self) -> tuple[str, ...]:
        """The metrics that miss their threshold, in words."""
        return tuple(
            f"{name} is {self.metrics.get(name)}, below {least}"
            for name, least in sorted(self.thresholds.items())
            if not self.metrics.get(name, float("-inf")) >= least
        )


@frozen(kw_only=True)
class Derivation:
    """A pure function from what it reads (positional) and parameters (keyword) to a value.

    ``None`` in is an absent key, ``None`` out makes the key absent.
    """

    kind: ClassVar[str] = "derivation"
    id: str
    function: Callable[..., Any]
    doc: str = ""


@frozen(kw_only=True)
class Policy:
    """What a team holds specs or changes to, beside what engine and hardware allow.

    Attributes:
        title: what it asks, by language (``en``, and others such as ``zh``).
        source: where it is written down.
        severity: of what it refutes.
        number: its number in the checklist that it is from.
        spec: a pure function from `infxreg.policy.SpecView` to rulings; where it yields none,
            it isn't about that spec.
        change: the same from `infxreg.policy.ChangeView`, for ``infxreg review``.
    """

    kind: ClassVar[str] = "policy"
    id: str
    title: FrozenMap[str, str]
    source: str
    severity: PolicySeverity = "error"
    number: int | None = None
    spec: Callable[[Any], Iterable[Any]] | None = None
    change: Callable[[Any], Iterable[Any]] | None = None
    doc: str = ""


@frozen(kw_only=True)
class Waiver:
    """An exception from a policy for the points of a scope: what, why, and until when.

    ``id`` is the pull request's number, as InferenceX names its ``docs/waiver/2508.md``.
    ``expires`` is its last day.
    """

    kind: ClassVar[str] = "waiver"
    id: str
    policy: str
    when: tuple[Scope, ...]
    what: str
    why: str
    upstream: tuple[str, ...]
    removal: str
    expires: str | None = None
    source: str | None = None


@frozen(kw_only=True)
class Importer:
    """Reads what another project keeps as it is, for ``infxreg import`` and ``--from``.

    Attributes:
        id: what it is called on the command line: ``srt-slurm``.
        read: from a file or folder, and the `infxreg.catalogue.Catalogue` of what is known, to
            `infxreg.exchange.Imported`; it raises `infxreg.exchange.ImportFaults` with
            everything that is wrong.
        source: where the formats are written down.
    """

    kind: ClassVar[str] = "importer"
    id: str
    read: Callable[[Path, Any], Any]
    source: str
    doc: str = ""


@frozen(kw_only=True)
class Exporter:
    """Writes launch specs as another project's files, for ``infxreg export``.

    Attributes:
        id: what it is called on the command line.
        media_type: of the files: ``application/yaml``.
        format: the version of the format that it writes.
        write: from a list of `infxreg.exchange.Launch`, and the `infxreg.catalogue.Catalogue` of
            what is known, to files by name; it raises `infxreg.exchange.ExportError` for what the
            format can't express.
        source: where the format is written down.
    """

    kind: ClassVar[str] = "exporter"
    id: str
    media_type: str
    format: str
    write: Callable[[Sequence[Any], Any], Mapping[str, str]]
    source: str
    doc: str = ""


@frozen(kw_only=True)
class SiteSettings:
    """The ``[site]`` table: gates that a site opens or closes wherever they apply."""

    kind: ClassVar[str] = "site"
    id: str = "site"
    open: tuple[str, ...] = ()
    close: tuple[str, ...] = ()


Record: TypeAlias = (
    Axis
    | AxisValues
    | Arch
    | Sku
    | Model
    | Image
    | Capability
    | Engine
    | EngineSurface
    | Option
    | Gate
    | Rule
    | Recipe
    | Expect
    | Evidence
    | Derivation
    | Policy
    | Waiver
    | Importer
    | Exporter
    | SiteSettings
)

KINDS: tuple[type[Any], ...] = (
    Axis,
    AxisValues,
    Arch,
    Sku,
    Model,
    Image,
    Capability,
    Engine,
    EngineSurface,
    Option,
    Gate,
    Rule,
    Recipe,
    Expect,
    Evidence,
    Derivation,
    Policy,
    Waiver,
    Importer,
    Exporter,
)
