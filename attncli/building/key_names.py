"""What the rows of an attention's inputs are called: those of its keys, by which its mask names
them, and those of its queries, which go on to the next layer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from attncli.arithmetic.matrix import Matrix
from attncli.name import Name, below

Called = tuple[str, ...]

_KEYS = (("K", 0), ("scores", 1), ("scaled", 1), ("weights", 1))
_QUERIES = (("Q", 0), ("scores", 0), ("scaled", 0), ("weights", 0), ("output", 0))
"""What has a row (0) or a column (1) for each of them."""


class Names(NamedTuple):
    """The given matrices of a scenario, and what their rows are called where they have names."""

    given: Mapping[Name, Matrix]
    rows: Mapping[str, Called]

    def of_rows(self, name: Name, others: Called) -> Called:
        """What the rows of a matrix are called, if it is given: as the file has it, else like
        `others`, else by their positions. If it isn't given, `others`."""
        return self._along(name, 0, others)

    def of_keys(self, paths: Iterable[Name], others: Called) -> Called:
        """What the keys of an attention are called, which is at a path and has heads at others."""
        return self._of_any(paths, _KEYS, others)

    def of_queries(self, paths: Iterable[Name], others: Called) -> Called:
        return self._of_any(paths, _QUERIES, others)

    def _of_any(
        self, paths: Iterable[Name], sides: Iterable[tuple[str, int]], others: Called
    ) -> Called:
        for path in paths:
            for local, side in sides:
                others = self._along(below(path, local), side, others)
        return others

    def _along(self, name: Name, side: int, others: Called) -> Called:
        matrix = self.given.get(name)
        if matrix is None:
            return others
        own = self.rows.get(name, ()) if side == 0 else ()
        return own or others or tuple(map(str, range(1, matrix.shape[side] + 1)))
