"""Claims about points: what holds, what doesn't, and what can't be claimed."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest
from click.testing import CliRunner

from infxreg import Registry, discover
from infxreg.audit import audit
from infxreg.cli.app import app
from infxreg.cli.state import State
from infxreg.errors import RegistryFaults
from infxreg.records import Expect
from infxreg.review.expectations import digest_of, unmet
from infxreg.scope import Scope
from infxreg.values import FrozenMap
from support.builders import acme, from_toml, rule, where

X10 = 'sku = "x10", model = "m1", engine = "run"'
FAST = f'[[expect]]\nwhen = {{ {X10}, tp = 2 }}\nis."attention.backend" = "FAST"\n'


def claims(text: str, *extra: Any) -> list[tuple[str, int]]:
    """What doesn't hold, and at how many specs."""
    found = unmet(acme(text, *extra))
    return [(one.message, len(one.points)) for one in found]


@functools.cache
def shipped() -> Registry:
    return discover()


class TestValues:
    """What an option is, or isn't."""

    def test_it_holds(self) -> None:
        """Nothing is said."""
        assert claims(FAST) == []

    def test_it_does_not(self) -> None:
        """The value that is the case, its rule, and each point at each purpose."""
        plain = rule("plain", {"attention.backend": "PLAIN"}, where(sku="x10", model="m1", tp=2))
        site = '[[rule]]\nid = "p"\nwhen = { sku = "x10" }\nset."attention.backend" = "PLAIN"'
        found = list(unmet(acme(site=f"{site}\n{FAST}")))
        assert [(one.message, len(one.points)) for one in found] == [
            ('attention.backend is "PLAIN" (by site:p), not "FAST"', 4)
        ]
        assert found[0].points[0] == "m1-x10-run tp2_c1 serve"
        assert found[0].expect.id == "sku=x10 model=m1 engine=run tp=2 attention.backend"
        conflicting = claims(FAST, plain)
        assert conflicting
        assert all(message.startswith("can't be told: ") for message, _ in conflicting)

    def test_a_site_may_mean_something_else(self) -> None:
        """What a plugin claims is held against what plugins say."""
        site = '[[rule]]\nid = "p"\nwhen = { sku = "x10" }\nset."attention.backend" = "PLAIN"'
        assert list(unmet(acme(FAST, site=site))) == []

    def test_at_one_purpose(self) -> None:
        """Where the scope names it."""
        text = FAST.replace("tp = 2", 'tp = 2, purpose = "serve"').replace("FAST", "PLAIN")
        assert claims(text) == [('attention.backend is "FAST" (by acme:run-fast), not "PLAIN"', 2)]

    def test_absent(self) -> None:
        """Set by nobody, or absent by a rule's word; else what it is."""
        text = f'[[expect]]\nwhen = {{ {X10}, workload = "1k1k" }}\nabsent = ["speculative.method"]'
        assert claims(text) == [
            ('speculative.method is "simulated" (by acme:run-throughput), not absent', 2)
        ]
        text = f'[[expect]]\nwhen = {{ {X10} }}\nabsent = ["kv_cache.dtype"]'
        assert claims(text) == []

    def test_types_count(self) -> None:
        """A raw key's text isn't a number."""
        text = f'[[expect]]\nwhen = {{ {X10}, tp = 2 }}\nis."args.odd" = "1"'
        odd = rule("odd", {"args.odd": 1}, where(sku="x10"))
        assert claims(text, odd) == [('args.odd is 1 (by extra:odd), not "1"', 4)]

    def test_nobody_sets_it(self) -> None:
        """Said so."""
        text = f'[[expect]]\nwhen = {{ {X10}, tp = 2 }}\nis."args.odd" = 1'
        assert claims(text) == [("args.odd is set by nobody, not 1", 4)]

    def test_facts_of_hardware_make_a_scope(self) -> None:
        """As in rules."""
        text = (
            '[[expect]]\nwhen = { arch = "ax1", engine = "run", model = "m1" }\nis."acme.cap" = 64'
        )
        assert claims(text) == []

    def test_gates_are_opened_for_it(self) -> None:
        """A claim about what stands behind a gate that no recipe opens."""
        text = f'[[expect]]\nwhen = {{ {X10}, tp = 4 }}\ngates = ["extra"]\n'
        assert claims(text + 'is."attention.backend" = "FASTER"') == []
        told = claims(text.replace("tp = 4", "tp = 8") + 'is."attention.backend" = "FASTER"')
        assert told
        assert "gate extra can't be opened" in told[0][0]


