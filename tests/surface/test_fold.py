"""Folding loses nothing, and says of each item which versions have it."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infxreg.surface.canonical import canonical
from infxreg.surface.errors import SurfaceFormatError, UnknownVersionError
from infxreg.surface.fold import fold, folded_text
from infxreg.surface.fold_wheels import fold_wheels, read_hashes
from infxreg.surface.folded import FoldedSurfaces
from infxreg.surface.history import Span, in_words
from infxreg.surface.implied import implied_names
from infxreg.surface.model import Config, ConfigField, Enum, Flag, Surface, Wheel
from infxreg.surface.ranges import from_text, mask_of, runs, sort_versions, to_text
from infxreg.surface.source import Source, open_wheel
from infxreg.values import FrozenMap
from support.surfaces import boolean, config, enum, flag, surface
from support.trees import wheel

VERSIONS = ("0.9.0", "0.10.0", "0.10.0.post1", "0.11.0rc1", "0.11.0")


class TestRanges:
    @given(st.sets(st.integers(0, 70)), st.integers(71, 90))
    def test_there_and_back(self, indexes: set[int], count: int) -> None:
        mask = mask_of(indexes)
        assert from_text(to_text(mask, count), count) == mask
        spread = {i for first, last in runs(mask) for i in range(first, last + 1)}
        assert spread == indexes

    def test_as_text(self) -> None:
        assert to_text(mask_of([0, 1, 2, 5, 8, 9]), 10) == "0-2 5 8-"
        assert to_text(mask_of([9]), 10) == "9-"
        assert to_text(0, 10) == ""

    def test_a_run_to_the_newest_goes_on(self) -> None:
        assert from_text("3-", 5) == mask_of([3, 4])
        assert from_text("3-", 7) == mask_of([3, 4, 5, 6])

    @pytest.mark.parametrize("text", ["x", "3-1", "9", "-", "0-9", "1-x"])
    def test_no_range(self, text: str) -> None:
        with pytest.raises(ValueError, match=r"."):
            from_text(text, 5)


names = st.sampled_from(["a", "b", "c", "with space", "", "None", "é"])
words = st.sampled_from(["str", "int", "json", "dataclass", ""])
flags = st.builds(
    Flag,
    names=st.sampled_from(
        [(), ("--x",), ("--x", "-x"), ("--enable-y",), ("--enable-y", "--disable-y"), ("-q",)]
    ),
    dest=st.sampled_from(["x", "enable_y", "q", "other"]),
    arity=st.sampled_from(["0", "1", "+"]),
    action=st.sampled_from(["store", "boolean", "enable-disable", "Own"]),
    type=words,
    optional=st.booleans(),
    choices=st.none() | st.lists(names, max_size=3).map(tuple),
    hard=st.booleans(),
    default=st.none() | names,
    deprecated=st.none() | names,
    config=st.none() | st.just("C"),
    hidden=st.sampled_from([(), ("--no-enable-y",), ("--hid",)]),
    origin=st.sampled_from([None, "C.x", "C.other"]),
)
fields = st.builds(
    ConfigField,
    kind=st.sampled_from(["init", "noinit", "initvar"]),
    type=st.none() | words,
    choices=st.none() | st.lists(names, max_size=3).map(tuple),
    bounds=st.sampled_from(["", ">=0"]),
    default=st.none() | names,
    required=st.booleans(),
)
tables = st.sampled_from(["A", "B", "C"])


def maps(values: st.SearchStrategy[object]) -> st.SearchStrategy[FrozenMap[str, object]]:
    return st.dictionaries(tables, values, max_size=2).map(FrozenMap)


lists = st.none() | st.lists(names, max_size=4).map(tuple)
surfaces = st.builds(
    Surface,
    engine=st.just("vllm"),
    version=st.just(""),
    flags=st.lists(flags, max_size=3, unique_by=lambda one: one.names[:1] or one.dest).map(tuple),
    configs=maps(
        st.builds(
            Config,
            fields=maps(fields),
            extra=st.sampled_from([None, "forbid"]),
            refusals=st.lists(names, max_size=2).map(tuple),
        )
    ),
    enums=maps(st.builds(Enum, members=maps(st.none() | names))),
    backends=lists,
    env=lists,
    env_read=st.lists(names, max_size=2).map(tuple),
    registries=maps(st.lists(names, max_size=3).map(tuple)),
    models=lists,
    traits=st.lists(names, max_size=2).map(tuple),
)


def keyed(one: Surface) -> bool:
    """Whether its flags have keys of their own, as a parser's have."""
    keys = [flag.names[0] if flag.names else flag.dest for flag in one.flags]
    return len(set(keys)) == len(keys)


