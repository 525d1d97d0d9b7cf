"""Numbers inside lines of working: `scores[love, AI].working[2]`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from attncli.arithmetic.expression import Location, Number
from attncli.marking.verdicts import Accepted, Given, Judgement

_TERM = re.compile(r"(.*)\.working\[\d+\]", re.DOTALL)


class AskedTerm(NamedTuple):
    """A number inside a line that is asked for, by its id."""

    id: str
    expected: Number
    accepted: Accepted
    points: Decimal = Decimal(1)


class MarkedTerm(NamedTuple):
    """A number that somebody wrote inside a line, what is said of it, and its points."""

    asked: AskedTerm
    given: Given
    judgement: Judgement
    points: Decimal


def line_of(id_: str) -> str | None:
    """The line that a term is inside of; None where an id is that of a cell."""
    match = _TERM.fullmatch(id_)
    return None if match is None else match[1]


def marked_term(
    asked: AskedTerm, given: Given, answers: Mapping[Location, Given], *, carry: bool
) -> MarkedTerm:
    """What is said of a number inside a line. It is carried forward where its author gave it for
    the cell that it comes from."""
    judgement = _judgement(asked, given, answers)
    earns = judgement == "correct" or (carry and judgement == "carried forward")
    return MarkedTerm(asked, given, judgement, asked.points if earns else Decimal(0))


def _judgement(asked: AskedTerm, given: Given, answers: Mapping[Location, Given]) -> Judgement:
    if given.number is None:
        return "blank" if given.is_empty else "unreadable"
    if asked.accepted.takes(given.number):
        return "correct"
    cell = asked.expected.cell
    own = answers.get(cell) if cell is not None else None
    same = own is not None and own.number is not None and given.number == own.number
    return "carried forward" if same else "slip"
