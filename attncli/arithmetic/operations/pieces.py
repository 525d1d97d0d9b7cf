"""What pieces of words are worth: log-probabilities, and losses without them.

Kudo 2018 (arXiv:1804.10959). Lists are columns [p, 1].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attncli.arithmetic.equations.working import sum_of
from attncli.arithmetic.expression import (
    Apply,
    Equation,
    Expression,
    Negative,
    Product,
    Quotient,
    Sum,
    Symbol,
    Total,
    constant,
    minus,
)
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.operations.lists import ListOfEquations, number_of
from attncli.arithmetic.operations.texts import equation

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
    """The log-probability of each word: those of the pieces that it is cut into, added up.
    [p, 1] -> [w, 1]"""

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

    @property
    def trees(self) -> Sequence[Expression]:
        return [Sum(tuple(_loss(word, cut) for word, cut in words)) for words in self.words]


def _loss(word: int, cut: Cut) -> Expression:
    instead = sum_of([number_of(2, piece) for piece in cut])
    return Product((number_of(0, word), minus(number_of(1, word), instead)))


@dataclass(frozen=True)
class PruningLoss(ListOfEquations):
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
