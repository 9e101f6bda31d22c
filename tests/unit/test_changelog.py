"""perf-changelog.yaml: read strictly, grown byte for byte, and held to what really changes."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from infxreg import Registry
from infxreg.plugins import core_contribution
from infxreg.review.changelog import (
    PLACEHOLDER,
    ChangelogError,
    Entry,
    appended,
    described,
    disagreements,
    entry_text,
    read_changelog,
    scenario,
    touched,
)
from infxreg.review.impact import Impact, compare
from infxreg.review.snapshot import take
from support.builders import ACME, acme, from_toml, rule, where

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("INFXREG_SHARED", ROOT.parent / "shared"))
REAL = SHARED / "data" / "inferencex" / "perf-changelog.yaml"

WORKLOADS = {"m1-a": "agentic", "m1-b": "8k1k", "m2-a": "agentic"}
FIRST = b"""\
- config-keys:
    - m1-*
  description:
    - "all of m1"
  pr-link: https://example.org/pull/1
"""
SECOND = b"""\
- config-keys:
    - m2-a
  scenario-type:
    - agentic-coding
  description:
    - "m2"
  pr-link: https://example.org/pull/XXX
  append-only: true
"""
MORE = b"""\
# how a person may write
- config-keys:
    - 'b*-vllm'   # a note
    - c
  scenario-type: [fixed-seq-len, agentic-coding]
  evals-only: true
  all-evals: no
  eval-min-prefill-ep: 4
  description: ["one: two", 'it''s', "\xe4\xb8\xad"]
  pr-link: "https://example.org/pull/2"
