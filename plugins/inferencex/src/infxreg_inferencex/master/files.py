"""InferenceX's own files as records: master configs, runners, golden acceptance lengths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from infxreg.values import FrozenMap
from infxreg_inferencex.master.place import FileFault, FileFaults, Place
from infxreg_inferencex.master.reading import Document, opened, structured
from infxreg_inferencex.master.records import Entry, Golden, Hardware, Runners
from infxreg_inferencex.master.sense import contradictions, said_twice

GOLDEN = "golden_al_distribution"
"""The folder of the golden lengths."""


def read_master(text: str, file: str) -> tuple[Entry, ...]:
    """The entries of a master config, in the file's order.

    Args:
        text: YAML.
        file: what places call it.

    Raises:
        FileFaults: with everything that is wrong with the file.
    """
    document = opened(text, file)
    entries: list[Entry] = []
    faults: list[FileFault] = []
    for key, raw in document.mapping().items():
        if "*" in key:
            faults.append(document.fault((key,), "a key with a * would be a pattern elsewhere"))
        read = structured(document, (key,), _with_named_backends(raw), Entry, {"key": key})
        if isinstance(read, Entry):
            entries.append(read)
            faults += contradictions(read)
        else:
            faults += read
    if faults:
        raise FileFaults(tuple(faults))
    return tuple(entries)


def combined(masters: Iterable[Iterable[Entry]]) -> tuple[Entry, ...]:
    """The entries of several master configs.

    Raises:
        FileFaults: if two have the same key.
    """
    entries = [entry for master in masters for entry in master]
    faults = tuple(said_twice(entries))
    if faults:
        raise FileFaults(faults)
    return tuple(entries)


def read_runners(text: str, file: str) -> Runners:
    """runners.yaml.

    Args:
        text: YAML.
        file: what places call it.

    Raises:
        FileFaults: with everything that is wrong with the file.
    """
    document = opened(text, file)
    data = document.mapping()
    faults = [
        document.fault((key,), "unknown key: known are hardware, labels")
        for key in data
        if key not in ("labels", "hardware")
    ]
    labels: dict[str, tuple[str, ...]] = {}
    for label, nodes in _part(document, "labels", faults).items():
        if not isinstance(nodes, list) or not nodes:
            faults.append(document.fault(("labels", label), "a list of runners is needed"))
            continue
        for place, node in enumerate(nodes):
            if not isinstance(node, str):
                words = f"text is needed, not {type(node).__name__}"
                faults.append(document.fault(("labels", label, place), words))
        labels[label] = tuple(nodes)
    hardware: dict[str, Hardware] = {}
    if "hardware" in data:
        for label, raw in _part(document, "hardware", faults).items():
            read = structured(document, ("hardware", label), raw, Hardware, {})
            if not isinstance(read, Hardware):
                faults += read
                continue
            hardware[label] = read
            for key in raw:
                if getattr(read, key.replace("-", "_")) < 1:
                    faults.append(document.fault(("hardware", label, key), "it is below 1"))
    if faults:
        raise FileFaults(tuple(faults))
    return Runners(
        labels=FrozenMap(labels),
        hardware=FrozenMap(hardware),
        file=file,
        lines=FrozenMap({label: document.lines.at(("labels", label)) for label in labels}),
    )


def read_golden(text: str, file: str) -> tuple[Golden, ...]:
    """The lengths of a file of golden_al_distribution: by model, mode and draft tokens.

    Args:
        text: YAML.
        file: what places call it; its name is the curve's.

    Raises:
        FileFaults: with everything that is wrong with the file.
    """
    document = opened(text, file)
    found: list[Golden] = []
    faults: list[FileFault] = []
    for model, modes in document.mapping().items():
        if not isinstance(modes, Mapping):
            faults.append(document.fault((model,), "a mapping of modes is needed"))
            continue
        for mode, lengths in modes.items():
            if not isinstance(lengths, Mapping):
                words = "a mapping of draft tokens to lengths is needed"
                faults.append(document.fault((model, str(mode)), words))
                continue
            for tokens, length in lengths.items():
                path = (model, str(mode), str(tokens))
                if type(tokens) is not int or tokens < 1:
                    words = f"a number of draft tokens is needed, not {tokens!r}"
                elif type(length) not in (int, float) or not 1 <= length <= tokens + 1:
                    words = f"a length from 1 to {tokens + 1} is needed, not {length!r}"
                else:
                    found.append(
                        Golden(
                            curve=PurePosixPath(file).stem,
                            model=model,
                            mode=str(mode),
                            draft_tokens=tokens,
                            length=float(length),
                            at=document.place(path),
                        )
                    )
                    continue
                faults.append(document.fault(path, words))
    if faults:
        raise FileFaults(tuple(faults))
    return tuple(found)


def _part(document: Document, key: str, faults: list[FileFault]) -> Mapping[str, Any]:
    """A mapping that the document has under a key; else a fault."""
    raw = document.value.get(key)
    if isinstance(raw, Mapping) and all(isinstance(one, str) for one in raw):
        return raw
    faults.append(
        FileFault(
            Place(document.file, key, document.lines.at((key,))), "a mapping by label is needed"
        )
    )
    return {}


def _with_named_backends(raw: Any) -> Any:
    """An entry as it is written since 2026-07-13 (InferenceX #2096).

    Before, ``kv-offload-backend`` was just a name.
    """
    try:
        spaces = [s for one in raw["scenarios"]["agentic-coding"] for s in one["search-space"]]
        said = [space for space in spaces if isinstance(space.get("kv-offload-backend"), str)]
    except (KeyError, TypeError, AttributeError):
        return raw  # what is wrong with it is told when it is read
    for space in said:
        space["kv-offload-backend"] = {"name": space["kv-offload-backend"]}
    return raw