class TestLaws:
    @settings(max_examples=150, deadline=None)
    @given(st.lists(surfaces.filter(keyed), min_size=1, max_size=5))
    def test_unfold_gives_what_was_folded(self, made: list[Surface]) -> None:
        given_ones = [
            attrs.evolve(one, version=version) for one, version in zip(made, VERSIONS, strict=False)
        ]
        text = folded_text(fold(given_ones, {}))
        folded = FoldedSurfaces.read(text)
        assert [folded.unfold(one.version) for one in given_ones] == list(
            map(canonical, given_ones)
        )
        assert folded_text(fold(reversed(given_ones), {})) == text
        again = fold(map(folded.unfold, folded.versions), {})
        assert folded_text(again) == text

    @settings(max_examples=80, deadline=None)
    @given(st.lists(surfaces.filter(keyed), min_size=2, max_size=5))
    def test_history_is_what_the_versions_have(self, made: list[Surface]) -> None:
        given_ones = [
            attrs.evolve(one, version=version) for one, version in zip(made, VERSIONS, strict=False)
        ]
        folded = FoldedSurfaces.read(folded_text(fold(given_ones, {})))
        by_version = {one.version: canonical(one) for one in given_ones}
        options = {name for one in made for each in one.flags for name in each.all_names}
        variables = {name for one in made for name in (*(one.env or ()), *one.env_read)}
        keys = {(c, k) for one in made for c, cls in one.configs.items() for k in cls.fields}
        for option in options:
            there = {v for v, one in by_version.items() if option in one.by_name}
            assert spread(folded, folded.spans("flag", option)) == there
        for name in variables:
            there = {
                v for v, one in by_version.items() if name in (*(one.env or ()), *one.env_read)
            }
            assert spread(folded, folded.spans("env", name)) == there
        for c, k in keys:
            there = {v for v, one in by_version.items() if k in one.configs.get(c, config()).fields}
            assert spread(folded, folded.spans("key", f"{c}.{k}")) == there


def spread(folded: FoldedSurfaces, spans: object) -> set[str]:
    found: set[str] = set()
    for span in spans:  # type: ignore[attr-defined]
        first = folded.versions.index(span.first)
        last = len(folded.versions) if span.last is None else folded.versions.index(span.last) + 1
        found |= set(folded.versions[first:last])
    return found


def small(version: str, **more: object) -> Surface:
    return surface("vllm", version, flag("--model"), **more)


@pytest.fixture
def folded() -> FoldedSurfaces:
    """Flags that come, go and come back; a choice list that becomes free; keys and names."""
    old = surface(
        "vllm",
        "0.9.0",
        flag("--log", "-l"),
        flag("--dtype", choices=("a", "b"), hard=True),
        env=("VLLM_A",),
        backends=("ONE",),
    )
    middle = surface(
        "vllm",
        "0.10.0",
        flag("--dtype", choices=("a", "b", "c"), hard=True),
        boolean("--quick"),
        configs={"C": config(x="int")},
        env=("VLLM_A", "VLLM_B"),
        env_read=("VLLM_R",),
        backends=("ONE", "TWO"),
        registries={"tool_call_parser": ("p",)},
    )
    new = surface(
        "vllm",
        "0.11.0",
        flag("--log"),
        flag("--dtype", choices=("a", "c")),
        configs={"C": config(x="int", y=ConfigField(type="Literal", choices=("k",)))},
        enums={"E": enum(A=1)},
        env=("VLLM_B",),
        backends=("TWO",),
        registries={"tool_call_parser": ("p", "q")},
    )
    wheels = {"0.10.0": Wheel("vllm-0.10.0.whl", "ab" * 32)}
    return FoldedSurfaces.read(folded_text(fold([new, old, middle], wheels)))


