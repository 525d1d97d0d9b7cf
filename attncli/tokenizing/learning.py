"""Learning merges from a corpus: byte-pair encoding, and WordPiece.

BPE (Sennrich et al. 2016, arXiv:1508.07909) merges the most frequent pair of neighbours, again and
again. Of pairs of one count that with the smaller ID of its left symbol is merged, then that with
the smaller ID of its right one: IDs count special tokens first, then the alphabet by code point
(symbols with marks after those without), then pieces as they were made. Hugging Face's `tokenizers`
has the same rule, only that it counts symbols with marks in no fixed order.

WordPiece by likelihood merges the pair of the largest count(ab) / (count(a) · count(b)); of one
score, rounded where the page goes on with rounded ones, the pair of the larger count, then by IDs
as above.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from attncli.records import NamedTuple, replace
from attncli.tokenizing.corpus import CountedWord, Progress
from attncli.tokenizing.pairs import Pair, PairCounts
from attncli.tokenizing.pieces import Affixes, numbered
from attncli.tokenizing.rounds import Learned, Names, Round, Score, Snapshot, take_snapshot

FEW_ROUNDS = 16
FIRST_ROUNDS = 3
MOST_TIES = 12
_FEW_WORDS = 1000

Keep = Callable[[int], bool]
"""Whether the round of a number, from 1, gets a snapshot."""


class Settings(NamedTuple):
    """What is learned: a vocabulary of `size` (special tokens and alphabet included) or a number
    of `merges`, or whichever comes first, of pairs that occur `min_count` times or more.

    Scores are compared as they are rounded to `decimals`; exactly, where that is None.

    `alphabet` are symbols that are there whatever the corpus has, in the order of their IDs. Each
    character has its symbol without marks too, used or not, for words that may begin with it.
    """

    size: int | None = None
    merges: int | None = None
    min_count: int = 1
    affixes: Affixes = Affixes()
    special: tuple[str, ...] = ()
    alphabet: tuple[str, ...] = ()
    score: Score = "count"
    decimals: int | None = None


def learn(
    words: Sequence[CountedWord],
    settings: Settings,
    *,
    keep: Keep | None = None,
    progress: Progress | None = None,
) -> Learned:
    """Merges learned from counted words.

    Rounds get a snapshot where `keep` says so; without it all do where there are few (16), else
    the first three and the last. Raises ValueError for settings that can't be met.
    """
    alphabet = alphabet_of(words, settings)
    tokens = list(numbered([*settings.special, *alphabet]))
    _check(settings, len(tokens))
    learning = _Learning(words, settings, tokens)
    room = _most_rounds(settings, len(tokens))
    stopped: Literal["size", "merges", "min_count", "pairs"] | None = None
    while stopped is None:
        stopped = learning.stop() or learning.turn(_wanted(keep, len(words), room))
        if progress is not None:
            progress(len(learning.rounds), max(room or 0, len(learning.rounds)))
    rounds = learning.rounds if keep is not None else _fewer(learning.rounds, learning.last())
    final = tuple(tuple(tokens[symbol] for symbol in word) for word in learning.counts.words)
    return Learned(tuple(words), numbered(tokens), tuple(alphabet), tuple(rounds), final, stopped)


def alphabet_of(words: Sequence[CountedWord], settings: Settings) -> list[str]:
    """The symbols that words start with: the given ones, then characters, then symbols with marks,
    each by code point."""
    affixes = settings.affixes
    characters = {character for word in words for character in word.text}
    used = {symbol for word in words for symbol in affixes.symbols(word.text)}
    marked = sorted(used - characters)
    return list(dict.fromkeys([*settings.alphabet, *sorted(characters), *marked]))


def _check(settings: Settings, start: int) -> None:
    size, merges = settings.size, settings.merges
    if size is None and merges is None:
        raise ValueError("neither a vocabulary size nor a number of merges is given; one of them")
    if size is not None and size < start:
        raise ValueError(
            f"a vocabulary of {size} has no room for the {start} special tokens and symbols of "
            f"the alphabet; {start} or more"
        )
    if merges is not None and merges < 0:
        raise ValueError(f"the number of merges is {merges}; 0 or more")


def _most_rounds(settings: Settings, start: int) -> int | None:
    bounds = [settings.merges] if settings.merges is not None else []
    return min([*bounds, settings.size - start] if settings.size is not None else bounds)


def _wanted(keep: Keep | None, words: int, room: int | None) -> Keep:
    """Which rounds get a snapshot at once: without `keep`, those that `_fewer` may want."""
    few = words <= _FEW_WORDS or (room is not None and room <= FEW_ROUNDS)
    return keep or (lambda number: number <= (FEW_ROUNDS if few else FIRST_ROUNDS))


def _fewer(rounds: Sequence[Round], last: Snapshot | None) -> list[Round]:
    if len(rounds) <= FEW_ROUNDS and all(one.snapshot for one in rounds):
        return list(rounds)
    kept = [one if one.number <= FIRST_ROUNDS else replace(one, snapshot=None) for one in rounds]
    return [*kept[:-1], replace(kept[-1], snapshot=last)]


class _Learning:
    """The state between rounds: the words as they are cut, and the tokens so far."""

    def __init__(self, words: Sequence[CountedWord], settings: Settings, tokens: list[str]) -> None:
        self.rounds: list[Round] = []
        self._settings = settings
        self._tokens = tokens
        self._ids = {token: place for place, token in enumerate(tokens)}
        self._times = [word.count for word in words]
        cut = [[self._ids[one] for one in settings.affixes.symbols(word.text)] for word in words]
        self.counts = PairCounts(cut, self._times)
        self._before: dict[int, list[int]] = {}  # the words that the last merge changed

    def stop(self) -> Literal["size", "merges"] | None:
        if self._settings.size is not None and len(self._tokens) >= self._settings.size:
            return "size"
        return "merges" if len(self.rounds) == self._settings.merges else None

    def turn(self, keep: Keep) -> Literal["min_count", "pairs"] | None:
        """One round, or why there is none."""
        best, ties = self._best()
        if not best:
            return "pairs" if not self.counts.pairs else "min_count"
        number = len(self.rounds) + 1
        snapshot = self._snapshot(self.counts.words) if keep(number) else None
        self.rounds.append(self._round(number, best, ties, snapshot))
        self._before = self.counts.merge(best[0], self._made(best[0]))
        return None

    def _best(self) -> tuple[list[Pair], int]:
        least = self._settings.min_count
        if self._settings.score == "count":
            best, equal = self.counts.most_frequent(MOST_TIES + 1)
            return (best, equal - 1) if best and self.counts.pairs[best[0]] >= least else ([], 0)
        likely = self.counts.most_likely(least, self._settings.decimals)
        return likely[: MOST_TIES + 1], len(likely) - 1

    def _round(self, number: int, best: list[Pair], ties: int, snapshot: Snapshot | None) -> Round:
        counts, pair = self.counts, best[0]
        names = [self._names(one) for one in best]
        piece = self._settings.affixes.merged(*names[0])
        return Round(
            number=number,
            pair=names[0],
            count=counts.pairs[pair],
            left=counts.symbols[pair[0]],
            right=counts.symbols[pair[1]],
            tied=tuple(names[1:]),
            ties=ties,
            piece=piece,
            new=piece not in self._ids,
            snapshot=snapshot,
        )

    def _names(self, pair: Pair) -> Names:
        return self._tokens[pair[0]], self._tokens[pair[1]]

    def _made(self, pair: Pair) -> int:
        piece = self._settings.affixes.merged(*self._names(pair))
        if piece not in self._ids:
            self._ids[piece] = len(self._tokens)
            self._tokens.append(piece)
        return self._ids[piece]

    def _snapshot(self, words: Sequence[Sequence[int]]) -> Snapshot:
        score, decimals = self._settings.score, self._settings.decimals
        least = 1 if score == "count" else self._settings.min_count
        return take_snapshot(
            words, self._times, self._tokens, score, least=least, decimals=decimals
        )

    def last(self) -> Snapshot | None:
        """The snapshot of the last round, taken afterwards."""
        words: list[list[int]] = list(self.counts.words)
        for index, word in self._before.items():
            words[index] = word
        return self._snapshot(words) if self.rounds else None
