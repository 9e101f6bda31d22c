"""What to say about a JSON value that its config class doesn't take."""

from __future__ import annotations

import json

from infxreg.surface.history import ItemKind
from infxreg.surface.json_rules import JsonFault
from infxreg.surface.json_schema import Schema
from infxreg.surface.nearest import near_one
from infxreg.surface.report import Report


def report_json_fault(report: Report, schema: Schema, written: str, fault: JsonFault) -> None:
    """Adds the finding of one fault in a flag's JSON.

    Args:
        report: what is added to.
        schema: the classes, for near matches of keys.
        written: the option string as it was written.
        fault: the fault.
    """
    key = ".".join(fault.path)
    place = f"{written} {key}" if key else written
    text = fault.value if isinstance(fault.value, str) else json.dumps(fault.value)
    match fault.kind:
        case "unknown JSON key":
            owner, _, last = fault.owner.rpartition(".")
            report.add(
                "unknown JSON key",
                written,
                f"{written}: {report.engine} has no key {key!r}"
                + (" and ignores it" if fault.dropped else ""),
                level="ours" if fault.dropped else "parse",
                key=key,
                value=text,
                near=schema.near_key(owner, last),
                item=("key", fault.owner),
            )
        case "hard choice":
            report.add(
                "hard choice",
                written,
                f"{place}: {report.engine} has no {text!r}",
                key=key,
                value=text,
                near=near_one(text, tuple(fault.choices)),
                item=_choice_item(report, fault, text),
            )
        case "refused combination":
            report.add(
                "refused combination",
                written,
                f"{place}: {fault.owner} refuses it where {fault.wanted}",
                key=key,
            )
        case "missing JSON key":
            report.add("missing JSON key", written, f"{place} is missing: {fault.wanted}", key=key)
        case "not known":
            # Without any type the key is right at least, and no parser refuses it for its name.
            report.not_known(
                written,
                text,
                f"{place}: what it takes isn't known",
                key,
                "parse" if fault.wanted else "ours",
            )
        case "wrong type":
            report.add(
                "wrong type",
                written,
                f"{place} takes {fault.wanted}, not {json.dumps(fault.value)}",
                key=key,
                value=text,
            )


def _choice_item(report: Report, fault: JsonFault, text: str) -> tuple[ItemKind, str]:
    backends = frozenset(report.surface.backends or ())
    if fault.enum is not None and backends and backends.issuperset(fault.choices):
        return "backend", text.upper()
    return "key-choice", f"{fault.owner}={text}"
