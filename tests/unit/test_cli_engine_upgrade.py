"""``infxreg engine upgrade``: what another version of an engine does to our specs."""

from __future__ import annotations

import json

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result

from infxreg import Registry, discover
from infxreg.cli.app import app
from infxreg.cli.state import State
from infxreg.surface.findings import Finding
from infxreg.upgrade import Change, Upgrade
from support.engines import engines

B200_NIGHTLY = "vllm/vllm-openai:nightly-0961bbae2894d574be790d219651824eb199318e"
H200 = "dsv41flash-fp4-h200-sglang-agentic"


@pytest.fixture(scope="module")
def made() -> Registry:
    return engines()


@pytest.fixture(scope="module")
def shipped() -> Registry:
    return discover("/dev/null")


def run(registry: Registry, *args: str, verbose: bool = False) -> Result:
    state = State(verbose=verbose, registry=registry)
    return CliRunner().invoke(app, ["engine", "upgrade", *args], obj=state)


def test_by_recipe(made: Registry) -> None:
    """Counts, then what changes, the worst first, with who sets it and at which points."""
    result = run(made, "m1-x10", "--to", "sglang@2.0.0")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout == (
        "4 specs, with every purpose, on sglang 2.0.0: 1 stops working, 1 deprecated, 1 as before, "
        "1 mended\n"
        "\n"
        "stops working: sglang 2.0.0 doesn't read SGLANG_READY_S: it has no effect; removed after "
        "1.1.0\n"
        "  timeout.engine_ready_s is set by acme:base\n"
        "  4 specs:\n"
        "    m1-x10: tp2 tp4 (eval, serve)\n"
        "\n"
        "deprecated: --lively is deprecated: use --alive\n"
        "  args.lively is set by acme:base\n"
        "  4 specs:\n"
        "    m1-x10: tp2 tp4 (eval, serve)\n"
        "\n"
        "as before: sglang 2.0.0 has no --never; no version has it\n"
        "  args.never is set by acme:base\n"
        "  4 specs:\n"
        "    m1-x10: tp2 tp4 (eval, serve)\n"
        "\n"
        "mended: sglang 1.1.0 has no --early; first in 2.0.0\n"
        "  args.early is set by acme:base\n"
        "  4 specs:\n"
        "    m1-x10: tp2 tp4 (eval, serve)\n"
    )


def test_by_image(made: Registry) -> None:
    """The specs with it are the recipe's here, so the answer is the same."""
    by_image = run(made, "acme/sglang:v1.1.0", "--to", "sglang@3.0.0")
    by_recipe = run(made, "m1-x10", "--to", "sglang@3.0.0")
    assert by_image.exit_code == 1
    assert by_image.stdout == by_recipe.stdout


def test_what_to_write_instead(made: Registry) -> None:
    """Of a flag that the version has no more, as the versions before it said."""
    result = run(made, "m1-x10", "--to", "sglang@3.0.0")
    assert result.exit_code == 1
    gone = "breaks: sglang 3.0.0 has no --lively; removed after 2.0.0, use --alive\n"
    assert gone in result.stdout


def test_what_is_open_doesnt_fail(made: Registry) -> None:
    """To a nightly: what only some of its releases refuse is told, with exit code 0."""
    result = run(made, "m1-x10", "--to", "acme/sglang:nightly-20260205")
    assert result.exit_code == 0
    first, *_ = result.stdout.splitlines()
    assert first == (
        "4 specs, with every purpose, on sglang 1.0.0 to 2.0.0: 4 not known, 1 as before"
    )


def test_nothing_changes() -> None:
    """That is said, too."""
    quiet = "".join(
        f'[[rule]]\nid = "no-{name}"\nwhen = {{ engine = "sglang", model = "m1" }}\n'
        f'unset = ["args.{name}"]\n'
        for name in ("early", "never")
    )
    result = run(engines(quiet), "m1-x10", "--to", "sglang@1.1.0")
    assert (result.exit_code, result.stdout) == (
        0,
        "4 specs, with every purpose, on sglang 1.1.0: nothing changes\n",
    )


