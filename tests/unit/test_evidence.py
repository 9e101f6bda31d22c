"""Evidence: bound to digests, stale when these move, and never a typed word."""

from __future__ import annotations

import functools
import itertools
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from infxreg import Registry, discover
from infxreg.cli.app import app
from infxreg.cli.state import State
from infxreg.records import Evidence, Recipe
from infxreg.review.evidence import Measured, frontier, label
from infxreg.review.evidence_stamp import RunError, stamped, table
from infxreg.review.evidence_status import moved, statuses
from infxreg.review.impact import compare
from infxreg.review.snapshot import take
from support.builders import acme, answer, from_toml, rule, where

RUN: dict[str, Any] = {
    "id": "run-1",
    "shows": "performance",
    "run": "1",
    "commit": "abc",
    "source": "the nightly sweep",
    "scope": "sku=x10 model=m1 engine=run workload=agentic purpose=throughput",
}
RECIPE = "m1-x10-run"


def run(*args: str, registry: Registry | None = None) -> Result:
    state = State(registry=registry or acme())
    return CliRunner().invoke(app, ["evidence", *args], obj=state)


def bound(registry: Registry, **more: Any) -> Registry:
    """The registry with a run of what it is now."""
    evidence = stamped({**RUN, **more}, "run.json", registry)
    return registry.with_plugin("runs", evidence)


def status(registry: Registry, shows: str = "performance") -> tuple[str, str]:
    (found,) = [one for one in statuses(registry, RECIPE) if one.shows == shows]
    return found.status, found.words


@functools.cache
def shipped() -> Registry:
    return discover()


class TestStatus:
    """Follows from digests."""

    def test_verified(self) -> None:
        """What was run, at the purpose at which it was; other kinds and recipes aren't."""
        registry = bound(acme())
        assert status(registry) == ("verified", "6 of 6 verified")
        assert status(registry, "accuracy") == ("unverified", "6 of 6 unverified")
        spec = registry.resolve("tp2_c16", sku="x10", model="m1", purpose="throughput")
        found = answer(spec, "evidence")
        assert (found.answer, found.severity) == ("ok", "note")
        assert found.reason == "verified: this very spec was run: run-1 (performance)"

    def test_stale(self) -> None:
        """Where a value moved; the other points stay verified."""
        registry = bound(acme()).with_records(
            "runs", rule("odd", {"args.odd": 1}, where(sku="x10", model="m1", engine="run", tp=2))
        )
        assert status(registry) == ("stale", "4 of 6 verified, 2 of 6 stale")
        spec = registry.resolve("tp2_c16", sku="x10", model="m1", purpose="throughput")
        found = answer(spec, "evidence")
        assert (found.answer, found.severity) == ("refuted", "warning")
        assert found.reason == "stale: run-1 ran this point with another spec"

    def test_unverified(self) -> None:
        """At another purpose nobody ran it; of a recipe that nobody ran nothing is said."""
        registry = bound(acme())
        found = answer(registry.resolve("tp2_c16", sku="x10", model="m1"), "evidence")
        assert (found.answer, found.severity) == ("unknown", "note")
        other = registry.resolve("tp2", sku="x20", model="m1", engine="run")
        assert not [check for check in other.checks if check.id == "evidence"]

    def test_without_any_evidence(self) -> None:
        """There is no check to make."""
        spec = acme().resolve(sku="x10", model="m1")
        assert not [check for check in spec.checks if check.id == "evidence"]

    def test_a_missed_threshold_shows_nothing(self) -> None:
        """However well the digests match."""
        registry = bound(acme(), metrics={"score": 0.4}, thresholds={"score": 0.5})
        assert status(registry) == ("unverified", "6 of 6 unverified")
        spec = registry.resolve("tp2_c16", sku="x10", model="m1", purpose="throughput")
        assert (
            "missed its threshold: run-1: score is 0.4, below 0.5"
            in answer(spec, "evidence").reason
        )

    def test_a_gate_beside_the_recipe_s(self) -> None:
        """What ran behind it says nothing of the point by itself, not even that it is stale."""
        registry = bound(acme(), gates=["extra"])
        assert status(registry) == ("unverified", "4 of 6 verified, 2 of 6 unverified")
        with_gate = registry.resolve(
            "tp4_c16", sku="x10", model="m1", purpose="throughput", gates=["extra"]
        )
        assert answer(with_gate, "evidence").answer == "ok"
        assert label(with_gate, registry.catalogue) == f"{RECIPE}/tp4_c16@throughput+extra"

    def test_a_point_that_can_t_be_resolved(self) -> None:
        """Isn't verified."""
        clash = rule("clash", {"attention.backend": "FASTER"}, where(sku="x10", model="m1", tp=2))
        assert status(bound(acme()).with_records("runs", clash))[0] != "verified"


