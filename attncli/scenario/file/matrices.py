"""Kinds of matrices: rows inline, rows with names, tables of true and false, other sources."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from attncli.errors import counted
from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers import decimals
from attncli.scenario.file.keys import ListOf, MapOf, NumberKind, Schema, has_decimal_commas
from attncli.scenario.file.nodes import Items, Map, Node, Numbers, Scalar, as_lists, describe
from attncli.scenario.file.problems import Diagnostics
from attncli.scenario.file.sources import FileSource, RandomSource, SourceKind, is_source

_INFINITE = Decimal("-Infinity")
_MINUS_INFINITY = ("-inf", "-.inf", "-∞")
_QUOTED_INFINITY = {"type": "string", "pattern": rf"^[{decimals.MINUS[1:]}-](\.?inf|∞)$"}
_ONES = r"(?P<one>[Tt]rue|1(\.0*)?)|[Ff]alse|0(\.0*)?"


class NamedRows(NamedTuple):
    """A matrix whose rows have names."""

    names: tuple[str, ...]
    matrix: Matrix


class Row(NamedTuple):
    """A matrix [1, n] whose one row has no name: a bias, γ or β."""

    matrix: Matrix | Numbers | RandomSource | FileSource


MatrixLike = Matrix | Numbers | NamedRows | Row | RandomSource | FileSource


class EntryKind(NamedTuple):
    """A number of a matrix."""

    infinite: bool = False
    """Whether -inf is allowed."""
    truth: bool = False
    """Whether true and false are read, as 1 and 0."""

    def read(self, node: Node, problems: Diagnostics) -> Decimal | None:
        text = decimals.with_plain_signs(node.text) if isinstance(node, Scalar) else ""
        if text in _MINUS_INFINITY and not self.truth:
            return self._infinity(node, problems)
        if not self.truth:
            return NumberKind().read(node, problems)
        if isinstance(node, Scalar) and (known := re.fullmatch(_ONES, node.text)):
            return Decimal(bool(known["one"]))
        wrong = f"{describe(node)} is neither true nor false"
        problems.add(node.where, wrong, "give true or false, or 1 or 0")
        return None

    def _infinity(self, node: Node, problems: Diagnostics) -> Decimal | None:
        if self.infinite:
            return _INFINITE
        wrong = f"{describe(node)} is not a finite number"
        problems.add(node.where, wrong, "hide what isn't to be seen by a mask, like mask: [[1, 0]]")
        return None

    def schema(self) -> Schema:
        if self.infinite:
            return {"anyOf": [NumberKind().schema(), {"enum": ["-inf"]}, _QUOTED_INFINITY]}
        if self.truth:
            quoted = {"type": "string", "pattern": f"^({_ONES.replace('?P<one>', '')})$"}
            return {"anyOf": [{"enum": [True, False, 0, 1]}, quoted]}
        return NumberKind().schema()


class VectorKind(NamedTuple):
    """A row of numbers, read as a matrix [1, n]."""

    entry: EntryKind = EntryKind()
    inline: bool = False
    """Whether the numbers have to be written out."""

    def read(self, node: Node, problems: Diagnostics) -> MatrixLike | None:
        read = self._read(node, problems)
        return read if self.inline or read is None else Row(read)

    def _read(
        self, node: Node, problems: Diagnostics
    ) -> Matrix | Numbers | RandomSource | FileSource | None:
        if isinstance(node, Numbers):
            node = _without_side(node)
            return node if _is_array(node, 1, problems) else None
        if is_source(node) and not self.inline:
            return SourceKind(1).read(node, problems)
        row = self.read_row(node, problems)
        return Matrix.of_written([row]) if row else None

    def read_row(self, node: Node, problems: Diagnostics) -> list[Decimal] | None:
        """Reads the numbers of one row. Returns None where some aren't numbers."""
        node = as_lists(node)
        if not isinstance(node, Items) or not node.items:
            wrong = "this row is empty" if isinstance(node, Items) else describe(node)
            right = "give a list of numbers, like [1, 0]"
            problems.add(node.where, f"{wrong}, where a row of numbers belongs", right)
            return None
        if has_decimal_commas(node, problems):
            return None
        numbers = [self.entry.read(item, problems) for item in node.items]
        whole = [number for number in numbers if number is not None]
        return whole if len(whole) == len(numbers) else None

    def schema(self) -> Schema:
        return {"anyOf": [ListOf(self.entry).schema(), SourceKind(1).schema()]}


