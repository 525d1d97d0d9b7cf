"""Learning merges from a corpus: byte-pair encoding, and WordPiece.

BPE (Sennrich et al. 2016, arXiv:1508.07909) merges the most frequent pair of neighbours, again and
again. Of pairs of one count that with the smaller ID of its left symbol is merged, then that with
the smaller ID of its right one: IDs count special tokens first, then the alphabet by code point
(symbols with marks after those without), then pieces as they were made. Hugging Face's `tokenizers`
has the same rule, only that it counts symbols with marks in no fixed order. Or the pair is merged
that is met first, from the first word on: so do the script in Sennrich's paper, D2L (Zhang et al.,
Dive into Deep Learning, 15.6) and Hugging Face's course (chapter 6), for WordPiece too.

WordPiece by likelihood merges the pair of the largest count(ab) / (count(a) · count(b)), as
Schuster & Nakajima 2012 are mostly read; of one score, rounded where the page goes on with rounded
ones, the pair of the larger count, then by IDs as above. The trainer of Hugging Face goes by count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, NamedTuple

from attncli.tokenizing.corpus import CountedWord, Occurrences, Progress, occurrences
from attncli.tokenizing.pair_counts import IdPair, PairCounts, Rank
from attncli.tokenizing.pieces import UNMARKED, SubwordMarks, TokenPair, numbered

FEW_ROUNDS = 16
FIRST_ROUNDS = 3
MOST_TIES = 12
_FEW_WORDS = 1000
_MOST_SNAPPED = 50_000
"""Letters of all snapshots together, where there are more of them than of few rounds."""
_MOST_PAIRS = 40
"""Pairs that a round is written down with."""

Criterion = Literal["count", "likelihood"]
"""What a pair is chosen by: how often it occurs, or that set against how often its parts do."""


class MergeSettings(NamedTuple):
    """What is learned: a vocabulary of `size` (special tokens and alphabet included) or a number
    of `merges`, or whichever comes first, of pairs that occur `min_count` times or more.

    Scores are compared as they are rounded to `decimals`; exactly, where that is None. Of equal
    pairs that of the smaller IDs is merged, or with `first` the one that is met first.

    `alphabet` are symbols that are there whatever the corpus has, in the order of their IDs. Each
    character has its symbol without marks too, used or not, for words that may begin with it.
    """

    size: int | None = None
    merges: int | None = None
    min_count: int = 1
    marks: SubwordMarks = UNMARKED
    special: tuple[str, ...] = ()
    alphabet: tuple[str, ...] = ()
    score: Criterion = "count"
    decimals: int | None = None
    first: bool = False

    @property
    def likely(self) -> bool:
        """Whether pairs are chosen by their likelihood."""
        return self.score == "likelihood"


class Snapshot(NamedTuple):
    """A corpus before a merge: each word's symbols, and where the pairs stand that are largest by
    the score that is learned by (of one size by count, then by ID); `left_out` more pairs occur."""

    words: tuple[tuple[str, ...], ...]
    pairs: Mapping[TokenPair, Occurrences]
    left_out: int


@dataclass(frozen=True, slots=True)
class LearnedMerge:
    """A merge, counted from 1. `tied` pairs were as large and lost by their rank: of those the
    first are here, and `ties` says how many there were. The piece was there before, if another
    pair had made it (`new` is false)."""

    number: int
    pair: TokenPair
    count: int
    tied: tuple[TokenPair, ...]
    ties: int
    piece: str
    new: bool
    snapshot: Snapshot | None = None


class MergeTraining(NamedTuple):
    """The vocabulary with its IDs (special tokens, alphabet, pieces), what pairs were chosen by,
    and the rounds, as many as could be: until the size or the number of merges was reached, or no
    pair was left that occurs often enough. Of equal pairs the `first` one met was taken, or that of
    the smaller IDs."""

    vocabulary: Mapping[str, int]
    score: Criterion
    rounds: tuple[LearnedMerge, ...]
    first: bool = False

    @property
    def merges(self) -> tuple[TokenPair, ...]:
        """The merged pairs in order."""
        return tuple(one.pair for one in self.rounds)


def learn_merges(
    words: Sequence[CountedWord], settings: MergeSettings, *, progress: Progress | None = None
) -> MergeTraining:
    """Merges learned from counted words.

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
    rounds = tuple(learning.told())
    return MergeTraining(numbered(tokens), settings.score, rounds, settings.first)


def alphabet_of(words: Sequence[CountedWord], settings: MergeSettings) -> list[str]:
    """The symbols that words start with: the given ones, then characters, then symbols with marks,
    each by code point."""
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
        cut = [[self._ids[one] for one in settings.marks.symbols(word.text)] for word in words]
        self._counts = PairCounts(cut, self._times)
        self._before: dict[int, list[int]] = {}  # the words that the last merge changed
        few = len(words) <= _FEW_WORDS or (most is not None and most <= FEW_ROUNDS)
        letters = sum(map(len, cut))
        least = FEW_ROUNDS if few else FIRST_ROUNDS
        self._snapshots = max(least, _MOST_SNAPPED // max(1, letters))

    def merge_best(self) -> bool:
        """One round, if there is one."""
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
        """The first of the best pairs, and how many more there are as good as the first."""
        counts, settings = self._counts, self._settings
        if settings.likely:
            best = counts.most_likely(settings.min_count, settings.decimals)
            equal = len(best)
        else:
            best, equal = counts.most_frequent(
                len(counts.pairs) if settings.first else MOST_TIES + 1
            )
            best = best if best and counts.pairs[best[0]] >= settings.min_count else []
        ranked = sorted(best, key=self._rank(counts)) if len(best) > 1 else best
        return ranked[: MOST_TIES + 1], equal - 1

    def _rank(self, counts: PairCounts) -> Rank:
        """What decides between equal pairs."""
        return counts.by_meeting() if self._settings.first else counts.by_ids

    def _snapshot(self, counts: PairCounts) -> Snapshot:
        """Where the pairs stand now, the first of them in the order in which they are merged."""
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

    def told(self) -> list[LearnedMerge]:
        """The rounds; of many the first and, taken afterwards, the last have a snapshot."""
        rounds = self.rounds
        if not rounds or rounds[-1].snapshot:
            return rounds
        words = [self._before.get(index, word) for index, word in enumerate(self._counts.words)]
        last = replace(rounds[-1], snapshot=self._snapshot(PairCounts(words, self._times)))
        return [*rounds[:-1], last]
