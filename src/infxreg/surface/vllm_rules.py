"""What vllm does to an argument list before argparse sees it.

Underscores in option strings, ``-O3``, dotted keys that become JSON, ``--model`` that moves to the
front, ``--config`` that is read from a file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from infxreg.surface.argparse_rules import Token
from infxreg.surface.findings import Finding
from infxreg.surface.model import Json
from infxreg.surface.value_rules import Unfit, vllm_human
from infxreg.surface.vllm_dialect import Dialect


@frozen
class Prepared:
    """The tokens that argparse gets, and what was found on the way."""

    tokens: tuple[Token, ...]
    findings: tuple[Finding, ...]


def prepared(dialect: Dialect, lead: Sequence[str], argv: Sequence[str]) -> Prepared:
    """What vllm makes of ``serve LEAD… ARG…`` before argparse.

    Args:
        lead: what stands before the list that is checked, normally the model.
        argv: the list.
    """
    findings: list[Finding] = []
    words = [Token(text, text) for text in (*lead, *argv)]
    words = _with_model_in_front(dialect, words, findings)
    words = _without_config_file(words, findings)
    words = list(_respelled(dialect, words))
    if dialect.dotted:
        words = _without_dots(dialect, words, findings)
    return Prepared(tuple(words), tuple(findings))


def _with_model_in_front(
    dialect: Dialect, words: list[Token], findings: list[Finding]
) -> list[Token]:
    for index, word in enumerate(words):
        name, equals, value = word.text.partition("=")
        if name != "--model" or (equals and not (value and dialect.model_flag)):
            continue
        if not dialect.model_flag:
            findings.append(
                Finding(
                    kind="removed flag",
                    flag="--model",
                    message="vllm serve refuses --model: the model is its first argument",
                )
            )
            return words[:index] + words[index + 2 :]
        if equals:
            return [Token(value, word.written), *words[:index], *words[index + 1 :]]
        if index + 1 == len(words):
            findings.append(
                Finding(kind="missing value", flag="--model", message="--model has no value")
            )
            return words[:index]
        return [words[index + 1], *words[:index], *words[index + 2 :]]
    return words


def _without_config_file(words: list[Token], findings: list[Finding]) -> list[Token]:
    at = [index for index, word in enumerate(words) if word.text == "--config"]
    if not at:
        return words
    if at[0] + 1 == len(words):
        findings.append(
            Finding(kind="missing value", flag="--config", message="--config names no file")
        )
        return words[: at[0]]
    name = words[at[0] + 1].text
    if len(at) > 1:
        findings.append(
            Finding(kind="repeated", flag="--config", message="--config can be given only once")
        )
    elif name.rpartition(".")[2] not in ("yaml", "yml"):
        findings.append(
            Finding(
                kind="wrong type",
                flag="--config",
                value=name,
                message=f"--config takes a file named .yaml or .yml, not {name!r}",
            )
        )
    else:
        findings.append(
            Finding(
                kind="not known",
                severity="note",
                flag="--config",
                value=name,
                message=f"what {name!r} adds to the arguments isn't known here",
            )
        )
    return [word for index, word in enumerate(words) if index not in at and index - 1 not in at]


def _respelled(dialect: Dialect, words: list[Token]) -> Iterator[Token]:
    for index, word in enumerate(words):
        text = word.text
        if text.startswith("--help="):
            yield Token("--help", word.written)
        elif text.startswith("--"):
            name, equals, value = text.partition("=")
            head, dot, tail = name.partition(".")
            if dialect.dotted_dashes:
                tail = tail.replace("_", "-")
            yield Token(head.replace("_", "-") + dot + tail + equals + value, word.written)
        elif text.startswith("-O"):
            following = words[index + 1].text if index + 1 < len(words) else ""
            yield from _optimization(dialect, word, following)
        else:
            yield word


def _optimization(dialect: Dialect, word: Token, following: str) -> Iterator[Token]:
    text, written = word.text, word.written
    if not dialect.optimization:
        yield word
    elif text == "-O":
        spelled = {"flag": "--optimization-level"}.get(
            dialect.optimization, f"-O.{dialect.optimization}"
        )
        yield Token(spelled, written) if following in ("0", "1", "2", "3") else word
    elif text[2] == "." and dialect.optimization_dots:
        yield Token(dialect.optimization_dots + text[2:], written)
    else:
        level = text[3:] if text[2] == "=" else text[2:]
        if dialect.optimization == "flag":
            yield Token("--optimization-level", written)
            yield Token(level, written)
        else:
            yield Token(f"-O.{dialect.optimization}={level}", written)


def _without_dots(dialect: Dialect, words: list[Token], findings: list[Finding]) -> list[Token]:
    """Dotted keys gathered to one JSON object a flag, at the end of the list."""
    start = "--" if dialect.dotted == "text" else "-"
    kept: list[Token] = []
    objects: dict[str, dict[str, Json]] = {}
    written: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        name, equals, value = word.text.partition("=")
        if not word.text.startswith(start) or "." not in name:
            kept.append(word)
            continue
        if not equals:
            if index == len(words):
                findings.append(
                    Finding(
                        kind="missing value",
                        flag=word.written,
                        message=f"{word.written} is the last argument: it has no value",
                    )
                )
                continue
            value = words[index].text
            index += 1
        append = name.endswith("+") and dialect.dotted != "text"
        flag, *keys = name.removesuffix("+").split(".") if append else name.split(".")
        read: Json = list(value.split(",")) if append else _dotted_value(dialect, value)
        for key in reversed(keys):
            read = {key: read}
        assert isinstance(read, dict)
        doubled = _merge(objects.setdefault(flag, {}), read, dialect.dotted != "text")
        names.setdefault(flag, word.written.partition("=")[0].partition(".")[0])
        written.setdefault(flag, []).append(".".join(keys))
        findings.extend(
            Finding(
                kind="repeated",
                severity="warning",
                flag=names[flag],
                key=path,
                message=f"{names[flag]}.{path} is given more than once: the last one counts",
            )
            for path in doubled
        )
    for flag, content in objects.items():
        keys_given = tuple(dict.fromkeys(written[flag]))
        kept.append(Token(flag, names[flag], keys_given))
        text = json.dumps(content)
        kept.append(Token(text, text, keys_given))
    return kept


def _dotted_value(dialect: Dialect, text: str) -> Json:
    if dialect.dotted == "text":
        return text
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        if dialect.dotted == "human":
            try:
                return vllm_human(text)
            except Unfit:
                return text
        return text
    return value


def _merge(into: dict[str, Json], new: Mapping[str, Json], lists: bool) -> list[str]:
    """Merges a nested object; returns the paths that were written over."""
    doubled: list[str] = []
    for key, value in new.items():
        old = into.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            doubled += [f"{key}.{path}" for path in _merge(old, value, lists)]
        elif lists and isinstance(value, list) and isinstance(old, list):
            into[key] = old + value
        else:
            if key in into:
                doubled.append(key)
            into[key] = value
    return doubled