class TestPairs:
    """Points that are to be alike."""

    TWINS = (
        '[[expect]]\nwhen = { sku = "x10", model = "m1", engine = "run", tp = [2, 4], conc = 1 }\n'
        'like = { sku = "x20" }\n'
    )

    def test_they_differ(self) -> None:
        """Each key, both values, both rules."""
        assert claims(self.TWINS) == [
            (
                'attention.backend is "FAST" (by acme:run-fast), '
                'and "PLAIN" (by acme:run-base) there',
                4,
            )
        ]

    def test_but_for_what_may_differ(self) -> None:
        """Nothing is said."""
        assert claims(self.TWINS + 'but = ["attention.backend"]') == []

    def test_no_twin(self) -> None:
        """A claim about nothing doesn't hold."""
        text = self.TWINS.replace("conc = 1", "conc = 16")
        assert claims(text) == [("no swept point has a twin with sku=x20", 0)]


class TestDigests:
    """Points that are to stay as they were."""

    def digest(self, registry: Registry) -> str:
        points = registry.points(sku="x20", engine="run", purpose="serve")
        return digest_of(registry.resolve(point) for point in points)

    def claim(self, digest: str) -> str:
        return (
            '[[expect]]\nwhen = { sku = "x20", engine = "run", purpose = "serve" }\n'
            f'digest = "{digest}"'
        )

    def test_they_are(self) -> None:
        """Whatever changes elsewhere."""
        elsewhere = rule("odd", {"args.odd": 1}, where(sku="x10"))
        assert claims(self.claim(self.digest(acme())), elsewhere) == []

    def test_they_moved(self) -> None:
        """The new digest is told, to write down where the change was meant."""
        here = rule("odd", {"args.odd": 1}, where(sku="x20"))
        old, new = self.digest(acme()), self.digest(acme(here))
        assert claims(self.claim(old), here) == [(f"the 2 specs have {new}, not {old}", 2)]

    def test_one_point_s_is_its_own(self) -> None:
        """No other notation for it."""
        spec = acme().resolve(sku="x10", model="m1")
        assert digest_of([spec]) == spec.digest


def test_a_scope_without_points() -> None:
    """A claim about nothing doesn't hold."""
    text = FAST.replace("tp = 2", "tp = 3")
    ((message, count),) = claims(text)
    assert message == "holds no swept point: nothing is in sku=x10 model=m1 engine=run tp=3"
    assert count == 0


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[[expect]]", "it claims nothing: write is, absent, digest or like"),
        ('[[expect]]\nis."a.b" = 1', "unknown option 'a.b'"),
        ('[[expect]]\nis."acme.cap" = "x"', "needs int, not str"),
        ('[[expect]]\nabsent = ["a.b"]', "unknown option 'a.b'"),
        ('[[expect]]\nvalues."acme.cap" = 1', "unknown key: did you mean 'is'?"),
        ('[[expect]]\nlik = { sku = "x10" }', "unknown key: did you mean 'like'?"),
        ('[[expect]]\ndigest = "abc"', "'abc' is no digest"),
        ('[[expect]]\nbut = ["image"]\nis."acme.cap" = 1', "what may differ is said of like"),
        ('[[expect]]\nlike = { vendor = "acme" }', "unknown axis 'vendor'"),
        ('[[expect]]\nlike = { sku = "x1" }', "unknown sku 'x1'"),
        ('[[expect]]\nlike = { sku = "x10" }\nbut = ["nope"]', "unknown option 'nope'"),
        ('[[expect]]\ngates = ["fst"]\nis."acme.cap" = 1', "unknown gate 'fst'"),
        ('[[expect]]\nwhen = { skuu = "x10" }\nis."acme.cap" = 1', "unknown axis 'skuu'"),
        ('[[expect]]\nwhen = []\nis."acme.cap" = 1', "an empty list of scopes matches nothing"),
    ],
)
def test_claims_that_can_t_be_made(text: str, fault: str) -> None:
    """Faults, with the key path."""
    registry = acme(from_toml(text))
    with pytest.raises(RegistryFaults) as error:
        registry.check()
    assert fault in str(error.value)
    assert "extra.toml: expect[0]" in str(error.value)


