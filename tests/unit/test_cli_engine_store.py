"""``infxreg engine list``, ``add`` and ``remove``: builds that plugins ship, and one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from infxreg import LaunchSpec
from infxreg.cli.app import app
from infxreg.cli.state import State
from infxreg.surface.model import Surface
from support.engines import engines
from support.surfaces import flag, sglang, vllm

DIGEST = "sha256:" + "0a" * 32


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of added builds, which isn't there yet."""
    folder = tmp_path / "kept"
    monkeypatch.setenv("INFXREG_SURFACES", str(folder))
    monkeypatch.delenv("INFXREG_PLUGINS", raising=False)
    return folder


def run(*args: str) -> Result:
    return CliRunner().invoke(app, ["--site", "/dev/null", *args])


def engine(*args: str) -> Result:
    return run("engine", *args)


def dump(**more: object) -> dict[str, object]:
    """What the dump script prints in an image, as small as it goes."""
    actions = [
        {"opts": [], "dest": "model_tag", "nargs": "?", "action": "_StoreAction"},
        {"opts": ["--mine"], "dest": "mine", "nargs": None, "action": "_StoreAction"},
    ]
    whole = {
        "engine": "vllm",
        "version": "0.31.1.dev5",
        "actions": actions,
        "options": ["--mine"],
        "envs": ["VLLM_A"],
    }
    return {**whole, **more}


def put(folder: Path, data: object) -> str:
    path = folder / "dump.json"
    if isinstance(data, bytes):
        path.write_bytes(data)
    else:
        path.write_text(json.dumps(data.to_json() if isinstance(data, Surface) else data))
    return str(path)


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


