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
from attncli.trace import Axis, Definition, Place

if TYPE_CHECKING:
    from attncli.tokenizing.corpus import CountedWord
    from attncli.tokenizing.lesson import LessonRound

_MOST_ROUNDS = 4


def taught_rounds(place: Place) -> tuple[LessonRound, ...]:
    """The rounds in which a vocabulary of pieces was pruned."""
    tokenizing = place.text.tokenizing
    return tokenizing.taught.rounds if tokenizing and tokenizing.taught else ()


def told_numbers(place: Place) -> list[int]:
    """The rounds that are told, from 1: all where they are few, else the first two and the last."""
    count = len(taught_rounds(place))
    return list(range(1, count + 1)) if count <= _MOST_ROUNDS else [1, 2, count]


def taught_round(place: Place) -> LessonRound | None:
    """The round that a step is at."""
    rounds = taught_rounds(place)
    return rounds[place.round - 1] if rounds and place.round else None


def counts_of_words(place: Place) -> Name:
    """The full name of how often each word of the corpus occurs."""
    return below(place.stack.path, "word_counts")


def _plan(place: Place) -> tuple[Definition, ...]:
    own, tokenizing = taught_round(place), place.text.tokenizing
    if own is None or tokenizing is None:
        return ()
    rows = Axis(tuple(one.token for one in own.pieces), "piece")
    counts, total = place.name("counts"), place.name("total")
    counted = CountInWords(_occurrences(rows.names, tokenizing.words))
    return (
        Definition(counts, counted, (counts_of_words(place),), "estimate", rows=rows),
        Definition(total, AddedUp(), (counts,), "estimate"),
        Definition(place.name("log_p"), LogShare(), (counts, total), "estimate"),
    )


def _occurrences(
    pieces: Sequence[str], words: Sequence[CountedWord]
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


def _without_logarithm(place: Place) -> Definition | None:
    if taught_round(place) is None:
        return None
    operands = (place.name("counts"), place.name("total"))
    return Definition(place.name("log_p"), ShareItself(), operands, "estimate")


STEP = Step(
    name="estimate",
    title="How probable pieces are",
    titled=lambda place: f"How probable pieces are, round {place.round}",
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
