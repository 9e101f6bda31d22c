"""Arguments read off source are those that argparse itself makes of it.

Each program defines ``build(parser)``. Python runs it and the dump script reads
the parser; the interpreter reads the source. The two surfaces must be equal.
"""

from __future__ import annotations

import argparse
import textwrap
from typing import Any

import pytest

from infxreg.surface import dump_script
from infxreg.surface.model import Flag, Surface
from infxreg.surface.pyread.argparser import HELP, read_calls
from infxreg.surface.pyread.deprecations import replacement_in, says_deprecated
from infxreg.surface.pyread.values import ParserVal, Unknown
from support.trees import machine

PROGRAMS = {
    "actions over argparse's own": """
        class Yes(argparse._StoreTrueAction):
            pass
        class No(argparse._StoreFalseAction):
            def __init__(self, option_strings, dest, **kwargs):
                super().__init__(option_strings, dest, **kwargs)
        class Plain(argparse.Action):
            pass
        class Pair(argparse.BooleanOptionalAction):
            pass
        def build(parser):
            parser.add_argument('--no', action=No)
            parser.add_argument('--yes', action=Yes)
            parser.add_argument('--set', action=Yes, default=True)
            parser.add_argument('--plain', action=Plain, nargs='+', type=int)
            parser.add_argument('--pair', action=Pair)
    """,
    "actions": """
        def build(parser):
            parser.add_argument('--plain', '-p')
            parser.add_argument('positional', nargs='?', type=str)
            parser.add_argument('--yes', action='store_true')
            parser.add_argument('--no', action='store_false', dest='negative')
            parser.add_argument('--const', action='store_const', const=3)
            parser.add_argument('--many', action='append', type=int, default=[])
            parser.add_argument('--verbose', '-v', action='count', default=0)
            parser.add_argument('--on', action=argparse.BooleanOptionalAction, default=True)
            parser.add_argument('-x')
            parser.add_argument('--req', required=True)
    """,
    "arity and types": """
        import json
        def human_readable_int(text): return int(text)
        def build(parser):
            parser.add_argument('--one', type=int, default=3)
            parser.add_argument('--some', nargs='+', type=float)
            parser.add_argument('--any', nargs=argparse.ZERO_OR_MORE)
            parser.add_argument('--maybe', nargs='?', const=1)
            parser.add_argument('--two', nargs=2)
            parser.add_argument('--json', type=json.loads, default='{}')
            parser.add_argument('--size', type=human_readable_int)
            parser.add_argument('--own', type=lambda s: s.lower().replace('-', '_'),
                                choices=['a_b'])
            parser.add_argument('--gone', help=argparse.SUPPRESS, default=argparse.SUPPRESS)
    """,
    "choices": """
        import enum, itertools
        from typing import Literal, get_args
        Names = Literal['x', 'y']
        class Mode(enum.Enum):
            A = 'a'
            B = 'b'
            def __str__(self):
                return self.value
        BASE = ['one', 'two']
        MORE = BASE + ['three']
        TABLE = {'k1': 1, 'k2': 2}
        def build(parser):
            parser.add_argument('--literal', choices=get_args(Names))
            parser.add_argument('--enum', choices=list(Mode))
            parser.add_argument('--names', choices=[m.name.lower() for m in Mode])
            parser.add_argument('--list', choices=MORE)
            parser.add_argument('--keys', choices=TABLE.keys())
            parser.add_argument('--ints', type=int, choices=[1, 2, 4])
            parser.add_argument('--range', type=int, choices=range(3))
            parser.add_argument('--mixed', choices=['auto'] + list(TABLE))
            parser.add_argument('--orders', choices=[','.join(p)
                                                     for p in itertools.permutations(['a', 'b'])])
            parser.add_argument('--metavar', metavar="{p,q} or a name")
            parser.add_argument('--listed', metavar=['m', 'n'])
    """,
    "helpers, groups and loops": """
        def add(parser, name, **kwargs):
            kwargs.setdefault('type', str)
            parser.add_argument('--' + name.replace('_', '-'), **kwargs)
        def build(parser):
            group = parser.add_argument_group('g', description='d')
            group.add_argument('--in-group')
            only = parser.add_mutually_exclusive_group()
            only.add_argument('--either')
            for name, default in {'first_one': 1, 'second': None}.items():
                add(parser, name, default=default, type=int)
            def nested(target, flag):
                target.add_argument(flag, action='store_true')
            nested(parser, '--nested')
            spec = {'type': int, 'default': 5, 'choices': [5, 6]}
            spec['type'] = float
            spec['choices'].remove(6)
            parser.add_argument('--spec', '-s', **{**spec, 'default': None})
            kwargs = {'nargs': '+', 'type': str}
            del kwargs['nargs']
            parser.add_argument('--single', **kwargs)
            if 1 < 2:
                parser.add_argument('--always')
            else:
                parser.add_argument('--never')
            parser.set_defaults(always='set')
    """,
    "custom actions": """
        class Loud(argparse.Action):
            def __init__(self, option_strings, dest, nargs=0, **kwargs):
                super().__init__(option_strings, dest, nargs=nargs, **kwargs)
            def __call__(self, parser, namespace, values, option_string=None):
                setattr(namespace, self.dest, True)
        class Renamed(argparse.Action):
            def __init__(self, option_strings, dest, new_flag=None, **kwargs):
                self.new_flag = new_flag
                super(Renamed, self).__init__(option_strings, dest, **kwargs)
            def __call__(self, parser, namespace, values, option_string=None):
                setattr(namespace, self.dest, values)
        def build(parser):
            parser.add_argument('--loud', action=Loud)
            parser.add_argument('--renamed', action=Renamed, new_flag='--new', type=int,
                                choices=[1], default=1)
    """,
}


