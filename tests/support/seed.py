"""The seed as a git repository: InferenceX #3393 as first proposed, as mended, and as it was swept.

The repository holds the nvidia plugin, with the tables that ship; each commit is one state.
"""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import tomli_w

Table = dict[str, list[dict[str, Any]]]

OLD = "vllm/vllm-openai:nightly-cd10ed6f9f6b37a8ace9cf380007e66fe12ec0c3"
"""gb200's image, which b200 had too before the change."""

# The gate on memory can't be written: a scope names identities and facts, never a number of the
# hardware. The nearest thing is a rule for both of the architectures that have so much memory.
PROPOSED = """
[[rule]]
id = "sparse-indexer"
when = { arch = ["sm100", "sm103"], model = "dsv41flash", engine = "vllm", tp = [2, 4] }
set."attention.indexer_kv_dtype" = "mxfp4"
set."attention.indexer_sparse_logits" = true
set."kv_cache.dtype" = "fp8"

[[rule]]
id = "tp2"
when = { arch = ["sm100", "sm103"], model = "dsv41flash", engine = "vllm", tp = 2 }
set."attention.backend" = "FLASHINFER_MLA_SPARSE_DSV41"

[[rule]]
id = "tp4"
when = { arch = ["sm100", "sm103"], model = "dsv41flash", engine = "vllm", tp = 4 }
set."attention.backend" = "FLASHMLA_SPARSE_DSV41"
"""

_PROJECT = """
[project]
name = "infxreg-nvidia"
version = "0.1.0"
[project.entry-points.infxreg]
nvidia = "infxreg_nvidia"
"""
_RECIPE = "dsv41flash-fp4-b200-vllm-agentic"
_AS_SWEPT = "dsv41-blackwell-attention-as-swept"
_ATTENTION, _EVIDENCE = "dsv41flash-b200-attention.toml", "dsv41flash-b200-evidence.toml"


def repository(folder: Path) -> Path:
    """The repository, with a tag for each state: ``base``, ``proposed``, ``mended``, ``swept``."""
    package = folder / "src" / "infxreg_nvidia"
    shutil.copytree(
        str(resources.files("infxreg_nvidia")),
        package,
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    (folder / "pyproject.toml").write_text(_PROJECT)
    tables = package / "tables"
    shipped = {path.name: path.read_text() for path in tables.iterdir()}
    git(folder, "init", "-q", "-b", "main")
    _rewrite(tables / _ATTENTION, _before)
    (tables / _EVIDENCE).unlink()
    _commit(folder, "base")
    (tables / "proposed.toml").write_text(PROPOSED)
    _commit(folder, "proposed")
    git(folder, "checkout", "-q", "base")
    _write(tables, shipped)
    _commit(folder, "mended")
    _rewrite(tables / _ATTENTION, _swept)
    _commit(folder, "swept")
    git(folder, "checkout", "-q", "mended")
    return folder


def git(folder: Path, *args: str) -> None:
    """Run git in a folder, as somebody."""
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "advice.detachedHead=false")
    subprocess.run(["git", "-C", str(folder), *who, *args], check=True, capture_output=True)


def _before(table: Table) -> None:
    """Neither gates nor what is behind them, nor claims about it."""
    del table["gate"], table["expect"]
    (image,) = table["rule"] = [one for one in table["rule"] if one["id"] == "b200-vllm-image"]
    image["set"]["image"] = OLD
    _recipe(table)["gates"] = []


def _swept(table: Table) -> None:
    """What the sweep ran, under the claims of the description."""
    _recipe(table)["gates"].append(_AS_SWEPT)


def _recipe(table: Table) -> dict[str, Any]:
    (found,) = (one for one in table["recipe"] if one["id"] == _RECIPE)
    return found


def _rewrite(path: Path, change: Callable[[Table], None]) -> None:
    table = tomllib.loads(path.read_text())
    change(table)
    path.write_text(tomli_w.dumps(table))


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text)


def _commit(folder: Path, name: str) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", name)
    git(folder, "tag", name)
