"""The steps of a tokenizer: how it comes to its vocabulary, and how it cuts words."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.steps.tokenizers.estimate import told_numbers, worked_numbers
from attncli.steps.tokenizers.learn import told_rounds, worked_rounds
from attncli.steps.tokenizers.prune import trained_pruning
from attncli.steps.tokenizers.viterbi import told_words
from attncli.trace import CutPlace, Place, RoundPlace


def tokenizer_steps(place: Place) -> Iterator[tuple[str, Place]]:
    """The steps that a tokenizer takes, each with its place."""
    yield "dictionary", place
    yield from _rounds(place)
    for number, word in told_words(place):  # which are cut where all ways are weighed
        yield "viterbi", place.to(CutPlace, path=place.name("words", number), word=word)


def _rounds(place: Place) -> Iterator[tuple[str, RoundPlace]]:
    """How it comes to its vocabulary: at once, or in rounds."""
    rounds: dict[int, tuple[str, ...]] = dict.fromkeys(worked_rounds(place), ("learn",))
    rounds |= dict.fromkeys(worked_numbers(place), ("estimate", "prune"))
    rounds |= {1: ("prune",)} if trained_pruning(place) else {}
    told = {1, *told_rounds(place), *told_numbers(place)}
    for number, steps in rounds.items():
        path = place.name("rounds", number)
        at = place.to(RoundPlace, path=path, round=number, told=number in told)
        for step in steps:
            yield step, at
