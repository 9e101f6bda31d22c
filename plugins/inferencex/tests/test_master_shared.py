"""InferenceX as it was on 2026-08-21: its rows are its own generator's, and what is found in it.

The files are read from ``../shared/data/inferencex`` beside the checkout, or from the folder
that ``INFXREG_SHARED`` names; without them the tests are skipped.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from infxreg_inferencex.master import Checkout, findings, read_checkout, rows, started
from support.inferencex import Shared, shared_folder


@pytest.fixture(scope="module")
def shared() -> Path:
    return shared_folder()


@pytest.fixture(scope="module")
def checkout(shared: Path) -> Checkout:
    return read_checkout(Shared(shared))


def test_the_rows_are_those_of_inferencexs_own_generator(checkout: Checkout, shared: Path) -> None:
    with gzip.open(shared / "matrix-rows.json.gz") as file:
        wanted = json.load(file)
    found = rows(checkout.entries, checkout.runners)
    assert len(found) == len(wanted) == 1820
    for number, (row, other) in enumerate(zip(found, wanted, strict=True)):
        assert json.dumps(row, sort_keys=True) == json.dumps(other, sort_keys=True), number


def test_what_is_found(checkout: Checkout) -> None:
    recipes = started(checkout)
    assert (len(recipes.started), len(recipes.broken)) == (257, 5)
    assert (len(recipes.elsewhere), len(recipes.unread)) == (208, 284)
    found = findings(checkout, recipes=recipes)
    assert Counter(one.id for one in found) == {
        "label-contradicted": 29,
        "acceptance-simulated": 9,
        "runner-unknown": 8,
        "row-twice": 5,
        "acceptance-differs": 4,
        "image-alone": 3,
        "image-differs": 2,
        "concurrency-differs": 2,
        "recipe-missing": 2,
        "recipe-broken": 2,
    }
    assert all(one.line > 1 and one.entry and one.path for one in found)


def test_a_recipe_that_went_is_found_where_it_is_named(checkout: Checkout) -> None:
    found = [one for one in findings(checkout) if one.id == "recipe-missing"]
    assert [(one.entry, one.line) for one in found] == [
        ("dsv4-fp4-gb300-dynamo-vllm-agentic", 7147),
        ("dsv4-fp4-gb300-dynamo-vllm-agentic", 7180),
    ]
