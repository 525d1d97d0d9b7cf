"""Pieces of words, the marks that say where in a word they stand, and what all models share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, Protocol


class Piece(NamedTuple):
    """A token of an encoded text. `surface` is the part of the word that it stands for: for the
    unknown token that isn't the token itself. The ID is None for what no vocabulary has, where
    there is no unknown token either."""

    token: str
    id: int | None
    surface: str


TokenPair = tuple[str, str]
"""Two neighbouring symbols, by their tokens."""


class SubwordMarks(NamedTuple):
    """What marks the place of a piece in its word: `##` before each piece that continues one
    (WordPiece), `</w>` after the last (Sennrich et al. 2016, arXiv:1508.07909), or nothing."""

    prefix: str = ""
    suffix: str = ""

    def symbols(self, word: str) -> list[str]:
        """The characters of a word as symbols: `pug` is p ##u ##g, or p u g</w>."""
        marked = [*word[:1], *(self.prefix + character for character in word[1:])]
        if marked:
            marked[-1] += self.suffix
        return marked

    def merged(self, left: str, right: str) -> str:
        """The symbol that two make: p and ##u make pu."""
        return left + right.removeprefix(self.prefix)

    def plain(self, token: str) -> str:
        """A token's text without marks."""
        return token.removeprefix(self.prefix).removesuffix(self.suffix)


UNMARKED = SubwordMarks()


class Model(Protocol):
    """What cuts one word into pieces of its vocabulary (token to ID, in the order of IDs)."""

    @property
    def vocabulary(self) -> Mapping[str, int]: ...

    @property
    def unknown(self) -> str | None: ...

    def pieces(self, word: str) -> tuple[Piece, ...]: ...


def numbered(tokens: Iterable[str]) -> dict[str, int]:
    """Tokens with their IDs, counted from 0; a token's second mention counts for nothing."""
    return {token: place for place, token in enumerate(dict.fromkeys(tokens))}


def front_of(special: tuple[str, ...], unknown: str | None) -> tuple[str, ...]:
    """The tokens that come first in a vocabulary: the unknown one, if it isn't among the special
    ones, and these."""
    return special if unknown is None or unknown in special else (unknown, *special)


BYTE_TOKENS = tuple(f"<0x{byte:02X}>" for byte in range(256))


def byte_tokens(text: str) -> list[str]:
    """The tokens of a text's bytes in UTF-8: a line end is `<0x0A>`. Lone surrogates have bytes
    too, as if they were characters."""
    return [BYTE_TOKENS[byte] for byte in text.encode("utf-8", "surrogatepass")]


def from_bytes(given: bytes) -> str:
    """The text of bytes, with � for what is none."""
    try:
        return given.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return given.decode("utf-8", "replace")


def without_byte_tokens(tokens: Sequence[str]) -> list[str]:
    """Tokens, with each run of tokens of bytes as the text that it is."""
    values = {token: byte for byte, token in enumerate(BYTE_TOKENS)}
    texts: list[str] = []
    for are_bytes, run in groupby(tokens, key=values.__contains__):
        found = list(run)
        texts += [from_bytes(bytes(map(values.__getitem__, found)))] if are_bytes else found
    return texts


def unknown_pieces(
    text: str, vocabulary: Mapping[str, int], unknown: str | None, byte_fallback: bool = False
) -> list[Piece]:
    """What stands for text that no piece covers: its bytes, where the vocabulary has them and they
    are wanted, else the unknown token, else the text itself, without an ID."""
    tokens = byte_tokens(text)
    if byte_fallback and all(token in vocabulary for token in tokens):
        return [
            Piece(token, vocabulary[token], "" if i else text) for i, token in enumerate(tokens)
        ]
    if unknown is None:
        return [Piece(text, None, text)]
    return [Piece(unknown, vocabulary.get(unknown), text)]
