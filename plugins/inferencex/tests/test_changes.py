"""What a change decides: by runs that are recorded, by the forge's facts, or not at all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from attrs import evolve

from infxreg import Registry
from infxreg.plugins import core_contribution
from infxreg.policy import ChangeView, Ruling
from infxreg.records import Evidence, Record
from infxreg.review.assess import assess
from infxreg.review.change import view_of
from infxreg.review.evidence_stamp import stamped
from infxreg.review.facts import (
    NOTHING,
    Curve,
    Facts,
    ForgeRun,
    Reuse,
    SignOff,
    UpstreamRecipe,
)
from infxreg.review.impact import compare
from infxreg.review.snapshot import take
from infxreg_inferencex import changes
from support.builders import from_toml, rule, where

ENGINES = ("vllm", "sglang", "trtllm")
_SKU = """
[[sku]]
id = "{0}"
name = "Acme {0}"
arch = "ax1"
memory_gib = 80
gpus_per_node = 8
cpu_arch = "x86_64"
source = "test"
"""
_ENGINE = """
[[engine]]
id = "{0}"
argv = ["{0}", "{{hub_id}}"]
render = [{{ option = "parallel.tp", flag = "tp" }}]
source = "test"

[[image]]
id = "acme/{0}:1"
engine = "{0}"
source = "seen"

[[rule]]
id = "{0}"
when = {{ engine = "{0}" }}
set.image = "acme/{0}:1"
set."parallel.tp" = {{ derive = "copy", reads = ["tp"] }}
set."resources.gpus" = {{ derive = "copy", reads = ["tp"] }}

[[rule]]
id = "{0}-measured"
when = {{ engine = "{0}", purpose = ["throughput", "eval"] }}
set."env.MEASURED" = "1"
"""
ACME = "\n".join(
    [
        '[[arch]]\nid = "ax1"\nvendor = "acme"\nplatform = "cuda"\nsource = "test"',
        *map(_SKU.format, ("x10", "x20")),
        '[[model]]\nid = "m1"\nhub_id = "acme/m1"\nfamily = "fam"\nsource = "test"',
        *map(_ENGINE.format, ENGINES),
    ]
)
"""Two SKUs, a model, and three engines under the names that the policies know."""


def served(engine: str = "vllm", sku: str = "x10", conc: Iterable[int] = (1, 2, 4, 8, 16)) -> str:
    """A recipe, ``x10-vllm``, with a point ``c1`` for each concurrency."""
    return f"""
