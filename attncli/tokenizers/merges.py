"""Merges: words cut by them, in the order in which they were learned."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from attncli.tokenizers.pieces import (
    UNMARKED,
    Piece,
    SubwordMarks,
    TokenPair,
    numbered,
    unknown_pieces,
)

_PAIR = 2


class MergeStep(NamedTuple):
    """A word's symbols after the merge of a pair, or before any merge, where the pair is None."""

    pair: TokenPair | None
    symbols: tuple[str, ...]


@dataclass(frozen=True)
class MergeModel:
    """A model that merges pairs of symbols: of all pairs in a word the one whose merge was learned
    first, the leftmost of these, until none is left. A pair that is given twice has its last
    rank."""

    vocabulary: Mapping[str, int]
    merges: tuple[TokenPair, ...]
    marks: SubwordMarks = UNMARKED
    unknown: str | None = None
    """The token of a character that the vocabulary doesn't have. Without it the character stays as
    it is, with no ID."""
    byte_fallback: bool = False
    """Whether such a character becomes the tokens of its bytes, if the vocabulary has them."""
    fused: bool = False
    """Whether neighbouring unknown characters of a word are one token."""
    whole: bool = False
    """Whether a word that the vocabulary has isn't cut at all."""

    @cached_property
    def ranks(self) -> dict[TokenPair, int]:
        """Returns the number of each pair's merge, from 0."""
        return {(left, right): rank for rank, (left, right) in enumerate(self.merges)}

    def pieces(self, word: str) -> tuple[Piece, ...]:
        """Cuts a word into pieces, in time that grows with n · log n of its length."""
        chain = _LinkedPieces(self._start(word), self)
        for _ in chain.merges():
            pass
        return tuple(chain.pieces())

    def trace(self, word: str) -> Iterator[MergeStep]:
        """Yields the merges of a word one by one. Each has all symbols, which suits short words
        only."""
        chain = _LinkedPieces(self._start(word), self)
        yield MergeStep(None, tuple(piece.token for piece in chain.pieces()))
        for pair in chain.merges():
            yield MergeStep(pair, tuple(piece.token for piece in chain.pieces()))

    def _start(self, word: str) -> list[Piece]:
        if self.whole and word in self.vocabulary:
            return [Piece(word, self.vocabulary[word], word)]
        found: list[Piece] = []
        for symbol, character in zip(self.marks.symbols(word), word, strict=True):
            if symbol in self.vocabulary:
                found.append(Piece(symbol, self.vocabulary[symbol], character))
            else:
                found += self._unknown(symbol, character)
        return self._fused(found) if self.fused and self.unknown is not None else found

    def _fused(self, pieces: list[Piece]) -> list[Piece]:
        """Joins neighbouring unknown tokens into one."""
        found: list[Piece] = []
        for piece in pieces:
            if found and piece.token == found[-1].token == self.unknown:
                found[-1] = piece._replace(surface=found[-1].surface + piece.surface)
            else:
                found.append(piece)
        return found

    def _unknown(self, symbol: str, character: str) -> list[Piece]:
        pieces = unknown_pieces(symbol, self.vocabulary, self.unknown, self.byte_fallback)
        return [piece._replace(surface="" if i else character) for i, piece in enumerate(pieces)]


class _LinkedPieces:
    """The pieces of a word as a linked list, with a heap of the merges that it holds."""

    def __init__(self, pieces: list[Piece], model: MergeModel) -> None:
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
            made = self._model.marks.merged(*pair)
            heapq.heappush(self._heap, (self._model.ranks[pair], place, made))

    def _pair(self, place: int) -> TokenPair | None:
        left = self._pieces[place]
        right = self._pieces[self._after[place]] if self._after[place] >= 0 else None
        return (left.token, right.token) if left and right else None

    def merges(self) -> Iterator[TokenPair]:
        """Merges until nothing can be merged, and yields the pair of each merge."""
        while self._heap:
            _, place, made = heapq.heappop(self._heap)
            pair = self._pair(place)
            if pair in self._model.ranks and self._model.marks.merged(*pair) == made:
                self._merge(place, made)
                yield pair

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

    def pieces(self) -> Iterator[Piece]:
        """Yields the pieces that there are now."""
        return (piece for piece in self._pieces if piece is not None)


def check_merges(
    merges: Sequence[Sequence[str]],
    marks: SubwordMarks = UNMARKED,
    symbols: Collection[str] | None = None,
) -> dict[int, str]:
    """Returns what is wrong with given merges, by their indices from 0. Each needs two parts that
    an earlier merge makes or that are symbols to start with: those of `symbols`, or without any
    given all single characters and the tokens of bytes, with the marks of their place in the
    word."""
    problems: dict[int, str] = {}
    made: set[str] = set()
    seen: set[TokenPair] = set()
    for index, parts in enumerate(merges):
        if what := _problem(parts, made, seen, marks, symbols):
            problems[index] = what
        if len(parts) == _PAIR:
            seen.add((parts[0], parts[1]))
            made.add(marks.merged(parts[0], parts[1]))
    return problems


def _problem(
    parts: Sequence[str],
    made: set[str],
    seen: set[TokenPair],
    marks: SubwordMarks,
    symbols: Collection[str] | None,
) -> str | None:
    if isinstance(parts, str) or len(parts) != _PAIR or not all(parts):
        return "a merge has two parts, neither of them empty"
    left, right = parts
    if (left, right) in seen:
        return f"{left} + {right} is merged before already"
    for part in parts:
        if part not in made and not _is_symbol(part, marks, symbols):
            return f"{part} is neither a symbol to start with nor made by a merge before"
    if marks.suffix and left.endswith(marks.suffix):
        return f"{left} ends a word, so nothing follows it"
    if marks.prefix and not right.startswith(marks.prefix):
        return f"{right} starts a word, so nothing is before it; {marks.prefix}{right}"
    return None


def _is_symbol(part: str, marks: SubwordMarks, symbols: Collection[str] | None) -> bool:
    if symbols is not None:
        return part in symbols
    return len(marks.plain(part)) == 1 or len(part) == 1


def vocabulary_of(
    merges: Iterable[TokenPair], marks: SubwordMarks = UNMARKED, special: Sequence[str] = ()
) -> dict[str, int]:
    """Makes a vocabulary for given merges: special tokens, the symbols that no merge makes by code
    point (those with marks last), then the piece of each merge."""
    pairs = list(merges)
    made = [marks.merged(left, right) for left, right in pairs]
    start = {part for pair in pairs for part in pair} - set(made)
    bare = {part for part in start if len(part) == 1}
    return numbered([*special, *sorted(bare), *sorted(start - bare), *made])
