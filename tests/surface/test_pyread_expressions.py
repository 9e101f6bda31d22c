"""Expressions: each is Python's own value, Python's own error, or unknown."""

from __future__ import annotations

import pytest

from infxreg.surface.pyread.machine import Machine
from infxreg.surface.pyread.values import BudgetError, Instance, Unknown
from support.trees import machine
from support.twins import UNKNOWN, by_python, by_reading, exact, failure, lines, unread

DEFINITIONS = """
import collections, copy, enum, functools, itertools, json, os
class Color(enum.Enum):
    RED = 'r'
    BLUE = 'b'
class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2
class Word(str, enum.Enum):
    A = 'a'
    def __str__(self): return 'word ' + self.value
class Flat(enum.StrEnum):
    ONE = enum.auto()
class Plain:
    shared = 1
    def __init__(self, n=0): self.n = n
    def double(self): return self.n * 2
    @property
    def next(self): return self.n + 1
    @property
    def broken(self): return {}['a']
class Odd(enum.Enum):
    S = frozenset({1, 2})
class Called(Plain):
    def __call__(self, x): return self.n + x
def twice(x): return x * 2
"""

AGREE = lines("""
    # operators
    [+True, -True, ~5, +3, -2.5, not [], not 'a']
    [1 << 3, 9 >> 1, 6 ^ 3, 2 ** -1, 7 @ 1 if False else 0]
    [1 < 2 < 3, 1 < 3 < 2, 'a' < 'b', [1] < [2], (1, 2) >= (1, 1)]
    [Level.HIGH + 1, -Level.HIGH, Level.LOW < Level.HIGH, Level.LOW == 1, Word.A == 'a']
    [Color.RED == 'r', Color.RED == Color.RED, Color.RED != Color.BLUE, Color.RED is Color.RED]
    [1 is 1, 'a' is not None, None is None, True is False]
    [1 in [1.0], 'a' in ('b', 'a'), 'a' in {'a': 1}, 2 in range(3), 'k' in {'k'}, 4 not in []]
    [Word.A in ['a'], Word.A in {'a': 1}, 'a' in {Word.A: 1}, Level.LOW in {1}, Word.A in 'abc']
    [[1, [2]] == [1, [2]], {'a': [1]} == {'a': [1]}, [1] == (1,), {1} == {1.0}]
    [[Level.LOW] == [1], [Color.RED] == ['r'], {'a': Level.LOW} == {'a': 1}, {'a': 1} == {'b': 1}]
    [{'a': 1} | {'b': 2}, {1} & {1, 2}, {1, 2} - {1}, [1] * 2, 'ab' % ()]
    ['%s-%d' % ('a', 1), 'a' + 'b', b'a' + b'b', 7 % 3, 7 // 2, 7 / 2]
    # texts
    f'{1}{"a"!r}{[1, "x"]}{ {"k": (1,)} }{None}{True}{1.5:.3f}{3:>4}{"a":<3}|'
    f'{Level.LOW}{Word.A}{Flat.ONE}{Color.RED}{Color.RED!r}{Level.HIGH!r}{"a"!s:>3}{2!r:>3}'
    [str(Level.LOW), str(Word.A), str(Flat.ONE), str(Color.RED), str([1, 'a']), str(), str(None)]
    [repr('a'), repr([1, (2,), {}]), repr(Color.BLUE), repr(None), repr(1.5)]
    ['a,b,'.split(','), ' x '.strip(), 'abc'.index('b'), 'Ab'.swapcase() if False else 0]
    ['x'.join(['a', 'b']), 'a-b'.replace('-', '_'), 'a=b=c'.partition('='), '-'.join('ab')]
    # items
    [[1, 2, 3][-1], (1, 2)[0], 'abc'[1:], {'a': 1}['a']]
    [range(5)[2], [1, 2, 3][::2], 'ab'[Level.LOW]]
    [{Word.A: 1}['a'], {'a': 2}[Word.A], {Word.A: 3}.get('a')]
    [{'a': 4}.get(Word.A), {1: 5}[Level.LOW]]
    [Color['RED'].value, Color('b').name, list(Color) == [Color.RED, Color.BLUE], len(Color)]
    # choices
    [1 if [] else 2, 'a' and 'b', '' or 'c', 0 and 1 / 0, 1 or 1 / 0]
    # comprehensions
    [{k: v for k, v in [('a', 1), ('b', 2)] if v > 1}, [x for y in [[1], [2]] for x in y]]
    [{x for x in 'aab'}, {x: [y for y in range(x)] for x in range(3)}]
    [[a for a, *b in [(1, 2, 3)]]]
    # functions of items
    [len('abc'), len({'a': 1}), len({1, 2}), len(range(4)), len(())]
    [sorted([3, 1, 2], reverse=True), sorted('ba'), sorted({'b': 1, 'a': 2}), sorted([])]
    sorted(['bb', 'a', 'ccc'], key=len, reverse=True)
    sorted([('b', 1), ('a', 2)], key=lambda pair: pair[1])
    [min(3, 1, 2), max([1, 5, 2]), min('b', 'a'), max([], default=7), min(['bb', 'a'], key=len)]
    [max(['a', 'b', 'cc'], key=len), max(Level).name, min(Level.LOW, Level.HIGH).name]
    [sum([1, 2]), sum([[1], [2]], []), sum([], 5), sum([1], start=2), sum(x for x in (1, 2))]
    [any([0, 1]), all([1, 0]), any([]), all([]), any(x > 1 for x in [1, 2])]
    [list(zip('ab', [1, 2, 3])), list(zip())]
    [list(enumerate('ab', 1)), list(enumerate('a', start=5))]
    [list(range(3)), list(range(1, 7, 2)), list(range(Level.HIGH)), list(reversed([1, 2, 3]))]
    [list(map(len, ['a', 'bb'])), list(map(lambda a, b: a + b, [1, 2], [3, 4]))]
    [list(map(str, Level))]
    [list(filter(None, [0, 1])), list(filter(lambda x: x > 1, [1, 2]))]
    [list(map(str.upper, 'ab'))]
    [next(iter([1, 2])), next(iter({'k': 1})), next(iter([]), 'none'), list(iter('ab'))]
    [next(x for x in [1, 2] if x > 1), next((x for x in []), None)]
    [next(iter(iter([1]))), list(map(list, [[1]]))]
    (lambda it: [next(it), next(it), list(it)])(iter([1, 2, 3]))
    # kinds
    [isinstance(1, int), isinstance(True, int), isinstance('a', (int, str)), isinstance([], dict)]
    [isinstance(Level.LOW, int), isinstance(Word.A, str), isinstance(Color.RED, Color)]
    [isinstance(Plain(), Plain), isinstance(Called(), Plain), isinstance(Plain(), (Called, int))]
    [isinstance(1, int | str), isinstance(Plain, type)]
    [isinstance(int, type), isinstance(None, type)]
    [issubclass(Called, Plain), issubclass(Plain, Called)]
    [issubclass(bool, int), issubclass(Word, str)]
    [issubclass(Plain, object), issubclass(int, (str, int)), issubclass(str, (int, list))]
    [type(1) is int, type('a') is str, type([]) is list]
    [type(Plain) is type, type(Plain()) is Plain]
    [type(None)() if False else 1, type(Color.RED) is Color, type(int) is type]
    [callable(len), callable(twice), callable(Plain)]
    [callable(Called()), callable(Plain()), callable(1)]
    [int('3'), int(2.7), float('1.5'), int(), int('ff', 16), int(Level.HIGH), float(1), int(True)]
    [bool([]), bool('a'), bool(), bool(None), bool(Level.LOW)]
    [list('ab'), tuple([1]), list(), tuple(), set(), dict(), frozenset(), list({'a': 1})]
    [set([1, 1]), frozenset('a'), list(set([1]))]
    [dict([('a', 1)], b=2), dict({'a': 1}), dict(a=1)]
    # attributes
    [getattr(Plain(), 'n'), getattr(Plain(), 'zz', 5)]
    [getattr(Plain, 'shared'), getattr('', 'zz', 1)]
    [hasattr(Plain(), 'n'), hasattr(Plain(), 'zz')]
    [hasattr(Plain, 'double'), hasattr('a', 'lower')]
    [hasattr([], 'zz'), hasattr(None, 'zz'), hasattr(Plain, 'zz')]
    [hasattr(Color, 'RED'), hasattr(int, 'zz')]
    [twice.__name__, Plain.__name__, Plain().__class__ is Plain]
    [Plain(2).double(), Plain.double(Plain(3))]
    [Plain(2).__dict__, vars(Plain(3)), 'shared' in vars(Plain), Plain.__module__, Plain(1).next]
    [Color.RED.__class__ is Color, Color.RED._name_, Color.RED._value_]
    [Word.A.upper(), Plain().double.__name__]
    [Called(2)(3), Called(n=1)(x=1), (lambda x, *y, z=1, **w: [x, y, z, w])(1, 2, z=3, q=4)]
    [super(Plain, Plain()).__setattr__('n', 1), super(Called, Called).__init_subclass__()]
    # methods
    [str.upper('a'), str.lower(Word.A), dict.fromkeys(['a', 'b'])]
    [dict.fromkeys('a', 0), list.index([1, 2], 2)]
    [{'a': 1}.get('b'), {'a': 1}.get('b', 2), list({'a': 1}.items()), list({'a': 1}.values())]
    [{1, 2}.union([3]), {1, 2}.intersection({2}), {1}.difference([1])]
    [{1}.issubset({1, 2}), {1}.copy()]
    [[1, 2].count(1), (1, 2).index(2), (1.0).is_integer(), (5).bit_length(), [1].copy()]
    # libraries
    [list(itertools.chain([1], (2,))), list(itertools.chain.from_iterable([[1], [2]]))]
    [list(itertools.product('ab', repeat=2)), list(itertools.combinations([1, 2, 3], 2))]
    [list(itertools.permutations([1, 2], r=1)), functools.partial(twice, 4)()]
    [functools.cache(twice)(2)]
    [json.loads('[1, {"a": null}]'), collections.OrderedDict([('a', 1)]) == {'a': 1}]
    [os.environ.get('INFXREG_NO_SUCH', 'd'), os.getenv('INFXREG_NO_SUCH')]
    [os.getenv('INFXREG_NO_SUCH', 'x')]
    (lambda a: [copy.deepcopy(a) == a, copy.deepcopy(a)[0] is a[0]])([[1], (2, {3}), {'k': [4]}])
    (lambda a: [copy.copy(a) is a, copy.copy(a)[0] is a[0]])([[1]])
    [copy.copy({1}), copy.copy({'a': 1}), copy.copy('a')]
""")

