"""InferenceX's perf-changelog.yaml: which recipes a change says that it changes, and which it does.

The file only grows, byte for byte: a new entry stands at its end, after one empty line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from attrs import frozen

from infxreg.errors import InfxregError
from infxreg.review.impact import Impact
from infxreg.tables import read_as
from infxreg.yamlfile import YamlError, read_items, read_yaml

NAME = "perf-changelog.yaml"
AGENTIC, FIXED = "agentic-coding", "fixed-seq-len"
PLACEHOLDER = "https://github.com/SemiAnalysisAI/InferenceX/pull/XXX"
"""The link of an entry whose pull request has no number yet."""

_AGENTIC_WORKLOADS = ("agentic",)
_KEYS = {
    "config-keys": "config_keys",
    "description": "description",
    "pr-link": "pr_link",
    "scenario-type": "scenario_type",
    "evals-only": "evals_only",
    "all-evals": "all_evals",
    "append-only": "append_only",
    "eval-min-prefill-ep": "eval_min_prefill_ep",
}
_ODD = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What JSON lets stand in a text, and YAML refuses or takes for a line's end."""
_EVAL_KEYS = ("evals_only", "all_evals", "eval_min_prefill_ep")


@frozen
class ChangelogError(InfxregError):
    """A changelog that can't be read, or that isn't what it was and more: every reason."""

    where: str
    problems: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([f"{self.where} is no changelog:", *(f"  {one}" for one in self.problems)])


@frozen(kw_only=True)
class Entry:
    """One entry: the recipes that it names (``*`` stands for any text), and of which scenarios.

    Attributes:
        line: where it begins, from 1.
    """

    config_keys: tuple[str, ...]
    description: tuple[str, ...]
    pr_link: str
    scenario_type: tuple[str, ...] = ()
    evals_only: bool = False
    all_evals: bool = False
    append_only: bool = False
    eval_min_prefill_ep: int | None = None
    line: int = 0

    def recipes_of(self, key: str, workloads: Mapping[str, str]) -> tuple[str, ...]:
        """The recipes that one of its keys is for.

        Args:
            key: one of ``config_keys``.
            workloads: every recipe with its workload.
        """
        pattern = re.compile(re.escape(key).replace(r"\*", ".*"))
        return tuple(
            name
            for name, workload in workloads.items()
            if pattern.fullmatch(name)
            and (not self.scenario_type or scenario(workload) in self.scenario_type)
        )


def scenario(workload: str) -> str:
    """How InferenceX calls the kind of a workload."""
    return AGENTIC if workload in _AGENTIC_WORKLOADS else FIXED


def read_changelog(data: bytes, where: str) -> tuple[Entry, ...]:
    """The entries of a changelog, oldest first.

    Args:
        data: the file's bytes.
        where: what errors call it.

    Raises:
        ChangelogError: with every entry that is wrong.
    """
    try:
        text = data.decode("utf-8")
        items = read_items(text, where)
    except UnicodeDecodeError as error:
        raise ChangelogError(where, (f"not UTF-8: byte {error.start}",)) from error
    except YamlError as error:
        raise ChangelogError(where, (f"line {error.line}: {error.reason}",)) from error
    entries: list[Entry] = []
    problems: list[str] = []
    for item in items:
        told = list(_problems(item.value))
        if told:
            problems += [f"entry at line {item.line}: {one}" for one in told]
        else:
            named = {_KEYS[key]: value for key, value in item.value.items()}
            made = read_as({**named, "line": item.line}, Entry)
            if isinstance(made, Entry):
                entries.append(made)
            else:
                problems += [
                    f"entry at line {item.line}: {_as_written(fault.path)}: {fault.message}"
                    for fault in made
                ]
    if problems:
        raise ChangelogError(where, tuple(problems))
    return tuple(entries)


def appended(before: bytes, after: bytes, where: str) -> tuple[Entry, ...]:
    """The entries that a changelog has more than before.

    Args:
        before: its bytes as they were.
        after: as they are.
        where: what errors call it.

    Raises:
        ChangelogError: if what was there isn't the same byte for byte (a link may take the
            place of a placeholder), or the new entries don't stand as they should.
    """
    new = read_changelog(after, where)[len(read_changelog(before, where)) :]
    problems = list(_byte_problems(_with_links_of(before, after), after, len(new)))
    if problems:
        raise ChangelogError(where, tuple(problems))
    return new


def disagreements(
    entries: Sequence[Entry], impact: Impact, workloads: Mapping[str, str]
) -> Iterator[str]:
    """Where the entries of a change and what it really touches differ.

    Args:
        entries: the change's own.
        impact: what it touches.
        workloads: every recipe with its workload, of both sides.
    """
    changed = touched(impact)
    named: set[str] = set()
    for entry in entries:
        for key in entry.config_keys:
            found = entry.recipes_of(key, workloads)
            named |= set(found)
            if not found:
                of = f" of {' or '.join(entry.scenario_type)}" if entry.scenario_type else ""
                yield f"line {entry.line}: {key} matches no recipe{of}"
            for name in found:
                if name not in changed:
                    yield f"line {entry.line}: {key} names {name}, of which no point changes"
        if entry.append_only:
            yield from _not_appended(entry, impact, workloads)
    for name in sorted(set(changed) - named):
        yield f"{name} changes ({_count(changed[name])}), and no entry names it"


def touched(impact: Impact) -> dict[str, int]:
    """The recipes that change, with how many of their points do."""
    found: dict[str, int] = {}
    for number in sorted(impact.any):
        recipe = impact.names[number].partition("/")[0]
        found[recipe] = found.get(recipe, 0) + 1
    return found