class TestHistory:
    def test_versions_are_in_their_own_order(self, folded: FoldedSurfaces) -> None:
        assert folded.versions == ("0.9.0", "0.10.0", "0.11.0")
        assert folded.oldest == "0.9.0"
        assert sort_versions(["1.0", "1.0rc1", "1.0.post1", "0.10"]) == [
            "0.10",
            "1.0rc1",
            "1.0",
            "1.0.post1",
        ]

    def test_what_comes_back(self, folded: FoldedSurfaces) -> None:
        assert folded.spans("flag", "--log") == [Span("0.9.0", "0.9.0"), Span("0.11.0", None)]
        assert folded.spans("flag", "-l") == [Span("0.9.0", "0.9.0")]
        assert in_words(folded, "flag", "--log", "0.10.0") == (
            "removed after 0.9.0, back in 0.11.0"
        )

    def test_what_replaces_a_flag(self) -> None:
        """By the newest version that deprecates it; of what names nothing, nothing."""
        made = [
            surface("vllm", version, flag("--a", deprecated=one), flag("--b", deprecated=""))
            for version, one in (("1.0", None), ("1.1", "--x"), ("1.2", "--y"), ("1.3", None))
        ]
        folded = FoldedSurfaces.read(folded_text(fold(made, {})))
        named = {name: folded.replacement(name) for name in ("--a", "--b", "--nobody")}
        assert named == {"--a": "--y", "--b": None, "--nobody": None}

    def test_names_that_an_action_implies(self, folded: FoldedSurfaces) -> None:
        assert folded.spans("flag", "--no-quick") == [Span("0.10.0", "0.10.0")]
        assert implied_names("--enable-x", "enable-disable") == (
            ("--enable-x", "--disable-x"),
            ("--no-enable-x",),
        )
        assert implied_names("--x", "boolean") == (("--x", "--no-x"), ())
        assert implied_names("-x", "boolean") == (("-x",), ())
        assert implied_names("model", "store") == ((), ())

    @pytest.mark.parametrize(
        ("kind", "name", "words"),
        [
            ("choice", "--dtype=b", "removed after 0.10.0"),
            ("choice", "--dtype=z", "no version has it"),
            ("key", "C.y", None),
            ("key", "D.y", "no version has it"),
            ("key-choice", "C.y=k", None),
            ("key-choice", "C.y=z", "no version has it"),
            ("backend", "ONE", "removed after 0.10.0"),
            ("env", "VLLM_A", "removed after 0.10.0"),
            ("env", "VLLM_R", "removed after 0.10.0"),
            ("registry", "tool_call_parser=q", None),
            ("registry", "nothing=q", "no version has it"),
        ],
    )
    def test_every_kind(self, folded: FoldedSurfaces, kind: str, name: str, words: str) -> None:
        assert in_words(folded, kind, name, "0.11.0") == words  # type: ignore[arg-type]

    def test_when_choices_became_free(self, folded: FoldedSurfaces) -> None:
        found = [folded.unfold(version).by_name["--dtype"] for version in folded.versions]
        assert [(one.hard, one.choices) for one in found] == [
            (True, ("a", "b")),
            (True, ("a", "b", "c")),
            (False, ("a", "c")),
        ]

    def test_the_wheel_of_a_version(self, folded: FoldedSurfaces) -> None:
        assert folded.wheel("0.10.0") == Wheel("vllm-0.10.0.whl", "ab" * 32)
        assert folded.wheel("0.9.0") is None


class TestErrors:
    def test_a_version_that_isnt_there(self, folded: FoldedSurfaces) -> None:
        with pytest.raises(UnknownVersionError) as caught:
            folded.unfold("0.10.1")
        assert str(caught.value) == (
            "no surface of vllm 0.10.1: known are 0.9.0 to 0.11.0; nearest by name is 0.10.0; "
            "take another in with infxreg engine add"
        )

    def test_surfaces_that_dont_go_together(self) -> None:
        with pytest.raises(SurfaceFormatError, match=r"engines \['sglang', 'vllm'\], 2 surfaces"):
            fold([small("1.0"), surface("sglang", "1.1")], {})
        with pytest.raises(SurfaceFormatError, match="2 surfaces of 1 versions"):
            fold([small("1.0"), small("1.0")], {})
        with pytest.raises(SurfaceFormatError, match=r"engines \[\], 0 surfaces"):
            fold([], {})
        with pytest.raises(SurfaceFormatError, match="Invalid version: 'main'"):
            fold([small("main")], {})

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("{", "not JSON"),
            ("[" * 100_000, "not JSON"),
            ("[]", "'engine' is missing"),
            ('{"format": 2, "engine": "vllm", "versions": []}', "format 2; this reads 1"),
            (
                '{"format": 1, "engine": "vllm", "versions": ["1"], "flags": []}',
                "a table is needed @ flags; 'configs' is missing",
            ),
        ],
    )
    def test_no_folded_file(self, text: str, words: str) -> None:
        with pytest.raises(SurfaceFormatError) as caught:
            FoldedSurfaces.read(text)
        assert words in str(caught.value)

    @pytest.mark.parametrize(
        ("section", "value"),
        [
            ("flags", {"--x": {"choices": "a b"}}),
            ("flags", {"--x": {"": "0-9"}}),
            ("flags", {"--x": {"nothing": 1}}),
            ("flags", {"--x": []}),
            ("flags", {"--x": {"default": [["0"]]}}),
            ("configs", {"C": {"extra": {}, "no": 1}}),
            ("lists", {"env": {"0": 3}}),
            ("keys", {"C": 1}),
            ("enums", {"E": 1}),
        ],
    )
    def test_damage_is_found_when_it_is_read(
        self, folded: FoldedSurfaces, section: str, value: object
    ) -> None:
        document = json.loads(folded_text(fold([small("1.0", configs={"C": config()})], {})))
        document[section] = value
        damaged = FoldedSurfaces.read(json.dumps(document))
        with pytest.raises(SurfaceFormatError, match=r"1\.0: "):
            damaged.unfold("1.0")

    def test_damage_in_a_history(self, folded: FoldedSurfaces) -> None:
        document = json.loads(folded_text(fold([small("1.0", env=("A",))], {})))
        document["lists"]["env"] = {"7-3": "A"}
        with pytest.raises(SurfaceFormatError, match="env A"):
            FoldedSurfaces.read(json.dumps(document)).spans("env", "A")


