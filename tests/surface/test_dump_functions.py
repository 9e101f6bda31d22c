"""The dump script's functions, called in this process against the same small engines."""

from __future__ import annotations

import argparse
import dataclasses
import enum
import io
import json
import sys
import textwrap
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, Optional, Required, Union

import pytest

from infxreg.surface import dump_script
from infxreg.surface.model import Surface
from support.packages import SGLANG, VLLM, engine


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the script couldn't read in this test."""
    noted: list[str] = []
    monkeypatch.setattr(dump_script, "missing", noted)
    return noted


@pytest.fixture
def image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Image]:
    """Makes a small engine importable, and takes it out of this process afterwards."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield Image(tmp_path)
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in {"vllm", "sglang"}:
            del sys.modules[name]


@dataclasses.dataclass
class Image:
    folder: Path

    def has(self, name: str, files: Mapping[str, str], *without: str) -> None:
        """Installs an engine, or more files of one, without some of them."""
        engine(self.folder, name, {key: text for key, text in files.items() if key not in without})


class TestWhatFails:
    def test_is_noted_and_the_work_goes_on(self, missing: list[str]) -> None:
        """Even an exit of the engine leaves only a note, and the default."""

        def exits() -> NoReturn:
            sys.exit("no GPU")

        assert dump_script.attempt("kinds", exits, "default") == "default"
        assert dump_script.attempt("names", lambda: 3) == 3
        assert missing == ["kinds: SystemExit: no GPU"]

    def test_but_not_the_users_own_interrupt(self, missing: list[str]) -> None:
        """Ctrl-C ends the script."""

        def interrupted() -> NoReturn:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            dump_script.attempt("kinds", interrupted)
        assert missing == []

    def test_a_name_is_looked_for_in_every_place(self) -> None:
        """The first place that has it wins; without any the error names all."""
        assert dump_script.find("json.nothing", "nowhere.x", "json.loads") is json.loads
        with pytest.raises(ImportError, match=r"none of json\.a, nowhere\.b: No module named"):
            dump_script.find("json.a", "nowhere.b")


def parse_dataclass_of(cls: type) -> Any:
    def parse_dataclass(text: str, cls: type = cls) -> object:
        return text

    return parse_dataclass


def optional_type(return_type: Any) -> Any:
    def _optional_type(text: str) -> object:
        return return_type(text)

    return _optional_type


@dataclasses.dataclass
class Inner:
    """A class that keys hold."""

    x: int = 1


class Mode(enum.Enum):
    """An enum that keys hold."""

    A = "a"


class TestParser:
    @pytest.mark.parametrize(
        ("value", "name", "cls"),
        [
            (None, None, None),
            (int, "int", None),
            (json.loads, "loads", None),
            (argparse.FileType(), "FileType", None),
            (optional_type(json.loads), "optional_type._optional_type(loads)", None),
            (parse_dataclass_of(Inner), "parse_dataclass_of.parse_dataclass(Inner)", Inner),
            (
                optional_type(parse_dataclass_of(Inner)),
                "optional_type._optional_type(parse_dataclass_of.parse_dataclass(Inner))",
                Inner,
            ),
        ],
    )
    def test_types_by_name(self, value: Any, name: str | None, cls: type | None) -> None:
        """A type is named with what it wraps, and tells the class of its JSON."""
        assert dump_script.type_name(value) == name
        assert dump_script.type_class(value) is cls

    def test_what_is_deprecated(self) -> None:
        """Said by the action, the parser, the action's class, or the help."""

        class DeprecatedStore(argparse.Action):
            new_flag = "--kept"

            def __call__(self, *_: object) -> None: ...

        class Parser(argparse.ArgumentParser):
            _deprecated: set[argparse.Action] = set()  # noqa: RUF012

        parser = Parser()
        made = {
            "plain": parser.add_argument("--plain"),
            "class": parser.add_argument("--class", action=DeprecatedStore),
            "help": parser.add_argument("--help-says", help="**[Deprecated]** x"),
            "parser": parser.add_argument("--parser-says"),
            "own": parser.add_argument("--own"),
        }
        parser._deprecated = {made["parser"]}
        made["own"].deprecated = True  # type: ignore[attr-defined]
        said = {name: dump_script.is_deprecated(parser, one) for name, one in made.items()}
        assert said == {"plain": False, "class": True, "help": True, "parser": True, "own": True}
        assert dump_script.replacement(made["class"]) == "--kept"
        assert dump_script.replacement(made["plain"]) == ""

    def test_values_that_help_lists(self) -> None:
        """A tuple of metavars is a list; a text stays one."""
        parser = argparse.ArgumentParser(add_help=False)
        parser.add_argument("--two", nargs=2, metavar=("A", "B"))
        parser.add_argument("--one", metavar="{a,b}", default="x" * 3000)
        two, one = dump_script.read_parser(parser)["actions"]
        assert (two["metavar"], one["metavar"]) == (["A", "B"], "{a,b}")
        assert len(one["default"]) == 2000