"""
TWIN = b"\n".join([FIRST, SECOND.replace(b"XXX", b"3"), MORE.partition(b"\n")[2], SECOND])
"""A file like the real one."""
KNOWN = (
    "config-keys, description, pr-link, scenario-type, evals-only, all-evals, append-only, "
    "eval-min-prefill-ep"
)


def impact_of(old: Registry, new: Registry) -> Impact:
    return compare(take(old), take(new))


def reasons(call: Any, *args: object) -> tuple[str, ...]:
    """Why a changelog is refused."""
    with pytest.raises(ChangelogError) as caught:
        call(*args, "c")
    assert caught.value.where == "c"
    return caught.value.problems


class TestRead:
    """Entries, and every fault of them."""

    def test_entries(self) -> None:
        first, second = read_changelog(FIRST + b"\n" + SECOND, "c")
        assert first == Entry(
            config_keys=("m1-*",),
            description=("all of m1",),
            pr_link="https://example.org/pull/1",
            line=1,
        )
        assert (second.scenario_type, second.append_only, second.line) == (
            ("agentic-coding",),
            True,
            7,
        )

    def test_nothing(self) -> None:
        assert read_changelog(b"", "c") == ()

    def test_every_key(self) -> None:
        """However YAML lets it be written."""
        assert read_changelog(MORE, "c") == (
            Entry(
                config_keys=("b*-vllm", "c"),
                description=("one: two", "it's", "中"),
                pr_link="https://example.org/pull/2",
                scenario_type=("fixed-seq-len", "agentic-coding"),
                evals_only=True,
                all_evals=False,
                append_only=False,
                eval_min_prefill_ep=4,
                line=2,
            ),
        )

    def test_an_append_only_entry_may_say_no_to_evals(self) -> None:
        """What is false, or 0, isn't asked for."""
        (entry,) = read_changelog(SECOND + b"  evals-only: no\n  all-evals: false\n", "c")
        assert entry.append_only

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (b"a: 1", "line 1: a list is needed"),
            (b"\n\nonly text", "line 3: a list is needed"),
            (b"- [", "line 2: not YAML: did not find expected node content"),
            (b"- a\n- \x00\n", "line 2: not YAML: '\\x00' can't stand in it"),
            (FIRST + b"  config-keys:\n    - x\n", "line 6: the key 'config-keys' stands twice"),
        ],
    )
    def test_no_list_of_entries(self, data: bytes, reason: str) -> None:
        assert reasons(read_changelog, data) == (reason,)

    def test_not_utf_8(self) -> None:
        assert reasons(read_changelog, FIRST + b"# \xff\n") == (
            f"not UTF-8: byte {len(FIRST) + 2}",
        )

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (b"- 1", "a mapping is needed, not int"),
            (b"-", "a mapping is needed, not NoneType"),
            (FIRST + b"  odd: 1\n", f"unknown key 'odd': known are {KNOWN}"),
            (FIRST + b"  1: 1\n", f"unknown key 1: known are {KNOWN}"),
            (FIRST + b"  line: 7\n", f"unknown key 'line': known are {KNOWN}"),
            (FIRST.replace(b"\n    - m1-*", b" []"), "config-keys is missing or empty"),
            (FIRST.replace(b"\n    - m1-*", b" m1-*"), "config-keys: a list is needed, not str"),
            (FIRST.replace(b"m1-*", b"1"), "config-keys[0]: text is needed, not int"),
            (FIRST.replace(b"\n    - m1-*", b""), "config-keys is missing or empty"),
            (FIRST.replace(b'"all of m1"', b"a: b"), "description[0]: text is needed, not dict"),
            (FIRST.replace(b"  pr-link", b"# "), "pr-link is missing or empty"),
            (
                FIRST.replace(b"https://example.org/pull/1", b"1"),
                "pr-link: text is needed, not int",
            ),
            (FIRST + b"  evals-only: 1\n", "evals-only: true or false is needed, not int"),
            (FIRST + b"  all-evals: x\n", "all-evals: true or false is needed, not str"),
            (FIRST + b"  append-only: ~\n", "append-only: true or false is needed, not NoneType"),
            (
                FIRST + b"  eval-min-prefill-ep: 1.5\n",
                "eval-min-prefill-ep: an integer is needed, not float",
            ),
            (
                FIRST + b"  scenario-type: agentic-coding\n",
                "scenario-type: a list is needed, not str",
            ),
            (
                FIRST + b"  scenario-type: [agentic-coding, chat]\n",
                "scenario-type 'chat' is neither agentic-coding nor fixed-seq-len",
            ),
            *(
                (
                    SECOND + b"  " + key + b"\n",
                    "append-only adds throughput points, so it goes with no key of evals",
                )
                for key in (b"evals-only: true", b"all-evals: true", b"eval-min-prefill-ep: 8")
            ),
        ],
    )
    def test_a_fault_of_an_entry(self, data: bytes, reason: str) -> None:
        """With its line, and the keys as the file has them."""
        assert reasons(read_changelog, data) == (f"entry at line 1: {reason}",)

    def test_faults_of_all_entries(self) -> None:
        """In the order of the file; what is sound beside them isn't given either."""
        data = b"- config-keys: [a]\n\n" + FIRST + b"\n- description: [1]\n  odd: 1\n"
        assert reasons(read_changelog, data) == (
            "entry at line 1: description is missing or empty",
            "entry at line 1: pr-link is missing or empty",
            f"entry at line 9: unknown key 'odd': known are {KNOWN}",
            "entry at line 9: config-keys is missing or empty",
            "entry at line 9: pr-link is missing or empty",
        )
        two = FIRST.replace(b"m1-*", b"1").replace(b'"all of m1"', b"2")
        assert reasons(read_changelog, two) == (
            "entry at line 1: config-keys[0]: text is needed, not int",
            "entry at line 1: description[0]: text is needed, not int",
        )

    def test_what_the_error_says(self) -> None:
        assert str(ChangelogError("c", ("a", "b"))) == "c is no changelog:\n  a\n  b"


