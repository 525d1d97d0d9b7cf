"""From a text to words, before any piece is learned or looked up, and from tokens back to a text.

Each pre-tokenizer is a frozen record with `split(text) -> words` and `join(tokens) -> text`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple, Protocol

from attncli.tokenizing.pieces import UNMARKED, SubwordMarks, from_bytes, without_byte_tokens

# Python takes the four separators for white space too, Unicode's White_Space doesn't
_SEPARATORS = "\x1c-\x1f"
_SPACELESS = re.compile(rf"[\S{_SEPARATORS}]+")
SPACE = "▁"
Normalization = Literal["none", "nfkc", "nmt_nfkc"]
# SentencePiece's rules for NMT, as its version 0.2 has them: control characters go, these become
# spaces; of the normal form NFKC it leaves out the full-width tilde
_LEFT_OUT = (*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F)
_SPACES = (
    *(0x09, 0x0A, 0x0C, 0x0D, 0x061C, 0x1680, 0x200B, 0x200C, 0x200E, 0x200F),
    *(0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD),
)
_TILDE = "～"
_MOST_PARTS = 4
"""A letter and its marks that become one character are no more; ᾂ has four."""
NMT: dict[int, str | None] = {**dict.fromkeys(_LEFT_OUT), **dict.fromkeys(_SPACES, " ")}


class PreTokenizer(Protocol):
    """How a text becomes words, and tokens become a text."""

    def split(self, text: str, /) -> list[str]: ...

    def join(self, tokens: Sequence[str], /) -> str: ...


class WhiteSpace(NamedTuple):
    """Words are what stands between white space, which is lost. A text that is joined again has
    one space where the marks of its pieces show that a word ends; where nothing is marked, the
    pieces of all words stand together."""

    marks: SubwordMarks = UNMARKED

    def split(self, text: str) -> list[str]:
        return _SPACELESS.findall(text)

    def join(self, tokens: Sequence[str]) -> str:
        prefix, suffix = self.marks
        texts = without_byte_tokens(tokens)
        if suffix:
            ended = (text.removesuffix(suffix) + " " * text.endswith(suffix) for text in texts)
            return "".join(ended).removesuffix(" ")
        if prefix:
            begun = (
                " " * (not text.startswith(prefix)) + text.removeprefix(prefix) for text in texts
            )
            return "".join(begun).removeprefix(" ")
        return "".join(texts)


def _nfkc(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _nmt_nfkc(one: str) -> str:
    known = NMT.get(ord(one), "" if one != _TILDE else one)
    return "" if known is None else known or _nfkc(one)


def _composed(run: str) -> str | None:
    """The one character whose parts a run is, in their order; each may be written otherwise."""
    parts = "".join(map(_nfkc, run))
    whole = unicodedata.normalize("NFC", parts)
    is_one = len(whole) == 1 and unicodedata.normalize("NFKD", whole) == parts
    return whole if is_one and len(parts) == len(run) else None


def _from_left(written: Callable[[str], str], text: str) -> str:
    """A text as SentencePiece writes it: from left to right the longest run that becomes one
    character, or else a character as it is `written`. Unlike Unicode's own NFKC that leaves marks
    in their order."""
    if text.isascii():
        return "".join(map(written, text))
    told, at = list[str](), 0
    while at < len(text):
        most = min(_MOST_PARTS, len(text) - at)
        runs = (text[at : at + length] for length in range(most, 1, -1))
        found = ((len(run), whole) for run in runs if (whole := _composed(run)) is not None)
        length, whole = next(found, (1, None))
        told.append(written(text[at]) if whole is None else whole)
        at += length
    return "".join(told)


_NORMAL: Mapping[Normalization, Callable[[str], str]] = {
    "none": str,
    "nfkc": partial(_from_left, _nfkc),
    "nmt_nfkc": partial(_from_left, _nmt_nfkc),
}


class Metaspace(NamedTuple):
    """A space is written `▁` and starts a word, as SentencePiece has it (Kudo & Richardson 2018,
    arXiv:1808.06226), and one is put before the text, so that its first word is like any other:
    nothing is lost but the difference of `▁` and a space.

    A text may be `normalized` first: `nfkc` is Unicode's normal form of that name, but for the
    order of marks, `nmt_nfkc` also leaves out control characters and writes all white space as
    spaces. Where spaces are `trimmed`, those at both ends go, at the end a `▁` too, and of several
    together all but one. That joins again."""

    normalized: Normalization = "none"
    trimmed: bool = False

    def normal(self, text: str) -> str:
        """The text as it is before spaces are marked."""
        normal = _NORMAL[self.normalized](text)
        return re.sub(" +", " ", normal).lstrip(" ").rstrip(" ▁") if self.trimmed else normal

    def split(self, text: str) -> list[str]:
        normal = self.normal(text)
        there = normal if self.trimmed else text  # of which all may be left out
        marked = SPACE + normal.replace(" ", SPACE) if there else ""
        return re.findall(rf"{SPACE}[^{SPACE}]*", marked)

    def join(self, tokens: Sequence[str]) -> str:
        return "".join(without_byte_tokens(tokens)).removeprefix(SPACE).replace(SPACE, " ")


class ByteLevel(NamedTuple):
    """Words are cut as GPT-2 does (Radford et al. 2019), each with the space before it, and each
    byte is a printable character: any text whatever joins again as it was."""

    def split(self, text: str) -> list[str]:
        return [to_printable(word) for word in split_like_gpt2(text)]

    def join(self, tokens: Sequence[str]) -> str:
        return from_printable("".join(tokens))


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
    found = (
        bytes([_BYTES[one]]) if one in _BYTES else one.encode("utf-8", "surrogatepass")
        for one in characters
    )
    return from_bytes(b"".join(found))


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
