"""perf-changelog.yaml: read strictly, grown byte for byte, and held to what really changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infxreg import Registry
from infxreg.review.changelog import (
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
from support.builders import acme, rule, where

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


def impact_of(old: Registry, new: Registry) -> Impact:
    return compare(take(old), take(new))


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

    @pytest.mark.parametrize(
        ("data", "words"),
        [
            (b"\xff", "not UTF-8: byte 0"),
            (b"a: 1", "line 1: a list is needed"),
            (b"- [", "line 2: not YAML: "),
            (b"- 1", "entry at line 1: a mapping is needed, not int"),
            (FIRST + b"  config-keys:\n    - x\n", "line 6: the key 'config-keys' stands twice"),
            (FIRST + b"  odd: 1\n", "entry at line 1: unknown key 'odd': known are config-keys"),
            (b"- config-keys: []\n", "entry at line 1: config-keys is missing or empty"),
            (b"- config-keys: [a]\n", "entry at line 1: description is missing or empty"),
            (FIRST + b"  evals-only: 1\n", "entry at line 1: evals_only: "),
            (
                FIRST + b"  scenario-type: [chat]\n",
                "entry at line 1: scenario-type 'chat' is neither agentic-coding nor fixed-seq-len",
            ),
            (
                FIRST + b"  append-only: true\n  evals-only: true\n",
                "entry at line 1: append-only adds throughput points, so it goes with no key of",
            ),
        ],
    )
    def test_faults(self, data: bytes, words: str) -> None:
        with pytest.raises(ChangelogError) as caught:
            read_changelog(data, "c")
        assert str(caught.value).startswith("c is no changelog:\n  ")
        assert any(problem.startswith(words) for problem in caught.value.problems), caught.value

    def test_faults_of_all_entries(self) -> None:
        with pytest.raises(ChangelogError) as caught:
            read_changelog(FIRST + b"  a: 1\n\n" + SECOND + b"  b: 2\n", "c")
        assert [problem.partition(":")[0] for problem in caught.value.problems] == [
            "entry at line 1",
            "entry at line 8",
        ]


class TestAppended:
    """The file only grows, byte for byte."""

    def test_what_is_new(self) -> None:
        (entry,) = appended(FIRST, FIRST + b"\n" + SECOND, "c")
        assert entry.config_keys == ("m2-a",)
        assert len(appended(b"", FIRST + b"\n" + SECOND, "c")) == 2
        assert appended(FIRST, FIRST, "c") == ()

    def test_a_link_takes_a_placeholder_s_place(self) -> None:
        """The number is known once the pull request is there."""
        assert appended(SECOND, SECOND.replace(b"XXX", b"7") + b"\n" + FIRST, "c")

    @pytest.mark.parametrize(
        ("after", "words"),
        [
            (FIRST.replace(b"all", b"ALL") + b"\n" + SECOND, "line 4 isn't what it was"),
            (FIRST.rstrip(b"\n"), "it is shorter than it was"),
            (SECOND + b"\n" + FIRST, "line 2 isn't what it was"),
            (FIRST + SECOND, "a new entry begins with '- config-keys:', after one empty line"),
            (FIRST + b"\n\n" + SECOND, "a new entry begins with"),
            (FIRST + b"\n" + SECOND.rstrip(b"\n"), "the file ends with one newline"),
            (FIRST + b"\n" + SECOND + b"\n", "the file ends with one newline"),
            (FIRST + b"\n", "bytes were added, and no entry"),
            (FIRST + b"\n# note\n" + SECOND, "a new entry begins with"),
            (FIRST + b"\n" + SECOND.replace(b"\n", b"\r\n"), "what is new holds a carriage return"),
            (
                FIRST + b"\n" + SECOND + SECOND.replace(b"m2-a", b"m2-b"),
                "one empty line stands between two entries",
            ),
        ],
    )
    def test_bytes(self, after: bytes, words: str) -> None:
        with pytest.raises(ChangelogError) as caught:
            appended(FIRST, after, "c")
        assert any(words in problem for problem in caught.value.problems), caught.value


class TestKeys:
    """Which recipes a key is for."""

    @pytest.mark.parametrize(
        ("key", "kinds", "found"),
        [
            ("m1-a", (), ("m1-a",)),
            ("m1-*", (), ("m1-a", "m1-b")),
            ("*", ("agentic-coding",), ("m1-a", "m2-a")),
            ("m1-*", ("fixed-seq-len",), ("m1-b",)),
            ("m1", (), ()),
            ("m1.a", (), ()),
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


class TestDisagreements:
    """Where the entries and what changes differ."""

    def differ(self, *keys: str, **more: bool) -> list[str]:
        impact = impact_of(acme(), acme(ODD))
        entry = Entry(config_keys=keys, description=("d",), pr_link="l", line=3, **more)
        return list(disagreements([entry] if keys else [], impact, OF_ACME))

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
        impact = impact_of(acme(), acme(ODD))
        entry = Entry(
            config_keys=("m1-x10-run",),
            description=("d",),
            pr_link="l",
            scenario_type=("fixed-seq-len",),
        )
        told = list(disagreements([entry], impact, OF_ACME))
        assert told[0] == "line 0: m1-x10-run matches no recipe of fixed-seq-len"
        assert told[1].startswith("m1-x10-run changes")

    def test_append_only(self) -> None:
        """Points that were there before may not change."""
        assert self.differ("m1-x10-run", append_only=True) == [
            "line 3: append-only, but 6 existing points are changed"
        ]


def test_what_an_impact_touches_and_how_it_is_described() -> None:
    impact = impact_of(acme(), acme(ODD))
    assert touched(impact) == {"m1-x10-run": 6}
    assert list(described(impact)) == ["args.odd (absent) -> 1 (sku=x10 engine=run tp=2|4|8)"]
    back = impact_of(acme(ODD), acme())
    assert list(described(back)) == ["args.odd 1 -> (absent) (sku=x10 engine=run tp=2|4|8)"]


@given(
    st.sets(st.sampled_from(sorted(OF_ACME)), min_size=1),
    st.lists(
        st.text(min_size=1, alphabet=st.characters(exclude_categories=("Cs", "Cc"))).filter(
            str.strip
        ),
        min_size=1,
        max_size=3,
    ),
)
def test_an_entry_that_is_written_is_read_back(recipes: set[str], description: list[str]) -> None:
    """Whatever the text is; and it can be appended."""
    text = entry_text(recipes, OF_ACME, description, "https://example.org/pull/9").encode()
    (entry,) = appended(FIRST, FIRST + b"\n" + text, "c")
    assert entry.config_keys == tuple(sorted(recipes))
    assert entry.description == tuple(description)
    kinds = {scenario(OF_ACME[name]) for name in recipes}
    assert entry.scenario_type == (tuple(kinds) if len(kinds) == 1 else ())


def test_the_real_one() -> None:
    """InferenceX's own file is read whole, and an entry can be appended to it."""
    if not REAL.is_file():
        pytest.skip(f"{REAL.name} of the reference data isn't here")
    data = REAL.read_bytes()
    entries = read_changelog(data, REAL.name)
    assert len(entries) > 500
    assert sum(entry.append_only for entry in entries) > 0
    more = data + b"\n" + entry_text(["m1-x10-run"], OF_ACME, ["one more"]).encode()
    (new,) = appended(data, more, REAL.name)
    assert new.pr_link.endswith("/pull/XXX")
