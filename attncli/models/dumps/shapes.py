"""Tensors taken apart by their shapes: heads, what stands side by side, lists as matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attncli.maths.numbers.rounding import Array


def of_each(each: Array, count: int) -> list[Array]:
    """Returns what each of `count` heads has, where some may share it."""
    return [each[head * len(each) // count] for head in range(count)]


def distance(parts: Sequence[Array], ours: Sequence[Array]) -> float:
    """Adds up how far numbers are from others, where both are finite."""
    with np.errstate(invalid="ignore"):
        return float(
            np.nansum([np.nansum(np.abs(a - b)) for a, b in zip(parts, ours, strict=True)])
        )


def side_by_side(
    values: Array, shapes: list[tuple[int, int]], blocks: tuple[int, ...]
) -> list[Array] | None:
    """Cuts a tensor into the matrices that stand side by side in it, in the order of `blocks`,
    which says at which place each stands. Blocks of one number are one matrix. Returns None where
    the tensor hasn't their width."""
    widths = {block: m for block, (_, m) in zip(blocks, shapes, strict=True)}
    whole = as_matrix(values, (shapes[0][0], sum(widths.values())))
    if whole is None:
        return None
    ends = np.cumsum([widths[block] for block in sorted(widths)])[:-1]
    each = np.split(whole, ends, axis=1)
    return [each[block] for block in blocks]


def as_matrix(values: Array, shape: tuple[int, int]) -> Array | None:
    """Returns a tensor as a matrix of a shape, without a batch of one, a list as a row or a column.
    Returns None where it doesn't fit."""
    while values.ndim > 2 and 1 in values.shape:  # noqa: PLR2004
        values = values.squeeze(values.shape.index(1))
    if values.shape == shape:
        return values
    long = sorted(extent for extent in values.shape if extent != 1)
    is_list = 1 in shape and long == sorted(extent for extent in shape if extent != 1)
    return values.reshape(shape) if is_list else None


def heads_apart(values: Array, shapes: list[tuple[int, int]]) -> Array | None:
    """Brings [h, n, d], [n, h, d] or [n, h·d] to [h, n, d], a matrix for each head or for each
    group of heads. Returns None for any other shape."""
    count, (n, d) = len(shapes), shapes[0]
    if any(shape != (n, d) for shape in shapes):
        return None
    while values.ndim > 3 and values.shape[0] == 1:  # noqa: PLR2004
        values = values[0]
    is_batch = n > 1 or values.shape[1:2] == (1,)  # [1, h, d] are the heads of one row
    if values.ndim == 3 and values.shape[0] == 1 and count > 1 and is_batch:  # noqa: PLR2004
        values = values[0]
    if values.ndim == 2 and values.shape[0] == n and values.shape[1] % d == 0:  # noqa: PLR2004
        values = values.reshape(n, -1, d)
        if values.shape[1] not in (count, 1):
            return None
        values = values.transpose(1, 0, 2)
    elif values.ndim == 3 and values.shape[1:] != (n, d):  # noqa: PLR2004
        values = values.transpose(1, 0, 2)
    if values.ndim != 3 or values.shape[1:] != (n, d) or count % len(values):  # noqa: PLR2004
        return None
    return values