RAISE = lines("""
    {}['a']
    [1][5]
    [1][str()]
    'a'[7]
    {[]: 1}
    {[1]}
    1 / 0
    'a' + 1
    [1] < ['a']
    1 < 'a'
    [] in {1}
    ~1.5
    'a'.index('b')
    int('a')
    float('x')
    [1].remove(2)
    [].pop()
    {}.pop('a')
    {1}.remove(2)
    min([])
    max([1, 'a'])
    sorted([1, 'a'])
    next(iter([]))
    range('a') if False else range(1, 2, 0)
    Color['GREEN']
    Color('q')
    Plain().missing
    Plain.missing
    'a'.missing
    None.missing
    int.missing
    Color.RED.missing
    twice()() if False else twice(1, 2)
    twice(y=1)
    getattr(Plain(), 'missing')
    getattr(Plain(), 'broken', 1)
    hasattr(Plain(), 'broken')
    f'{1:%%q}'
    json.loads('{')
    set([[]])
    dict([([], 1)])
    (lambda: 1)(2)
    f'{"a":d}'
""")

# Where Python's answer hangs on what isn't read, or isn't worth following.
NOT_KNOWN = lines("""
    U
    U + 1
    -U
    not U
    U < 1
    1 < U < 3
    U == 1
    U is None
    U in [1]
    1 in U
    U[0]
    [1, 2][U]
    {U: 1}
    {U}
    {**U}
    {**[1]}
    {U: 1 for _ in [1]}
    {_: 1 for _ in U}
    [x for x in U]
    [x for x in [1] if U]
    [y for x in [1] for y in U]
    {x for x in [U]}
    [*U]
    {*U}
    (*U,)
    print(*U)
    U(1)
    U.name
    f'{U}'
    f'{1:{U}}'
    f'{[U]}'
    f'{U!r}'
    f'{1!a}'
    f'{1:999999999}'
    '%999999999d' % 1
    '%*d' % (9, 1)
    f'{ {1, 2} }'
    f'{Plain()}'
    'a' % U
    1 if U else 2
    U and 1
    U or 0
    [U] == [1]
    {'a': U} == {'a': 1}
    Plain() == Plain(1)
    Plain() + 1
    -Plain()
    -'a'
    Plain() < Plain()
    1 in Plain()
    1 in 'abc'
    1 in [U]
    outside.X[0] + 1
    Plain()[0]
    [1, 2][U:]
    len(U)
    sorted(U)
    sorted([U])
    sorted([1, 2], reverse=U)
    sorted([Plain(), Plain()])
    min(U)
    min(1, U)
    max([Plain()], key=lambda one: one)
    sum(U)
    sum([U])
    any(U)
    any([0, U])
    all([1, U])
    any([0, Plain().next if False else U])
    zip([1], U)
    enumerate(U)
    enumerate('a', U)
    enumerate('a', 'b')
    range(U)
    range('a')
    reversed(U)
    map(str, U)
    map(str)
    filter(None, U)
    filter(lambda x: U, [1])
    next(U)
    next([1])
    next(iter({1, 2}))
    iter(U)
    isinstance(U, int)
    isinstance(1, U)
    isinstance(1, (str, U))
    isinstance([], collections.abc.Sequence)
    issubclass(U, int)
    issubclass(int, (str, U))
    issubclass(dict, collections.abc.Mapping)
    type(U)
    type(outside.X)
    callable(U)
    list(U)
    set([U])
    int(U)
    int([])
    int('1' * 101)
    bool(U)
    str(U)
    str([U])
    str(b'a', 'utf-8')
    str(outside.X)
    bytes(3)
    dict(U)
    dict([U])
    dict([1])
    dict([(U, 1)])
    repr(outside.X)
    repr(Odd.S)
    str({'a': outside.X})
    str({outside.X: 'a'})
    getattr(U, 'a')
    getattr(Plain(), U)
    getattr(Plain(), 1)
    hasattr(U, 'a')
    hasattr(Plain(), U)
    hasattr(outside.X(), 'a')
    vars(U)
    vars()
    len()
    isinstance(1)
    'a'.replace('a', U)
    'a'.join([U])
    'a'.join(U)
    'a'.join([1])
    'a'.startswith(('a', U)) if False else 'a'.startswith(U)
    {1}.union(U)
    len({1}.union([U]))
    {1}.union([U]) == {1}
    2 in {1}.union([U])
    [1].index(U)
    'a'.encode
    'a'.encode()
    'a'.__class__
    int.from_bytes
    str.upper(U)
    str.upper(1)
    str.upper()
    dict.fromkeys(U)
    Plain.__mro__
    Plain().__init_subclass__
    Plain().double.__doc__ if False else twice.__kwdefaults__
    None.__class__
    Color(U)
    Color()
    json.loads(U)
    itertools.chain(U)
    itertools.chain.from_iterable(U)
    itertools.product(U)
    itertools.product([1], repeat=U)
    itertools.product([1], repeat=17)
    itertools.permutations([1], r='a')
    itertools.permutations()
    (yield)
    outside.X @ 1
    len(map)
    3(1)
    [1](2)
    super(U, 1)
    super(Plain, U).x
    super().x
    super(Plain, Plain()).nothing
    Plain()(1)
    (lambda a: a)()
    (lambda a, b: b)(*[1], **U)
    (lambda a=1: a)(**U)
    (lambda **k: k['x'] if 'x' in k else k['**'])(**U)
    (lambda **k: k['**'])(**[1])
    getattr((x for x in [1]), 'gi_frame')
""")


