"""The decimals that hold every true value of an equation, and its values as fractions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Context, Decimal, Inexact
from typing import NamedTuple

from attncli.maths.equations import deciding
from attncli.maths.equations import tree as ex
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Expression, constant, operands_in
from attncli.maths.numbers import decimals


def reciprocal(number: Decimal) -> Decimal | None:
    """Divides 1 by a number; returns None where that takes more than 15 digits."""
    context = Context(prec=decimals.SIGNIFICANT, traps=[Inexact])
    try:
        return context.divide(Decimal(1), number)
    except Inexact:
        return None


class PlacesOfParts(NamedTuple):
    """The decimals of the parts of an equation, for these operands."""

    operands: Sequence[Matrix]

    def of(self, node: Expression) -> int | None:
        """Counts the decimals that hold every value of a part; None where no number of them
        does."""
        match node:
            case ex.Operand(place):
                return self.operands[place].places
            case ex.Number(full):
                return decimals.places(full)
            case ex.Length():
                return 0
            case _:
                return self._of_parts(node)

    def _of_parts(self, node: Expression) -> int | None:
        match node:
            case (
                ex.Total(_, operand) | ex.Reduced("max" | "min", _, operand) | ex.Negative(operand)
            ):
                return self.of(operand)
            case ex.Sum(parts) | ex.Apply("max" | "min", parts) | ex.Apply("where", (_, *parts)):
                return _of_all(max, map(self.of, parts))
            case ex.Product(factors):
                return _of_all(sum, map(self.of, factors))
            case ex.Power(base, ex.TWO) if base != ex.E:
                return _of_all(sum, (self.of(base), self.of(base)))
            case ex.Quotient(dividend, divisor) if not any(operands_in(divisor)):
                return _of_all(sum, (self.of(dividend), self._of_reciprocal(divisor)))
            case _:
                return None

    def _of_reciprocal(self, divisor: Expression) -> int | None:
        over = reciprocal(deciding.full(self.counted(divisor)))
        return None if over is None else decimals.places(over)

    def counted(self, divisor: Expression) -> Expression:
        """Replaces the lengths in a divisor by numbers."""

        def count(node: ex.Length) -> Expression:
            return constant(self.operands[node.place].shape[node.axis])

        return ex.with_each(divisor, ex.Length, count)


def _of_all(function: Callable[[list[int]], int], places: Iterable[int | None]) -> int | None:
    found = list(places)
    known = [index for index in found if index is not None]
    return function(known) if len(known) == len(found) else None
