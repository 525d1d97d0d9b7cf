"""A tokenizer: a way of cutting a text into words, and a model that cuts words into pieces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attncli.records import NamedTuple
from attncli.tokenizing.cutting import Cutting
from attncli.tokenizing.pieces import Model, Piece


class WordTokenizer(NamedTuple):
    """Cuts texts with `cutting`, and each word with `model`.

    What is decoded is the whole text that was encoded, if no piece of it is the unknown token and
    `cutting` loses nothing: `Bytes` with a model that has all bytes, `Metaspace` with a byte
    fall-back or all characters of the text. An unknown token is decoded as itself.
    """

    cutting: Cutting
    model: Model

    @property
    def vocabulary(self) -> Mapping[str, int]:
        """Tokens and their IDs, in the order of IDs."""
        return self.model.vocabulary

    @property
    def unknown(self) -> str | None:
        """The token of what the model doesn't know, if it has one."""
        return self.model.unknown

    def encode(self, text: str) -> tuple[Piece, ...]:
        """The pieces of a text, word by word."""
        words = self.cutting.cut(text)
        cut = {word: self.model.pieces(word) for word in set(words)}
        return tuple(piece for word in words for piece in cut[word])

    def decode(self, pieces: Iterable[Piece]) -> str:
        """The text of pieces, as far as it can be known from their tokens."""
        return self.cutting.join([piece.token for piece in pieces])