class TestAppended:
    """The file only grows, byte for byte."""

    def test_what_is_new(self) -> None:
        (entry,) = appended(FIRST, FIRST + b"\n" + SECOND, "c")
        assert entry.config_keys == ("m2-a",)
        assert len(appended(b"", FIRST + b"\n" + SECOND, "c")) == 2
        assert appended(FIRST, FIRST, "c") == ()

    def test_many(self) -> None:
        """In the order of the file, each with its line."""
        new = appended(FIRST, FIRST + b"\n" + SECOND + b"\n" + FIRST, "c")
        assert [(entry.config_keys, entry.line) for entry in new] == [
            (("m2-a",), 7),
            (("m1-*",), 16),
        ]

    def test_after_a_file_that_ends_with_an_empty_line(self) -> None:
        """One is enough."""
        (entry,) = appended(FIRST + b"\n", FIRST + b"\n" + SECOND, "c")
        assert entry.config_keys == ("m2-a",)

    def test_a_link_takes_a_placeholder_s_place(self) -> None:
        """The number is known once the pull request is there; beside it, or alone."""
        linked = SECOND.replace(b"XXX", b"7")
        (entry,) = appended(SECOND, linked + b"\n" + FIRST, "c")
        assert entry.config_keys == ("m1-*",)
        assert appended(SECOND, linked, "c") == ()

    @pytest.mark.parametrize(
        "link",
        [
            b"  pr-link: https://example.org/pull/7\r",
            b"  pr-link:\thttps://example.org/pull/7",
            b"  pr-link: https://example.org/pull/7 # a note",
            b"  pr-link:  https://example.org/pull/7",
            b"  pr-link:\n    https://example.org/pull/7",
        ],
    )
    def test_and_nothing_else_does(self, link: bytes) -> None:
        """Not even white space."""
        after = SECOND.replace(b"  pr-link: https://example.org/pull/XXX", link)
        (reason,) = reasons(appended, SECOND, after + b"\n" + FIRST)
        assert reason == "line 7 isn't what it was: the file only grows at its end"

    def test_a_link_that_was_there_stays(self) -> None:
        after = FIRST.replace(b"pull/1", b"pull/2") + b"\n" + SECOND
        assert reasons(appended, FIRST, after) == (
            "line 5 isn't what it was: the file only grows at its end",
        )

    START = "a new entry begins with '- config-keys:', after one empty line"
    BETWEEN = "one empty line stands between two entries"
    END = "the file ends with one newline"
    OTHER = b"- pr-link: x\n  config-keys: [m]\n  description: [d]\n"

    @pytest.mark.parametrize(
        ("after", "found"),
        [
            (
                FIRST.replace(b"all", b"ALL") + b"\n" + SECOND,
                ["line 4 isn't what it was: the file only grows at its end"],
            ),
            (
                FIRST.rstrip(b"\n"),
                ["it is shorter than it was: the file only grows at its end"],
            ),
            (b"", ["line 1 isn't what it was: the file only grows at its end"]),
            (
                SECOND + b"\n" + FIRST,
                ["line 2 isn't what it was: the file only grows at its end"],
            ),
            (
                SECOND,
                ["line 2 isn't what it was: the file only grows at its end"],
            ),
            (FIRST + SECOND, [START]),
            (FIRST + b"\n\n" + SECOND, [START, BETWEEN]),
            (FIRST + b"\n# note\n" + SECOND, [START, BETWEEN]),
            (FIRST + b"\n" + OTHER, [START]),
            (FIRST + b"\n" + SECOND + b"\n" + OTHER, [START]),
            (FIRST + b"\n" + SECOND + OTHER, [START]),
            (FIRST + b"\n" + SECOND + FIRST, [BETWEEN]),
            (FIRST + b"\n" + SECOND + b"\n\n" + FIRST, [BETWEEN]),
            (FIRST + b"\n" + SECOND.rstrip(b"\n"), [END]),
            (FIRST + b"\n" + SECOND + b"\n", [END]),
            (FIRST + b"\n", ["bytes were added, and no entry"]),
            (FIRST + b"# a note\n", ["bytes were added, and no entry"]),
            (FIRST + b"  all-evals: true\n", ["bytes were added, and no entry"]),
            (
                FIRST + b"\n" + SECOND.replace(b"\n", b"\r\n"),
                ["what is new holds a carriage return"],
            ),
            (FIRST + b"\n" + SECOND.replace(b'"m2"', b'"\t"'), ["what is new holds a tab"]),
            (
                FIRST + b"\r\n\n" + SECOND.replace(b'"m2"', b'"\t"') + b"\n",
                [
                    "what is new holds a carriage return",
                    "what is new holds a tab",
                    START,
                    END,
                ],
            ),
        ],
    )
    def test_bytes(self, after: bytes, found: list[str]) -> None:
        """Every reason, exactly."""
        assert list(reasons(appended, FIRST, after)) == found

    def test_what_can_t_be_read(self) -> None:
        """Before or after, it is told as such: the rules of growth are for changelogs."""
        assert reasons(appended, FIRST, b"a: 1") == ("line 1: a list is needed",)
        assert reasons(appended, b"a: 1", FIRST) == ("line 1: a list is needed",)