[[recipe]]
id = "{sku}-{engine}"
model = "m1"
sku = "{sku}"
engine = "{engine}"
sweep = [{{ id = "c{{conc}}", conc = {list(conc)} }}]
default_point = "c1"
"""


def acme(*more: str | Record) -> Registry:
    """The registry with these recipes and rules."""
    text = "".join(item for item in more if isinstance(item, str))
    made = Registry((core_contribution(), from_toml(ACME + text, "acme", "acme.toml")))
    return made.with_plugin("extra", *(item for item in more if not isinstance(item, str)))


ODD = rule("odd", {"args.odd": 1}, where(engine="vllm"))
"""What most changes here do: every point that vllm serves gets a flag."""


def change(
    old: Registry, new: Registry, facts: Facts = NOTHING, append_only: bool = False
) -> ChangeView:
    """The view of the change from one registry to another."""
    return view_of(compare(take(old), take(new)), assess(new), facts, append_only)


def odd(facts: Facts = NOTHING) -> ChangeView:
    """All five points of ``x10-vllm`` change."""
    return change(acme(served()), acme(served(), ODD), facts)


def run_of(
    registry: Registry, id: str = "sweep", shows: str = "performance", **more: Any
) -> Evidence:
    """A recorded run of everything that vllm serves there: run 71, on commit aaa."""
    purpose = {"performance": "throughput", "accuracy": "eval"}[shows]
    data = {"id": id, "shows": shows, "run": "71", "commit": "aaa", "source": "nightly"}
    if "points" not in more:
        data["scope"] = f"engine=vllm purpose={purpose}"
    return stamped({**data, **more}, "run.json", registry)


def measured(count: int, best: int) -> list[dict[str, Any]]:
    """The first points of ``x10-vllm`` as measured, of which no other beats so many."""
    return [
        {
            "sku": "x10",
            "model": "m1",
            "engine": "vllm",
            "conc": 2**n,
            "purpose": "throughput",
            "throughput": 10 + n if n < best else 1,
            "latency": 1 + n,
        }
        for n in range(count)
    ]


ChangePolicy = Callable[[ChangeView], Iterator[Ruling]]


def told(policy: ChangePolicy, view: ChangeView) -> list[tuple[str, str]]:
    """Answers and reasons of a policy; each is given in Chinese too, with the same names."""
    rulings = list(policy(view))
    for ruling in rulings:
        assert set(ruling.translations) == {"zh"}
        chinese = ruling.translations["zh"]
        assert re.search(r"[\u4e00-\u9fff]", chinese), chinese
        names = re.compile(r"@\w+|https:\S+|\bx\d0-\w+|\b\d{2,}\b")
        assert set(names.findall(chinese)) <= set(names.findall(ruling.reason))
    return [(ruling.answer, ruling.reason) for ruling in rulings]


def answers(policy: ChangePolicy, view: ChangeView) -> list[str]:
    return [answer for answer, _ in told(policy, view)]


class TestCodeowner:
    """Check 0."""

    @pytest.mark.parametrize(
        ("signed", "said"),
        [
            (None, ("unknown", "the forge's facts don't say who signed off")),
            (SignOff(author="mei"), ("unknown", "the forge's facts don't say who signed off")),
            (SignOff(author="mei", codeowner=True), ("ok", "@mei is a code owner")),
            (SignOff(author="mei", codeowner=False), ("refuted", "@mei is no code owner")),
        ],
    )
    def test_who_signed(self, signed: SignOff | None, said: tuple[str, str]) -> None:
        """Whether the signer is an owner has to be said, not only who it is."""
        assert told(changes.codeowner, odd(Facts(signoff=signed))) == [said]


class TestLatestChecklist:
    """Check 5."""

    UNKNOWN = ("unknown", "the forge's facts don't say which items are checked")
    CHECKED = ("ok", "every item of the current checklist is checked")
    STALE = ("refuted", "aaa was assessed, and the head is bbb")

    @pytest.mark.parametrize(
        ("signed", "said"),
        [
            (None, [UNKNOWN]),
            (SignOff(author="mei"), [UNKNOWN]),
            (SignOff(author="mei", missing=()), [CHECKED]),
            (
                SignOff(author="mei", missing=("evals", "waiver")),
                [("refuted", "missing or unchecked: evals; waiver")],
            ),
            (SignOff(author="mei", missing=(), head="bbb"), [CHECKED]),
            (SignOff(author="mei", missing=(), head="aaa"), [CHECKED, STALE]),
            (SignOff(author="mei", head="aaa"), [UNKNOWN, STALE]),
        ],
    )
    def test_items_and_head(self, signed: SignOff | None, said: list[tuple[str, str]]) -> None:
        """What was assessed has to be the head, whether or not the items are known."""
        assert told(changes.latest_checklist, odd(Facts(head="bbb", signoff=signed))) == said

    def test_the_head_isn_t_known(self) -> None:
        signed = SignOff(author="mei", missing=(), head="aaa")
        assert told(changes.latest_checklist, odd(Facts(signoff=signed))) == [self.CHECKED]


def swept(**more: Any) -> ForgeRun:
    data = {"id": "71", "shows": "performance", "commit": "aaa", "conclusion": "success"}
    return ForgeRun(**{**data, **more})


def judged(**more: Any) -> ForgeRun:
    """A run that nothing is wrong with, and of which everything is known."""
    full = {
        "id": "72",
        "shows": "accuracy",
        "image": "acme/vllm:1",
        "metrics": {"exact": 0.9},
        "thresholds": {"exact": 0.8},
    }
    return swept(**{**full, **more})


class TestPassingRuns:
    """Checks 1 and 2."""

    BOTH = ((changes.passing_sweep, swept), (changes.passing_evals, judged))

    def test_nothing_is_known(self) -> None:
        assert told(changes.passing_sweep, odd()) == [
            ("unknown", "the forge's facts don't say of a performance run")
        ]
        assert told(changes.passing_evals, odd()) == [
            ("unknown", "the forge's facts don't say of an accuracy run")
        ]

    @pytest.mark.parametrize(("policy", "run"), BOTH)
    def test_on_a_commit_of_the_change(
        self, policy: ChangePolicy, run: Callable[..., ForgeRun]
    ) -> None:
        """The head, or any other that is in the change now."""
        for facts in (
            Facts(head="aaa", runs=(run(),)),
            Facts(head="ccc", commits=("bbb", "aaa"), runs=(run(),)),
        ):
            assert told(policy, odd(facts)) == [("ok", f"run {run().id} on aaa passed")]

    @pytest.mark.parametrize(("policy", "run"), BOTH)
    def test_on_another_commit(self, policy: ChangePolicy, run: Callable[..., ForgeRun]) -> None:
        """One that was rebased away shows nothing."""
        facts = Facts(head="bbb", commits=("bbb",), runs=(run(),))
        assert told(policy, odd(facts)) == [
            ("refuted", f"no {run().shows} run passed on a commit of this change")
        ]

    @pytest.mark.parametrize(("policy", "run"), BOTH)
    def test_the_commits_aren_t_known(
        self, policy: ChangePolicy, run: Callable[..., ForgeRun]
    ) -> None:
        """Then nobody can say that the run isn't of this change; without a run it is plain."""
        assert told(policy, odd(Facts(runs=(run(),)))) == [
            ("unknown", "the forge's facts don't say which commits are in the change")
        ]
        assert answers(policy, odd(Facts(runs=()))) == ["refuted"]

    def test_of_the_other_kind(self) -> None:
        """A sweep judges nothing, and evals measure nothing."""
        facts = Facts(head="aaa", runs=(judged(),))
        assert answers(changes.passing_sweep, odd(facts)) == ["refuted"]
        facts = Facts(head="aaa", runs=(swept(),))
        assert answers(changes.passing_evals, odd(facts)) == ["refuted"]

    @pytest.mark.parametrize("conclusion", ["failure", "skipped", "cancelled"])
    @pytest.mark.parametrize(("policy", "run"), BOTH)
    def test_ended_otherwise(
        self, policy: ChangePolicy, run: Callable[..., ForgeRun], conclusion: str
    ) -> None:
        """What was skipped ran nothing."""
        facts = Facts(head="aaa", runs=(run(conclusion=conclusion),))
        assert told(policy, odd(facts)) == [("refuted", f"run {run().id}: ended as {conclusion}")]

    @pytest.mark.parametrize(
        ("more", "fault"),
        [
            ({"image": "acme/vllm:2"}, "ran acme/vllm:2, not acme/vllm:1"),
            ({"metrics": {"exact": 0.7}}, "exact is 0.7, below 0.8"),
            ({"metrics": {"exact": float("nan")}}, "exact is nan, below 0.8"),
            ({"metrics": {"other": 1.0}}, "exact is None, below 0.8"),
        ],
    )
    def test_shows_something_else(self, more: dict[str, Any], fault: str) -> None:
        facts = Facts(head="aaa", runs=(judged(**more),))
        assert told(changes.passing_evals, odd(facts)) == [("refuted", f"run 72: {fault}")]

    def test_judged_nothing(self) -> None:
        """Green over an empty set; a sweep needs no metrics."""
        facts = Facts(head="aaa", runs=(judged(metrics={}, thresholds={}),))
        assert told(changes.passing_evals, odd(facts)) == [("refuted", "run 72: has no metrics")]

    @pytest.mark.parametrize(
        ("more", "gap"),
        [
            ({"thresholds": {}}, "says no threshold"),
            ({"image": None}, "doesn't say which image it ran"),
        ],
    )
    def test_half_known(self, more: dict[str, Any], gap: str) -> None:
        """A number that nobody holds to a bar is no pass, nor is one of who knows what image."""
        facts = Facts(head="aaa", runs=(judged(**more),))
        assert told(changes.passing_evals, odd(facts)) == [("unknown", f"run 72 {gap}")]
        surer = Facts(head="aaa", runs=(judged(**more), judged(id="73")))
        assert told(changes.passing_evals, odd(surer)) == [("ok", "run 73 on aaa passed")]
        worse = Facts(head="aaa", runs=(judged(**more), judged(id="73", conclusion="failure")))
        assert answers(changes.passing_evals, odd(worse)) == ["unknown"]

    def test_one_of_several(self) -> None:
        """The good ones count; if there is none, everything that is wrong is told."""
        bad = swept(id="70", conclusion="failure", image="acme/vllm:2")
        facts = Facts(head="aaa", runs=(bad, swept(), swept(id="73", commit="bbb")))
        assert told(changes.passing_sweep, odd(facts)) == [("ok", "run 71 on aaa passed")]
        assert told(changes.passing_sweep, odd(Facts(head="aaa", runs=(bad,)))) == [
            ("refuted", "run 70: ended as failure"),
            ("refuted", "run 70: ran acme/vllm:2, not acme/vllm:1"),
        ]

    def test_any_of_the_images(self) -> None:
        """Where points of several are touched."""
        old = acme(served(), served("sglang"))
        new = acme(served(), served("sglang"), rule("odd", {"args.odd": 1}))
        for image, said in (("acme/sglang:1", "ok"), ("acme/trtllm:1", "refuted")):
            facts = Facts(head="aaa", runs=(swept(image=image),))
            ((answer, reason),) = told(changes.passing_sweep, change(old, new, facts))
            assert answer == said
        assert reason == "run 71: ran acme/trtllm:1, not acme/sglang:1 or acme/vllm:1"

    def test_nothing_is_launched(self) -> None:
        """Where all that changes is gone, any image will do."""
        facts = Facts(head="aaa", runs=(swept(image="acme/vllm:0"),))
        view = change(acme(served(), served("sglang")), acme(served("sglang")), facts)
        assert answers(changes.passing_sweep, view) == ["ok"]

    def test_recorded(self) -> None:
        """A run of just these specs needs no forge."""
        new = acme(served(), ODD)
        evidence = run_of(new), run_of(new, "evals", "accuracy")
        view = change(acme(served()), new.with_plugin("runs", *evidence))
        assert told(changes.passing_sweep, view) == [
            ("ok", "evidence of all 5 points as they are now: sweep")
        ]
        assert told(changes.passing_evals, view) == [
            ("ok", "evidence of all 5 points as they are now: evals")
        ]

    @pytest.mark.parametrize(
        "more",
        [
            {"points": measured(4, 4)},
            {"metrics": {"passed": 4.0}, "thresholds": {"passed": 5.0}},
        ],
    )
    def test_recorded_in_part(self, more: dict[str, Any]) -> None:
        """Of some points, or below its threshold: the forge is asked."""
        new = acme(served(), ODD)
        view = change(acme(served()), new.with_plugin("runs", run_of(new, **more)))
        assert answers(changes.passing_sweep, view) == ["unknown"]

    def test_recorded_before(self) -> None:
        """What the points were is another spec."""
        old = acme(served())
        evidence = run_of(old)
        new = acme(served(), ODD).with_plugin("runs", evidence)
        view = change(old.with_plugin("runs", evidence), new)
        assert answers(changes.passing_sweep, view) == ["unknown"]


