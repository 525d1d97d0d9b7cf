"""Many numbers with many decimals, of which floats can round few: each is rounded as the fraction
is that it truly is, or as mpmath says; halves as well, which are put in on purpose."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Root, constant
from attncli.maths.numbers.rounding import Rounding, Unworkable
from tests.conftest import FEWER
from tests.helpers import ops
from tests.helpers.truth import half_away

ROWS, WIDTH = 12, 16
DECIMALS = st.integers(8, 12)


def drawn(seed: int, shape: tuple[int, int], decimals: int, low: float = -3) -> Matrix:
    """Numbers of so many decimals; every other one of few, so that halves occur."""
    random = np.random.default_rng(seed)
    numbers = random.uniform(low, 3, shape)
    few = np.round(numbers, decimals // 2)
    return Matrix.of_array(np.where(random.random(shape) < 0.5, few, numbers), decimals, carry=True)


def exact(matrix: Matrix) -> list[list[Fraction]]:
    return [
        [Fraction(matrix.number(i, j).full) for j in range(matrix.shape[1])]
        for i in range(matrix.shape[0])
    ]


def assert_rounded(made: Matrix, true: Any, decimals: int) -> None:
    for row, expected in zip(exact(made), true, strict=True):
        assert row == [half_away(x, decimals) for x in expected]


def carried(operation: ops.Operation, decimals: int, *operands: Matrix) -> Matrix:
    return operation.make(Rounding("carry", decimals), "step", *operands)


def together(operation: ops.Operation, decimals: int, *operands: Matrix) -> Matrix:
    """The same, of which nothing is settled cell by cell: it would be too slow for so many."""
    return operation.make(Rounding("carry", decimals, most_settled=0), "step", *operands)


@settings(max_examples=FEWER)
@given(st.integers(0, 2**32), DECIMALS, st.booleans())
def test_products(seed: int, decimals: int, dense: bool) -> None:
    """Also where only few numbers of each row are doubtful."""
    x = drawn(seed, (ROWS, WIDTH), decimals if dense else 8)
    W, b = drawn(seed + 1, (WIDTH, ROWS), decimals), drawn(seed + 2, (1, ROWS), decimals)
    products = np.array(exact(x), dtype=object) @ np.array(exact(W), dtype=object)
    assert_rounded(together(ops.MatMul(), decimals, x, W), products, decimals)
    with_bias = products + np.array(exact(b), dtype=object)
    assert_rounded(together(ops.Affine(), decimals, x, W, b), with_bias, decimals)


@settings(max_examples=FEWER)
@given(st.integers(0, 2**32), DECIMALS)
def test_quotients_means_and_norms(seed: int, decimals: int) -> None:
    x, gamma = drawn(seed, (ROWS, WIDTH), decimals), drawn(seed + 1, (1, WIDTH), decimals)
    below = drawn(seed + 2, (ROWS, 1), decimals, low=0.5)
    X, G, D = (np.array(exact(m), dtype=object) for m in (x, gamma, below))
    assert_rounded(carried(ops.DivideByRow(), decimals, x, below), X / D, decimals)
    squares = (X * X).sum(axis=1, keepdims=True) / WIDTH
    assert_rounded(together(ops.MeanOfSquares(), decimals, x), squares, decimals)
    normalize = ops.Normalize(gamma=True, beta=True)
    made = carried(normalize, decimals, x, below, gamma, gamma)
    assert_rounded(made, X / D * G + G, decimals)


@settings(max_examples=FEWER)
@given(st.integers(0, 2**32))
def test_halves_of_many_products(seed: int) -> None:
    """Numbers of 24 decimals to 3 of them: what is left out is too long for the machine."""
    odd = 2 * np.random.default_rng(seed).integers(-(10**6), 10**6, (ROWS, 1)) + 1
    x = Matrix.of_array(odd / 2000, 12, carry=True)
    matrix = Matrix.of_array(np.ones((1, 3)), 12, carry=True)
    assert_rounded(carried(ops.MatMul(), 3, x, matrix), np.array(exact(x)) @ exact(matrix), 3)


@settings(max_examples=FEWER)
@given(st.integers(0, 2**32), DECIMALS)
def test_halves_of_many_quotients(seed: int, decimals: int) -> None:
    """(2k + 1) units over 2 are halves all of them."""
    odd = 2 * np.random.default_rng(seed).integers(-(10**6), 10**6, (ROWS, WIDTH)) + 1
    x = Matrix.of_array(odd / 10.0**decimals, decimals, carry=True)
    two = Matrix.of_array(np.full((ROWS, 1), 2.0), decimals, carry=True)
    halves = np.array(exact(x), dtype=object) / 2
    assert_rounded(carried(ops.DivideByRow(), decimals, x, two), halves, decimals)


@pytest.mark.parametrize("decimals", [9, 12])
def test_halves_around_zero(decimals: int) -> None:
    """Of −2½ to 2½ units each goes away from 0, and what is a little more or less doesn't."""
    halves = np.arange(-5, 6)[:, np.newaxis] / 10.0**decimals
    x = Matrix.of_array(halves, decimals, carry=True)
    for many in (1, 40):  # few cells, and such as are worked with their whole rows
        two = Matrix.of_array(np.full((len(halves), 1), 2.0), decimals, carry=True)
        wide = Matrix.of_array(np.repeat(halves, many, axis=1), decimals, carry=True)
        made = carried(ops.DivideByRow(), decimals, wide, two)
        true = np.array(exact(wide), dtype=object) / 2
        assert_rounded(made, true, decimals)
    half = Matrix.of_array(np.array([[0.5, -0.5, 0.25]]), decimals, carry=True)
    products = np.array(exact(x), dtype=object) @ np.array(exact(half), dtype=object)
    assert_rounded(carried(ops.MatMul(), decimals, x, half), products, decimals)


FUNCTIONS = {
    "exp": (ops.Exponential(decimals=12, carry=True), mpmath.exp),
    "root": (ops.RootOf(constant(0)), mpmath.sqrt),
    "tanh": (ops.Activate("tanh"), mpmath.tanh),
    "gelu": (ops.Activate("gelu"), lambda x: x * mpmath.ncdf(x)),
    "silu": (ops.Activate("silu"), lambda x: x / (1 + mpmath.exp(-x))),
    "scale": (ops.DivideBy(Root(constant(50))), lambda x: x / mpmath.sqrt(50)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    """Cell by cell: a thousand numbers each."""
    operation, function = FUNCTIONS[name]
    shape = (600, 1) if name == "root" else (60, 10)
    x = drawn(5, shape, 12, low=0.1)
    made = operation.make(Rounding("carry", 12), "step", x)
    with mpmath.workdps(60):
        for row, numbers in zip(exact(made), exact(x), strict=True):
            for value, number in zip(row, numbers, strict=True):
                true = function(mpmath.mpf(number.numerator) / number.denominator)
                assert value == half_away(Fraction(str(true)), 12)


def test_too_many_are_told() -> None:
    """Numbers of more digits than floats have are settled one by one, as many as are allowed."""
    rows = [[constant(f"0.{k:03}0000000000000000000001").full] for k in range(50)]
    matrix = Matrix.of_written([[constant("0.5").full]])
    rounding = Rounding("carry", 3, most_settled=5)
    with pytest.raises(Unworkable, match="numbers are too long"):
        ops.MatMul().make(rounding, "project", Matrix.of_written(rows), matrix)
