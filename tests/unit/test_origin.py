"""Origins order by plugin, file and rule, and show in one line."""

from __future__ import annotations

from infxreg.origin import Layer, Origin


def test_the_least_origin() -> None:
    """Plugin first, then file, then rule."""
    listed = [
        Origin("b", "a.toml", "a"),
        Origin("a", "b.toml", "a"),
        Origin("a", "a.toml", "b"),
        Origin("a", "a.toml", "a"),
    ]
    assert sorted(listed) == list(reversed(listed))


def test_an_origin_in_words() -> None:
    """Plugin and rule, and the source that the rule cites."""
    assert str(Origin("nvidia", "f.toml", "r", note="PR 1")) == "nvidia:r (PR 1)"
    assert str(Origin("request", rule="--set")) == "request:--set"
    assert str(Origin("site")) == "site"


def test_layers() -> None:
    """Lowest first, with their names in output."""
    assert [layer.label for layer in sorted(Layer)] == ["plugin", "site", "request"]
