"""Checks over one launch spec: `ok`, `refuted` or `unknown`, with a reason and a severity.

Facts check here, they never select: a number of the hardware can refuse a spec,
it can't change it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from infxreg.catalogue import Catalogue
from infxreg.origin import Origin
from infxreg.records import Image, Require, Rule, Sku
from infxreg.references import MOVING_TAGS, tag_of
from infxreg.render import SECRET
from infxreg.spec import Answer, Check, LaunchSpec, Severity
from infxreg.values import Value
from infxreg.versions import in_range

if TYPE_CHECKING:
    from infxreg.surface.possible import Possible

_CPU_PLATFORM = {"x86_64": "linux/amd64", "aarch64": "linux/arm64"}
_VARIABLE = re.compile(r"\$(\w+|\{[^}]*\}|\()")
_SECRET_NAME = re.compile(r"(^|_)(TOKEN|SECRET|PASSWORD|API_?KEY|ACCESS_KEY|SECRET_KEY)$", re.I)
_SECRET_FLAG = re.compile(r"[.-](api-?key|hf-?token|password|secret)$", re.I)
_CLIENT_AXES = ("conc",)
"""What the client does, which a launch needn't know of."""

_LABELS = ("tp", "pp", "dp", "ep")


@frozen(eq=False)
class Subject:
    """What the checks look at: the spec, its image's record, the rules behind it, the facts."""

    spec: LaunchSpec
    image: Image | None
    rules: Mapping[Origin, Rule]
    used_axes: frozenset[str]
    """The axes that a matching rule names or a derivation reads."""
    catalogue: Catalogue

    @property
    def sku(self) -> Sku:
        """The SKU's record."""
        return self.catalogue.skus[self.spec.sku]

    @cached_property
    def held(self) -> Possible:
        """The releases of the spec's engine that the image may hold.

        Raises:
            SurfaceError: if the file that should tell is damaged.
        """
        from infxreg.engine_check import held_by

        spec = self.spec
        return held_by(spec.engine, self.image, spec.image.digest, self.catalogue)

    def value(self, key: str) -> Value | None:
        """An option's value, None where it is absent or nobody sets it."""
        option = self.spec.options.get(key)
        return None if option is None else option.value

    def number(self, key: str, default: int = 1) -> int:
        """An integer option, or a default where it is absent."""
        value = self.value(key)
        return value if isinstance(value, int) else default


def with_checks(spec: LaunchSpec, subject: Subject) -> LaunchSpec:
    """The spec with every check's answers, sorted by id."""
    found = [check for run in _ALL for check in run(subject)]
    return evolve(spec, checks=tuple(sorted(found, key=lambda check: (check.id, check.reason))))


def _swept(subject: Subject) -> Iterator[Check]:
    point = subject.spec.point
    if point.id is not None:
        yield _check("swept", "ok", "note", f"point {point.id} of {point.recipe}")
    else:
        words = "the point is in no recipe's sweep: nobody ran it, and no recipe opens gates for it"
        yield _check("swept", "unknown", "warning", words)


def _parallel(subject: Subject) -> Iterator[Check]:
    sizes = {f"parallel.{name}": subject.number(f"parallel.{name}") for name in _LABELS}
    sizes["resources.gpus"] = subject.spec.resources.gpus
    small = [f"{key} is {size}" for key, size in sizes.items() if size < 1]
    if small:
        yield _refuted("parallel-gpus", f"{', '.join(small)}: a size is at least 1")
        return
    tp, pp, dp, ep = (sizes[f"parallel.{name}"] for name in _LABELS)
    resources = subject.spec.resources
    attention = subject.value("parallel.dp_attention") is True
    ranks = tp if attention else tp * dp
    needed = ranks * pp
    if needed != resources.gpus:
        yield _refuted(
            "parallel-gpus", f"tp {tp} pp {pp} dp {dp} take {needed} GPUs, not {resources.gpus}"
        )
    elif resources.gpus > resources.gpus_per_node and resources.gpus % resources.gpus_per_node:
        yield _refuted(
            "parallel-gpus",
            f"{resources.gpus} GPUs don't fill nodes of {resources.gpus_per_node}",
        )
    elif resources.nodes > 1:
        yield _check(
            "parallel-gpus",
            "unknown",
            "warning",
            f"{resources.gpus} GPUs span {resources.nodes} nodes of {resources.gpus_per_node}; "
            "whether one command starts them all depends on the launcher",
        )
    else:
        yield _ok(
            "parallel-gpus", f"{resources.gpus} of {resources.gpus_per_node} GPUs of one node"
        )
    if attention and tp % dp:
        yield _refuted("parallel-dp", f"DP attention needs dp ({dp}) to divide tp ({tp})")
    if ranks % ep:
        yield _refuted("parallel-ep", f"ep {ep} doesn't divide the {ranks} ranks of tp and dp")


