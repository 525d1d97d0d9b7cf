"""An equation as a line of NumPy: run by itself on plain arrays, it makes the operation's values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attncli.arithmetic.equations.formulas import cell
from attncli.arithmetic.expression import (
    Apply,
    Expression,
    Power,
    Product,
    Root,
    Sum,
    Symbol,
    Total,
    constant,
)
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.rounding import Array
from attncli.notation.numpy import identifier, numpy_line
from tests import ops
from tests.equations import SEVERAL
from tests.test_derivative import ALL, PLACES, problems

LETTERS = "ABCDEFGHIJ"


def run(equation: Indexed, operands: list[Matrix]) -> Array:
    """What a line makes, in Python that knows nothing but NumPy."""
    names = LETTERS[: len(operands)]
    known = {name: one.values for name, one in zip(names, operands, strict=True)}
    variables = {"np": np, "math": math, **known}
    exec(numpy_line(equation, "made", *names), variables)
    return np.asarray(variables["made"])


def check(equation: Indexed, operands: list[Matrix]) -> None:
    made, values = run(equation, operands), equation.values(*operands)
    assert made.shape == values.shape
    np.testing.assert_allclose(made, values, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("name", ALL)
def test_a_line_makes_the_values(name: str) -> None:
    for problem in problems(ALL[name]):
        check(ALL[name].operation, problem.operands)


@pytest.mark.parametrize(("name", "place"), PLACES)
def test_the_line_of_a_derivative_makes_its_values(name: str, place: int) -> None:
    found = ops.derivative(ALL[name].operation, place)
    assert isinstance(found, Indexed)
    for problem in problems(ALL[name]):
        check(found, problem.known)


LINES: list[tuple[Indexed, tuple[str, ...], str]] = [
    (ops.DivideByRow(), ("exp", "exp_sum"), "made = exp / exp_sum"),
    (ops.RowSum(), ("exp",), "made = exp.sum(axis=1, keepdims=True)"),
    (ops.RowMean(), ("X",), "made = X.sum(axis=1, keepdims=True) / X.shape[1]"),
    (ops.DivideBy(Root(constant(2))), ("scores",), "made = scores / np.sqrt(2)"),
    (ops.Activate("relu"), ("hidden",), "made = np.maximum(0, hidden)"),
    (
        ops.Activate("gelu"), ("x",),
        "made = x * (1 + np.vectorize(math.erf)(x / np.sqrt(2))) / 2",
    ),
    (ops.Activate("silu"), ("x",), "made = x / (1 + np.exp(-x))"),
    (ops.RootOf(constant("0.01")), ("v",), "made = np.sqrt(v + 0.01)"),
    (ops.Normalize(True, True), ("c", "d", "gamma", "beta"), "made = c / d * gamma + beta"),
    (ops.AddUp(1, 0, 1), ("W", "x", "b"), "made = W @ x + b.T"),
    (ops.FrobeniusNorm(), ("W",), "made = np.sqrt((W ** 2).sum(keepdims=True))"),
    (SEVERAL["x_with_itself"].operation, ("X",), "made = X @ X.T"),
    (
        SEVERAL["softmax"].operation, ("x",),
        "made = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("equation", "names", "line"), LINES)
def test_lines_are_as_people_write_them(
    equation: Indexed, names: tuple[str, ...], line: str
) -> None:
    assert numpy_line(equation, "made", *names) == line


def test_names_of_quantities_are_names_of_python() -> None:
    assert identifier("heads[1].Q") == "heads_1_Q"
    assert identifier("a[t−1]") == "a_t_1"
    assert identifier("lambda") == "_lambda"
    assert identifier("np") == "_np"
    assert identifier("2nd") == "_2nd"
    line = numpy_line(ops.Multiply(), "layers[1].gate", "layers[1].a", "layers[1].b")
    assert line == "layers_1_gate = layers_1_a * layers_1_b"
    with pytest.raises(ValueError, match="not told apart"):
        numpy_line(ops.Multiply(), "c", "a.b", "a_b")


X = cell(0, "i", "j")


@pytest.mark.parametrize(
    ("tree", "what"),
    [
        (Apply("frobnicate", (X,)), "frobnicate is not a function of NumPy"),
        (Product((X, Symbol("d_k"))), "d_k is a name, not a number"),
        (Symbol("d_k", ("i",)), "d_k is a name"),
        (
            Total("k", Power(Sum((cell(0, "i", "k"), cell(0, "k", "j"))), constant(2))),
            "three indices",
        ),
        (Sum((X, cell(0, "i", "k"))), "has not the axes"),
    ],
)
def test_what_no_line_says_is_refused(tree: Expression, what: str) -> None:
    with pytest.raises(TypeError, match=what):
        numpy_line(Indexed("n n -> n n", tree), "made", "X")