class TestUpstreamRecipe:
    """Check 3."""

    ONE, OTHER = "https://example.org/recipes/1", "https://example.org/recipes/2"

    def two(self, *recipes: UpstreamRecipe) -> ChangeView:
        """Recipes of vllm on both SKUs change."""
        old, facts = (served(), served(sku="x20")), Facts(recipes=recipes)
        return change(acme(*old), acme(*old, ODD), facts)

    def test_nothing_is_known(self) -> None:
        assert told(changes.upstream_recipe, odd()) == [
            ("unknown", "the forge's facts don't say where it is documented upstream")
        ]

    def test_no_link(self) -> None:
        assert told(changes.upstream_recipe, self.two()) == [
            ("refuted", "no upstream recipe for x10-vllm, x20-vllm")
        ]

    def test_merged(self) -> None:
        """One for everything, or one for each."""
        link = UpstreamRecipe(url=self.ONE, merged=True)
        assert told(changes.upstream_recipe, self.two(link)) == [
            ("ok", f"merged upstream: {self.ONE}")
        ]
        each = [
            UpstreamRecipe(url=self.ONE, merged=True, recipes=("x10-vllm",)),
            UpstreamRecipe(url=self.OTHER, merged=True, recipes=("x20-vllm",)),
        ]
        assert told(changes.upstream_recipe, self.two(*each)) == [
            ("ok", f"merged upstream: {self.ONE}, {self.OTHER}")
        ]

    def test_not_merged(self) -> None:
        """An open one doesn't count, for all or for one of them."""
        link = UpstreamRecipe(url=self.ONE, merged=False)
        assert told(changes.upstream_recipe, self.two(link)) == [
            ("refuted", f"{self.ONE} isn't merged")
        ]
        each = [
            UpstreamRecipe(url=self.ONE, merged=True, recipes=("x10-vllm",)),
            UpstreamRecipe(url=self.OTHER, merged=False, recipes=("x20-vllm",)),
        ]
        assert told(changes.upstream_recipe, self.two(*each)) == [
            ("refuted", f"{self.OTHER} isn't merged")
        ]

    def test_of_some(self) -> None:
        link = UpstreamRecipe(url=self.ONE, merged=True, recipes=("x10-vllm", "elsewhere"))
        assert told(changes.upstream_recipe, self.two(link)) == [
            ("refuted", "no upstream recipe for x20-vllm")
        ]

    def test_other_engines(self) -> None:
        """Only vllm's and sglang's projects document launches."""
        wide = rule("odd", {"args.odd": 1})
        alone = change(acme(served("trtllm")), acme(served("trtllm"), wide), Facts(recipes=()))
        assert told(changes.upstream_recipe, alone) == []
        old = (served("trtllm"), served("sglang"))
        link = UpstreamRecipe(url=self.ONE, merged=True, recipes=("x10-sglang",))
        view = change(acme(*old), acme(*old, wide), Facts(recipes=(link,)))
        assert answers(changes.upstream_recipe, view) == ["ok"]

    def test_what_is_gone(self) -> None:
        """There is nothing left to document."""
        for facts in (NOTHING, Facts(recipes=())):
            view = change(acme(served(), served("sglang")), acme(served()), facts)
            assert told(changes.upstream_recipe, view) == []