class TestKeys:
    """Which recipes a key is for."""

    @pytest.mark.parametrize(
        ("key", "kinds", "found"),
        [
            ("m1-a", (), ("m1-a",)),
            ("m1-*", (), ("m1-a", "m1-b")),
            ("*", ("agentic-coding",), ("m1-a", "m2-a")),
            ("m1-*", ("fixed-seq-len",), ("m1-b",)),
            ("m1-*", ("fixed-seq-len", "agentic-coding"), ("m1-a", "m1-b")),
            ("*-a", (), ("m1-a", "m2-a")),
            ("*1*", (), ("m1-a", "m1-b")),
            ("m1-a*", (), ("m1-a",)),
            ("m1", (), ()),
            ("m1.a", (), ()),
            ("m?-a", (), ()),
            ("[m]1-a", (), ()),
            ("M1-A", (), ()),
        ],
    )
    def test_recipes(self, key: str, kinds: tuple[str, ...], found: tuple[str, ...]) -> None:
        """A star is any text; everything else is itself."""
        entry = Entry(config_keys=(key,), description=("d",), pr_link="l", scenario_type=kinds)
        assert entry.recipes_of(key, WORKLOADS) == found

    def test_scenario(self) -> None:
        assert (scenario("agentic"), scenario("8k1k")) == ("agentic-coding", "fixed-seq-len")


ODD = rule("odd", {"args.odd": 1}, where(sku="x10", model="m1", engine="run", workload="agentic"))
OF_ACME = {
    "m1-x10-run": "agentic",
    "m1-x10-run-1k1k": "1k1k",
    "m1-x20-run": "agentic",
    "m1-x20-alt": "agentic",
}


def entry(*keys: str, **more: Any) -> Entry:
    return Entry(**{"description": ("d",), "pr_link": "l", "line": 3, **more}, config_keys=keys)


def acme_of(table: str) -> Registry:
    """The core, and ``acme`` with another table."""
    return Registry((core_contribution(), from_toml(table, "acme", "acme.toml")))


