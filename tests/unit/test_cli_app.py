"""The command line as a whole: help, global options, near matches, errors, exit codes."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result

import infxreg.cli
from infxreg.cli.app import app
from infxreg.cli.state import State
from support.builders import acme

COMMANDS = [
    "resolve",
    "explain",
    "list",
    "show",
    "points",
    "check",
    "snapshot",
    "impact",
    "review",
    "evidence",
    "lock",
    "engine",
    "completion",
]


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("INFXREG_PLUGINS", raising=False)


def run(*args: str) -> Result:
    return CliRunner().invoke(app, args)


def process(*args: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        [sys.executable, "-m", "infxreg", *args], text=True, check=False, **options
    )


def test_help_lists_every_command() -> None:
    """With an example and the exit codes; no command at all is a usage error with the same."""
    result = run("--help")
    assert result.exit_code == 0
    for word in [*COMMANDS, "Example:", "Exit codes:", "--skip-plugin", "--site", "--version"]:
        assert word in result.stdout
    assert run("-h").stdout == result.stdout
    assert "Commands:" in run().output


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(command: str) -> None:
    """Each has an example that begins as it is typed, and the exit codes."""
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "infxreg" in result.stdout.partition("Example")[2]
    assert "  2  the request" in result.stdout


def commands_of_groups() -> list[tuple[str, str]]:
    """Group and command, of every group of commands."""
    context = click.Context(app)
    groups = [(name, app.get_command(context, name)) for name in app.list_commands(context)]
    return [
        (name, command)
        for name, group in groups
        if isinstance(group, click.Group)
        for command in group.list_commands(context)
    ]


def test_groups_have_commands() -> None:
    """The test below is about these."""
    assert ("engine", "check") in commands_of_groups()


@pytest.mark.parametrize(("group", "command"), commands_of_groups())
def test_help_of_a_command_of_a_group(group: str, command: str) -> None:
    """An example of that very command, exit codes, and a line in the group's help."""
    result = run(group, command, "--help")
    assert result.exit_code == 0
    assert f"  infxreg {group} {command} " in result.stdout.partition("Example")[2]
    for line in ("  0  ", "  1  ", "  2  the request"):
        assert line in result.stdout.partition("Exit codes:\n")[2]
    assert f"\n  {command} " in run(group, "--help").stdout


@pytest.mark.parametrize("args", [["--help"], ["engine", "--help"], ["engine", "check", "--help"]])
def test_help_doesnt_load_the_core(args: list[str]) -> None:
    """Start-up counts: help needs neither attrs nor cattrs, pluggy, tomllib nor a table."""
    script = (
        f"import sys\nbefore = set(sys.modules)\nsys.argv = {['infxreg', *args]}\n"
        "from infxreg.cli import main\ntry:\n    main()\nfinally:\n"
        "    names = {'attrs', 'cattrs', 'pluggy', 'tomllib', 'tomli_w', 'infxreg.registry'}\n"
        "    print(sorted(names & set(sys.modules) - before), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr.strip() == "[]"


def test_the_script_and_the_module_are_one() -> None:
    """``infxreg`` and ``python -m infxreg`` run the same function."""
    (script,) = entry_points(group="console_scripts", name="infxreg")
    assert script.load() is infxreg.cli.main
    done = process("--version", capture_output=True)
    assert (done.returncode, done.stdout) == (0, f"infxreg {infxreg.__version__}\n")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["resovle"],
            "error: unknown command 'resovle': did you mean 'resolve'?\ntry: infxreg --help\n",
        ),
        (
            ["frobnicate"],
            "error: unknown command 'frobnicate': known are resolve, explain, list, show, points, "
            "check, snapshot, impact, review, evidence, lock, import and 3 more\n"
            "try: infxreg --help\n",
        ),
        (
            ["engine", "chekc"],
            "error: unknown command 'chekc': did you mean 'check'?\ntry: infxreg engine --help\n",
        ),
        (
            ["--skip-plugn", "amd", "check"],
            "error: no such option --skip-plugn: did you mean --skip-plugin?\n"
            "try: infxreg --help\n",
        ),
        (
            ["check", "-v"],
            "error: no such option -v: it goes before the command\ntry: infxreg check --help\n",
        ),
        (
            ["check", "--frobnicate"],
            "error: no such option --frobnicate\ntry: infxreg check --help\n",
        ),
        (
            ["completion", "tcsh"],
            "error: Invalid value for '{bash|zsh|fish}': 'tcsh' is not one of 'bash', 'zsh', "
            "'fish'.\ntry: infxreg completion --help\n",
        ),
    ],
)
def test_usage_errors(args: list[str], message: str) -> None:
    """Exit code 2, nothing on standard output, a near match and where to read on."""
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == message


