"""Gathers the matrices of a scenario by their full names, whatever they come from."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from attncli.errors import Where
from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers.rounding import Array, Rounding, Unworkable
from attncli.names import TOP, Name, below
from attncli.pipeline.texts import stacked
from attncli.scenario.file.keys import KeyValues
from attncli.scenario.file.matrices import MatrixLike, NamedRows, Row
from attncli.scenario.file.nodes import Items, Map, Numbers
from attncli.scenario.file.problems import Diagnostics, NamedProblems
from attncli.scenario.file.sources import MOST_NUMBERS, FileSource, RandomSource
from attncli.scenario.model import ENCODER, entry_path
from attncli.scenario.scenario import Scenario


def by_names(
    given: Map | KeyValues, whole: Collection[str] = (), path: Name = TOP, place: str = ""
) -> Iterator[tuple[Name, str, Any]]:
    """Yields all that a node of a file says, or that was read of one, by full names and by its keys
    as `--set` takes them.

    The values of the keys in `whole` aren't looked into; of lists the maps are.
    """
    yield path, place, given
    pairs = {key.text: node for key, node in given.entries} if isinstance(given, Map) else given
    for key, value in pairs.items():
        name, at = below(path, key), f"{place}.{key}" if place else key
        if isinstance(value, Map | dict) and key not in whole:
            yield from by_names(value, whole, name, at)
            continue
        yield name, at, value
        items = value.items if isinstance(value, Items) else value if type(value) is tuple else ()
        for k, data in enumerate(items):
            if isinstance(data, Map | dict):
                inside = entry_path(path, key, k, len(items))
                yield from by_names(data, whole, inside, f"{at}[{k + 1}]")


def places(node: Map) -> dict[str, Where]:
    """Returns where the values of a file stand, by their full names: of one that is there twice,
    the first."""
    found: dict[str, Where] = {}
    for name, _, value in by_names(node):
        found.setdefault(name, value.where)
    return found


def matrices_in(values: KeyValues) -> dict[Name, MatrixLike]:
    """Returns every matrix among the values read, by its full name; tables of embeddings by token
    are not among them."""
    return {
        name: data
        for name, _, value in by_names(values, whole=("embeddings", "vocabulary"))
        for data in (value if type(value) is tuple else (value,))
        if isinstance(data, MatrixLike)
    }


class Gathered(NamedTuple):
    """The matrices of a scenario."""

    given: dict[Name, Matrix]
    """Those that are there."""
    random: dict[Name, RandomSource]
    """Those that are yet to be drawn."""
    sources: dict[str, str]
    """Where they come from, if nobody wrote them."""
    row_names: dict[str, tuple[str, ...]]
    """What their rows are called."""
    vectors: set[Name]
    """The names of those that are a single row without a name."""

    def read(self, *, stored: bool) -> int:
        """Counts the numbers that came from files, with those that stay there where `stored`."""
        read = (matrix for name, matrix in self.given.items() if name in self.sources)
        return sum(matrix.size for matrix in read if stored or not matrix.is_stored)


class Gatherer(NamedTuple):
    """A maker of matrices of what was read."""

    rounding: Rounding
    folder: Path | None
    outside: bool
    in_place: bool
    most: int
    complaints: NamedProblems

    def gather(self, values: KeyValues) -> Gathered:
        """Returns everything that the values of a scenario hold."""
        gathered = Gathered({}, {}, {}, {}, set())
        for name, value in matrices_in(values).items():
            self.put(gathered, name, value)
        for path, stack in ((TOP, values), (ENCODER, values.get("encoder", {}))):
            table = stack.get("embeddings")
            if isinstance(table, dict):
                self._put_table(gathered, below(path, "embeddings"), table)
        return gathered

    def put(self, gathered: Gathered, name: Name, value: MatrixLike) -> None:
        """Adds a matrix to those that were gathered."""
        if isinstance(value, Row):
            gathered.vectors.add(name)
            value = value.matrix
        if isinstance(value, RandomSource):
            gathered.random[name] = value
            gathered.sources[name] = value.description() + self._rounded()
            return
        if isinstance(value, FileSource):
            gathered.sources[name] = value.description() + self._rounded()
        if isinstance(value, NamedRows):
            gathered.row_names[name] = value.names
        left = self.most
        if isinstance(value, FileSource):
            left -= gathered.read(stored=self.most < MOST_NUMBERS)
        matrix = self._matrix(name, value, left)
        if matrix is not None:
            gathered.given[name] = matrix

    def _rounded(self) -> str:
        """Says of numbers that nobody wrote that they are rounded, if they are."""
        decimals = self.rounding.decimals
        return f"; rounded to {decimals} decimals" if self.rounding.carries else ""

    def _matrix(self, name: str, value: MatrixLike, most: int) -> Matrix | None:
        match value:
            case NamedRows(_, matrix):
                return matrix
            case Matrix():
                return value
            case Numbers(array, where):
                return self._of_array(array, where)
            case FileSource():
                return self._of_file(value, most)
            case _:
                raise TypeError(f"{name}: {type(value).__name__} is no matrix")

    def _of_file(self, source: FileSource, most: int) -> Matrix | None:
        from attncli.maths.equations.stored_matrix import Kept, Stored
        from attncli.scenario.file import array_files

        reading = array_files.read_in_place if self.in_place else array_files.read
        read = reading(source, self.folder, self.outside, self.complaints.problems, most)
        if isinstance(read, Kept):
            return Stored(read, self.rounding.decimals)
        return None if read is None else self._of_array(read, source.where)

    def _put_table(self, gathered: Gathered, name: Name, table: Mapping[str, MatrixLike]) -> None:
        rows = {token: self._matrix(name, row, self.most) for token, row in table.items()}
        whole = {token: row for token, row in rows.items() if row is not None}
        if len(whole) == len(rows):
            matrix = stacked(whole, name, self.complaints)
            if matrix is not None:
                gathered.given[name] = matrix

    def _of_array(self, array: Array, where: Where) -> Matrix | None:
        return of_array(array, self.rounding, where, self.complaints.problems)


def of_array(
    array: Array, rounding: Rounding, where: Where, problems: Diagnostics
) -> Matrix | None:
    """Makes the matrix of numbers that nobody wrote; returns None where something is wrong with
    them, which goes to `problems`."""
    try:
        return Matrix.of_array(np.atleast_2d(array), rounding.decimals, carry=rounding.carries)
    except Unworkable as trouble:
        problems.add(where, trouble.what, f"{trouble.instead} would do")
        return None


def with_drawn(scenario: Scenario, problems: Diagnostics) -> Scenario:
    """Returns the scenario with its random matrices drawn."""
    drawn = {name: _drawn(scenario, name, problems) for name in scenario.given.random}
    given = {name: matrix for name, matrix in drawn.items() if matrix is not None}
    scenario = scenario.with_matrices(given)
    return replace(scenario, given=replace(scenario.given, random={}))


def _drawn(scenario: Scenario, name: Name, problems: Diagnostics) -> Matrix | None:
    """Draws a random matrix of the shape that follows from the rest; returns None where none
    follows or it would be too large."""
    source = scenario.given.random[name]
    rows, columns = source.shape or scenario.plan.shapes[name]
    if rows is None or columns is None:
        if not problems.found:
            problems.add(
                source.where, f"the shape of {name} doesn't follow from the rest",
                "say it, like shape: [4, 4], or the sizes, like d_model: 4",
            )  # fmt: skip
        return None
    if rows * columns > MOST_NUMBERS:
        wrong = f"{name} would have {rows} × {columns} numbers"
        problems.add(source.where, wrong, f"at most {MOST_NUMBERS} can be drawn")
        return None
    drawn = source.draw((rows, columns))
    return of_array(drawn, scenario.rounding, source.where, problems)
