"""The registry: frozen, its variants, its layers, and what it refuses."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from attrs.exceptions import FrozenInstanceError

import infxreg
from infxreg import Contribution, Registry, discover
from infxreg.contribution import read_site
from infxreg.errors import BadRequestError, RegistryFaults, UnknownIdError
from infxreg.plugins import core_contribution, installed
from infxreg.records import Sku
from infxreg.registry import site_layer
from support.builders import X10, acme, answer, from_toml, names, rule, where

REGISTRY = acme()
EVERYWHERE = rule("everywhere", {"args.more": True})


def digests(registry: Registry) -> dict[tuple[str, str], str]:
    return {
        (point.recipe.id, point.id): registry.resolve(point).digest
        for point in registry.points()
        if point.recipe and point.id
    }


def test_the_public_names() -> None:
    """Each can be imported from infxreg, and nothing else."""
    for name in infxreg.__all__:
        assert getattr(infxreg, name) is not None
    with pytest.raises(AttributeError, match="module 'infxreg' has no attribute 'Registri'"):
        infxreg.Registri  # noqa: B018


def test_a_registry_is_frozen() -> None:
    """Neither a field nor a record can be changed."""
    with pytest.raises(FrozenInstanceError):
        REGISTRY.site = None  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        REGISTRY.catalogue.site = None  # type: ignore[misc,assignment]
    with pytest.raises(TypeError):
        REGISTRY.catalogue.skus["x99"] = REGISTRY.catalogue.skus["x10"]  # type: ignore[index]
    with pytest.raises(FrozenInstanceError):
        REGISTRY.catalogue.skus["x10"].memory_gib = 1  # type: ignore[misc]


def test_with_plugin() -> None:
    """A new registry with it; the old one stays as it was."""
    before = digests(REGISTRY)
    more = REGISTRY.with_plugin("more", EVERYWHERE)
    assert "--more" in more.resolve(**X10).argv
    assert names([more.resolve(**X10).options["args.more"].origin]) == ["more:everywhere"]
    assert digests(REGISTRY) == before
    by_contribution = REGISTRY.with_plugin(Contribution.of("more", EVERYWHERE, version="2"))
    assert digests(by_contribution) == digests(more)


def test_a_plugin_is_there_once() -> None:
    """Its name is taken."""
    with pytest.raises(BadRequestError) as error:
        REGISTRY.with_plugin("acme")
    assert str(error.value) == "a plugin named acme is there: take it out first"


def test_adding_and_removing_a_plugin_is_never_having_had_it() -> None:
    """Values, faults and what lies dormant."""
    more = REGISTRY.with_plugin("more", EVERYWHERE)
    assert digests(more.without_plugin("more")) == digests(REGISTRY)
    faulty = acme(rule("r", {"args.x": 1}, where(sku="x11")))
    back = faulty.with_plugin("more", EVERYWHERE).without_plugin("more")
    assert faulty.faults
    assert (back.faults, back.catalogue.dormant) == (faulty.faults, faulty.catalogue.dormant)


X30 = """
[[sku]]
id = "x30"
name = "X30"
arch = "ax1"
memory_gib = 200
gpus_per_node = 8
cpu_arch = "x86_64"
source = "test"
"""


def test_removing_and_adding_a_plugin_is_having_it() -> None:
    """What names only its records lies dormant meanwhile, and is told."""
    plugin = from_toml(X30, "x30")
    registry = acme(plugin, rule("r", {"args.x": 1}, where(sku="x30")))
    gone = registry.without_plugin("x30")
    assert gone.faults == ()
    assert [str(fault) for fault in gone.catalogue.dormant] == [
        "extra (infxreg-extra 1.2): when.sku: rule 'r': unknown sku 'x30': did you mean 'x20'?"
    ]
    with pytest.raises(UnknownIdError):
        gone.resolve(sku="x30", model="m1", engine="run")
    again = gone.with_plugin(plugin)
    assert again.catalogue.dormant == ()
    spec = again.resolve(sku="x30", model="m1", engine="run")
    assert spec.options["args.x"].value == 1


def test_without_a_plugin_that_isnt_there() -> None:
    """With a near match."""
    with pytest.raises(UnknownIdError) as error:
        REGISTRY.without_plugin("acne")
    assert str(error.value) == "unknown plugin 'acne': did you mean 'acme'?"


def test_without_the_plugin_that_declares_an_arch() -> None:
    """A SKU whose arch is gone can't be resolved: infxreg says so, not Python."""
    arch = from_toml('[[arch]]\nid = "cx1"\nvendor = "c"\nplatform = "cuda"\nsource = "s"', "archs")
    sku = Sku(
        id="c10",
        name="C",
        arch="cx1",
        memory_gib=999,
        gpus_per_node=8,
        cpu_arch="x86_64",
        source="s",
    )
    registry = acme(arch, sku)
    request = {"sku": "c10", "model": "m1", "engine": "run"}
    assert answer(registry.resolve(**request), "image-accelerator").answer == "ok"
    gone = registry.without_plugin("archs")
    assert gone.faults == ()
    assert gone.resolve(**X10).digest == registry.resolve(**X10).digest
    with pytest.raises(infxreg.InfxregError):
        gone.resolve(**request)


