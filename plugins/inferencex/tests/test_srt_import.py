"""srt-slurm's recipe files as launches, of both schemas; and what we export, read back."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from infxreg import LaunchSpec, Registry
from infxreg.cli.app import app
from infxreg.exchange import Imported, ImportFaults, Launch
from infxreg.importing.checkout import of_records
from infxreg_inferencex.importer.srt_slurm import of_files, read
from infxreg_inferencex.master import Folder
from infxreg_inferencex.srt_slurm import write
from support import srtslurm
from support.inferencex import shared_folder

FIRST = """\
name: a
model: { path: org/A, container: org/v:1, precision: fp4 }
resources:
  gpu_type: gb200
  gpus_per_node: 4
  prefill_nodes: 1
  prefill_workers: 1
  decode_nodes: 2
  decode_workers: 1
backend:
  type: vllm
  prefill_environment: { A: '1' }
  vllm_config:
    prefill: { tensor-parallel-size: 4, enforce-eager: true, quiet: false }
    decode: { tensor-parallel-size: 8, stages: [1, 2], config: { a: { b: 1 } } }
benchmark: { type: sa-bench, isl: 8192, osl: 1024, concurrencies: 4x16 }
"""
SECOND = """\
base:
  schema: 2
  name: b
  model: { path: 'hf:org/B', container: alias, precision: fp8 }
  resources: { gpu_type: h200, gpus_per_node: 8 }
  engine: sglang
  frontend: { type: sglang }
  setup_script: s.sh
  roles:
    agg: { nodes: 1, workers: 1, gpus: 8, args: { tp-size: 8, dropped: 1 }, env: { B: '2' } }
  benchmark: { type: custom, env: { CONC: '1' } }
override_two: { roles: { agg: { args: { tp-size: 4, dropped: null } } } }
zip_override_c: { benchmark: { env: { CONC: ['4', '8'] } } }
"""


def made(registry: Registry, **files: str) -> tuple[Imported, dict[str, LaunchSpec]]:
    """What files import as, and every launch by recipe and point."""
    found = of_files({f"{name}.yaml": text for name, text in files.items()}, registry.catalogue)
    checkout = of_records(registry, found)
    checkout.check()
    return found, {
        f"{p.recipe.id if p.recipe else ''}/{p.id}": checkout.resolve(p) for p in checkout.points()
    }


def test_schema_1(registry: Registry) -> None:
    """A point for each role; false is no argument, and an object is JSON."""
    found, specs = made(registry, a=FIRST)
    assert dict(found.counts) == {"files": 1, "variants": 1, "points": 2}
    prefill, decode = specs["a/only_c16_prefill"], specs["a/only_c16_decode"]
    assert prefill.argv == (
        *("python3", "-m", "dynamo.vllm", "--model", "org/A"),
        *("--enforce-eager", "--tensor-parallel-size", "4"),
    )
    assert (prefill.env["A"], prefill.image.reference) == ("1", "org/v:1")
    assert decode.argv[5:] == (
        *("--config", '{"a":{"b":1}}', "--stages", "1", "2", "--tensor-parallel-size", "8"),
    )
    assert (decode.resources.gpus, decode.resources.nodes) == (8, 2)
    assert decode.point.axes["workload"] == "8k1k"
    assert (decode.timeouts.health_attempts, decode.timeouts.health_interval_s) == (180, 10)


def test_schema_2(registry: Registry) -> None:
    """Every override and every zipped one; null takes away; the base alone isn't launched."""
    found, specs = made(registry, b=SECOND)
    assert sorted(specs) == ["b/two_c1", "b/zip_override_c-0_c4", "b/zip_override_c-1_c8"]
    assert specs["b/two_c1"].argv == ("sglang", "org/B", "--tp-size", "4")
    zipped = specs["b/zip_override_c-1_c8"]
    assert zipped.argv == ("sglang", "org/B", "--dropped", "1", "--tp-size", "8")
    assert (zipped.setup, zipped.client_env["CONC"], zipped.env["B"]) == ("s.sh", "8", "2")
    (alias,) = found.findings
    assert (alias.id, alias.severity) == ("container-alias", "note")


