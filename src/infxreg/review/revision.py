"""The snapshot of a git revision, or of a working tree: its plugins' sources and its site file.

A process of its own resolves them, with the revision's sources first on its path, so
nothing of them gets into this one, and nothing of this one into them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Collection, Generator, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from infxreg import plugins
from infxreg.errors import BadRequestError, InfxregError
from infxreg.importing.checkout import checkout
from infxreg.registry import Registry, site_layer
from infxreg.review import assess as assessment
from infxreg.review import snapshot
from infxreg.review.assess import Assessment, from_json, to_json

_CORE = "infxreg"
_ASSESSED = "assessed: "
"""What the line with an assessment begins with; a snapshot's are JSON objects."""

_SKIPPED = frozenset({"node_modules", "build", "dist", "__pycache__"})


@frozen
class PluginTree:
    """A plugin's source: what its pyproject.toml says of it, and the folder to import it from."""

    name: str
    module: str
    distribution: str
    version: str
    path: str


@frozen
class Source:
    """What is resolved: a folder's plugins and core, and the site file.

    Attributes:
        folder: a working tree, or an exported revision.
        site: the site file, or None.
        skip: plugins to go on without.
        allow: if given, the only plugins that are loaded.
        surfaces: where the user keeps surfaces of engine builds.
        lock: the file that locks it, None where there is none.
        checkout: the importer and the path in the folder that launches are read from.
    """

    folder: Path
    site: Path | None
    skip: tuple[str, ...] = ()
    allow: tuple[str, ...] | None = None
    surfaces: Path | None = None
    lock: Path | None = None
    checkout: tuple[str, str] | None = None


class RevisionError(InfxregError):
    """A revision that can't be had, or whose registry can't be used."""


def repository(start: Path) -> Path | None:
    """The root of the git repository that a folder is in, or None."""
    done = _git(start, "rev-parse", "--show-toplevel")
    return Path(done.stdout.decode().strip()) if done.returncode == 0 else None


def is_revision(repo: Path, text: str) -> bool:
    """Whether git knows a commit by this name."""
    if text.startswith("-"):
        return False
    return _git(repo, "rev-parse", "--verify", "--quiet", f"{text}^{{commit}}").returncode == 0


