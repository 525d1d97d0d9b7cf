"""What an exercise asks for of a worked scenario: selections of its steps, or single cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import islice
from typing import NamedTuple

from attncli.arithmetic.expression import Location
from attncli.choices import LAYOUTS, Layout
from attncli.languages.words import TaskWords
from attncli.marking.grading.words import WordQuestion
from attncli.marking.paths import Tolerance
from attncli.refusals import listed
from attncli.scenario.exercise import Blanking, Points
from attncli.telling.exercise.asking import ENGLISH, WholePage
from attncli.telling.exercise.choice import takes, terms_of
from attncli.telling.exercise.inquiries import (
    AskedInWords,
    WordsWanted,
    asked_in_words,
    is_of_rows,
)
from attncli.telling.exercise.lines import Blankable, Terms
from attncli.telling.exercise.sections import Cells, sections_of, told_of
from attncli.telling.parts import told_parts
from attncli.telling.selection import Selection
from attncli.trace import PlannedStep, Trace


class PartAsked(NamedTuple):
    """One thing that an exercise asks for: a selection, or single cells; what is taken out of it,
    and what each blank is worth, if that is said of it."""

    selection: Selection
    cells: Cells = ()
    blanking: Blanking = Blanking()
    points: Decimal | None = None

    def allows(self, trace: Trace, part: PlannedStep, place: Blankable) -> bool:
        """Whether a number that a part tells is among those that may be asked for."""
        if not self.cells:
            told, some = self.selection.includes(part), bool(self.selection.queries)
            return told and (not some or self.selection.tells(trace[place.quantity]))
        wanted = {Location(name, *trace[name].find(address)) for name, address in self.cells}
        if place.cell is not None:
            return place.cell in wanted
        return place.line in {trace[c.quantity].address(c.row, c.column) for c in wanted}


class ExerciseRequest(NamedTuple):
    """What an exercise is to ask for, one thing after the other, and what in `words`. `share` is
    what a known mistake earns, in per cent; where it is None, mistakes aren't looked for."""

    asks: tuple[PartAsked, ...]
    points: Points = Points()
    seed: str = ""
    share: int | None = None
    tolerance: Tolerance = Tolerance()
    layout: Layout = LAYOUTS[1]
    words: tuple[WordsWanted, ...] = ()

    @property
    def terms(self) -> Terms:
        """Which numbers inside lines are asked for."""
        return terms_of([ask.blanking for ask in self.asks])

    @property
    def wants_everything(self) -> bool:
        """Whether all that the page makes is asked for."""
        if not self.asks:
            return False
        first = self.asks[0].blanking.kind
        whole = (not (ask.cells or ask.selection.queries) for ask in self.asks)
        alike = all(ask.blanking.kind == first for ask in self.asks)
        return all(whole) and alike and first in ("results", "all")

    def unused_points(self, trace: Trace) -> Iterator[tuple[str, str]]:
        """The steps and quantities that are said to be worth something and that nothing is asked
        of, each with what would be right."""
        page = self.page(trace)
        steps = {told.part.step for told in page.told}
        makes = (definition for told in page.told for definition in told.part.definitions)
        quantities = {definition.name.local for definition in makes}
        quantities |= {one.question.name.local for one in self.in_words(trace)}
        for known, said in ((steps, self.points.steps), (quantities, self.points.quantities)):
            for name in said.keys() - known:
                yield name, f"give points of {listed(sorted(known))}"

    def quantities(self, trace: Trace) -> set[str]:
        """What is asked for, by the full names of quantities that are made; for a given one,
        what its first use makes."""
        page = self.page(trace)
        names = {
            place.quantity
            for told, place in page.placed()
            if any(ask.allows(trace, told.part, place) for ask in self.asks)
        }
        made = {name for name in names if not trace[name].given}
        users = (one.part for one in page.told if names - made)
        made |= {one.question.reads for one in self.in_words(trace)}
        return made | {definition.name for part in users for definition in part.definitions}

    def page(self, trace: Trace, words: TaskWords = ENGLISH) -> WholePage:
        """The page that is asked about, in the words of a frame."""
        cells = [cell for ask in self.asks for cell in ask.cells]
        inputs = tuple(name for name, _ in cells if trace[name].given)
        asks = [(ask.selection, ask.cells) for ask in self.asks]
        told = sections_of(trace, asks, [one.question.part for one in self.in_words(trace)])
        page = WholePage(trace, told, self.terms, inputs, again=bool(cells), words=words)
        return page if page.makes else replace(page, again=True)

    def in_words(self, trace: Trace) -> list[AskedInWords]:
        """What is asked of a trace besides numbers."""
        asked = asked_in_words(trace, self.words, self.points)
        shown = [one for one in asked if self._shows_rows_of(trace, one.question)]
        kept = [one for one in shown if not one.question.last]
        last = (one for one in shown if one.question.last and self._ends_with(trace, one.question))
        return [*kept, *islice(last, 1)]

    def _ends_with(self, trace: Trace, question: WordQuestion) -> bool:
        """Whether nothing is told after a question that would tell its answer."""
        parts = told_parts(trace)
        if question.part not in parts:
            return False
        later = parts[parts.index(question.part) + 1 :]
        made = {one.name for part in later for one in part.definitions}
        cells = any(name in made for ask in self.asks for name, _ in ask.cells)
        whole = (ask.selection for ask in self.asks if not ask.cells)
        return not cells and not any(one.includes(part) for one in whole for part in later)

    def _shows_rows_of(self, trace: Trace, question: WordQuestion) -> bool:
        """Whether the section of a question has its row, if it shows only some."""
        whole = [ask for ask in self.asks if not ask.cells]
        own = [ask.selection for ask in whole if ask.selection.includes(question.part)]
        return not own or any(is_of_rows(trace, question, one) for one in own)

    def allowed(self, page: WholePage) -> list[tuple[PartAsked, Blankable]]:
        """The numbers of a page that may be asked for, each with what asks for it first."""
        asking = (
            (self.asking_for(page.trace, told.part, place), place) for told, place in page.placed()
        )
        return [(ask, place) for ask, place in asking if ask is not None]

    def asking_for(self, trace: Trace, part: PlannedStep, place: Blankable) -> PartAsked | None:
        """What asks for a number that a part tells: what is said of single cells comes first."""
        asks = sorted(self.asks, key=_is_whole) if len(self.asks) > 1 else self.asks
        for ask in asks:
            if takes(ask.blanking, place) and ask.allows(trace, part, place):
                return ask
        return None

    def worth(self, trace: Trace, part: PlannedStep, place: Blankable) -> Decimal:
        """The points of a blank."""
        ask = self.asking_for(trace, part, place)
        own = None if ask is None else ask.points
        return own or self.points.of(part.step, place.quantity.local)

    def all_points(self, trace: Trace) -> Decimal:
        """The points of all numbers that may be asked for."""
        placed = self.page(trace).placed()
        worth = (
            self.worth(trace, told.part, place)
            for told, place in placed
            if self.asking_for(trace, told.part, place) is not None
        )
        return sum(worth, Decimal(0))

    def told_of(self, part: PlannedStep) -> tuple[Selection, Cells]:
        """How a part is told, and the cells that alone are told of it."""
        return told_of(part, [(ask.selection, ask.cells) for ask in self.asks])


def _is_whole(ask: PartAsked) -> bool:
    """Whether something is asked for that isn't single cells."""
    return not ask.cells
