"""Derivatives of equations: beside finite differences of 60 digits, and PyTorch's autograd."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from attncli.maths.equations import deciding
from attncli.maths.equations.formulas import cell
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Apply, Power, Product, constant
from attncli.maths.notation import plain, unbreakable
from attncli.maths.numbers.rounding import Rounding, Unworkable
from attncli.maths.operations.equation import Indexed
from tests.conftest import THOROUGH, share
from tests.helpers import ops, truth
from tests.helpers.equations import EXAMPLES, SEVERAL, Example, equations, texts

ALL = EXAMPLES | SEVERAL
PLACES = [
    (name, place)
    for name, e in ALL.items()
    for place, kind in enumerate(e.kinds)
    if kind not in "bc"
]
SMALLEST = Decimal("5e-324")
"""A float can be no nearer to a number than its smallest ones lie apart."""


def test_every_equation_has_an_example() -> None:
    operations = [example.operation for example in EXAMPLES.values()]
    assert {*texts().values()} - {o.equation for o in operations} == set()
    bases = {kind for o in operations for kind in type(o).__mro__}
    assert {*equations()} - bases == set()


def sides_of(signature: str) -> list[list[str]]:
    """The rows and columns of each operand."""
    return [text.split() for text in signature.partition("-> ")[0].split(", ") if text.strip()]


def extents_of(signature: str) -> Iterator[dict[str, int]]:
    """Extents: all of them 1, each of them 1, none of them 1."""
    letters = sorted({side for sides in sides_of(signature) for side in sides} - {"1"})
    for single in ({*letters}, *({letter} for letter in letters), set[str]()):
        yield {"1": 1, **{x: 1 if x in single else 2 + k % 2 for k, x in enumerate(letters)}}


def drawn(random: Random, shape: tuple[int, int], kind: str) -> Matrix:
    """Numbers of two decimals, none of them 0: away from kinks and what can't be divided by."""

    def number() -> Decimal:
        if kind == "b":
            return Decimal(random.randint(0, 1))
        size = Decimal(random.randint(5, 95 if kind == "s" else 250)).scaleb(-2)
        return size if kind in "ps" or random.random() < 0.6 else -size

    return Matrix.of_written([[number() for _ in range(shape[1])] for _ in range(shape[0])])


class Problem:
    """An operation on numbers, its result to 60 digits, and a gradient of that."""

    def __init__(self, operation: ops.Operation, operands: Sequence[Matrix]) -> None:
        self.operation, self.operands = operation, [*operands]
        rows, columns = operation.values(*operands).shape
        self.shape = rows, columns
        self.result = Matrix.of_written(self.cells(operands))
        self.gradient = drawn(Random(len(operands)), self.shape, "f")

    def cells(self, operands: Sequence[Matrix]) -> list[list[Decimal]]:
        return true_cells(self.operation, operands, self.shape)

    @property
    def known(self) -> list[Matrix]:
        """The operands of a derivative."""
        return [*self.operands, self.result, self.gradient]

    def loss(self, place: int, changed: Matrix) -> Fraction:
        """Σ G R with another operand in a place."""
        cells = self.cells([*self.operands[:place], changed, *self.operands[place + 1 :]])
        pairs = zip(self.gradient.written or (), cells, strict=True)
        return sum(
            (Fraction(g) * Fraction(r) for row in pairs for g, r in zip(*row, strict=True)),
            start=Fraction(0),
        )


def true_cells(
    operation: ops.Operation, operands: Sequence[Matrix], shape: tuple[int, ...]
) -> list[list[Decimal]]:
    cells = [[operation.cell(i, j, *operands)[0] for j in range(shape[1])] for i in range(shape[0])]
    return [[deciding.full(node) for node in row] for row in cells]


@cache
def problems(example: Example, seed: int = 1) -> tuple[Problem, ...]:
    return tuple(_problems(example, seed))


