"""The best cut of a word into pieces of a Unigram language model, place by place from left to
right (Viterbi 1967; Kudo 2018, arXiv:1804.10959, 3.2).

What a character is worth that no piece covers, and that such characters are one token together, is
as in SentencePiece (Kudo and Richardson 2018, arXiv:1808.06226).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

import numpy as np

from tests.oracle import byte_level
from tests.oracle.book import Book
from tests.oracle.numerals import Number, Numbers, UnknownError

Cut = tuple[str, ...]
"""A word as the pieces that it is cut into."""
Scores = Mapping[str, Any]
"""The log-probability of each piece, a float or a decimal."""
Kind = TypeVar("Kind", float, Decimal)

SPACE = "▁"
_FROM_SPACE = re.compile(f"{SPACE}[^{SPACE}]*")
_EQUAL = 9
_BELOW = 10
_LONGEST_TOLD = 40
_TOLD_WORDS = 12
_FIRST_WORDS = 3


class Pieces(NamedTuple):
    """What a word is cut into, and the least score of these and of tokens that are in no word."""

    scores: Scores
    least: Number

    @classmethod
    def of(cls, scores: Scores, front: Cut) -> Pieces:
        """The pieces but for those at the front of the vocabulary, which no word is cut into."""
        found = {piece: score for piece, score in scores.items() if piece not in front}
        return cls(found, min(scores.values()))


def split(text: str, marks: str) -> list[str]:
    """A text's words: those between white space, those that begin at what stands for a space, or
    those of its bytes."""
    if marks == "none":
        return text.split()
    if marks == byte_level.MARK:
        return byte_level.words(text)
    if marks != SPACE:
        raise UnknownError(f"words that are marked with {marks}")
    return _FROM_SPACE.findall(SPACE + text.replace(" ", SPACE)) if text else []


def best_cut(word: str, scores: Scores, without: str = "") -> Cut:
    """The cut of the largest sum, without one of the pieces; of equal ones that whose last piece
    is the longest."""
    best: list[tuple[Number, Cut]] = [(Decimal(), ())]
    for end in range(1, len(word) + 1):
        starts = [start for start in _starts(word, end, scores) if word[start:end] != without]
        ways = [(best[start], word[start:end]) for start in starts]
        found = [(before + scores[piece], (*cut, piece)) for (before, cut), piece in ways]
        best.append(max(found, key=lambda way: level(way[0])))
    return best[-1][1]


def level(score: Kind) -> Kind:
    """A score as it is compared, so that no noise in its last digits decides."""
    return round(score, _EQUAL)


def tell(book: Book, words: Iterable[str], pieces: Pieces) -> None:
    """Writes down how the told words are cut."""
    numbered = enumerate(dict.fromkeys(words), 1)
    pairs = [(k, word) for k, word in numbered if len(word) <= _LONGEST_TOLD]
    if len(pairs) > _TOLD_WORDS:
        pairs = [*pairs[:_FIRST_WORDS], pairs[-1]]
    for k, word in pairs:
        _walk(book, f"words[{k}]", word, pieces)


def cuts(book: Book, words: Iterable[str], pieces: Pieces) -> dict[str, Cut]:
    """Each word's best cut, of numbers that are rounded as the book says."""
    numbered = enumerate(dict.fromkeys(words), 1)
    return {word: _walk(book, f"words[{k}]", word, pieces) for k, word in numbered}


def tokens(cut: Cut, pieces: Pieces, unknown: str | None) -> Iterator[str]:
    """The tokens of a cut: what no piece covers is one unknown token as far as it goes, or without
    such a token it is spelled in bytes."""
    for known, run in groupby(cut, key=lambda piece: piece in pieces.scores):
        if known:
            yield from run
        elif unknown is None:
            yield from map(byte_token, "".join(run).encode())
        else:
            yield unknown


def byte_token(byte: int) -> str:
    """The token of a byte: 255 is <0xFF>."""
    return f"<0x{byte:02X}>"


def _starts(word: str, end: int, scores: Scores) -> list[int]:
    """Where the pieces begin that end at a place."""
    return [start for start in range(end) if word[start:end] in scores]


def _walk(book: Book, name: str, word: str, pieces: Pieces) -> Cut:
    """Writes down the totals of all pieces by the places where they end, and goes back."""
    scores = _with_unknown(book, name, word, pieces)
    starts = {end: _starts(word, end, scores) for end in range(1, len(word) + 1)}
    totals: dict[int, Numbers] = {}
    best: dict[int, Numbers] = {}
    for end, places in starts.items():
        ways = [scores[word[s:end]] + (best[s][0, 0] if s else 0) for s in places]
        column = book.numbers([[way] for way in ways])
        totals[end] = book.keep(f"{name}.totals[{end}]", column)
        best[end] = book.keep(f"{name}.best[{end}]", totals[end].max(axis=0, keepdims=True))
    if len(word) > 1:
        book.copy(f"{name}.totals", np.vstack([*totals.values()]))
        book.copy(f"{name}.best", np.vstack([*best.values()]))
    first = {end: starts[end][_first_largest(book, totals[end])] for end in starts}
    return _back(word, first)


def _with_unknown(book: Book, name: str, word: str, pieces: Pieces) -> Scores:
    """The scores, with those of the characters that no piece of one character covers."""
    own = {text for text in word if text not in pieces.scores}
    if not own:
        return pieces.scores
    score = book.keep(f"{name}.unknown", book.numbers([[pieces.least]]) - _BELOW)
    return {**pieces.scores, **dict.fromkeys(own, score[0, 0])}


def _first_largest(book: Book, totals: Numbers) -> int:
    """The row of the largest total; numbers that are rounded are compared as they are."""
    column = [total if book.rounds else level(total) for total in totals[:, 0]]
    return column.index(max(column))


def _back(word: str, first: Mapping[int, int]) -> Cut:
    """The cut from the end of a word to its beginning, by the start of the piece that is best to
    each place."""
    found: list[str] = []
    end = len(word)
    while end:
        found.append(word[first[end] : end])
        end = first[end]
    return tuple(reversed(found))
