"""``infxreg engine dump-script``, ``extract`` and ``fold``."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from infxreg.cli.app import app
from infxreg.cli.state import State
from infxreg.surface import source as sources
from support.engines import engines
from support.trees import wheel

NO_ENGINE = {"vllm/__init__.py": "", "vllm/entrypoints.py": "x = 1\n"}


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty working directory, a folder for builds, the installed plugins."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("INFXREG_SURFACES", str(tmp_path / "kept"))
    monkeypatch.delenv("INFXREG_PLUGINS", raising=False)


def installed(*args: str) -> Result:
    """With the installed plugins."""
    return CliRunner().invoke(app, ["--site", "/dev/null", "engine", *args])


def run(*args: str) -> Result:
    """With the made engine, whose extraction reads the name of a flag off ``flags.py``."""
    return CliRunner().invoke(app, ["engine", *args], obj=State(registry=engines()))


def made(
    version: str = "4.0.0", flag: str = "--house", folder: Path | None = None, name: str = "sglang"
) -> Path:
    files: Mapping[str, str | bytes] = {"flags.py": flag, "sglang/__init__.py": ""}
    return wheel(folder or Path.cwd(), files, name, version)


def folded(path: str = "out.json") -> dict[str, Any]:
    data: dict[str, Any] = json.loads(Path(path).read_text())
    return data


def here() -> list[str]:
    return sorted(os.listdir())


class TestDumpScript:
    """What an image's own Python runs."""

    @pytest.mark.parametrize("engine", ["vllm", "sglang"])
    def test_prints_a_script(self, engine: str) -> None:
        """All of it, for that engine, and Python throughout."""
        result = installed("dump-script", engine)
        assert (result.exit_code, result.stderr) == (0, "")
        ast.parse(result.stdout)
        assert f'ENGINE = "{engine}"\n' in result.stdout
        assert "@ENGINE@" not in result.stdout
        assert "infxreg" not in {
            alias.name.partition(".")[0]
            for node in ast.walk(ast.parse(result.stdout))
            if isinstance(node, ast.Import)
            for alias in node.names
        }

    def test_unknown_engine(self) -> None:
        """Which ones have a script is told."""
        result = installed("dump-script", "trtllm")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "'trtllm' has none; sglang and vllm have" in result.stderr


