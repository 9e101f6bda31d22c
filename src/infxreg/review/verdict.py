"""The verdict table of a change: one row a check, each with what it rests on.

A row that fails names points, rules and files. What can't be told is ``unknown``, never a pass.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from attrs import frozen

from infxreg.audit import Finding
from infxreg.policy import ChangeView, Ruling
from infxreg.records import Policy, Shows
from infxreg.review.assess import Assessment
from infxreg.review.evidence import Standing
from infxreg.review.evidence_status import PURPOSE_OF
from infxreg.review.facts import Facts
from infxreg.review.impact import Block, Impact
from infxreg.review.words import Words, count_of, words
from infxreg.scope import Scope

Verdict: TypeAlias = Literal["pass", "fail", "unknown", "n/a"]

_ROW_OF = {
    "conflict": "resolves",
    "resolve": "resolves",
    "purpose": "resolves",
    "engine": "engine",
    "image": "engine",
    "image-requirement": "engine",
    "expect": "claims",
    "evidence": "evidence",
    "dead-rule": "registry",
    "unread-option": "registry",
    "empty-gate": "registry",
    "dormant": "registry",
    "waiver": "registry",
}
"""The row that a check's answers stand in; those of others stand in ``launch``."""

_SHOWN = 3
"""Reasons of one kind that a summary names."""


@frozen(kw_only=True)
class Detail:
    """One thing that a row rests on: what, in which file, at which points."""

    text: str
    where: str = ""
    points: tuple[str, ...] = ()
    refuted: bool = False


@frozen(kw_only=True)
class Row:
    """One check of a review.

    Attributes:
        id: the check's name, or the policy's id.
        title: what it asks, by language.
        verdict: ``pass``, ``fail``, ``unknown`` or ``n/a``.
        summary: why, by language.
        details: what it rests on, refuted first.
        number: its number in the checklist that it is from.
    """

    id: str
    title: Words
    verdict: Verdict
    summary: Words
    details: tuple[Detail, ...] = ()
    number: int | None = None


@frozen(kw_only=True)
class Review:
    """A change, reviewed.

    Attributes:
        base: what the one side is called, and head the other.
        rows: the checks, infxreg's own first, then policies by number.
        impact: what the change touches.
        rules: the file of each rule (``plugin:rule``).
    """

    base: str
    head: str
    rows: tuple[Row, ...]
    impact: Impact
    rules: Mapping[str, str]

    @property
    def failed(self) -> bool:
        """Whether a row fails."""
        return any(row.verdict == "fail" for row in self.rows)

    def count(self, verdict: Verdict) -> int:
        """How many rows have a verdict."""
        return sum(row.verdict == verdict for row in self.rows)


@frozen(kw_only=True)
class Change:
    """What is reviewed.

    Attributes:
        impact: the difference of both sides.
        base: the assessment of what was.
        head: of what is.
        only: the scope that was meant, and the touched points outside it.
        changelog: where the changelog and the change differ; None where none was given.
        lock: what the lock has otherwise; None where there is none.
    """

    impact: Impact
    base: Assessment
    head: Assessment
    only: tuple[Scope, frozenset[int]] | None = None
    changelog: tuple[str, ...] | None = None
    lock: tuple[str, ...] | None = None


def rows(change: Change, policies: Iterable[Policy], view: ChangeView) -> tuple[Row, ...]:
    """Every row of a change's verdict table.

    Args:
        change: what is reviewed.
        policies: those that it is held to.
        view: what policies over changes look at.
    """
    held_to = sorted(policies, key=lambda p: (p.number is None, p.number or 0, p.id))
    table = _Table(change, {policy.id for policy in held_to})
    own = (
        table.scope(),
        table.resolves(),
        table.findings("engine", "The engine in the image takes it", "镜像中的引擎接受这些设置"),
        table.findings("launch", "It can be launched", "可以启动"),
        table.claims(),
        table.evidence(),
        table.listed("changelog", change.changelog, *_CHANGELOG),
        table.listed("lock", change.lock, *_LOCK),
        table.findings("registry", "No dead rules, gates or waivers", "没有无效的规则、开关或豁免"),
    )
    return (*own, *(table.policy(policy, view) for policy in held_to))


_CHANGELOG = (
    words("The changelog names what changes", "变更日志与改动一致"),
    words("no changelog was given", "未提供变更日志"),
    words("it names exactly the recipes that change", "恰好列出了所改动的配方"),
)
_LOCK = (
    words("The lock is that of the registry", "锁文件与注册表一致"),
    words("there is no lock", "没有锁文件"),
    words("every plugin, table and point is as it was locked", "插件、表与各点均与锁文件一致"),
)
_NOTHING = words("nothing changes", "没有改动")


