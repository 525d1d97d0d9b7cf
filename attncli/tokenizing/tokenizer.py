"""A tokenizer: a pre-tokenizer cuts texts into words, and a model cuts words into pieces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attncli.records import NamedTuple
from attncli.tokenizing.pieces import Model, Piece
from attncli.tokenizing.pre_tokenizers import PreTokenizer


class WordTokenizer(NamedTuple):
    """Cuts texts with `pre_tokenizer`, and each word with `model`.

    What is decoded is the whole text that was encoded, if no piece of it is the unknown token and
    the pre-tokenizer loses nothing: `ByteLevel` with a model that has all bytes, `Metaspace` with a
    byte fall-back or all characters of the text. An unknown token is decoded as itself.
    """

    pre_tokenizer: PreTokenizer
    model: Model

    @property
    def vocabulary(self) -> Mapping[str, int]:
        """Tokens and their IDs, in the order of IDs."""
        return self.model.vocabulary

    @property
    def unknown(self) -> str | None:
        """The token of what the model doesn't know, if it has one."""
        return self.model.unknown

    def words(self, text: str | None) -> tuple[str, ...]:
        """The different words of a text, in the order of their first appearance."""
        return tuple(dict.fromkeys(self.pre_tokenizer.split(text or "")))

    def encode(self, text: str) -> tuple[Piece, ...]:
        """The pieces of a text, word by word."""
        words = self.pre_tokenizer.split(text)
        pieces = {word: self.model.pieces(word) for word in set(words)}
        return tuple(piece for word in words for piece in pieces[word])

    def decode(self, pieces: Iterable[Piece]) -> str:
        """The text of pieces, as far as it can be known from their tokens."""
        return self.pre_tokenizer.join([piece.token for piece in pieces])
