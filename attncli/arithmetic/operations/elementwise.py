"""Operations that go number by number: dividing by a number, adding."""

from __future__ import annotations

from attncli.arithmetic.equations.formulas import X, cell, whole
from attncli.arithmetic.equations.working import sum_of
from attncli.arithmetic.expression import (
    Apply,
    Expression,
    Number,
    Product,
    Quotient,
    Sum,
    constant,
    minus,
)
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.indexed import Indexed

_X, _Y = cell(0, "i", "j"), cell(1, "i", "j")


class DivideBy(Indexed):
    """Every number divided by one number, given as an expression: 8, or √d_k as `√2`; `symbol` is
    it in a formula, where that isn't its number."""

    def __init__(self, divisor: Expression, symbol: Expression | None = None) -> None:
        super().__init__("n m -> n m", Quotient(_X, divisor), Quotient(X, symbol or divisor))


class MultiplyBy(Indexed):
    """Every number multiplied by one number, which `symbol` is in a formula."""

    def __init__(self, factor: Expression, symbol: Expression | None = None) -> None:
        super().__init__("n m -> n m", Product((_X, factor)), Product((X, symbol or factor)))

    def places(self, *operands: Matrix) -> int | None:  # noqa: ARG002
        return None  # so that it is told with as many as the rounding says, as √d_k x is


class Add(Indexed):
    """Matrices added up, number by number. [n, m], [n, m], … -> [n, m]"""

    layout = "rows"

    def __init__(self, count: int) -> None:
        total = sum_of([cell(k, "i", "j") for k in range(count)])
        super().__init__(", ".join(["n m"] * count) + " -> n m", total, whole(total))


class Multiply(Indexed):
    """Two matrices multiplied number by number, as a gate does. [n, m], [n, m] -> [n, m]"""

    def __init__(self) -> None:
        super().__init__("n m, n m -> n m", Product((_X, _Y)))


class MeanOf(Indexed):
    """The mean of several matrices, number by number. [n, m], [n, m], … -> [n, m]"""

    layout = "rows"

    def __init__(self, count: int) -> None:
        mean = Quotient(sum_of([cell(k, "i", "j") for k in range(count)]), constant(count))
        super().__init__(", ".join(["n m"] * count) + " -> n m", mean, whole(mean))


class MixtureOf(Indexed):
    """Matrices added up, those that are `weighted` times a number of their own for each row, which
    stands before them. [n, 1], [n, m], [n, 1], [n, m], …, [n, m] -> [n, m]"""

    layout = "rows"

    def __init__(self, weighted: tuple[bool, ...]) -> None:
        terms: list[Expression] = []
        shapes: list[str] = []
        for has_weight in weighted:
            weight = [cell(len(shapes), "i")] * has_weight
            shapes += ["n 1"] * has_weight
            made = cell(len(shapes), "i", "j")
            shapes.append("n m")
            terms.append(Product((*weight, made)) if weight else made)
        super().__init__(f"{', '.join(shapes)} -> n m", sum_of(terms))

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        """Without those whose number is 0, of which nobody needs to know what they are."""
        whole = super().first_form(i, j, *operands)
        terms = whole.terms if isinstance(whole, Sum) else (whole,)
        return sum_of([one for one in terms if not _is_nothing(one)])

    def whole_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        return super().first_form(i, j, *operands)


def _is_nothing(term: Expression) -> bool:
    """Whether a term is something times 0."""
    match term:
        case Product((Number(full, _), _)):
            return not full
        case _:
            return False


class SoftCap(Indexed):
    """cap × tanh(x / cap), which never gets past ±cap (Gemma 2, arXiv:2408.00118, 2).
    [n, m] -> [n, m]"""

    def __init__(self, cap: Number) -> None:
        capped = Product((cap, Apply("tanh", (Quotient(_X, cap),))))
        super().__init__("n m -> n m", capped, whole(capped))


class Dropout(Indexed):
    """x × kept / (1 − p): what isn't kept is 0, the rest is scaled up to make up for it
    (Srivastava et al. 2014; inverted). `kept` is a table of ones and zeros.
    [n, m], [n, m] -> [n, m]"""

    def __init__(self, p: Number) -> None:
        super().__init__("n m, n m -> n m", Quotient(Product((_X, _Y)), minus(constant(1), p)))
