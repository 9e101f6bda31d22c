"""What only the forge knows of a change: a file of facts, read strictly."""

from __future__ import annotations

import pytest

from infxreg.review.facts import (
    NOTHING,
    Curve,
    Facts,
    FactsError,
    ForgeRun,
    Reuse,
    SignOff,
    UpstreamRecipe,
    read_facts,
)
from infxreg.values import FrozenMap

FULL = """
{
  "head": "a1", "commits": ["a0", "a1"],
  "signoff": {"author": "mei", "codeowner": false, "head": "a0", "missing": ["Evals"], "url": "u"},
  "runs": [
    {"id": "7", "shows": "accuracy", "commit": "a1", "conclusion": "success", "image": "i:1",
     "metrics": {"gsm8k": 0.97}, "thresholds": {"gsm8k": 0.95}, "url": "u"}
  ],
  "reuse": {"run": "6", "by": "mei", "authorized": true, "url": "u"}, "reused": true,
  "recipes": [{"url": "u", "merged": true, "recipes": ["r"]}],
  "curves": [{"name": "c", "measured": 8, "frontier": 6, "url": "u"}],
  "patches": ["fix.patch"]
}
"""


def test_everything() -> None:
    """Each fact as its own kind."""
    assert read_facts(FULL, "f") == Facts(
        head="a1",
        commits=("a0", "a1"),
        signoff=SignOff(author="mei", codeowner=False, head="a0", missing=("Evals",), url="u"),
        runs=(
            ForgeRun(
                id="7",
                shows="accuracy",
                commit="a1",
                conclusion="success",
                image="i:1",
                metrics=FrozenMap({"gsm8k": 0.97}),
                thresholds=FrozenMap({"gsm8k": 0.95}),
                url="u",
            ),
        ),
        reuse=Reuse(run="6", by="mei", authorized=True, url="u"),
        reused=True,
        recipes=(UpstreamRecipe(url="u", merged=True, recipes=("r",)),),
        curves=(Curve(name="c", measured=8, frontier=6, url="u"),),
        patches=("fix.patch",),
    )


def test_what_isn_t_there_isn_t_known() -> None:
    """An empty list is an answer; a missing one is none."""
    assert read_facts("{}", "f") == NOTHING
    assert NOTHING.runs is None
    assert read_facts('{"runs": [], "patches": []}', "f") == Facts(runs=(), patches=())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON: "),
        ("[" * 100_000, "not JSON: "),
        ("[]", "the file: "),
        ('{"heads": "a"}', "heads: unknown key: did you mean 'head'?"),
        ('{"runs": [{"id": 7}]}', "runs[0].id: "),
        ('{"runs": [{"id": "7"}]}', "runs[0].shows: "),
        ('{"signoff": {"author": "a", "codeowner": "yes"}}', "signoff.codeowner: "),
        ('{"reused": 1}', "reused: "),
    ],
)
def test_a_fault_is_named(text: str, words: str) -> None:
    with pytest.raises(FactsError) as caught:
        read_facts(text, "facts.json")
    assert str(caught.value).startswith("facts.json can't be used as --facts:\n  ")
    assert any(problem.startswith(words) for problem in caught.value.problems), caught.value


def test_all_faults_at_once() -> None:
    """Whoever writes the file mends it once."""
    with pytest.raises(FactsError) as caught:
        read_facts('{"head": 1, "commits": [2], "curve": [], "recipes": [{"merged": 1}]}', "f")
    assert len(caught.value.problems) >= 5
