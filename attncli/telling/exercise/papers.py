"""The exercise with all its answers, and what is made of it: the sheet without them, the key."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from attncli.arithmetic.expression import Cell, Number
from attncli.document import (
    Addition,
    Block,
    Document,
    Facts,
    Fields,
    Key,
    Line,
    MatrixBlock,
    Paper,
    Question,
    Room,
    Section,
    Subheading,
    Word,
    Working,
)
from attncli.pipeline import work
from attncli.scenario import ScenarioError
from attncli.telling.blocks import matrix_block
from attncli.telling.exercise.asking import Page
from attncli.telling.exercise.choice import Blanking, Points, chosen
from attncli.telling.exercise.keys import key_of, with_slips
from attncli.telling.exercise.lines import Asked, Place
from attncli.telling.exercise.sections import Cells, sections_of, sections_of_cells, working_in
from attncli.telling.exercise.solutions import solution_of, what_is_accepted
from attncli.telling.facts import facts_of, rounding_facts
from attncli.telling.selection import Selection, SelectionError
from attncli.trace import Part, Trace

_LETTERS = "ghijklmnopqrstuv"
"""A hash begins with one of these, so that no spreadsheet takes it for a number."""
_LEAST_ROOM, _MOST_ROOM = 3, 10


class Wish(NamedTuple):
    """What an exercise is to ask for. `share` is what a known mistake earns, in per cent; where it
    is None, mistakes aren't looked for."""

    selection: Selection
    cells: Cells = ()
    blanking: Blanking = Blanking()
    points: Points = Points()
    seed: str = ""
    share: int | None = None

    def quantities(self, trace: Trace) -> set[str]:
        """What is asked for, by the full names of quantities that are made."""
        places = [place for section in self.page(trace).places() for place in section]
        return {p.quantity for p in places if self.allows(trace, p)}

    def page(self, trace: Trace) -> Page:
        """The page that is asked about."""
        inputs = tuple(name for name, _ in self.cells if trace[name].given)
        return Page(trace, self.sections(trace, self.selection.detail), self.blanking.terms, inputs)

    def sections(self, trace: Trace, detail: str) -> list[Section]:
        selection = self.selection._replace(detail=detail)
        if self.cells:
            return sections_of_cells(trace, self.cells, selection)
        return sections_of(trace, selection)

    def allows(self, trace: Trace, place: Place) -> bool:
        """Whether a figure is among those that may be asked for."""
        quantity = trace[place.quantity]
        if not self.cells:
            return not self.selection.queries or self.selection.picks(quantity)
        wanted = {Cell(name, *trace[name].find(address)) for name, address in self.cells}
        if place.cell is not None:
            return place.cell in wanted
        lines = {f"{trace[c.quantity].address(c.row, c.column)}.working" for c in wanted}
        return place.id.rpartition("[")[0] in lines


class Taken(NamedTuple):
    """What is taken out of a page: the places that are asked for, and what that hides."""

    page: Page
    places: Sequence[Place]
    asked: Asked


def taken(trace: Trace, wish: Wish, form: str) -> Taken:
    """What a form of an exercise asks for. Raises SelectionError where there is nothing."""
    page = wish.page(trace)
    known = [place for section in page.places() for place in section]
    may = [place for place in known if wish.allows(trace, place)]
    places = chosen(may, wish.blanking, f"{wish.seed}/{form}")
    if not places:
        raise SelectionError(
            "there is nothing to blank; ask for a step that makes figures, or for other ones"
        )
    return Taken(page, places, page.asked(places, known))


def keys_of(trace: Trace, wish: Wish, places: Sequence[Place]) -> dict[str, Key]:
    """What is accepted for each of the places, by their ids."""
    others = _figures_of_other_policy(trace, wish, places)
    return {place.id: key_of(trace, place, others) for place in places}


def exercise(trace: Trace, wish: Wish, form: str, command: str) -> Document:
    """The exercise with everything: blanks with their answers, keys, worked solutions.

    Raises SelectionError where there is nothing to ask for.
    """
    page, places, asked = taken(trace, wish, form)
    sections = _sections(trace, wish, page.asking(asked), keys_of(trace, wish, places))
    points = sum(section.points for section in sections)
    mark = _fingerprint(trace, sections)
    opening, told = _gathered(sections)
    return Document(
        Word(trace.scenario.title),
        tuple(told),
        _facts(trace),
        given=tuple(_given(trace, asked)),
        opening=(Fields(("Name", "Date", f"Points of {points}")), *opening),
        sources=trace.scenario.sources,
        rounding=rounding_facts(trace),
        paper=Paper("exercise", form, mark, command, points, wish.share or 0),
    )


