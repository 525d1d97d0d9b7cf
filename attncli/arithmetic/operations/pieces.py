"""What pieces of words are worth: log-probabilities, and losses without them.

Kudo 2018 (arXiv:1804.10959). Lists are columns [p, 1].
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from attncli.arithmetic import decimals
from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.equations.formulas import cell
from attncli.arithmetic.equations.indices import renamed
from attncli.arithmetic.equations.working import are_long, product_of, sum_of
from attncli.arithmetic.expression import (
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
    constant,
    minus,
)
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Operation, Working, most_places
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.rounding import Array, Error, largest
from attncli.records import dataclass

Cut = tuple[int, ...]
"""The pieces of a word, by their rows from 0."""


def column_of(numbers: Sequence[float]) -> Array:
    return np.array(numbers, dtype=np.float64)[:, np.newaxis]


def sum_error(terms: int, *operands: Matrix) -> Error:
    size = sum(largest(operand.values) for operand in operands)
    return Error((terms + 2) * EPSILON * (terms + 2) * size)


class LogShare(Indexed):
    """The logarithm of the share that each number has in all. [p, 1], [1, 1] -> [p, 1]"""

    def __init__(self) -> None:
        super().__init__("p 1, 1 1 -> p 1", Apply("ln", (Quotient(cell(0, "i"), cell(1)),)))


@dataclass(frozen=True)
class CutScores(Operation):
    """The log-probability of each word: those of the pieces that it is cut into, added up.
    [p, 1] -> [w, 1]"""

    cuts: tuple[Cut, ...]

    def signature(self) -> str:
        return f"p 1 -> {len(self.cuts)} 1"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(at(name, "word"), Total("piece", at(operands[0], "piece")))

    def values(self, *operands: Matrix) -> Array:
        scores = operands[0].values[:, 0]
        return column_of([math.fsum(scores[[*cut]]) for cut in self.cuts])

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return (sum_of([operands[0].number(piece, j) for piece in self.cuts[i]]),)

    def places(self, *operands: Matrix) -> int | None:
        return operands[0].places

    def error(self, *operands: Matrix) -> Error:
        return sum_error(max(map(len, self.cuts), default=0), operands[0])


class CorpusLoss(Indexed):
    """−Σ count · ln p(word); or, as nobody should, each word once. [w, 1], [w, 1] -> [1, 1]"""

    def __init__(self, weighted: bool = True) -> None:
        score = cell(1, "i")
        term = Product((cell(0, "i"), score)) if weighted else score
        loss = Negative(Total("i", term))
        super().__init__("w 1, w 1 -> 1 1", loss, renamed(loss, {"i": "word"}))


@dataclass(frozen=True)
class LossWithout(Operation):
    """How much the loss grows without a piece: Σ count · (ln p(word) − ln p of the word as it is
    cut then), over the words that it was in. `words` are these by their rows, with the pieces
    instead. [w, 1], [w, 1], [p, 1] -> [pieces, 1]"""

    words: tuple[tuple[tuple[int, Cut], ...], ...]

    def signature(self) -> str:
        return f"w 1, w 1, p 1 -> {len(self.words)} 1"

    def formula(self, name: str, *operands: str) -> Equation:
        counts, scores, pieces = operands
        instead = Total("piece", at(pieces, "piece"))
        more = minus(at(scores, "word"), instead)
        return define(at(name, "i"), Total("word", Product((at(counts, "word"), more))))

    def values(self, *operands: Matrix) -> Array:
        counts, scores, pieces = (operand.values[:, 0] for operand in operands)
        return column_of(
            [
                math.fsum(counts[w] * (scores[w] - math.fsum(pieces[[*cut]])) for w, cut in words)
                for words in self.words
            ]
        )

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        counts, scores, pieces = operands
        factors: list[Expression] = []
        differences: list[Expression] = []
        worked: list[Number] = []
        for w, cut in self.words[i]:
            count, score = counts.number(w, 0), scores.number(w, 0)
            instead = [pieces.number(piece, 0) for piece in cut]
            factors.append(Product((count, minus(score, sum_of(instead)))))
            other = decimals.total(number.shown for number in instead)
            full = decimals.difference(score.shown, other)
            differences.append(Product((count, Number.inner(full))))
            worked.append(product_of(count, Number.inner(full)))
        if not factors or are_long(worked):
            return (sum_of(factors),)
        return sum_of(factors), sum_of(differences), sum_of(worked)

    def places(self, *operands: Matrix) -> int | None:
        counts, *scores = operands
        known = most_places(*scores)
        return None if known is None or counts.places is None else known + counts.places

    def error(self, *operands: Matrix) -> Error:
        return Error(self._noise() * math.prod(self._sizes(operands)))

    def _noise(self) -> float:
        words = max(map(len, self.words), default=0)
        longest = max((len(cut) for words in self.words for _, cut in words), default=0)
        return (words + longest + 4) * EPSILON * max(1, words) * (longest + 1)

    def _sizes(self, operands: Sequence[Matrix]) -> tuple[float, float]:
        counts, scores, pieces = (largest(operand.values) for operand in operands)
        return counts, scores + pieces


@dataclass(frozen=True)
class PruningLoss(Operation):
    """What it would cost to go without a piece, as it is estimated: own / words · (ln own − ln all
    − Σ (ln (other + own) − ln (all + own · size))), where the others are the best cut of the piece
    itself into other ones, by their rows. [p, 1], [1, 1], [1, 1] -> [pieces, 1]"""

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

    def values(self, *operands: Matrix) -> Array:
        frequencies, every, words = (operand.values[:, 0] for operand in operands)
        return column_of(
            [
                self._loss(float(frequencies[row]), frequencies[[*cut]], every[0], words[0])
                for row, cut in self.instead
            ]
        )

    def _loss(self, own: float, others: Array, every: float, words: float) -> float:
        later = math.log(every + own * self.size)
        other = math.fsum(math.log(one + own) - later for one in others)
        return own / words * (math.log(own) - math.log(every) - other)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        frequencies, every, words = operands
        row, cut = self.instead[i]
        own, total = frequencies.number(row, 0), every.number(0, 0)
        later = Sum((total, Product((own, constant(self.size)))))
        terms: list[Expression] = [_ln(own), Negative(_ln(total))]
        for piece in cut:
            terms += [Negative(_ln(Sum((frequencies.number(piece, 0), own)))), _ln(later)]
        return (Product((Quotient(own, words.number(0, 0)), Sum(tuple(terms)))),)

    def error(self, *operands: Matrix) -> Error:
        longest = max((len(cut) for _, cut in self.instead), default=0)
        size = math.log(largest(operands[1].values) * (self.size + 1) + 1)
        return Error((2 * longest + 8) * EPSILON * (2 * longest + 2) * size)


def _ln(operand: Expression) -> Apply:
    return Apply("ln", (operand,))
