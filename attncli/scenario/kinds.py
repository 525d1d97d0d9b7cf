"""Kinds of values: each reads a node, says all that is wrong with it, and gives its JSON Schema.

A scenario's declaration (`declaration.SCENARIO`) is made of these, so that validation, schema
and documentation come of one text. A schema library would do half of it: figures must stay
as they are written, `no` must stay a token, and every message needs its line and column.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, Protocol, TypeVar

from attncli.arithmetic import decimals
from attncli.arithmetic.matrix import Matrix
from attncli.scenario.nodes import Figures, Items, Map, Node, Text, describe, quote
from attncli.scenario.problems import Problems, nearest

Schema = dict[str, Any]
T_co = TypeVar("T_co", covariant=True)


class Kind(Protocol[T_co]):
    """A kind of value. `read` gives None where it has said what is wrong."""

    def read(self, node: Node, problems: Problems) -> T_co | None: ...

    def schema(self) -> Schema: ...


class TextKind(NamedTuple):
    """Any text that isn't empty."""

    what: str = "a text"

    def read(self, node: Node, problems: Problems) -> str | None:
        if isinstance(node, Text) and node.text.strip():
            return node.text
        wrong = "is empty" if isinstance(node, Text) else f"is {describe(node)}"
        problems.add(node.where, f"{self.what} is wanted here, and this {wrong}", "write a text")
        return None

    def schema(self) -> Schema:
        # a sentence such as `1` or `no` is a text here, whatever YAML makes of it
        return {"type": ["string", "number", "boolean", "null"]}


class Choice(NamedTuple):
    """One of a few words."""

    words: tuple[str, ...]

    def read(self, node: Node, problems: Problems) -> str | None:
        if isinstance(node, Text) and node.text in self.words:
            return node.text
        known = f"known: {', '.join(self.words)}"
        right = nearest(node.text, self.words) if isinstance(node, Text) and node.text else known
        problems.add(node.where, f"{describe(node)} is not a choice here", right)
        return None

    def schema(self) -> Schema:
        return {"enum": list(self.words)}


class WholeNumber(NamedTuple):
    """A whole number from `least` to `most`."""

    least: int
    most: int

    def read(self, node: Node, problems: Problems) -> int | None:
        digits = isinstance(node, Text) and node.text.removeprefix("-")
        if isinstance(node, Text) and digits and digits.isascii() and digits.isdigit():
            number = int(node.text) if len(digits) < decimals.SIGNIFICANT else self.most + 1
            if self.least <= number <= self.most:
                return number
        wanted = f"a whole number from {self.least} to {self.most}"
        problems.add(node.where, f"{describe(node)} is not {wanted}", "give one in that range")
        return None

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


class NumberKind(NamedTuple):
    """A number, kept as it is written."""

    positive: bool = False

    def read(self, node: Node, problems: Problems) -> Decimal | None:
        if not isinstance(node, Text):
            problems.add(node.where, f"{describe(node)} where a number belongs", "give a number")
            return None
        try:
            number = decimals.parse(node.text)
        except ValueError as error:
            problems.add(node.where, f"{describe(node)} {error}", "give a number such as 0.5 or -2")
            return None
        if self.positive and number <= 0:
            problems.add(node.where, f"{node.text} is not above zero", "give a number above zero")
            return None
        return number

    def schema(self) -> Schema:
        return {"type": "number", "exclusiveMinimum": 0} if self.positive else {"type": "number"}


_NUMBER = NumberKind()


class Vector(NamedTuple):
    """A row of numbers: a matrix [1, n]."""

    def read(self, node: Node, problems: Problems) -> Matrix | Figures | None:
        if isinstance(node, Figures):
            return node if _has_dimensions(node, 1, problems) else None
        row = read_row(node, problems)
        return Matrix.of_written([row]) if row else None

    def schema(self) -> Schema:
        return {"type": "array", "items": {"type": "number"}, "minItems": 1}


class MatrixKind(NamedTuple):
    """Rows of numbers, all of one length."""

    def read(self, node: Node, problems: Problems) -> Matrix | Figures | None:
        if isinstance(node, Figures):
            return node if _has_dimensions(node, 2, problems) else None
        if not isinstance(node, Items) or not node.items:
            right = "give a list of rows, like [[1, 0], [0, 1]]"
            wrong = "this matrix is empty" if isinstance(node, Items) else describe(node)
            problems.add(node.where, f"{wrong}, where a matrix belongs", right)
            return None
        rows = [read_row(item, problems) for item in node.items]
        return _matrix_of_rows(rows, node.items, problems)

    def schema(self) -> Schema:
        return {"type": "array", "items": Vector().schema(), "minItems": 1}