class _Table:
    def __init__(self, change: Change, policies: Collection[str]) -> None:
        self.impact, self.base, self.head = change.impact, change.base, change.head
        self.only = change.only
        self.labels = {
            f"{self.impact.names[number].replace('/', ' ', 1)} {purpose}"
            for purpose, numbers in self.impact.touched.items()
            for number in numbers
        }
        self.by_row: dict[str, list[Finding]] = {}
        self.held: dict[str, list[Finding]] = {}
        before: dict[tuple[str, str], set[str]] = {}
        for finding in change.base.findings:
            before.setdefault((finding.id, finding.message), set()).update(finding.points)
        for finding in change.head.findings:
            found = self._concerned(finding, before.get((finding.id, finding.message)))
            if found is not None:
                self.by_row.setdefault(_row_of(finding.id, policies), []).append(found)
        for finding in change.head.held:
            points = tuple(label for label in finding.points if label in self.labels)
            if points:
                at = self.held.setdefault(_row_of(finding.id, policies), [])
                at.append(_at(finding, points))

    def _concerned(self, finding: Finding, before: set[str] | None) -> Finding | None:
        """A finding at the points that the change touches, or makes worse; None for an old one."""
        if not finding.points:
            return finding if before is None else None
        points = tuple(
            label
            for label in finding.points
            if label in self.labels or before is None or label not in before
        )
        return _at(finding, points) if points else None

    def scope(self) -> Row:
        title = words("Only what was meant changes", "只改动预期范围")
        impact = self.impact
        if self.only is None:
            summary = words(
                f"no scope was stated (--only); {count_of(len(impact.any), 'point')} of "
                f"{len(impact.points)} change",
                f"未声明范围(--only);共 {len(impact.points)} 个点,改动 {len(impact.any)} 个",
            )
            return Row(id="scope", title=title, verdict="n/a", summary=summary)
        scope, outside = self.only
        inside = len(impact.any) - len(outside)
        summary = words(
            f"{scope}: {count_of(inside, 'point')} change{'s' * (inside == 1)} inside, "
            f"{len(outside)} outside",
            f"{scope}:范围内改动 {inside} 个点,范围外 {len(outside)} 个",
        )
        details = tuple(
            Detail(
                text=f"{region.scope} ({count_of(len(region.members), 'point')})",
                where=self._files(self._rules_at(frozenset(region.members))),
                points=tuple(impact.names[number] for number in region.members),
                refuted=True,
            )
            for region in impact.cover(outside)
        )
        verdict: Verdict = "fail" if outside else "pass" if impact.any else "n/a"
        return Row(id="scope", title=title, verdict=verdict, summary=summary, details=details)

    def resolves(self) -> Row:
        title = words("Every point resolves, and no rules conflict", "所有点均可解析,规则无冲突")
        failing = [block for block in self.impact.blocks if block.kind == "fails"]
        details = [
            Detail(
                text=block.error,
                points=tuple(self.impact.names[n] for r in block.regions for n in r.members),
                refuted=True,
            )
            for block in failing
        ]
        found = self.by_row.get("resolves", [])
        verdict = "fail" if details else _verdict(found, True)
        points = sum(block.count for block in failing)
        summary = words(
            f"{count_of(points, 'point')} can't be resolved any more"
            if points
            else _counted(found) or f"{count_of(len(self.impact.points), 'point')} of both sides",
            f"{points} 个点无法再解析" if points else f"两侧共 {len(self.impact.points)} 个点",
        )
        told = (*details, *map(_detail, found))
        return Row(id="resolves", title=title, verdict=verdict, summary=summary, details=told)

    def findings(self, id: str, en: str, zh: str) -> Row:
        found, held = self.by_row.get(id, []), self.held.get(id, [])
        verdict = _verdict(found, bool(self.impact.any))
        summary = self._summary(found, held)
        details = tuple(map(_detail, found))
        return Row(id=id, title=words(en, zh), verdict=verdict, summary=summary, details=details)

    def claims(self) -> Row:
        title = words("Claims hold", "声明成立")
        found = self.by_row.get("claims", [])
        gone = sorted(set(self.base.claims) - set(self.head.claims))
        details = [_detail(finding) for finding in found]
        details += [Detail(text=f"the claim {name} is gone") for name in gone]
        total = len(self.head.claims)
        verdict: Verdict = _verdict(found, True) if total or found else "n/a"
        en = _counted(found) or (f"{count_of(total, 'claim')} hold" if total else "nobody claims")
        if gone:
            en += f"; {count_of(len(gone), 'claim')} gone"
        zh = f"{total} 条声明,其中 {len(found)} 条不成立" if total or found else "没有声明"
        return Row(
            id="claims",
            title=title,
            verdict=verdict,
            summary=words(en, zh),
            details=tuple(details),
        )

    def evidence(self) -> Row:
        title = words("What ships was run", "所发布的配置已实测")
        told: list[str] = []
        zh: list[str] = []
        details: list[Detail] = []
        verified = True
        for shows, standings in standings_of(self.impact, self.head).items():
            counts: dict[str, int] = {}
            reasons: dict[str, list[str]] = {}
            for name, standing in standings.items():
                counts[standing.status] = counts.get(standing.status, 0) + 1
                reasons.setdefault(standing.reason, []).append(name)
            if not counts:
                continue
            verified = verified and set(counts) == {"verified"}
            parts = [f"{n} of {len(standings)} {status}" for status, n in sorted(counts.items())]
            told.append(f"{shows}: {', '.join(parts)}")
            zh.append(f"{shows}:{counts.get('verified', 0)}/{len(standings)} 已验证")
            details += [
                Detail(text=f"{shows}: {reason}", points=tuple(names))
                for reason, names in sorted(reasons.items())
            ]
        for run, numbers in self.impact.stale.items():
            names = tuple(self.impact.names[number] for number in sorted(numbers))
            details.append(Detail(text=f"what {run} ran goes stale", points=names))
        verdict: Verdict = "n/a" if not told else "pass" if verified else "unknown"
        if not told:
            told, zh = ["no point that is swept afterwards changes"], ["没有改动仍在扫描中的点"]
        return Row(
            id="evidence",
            title=title,
            verdict=verdict,
            summary=words("; ".join(told), ";".join(zh)),
            details=tuple(details),
        )

    def listed(
        self, id: str, faults: tuple[str, ...] | None, title: Words, none: Words, good: Words
    ) -> Row:
        if faults is None:
            return Row(id=id, title=title, verdict="n/a", summary=none)
        if not faults:
            return Row(id=id, title=title, verdict="pass", summary=good)
        summary = words(f"{len(faults)} disagree", f"{len(faults)} 处不一致")
        details = tuple(Detail(text=fault, refuted=True) for fault in faults)
        return Row(id=id, title=title, verdict="fail", summary=summary, details=details)

    def policy(self, policy: Policy, view: ChangeView) -> Row:
        def row(verdict: Verdict, summary: Words, details: Sequence[Detail] = ()) -> Row:
            return Row(
                id=policy.id,
                title=Words(policy.title),
                verdict=verdict,
                summary=summary,
                details=tuple(details),
                number=policy.number,
            )

        if not self.impact.any:
            return row("n/a", _NOTHING)
        found, held = self.by_row.get(policy.id, []), self.held.get(policy.id, [])
        rulings = list(_rulings(policy, view))
        if not (found or held or rulings):
            return row("n/a", words("nothing that changes is of its kind", "本次改动不涉及"))
        verdicts: list[Verdict] = []
        if found or held:
            verdicts.append(_verdict(found, True))
        answers = {ruling.answer for ruling in rulings}
        if rulings:
            refuted: Verdict = "fail" if policy.severity == "error" else "pass"
            verdicts.append(
                refuted if "refuted" in answers else "unknown" if "unknown" in answers else "pass"
            )
        verdict = next(v for v in ("fail", "unknown", "pass") if v in verdicts)
        said = [_said(ruling) for ruling in sorted(rulings, key=lambda r: _ANSWERS[r.answer])]
        if found or held:
            said.append(self._summary(found, held))
        details = [_detail(finding) for finding in found]
        details += [
            Detail(text=ruling.reason, refuted=True)
            for ruling in rulings
            if ruling.answer == "refuted"
        ]
        return row(verdict, _joined(said), details)

    def _summary(self, found: Sequence[Finding], held: Sequence[Finding]) -> Words:
        if not self.impact.any and not found:
            return _NOTHING
        if found:
            counted = _counted(found)
            worst = found[0]
            more = f"; and {len(found) - 1} more" if len(found) > 1 else ""
            return words(
                f"{counted}: {_short(worst.message)}{more}",
                f"{len(found)} 项:{_short(worst.message)}",
            )
        if not held:
            return words("nothing is refuted", "没有被否定的项")
        listed = sorted(held, key=lambda one: -len(one.points))
        told = "; ".join(
            f"{_short(one.message)} ({count_of(len(one.points), 'spec')})"
            for one in listed[:_SHOWN]
        )
        more = f"; and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
        return words(told + more)

    def _rules_at(self, numbers: frozenset[int]) -> list[str]:
        """The rules that do what happens at some points."""
        found: dict[str, None] = {}
        for block in self.impact.blocks:
            if any(number in numbers for region in block.regions for number in region.members):
                found.update(dict.fromkeys(_rules(block)))
        return list(found)

    def _files(self, rules: Iterable[str]) -> str:
        files = {self.head.rules.get(rule) or self.base.rules.get(rule, "") for rule in rules}
        return ", ".join(sorted(files - {""}))


