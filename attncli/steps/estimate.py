"""How probable each piece of a word is taken to be.

Kudo 2018, arXiv:1804.10959; the counts are those of the substrings, as it is mostly taught.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attncli.arithmetic.operations import AddedUp, CountInWords, LogShare, ShareItself
from attncli.name import Name, below
from attncli.steps.step import Mistake, Step
from attncli.trace import Axis, Making, Scope

if TYPE_CHECKING:
    from attncli.tokenizing.corpus import Word
    from attncli.tokenizing.lesson import LessonRound

_MOST_ROUNDS = 4


def taught_rounds(scope: Scope) -> tuple[LessonRound, ...]:
    """The rounds in which a vocabulary of pieces was pruned."""
    tokenizing = scope.text.tokenizing
    return tokenizing.taught.rounds if tokenizing and tokenizing.taught else ()


def told_numbers(scope: Scope) -> list[int]:
    """The rounds that are told, from 1: all where they are few, else the first two and the last."""
    count = len(taught_rounds(scope))
    return list(range(1, count + 1)) if count <= _MOST_ROUNDS else [1, 2, count]


def taught_round(scope: Scope) -> LessonRound | None:
    """The round that a step is at."""
    rounds = taught_rounds(scope)
    return rounds[scope.round - 1] if rounds and scope.round else None


def counts_of_words(scope: Scope) -> Name:
    """The full name of how often each word of the corpus occurs."""
    return below(scope.stack.path, "word_counts")


def _plan(scope: Scope) -> tuple[Making, ...]:
    own, tokenizing = taught_round(scope), scope.text.tokenizing
    if own is None or tokenizing is None:
        return ()
    rows = Axis(tuple(one.token for one in own.pieces), "piece")
    counts, total = scope.name("counts"), scope.name("total")
    counted = CountInWords(_occurrences(rows.names, tokenizing.words))
    return (
        Making(counts, counted, (counts_of_words(scope),), "estimate", rows=rows),
        Making(total, AddedUp(), (counts,), "estimate"),
        Making(scope.name("log_p"), LogShare(), (counts, total), "estimate"),
    )


def _occurrences(
    pieces: Sequence[str], words: Sequence[Word]
) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Where each piece stands in the words: by the words' rows, and how many times."""
    found: dict[str, list[tuple[int, int]]] = {piece: [] for piece in pieces}
    longest = max(map(len, pieces), default=0)
    for row, word in enumerate(words):
        text = word.text
        spans = (
            text[start:end]
            for start in range(len(text))
            for end in range(start + 1, min(len(text), start + longest) + 1)
        )
        for piece, times in Counter(span for span in spans if span in found).items():
            found[piece].append((row, times))
    return tuple(tuple(one) for one in found.values())


def _without_logarithm(scope: Scope) -> Making | None:
    if taught_round(scope) is None:
        return None
    operands = (scope.name("counts"), scope.name("total"))
    return Making(scope.name("log_p"), ShareItself(), operands, "estimate")


STEP = Step(
    name="estimate",
    title="How probable pieces are",
    titled=lambda scope: f"How probable pieces are, round {scope.round}",
    makes=("counts", "total", "log_p"),
    shapes="word_counts [words] → counts [pieces] → total → log_p [pieces]",
    happens=lambda _: (
        "Each piece is counted wherever it stands in a word, once for each time that the word"
        " occurs; its probability is its share of all counts."
    ),
    purpose=(
        "Unigram starts from many pieces, and takes the pieces of a word to be independent of each"
        " other: the probability of a cut is the product of theirs. Its logarithm is a sum, and"
        " stays a number that one can write down."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "no_logarithm",
            "Leaving out the logarithm: shares are to be multiplied, their logarithms added up.",
            _without_logarithm,
        ),
    ),
)
