"""The least and the greatest of some numbers; of few in plain Python, which has gone through these
before NumPy begins."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FEW = 64


def least_and_greatest(values: NDArray[np.float64]) -> tuple[float, float]:
    """The least and the greatest number; nan where one is nan."""
    if values.size <= _FEW:
        numbers = values.ravel().tolist()
        if not math.isnan(sum(numbers)):  # which one nan makes of all of them
            return min(numbers), max(numbers)
    return float(values.min()), float(values.max())
