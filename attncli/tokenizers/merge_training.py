"""Merges learned from a corpus: byte-pair encoding, and WordPiece.

BPE (Sennrich et al. 2016,
arXiv:1508.07909) merges the most frequent pair of neighbours, again and again. Of pairs of one
count that with the smaller ID of its left symbol is merged, then that with the smaller ID of its
right one: IDs count special tokens first, then the alphabet by code point (symbols with marks after
those without), then pieces as they were made. Hugging Face's `tokenizers` has the same rule, only
that it counts symbols with marks in no fixed order. Or the pair is merged that is met first, from
the first word on: so do the script in Sennrich's paper, D2L (Zhang et al., Dive into Deep Learning,
15.6) and Hugging Face's course (chapter 6), for WordPiece too. Or that which makes the piece of
fewer characters, then the one that comes first by code points: so does SentencePiece
(bpe_model_trainer.cc).

WordPiece by likelihood merges the pair of the largest count(ab) / (count(a)
· count(b)), as Schuster & Nakajima 2012 are mostly read; of one score, rounded where the page goes
on with rounded ones, the pair of the larger count, then by IDs as above. The trainer of Hugging
Face goes by count.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Literal, NamedTuple

from attncli.tokenizers.pieces import (
    UNMARKED,
    CountedWord,
    Occurrences,
    Progress,
    SubwordMarks,
    TokenPair,
    numbered,
    occurrences,
)

IdPair = tuple[int, int]
"""Two symbols, by their IDs."""
Rank = Callable[[IdPair], tuple[int, ...]]
"""A key that decides between equally good pairs: the smaller comes first."""

_NOISE = 2.0**-50
"""The largest relative error of a quotient of floats."""


def _rounded(score: Fraction | int, decimals: int) -> Fraction:
    """Rounds a score, which is never negative, to some decimals, half away from zero."""
    units = 10**decimals
    return Fraction(floor(score * units + Fraction(1, 2)), units)


def _least_alike(score: Fraction, decimals: int | None) -> Fraction:
    """Returns the least score that is rounded to the same number. Without decimals it is the score
    itself."""
    if decimals is None:
        return score
    return max(Fraction(0), _rounded(score, decimals) - Fraction(1, 2 * 10**decimals))


def _merge_pair(word: Sequence[int], pair: IdPair, made: int) -> list[int]:
    """Merges each occurrence of a pair in a word, from left to right: aaa with a + a is aa a."""
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
    """The counts of pairs and of single symbols in `words` (changed in place), each of which occurs
    `times[i]` times.

    A pair counts wherever it stands, even where it overlaps itself: aaa holds a + a twice. After a
    merge only the words that hold the pair are looked at again. Old counts stay in the heap and are
    skipped when they come up.
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
        """Merges a pair everywhere, and returns the words that changed, by index, as they were
        before."""
        before: dict[int, list[int]] = {}
        change: dict[IdPair, int] = defaultdict(int)
        for index in self._where.pop(pair, ()):
            old = self.words[index]
            new = _merge_pair(old, pair, made)
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
        """Returns up to `most` pairs of the largest count, sorted by their IDs, and how many there
        are in all."""
        found = list(self._current(most))
        for pair in found:  # they are still to be had next time
            heapq.heappush(self._heap, (-self.pairs[pair], pair))
        return found, self._sharing[self.pairs[found[0]]] if found else 0

    def by_ids(self, pair: IdPair) -> tuple[int, int, int]:
        """Ranks a pair: the larger count first, then the smaller IDs."""
        return -self.pairs[pair], *pair

    def by_meeting(self) -> Rank:
        """Returns a rank by which the pair that is met first, from the first word on, comes
        first."""
        met = dict.fromkeys(pair for word in self.words for pair in pairwise(word))
        ranks = {pair: (place,) for place, pair in enumerate(met)}
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
        """Lists the pairs of the largest score count(ab) / (count(a) · count(b)), in no order.
        Scores are compared exactly, or rounded to some decimals. Only pairs that occur `least`
        times or more are looked at."""
        symbols = self.symbols
        # a quotient of integers is rounded to the nearest float: the best has the largest of them
        scores = {
            (left, right): count / (symbols[left] * symbols[right])
            for (left, right), count in self.pairs.items()
            if count >= least
        }
        largest = max(scores.values(), default=0.0)
        near = (pair for pair, score in scores.items() if score == largest)
        enough = _least_alike(max(map(self.score, near), default=Fraction(0)), decimals)
        sure, possible = float(enough) * (1 + _NOISE), float(enough) * (1 - _NOISE)
        return [
            pair
            for pair, score in scores.items()
            if score > sure or (score >= possible and self.score(pair) >= enough)
        ]

    def score(self, pair: IdPair) -> Fraction:
        """Returns count(ab) / (count(a) · count(b)) of a pair that occurs."""
        left, right = pair
        return Fraction(self.pairs[pair], self.symbols[left] * self.symbols[right])

    def largest(
        self, most: int, least: int, rank: Rank, *, likely: bool, decimals: int | None = None
    ) -> tuple[list[IdPair], int]:
        """Returns up to `most` pairs that occur `least` times or more, in the order in which they
        would be merged (by score if `likely`, else by count), and how many more there are."""

        def order(pair: IdPair) -> tuple[Fraction | int, tuple[int, ...]]:
            score = self.score(pair) if likely else self.pairs[pair]
            shown = score if decimals is None or not likely else _rounded(score, decimals)
            return -shown, rank(pair)

        frequent = [pair for pair, count in self.pairs.items() if count >= least]
        return heapq.nsmallest(most, frequent, key=order), max(0, len(frequent) - most)


