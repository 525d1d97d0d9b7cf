"""A word of somebody's: a token, a title, a sentence, the name of a file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NoReturn


@dataclass(frozen=True)
class Word:
    """Somebody's own words in a document. To be printed, never obeyed.

    It is no text: it can't be joined to one or put into one, so that nobody prints it as it is by
    forgetting. `notation.words` makes a text of it that can be printed; `raw` is what it is as
    data.
    """

    raw: str

    def __str__(self) -> NoReturn:
        raise TypeError("a word is no text; notation.words makes one of it")

    def __format__(self, spec: str) -> NoReturn:
        raise TypeError("a word is no text; notation.words makes one of it")


@lru_cache(maxsize=64)
def words(texts: tuple[str, ...]) -> tuple[Word, ...]:
    """Each of somebody's texts as a word."""
    return tuple(map(Word, texts))


Phrase = tuple[str | Word, ...]
"""A text of ours with somebody's words in it."""


def phrase(text: str | Phrase) -> Phrase:
    """A text as one that may have somebody's words in it."""
    return (text,) if isinstance(text, str) else text


def raw(text: str | Word) -> str:
    """A word, or a text of ours, as data."""
    return text.raw if isinstance(text, Word) else text
