"""Rounding: half away from zero, of the decimal value, for single figures and for arrays."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncli.arithmetic import decimals, evaluation
from attncli.arithmetic import expression as ex
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations import Affine, DivideByRow, MatMul, MatMulTransposed
from attncli.arithmetic.rounding import Rounding, Unworkable

FIGURES = st.decimals(-100, 100, places=3)


def half_away(value: Fraction, places: int) -> Fraction:
    scaled = abs(value) * 10**places
    count = int(scaled + Fraction(1, 2))
    return Fraction(count if value >= 0 else -count, 10**places)


@pytest.mark.parametrize(
    ("figure", "places", "rounded"),
    [
        ("0.285", 2, "0.29"),
        ("1.005", 2, "1.01"),
        ("-0.285", 2, "-0.29"),
        ("2.5", 0, "3"),
        ("-2.5", 0, "-3"),
        ("-0.004", 2, "0.00"),
        ("0.1", 3, "0.100"),
    ],
)
def test_half_goes_away_from_zero(figure: str, places: int, rounded: str) -> None:
    assert decimals.text(decimals.round_to(Decimal(figure), places)) == rounded


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (0.285, 2, "0.29"),
        (0.57 / 2, 2, "0.29"),
        (0.0, 2, "0.00"),
        (-0.0, 2, "0.00"),
        (0.004, 2, "0.004"),
        (-0.0004, 2, "-0.0004"),
        (3e-30, 2, "3e-30"),
        (1e20, 2, "1e20"),
        (1 / 3, 12, "0.333333333333"),
    ],
)
def test_what_a_page_shows(value: float, places: int, text: str) -> None:
    assert decimals.text(decimals.shown(value, places)) == text


@pytest.mark.parametrize("text", ["1", "1.0", "0.10", "-2.50", "1e3", ".5", "5.", "+7"])
def test_figures_are_kept_as_written(text: str) -> None:
    assert decimals.parse(text) == Decimal(text)
    assert decimals.places(decimals.parse(text)) == max(0, -int(Decimal(text).as_tuple().exponent))


@pytest.mark.parametrize("text", ["", "x", "1_000", "0x10", "nan", "inf", "1:30", "1e", "١", "1 2"])
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match="not a number"):
        decimals.parse(text)


@pytest.mark.parametrize("text", ["1e400", "-1e400", "1e-400", "1e999999"])
def test_what_is_too_large_or_small(text: str) -> None:
    with pytest.raises(ValueError, match="outside"):
        decimals.parse(text)


@given(
    st.integers(1, 4).flatmap(
        lambda k: st.tuples(
            st.lists(st.lists(FIGURES, min_size=k, max_size=k), min_size=1, max_size=3),
            st.lists(st.lists(FIGURES, min_size=k, max_size=k), min_size=1, max_size=3),
        )
    ),
    st.integers(0, 6),
)
def test_products_round_as_their_true_values(
    operands: tuple[list[list[Decimal]], list[list[Decimal]]], places: int
) -> None:
    left, right = (Matrix.of_written(rows) for rows in operands)
    made = MatMulTransposed().make(Rounding("carry", places), "scores", left, right)
    for i, x in enumerate(operands[0]):
        for j, w in enumerate(operands[1]):
            true = sum((Fraction(a) * Fraction(b) for a, b in zip(x, w, strict=True)), Fraction(0))
            assert Fraction(made.number(i, j).shown) == half_away(true, places)
            assert made.values[i, j] == float(half_away(true, places))


@given(
    st.decimals("0.001", 100, places=3),
    st.decimals("0.001", 100, places=3),
    st.integers(0, 9),
)
def test_quotients_round_as_their_true_values(a: Decimal, b: Decimal, places: int) -> None:
    exp, total = Matrix.of_written([[a]]), Matrix.of_written([[b]])
    made = DivideByRow().make(Rounding("carry", places), "softmax", exp, total)
    assert Fraction(made.number(0, 0).shown) == half_away(Fraction(a) / Fraction(b), places)


def test_halves_of_quotients_are_settled() -> None:
    exp, total = Matrix.of_written([[Decimal(57)]]), Matrix.of_written([[Decimal(200)]])
    assert DivideByRow().make(Rounding("carry", 2), "softmax", exp, total).values[0, 0] == 0.29


def test_figures_with_more_digits_than_a_float_has() -> None:
    long = Decimal("0.28499999999999999999999")
    made = MatMul().make(
        Rounding("carry", 2),
        "project",
        Matrix.of_written([[long]]),
        Matrix.of_written([[Decimal(1)]]),
    )
    assert made.values[0, 0] == 0.28


def test_too_long_to_carry() -> None:
    big = Matrix.of_written([[Decimal("1e9")]])
    with pytest.raises(Unworkable, match="more than 15 digits"):
        MatMul().make(Rounding("carry", 3), "project", big, big)


def test_large_arrays_round_as_single_figures() -> None:
    rng = np.random.default_rng(1)
    x = Matrix.of_array(rng.normal(size=(70, 40)), 3, carry=True)
    W = Matrix.of_array(rng.normal(size=(40, 50)), 1, carry=True)
    b = Matrix.of_array(rng.normal(size=(1, 50)), 2, carry=True)
    made = Affine().make(Rounding("carry", 2), "ffn", x, W, b)
    for i in range(0, 70, 7):
        for j in range(0, 50, 5):
            true = evaluation.full(Affine().cell(i, j, x, W, b)[0])
            assert made.number(i, j).shown == true.quantize(Decimal("0.01"), ROUND_HALF_UP) + 0


@pytest.mark.parametrize(
    ("left", "right", "sign"),
    [("0.285", "0.29", "="), ("0.285", "0.28", "≈"), ("-0.285", "-0.29", "="), ("2.5", "3", "=")],
)
def test_signs(left: str, right: str, sign: str) -> None:
    assert evaluation.relation(ex.constant(left), ex.constant(right)) == sign


def test_a_name_has_no_value() -> None:
    with pytest.raises(TypeError, match="W_Q"):
        evaluation.full(ex.Symbol("W_Q"))
    with pytest.raises(TypeError, match="Vector"):
        evaluation.full(ex.Vector((ex.constant(1),)))
    with pytest.raises(TypeError, match="sinus"):
        evaluation.full(ex.Apply("sinus", (ex.constant(1),)))