@pytest.mark.parametrize("text", AGREE)
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_is_what_python_gives(text: str) -> None:
    """Kind and value of every part are those that Python's own evaluation gives."""
    program = f"{DEFINITIONS}RESULT = {text}\n"
    assert exact(by_reading(program)) == exact(by_python(program))


@pytest.mark.parametrize("text", RAISE)
def test_raises_what_python_raises(text: str) -> None:
    """An expression that ends in an error is a problem of the error's name, and unknown."""
    program = f"{DEFINITIONS}RESULT = {text}\n"
    with pytest.raises(
        (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, StopIteration)
    ) as caught:
        by_python(program)
    assert failure(program) == type(caught.value).__name__


@pytest.mark.parametrize("text", NOT_KNOWN)
def test_isnt_known(text: str) -> None:
    """What hangs on something unread is unknown, not a guess and not a crash."""
    unread(f"{DEFINITIONS}RESULT = {text}\n")


def test_the_first_cause_is_kept() -> None:
    """Through operators, calls and containers `Unknown` still names where it came from."""
    for text in ("U + 1", "len(sorted(U))", "[f'{U}'][0].upper()", "{**U}", "int(str(U))"):
        assert unread(f"RESULT = {text}\n").why == "a call of outside.made"


@pytest.mark.parametrize(
    "text",
    [
        "'a' * 3000 * 3000",
        "[x for x in range(60000)]",
        "f\"{'a' * 190000}{'a' * 190000}\" * 9",
        "' '.join(['a' * 190000] * 190000)",
        "(lambda x: [f'{x}{x}{x}{x}{x}{x}'])('a' * 190000)",
        "list(iter(list(range(50000)) + [1]))",
        "sum([['a'] * 190000] * 5, [])",
        "[*(['a'] * 190000), *(['a'] * 190000)]",
        "(lambda x: x.extend(x))(['a'] * 190000)",
    ],
)
def test_more_room_than_any_engine_takes(text: str) -> None:
    """A value that would fill memory ends the reading."""
    with pytest.raises(BudgetError):
        machine(mod=f"RESULT = {text}").find("pkg.mod.RESULT")


