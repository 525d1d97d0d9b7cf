"""Cutting a sentence into tokens, by rules that need no learning."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from itertools import pairwise

_JOINER = "\u200d"
_APOSTROPHES = ("'", "’")


def whitespace(sentence: str) -> list[str]:
    """The pieces between spaces, tabs and line ends: `This is a sentence.` has four."""
    return sentence.split()


def characters(sentence: str) -> list[str]:
    """The characters as a reader sees them, spaces too: an accent stays with its letter."""
    return list(_graphemes(sentence))


def words(sentence: str) -> list[str]:
    """Words, numbers and single punctuation marks: `I love pizza!` has four."""
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
    """A short form of Unicode's grapheme clusters (UAX 29): marks, joiners, skin tones, flags."""
    cluster = ""
    for character in text:
        if cluster and _continues(cluster, character):
            cluster += character
        else:
            if cluster:
                yield cluster
            cluster = character
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


TOKENIZERS: dict[str, Callable[[str], list[str]]] = {
    "whitespace": whitespace,
    "word": words,
    "character": characters,
}

EXPLAINED = {
    "whitespace": "The sentence is cut at white space",
    "word": "The sentence is cut into words and punctuation marks",
    "character": "The sentence is cut into single characters, spaces included",
    "bpe": "Each word of the sentence is cut into characters, merged in the order of the merges",
    "wordpiece": "Each word of the sentence is cut into the longest pieces that there are",
    "unigram": "Each word of the sentence is cut into the pieces that are likeliest together",
    "sentencepiece": "Spaces are written ▁, each word of the sentence is cut into pieces",
}
