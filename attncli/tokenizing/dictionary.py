"""A dictionary: whole words, the rarest of them left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attncli.tokenizing.corpus import CountedWord
from attncli.tokenizing.pieces import Piece, front_of, numbered, unknown_pieces


@dataclass(frozen=True)
class Dictionary:
    """A model whose pieces are whole words. A word that it hasn't is the unknown token, or itself
    without an ID, where there is no such token."""

    vocabulary: Mapping[str, int]
    unknown: str | None = None

    def pieces(self, word: str) -> tuple[Piece, ...]:
        """The one piece of a word."""
        if word in self.vocabulary:
            return (Piece(word, self.vocabulary[word], word),)
        return tuple(unknown_pieces(word, self.vocabulary, self.unknown))


class CountedDictionary(NamedTuple):
    """How a dictionary was made: the words that are kept and dropped, most frequent first (words of
    one count in the order of their first appearance), and, where the cut by size is between words
    of one count, all that have it (`tied`): the first of them were kept."""

    model: Dictionary
    kept: tuple[CountedWord, ...]
    dropped: tuple[CountedWord, ...]
    tied: tuple[CountedWord, ...]


def make_dictionary(
    words: Sequence[CountedWord],
    *,
    min_count: int = 1,
    size: int | None = None,
    special: Sequence[str] = (),
    unknown: str | None = None,
) -> CountedDictionary:
    """Words of `min_count` or more, the most frequent; `size` counts the special tokens too, whose
    IDs come first. An unknown token that isn't among them is the first.

    Raises ValueError for a size that has no room for the special tokens.
    """
    front = front_of(tuple(special), unknown)
    if size is not None and size < len(front):
        raise ValueError(f"{size} tokens, and {len(front)} of them special; say more")
    ranked = sorted(words, key=lambda word: -word.count)
    frequent = [word for word in ranked if word.count >= min_count]
    kept = frequent if size is None else frequent[: size - len(front)]
    vocabulary = numbered([*front, *(word.text for word in kept)])
    model = Dictionary(vocabulary, unknown)
    return CountedDictionary(
        model, tuple(kept), tuple(ranked[len(kept) :]), _tied(frequent, len(kept))
    )


def _tied(frequent: Sequence[CountedWord], kept: int) -> tuple[CountedWord, ...]:
    if not 0 < kept < len(frequent) or frequent[kept - 1].count != frequent[kept].count:
        return ()
    return tuple(word for word in frequent if word.count == frequent[kept].count)