def test_what_no_rule_sets(made: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thing that is missing has no option and no rule; one spec is one."""
    finding = Finding(kind="missing flag", flag="--must", message="2.0 needs --must")
    change = Change("breaks", finding, "2.0 needs --must", points=("r c1 serve",))
    monkeypatch.setattr("infxreg.upgrade.upgrade", lambda *args: Upgrade(1, (change,)))
    result = run(made, "m1-x10", "--to", "sglang@2.0.0")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[1:] == [
        "",
        "breaks: 2.0 needs --must",
        "  1 spec:",
        "    r: c1 (serve)",
    ]


def test_json(made: Registry) -> None:
    """Every change with its finding and every spec."""
    result = run(made, "m1-x10", "--to", "sglang@2.0.0", "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert (found["specs"], found["fails"]) == (4, True)
    assert [change["effect"] for change in found["changes"]] == [
        "stops working",
        "deprecated",
        "as before",
        "mended",
    ]
    deprecated = found["changes"][1]
    assert deprecated == {
        "effect": "deprecated",
        "reason": "--lively is deprecated: use --alive",
        "option": "args.lively",
        "origin": "acme:base",
        "finding": {
            "kind": "deprecated",
            "level": "parse",
            "severity": "warning",
            "flag": "--lively",
            "message": "--lively is deprecated: use --alive",
            "near": "--alive",
        },
        "points": [
            "m1-x10 tp2 eval",
            "m1-x10 tp2 serve",
            "m1-x10 tp4 eval",
            "m1-x10 tp4 serve",
        ],
    }
    same = json.loads(run(made, "m1-x10", "--to", "sglang@1.1.0", "--json").stdout)
    assert same["fails"] is False


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ("m1-x11", "--to", "sglang@1.0.0"),
            "error: unknown recipe or image in use 'm1-x11': did you mean 'm1-x10'?\n",
        ),
        (("m1-x10", "--to", "sglagn@1.0.0"), "error: unknown engine 'sglagn': did you mean"),
        (("m1-x10", "--to", "sglang@9"), "error: no surface of sglang 9: known are 1.0.0 to"),
        (("m1-x10",), "error: Missing option '--to'.\ntry: infxreg engine upgrade --help\n"),
    ],
)
def test_unusable(made: Registry, args: tuple[str, ...], message: str) -> None:
    """Exit code 2, and what is known instead."""
    result = run(made, *args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_recipes_are_completed(made: Registry) -> None:
    """A shell offers them."""
    complete = ShellComplete(app, {"obj": State(registry=made)}, "infxreg", "_X")
    words = complete.get_completions(["engine", "upgrade"], "m")
    assert [word.value for word in words] == ["m1-x10"]


class TestShipped:
    """The catalogue that ships."""

    def test_a_recipe(self, shipped: Registry) -> None:
        """Points fold to four a recipe; all with -v."""
        result = run(shipped, H200, "--to", "sglang@0.5.5")
        assert result.exit_code == 1
        assert result.stdout.startswith("48 specs, with every purpose, on sglang 0.5.5: ")
        assert f"    {H200}: tp4_c1 tp4_c2 tp4_c4 tp4_c8 and 12 more (" in result.stdout
        verbose = run(shipped, H200, "--to", "sglang@0.5.5", verbose=True)
        assert " more (" not in verbose.stdout

    def test_an_image(self, shipped: Registry) -> None:
        """b200's nightly to a release: two breaks, the one at TP4 only."""
        result = run(shipped, B200_NIGHTLY, "--to", "vllm@0.30.0", "--json")
        assert result.exit_code == 1
        found = json.loads(result.stdout)
        assert found["specs"] == 48
        assert [
            (c["effect"], c["option"], c["origin"], c["finding"]["versions"], len(c["points"]))
            for c in found["changes"]
        ] == [
            (
                *("breaks", "attention.backend", "nvidia:b200-attention-tp4"),
                *("first in 0.31.0", 24),
            ),
            (
                *("breaks", "attention.indexer_sparse_logits", "nvidia:b200-attention"),
                *("first in 0.31.0", 48),
            ),
        ]
        assert all(" tp4_" in point for point in found["changes"][0]["points"])

    def test_another_engine(self, shipped: Registry) -> None:
        """A recipe isn't moved to an engine that it doesn't run."""
        result = run(shipped, H200, "--to", "vllm@0.31.0")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == f"error: {H200} runs sglang, not vllm\n"