class TestList:
    """What is known, and from where."""

    def test_shipped(self) -> None:
        """Every release with the day and the wheel that it was read from."""
        result = engine("list")
        assert result.exit_code == 0
        head, *rows = result.stdout.splitlines()
        assert head.split() == ["engine", "build", "built", "from"]
        assert {row.split()[0] for row in rows} == {"sglang", "vllm"}
        (row,) = [row for row in rows if row.startswith("sglang  0.5.5 ")]
        assert row.split() == ["sglang", "0.5.5", "2025-11-06", "sglang-0.5.5-py3-none-any.whl"]

    def test_one_engine(self) -> None:
        """The others aren't listed; oldest first."""
        rows = engine("list", "vllm").stdout.splitlines()[1:]
        assert {row.split()[0] for row in rows} == {"vllm"}
        builds = [row.split()[1] for row in rows]
        assert builds[0] == "0.8.5"
        assert builds.index("0.9.0") < builds.index("0.10.0") < builds.index("0.31.0")

    def test_unknown(self) -> None:
        """With the near match."""
        result = engine("list", "sglagn")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == "error: unknown engine 'sglagn': did you mean 'sglang'?\n"

    def test_json(self) -> None:
        """With the hash of each wheel."""
        rows = json.loads(engine("list", "vllm", "--json").stdout)
        (row,) = [row for row in rows if row["build"] == "0.31.0"]
        assert set(row) == {"engine", "build", "built", "from", "sha256"}
        assert len(row["sha256"]) == 64
        assert (row["engine"], row["from"][:12]) == ("vllm", "vllm-0.31.0-")

    def test_added(self, tmp_path: Path, kept: Path) -> None:
        """One's own come after, with their file; of an engine that no plugin knows too."""
        engine("add", put(tmp_path, dump()), "--digest", DIGEST)
        engine("add", put(tmp_path, dump(engine="private", version="1")))
        last = engine("list").stdout.splitlines()[-2:]
        assert [row.split() for row in last] == [
            ["private", "1", "-", str(kept / "private" / "1.json")],
            ["vllm", DIGEST, "-", str(kept / "vllm" / f"sha256-{'0a' * 32}.json")],
        ]
        assert json.loads(engine("list", "private", "--json").stdout) == [
            {"engine": "private", "build": "1", "from": str(kept / "private" / "1.json")}
        ]

    def test_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without a plugin, there is a head and no row."""
        monkeypatch.setenv("INFXREG_PLUGINS", "nvidia")
        result = engine("list")
        assert (result.exit_code, result.stdout.split()) == (
            0,
            ["engine", "build", "built", "from"],
        )
        assert engine("list", "--json").stdout == "[]\n"

    def test_a_registry_with_faults(self) -> None:
        """It says so, and lists nothing."""
        state = State(registry=engines('[[recipe]]\nid = "r"\n'))
        result = CliRunner().invoke(app, ["engine", "list"], obj=state)
        assert (result.exit_code, result.stdout) == (2, "")


class TestAdd:
    """Taking in a dump, or an extraction."""

    def test_a_dump(self, tmp_path: Path, kept: Path) -> None:
        """Under its own version; the file is told, and it is checked against from then on."""
        result = engine("add", put(tmp_path, dump()))
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout == f"{kept / 'vllm' / '0.31.1.dev5.json'}\n"
        taken = engine("check", "vllm@0.31.1.dev5", "--", "--mine", "1")
        assert (taken.exit_code, taken.stdout) == (0, "accepted\n")
        assert engine("check", "vllm@0.31.1.dev5", "--", "--seed", "1").exit_code == 1

    def test_an_extraction(self, tmp_path: Path, kept: Path) -> None:
        """What ``engine extract`` wrote goes in the same way."""
        made = sglang(flag("--house", type="int"), version="0.6.0+ours")
        assert engine("add", put(tmp_path, made)).exit_code == 0
        assert files(kept) == ["sglang/0.6.0+ours.json"]
        result = engine("check", "sglang@0.6.0+ours", "--", "--house", "x")
        assert result.stdout.startswith("refused\n  error wrong type: --house takes a whole number")

    def test_a_checkout(self, tmp_path: Path, kept: Path) -> None:
        """It states no version, so one has to be given; messages call it by that."""
        path = put(tmp_path, vllm(flag("--mine"), version=""))
        result = engine("add", path)
        assert (result.exit_code, kept.exists()) == (2, False)
        assert "it states no version: say which, or the image's digest" in result.stderr
        assert engine("add", path, "--as", "").exit_code == 2
        assert engine("add", path, "--as", "0.40.0.dev1").exit_code == 0
        refused = engine("check", "vllm@0.40.0.dev1", "--", "--seed", "1").stdout
        assert "vllm 0.40.0.dev1 has no --seed" in refused

    def test_by_digest(self, tmp_path: Path, kept: Path) -> None:
        """Images with that digest are checked by it, whatever their tag says."""
        engine("add", put(tmp_path, dump()), "--digest", DIGEST)
        assert files(kept) == [f"vllm/sha256-{'0a' * 32}.json"]
        for target in (
            f"vllm@{DIGEST}",
            f"vllm/vllm-openai:v0.31.0@{DIGEST}",
            f"acme/private:1@{DIGEST}",
            f"acme/private@{DIGEST}",
        ):
            assert engine("check", target, "--", "--mine", "1").stdout == "accepted\n"
        other = engine("check", "vllm/vllm-openai:v0.31.0", "--", "--mine", "1")
        assert other.exit_code == 1

    def test_another_digest(self, tmp_path: Path) -> None:
        """Those that are known are named."""
        engine("add", put(tmp_path, dump()), "--digest", DIGEST)
        other = "sha256:" + "0b" * 32
        result = engine("check", f"vllm@{other}")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == f"error: no surface of vllm {other}: known are {DIGEST}\n"
        result = engine("check", f"acme/private:1@{other}")
        assert f"error: nothing is known of 'acme/private:1@{other}'" in result.stderr

    def test_as_a_version(self, tmp_path: Path, kept: Path) -> None:
        """Under another name than its own, also that of a release: the user's comes first."""
        path = put(tmp_path, dump())
        assert engine("add", path, "--as", "0.31.0").exit_code == 0
        assert files(kept) == ["vllm/0.31.0.json"]
        assert engine("check", "vllm@0.31.0", "--", "--mine", "1").stdout == "accepted\n"

    def test_digest_and_version(self, tmp_path: Path, kept: Path) -> None:
        """One or the other."""
        result = engine("add", put(tmp_path, dump()), "--digest", DIGEST, "--as", "1")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("error: give --digest or --as, not both\n")
        assert not kept.exists()

    def test_replace(self, tmp_path: Path) -> None:
        """Another one under the same name has to be meant; the same again is fine."""
        first = put(tmp_path, dump())
        assert engine("add", first).exit_code == 0
        assert engine("add", first).exit_code == 0
        other = put(tmp_path, dump(envs=["VLLM_B"]))
        result = engine("add", other)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "holds another surface; say that it may be replaced" in result.stderr
        asked = ("check", "vllm@0.31.1.dev5", "--env", "VLLM_B=1")
        assert "VLLM_B" in engine(*asked).stdout
        assert engine("add", other, "--replace").exit_code == 0
        assert engine(*asked).stdout == "accepted\n"

    def test_a_dump_that_doesnt_name_its_engine(self, tmp_path: Path, kept: Path) -> None:
        """--engine does."""
        nameless = dump()
        del nameless["engine"]
        path = put(tmp_path, nameless)
        result = engine("add", path)
        assert (result.exit_code, "'engine' is missing" in result.stderr) == (2, True)
        assert not kept.exists()
        assert engine("add", path, "--engine", "vllm").exit_code == 0
        assert files(kept) == ["vllm/0.31.1.dev5.json"]

    def test_partial(self, tmp_path: Path, kept: Path) -> None:
        """What a dump says it couldn't read is refused, or stays unknown if one says so."""
        path = put(tmp_path, dump(dump=1, missing=["models: ImportError: no torch"]))
        result = engine("add", path)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "the engine didn't give its models: ImportError: no torch" in result.stderr
        assert not kept.exists()
        assert engine("add", path, "--partial").exit_code == 0
        assert engine("check", "vllm@0.31.1.dev5", "--", "--mine", "1").stdout == "accepted\n"

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b"", "error: not JSON: "),
            (b'{"engine": "vllm"', "error: not JSON: "),
            (b"\xff\xfe\x00", "error: not JSON: "),
            (b"[1]", "error: not a dump of an engine's parser: "),
            (b"{}", "'engine' is missing; 'options' is missing; 'actions' is missing"),
            (dump(options=["--yours"]), "'--yours' belongs to no action @ options"),
            (dump(dump=7), "format 7; this version reads 1"),
            (dump(version="a/b"), "a/b: a key is sha256: with 64 hex digits, or a version"),
            (dump(engine="../up"), "a key is sha256: with 64 hex digits"),
            ({"schema": 2, "engine": "vllm"}, "schema 2; this version reads 1"),
            (
                {"schema": 1, "engine": "vllm", "version": "1", "flags": [{"dest": 3}]},
                "text is needed, not int @ flags[0].dest",
            ),
        ],
    )
    def test_unusable(self, tmp_path: Path, kept: Path, data: Any, message: str) -> None:
        """Damaged, partial or foreign: what is wrong is said, and nothing is kept."""
        result = engine("add", put(tmp_path, data))
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in result.stderr
        assert not kept.exists()

    @pytest.mark.parametrize(
        ("key", "message"),
        [
            (("--digest", "sha256:12"), "--digest 'sha256:12': write sha256: with 64 hex digits"),
            (("--digest", "0a" * 32), "': write sha256: with 64 hex digits"),
            (("--digest", "0.31.0"), "--digest '0.31.0': write sha256: with 64 hex digits"),
            (("--digest", ""), "--digest '': write sha256: with 64 hex digits"),
            (("--as", "../x"), "../x: a key is sha256: with 64 hex digits, or a version"),
            (("--as", "sha256:12"), "sha256:12: a key is sha256: with 64 hex digits"),
            (("--as", ""), "a key is sha256: with 64 hex digits, or a version"),
        ],
    )
    def test_no_key(self, tmp_path: Path, kept: Path, key: tuple[str, str], message: str) -> None:
        """A name that is neither digest nor version, or not what the option says."""
        result = engine("add", put(tmp_path, dump()), *key)
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in result.stderr
        assert not kept.exists()

    def test_another_engine_than_it_says(self, tmp_path: Path, kept: Path) -> None:
        """--engine doesn't overrule a document, so it may not contradict it."""
        for data in (dump(), vllm(flag("--x"))):
            path = put(tmp_path, data)
            result = engine("add", path, "--engine", "sglang")
            assert result.exit_code == 2
            assert result.stderr == f"error: {path}: it is of vllm, not sglang\n"
        assert not kept.exists()
        assert engine("add", path, "--engine", "vllm").exit_code == 0

    def test_no_file(self, tmp_path: Path, kept: Path) -> None:
        """A document that isn't there."""
        result = engine("add", str(tmp_path / "none.json"))
        assert result.exit_code == 2
        assert result.stderr == (
            f"error: {tmp_path / 'none.json'}: can't be read: No such file or directory\n"
        )
        assert not kept.exists()

    def test_a_folder_that_cant_be_made(self, tmp_path: Path, kept: Path) -> None:
        """A file is in its place."""
        kept.write_text("")
        result = engine("add", put(tmp_path, dump()))
        assert result.exit_code == 2
        assert "can't be written" in result.stderr

    def test_damage_after_it_was_kept(self, tmp_path: Path, kept: Path) -> None:
        """The file is named; other builds can still be asked about."""
        engine("add", put(tmp_path, dump()))
        path = kept / "vllm" / "0.31.1.dev5.json"
        path.write_text(path.read_text()[:-20])
        result = engine("check", "vllm@0.31.1.dev5")
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"not a kept surface ({path})" in result.stderr
        assert engine("check", "vllm@0.31.0").stdout == "accepted\n"


