"""Equations as text: what they are read into, where an unreadable one is wrong, and swaps."""

from __future__ import annotations

import pickle

import pytest

from attncli.maths.equations.formulas import cell
from attncli.maths.equations.tree import (
    Expression,
    Negative,
    Product,
    Quotient,
    Sum,
    Symbol,
    Total,
    constant,
)
from attncli.maths.operations.equation import EquationText, equation, is_a, read
from tests.helpers.equations import EXAMPLES, texts


@pytest.mark.parametrize("name", sorted(texts()))
def test_every_equation_can_be_read(name: str) -> None:
    equation_text = texts()[name]
    shapes, tree, _ = read(equation_text, {number: constant(3) for number in equation_text.names})
    assert shapes.partition(" -> ")[0] == ", ".join(sides for _, sides in equation_text.operands)
    known = next(
        example.operation
        for example in EXAMPLES.values()
        if example.operation.equation == equation_text
    )
    assert type(tree) is type(known.tree)


def test_sums_go_on_and_parentheses_hold_them_together() -> None:
    a, b, c = (cell(k, "i") for k in range(3))

    def read_of(text: str) -> Expression:
        return equation(text, a="n 1", b="n 1", c="n 1")().tree

    assert read_of("a[i] + b[i] - c[i]") == Sum((a, b, Negative(c)))
    assert read_of("(a[i] + b[i]) - c[i]") == Sum((Sum((a, b)), Negative(c)))
    assert read_of("a[i] * (b[i] * c[i])") == Product((a, Product((b, c))))


def test_an_index_of_a_sum_has_one_meaning_in_the_tree() -> None:
    made = equation("x[i, j] / sum(x[i, j] for j in m)", x="n m")()
    x = cell(0, "i", "j")
    assert made.tree == Quotient(x, Total("k", cell(0, "i", "k")))
    assert made.shown == Quotient(x, Total("j", x))


def test_how_long_a_side_is_has_its_letter_in_the_formula() -> None:
    made = equation("sum(x[i, j] for j in m) / m", x="n m")()
    assert isinstance(made.shown, Quotient)
    assert made.shown.divisor == Symbol("m")


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("exp[i, j] / total[i]", 13, "no part of an equation; write "),
        ("exp[i, j] / total", 13, "nothing is called total; write exp, exp_sum, m, n, pi"),
        ("exp[i] / exp_sum[i]", 1, "exp has 2 indices, for n m; write exp[i, j]"),
        ("exp[i, j] / exp_sum[j]", 13, "j goes along m, not along n; write another index, or sum("),
        ("exp[i, j] // 2", 1, "no part of an equation; write + - * / **"),
        ("exp[i, j] / max(exp[i, k] for k in m)", 16, "no part of an equation"),
        ("exp[i, j] /", 12, "invalid syntax; write it as Python does"),
        ("sum(exp[i, k] for k in n) / exp_sum[i]", 5, "k goes along n, not along m"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, column: int, says: str) -> None:
    written = equation(text, exp="n m", exp_sum="n 1")  # the line that is told
    with pytest.raises(SyntaxError) as wrong:
        written()
    line = test_what_is_wrong_is_said_with_its_place.__code__.co_firstlineno
    assert says in str(wrong.value.msg)
    assert (wrong.value.filename, wrong.value.offset, wrong.value.text) == (__file__, column, text)
    assert wrong.value.lineno is not None
    assert line < wrong.value.lineno < line + 20


def test_a_swap_changes_a_part_wherever_it_stands() -> None:
    right = equation("x[i, j] - rate * x[i, j] * g[i, j]", x="n m", g="n m")
    assert right.swap("x[i, j]", "x[i, j] + 1").text == (
        "(x[i, j] + 1) - rate * (x[i, j] + 1) * g[i, j]"
    )
    alone = right.swap("rate * x[i, j] * g[i, j]", "x[i, j]")
    assert alone.operands == (("x", "n m"),)
    with pytest.raises(SyntaxError, match=r"there is no g\[i\] to swap"):
        right.swap("g[i]", "x[i, j]")


def test_numbers_stay_as_they_are_written() -> None:
    times = equation("x[i, j] * factor", whole=True, x="n m")
    short, long = (times(constant(number)) for number in ("2", "2.00"))
    assert str(short.tree) != str(long.tree)
    assert is_a(short, times)
    assert is_a(long, times)
    assert not is_a(short, times.swap("x[i, j]", "2"))
    with pytest.raises(ValueError, match="argument"):
        times(constant(2), constant(3))


def test_an_operation_is_the_same_from_a_file() -> None:
    made = EXAMPLES["over_root"].operation
    assert pickle.loads(pickle.dumps(made)) == made
    assert isinstance(made.equation, EquationText)
