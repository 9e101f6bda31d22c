"""The store: shipped versions, a user's own, and nothing half written."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from infxreg.records import EngineSurface
from infxreg.surface import store as stores
from infxreg.surface.checkers import Checkers
from infxreg.surface.errors import StoreError, SurfaceFormatError
from infxreg.surface.fold import fold, folded_text
from infxreg.surface.model import Flag, Surface
from infxreg.surface.store import SurfaceStore, add_document
from infxreg.tablefile import TableFile
from support.surfaces import config, flag, surface

DIGEST = "sha256:" + "0a" * 32


def one(version: str = "1.0", *names: str) -> Surface:
    return surface("vllm", version, *map(flag, names or ("--model",)))


def shipped(*surfaces: Surface) -> Checkers:
    return Checkers.read(folded_text(fold(surfaces, {})).encode())


@pytest.fixture
def store(tmp_path: Path) -> SurfaceStore:
    reads: dict[str, Any] = {"vllm": lambda: shipped(one("1.0"), one("1.1", "--new"))}
    return SurfaceStore(tmp_path / "user", reads)


def files(store: SurfaceStore) -> list[str]:
    return sorted(path.name for path in store.folder.rglob("*") if path.is_file())


class TestFind:
    def test_a_shipped_version(self, store: SurfaceStore) -> None:
        found = store.find("vllm", "1.1")
        assert found is not None
        assert (found.by, found.where) == ("version", "the vllm plugin")
        assert "--new" in found.surface.by_name
        assert store.versions("vllm") == ("1.0", "1.1")

    def test_nothing(self, store: SurfaceStore) -> None:
        assert store.find("vllm", "2.0") is None
        assert store.find("vllm") is None
        assert store.find("vllm", digest=DIGEST) is None
        assert store.find("other", "1.0") is None
        assert store.find("vllm", "../../etc/passwd", "sha256:../x") is None
        assert store.versions("other") == ()

    def test_a_shipped_file_is_read_once_and_late(self, tmp_path: Path) -> None:
        path = tmp_path / "surface.json"
        record = EngineSurface(id="vllm", file=TableFile("t", path), extract="a:b")
        made = SurfaceStore(tmp_path, {"vllm": lambda: record.read()})
        path.write_text(folded_text(fold([one()], {})))
        first = made.find("vllm", "1.0")
        path.unlink()
        second = made.find("vllm", "1.0")
        assert first is not None
        assert second is not None
        assert first.checker is second.checker

    def test_the_users_comes_first(self, store: SurfaceStore) -> None:
        store.add(one("1.0", "--mine"), "1.0")
        found = store.find("vllm", "1.0")
        assert found is not None
        assert "--mine" in found.surface.by_name
        assert found.where.endswith("vllm/1.0.json")

    def test_the_digest_comes_before_the_version(self, store: SurfaceStore) -> None:
        store.add(one("9.0", "--by-digest"), DIGEST)
        found = store.find("vllm", "1.0", DIGEST)
        assert found is not None
        assert (found.by, "--by-digest" in found.surface.by_name) == ("digest", True)
        fallback = store.find("vllm", "1.0", "sha256:" + "f" * 64)
        assert fallback is not None
        assert fallback.by == "version"

    def test_a_build_that_is_no_release(self, store: SurfaceStore) -> None:
        key = "0.30.1rc1.dev48+g7f1a5398e"
        store.add(one(key), key)
        assert store.find("vllm", key) is not None
        assert store.versions("vllm") == (key, "1.0", "1.1")
        store.add(one("main"), "main")
        assert store.versions("vllm") == (key, "1.0", "1.1", "main")


class TestAdd:
    def test_what_is_added_is_listed(self, store: SurfaceStore) -> None:
        assert list(store.added()) == []
        by_version, by_digest = store.add(one(), "1.0"), store.add(one(), DIGEST)
        assert list(store.added()) == [
            ("vllm", "1.0", by_version),
            ("vllm", DIGEST, by_digest),
        ]

    def test_it_comes_back_equal(self, store: SurfaceStore) -> None:
        made = surface(
            "vllm",
            "1.0",
            Flag(dest="model_tag", arity="?"),
            flag("--c", type="dataclass", config="C"),
            configs={"C": config(a="int | None")},
            env=("A",),
            backends=None,
        )
        store.add(made, DIGEST)
        found = store.find("vllm", digest=DIGEST)
        assert found is not None
        assert found.surface == made

    def test_the_same_again_is_fine(self, store: SurfaceStore) -> None:
        assert store.add(one(), "1.0") == store.add(one(), "1.0")

    def test_another_under_the_key_is_not(self, store: SurfaceStore) -> None:
        path = store.add(one(), "1.0")
        with pytest.raises(StoreError, match=r"1\.0\.json holds another surface"):
            store.add(one("1.0", "--other"), "1.0")
        assert "--other" not in path.read_text()
        store.add(one("1.0", "--other"), "1.0", replace=True)
        assert "--other" in path.read_text()

    @pytest.mark.parametrize(
        "key", ["", "../x", "a/b", "sha256:12", "SHA256:" + "0" * 64, ".hidden", "a..b", "x" * 200]
    )
    def test_no_key(self, store: SurfaceStore, key: str) -> None:
        with pytest.raises(StoreError, match="a key is sha256: with 64 hex digits, or a version"):
            store.add(one(), key)
        assert not store.folder.exists()

    def test_an_engine_that_is_a_path(self, store: SurfaceStore) -> None:
        with pytest.raises(StoreError, match="a key is"):
            store.add(surface("../vllm", "1.0", flag("--x")), "1.0")

    def test_remove(self, store: SurfaceStore) -> None:
        store.add(one(), DIGEST)
        assert store.remove("vllm", DIGEST) is True
        assert store.remove("vllm", DIGEST) is False
        assert store.remove("vllm", "../../x") is False
        assert files(store) == []

    def test_a_write_that_fails_leaves_nothing(
        self, store: SurfaceStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = store.add(one(), "1.0")
        before = path.read_text()

        def replace(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", replace)
        with pytest.raises(StoreError, match="can't be written: No space left on device"):
            store.add(one("1.0", "--other"), "1.0", replace=True)
        assert path.read_text() == before
        assert files(store) == ["1.0.json"]

    def test_a_folder_that_cant_be_made(self, tmp_path: Path) -> None:
        (tmp_path / "user").write_text("a file")
        with pytest.raises(StoreError, match="can't be written"):
            SurfaceStore(tmp_path / "user").add(one(), "1.0")


class TestDamage:
    def test_a_kept_file(self, store: SurfaceStore) -> None:
        path = store.add(one(), "1.0")
        path.write_text(path.read_text()[:-20])
        with pytest.raises(SurfaceFormatError, match=r"a kept surface \(.*1\.0\.json\)"):
            store.find("vllm", "1.0")

    def test_every_fault_in_one_go(self, store: SurfaceStore) -> None:
        path = store.add(one(), "1.0")
        data = json.loads(path.read_text())
        data["flags"][0].update(dest=3, hard="yes", nothing=1)
        data["schema"] = 9
        path.write_text(json.dumps(data))
        with pytest.raises(SurfaceFormatError) as caught:
            store.find("vllm", "1.0")
        assert caught.value.problems == (
            "schema 9; this version reads 1 @ schema",
            "unknown key 'nothing' @ flags[0]",
            "text is needed, not int @ flags[0].dest",
            "true or false is needed, not text @ flags[0].hard",
        )

    def test_a_shipped_file(self, tmp_path: Path) -> None:
        made = SurfaceStore(tmp_path, {"vllm": lambda: Checkers.read(b"{}")})
        with pytest.raises(SurfaceFormatError, match="not a folded file"):
            made.find("vllm", "1.0")


def dump(**more: object) -> dict[str, object]:
    actions = [{"opts": ["--x"], "dest": "x", "nargs": None, "action": "_StoreAction"}]
    return {
        "engine": "vllm",
        "version": "1.0",
        "actions": actions,
        "options": ["--x"],
        "envs": ["VLLM_A"],
        **more,
    }


class TestAddDump:
    def put(self, tmp_path: Path, data: object) -> Path:
        path = tmp_path / "dump.json"
        path.write_text(data if isinstance(data, str) else json.dumps(data))
        return path

    def test_by_its_version_or_a_key(self, store: SurfaceStore, tmp_path: Path) -> None:
        path = self.put(tmp_path, dump())
        assert add_document(store, path).name == "1.0.json"
        assert add_document(store, path, key=DIGEST).name == f"sha256-{'0a' * 32}.json"
        assert [key for _, key, _ in store.added()] == ["1.0", DIGEST]

    def test_an_engine_that_the_dump_doesnt_name(self, store: SurfaceStore, tmp_path: Path) -> None:
        data = dump()
        del data["engine"]
        path = self.put(tmp_path, data)
        with pytest.raises(SurfaceFormatError, match="'engine' is missing"):
            add_document(store, path)
        assert add_document(store, path, engine="vllm").parent.name == "vllm"

    @pytest.mark.parametrize("part", ["version", "actions", "options", "envs"])
    def test_a_missing_part(self, store: SurfaceStore, tmp_path: Path, part: str) -> None:
        data = dump()
        del data[part]
        with pytest.raises(SurfaceFormatError, match=f"'{part}' is missing"):
            add_document(store, self.put(tmp_path, data))
        assert not store.folder.exists()

    def test_parts_that_contradict(self, store: SurfaceStore, tmp_path: Path) -> None:
        data = dump(options=["--y"])
        with pytest.raises(SurfaceFormatError) as caught:
            add_document(store, self.put(tmp_path, data))
        assert caught.value.problems == (
            "'--y' belongs to no action @ options",
            "'--x' of 'x' is missing @ options",
        )

    def test_what_the_engine_didnt_give(self, store: SurfaceStore, tmp_path: Path) -> None:
        path = self.put(tmp_path, dump(dump=1, missing=["models: ImportError: no torch"]))
        with pytest.raises(SurfaceFormatError, match="didn't give its models: ImportError"):
            add_document(store, path)
        assert not store.folder.exists()
        add_document(store, path, partial=True)
        found = store.find("vllm", "1.0")
        assert found is not None
        assert found.surface.models is None

    def test_parts_that_were_lost_on_the_way(self, store: SurfaceStore, tmp_path: Path) -> None:
        actions = [
            {
                "opts": ["--c"],
                "dest": "c",
                "action": "_StoreAction",
                "type": "kw.parse_dataclass(C)",
            }
        ]
        path = self.put(
            tmp_path,
            dump(dump=1, missing=[], actions=actions, options=["--c"], configs={}, enums={}),
        )
        with pytest.raises(SurfaceFormatError) as caught:
            add_document(store, path)
        assert caught.value.problems == (
            "'backends' is missing",
            "'registries' is missing",
            "'models' is missing",
            "'C' of --c is missing @ configs",
        )

    def test_an_extraction_of_a_checkout_without_a_version(
        self, store: SurfaceStore, tmp_path: Path
    ) -> None:
        path = self.put(tmp_path, json.dumps(one("").to_json()))
        with pytest.raises(StoreError, match="states no version: say which, or the image's digest"):
            add_document(store, path)
        assert add_document(store, path, key="1.2.dev3").name == "1.2.dev3.json"
        found = store.find("vllm", "1.2.dev3")
        assert found is not None
        assert found.surface.version == "1.2.dev3"

    def test_another_format(self, store: SurfaceStore, tmp_path: Path) -> None:
        with pytest.raises(SurfaceFormatError, match="format 2; this version reads 1"):
            add_document(store, self.put(tmp_path, dump(dump=2)))

    @pytest.mark.parametrize("text", ["", "{", "[1]", "null", "[" * 100_000])
    def test_no_dump(self, store: SurfaceStore, tmp_path: Path, text: str) -> None:
        with pytest.raises(SurfaceFormatError):
            add_document(store, self.put(tmp_path, text))
        assert not store.folder.exists()

    def test_no_file(self, store: SurfaceStore, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="can't be read: No such file"):
            add_document(store, tmp_path / "none.json")

    def test_too_large(
        self, store: SurfaceStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(stores, "MAX_BYTES", 1 << 20)
        with pytest.raises(SurfaceFormatError, match="2 MiB; at most 1 are read"):
            add_document(store, self.put(tmp_path, " " * (2 << 20)))