FEW_ROUNDS = 16
FIRST_ROUNDS = 3
MOST_TIES = 12
_FEW_WORDS = 1000
_MOST_SNAPPED = 50_000
"""The most letters of all snapshots together, beyond those that every training gets."""
_MOST_PAIRS = 40
"""The most pairs in the snapshot of a round."""

Criterion = Literal["count", "likelihood"]
"""The score of a pair: how often it occurs, or that divided by how often its parts do."""
Ties = Literal["ids", "first", "shortest"]
"""Which of equal pairs is merged: that of the smaller IDs, that which is met first, or that which
makes the shortest piece, of these the first by code points."""


def rank_of_piece(piece: str) -> tuple[int, ...]:
    """Ranks a piece: fewer characters first, then smaller code points."""
    return len(piece), *map(ord, piece)


class MergeSettings(NamedTuple):
    """The settings by which merges are learned."""

    size: int | None = None
    """The size of the vocabulary to learn, special tokens and alphabet included."""
    merges: int | None = None
    """The number of merges to learn. Of size and number, learning ends with what is reached
    first."""
    min_count: int = 1
    """How often a pair has to occur to be merged."""
    marks: SubwordMarks = UNMARKED
    special: tuple[str, ...] = ()
    alphabet: tuple[str, ...] = ()
    """Symbols that are there whatever the corpus has, in the order of their IDs. Each character has
    its symbol without marks too, for words that may begin with it."""
    score: Criterion = "count"
    decimals: int | None = None
    """The decimals to which scores are rounded before they are compared; None for exact scores."""
    ties: Ties = "ids"
    """Which of equal pairs is merged."""

    @property
    def likely(self) -> bool:
        """Tells whether pairs are chosen by their likelihood."""
        return self.score == "likelihood"


class Snapshot(NamedTuple):
    """The state of a corpus before a merge."""

    words: tuple[tuple[str, ...], ...]
    """The symbols of each word."""
    pairs: Mapping[TokenPair, Occurrences]
    """Where the pairs with the largest scores stand, in the order in which they would be merged."""
    left_out: int
    """How many more pairs there are."""


@dataclass(frozen=True, slots=True)
class LearnedMerge:
    """A merge that was learned."""

    number: int
    """Its number, from 1."""
    pair: TokenPair
    count: int
    tied: tuple[TokenPair, ...]
    """The first of the pairs that were as large and lost by their rank."""
    ties: int
    """How many such pairs there were."""
    piece: str
    new: bool
    """Whether the piece wasn't there before; another pair may have made it."""
    snapshot: Snapshot | None = None


class MergeTraining(NamedTuple):
    """A vocabulary that was learned by merges, and the rounds. There are as many as could be: until
    the size or the number of merges was reached, or no pair was left that occurs often enough."""

    vocabulary: Mapping[str, int]
    """The tokens with their IDs: special tokens, alphabet, pieces."""
    score: Criterion
    """What pairs were chosen by."""
    rounds: tuple[LearnedMerge, ...]
    ties: Ties = "ids"
    """Which of equal pairs was taken."""
    marks: SubwordMarks = UNMARKED

    @property
    def merges(self) -> tuple[TokenPair, ...]:
        """Returns the merged pairs in order."""
        return tuple(merge.pair for merge in self.rounds)


def learn_merges(
    words: Sequence[CountedWord], settings: MergeSettings, *, progress: Progress | None = None
) -> MergeTraining:
    """Learns merges from counted words.

    All rounds get a snapshot where that isn't too much, else the first ones and the last. Raises
    ValueError for a size that has no room for the alphabet.
    """
    tokens = list(numbered([*settings.special, *alphabet_of(words, settings)]))
    size, start = settings.size, len(tokens)
    if size is not None and size < start:
        raise ValueError(
            f"a vocabulary of {size} has no room for the {start} special tokens and symbols of "
            f"the alphabet; {start} or more"
        )
    bounds = [settings.merges, None if size is None else size - start]
    most = min((bound for bound in bounds if bound is not None), default=None)
    learning = _Learning(words, settings, tokens, most)
    while learning.merge_best():
        if progress is not None:
            done = len(learning.rounds)
            progress(done, max(most or 0, done))
    rounds = tuple(learning.all_rounds())
    return MergeTraining(numbered(tokens), settings.score, rounds, settings.ties, settings.marks)


