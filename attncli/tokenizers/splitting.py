"""From a text to words, before any piece is learned or looked up, and from tokens back to a text.

Each pre-tokenizer is a frozen record with `split(text) -> words` and `join(tokens) -> text`.
"""

from __future__ import annotations

import re
import string
import struct
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import groupby
from typing import Literal, NamedTuple, Protocol

from attncli.tokenizers.expressions import LONGEST_PATTERN, TimedExpression, check_length
from attncli.tokenizers.pieces import (
    UNMARKED,
    Model,
    Piece,
    SubwordMarks,
    from_bytes,
    without_byte_tokens,
)

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
    return "\n" if character.isspace() and not "\x1c" <= character <= "\x1f" else "."


# --------------------------------------------------------------------------------------------------
# A tokenizer.json's way from a text to words, as Hugging Face's `tokenizers` have it: added tokens
# are taken out first, then the text is normalized, and cut; each way to cut is a function from a
# part of the text to smaller parts.

_CLASS = re.compile(r"\\p\{(\^?)(\w+)\}|\\P\{()(\w+)\}|\\([sSdDwW])|\\.|\[:|&&|[\[\]]", re.DOTALL)
_LETTERS_IN_CIRCLES = ((0x24B6, 0x24EA), (0x1F130, 0x1F14A), (0x1F150, 0x1F16A), (0x1F170, 0x1F18A))
_LAST_SPACE, _ALL = 0x3000, 0x110000
Span = tuple[int, int]
"""Code points from one up to, but without, another."""


def is_space(character: str) -> bool:
    """Tells whether a character is white space to Unicode, as Python's four separators aren't."""
    return character.isspace() and not "\x1c" <= character <= "\x1f"


def is_letter(character: str) -> bool:
    """Tells whether a character belongs to a word, `\\w`: letters, marks, digits, connectors."""
    kind = unicodedata.category(character)
    if kind[0] in "LM" or kind in ("Nd", "Nl", "Pc") or character in "\u200c\u200d":
        return True
    return any(start <= ord(character) < end for start, end in _LETTERS_IN_CIRCLES)


Look = Callable[[str], Sequence[tuple[int, int]]]
"""A search: returns the spans of all matches in a text."""


def compiled(pattern: str) -> Look:
    """Compiles an expression as others write it to a search. Raises ValueError for what `re` can't
    express."""
    try:
        if len(pattern) > LONGEST_PATTERN:
            raise ValueError
        return TimedExpression("".join(_translated(pattern)), pattern).spans
    except _NotKnownError:
        raise
    except ValueError as error:
        raise _NotKnownError(f"the regular expression {pattern}") from error


class _NotKnownError(ValueError):
    """The error of an expression with something that isn't known."""


def literal(text: str) -> Look:
    """Returns the search for a text itself."""
    pattern = re.compile(re.escape(text))
    return lambda other: [match.span() for match in pattern.finditer(other)]


def _translated(pattern: str) -> Iterator[str]:
    inside, done = False, 0
    for match in _CLASS.finditer(pattern):
        yield pattern[done : match.start()]
        done = match.end()
        if match[0] in ("[", "]"):
            if match[0] == "[" and inside:
                raise _NotKnownError(f"the regular expression {pattern}, with classes in classes")
            inside = match[0] == "["
            yield match[0]
        elif match[0] in ("[:", "&&") and (inside or match[0] == "[:"):
            raise _NotKnownError(f"the regular expression {pattern}, with classes in classes")
        else:
            yield _class(match, inside)
    yield pattern[done:]


def _class(match: re.Match[str], inside: bool) -> str:
    """Writes a class of characters as the ranges that it has."""
    caret, name, _, other, short = match.groups()
    named = name or other or (short or "").lower()
    if not named:
        return match[0]
    spans = _spans(named)
    if caret or other or (short or "").isupper():
        spans = _others(spans)
    ranges = "".join(f"\\U{start:08x}-\\U{end - 1:08x}" for start, end in spans)
    return ranges if inside else f"[{ranges}]"


def _spans(name: str) -> list[Span]:
    """Returns the ranges of a class. Raises ValueError for an unknown one. Oniguruma's `\\w` has no
    joiners, unlike that of other libraries."""
    if name == "s":
        spaces = [code for code in range(_LAST_SPACE + 1) if is_space(chr(code))]
        return [(code, code + 1) for code in spaces]
    kinds = {"d": ("Nd",), "w": ("L", "M", "Nd", "Nl", "Pc")}.get(name, (name,))
    found = [
        span for kind, spans in _by_category().items() if kind.startswith(kinds) for span in spans
    ]
    if not found:
        raise _NotKnownError(f"the class \\p{{{name}}} of a regular expression")
    return sorted([*found, *(_LETTERS_IN_CIRCLES if name == "w" else ())])


@cache
def _by_category() -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = {}
    start = 0
    for kind, run in groupby(map(unicodedata.category, map(chr, range(_ALL)))):
        end = start + sum(1 for _ in run)
        found.setdefault(kind, []).append((start, end))
        start = end
    return found


