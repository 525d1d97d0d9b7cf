"""Which pieces a vocabulary can best do without.

Kudo 2018, arXiv:1804.10959. Pieces that were counted are tried one by one; of those that are
expected in all cuts the loss is estimated, as Hugging Face's `tokenizers` does.
"""

from __future__ import annotations

from attncli.arithmetic.operations import (
    AddedUp,
    CorpusLoss,
    CutScores,
    LossWithout,
    PruningLoss,
)
from attncli.steps.step import Mistake, Step
from attncli.steps.tokenizers.estimate import count_round
from attncli.steps.tokenizers.learn import count_in_words, counts_of_words
from attncli.tokenizing.corpus import occurrences
from attncli.tokenizing.count_training import CountRound
from attncli.tokenizing.em_training import EMTraining
from attncli.tokenizing.pruning import PieceLoss, Pruning
from attncli.trace import Axis, Definition, Place, RoundPlace

_MOST_LOSSES = 12


def trained_pruning(place: Place) -> Pruning | None:
    """The pruning that is told of a training by expectation: the first."""
    learned = place.text.learned_as(EMTraining)
    return learned.rounds[0].pruning if learned else None


def told_losses(pruning: Pruning) -> tuple[PieceLoss, ...]:
    """The smallest losses, from the smallest on."""
    return pruning.losses[::-1][:_MOST_LOSSES]


def _plan(place: RoundPlace) -> tuple[Definition, ...]:
    own, pruning = count_round(place), trained_pruning(place)
    if own is not None and own.removals:
        return _tried(place, own)
    if pruning is not None and pruning.losses:
        return _estimated(place, pruning)
    return ()


def _tried(place: RoundPlace, own: CountRound) -> tuple[Definition, ...]:
    """What each word scores, the loss, and how much it grows without a piece that is used."""
    row_of = {piece.token: row for row, piece in enumerate(own.pieces)}
    cuts = tuple(tuple(row_of[piece] for piece in cut.pieces) for cut in own.cuts)
    tokenizing, log_p = place.text.tokenizing, place.name("log_p")
    rows = Axis(tuple(word.text for word in tokenizing.words) if tokenizing else (), "word")
    scores = Definition(place.name("cut_scores"), CutScores(cuts), (log_p,), rows=rows)
    operands = (counts_of_words(place), scores.name)
    loss = Definition(place.name("loss"), CorpusLoss(), operands)
    used = [removal for removal in own.removals if removal.words]
    if not used:
        return scores, loss
    anew = tuple(
        tuple((word, tuple(row_of[piece] for piece in cut.pieces)) for word, cut in removal.words)
        for removal in used
    )
    without, pieces = LossWithout(anew), Axis(tuple(one.token for one in used), "piece")
    growth = Definition(place.name("growth"), without, (*operands, log_p), rows=pieces)
    return scores, loss, growth


def _estimated(place: RoundPlace, pruning: Pruning) -> tuple[Definition, ...]:
    """How often pieces are in the best cuts, and what going without them would cost."""
    losses = told_losses(pruning)
    pieces = tuple(dict.fromkeys(name for one in losses for name in (one.token, *one.instead)))
    row_of = {piece: row for row, piece in enumerate(pieces)}
    instead = tuple(
        (row_of[one.token], tuple(row_of[piece] for piece in one.instead)) for one in losses
    )
    where = occurrences(pieces, pruning.cuts)
    frequencies = count_in_words(place, "frequencies", Axis(pieces, "piece"), where)
    all_pieces = tuple((k, len(cut)) for k, cut in enumerate(pruning.cuts))
    total = count_in_words(place, "total", Axis(("",), ""), (all_pieces,))
    every = Definition(place.name("words"), AddedUp(), (counts_of_words(place),))
    operation, operands = PruningLoss(instead, pruning.size), (frequencies, total, every)
    rows, names = Axis(tuple(one.token for one in losses), "piece"), (m.name for m in operands)
    return (
        *operands,
        Definition(place.name("losses"), operation, tuple(names), rows=rows),
    )


def _happens(place: RoundPlace) -> str:
    if count_round(place) is not None:
        return (
            "Each word is cut in its most probable way; the loss adds up how improbable these cuts"
            " are. Then each piece of two or more characters is left out in turn: the words that it"
            " was in are cut anew, and the loss grows. The pieces without which it grows least go;"
            " without a piece that is in no best cut it doesn't grow at all."
        )
    return (
        "Each word is cut in its most probable way. What it would cost to go without a piece is"
        " estimated: its best cut into other pieces would take its place, and these would"
        " become more frequent."
    )


def _unweighted(place: RoundPlace) -> Definition | None:
    own = count_round(place)
    if own is None or not own.removals:
        return None
    operation = CorpusLoss(weighted=False)
    operands = (counts_of_words(place), place.name("cut_scores"))
    return Definition(place.name("loss"), operation, operands)


STEP = Step(
    name="prune",
    at=RoundPlace,
    title="Pruning",
    does="takes out the pieces that are missed least",
    makes=("cut_scores", "loss", "growth", "frequencies", "total", "words", "losses"),
    shapes="log_p [pieces] → cut_scores [words] → loss → growth [pieces]",
    happens=_happens,
    why=(
        "What a piece is worth shows when it is missing: the words that it was in must then be cut"
        " in a less probable way."
    ),
    more=(
        "A vocabulary of all substrings would be far too large, so the pieces that are missed"
        " least go, until it has the size that was asked for. Single characters stay, so that every"
        " word can be cut."
    ),
    example="unigram",
    plan=_plan,
    mistakes=(
        Mistake(
            "words_counted_once",
            "Adding up each word's score once, however often the word occurs.",
            _unweighted,
        ),
    ),
)
