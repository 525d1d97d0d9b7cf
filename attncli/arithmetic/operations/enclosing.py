"""Between which numbers the result of an operation lies, where those of its operands are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure, enclosed, enclosed_number, times
from attncli.arithmetic.expression import Expression, Number
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Operation, ZeroOne
from attncli.arithmetic.operations.exponential import Exponential
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.moved import Moved
from attncli.arithmetic.operations.rotary import Rotate
from attncli.arithmetic.rounding import Array


def enclosing(
    operation: Operation, numbers: Sequence[Matrix], operands: Sequence[Enclosure]
) -> Enclosure:
    """Between which numbers each cell of a result lies; `numbers` are some of the operands' own,
    by which is decided what is chosen, such as the row's maximum."""
    match operation:
        case Exponential():
            return exponential_of(operation, numbers[0].values, operands[0])
        case Indexed():
            return enclosed(operation.tree, operation.sides, operands)
        case Moved():
            return Enclosure(*(operation.arranged(*end) for end in zip(*operands, strict=True)))
        case ZeroOne():
            return Enclosure.of(operation.values(*numbers))
        case Rotate():
            return _rotated(operation, *operands)
    return _cell_by_cell(operation, numbers, operands)


def goes_over_many(operation: Operation) -> bool:
    """Whether nothing is chosen by numbers, so that operands may be those of many candidates."""
    return isinstance(operation, Indexed | Moved | Rotate) and not isinstance(
        operation, Exponential
    )


@np.errstate(all="ignore")
def exponential_of(operation: Exponential, numbers: Array, scores: Enclosure) -> Enclosure:
    """The row's maximum is subtracted in full, or as it was rounded, which goes for the maximum
    itself too: its exponential is 1. [n, m], or [n, m, b] of many candidates"""
    axis = len(operation.sides.indices) - 1
    shifted = operation.shifted(numbers)
    if not shifted.any():
        return Enclosure(np.exp(scores.low), np.exp(scores.high))
    at = np.expand_dims(numbers.argmax(axis=axis), axis)
    tops = (np.where(shifted, np.take_along_axis(end, at, axis), 0.0) for end in scores)
    low, high = tops
    made = Enclosure(np.exp(scores.low - high), np.exp(scores.high - low))
    ones = np.where(shifted, 1.0, np.exp(np.take_along_axis(scores.low, at, axis)))
    top_high = np.where(shifted, 1.0, np.exp(np.take_along_axis(scores.high, at, axis)))
    np.put_along_axis(made.low, at, ones, axis)
    np.put_along_axis(made.high, at, top_high, axis)
    return made


def _rotated(operation: Rotate, x: Enclosure, cosine: Enclosure, sine: Enclosure) -> Enclosure:
    """Each pair of columns turned: first cos − second sin, first sin + second cos."""
    if operation.back:
        sine = Enclosure(-sine.high, -sine.low)
    made = Enclosure(x.low.copy(), x.high.copy())
    one, two = operation.columns(2 * cosine.low.shape[1])
    first, second = (Enclosure(x.low[:, at], x.high[:, at]) for at in (one, two))
    turned, taken = times(first, cosine), times(second, sine)
    made.low[:, one], made.high[:, one] = turned.low - taken.high, turned.high - taken.low
    turned, taken = times(first, sine), times(second, cosine)
    made.low[:, two], made.high[:, two] = turned.low + taken.low, turned.high + taken.high
    return made


def _cell_by_cell(
    operation: Operation, numbers: Sequence[Matrix], operands: Sequence[Enclosure]
) -> Enclosure:
    named = [matrix.named(str(place)) for place, matrix in enumerate(numbers)]

    def leaf(node: Expression) -> Enclosure | None:
        if not isinstance(node, Number) or node.cell is None or not node.cell.quantity:
            return None
        name, i, j = node.cell
        return Enclosure(*(end[i : i + 1, j : j + 1] for end in operands[int(name)]))

    values = operation.values(*numbers)
    made = Enclosure(values.copy(), values.copy())
    for i, j in np.ndindex(*values.shape):
        form = operation.first_form(i, j, *named)
        for end, one in zip(made, enclosed_number(form, leaf), strict=True):
            end[i, j] = one.item()
    return made
