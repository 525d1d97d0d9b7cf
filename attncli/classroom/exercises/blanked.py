"""Pages without the numbers of a form that are asked for, and the sections that are left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attncli.classroom.exercises.answer_keys import (
    Sources,
    key_of,
    number_of,
    solution_of,
    what_is_accepted,
    with_slips,
)
from attncli.classroom.exercises.asking import ENGLISH, WholePage, chosen
from attncli.classroom.exercises.line_blanks import Asked, Blankable
from attncli.classroom.exercises.on_the_sheet import SheetCells
from attncli.classroom.exercises.requests import (
    AskedInWords,
    ExerciseRequest,
    blocks_of,
    by_names,
    given_away,
    table_of_answers,
)
from attncli.classroom.exercises.sharing import LEAST, shared
from attncli.classroom.exercises.tasks import room, task_of
from attncli.classroom.exercises.workable_sections import StepSection, working_in
from attncli.document.blocks import AnswerSpace, Block, Callout, Paragraph, Section, parts_of
from attncli.document.languages import FrameWords, Words
from attncli.document.questions import Interval, Item, RightAnswer, points_text
from attncli.document.tables import MatrixBlock
from attncli.errors import Problem, Where, counted
from attncli.judging.honest_paths import Tolerance
from attncli.judging.judging import Judge, beyond_reach
from attncli.maths.equations.tree import Equation, Number
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Flags
from attncli.option_values import POLICIES, Policy
from attncli.pages.parts.blocks import folded
from attncli.pages.parts.selection import Selection, SelectionError
from attncli.pages.parts.sentences import printed_roots
from attncli.scenario.file.problems import ScenarioError
from attncli.steps.order import step_of
from attncli.trace import Quantity, Trace

if TYPE_CHECKING:
    from attncli.classroom.forms.showing import Blanks

_NONE = Tolerance()


def let_pass(key: RightAnswer, tolerance: Tolerance) -> RightAnswer:
    """Widens a key by a tolerance: units of the last place, an absolute and a relative difference,
    and what rounds to so many significant digits as the answer does."""
    if tolerance == _NONE or not key.number.shown.is_finite():
        return key
    shown = key.number.shown
    more = 2 * key.half * tolerance.units + tolerance.absolute + abs(shown) * tolerance.relative
    low, high = key.accepted
    least, most = _to_digits(shown, tolerance.digits)
    wider = Interval(min(low - more, least), max(high + more, most))
    return key._replace(accepted=wider)


def what_passes(tolerance: Tolerance, words: Words) -> tuple[Callout, ...]:
    """Returns what a key says of a tolerance, and nothing where there is none."""
    units, absolute, relative, digits = tolerance
    rows = (
        (units, words.units),
        (absolute, words.absolute),
        (relative, words.relative),
        (digits, words.digits),
    )
    text = ", ".join(says.format(number=much) for much, says in rows if much)
    return (Callout((words.lets_pass.format(what=text),)),) if text else ()


def _to_digits(number: Decimal, digits: int | None) -> Interval:
    """Returns what rounds to the same number of so many significant digits as a number does, and
    the number alone without digits."""
    if digits is None or not number:
        return Interval(number, number)
    last = number.adjusted() - digits + 1
    short = decimals.round_to(number, -last)
    half = Decimal(5).scaleb(last - 1)
    return Interval(short - half, short + half)


class BlankedPage(NamedTuple):
    """A page for one form of an exercise, without what is asked for."""

    request: ExerciseRequest
    page: WholePage
    places: Sequence[Blankable]
    """The places that are asked for."""
    asked: Asked
    asking: Sequence[tuple[StepSection, list[Blankable]]]
    """The sections with blanks, each with the places that are asked for in it."""

    @property
    def trace(self) -> Trace:
        return self.page.trace

    @property
    def context(self) -> set[str]:
        """Returns the quantities that the sheet shows for its working to start from, besides given
        ones: those that it doesn't make itself."""
        blocks = (block for s, _ in self.asking for block in s.section.blocks)
        names = {table.quantity for block in blocks for table in parts_of(block, MatrixBlock)}
        return {n for n in names - self.page.makes if not self.trace[n].given}

    @property
    def sheet(self) -> SheetCells:
        """Returns the cells that whoever works the sheet has. They are looked up only where
        mistakes are sought."""
        known = self.request.share is not None
        blocks = (block for s, _ in self.asking for block in s.section.blocks)
        asked = (place.cell for place in self.places if place.cell is not None)
        return (
            SheetCells.of(self.trace, blocks, asked)
            if known
            else SheetCells(self.trace, frozenset())
        )

    @property
    def roots(self) -> Mapping[Decimal, Decimal]:
        """Returns the square roots that the sheet gives in figures."""
        return printed_roots(self.trace)

    def keys(self) -> dict[str, RightAnswer]:
        """Returns what is accepted for each of the places that are asked for, by their ids."""
        carry, exact = map(self._numbers_under, POLICIES)
        sources, tolerance = Sources(self.trace, self.roots, self.judge.key), self.request.tolerance
        known = ((place.id, place) for place in self.places)
        keys = ((id_, key_of(sources, b, carry.get(id_), exact.get(id_))) for id_, b in known)
        return {id_: let_pass(key, tolerance) for id_, key in keys}

    @property
    def judge(self) -> Judge:
        """Returns the judge of what is written on the sheet."""
        shown = self.context | beyond_reach(self.trace)
        return Judge(self.trace, shown, self.request.tolerance, self.roots)

    def _numbers_under(self, policy: Policy) -> Mapping[str, Number]:
        """Computes the numbers of the blanks under a policy, from what the sheet shows. Returns
        none where they can't be worked."""
        trace = self.trace
        own = trace.rounding.policy == policy
        if own and (trace.rounding.carries or not self.context):
            return {place.id: place.number for place in self.places}
        if not self.request.terms.inner:
            trace = trace.leading_to(self.quantities, self.context)
        try:
            worked = trace.under(policy, {name: shown_rows(trace[name]) for name in self.context})
        except ScenarioError:
            return {}
        if not self.request.terms.inner:
            return {p.id: number_of(lambda name: worked[name].numbers, p) for p in self.places}
        return {place.id: place.number for place in self.request.page(worked).places()}

    @property
    def quantities(self) -> set[str]:
        """Returns the quantities whose numbers are asked for."""
        return {place.cell.quantity for place in self.places if place.cell is not None}

    def sections(self, words: FrameWords) -> list[Section]:
        """Makes the sections with blanks, their questions with keys, and their solutions, the first
        of which says how they are to be read. Raises SelectionError where the page tells the answer
        of a question."""
        keys = self.keys()
        before = (
            *what_is_accepted(keys.values(), self.roots, words),
            *what_passes(self.request.tolerance, words.keys),
        )
        sections = []
        in_words, sheet = self.request.in_words(self.trace), self.sheet
        self.check_hidden(in_words)
        points = self.points(in_words)
        in_words = [q._replace(points=points[q.question.id]) for q in in_words]
        ranked = [q.question.part for q in in_words if q.question.ranked]
        for page, places in self.asking:
            section = page.section
            if places:
                section = self._section(page, places, keys, points, sheet, words)
                section = section._replace(solution=(*before, *section.solution))
                before = ()
            if page.part in ranked:
                section = by_names(section)
            own = [q for q in in_words if page.asks(q.question.part, q.entry)]
            sections.append(self._with_words(page, section, own, words) if own else section)
        return sections

    def points(self, in_words: Sequence[AskedInWords]) -> dict[str, Decimal]:
        """Returns the points of all that is asked, by their ids: those that are said, and of a
        total what is left, shared out over the others. Raises SelectionError where that is too
        little."""
        request = self.request
        said: dict[str, Decimal | None] = {}
        kinds: dict[str, object] = {}
        for section, places in self.asking:
            for place in places:
                said[place.id] = request.worth_said(self.trace, section.part, place)
                kinds[place.id] = place.quantity, place.cell is None
        for q in in_words:
            said[q.question.id] = q.points if q.is_said else None
            kinds[q.question.id] = q.question.name
        known = {id_: worth for id_, worth in said.items() if worth is not None}
        others = [id_ for id_ in said if id_ not in known]
        if request.points.total is None:
            return {id_: known.get(id_, request.points.each) for id_ in said}
        rest = request.points.total - sum(known.values(), Decimal(0))
        if rest < LEAST * len(others) or (rest and not others):
            raise self._shared_badly(len(others), rest)
        shares = shared(rest, [kinds[id_] for id_ in others])
        return known | dict(zip(others, shares, strict=True))

    def _shared_badly(self, count: int, rest: Decimal) -> SelectionError:
        total = self.request.points.total
        assert total is not None
        left = "" if rest == total else f", of which {points_text(rest)} are left,"
        wrong = f"{counted(count, 'blank')} can't share {points_text(total)} points{left} sensibly"
        right = f"give each {points_text(LEAST)} at least, ask for less, or say points: {{each: 1}}"
        where = self.request.points.where
        source = f"--points total={points_text(total)}"
        return SelectionError([Problem(where or Where(source), wrong, right)])

    def check_hidden(self, asked: Sequence[AskedInWords]) -> None:
        """Raises SelectionError where the page tells the answer of a question."""
        blocks = [block for s, _ in self.asking for block in s.section.blocks]
        for question in asked:
            table = given_away(self.trace, question.question, blocks)
            if table is not None:
                wrong = f"the sheet shows {table.name}, which tells the answer"
                right = f"ask for all of {table.name} as well, or not for the step that needs it"
                raise SelectionError.of(f"--ask {question.question.id}", wrong, right)

    def _with_words(
        self,
        page: StepSection,
        section: Section,
        asked: Sequence[AskedInWords],
        words: FrameWords,
    ) -> Section:
        """Adds to a section what it asks in words, before the room for working. Where that is all,
        its solution gets the working that leads to the answers."""
        questions = [q.asked_on(self.judge.key) for q in asked]
        keys = [key for question in questions if (key := question.words) is not None]
        blocks = blocks_of(self.trace, asked, keys, words)
        lines: list[Block] = []
        if page.only_asked:
            names = {definition.name for definition in page.works}
            lines = working_in(self.trace, page.part, names, (), Selection())
        section = section._replace(solution=(*section.solution, *lines))
        end = [block for block in section.blocks[-1:] if isinstance(block, AnswerSpace)]
        shown = section.blocks[: len(section.blocks) - len(end)]
        return section._replace(
            blocks=(*shown, *blocks, *end),
            questions=(*section.questions, *questions),
            solution=(*section.solution, *table_of_answers(questions, words.keys)),
        )

    def _section(
        self,
        section: StepSection,
        places: Sequence[Blankable],
        keys: Mapping[str, RightAnswer],
        points: Mapping[str, Decimal],
        sheet: SheetCells,
        words: FrameWords,
    ) -> Section:
        request, part = self.request, section.part
        known = [(place, keys[place.id]) for place in places]
        if request.share is not None:
            known = with_slips(sheet, part, known)
        questions = tuple(
            Item(p.id, points[p.id], key, cell=p.cell, called=p.seen_from(part.path))
            for p, key in known
        )
        asked = [*zip(places, questions, strict=True)]
        task = task_of(self.trace, part.path, asked, words)
        space = room(self.trace, section.section, places, request)
        names = {place.quantity for place in places}
        selection, cells, _ = section.wanted
        lines = working_in(self.trace, part, names, cells, selection._replace(detail="full"))
        whole = request.wants_everything or bool(cells)
        remark = step_of(part).results.remark(part.place, self.trace)
        solution = solution_of(self.trace, lines, asked, part.path, words.keys, whole=whole)
        return section.section._replace(
            blocks=(*_with_task(section.section.blocks, task), *space),
            questions=questions,
            solution=(*solution, *([Paragraph(remark)] if remark else [])),
        )