class TestExtract:
    """Reading one release off its source."""

    def test_a_wheel(self) -> None:
        """To standard output, as ``engine add`` takes it in."""
        result = run("extract", "sglang", "--wheel", str(made()))
        assert (result.exit_code, result.stderr) == (0, "")
        data = json.loads(result.stdout)
        assert (data["engine"], data["version"]) == ("sglang", "4.0.0")
        assert ["--house"] in [one.get("names") for one in data["flags"]]
        Path("made.json").write_text(result.stdout)
        assert run("add", "made.json").exit_code == 0

    def test_to_a_file(self) -> None:
        """The same bytes; the file is named on standard error, folders are made."""
        shown = run("extract", "sglang", "--wheel", str(made()))
        result = run("extract", "sglang", "--wheel", str(made()), "-o", "a/b.json")
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", "a/b.json\n")
        assert Path("a/b.json").read_text() == shown.stdout
        assert os.listdir("a") == ["b.json"]

    def test_a_tree(self, tmp_path: Path) -> None:
        """A checkout or site-packages folder; its metadata gives the version."""
        tree = tmp_path / "tree"
        with zipfile.ZipFile(made()) as archive:
            archive.extractall(tree)
        (tree / "sglang" / "flags.py").write_text("--house")
        state = State(registry=engines(extract="support.engines:extract_tree"))
        args = ["engine", "extract", "sglang", "--tree", str(tree)]
        result = CliRunner().invoke(app, args, obj=state)
        assert result.exit_code == 0, result.stderr
        assert json.loads(result.stdout)["version"] == "4.0.0"

    def test_a_download(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """pip is asked for the wheel, which is gone afterwards."""
        folders: list[Path] = []

        def pip(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
            assert command[-1] == "sglang==4.1.0"
            folders.append(Path(command[command.index("--dest") + 1]))
            made("4.1.0", folder=folders[0])
            return subprocess.CompletedProcess(command, 0, "", "")

        monkeypatch.setattr(subprocess, "run", pip)
        result = run("extract", "sglang", "--version", "4.1.0")
        assert json.loads(result.stdout)["version"] == "4.1.0"
        assert not folders[0].exists()

    def test_pip_finds_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Its last words are told."""

        def pip(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
            return subprocess.CompletedProcess(command, 1, "", "x\nERROR: No matching\n")

        monkeypatch.setattr(subprocess, "run", pip)
        result = run("extract", "sglang", "--version", "9.9", "-o", "out.json")
        assert (result.exit_code, here()) == (2, [])
        assert result.stderr == ("error: sglang==9.9: pip found no wheel: ERROR: No matching\n")

    @pytest.mark.parametrize(
        "sources",
        [(), ("--wheel", "a", "--tree", "b"), ("--tree", "b", "--version", "1"), ("a.whl",)],
    )
    def test_exactly_one(self, sources: tuple[str, ...]) -> None:
        """None, two, or an argument without its option."""
        result = run("extract", "sglang", *sources)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.endswith("try: infxreg engine extract --help\n")
        if sources != ("a.whl",):
            assert "name one of --wheel FILE, --tree DIR and --version V\n" in result.stderr

    def test_unknown_engine(self) -> None:
        """One whose plugin isn't there."""
        result = installed("extract", "sglagn", "--wheel", str(made()))
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == "error: unknown engine 'sglagn': did you mean 'sglang'?\n"

    @pytest.mark.parametrize("extract", ["support.nothing:extract", "support.engines:nothing"])
    def test_a_plugin_whose_extraction_isnt_there(self, extract: str) -> None:
        """What the plugin names is told, and why it can't be had."""
        state = State(registry=engines(extract=extract))
        for command in (("extract", "sglang", "--wheel"), ("fold", "sglang")):
            result = CliRunner().invoke(app, ["engine", *command, str(made())], obj=state)
            assert (result.exit_code, result.stdout) == (2, "")
            assert result.stderr.startswith(
                f"error: the plugin of sglang names {extract} to read it with: "
            )

    def test_that_cant_be_written(self) -> None:
        """An output that is a folder, or below a file; nothing is left."""
        path = str(made())
        for output in (".", f"{path}/out.json"):
            result = run("extract", "sglang", "--wheel", path, "-o", output)
            assert (result.exit_code, result.stdout) == (2, "")
            assert f"error: {output} can't be written: " in result.stderr
        assert here() == [Path(path).name]


def not_a_zip(path: Path) -> str:
    path.write_bytes(b"not a zip at all")
    return "not a wheel: File is not a zip file"


def cut_off(path: Path) -> str:
    wheel(path.parent, {"vllm/a.py": "x = 1\n" * 500}).rename(path)
    path.write_bytes(path.read_bytes()[:-100])
    return "not a wheel: "


def another_engine(path: Path) -> str:
    wheel(path.parent, NO_ENGINE).rename(path)
    return "isn't vllm: it has no vllm/engine/arg_utils.py"


def bomb(path: Path) -> str:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("vllm/a.py", b"\0" * (sources.MAX_FILE_BYTES + 1))
    return "vllm/a.py would be 8 MiB; at most 8 are read"


def leaves(path: Path) -> str:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../x.py", b"")
    return "path '../../x.py' leaves the archive"


def missing(path: Path) -> str:
    return "can't be read: No such file or directory"


def folder(path: Path) -> str:
    path.mkdir()
    return "can't be read: Is a directory"


BROKEN = [not_a_zip, cut_off, another_engine, bomb, leaves, missing, folder]


class TestBroken:
    """Wheels and trees that can't be read, or aren't the engine."""

    @pytest.mark.parametrize("how", BROKEN)
    def test_a_wheel(self, how: Any, tmp_path: Path) -> None:
        """Exit code 2, what is wrong with which file, and no output file."""
        path = tmp_path / "broken.whl"
        message = how(path)
        for args in (
            ("extract", "vllm", "--wheel", str(path), "-o", "out.json"),
            ("extract", "vllm", "--wheel", str(path)),
            ("fold", "vllm", str(path), "-o", "out.json"),
        ):
            result = installed(*args)
            assert (result.exit_code, result.stdout) == (2, "")
            assert result.stderr.startswith(f"error: {path}")
            assert message in result.stderr
        assert here() == []

    def test_a_tree(self, tmp_path: Path) -> None:
        """One that isn't there, or isn't the engine's."""
        (tmp_path / "tree" / "torch").mkdir(parents=True)
        none, other = str(tmp_path / "none"), str(tmp_path / "tree")
        result = installed("extract", "vllm", "--tree", none, "-o", "out.json")
        assert (result.exit_code, result.stderr) == (2, f"error: {none}: no such folder\n")
        result = installed("extract", "sglang", "--tree", other, "-o", "out.json")
        assert result.exit_code == 2
        assert result.stderr.startswith(f"error: {other} isn't sglang: ")
        assert here() == []


class TestFold:
    """Releases in one file, as a plugin ships it."""

    def test_wheels(self) -> None:
        """All that are named, oldest first, with their hashes and days."""
        newer, older = made("4.10.0", "--b"), made("4.9.0", "--a")
        result = run("fold", "sglang", str(newer), str(older), "-o", "out.json")
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", "out.json\n")
        data = folded()
        assert data["versions"] == ["4.9.0", "4.10.0"]
        assert data["wheels"]["4.9.0"]["name"] == older.name
        assert data["wheels"]["4.9.0"]["built"] == "2026-09-22"
        assert len(data["wheels"]["4.10.0"]["sha256"]) == 64
        assert run("fold", "sglang", str(older), str(newer)).stdout == Path("out.json").read_text()

    def test_versions(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """pip brings one after the other, beside wheels that are there."""
        asked: list[str] = []

        def pip(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
            asked.append(command[-1])
            made(command[-1].partition("==")[2], folder=Path(command[command.index("--dest") + 1]))
            return subprocess.CompletedProcess(command, 0, "", "")

        monkeypatch.setattr(subprocess, "run", pip)
        args = ("--version", "4.1.0", "--version", "4.2.0", "-o", "out.json")
        assert run("fold", "sglang", str(made()), *args).exit_code == 0
        assert asked == ["sglang==4.1.0", "sglang==4.2.0"]
        assert folded()["versions"] == ["4.0.0", "4.1.0", "4.2.0"]

    def test_onto(self) -> None:
        """The other releases stay as they were, and one that is there is made anew."""
        run("fold", "sglang", str(made("4.0.0")), str(made("4.1.0")), "-o", "old.json")
        args = (str(made("4.1.0", "--new")), str(made("4.2.0")), "--onto", "old.json")
        assert run("fold", "sglang", *args, "-o", "out.json").exit_code == 0
        old, new = folded("old.json"), folded()
        assert new["versions"] == ["4.0.0", "4.1.0", "4.2.0"]
        assert new["wheels"]["4.0.0"] == old["wheels"]["4.0.0"]
        assert {"--house", "--new"} <= set(new["flags"])
        assert run("fold", "sglang", *args, "-o", "old.json").exit_code == 0
        assert folded("old.json") == new

    def test_hashes(self) -> None:
        """A zip of a wheel's Python files needs the wheel's own hash."""
        made().rename("python.zip")
        result = run("fold", "sglang", "python.zip", "-o", "out.json")
        assert result.exit_code == 2
        assert "python.zip is no wheel, and no hash of sglang 4.0.0's is given" in result.stderr
        assert here() == ["python.zip"]
        row = {"engine": "sglang", "version": "4.0.0", "wheel": "w.whl", "sha256": "ab" * 32}
        Path("hashes").write_text(json.dumps({**row, "built": "2026-01-02"}) + "\n\n")
        args = ("fold", "sglang", "python.zip", "--hashes", "hashes", "-o", "out.json")
        assert run(*args).exit_code == 0
        wheels = {"4.0.0": {"name": "w.whl", "sha256": "ab" * 32, "built": "2026-01-02"}}
        assert folded()["wheels"] == wheels

    def test_hashes_that_are_none(self) -> None:
        """Every bad line in one go."""
        Path("hashes").write_text('{"engine": "sglang"}\nno\n')
        result = run("fold", "sglang", str(made()), "--hashes", "hashes", "-o", "out.json")
        assert result.exit_code == 2
        assert result.stderr.startswith("error: not hashes of wheels (hashes): ")
        for fault in ("'wheel' is missing", "'sha256' is missing", "line 2: "):
            assert fault in result.stderr
        assert "out.json" not in here()

    @pytest.mark.parametrize(
        ("option", "data", "message"),
        [
            ("--hashes", None, "file: can't be read: No such file or directory\n"),
            ("--hashes", b"\xff", "file: can't be read: 'utf-8' codec can't decode byte 0xff"),
            ("--onto", None, "file: can't be read: No such file or directory\n"),
            ("--onto", b"\xff", "not a folded file of engine surfaces (file): not JSON: "),
            ("--onto", b"{}", "not a folded file of engine surfaces (file): 'engine' is missing"),
        ],
    )
    def test_a_file_beside_it(self, option: str, data: bytes | None, message: str) -> None:
        """One that isn't there, or isn't what the option says."""
        if data is not None:
            Path("file").write_bytes(data)
        result = run("fold", "sglang", str(made()), option, "file", "-o", "out.json")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"error: {message}")
        assert "out.json" not in here()

    def test_onto_another_engine(self) -> None:
        """Releases of two engines don't go into one file."""
        run("fold", "sglang", str(made()), "-o", "old.json")
        other = Path("old.json").read_text().replace('"engine":"sglang"', '"engine":"vllm"')
        Path("old.json").write_text(other)
        args = ("fold", "sglang", str(made("4.1.0")), "--onto", "old.json", "-o", "old.json")
        result = run(*args)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "engines ['sglang', 'vllm']" in result.stderr
        assert Path("old.json").read_text() == other

    def test_no_wheels(self) -> None:
        """There has to be something to fold."""
        result = run("fold", "sglang", "-o", "out.json")
        assert (result.exit_code, here()) == (2, [])
        assert result.stderr == (
            "error: name wheels, or releases with --version\ntry: infxreg engine fold --help\n"
        )

    def test_unknown_engine(self) -> None:
        """One whose plugin isn't there."""
        result = run("fold", "sglagn", str(made()))
        assert result.exit_code == 2
        assert result.stderr == "error: unknown engine 'sglagn': did you mean 'sglang'?\n"

    def test_one_broken_wheel(self) -> None:
        """Nothing is written, and what was there stays."""
        Path("broken.whl").write_text("no zip")
        Path("out.json").write_text("as it was")
        result = run("fold", "sglang", str(made()), "broken.whl", "-o", "out.json")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == "error: broken.whl: not a wheel: File is not a zip file\n"
        assert Path("out.json").read_text() == "as it was"
        assert here() == ["broken.whl", "out.json", made().name]

    def test_a_write_that_fails(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The old file stays whole, and nothing is left beside it."""
        path = made()
        Path("out.json").write_text("as it was")

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", full)
        result = run("fold", "sglang", str(path), "-o", "out.json")
        assert result.exit_code == 2
        assert result.stderr == "error: out.json can't be written: No space left on device\n"
        assert Path("out.json").read_text() == "as it was"
        assert here() == ["out.json", path.name]
