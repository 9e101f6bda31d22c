"""What an engine's parser takes, though the engine, or good sense, doesn't."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from infxreg.surface import start_rules
from infxreg.surface.argparse_rules import Use
from infxreg.surface.json_schema import Schema
from infxreg.surface.model import Json
from infxreg.surface.nearest import near_one
from infxreg.surface.report import Report
from infxreg.surface.start_rules import Registries

_APPENDING = frozenset({"append", "extend", "append_const", "count"})
# JSON that the parser takes as it comes and the engine makes a config class of afterwards.
_SOFT_CONFIGS: Mapping[str, str] = {
    "speculative_config": "SpeculativeConfig",
    "diffusion_config": "DiffusionConfig",
    "watermark_config": "WatermarkConfig",
}


@frozen(eq=False)
class Given:
    """A use of a flag with its values converted; None where one didn't convert."""

    use: Use
    values: tuple[Json, ...] | None
    by_user: bool = True


def report_repeats(report: Report, given: Mapping[str, Sequence[Given]]) -> None:
    """Adds flags given more than once, of which only the last use counts."""
    for uses in given.values():
        own = [one.use for one in uses if one.by_user]
        if len(own) < 2 or own[0].flag.action in _APPENDING:
            continue
        dotted = [use for use in own if use.keys]
        whole = [use for use in own if not use.keys]
        last = own[-1]
        if dotted and whole:
            keys = ", ".join(f"{dotted[-1].written}.{key}" for key in dotted[-1].keys)
            report.add(
                "JSON with dotted keys",
                whole[-1].written,
                f"the JSON of {whole[-1].written} is dropped: only {keys} counts",
                level="ours",
                value=" ".join(whole[-1].values),
            )
        if len(whole) > 1 or len(dotted) > 1:
            report.add(
                "repeated",
                last.written,
                f"{last.written} is given {len(own)} times: the last one counts",
                severity="warning",
            )


def report_later(
    report: Report,
    schema: Schema,
    registries: Registries,
    defaults: Mapping[str, object],
    given: Mapping[str, Sequence[Given]],
) -> None:
    """Adds what the engine's own lists, its checks at start, and plain ranges say.

    Args:
        report: what is added to.
        schema: the config classes.
        registries: the engine's lists.
        defaults: destination to default, where it is known.
        given: destination to uses, in the list's order: the last one counts.
    """
    values = dict(defaults)
    for dest, uses in given.items():
        last = uses[-1]
        if last.use.flag.arity == "0":
            values[dest] = _is_on(last.use)
        elif last.values:
            values[dest] = last.values[-1]
        else:
            values.pop(dest, None)
        _report_values(report, schema, registries, last, given)
    report.findings.extend(start_rules.start_findings(report.surface, values))


def _report_values(
    report: Report,
    schema: Schema,
    registries: Registries,
    last: Given,
    given: Mapping[str, object],
) -> None:
    use, flag = last.use, last.use.flag
    for text, value in zip(use.values, last.values or (), strict=False):
        reach = start_rules.out_of_range(flag.dest, value)
        if reach is not None:
            report.add(
                "out of range",
                use.written,
                f"{use.written} {text} makes no sense: it has to be {reach}",
                level="ours",
                value=text,
            )
        template = start_rules.template_finding(report.surface, flag, use.written, text)
        if template is not None:
            report.findings.append(template)
        if isinstance(value, Mapping):
            _report_inside(report, schema, registries, use, value, given)
        elif isinstance(value, str) and not flag.hard:
            found = registries.finding(report.history, flag.dest, value, given, use.written)
            if found is not None:
                report.findings.append(found)
            elif flag.choices is not None and flag.dest not in report.surface.registries:
                _report_soft_choice(report, use, flag.choices, value)


def _report_soft_choice(report: Report, use: Use, choices: Sequence[str], value: str) -> None:
    if value in choices:
        return
    report.add(
        "registry value",
        use.written,
        f"{use.written}: {report.engine} doesn't list {value!r}, though its parser takes it",
        level="registry",
        severity="warning",
        value=value,
        near=near_one(value, tuple(choices)),
        item=("choice", f"{use.flag.names[0] if use.flag.names else use.name}={value}"),
    )


def _report_inside(
    report: Report,
    schema: Schema,
    registries: Registries,
    use: Use,
    value: Mapping[str, Json],
    given: Mapping[str, object],
) -> None:
    soft = _SOFT_CONFIGS.get(use.flag.dest) if use.flag.config is None else None
    config = use.flag.config or soft
    if config is None:
        return
    known = report.surface.configs.get(config) if soft else None
    for key, name in value.items():
        if known is not None and key not in known.keys:
            report.add(
                "unknown JSON key",
                use.written,
                f"{use.written}: {report.engine} has no key {key!r}",
                level="start",
                key=key,
                near=schema.near_key(config, key),
                item=("key", f"{config}.{key}"),
            )
        elif isinstance(name, str):
            found = registries.finding(
                report.history,
                f"{config}.{key}",
                name,
                {*given, *value},
                use.written,
                key,
            )
            if found is not None:
                report.findings.append(found)


def _is_on(use: Use) -> bool:
    """What a flag without a value sets."""
    if use.flag.action == "store_false":
        return False
    return use.name in use.flag.names[:1] or not use.name.startswith(("--no-", "--disable-"))
