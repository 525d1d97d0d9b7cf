"""What terms leave of each other where they cancel, under `exact`: noise of floats, or a number of
which few bits are right."""

from __future__ import annotations

import numpy as np

from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.extremes import smallest_but_zeros
from attncli.arithmetic.operations.source import Worked
from attncli.arithmetic.rounding import Array

_LITTLE = 2.0**32
"""Times the bound of an error: what is no larger has lost more than 20 of its 52 bits."""


def is_certain(values: Array, least: float, source: Worked) -> bool:
    """Whether no number of a result, each of a size of `least` or more, is little beside the terms
    that it is left of; of numbers that are too much work in full, whether none but 0, of which none
    has a sign, is no more than noise."""
    operation, operands = source.operation, source.operands
    rough = operation.rough_error(*operands).absolute
    if not rough or least > rough * _LITTLE:
        return True
    if source.is_workable:
        noise = operation.error(*operands).absolute
        return not noise or least > noise * _LITTLE
    least = least or smallest_but_zeros(values)
    return least > rough or least > operation.error(*operands).absolute


def settle_cancelled(values: Array, source: Worked) -> bool:
    """Puts right, in place, what is little beside the terms that it is left of; of numbers that
    are too much work in full, sets what is no more than noise to 0. Whether there was any."""
    if not source.is_workable:
        return _clear_noise(values, source)
    sizes = source.operation.sizes(*source.operands)
    little = (np.abs(values) <= EPSILON * _LITTLE * sizes) & (sizes > 0)
    numbers = source.numbers if little.any() else None
    if numbers is None:
        return False
    for i, j in np.argwhere(little).tolist():
        values[i, j] = float(numbers[i][j])
    return True


def _clear_noise(values: Array, source: Worked) -> bool:
    bound = source.operation.error(*source.operands).absolute
    noise = (np.abs(values) <= bound) & (values != 0)
    if noise.any():
        sizes = source.operation.sizes(*source.operands)
        largest = float(sizes.max())
        noise &= np.abs(values) * largest <= bound * sizes
        values[noise] = 0.0
    return bool(noise.any())
