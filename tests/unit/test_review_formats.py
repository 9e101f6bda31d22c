"""A review in every format: its shape, and text that would break it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from infxreg.review.formats import FORMATS, as_json, counts, github, markdown, sarif
from infxreg.review.impact import compare
from infxreg.review.places import Places
from infxreg.review.snapshot import take
from infxreg.review.verdict import Detail, Review, Row
from infxreg.review.words import words
from support.builders import acme, rule, where

NOWHERE = Places(None, {})
ODD = rule("odd", {"args.odd": 1}, where(sku="x10", model="m1", engine="run", tp=2))
PASSES = Row(id="a", title=words("A", "甲"), verdict="pass", summary=words("fine", "好"))
FAILS = Row(
    id="b",
    title=words("B"),
    verdict="fail",
    summary=words("2 refuted"),
    details=(
        Detail(text="first\n  more of it", at=("sku=x10 (2 points)",), refuted=True),
        Detail(text="second", points=("r/p",), refuted=True),
        Detail(text="only a word"),
    ),
    number=3,
)
UNKNOWN = Row(id="c", title=words("C"), verdict="unknown", summary=words("who knows?"))
NONE = Row(id="d", title=words("D"), verdict="n/a", summary=words("no"))


def review(*rows: Row, changes: tuple[str, ...] = ("2 points change",), **more: Any) -> Review:
    impact = compare(take(acme()), take(acme(ODD)))
    sides = {"base": "main", "head": "HEAD", **more}
    return Review(rows=rows, impact=impact, changes=changes, rules={}, **sides)


def test_counts() -> None:
    """In the order of the verdicts, and none of those that nothing has."""
    assert counts(review(PASSES, FAILS, FAILS, NONE), "en") == "1 pass, 2 fail, 1 n/a"
    assert counts(review(UNKNOWN), "zh") == "1 未知"


class TestMarkdown:
    """A pull-request comment."""

    def test_the_table(self) -> None:
        """The verdict first, a line a row, numbers of the checklist."""
        text = markdown(review(PASSES, FAILS, UNKNOWN, NONE), NOWHERE, ["en"])
        assert text.startswith("## ❌❌❌ **REJECTED** ❌❌❌\n\nmain → HEAD: 1 pass, 1 fail")
        assert "| ✅ | A | pass | fine |\n" in text
        assert "| ❌ | Check 3: B | fail | 2 refuted |\n" in text
        assert "| ❓ | C | unknown | who knows? |\n" in text

    def test_what_fails_is_folded_below(self) -> None:
        """A text of many lines is a block; scopes are a list."""
        text = markdown(review(PASSES, FAILS), NOWHERE, ["en"])
        assert (
            "<summary>❌ Check 3: B</summary>\n"
            "\n"
            "- first\n"
            "\n"
            "  ```\n"
            "    more of it\n"
            "  ```\n"
            "\n"
            "  - sku=x10 (2 points)\n"
            "- second\n"
            "- only a word\n"
        ) in text

    def test_passed(self) -> None:
        assert markdown(review(PASSES), NOWHERE, ["en"]).startswith("## ✅✅✅ **Verdict: PASS**")

    def test_two_languages(self) -> None:
        """One after the other; what isn't translated stays English."""
        text = markdown(review(PASSES, FAILS), NOWHERE, ["en", "zh"])
        english, chinese = text.split("\n---\n")
        assert "| ✅ | A | pass | fine |" in english
        assert "| ✅ | 甲 | 通过 | 好 |" in chinese
        assert "| ❌ | 检查 3: B | 不通过 | 2 refuted |" in chinese

    def test_text_that_would_break_the_table(self) -> None:
        """A bar, markup and a line's end."""
        row = Row(id="x", title=words("a|b"), verdict="pass", summary=words("<b>\nx & y"))
        text = markdown(review(row, base="a|b"), NOWHERE, ["en"])
        assert "| ✅ | a\\|b | pass | &lt;b&gt; x &amp; y |\n" in text

    def test_what_changes(self) -> None:
        """Folded; a fence in it doesn't end it, and a comment's length is limited."""
        few = markdown(review(PASSES, changes=("a ```` b",)), NOWHERE, ["en"])
        assert "\n`````\na ```` b\n`````\n" in few
        many = markdown(review(PASSES, changes=tuple("x" for _ in range(250))), NOWHERE, ["en"])
        assert "\n… and 150 more lines: infxreg impact\n" in many
        same = compare(take(acme()), take(acme()))
        none = Review(base="a", head="b", rows=(PASSES,), impact=same, changes=("no",), rules={})
        assert "What changes" not in markdown(none, NOWHERE, ["en"])