def view_of(impact: Impact, head: Assessment, facts: Facts, append_only: bool) -> ChangeView:
    """What policies over changes look at.

    Args:
        impact: the difference of both sides.
        head: the assessment of what is.
        facts: what only the forge knows.
        append_only: whether the change says that it only adds points.
    """
    recipes = {impact.names[number].partition("/")[0] for number in impact.any}
    return ChangeView(
        impact=impact,
        recipes={name: head.workloads[name] for name in sorted(recipes) if name in head.workloads},
        standings=standings_of(impact, head),
        runs=head.evidence,
        images=frozenset(impact.images),
        facts=facts,
        append_only=append_only,
    )


_ANSWERS = {"refuted": 0, "unknown": 1, "ok": 2}


def standings_of(impact: Impact, head: Assessment) -> Mapping[Shows, Mapping[str, Standing]]:
    """What evidence says of the touched points that are there afterwards, by kind of run.

    A run of one kind is about points that change at the purpose that it is run at.
    """
    unverified = Standing("unverified", (), "no evidence is bound to this spec")
    found: dict[Shows, dict[str, Standing]] = {}
    gone = {
        number
        for block in impact.blocks
        if block.kind in ("gone", "fails")
        for region in block.regions
        for number in region.members
    }
    for shows, purpose in PURPOSE_OF.items():
        there = head.standings.get(shows, {})
        numbers = sorted(impact.touched.get(purpose, frozenset()) - gone)
        names = [impact.names[number] for number in numbers]
        found[shows] = {name: there.get(name, unverified) for name in names}
    return found