def _with_task(blocks: Sequence[Block], task: Paragraph) -> list[Block]:
    """Puts a task behind the sentence that says what happens in a section."""
    match blocks:
        case [Paragraph(text=text), *_]:
            first = 0 if any(isinstance(span, Equation) for span in text) else 1
        case _:
            first = 0
    return [*blocks[:first], task, *map(folded, blocks[first:])]


def taken(trace: Trace, request: ExerciseRequest, form: str, words: Words = ENGLISH) -> BlankedPage:
    """Takes out of a page what a form of an exercise asks for. Raises SelectionError where there is
    nothing."""
    page = request.page(trace, words)
    if not request.asks and request.words:
        return BlankedPage(request, page, (), Asked(), page.asking(Asked()))
    if request.wants_everything and not beyond_reach(trace):
        asked = page.everything()
        asking = page.asking(asked)
        if places := [place for _, own in asking for place in own]:
            return BlankedPage(request, page, places, asked, asking)
    known = page.places()
    places = _chosen(request, page, known, f"{request.seed}/{form}")
    if not places:
        right = "ask for a step that makes numbers, or for other ones"
        option = f"--blank {request.asks[0].blanking.kind}"
        raise SelectionError.of(option, "there is nothing to blank", right)
    asked = page.asked(places, known)
    return BlankedPage(request, page, places, asked, page.asking(asked))


