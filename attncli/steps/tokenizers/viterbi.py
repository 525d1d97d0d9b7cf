"""The most probable cut of a word, place by place.

Viterbi 1967; for pieces of words Kudo 2018, arXiv:1804.10959.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncli.arithmetic.expression import Apply, Equation, Sum, Symbol
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.operations import Arrivals, BelowTheLeast, LargestOf, Least, Listed
from attncli.name import Name, below
from attncli.steps.step import Mistake, Step
from attncli.steps.tokenizers.estimate import count_rounds
from attncli.tokenizing.lattice import UNKNOWN_PENALTY
from attncli.tokenizing.unigram import Unigram, WordPlace
from attncli.trace import Axis, CutPlace, Definition, Place
from attncli.trace.quantity import told_apart
from attncli.word import Word

LONGEST_TOLD = 40
"""Longer words are cut without being told how."""
_MOST_WORDS = 12


def told_words(place: Place) -> list[tuple[int, str]]:
    """The words of the sentence whose cut is told, with their numbers from 1, each word once: all
    where they are few, else the first three and the last."""
    text = place.text
    if text.tokenizing is None or not text.tokenizing.pieces or not text.cut:
        return []
    words = enumerate(text.tokenizing.tokenizer.words(text.sentence), start=1)
    told = [(k, word) for k, word in words if len(word) <= LONGEST_TOLD]
    return told if len(told) <= _MOST_WORDS else [*told[:3], told[-1]]


def table_of(place: Place) -> tuple[WordPlace, ...]:
    """The places of the word that a step is at, where pieces have log-probabilities."""
    model = place.text.tokenizing.tokenizer.model if place.text.tokenizing else None
    if not isinstance(model, Unigram) or not isinstance(place, CutPlace):
        return ()
    return model.table(place.word)


def _log_p(place: CutPlace) -> Name:
    """The full name of the log-probabilities."""
    rounds = count_rounds(place)
    path = place.stack.path
    return below(below(path, "rounds", len(rounds)) if rounds else path, "log_p")


def _plan(place: CutPlace) -> tuple[Definition, ...]:
    points, log_p = table_of(place), _log_p(place)
    definitions: list[Definition] = []
    if any(not one.known for point in points for one in point.candidates):
        below_all = BelowTheLeast(UNKNOWN_PENALTY)
        definitions.append(Definition(_unknown(place), below_all, (log_p,)))
    for point in points:
        totals = _totals(place, point)
        best = place.name("best", point.end)
        definitions += [totals, Definition(best, LargestOf(), (totals.name,))]
    return (*definitions, *(_stacked(place, points) if len(points) > 1 else ()))


def _unknown(place: CutPlace) -> Name:
    return place.name("unknown")


def _stacked(place: CutPlace, points: Sequence[WordPlace]) -> Iterator[Definition]:
    """All totals in one list, named by how a word is cut before its place, `un|happi` (and told
    apart where the word itself has such bars); and the best of each place."""
    word = place.word
    cuts = told_apart(
        tuple(
            "|".join(filter(None, (word[: one.start], one.token)))
            for point in points
            for one in point.candidates
        )
    )
    beginnings = tuple(word[: point.end] for point in points)
    for name, rows in (("totals", cuts), ("best", beginnings)):
        parts = tuple(place.name(name, point.end) for point in points)
        axis = Axis(rows, "cut")
        yield Definition(place.name(name), Listed(len(parts)), parts, rows=axis)


def _totals(place: CutPlace, point: WordPlace) -> Definition:
    """The totals of all pieces that end at a place."""
    tokenizing = place.text.tokenizing
    assert tokenizing is not None
    rows = {token: row for row, token in enumerate(tokenizing.pieces)}
    starts = sorted({one.start for one in point.candidates if one.start})
    arrivals = tuple(
        (rows[one.token] if one.known else None, starts.index(one.start) if one.start else None)
        for one in point.candidates
    )
    unknown = any(not one.known for one in point.candidates)
    operands = (_log_p(place), *(place.name("best", start) for start in starts))
    return Definition(
        place.name("totals", point.end),
        Arrivals(arrivals, len(starts), unknown),
        (*operands, _unknown(place)) if unknown else operands,
        rows=Axis(told_apart(tuple(one.token for one in point.candidates)), "piece"),
    )


def _formulas(place: CutPlace) -> tuple[Equation, ...]:
    totals, best = "totals[end]", "best[end]"
    log_p = place.here(_log_p(place))
    return (
        define(at(totals, "piece"), Sum((Symbol("best[start]"), at(log_p, "piece")))),
        define(best, Apply("max", (Symbol(totals),))),
    )


def _least(place: CutPlace) -> Definition:
    end = table_of(place)[-1].end
    operands = (place.name("totals", end),)
    return Definition(place.name("best", end), Least(), operands)


def _happens(place: CutPlace) -> str:
    unknown = any(not one.known for point in table_of(place) for one in point.candidates)
    costs = (
        f" A character that no piece covers is unknown: it costs {UNKNOWN_PENALTY:g} more than the"
        " least probable piece."
    )
    return (
        "From the left, place by place: which pieces end here, what is the best total where each of"
        " them starts, and which comes to the largest total? Then the best pieces are followed back"
        f" from the end of the word.{costs if unknown else ''}"
    )


STEP = Step(
    name="viterbi",
    at=CutPlace,
    title="The best cut",
    does="finds the most probable cut of each word",
    titled=lambda place: ("The best cut of ", Word(place.word)),
    makes=("unknown", "totals", "best"),
    shapes="log_p [pieces] → totals [pieces that end there] → best, for each place of a word",
    happens=_happens,
    why=(
        "A word can be cut in many ways, but the best cut up to a place always goes on from the"
        " best cut up to the start of its last piece."
    ),
    more=(
        "With n places between its characters there are 2 to the power of n ways; yet it is enough"
        " to know one total for each place."
    ),
    example="unigram",
    plan=_plan,
    formulas=_formulas,
    mistakes=(
        Mistake(
            "least_probable",
            "Taking the total that is largest without its sign: the least probable cut.",
            _least,
        ),
    ),
    pictures=("lattice",),
)
