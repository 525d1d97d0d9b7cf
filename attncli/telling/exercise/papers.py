"""The exercise with all its answers, and what is made of it: the sheet without them, the key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from attncli.arithmetic.expression import Location, Number
from attncli.choices import POLICIES, Policy
from attncli.document import (
    Addition,
    AnswerSpace,
    Block,
    Document,
    Facts,
    Fields,
    Line,
    Section,
    Spans,
    Subheading,
    Working,
)
from attncli.file.problems import ScenarioError
from attncli.questions import Paper, Question, RightAnswer
from attncli.records import NamedTuple
from attncli.refusals import Problem, listed
from attncli.tables import MatrixBlock
from attncli.telling.blocks import matrix_block
from attncli.telling.exercise.asking import WholePage
from attncli.telling.exercise.choice import Blanking, Points, chosen
from attncli.telling.exercise.conventions import products_in_words
from attncli.telling.exercise.fingerprint import fingerprint
from attncli.telling.exercise.keys import Reach, key_of, number_of, with_slips
from attncli.telling.exercise.lines import Asked, Blankable
from attncli.telling.exercise.sections import (
    Cells,
    StepSection,
    sections_of,
    sections_of_cells,
    working_in,
)
from attncli.telling.exercise.solutions import solution_of, what_is_accepted
from attncli.telling.facts import facts_of, printed_roots, rounding_facts
from attncli.telling.selection import Selection, SelectionError
from attncli.trace import Quantity, Trace
from attncli.word import Word

_LEAST_ROOM, _MOST_ROOM = 3, 10


class ExerciseRequest(NamedTuple):
    """What an exercise is to ask for. `share` is what a known mistake earns, in per cent; where it
    is None, mistakes aren't looked for."""

    selection: Selection
    cells: Cells = ()
    blanking: Blanking = Blanking()
    points: Points = Points()
    seed: str = ""
    share: int | None = None

    @property
    def wants_everything(self) -> bool:
        """Whether all that the page makes is asked for."""
        part = self.cells or self.selection.queries
        return not part and self.blanking.kind in ("results", "all")

    def check_points(self, trace: Trace) -> None:
        """Raises SelectionError for points of steps that nothing is asked of."""
        steps = {told.part.step for told in self.page(trace).told}
        wrong = [
            Problem.of(
                f"--points {step}={count}", f"nothing is asked of {step}",
                f"give points of {listed(sorted(steps))}",
            )
            for step, count in self.points.steps.items()
            if step not in steps
        ]  # fmt: skip
        if wrong:
            raise SelectionError(wrong)

    def quantities(self, trace: Trace) -> set[str]:
        """What is asked for, by the full names of quantities that are made; for a given one,
        what its first use makes."""
        page = self.page(trace)
        names = {place.quantity for place in page.places() if self.allows(trace, place)}
        made = {name for name in names if not trace[name].given}
        users = (one.part for one in page.told if names - made)
        return made | {definition.name for part in users for definition in part.definitions}

    def page(self, trace: Trace) -> WholePage:
        """The page that is asked about."""
        inputs = tuple(name for name, _ in self.cells if trace[name].given)
        if self.cells:
            told = sections_of_cells(trace, self.cells, self.selection)
        else:
            told = sections_of(trace, self.selection)
        page = WholePage(trace, told, self.blanking.terms, inputs, again=bool(self.cells))
        return page if page.makes else page._replace(again=True)

    def allows(self, trace: Trace, place: Blankable) -> bool:
        """Whether a number is among those that may be asked for."""
        quantity = trace[place.quantity]
        if not self.cells:
            return not self.selection.queries or self.selection.tells(quantity)
        wanted = {Location(name, *trace[name].find(address)) for name, address in self.cells}
        if place.cell is not None:
            return place.cell in wanted
        return place.line in {trace[c.quantity].address(c.row, c.column) for c in wanted}


