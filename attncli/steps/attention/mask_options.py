"""Masks of which one is chosen: the right one among what might be taken for it."""

from __future__ import annotations

import numpy as np

from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.rounding import Array
from attncli.steps.inquiry import Chosen, Misreading, WordsAsked, in_no_order
from attncli.trace import HeadPlace, Trace

_MOST_LISTED = 4
"""Masks from which one is chosen."""
_LABELS = "ABCD"
_WIDTH = 2
"""Of a window that might be taken for the mask."""


def which_mask(place: HeadPlace, trace: Trace) -> tuple[WordsAsked, ...]:
    """Which of some tables is the mask."""
    mask = trace[place.name("mask")].values
    others = (one for one in _like_masks(mask.shape) if not np.array_equal(one, mask))
    tables = [mask, *others][:_MOST_LISTED]
    order = in_no_order(len(tables), trace[place.x].values)
    shown = [tables[k] for k in order]
    zeros_and_ones = tuple(Matrix.of_array(one, 0, carry=False) for one in shown)
    says = "Which of these is the mask, 1 where a query (row) sees a key (column)?"

    def right(low: Array, high: Array) -> Chosen:
        ends = (low, high)
        return frozenset(
            k for k, one in enumerate(shown) if any(np.array_equal(one, end) for end in ends)
        )

    def turned(low: Array, high: Array) -> Chosen:
        return right(low.T, high.T)

    options = tuple(_LABELS[: len(shown)])
    misread = (Misreading("row_and_column", "Rows and columns were exchanged.", turned),)
    return (WordsAsked(None, (says,), options, right, tables=zeros_and_ones, misread=misread),)


def _like_masks(shape: tuple[int, int]) -> list[Array]:
    """What might be taken for the mask: causal, the other way round, off by one, a window, none;
    each once. [n, m] each"""
    n, m = shape
    apart = np.arange(m) - np.arange(n)[:, None] - (m - n)
    rules = (
        apart <= 0, apart >= 0, apart <= 1, apart < 0, abs(apart) <= 1,
        (apart <= 0) & (apart > -_WIDTH), apart == apart,  # noqa: PLR0124
    )  # fmt: skip
    found: dict[bytes, Array] = {}
    for rule in rules:
        found.setdefault(rule.tobytes(), rule.astype(float))
    return list(found.values())
