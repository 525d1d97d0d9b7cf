"""Long rows as a page tells them: what is left out is added up without making each number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import islice, product

import numpy as np
import pytest

from attncli import load, work
from attncli.arithmetic import decimals, evaluation
from attncli.arithmetic.elision import MOST_PARTS, shortened
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.recurrent import AddUp
from attncli.arithmetic.rounding import Rounding
from attncli.arithmetic.shown_totals import LineOfCells, products_shown, total_shown
from attncli.notation import plain
from tests import ops
from tests.conftest import THOROUGH
from tests.pages import page_of

EXACT, CARRY = Rounding("exact", 4), Rounding("carry", 4)
LONG = 700


def rows() -> Iterator[tuple[str, Matrix]]:
    """Numbers of all sizes, near halves and edges, with zeros and what a mask hides."""
    rng = np.random.default_rng(3)
    for k in range(60 if THOROUGH else 15):
        places = int(rng.integers(0, 9))
        normal, signs = rng.standard_normal((1, LONG)), rng.choice([-1.0, 1.0], (1, LONG))
        some = {
            "of a size": normal * 10.0 ** rng.integers(-9, 6),
            "of all sizes": signs * 10.0 ** rng.uniform(-14, 14, (1, LONG)),
            "halves": np.round(normal, int(rng.integers(0, places + 3))),
            "half units": rng.integers(-20, 20, (1, LONG)) * 10.0 ** -(places + 1) / 2,
            "first digits": signs * rng.integers(1, 99, (1, LONG)) * 10.0 ** -(places + 3.0),
        }
        some["with zeros"] = np.where(normal > 1, 0.0, some["of a size"])
        some["hidden"] = np.where(normal > 2, -np.inf, some["of a size"])
        yield from ((f"{name}, {k}", Matrix(x + 0.0, None, places)) for name, x in some.items())
        whole = np.round(normal * 100, places) + 0.0
        yield f"carried, {k}", Matrix(whole, places, places)
        yield f"with more decimals than are shown, {k}", Matrix(whole, places, max(0, places - 2))


@pytest.mark.slow
def test_totals_are_those_of_numbers_one_by_one() -> None:
    for name, matrix in rows():
        each = [matrix.shown(0, j) for j in range(LONG)]
        for start in (0, 3):
            wanted = decimals.total(each[start:])
            found = total_shown(matrix, range(1), range(start, LONG))
            assert found.as_tuple() == wanted.as_tuple(), name
        turned = Matrix(matrix.values.T.copy(), matrix.places, matrix.decimals)
        assert total_shown(turned, range(LONG), range(1)) == decimals.total(each), name


@pytest.mark.parametrize("rounding", [EXACT, CARRY])
def test_so_are_those_of_what_was_worked(rounding: Rounding) -> None:
    """Whose smallest numbers are worked again, unless that is too much work."""
    for width in (LONG, 40_000):
        logits = np.random.default_rng(5).standard_normal((3, width)) * 4
        x = Matrix.of_array(logits, 4, carry=rounding.carries)
        exp = ops.Exponential.under(rounding, "softmax").make(rounding, "softmax", x)
        total = ops.RowSum().make(rounding, "softmax", exp)
        weights = ops.DivideByRow().make(rounding, "softmax", exp, total)
        for matrix in (x, exp, weights):
            each = (matrix.shown(1, j) for j in range(width))
            found = total_shown(matrix, range(1, 2), range(width))
            assert found.as_tuple() == decimals.total(each).as_tuple()


def pairs() -> Iterator[tuple[str, Matrix, Matrix]]:
    """Rows of numbers of any two kinds, but for what a mask hides, which nothing is multiplied by;
    of all kinds with themselves."""
    known = [(name, one) for name, one in rows() if one.is_finite]
    written = Matrix.of_written([[Decimal(k) / 8 for k in range(LONG)]])
    others = [*known[5:], *known[:4], ("written", written)]
    some = zip(known, others, strict=True)
    for (name, one), (its, other) in islice(some, 0, None, 1 if THOROUGH else 12):
        yield f"{name}, {its}", one, other
        yield f"{name}, itself", one, one


@pytest.mark.slow
def test_totals_of_products_are_those_of_products_one_by_one() -> None:
    for name, a, b in pairs():
        each = [decimals.product(a.shown(0, k), b.shown(0, k)) for k in range(3, LONG)]
        turned = Matrix(
            b.values.T.copy(),
            b.places,
            b.decimals,
            b.written and tuple(zip(*b.written, strict=True)),
        )
        for other in (
            LineOfCells(b, range(1), range(3, LONG)),
            LineOfCells(turned, range(3, LONG), range(1)),
        ):
            total, places = products_shown(LineOfCells(a, range(1), range(3, LONG)), other)
            assert total == decimals.total(each), name
            assert places == max(map(decimals.places, each)), name


@pytest.mark.parametrize("size", [1, 10**5, 10**9])
def test_products_of_large_numbers_are_whole(size: int) -> None:
    """More than 2⁶³ units of the last place, where it comes to that."""
    numbers = np.array([[k * size + 0.25 for k in range(1, LONG + 1)]])
    x = Matrix(numbers, None, 2)
    total, places = products_shown(*[LineOfCells(x, range(1), range(LONG))] * 2)
    units = [k * size * 100 + 25 for k in range(1, LONG + 1)]
    assert (total, places) == (decimals.counted(sum(k * k for k in units), 4), 4)


SUMS = (
    ops.RowSum(),
    ops.RowMean(),
    ops.DivideByRowSum(),
    ops.DivideByColumnSum(),
    ops.MeanOfSquares(),
)
PRODUCTS = {
    "x W": (ops.MatMul(), "2 k, k 3"),
    "x Wᵀ": (ops.Linear(), "2 k, 3 k"),
    "xᵀ W": (ops.TransposedWeights(), "k 2, k 3"),
    "x W + b": (ops.Affine(), "2 k, k 3, 1 3"),
    "x Wᵀ + b": (ops.AffineTransposed(), "2 k, 3 k, 1 3"),
    "W x + U a + b": (AddUp(2, 0, 1), "3 k, k 1, 3 k, k 1, 1 3"),
    "x W + a U + c + b": (AddUp(2, 1, 1, in_out=True), "k 3, k 1, 20 3, 20 1, 3 1, 1 3"),
}
MANY = [*((one, shape) for one in SUMS for shape in ("2 k", "k 2")), *PRODUCTS.values()]
NAMES = [*(f"{type(one).__name__} {shape}" for one in SUMS for shape in ("2 k", "k 2")), *PRODUCTS]


def drawn(shapes: str, length: int, seed: int, *, carry: bool) -> list[Matrix]:
    """Operands of such shapes, k long. Where there are several, they have signs, and some of their
    numbers are less than a unit of the last place."""
    rng = np.random.default_rng(seed)
    made = []
    for shape in shapes.split(", "):
        sides = [length if side == "k" else int(side) for side in shape.split()]
        numbers = rng.uniform(0.1, 3, sides)
        if "," in shapes:
            numbers *= rng.choice([-0.00001, -1, 1, 1], sides)
        made.append(Matrix.of_array(numbers, 4, carry=carry))
    return made


def in_brief(
    operation: ops.Operation, made: Matrix, operands: Sequence[Matrix]
) -> Iterator[tuple[list[str], str, list[str], str]]:
    """What lines say and the signs before their results: as a page cuts all of them short, and as
    it makes them short."""
    for i, j in np.ndindex(min(2, made.shape[0]), 1):
        both = operation.cell(i, j, *operands), operation.brief(i, j, *operands)
        (whole, brief), number = both, made.number(i, j)
        told = [[plain(shortened(form, MOST_PARTS)) for form in forms] for forms in both]
        signs = [evaluation.relation(forms[-1], number) for forms in (whole, brief)]
        yield told[0], signs[0], told[1], signs[1]


@pytest.mark.parametrize(("operation", "shapes"), MANY, ids=NAMES)
@pytest.mark.parametrize("rounding", [EXACT, CARRY])
@pytest.mark.parametrize("length", [LONG, 20])
def test_in_brief_a_line_says_the_same(
    operation: ops.Operation, shapes: str, rounding: Rounding, length: int
) -> None:
    """With the same sign before its result, which hangs on all terms."""
    for seed in range(2):
        operands = drawn(shapes, length, seed, carry=rounding.carries or seed == 1)
        made = operation.make(rounding, "step", *operands)
        for whole, sign, brief, its_sign in in_brief(operation, made, operands):
            assert (whole, sign) == (brief, its_sign)


@pytest.mark.parametrize("several", [False, True])
def test_signs_of_both_kinds_are_seen(several: bool) -> None:
    """Among the sums above, so that it means something that they agree."""
    some = (*PRODUCTS.values(),) if several else ((ops.RowSum(), "2 k"), (ops.RowMean(), "2 k"))
    signs = set()
    for seed, (operation, shapes), carry in product(range(2), some[:2], (True, False)):
        operands = drawn(shapes, LONG, seed, carry=carry)
        made = operation.make(EXACT, "step", *operands)
        signs.add(evaluation.relation(operation.brief(0, 0, *operands)[-1], made.number(0, 0)))
    assert signs == {"=", "≈"}


def test_a_long_product_that_is_left_out_is_long() -> None:
    """Then the form with the products worked isn't told, whichever of them it is."""
    numbers = np.full((1, LONG), 0.5)
    for place, forms in ((None, 2), (400, 1), (LONG - 1, 1)):
        if place is not None:
            numbers = numbers.copy()
            numbers[0, place] = 3e-9
        x, W = Matrix(numbers, None, 4), Matrix(numbers.T.copy(), None, 4)
        assert len(ops.MatMul().brief(0, 0, x, W)) == len(ops.MatMul().cell(0, 0, x, W)) == forms


