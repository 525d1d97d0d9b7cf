"""Counting what occurs in the words of a corpus, and scoring pairs by that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attncli.arithmetic.equations.working import product_of, sum_of
from attncli.arithmetic.expression import Equation, Expression, Number, Product, Quotient, Total
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Operation, Working
from attncli.arithmetic.operations.lists import ListOfEquations, number_of
from attncli.arithmetic.rounding import Array

Occurrences = tuple[tuple[int, int], ...]
"""The words that have something, by their rows from 0, and how many times each."""


@dataclass(frozen=True)
class CountInWords(Operation):
    """How often things occur in a corpus: for each, Σ times in a word × how often the word occurs;
    or, as nobody should, without the latter. [w, 1] -> [things, 1]"""

    things: tuple[Occurrences, ...]
    weighted: bool = True

    def signature(self) -> str:
        return f"w 1 -> {len(self.things)} 1"

    def formula(self, name: str, *operands: str) -> Equation:
        one = len(self.things) == 1
        times = at("times", "word") if one else at("times", "i", "word")
        term = Product((times, at(operands[0], "word"))) if self.weighted else times
        return define(name if one else at(name, "i"), Total("word", term))

    def values(self, *operands: Matrix) -> Array:
        counts = operands[0].values[:, 0] if self.weighted else np.ones(len(operands[0].values))
        made = [sum(times * float(counts[word]) for word, times in one) for one in self.things]
        return np.array(made, dtype=np.float64)[:, np.newaxis]

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        pairs = [(times, operands[0].number(word, 0)) for word, times in self.things[i]]
        if not self.weighted:
            return (sum_of([Number.written(times) for times, _ in pairs]),)
        if len(pairs) == 1:
            ((times, count),) = pairs
            return (Product((Number.written(times), count)),)
        form = sum_of([_times(times, count) for times, count in pairs])
        if all(times == 1 for times, _ in pairs):
            return (form,)
        return form, sum_of([_worked(times, count) for times, count in pairs])

    def places(self, *operands: Matrix) -> int | None:
        return operands[0].places


def _times(times: int, count: Number) -> Expression:
    return count if times == 1 else Product((Number.written(times), count))


def _worked(times: int, count: Number) -> Number:
    if times == 1:
        return count
    return product_of(Number.written(times), count)


@dataclass(frozen=True)
class PairScore(ListOfEquations):
    """count(ab) / (count(a) × count(b)), of the parts that stand in these rows.
    [p, 1], [s, 1] -> [p, 1]"""

    parts: tuple[tuple[int, int], ...]

    shapes = "p 1, s 1 -> p 1"

    def formula(self, name: str, *operands: str) -> Equation:
        pairs, symbols = operands
        product = Product((at(symbols, "a"), at(symbols, "b")))
        return define(at(name, "a b"), Quotient(at(pairs, "a b"), product))

    @property
    def trees(self) -> Sequence[Expression]:
        return [
            Quotient(number_of(0, i), Product((number_of(1, a), number_of(1, b))))
            for i, (a, b) in enumerate(self.parts)
        ]


class Share(ListOfEquations):
    """The first number as a share of the second. [2, 1] -> [1, 1]"""

    shapes = "2 1 -> 1 1"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Quotient(at(operands[0], "kept"), at(operands[0], "all")))

    @property
    def trees(self) -> Sequence[Expression]:
        return [Quotient(number_of(0, 0), number_of(0, 1))]
