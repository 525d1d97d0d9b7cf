"""One round of learning pieces: counting pairs of neighbours, and merging one of them.

Byte-pair encoding: Sennrich et al. 2016, arXiv:1508.07909. WordPiece, with the score by which it
is mostly taught: Schuster & Nakajima 2012; Wu et al. 2016, arXiv:1609.08144.
"""

from __future__ import annotations

from attncli.arithmetic.operations import CountInWords, PairScore
from attncli.name import Name, below
from attncli.steps.step import Mistake, Step
from attncli.tokenizing.corpus import Occurrences, occurrences
from attncli.tokenizing.merge_training import (
    FEW_ROUNDS,
    FIRST_ROUNDS,
    LearnedMerge,
    MergeTraining,
)
from attncli.trace import Axis, Definition, Place, RoundPlace


def worked_rounds(place: Place) -> list[int]:
    """The rounds, from 1, whose counts are worked: all where that isn't too much."""
    learned = place.text.learned_as(MergeTraining)
    return [one.number for one in learned.rounds if one.snapshot is not None] if learned else []


def told_rounds(place: Place) -> list[int]:
    """The rounds that the page tells: all where they are few, else the first three and the last."""
    worked = worked_rounds(place)
    few = not worked or worked[-1] == len(worked) <= FEW_ROUNDS
    return worked if few else [*worked[:FIRST_ROUNDS], worked[-1]]


def round_of(place: Place) -> LearnedMerge | None:
    """The round that a step is at."""
    learned = place.text.learned_as(MergeTraining)
    return learned.rounds[place.round - 1] if learned and isinstance(place, RoundPlace) else None


def counts_of_words(place: Place) -> Name:
    """The full name of how often each word of the corpus occurs."""
    return below(place.stack.path, "word_counts")


def count_in_words(
    place: Place,
    step: str,
    name: str,
    rows: Axis,
    where: tuple[Occurrences, ...],
    *,
    weighted: bool = True,
) -> Definition:
    """How often things occur in the corpus, by where they stand in its words."""
    operation = CountInWords(where, weighted)
    return Definition(place.name(name), operation, (counts_of_words(place),), step, rows=rows)


def _is_by_likelihood(place: RoundPlace) -> bool:
    learned = place.text.learned_as(MergeTraining)
    return learned is not None and learned.score == "likelihood"


def _plan(place: RoundPlace) -> tuple[Definition, ...]:
    counts, own = _counts(place), round_of(place)
    if counts is None or own is None or own.snapshot is None or not _is_by_likelihood(place):
        return () if counts is None else (counts,)
    pairs = own.snapshot.pairs
    # the parts of the pairs, in the order in which they first come
    symbols = tuple(dict.fromkeys(symbol for pair in pairs for symbol in pair))
    where = occurrences(symbols, own.snapshot.words)
    held = count_in_words(place, "learn", "symbols", Axis(symbols, "symbol"), where)
    parts = tuple((symbols.index(left), symbols.index(right)) for left, right in pairs)
    operands = (counts.name, held.name)
    return counts, held, Definition(place.name("scores"), PairScore(parts), operands, "learn")


def _counts(place: RoundPlace, *, weighted: bool = True) -> Definition | None:
    """How often each pair occurs."""
    own = round_of(place)
    if own is None or own.snapshot is None:
        return None
    rows = Axis(tuple(" ".join(pair) for pair in own.snapshot.pairs), "pair")
    where = tuple(own.snapshot.pairs.values())
    return count_in_words(place, "learn", "counts", rows, where, weighted=weighted)


def _happens(place: RoundPlace) -> str:
    counted = "In the words as they are cut so far, each pair of neighbours is counted"
    if _is_by_likelihood(place):
        return (
            f"{counted}; its score divides that by the counts of its two parts, so that parts that"
            " are seldom seen apart come first."
        )
    return f"{counted}, once for each time that its word occurs; the most frequent is merged."


STEP = Step(
    name="learn",
    at=RoundPlace,
    title="Learning pieces",
    does="learns pieces: merges the best pair of neighbours, round by round",
    makes=("counts", "symbols", "scores"),
    shapes="word_counts [words] → counts [pairs]",
    happens=_happens,
    why=(
        "The best pair of neighbours becomes one piece, again and again, until the vocabulary has"
        " the size that was asked for."
    ),
    more=(
        "A vocabulary of whole words would have no place for a word that nobody has seen before,"
        " and single characters say little by themselves: learned pieces lie in between."
    ),
    example="bpe",
    plan=_plan,
    mistakes=(
        Mistake(
            "words_counted_once",
            "Counting the pairs of each word once, however often the word occurs.",
            lambda place: _counts(place, weighted=False),
        ),
    ),
)
