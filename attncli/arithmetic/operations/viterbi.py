"""The most probable cut of a word, place by place (Viterbi 1967)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.equations.working import sum_of
from attncli.arithmetic.expression import (
    Apply,
    Equation,
    Expression,
    Symbol,
    constant,
    minus,
)
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Operation, Working
from attncli.arithmetic.operations.lists import ListOfEquations, number_of
from attncli.arithmetic.rounding import Array, Error, largest


@dataclass(frozen=True)
class BelowTheLeast(Operation):
    """What a character costs that no piece covers: the least log-probability less a penalty.
    [p, 1] -> [1, 1]"""

    penalty: int

    shapes = "p 1 -> 1 1"

    def formula(self, name: str, *operands: str) -> Equation:
        least = Apply("min", (Symbol(operands[0]),))
        return define(name, minus(least, constant(self.penalty)))

    def values(self, *operands: Matrix) -> Array:
        return np.asarray(operands[0].values.min(axis=0, keepdims=True) - self.penalty)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        least = operands[0].number(int(operands[0].values[:, 0].argmin()), 0)
        return (minus(least, constant(self.penalty)),)

    def whole_form(self, i: int, j: int, *operands: Matrix) -> Expression:  # noqa: ARG002
        least = Apply("min", operands[0].column(0).entries)
        return minus(least, constant(self.penalty))

    def places(self, *operands: Matrix) -> int | None:
        return operands[0].places

    def error(self, *operands: Matrix) -> Error:
        return Error(2 * EPSILON * (largest(operands[0].values) + self.penalty))


@dataclass(frozen=True)
class Arrivals(ListOfEquations):
    """The totals of all pieces that end at a place of a word: the best total at its start, and its
    own log-probability. Each arrival is the row of its piece, None for a character that no piece
    covers; and which of the further operands is the best total at its start, None for that of the
    word. The first operand are the log-probabilities, the last one with `unknown` what such a
    character costs. [p, 1], [1, 1], … -> [arrivals, 1]"""

    arrivals: tuple[tuple[int | None, int | None], ...]
    starts: int
    unknown: bool = False

    def signature(self) -> str:
        others = ", 1 1" * (self.starts + self.unknown)
        return f"p 1{others} -> {len(self.arrivals)} 1"

    def formula(self, name: str, *operands: str) -> Equation:
        best = Symbol("best[start]")
        return define(at(name, "piece"), sum_of([best, at(operands[0], "piece")]))

    @property
    def trees(self) -> Sequence[Expression]:
        unknown = number_of(1 + self.starts, 0)
        own = (unknown if piece is None else number_of(0, piece) for piece, _ in self.arrivals)
        before = ([] if start is None else [number_of(1 + start, 0)] for _, start in self.arrivals)
        return [sum_of([*best, one]) for best, one in zip(before, own, strict=True)]


class LargestOf(Operation):
    """The largest number of a list. [c, 1] -> [1, 1]"""

    function: ClassVar[str] = "max"

    shapes = "c 1 -> 1 1"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Apply(self.function, (Symbol(operands[0]),)))

    def values(self, *operands: Matrix) -> Array:
        numbers = operands[0].values
        chosen = numbers.argmax() if self.function == "max" else numbers.argmin()
        return numbers[chosen, np.newaxis].copy()

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        numbers = operands[0].column(0).entries
        return (numbers[0] if len(numbers) == 1 else Apply(self.function, numbers),)

    def places(self, *operands: Matrix) -> int | None:
        return operands[0].places


class Least(LargestOf):
    """The smallest number of a list, which nobody should take for the best."""

    function: ClassVar[str] = "min"
