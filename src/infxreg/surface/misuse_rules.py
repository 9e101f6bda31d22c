"""What to say about arguments that belong to no flag, and about flags used badly."""

from __future__ import annotations

from infxreg.surface.argparse_rules import Misuse, Use
from infxreg.surface.model import Flag
from infxreg.surface.nearest import Names
from infxreg.surface.report import Report


def report_misuse(report: Report, names: Names, one: Misuse, last: Use | None) -> None:
    """Adds the finding of an argument that its flag, or every flag, doesn't take.

    Args:
        report: what is added to.
        names: the option strings, for near matches.
        one: the argument.
        last: the flag that was used just before, which a stray may have been meant for.
    """
    written = one.written
    shown = " ".join(one.values) if one.values else None
    match one.fault, one.flag:
        case "unknown flag", _:
            bare = "--" + written.lstrip("-").partition(".")[0]
            report.add(
                "unknown flag",
                written,
                f"{report.engine} has no {written}",
                value=shown,
                near=names.near(bare),
                item=("flag", bare.replace("_", "-")),
            )
        case "ambiguous prefix", _:
            known = report.history is not None and report.history.spans("flag", written)
            report.add(
                "ambiguous prefix",
                written,
                f"{written} could be any of {', '.join(one.names)}: write one of them out",
                value=shown,
                near=one.names[0],
                item=("flag", written) if known else None,
            )
        case "missing value", Flag() as flag:
            report.add("missing value", written, f"{written} needs {_arity_in_words(flag)}")
        case "ignored value", Flag() as flag:
            report.add(
                "ignored value",
                written,
                f"{written} takes no value: write {written_bare(flag)}",
                value=shown,
            )
        case _:
            _report_stray(report, names, written, last)


def _report_stray(report: Report, names: Names, written: str, last: Use | None) -> None:
    flag, space, value = written.partition(" ")
    if written.startswith("-") and space:
        report.add(
            "stray positional",
            "",
            f"{written!r} is one argument: give {flag!r} and {value.strip()!r} apart",
            value=written,
            near=names.near(flag),
        )
        return
    reason = ""
    if last is not None and last.flag.arity == "0":
        reason = f": {last.written} takes no value, write {written_bare(last.flag)}"
    elif last is not None and last.name and last.flag.arity == "1":
        reason = f": {last.written} takes one value"
    report.add("stray positional", "", f"{written!r} belongs to no flag{reason}", value=written)


def report_style(report: Report, use: Use, spelled: str) -> None:
    """Adds what a parser takes but a later version may not, or not as meant.

    Args:
        report: what is added to.
        use: a use of a flag.
        spelled: the option string as the parser gets it, which is as it was written but for
            underscores.
    """
    flag = use.flag
    if flag.deprecated is not None or flag.action.startswith("Deprecated"):
        report.add(
            "deprecated",
            use.written,
            f"{use.written} is deprecated" + instead(flag.deprecated),
            severity="warning",
            near=flag.deprecated or None,
        )
    if use.dropped:
        report.add(
            "dropped value",
            use.written,
            f"{use.written}=--: the parser drops the value",
            level="ours",
            value="--",
        )
    if flag.action in ("help", "version"):
        report.add(
            "prints and exits",
            use.written,
            f"{use.written} prints and exits: nothing is served",
            severity="warning",
        )
    if spelled != use.name and use.name.startswith(spelled) and spelled.startswith("-"):
        report.add(
            "abbreviation",
            use.written,
            f"{use.written} stands for {use.name} only while no other flag begins so",
            severity="warning",
            near=use.name,
        )


def written_bare(flag: Flag) -> str:
    """How to write a flag that takes no value."""
    return " or ".join(name for name in flag.names if name.startswith("--"))


def instead(replacement: str | None) -> str:
    """The end of a message that names a replacement, if there is one."""
    return f": use {replacement}" if replacement else ""


def _arity_in_words(flag: Flag) -> str:
    return {"1": "a value", "+": "at least one value"}.get(flag.arity, f"{flag.arity} values")
