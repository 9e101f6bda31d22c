"""InferenceX's own files, read as they are: what they say, the rows they make, what is found.

It begins with `read_checkout`, of a `Folder` or of any other mapping of paths to texts; `rows`
and `findings` take what that gives.
"""

from infxreg_inferencex.master.checkout import Checkout, Folder, read_checkout
from infxreg_inferencex.master.files import combined, read_golden, read_master, read_runners
from infxreg_inferencex.master.finding import Finding
from infxreg_inferencex.master.findings import findings
from infxreg_inferencex.master.place import FileFault, FileFaults, Place
from infxreg_inferencex.master.records import (
    Agentic,
    Component,
    Entry,
    FixedLength,
    Golden,
    Hardware,
    Runners,
    Scenarios,
    Space,
    Worker,
)
from infxreg_inferencex.master.references import Reference, Topology, Unread, references
from infxreg_inferencex.master.rows import Row, rows, sourced_rows
from infxreg_inferencex.master.started import Broken, Recipes, Started, started

__all__ = [
    "Agentic",
    "Broken",
    "Checkout",
    "Component",
    "Entry",
    "FileFault",
    "FileFaults",
    "Finding",
    "FixedLength",
    "Folder",
    "Golden",
    "Hardware",
    "Place",
    "Recipes",
    "Reference",
    "Row",
    "Runners",
    "Scenarios",
    "Space",
    "Started",
    "Topology",
    "Unread",
    "Worker",
    "combined",
    "findings",
    "read_checkout",
    "read_golden",
    "read_master",
    "read_runners",
    "references",
    "rows",
    "sourced_rows",
    "started",
]