class MatrixKind(NamedTuple):
    """Rows of numbers, all of one length."""

    named: bool = False
    """Whether a map from names to rows is allowed as well."""
    infinite: bool = False
    truth: bool = False

    def read(self, node: Node, problems: Diagnostics) -> MatrixLike | None:
        if isinstance(node, Numbers):
            return node if _is_array(node, 2, problems, self) else None
        if is_source(node):
            return SourceKind(2).read(node, problems)
        if self.named and isinstance(node, Map) and node.entries:
            matrix = self._of_rows([value for _, value in node.entries], problems)
            names = tuple(key.text for key, _ in node.entries)
            return None if matrix is None else NamedRows(names, matrix)
        if not isinstance(node, Items) or not node.items:
            right = "give a list of rows, like [[1, 0], [0, 1]]"
            wrong = "this matrix is empty" if isinstance(node, Items) else describe(node)
            problems.add(node.where, f"{wrong}, where a matrix belongs", right)
            return None
        return self._of_rows(node.items, problems)

    def _of_rows(self, nodes: Sequence[Node], problems: Diagnostics) -> Matrix | None:
        vector = VectorKind(EntryKind(self.infinite, self.truth))
        rows = [vector.read_row(node, problems) for node in nodes]
        return _matrix_of_rows(rows, nodes, problems)

    def schema(self) -> Schema:
        row = ListOf(EntryKind(self.infinite, self.truth))
        named = (MapOf(row, "name"),) if self.named else ()
        return {"anyOf": [kind.schema() for kind in (ListOf(row), SourceKind(2), *named)]}


MATRIX = MatrixKind()
NAMED = MatrixKind(named=True)
TRUTH_TABLE = MatrixKind(truth=True)
"""Rows of true and false, or 1 and 0."""
VECTOR = VectorKind()


def _is_array(
    node: Numbers, wanted: int, problems: Diagnostics, kind: MatrixKind | None = None
) -> bool:
    """Tells whether an array has the dimensions wanted and only numbers of its kind, and reports
    what is wrong."""
    array = node.array
    fits = abs(array) < float(decimals.LARGEST)
    if kind is not None and kind.infinite:
        fits |= np.isneginf(array)
    truth = kind is not None and kind.truth
    if truth:
        fits &= (array == 0) | (array == 1)
    if array.ndim == wanted and array.size and bool(fits.all()):
        return True
    what = "one row" if wanted == 1 else "rows and columns"
    numbers = "0 and 1" if truth else "finite numbers, none beyond 1e300"
    wrong = describe(node)
    if not fits.all():
        place = ", ".join(str(k + 1) for k in np.argwhere(~fits)[0])
        wrong = f"{wrong}, whose number [{place}] is {array[~fits][0]:.6g}"
    problems.add(node.where, wrong, f"give an array of {what} of {numbers}")
    return False


def _without_side(node: Numbers) -> Numbers:
    """Returns a matrix of one row as a row; other arrays as they are."""
    is_row = node.array.ndim == 2 and len(node.array) == 1  # noqa: PLR2004
    return node._replace(array=node.array[0]) if is_row else node


def _matrix_of_rows(
    rows: Sequence[list[Decimal] | None], nodes: Sequence[Node], problems: Diagnostics
) -> Matrix | None:
    read = [row for row in rows if row is not None]
    ragged = False
    for row, node in zip(rows, nodes, strict=True):
        if row is not None and len(row) != len(read[0]):
            ragged = True
            text = counted(len(row), "number")
            wrong = f"this row has {text}, the rows above {len(read[0])}"
            problems.add(node.where, wrong, "give every row the same length")
    return None if ragged or len(read) < len(rows) else Matrix.of_written(read)
