"""The softmax (Bridle 1990, doi:10.1007/978-3-642-76153-9_28)."""

from __future__ import annotations

import math

import numpy as np

from tests.oracle import slopes
from tests.oracle.book import Book
from tests.oracle.numerals import Number, Numbers, apply, taken_at_once

_MOST_DIGITS = 15
_UNDERFLOW = -700


def softmax(book: Book, x: Numbers, prefix: str = "", name: str = "weights") -> Numbers:
    """e^x over the sum of its row; the row's largest x is taken off where the e^x would be too
    long, or too small for floats, to write down."""
    scores, places, x = x, book.places_of(f"{prefix}exp"), taken_at_once(x)
    off = np.array([[taken_off(book, row, places)] for row in x])
    e = book.keep(f"{prefix}exp", apply("exp", x - off))
    total = book.keep(f"{prefix}exp_sum", e.sum(axis=1, keepdims=True))
    return book.keep(name, e / total, lambda p: [(scores, slopes.softmax(p))])


def taken_off(book: Book, row: Numbers, places: int) -> Number:
    """The largest x where Σ e^x has more than 15 digits with its decimals, or where under
    `exact` all e^x are nearly 0; else nothing."""
    top = float(max(row))
    if math.isinf(top):
        return book.number(0)
    size = top + math.log(sum(math.exp(float(x) - top) for x in row))
    long = size > (_MOST_DIGITS - places) * math.log(10)
    tiny = top < _UNDERFLOW and not book.rounds
    return max(row) if long or tiny else book.number(0)
