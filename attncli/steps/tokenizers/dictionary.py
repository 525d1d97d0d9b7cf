"""The dictionary: the words of a corpus that are frequent enough, each with an ID."""

from __future__ import annotations

from attncli.arithmetic.operations import Share
from attncli.steps.step import Mistake, Step
from attncli.steps.tokenizers.learn import count_in_words
from attncli.tokenizing.dictionary import CountedDictionary
from attncli.trace import Axis, Definition, Place


def _plan(place: Place) -> tuple[Definition, ...]:
    totals = _totals(place)
    if totals is None:
        return ()
    return totals, Definition(place.name("coverage"), Share(), (totals.name,))


def _totals(place: Place, *, weighted: bool = True) -> Definition | None:
    """How often the words that are kept occur, and all words."""
    tokenizing, dictionary = place.text.tokenizing, place.text.learned_as(CountedDictionary)
    if tokenizing is None or dictionary is None:
        return None
    kept = set(dictionary.kept)
    every = tuple((k, 1) for k in range(len(tokenizing.words)))
    some = tuple((k, 1) for k, word in enumerate(tokenizing.words) if word in kept)
    rows, where = Axis(("kept", "all"), ""), (some, every)
    return count_in_words(place, "totals", rows, where, weighted=weighted)


STEP = Step(
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
    plan=_plan,
    mistakes=(
        Mistake(
            "words_counted_once",
            "Counting each word of the dictionary once, however often it occurs.",
            lambda place: _totals(place, weighted=False),
        ),
    ),
)