def _chosen(
    request: ExerciseRequest, page: WholePage, known: Sequence[Blankable], seed: str
) -> list[Blankable]:
    """Chooses the places that are asked for, in their order."""
    allowed = request.allowed(page)
    kept: set[str] = set()
    for k, ask in enumerate(request.asks):
        may = [place for of, _, place in allowed if of is ask]
        own = f"{seed}/{k}" if k else seed
        taken_out = chosen(may, ask.blanking, own, lambda places: page.giving(places, known))
        kept.update(place.id for place in taken_out)
    return [place for *_, place in allowed if place.id in kept]


def blanks_of(trace: Trace, request: ExerciseRequest) -> Blanks:
    """Returns what a sheet asks for and shows, whatever numbers a form has. Raises SelectionError
    where there is nothing to ask for."""
    from attncli.classroom.forms.showing import Blanks  # which only forms need

    what = taken(trace, request, "")
    cells: dict[str, Flags] = {}
    for *_, place in request.allowed(what.page):
        if place.cell is not None:
            name, i, j = place.cell
            cells.setdefault(name, np.zeros(trace[name].matrix.shape, dtype=np.bool_))[i, j] = True
    return Blanks(cells, frozenset(what.context), what.roots, request.tolerance)


def shown_rows(quantity: Quantity) -> list[list[Decimal]]:
    """Returns the numbers of a quantity as a page shows them, [n, m]."""
    rows, columns = quantity.matrix.shape
    return [[quantity.number(i, j).shown for j in range(columns)] for i in range(rows)]
