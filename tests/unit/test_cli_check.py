"""``infxreg check``: the audit of a registry, grouped; and the progress bar."""

from __future__ import annotations

import io
import json

import pytest
from click.testing import CliRunner, Result

from infxreg import Registry
from infxreg.audit import Audit, Finding
from infxreg.cli import text
from infxreg.cli.app import app
from infxreg.cli.check import fold
from infxreg.cli.state import State
from support.builders import acme, rule, where

CONFLICT = (
    rule("one", {"args.x": 1}, where(sku="x10")),
    rule("two", {"args.x": 2}, where(model="m1")),
)


def run(*args: str, registry: Registry | None = None, verbose: bool = False) -> Result:
    state = State(verbose=verbose, registry=registry or acme())
    return CliRunner().invoke(app, ["check", *args], obj=state)


def with_findings(monkeypatch: pytest.MonkeyPatch, *findings: Finding) -> None:
    found = Audit(2, 6, findings)
    monkeypatch.setattr("infxreg.audit.audit", lambda registry, progress, day: found)


def test_a_conflict_fails() -> None:
    """Exit code 1, the verdict first, then the finding with both sides."""
    result = run(registry=acme(*CONFLICT))
    assert result.exit_code == 1
    first, second, _, finding, *_ = result.stdout.splitlines()
    points = len(list(acme().points()))
    assert first == f"{points} points, {3 * points} specs with every purpose: failed"
    assert second.startswith("found: ")
    assert "refuted error" in second
    assert finding.startswith("refuted error ")
    assert "extra:one" in result.stdout
    assert "extra:two" in result.stdout


def test_the_shipped_catalogue_passes() -> None:
    """The registry that ships has nothing refuted at error level."""
    result = CliRunner().invoke(app, ["--site", "/dev/null", "check"])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("233 points, 699 specs with every purpose: nothing is refuted")


def test_faults_come_first() -> None:
    """A registry with faults isn't audited."""
    result = run(registry=acme(rule("bad", {"nobody.knows": 1})))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: 1 fault in the registry:\n")


def test_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Message, place and folded points; more lines of a message are indented."""
    labels = tuple(f"r1 tp{tp}_c1 {purpose}" for tp in range(6) for purpose in ("eval", "serve"))
    with_findings(
        monkeypatch,
        Finding("a", "refuted", "error", "first\nsecond", "t.toml", (*labels, "r2 c1 serve")),
        Finding("b", "unknown", "note", "third", "", ("r2 c1 serve",)),
        Finding("b", "unknown", "note", "", "", ("whole",)),
    )
    result = run()
    assert result.exit_code == 1
    assert result.stdout == (
        "2 points, 6 specs with every purpose: failed\n"
        "found: 1 refuted error, 2 unknown notes\n"
        "\n"
        "refuted error a: first\n"
        "    second\n"
        "  in t.toml\n"
        "  13 specs:\n"
        "    r1: tp0_c1 tp1_c1 tp2_c1 tp3_c1 and 2 more (eval, serve)\n"
        "    r2: c1 (serve)\n"
        "\n"
        "unknown note b: third\n"
        "  1 spec:\n"
        "    r2: c1 (serve)\n"
        "\n"
        "unknown note b: \n"
        "  1 spec:\n"
        "    whole\n"
    )
    assert "tp4_c1 tp5_c1 (eval, serve)" in run(verbose=True).stdout


def test_labels_with_more_words_fold_too() -> None:
    """The last two words are point and purpose, whatever stands before."""
    assert list(fold(["b200 m vllm agentic c1 serve", "b200 m vllm agentic c2 serve"], 4)) == [
        "b200 m vllm agentic: c1 c2 (serve)"
    ]


def test_nothing_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is said, too."""
    with_findings(monkeypatch)
    result = run()
    assert result.exit_code == 0
    assert result.stdout == (
        "2 points, 6 specs with every purpose: nothing is refuted at error level\nfound: nothing\n"
    )


def test_json(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole audit, with every point."""
    finding = Finding("a", "refuted", "error", "m", "w", ("r c1 serve",))
    with_findings(monkeypatch, finding)
    result = run("--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == {
        "points": 2,
        "specs": 6,
        "failed": True,
        "findings": [
            {
                "id": "a",
                "answer": "refuted",
                "severity": "error",
                "message": "m",
                "where": "w",
                "points": ["r c1 serve"],
            }
        ],
    }


class Terminal(io.StringIO):
    """Standard error as a terminal."""

    def isatty(self) -> bool:
        return True


class TestProgress:
    """A bar for what takes longer than a second, on a terminal."""

    def test_on_a_terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """It appears once the time is up, and counts."""
        terminal = Terminal()
        monkeypatch.setattr("sys.stderr", terminal)
        monkeypatch.setattr(text, "_PATIENCE_S", 0.0)
        with text.progress("checking") as report:
            for done in (1, 2, 3):
                report(done, 3)
        assert "checking" in terminal.getvalue()
        assert "100%" in terminal.getvalue()

    def test_not_before_a_second(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """What is quick shows nothing."""
        terminal = Terminal()
        monkeypatch.setattr("sys.stderr", terminal)
        with text.progress("checking") as report:
            report(1, 1)
        assert terminal.getvalue() == ""

    def test_not_into_a_file(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A log gets no bar."""
        plain = io.StringIO()
        monkeypatch.setattr("sys.stderr", plain)
        monkeypatch.setattr(text, "_PATIENCE_S", 0.0)
        with text.progress("checking") as report:
            report(1, 1)
        assert plain.getvalue() == ""