class TestFoldWheels:
    def extract(self, found: Source) -> Surface:
        """An extraction for the test: flags by the words of one file."""
        words = found.text("vllm/flags.py").split()
        return surface("vllm", found.version or "", *map(flag, words))

    def test_wheels_with_their_hash(self, tmp_path: Path) -> None:
        first = wheel(tmp_path, {"vllm/flags.py": "--a --b"}, version="1.0")
        second = wheel(tmp_path, {"vllm/flags.py": "--b --c"}, version="1.1")
        text = fold_wheels(self.extract, [open_wheel(second), open_wheel(first)])
        made = FoldedSurfaces.read(text)
        assert made.versions == ("1.0", "1.1")
        assert made.spans("flag", "--b") == [Span("1.0", None)]
        assert made.wheel("1.0").name == first.name  # type: ignore[union-attr]
        assert len(made.wheel("1.1").sha256) == 64  # type: ignore[union-attr]
        assert made.wheel("1.1").built == "2026-09-22"  # type: ignore[union-attr]

    def test_a_release_is_added_without_the_others(self, tmp_path: Path) -> None:
        first = wheel(tmp_path, {"vllm/flags.py": "--a --b"}, version="1.0")
        second = wheel(tmp_path, {"vllm/flags.py": "--b --c"}, version="1.1")
        both = fold_wheels(self.extract, [open_wheel(first), open_wheel(second)])
        known = FoldedSurfaces.read(fold_wheels(self.extract, [open_wheel(first)]))
        assert fold_wheels(self.extract, [open_wheel(second)], known=known) == both

    def test_a_zip_needs_the_hash_of_its_wheel(self, tmp_path: Path) -> None:
        path = wheel(tmp_path, {"vllm/flags.py": "--a"}).rename(tmp_path / "vllm-1.0.zip")
        with pytest.raises(SurfaceFormatError, match=r"vllm-1\.0\.zip is no wheel, and no hash"):
            fold_wheels(self.extract, [open_wheel(path)])
        hashes = tmp_path / "hashes.jsonl"
        row = {"engine": "vllm", "version": "1.0", "wheel": "w.whl", "sha256": "cd" * 32}
        row["built"] = "2026-09-22"
        hashes.write_text(json.dumps(row) + "\n\n")
        text = fold_wheels(self.extract, [open_wheel(path)], read_hashes(hashes))
        made = FoldedSurfaces.read(text)
        assert made.wheel("1.0") == Wheel("w.whl", "cd" * 32, "2026-09-22")

    def test_hashes_that_arent(self, tmp_path: Path) -> None:
        hashes = tmp_path / "hashes.jsonl"
        hashes.write_text('{"engine": "vllm"}\nno\n')
        with pytest.raises(SurfaceFormatError) as caught:
            read_hashes(hashes)
        assert "'wheel' is missing @ line 1" in str(caught.value)
        assert "line 2: " in str(caught.value)


def test_one_item_a_line() -> None:
    text = folded_text(fold([small("1.0", configs={"C": config(a="int", b="str")})], {}))
    lines = text.splitlines()
    assert '"--model":{}' in lines
    assert '"a":{"type":"int"},' in lines
    assert len(list(itertools.takewhile(lambda line: line != '"keys":{', lines))) < len(lines)
