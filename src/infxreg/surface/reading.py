"""Reads plain data into typed parts, noting every fault with its path instead of the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import Factory, frozen


@frozen
class Part:
    """A value inside a document, with its path, and the list that all faults go to."""

    value: object
    path: str
    problems: list[str] = Factory(list)

    def wrong(self, message: str) -> None:
        """Notes a fault of this part."""
        self.problems.append(f"{message} @ {self.path}" if self.path else message)

    def at(self, key: str | int) -> Part:
        """The part under a key; None where the mapping hasn't it."""
        value = self.value.get(key) if isinstance(self.value, Mapping) else None
        return Part(value, f"{self.path}.{key}" if self.path else str(key), self.problems)

    def has(self, key: str) -> bool:
        """Whether the mapping has the key, and not as null."""
        return isinstance(self.value, Mapping) and self.value.get(key) is not None

    def need(self, key: str) -> Part:
        """The part under a key that must be there."""
        if not self.has(key):
            self.wrong(f"{key!r} is missing")
        return self.at(key)

    def items(self) -> Iterator[tuple[str, Part]]:
        """The entries of a table, in its order."""
        if self.value is None:
            return
        if not isinstance(self.value, Mapping):
            self.wrong(f"a table is needed, not {_kind(self.value)}")
            return
        for key in self.value:
            yield str(key), self.at(key)

    def rows(self) -> Iterator[Part]:
        """The entries of a list."""
        if self.value is None:
            return
        if not isinstance(self.value, list):
            self.wrong(f"a list is needed, not {_kind(self.value)}")
            return
        for index, value in enumerate(self.value):
            yield Part(value, f"{self.path}[{index}]", self.problems)

    def text(self, default: str = "") -> str:
        """The part as text."""
        found = self.text_or_none()
        return default if found is None else found

    def text_or_none(self) -> str | None:
        """The part as text, or None where it is missing."""
        if self.value is None or isinstance(self.value, str):
            return self.value
        self.wrong(f"text is needed, not {_kind(self.value)}")
        return None

    def flag(self) -> bool:
        """The part as true or false; false where it is missing."""
        if self.value is None or isinstance(self.value, bool):
            return bool(self.value)
        self.wrong(f"true or false is needed, not {_kind(self.value)}")
        return False

    def texts(self) -> tuple[str, ...]:
        """The part as a list of texts; empty where it is missing."""
        return self.texts_or_none() or ()

    def texts_or_none(self) -> tuple[str, ...] | None:
        """The part as a list of texts, or None where it is missing."""
        if self.value is None:
            return None
        if isinstance(self.value, list) and all(isinstance(one, str) for one in self.value):
            return tuple(self.value)
        self.wrong(f"a list of texts is needed, not {_kind(self.value)}")
        return None

    def only(self, known: frozenset[str]) -> None:
        """Notes keys that nothing reads."""
        if isinstance(self.value, Mapping):
            for key in self.value:
                if key not in known:
                    self.wrong(f"unknown key {key!r}")


def _kind(value: object) -> str:
    names = {dict: "a table", list: "a list", str: "text", bool: "true or false"}
    return names.get(type(value), type(value).__name__)