def test_a_sweep(registry: Registry) -> None:
    """A variant for each combination of its values, wherever a placeholder stands."""
    text = FIRST.replace("tensor-parallel-size: 8", "tensor-parallel-size: '{tp}'")
    text = text.replace("concurrencies: 4x16", "concurrencies: '{conc}'")
    _, specs = made(registry, a=f"{text}sweep: {{ tp: [4, 8], conc: [[1, 2], [64]] }}\n")
    assert sorted(name for name in specs if name.endswith("decode")) == [
        "a/tp4_conc-1-2_c2_decode",
        "a/tp4_conc-64_c64_decode",
        "a/tp8_conc-1-2_c2_decode",
        "a/tp8_conc-64_c64_decode",
    ]
    spec = specs["a/tp4_conc-64_c64_decode"]
    assert spec.argv[spec.argv.index("--tensor-parallel-size") + 1] == "4"


def test_what_can_t_be_read(registry: Registry) -> None:
    """A file with a fault is a finding; where no file is left, all of it is an error."""
    broken = {"x.yaml": "a: 1\na: 2\n", "y.yaml": "name: y\n"}
    found = of_files({"a.yaml": FIRST, **broken}, registry.catalogue)
    assert [(one.id, one.file, one.line) for one in found.findings] == [
        ("file-broken", "x.yaml", 2),
        ("file-broken", "y.yaml", 1),
    ]
    swept = {
        "s.yaml": f"{FIRST}sweep: {{ mode: grid }}\n",
        "t.yaml": f"{SECOND}override_x: {{ sweep: {{ a: [1] }} }}\n",
    }
    found = of_files({"a.yaml": FIRST, **swept}, registry.catalogue)
    assert [one.message for one in found.findings if one.id == "file-broken"] == [
        "sweep.mode needs a list of values: the file is left out",
        "a sweep stands in a file of its own, without base and overrides: the file is left out",
    ]
    with pytest.raises(ImportFaults) as caught:
        of_files(broken, registry.catalogue)
    assert len(caught.value.problems) == 2
    with pytest.raises(ImportFaults, match="there is no YAML file"):
        of_files({"a.txt": "x"}, registry.catalogue)


def test_a_sku_that_nobody_declares(registry: Registry) -> None:
    found = of_files({"a.yaml": FIRST.replace("gb200", "tpu7")}, registry.catalogue)
    assert found.left_out == ("2 points on tpu7: no plugin declares that SKU",)


def test_what_we_export_comes_back(registry: Registry) -> None:
    """233 points, each with the arguments, variables, image and GPUs that it was launched with."""
    ours = [
        Launch(recipe=p.recipe.id if p.recipe else "", point=p.id or "", spec=registry.resolve(p))
        for p in registry.points()
    ]
    files = write(ours, registry.catalogue)
    _, back = made(registry, **{name.removesuffix(".yaml"): text for name, text in files.items()})
    assert len(back) == len(ours) == 233
    for one in ours:
        conc = one.spec.client_env["CONC"]
        spec = back[f"{one.recipe}/{one.point}_c{conc}"]
        engine = one.spec.engine
        words = srtslurm.parse(one.spec.argv, engine)
        words.pop("--model-path", None)
        given = srtslurm.parse(("", "", *spec.argv[1:]), "vllm")
        assert given == words
        assert dict(spec.env) == dict(one.spec.env)
        assert spec.client_env == one.spec.client_env
        assert spec.image.reference == one.spec.image.reference
        assert spec.resources == one.spec.resources


@pytest.mark.slow
def test_the_real_ones(registry: Registry) -> None:
    """469 files; eight say a key twice, which is a fault of theirs."""
    folder = shared_folder() / "srt-slurm-recipes"
    found = read(folder, registry.catalogue)
    assert dict(found.counts) == {"files": 469, "variants": 488, "points": 921}
    assert found.left_out == ()
    broken = [one for one in found.findings if one.id == "file-broken"]
    assert len(broken) == 8
    assert all("stands twice" in one.message for one in broken)
    of_records(registry, found).check()
    assert len(Folder(folder)) == 469


def test_on_the_command_line(tmp_path: Path) -> None:
    """A file, or a folder of them."""
    (tmp_path / "a.yaml").write_text(FIRST)
    for place in (tmp_path, tmp_path / "a.yaml"):
        result = CliRunner().invoke(app, ["import", "srt-slurm", str(place)])
        assert result.exit_code == 0, result.output
        assert result.stdout.startswith("1 files, 1 variants, 2 points\nfound: nothing")
