"""Plugins that fail: named, left out, and no other plugin feels it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import infxreg
from infxreg.contribution import Contribution
from infxreg.errors import Fault, UnknownIdError
from infxreg.plugins import collect, installed
from support.builders import collected, from_toml

Install = Callable[..., str]
Broken = Callable[..., tuple[Fault, ...]]

SKU = """
[[sku]]
id = "{}"
name = "N"
arch = "sm100"
memory_gib = 80
gpus_per_node = 8
cpu_arch = "x86_64"
source = "test"
"""

GOOD_SKU = """
def sku(name):
    return Sku(id=name, name=name, arch="sm100", memory_gib=80.0, gpus_per_node=8,
               cpu_arch="x86_64", source="test")
"""


def test_a_plugin_that_works(install: Install, sound: dict[str, str]) -> None:
    """So that the others are broken for their own reasons: tables and hooks both count."""
    install(
        GOOD_SKU + "@hookimpl\ndef infxreg_skus():\n    yield sku('hooked')\n",
        tables={"a.toml": SKU.format("tabled"), "README.md": "no table"},
    )
    registry = infxreg.discover()
    assert registry.faults == ()
    for name, file in (("hooked", "infxreg_skus"), ("tabled", "/tables/a.toml")):
        origin = registry.catalogue.origins["sku", name]
        assert (origin.plugin, origin.distribution) == ("broken", "infxreg-broken")
        assert origin.version == "1.2"
        assert origin.file.endswith(file)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import no_such_module", "can't be imported: ModuleNotFoundError: No module named 'no_s"),
        ("from infxreg import nothing", "can't be imported: ImportError: cannot import name"),
        ("def broken(:", "can't be imported: SyntaxError: invalid syntax"),
        ("1 / 0", "can't be imported: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "can't be imported: SystemExit: 3"),
        ("raise Exception", "can't be imported: Exception"),
        ("import sys; sys.exit()", "can't be imported: SystemExit"),
        ("def f(): f()\nf()", "can't be imported: RecursionError"),
        ("raise BaseException('odd')", "can't be imported: BaseException: odd"),
    ],
)
def test_it_fails_to_import(install: Install, broken: Broken, source: str, message: str) -> None:
    """Whatever an import raises, exits included."""
    (fault,) = broken(install(source))
    assert fault.message.startswith(message)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("acme_nowhere", "can't be imported: ModuleNotFoundError: No module named 'acme_nowhere'"),
        ("infxreg:no_such_thing", "can't be imported: AttributeError: "),
        ("infxreg:", "can't be imported: "),
        ("!", "can't be imported: "),
    ],
)
def test_its_entry_point_leads_nowhere(
    install: Install, broken: Broken, target: str, message: str
) -> None:
    """A module that isn't there, or no name of one."""
    (fault,) = broken(install(target=target))
    assert fault.message.startswith(message)


def hook(body: str, name: str = "infxreg_skus") -> str:
    return GOOD_SKU + f"@hookimpl\ndef {name}():\n    {body}\n"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise ValueError('no skus today')", "raised ValueError: no skus today"),
        ("raise SystemExit(2)", "raised SystemExit: 2"),
        ("return None", "returned None, not an iterable of records"),
        ("pass", "returned None, not an iterable of records"),
        ("return 5", "TypeError: 'int' object is not iterable"),
        ("return sku('one')", "TypeError: 'Sku' object is not iterable"),
        ("return 'b200'", "returned str 'b', not Sku"),
        ("return [sku('one'), {'id': 'two'}]", "returned dict {'id': 'two'}, not Sku"),
        ("return [sku('one'), None]", "returned NoneType None, not Sku"),
        ("return [sku]", "returned function <function sku"),
        ("return [Gate(id='g', when=Scope(), doc='d')]", "returned Gate Gate(id='g', "),
        ("return {'one': sku('one')}", "returned str 'one', not Sku"),
        ("yield sku('one'); raise ValueError('later')", "raised ValueError: later"),
        ("yield sku('one'); yield 5", "returned int 5, not Sku"),
        ("return (sku(n) for n in ['a', 1 / 0])", "raised ZeroDivisionError: division by zero"),
    ],
)
def test_a_hook_fails(install: Install, broken: Broken, body: str, message: str) -> None:
    """Raising, giving nothing, or giving what is no record of that kind: the hook is named."""
    (fault,) = broken(install(hook(body)))
    assert fault.where == "infxreg_skus"
    assert message in fault.message


def test_a_hook_gives_what_cant_even_be_shown(install: Install, broken: Broken) -> None:
    """A wrong type whose repr raises is still a wrong type."""
    ugly = "class Ugly:\n    def __repr__(self):\n        raise RuntimeError('no')\n"
    (fault,) = broken(install(ugly + hook("return [Ugly()]")))
    assert "Ugly" in fault.message


