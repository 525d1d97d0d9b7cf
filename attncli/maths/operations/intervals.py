"""Between which numbers the result of an operation lies, where those of its operands are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attncli.maths.equations.enclosures import (
    EXACT,
    Enclosure,
    Roundoffs,
    enclosed_number,
    size_of,
)
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Expression, Number
from attncli.maths.numbers.rounding import Array
from attncli.maths.operations.operation import Operation, ZeroOne
from attncli.maths.operations.rearranging import Moved
from attncli.maths.operations.softmax import Exponential


def enclosing(
    operation: Operation,
    numbers: Sequence[Matrix],
    operands: Sequence[Enclosure],
    rounded: Roundoffs = EXACT,
) -> Enclosure:
    """Encloses each cell of a result, of operands in these enclosures, with what is made on the
    way, and the result, `rounded`.

    `numbers` are some numbers of the operands, by which is decided what is chosen, such as the
    row's maximum.
    """
    match operation:
        case Exponential():
            return exponential_of(operation, numbers[0].values, operands[0], rounded)
        case Moved():
            return Enclosure(*(operation.arranged(*end) for end in zip(*operands, strict=True)))
        case ZeroOne():
            return Enclosure.of(operation.values(*numbers))
    made = operation.enclosed(operands, rounded)
    return made or _cell_by_cell(operation, numbers, operands, rounded)


def goes_over_many(operation: Operation) -> bool:
    """Tells whether nothing is chosen by numbers, so that operands may be those of many
    candidates."""
    if isinstance(operation, Exponential):
        return False
    return isinstance(operation, Moved) or operation.is_enclosed


@np.errstate(all="ignore")
def exponential_of(
    operation: Exponential, numbers: Array, scores: Enclosure, rounded: Roundoffs = EXACT
) -> Enclosure:
    """Encloses the exponentials of a softmax. [n, m], or [n, m, b] of many candidates

    The row's maximum is subtracted in full, or as it was rounded, and from the maximum itself too:
    its exponential is 1.
    """
    axis = len(operation.sides.indices) - 1
    if rounded.each:
        # whether it is subtracted here or not, others always do, and round the difference
        return rounded.by(
            exponential_of(operation, numbers, _apart_from_top(scores, axis, rounded)),
            rounded.function,
        )
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


def _apart_from_top(scores: Enclosure, axis: int, rounded: Roundoffs) -> Enclosure:
    """Widens scores by what rounding makes of them when the row's maximum is subtracted."""
    sizes = size_of(scores)
    known = np.where(np.isfinite(sizes), sizes, 0.0)
    return rounded.around(scores, rounded.each * (known + known.max(axis=axis, keepdims=True)))


def _cell_by_cell(
    operation: Operation,
    numbers: Sequence[Matrix],
    operands: Sequence[Enclosure],
    rounded: Roundoffs,
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
        for end, array in zip(made, enclosed_number(form, leaf, rounded), strict=True):
            end[i, j] = array.item()
    return made
