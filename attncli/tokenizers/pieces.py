"""Pieces of words, the marks that say where in a word they stand, and what all models share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import NamedTuple, Protocol, TypeVar


class Piece(NamedTuple):
    """A token of an encoded text."""

    token: str
    id: int | None
    """Its ID, or None where no vocabulary has it and there is no unknown token."""
    surface: str
    """The part of the word that it stands for, which for the unknown token isn't the token
    itself."""


TokenPair = tuple[str, str]
"""Two neighbouring symbols, by their tokens."""


class SubwordMarks(NamedTuple):
    """The marks that show the place of a piece in its word: `##` before each piece that continues
    one (WordPiece), `</w>` after the last (Sennrich et al. 2016, arXiv:1508.07909), or none."""

    prefix: str = ""
    suffix: str = ""

    def symbols(self, word: str) -> list[str]:
        """Splits a word into symbols, one a character: `pug` is p ##u ##g, or p u g</w>."""
        marked = [*word[:1], *(self.prefix + character for character in word[1:])]
        if marked:
            marked[-1] += self.suffix
        return marked

    def merged(self, left: str, right: str) -> str:
        """Returns the symbol that two make: p and ##u make pu."""
        return left + right.removeprefix(self.prefix)

    def plain(self, token: str) -> str:
        """Returns the text of a token without marks."""
        return token.removeprefix(self.prefix).removesuffix(self.suffix)


UNMARKED = SubwordMarks()


class Model(Protocol):
    """A model that cuts one word into pieces of its vocabulary (token to ID, in the order of
    IDs)."""

    @property
    def vocabulary(self) -> Mapping[str, int]: ...

    @property
    def unknown(self) -> str | None: ...

    def pieces(self, word: str) -> tuple[Piece, ...]: ...


def numbered(tokens: Iterable[str]) -> dict[str, int]:
    """Numbers tokens from 0. The second mention of a token doesn't count."""
    return {token: place for place, token in enumerate(dict.fromkeys(tokens))}


def front_of(special: tuple[str, ...], unknown: str | None) -> tuple[str, ...]:
    """Returns the tokens that come first in a vocabulary: the unknown one, unless it is among the
    special ones, and these."""
    return special if unknown is None or unknown in special else (unknown, *special)


BYTE_TOKENS = tuple(f"<0x{byte:02X}>" for byte in range(256))


def byte_tokens(text: str) -> list[str]:
    """Returns the tokens of a text's bytes in UTF-8: a line end is `<0x0A>`. Lone surrogates have
    bytes too, as if they were characters."""
    return [BYTE_TOKENS[byte] for byte in text.encode("utf-8", "surrogatepass")]


def from_bytes(given: bytes) -> str:
    """Decodes bytes in UTF-8, with � for those that are no text."""
    try:
        return given.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return given.decode("utf-8", "replace")


def without_byte_tokens(tokens: Sequence[str]) -> list[str]:
    """Returns tokens in which each run of byte tokens is replaced by the text that they encode."""
    values = {token: byte for byte, token in enumerate(BYTE_TOKENS)}
    texts: list[str] = []
    for are_bytes, run in groupby(tokens, key=values.__contains__):
        found = list(run)
        texts += [from_bytes(bytes(map(values.__getitem__, found)))] if are_bytes else found
    return texts


def unknown_pieces(
    text: str, vocabulary: Mapping[str, int], unknown: str | None, byte_fallback: bool = False
) -> list[Piece]:
    """Returns the pieces for a text that no piece covers: its bytes, where they are wanted and the
    vocabulary has them, else the unknown token, else the text itself without an ID."""
    tokens = byte_tokens(text)
    if byte_fallback and all(token in vocabulary for token in tokens):
        return [
            Piece(token, vocabulary[token], "" if i else text) for i, token in enumerate(tokens)
        ]
    if unknown is None:
        return [Piece(text, None, text)]
    return [Piece(unknown, vocabulary.get(unknown), text)]


Corpus = str | Sequence[str] | Mapping[str, int]
"""A text, several, or texts (mostly single words) with how often each occurs."""

Progress = Callable[[int, int], None]
"""Hears how much is done, and of how much in all."""

Occurrences = tuple[tuple[int, int], ...]
"""The words that hold something, by their indices from 0, and how many times each."""

Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class CountedWord:
    """A word (as it was cut, with the marks of spaces) and how often the corpus has it."""

    text: str
    count: int


def count_words(corpus: Corpus, split: Callable[[str], list[str]]) -> tuple[CountedWord, ...]:
    """Counts the words of a corpus, in the order of their first appearance.

    Raises ValueError for a count that is no whole number of 1 or more.
    """
    counts: dict[str, int] = {}
    for text, times in _texts(corpus):
        for word in split(text):
            counts[word] = counts.get(word, 0) + times
    return tuple(CountedWord(word, count) for word, count in counts.items())