class BlankedPage(NamedTuple):
    """What is taken out of a page for one form of an exercise: the places that are asked for, and
    the page without them."""

    wish: ExerciseRequest
    page: WholePage
    places: Sequence[Blankable]
    asked: Asked
    asking: Sequence[tuple[StepSection, list[Blankable]]]

    @property
    def trace(self) -> Trace:
        return self.page.trace

    @property
    def context(self) -> set[str]:
        """The quantities that the sheet shows for its working to start from, besides given ones:
        those that it doesn't make itself."""
        blocks = (block for told, _ in self.asking for block in told.section.blocks)
        names = {block.quantity for block in blocks if isinstance(block, MatrixBlock)}
        return {n for n in names - self.page.makes if not self.trace[n].given}

    @property
    def roots(self) -> Mapping[Decimal, Decimal]:
        """The square roots that the sheet gives in figures."""
        return printed_roots(self.trace)

    def keys(self) -> dict[str, RightAnswer]:
        """What is accepted for each of the places that are asked for, by their ids."""
        from attncli.marking.judging import Judge

        carry, exact = map(self._numbers_under, POLICIES)
        judge = Judge(self.trace, self.context, printed=self.roots)
        reach = Reach(judge.right)
        return {place.id: key_of(reach, place, carry, exact) for place in self.places}

    def _numbers_under(self, policy: Policy) -> Mapping[str, Number]:
        """The numbers of the blanks under a policy, worked from what the sheet shows; none where
        they can't be worked."""
        trace = self.trace
        own = trace.rounding.policy == policy
        if own and (trace.rounding.carries or not self.context):
            return {place.id: place.number for place in self.places}
        if not self.wish.blanking.terms.inner:
            asked = {place.cell.quantity for place in self.places if place.cell is not None}
            trace = trace.leading_to(asked, self.context)
        try:
            worked = trace.under(policy, {name: shown_rows(trace[name]) for name in self.context})
        except ScenarioError:
            return {}
        if not self.wish.blanking.terms.inner:
            return {place.id: number_of(worked, place) for place in self.places}
        return {place.id: place.number for place in self.wish.page(worked).places()}

    def sections(self) -> list[Section]:
        """The sections with blanks, their questions with keys, and their solutions; the first of
        these says how they are to be read."""
        keys = self.keys()
        before = what_is_accepted(keys.values(), self.roots)
        sections = []
        for told, places in self.asking:
            section = told.section
            if places:
                section = self._section(told, places, keys)
                section = section._replace(solution=(*before, *section.solution))
                before = ()
            sections.append(section)
        return sections

    def _section(
        self, told: StepSection, places: Sequence[Blankable], keys: Mapping[str, RightAnswer]
    ) -> Section:
        wish, part = self.wish, told.part
        known = [(place, keys[place.id]) for place in places]
        if wish.share is not None:
            known = with_slips(self.trace, part, known)
        each = wish.points.of(part.step)
        questions = tuple(Question(place.id, each, key) for place, key in known)
        names = {place.quantity for place in places}
        fully = wish.selection._replace(detail="full")
        lines = working_in(self.trace, part, names, wish.cells, fully)
        whole = wish.wants_everything or bool(wish.cells)
        return told.section._replace(
            blocks=(*told.section.blocks, *_room(told.section, places)),
            questions=questions,
            solution=solution_of(lines, places, questions, part.path, whole=whole),
        )


def taken(trace: Trace, wish: ExerciseRequest, form: str) -> BlankedPage:
    """What a form of an exercise asks for. Raises SelectionError where there is nothing."""
    page = wish.page(trace)
    if wish.wants_everything:
        asked = page.everything()
        asking = page.asking(asked)
        if places := [place for _, own in asking for place in own]:
            return BlankedPage(wish, page, places, asked, asking)
    known = page.places()
    may = [place for place in known if wish.allows(trace, place)]
    places = chosen(may, wish.blanking, f"{wish.seed}/{form}", lambda p: page.giving(p, known))
    if not places:
        right = "ask for a step that makes numbers, or for other ones"
        option = f"--blank {wish.blanking.kind}"
        raise SelectionError.of(option, "there is nothing to blank", right)
    asked = page.asked(places, known)
    return BlankedPage(wish, page, places, asked, page.asking(asked))


def shown_rows(quantity: Quantity) -> list[list[Decimal]]:
    """The numbers of a quantity as a page shows them, [n, m]."""
    rows, columns = quantity.matrix.shape
    return [[quantity.number(i, j).shown for j in range(columns)] for i in range(rows)]


def exercise(trace: Trace, wish: ExerciseRequest, form: str, command: str) -> Document:
    """The exercise with everything: blanks with their answers, keys, worked solutions.

    Raises SelectionError where there is nothing to ask for.
    """
    what = taken(trace, wish, form)
    sections = what.sections()
    points = sum(section.points for section in sections)
    mark = fingerprint(trace, sections)
    opening, told = _gathered(sections)
    return Document(
        Word(trace.scenario.title),
        tuple(told),
        _facts(trace),
        given=tuple(_given(trace, what.asked)),
        opening=(Fields(("Name", "Date", f"Points of {points}")), *opening),
        sources=trace.scenario.sources,
        rounding=rounding_facts(trace),
        paper=Paper("exercise", form, mark, Word(command), points, wish.share or 0),
    )


def _room(section: Section, places: Sequence[Blankable]) -> list[Block]:
    """Room for the working, where no line of it is there to be filled in."""
    lines = (x for block in section.blocks if isinstance(block, Working) for x in block.lines)
    worked = any(isinstance(line, Line) and len(line.parts) > 1 for line in lines)
    if worked or any(isinstance(block, Addition) for block in section.blocks):
        return []
    return [AnswerSpace(min(_MOST_ROOM, max(_LEAST_ROOM, len(places))))]


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
    products = "; ".join(products_in_words(trace))
    told: tuple[tuple[str, Spans], ...] = (("Products", (products,)),) if products else ()
    return Facts((*facts_of(trace).rows, *told))


def _given(trace: Trace, asked: Asked) -> Iterator[MatrixBlock]:
    """The given matrices as data, without what is asked for."""
    for quantity in trace.quantities.values():
        if quantity.given:
            block = matrix_block(quantity, Selection())
            cells = [c for c in asked.cells if c.quantity == quantity.name]
            blanks = {(c.row, c.column): quantity.address(c.row, c.column) for c in cells}
            yield block._replace(blanks=blanks) if blanks else block