def entry_text(
    recipes: Collection[str],
    workloads: Mapping[str, str],
    description: Iterable[str],
    link: str = PLACEHOLDER,
) -> str:
    """The entry of a change, to be put at the end of the file after an empty line.

    Args:
        recipes: those that change.
        workloads: every recipe with its workload.
        description: what changes, a line each.
        link: of the pull request.
    """
    lines = ["- config-keys:"]
    lines += [f"    - {_scalar(name)}" for name in sorted(recipes)]
    kinds = sorted({scenario(workloads.get(name, "")) for name in recipes})
    if len(kinds) == 1:
        lines += ["  scenario-type:", f"    - {kinds[0]}"]
    lines.append("  description:")
    lines += [f"    - {_quoted(line)}" for line in description]
    lines.append(f"  pr-link: {_scalar(link)}")
    return "\n".join(lines) + "\n"


def described(impact: Impact) -> Iterator[str]:
    """What changes, a line for each block of an impact."""
    for block in impact.blocks:
        where = " and ".join(str(region.scope) for region in block.regions)
        if block.kind != "changed":
            yield f"{block.kind}: {where}"
            continue
        told = [
            f"{change.key} {', '.join(f'{_value(p.old)} -> {_value(p.new)}' for p in pairs)}"
            for change, pairs in block.keys
        ]
        yield f"{'; '.join(told)} ({where})"


def _not_appended(entry: Entry, impact: Impact, workloads: Mapping[str, str]) -> Iterator[str]:
    names = {n for key in entry.config_keys for n in entry.recipes_of(key, workloads)}
    for block in impact.blocks:
        members = [m for region in block.regions for m in region.members]
        held = [m for m in members if impact.names[m].partition("/")[0] in names]
        if held and block.kind == "fails":
            yield f"line {entry.line}: append-only, but {_count(len(held))} can't be resolved"
        elif held and block.kind != "new":
            are = "is" if len(held) == 1 else "are"
            what = _count(len(held), "existing point")
            yield f"line {entry.line}: append-only, but {what} {are} {block.kind}"


def _problems(raw: object) -> Iterator[str]:
    if not isinstance(raw, dict):
        yield f"a mapping is needed, not {type(raw).__name__}"
        return
    for key in raw:
        if key not in _KEYS:
            yield f"unknown key {key!r}: known are {', '.join(_KEYS)}"
    for key in ("config-keys", "description", "pr-link"):
        if not raw.get(key):
            yield f"{key} is missing or empty"
    kinds = raw.get("scenario-type")
    if isinstance(kinds, list):
        for kind in kinds:
            if kind not in (AGENTIC, FIXED):
                yield f"scenario-type {kind!r} is neither {AGENTIC} nor {FIXED}"
    if raw.get("append-only") and any(raw.get(k.replace("_", "-")) for k in _EVAL_KEYS):
        yield "append-only adds throughput points, so it goes with no key of evals"


def _with_links_of(before: bytes, after: bytes) -> bytes:
    """What was, with the links that took a placeholder's place since."""
    old, new = before.split(b"\n"), after.split(b"\n")
    link = b"  pr-link:"
    return b"\n".join(
        now
        if was.startswith(link)
        and was.rstrip().endswith(b"XXX")
        and re.fullmatch(rb"  pr-link: \S+", now)
        else was
        for was, now in zip(old, [*new, *[b""] * len(old)], strict=False)
    )


def _byte_problems(before: bytes, after: bytes, more: int) -> Iterator[str]:
    for byte, name in ((b"\r", "a carriage return"), (b"\t", "a tab")):
        if byte in after[len(before) :]:
            yield f"what is new holds {name}"
    if not after.startswith(before):
        pairs = enumerate(zip(before.split(b"\n"), after.split(b"\n"), strict=False), 1)
        line = next((number for number, (was, now) in pairs if was != now), None)
        words = "it is shorter than it was" if line is None else f"line {line} isn't what it was"
        yield f"{words}: the file only grows at its end"
        return
    new = after[len(before) :]
    if not more:
        if new:
            yield "bytes were added, and no entry"
        return
    start = b"- config-keys:" if before.endswith(b"\n\n") or not before else b"\n- config-keys:"
    places = list(re.finditer(rb"(?m)^- config-keys:", new))
    if not new.startswith(start) or len(places) != more:
        yield "a new entry begins with '- config-keys:', after one empty line"
    for place in places:
        head = (before + new[: place.start()])[-3:]
        if head == b"\n\n\n" or (head and not head.endswith(b"\n\n") and place.start()):
            yield "one empty line stands between two entries"
    if not after.endswith(b"\n") or after.endswith(b"\n\n"):
        yield "the file ends with one newline"


def _as_written(path: str) -> str:
    """The path of a fault with the file's own name of the key."""
    return path.lstrip(".").replace("_", "-")


def _count(number: int, what: str = "point") -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _scalar(text: str) -> str:
    """Text as it is, or in quotes where YAML would read something else."""
    try:
        bare = read_yaml(text, "") == text
    except YamlError:
        bare = False
    return text if bare else _quoted(text)


def _quoted(text: str) -> str:
    """Text in double quotes as YAML has them."""
    return _ODD.sub(lambda m: f"\\u{ord(m[0]):04x}", json.dumps(text, ensure_ascii=False))


def _value(value: object) -> str:
    return "(absent)" if value is None else json.dumps(value, ensure_ascii=False)