def _problems(example: Example, seed: int) -> Iterator[Problem]:
    """An operation on operands of many shapes, those that it can be worked with."""
    signature = example.operation.signature()
    for k, extents in enumerate(extents_of(signature)):
        random = Random(100 * seed + k)
        shapes = [(extents[rows], extents[columns]) for rows, columns in sides_of(signature)]
        pairs = zip(shapes, example.kinds, strict=True)
        operands = [drawn(random, shape, kind) for shape, kind in pairs]
        try:
            example.operation.refuse(*operands)
        except Unworkable:
            continue
        yield Problem(example.operation, operands)


STEP = Decimal("1e-18")


def slope(problem: Problem, place: int, i: int, j: int) -> Fraction:
    """A central difference, which leaves out about a step squared."""
    losses = [problem.loss(place, moved(problem.operands[place], i, j, by)) for by in (STEP, -STEP)]
    return (losses[0] - losses[1]) / Fraction(2 * STEP)


def is_near(number: Fraction, true: Fraction, share: str) -> bool:
    return abs(number - true) <= Fraction(share) * max(Fraction(1), abs(true))


def moved(matrix: Matrix, i: int, j: int, by: Decimal) -> Matrix:
    rows = [[*row] for row in matrix.written or ()]
    rows[i][j] += by
    return Matrix.of_written(rows)


@pytest.mark.parametrize(("name", "place"), share(2, PLACES, "finite differences"))
def test_derivatives_are_what_finite_differences_come_to(name: str, place: int) -> None:
    operation = ALL[name].operation
    found = ops.derivative(operation, place)
    for problem in problems(ALL[name]):
        shape = problem.operands[place].shape
        assert found.values(*problem.known).shape == shape
        cells = true_cells(found, problem.known, shape)
        for i, j in np.ndindex(shape):
            assert is_near(Fraction(cells[i][j]), slope(problem, place, i, j), "1e-25")


