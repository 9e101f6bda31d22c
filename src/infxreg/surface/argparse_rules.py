"""Which argument belongs to which flag: the rules of Python's argparse, 3.11 and 3.12.

Written anew and not handed to `argparse` itself for three reasons: the answer mustn't depend on
the Python that runs this check, all faults are wanted and not the first one, and a parser of five
hundred arguments is slow to build. `tests/surface/test_check_argparse.py` compares the two.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from attrs import frozen

from infxreg.surface.model import Flag

_NEGATIVE = re.compile(r"-\d+|-\d*\.\d+")
_ARITIES = {"1": "A", "?": "A?", "*": "A*", "+": "AA*", "0": ""}

Fault: TypeAlias = Literal[
    "unknown flag", "ambiguous prefix", "missing value", "ignored value", "stray positional"
]


_Walk: TypeAlias = "Generator[Use | Misuse, None, int]"


@frozen
class Token:
    """An argument as the parser sees it, and as the user wrote it.

    ``keys`` are the dotted keys of which a token's JSON was made, if it was.
    """

    text: str
    written: str
    keys: tuple[str, ...] = ()


@frozen
class Use:
    """A flag with the values that one place in the list gives it.

    Attributes:
        name: the option string that was meant; ``""`` for a positional.
        written: the option string as it was written.
        values: as texts; a value of ``--`` given with ``=`` is dropped, as argparse does.
        dropped: whether one was.
        keys: the dotted keys of which the value was made.
        at: the place in the list.
    """

    flag: Flag
    name: str
    written: str
    values: tuple[str, ...] = ()
    dropped: bool = False
    keys: tuple[str, ...] = ()
    at: int = 0


@frozen
class Misuse:
    """An argument that belongs to no flag, or that its flag doesn't take.

    ``names`` are the option strings that an ambiguous prefix could be.
    """

    fault: Fault
    written: str
    flag: Flag | None = None
    values: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


@frozen
class Meaning:
    """What one token is: an option that it names, with the value after ``=``; or a fault."""

    flag: Flag | None
    name: str
    value: str | None = None
    names: tuple[str, ...] = ()


@frozen(eq=False)
class Grammar:
    """A parser's option strings, ready to be looked up whole or by prefix."""

    options: Mapping[str, Flag]
    sorted_names: tuple[str, ...]
    positionals: tuple[Flag, ...]
    negative_options: bool

    @classmethod
    def of(cls, flags: Iterable[Flag]) -> Grammar:
        """The grammar of a surface's flags."""
        options: dict[str, Flag] = {}
        positionals = []
        for flag in flags:
            options.update(dict.fromkeys(flag.all_names, flag))
            if not flag.all_names:
                positionals.append(flag)
        return cls(
            options,
            tuple(sorted(options)),
            tuple(positionals),
            any(_NEGATIVE.fullmatch(name) for name in options),
        )

    def starting_with(self, prefix: str) -> tuple[str, ...]:
        """Every option string that begins with the prefix."""
        names = self.sorted_names
        start = end = bisect_left(names, prefix)
        while end < len(names) and names[end].startswith(prefix):
            end += 1
        return names[start:end]

    def meaning(self, text: str) -> Meaning | None:
        """What a token means as an option; None if it is a value or a positional."""
        if not text.startswith("-"):
            return None
        flag = self.options.get(text)
        if flag is not None:
            return Meaning(flag, text)
        if len(text) == 1:
            return None
        name, equals, value = text.partition("=")
        if equals and (flag := self.options.get(name)) is not None:
            return Meaning(flag, name, value)
        found = self._abbreviated(text)
        if len(found) == 1:
            return found[0]
        if found:
            return Meaning(None, name, None, tuple(one.name for one in found))
        if _NEGATIVE.match(text) and _NEGATIVE.fullmatch(text) and not self.negative_options:
            return None
        return None if " " in text else Meaning(None, name, value if equals else None)

    def _abbreviated(self, text: str) -> list[Meaning]:
        if text.startswith("--"):
            prefix, equals, value = text.partition("=")
            return [
                Meaning(self.options[name], name, value if equals else None)
                for name in self.starting_with(prefix)
            ]
        found = [Meaning(self.options[name], name) for name in self.starting_with(text)]
        short = self.options.get(text[:2])
        if short is not None and len(text) > 2:
            found.append(Meaning(short, text[:2], text[2:]))
        return found


def matched(grammar: Grammar, tokens: Sequence[Token]) -> Iterator[Use | Misuse]:
    """Every flag with its values, and every argument that fits none, in the list's order."""
    return _Matcher(grammar, tokens).walk()


