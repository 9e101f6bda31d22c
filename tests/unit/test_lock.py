"""Locks: what is in one, and everything that can differ from it."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from attrs import evolve

from infxreg import Contribution, Registry
from infxreg.contribution import read_site
from infxreg.errors import RegistryFaults
from infxreg.lock import (
    Lock,
    LockedError,
    LockFormatError,
    Plugin,
    Sources,
    lock_of,
    moved,
    read_lock,
    require,
    snapshot_digest,
)
from infxreg.records import Derivation, Record, Rule, SiteSettings
from infxreg.snapshot import take
from infxreg.tablefile import TableFile, sha256
from infxreg.values import FrozenMap
from support.builders import ACME, MemoryFile, acme, collected, from_toml, rule, where

ODD = '[[rule]]\nid = "odd"\nwhen = { engine = "run", model = "m1" }\nset."args.odd" = %d\n'


def two_tables(first: str, second: str) -> Contribution:
    """A plugin with two tables of one name."""
    files = [TableFile("t.toml", MemoryFile(text.encode())) for text in (first, second)]
    return collected("extra", tables=lambda: files)


def hooks(name: str = "extra", **records: Iterable[Record]) -> Contribution:
    """A plugin that contributes by Python."""
    made: dict[str, Callable[[], object]] = {
        hook: lambda items=tuple(items): items for hook, items in records.items()
    }
    return collected(name, **made)


@pytest.fixture(scope="module")
def lock() -> Lock:
    """Of a registry with a table and a site file."""
    return lock_of(acme(ODD % 1, site=ODD % 2))


def test_what_is_in_it(lock: Lock) -> None:
    """The core and each plugin with versions, tables and hooks, the site file, the snapshot."""
    by_name = {plugin.name: plugin for plugin in lock.plugin}
    assert list(by_name) == ["acme", "extra", "infxreg"]
    assert by_name["acme"] == Plugin(
        name="acme",
        distribution="infxreg-acme",
        version="1.2",
        tables=FrozenMap({"infxreg_acme/acme.toml": sha256(ACME.encode())}),
    )
    core = by_name["infxreg"]
    assert core.label.startswith("infxreg ")
    assert list(core.records) == ["infxreg_derivations"]
    assert all(name.startswith("infxreg/tables/") for name in core.tables)
    assert lock.site == Sources(tables=FrozenMap({"infxreg.toml": sha256((ODD % 2).encode())}))


def test_the_snapshot_is_the_file_s() -> None:
    """``sha256sum`` of what ``infxreg snapshot`` writes."""
    text = "".join(f"{line}\n" for line in take(acme()).lines())
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert lock_of(acme()).snapshot == snapshot_digest(acme()) == f"sha256:{digest}"


def test_there_and_back(lock: Lock) -> None:
    """As TOML that says who wrote it."""
    text = lock.to_toml()
    assert read_lock(text) == lock
    assert read_lock(text).to_toml() == text
    assert text.startswith("# Written by infxreg lock; ")
    assert tomllib.loads(text)["format"] == 1
    assert "[site" not in lock_of(acme()).to_toml()


def test_progress_is_told() -> None:
    """Points done and in all."""
    seen: list[tuple[int, int]] = []
    lock_of(acme(), lambda done, total: seen.append((done, total)))
    assert seen[-1] == (12, 12)


def test_neither_order_nor_folder_counts() -> None:
    """Also where a site's rules conflict, and the snapshot says in which file they are."""
    clash = (ODD + ODD.replace("odd", "even", 1).replace('model = "m1"', 'sku = "x10"')) % (1, 2)
    one, other = acme(ODD % 1, hooks("more", rules=[rule("r", {"args.r": 1})])), acme()
    turned = Registry(tuple(reversed(one.contributions)))
    assert other.contributions == one.contributions[:2]
    texts = {
        lock_of(registry.with_site(read_site(f"{folder}/infxreg.toml", clash.encode()))).to_toml()
        for registry in (one, turned)
        for folder in ("/home/a", "/home/b")
    }
    assert len(texts) == 1
    assert "/home" not in texts.pop()


def test_what_is_as_locked_has_not_moved(lock: Lock) -> None:
    """Nothing is raised."""
    assert moved(lock, acme(ODD % 1, site=ODD % 2)) == ()
    require(lock, acme(ODD % 1, site=ODD % 2), "f")