def _row_of(id: str, policies: Collection[str]) -> str:
    return id if id in policies else _ROW_OF.get(id, "launch")


def _at(finding: Finding, points: tuple[str, ...]) -> Finding:
    return Finding(
        finding.id, finding.answer, finding.severity, finding.message, finding.where, points
    )


def _verdict(found: Iterable[Finding], any_at_all: bool) -> Verdict:
    listed = list(found)
    if any(finding.fails for finding in listed):
        return "fail"
    if any(finding.answer == "unknown" for finding in listed):
        return "unknown"
    return "pass" if any_at_all or listed else "n/a"


def _counted(found: Sequence[Finding]) -> str:
    refuted = sum(finding.fails for finding in found)
    unknown = sum(finding.answer == "unknown" for finding in found)
    warned = len(found) - refuted - unknown
    parts = [(refuted, "refuted"), (unknown, "unknown"), (warned, "warned of")]
    return ", ".join(f"{number} {name}" for number, name in parts if number)


def _detail(finding: Finding) -> Detail:
    text = f"{finding.answer} {finding.severity} {finding.id}: {finding.message}"
    return Detail(text=text, where=finding.where, points=finding.points, refuted=finding.fails)


def _short(message: str, most: int = 200) -> str:
    line = message.splitlines()[0] if message else ""
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _rules(block: Block) -> Iterator[str]:
    for change, _ in block.keys:
        yield from change.after
        yield from change.before


def _said(ruling: Ruling) -> Words:
    return Words({"en": ruling.reason, **ruling.translations})


def _joined(said: Sequence[Words]) -> Words:
    languages = {language for one in said for language in one}
    join: Callable[[str], str] = lambda lang: ("; " if lang == "en" else ";").join(  # noqa: E731
        dict.fromkeys(one.get(lang, one["en"]) for one in said)
    )
    return Words({language: join(language) for language in sorted(languages | {"en"})})


def _rulings(policy: Policy, view: ChangeView) -> Iterator[Ruling]:
    if policy.change is None:
        return
    try:
        found = list(policy.change(view))
    except Exception as error:  # a policy that can't decide mustn't pass for one that did
        yield Ruling("refuted", f"policy {policy.id} raised {error!r}")
        return
    for one in found:
        if not isinstance(one, Ruling):
            yield Ruling("refuted", f"policy {policy.id} gave {type(one).__name__}, not Ruling")
            return
    yield from found
