"""Broken plugins, installed for real: what still works, and what refuses by name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from infxreg.cli.app import app

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a plugin into a folder on the import path; it is gone after the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("INFXREG_PLUGINS", raising=False)
    site = tmp_path / "site-packages"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    def write(
        name: str, source: str, distribution: str | None = None, table: bytes | None = None
    ) -> None:
        module = f"acme_{name}" if distribution is None else distribution.replace("-", "_")
        distribution = distribution or f"acme-{name}"
        info = site / f"{distribution.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n"
        )
        (info / "entry_points.txt").write_text(f"[infxreg]\n{name} = {module}\n")
        (site / module).mkdir()
        (site / module / "__init__.py").write_text(textwrap.dedent(source))
        if table is not None:
            (site / module / "tables").mkdir()
            (site / module / "tables" / "t.toml").write_bytes(table)
        # What the test imports has to be gone after it.
        monkeypatch.setitem(sys.modules, module, sys)
        monkeypatch.delitem(sys.modules, module)

    return write


def run(*args: str) -> Result:
    return CliRunner().invoke(app, args)


TABLES = """
    from infxreg import hookimpl, table_files

    @hookimpl
    def infxreg_tables():
        return table_files(__name__)
    """
RAISING = "raise RuntimeError('no GPU here')\n"
HOOK = """
    from infxreg import hookimpl

    @hookimpl
    def infxreg_skus():
        {body}
    """

BROKEN = {
    "import": (RAISING, None, "can't be imported: RuntimeError: no GPU here"),
    "exit": ("raise SystemExit(3)\n", None, "can't be imported: SystemExit: 3"),
    "hook": (HOOK.format(body="raise KeyError('x')"), None, "infxreg_skus: raised KeyError: 'x'"),
    "type": (HOOK.format(body="return ['x10']"), None, "infxreg_skus: returned str 'x10', not Sku"),
    "toml": (TABLES, b"[[sku]\n", "acme_wrong/tables/t.toml: not TOML: "),
    "utf8": (TABLES, b'id = "\xff"\n', "acme_wrong/tables/t.toml: not UTF-8: byte 6 is 0xff"),
    "duplicate": (
        TABLES,
        b'[[arch]]\nid = "sm100"\nvendor = "x"\nplatform = "x"\nsource = "x"\n',
        "arch 'sm100' is declared by ",
    ),
    "gate": (
        TABLES,
        b'[[rule]]\nid = "leak"\nwhen = { sku = "gb200", model = "dsv41flash", engine = "vllm" }\n'
        b'gates = ["dsv41-blackwell-attention"]\nset."args.x" = 1\n',
        "doesn't lie inside that of its gate dsv41-blackwell-attention",
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_plugin(kind: str, install: Install) -> None:
    """Listing goes on and names it; resolving refuses, unless it is skipped by name."""
    source, table, message = BROKEN[kind]
    install("wrong", source, table=table)
    listed = run("list", "skus")
    assert listed.exit_code == 0
    assert "b200" in listed.stdout
    assert "\n  wrong (acme-wrong 1.0): " in listed.stderr
    assert message in listed.stderr
    plugins = run("list", "plugins")
    assert plugins.exit_code == 0
    (line,) = [line for line in plugins.stdout.splitlines() if line.startswith("wrong ")]
    assert line.split()[:4] == ["wrong", "acme-wrong", "1.0", "faulty"]
    for args in (
        ("resolve", "b200", "dsv41flash"),
        ("explain", "b200", "dsv41flash"),
        ("points",),
        ("check",),
    ):
        refused = run(*args)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert message in refused.stderr
        assert "go on without: " in refused.stderr
        assert "--skip-plugin wrong" in refused.stderr
    assert run("resolve", "--help").exit_code == 0
    gone = run("--skip-plugin", "wrong", "resolve", "b200", "dsv41flash", "-f", "shell")
    assert gone.exit_code == 0
    assert gone.stderr == ""


def test_its_faults_are_shown(install: Install) -> None:
    """Word for word, with the plugin."""
    install("wrong", RAISING)
    shown = json.loads(run("show", "plugin", "wrong", "--json").stdout)
    assert shown == {
        "id": "wrong",
        "distribution": "acme-wrong",
        "version": "1.0",
        "state": "faulty",
        "records": {},
        "faults": ["wrong (acme-wrong 1.0): can't be imported: RuntimeError: no GPU here"],
        "dormant": [],
    }


def test_skipped_and_not_allowed(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each plugin's state says why it isn't there."""
    install("wrong", RAISING)
    skipped = run("--skip-plugin", "wrong", "list", "plugins")
    assert ["wrong", "acme-wrong", "1.0", "skipped", "-"] in [
        line.split() for line in skipped.stdout.splitlines()
    ]
    assert skipped.stderr == ""
    monkeypatch.setenv("INFXREG_PLUGINS", "nvidia,vllm,deepseek,sglang")
    allowed = run("list", "plugins").stdout
    states = {line.split()[0]: line.split()[3] for line in allowed.splitlines()[1:]}
    assert states["wrong"] == states["amd"] == "not"
    assert states["nvidia"] == states["infxreg"] == "ok"


def test_two_distributions_with_one_name(install: Install) -> None:
    """Both are listed as faulty, and the message names both."""
    install("wrong", "", distribution="acme-one")
    install("wrong", "", distribution="acme-two")
    listed = run("list", "plugins")
    assert [
        line.split()[:4] for line in listed.stdout.splitlines() if line.startswith("wrong ")
    ] == [
        ["wrong", "acme-one", "1.0", "faulty"],
        ["wrong", "acme-two", "1.0", "faulty"],
    ]
    assert "two distributions provide it: acme-one 1.0 and acme-two 1.0" in listed.stderr


def test_in_a_process_of_its_own(tmp_path: Path, install: Install) -> None:
    """The same with nothing of the test's process: help, list and plugins work, resolve refuses."""
    install("wrong", RAISING)
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "site-packages")}

    def infxreg(*args: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "infxreg", *args]
        return subprocess.run(command, capture_output=True, text=True, env=env, cwd=tmp_path)

    assert infxreg("--help").returncode == 0
    assert infxreg("list", "skus").returncode == 0
    refused = infxreg("resolve", "b200", "dsv41flash")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        "error: 1 fault in the registry:\n"
        "  wrong (acme-wrong 1.0): can't be imported: RuntimeError: no GPU here\n"
        "Mend them, or go on without: --skip-plugin wrong\n"
    )


def test_a_plugin_skipped_by_its_distributions_name_is_listed_as_skipped() -> None:
    """Either name is the same wish."""
    result = run("--skip-plugin", "infxreg-amd", "list", "plugins")
    (row,) = [line for line in result.stdout.splitlines() if line.startswith("amd")]
    assert row.split()[3] == "skipped"
