"""``infxreg engine check``: lists from files, whole command lines, overlays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from infxreg import Registry, discover
from infxreg.cli.app import app
from infxreg.cli.state import State
from support.engines import engines

NIGHTLY = "vllm/vllm-openai:nightly-cd10ed6f9f6b37a8ace9cf380007e66fe12ec0c3"


@pytest.fixture(scope="module")
def shipped() -> Registry:
    return discover("/dev/null")


@pytest.fixture(scope="module")
def made() -> Registry:
    return engines()


def run(registry: Registry, *args: str, stdin: bytes | None = None) -> Result:
    state = State(registry=registry)
    return CliRunner().invoke(app, ["engine", "check", *args], input=stdin, obj=state)


class TestFrom:
    """--from: one list a line, one verdict a line."""

    LINES = b'["--lively"]\n\n  \n{"argv": ["--early", "1"], "id": 7, "env": {}}\n[]\n'
    WORDS = (
        "line 1: accepted\n"
        "line 2: refused\n"
        "  error unknown flag: sglang 1.0.0 has no --early; first in 2.0.0\n"
        "line 3: accepted\n"
    )

    def test_a_file(self, made: Registry, tmp_path: Path) -> None:
        """Arrays and objects; blank lines are none, and the worst gives the exit code."""
        path = tmp_path / "lists.jsonl"
        path.write_bytes(self.LINES)
        result = run(made, "sglang@1.0.0", "--from", str(path))
        assert (result.exit_code, result.stdout) == (1, self.WORDS)
        path.write_bytes(b'["--lively"]')
        assert run(made, "sglang@1.0.0", "--from", str(path)).exit_code == 0

    def test_standard_input(self, made: Registry) -> None:
        """``-`` is standard input."""
        result = run(made, "sglang@1.0.0", "--from", "-", stdin=self.LINES)
        assert (result.exit_code, result.stdout) == (1, self.WORDS)

    def test_json(self, made: Registry) -> None:
        """One object a list, in their order."""
        result = run(made, "sglang@1.0.0", "--from", "-", "--json", stdin=self.LINES)
        found = [json.loads(line)["accepted"] for line in result.stdout.splitlines()]
        assert (result.exit_code, found) == (1, [True, False, True])

    def test_crlf(self, made: Registry) -> None:
        """A file from Windows is read the same."""
        lines = self.LINES.replace(b"\n", b"\r\n")
        assert run(made, "sglang@1.0.0", "--from", "-", stdin=lines).stdout == self.WORDS

    def test_variables_count_for_each(self, made: Registry) -> None:
        """--env is set for all of them."""
        lines = b'["--early", "1"]\n["--tp-size", "2"]\n'
        args = ("sglang@2.0.0", "--from", "-", "--env", "SGLANG_READY_S=1")
        result = run(made, *args, stdin=lines)
        assert result.stdout.count("doesn't read SGLANG_READY_S") == 2

    def test_strict(self, made: Registry) -> None:
        """One unknown list is enough."""
        lines = b'["--early", "1"]\n["--tp-size", "2"]\n'
        args = ("acme/sglang:known", "--from", "-")
        assert run(made, *args, stdin=lines).exit_code == 0
        assert run(made, *args, "--strict", stdin=lines).exit_code == 1

    def test_half_a_character(self, made: Registry) -> None:
        """What no character stands for is written as its escape."""
        lines = b'["--\\ud800", "\xc3\xa9"]\n'
        result = run(made, "sglang@1.0.0", "--from", "-", stdin=lines)
        assert (result.exit_code, result.exception.__class__) == (1, SystemExit)
        assert "sglang 1.0.0 has no --\\ud800" in result.stdout
        result = run(made, "sglang@1.0.0", "--from", "-", "--json", stdin=lines)
        (finding,) = json.loads(result.stdout)["findings"]
        assert (finding["flag"], finding["value"]) == ("--\ud800", "é")

    def test_bad_lines(self, made: Registry) -> None:
        """All are named in one go, and no verdict is printed."""
        lines = b'["--lively"]\n["a", 1]\n\n{"argv": "x"}\n{}\nno\n"x"\n' + b"[" * 100_000
        result = run(made, "sglang@1.0.0", "--from", "-", stdin=lines)
        assert (result.exit_code, result.stdout) == (2, "")
        needed = "an array of texts is needed, or an object with one as argv"
        *named, deep = result.stderr.splitlines()
        assert named == [
            f"error: - line 2: {needed}",
            f"- line 4: {needed}",
            f"- line 5: {needed}",
            "- line 6: not JSON: Expecting value: line 1 column 1 (char 0)",
            f"- line 7: {needed}",
        ]
        assert deep.startswith("- line 8: not JSON: ")

    def test_one_bad_line(self, made: Registry) -> None:
        """It is enough: the good ones before it get no verdict either."""
        result = run(made, "sglang@1.0.0", "--from", "-", "--json", stdin=b"[]\n{}\n[]\n")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("error: - line 2: an array of texts is needed")

    def test_many_bad_lines(self, made: Registry) -> None:
        """Eight are shown, the others counted."""
        result = run(made, "sglang@1.0.0", "--from", "-", stdin=b"1\n" * 11)
        assert len(result.stderr.splitlines()) == 9
        assert result.stderr.endswith("\nand 3 more lines\n")

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (None, "can't be read: [Errno 2] No such file"),
            (b"\n \n", "has no line with an argument list"),
            (b'["\xff"]\n', "can't be read: 'utf-8' codec can't decode byte 0xff in position 2"),
        ],
    )
    def test_unusable(
        self, made: Registry, tmp_path: Path, data: bytes | None, message: str
    ) -> None:
        """A file that isn't there, has no list, or isn't UTF-8."""
        path = tmp_path / "lists.jsonl"
        if data is not None:
            path.write_bytes(data)
        result = run(made, "sglang@1.0.0", "--from", str(path))
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"error: {path} {message}" in result.stderr

    def test_a_folder(self, made: Registry, tmp_path: Path) -> None:
        """That is no file."""
        result = run(made, "sglang@1.0.0", "--from", str(tmp_path))
        assert result.exit_code == 2
        assert "can't be read: [Errno 21] Is a directory" in result.stderr

    def test_with_arguments_too(self, made: Registry) -> None:
        """One or the other."""
        result = run(made, "sglang@1.0.0", "--from", "-", "--", "--lively", stdin=self.LINES)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == (
            "error: give arguments, or --from a file, not both\ntry: infxreg engine check --help\n"
        )


class TestWholeCommandLine:
    """A list may be a whole command line, with program and model."""

    @pytest.mark.parametrize(
        ("target", "program"),
        [
            ("vllm@0.31.0", ("vllm", "serve", "org/m")),
            ("sglang@0.5.23", ("python3", "-m", "sglang.launch_server", "--model-path", "m")),
            ("sglang@0.5.23", ("python", "-m", "sglang.launch_server", "--model-path", "m")),
            ("sglang@0.5.23", ("sglang", "serve", "--model-path", "m")),
        ],
    )
    def test_program_and_model(
        self, shipped: Registry, target: str, program: tuple[str, ...]
    ) -> None:
        """The same verdict as of what stands after the model."""
        good = "--revision", "main"
        assert run(shipped, target, "--", *program, *good).stdout == "accepted\n"
        assert run(shipped, target, "--", *good).stdout == "accepted\n"
        bad = run(shipped, target, "--", *program, "--revisoin", "main")
        assert bad.exit_code == 1
        assert bad.stdout == run(shipped, target, "--", "--revisoin", "main").stdout

    def test_without_its_model(self, made: Registry) -> None:
        """A whole command line has to name what it has to."""
        result = run(made, "sglang@1.0.0", "--", "python3", "-m", "sglang.launch_server")
        assert result.exit_code == 1
        assert "sglang 1.0.0 needs --model-path" in result.stdout

    def test_another_program(self, shipped: Registry) -> None:
        """Words that are no program of the engine are arguments."""
        result = run(shipped, "vllm@0.31.0", "--", "sglang", "serve")
        assert "'sglang' belongs to no flag" in result.stdout


HOUSE = """
name = "house"
engine = "{engine}"
source = "our wiki"
env = ["SGLANG_HOUSE"]

