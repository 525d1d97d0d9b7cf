"""Rounding: half away from zero, of the decimal value, for single numbers and for arrays."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from random import Random

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncli.maths.equations import deciding
from attncli.maths.equations import tree as ex
from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Rounding, Unworkable
from attncli.maths.operations.activations import Activate, DivideBy, MultiplyBy
from attncli.maths.operations.attention import Affine, MatMul, MatMulTransposed
from attncli.maths.operations.masking import Masked
from attncli.maths.operations.norms import RowMean
from attncli.maths.operations.rearranging import JoinColumns, Same, TakeColumns
from attncli.maths.operations.softmax import DivideByRow, Exponential, RowSum
from tests import oracle
from tests.conftest import THOROUGH, sampled
from tests.helpers.pages import page_of, trace_of
from tests.helpers.truth import half_away

NUMBERS = st.decimals(-100, 100, places=3)


@pytest.fixture
def sixty_digits() -> Iterator[None]:
    with mpmath.workdps(60):
        yield


@pytest.mark.parametrize(
    ("number", "places", "rounded"),
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
def test_half_goes_away_from_zero(number: str, places: int, rounded: str) -> None:
    assert decimals.text(decimals.round_to(Decimal(number), places)) == rounded


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
def test_numbers_are_kept_as_written(text: str) -> None:
    assert decimals.parse(text) == Decimal(text)
    assert decimals.places(decimals.parse(text)) == max(0, -int(Decimal(text).as_tuple().exponent))


@pytest.mark.parametrize("text", ["", "x", "1_000", "0x10", "nan", "inf", "1:30", "1e", "١", "1 2"])
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a (finite )?number"):
        decimals.parse(text)


@pytest.mark.parametrize("text", ["1e400", "-1e400", "1e-400", "1e999999"])
def test_what_is_too_large_or_small(text: str) -> None:
    with pytest.raises(ValueError, match="outside"):
        decimals.parse(text)


@given(
    st.integers(1, 4).flatmap(
        lambda k: st.tuples(
            st.lists(st.lists(NUMBERS, min_size=k, max_size=k), min_size=1, max_size=3),
            st.lists(st.lists(NUMBERS, min_size=k, max_size=k), min_size=1, max_size=3),
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


def test_numbers_with_more_digits_than_a_float_has() -> None:
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


def test_large_arrays_round_as_single_numbers() -> None:
    rng = np.random.default_rng(1)
    x = Matrix.of_array(rng.normal(size=(70, 40)), 3, carry=True)
    W = Matrix.of_array(rng.normal(size=(40, 50)), 1, carry=True)
    b = Matrix.of_array(rng.normal(size=(1, 50)), 2, carry=True)
    made = Affine().make(Rounding("carry", 2), "ffn", x, W, b)
    for i in range(0, 70, 7):
        for j in range(0, 50, 5):
            true = deciding.full(Affine().cell(i, j, x, W, b)[0])
            assert made.number(i, j).shown == true.quantize(Decimal("0.01"), ROUND_HALF_UP) + 0


@pytest.mark.parametrize(
    ("left", "right", "sign"),
    [("0.285", "0.29", "="), ("0.285", "0.28", "≈"), ("-0.285", "-0.29", "="), ("2.5", "3", "=")],
)
def test_signs(left: str, right: str, sign: str) -> None:
    assert deciding.relation(ex.constant(left), ex.constant(right)) == sign


def test_a_name_has_no_value() -> None:
    with pytest.raises(TypeError, match="W_Q"):
        deciding.full(ex.Symbol("W_Q"))
    with pytest.raises(TypeError, match="Vector"):
        deciding.full(ex.Vector((ex.constant(1),)))
    with pytest.raises(TypeError, match="sinus"):
        deciding.full(ex.Apply("sinus", (ex.constant(1),)))


LONG = st.decimals(-9, 9, places=12)


@given(
    st.integers(1, 30).flatmap(
        lambda k: st.tuples(
            st.lists(LONG, min_size=k, max_size=k), st.lists(LONG, min_size=k, max_size=k)
        )
    ),
    st.integers(6, 12),
)
def test_long_products_round_as_their_true_values(
    pair: tuple[list[Decimal], list[Decimal]], places: int
) -> None:
    """Numbers too long for the grid: halves are found within the error and settled."""
    x, w = pair
    true = sum((Fraction(a) * Fraction(b) for a, b in zip(x, w, strict=True)), Fraction(0))
    # one more term brings the sum to within a float's error of a half of the last place
    half = half_away(true, places) + Fraction(1, 2 * 10**places)
    for off in (-1, 0, 1):
        last = Decimal(0) + (Decimal((half - true).numerator) / Decimal((half - true).denominator))
        last += off * Decimal("1e-24")
        left, right = Matrix.of_written([[*x, last]]), Matrix.of_written([[*w, Decimal(1)]])
        made = MatMulTransposed().make(Rounding("carry", places), "scores", left, right)
        exact = true + Fraction(last)
        assert Fraction(made.number(0, 0).shown) == half_away(exact, places)


@pytest.mark.usefixtures("sixty_digits")
@pytest.mark.parametrize("places", [0, 1, 2, 3, 5, 8])
def test_exponentials_near_a_half(places: int) -> None:
    """Scores whose exponential lies hardly below or above a half of the last place."""
    for count in (3, 17, 250, 4096):
        half = (mpmath.mpf(count) + mpmath.mpf("0.5")) / mpmath.mpf(10) ** places
        for off in ("-1e-17", "1e-17"):
            x = Decimal(mpmath.nstr(mpmath.log(half) + mpmath.mpf(off), 40))
            rounding = Rounding("carry", places)
            made = Exponential.under(rounding, "softmax").make(
                rounding, "softmax", Matrix.of_written([[x]])
            )
            expected = Decimal(count + (off == "1e-17")).scaleb(-places)
            assert made.number(0, 0).shown == expected


@pytest.mark.usefixtures("sixty_digits")
@pytest.mark.parametrize("kind", ["gelu", "gelu_tanh", "tanh", "sigmoid"])
def test_activations_near_a_half(kind: str) -> None:
    for start in ("0.31", "1.7", "-0.45"):
        target = mpmath.mpf(str(oracle.activation(kind, Decimal(start))))
        half = (mpmath.floor(target * 10**6) + mpmath.mpf("0.5")) / 10**6
        x = mpmath.findroot(lambda v, h=half: _activation(kind, v) - h, mpmath.mpf(start))
        for off in ("-1e-18", "1e-18"):
            number = Decimal(mpmath.nstr(x + mpmath.mpf(off), 40))
            made = Activate(kind).make(Rounding("carry", 6), "ffn", Matrix.of_written([[number]]))
            true = oracle.activation(kind, number)
            assert made.number(0, 0).shown == oracle.round_half_away(true, 6)


def _activation(kind: str, x: mpmath.mpf) -> mpmath.mpf:
    return mpmath.mpf(str(oracle.activation(kind, Decimal(mpmath.nstr(x, 45)))))


def test_long_row_sums_round_as_their_true_values() -> None:
    terms = [Decimal("0.1") + Decimal(k).scaleb(-13) for k in range(200)]
    total = sum(terms, Decimal(0))
    for off in ("-1e-22", "0", "1e-22"):
        last = Decimal("0.5").scaleb(-9) - total % Decimal("1e-9") + Decimal(off)
        made = RowSum().make(Rounding("carry", 9), "softmax", Matrix.of_written([[*terms, last]]))
        assert made.number(0, 0).shown == oracle.round_half_away(total + last, 9)


def test_the_callers_decimal_context_plays_no_part() -> None:
    text = "X: [[1234.5678, 1]]\nW_Q: [[1.0001], [2]]\nW_K: [[1], [1]]\nscale: 3\nrounding: {policy: exact, decimals: 6}\n"
    page = page_of(trace_of(text))
    with localcontext() as context:
        context.prec = 4
        trace_of.cache_clear()  # worked once more, not remembered
        assert page_of(trace_of(text)) == page
    assert "1234.5678×1.0001 + 1×2" in page


@pytest.mark.parametrize("policy", ["carry", "exact"])
def test_sums_that_cancel_are_zero(policy: str) -> None:
    text = f"X: [[0.1, 0.2, -0.3]]\nW_Q: [[1, -0.285], [1, 0.285], [1, 1]]\nrounding: {{policy: {policy}}}\n"
    trace = trace_of(text)
    assert trace["Q"].values.tolist() == [[0.0, -0.272 if policy == "carry" else -0.2715]]
    assert str(trace["Q"].matrix.number(0, 1).shown) == "-0.272"


def test_tiny_and_huge_numbers_are_told_or_refused() -> None:
    for text in ("X: [[1e-300]]\nW_Q: [[1e-300]]\n", "X: [[0e-300]]\nW_Q: [[1]]\n"):
        assert trace_of(text)["Q"].values.tolist() == [[0.0]]
    with pytest.raises(ValueError, match="outside"):
        decimals.parse("0e-99999")
    sigmoid = trace_of("output: [[-3000000]]\nW1: [[1]]\nactivation: sigmoid\n")
    assert "activated[1, 1] = 1 / (1 + e^3000000) = 0.000" in page_of(sigmoid)
    tail = trace_of("output: [[-9]]\nW1: [[1]]\nactivation: gelu_tanh\nrounding: {policy: exact}\n")
    assert -1e-25 < tail["activated"].values[0, 0] < 0


def test_a_half_that_is_left_of_large_terms_is_a_half() -> None:
    """Under `exact` a float sum of numbers that cancel is off by more than its own last digit."""
    random, off = Random(1), 0
    for _ in range(200):
        a, b = (Decimal(random.randint(-30_000, 30_000)).scaleb(-3) for _ in range(2))
        thrice = Matrix.of_written([[a, b, -a, Decimal("0.03") - b]])
        x = DivideBy(ex.constant(3)).make(Rounding("exact", 3), "scale", thrice)
        mean = RowMean().make(Rounding("exact", 3), "norm", x)
        off += float(f"{mean.values[0, 0]:.15g}") != 0.0025
        copies = (Same(), JoinColumns(2), TakeColumns(0, 1), Masked())
        seen = Matrix(np.ones((1, 1)), 0, 0)
        operands = ((mean,), (mean, mean), (mean,), (mean, seen))
        moved = [
            c.make(Rounding("exact", 3), "", *o) for c, o in zip(copies, operands, strict=True)
        ]
        for made in (mean, *moved):
            assert str(made.number(0, 0).shown) == "0.003"
    assert off > 20
    below = Matrix(np.array([[0.002499999999]]), None, 3)
    assert str(below.number(0, 0).shown) == "0.002"


@sampled(2, with_bias=[False, True], sizes=[(1, 700, 90), (33, 40, 50), (70, 3, 65)])
def test_many_long_products_round_as_their_true_values(
    with_bias: bool, sizes: tuple[int, int, int]
) -> None:
    n, k, m = sizes
    random, places = Random(n), 12
    shapes = ((n, k), (k, m), (1, m))
    most = 9 * 10**12
    given = [
        [[Decimal(random.randint(-most, most)).scaleb(-places) for _ in range(b)] for _ in range(a)]
        for a, b in shapes[: 2 + with_bias]
    ]
    x, W, b = (*given, [[Decimal(0)] * m])[:3]
    operation = Affine() if with_bias else MatMul()
    made = operation.make(Rounding("carry", places - 1), "ffn", *map(Matrix.of_written, given))
    for _ in range(200 if THOROUGH else 40):
        i, j = random.randrange(n), random.randrange(m)
        true = sum(Fraction(a) * Fraction(row[j]) for a, row in zip(x[i], W, strict=True))
        assert made.values[i, j] == float(half_away(true + Fraction(b[0][j]), places - 1))


@pytest.mark.parametrize(
    ("kind", "by_number"),
    [(DivideBy, ex.constant(3)), (DivideBy, ex.constant("-1.1")), (MultiplyBy, ex.constant("0.7"))],
)
@pytest.mark.parametrize("places", [0, 3])
def test_many_halves_at_once(
    kind: type[DivideBy | MultiplyBy], by_number: ex.Number, places: int
) -> None:
    """Numbers that come to halves, half a unit more and less, in more cells than one looks at."""
    random = Random(places)
    steps = [Decimal(random.randint(-999, 999)) * 5 for _ in range(40 * 30)]
    units = [step.scaleb(-places - 1) for step in steps]
    operation, divisor, multiplies = kind(by_number), by_number.full, kind is MultiplyBy
    given = [unit / divisor if multiplies else unit * divisor for unit in units]
    given = [decimals.round_to(number, 10) for number in given]
    rows = [given[k : k + 30] for k in range(0, len(given), 30)]
    made = operation.make(Rounding("carry", places), "scale", Matrix.of_written(rows))
    for (i, j), result in np.ndenumerate(made.values):
        number, by = Fraction(rows[i][j]), Fraction(divisor)
        assert result == float(half_away(number * by if multiplies else number / by, places))


@pytest.mark.parametrize("seed", range(60))
def test_products_that_cancel_round_as_their_true_values(seed: int) -> None:
    """Large terms that leave a small sum leave a large error: the bound has to know of it."""
    random, places = Random(seed), 12
    a, b = (Decimal(random.randint(-(9 * 10**12), 9 * 10**12)).scaleb(-12) for _ in range(2))
    c = decimals.round_to(decimals.product(a, b), places)
    left_over = Fraction(a) * Fraction(b) - Fraction(c)
    half = Fraction(2 * random.randint(-500, 500) + 1, 2 * 10**places)
    last = half - left_over + Fraction(random.choice(["-1e-16", "1e-16"]))
    number = Decimal(last.numerator) / Decimal(last.denominator)
    x, w = Matrix.of_written([[a, Decimal(1), number]]), Matrix.of_written([[b, -c, Decimal(1)]])
    made = MatMulTransposed().make(Rounding("carry", places), "scores", x, w)
    assert Fraction(made.number(0, 0).shown) == half_away(left_over + Fraction(number), places)


@pytest.mark.parametrize(
    ("x", "w", "true"),
    [
        (["1e8", "1e8", "1"], ["1e8", "-1e8", "1"], "1.0000"),
        (["1e7", "1e7", "0.1"], ["1e7", "-1e7", "1"], "0.1000"),
        (["0.3", "-1e8", "-1e8", "-2.675"], ["0.285", "1", "-1", "0.1"], "-0.1820"),
        (["0.1", "0.2", "-0.3"], ["1", "1", "1"], "0.0"),
    ],
)
def test_exact_sums_of_given_numbers_are_exact(x: list[str], w: list[str], true: str) -> None:
    numbers = ", ".join(x)
    weights = ", ".join(f"[{number}, 1e9]" for number in w)
    text = f"X: [[{numbers}]]\nW_Q: [{weights}]\nrounding: {{policy: exact, decimals: 4}}\n"
    trace = trace_of(text)
    assert trace["Q"].matrix.number(0, 0).shown == Decimal(true)
    assert "≈" not in page_of(trace).partition("Rounding ")[0]


def test_only_rows_that_need_it_are_shifted() -> None:
    trace = trace_of("scores: [[6, 0, 0], [29, 1, 28.5]]\nscale: none\nrounding: {decimals: 12}\n")
    assert trace["exp"].values[0, 0] == 403.428793492735
    assert trace["exp"].values[1, 0] == 1
    page = page_of(trace)
    assert "the largest score of such a row" in page.replace("\n  ", " ")


def test_many_large_scores_shift_before_their_sum_is_too_long() -> None:
    scores = ", ".join(["27"] * 1000)
    trace = trace_of(f"scores: [[{scores}]]\nscale: none\n")
    assert trace["exp_sum"].values.tolist() == [[1000.0]]
    assert trace_of("scores: [[26]]\nscale: none\n")["exp"].values[0, 0] == 195729609428.839


def test_the_tanh_of_a_zero_is_zero_whatever_its_exponent() -> None:
    for zero in ("0E-1000000000000000182", "-0.0"):
        assert deciding.full(ex.Apply("tanh", (ex.Number.written(Decimal(zero)),))) == 0


def _number(text: str) -> ex.Number:
    return ex.Number.written(Decimal(text))


_ROOTS = ex.Quotient(ex.Root(_number("2")), ex.Root(_number("8")))
_POWERS = ex.Quotient(ex.e_to(_number("0.7")), ex.e_to(_number("0.7")))
_FRACTION = ex.Product((ex.Quotient(_number("1.4"), _number("7.2")), _number("1.8")))


@pytest.mark.parametrize(
    ("expression", "places", "rounded"),
    [
        (_FRACTION, 1, "0.4"),  # 0.35
        (_ROOTS, 0, "1"),  # a half that no number of digits shows
        (ex.Negative(_ROOTS), 0, "-1"),
        (ex.minus(_ROOTS, _number("1e-200")), 0, "0"),
        (ex.Sum((_ROOTS, _number("1e-200"))), 0, "1"),
        (ex.minus(_POWERS, _number("0.5")), 0, "1"),
        (ex.minus(_ROOTS, _number("0.5")), 12, "0"),
        (_number("0.49999999999999999999999999999999999999999999999999999999999"), 0, "0"),
    ],
)
def test_what_no_digits_tell_from_a_half_is_one(
    expression: ex.Expression, places: int, rounded: str
) -> None:
    assert deciding.rounded(expression, places) == Decimal(rounded)


def test_what_no_digits_tell_from_0_is_0() -> None:
    two = ex.Product((ex.Root(_number("2")), ex.Root(_number("2"))))
    assert deciding.full(ex.minus(two, _number("2"))) == 0
    assert deciding.full(ex.minus(two, _number("1.9"))) == Decimal("0.1")
    small = ex.minus(ex.Apply("tanh", (_number("300"),)), _number("1"))
    assert Decimal("-1e-259") < deciding.full(small) < Decimal("-1e-261")