def _has_dimensions(node: Figures, wanted: int, problems: Problems) -> bool:
    array = node.array
    if array.ndim == wanted and array.size and bool((abs(array) < float(decimals.LARGEST)).all()):
        return True
    what = "one row" if wanted == 1 else "rows and columns"
    problems.add(node.where, describe(node), f"give an array of {what} of finite numbers")
    return False


def read_row(node: Node, problems: Problems) -> list[Decimal] | None:
    """The numbers of one row; None where some aren't numbers."""
    if not isinstance(node, Items) or not node.items:
        wrong = "this row is empty" if isinstance(node, Items) else describe(node)
        right = "give a list of numbers, like [1, 0]"
        problems.add(node.where, f"{wrong}, where a row of numbers belongs", right)
        return None
    numbers = [_NUMBER.read(item, problems) for item in node.items]
    whole = [number for number in numbers if number is not None]
    return whole if len(whole) == len(numbers) else None


def _matrix_of_rows(
    rows: Sequence[list[Decimal] | None], nodes: Sequence[Node], problems: Problems
) -> Matrix | None:
    read = [row for row in rows if row is not None]
    ragged = False
    for row, node in zip(rows, nodes, strict=True):
        if row is not None and len(row) != len(read[0]):
            ragged = True
            wrong = f"this row has {_count(len(row), 'number')}, the rows above {len(read[0])}"
            problems.add(node.where, wrong, "give every row the same length")
    return None if ragged or len(read) < len(rows) else Matrix.of_written(read)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class MapOf(NamedTuple):
    """A map from any text to one kind; `what` names its keys."""

    kind: Kind[Any]
    what: str

    def read(self, node: Node, problems: Problems) -> dict[str, Any] | None:
        if not isinstance(node, Map) or not node.entries:
            right = f"give a map from {self.what} to value, like {{love: …}}"
            problems.add(node.where, f"{describe(node)} where a map belongs", right)
            return None
        values = {}
        for key, value in node.entries:
            if not key.text:
                problems.add(key.where, f"an empty {self.what}", "give it a name, or take it out")
            values[key.text] = self.kind.read(value, problems)
        return None if any(value is None for value in values.values()) else values

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": self.kind.schema(), "minProperties": 1}


class ListOf(NamedTuple):
    """A list of one kind, with something in it."""

    kind: Kind[Any]

    def read(self, node: Node, problems: Problems) -> tuple[Any, ...] | None:
        if not isinstance(node, Items) or not node.items:
            problems.add(node.where, f"{describe(node)} where a list belongs", "give a list")
            return None
        values = tuple(self.kind.read(item, problems) for item in node.items)
        return None if any(value is None for value in values) else values

    def schema(self) -> Schema:
        return {"type": "array", "items": self.kind.schema(), "minItems": 1}


class Either(NamedTuple):
    """One of several kinds; `choose` tells from the node which one is meant."""

    choose: Callable[[Node], Kind[Any]]
    kinds: tuple[Kind[Any], ...]

    def read(self, node: Node, problems: Problems) -> Any:  # noqa: ANN401
        return self.choose(node).read(node, problems)

    def schema(self) -> Schema:
        return {"anyOf": [kind.schema() for kind in self.kinds]}


class Key(NamedTuple):
    """A key of a record: its name, the kind of its value, and what to say of it."""

    name: str
    kind: Kind[Any]
    says: str


class Record(NamedTuple):
    """A map with known keys, none of which has to be there."""

    keys: tuple[Key, ...]

    def read(self, node: Node, problems: Problems) -> dict[str, Any] | None:
        if not isinstance(node, Map):
            right = f"give some of the keys {', '.join(key.name for key in self.keys)}"
            problems.add(node.where, f"{describe(node)} where a map belongs", right)
            return None
        known: Mapping[str, Key] = {key.name: key for key in self.keys}
        values = {}
        for name, value in node.entries:
            if name.text in known:
                values[name.text] = known[name.text].kind.read(value, problems)
            else:
                wrong = f"unknown key {quote(name.text)}"
                problems.add(name.where, wrong, nearest(name.text, known))
        return {name: value for name, value in values.items() if value is not None}

    def schema(self) -> Schema:
        properties = {key.name: {"description": key.says, **key.kind.schema()} for key in self.keys}
        return {"type": "object", "properties": properties, "additionalProperties": False}