class Keys:
    """Limits as pydantic keeps them."""

    ge = 1
    lt = 9
    gt = None


class TestTypes:
    @pytest.mark.parametrize(
        ("hint", "text", "choices"),
        [
            (int, "int", []),
            (None, "None", []),
            (Optional[int], "int | None", []),  # noqa: UP045
            (int | str, "int | str", []),
            (Union[int, Literal["a", "b"]], "int | Literal", [("a", "b")]),  # noqa: UP007
            (Literal[1, "a"], "Literal[1, 'a']", []),
            (list[Literal["a"]], "list[Literal]", [("a",)]),
            (tuple[int, ...], "tuple[int, ...]", []),
            (tuple[()], "tuple", []),
            (Callable[[int], str], "Callable", []),
            (Annotated[int, "doc"], "int", []),
            (Required[int], "int", []),
            (dict[str, object], "dict[str, Any]", []),
            (Any, "Any", []),
            ("Later", "Later", []),
            (3, "Any", []),
        ],
    )
    def test_texts(self, hint: Any, text: str, choices: list[tuple[str, ...]]) -> None:
        """One spelling for every way to write a type, with the texts of its literals."""
        literals: list[Any] = []
        assert dump_script.Types().text(hint, literals) == text
        assert literals == choices

    def test_classes_and_enums_are_collected(self) -> None:
        """Records are dataclasses and models; other classes are named only."""

        class Model:
            model_fields: dict[str, object] = {}  # noqa: RUF012

        kinds = dump_script.Types()
        assert kinds.text(dict[str, Inner | Mode | Model | Keys | None], []) == (
            "dict[str, Inner | Mode | Model | Keys | None]"
        )
        assert (kinds.records, kinds.enums) == ([Inner, Model], [Mode])

    def test_limits(self) -> None:
        """Only numbers are limits."""
        assert dump_script.bounds([Keys(), "doc"]) == ">=1 <9"


def pydantic_class() -> type:
    """A dataclass as pydantic leaves it: with its own record of fields and validators."""

    @dataclasses.dataclass
    class Config:
        need: int
        made: list[int] = dataclasses.field(default_factory=list)
        named: Literal["a", "b"] = "a"
        hidden: int = 3
        seen: int = 4
        late: dataclasses.InitVar[Literal["q"] | None] = None
        plain: dataclasses.InitVar[int] = 0

    class PydanticUndefinedType: ...

    def field(annotation: Any, default: Any = None, **more: Any) -> types.SimpleNamespace:
        parts = {"default_factory": None, "init": None, "metadata": (), **more}
        return types.SimpleNamespace(annotation=annotation, default=default, **parts)

    def validators(*given: tuple[str, tuple[str, ...]]) -> dict[str, types.SimpleNamespace]:
        return {
            str(index): types.SimpleNamespace(info=types.SimpleNamespace(mode=mode, fields=names))
            for index, (mode, names) in enumerate(given)
        }

    Config.__annotations__.update(
        late=dataclasses.InitVar[Literal["q"] | None], plain=dataclasses.InitVar[int]
    )
    Config.__pydantic_fields__ = {  # type: ignore[attr-defined]
        "need": field(int, PydanticUndefinedType(), metadata=(Keys(),)),
        "made": field(list[int], default_factory=list),
        "hidden": field(int, 3, init=False),
        "seen": field(None, 4),
    }
    Config.__pydantic_config__ = {"extra": "forbid"}  # type: ignore[attr-defined]
    Config.__pydantic_decorators__ = types.SimpleNamespace(  # type: ignore[attr-defined]
        field_validators=validators(("before", ("seen",)), ("after", ("need",))),
        model_validators=validators(("after", ())),
    )
    return Config