def _labels(subject: Subject) -> Iterator[Check]:
    axes = subject.spec.point.axes
    for name in _LABELS:
        key = f"parallel.{name}"
        if name in axes and key in subject.spec.options:
            value = subject.number(key)
            if value != axes[name]:
                yield _refuted(
                    "parallel-label",
                    f"the point says {name}={axes[name]} and {key} is {value}: "
                    f"name the axis ({name}) instead",
                )


def _axes(subject: Subject) -> Iterator[Check]:
    for axis, value in subject.spec.moved_axes.items():
        if axis not in subject.used_axes and axis not in _CLIENT_AXES:
            yield _check(
                "axis-unread",
                "refuted",
                "warning",
                f"nothing here depends on {axis}: {axis}={value} changes nothing that is launched",
            )


def _image(subject: Subject) -> Iterator[Check]:
    image, spec, reference = subject.image, subject.spec, subject.spec.image.reference
    if image is None:
        yield _check(
            "image-known",
            "unknown",
            "warning",
            f"{reference} isn't registered: what it holds can't be checked; add an [[image]]",
        )
    else:
        yield _ok("image-known", image.source)
        if image.engine not in (spec.engine, subject.catalogue.engines[spec.engine].starts):
            yield _refuted("image-engine", f"{reference} holds {image.engine}, not {spec.engine}")
    yield from _platform(subject)
    tag = tag_of(reference)
    if spec.image.digest is not None:
        yield _ok("image-pinned", spec.image.digest)
    elif (image is not None and image.moving) or tag is None or tag in MOVING_TAGS:
        yield _check(
            "image-pinned", "refuted", "note", f"{reference}: the tag moves and there is no digest"
        )
    else:
        yield _check(
            "image-pinned", "unknown", "note", f"{reference} has no digest: a tag can be moved"
        )


def _platform(subject: Subject) -> Iterator[Check]:
    sku, image = subject.sku, subject.image
    arch = subject.catalogue.archs[sku.arch]
    wanted = _CPU_PLATFORM.get(sku.cpu_arch)
    if image is None or image.accelerator is None:
        yield _check("image-accelerator", "unknown", "note", "the image's platform isn't known")
    elif image.accelerator != arch.platform:
        yield _refuted(
            "image-accelerator",
            f"{image.id} is built for {image.accelerator}; {sku.id} ({arch.id}) needs "
            f"{arch.platform}",
        )
    else:
        yield _ok("image-accelerator", f"{arch.platform}, as {sku.id} needs")
    if image is None or not image.platforms or wanted is None:
        yield _check(
            "image-platform", "unknown", "note", "the image's CPU architectures aren't known"
        )
    elif wanted not in image.platforms:
        yield _refuted(
            "image-platform",
            f"{image.id} is built for {', '.join(image.platforms)}; {sku.id} needs {wanted}",
        )
    else:
        yield _ok("image-platform", f"{wanted}, as {sku.id} needs")


