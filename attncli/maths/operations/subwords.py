"""Pieces of words: counts in a corpus, the worth of pieces, the most probable cut of a word.

Kudo 2018, arXiv:1804.10959; place by place, Viterbi 1967.

Lists are columns [p, 1].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from attncli.maths.equations.bounds import EPSILON
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import (
    Apply,
    Equation,
    Expression,
    Negative,
    Number,
    Product,
    Quotient,
    Sum,
    Symbol,
    Total,
    at,
    constant,
    define,
    minus,
)
from attncli.maths.equations.working import product_of, sum_of
from attncli.maths.numbers.rounding import Array, Error, largest
from attncli.maths.operations.equation import equation
from attncli.maths.operations.list_of_equations import ListOfEquations, number_of
from attncli.maths.operations.operation import Operation, Working

Cut = tuple[int, ...]
"""The pieces of a word, by their rows from 0."""


LogShare = equation("ln(p[i] / total)", p="p 1", total="1 1")
"""The logarithm of the share that each number has in all."""
CorpusLoss = equation(
    "-sum(count[i] * score[i] for i in w)",
    shown="-sum(count[word] * score[word] for word in w)",
    count="w 1",
    score="w 1",
)


@dataclass(frozen=True)
class CutScores(ListOfEquations):
    """The log-probability of each word: the sum of those of the pieces that it is cut into. [p, 1]
    -> [w, 1]"""

    cuts: tuple[Cut, ...]

    def signature(self) -> str:
        return f"p 1 -> {len(self.cuts)} 1"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(at(name, "word"), Total("piece", at(operands[0], "piece")))

    @property
    def trees(self) -> Sequence[Expression]:
        return [sum_of([number_of(0, piece) for piece in cut]) for cut in self.cuts]


@dataclass(frozen=True)
class LossWithout(ListOfEquations):
    """The growth of the loss without a piece: Σ count · (ln p(word) − ln p of the word as it is cut
    then), over the words that it was in. [w, 1], [w, 1], [p, 1] -> [pieces, 1]"""

    words: tuple[tuple[tuple[int, Cut], ...], ...]
    """For each piece the words that it was in, by their rows, with the pieces that they are cut
    into instead."""

    def signature(self) -> str:
        return f"w 1, w 1, p 1 -> {len(self.words)} 1"

    def formula(self, name: str, *operands: str) -> Equation:
        counts, scores, pieces = operands
        instead = Total("piece", at(pieces, "piece"))
        more = minus(at(scores, "word"), instead)
        return define(at(name, "i"), Total("word", Product((at(counts, "word"), more))))

    @property
    def trees(self) -> Sequence[Expression]:
        return [Sum(tuple(_loss(word, cut) for word, cut in words)) for words in self.words]


def _loss(word: int, cut: Cut) -> Expression:
    instead = sum_of([number_of(2, piece) for piece in cut])
    return Product((number_of(0, word), minus(number_of(1, word), instead)))


@dataclass(frozen=True)
class PruningLoss(ListOfEquations):
    """The estimated cost of going without a piece: own / words · (ln own − ln all − Σ (ln (other +
    own) − ln (all + own · size))). [p, 1], [1, 1], [1, 1] -> [pieces, 1]

    The others are the best cut of the piece itself into other pieces.
    """

    instead: tuple[tuple[int, Cut], ...]
    size: int

    def signature(self) -> str:
        return f"p 1, 1 1, 1 1 -> {len(self.instead)} 1"

    def formula(self, name: str, *operands: str) -> Equation:
        frequencies, every, words = operands
        own = at(frequencies, "i")
        later = Sum((Symbol(every), Product((own, Symbol("size")))))
        other = Sum((at(frequencies, "piece"), own))
        rest = Total("piece", minus(_ln(other), _ln(later)))
        gained = Sum((_ln(own), Negative(_ln(Symbol(every))), Negative(rest)))
        return define(at(name, "i"), Product((Quotient(own, Symbol(words)), gained)))

    @property
    def trees(self) -> Sequence[Expression]:
        return [self._loss(number_of(0, row), cut) for row, cut in self.instead]

    def _loss(self, own: Expression, cut: Cut) -> Expression:
        total, words = number_of(1, 0), number_of(2, 0)
        later = _ln(Sum((total, Product((own, constant(self.size))))))
        terms: list[Expression] = [_ln(own), Negative(_ln(total))]
        for piece in cut:
            terms += [Negative(_ln(Sum((number_of(0, piece), own)))), later]
        return Product((Quotient(own, words), Sum(tuple(terms))))


def _ln(operand: Expression) -> Apply:
    return Apply("ln", (operand,))


Occurrences = tuple[tuple[int, int], ...]
"""The words that have something, by their rows from 0, and how many times each."""


@dataclass(frozen=True)
class CountInWords(Operation):
    """The counts of things in a corpus: for each, Σ times in a word × how often the word occurs.
    [w, 1] -> [things, 1]"""

    things: tuple[Occurrences, ...]
    weighted: bool = True
    """Whether a word counts as often as it occurs; by mistake once."""

    def signature(self) -> str:
        return f"w 1 -> {len(self.things)} 1"

    def formula(self, name: str, *operands: str) -> Equation:
        single = len(self.things) == 1
        times = at("times", "word") if single else at("times", "i", "word")
        term = Product((times, at(operands[0], "word"))) if self.weighted else times
        return define(name if single else at(name, "i"), Total("word", term))

    def values(self, *operands: Matrix) -> Array:
        counts = operands[0].values[:, 0] if self.weighted else np.ones(len(operands[0].values))
        made = [sum(times * float(counts[word]) for word, times in o) for o in self.things]
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
    """The score of a pair: count(ab) / (count(a) × count(b)). [p, 1], [s, 1] -> [p, 1]"""

    parts: tuple[tuple[int, int], ...]
    """The rows of a and of b, for each pair."""

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


@dataclass(frozen=True)
class BelowTheLeast(Operation):
    """The log-probability of a character that no piece covers: the least one minus a penalty. [p,
    1] -> [1, 1]"""

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
    """The totals of all pieces that end at a place of a word: the best total at the piece's start
    plus its own log-probability. [p, 1], [1, 1], … -> [arrivals, 1]

    The first operand are the log-probabilities, the last one with `unknown` that of a character
    that no piece covers, the others the best totals.
    """

    arrivals: tuple[tuple[int | None, int | None], ...]
    """For each arrival the row of its piece, None for a character that no piece covers; and which
    of the best totals is that at its start, None at the start of the word."""
    starts: int
    """How many best totals there are."""
    unknown: bool = False
    """Whether the last operand is the log-probability of an unknown character."""

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
        return [sum_of([*best, o]) for best, o in zip(before, own, strict=True)]


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
