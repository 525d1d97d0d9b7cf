"""The items of an exam and their points: cells, and numbers in lines of working.

As `scores[love, AI]` and `scores[love, AI].working[2]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

from attncli.classroom.files.mathematics import in_a_line
from attncli.classroom.files.scheme import Scheme
from attncli.classroom.marking.word_answers import WordQuestion, question_at
from attncli.document.questions import Item, RightAnswer
from attncli.errors import counted
from attncli.judging.honest_paths import Roots
from attncli.judging.judging import Judge, Tolerance, beyond_reach
from attncli.judging.slips import RightNumbers, slips_of_the_pen
from attncli.judging.verdicts import Accepted, Cause, Given, Judgement
from attncli.maths.equations.tree import Location
from attncli.maths.numbers import decimals
from attncli.names import Name, Word
from attncli.scenario.file.address import Address, AddressError, parse_address
from attncli.scenario.model import pass_of
from attncli.steps.order import is_question
from attncli.trace import Trace
from attncli.trace.quantity import known_name, timed

_TERM = re.compile(r"(.*)\.working\[\d+\]", re.DOTALL)


class MarkedTerm(NamedTuple):
    """A number that somebody wrote inside a line of working, judged, with its points."""

    asked: Item
    given: Given
    judgement: Judgement
    points: Decimal

    @property
    def cause(self) -> Cause | None:
        """Returns what was probably done where the number is wrong: rounded to fewer decimals,
        written down wrongly, or another option chosen. Returns None where nothing is known."""
        if self.asked.words is not None and self.judgement == "slip":
            chosen, asks = Word(self.given.shown), in_a_line(self.asked.asks)
            return Cause("another_option", ("“", chosen, "” was chosen for “", asks, "”"))
        key, number = self.asked.key, self.given.number
        wrong = self.judgement in ("slip", "rounding")
        if key is None or number is None or not wrong or not number.is_finite():
            return None
        places, fewer = decimals.places(key.number.shown), self.given.places
        coarse = fewer is not None and fewer < places
        if coarse and number == decimals.shown(key.number.full, fewer or 0):
            count = counted(fewer or 0, "decimal")
            return Cause("other_decimals", f"It has {count} instead of {places}.")
        full = float(key.number.full)
        right = RightNumbers(accepted_by(key), Accepted(full, full), places)
        return next(slips_of_the_pen(right, number), None)


def line_of(id_: str) -> str | None:
    """Returns the line that a term's id is inside of, or None for the id of a cell."""
    match = _TERM.fullmatch(id_)
    return None if match is None else match[1]


def accepted_by(key: RightAnswer) -> Accepted:
    return Accepted(*map(float, key.accepted))


def judged_term(asked: Item, given: Given, answers: Mapping[Location, Given]) -> MarkedTerm:
    """Judges a number inside a line, or one that a teacher asks for; it has no points yet. It is
    carried forward where its author gave the same number for the cell that it comes from."""
    term = MarkedTerm(asked, given, _judgement(asked, given, answers), Decimal(0))
    rounded = term.cause is not None and term.cause.name == "other_decimals"
    return term._replace(judgement="rounding") if rounded else term


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
    """Finds the cell that an address means. Raises AddressError."""
    address = timed(parse_address(text), trace.quantities)
    hint = partial(_at_a_time, trace, address)
    name = known_name(address.name, [q.name for q in trace.quantities.values()], hint)
    return Location(name, *trace[name].find(address))


def _at_a_time(trace: Trace, address: Address, name: str) -> str | None:
    """Suggests `c[2][1]` for `c[2, 1]`, whose first index is a time; returns None for other
    addresses."""
    first, *others = (index.text for index in address.indices) if address.indices else ("",)
    if f"{name}[{first}]" not in trace.quantities:
        return None
    cell = f"[{', '.join(others)}]" if others else ""
    return f"did you mean {name}[{first}]{cell}?"


def first_cell_of(trace: Trace, line: str) -> Location:
    """Finds the cell that a line works out, or the first one of its row. Raises AddressError."""
    name, indices = timed(parse_address(line), trace.quantities)
    quantity = trace[known_name(name, [q.name for q in trace.quantities.values()])]
    if len(indices) != 1 or quantity.is_list or quantity.is_vector:
        return cell_of(trace, line)
    return Location(quantity.name, quantity.rows.find(indices[0], quantity.name), 0)