class TestReuse:
    """Check 4."""

    COMMAND = Reuse(run="71", by="mei", authorized=True)

    def asked(self, view: ChangeView, **more: Any) -> ChangeView:
        return evolve(view, facts=Facts(reuse=evolve(self.COMMAND, **more)))

    def recorded(self, *evidence: Evidence) -> ChangeView:
        """The five points change, and a command reuses run 71, which is recorded so."""
        new = acme(served(), ODD).with_plugin("runs", *evidence)
        return self.asked(change(acme(served()), new))

    @pytest.mark.parametrize("reused", [None, True])
    def test_the_command_isn_t_known(self, reused: bool | None) -> None:
        """That a run is reused, and nobody says by whose word, is no pass."""
        assert told(changes.reuse, odd(Facts(reused=reused))) == [
            ("unknown", "the forge's facts don't say whether a run is reused")
        ]

    def test_none_is_reused(self) -> None:
        assert told(changes.reuse, odd(Facts(reused=False))) == []

    def test_by_somebody_else(self) -> None:
        """Whatever the digests say."""
        view = self.asked(self.recorded(run_of(acme(served(), ODD))), authorized=False)
        assert told(changes.reuse, view) == [("refuted", "@mei may not reuse run 71")]

    def test_every_digest_is_the_runs(self) -> None:
        assert told(changes.reuse, self.recorded(run_of(acme(served(), ODD)))) == [
            ("ok", "@mei reuses run 71, and every digest is that of the run")
        ]

    def test_of_which_nothing_is_recorded(self) -> None:
        """A word alone shows nothing; and another run is another run."""
        for evidence in ((), (run_of(acme(served(), ODD), run="70"),)):
            ((answer, reason),) = told(changes.reuse, self.recorded(*evidence))
            assert answer == "unknown"
            assert reason.endswith("but no digests of it are recorded: infxreg evidence add")

    def test_all_moved(self) -> None:
        """The first four are named."""
        assert told(changes.reuse, self.recorded(run_of(acme(served())))) == [
            (
                "refuted",
                "run 71 ran other specs than these are now: x10-vllm/c1, x10-vllm/c16, "
                "x10-vllm/c2, x10-vllm/c4 and 1 more",
            )
        ]

    def test_four_moved(self) -> None:
        """Then there are no more to count."""
        four = served(conc=[1, 2, 4, 8])
        old, new = acme(four), acme(four, ODD)
        view = self.asked(change(old, new.with_plugin("runs", run_of(old))))
        ((_, reason),) = told(changes.reuse, view)
        assert reason.endswith(": x10-vllm/c1, x10-vllm/c2, x10-vllm/c4, x10-vllm/c8")

    def test_one_wasn_t_run(self) -> None:
        """Four of five digests are no reuse, and other runs don't fill the gap."""
        new = acme(served(), ODD)
        part = run_of(new, points=measured(4, 4))
        for evidence in ((part,), (part, run_of(new, "other", run="70"))):
            assert told(changes.reuse, self.recorded(*evidence)) == [
                ("refuted", "run 71 ran other specs than these are now: x10-vllm/c16")
            ]

    def test_its_evals_moved(self) -> None:
        """Evals of some points are enough, but not of what these were before."""
        late = rule("late", {"args.late": 1}, where(engine="vllm", purpose="eval"))
        before, after = acme(served(), ODD), acme(served(), ODD, late)
        sweep = run_of(before)
        one = {"sku": "x10", "model": "m1", "engine": "vllm", "conc": 4, "purpose": "eval"}
        for registry, said in ((before, "refuted"), (after, "ok")):
            evals = run_of(registry, "evals", "accuracy", points=[one])
            new = after.with_plugin("runs", sweep, evals)
            view = self.asked(change(acme(served()), new))
            assert answers(changes.reuse, view) == [said]
            # Of another run it is no matter.
            other = after.with_plugin("runs", sweep, evolve(evals, run="70"))
            assert answers(changes.reuse, self.asked(change(acme(served()), other))) == ["ok"]


