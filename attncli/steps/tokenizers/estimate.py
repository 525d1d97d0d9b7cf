"""How probable each piece of a word is taken to be.

Kudo 2018, arXiv:1804.10959; the counts are those of the substrings, as it is mostly taught.
"""

from __future__ import annotations

from attncli.arithmetic.operations import AddedUp, LogShare, ShareItself
from attncli.steps.step import Mistake, Step
from attncli.steps.tokenizers.learn import count_in_words
from attncli.tokenizing.corpus import occurrences
from attncli.tokenizing.count_training import CountRound, CountTraining
from attncli.tokenizing.substrings import substrings
from attncli.trace import Axis, Definition, Place, RoundPlace

_MOST_ROUNDS = 4
_MOST_PIECES = 20_000
"""Of all rounds, whose counts are all worked."""


def count_rounds(place: Place) -> tuple[CountRound, ...]:
    """The rounds in which a vocabulary of counted pieces was pruned."""
    learned = place.text.learned_as(CountTraining)
    return learned.rounds if learned else ()


def told_numbers(place: Place) -> list[int]:
    """The rounds that are told, from 1: all where they are few, else the first two and the last."""
    count = len(count_rounds(place))
    return list(range(1, count + 1)) if count <= _MOST_ROUNDS else [1, 2, count]


def worked_numbers(place: Place) -> list[int]:
    """The rounds that are worked: all where that isn't too much, else those that are told."""
    rounds = count_rounds(place)
    every = sum(len(one.pieces) for one in rounds)
    return list(range(1, len(rounds) + 1)) if every <= _MOST_PIECES else told_numbers(place)


def count_round(place: Place) -> CountRound | None:
    """The round that a step is at."""
    rounds = count_rounds(place)
    return rounds[place.round - 1] if rounds and isinstance(place, RoundPlace) else None


def _plan(place: RoundPlace) -> tuple[Definition, ...]:
    own, tokenizing = count_round(place), place.text.tokenizing
    if own is None or tokenizing is None:
        return ()
    pieces = tuple(one.token for one in own.pieces)
    longest = max(map(len, pieces), default=0)
    where = occurrences(pieces, (substrings(word.text, longest) for word in tokenizing.words))
    counts = count_in_words(place, "counts", Axis(pieces, "piece"), where)
    total = Definition(place.name("total"), AddedUp(), (counts.name,))
    log_p = Definition(place.name("log_p"), LogShare(), (counts.name, total.name))
    return counts, total, log_p


def _without_logarithm(place: RoundPlace) -> Definition:
    operands = (place.name("counts"), place.name("total"))
    return Definition(place.name("log_p"), ShareItself(), operands)


STEP = Step(
    name="estimate",
    at=RoundPlace,
    title="How probable pieces are",
    does="gives each piece of a vocabulary its probability",
    makes=("counts", "total", "log_p"),
    shapes="word_counts [words] → counts [pieces] → total → log_p [pieces]",
    happens=lambda _: (
        "Each piece is counted wherever it stands in a word, once for each time that the word"
        " occurs; its probability is its share of all counts."
    ),
    why=(
        "Unigram starts from many pieces, and takes the pieces of a word to be independent of"
        " each other: the probability of a cut is the product of theirs."
    ),
    more=(
        "The logarithm turns the product into a sum, which stays a number that can be written down."
    ),
    example="unigram",
    plan=_plan,
    mistakes=(
        Mistake(
            "no_logarithm",
            "Leaving out the logarithm: shares are to be multiplied, their logarithms added up.",
            _without_logarithm,
        ),
    ),
)
