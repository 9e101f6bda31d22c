"""What entries, and the recipes that they are started from, don't say alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from infxreg_inferencex.master.finding import Finding
from infxreg_inferencex.master.labels import contradicted
from infxreg_inferencex.master.started import Recipes, Started


def missing(recipes: Recipes) -> Iterator[Finding]:
    """Recipes, and variants of them, that aren't there or can't be read."""
    seen: set[tuple[str, str]] = set()
    for one in recipes.broken:
        reference = one.reference
        if (reference.entry.key, reference.written) in seen:
            continue
        seen.add((reference.entry.key, reference.written))
        where = f"{reference.setting} names "
        if one.error is not None:
            message = f"{where}{one.error}: mend it, because it can't be read as it stands"
        else:
            hint = f"; the nearest is {one.nearest}" if one.nearest else ""
            message = f"{where}{reference.file}, which isn't there{hint}: add it, or drop the entry"
        yield Finding(
            id="recipe-missing" if one.error is None else "recipe-broken",
            entry=reference.entry.key,
            at=reference.at,
            message=message,
        )


def images(recipes: Recipes) -> Iterator[Finding]:
    """Recipes that run another container than their entry's image; one finding for each two."""
    found: dict[tuple[str, str], list[Started]] = {}
    for one in recipes.started:
        container = one.recipe.container
        if named(container) and plain(container) != plain(one.reference.entry.image):
            found.setdefault((one.reference.entry.key, container), []).append(one)
    for (key, container), several in found.items():
        entry, at = several[0].reference.entry, several[0].recipe.container_at
        count = len({one.recipe.file for one in several})
        more = f" (and {count - 1} more)" if count > 1 else ""
        yield Finding(
            id="image-differs",
            entry=key,
            at=entry.at.of("image"),
            message=(
                f"the image is {entry.image}, and {at.file}:{at.line}{more} runs {container}: "
                "what runs isn't what is recorded; write the same in both"
            ),
        )


def concurrencies(recipes: Recipes) -> Iterator[Finding]:
    """Recipes that send other concurrencies than the entries that name them list."""
    for several in _by_recipe(recipes.started):
        sent, at = several[0].recipe.concurrencies, several[0].recipe.concurrencies_at
        if sent is None:
            continue
        for one in several:
            said = one.reference.concurrencies
            only, more = sorted(set(said) - set(sent)), sorted(set(sent) - set(said))
            if not only and not more:
                continue
            told = [f"{_list(only)} isn't measured"] if only else []
            told += [f"{_list(more)} is measured besides"] if more else []
            space = one.reference.space.at
            yield Finding(
                id="concurrency-differs",
                severity="error" if only else "warning",
                entry=one.reference.entry.key,
                at=space.of("conc-list" if "conc-list" in space.keys else "conc-start"),
                message=(
                    f"the entry lists {_list(said)}, and {at.file}:{at.line} sends {_list(sent)}: "
                    f"{', '.join(told)}; write the same in both"
                ),
            )


def labels(recipes: Recipes) -> Iterator[Finding]:
    """Labels of a topology that the recipe's arguments contradict."""
    for one in recipes.started:
        if one.reference.setting != "CONFIG_FILE":
            continue
        for topology, at, told in contradicted(one.reference, one.recipe):
            yield Finding(
                id="label-contradicted",
                entry=one.reference.entry.key,
                at=topology.at,
                message=(
                    f"{topology.role} says {'; '.join(told)} ({at.file}:{at.line}): results stand "
                    "under what it says; make it say what runs"
                ),
            )


def named(container: str) -> bool:
    """Whether a container is an image's reference, and no name that a cluster gives it."""
    return "/" in container or ":" in container


def plain(image: str) -> str:
    """An image's reference as registries write it; enroot writes ``#`` after the host."""
    return image.removeprefix("docker://").replace("#", "/", 1)


def _by_recipe(started: Iterable[Started]) -> Iterable[list[Started]]:
    groups: dict[tuple[str, str | None], list[Started]] = {}
    for one in started:
        if one.reference.setting == "CONFIG_FILE":
            groups.setdefault((one.recipe.file, one.recipe.selector), []).append(one)
    return groups.values()


def _list(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))
