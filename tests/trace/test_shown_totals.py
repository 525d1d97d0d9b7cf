"""Long sums as a page tells them, without most of their terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pytest

from attncli.maths.equations import deciding
from attncli.maths.equations.elision import MOST_PARTS, shortened
from attncli.maths.equations.matrix import Matrix
from attncli.maths.notation import plain
from attncli.maths.numbers.rounding import Rounding
from attncli.maths.operations.recurrent import AddUp
from tests.conftest import sampled
from tests.helpers import ops

EXACT, CARRY = Rounding("exact", 4), Rounding("carry", 4)
LONG = 700


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
MANY = [*((i, shape) for i in SUMS for shape in ("2 k", "k 2")), *PRODUCTS.values()]
NAMES = [*(f"{type(i).__name__} {shape}" for i in SUMS for shape in ("2 k", "k 2")), *PRODUCTS]


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
        entries = [[plain(shortened(form, MOST_PARTS)) for form in forms] for forms in both]
        signs = [deciding.relation(forms[-1], number) for forms in (whole, brief)]
        yield entries[0], signs[0], entries[1], signs[1]


@sampled(3, many=MANY, rounding=[EXACT, CARRY], length=[LONG, 20])
def test_in_brief_a_line_says_the_same(
    many: tuple[ops.Operation, str], rounding: Rounding, length: int
) -> None:
    """With the same sign before its result, which hangs on all terms."""
    operation, shapes = many
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
        signs.add(deciding.relation(operation.brief(0, 0, *operands)[-1], made.number(0, 0)))
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
    from attncli.maths.equations.tree import Omitted, Sum

    with pytest.raises(TypeError):
        deciding.shown(Sum((Omitted(),)))
