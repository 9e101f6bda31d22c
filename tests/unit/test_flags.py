"""Which option an engine renders, in whatever spelling."""

from __future__ import annotations

import pytest

from infxreg.flags import clash, rendered_by, spelled
from infxreg.records import Engine, Render

ENGINE = Engine(
    id="run",
    argv=("run",),
    source="test",
    render=(
        Render(option="parallel.tp", flag="tp-size", aliases=("tp",)),
        Render(option="prefix_caching.enabled", flag="prefix-cache", false="no-prefix-cache"),
        Render(option="attention.backend", flag="attn", json="backend"),
        Render(option="compile.mode", env="RUN_MODE"),
    ),
)


@pytest.mark.parametrize(
    ("key", "option"),
    [
        ("args.tp-size", "parallel.tp"),
        ("args.tp_size", "parallel.tp"),
        ("args.--tp-size", "parallel.tp"),
        ("args.tp", "parallel.tp"),
        ("args.prefix-cache", "prefix_caching.enabled"),
        ("args.no-prefix-cache", "prefix_caching.enabled"),
        ("args.attn", "attention.backend"),
        ("env.RUN_MODE", "compile.mode"),
        ("args.RUN_MODE", None),
        ("env.tp-size", None),
        ("client_env.RUN_MODE", None),
        ("frontend.args.tp-size", None),
        ("args.other", None),
        ("parallel.tp", None),
    ],
)
def test_clash(key: str, option: str | None) -> None:
    """A raw key clashes with the option that renders the same flag or variable."""
    assert clash(ENGINE, key) == option


def test_rendered_by() -> None:
    """The engine's way to render an option, or None."""
    found = rendered_by(ENGINE, "compile.mode")
    assert found is not None
    assert found.env == "RUN_MODE"
    assert rendered_by(ENGINE, "kv_cache.dtype") is None


def test_spelled() -> None:
    """One spelling for a flag."""
    assert spelled("--max_num-seqs") == "max-num-seqs"
