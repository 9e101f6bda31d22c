"""YAML as InferenceX and srt-slurm write it: read safely; a key that stands twice is an error."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import yaml
from attrs import frozen

from infxreg.errors import InfxregError

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@frozen
class YamlError(InfxregError):
    """A text that isn't YAML that can be read: where, at which line (from 1), and why."""

    where: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.where}:{self.line}: {self.reason}"


@frozen
class Item:
    """An entry of a list, and the line that it begins at, from 1."""

    value: Any
    line: int


def read_yaml(text: str, where: str) -> Any:
    """The document of a text: dicts, lists and scalars.

    Args:
        text: one YAML document.
        where: what errors call it.

    Raises:
        YamlError: at the first thing that is wrong.
    """
    loader = _opened(text, where)
    try:
        return _constructed(loader, _composed(loader, where), where)
    finally:
        loader.dispose()


def read_items(text: str, where: str) -> list[Item]:
    """The entries of a document that is a list, each with its line.

    Args:
        text: one YAML document.
        where: what errors call it.

    Raises:
        YamlError: at the first thing that is wrong, and if it is no list.
    """
    loader = _opened(text, where)
    try:
        node = _composed(loader, where)
        if node is None:
            return []
        if not isinstance(node, yaml.SequenceNode):
            raise YamlError(where, node.start_mark.line + 1, "a list is needed")
        return [
            Item(_constructed(loader, child, where), child.start_mark.line + 1)
            for child in node.value
        ]
    finally:
        loader.dispose()


def _opened(text: str, where: str) -> Any:
    try:
        return _Loader(text)
    except yaml.YAMLError as error:  # a character that no YAML may have
        raise _wrong(error, where) from error


def _composed(loader: Any, where: str) -> Any:
    try:
        node = loader.get_single_node()
    except yaml.YAMLError as error:
        raise _wrong(error, where) from error
    except RecursionError as error:
        raise YamlError(where, 1, "nested too deep") from error
    if node is not None:
        _once_each(node, where)
    return node


def _constructed(loader: Any, node: Any, where: str) -> Any:
    if node is None:
        return None
    try:
        return loader.construct_document(node)
    except yaml.YAMLError as error:
        raise _wrong(error, where) from error
    except (RecursionError, ValueError) as error:
        raise YamlError(where, node.start_mark.line + 1, str(error)) from error


def _once_each(root: Any, where: str) -> None:
    """Refuse a mapping that says a key twice: of two values one would be lost."""
    seen: set[int] = set()
    left = [root]
    while left:
        node = left.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            left += node.value
        elif isinstance(node, yaml.MappingNode):
            keys: set[Hashable] = set()
            for key, value in node.value:
                name = (key.tag, key.value) if isinstance(key, yaml.ScalarNode) else id(key)
                if name in keys:
                    line = key.start_mark.line + 1
                    raise YamlError(where, line, f"the key {key.value!r} stands twice")
                keys.add(name)
                left += [key, value]


def _wrong(error: yaml.YAMLError, where: str) -> YamlError:
    mark = getattr(error, "problem_mark", None)
    line = mark.line + 1 if mark is not None else 1
    reason = getattr(error, "problem", None) or str(error).splitlines()[0]
    return YamlError(where, line, f"not YAML: {reason}")