class TestDisagreements:
    """Where the entries and what changes differ."""

    def differ(self, *keys: str, **more: Any) -> list[str]:
        impact = impact_of(acme(), acme(ODD))
        return list(disagreements([entry(*keys, **more)] if keys else [], impact, OF_ACME))

    def test_none(self) -> None:
        assert self.differ("m1-x10-run") == []

    def test_a_recipe_that_no_entry_names(self) -> None:
        assert self.differ() == ["m1-x10-run changes (6 points), and no entry names it"]

    def test_a_recipe_that_doesn_t_change(self) -> None:
        assert self.differ("m1-x10-*") == [
            "line 3: m1-x10-* names m1-x10-run-1k1k, of which no point changes"
        ]

    def test_a_key_that_matches_nothing(self) -> None:
        assert self.differ("m1-x10-run", "m3-*") == ["line 3: m3-* matches no recipe"]

    def test_of_another_scenario(self) -> None:
        """It matches none, and so what changes isn't named."""
        assert self.differ("m1-x10-run", scenario_type=("fixed-seq-len",)) == [
            "line 3: m1-x10-run matches no recipe of fixed-seq-len",
            "m1-x10-run changes (6 points), and no entry names it",
        ]
        assert self.differ("m3", "m1-*-run", scenario_type=("agentic-coding", "fixed-seq-len")) == [
            "line 3: m3 matches no recipe of agentic-coding or fixed-seq-len",
            "line 3: m1-*-run names m1-x20-run, of which no point changes",
        ]

    def test_of_the_scenario_that_changes(self) -> None:
        """Another one's recipes that the key matches aren't meant."""
        assert self.differ("m1-x10-*", scenario_type=("agentic-coding",)) == []

    def test_of_several_entries(self) -> None:
        """Together they name what changes; each answers for its own keys."""
        wide = acme(rule("wide", {"args.odd": 1}, where(model="m1", engine="run", tp=[1, 2])))
        two = [entry("m1-x10-run", line=3), entry("m1-x20-*", line=9)]
        assert list(disagreements(two, impact_of(acme(), wide), OF_ACME)) == [
            "line 9: m1-x20-* names m1-x20-alt, of which no point changes",
            "m1-x10-run-1k1k changes (2 points), and no entry names it",
        ]

    def test_one_point(self) -> None:
        one = acme(rule("one", {"args.odd": 1}, where(sku="x20", engine="alt", tp=2)))
        assert list(disagreements([], impact_of(acme(), one), OF_ACME)) == [
            "m1-x20-alt changes (1 point), and no entry names it"
        ]

    def test_nothing_changes(self) -> None:
        """Then nothing is to be named."""
        same = impact_of(acme(), acme())
        assert list(disagreements([], same, OF_ACME)) == []
        assert list(disagreements([entry("m1-x20-alt")], same, OF_ACME)) == [
            "line 3: m1-x20-alt names m1-x20-alt, of which no point changes"
        ]


GROWN = acme_of(ACME.replace("tp = [2, 4], conc = [1, 16]", "tp = [2, 4], conc = [1, 4, 16]"))
FIGHT = (
    rule("a", {"args.odd": 1}, where(sku="x10", workload="agentic")),
    rule("b", {"args.odd": 2}, where(sku="x10", engine="run", tp=2)),
)
ONE = rule("one", {"args.odd": 1}, where(sku="x10", tp=2, conc=1))
PLUS = (rule("more", {"args.odd": 1}, where(sku="x20", engine="run", tp=4)),)


class TestAppendOnly:
    """Points that were there before stay as they were."""

    @pytest.mark.parametrize(
        ("old", "new", "found"),
        [
            (acme(), GROWN, []),
            (acme(), acme(ODD), ["6 existing points are changed"]),
            (acme(), acme(ONE), ["1 existing point is changed"]),
            (GROWN, acme(), ["2 existing points are gone"]),
            (acme(FIGHT[0]), acme(*FIGHT), ["2 points can't be resolved"]),
            (acme(*FIGHT), acme(FIGHT[0]), ["2 existing points are mended"]),
        ],
    )
    def test_what_becomes_of_points(self, old: Registry, new: Registry, found: list[str]) -> None:
        told = list(
            disagreements([entry("m1-x10-run", append_only=True)], impact_of(old, new), OF_ACME)
        )
        assert told == [f"line 3: append-only, but {one}" for one in found]

    def test_of_other_recipes(self) -> None:
        """They are another entry's, which doesn't say so."""
        both = [entry("m1-x10-run", append_only=True), entry("m1-x20-run")]
        grown = Registry((*GROWN.contributions, *acme(*PLUS).contributions[-1:]))
        assert list(disagreements(both, impact_of(acme(), grown), OF_ACME)) == []