def test_an_empty_site_file_is_none() -> None:
    """As /dev/null is."""
    bare = lock_of(acme())
    assert lock_of(acme(site="")) == bare
    assert moved(bare, acme().with_site(read_site("/dev/null", b""))) == ()


RULES: list[Record] = [rule("r", {"args.r": 1})]
OTHER: list[Record] = [rule("r", {"args.r": 2})]
NAMED: list[Record] = [rule("r", {"args.r": 1}), Derivation(id="d", function=max)]


@pytest.mark.parametrize(
    ("before", "after", "texts"),
    [
        (acme(), acme(ODD % 1), ["plugin extra is new (infxreg-extra 1.2)"]),
        (acme(ODD % 1), acme(), ["plugin extra is gone (locked: infxreg-extra 1.2)"]),
        (
            acme(ODD % 1),
            acme(Contribution("extra")).without_plugin("extra"),
            ["plugin extra is left out (locked: infxreg-extra 1.2)"],
        ),
        (acme(), acme(Contribution.of("mine")), ["plugin mine is new (no version)"]),
        (acme(ODD % 1), acme(ODD % 2), ["plugin extra: table infxreg_extra/extra.toml changed"]),
        (
            acme(from_toml(ODD % 1)),
            acme(from_toml(ODD % 1, file="b.toml")),
            [
                "plugin extra: table infxreg_extra/b.toml is new",
                "plugin extra: table infxreg_extra/extra.toml is gone",
            ],
        ),
        (
            acme(two_tables(ODD % 1, "")),
            acme(two_tables(ODD % 1, "# more")),
            ["plugin extra: table t.toml#2 changed"],
        ),
        (
            acme(from_toml(ODD % 1)),
            acme(evolve(from_toml(ODD % 1), version="1.3")),
            ["plugin extra: infxreg-extra 1.2 → infxreg-extra 1.3"],
        ),
        (
            acme(from_toml(ODD % 1)),
            acme(evolve(from_toml(ODD % 1), distribution="fork")),
            ["plugin extra: infxreg-extra 1.2 → fork 1.2"],
        ),
        (
            acme(hooks(rules=RULES)),
            acme(hooks(rules=OTHER)),
            ["plugin extra: the records of infxreg_rules changed"],
        ),
        (
            acme(hooks(rules=RULES)),
            acme(hooks(rules=RULES, derivations=NAMED[1:])),
            ["plugin extra: the records of infxreg_derivations are new"],
        ),
        (
            acme(hooks(rules=RULES, derivations=NAMED[1:])),
            acme(hooks(derivations=NAMED[1:])),
            ["plugin extra: the records of infxreg_rules are gone"],
        ),
        (
            acme(),
            acme().with_records("acme", *RULES),
            ["plugin acme: the records of infxreg_rules are new"],
        ),
        (acme(site=ODD % 1), acme(site=ODD % 2), ["site: table infxreg.toml changed"]),
        (acme(site=ODD % 1), acme(), ["site: table infxreg.toml is gone"]),
        (acme(), acme(site=ODD % 1), ["site: table infxreg.toml is new"]),
        (
            acme(),
            acme().with_site(Contribution.of("site", SiteSettings(open=("fast",)))),
            ["site: the records of infxreg_site are new"],
        ),
    ],
)
def test_everything_that_can_move(before: Registry, after: Registry, texts: list[str]) -> None:
    """Each is told, and only that."""
    assert list(moved(lock_of(before), after)) == texts


def test_the_core_s_version(lock: Lock) -> None:
    """The core is told by its own name."""
    old = tuple(
        evolve(plugin, version="0.0.1") if plugin.name == "infxreg" else plugin
        for plugin in lock.plugin
    )
    (text,) = moved(evolve(lock, plugin=old), acme(ODD % 1, site=ODD % 2))
    assert text.startswith("infxreg: infxreg 0.0.1 → infxreg ")


def test_all_of_it_in_one_error(lock: Lock) -> None:
    """With the lock's name and how to accept it."""
    registry = acme(ODD % 2, hooks("more", rules=RULES))
    with pytest.raises(LockedError) as error:
        require(lock, registry, "a/infxreg.lock", "infxreg lock -o a/infxreg.lock")
    assert str(error.value) == (
        "the registry isn't what a/infxreg.lock locks:\n"
        "  plugin extra: table infxreg_extra/extra.toml changed\n"
        "  plugin more is new (infxreg-more 1.2)\n"
        "  site: table infxreg.toml is gone\n"
        "to accept it: infxreg lock -o a/infxreg.lock"
    )


