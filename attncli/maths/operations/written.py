"""Equations that a scenario brings: operations that are told by their author's own formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from attncli.maths.equations import deciding
from attncli.maths.equations import tree as ex
from attncli.maths.equations.inside_out import row_worked_inside_out, worked_inside_out
from attncli.maths.equations.long_sums import MANY
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Equation, Expression, Symbol, define
from attncli.maths.numbers.rounding import Array, Rounding, TooLong, Unworkable
from attncli.maths.operations.equation import Indexed
from attncli.maths.operations.masking import MET
from attncli.maths.operations.operation import WholeNumbers, Working, cells_of_row

_MOST_SEARCHED = 10_000
"""Cells among which one is looked for that can't be worked."""


@dataclass(frozen=True)
class WrittenOperation(Indexed):
    """An operation that is an equation of a scenario."""

    counts: frozenset[int] = frozenset()
    """The places of operands that count along a side."""
    decimals: int = 0
    """The decimals that the results are shown with."""

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        return super().first_form(i, j, *self._counted(operands))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return worked_inside_out(self.first_form(i, j, *operands), self.decimals)

    def brief(self, i: int, j: int, *operands: Matrix) -> Working:
        if self.leaves(*operands) <= MANY:
            return self.cell(i, j, *operands)
        fill = self._follows.filled_in_short(self.decimals)
        form = fill({"i": i, "j": j, "": 0}, self._counted(operands))
        return worked_inside_out(form, self.decimals)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:
        if "j" not in self.sides.indices or not self._has_parts_of_cells():
            forms = super().row(i, names, *operands)
        else:
            extents = self.sides.extents([operand.shape for operand in operands])
            forms = (cells_of_row(self, i, extents[self.sides.result[1]], *operands),)
        match forms:
            case (*_, ex.Vector() as last):
                return (*forms, *row_worked_inside_out(last, self.decimals))
            case _:
                return forms

    def _has_parts_of_cells(self) -> bool:
        """Tells whether something in it is worked for each cell by itself: what is added up inside
        another part, or chosen."""
        inside = [part for child in ex.children(self.tree) for part in ex.each(child, ex.Node)]
        adds_up = any(isinstance(part, ex.Total | ex.Reduced) for part in inside)
        return adds_up or any(part.function == "where" for part in ex.each(self.tree, ex.Apply))

    def whole_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        """Returns the first form for numbers that may change; conditions on places alone don't."""
        if all(self._is_settled(x) for x in ex.each(self.tree, ex.Apply) if x.function == "where"):
            return self.first_form(i, j, *operands)
        return super().whole_form(i, j, *self._counted(operands))

    def _counted(self, operands: tuple[Matrix, ...]) -> tuple[Matrix, ...]:
        """Returns the operands, of which places along a side are numbers of no quantity."""
        if not self.counts:
            return operands
        return tuple(o.named("") if k in self.counts else o for k, o in enumerate(operands))

    @np.errstate(all="ignore")
    def round_result(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:
        try:
            return super().round_result(rounding, step, *operands)
        except (TooLong, ArithmeticError, ValueError) as trouble:
            known = [operand.in_full or operand for operand in operands]
            better = self._trouble(trouble, operands, known)
            if better is None:
                raise
            raise better from None

    def _trouble(
        self, trouble: Exception, operands: Sequence[Matrix], known: Sequence[Matrix]
    ) -> Unworkable | None:
        """Finds the first cell that can't be worked, and the part of it that can't; None
        where each can."""
        values = self.arrays([operand.values for operand in operands])
        worst = int(np.nan_to_num(np.abs(values), nan=np.inf).argmax())
        row, column = divmod(worst, values.shape[1])
        part = failing(self.first_form(row, column, *operands))
        if isinstance(trouble, TooLong) and part is None:
            return TooLong(row, trouble.what, trouble.instead, column)
        odd = [*np.argwhere(~np.isfinite(values)).tolist(), *np.ndindex(*values.shape)]
        for i, j in odd[:_MOST_SEARCHED]:
            for matrices in (operands, known):
                part = failing(self.first_form(i, j, *matrices))
                if part is not None and self._is_mean_of_nothing(i, j, matrices):
                    return Unworkable(i, "mean over nothing", MET, j)
                if part is not None:
                    return Unworkable(i, *part, j)
        if isinstance(trouble, Unworkable):
            return type(trouble)(row, trouble.what, trouble.instead, column)
        return None

    def _is_mean_of_nothing(self, i: int, j: int, operands: Sequence[Matrix]) -> bool:
        told = self.told and any(x.function == "mean" for x in ex.each(self.told.right, ex.Reduced))
        quotients = ex.each(self.first_form(i, j, *operands), ex.Quotient)
        return bool(told) and any(x.parts == (ex.ZERO, ex.ZERO) for x in quotients)

    def _is_settled(self, choice: ex.Apply) -> bool:
        condition = choice.arguments[0]
        return all(operand.place in self.counts for operand in ex.operands_in(condition))


@dataclass(frozen=True)
class Counting(WholeNumbers):
    """The places along a side, 1, 2, …, as numbers. -> [n, 1]"""

    untold = True

    length: int

    def signature(self) -> str:
        return f"-> {self.length} 1"

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        return define(name, Symbol(f"1, …, {self.length}"))

    def values(self, *operands: Matrix) -> Array:  # noqa: ARG002
        return np.arange(1.0, self.length + 1)[:, np.newaxis]

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        return (ex.constant(i + 1),)


def failing(form: Expression) -> tuple[str, str] | None:
    """Finds the innermost part of a form that has no value: what is wrong, and what would be right;
    None where all have one."""
    for part in ex.children(form):
        inner = failing(part)
        if inner is not None:
            return inner
    match form:
        case ex.Quotient(_, divisor) if _value(divisor) == 0:
            return "0 to divide by", "another divisor"
        case ex.Apply("max" | "min" as function, ()):
            return f"{function} over nothing", MET
        case ex.Power(base, exponent) if base != ex.E:
            return _failing_power(_value(base), _value(exponent))
        case ex.Apply("ln", (argument,)) | ex.Root(argument):
            return _failing_function(isinstance(form, ex.Root), _value(argument))
    return None


def _failing_function(is_root: bool, x: Decimal | None) -> tuple[str, str] | None:
    if x is None:
        return None
    if is_root:
        return (f"√ of {_in_few_digits(x)}", "a number of 0 or more") if x < 0 else None
    return (f"ln of {_in_few_digits(x)}", "a number above 0") if x <= 0 else None


def _failing_power(base: Decimal | None, exponent: Decimal | None) -> tuple[str, str] | None:
    if base is None or exponent is None:
        return None
    if base == 0 and exponent < 0:
        return f"0 to the power of {_in_few_digits(exponent)}", "a base that isn't 0"
    if base < 0 and exponent != exponent.to_integral_value():
        what = f"{_in_few_digits(base)} to the power of {_in_few_digits(exponent)}"
        return what, "a base of 0 or more, or a whole exponent"
    return None


def _value(part: Expression) -> Decimal | None:
    """Computes a part; None where that can't be done."""
    try:
        value = deciding.full(part)
    except (ArithmeticError, ValueError):
        return None
    return value if value.is_finite() else None


def _in_few_digits(number: Decimal) -> str:
    """Writes a number in a few digits."""
    return f"{float(number):.6g}".replace("-", "−")


class Rearranged(WrittenOperation):
    """The numbers of one operand in another order."""

    layout = "rows"
    copies = True


class Condition(WrittenOperation):
    """Which cells meet a condition: 1, and 0 elsewhere."""

    layout = "rows"
    is_condition = True
    copies = True

    def round_result(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:  # noqa: ARG002
        return Matrix(self.values(*operands), 0, 0)
