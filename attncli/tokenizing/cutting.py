"""Cutting a text into words before any tokenizer is learned, and putting tokens together again.

Each way is a frozen record with `cut(text) -> words` and `join(tokens) -> text`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, Protocol

from attncli.records import NamedTuple
from attncli.tokenizing.pieces import Affixes, from_bytes, without_byte_tokens

# Python takes the four separators for white space too, Unicode's White_Space doesn't
_SEPARATORS = "\x1c-\x1f"
_SPACELESS = re.compile(rf"[\S{_SEPARATORS}]+")
SPACE = "▁"


class Cutting(Protocol):
    """How a text becomes words, and tokens become a text."""

    def cut(self, text: str) -> list[str]: ...

    def join(self, tokens: Sequence[str]) -> str: ...


class WhiteSpace(NamedTuple):
    """Words are what stands between white space, which is lost. A text that is joined again has
    one space where the marks of its pieces show that a word ends; where nothing is marked, the
    pieces of all words stand together."""

    affixes: Affixes = Affixes()

    def cut(self, text: str) -> list[str]:
        return _SPACELESS.findall(text)

    def join(self, tokens: Sequence[str]) -> str:
        return join_marked(tokens, self.affixes)


class PunctuationCutting(NamedTuple):
    """Words are cut at white space, and each punctuation mark is a word of its own, as BERT has it
    (Devlin et al. 2019, arXiv:1810.04805). White space is lost."""

    affixes: Affixes = Affixes()

    def cut(self, text: str) -> list[str]:
        marks = {ord(one): f" {one} " for one in set(text) if is_punctuation(one)}
        return _SPACELESS.findall(text.translate(marks))

    def join(self, tokens: Sequence[str]) -> str:
        return join_marked(tokens, self.affixes)


class Metaspace(NamedTuple):
    """A space is written `▁` and starts a word, as SentencePiece has it (Kudo & Richardson 2018,
    arXiv:1808.06226): nothing is lost but the difference of `▁` and a space.

    A `prefix` before the text lets its first word be like any other: `always`; `unless_spaced`,
    if it has no space there yet, which loses such a space in joining; or `never`.
    `nfkc` writes a text in Unicode's normal form of that name first, and that is what joins again.
    `whole` doesn't cut the text, pieces may then reach over spaces.
    """

    prefix: Literal["always", "unless_spaced", "never"] = "always"
    nfkc: bool = False
    whole: bool = False

    def cut(self, text: str) -> list[str]:
        marked = self.normal(text)
        if self.whole:
            return [marked] if marked else []
        return re.findall(rf"{SPACE}[^{SPACE}]*|[^{SPACE}]+", marked)

    def normal(self, text: str) -> str:
        """A text with its spaces marked, and the prefix."""
        normal = unicodedata.normalize("NFKC", text) if self.nfkc else text
        marked = normal.replace(" ", SPACE)
        spaced = marked.startswith(SPACE) and self.prefix == "unless_spaced"
        return marked if not marked or spaced or self.prefix == "never" else SPACE + marked

    def join(self, tokens: Sequence[str]) -> str:
        text = "".join(without_byte_tokens(tokens))
        return (text if self.prefix == "never" else text.removeprefix(SPACE)).replace(SPACE, " ")


class Bytes(NamedTuple):
    """Words are cut as GPT-2 does (Radford et al. 2019), each with the space before it, and each
    byte is a printable character: any text whatever joins again as it was. `prefix` puts a space
    before the text, and takes it away again."""

    prefix: bool = False

    def cut(self, text: str) -> list[str]:
        spaced = f" {text}" if self.prefix and text else text
        return [to_printable(word) for word in split_like_gpt2(spaced)]

    def join(self, tokens: Sequence[str]) -> str:
        text = from_printable("".join(tokens))
        return text.removeprefix(" ") if self.prefix else text


def join_marked(tokens: Iterable[str], affixes: Affixes) -> str:
    """Tokens as a text, with a space where their marks say that a word ends or starts."""
    prefix, suffix = affixes
    tokens = without_byte_tokens([*tokens])
    if suffix:
        ended = (
            token.removesuffix(suffix) + " " if token.endswith(suffix) else token
            for token in tokens
        )
        return "".join(ended).removesuffix(" ")
    if prefix:
        begun = (
            token.removeprefix(prefix) if token.startswith(prefix) else f" {token}"
            for token in tokens
        )
        return "".join(begun).removeprefix(" ")
    return "".join(tokens)


def is_punctuation(character: str) -> bool:
    """Unicode's punctuation, and whatever of ASCII is neither letter, digit nor white space."""
    if character < "\x7f":
        return character > " " and not character.isalnum()
    return unicodedata.category(character).startswith("P")


def _printable() -> dict[int, str]:
    """GPT-2's table: the bytes that are printable in Latin-1 are themselves, the others count on
    from U+0100; a space is Ġ, a line end Ċ."""
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in own]
    table = {byte: chr(byte) for byte in own}
    return table | {byte: chr(0x100 + place) for place, byte in enumerate(others)}


_CHARACTERS = _printable()
_BYTES = {character: byte for byte, character in _CHARACTERS.items()}
BYTE_ALPHABET = tuple(sorted(_CHARACTERS.values()))
"""The 256 characters that stand for bytes, by code point."""


def to_printable(text: str) -> str:
    """A text's bytes in UTF-8 as printable characters. Lone surrogates have bytes too."""
    return "".join(_CHARACTERS[byte] for byte in text.encode("utf-8", "surrogatepass"))


def from_printable(characters: str) -> str:
    """The text of printable characters; what stands for no byte is left as it is."""
    encode: Callable[[str], bytes] = lambda one: one.encode("utf-8", "surrogatepass")  # noqa: E731
    return from_bytes(
        b"".join(bytes([_BYTES[one]]) if one in _BYTES else encode(one) for one in characters)
    )


# GPT-2's expression asks for letters and numbers, which `re` has no classes for: each character is
# written as its class first (a letter as L, unless it may end a contraction; a number as 0, white
# space that isn't a space as a line end, all else as a full stop)
_LETTER = "[strevmldL]"
_SPLIT = re.compile(rf"'(?:[stmd]|re|ve|ll)| ?{_LETTER}+| ?0+| ?[.']+|[ \n]+(?![^ \n])|[ \n]+")


def split_like_gpt2(text: str) -> list[str]:
    """Words with the space before them, runs of numbers, of other marks, and of white space."""
    classes = text.translate({ord(one): _class_of(one) for one in set(text)})
    return [text[match.start() : match.end()] for match in _SPLIT.finditer(classes)]


def _class_of(character: str) -> str:
    if character in "strevmld' ":
        return character
    category = unicodedata.category(character)[0]
    if category in "LN":
        return "L" if category == "L" else "0"
    return "\n" if character.isspace() and not "\x1c" <= character <= "\x1f" else "."