class TestFaults:
    """A registry that can't be used."""

    def test_it_has_no_lock(self) -> None:
        """It has to be mended first."""
        with pytest.raises(RegistryFaults):
            lock_of(acme("[[rule]]"))

    def test_a_broken_table_changed(self) -> None:
        """That is why, so it is told, with how much is broken."""
        with pytest.raises(LockedError) as error:
            require(lock_of(acme(ODD % 1)), acme("[[rule]]"), "f")
        assert error.value.moved == ("plugin extra: table infxreg_extra/extra.toml changed",)
        assert "\nit has 1 fault besides, which infxreg check tells\n" in str(error.value)

    def test_a_missing_plugin_is_told(self) -> None:
        """And not only the ids that are unknown without it."""
        base = lock_of(acme())
        core = Registry(acme().contributions[:1])
        more = core.with_plugin(hooks("extra", rules=[rule("r", {"args.a": 1}, where(sku="x"))]))
        with pytest.raises(LockedError) as error:
            require(base, more, "f")
        assert error.value.moved == (
            "plugin acme is gone (locked: infxreg-acme 1.2)",
            "plugin extra is new (infxreg-extra 1.2)",
        )
        assert error.value.faults

    def test_what_could_not_be_read_is_not_gone(self) -> None:
        """A plugin that can't be imported has neither tables nor records."""
        good = hooks(rules=RULES)
        broken = evolve(good, placed=(), faults=(good.fault("can't be imported"),))
        assert moved(lock_of(acme(good)), acme(broken)) == ()
        site = evolve(read_site("s.toml", b""), faults=(good.fault("odd"),))
        assert moved(lock_of(acme(site=ODD % 1)), acme().with_site(site)) == ()

    def test_records_of_a_wrong_type(self) -> None:
        """They are compared, and their faults are told after that."""
        odd: Rule = evolve(rule("r", {"args.r": 1}), doc=3)  # type: ignore[arg-type]
        registry = acme(hooks(rules=[odd]))
        assert registry.faults
        assert moved(lock_of(acme(hooks(rules=RULES))), registry) == (
            "plugin extra: the records of infxreg_rules changed",
        )


HEAD = 'format = 1\nsnapshot = "sha256:1"\n'


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("<<<<<<< HEAD\n", ["not TOML: "]),
        ("", ["format None, and this version reads 1"]),
        ("format = 2", ["format 2, and this version reads 1"]),
        ("format = true", ["format True, and this version reads 1"]),
        ("format = 1", ["required field missing @ lock.snapshot", " @ lock.plugin"]),
        (HEAD + "plugin = []\nmore = 1", ["extra fields found (more) @ lock"]),
        (HEAD + "[plugin]\nname = 'a'", ["expected Plugin @ lock.plugin[0]"]),
        (HEAD + "plugin = 3", [" @ lock.plugin"]),
        (
            HEAD + "[[plugin]]\nname = 'a'\nsha = 1\ntables = { t = 3 }\n[[plugin]]",
            [
                "extra fields found (sha) @ lock.plugin[0]",
                " @ lock.plugin[0].tables",
                "required field missing @ lock.plugin[1].name",
            ],
        ),
        (HEAD + "plugin = [{name = 'a', tables = []}]", [" @ lock.plugin[0].tables"]),
        (HEAD + "plugin = []\nsite = 3", [" @ lock.site"]),
        (HEAD + "plugin = [{name = 'a'}, {name = 'a'}]", ["plugin a stands there twice"]),
    ],
)
def test_texts_that_are_no_lock(text: str, problems: list[str]) -> None:
    """Everything wrong in one go, the file's name, and what writes one."""
    with pytest.raises(LockFormatError) as error:
        read_lock(text, "f.lock")
    message = str(error.value)
    assert message.startswith("f.lock is no lock file: ")
    assert message.endswith(". infxreg lock writes one")
    for problem in problems:
        assert problem in message


def test_a_table_at_an_absolute_path(tmp_path: Path) -> None:
    """A plugin may name it so, and a lock must not; nor a name that can't be written."""
    for name in (tmp_path / "a.toml", tmp_path / "b\udce4.toml"):
        file = TableFile(str(name), MemoryFile(b""))
        made = lock_of(acme(collected("extra", tables=lambda file=file: [file]))).to_toml()
        assert str(tmp_path) not in made
        assert read_lock(made)
        made.encode()
