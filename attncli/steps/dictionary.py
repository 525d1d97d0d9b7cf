"""The dictionary: the words of a corpus that are frequent enough, each with an ID."""

from __future__ import annotations

from attncli.arithmetic.operations import CountInWords, Share
from attncli.name import below
from attncli.steps.step import Mistake, Step
from attncli.trace import Axis, Definition, Place


def _plan(place: Place) -> tuple[Definition, ...]:
    if place.text.tokenizing is None or place.text.tokenizing.counted is None:
        return ()
    totals = _totals(place)
    return totals, Definition(place.name("coverage"), Share(), (totals.name,), "dictionary")


def _totals(place: Place, *, weighted: bool = True) -> Definition:
    """How often the words that are kept occur, and all words."""
    tokenizing = place.text.tokenizing
    assert tokenizing is not None
    assert tokenizing.counted is not None
    kept = set(tokenizing.counted.kept)
    every = tuple((k, 1) for k in range(len(tokenizing.words)))
    some = tuple((k, 1) for k, word in enumerate(tokenizing.words) if word in kept)
    words = (below(place.stack.path, "word_counts"),)
    operation = CountInWords((some, every), weighted)
    rows = Axis(("kept", "all"), "")
    return Definition(place.name("totals"), operation, words, "dictionary", rows=rows)


def _types_for_tokens(place: Place) -> Definition | None:
    if place.text.tokenizing is None or place.text.tokenizing.counted is None:
        return None
    return _totals(place, weighted=False)


STEP = Step(
    name="dictionary",
    title="The dictionary",
    makes=("totals", "coverage"),
    shapes="word_counts [words] → totals [2] → coverage",
    happens=lambda _: (
        "The words of the corpus are counted; the most frequent ones are kept, and each gets an ID."
        " A word below the cut is the unknown token, if there is one."
    ),
    purpose=(
        "A model knows only so many words, those that it has a vector for. So the words of a large"
        " corpus are counted and the rarest are left out. As a few words make up most of any text,"
        " a small dictionary covers much of it; what it doesn't have is lost, or cut into pieces."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "words_counted_once",
            "Counting each word of the dictionary once, however often it occurs.",
            _types_for_tokens,
        ),
    ),
)