class TestReuse:
    """Valid only where all digests match."""

    def test_all_match(self) -> None:
        """Exit code 0."""
        registry = bound(acme())
        assert moved(registry.catalogue.evidence["run-1"], registry) == ()
        result = run("reuse", "run-1", registry=registry)
        assert (result.exit_code, result.stdout) == (
            0,
            "run-1 can be reused: all 6 specs are what was run\n",
        )

    def test_some_moved(self) -> None:
        """Exit code 1, and each that isn't what was run."""
        odd = rule("odd", {"args.odd": 1}, where(sku="x10", tp=2))
        result = run("reuse", "run-1", registry=bound(acme()).with_records("runs", odd))
        assert result.exit_code == 1
        first, *rest = result.stdout.splitlines()
        assert first == "run-1 can't be reused: 2 of 6 specs aren't what was run"
        assert len(rest) == 2
        assert rest[0].startswith(f"  {RECIPE}/tp2_c16@throughput is sha256:")

    def test_points_that_are_swept_no_longer(self) -> None:
        """Said so."""
        evidence = bound(acme()).catalogue.evidence["run-1"]
        gone = evolve(acme().catalogue.recipes[RECIPE], id="renamed")
        registry = Registry(
            tuple(
                c.with_placed(
                    evolve(p, record=gone)
                    if isinstance(p.record, Recipe) and p.record.id == RECIPE
                    else p
                    for p in c.placed
                )
                for c in acme().contributions
            )
        )
        assert moved(evidence, registry)[0] == f"{RECIPE}/ep8_c2@throughput is swept no longer"

    def test_an_unknown_run(self) -> None:
        """A near match."""
        result = run("reuse", "run-2", registry=bound(acme()))
        assert result.exit_code == 2
        assert "did you mean 'run-1'?" in result.stderr


class TestStamping:
    """From a run's file to a table."""

    def test_a_scope(self) -> None:
        """Every swept point in it, with its digest."""
        made = stamped(RUN, "run.json", acme())
        spec = acme().resolve("tp2_c1", sku="x10", model="m1", purpose="throughput")
        assert made.digests[f"{RECIPE}/tp2_c1@throughput"] == spec.digest
        assert len(made.digests) == 6

    def test_points_with_measurements(self) -> None:
        """The frontier of them; the labels are those of the points."""
        base = {"sku": "x10", "model": "m1", "engine": "run", "purpose": "throughput", "tp": 2}
        points = [
            {**base, "conc": 1, "throughput": 10, "latency": 1.5},
            {**base, "conc": 16, "throughput": 8.0, "latency": 2},
        ]
        data = {**{k: v for k, v in RUN.items() if k != "scope"}, "points": points}
        made = stamped(data, "run.json", acme())
        assert made.frontier == (f"{RECIPE}/tp2_c1@throughput",)
        assert list(made.digests) == [f"{RECIPE}/tp2_c16@throughput", f"{RECIPE}/tp2_c1@throughput"]

    def test_it_comes_back_from_its_table(self) -> None:
        """The same record."""
        import tomli_w

        made = stamped({**RUN, "metrics": {"score": 0.5}}, "run.json", acme())
        contribution = from_toml(tomli_w.dumps(table(made)), "runs")
        assert contribution.faults == ()
        assert [placed.record for placed in contribution.placed] == [made]

    @pytest.mark.parametrize(
        ("change", "problem"),
        [
            ({"id": None}, "'id' is missing"),
            ({"shows": "speed"}, "'speed' is neither of performance and accuracy @ shows"),
            ({"spcope": "x"}, "unknown key 'spcope'"),
            ({"scope": "sku"}, "'sku' is no constraint"),
            ({"scope": "skuu=x10"}, "there is no axis 'skuu' @ scope"),
            ({"scope": "sku=x99"}, "it has no points, and its scope holds no swept one"),
            ({"scope": None}, "it has no points"),
            ({"metrics": {"a": "b"}}, "a number is needed @ metrics.a"),
            ({"points": [{}]}, "a point is a table of axes @ points[0]"),
            ({"points": [{"sku": "x1", "model": "m1"}]}, "unknown sku 'x1'"),
            ({"points": [{"sku": "x10", "model": "m1", "throughput": 1}]}, "stand together"),
            (
                {"points": [{"sku": "x10", "model": "m1", "throughput": True, "latency": 1}]},
                "throughput and latency are numbers",
            ),
            ({"points": [{"sku": "x10", "model": "m1", "tp": 3}]}, "is no swept point"),
            ({"image": "acme/run:v9.9.9"}, "and the run had acme/run:v9.9.9"),
            ({"gates": ["fst"]}, "unknown gate 'fst'"),
            (
                {"gates": ["extra"], "scope": "sku=x20 model=m1 engine=run"},
                "gate extra can be opened at none of the points @ gates",
            ),
        ],
    )
    def test_runs_that_can_t_be_bound(self, change: dict[str, Any], problem: str) -> None:
        """Everything that is wrong, with its place."""
        data = {key: value for key, value in {**RUN, **change}.items() if value is not None}
        with pytest.raises(RunError) as error:
            stamped(data, "run.json", acme())
        assert problem in str(error.value)
        assert str(error.value).startswith("run.json can't be bound to points:\n")

    def test_a_run_that_is_there(self) -> None:
        """It isn't added twice."""
        with pytest.raises(RunError, match="evidence 'run-1' is registered already"):
            stamped(RUN, "run.json", bound(acme()))