class TestConfigs:
    def test_what_pydantic_knows_of_a_class(self, missing: list[str]) -> None:
        """Its record of a field goes before the dataclass's own."""
        cls = pydantic_class()
        made = dump_script.read_config(cls, dump_script.Types())
        plain = {"init": True, "type": "int", "validated": False, "bounds": "", "required": False}
        assert made["extra"] == "forbid"
        assert made["fields"] == {
            "need": {**plain, "bounds": ">=1 <9", "required": True},
            "made": {**plain, "type": "list[int]", "default": "[]"},
            "named": {**plain, "type": "Literal", "choices": ["a", "b"], "default": "'a'"},
            "hidden": {**plain, "init": False, "default": "3"},
            "seen": {**plain, "validated": True, "default": "4"},
            "late": {
                "init": True,
                "kind": "initvar",
                "type": "Literal | None",
                "choices": ["q"],
            },
            "plain": {"init": True, "kind": "initvar", "type": "int"},
        }
        assert missing == []

    def test_a_validator_of_the_whole_class(self) -> None:
        """It sees every key's raw value, if it runs before the types."""
        cls: Any = pydantic_class()
        info = types.SimpleNamespace(info=types.SimpleNamespace(mode="before"))
        cls.__pydantic_decorators__.model_validators = {"check": info}
        assert dump_script.validated_keys(cls) == {"seen", "*"}
        assert dump_script.validated_keys(Inner) == set()

    def test_a_class_that_cant_be_read_is_left_out(self, missing: list[str]) -> None:
        """The others are there, each once, with what they hold."""

        def fails() -> NoReturn:
            raise ValueError("no GPU")

        @dataclasses.dataclass
        class Broken:
            x: list[int] = dataclasses.field(default_factory=fails)

        @dataclasses.dataclass
        class Outer:
            inner: Inner = dataclasses.field(default_factory=Inner)
            mode: Mode = Mode.A

        Outer.__annotations__.update(inner=Inner, mode=Mode)
        configs, enums = dump_script.read_configs([Broken, Outer, Inner])
        assert sorted(configs) == ["Inner", "Outer"]
        assert enums == {"Mode": {"A": "'a'"}}
        assert "config Broken: ValueError: no GPU" in missing

    def test_a_models_keys(self) -> None:
        """A class that is no dataclass has no keys that are read."""
        assert dump_script.read_config(Keys, dump_script.Types()) == {"extra": None, "fields": {}}


