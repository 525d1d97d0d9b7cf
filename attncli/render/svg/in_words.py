"""What pictures say in words, for those who don't see them."""

from __future__ import annotations

from collections.abc import Sequence

from attncli.arithmetic.expression import Number
from attncli.pictures import Label, Series
from attncli.render.numbers import text_of as number_text
from attncli.render.svg.elements import text_of

MOST_NUMBERS = 400
"""So many numbers are told of each picture; who wants more has the page's tables."""


def series_in_words(series: Sequence[Series], labels: Sequence[Label]) -> str:
    """A sentence for each series: `T = 1: 0.2 (love), 0.8 (AI).`"""
    told = [_sentence(one.name, one.numbers, labels) for one in series]
    return " ".join(within_limits(told, [len(one.numbers) for one in series]))


def _sentence(name: Label, numbers: Sequence[Number], labels: Sequence[Label]) -> str:
    pairs = zip(labels, numbers, strict=True)
    told = ", ".join(f"{number_text(number)} ({text_of(label)})" for label, number in pairs)
    return f"{text_of(name)}: {told}." if name else f"{told}."


def within_limits(sentences: Sequence[str], sizes: Sequence[int]) -> list[str]:
    """The sentences, as many as have `MOST_NUMBERS` numbers, and how many were left out."""
    kept: list[str] = []
    total = 0
    for sentence, size in zip(sentences, sizes, strict=True):
        total += size
        if kept and total > MOST_NUMBERS:
            return [*kept, f"And {len(sentences) - len(kept)} more."]
        kept.append(sentence)
    return kept