class TestEngineFirst:
    """Check 6: which engine serves a model on a SKU first."""

    @pytest.mark.parametrize("engine", ["vllm", "sglang"])
    def test_these_two_may_always(self, engine: str) -> None:
        view = change(acme(served("trtllm")), acme(served("trtllm"), served(engine)))
        assert told(changes.engine_first, view) == []

    @pytest.mark.parametrize(
        ("there", "words"),
        [(("vllm",), "vllm"), (("sglang",), "sglang"), (("vllm", "sglang"), "sglang and vllm")],
    )
    def test_another_may_follow(self, there: tuple[str, ...], words: str) -> None:
        old = [served(engine) for engine in there]
        view = change(acme(*old), acme(*old, served("trtllm")))
        assert told(changes.engine_first, view) == [
            ("ok", f"m1 runs on x10 with {words}, so trtllm may follow")
        ]
        (ruling,) = changes.engine_first(view)
        chinese = words.replace(" and ", "、")
        assert ruling.translations["zh"] == f"m1 在 x10 上已由 {chinese} 支持,可以加入 trtllm"

    def test_together(self) -> None:
        """In one change, either order is the same."""
        view = change(acme(served(sku="x20")), acme(served(sku="x20"), served(), served("trtllm")))
        assert answers(changes.engine_first, view) == ["ok"]

    def test_another_before(self) -> None:
        """What runs on another SKU doesn't count."""
        old = served(sku="x20")
        assert told(changes.engine_first, change(acme(old), acme(old, served("trtllm")))) == [
            ("refuted", "trtllm serves m1 on x10 before vllm or sglang does")
        ]

    def test_what_takes_its_place(self) -> None:
        """vllm's going with the same change doesn't make it the first."""
        view = change(acme(served()), acme(served("trtllm")))
        assert answers(changes.engine_first, view) == ["refuted"]

    def test_what_can_t_be_resolved(self) -> None:
        """A recipe that fails serves nobody."""
        clash = [
            rule("one", {"args.odd": 1}, where(engine="vllm")),
            rule("two", {"args.odd": 2}, where(model="m1")),
        ]
        view = change(acme(served()), acme(served(), served("trtllm"), *clash))
        assert answers(changes.engine_first, view) == ["refuted"]

    def test_what_was_there(self) -> None:
        """It adds nothing to change it, and still less to take it away."""
        wide = rule("odd", {"args.odd": 1})
        old = acme(served("trtllm"), served(sku="x20"))
        for new in (acme(served("trtllm"), served(sku="x20"), wide), acme(served(sku="x20"))):
            assert told(changes.engine_first, change(old, new)) == []