class TestRemove:
    """Forgetting one."""

    def test_there(self, tmp_path: Path, kept: Path) -> None:
        """By version or digest; what the plugin ships answers again."""
        path = put(tmp_path, dump())
        engine("add", path, "--as", "0.31.0")
        engine("add", path, "--digest", DIGEST)
        removed = engine("remove", "vllm@0.31.0")
        assert (removed.exit_code, removed.output) == (0, "")
        assert engine("check", "vllm@0.31.0", "--", "--seed", "1").stdout == "accepted\n"
        assert engine("remove", f"vllm@{DIGEST}").exit_code == 0
        assert files(kept) == []

    def test_not_there(self, tmp_path: Path) -> None:
        """The near match of those that are; a shipped one can't be removed."""
        engine("add", put(tmp_path, dump()))
        result = engine("remove", "vllm@0.31.1.dev6")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == (
            "error: unknown added build 'vllm@0.31.1.dev6': did you mean 'vllm@0.31.1.dev5'?\n"
        )
        for build in ("vllm@0.31.0", "vllm", "@", "vllm@../../x"):
            assert engine("remove", build).exit_code == 2
        assert engine("check", "vllm@0.31.1.dev5").stdout == "accepted\n"

    def test_nothing_was_added(self) -> None:
        """That is what is said then."""
        result = engine("remove", "vllm@0.31.0")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == ("error: there is no 'vllm@0.31.0' to remove: nothing was added\n")