@pytest.mark.real("torch")
@pytest.mark.parametrize("name", ALL)
def test_derivatives_are_those_of_autograd(name: str) -> None:
    torch = pytest.importorskip("torch")
    example = ALL[name]
    for problem in problems(example, seed=2):
        tensors = [torch.tensor(x.values.copy(), requires_grad=True) for x in problem.operands]
        result = example.torch(*tensors)
        np.testing.assert_allclose(
            problem.result.values, result.detach().numpy(), rtol=1e-12, atol=1e-13
        )
        if result.requires_grad:
            result.backward(torch.tensor(problem.gradient.values.copy()))
        for place, tensor in enumerate(tensors):
            if (name, place) not in PLACES:
                continue
            found = ops.derivative(example.operation, place).values(*problem.known)
            np.testing.assert_allclose(found, tensor.grad.numpy(), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(("name", "place"), share(2, PLACES, "next to their bounds"))
def test_derivatives_are_operations_like_others(name: str, place: int) -> None:
    """Cells and values agree as nearly as the bound says, and round alike; all forms of a working
    are of one value."""
    found = ops.derivative(ALL[name].operation, place)
    for problem in problems(ALL[name], seed=3):
        values = found.values(*problem.known)
        most = truth.off(found.error(*problem.known), values)
        rounded = found.make(Rounding("carry", 3), "step", *problem.known)
        for i, j in np.ndindex(values.shape):
            forms = found.cell(i, j, *problem.known)
            true, value = deciding.full(forms[0]), float(values[i, j])
            assert abs(Decimal(value) - true) <= Decimal(float(most[i, j])) + SMALLEST
            assert most[i, j] <= 1e-10
            assert is_near(Fraction(value), Fraction(true), "1e-12")
            assert Fraction(rounded.number(i, j).shown) == truth.rounded(forms[0], 3)
            for form in forms:
                assert is_near(Fraction(deciding.full(form)), Fraction(true), "1e-50")


@pytest.mark.parametrize(("name", "place"), [*product(ops.ACTIVATIONS, [0])])
def test_no_slope_is_farther_off_than_it_may_be(name: str, place: int) -> None:
    """Of arguments of all sizes."""
    operation = ALL[name].operation
    found, random = ops.derivative(operation, place), Random(4)
    for _ in range(100 if THOROUGH else 40):
        x = Decimal(random.randint(-(7 * 10**8), 7 * 10**8)).scaleb(-6 - random.randint(0, 6))
        problem = Problem(operation, [Matrix.of_written([[x]])])
        values = found.values(*problem.known)
        true = deciding.full(found.cell(0, 0, *problem.known)[0])
        most = truth.off(found.error(*problem.known), values)
        assert abs(Decimal(values.item()) - true) <= Decimal(most.item()) + SMALLEST


@pytest.mark.real("torch")
@pytest.mark.parametrize("kind", ops.ACTIVATIONS)
def test_slopes_at_a_kink_are_those_of_autograd(kind: str) -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor([[0.0, -1.0, 1.0]], dtype=torch.float64, requires_grad=True)
    EXAMPLES[kind].torch(x).sum().backward()
    problem = Problem(ops.Activate(kind), [Matrix.of_written([[Decimal(n) for n in (0, -1, 1)]])])
    ones = Matrix.of_written([[Decimal(1)] * 3])
    found = ops.derivative(problem.operation, 0).values(*problem.operands, problem.result, ones)
    np.testing.assert_allclose(found, x.grad.numpy(), rtol=1e-14)


@pytest.mark.real("torch")
@pytest.mark.parametrize("kind", ops.ACTIVATIONS)
def test_slopes_far_from_0_are_those_of_autograd(kind: str) -> None:
    """Where an exponential by itself would be too large for floats."""
    torch = pytest.importorskip("torch")
    x = torch.tensor([[-1e4, -800.0, -20.0, 20.0, 800.0, 1e4]], dtype=torch.float64)
    x.requires_grad = True
    result = EXAMPLES[kind].torch(x)
    result.sum().backward()
    known = (
        Matrix(np.array(entry), None, 3)
        for entry in (x.detach().numpy(), result.detach().numpy(), [[1.0] * 6])
    )
    found = ops.derivative(ops.Activate(kind), 0).make(Rounding("exact", 3), "step", *known)
    np.testing.assert_allclose(found.values, x.grad.numpy(), rtol=1e-12, atol=1e-16)


FORMULAS: list[tuple[ops.Operation, int, str]] = [
    (ops.DivideBy(constant(8)), 0, "dX = G / 8"),
    (ops.Multiply(), 0, "dX[i, j] = G[i, j] × W[i, j]"),
    (ops.Activate("tanh"), 0, "dX[i, j] = G[i, j] × (1 − R[i, j]^2)"),
    (ops.Activate("sigmoid"), 0, "dX[i, j] = G[i, j] × R[i, j] × (1 − R[i, j])"),
    (ops.Activate("relu"), 0, "dX[i, j] = G[i, j] × step(X[i, j])"),
    (
        ops.Activate("gelu"), 0,
        "dX[i, j] = G[i, j] × ((1 + erf(X[i, j] / √2)) / 2"
        " + X[i, j] × e^(−X[i, j]^2/2) / √(2 × π))",
    ),
    (ops.ExponentialOf(), 0, "dX[i, j] = G[i, j] × R[i, j]"),
    (ops.Exponential(decimals=3, carry=True), 0, "dX[i, j] = G[i, j] × R[i, j]"),
    (ops.RowSum(), 0, "dX[i, j] = G[i]"),
    (ops.RowMean(), 0, "dX[i, j] = G[i] / d_model"),
    (ops.DivideByRow(), 0, "dX[i, j] = G[i, j] / W[i]"),
    (ops.DivideByRow(), 1, "dW[i] = −(Σ_j G[i, j] × R[i, j]) / W[i]"),
    (ops.DivideByRowSum(), 0, "dX[i, j] = (G[i, j] − Σ_k G[i, k] × R[i, k]) / (Σ_k X[i, k])"),
    (SEVERAL["softmax"].operation, 0, "dX[i, j] = R[i, j] × (G[i, j] − Σ_k G[i, k] × R[i, k])"),
    (ops.MeanOfSquares(), 0, "dX[i, j] = 2 × G[i] × X[i, j] / d_model"),
    (ops.RootOf(constant("0.01")), 0, "dX[i] = G[i] / (2 × R[i])"),
    (ops.Normalize(True, False), 2, "db[j] = Σ_i G[i, j] × X[i, j] / W[i]"),
    (ops.Masked(), 0, "dX[i, j] = G[i, j] × W[i, j]"),
    (ops.AddFinite(), 0, "dX = G"),
    (ops.KeptSum(), 0, "dX[i, j] = G[i] × W[i, j]"),
    (ops.KeptShare(), 0, "dX[i, j] = G[i, j] × W[i, j] / b[i]"),
    (ops.AddUp(1, 0, 1), 0, "dX = G Wᵀ"),
    (ops.AddUp(1, 0, 1), 1, "dW = Xᵀ G"),
    (ops.GatedBlend(), 0, "dX[i] = G[i] × (W[i] − b[i])"),
    (ops.FrobeniusNorm(), 0, "dX[i, j] = G × X[i, j] / R"),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "place", "said"), FORMULAS)
