"""The pairs of neighbouring symbols in a corpus, counted once and then kept right merge by merge.

Only the words that hold the merged pair are looked at again: the counts of pairs, the words of
each pair and a heap of counts are brought up to date with what changed in them. What the heap has
of old counts is left there and skipped when it comes up.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import floor

IdPair = tuple[int, int]
"""Two symbols, by their IDs."""
Rank = Callable[[IdPair], tuple[int, int, int]]
"""What decides between pairs that are as good: the smaller comes first."""

_NOISE = 2.0**-50
"""How far a quotient of floats may be off, as a share of it."""


def rounded(score: Fraction | int, decimals: int) -> Fraction:
    """A score, which is never negative, to some decimals, half away from zero."""
    units = 10**decimals
    return Fraction(floor(score * units + Fraction(1, 2)), units)


def least_alike(score: Fraction, decimals: int | None) -> Fraction:
    """The least that is rounded to what a score is; without decimals the score itself."""
    if decimals is None:
        return score
    return max(Fraction(0), rounded(score, decimals) - Fraction(1, 2 * 10**decimals))


def merge_pair(word: Sequence[int], pair: IdPair, made: int) -> list[int]:
    """A word with each of its pairs merged, from left to right: aaa with a + a is aa a."""
    left, right = pair
    merged: list[int] = []
    place, end = 0, len(word)
    while place < end:
        symbol = word[place]
        if symbol == left and place + 1 < end and word[place + 1] == right:
            merged.append(made)
            place += 2
        else:
            merged.append(symbol)
            place += 1
    return merged


class PairCounts:
    """Counts of pairs and of single symbols in `words` (changed in place), each `times[i]` times.

    A pair counts wherever it stands, overlapping itself too: aaa holds a + a twice.
    """

    def __init__(self, words: list[list[int]], times: Sequence[int]) -> None:
        self.words = words
        self.pairs: dict[IdPair, int] = defaultdict(int)
        self.symbols: dict[int, int] = defaultdict(int)
        self._times = times
        self._where: dict[IdPair, set[int]] = defaultdict(set)  # and words that held it once
        for index, word in enumerate(words):
            for symbol in word:
                self.symbols[symbol] += times[index]
            for pair in pairwise(word):
                self.pairs[pair] += times[index]
                self._where[pair].add(index)
        self._sharing: dict[int, int] = defaultdict(int)  # how many pairs have one count
        for count in self.pairs.values():
            self._sharing[count] += 1
        self._heap = [(-count, pair) for pair, count in self.pairs.items()]
        heapq.heapify(self._heap)

    def merge(self, pair: IdPair, made: int) -> dict[int, list[int]]:
        """Merges a pair everywhere; the words that changed, as they were before."""
        before: dict[int, list[int]] = {}
        change: dict[IdPair, int] = defaultdict(int)
        for index in self._where.pop(pair, ()):
            old = self.words[index]
            new = merge_pair(old, pair, made)
            if len(new) != len(old):
                before[index] = old
                self.words[index] = new
                self._note(index, old, new, change)
                self._count_symbols(pair, made, (len(old) - len(new)) * self._times[index])
        for changed, difference in change.items():
            if difference:
                self._set(changed, self.pairs[changed] + difference)
        return before

    def _note(self, index: int, old: list[int], new: list[int], change: dict[IdPair, int]) -> None:
        times, where = self._times[index], self._where
        for pair in pairwise(old):
            change[pair] -= times
        for pair in pairwise(new):
            change[pair] += times
            where[pair].add(index)

    def _count_symbols(self, pair: IdPair, made: int, times: int) -> None:
        self.symbols[made] += times
        for symbol in pair:
            self.symbols[symbol] -= times

    def _set(self, pair: IdPair, count: int) -> None:
        before = self.pairs[pair]
        self._sharing[before] -= before > 0
        if not count:
            del self.pairs[pair]
            return
        self.pairs[pair] = count
        self._sharing[count] += 1
        heapq.heappush(self._heap, (-count, pair))

    def most_frequent(self, most: int) -> tuple[list[IdPair], int]:
        """The pairs of the largest count, by their IDs, not more than `most` of them; and how many
        there are in all."""
        found = list(self._current(most))
        for pair in found:  # they are still to be had next time
            heapq.heappush(self._heap, (-self.pairs[pair], pair))
        return found, self._sharing[self.pairs[found[0]]] if found else 0

    def by_ids(self, pair: IdPair) -> tuple[int, int, int]:
        """A rank: the larger count first, then the smaller IDs."""
        return -self.pairs[pair], *pair

    def by_meeting(self) -> Rank:
        """A rank: what is met first, from the first word on as they are cut now."""
        met = dict.fromkeys(pair for word in self.words for pair in pairwise(word))
        ranks = {pair: (place, 0, 0) for place, pair in enumerate(met)}
        return ranks.__getitem__

    def _current(self, most: int) -> Iterator[IdPair]:
        heap, first, last = self._heap, 0, None
        while heap and most:
            negative, pair = heap[0]
            if self.pairs.get(pair) == -negative and pair != last:
                if first and -negative != first:
                    return
                first, last = -negative, pair
                most -= 1
                yield pair
            heapq.heappop(heap)

    def most_likely(self, least: int = 1, decimals: int | None = None) -> list[IdPair]:
        """The pairs of the largest score count(ab) / (count(a) · count(b)), compared as they are
        rounded to some decimals, or exactly, in no order. Only pairs that occur `least` times or
        more are looked at."""
        symbols = self.symbols
        # a quotient of integers is rounded to the nearest float: the best has the largest of them
        scores = {
            pair: count / (symbols[pair[0]] * symbols[pair[1]])
            for pair, count in self.pairs.items()
            if count >= least
        }
        largest = max(scores.values(), default=0.0)
        near = (pair for pair, score in scores.items() if score == largest)
        enough = least_alike(max(map(self.score, near), default=Fraction(0)), decimals)
        sure, possible = float(enough) * (1 + _NOISE), float(enough) * (1 - _NOISE)
        return [
            pair
            for pair, score in scores.items()
            if score > sure or (score >= possible and self.score(pair) >= enough)
        ]

    def score(self, pair: IdPair) -> Fraction:
        """count(ab) / (count(a) · count(b)) of a pair that occurs."""
        return Fraction(self.pairs[pair], self.symbols[pair[0]] * self.symbols[pair[1]])

    def largest(
        self, most: int, least: int, rank: Rank, *, likely: bool, decimals: int | None = None
    ) -> tuple[list[IdPair], int]:
        """Up to `most` pairs that occur `least` times or more, in the order in which they would be
        merged (by score, if that is `likely`, else by count), and how many more there are."""

        def order(pair: IdPair) -> tuple[Fraction | int, tuple[int, int, int]]:
            score = self.score(pair) if likely else self.pairs[pair]
            shown = score if decimals is None or not likely else rounded(score, decimals)
            return -shown, rank(pair)

        frequent = [pair for pair, count in self.pairs.items() if count >= least]
        return heapq.nsmallest(most, frequent, key=order), max(0, len(frequent) - most)
