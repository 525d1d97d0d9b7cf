"""Verdicts as data, for formats that keep some."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Location
from attncli.marked import SIGNS
from attncli.marking.grading.addresses import MarkedTerm, address_of
from attncli.marking.grading.words import MarkedWords
from attncli.marking.verdicts import Cause, Verdict
from attncli.trace import Trace

Points = Mapping[Location, Decimal]


def judged_numbers(
    trace: Trace,
    verdicts: Sequence[Verdict],
    points: Points | None = None,
    terms: Sequence[MarkedTerm] = (),
    words: Sequence[MarkedWords] = (),
) -> dict[str, object]:
    """What is said of each number, in the order of the working, then of those inside lines and
    of answers in words; and how many were judged how."""
    told: list[str] = [verdict.judgement for verdict in verdicts]
    told += [*(one.judgement for one in terms), *(one.judgement for one in words)]
    numbers = (_number(trace, one, points) for one in verdicts)
    return {
        "verdicts": [*numbers, *map(_term, terms), *map(_words, words)],
        "counts": {judgement: told.count(judgement) for judgement in SIGNS},
    }


def _number(trace: Trace, verdict: Verdict, points: Points | None) -> dict[str, object]:
    others = [_cause(other) for other in verdict.others]
    return {
        "cell": address_of(trace, verdict.cell),
        "given": verdict.given.text,
        "expected": decimals.text(verdict.expected.shown),
        "accepted": [*map(_bound, verdict.accepted)],
        "verdict": verdict.judgement,
        "cause": None if verdict.cause is None else _cause(verdict.cause),
        "follows_from": [address_of(trace, cell) for cell in verdict.follows_from],
        **({"others": others} if others else {}),
        **({} if points is None else {"points": float(points[verdict.cell])}),
    }


def _bound(number: float) -> float | str:
    """One of what is accepted: 0.2825, where a sum of floats has 0.28250000000000003."""
    return float(f"{number:.15g}") + 0.0 if math.isfinite(number) else str(number)


def _term(term: MarkedTerm) -> dict[str, object]:
    return {
        "cell": term.asked.id,
        "given": term.given.text,
        "expected": decimals.text(term.asked.expected.shown),
        "accepted": [*map(_bound, term.asked.accepted)],
        "verdict": term.judgement,
        "cause": None,
        "follows_from": [],
        "points": float(term.points),
    }


def _words(answer: MarkedWords) -> dict[str, object]:
    return {
        "cell": answer.asked.id,
        "given": answer.given.text,
        "expected": answer.right[0],
        "accepted": list(answer.right),
        "verdict": answer.judgement,
        "cause": next(map(_cause, answer.causes), None),
        "follows_from": [],
        **({"others": [*map(_cause, answer.causes[1:])]} if answer.causes[1:] else {}),
        "points": float(answer.points),
    }


def _cause(cause: Cause) -> dict[str, str]:
    return {"name": cause.name, "says": cause.says}
