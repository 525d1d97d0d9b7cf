"""What terms leave of each other where they cancel, under `exact`: noise of floats, or a number of
which few bits are right."""

from __future__ import annotations

import numpy as np

from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.operations.source import Worked
from attncli.arithmetic.rounding import Array, Error

_LITTLE = 2.0**32
"""Times the bound of an error: what is no larger has lost more than 20 of its 52 bits."""


def is_certain(least: float, source: Worked) -> bool:
    """Whether no number of a result, each of a size of `least` or more, is little beside the terms
    that it is left of; of numbers that are too much work in full, whether none is no more than
    noise."""

    def fits(error: Error) -> bool:
        noise = error.absolute
        if not noise or least > noise * _LITTLE:
            return True
        return least > noise and not source.is_workable

    operation, operands = source.operation, source.operands
    return fits(operation.rough_error(*operands)) or fits(operation.error(*operands))


def settle_cancelled(values: Array, source: Worked) -> None:
    """Puts right, in place, what is little beside the terms that it is left of; of numbers that
    are too much work in full, sets what is no more than noise to 0."""
    if not source.is_workable:
        _clear_noise(values, source)
        return
    sizes = source.operation.sizes(*source.operands)
    little = (np.abs(values) <= EPSILON * _LITTLE * sizes) & (sizes > 0)
    numbers = source.numbers if little.any() else None
    if numbers is not None:
        for i, j in np.argwhere(little).tolist():
            values[i, j] = float(numbers[i][j])


def _clear_noise(values: Array, source: Worked) -> None:
    bound = source.operation.error(*source.operands).absolute
    noise = (np.abs(values) <= bound) & (values != 0)
    if noise.any():
        sizes = source.operation.sizes(*source.operands)
        largest = float(sizes.max())
        values[noise & (np.abs(values) * largest <= bound * sizes)] = 0.0
