"""Which pieces a vocabulary can best do without.

Kudo 2018, arXiv:1804.10959. Pieces that were counted are tried one by one; of those that are
expected in all cuts the loss is estimated, as Hugging Face's `tokenizers` does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attncli.arithmetic.operations import (
    AddedUp,
    CorpusLoss,
    CountInWords,
    CutScores,
    LossWithout,
    PruningLoss,
)
from attncli.steps.estimate import counts_of_words, taught_round
from attncli.steps.step import Mistake, Step
from attncli.trace import Axis, Definition, Place

if TYPE_CHECKING:
    from attncli.tokenizing.lesson import LessonRound
    from attncli.tokenizing.pruning import Loss, Pruning

_MOST_LOSSES = 12


def trained_pruning(place: Place) -> Pruning | None:
    """The pruning that is told of a training: the first."""
    tokenizing = place.text.tokenizing
    return tokenizing.trained.rounds[0].pruning if tokenizing and tokenizing.trained else None


def told_losses(pruning: Pruning) -> tuple[Loss, ...]:
    """The smallest losses, from the smallest on."""
    return pruning.losses[::-1][:_MOST_LOSSES]


def _plan(place: Place) -> tuple[Definition, ...]:
    own, pruning = taught_round(place), trained_pruning(place)
    if own is not None and own.removals:
        return _tried(place, own)
    if place.round and pruning is not None and pruning.losses:
        return _estimated(place, pruning)
    return ()


def _tried(place: Place, own: LessonRound) -> tuple[Definition, ...]:
    """What each word scores, the loss, and how much it grows without a piece that is used."""
    places = {piece.token: row for row, piece in enumerate(own.pieces)}

    def rows(pieces: Sequence[str]) -> tuple[int, ...]:
        return tuple(places[piece] for piece in pieces)

    words = counts_of_words(place)
    scores, log_p = place.name("cut_scores"), place.name("log_p")
    cuts = CutScores(tuple(rows(cut.pieces) for cut in own.cuts))
    made = (
        Definition(scores, cuts, (log_p,), "prune", rows=_words_axis(place)),
        Definition(place.name("loss"), CorpusLoss(), (words, scores), "prune"),
    )
    used = [removal for removal in own.removals if removal.words]
    if not used:
        return made
    anew = (tuple((word, rows(cut.pieces)) for word, cut in removal.words) for removal in used)
    tried, axis = LossWithout(tuple(anew)), Axis(tuple(one.token for one in used), "piece")
    operands = (words, scores, log_p)
    return (*made, Definition(place.name("growth"), tried, operands, "prune", rows=axis))


def _words_axis(place: Place) -> Axis:
    tokenizing = place.text.tokenizing
    assert tokenizing is not None
    return Axis(tuple(word.text for word in tokenizing.words), "word")


def _estimated(place: Place, pruning: Pruning) -> tuple[Definition, ...]:
    """How often pieces are in the best cuts, and what going without them would cost."""
    losses = told_losses(pruning)
    pieces = list(dict.fromkeys(name for one in losses for name in (one.token, *one.instead)))
    places = {piece: row for row, piece in enumerate(pieces)}
    instead = tuple(
        (places[one.token], tuple(places[piece] for piece in one.instead)) for one in losses
    )
    words = counts_of_words(place)
    frequencies, total, every = (place.name(one) for one in ("frequencies", "total", "words"))
    return (
        Definition(
            frequencies, CountInWords(_occurrences(pieces, pruning)), (words,), "prune",
            rows=Axis(tuple(pieces), "piece"),
        ),
        Definition(
            total, CountInWords((tuple((k, len(cut)) for k, cut in enumerate(pruning.cuts)),)),
            (words,), "prune", rows=Axis(("",), ""),
        ),
        Definition(every, AddedUp(), (words,), "prune"),
        Definition(
            place.name("losses"), PruningLoss(instead, pruning.size), (frequencies, total, every),
            "prune", rows=Axis(tuple(one.token for one in losses), "piece"),
        ),
    )  # fmt: skip


def _occurrences(
    pieces: Sequence[str], pruning: Pruning
) -> tuple[tuple[tuple[int, int], ...], ...]:
    held = [Counter(cut) for cut in pruning.cuts]
    return tuple(
        tuple((row, count[piece]) for row, count in enumerate(held) if count[piece])
        for piece in pieces
    )


def _happens(place: Place) -> str:
    if taught_round(place) is not None:
        return (
            "Each word is cut as is most probable; the loss is what all of that comes to. Then each"
            " piece but the single characters is taken out for once: the words that it was in are"
            " cut anew, and the loss grows. The pieces without which it grows least can go; without"
            " those that are in no best cut it doesn't grow at all."
        )
    return (
        "Each word is cut as is most probable. What it would cost to go without a piece is"
        " estimated: in its places would be its own best cut into other pieces, which then are"
        " more frequent."
    )


def _unweighted(place: Place) -> Definition | None:
    own = taught_round(place)
    if own is None or not own.removals:
        return None
    operation = CorpusLoss(weighted=False)
    operands = (counts_of_words(place), place.name("cut_scores"))
    return Definition(place.name("loss"), operation, operands, "prune")


STEP = Step(
    name="prune",
    title="Pruning",
    titled=lambda place: f"Pruning, round {place.round}",
    makes=("cut_scores", "loss", "growth", "frequencies", "total", "words", "losses"),
    shapes="log_p [pieces] → cut_scores [words] → loss → growth [pieces]",
    happens=_happens,
    purpose=(
        "A vocabulary of all substrings would be far too large. What a piece is worth shows when it"
        " is missing: words that it was in have to be cut in a less probable way. The pieces that"
        " are missed least go, until the vocabulary is as large as it should be; single characters"
        " stay, so that every word can be cut."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "words_counted_once",
            "Adding up each word's score once, however often the word occurs.",
            _unweighted,
        ),
    ),
)
