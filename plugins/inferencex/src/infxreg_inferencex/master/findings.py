"""Everything that is found in a checkout of InferenceX."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from infxreg.review import changelog
from infxreg_inferencex.master import against_files, against_recipes
from infxreg_inferencex.master.acceptance import acceptance
from infxreg_inferencex.master.checkout import Checkout
from infxreg_inferencex.master.finding import Finding
from infxreg_inferencex.master.place import FileFaults
from infxreg_inferencex.master.rows import Row, sourced_rows
from infxreg_inferencex.master.started import Recipes, started


def findings(
    checkout: Checkout,
    *,
    recipes: Recipes | None = None,
    new: Iterable[changelog.Entry] | None = None,
) -> tuple[Finding, ...]:
    """What the files of a checkout don't say alike, by file and line.

    Args:
        checkout: its files.
        recipes: what `started` made of them, if somebody has it already.
        new: changelog entries to look at; by default the last one, because older ones may name
            what has another name since.
    """
    if recipes is None:
        recipes = started(checkout)
    if new is None:
        new = checkout.changes[-1:]
    found = [
        *against_recipes.missing(recipes),
        *against_recipes.images(recipes),
        *against_recipes.concurrencies(recipes),
        *against_recipes.labels(recipes),
        *acceptance(recipes, checkout.golden),
        *against_files.runners(checkout),
        *against_files.images(checkout),
        *against_files.conventions(checkout),
        *against_files.changes(checkout, new),
        *_of_rows(checkout),
    ]
    return tuple(sorted(found, key=lambda one: (one.file, one.line, one.id, one.message)))


def _of_rows(checkout: Checkout) -> Iterator[Finding]:
    """Rows that can't be made, or that another one is the same as."""
    made: list[Row] = []
    for entry in checkout.entries:
        try:
            made += sourced_rows([entry], checkout.runners, evals=False)
        except FileFaults as error:
            for fault in error.faults:
                yield Finding(id="no-rows", entry=entry.key, at=fault.place, message=fault.message)
    yield from against_files.twice(made)
