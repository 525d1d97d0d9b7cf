"""Arrays with an axis for each of some indices, and for candidates one more at the end."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attncli.arithmetic.rounding import Array
from attncli.records import NamedTuple


class Laid(NamedTuple):
    """An array with an axis for each of its indices; `is_new` where nobody else has it, so that
    results may be written over it."""

    indices: str
    array: Array
    is_new: bool = True

    @property
    def many(self) -> bool:
        """Whether it has an axis of candidates, the last one."""
        return self.array.ndim > len(self.indices)

    def along(self, indices: str) -> Array:
        """The array with its axes in this order, those that it hasn't as axes of one."""
        if indices == self.indices:
            return self.array
        rest = "." * self.many
        order = [index for index in (*indices, *rest) if index in self.indices + rest]
        axes = [(self.indices + rest).index(index) for index in order]
        at = tuple(slice(None) if x in order else np.newaxis for x in (*indices, *rest))
        return np.asarray(self.array.transpose(axes)[at])


def together(function: Callable[..., Array], *parts: Laid) -> Laid:
    """A function of arrays, cell by cell; in place of the first, where that is as large."""
    indices = "".join(sorted(set("".join(part.indices for part in parts))))
    arrays = [part.along(indices) for part in parts]
    first = arrays[0]
    if parts[0].is_new and np.broadcast_shapes(*(array.shape for array in arrays)) == first.shape:
        return Laid(indices, np.asarray(function(*arrays, out=first)))
    return Laid(indices, np.asarray(function(*arrays)))


def summed(part: Laid, over: str) -> Laid:
    """An array added up over some of its indices."""
    axes = tuple(part.indices.index(index) for index in over)
    left = "".join(index for index in part.indices if index not in over)
    return Laid(left, np.asarray(part.array.sum(axis=axes)))


def contracted(a: Laid, b: Laid, over: str) -> Laid:
    """The sum of the products of two arrays over some indices."""
    left = "".join(sorted(set(a.indices + b.indices) - set(over)))
    if a.many or b.many:
        return Laid(left, _stacked(a, b, left, over))
    rows, columns = (part.indices.replace(over, "") for part in (a, b))
    if columns < rows:
        a, b, rows, columns = b, a, columns, rows
    if len(over) == 1 and rows + columns == left and max(len(rows), len(columns)) <= 1:
        return Laid(left, np.asarray(a.along(rows + over) @ b.along(over + columns)))
    spelled = f"{a.indices},{b.indices}->{left}"
    return Laid(left, np.asarray(np.einsum(spelled, a.array, b.array)))


def _stacked(a: Laid, b: Laid, left: str, over: str) -> Array:
    """The same for many candidates at once, one product after the other: their axis is the long
    one."""
    x, y = a.along(over + left), b.along(over + left)
    counts = np.broadcast_shapes(x.shape[: len(over)], y.shape[: len(over)])
    x, y = (np.broadcast_to(one, (*counts, *one.shape[len(over) :])) for one in (x, y))
    places = list(np.ndindex(*counts))
    total = x[places[0]] * y[places[0]]
    for place in places[1:]:
        total += x[place] * y[place]
    return np.asarray(total)