def test_two_claims_of_one_name() -> None:
    """Ids are a plugin's own; two plugins may use the same."""
    one = '[[expect]]\nid = "a"\nis."acme.cap" = 64\nwhen = { model = "m1", engine = "run" }\n'
    assert "is declared by" in str(acme(one + one).faults[0])
    assert acme(one, from_toml(one, "other")).faults == ()


def test_check_runs_them() -> None:
    """As errors, with the file."""
    wrong = FAST.replace("FAST", "PLAIN")
    registry = acme(from_toml(wrong))
    (finding,) = [f for f in audit(registry).findings if f.id == "expect"]
    assert (finding.answer, finding.severity) == ("refuted", "error")
    assert finding.where == "infxreg_extra/extra.toml"
    assert finding.message.startswith("extra:sku=x10 model=m1 engine=run tp=2 attention.backend: ")
    result = CliRunner().invoke(app, ["check"], obj=State(registry=registry))
    assert result.exit_code == 1
    assert 'not "PLAIN"' in result.stdout


def test_they_are_listed_as_they_were_written() -> None:
    """With their plugin."""
    result = CliRunner().invoke(
        app,
        ["show", "expect", "extra:sku=x10 model=m1 engine=run tp=2 attention.backend", "--json"],
        obj=State(registry=acme(FAST)),
    )
    assert json.loads(result.stdout)["is"] == {"attention.backend": "FAST"}


def test_a_claim_made_in_python() -> None:
    """The same record."""
    made = Expect(id="py", when=(Scope(),), values=FrozenMap({"acme.cap": 65}))
    found = list(unmet(acme(made)))
    assert any("acme.cap is 64 (by acme:run-base), not 65" in one.message for one in found)


# The seed


def test_what_ships_holds() -> None:
    """The claims of #3393, described and swept."""
    assert {expect.id for expect, _ in shipped().catalogue.expects} >= {
        "b200-tp4-as-described",
        "b200-tp4-as-swept",
    }
    assert list(unmet(shipped())) == []


def test_the_sign_off_against_what_was_swept() -> None:
    """It claimed MegaAttention at TP4; the registry as it was swept has FlashInfer there."""
    claim = (
        '[[expect]]\nid = "sign-off"\n'
        'when = { sku = "b200", model = "dsv41flash", engine = "vllm", tp = 4 }\n'
        'gates = ["dsv41-blackwell-attention-as-swept"]\n'
        'is."attention.backend" = "FLASHMLA_MEGA_ATTN_DSV41"\n'
    )
    registry = shipped().with_plugin(from_toml(claim, "review"))
    (one,) = unmet(registry)
    assert one.message == (
        'attention.backend is "FLASHINFER_MLA_SPARSE_DSV41" '
        '(by nvidia:b200-attention-tp4-as-swept), not "FLASHMLA_MEGA_ATTN_DSV41"'
    )
    assert len(one.points) == 24