def test_what_an_impact_touches() -> None:
    """Recipes by name, with their points, whatever their purposes; points that are gone too."""
    assert touched(impact_of(acme(), acme(ODD))) == {"m1-x10-run": 6}
    assert touched(impact_of(GROWN, acme())) == {"m1-x10-run": 2}
    assert touched(impact_of(acme(), acme())) == {}
    all_of_run = rule("all", {"args.odd": 1}, where(engine="run"))
    found = touched(impact_of(acme(), acme(all_of_run)))
    assert found == {"m1-x10-run": 6, "m1-x10-run-1k1k": 2, "m1-x20-run": 2}


class TestDescribed:
    """A line for each thing that changes alike."""

    X20 = where(sku="x20", engine="run")
    X20_TP4 = where(sku="x20", engine="run", tp=4)
    ALL_1K1K = where(model="m1", engine="run", workload="1k1k")

    @pytest.mark.parametrize(
        ("old", "new", "lines"),
        [
            (acme(), acme(ODD), ["args.odd (absent) -> 1 (sku=x10 engine=run tp=2|4|8)"]),
            (acme(ODD), acme(), ["args.odd 1 -> (absent) (sku=x10 engine=run tp=2|4|8)"]),
            (
                acme(),
                acme(rule("r", {"args.odd": "“x”", "args.list": (1, "a")}, X20)),
                ['args.list (absent) -> [1, "a"]; args.odd (absent) -> "“x”" (sku=x20 engine=run)'],
            ),
            (
                acme(),
                acme(rule("r", {"scheduler.max_num_seqs": 7}, ALL_1K1K)),
                ["scheduler.max_num_seqs 2 -> 7, 4 -> 7 (sku=x10 engine=run tp=1)"],
            ),
            (acme(), GROWN, ["new: sku=x10 engine=run conc=4"]),
            (GROWN, acme(), ["gone: sku=x10 engine=run conc=4"]),
            (acme(FIGHT[0]), acme(*FIGHT), ["fails: sku=x10 engine=run tp=2"]),
            (acme(*FIGHT), acme(FIGHT[0]), ["mended: sku=x10 engine=run tp=2"]),
            (
                acme(),
                acme(rule("r", {"args.odd": 1}, where(sku="x10", tp=8), X20_TP4)),
                ["args.odd (absent) -> 1 (sku=x10 engine=run ep=8 and sku=x20 engine=run tp=4)"],
            ),
            (acme(), acme(), []),
        ],
    )
    def test_lines(self, old: Registry, new: Registry, lines: list[str]) -> None:
        assert list(described(impact_of(old, new))) == lines


class TestEntryText:
    """The entry that a change needs."""

    def test_of_one_scenario(self) -> None:
        """It is said, so that a key matches nothing else; the recipes stand sorted."""
        text = entry_text(["m1-x20-run", "m1-x10-run"], OF_ACME, ['a "b": 中', "c"])
        assert text == (
            "- config-keys:\n"
            "    - m1-x10-run\n"
            "    - m1-x20-run\n"
            "  scenario-type:\n"
            "    - agentic-coding\n"
            "  description:\n"
            '    - "a \\"b\\": 中"\n'
            '    - "c"\n'
            f"  pr-link: {PLACEHOLDER}\n"
        )

    def test_of_both(self) -> None:
        text = entry_text(["m1-x10-run-1k1k", "m1-x10-run"], OF_ACME, ["d"], "l")
        assert text == (
            "- config-keys:\n    - m1-x10-run\n    - m1-x10-run-1k1k\n"
            '  description:\n    - "d"\n  pr-link: l\n'
        )

    @pytest.mark.parametrize("name", ["123", "true", "no", "null", "1.5", "2026-12-01", "0x1f"])
    def test_names_that_yaml_takes_for_something_else(self, name: str) -> None:
        """They are quoted."""
        text = entry_text([name], {}, ["d"], "https://example.org/#1 # not a note")
        assert f'    - "{name}"\n' in text
        (entry,) = read_changelog(text.encode(), "c")
        assert entry.config_keys == (name,)
        assert entry.pr_link == "https://example.org/#1 # not a note"


