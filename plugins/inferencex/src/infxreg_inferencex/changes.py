"""Policies over a change: what evidence and the forge's facts decide, else unknown."""

from __future__ import annotations

from collections.abc import Iterator

from infxreg.policy import ChangeView, Ruling, ok, refuted, undecided
from infxreg.records import Shows
from infxreg.review.evidence import Standing
from infxreg.review.facts import ForgeRun
from infxreg.review.words import count_of

FRONTIER = 5
"""A curve of fewer points on its frontier needs a maintainer (InferenceX, Pareto coverage)."""

_UPSTREAM_ENGINES = ("vllm", "sglang")

_HAPPENS = {
    "changed": "changed",
    "gone": "gone",
    "fails": "no longer resolved",
    "mended": "resolved again",
}

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
    elif signed.missing:
        items = "; ".join(signed.missing)
        yield refuted(f"missing or unchecked: {items}", zh=f"缺少或未勾选:{items}")
    else:
        yield ok("every item of the current checklist is checked", zh="当前清单的各项均已勾选")
    head = view.facts.head
    if signed is not None and None not in (head, signed.head) and signed.head != head:
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
    """What vllm and sglang serve is documented upstream, and that is merged."""
    ours = _by_upstream_engines(view)
    if not ours:
        return
    if view.facts.recipes is None:
        yield undecided(
            f"{_NO_FACTS} where it is documented upstream", zh=f"{_NO_FACTS_ZH}上游文档"
        )
        return
    for url in (one.url for one in view.facts.recipes if not one.merged):
        yield refuted(f"{url} isn't merged", zh=f"{url} 尚未合并")
    covered = {name for one in view.facts.recipes for name in (one.recipes or ours)}
    left = sorted(ours - covered)
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
        if view.facts.reused is not False:
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
    moved = {name for name, standing in there.items() if not bound & _runs_of(standing)}
    # Its evals needn't be of every point, but those that it has are reused too.
    for name, standing in view.standings.get("accuracy", {}).items():
        if standing.status == "stale" and bound & set(standing.by):
            moved.add(name)
    if moved:
        more = f" and {len(moved) - 4} more" if len(moved) > 4 else ""
        shown = ", ".join(sorted(moved)[:4]) + more
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
    away = _members(view, "gone", "fails")
    places: dict[tuple[str, str], set[str]] = {}
    for number, point in enumerate(view.impact.points):
        if number not in away:
            place = (str(point["model"]), str(point["sku"]))
            places.setdefault(place, set()).add(str(point["engine"]))
    new = (view.impact.points[number] for number in _members(view, "new") - away)
    added = {(str(point["model"]), str(point["sku"]), str(point["engine"])) for point in new}
    for model, sku, engine in sorted(added):
        if engine in _UPSTREAM_ENGINES:
            continue
        first = sorted(places[model, sku] & set(_UPSTREAM_ENGINES))
        known = "、".join(first or _UPSTREAM_ENGINES)
        if first:
            yield ok(
                f"{model} runs on {sku} with {' and '.join(first)}, so {engine} may follow",
                zh=f"{model} 在 {sku} 上已由 {known} 支持,可以加入 {engine}",
            )
        else:
            yield refuted(
                f"{engine} serves {model} on {sku} before {' or '.join(_UPSTREAM_ENGINES)} does",
                zh=f"{model} 在 {sku} 上先加入了 {engine},而 {known} 尚未支持",
            )


def no_patches(view: ChangeView) -> Iterator[Ruling]:
    """No file of the change patches an engine."""
    if view.facts.patches is None:
        yield undecided(
            f"{_NO_FACTS} whether files of the change patch an engine",
            zh=f"{_NO_FACTS_ZH}引擎修改情况",
        )
        return
    for name in view.facts.patches:
        yield refuted(f"{name} patches the engine", zh=f"{name} 修改了推理引擎")
    if not view.facts.patches:
        yield ok("no file of the change patches an engine", zh="没有修改推理引擎的文件")