def test_without_the_plugin_whose_gate_a_site_opens() -> None:
    """The site's wish lies dormant; the rest resolves as before."""
    gates = from_toml('[[gate]]\nid = "theirs"\nwhen = { sku = "x10" }\ndoc = "d"', "gates")
    registry = acme(gates, site='[site]\nopen = ["theirs"]\nclose = ["fast"]')
    assert registry.resolve(**X10).gates == ()
    gone = registry.without_plugin("gates")
    assert gone.faults == ()
    assert [fault.plugin for fault in gone.catalogue.dormant] == ["site"]
    assert gone.resolve(**X10).gates == (), "what the site closes stays closed"


def test_with_records() -> None:
    """A plugin contributes more; an unknown one is an error."""
    more = REGISTRY.with_records("acme", EVERYWHERE)
    assert names([more.resolve(**X10).options["args.more"].origin]) == ["acme:everywhere"]
    assert "args.more" not in REGISTRY.resolve(**X10).options
    with pytest.raises(UnknownIdError) as error:
        REGISTRY.with_records("acne")
    assert str(error.value) == "unknown plugin 'acne': did you mean 'acme'?"


def test_with_site() -> None:
    """A site layer, another, none."""
    site = read_site("s.toml", b'[[rule]]\nid = "r"\nset."args.site" = true')
    layered = REGISTRY.with_site(site)
    assert "--site" in layered.resolve(**X10).argv
    assert digests(layered.with_site(None)) == digests(REGISTRY)


def test_faults_of_a_site_file() -> None:
    """They name the file and the key, and nothing resolves."""
    registry = REGISTRY.with_site(read_site("/etc/infxreg.toml", b"[[rule]]\nid = 5"))
    with pytest.raises(RegistryFaults) as error:
        registry.resolve(**X10)
    assert str(error.value.faults[0]) == (
        "site: /etc/infxreg.toml: rule[0].id: text is needed, not int"
    )
    assert "--skip-plugin" not in str(error.value)


def test_a_site_may_declare_records() -> None:
    """Its own SKU, gate or image, and a name that a plugin has is a fault that names both."""
    sku = '[[sku]]\nid = "{}"\nname = "N"\narch = "ax1"\nmemory_gib = 1\ngpus_per_node = 1\n'
    sku += 'cpu_arch = "x86_64"\nsource = "s"'
    assert "own" in acme(site=sku.format("own")).catalogue.skus
    theirs, ours = acme(site=sku.format("x10")).faults
    assert str(ours) == (
        "site: infxreg.toml: sku[0]: sku 'x10' is declared by "
        "acme (infxreg-acme 1.2), infxreg_acme/acme.toml too"
    )
    assert str(theirs).startswith("acme (infxreg-acme 1.2): infxreg_acme/acme.toml: sku[0]: ")
    assert str(theirs).endswith("sku 'x10' is declared by site, infxreg.toml too")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[site]\nopen = ["fest"]', "site 'site': unknown gate 'fest': did you mean 'fast'?"),
        ('[site]\nclose = ["fest"]', "site 'site': unknown gate 'fest': did you mean 'fast'?"),
        (
            '[site]\nopen = ["fast"]\nclose = ["fast"]',
            "site 'site': gate fast is opened by the same site file",
        ),
    ],
)
def test_a_site_that_asks_for_what_cant_be(text: str, message: str) -> None:
    """Its gates are known, and none is asked to be both."""
    (fault,) = acme(site=text).faults
    assert fault.message == message


def test_only_a_site_file_has_site_settings() -> None:
    """A plugin that opens gates for everyone is a fault that names it."""
    plugin = from_toml('[site]\nopen = ["extra"]', "greedy")
    registry = acme(plugin)
    assert [fault.plugin for fault in registry.faults] == ["greedy"]


