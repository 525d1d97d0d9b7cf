"""From a text to words, before any piece is learned or looked up, and from tokens back to a text.

Each pre-tokenizer is a frozen record with `split(text) -> words` and `join(tokens) -> text`.

By a tokenizer.json added tokens are taken out first, then the text is normalized and cut, both by
Hugging Face's package `tokenizers`.

BERT's way is that of Devlin et al. 2019, arXiv:1810.04805, `BasicTokenizer`, as Hugging Face's
`tokenizers` has it.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple, Protocol

from attncli.tokenizers.pieces import (
    UNMARKED,
    Model,
    Piece,
    SubwordMarks,
    from_bytes,
    without_byte_tokens,
)
from attncli.tokenizers.saved_steps import SavedSteps

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
"""The most characters, a letter and its marks, that become one. ᾂ has four."""
NMT: dict[int, str | None] = {**dict.fromkeys(_LEFT_OUT), **dict.fromkeys(_SPACES, " ")}


class PreTokenizer(Protocol):
    """A way to cut a text into words, and to join tokens to a text."""

    def split(self, text: str, /) -> list[str]: ...

    def join(self, tokens: Sequence[str], /) -> str: ...


class WhiteSpace(NamedTuple):
    """A pre-tokenizer that cuts at white space, which is lost. Joined again, a text has one space
    where the marks of its pieces show the end of a word; without marks all pieces stand
    together."""

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


def _nmt_nfkc(text: str) -> str:
    known = NMT.get(ord(text), "" if text != _TILDE else text)
    return "" if known is None else known or _nfkc(text)


def _composed(run: str) -> str | None:
    """Returns the one character that a run of its parts, in order, stands for, or None."""
    parts = "".join(map(_nfkc, run))
    whole = unicodedata.normalize("NFC", parts)
    is_one = len(whole) == 1 and unicodedata.normalize("NFKD", whole) == parts
    return whole if is_one and len(parts) == len(run) else None


def _from_left(written: Callable[[str], str], text: str) -> str:
    """Normalizes a text as SentencePiece does: from left to right the longest run that becomes one
    character, or else a character as it is `written`. Unlike Unicode's NFKC that leaves marks in
    their order."""
    if text.isascii():
        return "".join(map(written, text))
    texts, at = list[str](), 0
    while at < len(text):
        most = min(_MOST_PARTS, len(text) - at)
        runs = (text[at : at + length] for length in range(most, 1, -1))
        found = ((len(run), whole) for run in runs if (whole := _composed(run)) is not None)
        length, whole = next(found, (1, None))
        texts.append(written(text[at]) if whole is None else whole)
        at += length
    return "".join(texts)


_NORMAL: Mapping[Normalization, Callable[[str], str]] = {
    "none": str,
    "nfkc": partial(_from_left, _nfkc),
    "nmt_nfkc": partial(_from_left, _nmt_nfkc),
}


class Metaspace(NamedTuple):
    """A pre-tokenizer that writes a space as `▁`, which starts a word, as SentencePiece does (Kudo
    & Richardson 2018, arXiv:1808.06226). One is put before the text, so that its first word is like
    any other: nothing is lost but the difference of `▁` and a space.

    A text may be `normalized` first: `nfkc` is Unicode's normal form, but for the order of marks,
    `nmt_nfkc` also leaves out control characters and writes all white space as spaces. Where spaces
    are `trimmed`, those at both ends go, at the end a `▁` too, and of several together all but one.
    """

    normalized: Normalization = "none"
    trimmed: bool = False

    def normal(self, text: str) -> str:
        """Returns the text as it is before spaces are marked."""
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
    """A pre-tokenizer that cuts as GPT-2 does (Radford et al. 2019), each word with the space
    before it, and writes each byte as a printable character. Any text is joined again as it was."""

    def split(self, text: str) -> list[str]:
        return [to_printable(word) for word in split_like_gpt2(text)]

    def join(self, tokens: Sequence[str]) -> str:
        return from_printable("".join(tokens))


def _printable() -> dict[int, str]:
    """Returns GPT-2's table: bytes that are printable in Latin-1 are themselves, the others count
    on from U+0100. A space is Ġ, a line end Ċ."""
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in own]
    table = {byte: chr(byte) for byte in own}
    return table | {byte: chr(0x100 + place) for place, byte in enumerate(others)}


_CHARACTERS = _printable()
_BYTES = {character: byte for byte, character in _CHARACTERS.items()}
BYTE_ALPHABET = tuple(sorted(_CHARACTERS.values()))
"""The 256 characters that stand for bytes, by code point."""


def to_printable(text: str) -> str:
    """Writes a text's bytes in UTF-8 as printable characters. Lone surrogates have bytes too."""
    return "".join(_CHARACTERS[byte] for byte in text.encode("utf-8", "surrogatepass"))


def from_printable(characters: str) -> str:
    """Returns the text of printable characters. What stands for no byte is left as it is."""
    found = (
        bytes([_BYTES[c]]) if c in _BYTES else c.encode("utf-8", "surrogatepass")
        for c in characters
    )
    return from_bytes(b"".join(found))


