"""Numbers that a Python program gives for those of a quantity."""

from __future__ import annotations

from decimal import Decimal, DecimalException
from typing import TYPE_CHECKING, Any

import numpy as np

from attncli.arithmetic.arrays import as_array
from attncli.arithmetic.operations.masking import Seen, as_seen
from attncli.trace import Quantity
from attncli.trace.trace import Numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray


def numbers_of(quantity: Quantity, given: Numbers) -> NDArray[Any]:
    """The numbers [n, m]; a list, or a row without a name, may be [n]. −∞ is what a mask makes of
    a score; a mask may be one that is added to the scores. Raises ValueError, which names the
    quantity."""
    array = _shaped(quantity, _array(given))
    if quantity.definition is not None and isinstance(quantity.definition.operation, Seen):
        array = as_seen(array)
    if array.dtype.kind in "biuf":
        wrong = np.argwhere(np.isnan(array) | np.isposinf(array))
    else:
        wrong = np.argwhere([[not _is_number(one) for one in row] for row in array])
    for i, j in wrong.tolist():
        raise ValueError(f"{quantity.address(i, j)} is {array[i, j]}, where a number belongs")
    return array.astype(int) if array.dtype.kind == "b" else array


def _array(given: Numbers) -> NDArray[Any]:
    array = as_array(given)
    return np.array(given, dtype=object) if array is None else array


def _shaped(quantity: Quantity, array: NDArray[Any]) -> NDArray[Any]:
    n, m = quantity.matrix.shape
    is_flat = quantity.is_list or quantity.is_vector
    if array.shape == (n, m) or (is_flat and array.shape == (n * m,)):
        return array.reshape(n, m)
    raise ValueError(f"{quantity.name} has the shape ({n}, {m}), not {array.shape}")


def _is_number(one: object) -> bool:
    try:
        number = Decimal(str(one))
    except DecimalException:
        return False
    return not number.is_nan() and number != Decimal("Infinity")
