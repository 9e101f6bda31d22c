"""What a tag says of an image, by its engine's patterns."""

from __future__ import annotations

import functools

import pytest

from infxreg import Registry, discover
from infxreg.references import image_of
from infxreg.releases import pattern_problems

DIGEST = "sha256:" + "0a" * 32


@functools.cache
def shipped() -> Registry:
    return discover()


@pytest.mark.parametrize(
    ("reference", "engine", "version", "date", "commit"),
    [
        ("vllm/vllm-openai:v0.27.1", "vllm", "0.27.1", None, None),
        ("vllm/vllm-openai-rocm:v0.27.1", "vllm", "0.27.1", None, None),
        ("vllm/vllm-openai:v0.20.1-ubuntu2404", "vllm", "0.20.1", None, None),
        (f"lmsysorg/sglang:v0.5.14-cu130@{DIGEST}", "sglang", "0.5.14", None, None),
        ("lmsysorg/sglang:v0.5.12.post1", "sglang", "0.5.12.post1", None, None),
        ("lmsysorg/sglang:v0.5.8.post1-cu130-amd64", "sglang", "0.5.8.post1", None, None),
        (
            "lmsysorg/sglang-rocm:v0.5.16-rocm720-mi35x-20260728",
            "sglang",
            "0.5.16",
            None,
            None,
        ),
        (
            "lmsysorg/sglang:nightly-dev-cu13-20260805-211ee642",
            "sglang",
            None,
            "2026-08-05",
            "211ee642",
        ),
        (
            "lmsysorg/sglang:nightly-dev-20260527-14f81a67",
            "sglang",
            None,
            "2026-05-27",
            "14f81a67",
        ),
    ],
)
def test_what_a_tag_tells(
    reference: str, engine: str, version: str | None, date: str | None, commit: str | None
) -> None:
    """Tags that benchmarks pin: a release with any build after it, or a nightly's day."""
    image = image_of(reference, shipped().catalogue)
    assert image is not None
    told = (image.engine, image.version, image.date, image.commit)
    assert told == (engine, version, date, commit)
    assert image.digest == (DIGEST if "@" in reference else None)


@pytest.mark.parametrize(
    "reference",
    [
        "vllm/vllm-openai:kimi-k3",
        "vllm/vllm-openai:v0.27",
        "vllm/vllm-openai:v0.27.1.2.3",
        "lmsysorg/sglang:dev-nightly-0820",
        "lmsysorg/sglang:nightly-dev-cu13-20269905-211ee642",
        "acme/vllm-openai:v0.27.1",
    ],
)
def test_what_a_tag_does_not_tell(reference: str) -> None:
    """Nothing is guessed."""
    assert image_of(reference, shipped().catalogue) is None


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("a/b:latest", "'a/b:latest' has neither {version} nor {date}, so it tells nothing"),
        ("a/b:{vers}", "'a/b:{vers}': no placeholder 'vers'; there are version, date, commit, bu"),
        ("a/b:{version}-{version}", "'a/b:{version}-{version}' has {version} twice"),
    ],
)
def test_patterns_that_can_t_be_used(pattern: str, problem: str) -> None:
    """What is wrong, and what there is instead."""
    assert any(words.startswith(problem) for words in pattern_problems(pattern))


def test_patterns_that_can_be_used() -> None:
    """Builds may stand there twice."""
    assert list(pattern_problems("a/b:{build}-{version}-{build}")) == []