def _health(subject: Subject) -> Iterator[Check]:
    timeouts = subject.spec.timeouts
    budget, ready = timeouts.health_budget_s, timeouts.engine_ready_s
    words = f"{timeouts.health_attempts} × {timeouts.health_interval_s} s = {budget} s"
    if ready is None:
        yield _check(
            "health-budget", "unknown", "note", f"{words}; the engine has no ready limit of its own"
        )
    elif budget < ready:
        yield _refuted(
            "health-budget",
            f"the launcher gives up after {words}, before the engine's own {ready} s",
        )
    elif budget >= 2 * ready:
        yield _check(
            "health-budget",
            "refuted",
            "warning",
            f"the engine gives up after {ready} s, long before the launcher ({words})",
        )
    else:
        yield _ok("health-budget", f"{words} covers the engine's {ready} s")


def _concurrency(subject: Subject) -> Iterator[Check]:
    conc = subject.spec.point.axes.get("conc")
    limit = subject.value("scheduler.max_num_seqs")
    if not isinstance(conc, int) or not isinstance(limit, int):
        return
    if limit < conc:
        yield _check(
            "concurrency",
            "refuted",
            "warning",
            f"the engine takes {limit} requests at once, below the concurrency of {conc}",
        )
    else:
        yield _ok("concurrency", f"{limit} requests at once for a concurrency of {conc}")


def _speculative_role(subject: Subject) -> Iterator[Check]:
    role = subject.spec.point.axes.get("role")
    if role == "prefill" and subject.value("speculative.method") is not None:
        yield _refuted("speculative-role", "speculative decoding is set on a prefill role")


def _memory(subject: Subject) -> Iterator[Check]:
    model = subject.catalogue.models[subject.spec.model.id]
    if model.weights_gib is None:
        yield _check("memory", "unknown", "note", f"the weights' size of {model.id} isn't known")
        return
    weights, parts = model.weights_gib, []
    for part in model.offload:
        if subject.value(part.option) is True:
            weights -= part.gib
            parts.append(f"{part.gib:g} GiB by {part.option}")
    extra = subject.value("memory.cpu_offload_gib")
    host = extra if isinstance(extra, float) else 0.0
    if host:
        parts.append(f"{host:g} GiB a GPU by memory.cpu_offload_gib")
    tp, pp = (max(1, subject.number(key)) for key in ("parallel.tp", "parallel.pp"))
    each = max(0.0, weights / (tp * pp) - host)
    words = f"{model.weights_gib:g} GiB of weights"
    if parts:
        words += f", less {' and '.join(parts)}"
    words += f", over tp {tp} × pp {pp}: {each:.1f} GiB on each GPU of {subject.sku.memory_gib:g}"
    if each >= subject.sku.memory_gib:
        yield _refuted("memory", f"{words} GiB")
    else:
        yield _ok("memory", f"{words} GiB; what is left is for KV cache, graphs and buffers")


def _variables(subject: Subject) -> Iterator[Check]:
    spec = subject.spec
    places = [("argv", token) for token in spec.argv]
    places += [(f"env {name}", value) for name, value in spec.env.items()]
    places += [(f"client env {name}", value) for name, value in spec.client_env.items()]
    for place, text in places:
        if not text.startswith(SECRET) and _VARIABLE.search(text):
            yield _refuted(
                "unresolved-variable", f"{place}: {text!r} holds a variable that nobody fills in"
            )
    for name, value in (*spec.env.items(), *spec.client_env.items()):
        named = value.startswith(SECRET) and value != SECRET
        if value == SECRET or (_SECRET_NAME.search(name) and not named):
            yield _refuted(
                "secret", f"{name} looks like a secret: write a reference, {SECRET}<name>"
            )
    for key, option in spec.options.items():
        if key.startswith("args.") and _SECRET_FLAG.search(key) and option.value is not None:
            yield _refuted(
                "secret", f"{key} puts a secret on the command line: set a variable instead"
            )