def test_it_half_registers(install: Install, broken: Broken) -> None:
    """Good tables and hooks before one that raises: none of them counts."""
    source = (
        hook("yield sku('half')")
        + "@hookimpl\ndef infxreg_rules():\n    raise ValueError('halfway')\n"
    )
    (fault,) = broken(install(source, tables={"a.toml": SKU.format("other-half")}))
    assert (fault.where, fault.message) == ("infxreg_rules", "raised ValueError: halfway")


def test_all_its_faults_are_told(install: Install, broken: Broken) -> None:
    """Each hook and each file, in one go."""
    source = (
        hook("raise ValueError('one')")
        + hook("return None", "infxreg_gates")
        + hook("return [1]", "infxreg_rules")
    )
    tables = {"a.toml": "[[sku]]\nid = 5", "b.toml": "not toml", "c.toml": SKU.format("fine")}
    faults = broken(install(source, tables=tables))
    assert [fault.where.rpartition("/")[2] for fault in faults] == [
        *["a.toml"] * 7,
        "b.toml",
        "infxreg_gates",
        "infxreg_rules",
        "infxreg_skus",
    ]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("@hookimpl\ndef infxreg_foo():\n    return []", "unknown hook 'infxreg_foo'"),
        ("@hookimpl\ndef infxreg_sku():\n    return []", "unknown hook 'infxreg_sku'"),
        (
            "@hookimpl\ndef infxreg_skus(registry):\n    return []",
            "Argument(s) {'registry'} are declared in the hookimpl but can not be found",
        ),
    ],
)
def test_a_hook_that_nobody_calls(
    install: Install, broken: Broken, source: str, message: str
) -> None:
    """A misspelt name, or arguments that no hook has, is a fault: it would never be called."""
    (fault,) = broken(install(source))
    assert fault.message.startswith("PluginValidationError: ")
    assert message in fault.message


def test_a_hook_that_isnt_marked(install: Install, broken: Broken) -> None:
    """Without ``@hookimpl`` it would never be called, and nobody would know."""
    (fault,) = broken(install(GOOD_SKU + "def infxreg_skus():\n    return [sku('unmarked')]\n"))
    assert "infxreg_skus" in str(fault)
    assert "hookimpl" in str(fault)


def test_two_distributions_with_one_plugin_name(install: Install, broken: Broken) -> None:
    """Both are named with their versions, and neither counts."""
    install(tables={"a.toml": SKU.format("one")}, distribution="infxreg-one")
    install(tables={"a.toml": SKU.format("two")}, distribution="infxreg-two", version="2.0")
    (fault,) = broken("broken", "infxreg-one 1.2")
    assert fault.message == "two distributions provide it: infxreg-one 1.2 and infxreg-two 2.0"


def test_a_plugin_that_takes_a_shipped_ones_name(install: Install) -> None:
    """The shipped one doesn't count either, and what needs it lies dormant."""
    install(name="amd", distribution="infxreg-amd-fork")
    registry = infxreg.discover()
    (fault,) = registry.faults
    assert fault.plugin == "amd"
    assert "infxreg-amd 0.1.0" in fault.message
    assert "infxreg-amd-fork 1.2" in fault.message
    assert "mi300x" not in registry.catalogue.skus
    assert "b200" in registry.catalogue.skus
    assert infxreg.discover(skip=["amd"]).resolve(**{"sku": "b200", "model": "dsv41flash"})


def test_a_plugin_named_like_the_core(install: Install, shipped: infxreg.Registry) -> None:
    """The name is taken; the core itself stays."""
    install(name="infxreg", distribution="infxreg-impostor", tables={"a.toml": SKU.format("x")})
    registry = infxreg.discover()
    (fault,) = registry.faults
    assert str(fault) == (
        "infxreg (infxreg-impostor 1.2): this name is infxreg's own: choose another"
    )
    assert set(registry.catalogue.space.axes) == set(shipped.catalogue.space.axes)
    assert "x" not in registry.catalogue.skus


def test_a_plugin_named_like_the_core_can_be_gone_on_without(
    install: Install, sound: dict[str, str]
) -> None:
    """As any other broken plugin: by name of what brings it."""
    install(name="infxreg", distribution="infxreg-impostor")
    registry = infxreg.discover(skip=["infxreg-impostor"])
    assert registry.faults == ()
    assert registry.resolve(sku="b200", model="dsv41flash").digest in sound.values()


def test_metadata_that_is_gone(install: Install, broken: Broken, tmp_path: Path) -> None:
    """A half-removed distribution still has a plugin with a name."""
    name = install("1 / 0")
    (info,) = (tmp_path / "site-packages").glob("*.dist-info")
    (info / "METADATA").unlink()
    registry = infxreg.discover()
    assert [fault.plugin for fault in registry.faults] == [name]
    assert infxreg.discover(skip=[name]).faults == ()


