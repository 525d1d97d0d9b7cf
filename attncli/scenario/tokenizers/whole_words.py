"""Whole words as tokens, cut by rules; with a corpus the most frequent are a dictionary."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from attncli.scenario.model import Phrase, phrase
from attncli.scenario.tokenizers.settings import (
    MIN_COUNT,
    TokenizerKind,
    VocabularyMaker,
    WordSplitter,
    or_more,
)

if TYPE_CHECKING:  # what learns is imported by scenarios that learn
    from attncli.scenario.model import Tokenizing
    from attncli.scenario.tokenizers.settings import TokenizerSettings
    from attncli.tokenizers.pieces import CountedWord

_JOINER = "\u200d"
_APOSTROPHES = ("'", "’")


def whitespace(sentence: str) -> list[str]:
    """Splits a sentence at spaces, tabs and line ends: `This is a sentence.` has four pieces."""
    return sentence.split()


def characters(sentence: str) -> list[str]:
    """Splits a sentence into characters as a reader sees them, spaces too: an accent stays with its
    letter."""
    return list(_graphemes(sentence))


def words(sentence: str) -> list[str]:
    """Splits a sentence into words, numbers and single punctuation marks: `I love pizza!` has
    four."""
    tokens: list[str] = []
    word = ""
    pieces = [*_graphemes(sentence), ""]
    for piece, following in pairwise(pieces):
        apostrophe = piece in _APOSTROPHES and word and _in_word(following)
        if _in_word(piece) or apostrophe:
            word += piece
            continue
        tokens += [word] if word else []
        tokens += [] if piece.isspace() else [piece]
        word = ""
    return [*tokens, word] if word else tokens


def _in_word(piece: str) -> bool:
    return piece[:1].isalnum() or piece[:1] == "_"


def _graphemes(text: str) -> Iterator[str]:
    """Yields characters as a reader sees them, by a short form of Unicode's grapheme clusters (UAX
    29): marks, joiners, skin tones, flags."""
    cluster = ""
    for character in text:
        if cluster and not _continues(cluster, character):
            yield cluster
            cluster = ""
        cluster += character
    if cluster:
        yield cluster


def _continues(cluster: str, character: str) -> bool:
    if character == _JOINER or cluster.endswith(_JOINER):
        return not cluster[0].isspace()
    if unicodedata.category(character).startswith("M") or "\U0001f3fb" <= character <= "\U0001f3ff":
        return True
    return len(cluster) == 1 and _is_flag_half(cluster) and _is_flag_half(character)


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _phrases(settings: TokenizerSettings) -> tuple[Phrase, ...]:
    words, often = "words that occur {often} in the corpus", or_more(settings.get(MIN_COUNT))
    if settings.size is None:
        return (phrase(words, often=often),)
    most = f"{words}, at most {{size}} tokens with the special ones"
    return (phrase(most, often=often, size=str(settings.size)),)


def _dictionary(settings: TokenizerSettings, words: tuple[CountedWord, ...]) -> Tokenizing:
    from attncli.scenario.tokenizers.making import tokenizing
    from attncli.tokenizers.pieces import make_dictionary

    counted = make_dictionary(
        words, size=settings.size, min_count=settings.get(MIN_COUNT), special=settings.special,
        unknown=settings.unknown,
    )  # fmt: skip
    return tokenizing(settings, counted.model)._replace(words=words, learned=counted)


def _given(settings: TokenizerSettings) -> Tokenizing:
    """Makes the tokenizer of a given vocabulary. What it doesn't have is the unknown token."""
    from attncli.scenario.tokenizers.making import tokenizing
    from attncli.tokenizers.pieces import Dictionary

    return tokenizing(settings, Dictionary(settings.values["vocabulary"], settings.unknown))


def _kind(name: str, explained: str, words: WordSplitter) -> TokenizerKind:
    vocabulary = VocabularyMaker(given=_given, learned=_dictionary, phrases=_phrases)
    return TokenizerKind(name, explained, words=words, vocabulary=vocabulary)


_SPLITTERS = (
    _kind("whitespace", "The sentence is cut at white space", WordSplitter(whitespace)),
    _kind("word", "The sentence is cut into words and punctuation marks", WordSplitter(words)),
    _kind(
        "character",
        "The sentence is cut into single characters, spaces (␣) included",
        WordSplitter(characters, between=""),
    ),
)
KINDS = {kind.name: kind for kind in _SPLITTERS}
