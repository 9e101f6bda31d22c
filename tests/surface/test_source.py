"""Reading wheels and folders: only Python files, nothing unpacked, nothing hostile."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from infxreg.errors import InfxregError
from infxreg.surface import source as sources
from infxreg.surface.errors import SourceError
from infxreg.surface.source import download, open_tree, open_wheel
from support.trees import wheel

FILES: dict[str, str | bytes] = {
    "vllm/__init__.py": "a = 1\n",
    "vllm/b.py": "é\n".encode("latin-1"),
    "vllm/_C.abi3.so": b"\x7fELF" + b"0" * 1000,
}


def refused(path: Path) -> str:
    with pytest.raises(SourceError) as caught, open_wheel(path):
        pass
    assert isinstance(caught.value, InfxregError)
    return str(caught.value)


def zipped(folder: Path, *entries: tuple[str, bytes]) -> Path:
    path = folder / "made.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name), data)
    return path


class TestWheel:
    def test_python_files_and_metadata(self, tmp_path: Path) -> None:
        with open_wheel(wheel(tmp_path, FILES)) as found:
            assert found.paths == ("vllm/__init__.py", "vllm/b.py")
            assert (found.name, found.version) == ("vllm", "1.0")
            assert found.text("vllm/__init__.py") == "a = 1\n"
            assert found.text("vllm/b.py") == "�\n"
            assert found.wheel is not None
            assert len(found.wheel.sha256) == 64

    def test_a_file_that_is_missing(self, tmp_path: Path) -> None:
        with (
            open_wheel(wheel(tmp_path, FILES)) as found,
            pytest.raises(SourceError, match=r"c\.py is missing"),
        ):
            found.text("vllm/c.py")

    def test_no_such_file(self, tmp_path: Path) -> None:
        assert "can't be read: No such file" in refused(tmp_path / "none.whl")

    def test_no_zip(self, tmp_path: Path) -> None:
        path = tmp_path / "x.whl"
        path.write_bytes(b"not a zip at all")
        assert "not a wheel: File is not a zip file" in refused(path)

    def test_cut_off(self, tmp_path: Path) -> None:
        path = wheel(tmp_path, FILES)
        path.write_bytes(path.read_bytes()[:-100])
        assert "not a wheel" in refused(path)

    def test_damaged_inside(self, tmp_path: Path) -> None:
        path = wheel(tmp_path, {"vllm/a.py": "x = 1\n" * 500})
        data = bytearray(path.read_bytes())
        at = data.index(b"vllm/a.py") + len("vllm/a.py") + 3
        data[at : at + 8] = b"\xff" * 8
        path.write_bytes(bytes(data))
        with open_wheel(path) as found, pytest.raises(SourceError, match=r"a\.py is damaged"):
            found.text("vllm/a.py")

    @pytest.mark.parametrize(
        "name", ["/etc/x.py", "../x.py", "a/../../x.py", "a\\x.py", "C:x.py", "a/\0x.py"]
    )
    def test_a_path_that_leaves_the_archive(self, tmp_path: Path, name: str) -> None:
        path = tmp_path / "made.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("ok.py", b"")
            info = zipfile.ZipInfo("plain.py")
            info.filename = name
            archive.writestr(info, b"")
        if "\0" in name:  # zipfile itself cuts a name there
            with open_wheel(path) as found:
                assert found.paths == ("ok.py",)
        else:
            assert "leaves the archive" in refused(path)

    @pytest.mark.filterwarnings("ignore:Duplicate name")
    def test_two_of_one_name(self, tmp_path: Path) -> None:
        path = zipped(tmp_path, ("a.py", b"1"), ("a.py", b"2"))
        assert "two entries are called a.py" in refused(path)

    def test_encrypted(self, tmp_path: Path) -> None:
        path = zipped(tmp_path, ("a.py", b"1"))
        data = bytearray(path.read_bytes())
        data[data.index(b"PK\x01\x02") + 8] |= 1
        path.write_bytes(bytes(data))
        assert "a.py is encrypted" in refused(path)


class TestBombs:
    def test_one_huge_file(self, tmp_path: Path) -> None:
        path = tmp_path / "x.whl"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.py", b"\0" * (sources.MAX_FILE_BYTES + 1))
        assert path.stat().st_size < 100_000
        assert "a.py would be 8 MiB; at most 8 are read" in refused(path)

    def test_a_file_that_says_it_is_small(self, tmp_path: Path) -> None:
        path = tmp_path / "x.whl"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.py", b"\0" * (sources.MAX_FILE_BYTES + 1))
        data = bytearray(path.read_bytes())
        at = data.index(b"PK\x01\x02") + 24
        data[at : at + 4] = (100).to_bytes(4, "little")
        path.write_bytes(bytes(data))
        with open_wheel(path) as found, pytest.raises(SourceError, match=r"a\.py is damaged"):
            found.text("a.py")

    def test_many_files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sources, "MAX_FILES", 3)
        path = zipped(tmp_path, *((f"a{i}.py", b"") for i in range(4)))
        assert "4 Python files; at most 3 are read" in refused(path)

    def test_many_entries(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sources, "MAX_ENTRIES", 3)
        path = zipped(tmp_path, *((f"a{i}.so", b"") for i in range(4)))
        assert "4 entries; at most 3 are read" in refused(path)

    def test_much_together(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sources, "MAX_TOTAL_BYTES", 3 << 20)
        path = zipped(tmp_path, *((f"a{i}.py", b"0" * (1 << 20)) for i in range(4)))
        assert "its files would be 4 MiB; at most 3 are read" in refused(path)


class TestTree:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "vllm" / "sub").mkdir(parents=True)
        (tmp_path / "vllm" / "__init__.py").write_text("a = 1\n")
        (tmp_path / "vllm" / "sub" / "b.py").write_text("b = 1\n")
        (tmp_path / "vllm" / "x.so").write_bytes(b"")
        (tmp_path / "vllm" / ".git").mkdir()
        (tmp_path / "vllm" / ".git" / "c.py").write_text("c = 1\n")
        (tmp_path / "torch").mkdir()
        (tmp_path / "torch" / "d.py").write_text("d = 1\n")
        return tmp_path

    def test_one_package(self, folder: Path) -> None:
        found = open_tree(folder, "vllm")
        assert found.paths == ("vllm/__init__.py", "vllm/sub/b.py")
        assert found.text("vllm/sub/b.py") == "b = 1\n"
        assert (found.name, found.version, found.wheel) == (None, None, None)

    def test_the_package_itself(self, folder: Path) -> None:
        assert open_tree(folder / "vllm", "vllm").paths == open_tree(folder, "vllm").paths

    def test_a_checkout_with_python_folder(self, folder: Path) -> None:
        checkout = folder / "checkout"
        checkout.mkdir()
        (folder / "vllm").rename(folder / "python")
        (checkout / "python").mkdir()
        (folder / "python").rename(checkout / "python" / "vllm")
        assert open_tree(checkout, "vllm").paths == ("vllm/__init__.py", "vllm/sub/b.py")

    def test_metadata_beside_it(self, folder: Path) -> None:
        (folder / "vllm-2.0.dist-info").mkdir()
        (folder / "vllm-2.0.dist-info" / "METADATA").write_text("Name: vllm\nVersion: 2.0\n")
        assert open_tree(folder, "vllm").version == "2.0"

    def test_no_folder(self, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match="no such folder"):
            open_tree(tmp_path / "none", "vllm")

    def test_a_link_out_of_it(self, folder: Path) -> None:
        (folder / "secret.py").write_text("x = 1\n")
        outside = folder.parent / "outside.py"
        outside.write_text("x = 1\n")
        (folder / "vllm" / "in.py").symlink_to(folder / "secret.py")
        assert "vllm/in.py" in open_tree(folder, "vllm").paths
        (folder / "vllm" / "out.py").symlink_to(outside)
        with pytest.raises(SourceError, match=r"vllm/out\.py links out of the folder"):
            open_tree(folder, "vllm")

    def test_a_file_that_grew(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        found = open_tree(folder, "vllm")
        monkeypatch.setattr(sources, "MAX_FILE_BYTES", 1 << 20)
        (folder / "vllm" / "sub" / "b.py").write_bytes(b"0" * (2 << 20))
        with pytest.raises(SourceError, match=r"b\.py is larger than 1 MiB"):
            found.text("vllm/sub/b.py")

    def test_a_file_that_went(self, folder: Path) -> None:
        found = open_tree(folder, "vllm")
        (folder / "vllm" / "sub" / "b.py").unlink()
        with pytest.raises(SourceError, match=r"b\.py can't be read"):
            found.text("vllm/sub/b.py")


class TestDownload:
    @pytest.mark.parametrize("version", ["", "1.0; rm -rf x", "../1", "-e ."])
    def test_no_version(self, version: str) -> None:
        with pytest.raises(SourceError, match="not a version"), download("vllm", version):
            pass

    def test_what_pip_says(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
            assert command[-1] == "vllm==99.0"
            assert "--only-binary=:all:" in command
            return subprocess.CompletedProcess(command, 1, "", "a\nERROR: No matching\n")

        monkeypatch.setattr(subprocess, "run", run)
        with (
            pytest.raises(SourceError, match="pip found no wheel: ERROR: No matching"),
            download("vllm", "99.0"),
        ):
            pass

    def test_a_wheel_is_read_and_deleted(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folders: list[Path] = []

        def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
            folders.append(Path(command[command.index("--dest") + 1]))
            wheel(folders[0], FILES)
            return subprocess.CompletedProcess(command, 0, "", "")

        monkeypatch.setattr(subprocess, "run", run)
        with download("vllm", "1.0") as found:
            assert found.version == "1.0"
        assert not folders[0].exists()

    def test_too_slow(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
            raise subprocess.TimeoutExpired(command, 1)

        monkeypatch.setattr(subprocess, "run", run)
        with (
            pytest.raises(SourceError, match="pip took longer than 5 s"),
            download("vllm", "1.0", timeout_s=5),
        ):
            pass
