"""How a Unigram language model is learned from the counts of substrings.

What is pruned: Kudo 2018, arXiv:1804.10959, 3.2; probabilities by counts as the Hugging Face course
tells them (chapter 6). Every round cuts every word anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from functools import lru_cache
from math import floor
from typing import NamedTuple

from tests.oracle.book import Book
from tests.oracle.numerals import Number, Numbers, apply
from tests.oracle.viterbi import Cut, Scores, best_cut, level

Words = tuple[tuple[str, int], ...]
"""The corpus's words with their counts, as they first appear."""
Counts = Mapping[str, int]


@dataclass(frozen=True)
class PruningTask:
    """What a scenario says of a tokenizer that is learned.

    `front` has the tokens that no word is cut into. `scratch` is where numbers are worked on the
    way to what is chosen, and `rounding` what a scenario says of how they are rounded.
    """

    front: Cut
    words: Words
    size: int
    min_count: int
    longest: int
    whole: bool
    share: Decimal
    rounding: str
    scratch: Book = field(compare=False)


class PruningRound(NamedTuple):
    """The pieces with their counts, and each word's best cut, of which the last round has none;
    for each piece that is in some cut and may go, its words by number as they are cut without."""

    pieces: Counts
    cuts: tuple[Cut, ...] = ()
    anew: Mapping[str, Mapping[int, Cut]] = {}


class LearnedPieces(NamedTuple):
    """The rounds, and the scores of the pieces of the last one."""

    words: Words
    rounds: tuple[PruningRound, ...]
    scores: Scores


@lru_cache(maxsize=8)
def learn(lesson: PruningTask) -> LearnedPieces:
    """Round by round, the pieces that the corpus would miss least are left out."""
    book, words, rounds = lesson.scratch, lesson.words, list[PruningRound]()
    pieces = _first(lesson)
    with localcontext() as context:
        context.prec = book.precision
        while True:
            k = len(rounds) + 1
            scores = _estimate(book, k, pieces)
            n = _to_go(lesson, pieces)
            if not n:
                return LearnedPieces(words, (*rounds, PruningRound(pieces)), scores)
            rounds.append(_round(words, pieces, scores))
            growth = _prune(book, k, rounds[-1], words, scores)
            gone = _least_missed(pieces, growth)[:n]
            pieces = {piece: count for piece, count in pieces.items() if piece not in gone}


def tell(book: Book, learned: LearnedPieces) -> Scores:
    """Writes down the rounds; hands on the scores of the last one."""
    scores: Scores = {}
    last = len(learned.rounds)
    for k, pruning_round in enumerate(learned.rounds, 1):
        scores = _estimate(book, k, pruning_round.pieces)
        if k < last:
            _prune(book, k, pruning_round, learned.words, scores)
    return scores


def _first(lesson: PruningTask) -> Counts:
    """All characters, then the substrings that are frequent enough, with their counts."""
    counts, words = Counter[str](), dict(lesson.words)
    for word, times in words.items():
        for piece in _substrings(word, lesson.longest):
            counts[piece] += times
    frequent = [
        piece
        for piece, count in counts.items()
        if len(piece) > 1 and count >= lesson.min_count and piece not in lesson.front
        if lesson.whole or count > words.get(piece, 0)
    ]
    order = sorted(frequent, key=lambda piece: (-counts[piece], -len(piece), piece))
    return {piece: counts[piece] for piece in (*sorted(set("".join(words))), *order)}


def _substrings(word: str, longest: int) -> Iterator[str]:
    for start in range(len(word)):
        for end in range(start + 1, min(start + longest, len(word)) + 1):
            yield word[start:end]


def _longer(pieces: Counts) -> list[str]:
    """The pieces that may go: characters stay."""
    return [piece for piece in pieces if len(piece) > 1]


def _to_go(lesson: PruningTask, pieces: Counts) -> int:
    """How many pieces go after a round."""
    longer = len(_longer(pieces))
    over = len(pieces) - (lesson.size - len(lesson.front))
    return max(0, min(over, longer, max(1, floor(lesson.share * longer))))


def _round(words: Words, pieces: Counts, scores: Scores) -> PruningRound:
    cuts = tuple(best_cut(word, scores) for word, _ in words)
    anew: dict[str, dict[int, Cut]] = {piece: {} for piece in _longer(pieces)}
    for i, cut in enumerate(cuts):
        for piece in anew.keys() & set(cut):
            anew[piece][i] = best_cut(words[i][0], scores, without=piece)
    return PruningRound(pieces, cuts, {piece: found for piece, found in anew.items() if found})


def _least_missed(pieces: Counts, growth: Scores) -> list[str]:
    """By how much the loss grows without them, then the rare ones first, then the last ones."""

    def rank(piece: str) -> tuple[Number, int]:
        return level(growth.get(piece, Decimal())), pieces[piece]

    last_first = _longer(pieces)[::-1]
    return sorted(last_first, key=rank)


def _estimate(book: Book, k: int, pieces: Counts) -> Scores:
    """ln of each piece's part in all of them."""
    column = book.numbers([[count] for count in pieces.values()])
    counts = book.keep(f"rounds[{k}].counts", column, step="estimate")
    total = book.keep(f"rounds[{k}].total", counts.sum(axis=0, keepdims=True))
    log_p = book.keep(f"rounds[{k}].log_p", apply("log", counts / total))
    return dict(zip(pieces, log_p[:, 0], strict=True))


def _prune(book: Book, k: int, pruning_round: PruningRound, words: Words, scores: Scores) -> Scores:
    """The scores of the cuts, the loss, and by how much it grows without a piece."""
    sums = book.numbers([[_sum(cut, scores)] for cut in pruning_round.cuts])
    cut_scores = book.keep(f"rounds[{k}].cut_scores", sums)
    times = book.numbers([[count] for _, count in words])
    book.keep(f"rounds[{k}].loss", -(times * cut_scores).sum(axis=0, keepdims=True))
    if not pruning_round.anew:
        return {}
    rows = [[_falls(found, times, cut_scores, scores)] for found in pruning_round.anew.values()]
    growth = book.keep(f"rounds[{k}].growth", book.numbers(rows))
    return dict(zip(pruning_round.anew, growth[:, 0], strict=True))


def _falls(anew: Mapping[int, Cut], times: Numbers, cut_scores: Numbers, scores: Scores) -> Number:
    """By how much the words' scores fall."""
    falls = (times[i, 0] * (cut_scores[i, 0] - _sum(cut, scores)) for i, cut in anew.items())
    fall: Number = sum(falls)
    return fall


def _sum(cut: Cut, scores: Scores) -> Number:
    total: Number = sum(scores[piece] for piece in cut)
    return total
