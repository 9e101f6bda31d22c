"""What a launch spec is written as: nothing is lost, and what can't be said is an error."""

from __future__ import annotations

import json
import subprocess
import tomllib

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from infxreg import LaunchSpec, Registry, discover
from infxreg.export import ExportError, to_env, to_json, to_shell, to_toml
from infxreg.values import FrozenMap

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,12}", fullmatch=True).filter(
    # bash sets or refuses these itself
    lambda name: (
        name not in {"_", "IFS", "UID", "EUID", "PPID", "PATH", "PWD", "SHLVL", "OLDPWD"}
        and not name.startswith(("BASH", "LC_", "LANG"))
    )
)
TEXTS = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"])).filter(
    lambda text: not text.startswith("secret://")
)


@pytest.fixture(scope="module")
def registry() -> Registry:
    return discover()


@pytest.fixture(scope="module")
def spec(registry: Registry) -> LaunchSpec:
    return registry.resolve(sku="b200", model="dsv41flash")


def bash(line: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, env={"PATH": "/usr/bin:/bin", **env}, check=False
    )


def test_toml_and_json_give_every_shipped_default_point_back(registry: Registry) -> None:
    """Reading what was written gives an equal spec with equal digests."""
    for recipe in registry.catalogue.recipes.values():
        point = next(
            p
            for p in registry.points(sku=recipe.sku, engine=recipe.engine)
            if p.recipe == recipe and p.id == recipe.default_point
        )
        spec = registry.resolve(point)
        for again in (tomllib.loads(to_toml(spec)), json.loads(to_json(spec))):
            read = LaunchSpec.from_dict(again)
            assert read == spec
            assert (read.digest, read.launch_digest) == (spec.digest, spec.launch_digest)


def test_the_long_table_of_options_is_last(spec: LaunchSpec) -> None:
    """What a reader looks for first isn't behind hundreds of lines of origins."""
    assert list(json.loads(to_json(spec)))[-1] == "options"
    assert to_toml(spec).rindex("[[checks]]") < to_toml(spec).index("[options")


@settings(max_examples=60, deadline=None)
@given(arguments=st.lists(TEXTS, max_size=4), env=st.dictionaries(NAMES, TEXTS, max_size=3))
def test_bash_gets_exactly_the_words_and_variables(
    spec: LaunchSpec, arguments: list[str], env: dict[str, str]
) -> None:
    """Whatever text an argument or a variable holds, one pasted line hands it over unchanged."""
    made = evolve(spec, argv=("printf", "%s\\0", "first", *arguments), env=FrozenMap(env))
    line = to_shell(made)
    assert line.endswith("\n")
    assert "\n" not in line[:-1]
    assert bash(line).stdout == b"".join(text.encode() + b"\0" for text in ("first", *arguments))
    shown = bash(to_shell(evolve(made, argv=("env", "-0")))).stdout
    assert set(shown.split(b"\0")) >= {f"{name}={value}".encode() for name, value in env.items()}


def test_an_interactive_shell_expands_no_history(spec: LaunchSpec) -> None:
    """Pasted at a prompt, an exclamation mark stays one."""
    texts = ("!!", "it's !x", "a!b\nc'!!")
    made = evolve(spec, argv=("printf", "<%s>", *texts), env=FrozenMap())
    done = subprocess.run(
        ["bash", "--norc", "--noprofile", "-i"],
        input=f"echo first\n{to_shell(made)}",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "first\n" + "".join(f"<{text}>" for text in texts)


def test_a_command_with_an_equals_sign_is_no_assignment(spec: LaunchSpec) -> None:
    """The first word of argv is what runs, even where it looks like an assignment."""
    made = evolve(spec, argv=("a=b", "c=d"), env=FrozenMap())
    assert to_shell(made) == "'a=b' c=d\n"


def test_a_secret_is_a_variable_that_must_be_set(spec: LaunchSpec) -> None:
    """The shell line names the secret, refuses to run without it, and never holds its text."""
    env = FrozenMap({"HF_TOKEN": "secret://HUB"})
    made = evolve(spec, argv=("printenv", "HF_TOKEN"), env=env)
    line = to_shell(made)
    assert line.startswith('HF_TOKEN="${HUB:?}" printenv ')
    assert bash(line, HUB="a b'$x").stdout == b"a b'$x\n"
    refused = bash(line)
    assert refused.returncode != 0
    assert refused.stdout == b""


def test_a_secret_argument_is_filled_in_too(spec: LaunchSpec) -> None:
    """A reference to a secret isn't handed to the engine as if it were the secret."""
    made = evolve(spec, argv=("printf", "%s", "secret://KEY"), env=FrozenMap())
    assert bash(to_shell(made), KEY="k").stdout == b"k"


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ({"A-B": "1"}, "env 'A-B' can't be written as shell: it is no name of a shell variable"),
        (
            {"A": "secret://vault/a"},
            "env A can't be written as shell: secret://vault/a isn't named as a shell variable is",
        ),
        ({"A": "x\0y"}, "env A can't be written as shell: it holds a NUL byte"),
    ],
)
def test_what_a_shell_cant_say_is_an_error(
    spec: LaunchSpec, env: dict[str, str], message: str
) -> None:
    """A name or value that a shell can't hold is refused, not mangled."""
    with pytest.raises(ExportError) as caught:
        to_shell(evolve(spec, env=FrozenMap(env)))
    assert str(caught.value) == message
    assert caught.value.format == "shell"


def test_env_lines_are_what_docker_reads(spec: LaunchSpec) -> None:
    """One NAME=value line a variable, unquoted; a secret is taken from docker's environment."""
    env = FrozenMap({"A": "1 = '2' #3", "TOKEN": "secret://TOKEN", "a.b": ""})
    assert to_env(evolve(spec, env=env)) == "A=1 = '2' #3\nTOKEN\na.b=\n"
    assert to_env(evolve(spec, env=FrozenMap())) == ""


@pytest.mark.parametrize(
    ("env", "message"),
    [
        (
            {"A": "1\n2"},
            "env 'A' can't be written as env: its value has a line break or a NUL byte",
        ),
        (
            {"A": "1\r"},
            "env 'A' can't be written as env: its value has a line break or a NUL byte",
        ),
        (
            {"#A": "1"},
            "env '#A' can't be written as env: a name has no blanks, no = and no # in front",
        ),
        (
            {"A B": "1"},
            "env 'A B' can't be written as env: a name has no blanks, no = and no # in front",
        ),
        (
            {"A": "secret://B"},
            "env 'A' can't be written as env: docker can't rename secret://B: call the secret A",
        ),
    ],
)
def test_what_an_env_file_cant_say_is_an_error(
    spec: LaunchSpec, env: dict[str, str], message: str
) -> None:
    """Docker would read it as something else, so it isn't written."""
    with pytest.raises(ExportError) as caught:
        to_env(evolve(spec, env=FrozenMap(env)))
    assert str(caught.value) == message