class TestCommands:
    """``infxreg evidence``."""

    def test_add_prints_or_adds_to_a_table(self, tmp_path: Path) -> None:
        """What was in the table stays."""
        path, out = tmp_path / "run.json", tmp_path / "evidence.toml"
        path.write_text(json.dumps(RUN))
        printed = run("add", str(path))
        assert printed.exit_code == 0
        assert run("add", str(path), "-o", str(out)).exit_code == 0
        assert out.read_text() == printed.stdout
        path.write_text(json.dumps({**RUN, "id": "run-2"}))
        assert run("add", str(path), "-o", str(out)).exit_code == 0
        assert [one["id"] for one in tomllib.loads(out.read_text())["evidence"]] == [
            "run-1",
            "run-2",
        ]

    @pytest.mark.parametrize("text", ["", "{", "[]", "null", '"x"'])
    def test_add_of_no_run(self, tmp_path: Path, text: str) -> None:
        """Exit code 2, and the table is as it was."""
        path, out = tmp_path / "run.json", tmp_path / "evidence.toml"
        path.write_text(text)
        out.write_text("# mine\n")
        result = run("add", str(path), "-o", str(out))
        assert (result.exit_code, result.stdout, out.read_text()) == (2, "", "# mine\n")
        assert str(path) in result.stderr

    def test_status(self) -> None:
        """A line for each recipe and kind; JSON with every point."""
        registry = bound(acme())
        result = run("status", RECIPE, registry=registry)
        lines = [line.split() for line in result.stdout.splitlines()]
        assert lines[1:] == [
            [RECIPE, "accuracy", "unverified", "6", "of", "6", "unverified"],
            [RECIPE, "performance", "verified", "6", "of", "6", "verified"],
        ]
        data = json.loads(run("status", "--json", registry=registry).stdout)
        assert {one["recipe"] for one in data} == set(registry.catalogue.recipes)
        (mine,) = [o for o in data if o["recipe"] == RECIPE and o["shows"] == "performance"]
        assert mine["points"]["tp2_c1"] == "verified"
        unknown = run("status", "m1-x10-rum", registry=registry)
        assert unknown.exit_code == 2
        assert "did you mean 'm1-x10-run'?" in unknown.stderr

    def test_impact_tells_what_goes_stale(self) -> None:
        """The points whose very spec was run."""
        registry = bound(acme())
        odd = rule("odd", {"args.odd": 1}, where(sku="x10", tp=2))
        changed = registry.with_records("runs", odd)
        book = registry.catalogue.evidence_book
        impact = compare(take(registry), take(changed), book.by_digest)
        assert {run: len(found) for run, found in impact.stale.items()} == {"run-1": 2}
        assert [str(r.scope) for r in impact.cover(impact.stale["run-1"])] == [
            "sku=x10 engine=run tp=2"
        ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("digests = {}", "it is bound to nothing"),
        ('digests = { "a/b@c" = "x" }', "'x' is no digest"),
        (f'digests = {{ "a" = "sha256:{"0a" * 32}" }}', "a point is written recipe/point@purpose"),
        (f'date = "May"\ndigests = {{ "a/b@c" = "sha256:{"0a" * 32}" }}', "'May' is no day"),
        (
            f'thresholds = {{ x = 1 }}\ndigests = {{ "a/b@c" = "sha256:{"0a" * 32}" }}',
            "the run has no such metric",
        ),
        (f'gates = ["g"]\ndigests = {{ "a/b@c" = "sha256:{"0a" * 32}" }}', "unknown gate 'g'"),
        (
            f'frontier = ["d/e@f"]\ndigests = {{ "a/b@c" = "sha256:{"0a" * 32}" }}',
            "is none of the points that were run",
        ),
    ],
)
def test_evidence_that_can_t_be(text: str, fault: str) -> None:
    """Faults of the table."""
    head = '[[evidence]]\nid = "e"\nshows = "accuracy"\nrun = "1"\ncommit = "c"\nsource = "s"\n'
    assert fault in str(acme(from_toml(head + text)).faults)


