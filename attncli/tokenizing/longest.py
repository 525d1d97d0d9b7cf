"""WordPiece: cutting a word by the longest piece that the vocabulary has, from left to right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from attncli.records import NamedTuple, dataclass
from attncli.tokenizing.pieces import Piece

MOST_CHARACTERS = 100
"""A longer word is the unknown token, as in BERT's code."""


class Tried(NamedTuple):
    """A candidate that was looked up for the place where the word is still uncut."""

    place: int
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
    def longest(self) -> int:
        """The length of the longest token."""
        return max(map(len, self.vocabulary), default=0)

    def pieces(self, word: str) -> tuple[Piece, ...]:
        """The pieces of a word."""
        found: list[Piece] = []
        place = 0
        if len(word) > self.most_characters:
            return self._unknown(word)
        while place < len(word):
            match = next((one for one in self._tries(word, place, self.longest) if one.found), None)
            if match is None:
                return self._unknown(word)
            end = place + self._length(match)
            token = match.candidate
            found.append(Piece(token, self.vocabulary[token], word[place:end]))
            place = end
        return tuple(found)

    def trace(self, word: str) -> tuple[Tried, ...]:
        """All candidates in the order they are tried, the longest first at each place; nothing is
        tried for a word that is too long."""
        tried: list[Tried] = []
        place = 0
        while place < len(word) <= self.most_characters:
            for one in self._tries(word, place, len(word)):
                tried.append(one)
                if one.found:
                    break
            if not tried[-1].found:
                break
            place += self._length(tried[-1])
        return tuple(tried)

    def _tries(self, word: str, place: int, longest: int) -> Iterator[Tried]:
        prefix = self.prefix if place else ""
        for end in range(min(len(word), place + longest), place, -1):
            candidate = prefix + word[place:end]
            yield Tried(place, candidate, candidate in self.vocabulary)

    def _length(self, match: Tried) -> int:
        candidate = match.candidate
        return len(candidate) - len(self.prefix if match.place else "")

    def _unknown(self, word: str) -> tuple[Piece, ...]:
        if self.unknown is None:
            return (Piece(word, None, word),)
        return (Piece(self.unknown, self.vocabulary.get(self.unknown), word),)
