"""A tokenizer.json's way from a text to words, as Hugging Face's `tokenizers` have it: added tokens
are taken out first, then the text is normalized, and cut; each way to cut is a function from a part
of the text to smaller parts."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import NamedTuple

from attncli.tokenizing.pieces import Piece
from attncli.tokenizing.pre_tokenizers import PreTokenizer, split_like_gpt2, to_printable

_CLASS = re.compile(r"\\p\{(\^?)(\w+)\}|\\P\{()(\w+)\}|\\([sSdDwW])|\\.|\[:|&&|[\[\]]", re.DOTALL)
_LETTERS_IN_CIRCLES = ((0x24B6, 0x24EA), (0x1F130, 0x1F14A), (0x1F150, 0x1F16A), (0x1F170, 0x1F18A))
_LAST_SPACE, _ALL = 0x3000, 0x110000
Span = tuple[int, int]
"""Code points from one to before another."""


def is_space(character: str) -> bool:
    """Whether a character is white space to Unicode, which the separators aren't that Python
    takes for some."""
    return character.isspace() and not "\x1c" <= character <= "\x1f"


def is_letter(character: str) -> bool:
    """Whether a character is of words, `\\w`: letters with their marks, digits, connectors."""
    kind = unicodedata.category(character)
    if kind[0] in "LM" or kind in ("Nd", "Nl", "Pc") or character in "\u200c\u200d":
        return True
    return any(start <= ord(character) < end for start, end in _LETTERS_IN_CIRCLES)


def compiled(pattern: str) -> re.Pattern[str]:
    """An expression for `re`. Raises ValueError for what there is no other word for."""
    try:
        return re.compile("".join(_translated(pattern)))
    except (re.error, OverflowError) as error:
        raise ValueError(f"the regular expression {pattern}") from error


def _translated(pattern: str) -> Iterator[str]:
    inside, done = False, 0
    for match in _CLASS.finditer(pattern):
        yield pattern[done : match.start()]
        done = match.end()
        if match[0] in ("[", "]"):
            if match[0] == "[" and inside:
                raise ValueError(f"the regular expression {pattern}, with classes in classes")
            inside = match[0] == "["
            yield match[0]
        elif match[0] in ("[:", "&&") and (inside or match[0] == "[:"):
            raise ValueError(f"the regular expression {pattern}, with classes in classes")
        else:
            yield _class(match, inside)
    yield pattern[done:]


def _class(match: re.Match[str], inside: bool) -> str:
    """A class of characters as the ranges that it has."""
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
    """The ranges of a class. Oniguruma's `\\w` has no joiners, unlike that of other libraries."""
    if name == "s":
        spaces = [code for code in range(_LAST_SPACE + 1) if is_space(chr(code))]
        return [(code, code + 1) for code in spaces]
    kinds = {"d": ("Nd",), "w": ("L", "M", "Nd", "Nl", "Pc")}.get(name, (name,))
    found = [
        span for kind, spans in _by_category().items() if kind.startswith(kinds) for span in spans
    ]
    if not found:
        raise ValueError(f"the class \\p{{{name}}} of a regular expression")
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
    """What is between sorted ranges."""
    edges = [0, *(edge for span in spans for edge in span), _ALL]
    return [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]


class Part(NamedTuple):
    """A part of a text; `first` is that with which it begins."""

    text: str
    first: bool = False


Splitter = Callable[[Part], list[Part]]
_Found = tuple[str, bool]
"""A part of a text, and whether it is a match of what is looked for."""


def _contiguous(found: list[_Found]) -> list[str]:
    runs = groupby(found, key=lambda one: one[1])
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
"""What becomes of the matches."""


def splitter(look: Callable[[str], list[_Found]], behavior: str) -> Splitter:
    """What cuts by matches."""

    def split(part: Part) -> list[Part]:
        texts = BEHAVIORS[behavior](look(part.text))
        return [Part(text, part.first and place == 0) for place, text in enumerate(texts) if text]

    return split


def characters(test: Callable[[str], bool]) -> Callable[[str], list[_Found]]:
    """Looks for single characters."""

    def look(text: str) -> list[_Found]:
        found: list[_Found] = []
        for match, run in groupby(text, key=test):
            texts = list(run)
            found += [(one, match) for one in (texts if match else ["".join(texts)])]
        return found

    return look


