"""From a Python mapping to a tree of nodes, whose places are the names of what they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from attncli.arithmetic.arrays import as_array
from attncli.file.nodes import Items, Map, Node, Numbers, Scalar
from attncli.file.problems import scenario_error
from attncli.file.reading import DEEPEST
from attncli.refusals import Where

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LONGEST_INTEGER = 10_000
"""Bits; Python writes no integer out that has many more."""

_PLAIN = (str, int, float, list, tuple, Mapping)
"""What is no array, for which nothing needs to be asked."""


def mapping_tree(mapping: Mapping[Any, Any]) -> Map:
    """The tree of a mapping. Raises ScenarioError for one that is nested too deeply, such as one
    that holds itself."""
    return _map(mapping, "", 1)


def _map(mapping: Mapping[Any, Any], name: str, depth: int) -> Map:
    """The keys and values; a key that has None isn't there."""
    entries = []
    for key, value in ((k, x) for k, x in mapping.items() if x is not None):
        inside = f"{name}.{key}" if name else str(key)
        entries.append((Scalar(str(key), _where(inside)), _node(value, inside, depth + 1)))
    return Map(tuple(entries), _where(name))


def _node(value: object, name: str, depth: int, entry: tuple[int, ...] = ()) -> Node:
    """The value of a name, or an entry of it: by its numbers, from 1, in a list and the lists in
    that, `layers[2]`, `W_Q[1, 2]`."""
    told = f"{name}{list(entry)}" if entry else name
    where = _where(told)
    if depth > DEEPEST + 1:
        right = f"use at most {DEEPEST} levels"
        raise scenario_error(where, "lists and maps are nested too deeply", right)
    array = None if isinstance(value, _PLAIN) else as_array(value)
    if array is not None:
        return _of_array(array, name, depth, entry)
    match value:
        case Mapping():
            return _map(value, told, depth)
        case list() | tuple() | range():
            items = (_node(x, name, depth + 1, (*entry, k)) for k, x in enumerate(value, 1))
            return Items(tuple(items), where)
        case set() | frozenset() | Iterator():
            wrong = f"what is in a {type(value).__name__} has no order that could be read again"
            raise scenario_error(where, wrong, "give a list")
        case bool() | np.bool_():
            return Scalar(str(value).lower(), where)
        case int() if value.bit_length() > _LONGEST_INTEGER:
            wrong = "this integer is outside the numbers that can be worked with"
            raise scenario_error(where, wrong, "give one whose size is at most 1e300")
        case _:
            return Scalar(str(value), where)


def _of_array(array: NDArray[Any], name: str, depth: int, entry: tuple[int, ...]) -> Node:
    """The numbers of an array; of one of texts, or of numbers of Python's own, as of a list."""
    where = _where(f"{name}{list(entry)}" if entry else name)
    if array.ndim and array.dtype.kind in "biuf":
        return Numbers(np.asarray(array, dtype=np.float64), where)
    if array.dtype.kind in "biufUO":
        return _node(array.tolist(), name, depth, entry)
    raise scenario_error(where, f"an array of {array.dtype}", "give one of numbers, or of texts")


def _where(name: str) -> Where:
    return Where(name or "mapping")
