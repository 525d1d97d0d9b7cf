"""Functions of arrays against mpmath, which shares nothing with them: erf and erfc over the whole
range, and each of them within what bounds on errors assume."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from attncli.maths.equations.arrays import FUNCTIONS
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


ASSUMED = 8 * 2.0**-52
TRUE: dict[str, tuple[Callable[[np.ndarray], np.ndarray], Callable[[Any], Any]]] = {
    "exp": (np.exp, mpmath.exp),
    "sqrt": (lambda x: np.sqrt(np.abs(x)), lambda x: mpmath.sqrt(abs(x))),
    "tanh": (FUNCTIONS["tanh"], mpmath.tanh),
    "ln": (lambda x: FUNCTIONS["ln"](np.abs(x)), lambda x: mpmath.log(abs(x))),
    "sin": (FUNCTIONS["sin"], mpmath.sin),
    "cos": (FUNCTIONS["cos"], mpmath.cos),
    "expm1": (FUNCTIONS["expm1"], mpmath.expm1),
    "sigmoid": (FUNCTIONS["sigmoid"], lambda x: 1 / (1 + mpmath.exp(-x))),
    "softplus": (FUNCTIONS["softplus"], lambda x: mpmath.log1p(mpmath.exp(x))),
    "erf": (erf, mpmath.erf),
    "erfc": (erfc, mpmath.erfc),
    "power": (lambda x: np.power(np.abs(x), 1.7), lambda x: mpmath.power(abs(x), 1.7)),
}


@pytest.mark.parametrize("name", TRUE)
def test_no_function_is_farther_off_than_is_assumed(name: str) -> None:
    ours, theirs = TRUE[name]
    random = np.random.default_rng(11)
    x = np.concatenate([random.normal(size=300) * 10.0**k for k in (-8, -2, 0, 1)])
    with mpmath.workdps(60):
        for number, value in zip(x.tolist(), ours(x).tolist(), strict=True):
            true = theirs(mpmath.mpf(number))
            most = ASSUMED * abs(true) + mpmath.mpf(5e-324)  # the smallest float
            assert abs(mpmath.mpf(value) - true) <= most, number
