"""``python -m infxreg`` is the command line."""

from __future__ import annotations

from infxreg.cli import main

if __name__ == "__main__":
    main()
