"""What is written down of the learning of merges, round by round."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from attncli.records import NamedTuple
from attncli.tokenizing.corpus import CountedWord
from attncli.tokenizing.pairs import Pair, rounded

Score = Literal["count", "likelihood"]
"""What a pair is chosen by: how often it occurs (BPE), or that divided by how often its parts do
(WordPiece, as Schuster & Nakajima 2012 are mostly read)."""

Names = tuple[str, str]
"""Two symbols, by their tokens."""


@dataclass(frozen=True, slots=True)
class PairCount:
    """A pair's count, those of its parts (`left`, `right`), and where it stands: for each word
    that holds it the word's index and how many times, so that count = Σ times × word's count."""

    pair: Names
    count: int
    left: int
    right: int
    words: tuple[tuple[int, int], ...]

    @property
    def score(self) -> Fraction:
        """count / (left · right)"""
        return Fraction(self.count, self.left * self.right)


_MOST_PAIRS = 40
"""Pairs that a round is written down with."""


class Snapshot(NamedTuple):
    """A corpus before a merge: each word's symbols, and the pairs that are largest by the score
    that is learned by (of one size by count, then by ID); `left_out` more pairs occur."""

    words: tuple[tuple[str, ...], ...]
    pairs: tuple[PairCount, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Round:
    """A merge, counted from 1. `tied` pairs were as large and lost by their IDs: of those the
    first are here, and `ties` says how many there were. `left` and `right` count its parts before
    it. The piece was there before, if another pair had made it (`new` is false)."""

    number: int
    pair: Names
    count: int
    left: int
    right: int
    tied: tuple[Names, ...]
    ties: int
    piece: str
    new: bool
    snapshot: Snapshot | None = None

    @property
    def score(self) -> Fraction:
        """count / (left · right)"""
        return Fraction(self.count, self.left * self.right)


class Learned(NamedTuple):
    """Merges learned from `words`: the vocabulary with its IDs (special tokens, alphabet, pieces),
    the starting symbols, the rounds, and each word's symbols in the end. `stopped` says why there
    are no more: the `size` or the number of `merges` was reached, or all pairs that are left are
    below `min_count`, or there are none (`pairs`)."""

    words: tuple[CountedWord, ...]
    vocabulary: Mapping[str, int]
    alphabet: tuple[str, ...]
    rounds: tuple[Round, ...]
    final: tuple[tuple[str, ...], ...]
    stopped: Literal["size", "merges", "min_count", "pairs"]

    @property
    def merges(self) -> tuple[Names, ...]:
        """The merged pairs in order."""
        return tuple(one.pair for one in self.rounds)


def take_snapshot(
    words: Sequence[Sequence[int]],
    times: Sequence[int],
    tokens: Sequence[str],
    score: Score = "count",
    least: int = 1,
    decimals: int | None = None,
) -> Snapshot:
    """A snapshot of words whose symbols are IDs of `tokens`; every pair is counted anew, and those
    that occur less than `least` times are left out. Scores are rounded to `decimals`, if any."""
    pairs: dict[Pair, int] = defaultdict(int)
    symbols: dict[int, int] = defaultdict(int)
    for word, count in zip(words, times, strict=True):
        for symbol in word:
            symbols[symbol] += count
        for pair in pairwise(word):
            pairs[pair] += count
    frequent = [pair for pair, count in pairs.items() if count >= least]
    shown = heapq.nsmallest(_MOST_PAIRS, frequent, key=_order(pairs, symbols, score, decimals))
    where = _places(words, set(shown))
    counted = (
        PairCount(
            (tokens[pair[0]], tokens[pair[1]]),
            pairs[pair],
            symbols[pair[0]],
            symbols[pair[1]],
            tuple(where[pair]),
        )
        for pair in shown
    )
    cut = tuple(tuple(tokens[symbol] for symbol in word) for word in words)
    return Snapshot(cut, tuple(counted), len(frequent) - len(shown))


def _order(
    pairs: Mapping[Pair, int], symbols: Mapping[int, int], score: Score, decimals: int | None
) -> Callable[[Pair], tuple[Fraction | int, int, Pair]]:
    def by_count(pair: Pair) -> tuple[Fraction | int, int, Pair]:
        return -pairs[pair], 0, pair

    def by_likelihood(pair: Pair) -> tuple[Fraction | int, int, Pair]:
        exact = Fraction(pairs[pair], symbols[pair[0]] * symbols[pair[1]])
        quotient = exact if decimals is None else rounded(exact, decimals)
        return -quotient, -pairs[pair], pair

    return by_count if score == "count" else by_likelihood


def _places(words: Sequence[Sequence[int]], wanted: set[Pair]) -> dict[Pair, list[tuple[int, int]]]:
    where: dict[Pair, list[tuple[int, int]]] = {pair: [] for pair in wanted}
    for index, word in enumerate(words):
        held = Counter(pair for pair in pairwise(word) if pair in wanted)
        for pair, times in held.items():
            where[pair].append((index, times))
    return where
