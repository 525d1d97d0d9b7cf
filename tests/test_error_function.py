"""erf and erfc of arrays against mpmath, which shares nothing with them, over the whole range."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from attncli.arithmetic.error_function import erf, erfc
from tests.conftest import THOROUGH

MANY = 4_000 if THOROUGH else 2_100
"""More numbers than are worked one at a time."""
SEAMS = [0.84375, 1.25, 1 / 0.35, 6.0, 26.0]
"""Where one approximation ends and another begins, and sizes near the ends of what is told."""


def numbers() -> np.ndarray:
    rng = np.random.default_rng(8)
    near = [np.nextafter(seam, end) for seam in SEAMS for end in (0, 30)] + SEAMS
    each = [
        rng.uniform(-7, 7, MANY),
        rng.uniform(-1.3, 1.3, MANY),
        rng.uniform(0, 26, MANY // 2),
        10.0 ** rng.uniform(-300, 0, MANY // 8),
        np.array([0.0, *near, *(-x for x in near)]),
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
    ends = np.array([math.nan, math.inf, -math.inf, 27.5, 1e300, -30.0, -0.0])
    for x in (ends, np.tile(ends, MANY)):  # one at a time, and all at once
        wanted = np.resize(np.array([math.nan, 1, -1, 1, 1, -1, 0]), x.shape)
        np.testing.assert_array_equal(erf(x), wanted)
        assert np.signbit(erf(x))[6]
        complement = np.resize(np.array([math.nan, 0, 2, 0, 0, 2, 1]), x.shape)
        np.testing.assert_array_equal(erfc(x), complement)


@pytest.mark.parametrize("shape", [(), (0, 3), (3, 1), (64, 70), (8, 8, 50)])
def test_shapes_stay_and_few_are_as_many(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(9).normal(size=shape) * 2
    for ours, of_one in ((erf, math.erf), (erfc, math.erfc)):
        made = ours(x)
        assert made.shape == shape
        each = np.array([of_one(one) for one in x.ravel()]).reshape(shape)
        np.testing.assert_allclose(made, each, rtol=2e-15, atol=0)


LONGER = np.finfo(np.longdouble)


def exact(number: np.longdouble) -> mpmath.mpf:
    """A long float as mpmath holds it."""
    parts = (float(number), float(number - np.longdouble(float(number))))
    return mpmath.mpf(parts[0]) + mpmath.mpf(parts[1])


@pytest.mark.skipif(float(LONGER.eps) > 1e-18, reason="the machine has no longer floats")
@pytest.mark.parametrize(("ours", "theirs"), [(erf, mpmath.erf), (erfc, mpmath.erfc)])
def test_of_longer_floats_they_are_within_four_of_their_units(
    ours: Callable[[np.ndarray], np.ndarray], theirs: Callable[[object], Any]
) -> None:
    """The bounds of `careful` equations allow eight; around 0.5 and 7 the ways to work change."""
    rng = np.random.default_rng(10)
    near = [rng.uniform(-10, 10, 400), rng.uniform(0.4, 0.6, 300), rng.uniform(6.5, 7.5, 200)]
    tiny, far = 10.0 ** rng.uniform(-300, 0, 100), rng.uniform(10, 26, 50)
    x = np.concatenate([*near, tiny, far, [0.5, -0.5]]).astype(np.longdouble)
    x += x * LONGER.eps * rng.integers(-900, 900, x.size)  # bits that float64 hasn't
    made = ours(x)
    assert made.dtype == np.longdouble
    with mpmath.workdps(60):
        for number, value in zip(x, made, strict=True):
            true = theirs(exact(number))
            assert abs(exact(value) - true) <= 4 * float(LONGER.eps) * abs(true), number


def test_longer_floats_that_are_too_far_out_or_no_numbers() -> None:
    x = np.array([math.nan, math.inf, -math.inf, 1e300, -200.0, -0.0], dtype=np.longdouble)
    np.testing.assert_array_equal(erf(x), [math.nan, 1, -1, 1, -1, 0])
    assert np.signbit(erf(x))[5]
    np.testing.assert_array_equal(erfc(x), [math.nan, 0, 2, 0, 2, 1])


@pytest.mark.parametrize("function", [erf, erfc])
def test_they_may_be_written_over_their_numbers(
    function: Callable[..., np.ndarray],
) -> None:
    x = np.random.default_rng(10).normal(size=(300, 200)) * 2
    for array in (x, x.T):  # of which the second has other rows in memory
        wanted = function(array)
        np.testing.assert_array_equal(function(array, out=array), wanted)