def expression(pattern: re.Pattern[str], *, invert: bool = False) -> Callable[[str], list[_Found]]:
    """Looks for matches of an expression, or what is between them."""

    def look(text: str) -> list[_Found]:
        found: list[_Found] = []
        done = 0
        for match in pattern.finditer(text):
            found += [(text[done : match.start()], invert), (match[0], not invert)]
            done = match.end()
        return [one for one in (*found, (text[done:], invert)) if one[0]]

    return look


def is_mark(character: str) -> bool:
    """Punctuation; and of ASCII all that is printed and neither a letter nor a digit."""
    return character in string.punctuation or unicodedata.category(character).startswith("P")


def is_number(character: str) -> bool:
    return unicodedata.category(character).startswith("N")


def _words(text: str) -> list[_Found]:
    """Runs of letters, and of what is neither a letter nor white space."""
    kinds = groupby(text, key=lambda one: " " if is_space(one) else str(is_letter(one)))
    return [("".join(run), kind != " ") for kind, run in kinds]


whitespace_split = splitter(characters(is_space), "Removed")
whitespace = splitter(lambda text: [(run, not word) for run, word in _words(text)], "Removed")


def in_turn(splitters: Sequence[Splitter]) -> Splitter:
    """Each one cuts what those before it left."""

    def split(part: Part) -> list[Part]:
        parts = [part]
        for one in splitters:
            parts = [smaller for part in parts for smaller in one(part)]
        return parts

    return split


bert = in_turn((whitespace_split, splitter(characters(is_mark), "Isolated")))


def metaspace(mark: str, scheme: str, *, split: bool) -> Splitter:
    """Spaces are marked, one is put before each part (`always`), the `first` or none (`never`)."""
    cut = splitter(characters(lambda one: one == mark), "MergedWithNext")

    def splits(part: Part) -> list[Part]:
        marked = part.text.replace(" ", mark)
        if scheme == "always" or (scheme == "first" and part.first):
            marked = marked if marked.startswith(mark) else mark + marked
        whole = Part(marked, part.first)
        return cut(whole) if split else [whole]

    return splits


def byte_level(*, prefix: bool, cut: bool) -> Splitter:
    """Bytes as printable characters; a space may be put before, and words cut as GPT-2 does."""

    def split(part: Part) -> list[Part]:
        text = part.text if part.text.startswith(" ") or not prefix else f" {part.text}"
        words = split_like_gpt2(text) if cut else [text]
        return [
            Part(to_printable(word), part.first and not place) for place, word in enumerate(words)
        ]

    return split


Normalizer = Callable[[str], str]


class Pipeline(NamedTuple):
    """A pre-tokenizer as a file has it; tokens are joined again as by another one that marks its
    pieces alike."""

    normalize: Normalizer
    cut: Splitter
    joins: PreTokenizer

    def split(self, text: str) -> list[str]:
        return self.words(Part(self.normalize(text), first=True))

    def words(self, part: Part) -> list[str]:
        """The words of a part that is normalized."""
        return [word.text for word in self.cut(part)] if part.text else []

    def join(self, tokens: Sequence[str]) -> str:
        return self.joins.join(tokens)


class AddedToken(NamedTuple):
    """A token that is none of the model's pieces. It is looked for in the text as it was, or when
    that is `normalized`; as a `single_word` not inside others; and with the white space before
    (`lstrip`) or after it (`rstrip`)."""

    content: str
    id: int
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False


class AddedTokens(NamedTuple):
    """The added tokens of a pipeline."""

    tokens: tuple[AddedToken, ...]
    pipeline: Pipeline

    def parts(self, text: str) -> list[Piece | str]:
        """The added tokens of a text, and the words between them."""
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
    """The tokens that occur in a text, the longest at each place, and what is between them."""
    text, done = part.text, 0
    longest_first = sorted(filter(None, tokens), key=len, reverse=True)
    for match in re.finditer("|".join(map(re.escape, longest_first)) or r"(?!)", text):
        token, (start, end) = tokens[match[0]], match.span()
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


def _is_inside(text: str, start: int, end: int) -> bool:
    """Whether a word goes on before or after it."""
    return any(map(is_letter, text[max(0, start - 1) : start] + text[end : end + 1]))