def test_what_changes_is_what_is_written() -> None:
    """The entry of a change agrees with the change."""
    impact = impact_of(acme(), acme(ODD))
    text = entry_text(touched(impact), OF_ACME, described(impact))
    assert not list(disagreements(appended(b"", text.encode(), "c"), impact, OF_ACME))


IDS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,8}", fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(
    st.dictionaries(IDS, st.sampled_from(["agentic", "1k1k", "8k1k"]), min_size=1),
    st.lists(TEXTS, min_size=1, max_size=3),
    st.one_of(IDS, st.just(PLACEHOLDER), TEXTS.filter(bool)),
)
@example({"m": "agentic"}, ["\x7f \x85 \u2028 \u2029 \ufeff \ufffe \U0001f600"], "- x")
def test_an_entry_that_is_written_is_read_back(
    workloads: dict[str, str], description: list[str], link: str
) -> None:
    """Whatever the names and texts are; and it can be appended."""
    text = entry_text(workloads, workloads, description, link).encode()
    (entry,) = appended(FIRST, FIRST + b"\n" + text, "c")
    kinds = {scenario(workload) for workload in workloads.values()}
    assert entry == Entry(
        config_keys=tuple(sorted(workloads)),
        description=tuple(description),
        pr_link=link,
        scenario_type=tuple(kinds) if len(kinds) == 1 else (),
        line=7,
    )


@pytest.fixture(params=["twin", "real"])
def whole(request: pytest.FixtureRequest) -> bytes:
    """A file that people wrote: InferenceX's own where it is at hand, and always our twin."""
    if request.param == "twin":
        return TWIN
    if not REAL.is_file():
        pytest.skip(f"no reference data at {REAL}; its twin runs all the same")
    return REAL.read_bytes()


def test_the_twin() -> None:
    """What kinds of entries it has."""
    entries = read_changelog(TWIN, "c")
    assert [entry.line for entry in entries] == [1, 7, 16, 26]
    assert [entry.append_only for entry in entries] == [False, True, False, True]


def test_every_entry_is_read(whole: bytes) -> None:
    """At the line where it begins."""
    entries = read_changelog(whole, "c")
    starts = [n for n, line in enumerate(whole.split(b"\n"), 1) if line == b"- config-keys:"]
    assert [entry.line for entry in entries] == starts
    assert all(entry.config_keys and entry.description and entry.pr_link for entry in entries)
    assert sum(entry.append_only for entry in entries) > 0


def test_it_grew_entry_by_entry(whole: bytes) -> None:
    """As it was before one of its entries, it may grow by just this one."""
    entries = read_changelog(whole, "c")
    starts = [match.start() for match in re.finditer(rb"(?m)^- config-keys:", whole)]
    ends = [*(start - 1 for start in starts[1:]), len(whole)]
    for number in range(1, len(entries), max(1, len(entries) // 8)):
        before, after = whole[: starts[number] - 1], whole[: ends[number]]
        assert appended(before, after, "c") == (entries[number],)


def test_it_can_grow(whole: bytes) -> None:
    more = whole + b"\n" + entry_text(["m1-x10-run"], OF_ACME, ["one more"]).encode()
    (new,) = appended(whole, more, "c")
    assert (new.config_keys, new.pr_link) == (("m1-x10-run",), PLACEHOLDER)
    assert reasons(appended, more, whole) == (
        "it is shorter than it was: the file only grows at its end",
    )