def alphabet_of(words: Sequence[CountedWord], settings: MergeSettings) -> list[str]:
    """Lists the symbols that words start with: the given ones, then characters, then symbols with
    marks, each by code point."""
    characters = {character for word in words for character in word.text}
    used = {symbol for word in words for symbol in settings.marks.symbols(word.text)}
    marked = sorted(used - characters)
    return list(dict.fromkeys([*settings.alphabet, *sorted(characters), *marked]))


class _Learning:
    """The state between rounds: the words as they are cut, and the tokens so far."""

    def __init__(
        self,
        words: Sequence[CountedWord],
        settings: MergeSettings,
        tokens: list[str],
        most: int | None,
    ) -> None:
        self.rounds: list[LearnedMerge] = []
        self._settings = settings
        self._tokens = tokens
        self._ids = {token: place for place, token in enumerate(tokens)}
        self._times = [word.count for word in words]
        cut = [[self._ids[s] for s in settings.marks.symbols(word.text)] for word in words]
        self._counts = PairCounts(cut, self._times)
        self._before: dict[int, list[int]] = {}  # the words that the last merge changed
        few = len(words) <= _FEW_WORDS or (most is not None and most <= FEW_ROUNDS)
        letters = sum(map(len, cut))
        least = FEW_ROUNDS if few else FIRST_ROUNDS
        self._snapshots = max(least, _MOST_SNAPPED // max(1, letters))

    def merge_best(self) -> bool:
        """Does one round. Tells whether there was one."""
        settings, number = self._settings, len(self.rounds) + 1
        full = settings.size is not None and len(self._tokens) >= settings.size
        best, ties = ([], 0) if full or len(self.rounds) == settings.merges else self._best()
        if not best:
            return False
        names = [(self._tokens[left], self._tokens[right]) for left, right in best]
        piece = settings.marks.merged(*names[0])
        snapshot = self._snapshot(self._counts) if number <= self._snapshots else None
        self.rounds.append(
            LearnedMerge(
                number, names[0], self._counts.pairs[best[0]], tuple(names[1:]), ties, piece,
                piece not in self._ids, snapshot,
            )
        )  # fmt: skip
        if piece not in self._ids:
            self._ids[piece] = len(self._tokens)
            self._tokens.append(piece)
        self._before = self._counts.merge(best[0], self._ids[piece])
        return True

    def _best(self) -> tuple[list[IdPair], int]:
        """Returns the first of the best pairs, and how many others are as good."""
        counts, settings = self._counts, self._settings
        if settings.likely:
            best = counts.most_likely(settings.min_count, settings.decimals)
            equal = len(best)
        else:
            best, equal = counts.most_frequent(
                MOST_TIES + 1 if settings.ties == "ids" else len(counts.pairs)
            )
            best = best if best and counts.pairs[best[0]] >= settings.min_count else []
        ranked = sorted(best, key=self._rank(counts)) if len(best) > 1 else best
        return ranked[: MOST_TIES + 1], equal - 1

    def _rank(self, counts: PairCounts) -> Rank:
        """Returns the rank that decides between equal pairs."""
        if self._settings.ties == "first":
            return counts.by_meeting()
        if self._settings.ties == "ids":
            return counts.by_ids
        tokens, marks = self._tokens, self._settings.marks
        return lambda pair: rank_of_piece(marks.merged(*[tokens[symbol] for symbol in pair]))

    def _snapshot(self, counts: PairCounts) -> Snapshot:
        """Takes a snapshot of where the pairs stand now, the first of them in the order in which
        they are merged."""
        settings, tokens = self._settings, self._tokens
        least = settings.min_count if settings.likely else 1
        shown, left_out = counts.largest(
            _MOST_PAIRS, least, self._rank(counts),
            likely=settings.likely, decimals=settings.decimals,
        )  # fmt: skip
        names = [(tokens[left], tokens[right]) for left, right in shown]
        where = occurrences(shown, map(pairwise, counts.words))
        cut = tuple(tuple(tokens[symbol] for symbol in word) for word in counts.words)
        return Snapshot(cut, dict(zip(names, where, strict=True)), left_out)

    def all_rounds(self) -> list[LearnedMerge]:
        """Returns the rounds. The last gets its snapshot here if it has none."""
        rounds = self.rounds
        if not rounds or rounds[-1].snapshot:
            return rounds
        words = [self._before.get(index, word) for index, word in enumerate(self._counts.words)]
        last = replace(rounds[-1], snapshot=self._snapshot(PairCounts(words, self._times)))
        return [*rounds[:-1], last]