def test_formulas_are_those_of_the_literature(
    operation: ops.Operation, place: int, said: str
) -> None:
    names = ["X", "W", "b"][: len(sides_of(operation.signature()))]
    formula = ops.derivative(operation, place).formula(f"d{names[place]}", *names, "R", "G")
    assert unbreakable(plain(formula)) == said


def test_a_second_derivative() -> None:
    """d²(x³)/dx² = 6x, as the derivative of G × 3x² with respect to x."""
    cube = Indexed("n m -> n m", Power(cell(0, "i", "j"), constant(3)))
    slope_of_cube = ops.derivative(cube, 0)
    second = ops.derivative(slope_of_cube, 0).formula("H", "x", "R", "G", "D", "V")
    assert unbreakable(plain(second)) == "H[i, j] = 6 × V[i, j] × G[i, j] × x[i, j]"


# -- operations that are no equations --------------------------------------------------------------

ROTATED = ((2, 5), (2, 2), (2, 2))

NO_EQUATIONS: list[tuple[ops.Operation, int, tuple[tuple[int, int], ...], str]] = [
    (ops.Same(), 0, ((2, 3),), "f"),
    (ops.TakeColumns(1, 3), 0, ((2, 6),), "f"),
    (ops.RepeatDown(1), 1, ((3, 2), (1, 3)), "ff"),
    (ops.WithoutColumn(last=True), 0, ((2, 3),), "f"),
    (ops.TakeColumn(1, 3, "expert"), 0, ((2, 3),), "f"),
    (ops.TakeRun(0, 2), 0, ((4, 2),), "f"),
    (ops.JoinColumns(3), 1, ((2, 1), (2, 2), (2, 3)), "fff"),
    (ops.JoinRows(), 0, ((1, 3), (2, 3)), "ff"),
    (ops.TakeRows((2, 0, 2, 2), ("c", "a", "c", "c")), 0, ((3, 2),), "f"),
    (ops.RowAsColumn(1), 0, ((3, 2),), "f"),
    (ops.ColumnsAsRows(2), 1, ((3, 1), (3, 1)), "ff"),
    (ops.Rotate("half", 4), 0, ROTATED, "fff"),
    (ops.Rotate("interleaved", 4), 0, ROTATED, "fff"),
    (ops.NegativeLog((1, 0, 3)), 0, ((3, 4),), "p"),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "place", "shapes", "kinds"), NO_EQUATIONS)
