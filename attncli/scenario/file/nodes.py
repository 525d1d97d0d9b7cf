"""A scenario file as a tree: texts, lists and maps that know where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attncli.errors import Where, quote

if TYPE_CHECKING:
    from numpy.typing import NDArray


Run = tuple[int, int, int]
"""Characters of a text that stand side by side in the file: the place of the first one in the text,
from 0, its line and its column."""


class TextPlace(NamedTuple):
    """Where the characters of a text stand in a file."""

    where: Where
    """Where the text begins, without its quotes."""
    runs: tuple[Run, ...] = ()
    """Its parts, where it isn't one line as it is written: it has escapes, or several lines."""

    def at(self, character: int) -> Where:
        """Returns where a character stands, by its place in the text, from 0."""
        if not self.where.column:
            return self.where
        if not self.runs:
            return self.where._replace(column=self.where.column + character)
        first, line, column = next(run for run in self.runs[::-1] if run[0] <= character)
        return self.where._replace(line=line, column=column + character - first)


class Scalar(NamedTuple):
    """A scalar, just as it is written: “no”, “1.0” and “~” are texts like any other."""

    text: str
    where: Where
    quoted: bool = False
    close: bool = False
    """Whether it stands right behind a comma, without a space."""
    runs: tuple[Run, ...] = ()
    """Where its parts stand, where it isn't one line just as it is written."""

    @property
    def place(self) -> TextPlace:
        """Returns where its characters stand."""
        where = self.where
        column = where.column + self.quoted if where.column else 0
        return TextPlace(where._replace(column=column), self.runs)


class Items(NamedTuple):
    """A list."""

    items: tuple[Node, ...]
    where: Where


class Map(NamedTuple):
    """A map of keys and values, in the order of the file."""

    entries: tuple[tuple[Scalar, Node], ...]
    where: Where

    def get(self, key: str) -> Node | None:
        return next((value for name, value in self.entries if name.text == key), None)

    def without(self, *keys: str) -> Map:
        """Returns the map without some keys."""
        kept = ((name, value) for name, value in self.entries if name.text not in keys)
        return Map(tuple(kept), self.where)

    def put(self, key: str, value: Node) -> Map:
        """Returns the map with another value for a key, or with the key added."""
        if self.get(key) is None:
            return Map((*self.entries, (Scalar(key, value.where), value)), self.where)
        changed = ((name, value if name.text == key else node) for name, node in self.entries)
        return Map(tuple(changed), self.where)


class Numbers(NamedTuple):
    """An array that a Python program passes: numbers that nobody wrote."""

    array: NDArray[np.float64]
    where: Where


Node = Scalar | Items | Map | Numbers


def inner(node: Node) -> Sequence[Node]:
    """Returns the entries of a list, or the values of a map."""
    if isinstance(node, Map):
        return [value for _, value in node.entries]
    return node.items if isinstance(node, Items) else ()


def as_lists(node: Node) -> Node:
    """Returns an array as lists, as if it were written; other nodes as they are."""
    return _items(node.array, node.where) if isinstance(node, Numbers) else node


def _items(array: NDArray[np.float64], where: Where) -> Items:
    if array.ndim > 1:
        return Items(tuple(_items(row, where) for row in array), where)
    numbers = (repr(number).removesuffix(".0") for number in array.tolist())
    return Items(tuple(Scalar(number, where) for number in numbers), where)


def data_of(node: Node) -> object:
    """Returns a node as plain data: maps, lists and texts; an array as a copy."""
    match node:
        case Map(entries):
            return {key.text: data_of(value) for key, value in entries}
        case Items(items):
            return [data_of(item) for item in items]
        case Numbers(array):
            return array.copy()
        case _:
            return node.text


def describe(node: Node) -> str:
    """Describes a node in a message: `the text "abc"`, `a list`."""
    if isinstance(node, Scalar):
        return f"the text {quote(node.text)}" if node.text or node.quoted else "nothing"
    if isinstance(node, Numbers):
        return f"an array of {' × '.join(map(str, node.array.shape))}"
    if isinstance(node, Map) and not node.entries:
        return "an empty map"
    return "a list" if isinstance(node, Items) else "a map of keys and values"