# GPT-2's expression asks for letters and numbers, which `re` has no classes for: each character is
# written as its class first (a letter as L, unless it may end a contraction; a number as 0, white
# space that isn't a space as a line end, all else as a full stop)
_LETTER = "[strevmldL]"
_SPLIT = re.compile(rf"'(?:[stmd]|re|ve|ll)| ?{_LETTER}+| ?0+| ?[.']+|[ \n]+(?![^ \n])|[ \n]+")


def split_like_gpt2(text: str) -> list[str]:
    """Splits a text into words with the space before them, and runs of numbers, of other marks, and
    of white space."""
    classes = text.translate({ord(entry): _class_of(entry) for entry in set(text)})
    return [text[match.start() : match.end()] for match in _SPLIT.finditer(classes)]


def _class_of(character: str) -> str:
    if character in "strevmld' ":
        return character
    category = unicodedata.category(character)[0]
    if category in "LN":
        return "L" if category == "L" else "0"
    return "\n" if is_space(character) else "."


_LETTERS_IN_CIRCLES = ((0x24B6, 0x24EA), (0x1F130, 0x1F14A), (0x1F150, 0x1F16A), (0x1F170, 0x1F18A))


def is_space(character: str) -> bool:
    """Tells whether a character is white space to Unicode, as Python's four separators aren't."""
    return character.isspace() and not "\x1c" <= character <= "\x1f"


def is_letter(character: str) -> bool:
    """Tells whether a character belongs to a word, `\\w`: letters, marks, digits, connectors."""
    kind = unicodedata.category(character)
    if kind[0] in "LM" or kind in ("Nd", "Nl", "Pc") or character in "\u200c\u200d":
        return True
    return any(start <= ord(character) < end for start, end in _LETTERS_IN_CIRCLES)


def is_mark(character: str) -> bool:
    """Tells whether a character is punctuation, or an ASCII symbol."""
    return character in string.punctuation or unicodedata.category(character).startswith("P")


class Pipeline(NamedTuple):
    """A pre-tokenizer as a file has it. Tokens are joined again as by another one that marks its
    pieces in the same way."""

    steps: SavedSteps
    joins: PreTokenizer

    def split(self, text: str) -> list[str]:
        (normal,) = self.steps.normalized([text])
        return self.words(Part(normal, first=True))

    def words(self, part: Part) -> list[str]:
        """Returns the words of a part that is normalized."""
        return self.steps.words(part.text, first=part.first) if part.text else []

    def join(self, tokens: Sequence[str]) -> str:
        return self.joins.join(tokens)


class Part(NamedTuple):
    """A part of a text."""

    text: str
    first: bool = False
    """Whether the text begins with it."""


class AddedToken(NamedTuple):
    """A token that is none of the model's pieces."""

    content: str
    id: int
    single_word: bool = False
    """Whether it is only found as a whole word."""
    lstrip: bool = False
    """Whether it takes the white space before it."""
    rstrip: bool = False
    """Whether it takes the white space after it."""
    normalized: bool = False
    """Whether it is looked for in the normalized text, and not in the original."""


class AddedTokens(NamedTuple):
    """The added tokens of a pipeline."""

    tokens: tuple[AddedToken, ...]
    pipeline: Pipeline

    def parts(self, text: str) -> list[Piece | str]:
        """Splits a text into its added tokens and the words between them."""
        normalized = [t for t in self.tokens if t.normalized]
        contents = self.pipeline.steps.normalized([token.content for token in normalized])
        normal = dict(zip(contents, normalized, strict=True))
        found: list[Piece | str] = []
        as_they_were = {t.content: t for t in self.tokens if not t.normalized}
        for piece, part in _cut_out(Part(text, first=True), as_they_were):
            if piece is not None:
                found.append(piece)
                continue
            (text,) = self.pipeline.steps.normalized([part.text])
            for inner, words in _cut_out(Part(text, part.first), normal):
                found += self.pipeline.words(words) if inner is None else [inner]
        return found


def _cut_out(part: Part, tokens: dict[str, AddedToken]) -> Iterator[tuple[Piece | None, Part]]:
    """Yields the tokens that occur in a text, the longest at each place, and the parts between
    them."""
    text, done = part.text, 0
    for begin, behind in _occurring(text, tokens):
        token, start, end = tokens[text[begin:behind]], begin, behind
        if token.single_word and _is_inside(text, start, end):
            continue
        while token.lstrip and start > done and is_space(text[start - 1]):
            start -= 1
        while token.rstrip and end < len(text) and is_space(text[end]):
            end += 1
        if done < start:
            yield None, Part(text[done:start], part.first and not done)
        yield Piece(token.content, token.id, text[start:end]), Part("")
        done = end
    if done < len(text):
        yield None, Part(text[done:], part.first and not done)


