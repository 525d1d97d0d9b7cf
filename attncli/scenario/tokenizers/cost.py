"""About how long the learning of a tokenizer takes, from its corpus, before any of it is done.

The numbers of a second were measured on natural and on random text, in short words and in long
ones; they may be off by a factor of 2 or 3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from attncli.file.problems import too_much
from attncli.name import below
from attncli.scenario.tokenizers.settings import TokenizerSettings
from attncli.tokenizing.corpus import CountedWord

_MOST_SECONDS = 4.5


def check(said: TokenizerSettings, words: Sequence[CountedWord], seconds: float) -> None:
    """Raises ScenarioError for more than is learned without being asked for."""
    if seconds > _MOST_SECONDS and not said.large:
        longest = max(len(word.text) for word in words)
        what = (
            f"{letters_of(words):,} letters of different words, the longest of {longest:,}, to "
            f"learn {_asked(said)} from"
        )
        less = "give a smaller corpus, shorter words or fewer to learn"
        raise too_much(said.complaints.where(below(said.path, "corpus")), what, less)


def _asked(said: TokenizerSettings) -> str:
    """How much is to be learned."""
    return f"{said.most_merges:,} merges" if said.size is None else f"{said.size:,} tokens"


def letters_of(words: Sequence[CountedWord]) -> int:
    """The letters of the words, each word counted once."""
    return sum(len(word.text) for word in words)


def rounds(start: int, room: int, share: float) -> float:
    """The rounds in which a share of the pieces goes each time, until there are so few."""
    if share >= 1:
        return 1.0
    return 1 + math.log(max(1.0, start / max(1, room))) / -math.log(1 - share)
