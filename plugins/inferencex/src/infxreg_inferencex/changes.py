"""Policies over a change: what evidence and the forge's facts decide, else unknown."""

from __future__ import annotations

from collections.abc import Iterator

from infxreg.policy import ChangeView, Ruling, ok, refuted, undecided
from infxreg.records import Shows
from infxreg.review.evidence import Standing
from infxreg.review.facts import ForgeRun

FRONTIER = 5
"""A curve of fewer points on its frontier needs a maintainer (InferenceX, Pareto coverage)."""

_UPSTREAM_ENGINES = ("vllm", "sglang")

_NO_FACTS = "the forge's facts don't say"
_NO_FACTS_ZH = "代码平台的信息中没有"


def codeowner(view: ChangeView) -> Iterator[Ruling]:
    """Who signed off is named as an owner of what the change touches."""
    signed = view.facts.signoff
    if signed is None or signed.codeowner is None:
        yield undecided(f"{_NO_FACTS} who signed off", zh=f"{_NO_FACTS_ZH}签核人")
    elif signed.codeowner:
        yield ok(f"@{signed.author} is a code owner", zh=f"@{signed.author} 是代码负责人")
    else:
        yield refuted(f"@{signed.author} is no code owner", zh=f"@{signed.author} 不是代码负责人")


def latest_checklist(view: ChangeView) -> Iterator[Ruling]:
    """The sign-off has every item of the current checklist, and of the commit under review."""
    signed = view.facts.signoff
    if signed is None or signed.missing is None:
        yield undecided(f"{_NO_FACTS} which items are checked", zh=f"{_NO_FACTS_ZH}清单勾选情况")
        return
    if signed.missing:
        items = "; ".join(signed.missing)
        yield refuted(f"missing or unchecked: {items}", zh=f"缺少或未勾选:{items}")
    else:
        yield ok("every item of the current checklist is checked", zh="当前清单的各项均已勾选")
    head = view.facts.head
    if head is not None and signed.head is not None and signed.head != head:
        yield refuted(
            f"{signed.head} was assessed, and the head is {head}",
            zh=f"评审的提交是 {signed.head},而当前提交是 {head}",
        )


def passing_sweep(view: ChangeView) -> Iterator[Ruling]:
    """A performance run of what ships now passed."""
    yield from _ran("performance", view)


def passing_evals(view: ChangeView) -> Iterator[Ruling]:
    """An accuracy run of what ships now passed its thresholds."""
    yield from _ran("accuracy", view)


def upstream_recipe(view: ChangeView) -> Iterator[Ruling]:
    """What is served on one node is documented upstream, and that is merged."""
    if view.facts.recipes is None:
        yield undecided(
            f"{_NO_FACTS} where it is documented upstream", zh=f"{_NO_FACTS_ZH}上游文档"
        )
        return
    for url in (one.url for one in view.facts.recipes if not one.merged):
        yield refuted(f"{url} isn't merged", zh=f"{url} 尚未合并")
    covered = {name for one in view.facts.recipes for name in (one.recipes or tuple(view.recipes))}
    left = sorted(set(view.recipes) - covered)
    if left:
        names = ", ".join(left)
        yield refuted(f"no upstream recipe for {names}", zh=f"没有上游文档:{names}")
    elif all(one.merged for one in view.facts.recipes):
        links = ", ".join(one.url for one in view.facts.recipes)
        yield ok(f"merged upstream: {links}", zh=f"上游已合并:{links}")


def reuse(view: ChangeView) -> Iterator[Ruling]:
    """An earlier run is reused by an authorized command, and every digest is still the run's."""
    command = view.facts.reuse
    if command is None:
        if view.facts.reused is None:
            yield undecided(
                f"{_NO_FACTS} whether a run is reused", zh=f"{_NO_FACTS_ZH}运行复用情况"
            )
        return
    if not command.authorized:
        yield refuted(
            f"@{command.by} may not reuse run {command.run}",
            zh=f"@{command.by} 无权复用运行 {command.run}",
        )
        return
    bound = {name for name, record in view.runs.items() if record.run == command.run}
    if not bound:
        yield undecided(
            f"run {command.run} was authorized by @{command.by}, but no digests of it are "
            "recorded: infxreg evidence add",
            zh=f"@{command.by} 授权复用 {command.run},但没有记录其摘要",
        )
        return
    there = view.standings.get("performance", {})
    moved = sorted(name for name, standing in there.items() if not bound & _runs_of(standing))
    if moved:
        shown = ", ".join(moved[:4]) + (f" and {len(moved) - 4} more" if len(moved) > 4 else "")
        yield refuted(
            f"run {command.run} ran other specs than these are now: {shown}",
            zh=f"运行 {command.run} 所测的配置与现在不同:{shown}",
        )
    else:
        yield ok(
            f"@{command.by} reuses run {command.run}, and every digest is that of the run",
            zh=f"@{command.by} 复用运行 {command.run},所有摘要一致",
        )