class TestFolder:
    """Where builds are kept."""

    def test_by_the_xdg_rules(
        self, tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """XDG_DATA_HOME where INFXREG_SURFACES is unset or empty, else the home folder."""
        path = put(tmp_path, dump())
        monkeypatch.setenv("INFXREG_SURFACES", "")
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
        engine("add", path)
        assert files(tmp_path / "data") == ["infxreg/surfaces/vllm/0.31.1.dev5.json"]
        assert "0.31.1.dev5" in engine("list", "vllm").stdout
        monkeypatch.delenv("XDG_DATA_HOME")
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        assert "0.31.1.dev5" not in engine("list", "vllm").stdout
        engine("add", path)
        assert files(tmp_path / "home") == [".local/share/infxreg/surfaces/vllm/0.31.1.dev5.json"]
        assert not kept.exists()

    def test_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """INFXREG_SURFACES wins; what lies in it and isn't ours is no build."""
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
        engine("add", put(tmp_path, dump()))
        folder = tmp_path / "kept"
        (folder / "README").write_text("")
        (folder / "vllm" / "notes.txt").write_text("")
        (folder / "vllm" / ".hidden.json").write_text("")
        assert not (tmp_path / "data").exists()
        added = [r for r in engine("list").stdout.splitlines() if str(folder) in r]
        assert [row.split()[1] for row in added] == ["0.31.1.dev5"]


class TestResolve:
    """An image with its own dump is checked by that."""

    def test_by_digest(self, tmp_path: Path) -> None:
        """``resolve --image name@sha256:…`` is told by what was added under the digest."""
        image = ("resolve", "b200", "dsv41flash", "--image", f"acme/vllm:ours@{DIGEST}", "--json")
        before = LaunchSpec.from_dict(json.loads(run(*image).stdout))
        assert not any(check.answer == "refuted" for check in before.checks)
        engine("add", put(tmp_path, vllm(flag("--mine"), version="1.0+ours")), "--digest", DIGEST)
        result = run(*image)
        assert result.exit_code == 1
        after = LaunchSpec.from_dict(json.loads(result.stdout))
        said = [check.reason for check in after.checks if check.answer == "refuted"]
        assert any("vllm 1.0+ours has no --attention-config" in reason for reason in said)