def _engine(subject: Subject) -> Iterator[Check]:
    """Whether the engine in the image takes the command line and reads the variables."""
    spec, catalogue = subject.spec, subject.catalogue
    if spec.engine not in catalogue.surfaces:
        return  # its plugin ships none, so there is nothing to tell it by
    from infxreg.engine_check import setting_of, spec_replies
    from infxreg.surface.errors import SurfaceError

    try:
        held = subject.held
        found = spec_replies(spec, held, catalogue, subject.image)
    except SurfaceError as error:
        yield _check("engine", "unknown", "warning", str(error))
        return
    if not held.versions:
        words = f"whether {spec.image.reference} takes the command line isn't known: {held.why}"
        yield _check("engine", "unknown", "note", words)
    for reply in found:
        key, origin = setting_of(reply.finding, spec, catalogue.engines[spec.engine])
        words = f"{reply.reason}; {key} is set by {origin}" if key else reply.reason
        yield Check("engine", reply.answer, reply.severity, words, key or None)
    if held.versions and all(reply.answer == "ok" for reply in found):
        words = f"{spec.engine} {held.words} takes the command line; {held.why}"
        yield _check("engine", "unknown" if held.newer else "ok", "note", words)


def _evidence(subject: Subject) -> Iterator[Check]:
    """Whether this very spec was run; nothing is said of recipes that nobody ran."""
    book = subject.catalogue.evidence_book
    if subject.spec.point.recipe not in book.recipes and subject.spec.digest not in book.by_digest:
        return
    standing = book.of(subject.spec)
    answers: dict[str, tuple[Answer, Severity]] = {
        "verified": ("ok", "note"),
        "stale": ("refuted", "warning"),
        "unverified": ("unknown", "note"),
    }
    answer, severity = answers[standing.status]
    yield _check("evidence", answer, severity, f"{standing.status}: {standing.reason}")


def _requirements(subject: Subject) -> Iterator[Check]:
    for origin in sorted(subject.rules):
        rule = subject.rules[origin]
        if rule.require:
            for answer, reason in _met(rule.require, subject):
                words = f"{origin.plugin}:{origin.rule} needs {reason}"
                yield _check("image-requirement", answer, "error", words)


def _met(require: Require, subject: Subject) -> Iterator[tuple[Answer, str]]:
    image, reference = subject.image, subject.spec.image.reference
    if require.version is not None:
        answer = in_range(image.version if image else None, require.version)
        had = (
            f"{reference} is {image.version if image and image.version else 'of no known version'}"
        )
        yield answer, f"version {require.version}; {had}"
    for name in require.knows:
        yield _knows(name, image, reference, subject)


def _knows(name: str, image: Image | None, reference: str, subject: Subject) -> tuple[Answer, str]:
    capability = subject.catalogue.capabilities[name]
    bounds = [f"first in {capability.since}" if capability.since else ""]
    bounds += [f"removed in {capability.removed_in}" if capability.removed_in else ""]
    words = f"{name} ({capability.engine}: {', '.join(b for b in bounds if b) or 'any version'})"
    if image is not None and image.engine != capability.engine:
        return "refuted", f"{words}; {reference} holds {image.engine}"
    if image is not None and name in image.knows:
        return "ok", f"{words}; {reference} has it: {image.source}"
    if image is not None and name in image.lacks:
        return "refuted", f"{words}; {reference} lacks it: {image.source}"
    wanted = ",".join(
        part
        for part in (
            f">={capability.since}" if capability.since else "",
            f"<{capability.removed_in}" if capability.removed_in else "",
        )
        if part
    )
    held = subject.held.versions
    answers = {in_range(version, wanted) for version in held}
    if len(answers) == 1:
        return answers.pop(), f"{words}; {reference} is {subject.held.words}"
    if held:
        return "unknown", f"{words}; {subject.held.why}, and its record doesn't say"
    if image is None or image.version is None:
        return "unknown", f"{words}; {reference} is no release, and its record doesn't say"
    return in_range(image.version, wanted), f"{words}; {reference} is {image.version}"


_ALL = (
    _swept,
    _parallel,
    _labels,
    _axes,
    _image,
    _health,
    _concurrency,
    _speculative_role,
    _memory,
    _variables,
    _engine,
    _evidence,
    _requirements,
)


def _check(id: str, answer: Answer, severity: Severity, reason: str) -> Check:
    return Check(id, answer, severity, reason)


def _ok(id: str, reason: str) -> Check:
    return Check(id, "ok", "note", reason)


def _refuted(id: str, reason: str) -> Check:
    return Check(id, "refuted", "error", reason)
