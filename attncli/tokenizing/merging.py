"""Cutting a word by merges, in the order in which they were learned."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from attncli.records import NamedTuple
from attncli.tokenizing.pieces import UNMARKED, Affixes, Piece, numbered, unknown_pieces
from attncli.tokenizing.rounds import Names

_PAIR = 2


class Applied(NamedTuple):
    """A merge in a word: its number among the merges, from 0, where its left symbol stood, and the
    word's symbols after it."""

    rank: int
    place: int
    symbols: tuple[str, ...]


class Traced(NamedTuple):
    """A word's symbols before all merges, and each merge."""

    start: tuple[str, ...]
    steps: tuple[Applied, ...]

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols after all merges."""
        return self.steps[-1].symbols if self.steps else self.start


@dataclass(frozen=True)
class Merges:
    """A model that merges: of all pairs in a word the one whose merge was learned first, the
    leftmost of these, until none is left. A pair that is given twice has its last rank.

    A character that isn't in the vocabulary is the tokens of its bytes with `byte_fallback`, where
    the vocabulary has them, else the unknown token; without such a token it stays as it is, with
    no ID.
    """

    vocabulary: Mapping[str, int]
    merges: tuple[Names, ...]
    affixes: Affixes = field(default_factory=Affixes)
    unknown: str | None = None
    byte_fallback: bool = False

    @cached_property
    def ranks(self) -> dict[Names, int]:
        """The number of each pair's merge, from 0."""
        return {(left, right): rank for rank, (left, right) in enumerate(self.merges)}

    def pieces(self, word: str) -> tuple[Piece, ...]:
        """The pieces of a word, in time that grows with n · log n of its length."""
        chain = _Chain(self._start(word), self)
        for _ in chain.steps():
            pass
        return tuple(chain.left())

    def trace(self, word: str) -> Traced:
        """The merges of a word one by one; each has all symbols, which is for short words."""
        start = self._start(word)
        chain = _Chain(start, self)
        steps = tuple(
            Applied(rank, chain.index(place), tuple(piece.token for piece in chain.left()))
            for rank, place in chain.steps()
        )
        return Traced(tuple(piece.token for piece in start), steps)

    def _start(self, word: str) -> list[Piece]:
        found: list[Piece] = []
        for symbol, character in zip(self.affixes.symbols(word), word, strict=True):
            if symbol in self.vocabulary:
                found.append(Piece(symbol, self.vocabulary[symbol], character))
            else:
                found += self._unknown(symbol, character)
        return found

    def _unknown(self, symbol: str, character: str) -> list[Piece]:
        pieces = unknown_pieces(symbol, self.vocabulary, self.unknown, self.byte_fallback)
        return [piece._replace(surface="" if i else character) for i, piece in enumerate(pieces)]


class _Chain:
    """A word's pieces as a linked list, and a heap of the merges that it holds."""

    def __init__(self, pieces: list[Piece], model: Merges) -> None:
        end = len(pieces)
        self._pieces: list[Piece | None] = [*pieces]
        self._after = [*range(1, end), -1] if end else []
        self._before = [*range(-1, end - 1)]
        self._model = model
        self._heap: list[tuple[int, int, str]] = []
        for place in range(end - 1):
            self._offer(place)

    def _offer(self, place: int) -> None:
        if place >= 0 and (pair := self._pair(place)) and pair in self._model.ranks:
            made = self._model.affixes.merged(*pair)
            heapq.heappush(self._heap, (self._model.ranks[pair], place, made))

    def _pair(self, place: int) -> Names | None:
        left = self._pieces[place]
        right = self._pieces[self._after[place]] if self._after[place] >= 0 else None
        return (left.token, right.token) if left and right else None

    def steps(self) -> Iterator[tuple[int, int]]:
        """Merges until nothing can be merged; the rank and the place of each."""
        while self._heap:
            _, place, made = heapq.heappop(self._heap)
            pair = self._pair(place)
            if pair in self._model.ranks and self._model.affixes.merged(*pair) == made:
                self._merge(place, made)
                yield self._model.ranks[pair], place

    def _merge(self, place: int, made: str) -> None:
        right = self._after[place]
        surface = "".join(piece.surface for i in (place, right) if (piece := self._pieces[i]))
        self._pieces[place] = Piece(made, self._model.vocabulary.get(made), surface)
        self._pieces[right] = None
        self._after[place] = self._after[right]
        if self._after[place] >= 0:
            self._before[self._after[place]] = place
        self._offer(self._before[place])
        self._offer(place)

    def index(self, place: int) -> int:
        """How many pieces stand before a place now."""
        return sum(piece is not None for piece in self._pieces[:place])

    def left(self) -> Iterator[Piece]:
        """The pieces that there are now."""
        return (piece for piece in self._pieces if piece is not None)


@dataclass(frozen=True, slots=True)
class MergeProblem:
    """What is wrong with a merge of a list, by its index from 0."""

    index: int
    what: str


def check_merges(
    merges: Sequence[Sequence[str]],
    affixes: Affixes = UNMARKED,
    symbols: Collection[str] | None = None,
) -> list[MergeProblem]:
    """What is wrong with given merges: each needs two parts that a merge before it makes or that
    are symbols to start with: those of `symbols`, or without any given all single characters (the
    tokens of bytes too), with the marks that their place in the word asks for."""
    problems: list[MergeProblem] = []
    made: set[str] = set()
    seen: set[Names] = set()
    for index, parts in enumerate(merges):
        what = _problem(parts, made, seen, affixes, symbols)
        if what:
            problems.append(MergeProblem(index, what))
        if len(parts) == _PAIR:
            seen.add((parts[0], parts[1]))
            made.add(affixes.merged(parts[0], parts[1]))
    return problems


def _problem(
    parts: Sequence[str],
    made: set[str],
    seen: set[Names],
    affixes: Affixes,
    symbols: Collection[str] | None,
) -> str | None:
    if isinstance(parts, str) or len(parts) != _PAIR or not all(parts):
        return "a merge has two parts, neither of them empty"
    left, right = parts
    if (left, right) in seen:
        return f"{left} + {right} is merged before already"
    for part in parts:
        if part not in made and not _is_symbol(part, affixes, symbols):
            return f"{part} is neither a symbol to start with nor made by a merge before"
    if affixes.suffix and left.endswith(affixes.suffix):
        return f"{left} ends a word, so nothing follows it"
    if affixes.prefix and not right.startswith(affixes.prefix):
        return f"{right} starts a word, so nothing is before it; {affixes.prefix}{right}"
    return None


def _is_symbol(part: str, affixes: Affixes, symbols: Collection[str] | None) -> bool:
    if symbols is not None:
        return part in symbols
    return len(affixes.plain(part)) == 1 or len(part) == 1


def vocabulary_of(
    merges: Iterable[Names], affixes: Affixes = UNMARKED, special: Sequence[str] = ()
) -> dict[str, int]:
    """A vocabulary for given merges: special tokens, the symbols that no merge makes by code
    point (those with marks last), then each merge's piece."""
    pairs = list(merges)
    made = [affixes.merged(left, right) for left, right in pairs]
    start = {part for pair in pairs for part in pair} - set(made)
    bare = {part for part in start if len(part) == 1}
    return numbered([*special, *sorted(bare), *sorted(start - bare), *made])
