"""Arrays with an axis for each of some indices, and for candidates one more at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from attncli.arithmetic.rounding import Array

Work = Callable[[Sequence[Array]], Array]
"""What makes an array of an equation's operands."""


class Laid(NamedTuple):
    """What makes an array with an axis for each of its indices; `is_new` where nobody else has the
    array, so that results may be written over it."""

    indices: str
    work: Work
    is_new: bool = True

    def along(self, wanted: str) -> Work:
        """The same with its axes in this order, those that it hasn't as axes of one."""
        if wanted == self.indices:
            return self.work
        turned, work = turning(self.indices, wanted), self.work
        return lambda operands: turned(work(operands))


def turning(indices: str, wanted: str) -> Callable[[Array], Array]:
    """What puts the axes of an array in another order; what isn't there is an axis of one, the
    axis of candidates stays the last."""
    if wanted == indices:
        return np.asarray
    order = [indices.index(index) for index in wanted if index in indices]
    at = tuple(slice(None) if index in indices else np.newaxis for index in wanted)

    def turned(array: Array) -> Array:
        return np.asarray(array.transpose(*order, *range(len(order), array.ndim))[at])

    return turned


def together(function: Callable[..., Array], *parts: Laid) -> Laid:
    """A function of arrays, cell by cell; in place of the first that nobody else has and that is
    as large as the result: memory that was just written costs less than new one."""
    indices = "".join(sorted(set("".join(part.indices for part in parts))))
    works = [part.along(indices) for part in parts]
    free = next((k for k, x in enumerate(parts) if x.is_new and x.indices == indices), None)

    def work(operands: Sequence[Array]) -> Array:
        arrays = [one(operands) for one in works]
        if free is None:
            return np.asarray(function(*arrays))
        place = arrays[free]
        # all are as long along an index; candidates may be many or, of what is fixed, one
        if all(array.shape[-1:] <= place.shape[-1:] for array in arrays):
            return np.asarray(function(*arrays, out=place))
        return np.asarray(function(*arrays))

    return Laid(indices, work)


def summed(part: Laid, over: str) -> Laid:
    """An array added up over some of its indices."""
    axes = tuple(part.indices.index(index) for index in over)
    left = "".join(index for index in part.indices if index not in over)
    return Laid(left, lambda operands: np.asarray(part.work(operands).sum(axis=axes)))


def contracted(a: Laid, b: Laid, over: str) -> Laid:
    """The sum of the products of two arrays over some indices."""
    left = "".join(sorted(set(a.indices + b.indices) - set(over)))
    multiplied = _multiplied(a.indices, b.indices, over, left)
    x_stacked, y_stacked = (turning(one.indices, over + left) for one in (a, b))

    def work(operands: Sequence[Array]) -> Array:
        x = a.work(operands)
        y = x if b is a else b.work(operands)
        if x.ndim > len(a.indices):
            return _stacked(x_stacked(x), y_stacked(y), len(over))
        return multiplied(x, y)

    return Laid(left, work)


def _multiplied(a: str, b: str, over: str, left: str) -> Callable[[Array, Array], Array]:
    """The sum of products as NumPy is quickest at it: of matrices, or else as Einstein wrote it."""
    rows, columns = (indices.replace(over, "") for indices in (a, b))
    if columns < rows:
        swapped = _multiplied(b, a, over, left)
        return lambda x, y: swapped(y, x)
    if len(over) == 1 and rows + columns == left and max(len(rows), len(columns)) <= 1:
        x_turned, y_turned = turning(a, rows + over), turning(b, over + columns)
        return lambda x, y: np.asarray(x_turned(x) @ y_turned(y))
    spelled = f"{a},{b}->{left}"
    return lambda x, y: np.asarray(np.einsum(spelled, x, y))


def _stacked(x: Array, y: Array, depth: int) -> Array:
    """The sum over the first axes, so many, of the products of two arrays of many candidates; one
    product after the other, since the axis of candidates is the long one."""
    counts = np.broadcast_shapes(x.shape[:depth], y.shape[:depth])
    x, y = (np.broadcast_to(one, (*counts, *one.shape[depth:])) for one in (x, y))
    places = list(np.ndindex(*counts))
    total = x[places[0]] * y[places[0]]
    for place in places[1:]:
        total += x[place] * y[place]
    return np.asarray(total)
