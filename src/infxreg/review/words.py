"""Text in the languages that a review is written in: English always, Chinese as far as it goes."""

from __future__ import annotations

from infxreg.values import FrozenMap

LANGUAGES = ("en", "zh")

Words = FrozenMap[str, str]
"""Language -> text; English is always there, and stands in for what isn't translated."""


def words(en: str, zh: str | None = None) -> Words:
    """Text in English, and in Chinese if it is given."""
    return FrozenMap({"en": en} if zh is None else {"en": en, "zh": zh})


def told(text: Words, language: str) -> str:
    """The text in a language, else in English."""
    return text.get(language, text["en"])


def count_of(number: int, noun: str) -> str:
    """``1 point``, ``2 points``."""
    return f"{number} {noun}{'s' * (number != 1)}"


VERDICTS = {
    "pass": words("pass", "通过"),
    "fail": words("fail", "不通过"),
    "unknown": words("unknown", "未知"),
    "n/a": words("n/a", "不适用"),
}

NOTHING_CHANGES = words("nothing changes", "没有改动")
