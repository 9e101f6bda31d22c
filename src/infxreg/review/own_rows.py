"""The rows that infxreg itself has in a verdict table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from infxreg.audit import Finding
from infxreg.review.change import Change, standings_of
from infxreg.review.concerned import Concerned, detail_of, verdict_of
from infxreg.review.impact import Block
from infxreg.review.spots import Spots
from infxreg.review.verdict import Detail, Row, Verdict
from infxreg.review.words import NOTHING_CHANGES, Words, count_of, words

_SHOWN = 2
"""Things that are as they should be that a summary names."""

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


def own_rows(change: Change, concerned: Concerned, spots: Spots) -> tuple[Row, ...]:
    """infxreg's own rows: scope, resolution, engine, launch, claims, evidence, files.

    Args:
        change: what is reviewed.
        concerned: what the checks found of it.
        spots: the points.
    """
    made = _Rows(change, concerned, spots)
    return (
        made.scope(),
        made.resolves(),
        made.findings("engine", "The engine in the image takes it", "镜像中的引擎接受这些设置"),
        made.findings("launch", "It can be launched", "可以启动"),
        made.claims(),
        made.evidence(),
        _listed("changelog", change.changelog, *_CHANGELOG),
        _listed("lock", change.head.moved, *_LOCK),
        made.findings("registry", "No dead rules, gates or waivers", "没有无效的规则、开关或豁免"),
    )


def summary_of(found: Sequence[Finding], held: Sequence[Finding], looked: bool) -> Words:
    """Why findings give their verdict, in a line.

    Args:
        found: what is refuted or can't be told.
        held: what is as it should be.
        looked: whether there was anything to look at.
    """
    if found:
        counted, worst = _counted(found), _short(found[0].message)
        more = f"; and {len(found) - 1} more" if len(found) > 1 else ""
        return words(f"{counted}: {worst}{more}", f"{len(found)} 项:{worst}")
    if not looked:
        return NOTHING_CHANGES
    if not held:
        return words("nothing is refuted", "没有被否定的项")
    listed = sorted(held, key=lambda one: -len(one.points))
    told = "; ".join(
        f"{_short(one.message)} ({count_of(len(one.points), 'spec')})" for one in listed[:_SHOWN]
    )
    more = f"; and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return words(told + more)


@frozen
class _Rows:
    change: Change
    concerned: Concerned
    spots: Spots

    def scope(self) -> Row:
        title = words("Only what was meant changes", "只改动预期范围")
        impact = self.change.impact
        touched = len(impact.any)
        if self.change.only is None:
            total = len(impact.points)
            summary = words(
                f"no scope was stated (--only); {touched} of {count_of(total, 'point')} change",
                f"未声明范围(--only);共 {total} 个点,改动 {touched} 个",
            )
            return Row(id="scope", title=title, verdict="n/a", summary=summary)
        scope, outside = self.change.only
        inside = touched - len(outside)
        summary = words(
            f"{scope}: {count_of(inside, 'point')} change{'s' * (inside == 1)} inside, "
            f"{len(outside)} outside",
            f"{scope}:范围内改动 {inside} 个点,范围外 {len(outside)} 个",
        )
        verdict: Verdict = "fail" if outside else "pass" if impact.any else "n/a"
        details = tuple(self._outside(outside))
        return Row(id="scope", title=title, verdict=verdict, summary=summary, details=details)

    def _outside(self, outside: frozenset[int]) -> Iterator[Detail]:
        """What happens outside, by what happens and the rules that do it."""
        by_why: dict[str, tuple[set[int], set[str]]] = {}
        for number in outside:
            blocks = [block for block in self.change.impact.blocks if number in block.members]
            rules = list(dict.fromkeys(rule for block in blocks for rule in _rules(block)))
            kind = blocks[0].kind
            why = _KINDS.get(kind, kind) + (f" by {', '.join(rules)}" if rules else "")
            numbers, files = by_why.setdefault(why, (set(), set()))
            numbers.add(number)
            files.update(map(self._file, rules))
        for why, (numbers, files) in sorted(by_why.items(), key=lambda item: -len(item[1][0])):
            yield Detail(
                text=f"{count_of(len(numbers), 'point')} outside {why}",
                where=", ".join(sorted(files - {""})),
                at=self.spots.of(numbers),
                points=self._names(numbers),
                refuted=True,
            )

    def resolves(self) -> Row:
        title = words("Every point resolves, and no rules conflict", "所有点均可解析,规则无冲突")
        impact = self.change.impact
        failing = [block for block in impact.blocks if block.kind == "fails"]
        details = [
            Detail(
                text=block.error,
                at=self.spots.of(block.members),
                points=self._names(block.members),
                refuted=True,
            )
            for block in failing
        ]
        found = self.concerned.found.get("resolves", [])
        points, total = sum(block.count for block in failing), len(impact.points)
        told = self._details(found)
        if points:
            summary = words(
                f"{count_of(points, 'point')} can't be resolved any more",
                f"{points} 个点无法再解析",
            )
        elif found:
            summary = words(_counted(found), f"{len(found)} 项")
        else:
            summary = words(f"{count_of(total, 'point')} of both sides", f"两侧共 {total} 个点")
        verdict = "fail" if failing else verdict_of(found, True)
        return Row(
            id="resolves",
            title=title,
            verdict=verdict,
            summary=summary,
            details=(*details, *told),
        )

    def findings(self, id: str, en: str, zh: str) -> Row:
        found, held = self.concerned.found.get(id, []), self.concerned.held.get(id, [])
        looked = bool(self.change.impact.any)
        return Row(
            id=id,
            title=words(en, zh),
            verdict=verdict_of(found, looked),
            summary=summary_of(found, held, looked),
            details=self._details(found),
        )

    def claims(self) -> Row:
        found = self.concerned.found.get("claims", [])
        gone = sorted(set(self.change.base.claims) - set(self.change.head.claims))
        total = len(self.change.head.claims)
        if found:
            en, zh = _counted(found), f"{total} 条声明,其中 {len(found)} 条不成立"
        elif total:
            en, zh = f"{count_of(total, 'claim')} hold{'s' * (total == 1)}", f"{total} 条声明均成立"
        else:
            en, zh = "nobody claims anything", "没有声明"
        if gone:
            en += f"; {count_of(len(gone), 'claim')} gone"
            zh += f";删除 {len(gone)} 条"
        return Row(
            id="claims",
            title=words("Claims hold", "声明成立"),
            verdict=verdict_of(found, bool(total)),
            summary=words(en, zh),
            details=(
                *self._details(found),
                *(Detail(text=f"the claim {name} is gone") for name in gone),
            ),
        )

    def evidence(self) -> Row:
        told: list[str] = []
        zh: list[str] = []
        details: list[Detail] = []
        verified = True
        for shows, standings in standings_of(self.change.impact, self.change.head).items():
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
            zh.append(f"{_SHOWS_ZH[shows]}:{counts.get('verified', 0)}/{len(standings)} 已验证")
            details += [
                Detail(text=f"{shows}: {reason}", at=self.spots.named(names), points=tuple(names))
                for reason, names in sorted(reasons.items())
            ]
        for run, numbers in self.change.impact.stale.items():
            details.append(
                Detail(
                    text=f"what {run} ran goes stale",
                    at=self.spots.of(numbers),
                    points=self._names(numbers),
                )
            )
        verdict: Verdict = "n/a" if not told else "pass" if verified else "unknown"
        if not told:
            told, zh = ["no point that is swept afterwards changes"], ["没有改动仍在扫描中的点"]
        return Row(
            id="evidence",
            title=words("What ships was run", "所发布的配置已实测"),
            verdict=verdict,
            summary=words("; ".join(told), ";".join(zh)),
            details=tuple(details),
        )

    def _details(self, found: Iterable[Finding]) -> tuple[Detail, ...]:
        return tuple(detail_of(finding, self.spots) for finding in found)

    def _names(self, numbers: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.change.impact.names[number] for number in sorted(numbers))

    def _file(self, rule: str) -> str:
        return self.change.head.rules.get(rule) or self.change.base.rules.get(rule, "")


_KINDS = {"changed": "changed", "fails": "can't be resolved any more", "mended": "can be resolved"}
"""What happens to a point, where a block's own word doesn't say it."""

_SHOWS_ZH = {"performance": "性能", "accuracy": "精度"}


def _listed(id: str, faults: tuple[str, ...] | None, title: Words, none: Words, good: Words) -> Row:
    if faults is None:
        return Row(id=id, title=title, verdict="n/a", summary=none)
    if not faults:
        return Row(id=id, title=title, verdict="pass", summary=good)
    return Row(
        id=id,
        title=title,
        verdict="fail",
        summary=words(
            f"{len(faults)} disagree{'s' * (len(faults) == 1)}", f"{len(faults)} 处不一致"
        ),
        details=tuple(Detail(text=fault, refuted=True) for fault in faults),
    )


def _rules(block: Block) -> Iterator[str]:
    """The rules that a block is by; where a key is gone, those that had set it."""
    for change, _ in block.keys:
        yield from change.after or change.before


def _counted(found: Sequence[Finding]) -> str:
    refuted = sum(finding.fails for finding in found)
    unknown = sum(finding.answer == "unknown" for finding in found)
    warned = len(found) - refuted - unknown
    parts = [(refuted, "refuted"), (unknown, "unknown"), (warned, "warned of")]
    return ", ".join(f"{number} {name}" for number, name in parts if number)


def _short(message: str, most: int = 160) -> str:
    line = message.splitlines()[0] if message else ""
    return line if len(line) <= most else f"{line[: most - 1]}…"
