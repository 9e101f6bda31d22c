"""srt-slurm's recipe files as launches: a recipe a file, a point for each role of each variant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from attrs import frozen

from infxreg.catalogue import Catalogue
from infxreg.contribution import Placed
from infxreg.exchange import Imported, ImportFaults, ImportFinding
from infxreg.records import AxisValues, Image, Model, Recipe, Rule, Sweep
from infxreg.scope import AxisValue, OneOf, Scope, sorted_values
from infxreg.values import FrozenMap, Value
from infxreg_inferencex.importer.engines import base_of, engine_of, engines, options
from infxreg_inferencex.importer.names import slug
from infxreg_inferencex.importer.settings import CONFIG, of_role
from infxreg_inferencex.master import recipes as reading
from infxreg_inferencex.master.against_recipes import named, plain
from infxreg_inferencex.master.checkout import Folder
from infxreg_inferencex.master.place import Place
from infxreg_inferencex.master.recipes import BASE, RecipeError, RecipeFile, parallel

_FRAMEWORKS = {"vllm": "vllm", "sglang": "sglang", "trtllm": "trt"}
"""srt-slurm's engines under the names of InferenceX's frameworks."""

_NAMED_AXES = ("config", "framework", "variant", "workload")


@frozen(kw_only=True)
class _Role:
    """One role of a variant, as a point."""

    config: str
    sku: str
    model: str
    framework: str
    precision: str
    axes: FrozenMap[str, AxisValue]
    settings: FrozenMap[str, Value]
    at: Place

    @property
    def engine(self) -> str:
        return engine_of(self.framework, "recipe")

    @property
    def id(self) -> str:
        role = "" if self.axes["role"] == "agg" else f"_{self.axes['role']}"
        return f"{self.axes['variant']}_c{self.axes['conc']}{role}"


def read(place: Path, catalogue: Catalogue) -> Imported:
    """What the recipes of a file or a folder launch.

    Args:
        place: a recipe file, or a folder of them.
        catalogue: what is known of SKUs and models.

    A file that can't be read is a finding, and left out.

    Raises:
        ImportFaults: if no file can be read, with what is wrong with each.
    """
    if place.is_file():
        return of_files({place.name: place.read_text(encoding="utf-8")}, catalogue)
    return of_files(Folder(place), catalogue)


def of_files(files: Mapping[str, str], catalogue: Catalogue) -> Imported:
    """The same from the text of each file, by path; see `read`."""
    broken: list[ImportFinding] = []
    found: list[_Role] = []
    left: Counter[str] = Counter()
    names = [name for name in files if name.endswith((".yaml", ".yml"))]
    variants = 0
    for name in names:
        try:
            for recipe in _variants(files[name], name):
                variants += 1
                for role in _roles(name, recipe):
                    if role.sku in catalogue.skus:
                        found.append(role)
                    else:
                        left[role.sku] += 1
        except RecipeError as error:
            broken.append(_broken(error.place, error.reason))
        except UnicodeDecodeError as error:
            broken.append(_broken(Place(name, "", 1), f"not UTF-8: byte {error.start}"))
    if not names:
        raise ImportFaults(("there is no YAML file",))
    if len(broken) == len(names):
        raise ImportFaults(tuple(f"{one.where}: {one.message}" for one in broken))
    return Imported(
        placed=tuple(_records(found, catalogue)),
        findings=(*broken, *_findings(found)),
        left_out=tuple(
            f"{count} points on {sku or 'no GPU type'}: no plugin declares that SKU"
            for sku, count in sorted(left.items())
        ),
        counts=FrozenMap({"files": len(names), "variants": variants, "points": len(found)}),
    )


def _variants(text: str, name: str) -> Iterator[reading.Recipe]:
    """Every variant of a file; the base alone where there are none."""
    file = RecipeFile(text, name)
    selectors: list[str | None] = [one for one in file.selectors if one != BASE]
    for selector in selectors or [None]:
        yield file.variant(selector)


def _broken(at: Place, reason: str) -> ImportFinding:
    return ImportFinding(
        id="file-broken",
        severity="error",
        message=f"{reason}: the file is left out",
        file=at.file,
        path=at.path,
        line=at.line,
    )


def _roles(name: str, recipe: reading.Recipe) -> Iterator[_Role]:
    document = recipe.document
    model, resources = document.get("model") or {}, document.get("resources") or {}
    framework = _FRAMEWORKS.get(recipe.engine, recipe.engine)
    if (document.get("frontend") or {}).get("type", "dynamo") == "dynamo":
        framework = f"dynamo-{framework}"
    config = slug(str(PurePosixPath(name).with_suffix("")).replace("/", "-"))
    image = plain(recipe.container)
    for role, side in recipe.sides.items():
        split = parallel(recipe, side)
        tp = _size(side.arguments)
        axes: dict[str, AxisValue] = {
            "config": config,
            "framework": framework,
            "variant": slug(recipe.selector or "only").removeprefix("override_"),
            "workload": _workload(document),
            "role": role,
            "tp": tp,
            "pp": split.pp if split is not None else 1,
            "ep": split.ep if split is not None else 1,
            "dp": tp if split is not None and split.dp_attn else 1,
            "conc": _concurrency(recipe),
        }
        settings = {**of_role(recipe, side), "image": image if named(image) else f"{image}:alias"}
        yield _Role(
            config=config,
            sku=str(resources.get("gpu_type") or ""),
            model=str(model.get("path") or "").removeprefix("hf:"),
            framework=framework,
            precision=str(model.get("precision") or ""),
            axes=FrozenMap(axes),
            settings=FrozenMap(settings),
            at=side.at,
        )


def _size(arguments: Mapping[str, object]) -> int:
    for name in ("tensor-parallel-size", "tp-size", "tp"):
        said = str(arguments.get(name, ""))
        if said.isdecimal() and int(said) > 0:
            return int(said)
    return 1


def _workload(document: Mapping[str, object]) -> str:
    benchmark = document.get("benchmark")
    said = benchmark if isinstance(benchmark, Mapping) else {}
    env = said.get("env") if isinstance(said.get("env"), Mapping) else {}
    lengths = [str(said.get(key) or (env or {}).get(key.upper()) or "") for key in ("isl", "osl")]
    if not all(one.isdecimal() for one in lengths):
        return "agentic"
    short = [f"{int(one) // 1024}k" if int(one) % 1024 == 0 else one for one in lengths]
    return "".join(short) if all(one.endswith("k") for one in short) else "_".join(lengths)


def _concurrency(recipe: reading.Recipe) -> int:
    if recipe.concurrencies:
        return max(recipe.concurrencies)
    benchmark = recipe.document.get("benchmark") or {}
    said = str((benchmark.get("env") or {}).get("CONC", ""))
    return int(said) if said.isdecimal() and int(said) > 0 else 1


def _findings(found: list[_Role]) -> Iterator[ImportFinding]:
    """Containers that only a cluster knows: which image is launched isn't in the file."""
    seen: set[str] = set()
    for role in found:
        image = str(role.settings["image"])
        if image.endswith(":alias") and role.config not in seen:
            seen.add(role.config)
            yield ImportFinding(
                id="container-alias",
                severity="note",
                message=(
                    f"{image.removesuffix(':alias')} is a name that the cluster's srtslurm.yaml "
                    "gives an image: which one isn't in the recipe"
                ),
                file=role.at.file,
                path="model.container",
                line=role.at.line,
            )