def _occurring(text: str, tokens: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yields where tokens begin and end in a text, the longest at each place, without overlap. They
    are looked up by their lengths, of which there are few however many tokens there are."""
    lengths: dict[str, set[int]] = {}
    for token in filter(None, tokens):
        lengths.setdefault(token[0], set()).add(len(token))
    longest_first = {letter: sorted(some, reverse=True) for letter, some in lengths.items()}
    start = 0
    while start < len(text):
        ends = (start + n for n in longest_first.get(text[start], ()))
        end = next((e for e in ends if e <= len(text) and text[start:e] in tokens), start)
        if end > start:
            yield start, end
        start = max(end, start + 1)


def _is_inside(text: str, start: int, end: int) -> bool:
    """Tells whether a word continues before or after a place."""
    return any(map(is_letter, text[max(0, start - 1) : start] + text[end : end + 1]))


_CHINESE = re.compile(
    "([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f])"
)
"""The blocks that BERT's code names; that from U+2B820 on begins with a slip there, at U+2B920."""
_KEPT = "\t\n\r"
_NO_CHARACTER = "\ufffd"
_CONTROL = {"Cc", "Cf", "Co", "Cs"}
"""What isn't assigned (Cn) stays, as there: what that is depends on the version of Unicode."""


class Bert(NamedTuple):
    """BERT's pre-tokenizer. Control characters are left out, Chinese characters and punctuation
    marks are words of their own, and a `lower` text has neither capitals nor accents (unlike in
    models called cased)."""

    lower: bool = True
    marks: SubwordMarks = UNMARKED

    def split(self, text: str) -> list[str]:
        apart = set_apart(clean(text))
        normal = lowered(without_accents(apart)) if self.lower else apart
        spaced = (f" {entry} " if is_mark(entry) else entry for entry in normal)
        return _SPACELESS.findall("".join(spaced))

    def join(self, tokens: Sequence[str]) -> str:
        return WhiteSpace(self.marks).join(tokens)


def clean(text: str) -> str:
    """Removes control characters from a text, and writes all its white space as spaces."""
    kept = (character for character in text if not _is_control(character))
    return "".join(" " if is_space(character) else character for character in kept)


def _is_control(character: str) -> bool:
    if character in _KEPT:
        return False
    return character == _NO_CHARACTER or unicodedata.category(character) in _CONTROL


def set_apart(text: str) -> str:
    """Puts spaces around each Chinese character of a text."""
    return _CHINESE.sub(r" \1 ", text)


def without_accents(text: str) -> str:
    """Removes accents from a text, which are characters of their own in the normal form NFD."""
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(entry for entry in decomposed if unicodedata.category(entry) != "Mn")


def lowered(text: str) -> str:
    """Writes a text without capitals, each character by itself: a Σ that ends a word becomes σ, not
    ς."""
    return "".join(map(str.lower, text))


class WordTokenizer(NamedTuple):
    """A tokenizer that cuts texts with `pre_tokenizer`, and each word with `model`.

    Decoding returns the whole text that was encoded if no piece is the unknown token and the
    pre-tokenizer loses nothing: `ByteLevel` with a model that has all bytes, `Metaspace` with a
    byte fallback or all characters of the text. An unknown token is decoded as itself. Tokens that
    are `added` to the model's are taken out of a text before it is cut.
    """

    pre_tokenizer: PreTokenizer
    model: Model
    added: AddedTokens | None = None

    @property
    def vocabulary(self) -> Mapping[str, int]:
        """Returns the tokens with their IDs, in the order of IDs, those that the model doesn't know
        last."""
        if self.added is None:
            return self.model.vocabulary
        return {**self.model.vocabulary, **{token.content: token.id for token in self.added.tokens}}

    @property
    def unknown(self) -> str | None:
        """Returns the token of what the model doesn't know, or None."""
        return self.model.unknown

    def words(self, text: str | None) -> tuple[str, ...]:
        """Lists the different words of a text, as they first appear."""
        parts = self._parts(text or "")
        return tuple(dict.fromkeys(part for part in parts if isinstance(part, str)))

    def added_in(self, text: str) -> tuple[str, ...]:
        """Lists the different added tokens of a text, as they first appear."""
        parts = self._parts(text)
        return tuple(dict.fromkeys(part.token for part in parts if isinstance(part, Piece)))

    def encode(self, text: str) -> tuple[Piece, ...]:
        """Encodes a text as pieces, word by word."""
        parts = self._parts(text)
        pieces = {part: self.model.pieces(part) for part in set(parts) if isinstance(part, str)}
        return tuple(
            piece
            for part in parts
            for piece in (pieces[part] if isinstance(part, str) else (part,))
        )

    def _parts(self, text: str) -> Sequence[Piece | str]:
        """Splits a text into its words and the added tokens, which are taken out first."""
        return self.pre_tokenizer.split(text) if self.added is None else self.added.parts(text)

    def decode(self, pieces: Iterable[Piece]) -> str:
        """Decodes pieces to a text, as far as their tokens tell it."""
        return self.pre_tokenizer.join([piece.token for piece in pieces])