def _others(spans: list[Span]) -> list[Span]:
    """Returns what lies between sorted ranges."""
    edges = [0, *(edge for span in spans for edge in span), _ALL]
    return [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]


class Part(NamedTuple):
    """A part of a text."""

    text: str
    first: bool = False
    """Whether the text begins with it."""


Splitter = Callable[[Part], list[Part]]
_Found = tuple[str, bool]
"""A part of a text, and whether it is a match of what is looked for."""


def _contiguous(found: list[_Found]) -> list[str]:
    runs = groupby(found, key=lambda pairs: pairs[1])
    return ["".join(text for text, _ in run) for _, run in runs]


def _with_previous(found: Iterable[_Found], join: Callable[[str, str], str]) -> list[str]:
    made: list[str] = []
    after_match = False
    for text, match in found:
        if match and not after_match and made:
            made[-1] = join(made[-1], text)
        else:
            made.append(text)
        after_match = match
    return made


BEHAVIORS: dict[str, Callable[[list[_Found]], list[str]]] = {
    "Removed": lambda found: ["" if match else text for text, match in found],
    "Isolated": lambda found: [text for text, _ in found],
    "Contiguous": _contiguous,
    "MergedWithPrevious": lambda found: _with_previous(found, lambda before, text: before + text),
    "MergedWithNext": lambda found: _with_previous(
        reversed(found), lambda after, text: text + after
    )[::-1],
}
"""Ways to deal with the matches."""


def splitter(look: Callable[[str], list[_Found]], behavior: str) -> Splitter:
    """Returns a splitter that cuts a part by the matches of a search. `behavior` says what becomes
    of the matches."""

    def split(part: Part) -> list[Part]:
        texts = BEHAVIORS[behavior](look(part.text))
        return [Part(text, part.first and place == 0) for place, text in enumerate(texts) if text]

    return split


def characters(test: Callable[[str], bool]) -> Callable[[str], list[_Found]]:
    """Returns a search for single characters that pass a test."""

    def look(text: str) -> list[_Found]:
        found: list[_Found] = []
        for match, run in groupby(text, key=test):
            texts = list(run)
            found += [(entry, match) for entry in (texts if match else ["".join(texts)])]
        return found

    return look


def expression(look: Look, *, invert: bool = False) -> Callable[[str], list[_Found]]:
    """Returns a search for what `look` finds, or, if inverted, for what is between."""

    def found_in(text: str) -> list[_Found]:
        found: list[_Found] = []
        done = 0
        for start, end in look(text):
            found += [(text[done:start], invert), (text[start:end], not invert)]
            done = end
        return [pairs for pairs in (*found, (text[done:], invert)) if pairs[0]]

    return found_in


def replaced(look: Look, content: str, text: str) -> str:
    """Returns the text with `content` in place of every match. Raises TooMuchError for too long a
    text."""
    places = look(text)
    check_length(len(text) + len(places) * len(content))
    parts, done = list[str](), 0
    for start, end in places:
        parts += [text[done:start], content]
        done = end
    return "".join((*parts, text[done:]))


def is_mark(character: str) -> bool:
    """Tells whether a character is punctuation, or an ASCII symbol."""
    return character in string.punctuation or unicodedata.category(character).startswith("P")


def is_number(character: str) -> bool:
    return unicodedata.category(character).startswith("N")


def _words(text: str) -> list[_Found]:
    """Splits a text into runs of letters, of white space, and of all else, each with whether it
    isn't white space."""
    kinds = groupby(text, key=lambda entry: " " if is_space(entry) else str(is_letter(entry)))
    return [("".join(run), kind != " ") for kind, run in kinds]


whitespace_split = splitter(characters(is_space), "Removed")
whitespace = splitter(lambda text: [(run, not word) for run, word in _words(text)], "Removed")


def in_turn(splitters: Sequence[Splitter]) -> Splitter:
    """Returns a splitter in which each one cuts what those before it left. It raises TooMuchError
    where the text becomes too long."""

    def split(part: Part) -> list[Part]:
        parts = [part]
        for function in splitters:
            parts = [smaller for part in parts for smaller in function(part)]
            check_length(sum(len(part.text) for part in parts))
        return parts

    return split


bert = in_turn((whitespace_split, splitter(characters(is_mark), "Isolated")))


def metaspace(mark: str, scheme: str, *, split: bool) -> Splitter:
    """Returns a splitter that marks spaces. One is put before each part (`always`), the `first`, or
    none (`never`)."""
    cut = splitter(characters(lambda text: text == mark), "MergedWithNext")

    def splits(part: Part) -> list[Part]:
        marked = part.text.replace(" ", mark)
        if scheme == "always" or (scheme == "first" and part.first):
            marked = marked if marked.startswith(mark) else mark + marked
        whole = Part(marked, part.first)
        return cut(whole) if split else [whole]

    return splits


def byte_level(*, prefix: bool, cut: bool) -> Splitter:
    """Returns a splitter that writes bytes as printable characters. A space may be put before, and
    words cut as GPT-2 does."""

    def split(part: Part) -> list[Part]:
        text = part.text if part.text.startswith(" ") or not prefix else f" {part.text}"
        words = split_like_gpt2(text) if cut else [text]
        return [
            Part(to_printable(word), part.first and not place) for place, word in enumerate(words)
        ]

    return split


