"""Unigram: a word is cut into the pieces that are most probable together.

Kudo 2018 (arXiv:1804.10959).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import groupby

from attncli.records import NamedTuple, dataclass
from attncli.tokenizing.lattice import (
    UNKNOWN,
    Lexicon,
    Node,
    Rounded,
    best_cut,
    unrounded,
    ways,
)
from attncli.tokenizing.pieces import BYTE_TOKENS, Piece, numbered, unknown_pieces

Scored = tuple[tuple[str, float], ...]
"""Tokens with their log-probabilities."""


class Candidate(NamedTuple):
    """A piece that ends at a place, and the total of the best way there that ends with it: the best
    total at its start and its own score. It isn't `known` if it is a character that no piece
    covers."""

    token: str
    start: int
    total: float
    known: bool = True


class PiecesEnding(NamedTuple):
    """A place in a word, after `end` characters: all pieces that end there, and the best of them
    (of equal ones the first), which is where one goes back to."""

    end: int
    candidates: tuple[Candidate, ...]
    best: Candidate


@dataclass(frozen=True)
class Unigram:
    """A model of pieces with log-probabilities. `special` tokens, the unknown one and those of
    bytes are never found in a word.

    A character that no piece covers has the least score of all pieces less 10, as in Hugging
    Face's `tokenizers`; neighbours of that sort are one unknown token together, or the tokens of
    their bytes with `byte_fallback`, where the vocabulary has them. Without an unknown token they
    stay as they are, with no ID. `rounded` rounds the `totals` and the `best` of them.
    """

    scored: Scored
    unknown: str | None = None
    special: tuple[str, ...] = ()
    byte_fallback: bool = False
    rounded: Rounded = unrounded

    @cached_property
    def vocabulary(self) -> Mapping[str, int]:
        """Tokens and their IDs."""
        return numbered(token for token, _ in self.scored)

    @cached_property
    def lexicon(self) -> Lexicon:
        """The pieces by the text that they cover; their numbers are IDs and 1."""
        hidden = {*self.special, *BYTE_TOKENS, self.unknown or ""}
        return Lexicon([("", math.nan), *self.scored], hidden)

    def pieces(self, word: str) -> tuple[Piece, ...]:
        """The pieces of a word."""
        cut = best_cut(len(word), self.lexicon.nodes(word), self.rounded)
        return tuple(self._pieces(word, cut or []))

    def _pieces(self, word: str, cut: list[Node]) -> Iterator[Piece]:
        for unknown, run in groupby(cut, key=lambda node: node.piece == UNKNOWN):
            nodes = list(run)
            text = word[nodes[0].start : nodes[-1].end]
            if unknown:
                yield from unknown_pieces(text, self.vocabulary, self.unknown, self.byte_fallback)
                continue
            for node in nodes:
                token = word[node.start : node.end]
                yield Piece(token, self.vocabulary[token], token)

    def table(self, word: str) -> tuple[PiecesEnding, ...]:
        """The places of a word, from after its first character to its end; what isn't reached by
        any piece isn't there."""
        nodes = self.lexicon.nodes(word)
        found = ways(len(word), nodes, self.rounded)
        ending: dict[int, list[Candidate]] = {}
        best: dict[int, Candidate] = {}
        for node, total in zip(nodes, found.totals, strict=True):
            text = word[node.start : node.end]
            one = Candidate(text, node.start, total, node.piece != UNKNOWN)
            ending.setdefault(node.end, []).append(one)
            if node == found.best[node.end]:
                best[node.end] = one
        return tuple(PiecesEnding(end, tuple(ending[end]), best[end]) for end in sorted(ending))


def check_room(size: int, front: int, characters: int) -> None:
    """Raises ValueError for a vocabulary that has no room for its characters."""
    least = front + characters
    if size < least:
        raise ValueError(
            f"a vocabulary of {size} has no room for the special tokens and the {characters}"
            f" characters; {least} or more"
        )