[[flag]]
names = ["--house-mode"]
choices = ["a", "b"]
hard = true
"""


class TestOverlay:
    """--overlay: what a wrapper takes besides."""

    def test_a_shipped_one(self, shipped: Registry) -> None:
        """Dynamo's own flags are taken with it, and with it only."""
        flags = ("--", "--seed", "1", "--dyn-default-thinking-mode", "enabled")
        for target in ("vllm@0.31.0", "vllm/vllm-openai:v0.31.0", NIGHTLY):
            assert run(shipped, target, *flags).exit_code == 1
            with_it = run(shipped, target, "--overlay", "dynamo", *flags)
            assert (with_it.exit_code, with_it.stdout) == (0, "accepted\n")

    def test_a_list_that_code_makes(self, shipped: Registry) -> None:
        """Whether a value is in it can't be known, in a release as in a nightly."""
        args = ("--overlay", "dynamo", "--", "--dyn-tool-call-parser", "x")
        result = run(shipped, "vllm@0.31.0", *args)
        assert (result.exit_code, result.stdout) == (
            0,
            "unknown\n  unknown note not known: code makes the choices of --dyn-tool-call-parser: "
            "they aren't known\n",
        )
        assert run(shipped, "vllm@0.31.0", "--strict", *args).exit_code == 1
        assert run(shipped, NIGHTLY, *args).stdout.startswith("unknown\n")

    def test_a_file(self, made: Registry, tmp_path: Path) -> None:
        """One's own flags, choices and variables; the engine's are still checked."""
        path = tmp_path / "house.toml"
        path.write_text(HOUSE.format(engine="sglang"))
        given = ("sglang@1.0.0", "--env", "SGLANG_HOUSE=1", "--overlay", str(path), "--")
        assert run(made, *given, "--house-mode", "a").stdout == "accepted\n"
        result = run(made, *given, "--house-mode", "c", "--early", "1")
        assert result.exit_code == 1
        assert "--house-mode: sglang 1.0.0 has no 'c'; it takes a, b" in result.stdout
        assert "sglang 1.0.0 has no --early; first in 2.0.0" in result.stdout

    def test_two(self, shipped: Registry, tmp_path: Path) -> None:
        """They add up."""
        path = tmp_path / "house.toml"
        path.write_text(HOUSE.format(engine="vllm"))
        result = run(
            shipped,
            *("vllm@0.31.0", "--overlay", "dynamo", "--overlay", str(path), "--"),
            *("--house-mode", "b", "--dyn-default-thinking-mode", "enabled"),
        )
        assert result.stdout == "accepted\n"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (None, "can't be read: [Errno 2] No such file"),
            (b"\xff", "can't be read: 'utf-8' codec can't decode byte 0xff"),
            (b"name = ", "error: not an overlay ("),
            (b'name = "x"\nodd = 1\n', "unknown key 'odd'; 'engine' is missing; 'source' is"),
            (HOUSE.format(engine="vllm").encode(), "overlay house: it is for vllm, not sglang"),
            (
                HOUSE.format(engine="sglang").replace("--house-mode", "--lively").encode(),
                "overlay house: sglang 1.0.0 has --lively itself",
            ),
        ],
    )
    def test_a_broken_file(
        self, made: Registry, tmp_path: Path, text: bytes | None, message: str
    ) -> None:
        """Exit code 2, and what is wrong with it."""
        path = tmp_path / "house.toml"
        if text is not None:
            path.write_bytes(text)
        result = run(made, "sglang@1.0.0", "--overlay", str(path), "--", "--lively")
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in result.stderr

    def test_unknown(self, shipped: Registry, made: Registry) -> None:
        """A name that the engine's plugin doesn't ship."""
        result = run(shipped, "vllm@0.31.0", "--overlay", "dynmo")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == "error: unknown overlay 'dynmo': did you mean 'dynamo'?\n"
        result = run(made, "sglang@1.0.0", "--overlay", "dynamo")
        assert result.stderr == "error: unknown overlay 'dynamo': known are a file, FILE.toml\n"