def really(text: str) -> tuple[Flag, ...]:
    """The flags of the parser that Python makes."""
    scope: dict[str, Any] = {"argparse": argparse, "__name__": "pkg.mod"}
    exec(compile(textwrap.dedent(text), "mod", "exec", dont_inherit=True), scope)
    parser = argparse.ArgumentParser()
    scope["build"](parser)
    data = {"engine": "x", "version": "1", "envs": [], **dump_script.read_parser(parser)}
    return Surface.from_real_dump(data).flags


def read(text: str) -> tuple[Flag, ...]:
    """The flags that the source says."""
    reader = machine(mod="import argparse\n" + textwrap.dedent(text))
    parser = ParserVal()
    reader.call(reader.find("pkg.mod.build"), [parser], {})
    assert reader.problems == []
    made = read_calls(reader, parser)
    assert [one.cause for one in made if one.cause] == []
    return (HELP, *(one.flag for one in made))


@pytest.mark.parametrize("name", PROGRAMS)
def test_reading_is_running(name: str) -> None:
    assert read(PROGRAMS[name]) == really(PROGRAMS[name])


class TestBeyondTheParser:
    """What a dump of the parser can't say, or says less of."""

    def flags(self, text: str) -> dict[str, Flag]:
        return {one.dest: one for one in read(text)}

    def test_a_removed_flag_that_errors(self) -> None:
        made = self.flags("""
            class Gone(argparse.Action):
                def __init__(self, option_strings, dest, error_message=None, nargs=0, **kwargs):
                    self.error_message = error_message
                    super().__init__(option_strings, dest, nargs=nargs, **kwargs)
                def __call__(self, parser, namespace, values, option_string=None):
                    if self.error_message is not None:
                        parser.error(self.error_message)
                    print('still there')
            def build(parser):
                parser.add_argument('--old', action=Gone, error_message='Use --new instead.')
                parser.add_argument('--quiet', action=Gone)
        """)
        assert (made["old"].refused, made["quiet"].refused) == (True, False)
        assert (made["old"].arity, made["old"].type) == ("0", "")

    def test_what_is_deprecated_and_by_what(self) -> None:
        made = self.flags("""
            MESSAGE = '--logs is deprecated. Use --logging.file instead.'
            class DeprecatedLogs(argparse.Action):
                def __call__(self, parser, namespace, values, option_string=None):
                    warnings.warn(MESSAGE)
            class DeprecatedStore(argparse.Action):
                def __init__(self, option_strings, dest, new_flag=None, **kwargs):
                    super().__init__(option_strings, dest, **kwargs)
            class Pairs(argparse.BooleanOptionalAction):
                '''Goes with `--disable-x`, and to `--no-x` for the old ones.'''
            def build(parser):
                parser.add_argument('--pair', action=Pairs, help='Deprecated: has no effect.')
                parser.add_argument('--logs', action=DeprecatedLogs)
                parser.add_argument('--store', action=DeprecatedStore, new_flag='--kept')
                parser.add_argument('--said', help='[DEPRECATED] Use `--kept` instead.')
                parser.add_argument('--dull', help='(Deprecated)')
                parser.add_argument('--fresh', help='Whether to allow deprecated things.')
        """)
        assert {name: one.deprecated for name, one in made.items() if name != "help"} == {
            "pair": "",
            "logs": "--logging.file",
            "store": "--kept",
            "said": "--kept",
            "dull": "",
            "fresh": None,
        }

    def test_choices_that_arent_known(self) -> None:
        reader = machine(
            mod="""
            import torch
            def build(parser):
                parser.add_argument('--a', choices=torch.names())
                parser.add_argument('--b', **torch.spec())
                parser.add_argument(torch.name())
                for name in torch.names():
                    parser.add_argument('--' + name)
                if torch.cuda.is_available():
                    parser.add_argument('--c')
            """
        )
        parser = ParserVal()
        reader.call(reader.find("pkg.mod.build"), [parser], {})
        made = {one.flag.dest: one for one in read_calls(reader, parser)}
        assert sorted(made) == ["a", "b", "c"]
        assert (made["a"].flag.hard, made["a"].flag.choices) == (True, None)
        assert made["a"].cause == "a call of torch.names"
        assert (made["b"].flag.default, made["b"].cause) == (None, "a call of torch.spec")
        assert [made[name].certain for name in "abc"] == [True, True, False]
        assert [one.partition(": ")[2] for one in reader.problems] == [
            "a loop over what isn't known: a call of torch.names",
            "an argument's name isn't known: a call of torch.name",
        ]

    def test_words_of_inline_types(self) -> None:
        """Inline code is named by what it does with the text, as far as that can be told."""
        made = self.flags("""
            class Kind: pass
            class Reader:
                @classmethod
                def parse(cls, text): return text
                def __call__(self, text): return text
            def optional_type(return_type):
                def _optional_type(text): return return_type(text)
                return _optional_type
            def build(parser):
                parser.add_argument('--lower', type=lambda s: s.lower())
                parser.add_argument('--ints', type=lambda s: [int(x) for x in s.split(',')])
                parser.add_argument('--names', type=lambda s: s.split(','))
                parser.add_argument('--mixed', type=lambda s: [
                    int(x) if x.isdigit() else x for x in s.split(',')])
                parser.add_argument('--other', type=lambda s: s.upper())
                parser.add_argument('--kind', type=Kind)
                parser.add_argument('--method', type=Reader.parse)
                parser.add_argument('--object', type=Reader())
                parser.add_argument('--maybe', type=optional_type(int))
        """)
        assert {name: one.type for name, one in made.items() if name != "help"} == {
            "lower": "lower",
            "ints": "int-list",
            "names": "comma-list",
            "mixed": "comma-list",
            "other": "lambda",
            "kind": "Kind",
            "method": "parse",
            "object": "unknown",
            "maybe": "int",
        }
        assert [name for name, one in made.items() if one.optional] == ["maybe"]

    def test_actions_that_arent_followed(self) -> None:
        """An action whose constructor raises, or that isn't known, keeps what the call says."""
        reader = machine(
            mod="""
            import argparse, torch
            class Strict(argparse.Action):
                def __init__(self, option_strings, dest):
                    super().__init__(option_strings, dest)
            def build(parser):
                parser.add_argument('--strict', action=Strict, choices=['a'])
                parser.add_argument('--odd', action=torch.action())
                parser.add_argument('--choice', choices=['a', torch.name()])
                parser.add_argument('--kind', choices=[object()])
                parser.register('type', 'x', int)
                parser.register('action', 'wide')
                if parser.description:
                    parser.add_argument('--described')
                return parser.format_help()
            """
        )
        parser = ParserVal()
        shown = reader.call(reader.find("pkg.mod.build"), [parser], {})
        made = {one.flag.dest: one for one in read_calls(reader, parser)}
        assert isinstance(shown, Unknown)
        assert (made["strict"].flag.action, made["strict"].flag.choices) == ("Strict", ("a",))
        assert made["odd"].flag.action == "unknown"
        assert made["choice"].cause == "a call of torch.name"
        assert made["kind"].cause == "text of Instance"
        assert (made["described"].certain, parser.registered) == (False, {})
        assert reader.problems == ["pkg.mod.Strict: TypeError: __init__ has no choices"]

    def test_a_pair_of_enable_and_disable(self) -> None:
        """vllm's own action, which shows a pair and keeps ``--no-`` hidden."""
        made = self.flags("""
            class EnableDisableAction(argparse.BooleanOptionalAction):
                _inverse = {'--enable-': '--disable-', '--disable-': '--enable-'}
                def __init__(self, option_strings, dest, *args, **kwargs):
                    super().__init__(option_strings, dest, *args, **kwargs)
                    inverses = [
                        inverse + opt.removeprefix(prefix)
                        for opt in option_strings
                        for prefix, inverse in self._inverse.items()
                        if opt.startswith(prefix)
                    ]
                    self.visible_option_strings = (
                        [*option_strings, *inverses] if inverses else list(self.option_strings)
                    )
                    self.option_strings = [*self.option_strings, *inverses]
            def build(parser):
                parser.register('action', argparse.BooleanOptionalAction, EnableDisableAction)
                parser.add_argument('--enable-x', '-ex', action=argparse.BooleanOptionalAction)
                parser.add_argument('--y', action=argparse.BooleanOptionalAction)
        """)
        assert made["enable_x"].names == ("--enable-x", "-ex", "--disable-x")
        assert made["enable_x"].hidden == ("--no-enable-x",)
        assert made["enable_x"].action == "enable-disable"
        assert (made["y"].names, made["y"].hidden) == (("--y", "--no-y"), ())


@pytest.mark.parametrize(
    ("text", "deprecated", "replacement"),
    [
        ("--x is deprecated and has no effect", True, None),
        ("Note: --x is deprecated now. Please use --y instead.", True, "--y"),
        ("This parameter is deprecated and will be removed.", True, None),
        ("[Deprecated] Use SOME_VAR=1 instead", True, "SOME_VAR=1"),
        ("[Deprecated] Alias for --mode recover.", True, "--mode"),
        ("(Deprecated, use --y=auto) x", True, "--y=auto"),
        ("Deprecated alias for --y-{a,b}=off.", True, "--y-{a,b}=off"),
        ("has no effect, do not set it", True, None),
        ("Enable deprecated metrics", False, None),
        ("Replaces the deprecated --old.", False, None),
    ],
)
def test_words_of_deprecation(text: str, deprecated: bool, replacement: str | None) -> None:
    assert (says_deprecated(text), replacement_in(text)) == (deprecated, replacement)