MEASURED = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=12).map(
    lambda pairs: [Measured(f"p{n}", float(a), float(b)) for n, (a, b) in enumerate(pairs)]
)


@given(MEASURED)
def test_the_frontier_is_what_no_point_beats(points: list[Measured]) -> None:
    """Held against the definition, pair by pair."""

    def beats(a: Measured, b: Measured) -> bool:
        return (
            a.throughput >= b.throughput
            and a.latency <= b.latency
            and (a.throughput, a.latency) != (b.throughput, b.latency)
        )

    best = {b.name for b in points if not any(beats(a, b) for a in points)}
    assert set(frontier(points)) == best
    latencies = {point.name: point.latency for point in points}
    ordered = [latencies[name] for name in frontier(points)]
    assert all(a <= b for a, b in itertools.pairwise(ordered))


# The seed


def test_the_seed_s_run_is_bound_to_what_was_swept() -> None:
    """FlashInfer at TP4: so the 8 described TP4 points are unverified, and so is their GSM8K."""
    recipe = "dsv41flash-fp4-b200-vllm-agentic"
    found = {one.shows: one for one in statuses(shipped(), recipe)}
    swept = {name for name, s in found["performance"].points.items() if s.status == "verified"}
    assert swept == {f"tp2_c{2**n}" for n in range(8)}
    assert found["performance"].words == "8 of 16 verified, 8 of 16 unverified"
    assert found["accuracy"].words == "16 of 16 unverified"
    records: dict[str, Evidence] = dict(shipped().catalogue.evidence)
    accuracy = records["run-35902738208-accuracy"]
    assert accuracy.metrics["gsm8k_strict"] == 0.9780136467
    assert accuracy.missed == ()
    assert all(one.run == "35902738208" for one in records.values())
    at = {"sku": "b200", "model": "dsv41flash", "gates": ["dsv41-blackwell-attention-as-swept"]}
    for point, purpose in (("tp4_c16", "throughput"), ("tp4_c128", "eval")):
        assert answer(shipped().resolve(point, purpose=purpose, **at), "evidence").answer == "ok"


def test_evidence_of_b200_says_nothing_of_gb200() -> None:
    """Though both launch alike where nothing is gated: digests know the SKU."""
    book = shipped().catalogue.evidence_book
    for sku in ("gb200", "b300", "h200"):
        for purpose in ("serve", "throughput", "eval"):
            spec = shipped().resolve(sku=sku, model="dsv41flash", engine="vllm", purpose=purpose)
            assert book.of(spec).status == "unverified"
            assert not [check for check in spec.checks if check.id == "evidence"]
