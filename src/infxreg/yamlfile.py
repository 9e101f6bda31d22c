"""YAML as InferenceX and srt-slurm write it: read safely; a key that stands twice is an error."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import yaml
from attrs import field, frozen
from yaml.reader import Reader

from infxreg.errors import InfxregError

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MERGE, _EQUALS = "tag:yaml.org,2002:merge", "tag:yaml.org,2002:value"


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


@frozen
class Lines:
    """At which line of a document each of its keys and entries stands."""

    _root: Any = field(default=None, eq=False, repr=False)

    def at(self, path: Iterable[str | int]) -> int:
        """The line, from 1, of a key (that of its name) or of a list's entry.

        Args:
            path: keys and places from the document's root; of one that leads nowhere, the line
                of the last step that is there.
        """
        node, line = self._root, 1
        for step in path:
            found = _step(node, step)
            if found is None:
                break
            line, node = found
        return line


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


def read_lined(text: str, where: str) -> tuple[Any, Lines]:
    """The document of a text, and where its keys stand.

    Args:
        text: one YAML document.
        where: what errors call it.

    Raises:
        YamlError: at the first thing that is wrong.
    """
    loader = _opened(text, where)
    try:
        node = _composed(loader, where)
        return _constructed(loader, node, where), Lines(node)
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


def _step(node: Any, step: str | int) -> tuple[int, Any] | None:
    """The line of a key or an entry of a node, and what stands there."""
    if isinstance(node, yaml.SequenceNode):
        if isinstance(step, int) and 0 <= step < len(node.value):
            child = node.value[step]
            return child.start_mark.line + 1, child
    elif isinstance(node, yaml.MappingNode):
        for key, child in reversed(node.value):  # of merged keys, the last is the one that counts
            if isinstance(key, yaml.ScalarNode) and key.value == str(step):
                return key.start_mark.line + 1, child
    return None


def _opened(text: str, where: str) -> Any:
    odd = Reader.NON_PRINTABLE.search(text)  # the loader would tell of it without its line
    if odd is not None:
        line = text.count("\n", 0, odd.start()) + 1
        raise YamlError(where, line, f"not YAML: {odd[0]!r} can't stand in it")
    return _Loader(text)


def _composed(loader: Any, where: str) -> Any:
    with _told(where, 1):
        node = loader.get_single_node()
    if node is not None:
        _once_each(loader, node, where)
    return node


def _constructed(loader: Any, node: Any, where: str) -> Any:
    if node is None:
        return None
    with _told(where, node.start_mark.line + 1):
        return loader.construct_document(node)


@contextmanager
def _told(where: str, line: int) -> Iterator[None]:
    """Whatever PyYAML raises, as a `YamlError`; at this line where it says none."""
    try:
        yield
    except yaml.YAMLError as error:
        raise _wrong(error, where) from error
    except RecursionError as error:
        raise YamlError(where, line, "nested too deep") from error
    except Exception as error:  # any kind, for a scalar that isn't what its tag says
        raise YamlError(where, line, f"a value isn't what its tag says: {error}") from error


def _once_each(loader: Any, root: Any, where: str) -> None:
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
                line = key.start_mark.line + 1
                with _told(where, line):
                    name = _key(loader, key)
                if name in keys:
                    raise YamlError(where, line, f"the key {key.value!r} stands twice")
                keys.add(name)
                left += [key, value]


def _key(loader: Any, key: Any) -> Hashable:
    """What a key is once it is read: ``yes`` is ``true``, and 0x1 is 1."""
    if not isinstance(key, yaml.ScalarNode):
        return id(key)
    if key.tag == _MERGE:
        return key.tag, key.value
    value: object = key.value if key.tag == _EQUALS else loader.construct_object(key)
    return value if isinstance(value, Hashable) else id(key)


def _wrong(error: yaml.YAMLError, where: str) -> YamlError:
    mark = getattr(error, "problem_mark", None)
    line = mark.line + 1 if mark is not None else 1
    reason = getattr(error, "problem", None) or str(error).splitlines()[0]
    return YamlError(where, line, f"not YAML: {reason}")