class TestNoPatches:
    """Check 10: the files of the change."""

    @pytest.mark.parametrize(
        ("patches", "said"),
        [
            (
                None,
                [
                    (
                        "unknown",
                        "the forge's facts don't say whether files of the change patch an engine",
                    )
                ],
            ),
            ((), [("ok", "no file of the change patches an engine")]),
            (
                ("fix.sh", "b.patch"),
                [
                    ("refuted", "fix.sh patches the engine"),
                    ("refuted", "b.patch patches the engine"),
                ],
            ),
        ],
    )
    def test_what_was_seen(
        self, patches: tuple[str, ...] | None, said: list[tuple[str, str]]
    ) -> None:
        """An empty list says that somebody looked; none at all, that nobody did."""
        assert told(changes.no_patches, odd(Facts(patches=patches))) == said


class TestAppendOnly:
    """Check 12."""

    def appended(self, old: Registry, new: Registry) -> list[tuple[str, str]]:
        assert told(changes.append_only, change(old, new)) == []  # it doesn't say that it is
        return told(changes.append_only, change(old, new, append_only=True))

    def test_points_of_a_recipe(self) -> None:
        more = acme(served(conc=[1, 2, 4, 8, 16, 32, 64]))
        assert self.appended(acme(served()), more) == [("ok", "2 new points, and no other changes")]

    def test_nothing(self) -> None:
        assert self.appended(acme(served()), acme(served())) == []

    @pytest.mark.parametrize("more", [[1, 2, 4, 8, 16], [1, 2, 4, 8, 16, 32]])
    def test_points_change(self, more: list[int]) -> None:
        """Beside those that are new, or without any."""
        some = rule("odd", {"args.odd": 1}, where(engine="vllm", conc=[1, 4]))
        assert self.appended(acme(served()), acme(served(conc=more), some)) == [
            ("refuted", "2 existing points changed: conc=1|4")
        ]

    def test_in_several_scopes(self) -> None:
        """All of them are named, up to four."""
        one, other = where(sku="x10", conc=1), where(sku="x20", conc=2)
        old = (served(), served(sku="x20"))
        some = rule("odd", {"args.odd": 1}, one, other)
        assert self.appended(acme(*old), acme(*old, some)) == [
            ("refuted", "2 existing points changed: sku=x10 conc=1 and sku=x20 conc=2")
        ]

    def test_a_point_goes(self) -> None:
        assert self.appended(acme(served()), acme(served(conc=[1, 2, 4, 8, 32]))) == [
            ("refuted", "1 existing point gone: conc=16")
        ]

    def test_a_point_fails(self) -> None:
        """And one that failed and does no more isn't as it was either."""
        clash = [
            rule("one", {"args.odd": 1}, where(engine="vllm", conc=1)),
            rule("two", {"args.odd": 2}, where(model="m1", conc=1)),
        ]
        good, bad = acme(served()), acme(served(), *clash)
        assert self.appended(good, bad) == [
            ("refuted", "1 existing point no longer resolved: conc=1")
        ]
        assert self.appended(bad, good) == [("refuted", "1 existing point resolved again: conc=1")]

    def test_a_recipe(self) -> None:
        """Its points are on no curve that is there."""
        more = acme(served(conc=[1, 2, 4, 8, 16, 32]), served(sku="x20"))
        assert self.appended(acme(served()), more) == [
            ("refuted", "new recipes, not points of one: x20-vllm")
        ]


