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


RUN = '"id": "7", "shows": "accuracy", "commit": "a1", "conclusion": "success"'


@pytest.mark.parametrize(
    ("name", "empty"),
    [("metrics", FrozenMap()), ("thresholds", FrozenMap()), ("image", None), ("url", None)],
)
def test_what_a_run_leaves_out(name: str, empty: object) -> None:
    (run,) = read_facts(f'{{"runs": [{{{RUN}}}]}}', "f").runs or ()
    assert getattr(run, name) == empty


def test_null_is_not_known_either() -> None:
    """As if the key weren't there."""
    assert read_facts('{"head": null, "signoff": null, "runs": null}', "f") == NOTHING


def test_an_integer_is_a_number() -> None:
    """Whoever counts needn't write 1.0."""
    (run,) = read_facts(f'{{"runs": [{{{RUN}, "metrics": {{"n": 1}}}}]}}', "f").runs or ()
    assert run.metrics == {"n": 1.0}


def problems(text: str) -> tuple[str, ...]:
    with pytest.raises(FactsError) as caught:
        read_facts(text, "f")
    assert caught.value.where == "f"
    return caught.value.problems


KNOWN = "commits, curves, head, patches, recipes, reuse, reused, runs, signoff"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not JSON: Expecting value: line 1 column 1 (char 0)"),
        (
            "{",
            "not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        ),
        (
            '{"head": a}',
            "not JSON: Expecting value: line 1 column 10 (char 9)",
        ),
        ("[]", "the file: a table is needed, not list"),
        ("null", "the file: a table is needed, not NoneType"),
        ('{"heads": "a"}', "heads: unknown key: did you mean 'head'?"),
        ('{"zzz": 1}', f"zzz: unknown key: known are {KNOWN}"),
        ('{"head": 1}', "head: text is needed, not int"),
        ('{"head": "\\ud800"}', "head: text needs to be Unicode, and this holds bytes that aren't"),
        ('{"commits": null}', "commits: a list is needed, not NoneType"),
        ('{"commits": "a1"}', "commits: a list is needed, not str"),
        ('{"signoff": "mei"}', "signoff: a table is needed, not str"),
        ('{"signoff": {}}', "signoff.author: the key 'author' is missing"),
        (
            '{"signoff": {"author": "a", "codeowner": "yes"}}',
            "signoff.codeowner: true or false is needed, not str",
        ),
        (
            '{"signoff": {"author": "a", "missing": ["Evals", 2]}}',
            "signoff.missing[1]: text is needed, not int",
        ),
        ('{"reused": 1}', "reused: true or false is needed, not int"),
        ('{"runs": {}}', "runs: a list is needed, not dict"),
        ('{"runs": [7]}', "runs[0]: a table is needed, not int"),
        (
            f'{{"runs": [{{{RUN.replace("accuracy", "speed")}}}]}}',
            "runs[0].shows: 'speed' isn't one of 'performance', 'accuracy'",
        ),
        (
            f'{{"runs": [{{{RUN}, "metric": {{}}}}]}}',
            "runs[0].metric: unknown key: did you mean 'metrics'?",
        ),
        (f'{{"runs": [{{{RUN}, "metrics": []}}]}}', "runs[0].metrics: a table is needed, not list"),
        (
            f'{{"runs": [{{{RUN}, "metrics": {{"x": "1"}}}}]}}',
            "runs[0].metrics: a number is needed, not str",
        ),
        (
            f'{{"runs": [{{{RUN}, "thresholds": {{"x": NaN}}}}]}}',
            "runs[0].thresholds: nan is no number that can be compared",
        ),
        (
            '{"curves": [{"name": "c", "measured": 1.5, "frontier": 1}]}',
            "curves[0].measured: an integer is needed, not float",
        ),
        (
            '{"curves": [{"name": "c", "measured": 1, "frontier": 9223372036854775808}]}',
            "curves[0].frontier: an integer needs to fit 64 bits",
        ),
        ('{"recipes": [{"url": "u"}]}', "recipes[0].merged: the key 'merged' is missing"),
        ('{"patches": [null]}', "patches[0]: text is needed, not NoneType"),
        ('{"head": "a", "head": "b"}', "the key 'head' stands twice"),
        ('{"runs": [{"id": "1", "id": "2"}]}', "the key 'id' stands twice"),
    ],
)
def test_a_fault_is_named(text: str, problem: str) -> None:
    """By its place in the file, and what is known or needed instead."""
    assert problems(text) == (problem,)


def test_nested_too_deep() -> None:
    (problem,) = problems("[" * 100_000)
    assert problem.startswith("not JSON: maximum recursion depth exceeded")


def test_all_faults_at_once() -> None:
    """Whoever writes the file mends it once."""
    text = """{
        "head": 1, "commits": [2], "curve": [],
        "runs": [{"id": 7}, {"shows": 1, "id": "8", "commit": "c", "conclusion": "success"}],
        "recipes": [{"merged": 1, "link": "u"}]
    }"""
    found = problems(text)
    assert set(found) == {
        "head: text is needed, not int",
        "commits[0]: text is needed, not int",
        "curve: unknown key: did you mean 'curves'?",
        "runs[0].id: text is needed, not int",
        "runs[0].shows: the key 'shows' is missing",
        "runs[0].commit: the key 'commit' is missing",
        "runs[0].conclusion: the key 'conclusion' is missing",
        "runs[1].shows: 1 isn't one of 'performance', 'accuracy'",
        "recipes[0].merged: true or false is needed, not int",
        "recipes[0].url: the key 'url' is missing",
        "recipes[0].link: unknown key: known are merged, recipes, url",
    }
    assert len(found) == 11


def test_all_keys_that_stand_twice() -> None:
    assert problems('{"b": 1, "a": 1, "b": 2, "a": 2, "b": 3}') == (
        "the key 'a' stands twice",
        "the key 'b' stands twice",
    )


def test_what_the_error_says() -> None:
    """The file, what it was to be, and a line a fault."""
    assert str(FactsError("x.json", ("a", "b"))) == "x.json can't be used as --facts:\n  a\n  b"