def test_a_plugin_and_the_site_file_share_no_name() -> None:
    """A rule of a plugin that calls itself site isn't taken for one of the site file."""
    registry = acme(
        Contribution.of("site", rule("r", {"args.x": 1})),
        site='[[rule]]\nid = "r"\nset."args.y" = 1',
    )
    for fault in registry.faults:
        assert "is declared by" not in fault.message


def test_what_uses_a_faulty_registry_raises() -> None:
    """Resolving and listing points; its records can still be looked at."""
    registry = acme(rule("r", {"no.such": 1}))
    for use in (registry.check, registry.points, lambda: registry.resolve(**X10)):
        with pytest.raises(RegistryFaults) as error:
            use()
        assert error.value.faults == registry.faults
    assert "x10" in registry.catalogue.skus


def test_a_catalogue_gives_records_by_kind() -> None:
    """Every kind that can be listed."""
    catalogue = REGISTRY.catalogue
    assert "tp" in catalogue.of_kind("axis")
    for kind, name in [
        ("arch", "ax1"),
        ("sku", "x10"),
        ("model", "m1"),
        ("image", "acme/alt:1"),
        ("capability", "fast"),
        ("engine", "run"),
        ("option", "kv_cache.dtype"),
        ("gate", "fast"),
        ("recipe", "m1-x10-run"),
        ("derivation", "scaled"),
    ]:
        assert catalogue.of_kind(kind)[name].id == name
        assert catalogue.origins[kind, name].plugin in ("acme", "infxreg")


def test_a_registry_is_shared_between_threads() -> None:
    """Eight threads resolve everything at once, and get what one gets."""
    expected = digests(REGISTRY)
    found: list[dict[tuple[str, str], str]] = []
    threads = [threading.Thread(target=lambda: found.append(digests(REGISTRY))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


def test_the_order_of_plugins_plays_no_part() -> None:
    """Neither for values nor for origins."""
    registry = acme(from_toml('[[rule]]\nid = "z"\nset."args.z" = 1', "zz"), EVERYWHERE)
    turned = Registry(registry.contributions[::-1])
    for point in registry.points():
        assert turned.resolve(point) == registry.resolve(point)


def test_the_core_alone_has_no_faults() -> None:
    """It is a registry without SKUs, and says so."""
    core = Registry((core_contribution(),))
    assert core.faults == ()
    with pytest.raises(UnknownIdError) as error:
        core.resolve(**X10)
    assert str(error.value) == "unknown sku 'x10': none is registered; is a plugin missing?"


# discover


def test_discover_skips_and_allows() -> None:
    """By name; the rest is loaded."""
    shipped = {item.name for item in installed()}
    loaded = {c.plugin for c in discover().contributions}
    assert loaded == shipped | {"infxreg"}
    assert {c.plugin for c in discover(skip=["amd"]).contributions} == loaded - {"amd"}
    only = discover(allow=["amd", "vllm", "sglang"])
    assert {c.plugin for c in only.contributions} == {"infxreg", "amd", "vllm", "sglang"}
    assert only.skipped == shipped - {"amd", "vllm", "sglang"}
    assert only.faults == ()


@pytest.mark.parametrize("argument", ["skip", "allow"])
def test_discover_knows_plugins_by_name(argument: str) -> None:
    """A misspelt one is an error."""
    with pytest.raises(UnknownIdError) as error:
        discover(**{argument: ["vlm"]})
    assert str(error.value) == "unknown plugin 'vlm': did you mean 'vllm'?"


@pytest.mark.parametrize("argument", ["skip", "allow"])
def test_names_of_plugins_are_a_list(argument: str) -> None:
    """One text would be taken for its letters."""
    with pytest.raises(BadRequestError):
        discover(**{argument: "vllm"})


def test_discover_reads_the_site_file_that_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And none that lies in the working directory."""
    path = tmp_path / "infxreg.toml"
    path.write_text('[[rule]]\nid = "r"\nset."args.site" = true')
    monkeypatch.chdir(tmp_path)
    point: dict[str, Any] = {"sku": "b200", "model": "dsv41flash"}
    assert "--site" not in discover().resolve(**point).argv
    for site in (path, str(path)):
        spec = discover(site=site).resolve(**point)
        assert "--site" in spec.argv
        assert spec.options["args.site"].origin.file == str(path)


def test_a_site_file_that_cant_be_read(tmp_path: Path) -> None:
    """The message is the system's."""
    with pytest.raises(BadRequestError, match=r"the site file can't be read: .*No such file"):
        site_layer(tmp_path / "none.toml")
    with pytest.raises(BadRequestError, match=r"the site file can't be read: .*directory"):
        discover(site=tmp_path)