Normalizer = Callable[[str], str]


class Pipeline(NamedTuple):
    """A pre-tokenizer as a file has it. Tokens are joined again as by another one that marks its
    pieces in the same way."""

    normalize: Normalizer
    cut: Splitter
    joins: PreTokenizer

    def split(self, text: str) -> list[str]:
        return self.words(Part(self.normalize(text), first=True))

    def words(self, part: Part) -> list[str]:
        """Returns the words of a part that is normalized."""
        return [word.text for word in self.cut(part)] if part.text else []

    def join(self, tokens: Sequence[str]) -> str:
        return self.joins.join(tokens)


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
        normal = {self.pipeline.normalize(t.content): t for t in self.tokens if t.normalized}
        found: list[Piece | str] = []
        as_they_were = {t.content: t for t in self.tokens if not t.normalized}
        for piece, part in _cut_out(Part(text, first=True), as_they_were):
            if piece is not None:
                found.append(piece)
                continue
            normalized = Part(self.pipeline.normalize(part.text), part.first)
            for inner, words in _cut_out(normalized, normal):
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


# --------------------------------------------------------------------------------------------------
# BERT's way from a text to words (Devlin et al. 2019, arXiv:1810.04805; `BasicTokenizer`), as
# Hugging Face's `tokenizers` has it.

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
        return [part.text for part in bert(Part(normal))]

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


# --------------------------------------------------------------------------------------------------
# SentencePiece's map of characters, a tokenizer.json's `precompiled_charsmap`: a trie of what is
# written otherwise, and how. It is applied as Hugging Face's `tokenizers` does.


def clustered(text: str, continues: Callable[[str, str], bool]) -> Iterator[str]:
    """Yields the parts of a text that begin where a character doesn't continue what is before
    it."""
    cluster = ""
    for character in text:
        if cluster and continues(cluster, character):
            cluster += character
            continue
        if cluster:
            yield cluster
        cluster = character
    if cluster:
        yield cluster


_UNIT = 4
_LONGEST = 6
"""The bytes from which on a character with its accents is looked up part by part."""
_JOINERS = "\u200c\u200d"


class CharacterMap(NamedTuple):
    """A double-array trie over bytes in UTF-8 that says how texts are written otherwise."""

    units: Sequence[int]
    """The trie, as the library Darts-clone has it. Its values are places in `written`."""
    written: bytes
    """The new texts, each ended by a zero byte."""

    @classmethod
    def of(cls, blob: bytes) -> CharacterMap:
        """Reads the map of the bytes in a file. Raises ValueError for broken ones."""
        size = int.from_bytes(blob[:_UNIT], "little")
        if len(blob) < _UNIT + size or size % _UNIT or not size:
            raise ValueError("the map of characters is cut off")
        units = struct.unpack_from(f"<{size // _UNIT}I", blob, _UNIT)
        return cls(units, blob[_UNIT + size :])

    def apply(self, text: str) -> str:
        """Returns the text with everything replaced that the map has."""
        parts, length = list[str](), 0
        for part in map(self._cluster, _clusters(text)):
            length += len(part)
            check_length(length)
            parts.append(part)
        return "".join(parts)

    def _cluster(self, cluster: str) -> str:
        """Replaces a character with its accents as a whole, if it is short and the map has it, else
        part by part."""
        whole = self._found(cluster) if len(_bytes(cluster)) < _LONGEST else None
        if whole is not None:
            return whole
        parts = ((text, self._found(text)) for text in cluster)
        return "".join(text if found is None else found for text, found in parts)

    def _found(self, text: str) -> str | None:
        """Returns what the shortest beginning of a text in the trie is replaced by, or None."""
        place = _offset(self.units[0])
        for byte in _bytes(text):
            place ^= byte
            unit = self.units[place] if place < len(self.units) else 0
            if not byte or unit & 0x800000FF != byte:
                return None
            place ^= _offset(unit)
            if unit >> 8 & 1:
                start = self.units[place] & 0x7FFFFFFF
                return self.written[start : self.written.index(0, start)].decode()
        return None


def _offset(unit: int) -> int:
    """Returns the distance from a unit to its children. Bit 9 says that the number above it counts
    in 256s."""
    return unit >> 10 << ((unit & 0x200) >> 6)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _clusters(text: str) -> Iterator[str]:
    """Yields characters with the marks that follow them (of Unicode's grapheme clusters, UAX 29,
    all that are short)."""
    return clustered(text, _continues)


def _continues(cluster: str, character: str) -> bool:
    if cluster == "\r":
        return character == "\n"
    first = unicodedata.category(cluster[0])
    if first in ("Cc", "Zl", "Zp") or (first == "Cf" and cluster[0] not in _JOINERS):
        return False
    return character in _JOINERS or unicodedata.category(character).startswith("M")


# --------------------------------------------------------------------------------------------------
# A tokenizer: a pre-tokenizer cuts texts into words, and a model cuts words into pieces.


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