def _sections(
    trace: Trace,
    wish: Wish,
    asking: Sequence[tuple[Section, list[Place]]],
    keys: Mapping[str, Key],
) -> list[Section]:
    """The sections with blanks, their questions with keys, and their solutions."""
    fully = wish.selection._replace(detail="full")
    parts = {(part.step, part.path): part for part in trace.story}
    before = what_is_accepted(keys.values())
    told = []
    for section, places in asking:
        if not places:
            told.append(section)
            continue
        part = parts[section.step, section.path]
        questions = tuple(_questions(trace, wish, part, places, keys))
        names = {place.quantity for place in places}
        lines = working_in(trace, part, names, wish.cells, fully)
        told.append(
            section._replace(
                blocks=(*section.blocks, *_room(section, places)),
                questions=questions,
                solution=(*before, *solution_of(lines, places, questions)),
            )
        )
        before = ()
    return told


def _figures_of_other_policy(
    trace: Trace, wish: Wish, places: Iterable[Place]
) -> Mapping[str, Number]:
    """The same figures under the other rounding policy, by their ids; none if it can't be worked
    under that."""
    rounding = trace.rounding
    other = replace(rounding, policy="exact" if rounding.carries else "carry")
    try:
        worked = work(replace(trace.scenario.alone(), rounding=other))
    except ScenarioError:
        return {}
    if not wish.blanking.terms:
        return {p.id: worked[p.quantity].number(*p.cell[1:]) for p in places if p.cell}
    told = (place for section in wish.page(worked).places() for place in section)
    return {place.id: place.number for place in told}


def _questions(
    trace: Trace, wish: Wish, part: Part, places: Sequence[Place], keys: Mapping[str, Key]
) -> Iterator[Question]:
    known = [(place, keys[place.id]) for place in places]
    if wish.share is not None:
        known = with_slips(trace, part, known)
    each = wish.points.of(part.step)
    return (Question(place.id, each, key) for place, key in known)


def _room(section: Section, places: Sequence[Place]) -> list[Block]:
    """Room for the working, where no line of it is there to be filled in."""
    lines = (x for block in section.blocks if isinstance(block, Working) for x in block.lines)
    worked = any(isinstance(line, Line) and len(line.parts) > 1 for line in lines)
    if worked or any(isinstance(block, Addition) for block in section.blocks):
        return []
    return [Room(min(_MOST_ROOM, max(_LEAST_ROOM, len(places))))]


def _gathered(sections: Sequence[Section]) -> tuple[list[Block], list[Section]]:
    """Sections that ask for nothing go to the beginning of the next one that does."""
    opening: list[Block] = []
    waiting: list[Block] = []
    told: list[Section] = []
    for section in sections:
        if not section.questions:
            waiting += [Subheading(section.heading), *section.blocks]
            continue
        opening += waiting if not told else []
        before = waiting if told else []
        told.append(section._replace(blocks=(*before, *section.blocks)))
        waiting = []
    return opening, told


def _facts(trace: Trace) -> Facts:
    """What the key depends on, in words."""
    layouts = {site.attention.linear for site in trace.scenario.sites}
    rows = "each token is a row, multiplied by the matrix from the right"
    said = {
        False: f"{rows}: x W, the row times the columns of W",
        True: f"{rows}, which is kept out × in: x Wᵀ, the row times the rows of W",
    }
    products = "; ".join(said[layout] for layout in sorted(layouts))
    return Facts((*facts_of(trace).rows, ("Products", (products,))))


def _given(trace: Trace, asked: Asked) -> Iterator[MatrixBlock]:
    """The given matrices as data, without what is asked for."""
    for quantity in trace.quantities.values():
        if quantity.given:
            block = matrix_block(quantity, Selection())
            cells = {(c.row, c.column): c for c in asked.cells if c.quantity == quantity.name}
            blanks = {place: quantity.address(*place) for place in cells}
            yield block._replace(blanks=blanks) if blanks else block


def _fingerprint(trace: Trace, sections: Sequence[Section]) -> str:
    """A short hash of what an exercise is made from: the scenario and what is asked for."""
    scenario = trace.scenario
    made_from: list[object] = [scenario.title, scenario.stack, scenario.encoder]
    made_from += [scenario.prediction, scenario.rounding]
    made_from += [(q.id, q.points) for section in sections for q in section.questions]
    digest = hashlib.sha256("\n".join(map(repr, made_from)).encode())
    for name, matrix in sorted(scenario.given.items()):
        digest.update(f"\n{name} {matrix.shape} {matrix.decimals} ".encode())
        digest.update(matrix.values.tobytes())
    mark = digest.hexdigest()[:8]
    return _LETTERS[int(mark[0], 16)] + mark[1:]
