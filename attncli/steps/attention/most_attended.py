"""Which token each query attends to most, and what one may take for it."""

from __future__ import annotations

from attncli.arithmetic.rounding import Array
from attncli.steps.inquiry import Chosen, Misreading, WordsAsked, largest
from attncli.trace import Quantity
from attncli.word import Word

_DOWN = "The token that attends to this one most was taken: the column was read, not the row."
_LEAST = "The token with the smallest weight was taken."


def attends_most(weights: Quantity) -> tuple[WordsAsked, ...]:
    """Which token each query attends to most."""
    return tuple(_most_of(weights, i) for i in range(weights.matrix.shape[0]))


def _most_of(weights: Quantity, i: int) -> WordsAsked:
    says = ("Which token does the query “", Word(weights.rows.names[i]), "” attend to most?")
    options = weights.columns.names

    def right(low: Array, high: Array) -> Chosen:
        return largest(low[i], high[i])

    def down(low: Array, high: Array) -> Chosen:
        return largest(low[:, i], high[:, i])

    def least(low: Array, high: Array) -> Chosen:
        return largest(-high[i], -low[i])

    misread: tuple[Misreading, ...] = (Misreading("least_for_most", _LEAST, least),)
    if weights.rows.names == options:
        misread = (Misreading("read_down_the_column", _DOWN, down), *misread)
    return WordsAsked(i, says, options, right, misread=misread)