def test_an_unsure_choice_whose_sides_agree() -> None:
    """``x if … else x`` is x whatever the condition."""
    reader = machine(mod=UNKNOWN + "RESULT = [3 if U else 3, True or U, U and False, U or True]\n")
    assert reader.find("pkg.mod.RESULT") == [3, True, False, True]


def test_objects_and_natives_have_kinds() -> None:
    """``object()`` is one of a kind, and functions of Python are functions."""
    reader: Machine = machine(mod="RESULT = [object(), type(len), type(print), print('x')]")
    found = reader.find("pkg.mod.RESULT")
    assert isinstance(found, list)
    assert isinstance(found[0], Instance)
    assert (str(found[1]), found[1] == found[2], found[3]) == (
        "External(path='types.FunctionType')",
        True,
        None,
    )


def test_sorting_in_place() -> None:
    """``sort`` works as in Python; where the order isn't known no item is."""
    text = """
        a = ['bb', 'a', 'ccc']
        a.sort(key=len, reverse=True)
        b = [3, 1]
        b.sort()
        RESULT = [a, b]
    """
    assert by_reading(text) == by_python(text)
    found = machine(mod=UNKNOWN + "a = [3, 1]\na.sort(key=lambda x: U)\nRESULT = a\n").find(
        "pkg.mod.RESULT"
    )
    assert isinstance(found, list)
    assert [isinstance(one, Unknown) for one in found] == [True, True]
