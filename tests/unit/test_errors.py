"""Messages: what, where, what is known instead, and what to do. Most are seen where they happen."""

from __future__ import annotations

import copy
import pickle

import pytest

from infxreg import errors
from infxreg.errors import (
    BadRequestError,
    Fault,
    InfxregError,
    RegistryFaults,
    RequestError,
    ResolveError,
    UnknownIdError,
    near,
)


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("b20", ["b200", "gb200"], "b200"),
        ("B200", ["b200"], "b200"),
        ("zzz", ["b200"], None),
        ("x", [], None),
    ],
)
def test_near(name: str, known: list[str], expected: str | None) -> None:
    """The closest known name, letters' case aside."""
    assert near(name, known) == expected


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (
            Fault("acme", "is broken", "infxreg-acme 1.2", "f.toml", "rule[0]"),
            "acme (infxreg-acme 1.2): f.toml: rule[0]: is broken",
        ),
        (Fault("acme", "is broken"), "acme: is broken"),
        (Fault("acme", "is broken", where="f.toml"), "acme: f.toml: is broken"),
        (Fault("acme", "is broken", path="rule[0]"), "acme: rule[0]: is broken"),
    ],
)
def test_a_fault_says_where(fault: Fault, text: str) -> None:
    """Plugin, distribution, file, key path: what is known of them."""
    assert str(fault) == text


def test_registry_faults_say_what_to_do() -> None:
    """All of them, and how to go on without the plugins that have them."""
    error = RegistryFaults((Fault("b", "x"), Fault("a", "y"), Fault("b", "z")))
    assert str(error) == (
        "3 faults in the registry:\n  b: x\n  a: y\n  b: z\n"
        "Mend them, or go on without: --skip-plugin a --skip-plugin b"
    )


def test_neither_the_core_nor_the_site_can_be_skipped() -> None:
    """So the message doesn't say so."""
    error = RegistryFaults((Fault("site", "x"),))
    assert str(error) == "1 fault in the registry:\n  site: x"
    error = RegistryFaults((Fault("site", "x"), Fault("infxreg", "y"), Fault("a", "z")))
    assert str(error).endswith("go on without: --skip-plugin a")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (UnknownIdError("sku", "b20", ("b200",)), "unknown sku 'b20': did you mean 'b200'?"),
        (UnknownIdError("sku", "zz", ("b200", "h100")), "unknown sku 'zz': known are b200, h100"),
        (
            UnknownIdError("sku", "zz"),
            "unknown sku 'zz': none is registered; is a plugin missing?",
        ),
        (
            UnknownIdError("sku", "zz", tuple(f"a{n}" for n in range(14)), where="f.toml"),
            "f.toml: unknown sku 'zz': known are "
            "a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11 and 2 more",
        ),
    ],
)
def test_unknown_ids(error: UnknownIdError, text: str) -> None:
    """A near match, else what is known, else why nothing is."""
    assert str(error) == text


def test_one_tree() -> None:
    """Every error class of infxreg is below InfxregError; catching a branch is enough."""
    classes = [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, BaseException)
    ]
    assert all(issubclass(cls, InfxregError) for cls in classes)
    assert issubclass(RequestError, InfxregError)
    assert issubclass(ResolveError, InfxregError)
    assert not issubclass(ResolveError, RequestError)


def test_errors_keep_their_fields() -> None:
    """Across processes too, with the same message."""
    error = UnknownIdError("sku", "b20", ("b200",))
    again = pickle.loads(pickle.dumps(error))
    assert (again.kind, again.id, again.known) == ("sku", "b20", ("b200",))
    assert str(again) == str(error)
    assert str(copy.copy(error)) == str(error)


def test_errors_can_be_raised_with_a_cause() -> None:
    """Frozen as they are."""

    def fail() -> None:
        try:
            raise ValueError("why")
        except ValueError as error:
            raise BadRequestError("what") from error

    with pytest.raises(BadRequestError, match="what") as caught:
        fail()
    assert isinstance(caught.value.__cause__, ValueError)