def _model_ids(hubs: set[str], known: Mapping[str, str]) -> dict[str, str]:
    """The id of each checkpoint: its own name, or with its owner's where two have the same."""
    short = {hub: slug(hub.rpartition("/")[2]) for hub in hubs}
    counts = Counter(short.values())
    return {
        hub: known.get(hub) or (short[hub] if counts[short[hub]] == 1 else _long(hub))
        for hub in sorted(hubs)
    }


def _long(hub: str) -> str:
    """An id with the owner; a name without one is a cluster's alias."""
    return slug(hub) if "/" in hub else f"{slug(hub)}-alias"


def _records(found: list[_Role], catalogue: Catalogue) -> Iterator[Placed]:
    known = {model.hub_id: id for id, model in catalogue.models.items()}
    ids = _model_ids({one.model for one in found}, known)
    for hub in sorted(set(ids) - set(known)):
        first = next(one for one in found if one.model == hub)
        record = Model(id=ids[hub], hub_id=hub, family=ids[hub], source=first.at.file)
        yield Placed(record, first.at.file, "model.path")
    for axis in _NAMED_AXES:
        values = {one.axes[axis] for one in found} - set(catalogue.space.values.get(axis, ()))
        if values:
            listed = tuple(sorted_values(values))
            yield Placed(AxisValues(id=f"{axis}-of-srt-slurm", axis=axis, values=listed))
    keys = {key for one in found for key in one.settings if key.startswith(CONFIG)}
    yield from map(Placed, options(keys))
    yield from map(Placed, engines({(one.engine, one.framework) for one in found}, keys))
    images = {str(one.settings["image"]): one for one in found}
    for image, one in sorted(images.items()):
        yield Placed(
            Image(id=image, engine=base_of(one.framework), source=one.at.file), one.at.file
        )
    parts: dict[str, dict[tuple[str, str], list[_Role]]] = {}
    for one in found:
        of_file = parts.setdefault(one.config, {})
        of_file.setdefault((str(one.axes["workload"]), one.engine), []).append(one)
    recipes = {
        (config if number == 0 else f"{config}-{number + 1}", workload, engine): several
        for config, of_file in parts.items()
        for number, ((workload, engine), several) in enumerate(of_file.items())
    }
    for (config, workload, engine), several in recipes.items():
        first = several[0]
        points = {one.id: one for one in several}
        yield Placed(
            Recipe(
                id=config,
                model=ids[first.model],
                sku=first.sku,
                engine=engine,
                workload=workload,
                sweep=tuple(
                    Sweep(
                        id=id,
                        axes=FrozenMap({a: (v,) for a, v in one.axes.items() if a != "workload"}),
                    )
                    for id, one in points.items()
                ),
                default_point=first.id,
                source=first.at.file,
            ),
            first.at.file,
        )
    for number, one in enumerate(found):
        own = {"sku": one.sku, "model": ids[one.model], "engine": one.engine, **one.axes}
        rule = Rule(
            id=f"{one.config}.{one.id}-{number}",
            when=(Scope.of({axis: OneOf(frozenset([value])) for axis, value in own.items()}),),
            settings=one.settings,
            source=f"{one.at.file}:{one.at.line}",
        )
        yield Placed(rule, one.at.file, one.at.path)