def append_only(view: ChangeView) -> Iterator[Ruling]:
    """A change that says it only adds points leaves every earlier point as it was.

    And it adds them to recipes that are there: a new recipe is another curve.
    """
    if not view.append_only:
        return
    kinds = {block.kind for block in view.impact.blocks}
    for block in view.impact.blocks:
        if block.kind != "new":
            scopes = " and ".join(str(region.scope) for region in block.regions[:4])
            yield refuted(
                f"{count_of(block.count, 'existing point')} {_HAPPENS[block.kind]}: {scopes}",
                zh=f"{block.count} 个既有点受影响({block.kind}):{scopes}",
            )
    new = _members(view, "new")
    there = {_recipe(name) for number, name in enumerate(view.impact.names) if number not in new}
    others = sorted({_recipe(view.impact.names[number]) for number in new} - there)
    if others:
        names = ", ".join(others)
        yield refuted(f"new recipes, not points of one: {names}", zh=f"新增的是配方而非点:{names}")
    elif kinds == {"new"}:
        count = sum(block.count for block in view.impact.blocks)
        yield ok(
            f"{count_of(count, 'new point')}, and no other changes",
            zh=f"新增 {count} 个点,其余不变",
        )


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
    if view.facts.curves is None:
        left = sorted(
            name
            for name, standing in view.standings.get("performance", {}).items()
            if not any(view.runs[run].frontier for run in _runs_of(standing))
        )
        if left or not curves:
            at = f" of {', '.join(dict.fromkeys(map(_recipe, left)))}" if left else ""
            yield undecided(
                f"nobody says how many points{at} are on the frontier: needs a maintainer",
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
    kind = _KIND_ZH[shows]
    here = {*view.facts.commits, *([view.facts.head] if view.facts.head else [])}
    if view.facts.runs is None:
        article = "an" if shows == "accuracy" else "a"
        yield undecided(f"{_NO_FACTS} of {article} {shows} run", zh=f"{_NO_FACTS_ZH}{kind}运行")
        return
    runs = [run for run in view.facts.runs if run.shows == shows]
    if runs and not here:
        yield undecided(
            f"{_NO_FACTS} which commits are in the change", zh=f"{_NO_FACTS_ZH}改动的提交"
        )
        return
    ours = [run for run in runs if run.commit in here]
    good = [run for run in ours if not list(_faults(run, view))]
    sure = [run for run in good if not list(_gaps(run))]
    if sure:
        names = ", ".join(f"{run.id} on {run.commit[:8]}" for run in sure)
        yield ok(f"run {names} passed", zh=f"运行 {names} 通过")
        return
    for run in good:
        for gap in _gaps(run):
            yield undecided(f"run {run.id} {gap}", zh=f"运行 {run.id} 信息不全:{gap}")
    if good:
        return
    for run in ours:
        for fault in _faults(run, view):
            yield refuted(f"run {run.id}: {fault}", zh=f"运行 {run.id}:{fault}")
    if not ours:
        yield refuted(
            f"no {shows} run passed on a commit of this change",
            zh=f"本次改动的提交上没有通过的{kind}运行",
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


def _gaps(run: ForgeRun) -> Iterator[str]:
    """What isn't known of a run that nothing is wrong with."""
    if run.shows != "accuracy":
        return
    if not run.thresholds:
        yield "says no threshold"
    if run.image is None:
        yield "doesn't say which image it ran"


def _by_upstream_engines(view: ChangeView) -> set[str]:
    """The touched recipes whose engine's own project documents launches."""
    points = zip(view.impact.names, view.impact.points, strict=True)
    found = {_recipe(name) for name, point in points if point["engine"] in _UPSTREAM_ENGINES}
    return found & set(view.recipes)


def _members(view: ChangeView, *kinds: str) -> frozenset[int]:
    """The numbers of the points that such things happen to."""
    return frozenset().union(*(one.members for one in view.impact.blocks if one.kind in kinds))


def _recipe(name: str) -> str:
    return name.partition("/")[0]
