"""Whether the values that a list gives a flag are values of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from attrs import frozen

from infxreg.surface import sglang_rules, vllm_formats, vllm_old
from infxreg.surface.argparse_rules import Use
from infxreg.surface.findings import Kind
from infxreg.surface.json_report import report_json_fault
from infxreg.surface.json_rules import faults
from infxreg.surface.json_schema import Schema
from infxreg.surface.model import Flag, Json, Surface
from infxreg.surface.nearest import near_one
from infxreg.surface.report import Report
from infxreg.surface.value_rules import COMMON, Convert, Unfit, json_text
from infxreg.surface.vllm_dialect import Dialect

# What an action of an engine's own asks of its values, beside their types.
_ACTIONS: Mapping[str, Callable[[Surface, Sequence[str]], None]] = {
    "LoRAParserAction": vllm_formats.lora_modules,
    "LoRAPathAction": lambda _, values: sglang_rules.lora_paths(values),
    "StoreBoolean": lambda _, values: vllm_formats.store_boolean(values),
    "PromptAdapterParserAction": lambda _, values: vllm_formats.prompt_adapters(values),
}
_KINDS: Mapping[str, Kind] = {"bad JSON": "bad JSON", "unknown JSON key": "unknown JSON key"}


class _Noted(Exception):
    """A value was refused and the finding is in the report."""


@frozen(eq=False)
class FlagValues:
    """A surface's converters, choices and config classes, ready for many values.

    Attributes:
        converters: type word to converter.
        choices: converted choices, by a flag's first name (two flags can share a destination).
        schema: the config classes.
        dialect: how a version of vllm reads JSON; None for other engines.
    """

    converters: Mapping[str, Convert]
    choices: Mapping[str, frozenset[Json]]
    schema: Schema
    dialect: Dialect | None

    @classmethod
    def of(cls, surface: Surface, dialect: Dialect | None) -> FlagValues:
        """The values of a surface's flags."""
        if dialect is not None:
            converters = dialect.converters()
        elif surface.engine == "sglang":
            converters = sglang_rules.converters(surface)
        else:
            converters = COMMON
        none_fits = dialect is None or dialect.none_choice
        return cls(
            converters,
            {
                _id(flag): _converted(flag, converters, none_fits)
                for flag in surface.flags
                if flag.hard and flag.choices is not None
            },
            Schema.of(surface),
            dialect,
        )

    def read(self, report: Report, use: Use) -> tuple[Json, ...] | None:
        """The values as the engine holds them; None, and a finding each, if some don't fit."""
        values: list[Json] = []
        broken = False
        for text in use.values:
            try:
                values.append(self._value(report, use, text))
            except Unfit as unfit:
                broken = True
                _report_unfit(report, use, text, unfit)
            except _Noted:
                broken = True
        action = _ACTIONS.get(use.flag.action)
        if action is not None and not broken:
            try:
                kept = zip(use.values, values, strict=True)
                action(report.surface, [text for text, value in kept if value is not None])
            except Unfit as unfit:
                broken = True
                _report_unfit(report, use, " ".join(use.values), unfit)
        return None if broken else tuple(values)

    def _value(self, report: Report, use: Use, text: str) -> Json:
        flag = use.flag
        if flag.optional and text in ("", "None"):
            value: Json = None
        elif flag.type == "dataclass":
            return self._dataclass(report, use, text)
        else:
            convert = self.converters.get(flag.type)
            if convert is None:
                # Inline code of the engine's, of which only the choices are known.
                report.not_known(
                    use.written, text, f"what {use.written} takes isn't known", level="ours"
                )
                convert = COMMON["str"]
            value = convert(text)
        if not flag.hard:
            return value
        known = self.choices.get(_id(flag))
        if known is None:
            report.not_known(
                use.written, text, f"code makes the choices of {use.written}: they aren't known"
            )
        elif not _is_scalar(value) or value not in known:
            _report_choice(report, use, text)
            raise _Noted
        return value

    def _dataclass(self, report: Report, use: Use, text: str) -> Json:
        value = self._class_json(use.flag, text)
        name = use.flag.config
        if name is None or not self.schema.has(name):
            report.not_known(
                use.written, text, f"what the JSON of {use.written} takes isn't known", level="ours"
            )
            return value
        found = faults(self.schema, name, value)
        for fault in found:
            report_json_fault(report, self.schema, use.written, fault)
        if any(fault.kind != "not known" and not fault.dropped for fault in found):
            raise _Noted
        return value

    def _class_json(self, flag: Flag, text: str) -> Json:
        if self.dialect is not None:
            early = vllm_old.early_json(flag, text, self.dialect)
            if early is not None:
                return early
            if self.dialect.json_suffixes:
                text = vllm_formats.without_suffixes(text)
        value = json_text(text)
        if _has_lone_surrogate(text, value):
            raise Unfit("JSON (half a surrogate pair is none)", "bad JSON")
        return value


def _report_unfit(report: Report, use: Use, text: str, unfit: Unfit) -> None:
    report.add(
        _KINDS.get(unfit.kind, "wrong type"),
        use.written,
        f"{use.written} takes {unfit.wanted}, not {text!r}",
        value=text,
    )


def _report_choice(report: Report, use: Use, text: str) -> None:
    choices = use.flag.choices or ()
    more = f" and {len(choices) - 12} more" if len(choices) > 12 else ""
    report.add(
        "hard choice",
        use.written,
        f"{use.written}: {report.engine} has no {text!r}; it takes {', '.join(choices[:12])}{more}",
        value=text,
        near=near_one(text, tuple(choices)),
        item=("choice", f"{use.flag.names[0] if use.flag.names else use.name}={text}"),
    )


def _id(flag: Flag) -> str:
    return flag.names[0] if flag.names else flag.dest


def _converted(flag: Flag, converters: Mapping[str, Convert], none_fits: bool) -> frozenset[Json]:
    convert = converters.get(flag.type, COMMON["str"])
    found: set[Json] = set()
    for text in flag.choices or ():
        if flag.optional and text == "None":
            if none_fits:
                found.add(None)
            continue
        try:
            value = convert(text)
        except Unfit:
            value = text
        found.add(value if _is_scalar(value) else text)
    return frozenset(found)


def _is_scalar(value: Json) -> bool:
    return value is None or isinstance(value, str | int | float)


def _has_lone_surrogate(text: str, value: Json) -> bool:
    """Python reads half a surrogate pair where the engine's JSON reader refuses it."""
    if "\\u" not in text:
        return False
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