def test_what_is_left_out_has_no_value_unless_it_is_told() -> None:
    from attncli.arithmetic.expression import Omitted, Sum

    with pytest.raises(TypeError):
        evaluation.shown(Sum((Omitted(),)))


def test_the_cards_of_a_wide_model_make_the_numbers_that_they_tell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(2)
    wide = rng.standard_normal((LONG, LONG)) / 30
    network = {"W1": wide, "b1": rng.standard_normal((1, LONG)), "W2": wide}
    source = {"output": rng.standard_normal((3, LONG)), **network, "rounding": {"policy": "exact"}}
    trace = work(load(source, large=True))
    made = noted(monkeypatch)
    page = page_of(trace, "html", 80, "rows")
    assert page.count('data-n="') > 40
    assert 40 < len(made) < 2 * LONG


def noted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The columns of all numbers that come to be made."""
    made, number = list[int](), Matrix._number

    def counted(matrix: Matrix, i: int, j: int) -> object:
        made.append(j)
        return number(matrix, i, j)

    monkeypatch.setattr(Matrix, "_number", counted)
    return made


@pytest.mark.parametrize("policy", ["carry", "exact"])
@pytest.mark.parametrize("detail", ["full", "rows"])
def test_a_page_of_a_large_vocabulary_makes_the_numbers_that_it_tells(
    policy: str, detail: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    width = 40_000  # too many to be worked again where a float is in doubt
    logits = np.random.default_rng(2).standard_normal((3, width))
    rounding = {"policy": policy, "decimals": 6}
    trace = work(load({"logits": logits, "rounding": rounding}, large=True))
    made = noted(monkeypatch)
    page = page_of(trace, "terminal", 80, detail)
    assert "exp_sum" in page
    assert 20 < len(made) < width / 40
