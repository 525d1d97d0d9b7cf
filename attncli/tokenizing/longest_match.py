"""WordPiece: cutting a word by the longest piece that the vocabulary has, from left to right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from attncli.tokenizing.pieces import Piece, unknown_pieces

MOST_CHARACTERS = 100
"""A longer word is the unknown token: `max_input_chars_per_word` in BERT's code."""


class Lookup(NamedTuple):
    """A candidate that was looked up for the place where the word is still uncut."""

    start: int
    end: int
    candidate: str
    found: bool


@dataclass(frozen=True)
class LongestMatch:
    """A model that takes the longest piece each time (Wu et al. 2016, arXiv:1609.08144, with the
    marks of Devlin et al. 2019, arXiv:1810.04805). A word of which any part isn't found, or of more
    characters than `most_characters`, is the unknown token as a whole; without such a token it
    stays as it is, with no ID."""

    vocabulary: Mapping[str, int]
    unknown: str | None = "[UNK]"
    prefix: str = "##"
    most_characters: int = MOST_CHARACTERS

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self.vocabulary), default=0)

    def pieces(self, word: str) -> tuple[Piece, ...]:
        """The pieces of a word."""
        found = [one for one in self._lookups(word, self._longest) if one.found]
        if (found[-1].end if found else 0) < len(word):
            return tuple(unknown_pieces(word, self.vocabulary, self.unknown))
        return tuple(
            Piece(one.candidate, self.vocabulary[one.candidate], word[one.start : one.end])
            for one in found
        )

    def trace(self, word: str) -> tuple[Lookup, ...]:
        """All candidates in the order they are looked up, the longest first at each place; none for
        a word that is too long."""
        return tuple(self._lookups(word, len(word)))

    def _lookups(self, word: str, longest: int) -> Iterator[Lookup]:
        start, reached = 0, -1
        while start > reached and start < len(word) <= self.most_characters:
            reached = start
            for end in range(min(len(word), start + longest), start, -1):
                candidate = (self.prefix if start else "") + word[start:end]
                yield Lookup(start, end, candidate, candidate in self.vocabulary)
                if candidate in self.vocabulary:
                    start = end
                    break