def engine_first(view: ChangeView) -> Iterator[Ruling]:
    """vllm or sglang serve a model on a SKU before other engines are added there."""
    places: dict[tuple[str, str], set[str]] = {}
    for point in view.impact.points:
        place = (str(point["model"]), str(point["sku"]))
        places.setdefault(place, set()).add(str(point["engine"]))
    touched = {
        (str(point["model"]), str(point["sku"]), str(point["engine"]))
        for point in (view.impact.points[number] for number in view.impact.any)
    }
    for model, sku, engine in sorted(touched):
        if engine in _UPSTREAM_ENGINES:
            continue
        first = sorted(places[model, sku] & set(_UPSTREAM_ENGINES))
        if first:
            yield ok(f"{model} runs on {sku} with {' and '.join(first)}, so {engine} may follow")
        else:
            known = " or ".join(_UPSTREAM_ENGINES)
            yield refuted(f"{engine} serves {model} on {sku} before {known} does")


def no_patches(view: ChangeView) -> Iterator[Ruling]:
    """No file of the change patches an engine."""
    for name in view.facts.patches or ():
        yield refuted(f"{name} patches the engine", zh=f"{name} 修改了推理引擎")
    if view.facts.patches == ():
        yield ok("no file of the change patches an engine", zh="没有修改推理引擎的文件")


def append_only(view: ChangeView) -> Iterator[Ruling]:
    """A change that says it only adds points leaves every earlier point as it was."""
    if not view.append_only:
        return
    kinds = {block.kind for block in view.impact.blocks}
    for block in view.impact.blocks:
        if block.kind != "new":
            scopes = " and ".join(str(region.scope) for region in block.regions[:4])
            yield refuted(
                f"{block.count} existing points are {block.kind}: {scopes}",
                zh=f"{block.count} 个既有点受影响({block.kind}):{scopes}",
            )
    if kinds == {"new"}:
        count = sum(block.count for block in view.impact.blocks)
        yield ok(f"{count} points are new, and no other changes", zh=f"新增 {count} 个点,其余不变")


def pareto_coverage(view: ChangeView) -> Iterator[Ruling]:
    """A curve has enough points that no other beats; fewer, or unknown, needs a maintainer."""
    curves = [(one.name, one.measured, one.frontier) for one in view.facts.curves or ()]
    there = view.standings.get("performance", {}).values()
    by = {name for standing in there for name in _runs_of(standing)}
    curves += [
        (f"run {view.runs[name].run}", len(view.runs[name].digests), len(view.runs[name].frontier))
        for name in sorted(by)
        if view.runs[name].frontier
    ]
    if not curves:
        yield undecided(
            "nobody says how many points are on the frontier: needs a maintainer",
            zh="前沿点数未知:需要维护者审阅",
        )
    for name, measured, frontier in curves:
        words = f"{name}: {measured} measurements, {frontier} on the frontier"
        if frontier < FRONTIER:
            yield undecided(
                f"{words}, fewer than {FRONTIER}: needs a maintainer",
                zh=f"{name}:{measured} 个测量,前沿 {frontier} 个点,少于 {FRONTIER}:需要维护者审阅",
            )
        else:
            yield ok(words, zh=f"{name}:{measured} 个测量,前沿 {frontier} 个点")


def _runs_of(standing: Standing) -> set[str]:
    """The runs of this very spec, and not of what its point was before."""
    return set() if standing.status == "stale" else set(standing.by)


def _ran(shows: Shows, view: ChangeView) -> Iterator[Ruling]:
    standings = view.standings.get(shows, {})
    if standings and all(standing.status == "verified" for standing in standings.values()):
        names = ", ".join(sorted({name for one in standings.values() for name in one.by}))
        yield ok(
            f"evidence of all {len(standings)} points as they are now: {names}",
            zh=f"全部 {len(standings)} 个点有与当前配置一致的证据:{names}",
        )
        return
    runs = None if view.facts.runs is None else [r for r in view.facts.runs if r.shows == shows]
    if runs is None:
        yield undecided(f"{_NO_FACTS} of a {shows} run", zh=f"{_NO_FACTS_ZH}{_KIND_ZH[shows]}运行")
        return
    here = {*view.facts.commits, *([view.facts.head] if view.facts.head else [])}
    ours = [run for run in runs if run.commit in here]
    good = [run for run in ours if not list(_faults(run, view))]
    if good:
        names = ", ".join(f"{run.id} on {run.commit[:8]}" for run in good)
        yield ok(f"run {names} passed", zh=f"运行 {names} 通过")
        return
    for run in ours:
        for fault in _faults(run, view):
            yield refuted(f"run {run.id}: {fault}", zh=f"运行 {run.id}:{fault}")
    if not ours:
        yield refuted(
            f"no {shows} run passed on a commit of this change",
            zh=f"本次改动的提交上没有通过的{_KIND_ZH[shows]}运行",
        )


_KIND_ZH = {"performance": "性能", "accuracy": "精度"}


def _faults(run: ForgeRun, view: ChangeView) -> Iterator[str]:
    if run.conclusion != "success":
        yield f"ended as {run.conclusion}"
    if run.image is not None and view.images and run.image not in view.images:
        yield f"ran {run.image}, not {' or '.join(sorted(view.images))}"
    for name, least in sorted(run.thresholds.items()):
        value = run.metrics.get(name)
        if value is None or not value >= least:
            yield f"{name} is {value}, below {least:g}"
    if run.shows == "accuracy" and run.conclusion == "success" and not run.metrics:
        yield "has no metrics"