class TestGitHub:
    """Workflow commands: one line each, whatever the text is."""

    def test_what_fails_is_an_error(self) -> None:
        """Each thing that is refuted; what is unknown warns; the verdict at the end."""
        assert github(review(PASSES, FAILS, UNKNOWN, NONE), NOWHERE, ["en"]).splitlines() == [
            "::error title=Check 3%3A B::first%0A  more of it%0Aat sku=x10 (2 points)",
            "::error title=Check 3%3A B::second",
            "::warning title=C::who knows?",
            "::notice title=infxreg review::REJECTED: 1 pass, 1 fail, 1 unknown, 1 n/a",
        ]

    def test_a_row_that_names_nothing(self) -> None:
        """Its summary."""
        row = Row(id="x", title=words("X"), verdict="fail", summary=words("raised"))
        assert github(review(row), NOWHERE, ["en"]).startswith("::error title=X::raised\n")

    def test_escapes(self) -> None:
        """Percent, line ends; and in a title colon and comma."""
        row = Row(id="x", title=words("a: b, c"), verdict="unknown", summary=words("1%\r\n::error"))
        (line, _) = github(review(row), NOWHERE, ["en"]).splitlines()
        assert line == "::warning title=a%3A b%2C c::1%25%0D%0A::error"

    def test_places(self, tmp_path: Path) -> None:
        """The line of the rule that a text names, else the file."""
        (tmp_path / "infxreg.toml").write_text('[[rule]]\n\nid = "ours"\n')
        places = Places(tmp_path, {"site:ours": "infxreg.toml"})
        details = (
            Detail(text="by site:ours", refuted=True),
            Detail(text="whole", where="infxreg.toml", refuted=True),
        )
        row = Row(id="x", title=words("X"), verdict="fail", summary=words("2"), details=details)
        assert github(review(row), places, ["en"]).splitlines()[:2] == [
            "::error file=infxreg.toml,line=3,title=X::by site:ours",
            "::error file=infxreg.toml,line=1,title=X::whole",
        ]


class TestSarif:
    """A log of SARIF 2.1.0."""

    def test_shape(self) -> None:
        """A rule a row; a result for each thing refuted, else one; levels and kinds go together."""
        log = json.loads(sarif(review(PASSES, FAILS, UNKNOWN, NONE), NOWHERE, ["en"]))
        assert log["version"] == "2.1.0"
        (run,) = log["runs"]
        driver = run["tool"]["driver"]
        assert driver["name"] == "infxreg"
        assert [one["id"] for one in driver["rules"]] == ["a", "b", "c", "d"]
        assert [
            (one["ruleId"], one["ruleIndex"], one["level"], one["kind"], one["message"]["text"])
            for one in run["results"]
        ] == [
            ("a", 0, "none", "pass", "fine"),
            ("b", 1, "error", "fail", "first\n  more of it\nat sku=x10 (2 points)"),
            ("b", 1, "error", "fail", "second"),
            ("c", 2, "none", "open", "who knows?"),
            ("d", 3, "none", "notApplicable", "no"),
        ]
        assert all("locations" not in one for one in run["results"])

    def test_places(self, tmp_path: Path) -> None:
        (tmp_path / "infxreg.toml").write_text('[[rule]]\nid = "ours"\n')
        places = Places(tmp_path, {"site:ours": "infxreg.toml"})
        detail = Detail(text="by site:ours", refuted=True)
        row = Row(id="x", title=words("X"), verdict="fail", summary=words("1"), details=(detail,))
        (run,) = json.loads(sarif(review(row), places, ["en"]))["runs"]
        assert run["results"][0]["locations"] == [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "infxreg.toml"},
                    "region": {"startLine": 2},
                }
            }
        ]


def test_json() -> None:
    """Everything, in the languages that were asked for."""
    data = json.loads(as_json(review(PASSES, FAILS), NOWHERE, ["en", "zh"]))
    assert data["failed"] is True
    assert data["counts"] == {"pass": 1, "fail": 1, "unknown": 0, "n/a": 0}
    assert (data["points"], data["changed"]) == (12, {"serve": 2, "throughput": 2})
    first, second = data["rows"]
    assert first["title"] == {"en": "A", "zh": "甲"}
    assert "number" not in first
    assert second["number"] == 3
    assert second["details"][:2] == [
        {"text": "first\n  more of it", "refuted": True, "at": ["sku=x10 (2 points)"]},
        {"text": "second", "refuted": True, "points": ["r/p"]},
    ]


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_ends_in_one_newline(form: str) -> None:
    """As a file does."""
    text = FORMATS[form](review(PASSES, FAILS), NOWHERE, ["en"])
    assert re.search(r"[^\n]\n\Z", text)
