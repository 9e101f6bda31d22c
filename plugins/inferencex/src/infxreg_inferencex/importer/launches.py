"""A checkout of InferenceX as records: models, engines, recipes, and a rule for what each says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from infxreg.catalogue import Catalogue
from infxreg.contribution import Placed
from infxreg.exchange import Imported, ImportFaults, ImportFinding
from infxreg.records import AxisValues, Image, Model, Recipe, Rule, Sweep
from infxreg.scope import AxisValue, OneOf, Scope, sorted_values
from infxreg.values import FrozenMap, Value
from infxreg_inferencex.importer.engines import base_of, engines, options
from infxreg_inferencex.importer.jobs import Job, jobs
from infxreg_inferencex.importer.names import models, sku_of
from infxreg_inferencex.importer.scripts import Scripts
from infxreg_inferencex.importer.settings import CONFIG
from infxreg_inferencex.master.checkout import Checkout, Folder, read_checkout
from infxreg_inferencex.master.finding import Finding
from infxreg_inferencex.master.findings import findings
from infxreg_inferencex.master.place import FileFaults, Place
from infxreg_inferencex.master.rows import Row, sourced_rows
from infxreg_inferencex.master.started import Recipes, started

_NAMED_AXES = ("config", "framework", "variant", "cluster", "workload")


def read(folder: Path, catalogue: Catalogue) -> Imported:
    """What a checkout in a folder launches; see `of_files`."""
    return of_files(Folder(folder), catalogue)


def of_files(files: Mapping[str, str], catalogue: Catalogue) -> Imported:
    """What a checkout launches.

    Args:
        files: the text of each of its files, by path.
        catalogue: what is known of SKUs, models and engines.

    Raises:
        ImportFaults: with everything that is wrong with its files.
    """
    try:
        checkout = read_checkout(files)
        rows = sourced_rows(checkout.entries, checkout.runners)
    except FileFaults as error:
        raise ImportFaults(tuple(map(str, error.faults))) from error
    recipes = started(checkout)
    placed = {row.entry.runner: sku_of(row.entry.runner, catalogue.skus) for row in rows}
    on_known = [(row, sku) for row in rows if (sku := placed[row.entry.runner]) is not None]
    by_space = {
        (one.reference.space.at.file, one.reference.space.at.path): one
        for one in recipes.started
        if one.reference.setting == "CONFIG_FILE"
    }
    found = list(jobs(on_known, by_space, Scripts(checkout.files)))
    skus = {row.entry.key: sku for row, sku in on_known}
    return Imported(
        placed=tuple(_records(found, checkout, catalogue, skus)),
        findings=tuple(map(_finding, findings(checkout, recipes=recipes))),
        left_out=tuple(_left_out(rows, placed, recipes)),
        counts=FrozenMap(
            {
                "entries": len(checkout.entries),
                "jobs": len(rows),
                "recipe files": len({one.recipe.file for one in recipes.started}),
                "points": len(found),
            }
        ),
    )


def _finding(finding: Finding) -> ImportFinding:
    about = f"{finding.entry}: " if finding.entry else ""
    return ImportFinding(
        id=finding.id,
        severity=finding.severity,
        message=about + finding.message,
        file=finding.file,
        path=finding.path,
        line=finding.line,
    )


def _records(
    found: list[Job], checkout: Checkout, catalogue: Catalogue, skus: dict[str, str]
) -> Iterator[Placed]:
    known = {model.hub_id: id for id, model in catalogue.models.items()}
    entries = {job.row.entry.key: job.row.entry for job in found}
    ids = models(entries.values(), known)
    for hub in sorted({entry.model for entry in entries.values()} - set(known)):
        of = [entry for entry in entries.values() if entry.model == hub]
        precisions = {entry.precision for entry in of}
        record = Model(
            id=ids[hub],
            hub_id=hub,
            family=of[0].model_prefix,
            precision=precisions.pop() if len(precisions) == 1 else None,
            source=_place(of[0].at),
        )
        yield Placed(record, of[0].at.file, of[0].at.path)
    for axis in _NAMED_AXES:
        values = {job.axes[axis] for job in found} - set(catalogue.space.values.get(axis, ()))
        if values:
            yield Placed(
                AxisValues(id=f"{axis}-of-inferencex", axis=axis, values=_sorted(values)), ""
            )
    keys = {key for job in found for key in job.settings if key.startswith(CONFIG)}
    for option in options(keys):
        yield Placed(option)
    for engine in engines({(job.engine, job.row.entry.framework) for job in found}, keys):
        yield Placed(engine)
    for image, job in sorted({str(job.settings["image"]): job for job in found}.items()):
        framework = base_of(job.row.entry.framework)
        yield Placed(
            Image(id=image, engine=framework, source=_place(job.at)), job.at.file, job.at.path
        )
    for recipe, of_recipe in _recipes(found).items():
        entry = of_recipe[0].row.entry
        yield Placed(
            Recipe(
                id=recipe,
                model=ids[entry.model],
                sku=skus[entry.key],
                engine=of_recipe[0].engine,
                workload=str(of_recipe[0].axes["workload"]),
                sweep=tuple(map(_sweep, of_recipe)),
                default_point=of_recipe[0].id,
                source=_place(entry.at),
            ),
            entry.at.file,
            entry.at.path,
        )
    yield from _rules(found, ids, skus)


def _recipes(found: list[Job]) -> dict[str, list[Job]]:
    """The jobs of each recipe: an entry's, or a part of it where workload or engine differ."""
    parts: dict[str, dict[tuple[str, str], list[Job]]] = {}
    for job in found:
        of_entry = parts.setdefault(job.row.entry.key, {})
        of_entry.setdefault((str(job.axes["workload"]), job.engine), []).append(job)
    return {
        key if number == 0 else f"{key}-{number + 1}": several
        for key, of_entry in parts.items()
        for number, several in enumerate(of_entry.values())
    }