class TestParetoCoverage:
    """Check 14: fewer than five points are for a maintainer to judge, never refuted."""

    UNKNOWN = (
        "unknown",
        "nobody says how many points of x10-vllm are on the frontier: needs a maintainer",
    )

    def curves(self, *frontiers: int) -> ChangeView:
        return odd(
            Facts(curves=tuple(Curve(name="tp1", measured=9, frontier=n) for n in frontiers))
        )

    @pytest.mark.parametrize("frontier", range(12))
    def test_by_the_forge(self, frontier: int) -> None:
        words = f"tp1: 9 measurements, {frontier} on the frontier"
        few = ("unknown", f"{words}, fewer than 5: needs a maintainer")
        assert told(changes.pareto_coverage, self.curves(frontier)) == [
            few if frontier < 5 else ("ok", words)
        ]

    def test_each_of_several(self) -> None:
        assert answers(changes.pareto_coverage, self.curves(7, 3)) == ["ok", "unknown"]

    def test_nothing_is_known(self) -> None:
        assert told(changes.pareto_coverage, odd()) == [self.UNKNOWN]

    def test_none_is_affected(self) -> None:
        """If somebody says so."""
        assert told(changes.pareto_coverage, odd(Facts(curves=()))) == []

    def test_nothing_is_measured(self) -> None:
        """What changes only for other purposes, or goes: nobody says that no curve is touched."""
        late = rule("late", {"args.late": 1}, where(engine="vllm", purpose="serve"))
        view = change(acme(served()), acme(served(), late))
        assert told(changes.pareto_coverage, view) == [
            ("unknown", "nobody says how many points are on the frontier: needs a maintainer")
        ]

    @pytest.mark.parametrize(("best", "said"), [(5, "ok"), (4, "unknown"), (1, "unknown")])
    def test_by_a_recorded_run(self, best: int, said: str) -> None:
        new = acme(served(), ODD)
        run = run_of(new, points=measured(5, best))
        assert len(run.frontier) == best
        view = change(acme(served()), new.with_plugin("runs", run))
        ((answer, reason),) = told(changes.pareto_coverage, view)
        assert answer == said
        assert reason.startswith(f"run 71: 5 measurements, {best} on the frontier")

    def test_of_what_the_points_were(self) -> None:
        """A stale run tells nothing of this curve."""
        old = acme(served())
        run = run_of(old, points=measured(5, 5))
        view = change(old, acme(served(), ODD).with_plugin("runs", run))
        assert told(changes.pareto_coverage, view) == [self.UNKNOWN]

    def test_without_measurements(self) -> None:
        """That the points ran says nothing of the frontier."""
        new = acme(served(), ODD)
        view = change(acme(served()), new.with_plugin("runs", run_of(new)))
        assert told(changes.pareto_coverage, view) == [self.UNKNOWN]

    def test_of_one_curve_of_two(self) -> None:
        """A good curve doesn't stand for one that nobody measured."""
        old = (served(), served(sku="x20"))
        new = acme(*old, ODD)
        new = new.with_plugin("runs", run_of(new, points=measured(5, 5)))
        assert told(changes.pareto_coverage, change(acme(*old), new)) == [
            (
                "unknown",
                "nobody says how many points of x20-vllm are on the frontier: needs a maintainer",
            ),
            ("ok", "run 71: 5 measurements, 5 on the frontier"),
        ]