class _Matcher:
    """One walk over a list: which tokens are options, and what each of them takes."""

    def __init__(self, grammar: Grammar, tokens: Sequence[Token]) -> None:
        self.grammar = grammar
        self.tokens = tokens
        self.positionals = list(grammar.positionals)
        self.meanings: list[Meaning | None] = []
        pattern = []
        free = False
        for token in tokens:
            meaning = None
            if free:
                kind = "A"
            elif token.text == "--":
                kind, free = "-", True
            else:
                meaning = grammar.meaning(token.text)
                kind = "A" if meaning is None else "O"
            pattern.append(kind)
            self.meanings.append(meaning)
        self.pattern = "".join(pattern)

    def walk(self) -> Iterator[Use | Misuse]:
        at = 0
        while at < len(self.tokens):
            meaning = self.meanings[at]
            if meaning is None:
                before = at
                at = yield from self._take_positionals(at)
                if at == before:
                    yield Misuse("stray positional", self.tokens[at].written)
                    at += 1
            elif meaning.flag is None:
                at = yield from self._take_unknown(at, meaning)
            else:
                at = yield from self._take_option(at, meaning, meaning.flag)

    def _take_unknown(self, at: int, meaning: Meaning) -> _Walk:
        """An unknown option; values that follow are taken to be its own, not strays."""
        token = self.tokens[at]
        end = at + 1 if self.positionals else self._values_end(at + 1)
        values = tuple(one.written for one in self.tokens[at + 1 : end])
        if meaning.value is not None:
            values = (meaning.value, *values)
        yield Misuse(
            "ambiguous prefix" if meaning.names else "unknown flag",
            _option_part(token.written),
            values=values,
            names=meaning.names,
            keys=token.keys,
        )
        return end

    def _take_option(self, at: int, meaning: Meaning, flag: Flag) -> _Walk:
        token = self.tokens[at]
        written = _option_part(token.written)
        if meaning.value is None:
            count = self._count(flag, at + 1)
            if count is None:
                end = self._values_end(at + 1)
                values = tuple(one.written for one in self.tokens[at + 1 : end])
                yield Misuse("missing value", written, flag, values, keys=token.keys)
                return end
            values = tuple(one.text for one in self.tokens[at + 1 : at + 1 + count])
            keys = token.keys
            yield Use(flag, meaning.name, written, values, keys=keys, at=at)
            return at + 1 + count
        name, value = meaning.name, meaning.value
        while True:
            if flag.arity in ("1", "?", "*", "+"):
                shown = written if token.written.startswith(written + "=") else name
                dropped = value == "--"
                yield Use(flag, name, shown, () if dropped else (value,), dropped, token.keys, at)
                return at + 1
            if flag.arity != "0" or name.startswith("--") or not value:
                yield Misuse("ignored value", written, flag, (value,))
                return at + 1
            yield Use(flag, name, name, at=at)
            name, rest = f"-{value[0]}", value[1:]
            follower = self.grammar.options.get(name)
            if follower is None:
                yield Misuse("ignored value", written, flag, (value,))
                return at + 1
            flag = follower
            if not rest:
                return (yield from self._take_option(at, Meaning(flag, name), flag))
            value = rest

    def _values_end(self, start: int) -> int:
        """Where the arguments that are no options end."""
        end = start
        while end < len(self.pattern) and self.pattern[end] == "A":
            end += 1
        return end

    def _count(self, flag: Flag, start: int) -> int | None:
        """How many of the tokens from `start` on a flag takes; None if too few are there."""
        arity = flag.arity
        if arity == "0":
            return 0
        end = start
        pattern = self.pattern
        most = {"1": 1, "?": 1, "*": len(pattern), "+": len(pattern)}.get(arity)
        if most is None:
            most = int(arity)
        while end < len(pattern) and end - start < most and pattern[end] == "A":
            end += 1
        least = {"?": 0, "*": 0, "+": 1}.get(arity)
        return end - start if end - start >= (most if least is None else least) else None

    def _take_positionals(self, at: int) -> _Walk:
        """As many positionals as match here, as argparse's `consume_positionals` takes them."""
        for count in range(len(self.positionals), 0, -1):
            parts = self.positionals[:count]
            found = re.compile("".join(_group(flag.arity) for flag in parts)).match(
                self.pattern, at
            )
            if found is None:
                continue
            for index, flag in enumerate(parts):
                start, end = found.span(index + 1)
                values = [token.text for token in self.tokens[start:end]]
                if "--" in values:
                    values.remove("--")
                yield Use(flag, "", flag.dest, tuple(values), at=start)
            del self.positionals[:count]
            return found.end()
        return at


def _group(arity: str) -> str:
    body = _ARITIES.get(arity) or "A" * int(arity)
    spaced = "".join("-*" + one for one in re.findall(r"A[?*]?", body)).replace("A*", "[A-]*")
    return f"({spaced}-*)"


def _option_part(written: str) -> str:
    return written.partition("=")[0] if written.startswith("-") else written