@contextmanager
def exported(repo: Path, revision: str) -> Iterator[Path]:
    """A folder with the files of a revision, which is deleted at the end.

    Raises:
        RevisionError: if git can't give it.
    """
    with tempfile.TemporaryDirectory(prefix="infxreg-revision-") as folder:
        command = ["git", "-C", str(repo), "archive", "--format=tar", f"{revision}^{{commit}}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as git:
            try:
                with tarfile.open(fileobj=git.stdout, mode="r|") as archive:
                    archive.extractall(folder, filter=_within)
                if git.stdout is not None:
                    git.stdout.read()  # the padding, or git would end by a broken pipe
            except (tarfile.TarError, OSError) as error:
                git.kill()
                reason = git.stderr.read().decode(errors="replace").strip() if git.stderr else ""
                raise RevisionError(f"{revision} can't be exported: {reason or error}") from error
        if git.returncode:  # what there was of the archive could look whole
            raise RevisionError(f"{revision} can't be exported: git ended with {git.returncode}")
        yield Path(folder)


def _within(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    """The member, or None for what would lie outside: a link to elsewhere is no table of ours."""
    try:
        return tarfile.data_filter(member, folder)
    except tarfile.FilterError:
        return None


def trees(folder: Path) -> tuple[list[PluginTree], list[str]]:
    """The plugins whose sources are in a folder, and what has to be on the path for the core.

    Raises:
        RevisionError: if a pyproject.toml can't be read.
    """
    found: list[PluginTree] = []
    core: list[str] = []
    for path in sorted(_pyprojects(folder)):
        try:
            project = _table(tomllib.loads(path.read_text(encoding="utf-8")), "project")
        except (OSError, ValueError) as error:
            raise RevisionError(f"{path.relative_to(folder)}: {error}") from error
        home = path.parent
        # A core that can't tell of itself yet is left out: today's then resolves its tables.
        own = home / "src" / _CORE / "review" / "assess.py"
        if project.get("name") == _CORE and own.is_file():
            core.append(str(home / "src"))
        for name, module in _table(_table(project, "entry-points"), plugins.GROUP).items():
            if isinstance(module, str):
                at = _home_of(name, module, path, folder)
                about = (str(project.get("name", "")), str(project.get("version", "")))
                found.append(PluginTree(name, module, *about, str(at)))
    return found, core


def _table(data: dict[str, Any], key: str) -> dict[str, Any]:
    """A table in a table; empty where there is something else, which no installer takes either."""
    found = data.get(key)
    return found if isinstance(found, dict) else {}


def _home_of(name: str, module: str, pyproject: Path, folder: Path) -> Path:
    """The folder that a plugin's package or module is in."""
    top = module.partition(":")[0].partition(".")[0]
    for home in (pyproject.parent / "src", pyproject.parent):
        if (home / top).is_dir() or (home / f"{top}.py").is_file():
            return home
    # Without it what is installed would be imported, and so nothing would ever change.
    raise RevisionError(
        f"{pyproject.relative_to(folder)}: plugin {name} is {top}, which is neither beside it "
        "nor in src/"
    )


def take(source: Source) -> Generator[str, None, None]:
    """The lines of the snapshot of a folder's registry.

    Raises:
        RevisionError: with the words of the registry that can't be used.
    """
    return _told(source, {})


class Assessed:
    """A folder's registry, told by one process: the lines of its snapshot, then its assessment.

    Args:
        source: the folder.
        day: the day that it is assessed on.
    """

    def __init__(self, source: Source, day: str) -> None:
        lock = "" if source.lock is None else str(source.lock)
        self._told = _told(source, {"day": day, "lock": lock})
        self._assessment = ""

    def lines(self) -> Iterator[str]:
        """The lines of the snapshot, to be read once.

        Raises:
            RevisionError: with the words of the registry that can't be used.
        """
        for line in self._told:
            if line.startswith(_ASSESSED):
                self._assessment = line.removeprefix(_ASSESSED)
            else:
                yield line

    def assessment(self) -> Assessment:
        """What it says of itself, once its lines were read.

        Raises:
            RevisionError: with the words of the registry that can't be used.
        """
        for _ in self.lines():  # whatever nobody read
            pass
        return from_json(self._assessment)

    def close(self) -> None:
        """End the process, if it still runs."""
        self._told.close()


def _told(source: Source, more: dict[str, str]) -> Generator[str, None, None]:
    """What a process says that has a folder's registry."""
    found, core = trees(source.folder)
    wanted = {
        **more,
        "trees": [asdict(tree) for tree in found],
        "site": None if source.site is None else [str(source.site), _named(source)],
        "skip": list(source.skip),
        "allow": None if source.allow is None else list(source.allow),
        "surfaces": None if source.surfaces is None else str(source.surfaces),
        "checkout": None
        if source.checkout is None
        else [source.checkout[0], str(source.folder / source.checkout[1])],
    }
    path = os.pathsep.join([*core, *(tree.path for tree in found)])
    beside = os.environ.get("PYTHONPATH")
    env = {
        **os.environ,
        "PYTHONPATH": f"{path}{os.pathsep}{beside}" if beside else path,
        "PYTHONDONTWRITEBYTECODE": "1",  # the folder may be the working tree
        "PYTHONIOENCODING": "utf-8",
    }
    with tempfile.TemporaryFile() as errors:
        running = subprocess.Popen(
            # -P: the working directory's modules aren't the revision's
            [sys.executable, "-P", "-m", "infxreg.review.revision", json.dumps(wanted)],
            stdout=subprocess.PIPE,
            stderr=errors,
            env=env,
            text=True,
            encoding="utf-8",
        )
        try:
            if running.stdout is not None:
                yield from running.stdout
        finally:
            if running.stdout is not None:
                running.stdout.close()
            code = running.wait()
        if code:
            errors.seek(0)
            raise RevisionError(errors.read().decode(errors="replace").strip() or f"exit {code}")


def _named(source: Source) -> str:
    """What origins call the site file: its path in the folder, which no other machine has."""
    if source.site is None:
        return ""
    site, folder = source.site.resolve(), source.folder.resolve()
    return str(site.relative_to(folder) if site.is_relative_to(folder) else source.site)


def _pyprojects(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".")
            and name not in _SKIPPED
            and not (Path(place, name) / "pyvenv.cfg").exists()
        ]
        if "pyproject.toml" in files:
            yield Path(place, "pyproject.toml")


def _git(where: Path, *args: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", "-C", str(where), *args], capture_output=True, check=False)
    except FileNotFoundError as error:
        raise BadRequestError("git isn't installed: name snapshot files instead") from error


def registry_of(
    found: Iterable[PluginTree],
    site: tuple[str, str] | None,
    skip: Collection[str],
    allow: Collection[str] | None,
    surfaces: str | None = None,
) -> Registry:
    """The registry of some source trees, and of the installed plugins that none of them is.

    Args:
        found: the trees.
        site: the site file's path, and what origins call it.
        skip: plugins to go on without.
        allow: if given, the only plugins that are loaded.
        surfaces: where the user keeps surfaces of engine builds.
    """
    installed = plugins.installed()
    own = [tree for tree in found if not _is(tree, skip) and (allow is None or _is(tree, allow))]
    names = {tree.name for tree in own}
    others = None if allow is None else [n for n in allow if not any(_is(t, [n]) for t in own)]
    # What a revision hasn't yet can't be skipped; what its trees have isn't taken twice.
    known = [name for name in skip if any(_is(plugin, [name]) for plugin in installed)]
    known += [plugin.name for plugin in installed if plugin.name in names]
    contributions, skipped = plugins.load(known, others)
    taken = [
        plugins.collect_tree(tree.name, tree.module, tree.distribution, tree.version)
        for tree in own
    ]
    return Registry(
        (*contributions, *taken),
        None if site is None else site_layer(*site),
        skipped - names,
        surface_folder=None if surfaces is None else Path(surfaces),
    )


def _is(plugin: PluginTree | plugins.Installed, names: Collection[str]) -> bool:
    """Whether one of the names is the plugin's or its distribution's."""
    return plugin.name in names or plugin.distribution in names


def main() -> None:
    """The other process: a snapshot's lines on standard output."""
    wanted: dict[str, Any] = json.loads(sys.argv[1])
    try:
        with redirect_stdout(sys.stderr):  # a plugin may print
            registry = registry_of(
                [PluginTree(**tree) for tree in wanted["trees"]],
                wanted["site"],
                wanted["skip"],
                wanted["allow"],
                wanted["surfaces"],
            )
            if wanted["checkout"] is not None:
                importer, folder = wanted["checkout"]
                registry = checkout(registry, importer, Path(folder)).registry
        for line in snapshot.take(registry).lines():
            sys.stdout.write(line + "\n")
        if "day" in wanted:
            lock = Path(wanted["lock"]) if wanted["lock"] else None
            told = to_json(assessment.assess(registry, wanted["day"], lock))
            sys.stdout.write(f"{_ASSESSED}{told}\n")
    except InfxregError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
