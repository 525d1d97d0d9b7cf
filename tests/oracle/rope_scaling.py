"""Rotary positions of models that reach further: Peng et al. 2023, arXiv:2309.00071 (YaRN, and
NTK scaling before it), and Llama 3, arXiv:2407.21783."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

from tests.oracle.book import Book, Record
from tests.oracle.numerals import DIGITS, Number, Numbers, of_mpmath


def frequencies(book: Book, record: Record, width: int, length: int) -> Numbers:
    """The scaled frequencies of `width` columns that turn, of a text that is so long, [pairs, 1];
    those before they are scaled are written down, too."""
    value, pairs = record["scaling"], range(width // 2)
    base, factor = (mpmath.mpf(str(data)) for data in (record.get("base", 10000), value["factor"]))
    with mpmath.workdps(DIGITS):
        plain = _column(book, [base ** (-mpmath.mpf(2 * k) / width) for k in pairs])
        theta = book.keep("frequencies", plain)
        if value["kind"] == "linear":
            scaled = theta / book.number(value["factor"])
        elif value["kind"] in ("ntk", "dynamic"):
            larger = base * _stretch(value, factor, length) ** (mpmath.mpf(width) / (width - 2))
            scaled = _column(book, [larger ** (-mpmath.mpf(2 * k) / width) for k in pairs])
        else:
            ramp = _by_turns(value) if value["kind"] == "llama3" else _by_pairs(value, base, width)
            shares = [ramp(k, mpmath.mpf(str(theta[k, 0]))) for k in pairs]
            kept = book.keep("ramp", _column(book, shares))
            scaled = kept * theta + (1 - kept) * theta / book.number(value["factor"])
        return book.keep("scaled_frequencies", scaled)


def _column(book: Book, numbers: list[Any]) -> Numbers:
    return np.array([[of_mpmath(n, decimal=book.decimal)] for n in numbers])


def _stretch(record: Record, factor: Any, length: int) -> Any:
    """By what the base grows: of dynamic scaling with the length, once that is past the first."""
    if record["kind"] == "ntk":
        return factor
    original = int(record["original_length"])
    return factor * max(length, original) / original - (factor - 1)


def _by_turns(record: Record) -> Callable[[int, Any], Any]:
    """Llama 3: how often a pair turns within the original length says what it keeps."""
    low, high = (mpmath.mpf(str(record.get(f"{x}_freq_factor", d))) for x, d in _LLAMA)

    def share(_: int, theta: Any) -> Any:
        turns = int(record["original_length"]) / (2 * mpmath.pi / theta)
        if turns >= high:
            return mpmath.mpf(1)
        return max((turns - low) / (high - low), mpmath.mpf(0))

    return share


def _by_pairs(record: Record, base: Any, width: int) -> Callable[[int, Any], Any]:
    """YaRN: all up to a first pair, nothing from a last one on, straight between the two."""
    fast, slow = (mpmath.mpf(str(record.get(f"beta_{x}", d))) for x, d in _YARN)

    def pair(turns: Any) -> Any:
        length = int(record["original_length"])
        return width * mpmath.log(length / (turns * 2 * mpmath.pi)) / (2 * mpmath.log(base))

    first, last = pair(fast), pair(slow)
    if str(record.get("truncate", "true")).lower() == "true":
        first, last = mpmath.floor(first), mpmath.ceil(last)
    first, last = max(first, mpmath.mpf(0)), min(last, mpmath.mpf(width - 1))
    if first == last:
        last += mpmath.mpf("0.001")
    zero, value = map(mpmath.mpf, range(2))
    return lambda k, _: value - min(max((k - first) / (last - first), zero), value)


_LLAMA = (("low", 1), ("high", 4))
_YARN = (("fast", 32), ("slow", 1))


def tables(
    book: Book, record: Record, theta: Numbers, start: int, count: int
) -> tuple[Numbers, Numbers]:
    """The cosines and sines of scaled frequencies, [count, pairs] each."""
    with mpmath.workdps(DIGITS):
        factor = _attention_factor(record)

        def wave(function: Callable[[Any], Any], i: int, k: int) -> Number:
            angle = (start + i) * mpmath.mpf(str(theta[k, 0]))
            return of_mpmath(factor * function(angle), decimal=book.decimal)

        cosine, sine = (
            np.array([[wave(value, i, k) for k in range(len(theta))] for i in range(count)])
            for value in (mpmath.cos, mpmath.sin)
        )
    return cosine, sine


def _attention_factor(record: Record) -> Any:
    """YaRN: 0.1 ln s + 1, unless it is said."""
    if record["kind"] != "yarn":
        return mpmath.mpf(1)
    if "attention_factor" in record:
        return mpmath.mpf(str(record["attention_factor"]))
    return 1 + max(mpmath.log(mpmath.mpf(str(record["factor"]))), mpmath.mpf(0)) / 10