def address_of(trace: Trace, cell: Location) -> str:
    return trace[cell.quantity].address(cell.row, cell.column)


def known_id(trace: Trace, text: str) -> str | None:
    """Returns the id of what an address means, however it is written (`exp[1,2]` or `exp[I,
    love]`): a cell, a number inside a line, or a question. Returns None where it means nothing."""
    try:
        if is_question(text):
            return question_at(trace, text).id
        line = line_of(text)
        whole = text if line is None else line
        return f"{address_of(trace, cell_of(trace, whole))}{text[len(whole) :]}"
    except AddressError:
        return None


def shown_for(trace: Trace, asked: Iterable[str]) -> tuple[str, ...]:
    """Returns the names of the quantities that a sheet shows to start from, besides given ones: the
    operands of the steps that are asked about, unless they are made of something asked."""
    names = set(asked)
    parts = [part for part in trace.story if any(d.name in names for d in part.definitions)]
    made = {d.name for part in parts for d in part.definitions}
    after = set(made)
    for definition in trace.plan:
        if not after.isdisjoint(definition.operands):
            after.add(definition.name)
    operands = (name for part in parts for d in part.definitions for name in d.operands)
    return tuple(n for n in dict.fromkeys(operands) if n not in after and not trace[n].given)


class PlacedStep(NamedTuple):
    """A step in a head or layer."""

    step: str
    place: Name
    makes: str
    """The local name of what it makes last, which tells the residuals of a layer apart."""


@dataclass(frozen=True)
class Exam:
    """A form of an exercise, to mark papers by. What is the same for all papers is worked once."""

    trace: Trace
    items: tuple[Item, ...]
    scheme: Scheme = Scheme()
    tolerance: Tolerance = Tolerance()
    printed: Roots = field(default_factory=dict)
    """The roots that the sheet gives in figures."""
    name: str = ""
    form: str = ""
    """The name of the form."""

    @property
    def title(self) -> str:
        """Returns the title of the exercise, or else of the scenario."""
        return self.name or self.trace.scenario.title

    @cached_property
    def judge(self) -> Judge:
        reads = (question.reads for _, question in self.words)
        names = (*(cell.quantity for cell in self.results), *reads)
        shown = (*shown_for(self.trace, names), *beyond_reach(self.trace))
        return Judge(self.trace, shown, self.tolerance, self.printed)

    @cached_property
    def results(self) -> Mapping[Location, Item]:
        """Returns the numbers that are asked for, by their cells."""
        return {item.cell: item for item in self.items if item.cell is not None}

    @cached_property
    def terms(self) -> tuple[Item, ...]:
        """Lists the numbers that are asked for inside lines."""
        return tuple(item for item in self.items if line_of(item.id) is not None)

    def step_of(self, name: str) -> PlacedStep:
        """Returns the step that makes a quantity, and its place. It is the same at all times of a
        recurrent cell and after all updates."""
        full, part = self.trace[name].name, self.trace.part_of(name)
        place = full.seen_from(pass_of(full)).path.at(None)
        if part is None:
            return PlacedStep("", place, full.local)
        return PlacedStep(part.called, place, part.definitions[-1].name.local)

    @cached_property
    def points_of_steps(self) -> Mapping[PlacedStep, Decimal]:
        """Adds up the points of the numbers of each step, in each head or layer by itself."""
        found: dict[PlacedStep, Decimal] = {}
        for item in self.items:
            line = line_of(item.id)
            cell = item.cell if line is None else first_cell_of(self.trace, line)
            if cell is not None:
                step = self.step_of(cell.quantity)
                found[step] = found.get(step, Decimal(0)) + item.points
        return found

    @cached_property
    def words(self) -> tuple[tuple[Item, WordQuestion], ...]:
        """Lists the items that are answered in words, each with its question."""
        asked = (item for item in self.items if is_question(item.id))
        return tuple((item, question_at(self.trace, item.id)) for item in asked)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Lists the ids of all that is asked, in the order of the paper."""
        return tuple(item.id for item in self.items)

    @property
    def points(self) -> Decimal:
        """Adds up the points of all that is asked."""
        return Decimal(sum(item.points for item in self.items))
