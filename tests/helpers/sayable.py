"""What a scenario can say: its keys and the words that they take, by the schema and in one tree."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from attncli.steps.order import keys_of

_PARTS = ("stack", "attention", "layer", "cell", "way", "file")


def sayable(left_out: Collection[str]) -> set[str]:
    """`norm`, `norm: pre` and so on, of all keys of a model but some and what is inside these."""
    keys = keys_of(*_PARTS)
    properties = {name: key.kind.schema() for name, key in keys.items()}
    return {*_in_schema("", {"properties": properties}, left_out)}


def _in_schema(key: str, schema: Any, left_out: Collection[str]) -> Iterator[str]:
    for word in _words(schema):
        yield from _pair(key, word)
    for name, inner in _inside(schema):
        if name not in left_out:
            yield from () if name == "" else [name]
            yield from _in_schema(name or key, inner, left_out)


def _words(schema: Any) -> Sequence[object]:
    if not isinstance(schema, Mapping):
        return ()
    entries: Sequence[object] = schema.get("enum", [schema["const"]] if "const" in schema else ())
    return entries


def _inside(schema: Any) -> Iterator[tuple[str, Any]]:
    """The schemas of keys, and without a name those that a schema is put together of."""
    if isinstance(schema, Mapping):
        yield from schema.get("properties", {}).items()
        yield from (("", inner) for name, inner in schema.items() if name != "properties")
    elif isinstance(schema, list):
        yield from (("", inner) for inner in schema)


def said(tree: Any, key: str = "") -> Iterator[str]:
    """The same of what a scenario says."""
    if isinstance(tree, Mapping):
        for name, inner in tree.items():
            yield str(name)
            yield from said(inner, str(name))
    elif isinstance(tree, list):
        for value in tree:
            yield from said(value, key)
    else:
        yield from _pair(key, tree)


def _pair(key: str, word: object) -> Iterator[str]:
    if isinstance(word, str | bool):
        yield f"{key}: {str(word).lower()}"
