"""Unigram: a word is cut into the pieces that are most probable together.

Kudo 2018 (arXiv:1804.10959).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from attncli.tokenizing.lattice import (
    UNKNOWN,
    LatticeNode,
    PieceTrie,
    Rounder,
    unrounded,
    viterbi,
)
from attncli.tokenizing.pieces import BYTE_TOKENS, Piece, front_of, numbered, unknown_pieces

Scored = tuple[tuple[str, float], ...]
"""Tokens with their log-probabilities."""


class PieceEnding(NamedTuple):
    """A piece that ends at a place, and the total of the best way there that ends with it: the best
    total at its start and its own score. It isn't `known` if it is a character that no piece
    covers."""

    token: str
    start: int
    total: float
    known: bool = True


class WordPlace(NamedTuple):
    """A place in a word, after `end` characters: all pieces that end there, and the best of them
    (of equal ones the first), which is where one goes back to."""

    end: int
    candidates: tuple[PieceEnding, ...]
    best: PieceEnding


@dataclass(frozen=True)
class Unigram:
    """A model of pieces with log-probabilities. `special` tokens, the unknown one and those of
    bytes are never found in a word.

    A character that no piece covers has the least score of all pieces less 10, as in Hugging
    Face's `tokenizers`; neighbours of that sort are one unknown token together, or the tokens of
    their bytes with `byte_fallback`, where the vocabulary has them. Without an unknown token they
    stay as they are, with no ID. `round_` rounds the `totals` and the `best` of them.
    """

    scored: Scored
    unknown: str | None = None
    special: tuple[str, ...] = ()
    byte_fallback: bool = False
    round_: Rounder = unrounded

    @cached_property
    def vocabulary(self) -> Mapping[str, int]:
        """Tokens and their IDs."""
        return numbered(token for token, _ in self.scored)

    @cached_property
    def trie(self) -> PieceTrie:
        """The pieces by the text that they cover; their numbers are IDs and 1."""
        hidden = {*self.special, *BYTE_TOKENS, self.unknown or ""}
        return PieceTrie([("", math.nan), *self.scored], hidden)

    def pieces(self, word: str) -> tuple[Piece, ...]:
        """The pieces of a word."""
        return tuple(self._pieces(word, self.trie.best_cut(word, self.round_) or []))

    def _pieces(self, word: str, cut: list[LatticeNode]) -> Iterator[Piece]:
        for unknown, run in groupby(cut, key=lambda node: node.piece == UNKNOWN):
            nodes = list(run)
            text = word[nodes[0].start : nodes[-1].end]
            if unknown:
                yield from unknown_pieces(text, self.vocabulary, self.unknown, self.byte_fallback)
                continue
            for node in nodes:
                token = word[node.start : node.end]
                yield Piece(token, self.vocabulary[token], token)

    def table(self, word: str) -> tuple[WordPlace, ...]:
        """The places of a word, from after its first character to its end; what isn't reached by
        any piece isn't there."""
        nodes = self.trie.nodes(word)
        found = viterbi(len(word), nodes, self.round_)
        ending: dict[int, list[PieceEnding]] = {}
        best: dict[int, PieceEnding] = {}
        for node, total in zip(nodes, found.totals, strict=True):
            text = word[node.start : node.end]
            one = PieceEnding(text, node.start, total, node.piece != UNKNOWN)
            ending.setdefault(node.end, []).append(one)
            if node == found.best[node.end]:
                best[node.end] = one
        return tuple(WordPlace(end, tuple(ending[end]), best[end]) for end in sorted(ending))


class UnigramSettings(NamedTuple):
    """What is learned: a vocabulary of `size`, special tokens and the unknown one included, of
    pieces of up to `longest` characters.

    Where pieces are counted (`count_training`), they start from substrings that the corpus has
    `min_count` times or more, without `whole` none that is only ever a whole word, and each round
    prunes the share `share` of those that may go (one at least). Where they are expected
    (`em_training`), each round has `steps` of expectation and maximization.

    `round_` rounds `log_p`, `cut_scores` and `growth`, and is that of the model.
    """

    size: int
    special: tuple[str, ...] = ()
    unknown: str | None = "<unk>"
    byte_fallback: bool = False
    longest: int = 16
    min_count: int = 2
    whole: bool = True
    share: Fraction = Fraction(1, 10)
    steps: int = 2
    round_: Rounder = unrounded

    @property
    def front(self) -> tuple[str, ...]:
        """The tokens that come first."""
        return front_of(self.special, self.unknown)

    @property
    def room(self) -> int:
        """How many pieces there can be."""
        return self.size - len(self.front)

    def check(self, characters: int) -> None:
        """Raises ValueError for a size that has no room for its characters."""
        least = len(self.front) + characters
        if self.size < least:
            raise ValueError(
                f"a vocabulary of {self.size} has no room for the special tokens and the"
                f" {characters} characters; {least} or more"
            )

    def model(self, pieces: Iterable[tuple[str, float]]) -> Unigram:
        """The model of pieces with their log-probabilities, the most probable ones first."""
        ranked = sorted(pieces, key=lambda one: -one[1])
        rounded = ((token, self.round_("log_p", score)) for token, score in ranked)
        scored = (*((token, 0.0) for token in self.front), *rounded)
        return Unigram(scored, self.unknown, self.front, self.byte_fallback, self.round_)