def _rules(found: list[Job], ids: dict[str, str], skus: dict[str, str]) -> Iterator[Placed]:
    """Rules of what starts workers, one for each place that says it; and of labels, one a job.

    Each names SKU, model and engine: what one entry says reaches nothing else.
    """
    said: set[tuple[Scope, FrozenMap[str, Value]]] = set()
    for job in found:
        entry = job.row.entry
        own = {"sku": skus[entry.key], "model": ids[entry.model], "engine": job.engine}
        for name, axes, settings, at in (
            ("", job.shared, job.settings, job.at),
            ("job", tuple(job.axes), job.own, job.at),
            ("labels", tuple(job.axes), job.labels, job.row.space.at),
        ):
            scope = _scope({**own, **{axis: job.axes[axis] for axis in axes}})
            if settings and (scope, settings) not in said:
                said.add((scope, settings))
                rule = Rule(
                    id=_rule_id(job, axes, name),
                    when=(scope,),
                    settings=settings,
                    source=_place(at),
                )
                yield Placed(rule, at.file, at.path)


def _rule_id(job: Job, axes: tuple[str, ...], name: str) -> str:
    """A rule's id: the entry, and what of the axes tells it from the entry's other rules."""
    told = [str(job.axes[axis]) for axis in ("workload", "variant", "role") if axis in axes]
    told += [
        f"{axis}{job.axes[axis]}"
        for axis in ("tp", "pp", "ep", "dp", "conc")
        if axis in axes and job.axes[axis] != 1
    ]
    return ".".join([job.row.entry.key, "-".join(told), *([name] if name else [])])


def _scope(axes: Mapping[str, AxisValue]) -> Scope:
    return Scope.of({axis: OneOf(frozenset([value])) for axis, value in axes.items()})


def _sweep(job: Job) -> Sweep:
    return Sweep(
        id=job.id,
        axes=FrozenMap({axis: (v,) for axis, v in job.axes.items() if axis != "workload"}),
    )


def _left_out(rows: list[Row], placed: dict[str, str | None], recipes: Recipes) -> Iterator[str]:
    for runner, sku in sorted(placed.items()):
        if sku is None:
            count = sum(row.entry.runner == runner for row in rows)
            yield f"{count} jobs on {runner}: no plugin declares that SKU"
    spaces = len(recipes.unread)
    if spaces:
        yield (
            f"what shell scripts give engines, at {spaces} entries of search spaces: of them "
            "image, topology and the script's content are known"
        )
    if recipes.elsewhere:
        yield (
            f"{len(recipes.elsewhere)} recipe files that aren't in the checkout, but srt-slurm's "
            "or llm-d's own"
        )
    for broken in recipes.broken:
        reference = broken.reference
        yield f"{reference.at}: {reference.written} can't be read"


def _place(at: Place) -> str:
    return f"{at.file}:{at.line}"


def _sorted(values: set[AxisValue]) -> tuple[AxisValue, ...]:
    return tuple(sorted_values(values))
