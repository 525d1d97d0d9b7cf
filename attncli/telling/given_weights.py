"""What given weights add up to."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.arithmetic import decimals
from attncli.arithmetic.elision import MOST_PARTS, elided
from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations.products import is_off_one
from attncli.document import Note, Spans
from attncli.telling.sentences import joined
from attncli.trace import Quantity


def about_given_weights(weights: Quantity) -> list[Note]:
    """A word on rows that are a little off 1 as they are given. Of those that are off by more than
    their rounding can account for, the step that uses them speaks."""
    off = list(_off(weights))
    shown = (("…",) if k is None else off[k] for k in elided(len(off), MOST_PARTS))
    end = ", not to 1: each of them may have been rounded on its own."
    told = ("As they are given, the weights of ", *joined(shown, ", those of "), end)
    return [Note(told)] if off else []


def _off(weights: Quantity) -> Iterator[Spans]:
    """`I add up to 1.1`: rows, and their sums."""
    for i, row in enumerate(weights.matrix.written or ()):
        total = decimals.total(row)
        if total != 1 and not is_off_one(row):
            yield weights.rows.words[i], " add up to ", Number.written(total)
