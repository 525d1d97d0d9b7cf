"""Cutting a word by merges, in the order in which they were learned."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from attncli.tokenizing.pieces import (
    UNMARKED,
    Piece,
    SubwordMarks,
    TokenPair,
    numbered,
    unknown_pieces,
)

_PAIR = 2


class MergeStep(NamedTuple):
    """A word's symbols after a merge of a pair; with no pair those that it starts from."""

    pair: TokenPair | None
    symbols: tuple[str, ...]


@dataclass(frozen=True)
class MergeModel:
    """A model that merges: of all pairs in a word the one whose merge was learned first, the
    leftmost of these, until none is left. A pair that is given twice has its last rank.

    A character that isn't in the vocabulary is the tokens of its bytes with `byte_fallback`, where
    the vocabulary has them, else the unknown token, with `fused` one for all such neighbours of a
    word; without such a token it stays as it is, with no ID. A word that the vocabulary has is not
    cut at all where `whole` ones are looked up first.
    """

    vocabulary: Mapping[str, int]
    merges: tuple[TokenPair, ...]
    marks: SubwordMarks = UNMARKED
    unknown: str | None = None
    byte_fallback: bool = False
    fused: bool = False
    whole: bool = False

    @cached_property
    def ranks(self) -> dict[TokenPair, int]:
        """The number of each pair's merge, from 0."""
        return {(left, right): rank for rank, (left, right) in enumerate(self.merges)}

    def pieces(self, word: str) -> tuple[Piece, ...]:
        """The pieces of a word, in time that grows with n · log n of its length."""
        chain = _LinkedPieces(self._start(word), self)
        for _ in chain.merges():
            pass
        return tuple(chain.pieces())

    def trace(self, word: str) -> Iterator[MergeStep]:
        """The merges of a word one by one; each has all symbols, which is for short words."""
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
        """The pieces with neighbouring unknown tokens as one."""
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
    """A word's pieces as a linked list, and a heap of the merges that it holds."""

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
        """Merges until nothing can be merged; the pair of each."""
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
        """The pieces that there are now."""
        return (piece for piece in self._pieces if piece is not None)


def check_merges(
    merges: Sequence[Sequence[str]],
    marks: SubwordMarks = UNMARKED,
    symbols: Collection[str] | None = None,
) -> dict[int, str]:
    """What is wrong with given merges, by their indices from 0: each needs two parts that a merge
    before it makes or that are symbols to start with: those of `symbols`, or without any given all
    single characters (the tokens of bytes too), with the marks that their place in the word asks
    for."""
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
    """A vocabulary for given merges: special tokens, the symbols that no merge makes by code
    point (those with marks last), then each merge's piece."""
    pairs = list(merges)
    made = [marks.merged(left, right) for left, right in pairs]
    start = {part for pair in pairs for part in pair} - set(made)
    bare = {part for part in start if len(part) == 1}
    return numbered([*special, *sorted(bare), *sorted(start - bare), *made])
