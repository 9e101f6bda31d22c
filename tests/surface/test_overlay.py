"""Overlays: a wrapper's flags and a plugin's names, on top of an engine's surface."""

from __future__ import annotations

from importlib.resources import files

import pytest

from infxreg.surface.check import check
from infxreg.surface.errors import OverlayError, SurfaceFormatError
from infxreg.surface.folded import FoldedSurfaces
from infxreg.surface.model import Flag
from infxreg.surface.overlay import Overlay, read_overlay
from support.surfaces import flag, vllm

TEXT = """
name = "house"
engine = "vllm"
source = "our wiki"
env = ["HOUSE_X"]
backends = ["HOUSE_ATTN"]
registries.tool_call_parser = ["house_style"]

[[flag]]
names = ["--house-mode", "-hm"]
choices = ["a", "b"]
hard = true

[[flag]]
names = ["--house-log"]
action = "boolean"
"""


def house() -> Overlay:
    return read_overlay(TEXT, "house.toml")


def test_what_it_adds() -> None:
    base = vllm(
        flag("--x"), env=("VLLM_A",), backends=("FLASH",), registries={"tool_call_parser": ("p",)}
    )
    made = house().over(base)
    assert made.by_name["-hm"] == Flag(
        names=("--house-mode", "-hm"), dest="house_mode", choices=("a", "b"), hard=True
    )
    assert made.by_name["--no-house-log"].arity == "0"
    assert made.env == ("VLLM_A",)
    assert made.env_read == ("HOUSE_X",)
    assert made.backends == ("FLASH", "HOUSE_ATTN")
    assert dict(made.registries) == {"tool_call_parser": ("house_style", "p")}
    assert "--house-mode" not in base.by_name


def test_a_list_with_the_wrappers_flags_is_accepted() -> None:
    base = vllm(flag("--x"))
    assert check(base, ("--house-mode", "a", "--x", "1")).accepted is False
    assert check(house().over(base), ("--house-mode", "a", "--x", "1")).accepted is True
    assert check(house().over(base), ("--house-mode", "z", "--x", "1")).accepted is False


def test_two_on_one_another() -> None:
    other = read_overlay(
        'name = "o"\nengine = "vllm"\nsource = "s"\n[[flag]]\nnames = ["--other"]\n', "o"
    )
    base = vllm(flag("--x"))
    assert other.over(house().over(base)) == house().over(other.over(base))


class TestErrors:
    def test_another_engine(self) -> None:
        base = vllm(flag("--x"))
        overlay = read_overlay('name = "o"\nengine = "sglang"\nsource = "s"\n', "o")
        with pytest.raises(OverlayError, match="overlay o: it is for sglang, not vllm"):
            overlay.over(base)

    def test_a_name_that_is_taken(self) -> None:
        with pytest.raises(
            OverlayError, match=r"overlay house: vllm 0\.31\.0 has --house-mode, -hm itself"
        ):
            house().over(vllm(flag("--house-mode", "-hm")))

    def test_every_fault_in_one_go(self) -> None:
        text = 'engine = 3\nextra = 1\n[[flag]]\nhard = "yes"\nwhat = 1\n'
        with pytest.raises(SurfaceFormatError) as caught:
            read_overlay(text, "x.toml")
        assert caught.value.what == "an overlay (x.toml)"
        assert caught.value.problems == (
            "unknown key 'extra'",
            "'name' is missing",
            "text is needed, not int @ engine",
            "'source' is missing",
            "'names' is missing @ flag[0]",
            "unknown key 'what' @ flag[0]",
            "true or false is needed, not text @ flag[0].hard",
        )

    def test_no_toml(self) -> None:
        with pytest.raises(SurfaceFormatError, match=r"not an overlay \(x\)"):
            read_overlay("= 1", "x")


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_the_shipped_one_goes_on_every_version(engine: str) -> None:
    """No release has a flag of Dynamo's, and a worker's list is accepted with it."""
    home = files(f"infxreg_{engine}")
    overlay = read_overlay((home / "overlays" / "dynamo.toml").read_text(), "dynamo.toml")
    folded = FoldedSurfaces.read((home / "surface.json").read_bytes())
    for version in folded.versions:
        made = overlay.over(folded.unfold(version))
        assert "--dyn-tool-call-parser" in made.by_name
    argv = ("--dyn-default-thinking-mode", "enabled", "--request-plane", "tcp")
    assert check(made, argv).accepted is True
    assert check(made, ("--request-plane", "carrier-pigeon")).accepted is False
    assert check(made, ("--dyn-tool-call-parser", "hermes")).accepted is None
