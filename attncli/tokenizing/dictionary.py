"""A dictionary: whole words, the rarest of them left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attncli.records import NamedTuple, dataclass
from attncli.tokenizing.corpus import CountedWord
from attncli.tokenizing.pieces import Piece, numbered


@dataclass(frozen=True)
class Dictionary:
    """A model whose pieces are whole words. A word that it hasn't is the unknown token, or itself
    without an ID, where there is no such token."""

    vocabulary: Mapping[str, int]
    unknown: str | None = None

    def pieces(self, word: str) -> tuple[Piece, ...]:
        """The one piece of a word."""
        token = word if word in self.vocabulary or self.unknown is None else self.unknown
        return (Piece(token, self.vocabulary.get(token), word),)


class CountedDictionary(NamedTuple):
    """A dictionary's making: the words that are kept and dropped, most frequent first (words of
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
    most: int | None = None,
    special: Sequence[str] = (),
    unknown: str | None = None,
) -> CountedDictionary:
    """Words of `min_count` or more, the `most` frequent; IDs after those of the special tokens.

    An unknown token that isn't among the special ones is the first of them. Raises ValueError for
    a size below 0.
    """
    if most is not None and most < 0:
        raise ValueError(f"the {most} most frequent words were to be kept; 0 or more")
    ranked = sorted(words, key=lambda word: -word.count)
    frequent = [word for word in ranked if word.count >= min_count]
    kept = frequent[:most]
    dropped = ranked[len(kept) :]
    front = [unknown] if unknown is not None and unknown not in special else []
    vocabulary = numbered([*front, *special, *(word.text for word in kept)])
    tied = _tied(frequent, len(kept))
    return CountedDictionary(Dictionary(vocabulary, unknown), tuple(kept), tuple(dropped), tied)


def _tied(frequent: Sequence[CountedWord], kept: int) -> tuple[CountedWord, ...]:
    if not 0 < kept < len(frequent) or frequent[kept - 1].count != frequent[kept].count:
        return ()
    return tuple(word for word in frequent if word.count == frequent[kept].count)