def _texts(corpus: Corpus) -> Iterator[tuple[str, int]]:
    if isinstance(corpus, Mapping):
        for text, count in corpus.items():
            if type(count) is not int or count < 1:
                raise ValueError(f"the count of “{text}” is {count}; a whole number of 1 or more")
            yield text, count
        return
    for text in (corpus,) if isinstance(corpus, str) else corpus:
        yield text, 1


def occurrences(
    things: Iterable[Thing], words: Iterable[Iterable[Thing]]
) -> tuple[Occurrences, ...]:
    """Finds for each thing (a symbol, a pair, a piece) the words that hold it, and how many times.
    `words` are given by their parts."""
    found: dict[Thing, list[tuple[int, int]]] = {thing: [] for thing in things}
    for index, parts in enumerate(words):
        for thing, times in Counter(part for part in parts if part in found).items():
            found[thing].append((index, times))
    return tuple(map(tuple, found.values()))


@dataclass(frozen=True)
class Dictionary:
    """A model whose pieces are whole words. A word that it doesn't have is the unknown token, or
    itself without an ID, where there is no such token."""

    vocabulary: Mapping[str, int]
    unknown: str | None = None

    def pieces(self, word: str) -> tuple[Piece, ...]:
        if word in self.vocabulary:
            return (Piece(word, self.vocabulary[word], word),)
        return tuple(unknown_pieces(word, self.vocabulary, self.unknown))


class CountedDictionary(NamedTuple):
    """A dictionary with the counts by which it was made."""

    model: Dictionary
    kept: tuple[CountedWord, ...]
    """The words that were kept, most frequent first, words of one count in the order of their first
    appearance."""
    dropped: tuple[CountedWord, ...]
    """The words that were dropped, in the same order."""
    tied: tuple[CountedWord, ...]
    """All words of one count, where the cut by size lies between them: the first ones were kept."""


def make_dictionary(
    words: Sequence[CountedWord],
    *,
    min_count: int = 1,
    size: int | None = None,
    special: Sequence[str] = (),
    unknown: str | None = None,
) -> CountedDictionary:
    """Makes a dictionary of the most frequent words that occur `min_count` times or more. `size`
    counts the special tokens too, whose IDs come first; an unknown token that isn't among them is
    the first of all.

    Raises ValueError for a size that has no room for the special tokens.
    """
    front = front_of(tuple(special), unknown)
    if size is not None and size < len(front):
        raise ValueError(f"{size} tokens, and {len(front)} of them special; say more")
    ranked = sorted(words, key=lambda word: -word.count)
    frequent = [word for word in ranked if word.count >= min_count]
    kept = frequent if size is None else frequent[: size - len(front)]
    vocabulary = numbered([*front, *(word.text for word in kept)])
    model = Dictionary(vocabulary, unknown)
    return CountedDictionary(
        model, tuple(kept), tuple(ranked[len(kept) :]), _tied(frequent, len(kept))
    )


def _tied(frequent: Sequence[CountedWord], kept: int) -> tuple[CountedWord, ...]:
    if not 0 < kept < len(frequent) or frequent[kept - 1].count != frequent[kept].count:
        return ()
    return tuple(word for word in frequent if word.count == frequent[kept].count)


MOST_CHARACTERS = 100
"""A longer word is the unknown token: `max_input_chars_per_word` in BERT's code."""


class Lookup(NamedTuple):
    """A candidate that was looked up where the uncut rest of a word begins."""

    start: int
    end: int
    candidate: str
    found: bool


@dataclass(frozen=True)
class LongestMatch:
    """A model that takes the longest piece each time (Wu et al. 2016, arXiv:1609.08144, with the
    marks of Devlin et al. 2019, arXiv:1810.04805). A word of which any part isn't found, or with
    more than `most_characters`, is the unknown token as a whole. Without such a token it stays as
    it is, with no ID."""

    vocabulary: Mapping[str, int]
    unknown: str | None = "[UNK]"
    prefix: str = "##"
    most_characters: int = MOST_CHARACTERS

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self.vocabulary), default=0)

    def pieces(self, word: str) -> tuple[Piece, ...]:
        found = [lookup for lookup in self._lookups(word, self._longest) if lookup.found]
        if (found[-1].end if found else 0) < len(word):
            return tuple(unknown_pieces(word, self.vocabulary, self.unknown))
        return tuple(
            Piece(
                lookup.candidate, self.vocabulary[lookup.candidate], word[lookup.start : lookup.end]
            )
            for lookup in found
        )

    def trace(self, word: str) -> tuple[Lookup, ...]:
        """Returns all candidates in the order in which they are looked up, the longest first at
        each place; none for a word that is too long."""
        return tuple(self._lookups(word, len(word)))

    def _lookups(self, word: str, longest: int) -> Iterator[Lookup]:
        start, reached = 0, -1
        while start > reached and start < len(word) <= self.most_characters:
            reached = start
            for end in range(min(len(word), start + longest), start, -1):
                candidate = (self.prefix if start else "") + word[start:end]
                yield Lookup(start, end, candidate, candidate in self.vocabulary)
                if candidate in self.vocabulary:
                    start = end
                    break