def test_derivatives_of_what_is_no_equation(
    operation: ops.Operation, place: int, shapes: tuple[tuple[int, int], ...], kinds: str
) -> None:
    random = Random(5)
    operands = [_one_of(random, shape, kind) for shape, kind in zip(shapes, kinds, strict=True)]
    values = operation.values(*operands)
    gradient = drawn(random, (len(values), values.shape[1]), "f")
    known = [*operands, Matrix(values, None, 3), gradient]
    found = ops.derivative(operation, place)
    expected = _float_slopes(operation, operands, place, gradient)
    np.testing.assert_allclose(found.values(*known), expected, rtol=1e-6, atol=1e-6)
    rounded, made = found.make(Rounding("carry", 3), "step", *known), found.values(*known)
    most = truth.off(found.error(*known), made)
    for (i, j), value in np.ndenumerate(made):
        form = found.cell(i, j, *known)[0]
        off = abs(Fraction(value) - Fraction(deciding.full(form)))
        assert off <= Fraction(float(most[i, j]))
        assert Fraction(rounded.number(i, j).shown) == truth.rounded(form, 3)


def test_the_formulas_of_what_is_no_equation() -> None:
    back = ops.derivative(ops.Rotate("half"), 0).formula("dQ", "Q", "cos", "sin", "R", "G")
    assert unbreakable(plain(back)) == (
        "dQ[i, (k, k+d_k/2)] = [G[i, k]×cos[i, k] + G[i, k+d_k/2]×sin[i, k],"
        " G[i, k+d_k/2]×cos[i, k] − G[i, k]×sin[i, k]]"
    )
    loss = ops.derivative(ops.NegativeLog((0,)), 0).formula("dP", "P", "R", "G")
    assert unbreakable(plain(loss)) == "dP[i, target] = −(G[i] / P[i, target])"
    taken = ops.derivative(ops.TakeColumns(0, 2), 0)
    assert unbreakable(plain(taken.formula("dQ", "Q", "R", "G"))) == (
        "dQ[columns: part 1 of 2] = G"
    )
    assert taken.signature() == "n 2*b, n b, n b -> n 2*b"


def _one_of(random: Random, shape: tuple[int, int], kind: str) -> Matrix:
    if kind != "b":
        return drawn(random, shape, kind)
    ones = [[Decimal(random.randint(0, 1)) for _ in range(shape[1])] for _ in range(shape[0])]
    return Matrix.of_written(ones)


def _float_slopes(
    operation: ops.Operation, operands: Sequence[Matrix], place: int, gradient: Matrix
) -> Any:
    shape = operands[place].shape
    slopes = np.zeros(shape)
    for i, j in np.ndindex(shape):
        ends = []
        for by in (1e-6, -1e-6):
            array = operands[place].values.copy()
            array[i, j] += by
            changed = [*operands[:place], Matrix(array, None, 3), *operands[place + 1 :]]
            ends.append(np.nan_to_num(operation.values(*changed), neginf=0.0))
        slopes[i, j] = (gradient.values * (ends[0] - ends[1])).sum() / 2e-6
    return slopes


@pytest.mark.parametrize(
    ("operation", "place", "name"),
    [
        (ops.Masked(), 1, "Masked"),
        (ops.KeptShare(), 1, "if kept[i, j] else 0"),
        (ops.AddFinite(), 1, "if finite(table[i, j]) else 0)"),
        (ops.ReluSlope(), 0, "if z[i] > 0 else 0"),
        (ops.TopK(2), 0, "TopK"),
        (ops.Rotate("half"), 1, "Rotate"),
        (ops.Seen((ops.Causal(),)), 0, "Seen"),
        (ops.RotaryTable("cos", None, constant(10000)), 0, "RotaryTable"),
    ],
)
def test_what_has_no_derivative_says_so(operation: ops.Operation, place: int, name: str) -> None:
    with pytest.raises(
        NotImplementedError, match=f"{re.escape(name)} has no derivative in operand {place + 1}"
    ):
        ops.derivative(operation, place)


@pytest.mark.parametrize(
    ("tree", "what"),
    [
        (cell(0, "i", "i"), "a diagonal"),
        (Apply("max", (Product((constant(2), cell(0, "i", "j"))),) * 3), "max of 3"),
    ],
)
def test_what_no_rule_is_known_for_says_so(tree: Any, what: str) -> None:
    with pytest.raises(TypeError, match=f"^{what}.*has no derivative"):
        ops.derivative(Indexed("n n -> n n", tree), 0)
