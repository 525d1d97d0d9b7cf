"""The most probable cut of a word, place by place.

Viterbi 1967; for pieces of words Kudo 2018, arXiv:1804.10959.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from attncli.arithmetic.expression import Apply, Equation, Sum, Symbol
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.operations import Arrivals, BelowTheLeast, Best, Least, Listed
from attncli.name import Name, below
from attncli.steps.estimate import taught_rounds
from attncli.steps.step import Mistake, Step
from attncli.trace import Axis, Making, Scope
from attncli.trace.quantity import told_apart
from attncli.word import Word

if TYPE_CHECKING:
    from attncli.tokenizing.unigram import Place, Unigram

_LONGEST = 40
"""Longer words are cut without being told how."""
_MOST_WORDS = 12


def model_of(scope: Scope) -> Unigram | None:
    """The pieces with their log-probabilities, where a tokenizer has such."""
    from attncli.tokenizing.unigram import Unigram

    tokenizing = scope.text.tokenizing
    model = tokenizing.tokenizer.model if tokenizing and tokenizing.pieces else None
    return model if isinstance(model, Unigram) else None


def told_words(scope: Scope) -> list[tuple[int, str]]:
    """The words of the sentence whose cut is told, with their numbers from 1, each word once: all
    where they are few, else the first three and the last."""
    text = scope.text
    if text.tokenizing is None or not text.tokenizing.pieces or not text.cut or not text.sentence:
        return []
    words = dict.fromkeys(text.tokenizing.tokenizer.cutting.cut(text.sentence))
    told = [(k, word) for k, word in enumerate(words, start=1) if len(word) <= _LONGEST]
    return told if len(told) <= _MOST_WORDS else [*told[:3], told[-1]]


def table_of(scope: Scope) -> tuple[Place, ...]:
    """The places of the word that a step is at."""
    model = model_of(scope)
    return model.table(scope.word) if model is not None and scope.word else ()


def _log_p(scope: Scope) -> Name:
    """The full name of the log-probabilities."""
    rounds = taught_rounds(scope)
    path = scope.stack.path
    return below(below(path, "rounds", len(rounds)) if rounds else path, "log_p")


def _plan(scope: Scope) -> tuple[Making, ...]:
    places, log_p = table_of(scope), _log_p(scope)
    makings: list[Making] = []
    if any(not one.known for place in places for one in place.candidates):
        from attncli.tokenizing.lattice import UNKNOWN_PENALTY

        below_all = BelowTheLeast(UNKNOWN_PENALTY)
        makings.append(Making(_unknown(scope), below_all, (log_p,), "viterbi"))
    for place in places:
        totals = _totals(scope, place)
        best = scope.name("best", place.end)
        makings += [totals, Making(best, Best(), (totals.name,), "viterbi")]
    return (*makings, *(_stacked(scope, places) if len(places) > 1 else ()))


def _unknown(scope: Scope) -> Name:
    return scope.name("unknown")


def _stacked(scope: Scope, places: Sequence[Place]) -> Iterator[Making]:
    """All totals in one list, named by how a word is cut before its place, `un|happi` (and told
    apart where the word itself has such bars); and the best of each place."""
    word = scope.word
    cuts = told_apart(
        tuple(
            "|".join(filter(None, (word[: one.start], one.token)))
            for place in places
            for one in place.candidates
        )
    )
    beginnings = tuple(word[: place.end] for place in places)
    for name, rows in (("totals", cuts), ("best", beginnings)):
        parts = tuple(scope.name(name, place.end) for place in places)
        axis = Axis(rows, "cut")
        yield Making(scope.name(name), Listed(len(parts)), parts, "viterbi", rows=axis)


def _totals(scope: Scope, place: Place) -> Making:
    """The totals of all pieces that end at a place."""
    tokenizing = scope.text.tokenizing
    assert tokenizing is not None
    rows = {token: row for row, token in enumerate(tokenizing.pieces)}
    starts = sorted({one.start for one in place.candidates if one.start})
    arrivals = tuple(
        (rows[one.token] if one.known else None, starts.index(one.start) if one.start else None)
        for one in place.candidates
    )
    unknown = any(not one.known for one in place.candidates)
    operands = (_log_p(scope), *(scope.name("best", start) for start in starts))
    return Making(
        scope.name("totals", place.end),
        Arrivals(arrivals, len(starts), unknown),
        (*operands, _unknown(scope)) if unknown else operands,
        "viterbi",
        rows=Axis(told_apart(tuple(one.token for one in place.candidates)), "piece"),
    )


def _formulas(scope: Scope) -> tuple[Equation, ...]:
    totals, best = "totals[end]", "best[end]"
    log_p = scope.here(_log_p(scope))
    return (
        define(at(totals, "piece"), Sum((Symbol("best[start]"), at(log_p, "piece")))),
        define(best, Apply("max", (Symbol(totals),))),
    )


def _least(scope: Scope) -> Making | None:
    places = table_of(scope)
    if not places:
        return None
    end = places[-1].end
    operands = (scope.name("totals", end),)
    return Making(scope.name("best", end), Least(), operands, "viterbi")


STEP = Step(
    name="viterbi",
    title="The best cut",
    titled=lambda scope: ("The best cut of ", Word(scope.word)) if scope.word else "The best cut",
    makes=("unknown", "totals", "best"),
    shapes="log_p [pieces] → totals [pieces that end there] → best, for each place of a word",
    happens=lambda _: (
        "From the left, place by place: which pieces end here, what is the best total at the start"
        " of each, and which of them comes to the largest total? Then one goes back from the end of"
        " the word, from best to best."
    ),
    purpose=(
        "A word can be cut in many ways, two to the power of its places between characters. The"
        " best way to a place goes over the best way to the start of its last piece, so that it"
        " is enough to know one total for each place."
    ),
    plan=_plan,
    formulas=_formulas,
    mistakes=(
        Mistake(
            "least_probable",
            "Taking the total that is largest without its sign: the least probable cut.",
            _least,
        ),
    ),
)
