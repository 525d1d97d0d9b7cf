"""The cells that answers are for, and numbers in working: `scores[love, AI].working[2]`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from attncli.arithmetic.expression import Location
from attncli.file.address import AddressError, parse_address
from attncli.marking.grading.words import question_at
from attncli.marking.verdicts import Accepted, Given, Judgement
from attncli.questions import Item, RightAnswer
from attncli.steps.order import is_question
from attncli.trace import Trace
from attncli.trace.quantity import known_name, timed

_TERM = re.compile(r"(.*)\.working\[\d+\]", re.DOTALL)


class MarkedTerm(NamedTuple):
    """A number that somebody wrote inside a line, what is said of it, and its points."""

    asked: Item
    given: Given
    judgement: Judgement
    points: Decimal


def line_of(id_: str) -> str | None:
    """The line that a term is inside of; None where an id is that of a cell."""
    match = _TERM.fullmatch(id_)
    return None if match is None else match[1]


def accepted_by(key: RightAnswer) -> Accepted:
    return Accepted(*map(float, key.accepted))


def marked_term(
    asked: Item, given: Given, answers: Mapping[Location, Given], *, carry: bool
) -> MarkedTerm:
    """What is said of a number inside a line. It is carried forward where its author gave it for
    the cell that it comes from."""
    judgement = _judgement(asked, given, answers)
    earns = judgement == "correct" or (carry and judgement == "carried forward")
    return MarkedTerm(asked, given, judgement, Decimal(asked.points if earns else 0))


def _judgement(asked: Item, given: Given, answers: Mapping[Location, Given]) -> Judgement:
    if given.number is None:
        return "blank" if given.is_empty else "unreadable"
    if accepted_by(asked.right).takes(given.number):
        return "correct"
    cell = asked.right.number.cell
    own = answers.get(cell) if cell is not None else None
    same = own is not None and own.number is not None and given.number == own.number
    return "carried forward" if same else "slip"


@lru_cache(maxsize=4096)
def cell_of(trace: Trace, text: str) -> Location:
    """The cell that an address means. Raises AddressError."""
    address = timed(parse_address(text), trace.quantities)
    name = known_name(address.name, [one.name for one in trace.quantities.values()])
    return Location(name, *trace[name].find(address))


def first_cell_of(trace: Trace, line: str) -> Location:
    """The cell that a line works out, or the first one of its row. Raises AddressError."""
    name, indices = timed(parse_address(line), trace.quantities)
    quantity = trace[known_name(name, [one.name for one in trace.quantities.values()])]
    if len(indices) != 1 or quantity.is_list or quantity.is_vector:
        return cell_of(trace, line)
    return Location(quantity.name, quantity.rows.find(indices[0], quantity.name), 0)


def address_of(trace: Trace, cell: Location) -> str:
    """The address of a cell."""
    return trace[cell.quantity].address(cell.row, cell.column)


def known_id(trace: Trace, text: str) -> str | None:
    """The id of what an address means, however that is written, `exp[1,2]` or `exp[I, love]`; of a
    number inside a line too, and of a question; None where it means nothing."""
    try:
        if is_question(text):
            return question_at(trace, text).id
        line = line_of(text)
        whole = text if line is None else line
        return f"{address_of(trace, cell_of(trace, whole))}{text[len(whole) :]}"
    except AddressError:
        return None


def shown_for(trace: Trace, asked: Iterable[str]) -> tuple[str, ...]:
    """The quantities that a sheet shows for the working to start from, besides given ones: what
    the steps that it asks about go on from and what isn't made of anything asked."""
    names = set(asked)
    parts = [part for part in trace.story if any(one.name in names for one in part.definitions)]
    made = {one.name for part in parts for one in part.definitions}
    after = set(made)
    for one in trace.plan:
        if not after.isdisjoint(one.operands):
            after.add(one.name)
    operands = (name for part in parts for one in part.definitions for name in one.operands)
    return tuple(n for n in dict.fromkeys(operands) if n not in after and not trace[n].given)