def test_an_error_is_a_message_and_no_traceback() -> None:
    """What the library raises is said in its own words, with exit code 2."""
    result = run("--skip-plugin", "amdd", "check")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: unknown plugin 'amdd': did you mean 'amd'?\n"


@pytest.mark.parametrize("raised", [KeyboardInterrupt, click.Abort])
def test_an_interrupt_is_130(monkeypatch: pytest.MonkeyPatch, raised: type[BaseException]) -> None:
    """Ctrl-C says so in a word and exits as a shell expects."""

    def interrupt(self: State) -> None:
        raise raised

    monkeypatch.setattr(State, "registry", property(interrupt))
    result = run("check")
    assert (result.exit_code, result.stderr) == (130, "error: interrupted\n")


@pytest.mark.parametrize("raised", [ZeroDivisionError, FileNotFoundError])
def test_a_bug_is_not_hidden(monkeypatch: pytest.MonkeyPatch, raised: type[Exception]) -> None:
    """Only infxreg's own errors become messages: anything else keeps its traceback."""

    def broken(self: State) -> None:
        raise raised

    monkeypatch.setattr(State, "registry", property(broken))
    assert isinstance(run("check").exception, raised)


def test_a_reader_that_went_away() -> None:
    """``infxreg … | true`` says nothing and exits as if by SIGPIPE."""
    read, write = os.pipe()
    os.close(read)
    done = process("list", "skus", stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_full_disk() -> None:
    """Output that is lost is an error, not a success."""
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    with open("/dev/full", "w") as full:
        done = process("list", "skus", stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr == (
        "error: the output can't be written: [Errno 28] No space left on device\n"
    )


def test_closed_output() -> None:
    """A process without standard output at all isn't a crash."""
    command = f"exec >&-; exec {sys.executable} -m infxreg list skus"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_verbose_says_where_time_went() -> None:
    """Phases with milliseconds on standard error, the site file, and what lies dormant."""
    result = run("-v", "--skip-plugin", "deepseek", "list", "skus")
    assert result.exit_code == 0
    lines = result.stderr.splitlines()
    assert lines[0] == "site file: none"
    assert any(line.startswith("dormant: nvidia (infxreg-nvidia ") for line in lines)
    times = lines[lines.index("time:") + 1 :]
    assert [line.split("ms", 1)[1].strip() for line in times] == [
        "start",
        "import the core",
        "load plugins and tables",
        "write",
        "in all",
    ]
    assert all(float(line.split()[0]) >= 0 for line in times)
    assert "time:" not in run("list", "skus").stderr


def test_verbose_help_has_no_times() -> None:
    """Help ends before there is anything to time."""
    assert run("-v", "--help").stderr == ""


def test_colour_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """No escape codes into a pipe, nor where NO_COLOR is set."""
    assert "\x1b" not in run("frobnicate").stderr
    coloured = CliRunner().invoke(app, ["list", "skus"], color=True)
    assert "\x1b" in coloured.stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in CliRunner().invoke(app, ["list", "skus"], color=True).stdout
    assert "\x1b" not in CliRunner().invoke(app, ["frobnicate"], color=True).stderr


class TestAllowlist:
    """INFXREG_PLUGINS names the plugins that are loaded."""

    def test_some(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Only these, and the core."""
        monkeypatch.setenv("INFXREG_PLUGINS", " amd ,")
        assert {line.split()[0] for line in run("list", "skus").stdout.splitlines()[1:]} == {
            "mi300x",
            "mi325x",
            "mi355x",
        }

    def test_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """An empty list is none but the core."""
        monkeypatch.setenv("INFXREG_PLUGINS", "")
        result = run("resolve", "b200", "dsv41flash")
        assert result.exit_code == 2
        assert result.stderr == (
            "error: unknown sku 'b200': none is registered; is a plugin missing?\n"
        )

    def test_unknown(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A name that isn't installed is an error."""
        monkeypatch.setenv("INFXREG_PLUGINS", "amd,nvidai")
        result = run("list", "skus")
        assert result.exit_code == 2
        assert result.stderr == "error: unknown plugin 'nvidai': did you mean 'nvidia'?\n"


class TestSiteFile:
    """The site layer: --site, else the nearest infxreg.toml."""

    RULE = '[[rule]]\nid = "port"\nwhen = { sku = "b200" }\nset."args.port" = 9000\n'

    def test_upward(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It counts from the folder of the file and below, and the origin names the file."""
        (tmp_path / "infxreg.toml").write_text(self.RULE)
        below = tmp_path / "a" / "b"
        below.mkdir(parents=True)
        monkeypatch.chdir(below)
        assert "--port 9000" in run("resolve", "b200", "dsv41flash", "-f", "shell").stdout
        explained = run("explain", "b200", "dsv41flash", "args.port").stdout
        assert f"from      site:port ({tmp_path / 'infxreg.toml'})" in explained

    def test_named(self, tmp_path: Path) -> None:
        """--site wins over what lies about; an empty file is none."""
        (tmp_path / "infxreg.toml").write_text(self.RULE)
        other = tmp_path / "other.toml"
        other.write_text(self.RULE.replace("9000", "9001"))
        args = ("resolve", "b200", "dsv41flash", "-f", "shell")
        assert "--port 9001" in run("--site", str(other), *args).stdout
        assert "--port" not in run("--site", os.devnull, *args).stdout

    def test_missing(self) -> None:
        """A site file that is named has to be there."""
        result = run("--site", "no.toml", "list", "skus")
        assert result.exit_code == 2
        assert result.stderr == (
            "error: the site file can't be read: [Errno 2] No such file or directory: 'no.toml'\n"
        )

    def test_conflict(self, tmp_path: Path) -> None:
        """Rules that disagree fail at that point, both named with the rule that settles it."""
        (tmp_path / "infxreg.toml").write_text(
            self.RULE
            + '[[rule]]\nid = "other"\nwhen = { model = "dsv41flash" }\nset."args.port" = 9001\n'
        )
        result = run("resolve", "b200", "dsv41flash")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("error: args.port conflicts at sku=b200 model=dsv41flash")
        assert "site:port" in result.stderr
        assert "site:other" in result.stderr
        assert "[[rule]]" in result.stderr
        assert run("resolve", "h200", "dsv41flash", "-f", "shell").exit_code == 0


class TestCompletion:
    """A shell completes commands, options, axes and ids."""

    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_script(self, shell: str) -> None:
        """Each shell gets click's script."""
        result = run("completion", shell)
        assert result.exit_code == 0
        assert f"_INFXREG_COMPLETE={shell}_complete" in result.stdout

    @pytest.mark.parametrize(
        ("args", "begun", "found"),
        [
            ([], "re", ["resolve", "review"]),
            (["engine"], "u", ["upgrade"]),
            (["resolve"], "x", ["x10", "x20"]),
            (["resolve", "x10"], "", ["m1", "m2"]),
            (["resolve", "x10", "m1"], "--p", ["--point", "--pp", "--purpose"]),
            (["resolve", "x10", "m1", "--point"], "c", ["c1", "c2"]),
            (["resolve", "x20", "m1", "--point"], "tp2", ["tp2", "tp2_c1", "tp2_c16"]),
            (["resolve", "x10", "m1", "--purpose"], "e", ["eval"]),
            (["resolve", "x10", "m1", "--gate"], "", ["extra", "fast"]),
            (["resolve", "x10", "m1", "--engine"], "r", ["run"]),
            (["explain", "x10", "m1"], "acme.", ["acme.cap", "acme.lost"]),
            (["list"], "ca", ["capabilities"]),
            (["show"], "ga", ["gates"]),
            (["show", "gate"], "f", ["fast"]),
            (["show", "nonsense"], "f", []),
            (["nonsense"], "f", []),
        ],
    )
    def test_words(self, args: list[str], begun: str, found: list[str]) -> None:
        """From the registry of the run."""
        complete = ShellComplete(app, {"obj": State(registry=acme())}, "infxreg", "_X")
        assert [item.value for item in complete.get_completions(args, begun)] == found

    def test_without_a_registry(self) -> None:
        """Nothing is completed, and nothing is printed, where the registry can't be made."""
        complete = ShellComplete(app, {}, "infxreg", "_X")
        for args in (["resolve"], ["show", "sku"]):
            assert complete.get_completions(["--skip-plugin", "nobody", *args], "b") == []

    def test_as_a_shell_asks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The variable of the script leads to words, not to a run."""
        monkeypatch.setenv("_INFXREG_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", "infxreg po")
        monkeypatch.setenv("COMP_CWORD", "1")
        result = run()
        assert (result.exit_code, result.stdout) == (0, "plain,points\n")
