"""Every command of README and docs runs, and prints what the page says.

``INFXREG_DOCS_UPDATE=1 pytest tests/docs -m ""`` writes what they print into the pages.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from support.markdown import blocks, run_page

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [*ROOT.glob("README.md"), *ROOT.glob("docs/**/*.md")], key=lambda path: path.as_posix()
)


SLOW = ("hold-changes-to-policies.md", "review-a-change.md")
"""Pages that check or review whole registries many times."""


def case(path: Path) -> Any:
    marks = [pytest.mark.slow] if path.name in SLOW else []
    return pytest.param(path, marks=marks, id=path.relative_to(ROOT).as_posix())


@pytest.mark.parametrize("page", [case(path) for path in PAGES])
def test_commands_print_what_the_page_says(page: Path, tmp_path: Path) -> None:
    """Run in order in one folder, with the page's files, each command prints its block."""
    text = page.read_text()
    _, ran = run_page(text, tmp_path)
    if os.environ.get("INFXREG_DOCS_UPDATE"):
        page.write_text(ran)
    else:
        assert ran == text


def test_links_lead_somewhere() -> None:
    """Every relative link in README and docs names a file that is there."""
    for page in PAGES:
        prose = page.read_text()
        for block in reversed(list(blocks(prose))):
            prose = prose[: block.start] + prose[block.end :]
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_ci_runs_the_readmes_commands() -> None:
    """The two commands of the quick start stand in .ci/run word for word."""
    script = ROOT / ".ci" / "run"
    if not script.is_file():
        pytest.skip("no .ci/run beside these tests: they run against the wheels")
    commands = re.findall(r"^```sh\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S)
    assert len(commands) == 2
    for command in commands:
        assert command.strip() in script.read_text()
