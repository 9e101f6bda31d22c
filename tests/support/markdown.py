"""Run the commands of a Markdown page and compare what they print.

- A block whose info string is ``console`` holds commands after ``$ `` and, below each,
  what it prints (both streams). A line ``...`` stands for any lines; ``[exit N]`` at the
  end for an exit code that isn't 0.
- A block with ``file=NAME`` in its info string is written to that file first.
- The page's folder is ``/home/me`` in what is printed.
- ``infxreg`` in a page is the installed command; ``pip install`` goes to a folder of the
  page's own, which is on the path.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

_FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.M | re.S)


@frozen
class Block:
    """A fenced block: its info string, its text, and where the text stands in the page."""

    info: str
    body: str
    start: int
    end: int

    @property
    def file(self) -> str | None:
        """The file that the block is written to."""
        match = re.search(r"\bfile=(\S+)", self.info)
        return match[1] if match else None


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    for match in _FENCE.finditer(text):
        yield Block(match["info"].strip(), match["body"], match.start("body"), match.end("body"))


def run_page(text: str, folder: Path) -> tuple[int, str]:
    """Run a page in a folder; how many commands ran, and the page with what they printed.

    What was expected stays where it matches, so an unchanged page comes back equal.
    """
    count, result, last = 0, "", 0
    for block in blocks(text):
        if block.file is not None:
            target = folder / block.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.body)
        elif block.info == "console":
            commands, body = _run_block(block.body, folder)
            count += commands
            result += text[last : block.start] + body
            last = block.end
    return count, result + text[last:]


def _run_block(body: str, folder: Path) -> tuple[int, str]:
    count, result = 0, ""
    for command, expected in _commands(body):
        count += 1
        actual = _run(command, folder)
        result += f"$ {command}\n" + (expected if _matches(expected, actual) else actual)
    return count, result


def _commands(body: str) -> Iterator[tuple[str, str]]:
    parts = re.split(r"^\$ ", body, flags=re.M)
    assert not parts[0].strip(), f"output without a command: {parts[0]!r}"
    for part in parts[1:]:
        lines = part.splitlines(keepends=True)
        size = 1
        while lines[size - 1].endswith("\\\n"):
            size += 1
        yield "".join(lines[:size]).rstrip("\n"), "".join(lines[size:])


def _run(command: str, folder: Path) -> str:
    target = folder / ".site"
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("INFXREG", "PIP_"))},
        "PATH": f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}",
        "PYTHONPATH": str(target),
        "PIP_TARGET": str(target),
        "PIP_NO_DEPS": "1",
        "PIP_QUIET": "1",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads this one the other way round: 0 is no isolation
        "COLUMNS": "100",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    output = done.stdout.replace(str(folder), "/home/me")
    if output and not output.endswith("\n"):
        output += "\n"
    return output + (f"[exit {done.returncode}]\n" if done.returncode else "")


def _matches(expected: str, actual: str) -> bool:
    pattern = "".join(
        r"(?:.*\n)*" if line.strip() == "..." else re.escape(line)
        for line in expected.splitlines(keepends=True)
    )
    return re.fullmatch(pattern, actual) is not None