class TestEngines:
    def test_vllm(self, image: Image, missing: list[str]) -> None:
        """Everything that the script's own run gives, of the package that is importable."""
        image.has("vllm", VLLM)
        made = dump_script.dump_vllm()
        assert missing == []
        assert made["version"] == "9.9.9"
        assert sorted(made["configs"]) == ["AttentionConfig", "Inner", "SpeculativeConfig"]
        assert (made["backends"], made["models"]) == (["ONE", "TWO"], ["ModelA", "ModelB"])
        assert made["registries"]["tokenizer_mode"] == ["auto", "deepseek"]
        assert len(made["actions"]) == 9

    def test_a_vllm_that_lacks_most(self, image: Image, missing: list[str]) -> None:
        """What isn't there is named, and the rest is told."""
        config = "from dataclasses import dataclass\n@dataclass\nclass ECTransferConfig: pass\n"
        factory = "class ECConnectorFactory:\n    _registry = {'Ec': 1}\n"
        files = {
            **VLLM,
            "config/__init__.py": "class AttentionConfig: pass\n" + config,
            "distributed/ec_transfer/ec_connector/factory.py": factory,
        }
        lacking = ("v1/attention/backends/registry.py", "envs.py", "tool_parsers/__init__.py")
        also = ("model_executor/models/registry.py", "tokenizers/registry.py")
        image.has("vllm", files, *lacking, *also)
        made = dump_script.dump_vllm()
        assert [one.partition(": ")[0] for one in missing] == [
            "attention backends",
            "variables",
            "registry tool_call_parser",
            "models",
        ]
        assert (made["backends"], made["envs"], made["models"]) == (None, None, None)
        assert made["registries"]["ECTransferConfig.ec_connector"] == ["Ec"]
        assert "tokenizer_mode" not in made["registries"]

    def test_a_vllm_whose_config_cant_be_imported(self, image: Image, missing: list[str]) -> None:
        """Only the classes behind flags are read then."""
        old = "from vllm.config import AttentionConfig"
        new = "from dataclasses import dataclass\n@dataclass\nclass AttentionConfig: pass"
        files = {
            **VLLM,
            "config/__init__.py": "raise RuntimeError('no torch')\n",
            "entrypoints/cli/serve.py": textwrap.dedent(VLLM["entrypoints/cli/serve.py"]).replace(
                old, new
            ),
        }
        image.has("vllm", files)
        made = dump_script.dump_vllm()
        assert "vllm.config: RuntimeError: no torch" in missing
        assert list(made["configs"]) == ["AttentionConfig"]

    def test_a_vllm_without_a_serve_command(self, image: Image, missing: list[str]) -> None:
        """The first ``cli_args`` that makes a parser does; without any that is an error."""
        files = {**VLLM, "entrypoints/a/cli_args.py": "x = 1\n"}
        image.has("vllm", files, "entrypoints/cli/serve.py")
        with pytest.raises(ImportError, match="nothing makes vllm's argument parser"):
            dump_script.dump_vllm()
        text = (
            "def make_arg_parser(parser):\n    parser.add_argument('--found')\n    return parser\n"
        )
        image.has("vllm", {"entrypoints/b/cli_args.py": text})
        sys.path_importer_cache.clear()
        assert "--found" in dump_script.dump_vllm()["options"]

    @pytest.mark.parametrize(
        ("manager", "names"),
        [
            (types.SimpleNamespace(list_registered=lambda: ["a"]), ["a"]),
            (types.SimpleNamespace(tool_parsers={"b": 1}), ["b"]),
            (types.SimpleNamespace(reasoning_parsers={"c": 1}), ["c"]),
        ],
    )
    def test_names_of_a_parser_manager(self, manager: Any, names: list[str]) -> None:
        """However this version keeps them."""
        assert dump_script.manager_names(manager) == names

    def test_a_manager_of_another_make(self) -> None:
        """One that keeps them elsewhere is an error, which the dump names."""
        with pytest.raises(AttributeError, match="a manager without names"):
            dump_script.manager_names(object())

    def test_sglang(self, image: Image, missing: list[str]) -> None:
        """Everything that the script's own run gives."""
        image.has("sglang", SGLANG)
        made = dump_script.dump_sglang()
        assert missing == []
        assert (made["version"], made["backends"]) == ("0.5.99", ["fa3", "triton"])
        assert made["envs"] == ["SGLANG_A", "SGLANG_B"]
        assert made["registries"] == {"speculative_algorithm": ["EAGLE", "NEXTN"]}
        assert made["models"] == ["ModelA", "ModelB"]

    def test_an_sglang_that_lacks_most(self, image: Image, missing: list[str]) -> None:
        """Algorithms without aliases, or none; what else is missing is named."""
        spec = "class SpeculativeAlgorithm:\n    _registry_by_name = {'NONE': 1}\n"
        files = {**SGLANG, "srt/speculative/spec_info.py": spec}
        image.has("sglang", files, "srt/speculative/spec_registry.py", "srt/environ.py")
        made = dump_script.dump_sglang()
        assert made["registries"] == {}
        assert [one.partition(": ")[0] for one in missing] == ["variables"]

    def test_a_version_by_metadata(self) -> None:
        """A package that doesn't say its version has it by its metadata."""
        assert dump_script.version_of(types.ModuleType("attrs")).count(".") >= 1


class TestMain:
    def run(self, monkeypatch: pytest.MonkeyPatch, name: str) -> tuple[int, str, str]:
        """Exit status, stdout and stderr of the script's run; this process's own are left alone."""
        out, err = io.StringIO(), io.StringIO()

        def leave(status: int) -> NoReturn:
            raise SystemExit(status)

        system = types.SimpleNamespace(
            dup=lambda _: 1, dup2=lambda *_: None, fdopen=lambda *_: out, _exit=leave
        )
        monkeypatch.setattr(dump_script, "os", system)
        monkeypatch.setattr(dump_script, "ENGINE", name)
        monkeypatch.setattr(sys, "argv", ["pytest", "-x"])
        monkeypatch.setattr(sys, "stderr", err)
        with pytest.raises(SystemExit) as done:
            dump_script.main()
        assert sys.argv == [name]
        return done.value.code, out.getvalue(), err.getvalue()  # type: ignore[return-value]

    def test_prints_what_a_surface_is_made_of(
        self, image: Image, missing: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Stdout is the dump alone, which `Surface.from_real_dump` takes."""
        image.has("sglang", SGLANG)
        status, out, _ = self.run(monkeypatch, "sglang")
        assert status == 0
        made = Surface.from_real_dump(json.loads(out))
        assert (made.engine, made.version) == ("sglang", "0.5.99")

    def test_without_the_engine(self, missing: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        """Nothing on stdout, the cause on stderr, and a status that says so."""
        status, out, err = self.run(monkeypatch, "vllm")
        assert (status, out) == (1, "")
        assert err == "vllm: ModuleNotFoundError: No module named 'vllm'\n"
