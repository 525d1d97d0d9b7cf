"""About how long the learning of a tokenizer takes, from its corpus, before any of it is done; and
the cutting of a sentence in all ways.

The numbers of a second were measured on natural and on random text, in short words and in long
ones; they may be off by a factor of 2 or 3.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from attncli.name import below
from attncli.scenario.budget import too_much
from attncli.scenario.tokenizer_settings import TokenizerSettings

if TYPE_CHECKING:  # what learns is imported by scenarios that learn
    from attncli.tokenizing.corpus import CountedWord
    from attncli.tokenizing.unigram import Unigram

_MOST_SECONDS = 4.5

_PER_MERGED, _PER_PAIR = 4.5e-7, 3e-7
_PER_NODE = 8e-7
_PER_LETTER = 1.3e-5
_MOST_EFFORT = 4_000_000
"""Of cutting a sentence, which is told in tables."""


def check(said: TokenizerSettings, words: Sequence[CountedWord], seconds: float) -> None:
    """Raises ScenarioError for more than is learned without being asked for."""
    if seconds > _MOST_SECONDS and not said.large:
        size = said.values["vocabulary_size"]
        longest = max(len(word.text) for word in words)
        what = (
            f"{letters_of(words):,} letters of different words, the longest of {longest:,}, to "
            f"learn {size:,} tokens from"
        )
        less = "give a smaller corpus, shorter words or another vocabulary_size"
        raise too_much(said.where(below(said.path, "corpus")), what, less)


def check_cutting(said: TokenizerSettings, model: Unigram, words: Collection[str]) -> None:
    """Raises ScenarioError for words of a sentence that can be cut in more ways than are gone
    through without being asked for."""
    left = _MOST_EFFORT
    for word in () if said.large else words:
        left -= model.lexicon.effort(word, left)
        if left < 0:
            what = f"all ways to cut a word of {len(word):,} letters"
            where = said.where(below(said.path, "sentence"))
            raise too_much(where, what, "give shorter words or fewer pieces")


def of_merges(words: Sequence[CountedWord], rounds: int, *, by_likelihood: bool) -> float:
    """A word is walked again for each merge in it, of which there are fewer than its letters; by
    likelihood the pairs of all words are scored in each round."""
    merged = sum(len(word.text) * min(rounds, len(word.text)) for word in words)
    pairs = min(rounds, letters_of(words)) * letters_of(words) if by_likelihood else 0
    return merged * _PER_MERGED + pairs * _PER_PAIR


def of_trials(
    words: Sequence[CountedWord], seeds: Collection[str], room: int, share: float
) -> float:
    """In each round a word is cut anew without each of the pieces of its best cut."""
    longest = max(map(len, seeds), default=1)
    nodes = sum(len(word.text) ** 2 for word in words) * longest / 2
    return nodes * _rounds(len(seeds), room, share) * _PER_NODE


def of_expectation(words: Sequence[CountedWord], room: int, share: float) -> float:
    """In each round all ways to cut each word are gone through; there are fewer substrings to start
    with than letters."""
    letters = letters_of(words)
    return letters * _rounds(letters, room, share) * _PER_LETTER


def letters_of(words: Sequence[CountedWord]) -> int:
    """The letters of the words, each word counted once."""
    return sum(len(word.text) for word in words)


def _rounds(start: int, room: int, share: float) -> float:
    """The rounds in which a share of the pieces goes each time, until there are so few."""
    if share >= 1:
        return 1.0
    return 1 + math.log(max(1.0, start / max(1, room))) / -math.log(1 - share)
