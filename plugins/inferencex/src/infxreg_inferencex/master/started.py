"""The recipes that a checkout's entries are started from, as far as the checkout has them."""

from __future__ import annotations

import difflib
import posixpath

from attrs import frozen

from infxreg_inferencex.master.checkout import Checkout
from infxreg_inferencex.master.place import Place
from infxreg_inferencex.master.recipes import Recipe, RecipeError, RecipeFile
from infxreg_inferencex.master.references import RECIPES, Reference, Unread, references


@frozen
class Started:
    """An entry of a search space, and the recipe that it is started from."""

    reference: Reference
    recipe: Recipe


@frozen
class Broken:
    """A reference that leads to no recipe: why, or the file nearest to one that isn't there."""

    reference: Reference
    error: RecipeError | None = None
    nearest: str | None = None


@frozen(kw_only=True)
class Recipes:
    """What entries are started from.

    Attributes:
        started: those whose recipe the checkout has.
        broken: those whose recipe it should have, and hasn't.
        elsewhere: those whose recipe is srt-slurm's or llm-d's own.
        unread: those that a shell script starts.
    """

    started: tuple[Started, ...]
    broken: tuple[Broken, ...]
    elsewhere: tuple[Reference, ...]
    unread: tuple[Unread, ...]


def started(checkout: Checkout) -> Recipes:
    """The recipes of a checkout's entries; each file is read once."""
    names = [name for name in checkout.files if name.startswith(f"{RECIPES}/")]
    folders = {posixpath.dirname(name) for name in names}
    opened: dict[str, RecipeFile | RecipeError] = {}
    found: list[Started] = []
    broken: list[Broken] = []
    elsewhere: list[Reference] = []
    unread: list[Unread] = []
    for one in references(checkout.entries):
        if isinstance(one, Unread):
            unread.append(one)
            continue
        if one.file not in checkout.files:
            folder = posixpath.dirname(one.file)
            if folder in folders or (not one.written.startswith("recipes/") and not one.llmd):
                there = [name for name in names if posixpath.dirname(name) == folder]
                broken.append(Broken(one, nearest=_nearest(one.file, there)))
            else:
                elsewhere.append(one)
            continue
        if one.llmd:
            elsewhere.append(one)
            continue
        if one.file not in opened:
            opened[one.file] = _opened(checkout, one.file)
        file = opened[one.file]
        try:
            if isinstance(file, RecipeError):
                raise file
            found.append(Started(one, file.variant(one.selector)))
        except RecipeError as error:
            broken.append(Broken(one, error))
    return Recipes(
        started=tuple(found),
        broken=tuple(broken),
        elsewhere=tuple(elsewhere),
        unread=tuple(unread),
    )


def _nearest(file: str, names: list[str]) -> str | None:
    """The file that this one may be a misspelling of: most names in a folder begin alike."""
    found = difflib.get_close_matches(file, names, n=1, cutoff=0.97)
    return found[0] if found else None


def _opened(checkout: Checkout, file: str) -> RecipeFile | RecipeError:
    try:
        return RecipeFile(checkout.files[file], file)
    except UnicodeDecodeError as error:
        return RecipeError(Place(file, "", 1), f"not UTF-8: byte {error.start}")
    except RecipeError as error:
        return error