def test_a_broken_plugin_that_isnt_allowed_isnt_imported(install: Install) -> None:
    """Nor is one that is skipped."""
    name = install("1 / 0")
    assert "broken" in [item.name for item in installed()]
    for registry in (infxreg.discover(skip=[name]), infxreg.discover(allow=["nvidia", "deepseek"])):
        assert name not in {c.plugin for c in registry.contributions}
        assert name in registry.skipped
    assert "acme_infxreg_broken" not in sys.modules


def test_several_broken_plugins(install: Install, sound: dict[str, str]) -> None:
    """All are named at once, and all have to be skipped."""
    install("1 / 0", name="first")
    install(tables={"a.toml": "x"}, name="second")
    registry = infxreg.discover()
    assert [fault.plugin for fault in registry.faults] == ["first", "second"]
    with pytest.raises(infxreg.InfxregError) as error:
        registry.check()
    assert str(error.value).startswith("2 faults in the registry:\n")
    assert str(error.value).endswith("--skip-plugin first --skip-plugin second")
    assert infxreg.discover(skip=["first"]).faults == registry.faults[1:]
    both = infxreg.discover(skip=["first", "second"])
    assert both.resolve(sku="b200", model="dsv41flash").digest in sound.values()


def test_skipping_by_a_wrong_name(install: Install) -> None:
    """An error with a near match: it would go on without nothing."""
    install("1 / 0", name="flaky")
    with pytest.raises(UnknownIdError, match="unknown plugin 'flakey': did you mean 'flaky'"):
        infxreg.discover(skip=["flakey"])


def test_control_c_stops(install: Install) -> None:
    """It is the user's, not the plugin's."""
    install("raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        infxreg.discover()


def test_control_c_in_a_hook_stops() -> None:
    """Likewise."""

    def stop() -> list[object]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        collected(skus=stop)


def test_a_table_that_cant_be_read(tmp_path: Path) -> None:
    """The file is named with the system's reason; good records beside it don't count."""
    files = [
        infxreg.TableFile("acme/a.toml", tmp_path / "a.toml"),
        infxreg.TableFile("acme/b.toml", tmp_path),
    ]
    found = collected(tables=lambda: files, skus=lambda: [])
    assert [fault.where for fault in found.faults] == ["acme/a.toml", "acme/b.toml"]
    assert found.faults[0].message.startswith("can't be read: ")
    assert "No such file" in found.faults[0].message
    assert found.placed == ()


@pytest.mark.parametrize("resource", ["tables/a.toml", None, 5])
def test_a_table_that_is_no_file(resource: object) -> None:
    """A path as text, or nothing: the plugin's fault, as any wrong type."""
    table = infxreg.TableFile("acme/a.toml", resource)  # type: ignore[arg-type]
    found = collected(tables=lambda: [table])
    (fault,) = found.faults
    assert (fault.plugin, fault.where) == ("acme", "acme/a.toml")


def test_a_package_without_tables() -> None:
    """The hook raises, and says which folder is missing."""
    found = collected(tables=lambda: infxreg.table_files("support", "tables"))
    (fault,) = found.faults
    assert fault.where == "infxreg_tables"
    assert fault.message.startswith("raised FileNotFoundError: ")


def test_every_hook_is_called() -> None:
    """Each hook that is declared gives records, or a fault that names it."""
    from infxreg import hookspecs

    names = [name for name in vars(hookspecs) if name.startswith("infxreg_")]
    assert len(names) >= 13
    for name in names:
        found = collected(**{name.removeprefix("infxreg_"): lambda: [object()]})
        (fault,) = found.faults
        assert fault.where == name


def test_a_plugin_object_without_hooks() -> None:
    """Contributes nothing, and isn't wrong."""
    found = collect(object(), Contribution("empty"))
    assert (found.placed, found.faults) == ((), ())


def test_faults_name_what_is_known(install: Install) -> None:
    """Plugin, distribution and version, file, key path, in one line."""
    install(tables={"skus.toml": SKU.format("a") + "memory = 1"})
    (fault,) = infxreg.discover().faults
    assert str(fault) == (
        "broken (infxreg-broken 1.2): acme_infxreg_broken/tables/skus.toml: "
        "sku[0] (a).memory: unknown key: did you mean 'memory_gib'?"
    )


def test_a_contribution_without_a_distribution() -> None:
    """Made in a script: only its plugin is named."""
    found = collect(object(), Contribution("script"))
    assert str(found.fault("is odd")) == "script: is odd"
    assert from_toml("x", "p").label == "infxreg-p 1.2"
