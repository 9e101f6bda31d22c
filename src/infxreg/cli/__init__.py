"""The command line: ``infxreg``, and ``python -m infxreg``."""

from __future__ import annotations

from time import perf_counter


def main() -> None:
    """Run the command line and exit with its code."""
    began = perf_counter()
    from infxreg.cli.app import app

    app.main(prog_name="infxreg", began=began)
