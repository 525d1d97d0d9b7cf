"""erf and erfc of arrays against mpmath, which shares nothing with them, over the whole range."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from attncli.arithmetic.equations.arrays import FUNCTIONS
from tests.conftest import THOROUGH

MANY = 4_000 if THOROUGH else 2_100
erf, erfc = FUNCTIONS["erf"], FUNCTIONS["erfc"]


def numbers() -> np.ndarray:
    rng = np.random.default_rng(8)
    each = [
        rng.uniform(-7, 7, MANY),
        rng.uniform(-1.3, 1.3, MANY),
        rng.uniform(0, 26, MANY // 2),
        10.0 ** rng.uniform(-300, 0, MANY // 8),
        np.zeros(1),
    ]
    return np.concatenate(each)


@pytest.mark.parametrize(
    ("ours", "theirs", "most"), [(erf, mpmath.erf, 1.0), (erfc, mpmath.erfc, 3.0)]
)
def test_they_are_within_so_many_units_of_the_last_place(
    ours: Callable[[np.ndarray], np.ndarray], theirs: Callable[[object], Any], most: float
) -> None:
    x = numbers()
    with mpmath.workdps(40):
        for number, value in zip(x.tolist(), ours(x).tolist(), strict=True):
            true = theirs(mpmath.mpf(number))
            unit = math.ulp(float(true))
            assert abs(mpmath.mpf(value) - true) <= most * unit, number


def test_what_is_too_far_out_or_no_number() -> None:
    x = np.array([math.nan, math.inf, -math.inf, 27.5, 1e300, -30.0, -0.0])
    np.testing.assert_array_equal(erf(x), [math.nan, 1, -1, 1, 1, -1, 0])
    np.testing.assert_array_equal(erfc(x), [math.nan, 0, 2, 0, 0, 2, 1])


@pytest.mark.parametrize("shape", [(), (0, 3), (3, 1), (8, 8, 50)])
def test_shapes_stay(shape: tuple[int, ...]) -> None:
    x = np.asarray(np.random.default_rng(9).normal(size=shape) * 2)
    for function in (erf, erfc):
        assert function(x).shape == shape
        assert function(x).dtype == np.float64
        assert function(x, out=x) is x
