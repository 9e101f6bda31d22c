"""Law: which argument belongs to which flag is what Python's argparse (3.11, 3.12) says."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infxreg.surface.argparse_rules import Grammar, Misuse, Token, Use, matched
from infxreg.surface.check import check
from infxreg.surface.model import Flag
from support.surfaces import accepted, boolean, flag, only, said, surface

SIZES = surface(
    "other",
    "1.0",
    flag("--tensor-parallel-size", "-tp", type="int"),
    flag("--tp-size", type="int"),
    flag("--pp-size", type="int"),
    flag("--pp-depth", type="int"),
    flag("--sizes", arity="+", type="int"),
    flag("--hosts", arity="*"),
    flag("--limit", arity="?", type="int"),
    flag("--nnodes", "-n", type="int"),
    flag("--name"),
    boolean("--cache"),
    flag("-x", arity="0", action="store_true", type="", dest="x"),
    flag("-y", arity="0", action="store_true", type="", dest="y"),
    flag("--tag", action="append"),
)


@pytest.mark.parametrize(
    "argv",
    [
        ("--tp-size", "8"),
        ("--tp-size=8",),
        ("--tp", "8"),  # a unique prefix
        ("-tp", "8"),
        ("-tp=8",),
        ("-n2",),  # glued to a one-letter option
        ("-t", "8"),  # a unique prefix of a single-dash option
        ("--tp-size", "-1"),  # a negative number is a value
        ("--tp-size=-1",),
        ("--name=--cache",),  # a value that begins with -- needs =
        ("--name=a b",),
        ("--name", "a b"),
        ("--name", "-q y"),  # with a space it is no option
        ("--name", ""),
        ("--name", "-"),
        ("--sizes", "1", "2", "3"),
        ("--sizes=1",),
        ("--hosts",),
        ("--limit",),
        ("--limit", "3"),
        ("--cache", "--no-cache"),
        ("-xy",),
        ("-xn2",),
        ("--tag", "a", "--tag", "b"),
    ],
)
def test_takes(argv: tuple[str, ...]) -> None:
    assert accepted(SIZES, *argv) is True


@pytest.mark.parametrize(
    ("argv", "kind", "named"),
    [
        (("--pp", "2"), "ambiguous prefix", "--pp"),
        (("--tp-sizes", "2"), "unknown flag", "--tp-sizes"),
        (("-tp8",), "unknown flag", "-tp8"),
        (("--tp-size",), "missing value", "--tp-size"),
        (("--tp-size", "--cache"), "missing value", "--tp-size"),
        (("--tp-size", "-1e-3"), "missing value", "--tp-size"),
        (("--name", "--x"), "missing value", "--name"),
        (("--name", "--"), "missing value", "--name"),
        (("--sizes",), "missing value", "--sizes"),
        (("--sizes", "--cache"), "missing value", "--sizes"),
        (("--cache=true",), "ignored value", "--cache"),
        (("--cache=",), "ignored value", "--cache"),
        (("-xz",), "ignored value", "-xz"),
        (("--cache", "true"), "stray positional", ""),
        (("--tp-size", "8", "9"), "stray positional", ""),
        (("x",), "stray positional", ""),
        (("--tp-size 8",), "stray positional", ""),
        (("--no-name",), "unknown flag", "--no-name"),
    ],
)
def test_refuses_and_says_why(argv: tuple[str, ...], kind: str, named: str) -> None:
    verdict = check(SIZES, argv)
    assert verdict.accepted is False
    assert (kind, named) in said(verdict)


def test_an_ambiguous_prefix_lists_what_it_could_be() -> None:
    assert (
        only(SIZES, "--pp", "2").message
        == "--pp could be any of --pp-depth, --pp-size: write one of them out"
    )


def test_an_abbreviation_is_taken_with_a_warning() -> None:
    found = only(SIZES, "--nn", "2")
    assert (found.kind, found.severity, found.near) == ("abbreviation", "warning", "--nnodes")


def test_the_values_of_an_unknown_flag_are_no_strays() -> None:
    found = only(SIZES, "--tp-sizes", "2", "3")
    assert (found.kind, found.value, found.near) == ("unknown flag", "2 3", "--tp-size")


def test_a_stray_after_a_flag_without_a_value_says_how_to_write_it() -> None:
    assert only(SIZES, "--cache", "true").message == (
        "'true' belongs to no flag: --cache takes no value, write --cache or --no-cache"
    )


def test_a_flag_and_its_value_in_one_argument_are_told_apart() -> None:
    found = only(SIZES, "--tp-size 8")
    assert found.message == "'--tp-size 8' is one argument: give '--tp-size' and '8' apart"
    assert found.near == "--tp-size"


def test_what_a_flag_needs() -> None:
    made = surface("other", "1.0", flag("--two", arity="2"), *SIZES.flags)
    assert only(made, "--tp-size").message == "--tp-size needs a value"
    assert only(made, "--sizes").message == "--sizes needs at least one value"
    assert only(made, "--two", "1").message == "--two needs 2 values"
    assert accepted(made, "--two", "1", "2") is True
    assert accepted(made, "--two=1") is False


def test_a_stray_after_a_value() -> None:
    assert only(SIZES, "--name", "a", "b").message == (
        "'b' belongs to no flag: --name takes one value"
    )


def test_the_last_use_counts_unless_the_action_appends() -> None:
    found = only(SIZES, "--name", "a", "--name", "b")
    assert (found.kind, found.severity) == ("repeated", "warning")
    assert check(SIZES, ("--tag", "a", "--tag", "b")).findings == ()


def test_nargs_plus_swallows_what_follows() -> None:
    assert said(check(SIZES, ("--sizes", "1", "model"))) == [("wrong type", "--sizes")]


def test_two_dashes_with_equals_are_dropped() -> None:
    """argparse of 3.11 and 3.12 drops the value; so the flag has none, and that is accepted."""
    verdict = check(SIZES, ("--tp-size=--",))
    assert verdict.accepted is True
    assert [(one.kind, one.level) for one in verdict.findings] == [("dropped value", "ours")]
    assert verdict.sound is False


def test_a_required_flag_is_missed() -> None:
    made = surface("other", "1.0", flag("--model-path", required=True))
    assert only(made).kind == "missing flag"


def test_what_follows_two_dashes_is_positional() -> None:
    verdict = check(SIZES, ("--name", "a", "--", "--cache"))
    assert said(verdict) == [("stray positional", ""), ("stray positional", "")]


class Refused(Exception):
    """What argparse says instead of exiting."""


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Refused(message)


def real_parser(flags: tuple[Flag, ...]) -> Parser:
    parser = Parser(add_help=False)
    for one in flags:
        if one.arity == "0":
            parser.add_argument(*one.names, action="store_true", dest=one.dest)
        elif one.names:
            nargs = None if one.arity == "1" else int(one.arity) if one.arity == "2" else one.arity
            parser.add_argument(*one.names, nargs=nargs, dest=one.dest)
        else:
            parser.add_argument(one.dest, nargs=None if one.arity == "1" else one.arity)
    return parser


NAMES = ["--a", "--ab", "--abc", "--b-c", "--b-d", "-a", "-b", "-n", "-dp", "-dpr", "-e"]
ARITIES = st.sampled_from(["0", "1", "?", "*", "+", "2"])
WORDS = st.sampled_from(
    [
        *NAMES,
        "--",
        "-",
        "",
        "x",
        "1",
        "-1",
        "-.5",
        "-1e-3",
        "a b",
        "-a b",
        "--ab=1",
        "--b=--",
        "--a=",
        "--zz",
        "--zz=1",
        "-z",
        "-ax",
        "-bx",
        "-nx",
        "-d",
        "-dp=2",
        "-dpx",
        "-e1",
        "--b",
        "--ab x",
    ]
)


@st.composite
def parsers(draw: st.DrawFn) -> tuple[Flag, ...]:
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, min_size=1))
    flags = [
        Flag(names=(name,), dest=f"d{index}", arity=draw(ARITIES))
        for index, name in enumerate(names)
    ]
    if draw(st.booleans()):
        flags.append(Flag(dest="model", arity=draw(st.sampled_from("1?"))))
    return tuple(flags)


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="argparse 3.13 reads some lists otherwise")
@settings(max_examples=1500, deadline=None)
@given(parsers(), st.lists(WORDS, max_size=7))
def test_agrees_with_argparse(flags: tuple[Flag, ...], words: list[str]) -> None:
    # A positional first, as every launch has the model first: argparse's own ways of putting a
    # later positional off changed between releases.
    argv = ["model", *words] if any(not one.names for one in flags) else words
    try:
        real_parser(flags).parse_args(argv)
        real = True
    except Refused:
        real = False
    found = list(matched(Grammar.of(flags), [Token(word, word) for word in argv]))
    assert (not any(isinstance(one, Misuse) for one in found)) is real


def test_a_use_knows_its_place_and_spelling() -> None:
    flags = (flag("--name"), flag("--count", type="int"))
    found = list(matched(Grammar.of(flags), [Token(word, word) for word in ("--na", "x")]))
    assert found == [Use(flags[0], "--name", "--na", ("x",), at=0)]
