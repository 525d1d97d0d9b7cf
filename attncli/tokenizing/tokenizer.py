"""A tokenizer: a pre-tokenizer cuts texts into words, and a model cuts words into pieces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from attncli.tokenizing.pieces import Model, Piece
from attncli.tokenizing.pre_tokenizers import PreTokenizer

if TYPE_CHECKING:  # of a tokenizer that is in a file
    from attncli.tokenizing.splitting import AddedTokens


class WordTokenizer(NamedTuple):
    """Cuts texts with `pre_tokenizer`, and each word with `model`.

    What is decoded is the whole text that was encoded, if no piece of it is the unknown token and
    the pre-tokenizer loses nothing: `ByteLevel` with a model that has all bytes, `Metaspace` with a
    byte fall-back or all characters of the text. An unknown token is decoded as itself. Tokens that
    are `added` to the model's are taken out of a text before it is cut.
    """

    pre_tokenizer: PreTokenizer
    model: Model
    added: AddedTokens | None = None

    @property
    def vocabulary(self) -> Mapping[str, int]:
        """Tokens and their IDs, in the order of IDs, those that the model doesn't know last."""
        if self.added is None:
            return self.model.vocabulary
        return {**self.model.vocabulary, **{token.content: token.id for token in self.added.tokens}}

    @property
    def unknown(self) -> str | None:
        """The token of what the model doesn't know, if it has one."""
        return self.model.unknown

    def words(self, text: str | None) -> tuple[str, ...]:
        """The different words of a text, in the order of their first appearance."""
        parts = self._parts(text or "")
        return tuple(dict.fromkeys(part for part in parts if isinstance(part, str)))

    def added_in(self, text: str) -> tuple[str, ...]:
        """The different added tokens of a text, in the order of their first appearance."""
        parts = self._parts(text)
        return tuple(dict.fromkeys(part.token for part in parts if isinstance(part, Piece)))

    def encode(self, text: str) -> tuple[Piece, ...]:
        """The pieces of a text, word by word."""
        parts = self._parts(text)
        pieces = {one: self.model.pieces(one) for one in set(parts) if isinstance(one, str)}
        return tuple(
            piece for one in parts for piece in (pieces[one] if isinstance(one, str) else (one,))
        )

    def _parts(self, text: str) -> Sequence[Piece | str]:
        """The words of a text, and the added tokens, which are taken out first."""
        return self.pre_tokenizer.split(text) if self.added is None else self.added.parts(text)

    def decode(self, pieces: Iterable[Piece]) -> str:
        """The text of pieces, as far as it can be known from their tokens."""
        return self.pre_tokenizer.join([piece.token for piece in pieces])
