"""A dictionary, and pieces that are learned by merging.

* learn: one round of learning pieces: counting pairs of neighbours, and merging one of them.
  Byte-pair encoding: Sennrich et al. 2016, arXiv:1508.07909. WordPiece, with the score by which it
  is mostly taught: Schuster & Nakajima 2012; Wu et al. 2016, arXiv:1609.08144.
* dictionary: the words of a corpus that are frequent enough, each with an ID.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from attncli.arithmetic.operations.pieces import CountInWords, PairScore, Share
from attncli.arithmetic.rounding import Array
from attncli.name import Name, below
from attncli.steps.inquiry import Chosen, Misreading, WordsAsked, in_no_order, largest
from attncli.steps.mistakes import remade, wrong
from attncli.steps.step import Inquiry, Mistake, Step
from attncli.tokenizing.corpus import Occurrences, occurrences
from attncli.tokenizing.dictionary import CountedDictionary
from attncli.tokenizing.merge_training import FEW_ROUNDS, FIRST_ROUNDS, LearnedMerge, MergeTraining
from attncli.tokenizing.pieces import TokenPair
from attncli.trace import Axis, Definition, Place, RoundPlace, Trace
from attncli.word import Phrase, Word


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
    place: Place, name: str, rows: Axis, where: tuple[Occurrences, ...]
) -> Definition:
    """How often things occur in the corpus, by where they stand in its words."""
    operands = (counts_of_words(place),)
    return Definition(place.name(name), CountInWords(where), operands, rows=rows)


_ONCE = remade(lambda counted, _: replace(counted, weighted=False))
"""What is counted once in each word, however often that occurs."""


def _is_by_likelihood(place: RoundPlace) -> bool:
    learned = place.text.learned_as(MergeTraining)
    return learned is not None and learned.score == "likelihood"


def _plan_learn(place: RoundPlace) -> tuple[Definition, ...]:
    own = round_of(place)
    if own is None or own.snapshot is None:
        return ()
    pairs = own.snapshot.pairs
    rows = Axis(tuple(" ".join(pair) for pair in pairs), "pair")
    counts = count_in_words(place, "counts", rows, tuple(pairs.values()))
    if not _is_by_likelihood(place):
        return (counts,)
    # the parts of the pairs, in the order in which they first come
    symbols = tuple(dict.fromkeys(symbol for pair in pairs for symbol in pair))
    where = occurrences(symbols, own.snapshot.words)
    held = count_in_words(place, "symbols", Axis(symbols, "symbol"), where)
    parts = tuple((symbols.index(left), symbols.index(right)) for left, right in pairs)
    operands = (counts.name, held.name)
    return counts, held, Definition(place.name("scores"), PairScore(parts), operands)


def _happens(place: RoundPlace) -> str:
    counted = "In the words as they are cut so far, each pair of neighbours is counted"
    if _is_by_likelihood(place):
        return (
            f"{counted}; its score divides that by the counts of its two parts, so that parts that"
            " are seldom seen apart come first."
        )
    return f"{counted}, once for each time that its word occurs; the most frequent is merged."


_MOST_LISTED = 5
"""Pairs from which one is chosen."""
_MOST_TOKENS = 60
"""Tokens of a vocabulary that are listed."""


_OTHER_RULE = "Of pairs that are as good one was taken by another rule than the one that is said."
_BY_COUNT = "The pair with the largest count was taken, not that with the largest score."
Ranks = list[tuple[float, ...]]


def _merged(place: RoundPlace, trace: Trace) -> tuple[WordsAsked, ...]:
    """Which pair is merged."""
    own, learned = round_of(place), place.text.learned_as(MergeTraining)
    if own is None or own.snapshot is None or learned is None:
        return ()
    pairs, counts = [*own.snapshot.pairs], trace[place.name("counts")].values
    order = in_no_order(len(pairs), counts)
    ranks, others = (
        _ranks(pairs, own.snapshot.words, one, counts[:, 0])
        for one in (learned, learned._replace(first=not learned.first))
    )
    best = order.index(0)  # the pairs are in the order in which they would be merged

    def picked(low: Array, high: Array, ranks: Ranks = ranks) -> Chosen:
        ends = (low[:, 0], high[:, 0])
        chosen = (min(largest(end, end), key=ranks.__getitem__) for end in ends)
        return frozenset(order.index(k) for k in chosen)

    def by_other_rule(low: Array, high: Array) -> Chosen:
        return picked(low, high, others)

    def by_count(*_: Array) -> Chosen:
        return picked(counts, counts)

    misread: tuple[Misreading, ...] = (Misreading("other_tie_rule", _OTHER_RULE, by_other_rule),)
    if learned.score == "likelihood":
        misread = (*misread, Misreading("count_for_score", _BY_COUNT, by_count))
    listed = tuple(k for k, pair in enumerate(order) if pair < _MOST_LISTED)
    assert best in listed
    says = f"Which pair is merged in round {place.round}?"
    options = tuple(" ".join(pairs[k]) for k in order)
    return (WordsAsked(None, (says,), options, picked, listed, misread=misread),)


def _ranks(
    pairs: Sequence[TokenPair],
    words: Sequence[Sequence[str]],
    learned: MergeTraining,
    counts: Array,
) -> Ranks:
    """What decides between pairs that are as good: the smaller comes first."""
    if learned.first:
        met = list(dict.fromkeys(pair for word in words for pair in pairwise(word)))
        return [(float(met.index(pair)),) for pair in pairs]
    ids = [tuple(float(learned.vocabulary[part]) for part in pair) for pair in pairs]
    if learned.score == "likelihood":
        return [(-float(count), *own) for count, own in zip(counts, ids, strict=True)]
    return ids


def tie_rule(learned: MergeTraining) -> str:
    """Which of equal pairs is merged."""
    if learned.first:
        return "that is met first, from the first word on, is merged"
    by_id = "whose left part, then right part, comes first in the vocabulary"
    if learned.score == "likelihood":
        return f"that occurs most often is merged, then the one {by_id}"
    return f"{by_id} is merged"


def _merge_rule(place: RoundPlace) -> Phrase:
    """The tie rule, with all that it takes to go by it."""
    learned = place.text.learned_as(MergeTraining)
    if learned is None:
        return ()
    what = "score" if learned.score == "likelihood" else "count"
    told = f"Among pairs of the same {what} the one {tie_rule(learned)}"
    made = {one.piece for one in learned.rounds if one.new}
    begins = [Word(token) for token in learned.vocabulary if token not in made]
    if learned.first or len(begins) > _MOST_TOKENS:
        return (f"{told}.",)
    listed = (span for token in begins for span in (" ", token))
    return (f"{told}: it begins with", *listed, ", and then has the pieces as they are made.")


LEARN_STEP = Step(
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
    plan=_plan_learn,
    mistakes=(
        Mistake(
            "words_counted_once",
            "Counting the pairs of each word once, however often the word occurs.",
            wrong(_ONCE, "counts"),
        ),
    ),
    inquiries=(
        Inquiry(
            "merged",
            "which pair is merged in a round",
            ("scores", "counts"),
            _merged,
            _merge_rule,
            last=True,
            ranked=True,
        ),
    ),
)


def _plan_dictionary(place: Place) -> tuple[Definition, ...]:
    """How often the words that are kept occur, and all words; and the share of these."""
    tokenizing, dictionary = place.text.tokenizing, place.text.learned_as(CountedDictionary)
    if tokenizing is None or dictionary is None:
        return ()
    kept = set(dictionary.kept)
    every = tuple((k, 1) for k in range(len(tokenizing.words)))
    some = tuple((k, 1) for k, word in enumerate(tokenizing.words) if word in kept)
    totals = count_in_words(place, "totals", Axis(("kept", "all"), ""), (some, every))
    return totals, Definition(place.name("coverage"), Share(), (totals.name,))


DICTIONARY_STEP = Step(
    name="dictionary",
    at=Place,
    title="The dictionary",
    does="counts the words of a corpus and keeps the frequent ones",
    makes=("totals", "coverage"),
    shapes="word_counts [words] → totals [2] → coverage",
    happens=lambda _: (
        "The words of the corpus are counted; the most frequent ones are kept, and each gets an ID."
        " A word below the cut becomes the unknown token, if there is one. The coverage is the"
        " share of the corpus that the kept words make up."
    ),
    why=(
        "A model knows only the words that it has a vector for, and there can be only so many of"
        " these: so the words of a large corpus are counted, and the rarest are left out."
    ),
    more=(
        "As a few words make up most of any text, a small dictionary covers much of it; what it"
        " doesn't have is lost, or cut into pieces."
    ),
    example="dictionary",
    plan=_plan_dictionary,
    mistakes=(
        Mistake(
            "words_counted_once",
            "Counting each word of the dictionary once, however often it occurs.",
            wrong(_ONCE, "totals"),
        ),
    ),
)
